//! Two sheets beside each other: figures, and code aligned by what its instructions are.

use crate::sheet::{Run, Sheet};
use similar::{Algorithm, DiffOp, capture_diff_slices};

/// Rows that stand beside each other.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Pair {
    pub left: Option<u32>,
    pub right: Option<u32>,
}

/// A figure of both.
#[derive(Clone, PartialEq, Debug)]
pub struct Figure {
    pub name: &'static str,
    pub left: Option<f64>,
    pub right: Option<f64>,
    /// Less is better; `None`: neither.
    pub less: Option<bool>,
}

/// How a pair's rows are to each other.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Likeness {
    Same,
    /// The same instruction with other operands.
    Operands,
    Left,
    Right,
}

pub struct Comparison<'a> {
    pub left: &'a Sheet,
    pub right: &'a Sheet,
    pub rows: Vec<Pair>,
}

/// What an instruction is, without its operands: the width in which masks come is left out, so that waves of both sizes compare.
fn mnemonic(text: &str) -> String {
    let name = text.split(' ').next().unwrap_or_default();
    let name = name.trim_end_matches("_e32").trim_end_matches("_e64");
    match name.strip_prefix("s_") {
        Some(_) => name.trim_end_matches("_b32").trim_end_matches("_b64").to_owned(),
        None => name.to_owned(),
    }
}

impl<'a> Comparison<'a> {
    pub fn new(left: &'a Sheet, right: &'a Sheet) -> Comparison<'a> {
        let names = |s: &Sheet| s.code.iter().map(|r| mnemonic(&r.text)).collect::<Vec<_>>();
        let ops = capture_diff_slices(Algorithm::Myers, &names(left), &names(right));
        let mut rows = Vec::new();
        let pair = |left: Option<usize>, right: Option<usize>| Pair {
            left: left.map(|n| n as u32),
            right: right.map(|n| n as u32),
        };
        for op in ops {
            match op {
                DiffOp::Equal { old_index, new_index, len } => {
                    rows.extend((0..len).map(|n| pair(Some(old_index + n), Some(new_index + n))));
                }
                DiffOp::Delete { old_index, old_len, .. } => {
                    rows.extend((0..old_len).map(|n| pair(Some(old_index + n), None)));
                }
                DiffOp::Insert { new_index, new_len, .. } => {
                    rows.extend((0..new_len).map(|n| pair(None, Some(new_index + n))));
                }
                DiffOp::Replace { old_index, old_len, new_index, new_len } => {
                    rows.extend((0..old_len).map(|n| pair(Some(old_index + n), None)));
                    rows.extend((0..new_len).map(|n| pair(None, Some(new_index + n))));
                }
            }
        }
        Comparison { left, right, rows }
    }

    pub fn likeness(&self, pair: Pair) -> Likeness {
        match (pair.left, pair.right) {
            (Some(l), Some(r)) if self.left.code[l as usize].text == self.right.code[r as usize].text => Likeness::Same,
            (Some(_), Some(_)) => Likeness::Operands,
            (Some(_), None) => Likeness::Left,
            _ => Likeness::Right,
        }
    }

    /// Rows that stand alone, on each side, and rows with other operands.
    pub fn counts(&self) -> (usize, usize, usize) {
        let of = |what: Likeness| self.rows.iter().filter(|p| self.likeness(**p) == what).count();
        (of(Likeness::Left), of(Likeness::Right), of(Likeness::Operands))
    }

    pub fn figures(&self) -> Vec<Figure> {
        let (l, r) = (self.left, self.right);
        let always = |name, less, of: fn(&Sheet) -> f64| Figure { name, left: Some(of(l)), right: Some(of(r)), less };
        let ran = |name, less, of: fn(&Run) -> Option<f64>| Figure {
            name,
            left: l.run.as_ref().and_then(of),
            right: r.run.as_ref().and_then(of),
            less,
        };
        let mut out = vec![
            always("instructions", Some(true), |s| s.code.len() as f64),
            always("code bytes", Some(true), |s| s.code_bytes.into()),
            always("VGPRs", Some(true), |s| s.vgprs.into()),
            always("live VGPRs at most", Some(true), |s| s.peak_vgprs.map_or(0.0, |p| p.registers.into())),
            always("SGPRs", Some(true), |s| s.sgprs.into()),
            always("LDS bytes", Some(true), |s| s.lds_bytes.into()),
            always("scratch bytes", Some(true), |s| s.scratch_bytes.into()),
            always("waves of a SIMD", Some(false), |s| s.occupancy.waves.into()),
            always("lanes of a SIMD", Some(false), |s| (s.occupancy.waves * s.wave).into()),
            always("waits", Some(true), |s| s.waits.len() as f64),
            always("branches", Some(true), |s| s.branches.len() as f64),
        ];
        out.extend([
            ran("cycles", Some(true), |r| Some(r.cycles as f64)),
            ran("microseconds", Some(true), |r| Some(r.nanoseconds / 1000.0)),
            ran("instructions executed", Some(true), |r| Some(r.instructions as f64)),
            ran("lanes on", Some(false), |r| r.lanes),
            ran("cycles of bank conflicts", Some(true), |r| {
                Some(r.rows.iter().map(|c| c.conflicts).sum::<u64>() as f64)
            }),
        ]);
        out.retain(|f| f.left.is_some() || f.right.is_some());
        out
    }
}
