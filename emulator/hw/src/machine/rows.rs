//! A description as a list, for those who print it.

use super::{Figure, Machine, Source};
use serde::Serialize;
use std::fmt;

/// One figure with its place in the description.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct FigureRow<'a> {
    pub section: &'static str,
    /// What the section is about.
    pub section_about: &'static str,
    pub name: &'static str,
    /// What the figure means; empty where the name says it.
    pub about: &'static str,
    pub value: Value,
    pub unit: &'a str,
    pub source: Source,
    pub note: &'a str,
    pub inherited: Option<&'a str>,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Value {
    Count(u64),
    Real(f64),
}

impl Value {
    /// Counts above 2^53 are rounded.
    pub fn real(self) -> f64 {
        match self {
            Value::Count(n) => n as f64,
            Value::Real(x) => x,
        }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Count(n) => fmt::Display::fmt(n, f),
            Value::Real(x) => fmt::Display::fmt(x, f),
        }
    }
}

impl Machine {
    /// Every figure, in the order of the sections.
    pub fn rows(&self) -> Vec<FigureRow<'_>> {
        let mut rows = Vec::new();
        let whole = Label { name: "", about: "" };
        Part::rows(self, whole, whole, &mut rows);
        rows
    }
}

/// Name and documentation of a section or a figure.
#[derive(Clone, Copy)]
pub(super) struct Label {
    pub name: &'static str,
    pub about: &'static str,
}

/// What a description is made of: sections, figures, and words about the card.
pub(super) trait Part {
    /// Adds the figures of this part, which `own` names, in section `section`.
    fn rows<'a>(&'a self, section: Label, own: Label, rows: &mut Vec<FigureRow<'a>>);
}

impl Part for String {
    fn rows<'a>(&'a self, _: Label, _: Label, _: &mut Vec<FigureRow<'a>>) {}
}

/// What not every machine has.
impl<T: Part> Part for Option<T> {
    fn rows<'a>(&'a self, section: Label, own: Label, rows: &mut Vec<FigureRow<'a>>) {
        self.iter().for_each(|part| part.rows(section, own, rows));
    }
}

impl Part for Figure<u64> {
    fn rows<'a>(&'a self, section: Label, own: Label, rows: &mut Vec<FigureRow<'a>>) {
        rows.push(row(self, Value::Count(self.value), section, own));
    }
}

impl Part for Figure<f64> {
    fn rows<'a>(&'a self, section: Label, own: Label, rows: &mut Vec<FigureRow<'a>>) {
        rows.push(row(self, Value::Real(self.value), section, own));
    }
}

fn row<T>(figure: &Figure<T>, value: Value, section: Label, own: Label) -> FigureRow<'_> {
    FigureRow {
        section: section.name,
        section_about: section.about.trim(),
        name: own.name,
        about: own.about.trim(),
        value,
        unit: &figure.unit,
        source: figure.source,
        note: &figure.note,
        inherited: figure.inherited.as_deref(),
    }
}
