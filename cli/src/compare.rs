//! What came out of one run beside what came out of another.

use serde_json::{Value, json};
use std::fmt;

/// What came out of a run, by name: comparable, and to be shown.
#[derive(Clone, Debug, PartialEq)]
pub struct Part {
    pub name: String,
    pub bytes: Vec<u8>,
    /// Its elements in order.
    pub values: Vec<Value>,
}

/// A part that is not as usual: how many elements, and of the first its number, value and usual value.
pub struct Difference<'a> {
    part: &'a Part,
    elements: usize,
    first: Option<(usize, &'a Value, &'a Value)>,
}

/// What of these is not as in `usual`.
pub fn differing<'a>(parts: &'a [Part], usual: &'a [Part]) -> Vec<Difference<'a>> {
    let pairs = parts.iter().zip(usual).filter(|(a, b)| a != b);
    let difference = |(mine, theirs): (&'a Part, &'a Part)| {
        let mut values = mine.values.iter().zip(&theirs.values).enumerate().filter(|(_, (a, b))| a != b);
        let first = values.next().map(|(i, (a, b))| (i, a, b));
        Difference { part: mine, elements: usize::from(first.is_some()) + values.count(), first }
    };
    pairs.map(difference).collect()
}

impl fmt::Display for Difference<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = &self.part.name;
        match self.first {
            Some((i, mine, usual)) if self.elements > 1 => {
                write!(f, "{name}[{i}] is {mine}, not {usual}, and {} more differ", self.elements - 1)
            }
            Some((i, mine, usual)) => write!(f, "{name}[{i}] is {mine}, not {usual}"),
            None => write!(f, "{name} differs"),
        }
    }
}

impl Difference<'_> {
    pub fn json(&self) -> Value {
        let first = self.first.map(|(i, mine, usual)| json!({ "index": i, "value": mine, "usual": usual }));
        json!({ "name": self.part.name, "elements": self.elements, "first": first })
    }
}
