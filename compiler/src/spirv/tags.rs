//! The roots that pointers have as values, by number: what one run of the translation learns for the next.

use super::types::Layout;
use crate::ir::Space;
use std::collections::{BTreeMap, HashMap};
use wavepipe_hw::launch::BindingKind;

/// A root without its run-time parts.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Key {
    Buffer {
        set: u32,
        binding: u32,
        kind: BindingKind,
        readonly: bool,
    },
    Space(Space),
    /// A variable in private memory, by its number in the order of translation.
    Local(u32),
}

/// A root that some pointer to `pointee` has as a value, with what pointers of that type have in common.
#[derive(Clone, PartialEq, Debug)]
pub struct Candidate {
    pub pointee: u32,
    pub key: usize,
    pub layout: Layout,
    pub readonly: bool,
    pub coherent: bool,
    pub volatile: bool,
}

/// What the translation knows of pointers that are values.
#[derive(Clone, Default)]
pub struct Tags {
    pub keys: Vec<Key>,
    pub candidates: Vec<Candidate>,
    /// An access met a candidate list that was not final.
    pub used: bool,
    /// Number and place of the variables in private memory, in this run.
    pub numbers: BTreeMap<u32, u32>,
    pub places: HashMap<u32, u32>,
}

impl Tags {
    /// For the next run: the candidates, without the places of this one.
    pub fn fresh(&self) -> Tags {
        Tags { keys: self.keys.clone(), candidates: self.candidates.clone(), ..Tags::default() }
    }

    /// As [`Tags::fresh`]; None if this run, which began with `before` candidates, saw them all.
    pub fn again(&self, before: usize) -> Option<Tags> {
        (self.used && self.candidates.len() > before).then(|| self.fresh())
    }

    pub fn known(&self) -> usize {
        self.candidates.len()
    }

    /// A variable begins at `offset` of private memory.
    pub fn variable(&mut self, offset: u32) {
        let n = self.numbers.len() as u32;
        self.numbers.insert(offset, n);
        self.places.insert(n, offset);
    }

    pub fn tag(&mut self, key: Key) -> usize {
        match self.keys.iter().position(|&k| k == key) {
            Some(n) => n,
            None => {
                self.keys.push(key);
                self.keys.len() - 1
            }
        }
    }
}
