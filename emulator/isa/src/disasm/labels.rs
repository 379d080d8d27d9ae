//! Names for the places that a program's branches go to, so that its text can be assembled again.

use std::collections::BTreeMap;

use super::text;
use crate::decode::decode;
use crate::generation::Gen;
use crate::hazard::{Reading, Trigger, hazards};
use crate::instr::Instr;
use crate::row::{Control, Sem};

/// The labels of one program, by the dword that each stands in front of.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Labels(BTreeMap<usize, String>);

impl Labels {
    /// `BB0`, `BB1`, … in the order of addresses: wherever an instruction begins that a branch of the program goes to.
    pub fn of(words: &[u32], generation: Gen) -> Labels {
        let (mut begins, mut targets, mut at) = (Vec::new(), Vec::new(), 0);
        while at < words.len() {
            begins.push(at);
            at += match decode(&words[at..], generation) {
                Ok((instr, size)) => {
                    targets.extend(target(&instr, at, generation));
                    size
                }
                Err(_) => 1,
            };
        }
        targets.sort_unstable();
        targets.dedup();
        targets.retain(|t| begins.binary_search(t).is_ok());
        Labels(targets.into_iter().enumerate().map(|(n, at)| (at, format!("BB{n}"))).collect())
    }

    /// The label in front of a dword.
    pub fn at(&self, dword: usize) -> Option<&str> {
        self.0.get(&dword).map(String::as_str)
    }

    /// The label that an instruction at a dword goes to; `None` if it is no branch or its target has none.
    pub fn target(&self, instr: &Instr, dword: usize, generation: Gen) -> Option<&str> {
        self.at(target(instr, dword, generation)?)
    }

    /// As [`text`] has it, the distance of a branch given by its label.
    pub fn text(&self, instr: &Instr, dword: usize, generation: Gen, lanes: u32) -> String {
        let plain = text(instr, generation, lanes);
        match self.target(instr, dword, generation) {
            Some(label) => with_target(&plain, label),
            None => plain,
        }
    }
}

/// The text of a branch with a label in the place of the distance, which is its last word.
pub fn with_target(plain: &str, label: &str) -> String {
    plain.rsplit_once(' ').map_or_else(|| plain.to_string(), |(begin, _)| format!("{begin} {label}"))
}

/// The dword that a branch goes to. A distance that LLVM's assembler puts a NOP behind when it is written as a label stays a number.
fn target(instr: &Instr, at: usize, generation: Gen) -> Option<usize> {
    let Sem::Control(control) = instr.op.row().sem else { return None };
    let distance = instr.imm as u16;
    let moved = |t: &Trigger| matches!(t, Trigger::Distance(bad) if *bad == distance);
    if !Control::has_target(control) || hazards().any(|h| h.rules(generation, Reading::Llvm).any(moved)) {
        return None;
    }
    (at + 1).checked_add_signed(isize::from(distance as i16))
}
