//! Specialization constants: what a shader declares, and the values that a user gives by name or id.

use crate::element::{Element, Number, Scalar};
use crate::failure::{Failure, Result};
use crate::job::Spoken;
use wavepipe_runtime::compiler::spirv::{ScalarKind, SpecInfo};

/// A specialization constant, or an `override` of WGSL.
#[derive(Clone, PartialEq, Debug)]
pub struct Constant {
    pub id: Option<u32>,
    /// Empty if the module has no names.
    pub name: String,
    /// `None`: true or false.
    pub kind: Option<ScalarKind>,
    pub size: u32,
    /// It has no default.
    pub needed: bool,
}

impl From<&SpecInfo> for Constant {
    fn from(s: &SpecInfo) -> Constant {
        Constant { id: Some(s.id), name: s.name.clone(), kind: s.kind, size: s.size, needed: false }
    }
}

impl std::fmt::Display for Constant {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match (self.id, self.name.as_str()) {
            (Some(id), "") => write!(f, "{id}"),
            (Some(id), name) => write!(f, "{id} (`{name}`)"),
            (None, name) => write!(f, "`{name}`"),
        }
    }
}

impl Constant {
    fn scalar(&self) -> Scalar {
        let kinds = [ScalarKind::Unsigned, ScalarKind::Signed, ScalarKind::Float];
        let scalars = [
            [Scalar::U8, Scalar::I8, Scalar::F16],
            [Scalar::U16, Scalar::I16, Scalar::F16],
            [Scalar::U32, Scalar::I32, Scalar::F32],
            [Scalar::U64, Scalar::I64, Scalar::F64],
        ];
        let kind = kinds.iter().position(|k| Some(*k) == self.kind).unwrap_or(0);
        scalars[(self.size.max(1).ilog2() as usize).min(3)][kind]
    }

    fn type_name(&self) -> &'static str {
        if self.kind.is_none() { "bool" } else { self.scalar().name() }
    }
}

/// A constant's value.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Value(pub Number);

impl Value {
    /// `VALUE`, or `TYPE=VALUE` where the type is the constant's own.
    pub fn parse(constant: &Constant, text: &str) -> Result<Value> {
        let bad = |why: String| Failure::usage(format!("specialization constant {constant}: {why}"));
        let (ty, number) = match text.split_once('=') {
            Some((ty, number)) => (Some(ty.trim()), number.trim()),
            None => (None, text.trim()),
        };
        if let Some(ty) = ty.filter(|ty| *ty != constant.type_name()) {
            let same = |e: &Element| {
                let scalar = constant.scalar();
                e.lanes == 1 && e.scalar.bytes() == scalar.bytes() && e.scalar.is_float() == scalar.is_float()
            };
            if ty != "bool" && !ty.parse::<Element>().is_ok_and(|e| same(&e)) || constant.kind.is_none() {
                return Err(bad(format!("it is a {}, and `{text}` is not: leave the type out", constant.type_name())));
            }
        }
        let number = match (constant.kind, number) {
            (None, "true" | "1") => Number::Int(1),
            (None, "false" | "0") => Number::Int(0),
            (None, _) => return Err(bad(format!("`{text}` is neither true nor false"))),
            (Some(_), text) => constant.scalar().parse(text).map_err(|e| bad(e.to_string()))?,
        };
        Ok(Value(number))
    }

    /// Little-endian bits of the constant's size.
    pub fn bits(self, constant: &Constant) -> u64 {
        let mut bytes = Vec::new();
        constant.scalar().put(self.0, &mut bytes);
        bytes.resize(8, 0);
        bytes.iter().rev().fold(0, |bits, b| bits << 8 | u64::from(*b))
    }

    /// As WGSL's overrides are set.
    pub fn float(self) -> f64 {
        match self.0 {
            Number::Int(i) => i as f64,
            Number::Float(f) => f,
        }
    }
}

/// The constants that texts name, by id or by name, with their values.
fn named(texts: &[(String, String)], declared: &[Constant]) -> Result<Vec<(Constant, Value)>> {
    let mut out: Vec<(Constant, Value)> = Vec::new();
    for (key, text) in texts {
        let key = key.trim();
        let found = declared.iter().find(|c| c.id.is_some_and(|id| key.parse() == Ok(id)) || c.name == key);
        let constant = found.ok_or_else(|| {
            let names: Vec<String> = declared.iter().map(Constant::to_string).collect();
            let has = if names.is_empty() { "it has none".to_owned() } else { format!("it has: {}", names.join(", ")) };
            Failure::usage(format!("the shader has no specialization constant {key}; {has}"))
        })?;
        if out.iter().any(|(c, _)| c == constant) {
            return Err(Failure::usage(format!("specialization constant {constant} is given twice")));
        }
        out.push((constant.clone(), Value::parse(constant, text)?));
    }
    Ok(out)
}

/// All values that are given; `over` wins over `texts`.
pub fn choose(
    texts: &[(String, String)],
    over: &[(String, String)],
    declared: &[Constant],
    spoken: Spoken,
) -> Result<Vec<(Constant, Value)>> {
    let mut out = named(over, declared)?;
    for (constant, value) in named(texts, declared)? {
        if !out.iter().any(|(c, _)| *c == constant) {
            out.push((constant, value));
        }
    }
    if let Some(c) = declared.iter().find(|c| c.needed && !out.iter().any(|(given, _)| given == *c)) {
        let message = format!("override {c} has no value: {}", spoken.spec(&c.name, c.type_name()));
        return Err(Failure::usage(message));
    }
    Ok(out)
}
