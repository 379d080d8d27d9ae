//! Reading descriptions: TOML, laid over the description that it names as its base.

use super::{Machine, MachineError};
use serde::Deserialize;
use std::sync::{Arc, LazyLock};
use toml::Spanned;
use toml::de::{DeTable, DeValue, Deserializer};

/// Name and text of the machines that ship with wavepipe; the first is the default.
const BUILTIN: &[(&str, &str)] = &[
    ("rx5700xt", include_str!("../../machines/rx5700xt.toml")),
    ("rx5600xt", include_str!("../../machines/rx5600xt.toml")),
    ("rx5500xt", include_str!("../../machines/rx5500xt.toml")),
    ("hd7950", include_str!("../../machines/hd7950.toml")),
    ("r9390", include_str!("../../machines/r9390.toml")),
    ("vega64", include_str!("../../machines/vega64.toml")),
    ("rx6900xt", include_str!("../../machines/rx6900xt.toml")),
    ("rx6800xt", include_str!("../../machines/rx6800xt.toml")),
];

/// What a description says of itself, and so does not inherit.
const OWN: &[&str] = &["name", "product", "base"];
/// Key of a figure that tells whose it is.
const INHERITED: &str = "inherited";

impl Machine {
    /// The default machine, shared.
    pub fn standard() -> Arc<Machine> {
        static STANDARD: LazyLock<Arc<Machine>> = LazyLock::new(Default::default);
        STANDARD.clone()
    }

    /// Reads a description and checks that a machine can be made of it. Errors name the line of `text`.
    pub fn parse(text: &str) -> Result<Machine, MachineError> {
        let laid = laid_over_base(text)?;
        let machine = Machine::deserialize(Deserializer::from(laid)).map_err(|e| syntax(e, text))?;
        machine.check().map_err(|e| e.at(text))?;
        Ok(machine)
    }
}

impl Default for Machine {
    /// The Radeon RX 5700 XT.
    fn default() -> Self {
        Self::parse(BUILTIN[0].1).expect("a machine that ships with wavepipe; its test parses it")
    }
}

impl MachineError {
    /// With the line of what it is about, if this text has that.
    fn at(self, text: &str) -> MachineError {
        let line_of = |path: &str| {
            let table = DeTable::parse(text).ok()?;
            let value = match path.split_once('.') {
                Some((section, name)) => table.get_ref().get(section)?.get_ref().as_table()?.get(name)?,
                None => table.get_ref().get(path)?,
            };
            Some(line(text, value.span().start))
        };
        match self {
            MachineError::Figure { figure, value, why, .. } => {
                MachineError::Figure { line: line_of(&figure), figure, value, why }
            }
            MachineError::Isa { isa, .. } => MachineError::Isa { isa, line: line_of("isa") },
            other => other,
        }
    }
}

/// Their names, in order.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    BUILTIN.iter().map(|(name, _)| *name)
}

pub(super) fn builtin_text(name: &str) -> Option<&'static str> {
    BUILTIN.iter().find(|(n, _)| *n == name).map(|(_, text)| *text)
}

fn syntax(mut error: toml::de::Error, text: &str) -> MachineError {
    error.set_input(Some(text));
    MachineError::Syntax(error.to_string().trim_end().into())
}

/// The description as it stands, and figure by figure what it leaves out from its base. Spans are those of `text`: a base is
/// complete, so that nothing is found wrong with what comes from it.
fn laid_over_base(text: &str) -> Result<Spanned<DeTable<'_>>, MachineError> {
    let mut table = DeTable::parse(text).map_err(|e| syntax(e, text))?;
    if let Some(at) = claim(table.get_ref()) {
        return Err(MachineError::Inherited { line: line(text, at) });
    }
    let Some(base) = table.get_mut().remove("base") else { return Ok(table) };
    let name = base.get_ref().as_str().unwrap_or_default().to_string();
    let Some(base) = builtin_text(&name) else {
        let line = line(text, base.span().start);
        return Err(MachineError::Base { line, name, known: Machine::names().collect() });
    };
    for (key, mut value) in laid_over_base(base)?.into_inner() {
        if OWN.contains(&key.get_ref().as_ref()) {
            continue;
        }
        if let DeValue::Table(figures) = value.get_mut() {
            figures.iter_mut().for_each(|(_, figure)| attribute(figure, &name));
        }
        match (table.get_mut().get_mut(&key).map(Spanned::get_mut), value.into_inner()) {
            (None, value) => drop(table.get_mut().insert(key, Spanned::new(0..0, value))),
            (Some(DeValue::Table(own)), DeValue::Table(figures)) => {
                for (key, figure) in figures {
                    own.entry(key).or_insert(figure);
                }
            }
            // What is no section here is no figure to inherit, or an error when it is read.
            (Some(_), _) => {}
        }
    }
    Ok(table)
}

/// Says whose an inherited figure is, unless the base has it from its own base.
fn attribute(figure: &mut Spanned<DeValue<'_>>, base: &str) {
    if let DeValue::Table(parts) = figure.get_mut() {
        let whose = Spanned::new(0..0, DeValue::String(base.to_string().into()));
        parts.entry(Spanned::new(0..0, INHERITED.into())).or_insert(whose);
    }
}

/// Where a figure of this text claims to be inherited.
fn claim(table: &DeTable<'_>) -> Option<usize> {
    let sections = table.values().filter_map(|section| section.get_ref().as_table());
    let figures = sections.flat_map(DeTable::values).filter_map(|figure| figure.get_ref().as_table());
    figures.flat_map(DeTable::keys).find(|key| key.get_ref() == INHERITED).map(|key| key.span().start)
}

/// Line of a place in a text, from 1.
fn line(text: &str, at: usize) -> usize {
    text.bytes().take(at).filter(|&b| b == b'\n').count() + 1
}
