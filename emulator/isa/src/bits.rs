//! How a row's instruction lies in its bits, for people.

use crate::encode::encode;
use crate::generation::Gen;
use crate::instr::Form;
use crate::insts::Op;
use crate::layout::{self, Field, OperandSlot};
use crate::sample::sample;

/// Bits `high..=low` of the instruction's dwords, counted through all of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BitField {
    pub high: u8,
    pub low: u8,
    /// What stands there: a place of the assembly text (`D`, `S0`), a modifier, `op`, or nothing for bits that tell the encoding.
    pub name: String,
    /// Of what is the same in each instruction of the row.
    pub value: Option<u32>,
}

/// Dwords without a literal, and fields from bit 0 up; `None` if the generation has not the row in this form.
pub fn of(op: Op, form: Form, generation: Gen) -> Option<(usize, Vec<BitField>)> {
    let instr = sample(op, form, generation)?;
    let mut words = Vec::new();
    encode(&instr, generation, &mut words).ok()?;
    let row = op.row();
    let family = row.family(generation);
    let of = layout::encodings(generation).find(|l| layout::serves(l, row, family, form))?;
    let word = words.iter().take(3).enumerate().fold(0u128, |all, (i, w)| all | u128::from(*w) << (32 * i));
    let fixed = of.fixed.iter().map(|(bits, value)| BitField {
        high: bits.0,
        low: bits.1,
        name: String::new(),
        value: Some(*value),
    });
    let named = of.fields.iter().map(|(bits, field)| {
        let (name, tells) = match field {
            Field::Op | Field::OpLow | Field::OpHigh(_) => ("op".to_string(), true),
            Field::At(place, _) | Field::ScalarBit(place) => match layout::slot(row, form, *place) {
                Some(OperandSlot::Dst(n)) => (if n == 0 { "D".into() } else { format!("D{n}") }, false),
                Some(OperandSlot::Src(n)) => (format!("S{n}"), false),
                None => ("unused".to_string(), false),
            },
            Field::Imm { .. } => ("imm".to_string(), false),
            other => (word_of(&format!("{other:?}")), false),
        };
        BitField { high: bits.0, low: bits.1, name, value: tells.then(|| bits.get(word)) }
    });
    let mut fields: Vec<BitField> = fixed.chain(named).collect();
    fields.sort_by_key(|f| f.low);
    Some((of.dwords, fields))
}

/// `BoundCtrl` as `bound_ctrl`, `Flag(Flags(OFFEN))` as `offen`.
fn word_of(name: &str) -> String {
    let inner = name.strip_prefix("Flag(Flags(").map_or(name, |rest| rest.trim_end_matches(')'));
    let mut out = String::new();
    for c in inner.chars() {
        match c {
            '(' | ' ' | ')' | ',' | '{' | '}' => {}
            c if c.is_uppercase() && out.ends_with(|p: char| p.is_lowercase()) => {
                out.push('_');
                out.extend(c.to_lowercase());
            }
            c => out.extend(c.to_lowercase()),
        }
    }
    out
}
