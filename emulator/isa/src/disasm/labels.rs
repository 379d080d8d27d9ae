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
        let mut at = 0;
        let code = std::iter::from_fn(|| {
            let here = (at, decode(words.get(at..).filter(|rest| !rest.is_empty())?, generation).ok());
            at += here.1.as_ref().map_or(1, |(_, size)| *size);
            Some((here.0, here.1.map(|(instr, _)| instr)))
        });
        Labels::among(code, generation)
    }

    /// The same of instructions, each with the dword where it begins, by address; what is none is a place to go to as well.
    pub fn among(code: impl IntoIterator<Item = (usize, Option<Instr>)>, generation: Gen) -> Labels {
        let (mut begins, mut targets) = (Vec::new(), Vec::new());
        for (at, instr) in code {
            begins.push(at);
            targets.extend(instr.and_then(|instr| target(&instr, at, generation)));
        }
        targets.sort_unstable();
        targets.dedup();
        targets.retain(|t| begins.binary_search(t).is_ok());
        Labels(targets.into_iter().enumerate().map(|(n, at)| (at, format!("BB{n}"))).collect())
    }

    /// With names of the program's own, by dword, in the place of those made up here.
    pub fn named(mut self, names: &[(usize, String)]) -> Labels {
        let mut free = (0..).map(|n| format!("BB{n}")).filter(|made| names.iter().all(|(_, own)| own != made));
        for (at, label) in &mut self.0 {
            let own = names.iter().find(|(place, _)| place == at).map(|(_, name)| name.clone());
            *label = own.or_else(|| free.next()).unwrap_or_default();
        }
        self
    }

    /// The label in front of a dword.
    pub fn at(&self, dword: usize) -> Option<&str> {
        self.0.get(&dword).map(String::as_str)
    }

    /// The label that an instruction at a dword goes to; `None` if it is no branch or its target has none.
    pub fn target(&self, instr: &Instr, dword: usize, generation: Gen) -> Option<&str> {
        self.at(target(instr, dword, generation)?)
    }

    /// The label that the instruction at a dword of a program goes to. Only for a branch is all of the program decoded.
    pub fn goal(words: &[u32], dword: usize, generation: Gen) -> Option<String> {
        let (instr, _) = decode(words.get(dword..).filter(|rest| !rest.is_empty())?, generation).ok()?;
        target(&instr, dword, generation)?;
        Labels::of(words, generation).target(&instr, dword, generation).map(str::to_owned)
    }

    /// As [`text`] has it, the distance of a branch given by its label.
    pub fn text(&self, instr: &Instr, dword: usize, generation: Gen, lanes: u32) -> String {
        labelled(&text(instr, generation, lanes), self.target(instr, dword, generation))
    }
}

/// One instruction of a program as text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedInstr {
    /// The dword where it begins, and how many it has.
    pub at: usize,
    pub size: usize,
    /// As [`text`] has it; what does not decode stands as `.long`.
    pub text: String,
    /// The label in front of it, and the one that it goes to.
    pub label: Option<String>,
    pub target: Option<String>,
}

impl ListedInstr {
    /// The text among the program's others: a branch names its label.
    pub fn labelled(&self) -> String {
        labelled(&self.text, self.target.as_deref())
    }
}

/// The instructions of a program, in the order of addresses.
pub fn listed(words: &[u32], generation: Gen, lanes: u32) -> Vec<ListedInstr> {
    let labels = Labels::of(words, generation);
    let (mut out, mut at) = (Vec::new(), 0);
    while at < words.len() {
        let (text, target, size) = match decode(&words[at..], generation) {
            Ok((instr, size)) => (text(&instr, generation, lanes), labels.target(&instr, at, generation), size),
            Err(_) => (format!(".long {:#010x}", words[at]), None, 1),
        };
        let (label, target) = (labels.at(at).map(str::to_owned), target.map(str::to_owned));
        out.push(ListedInstr { at, size, text, label, target });
        at += size;
    }
    out
}

/// The text of an instruction among its program's others: if it goes to a label, that stands in the place of the distance, which is
/// its last word.
pub fn labelled(text: &str, target: Option<&str>) -> String {
    match target.zip(text.rsplit_once(' ')) {
        Some((label, (begin, _))) => format!("{begin} {label}"),
        None => text.to_owned(),
    }
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
