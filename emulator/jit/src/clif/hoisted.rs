//! Comparing scalars with slots where a loop is entered: see [`crate::hoist`].

use super::region::{Builder, OWN};
use crate::hoist::Compared;
use cranelift_codegen::ir::types::{I32, I64};
use cranelift_codegen::ir::{Block, InstBuilder, Value};
use std::mem::offset_of;
use wavepipe_core::wave::{Private, Slot};

impl Builder<'_, '_> {
    /// Where a way from a node to another leads.
    pub fn way_to(&self, from: usize, to: usize) -> Block {
        if self.hoisted.enters(from, to) { self.entered[&to] } else { self.blocks[to] }
    }

    /// The function's beginning, and a block in front of each loop that something is compared for.
    pub fn loops_entered(&mut self) {
        let entry = self.region.entry;
        for n in 0..self.blocks.len() {
            if !self.hoisted.at(n).is_empty() {
                self.entered.insert(n, self.f.create_block());
            }
        }
        let around = self.hoisted.around(entry);
        self.compare(&around);
        let first = self.entered.get(&entry).copied().unwrap_or(self.blocks[entry]);
        self.f.ins().jump(first, &[]);
        for (n, block) in self.entered.clone() {
            self.f.switch_to_block(block);
            let all = self.hoisted.at(n).to_vec();
            self.compare(&all);
            self.f.ins().jump(self.blocks[n], &[]);
        }
    }

    /// Slots that have other scalars are emptied.
    fn compare(&mut self, all: &[Compared]) {
        for compared in all {
            let slot = compared.slot;
            let [empty, nowhere, on] = [(); 3].map(|()| self.f.create_block());
            [empty, nowhere].into_iter().for_each(|block| self.f.set_cold_block(block));
            let differs = self.other_words(slot, compared.first, compared.words);
            self.unless(differs, empty);
            if let Some(i) = compared.soffset {
                let theirs = self.of_slot(slot, I32, offset_of!(Slot, soffset));
                let ours = self.f.ins().load(I32, OWN, self.scalars, 4 * i32::from(i));
                let differs = self.f.ins().bxor(ours, theirs);
                self.unless(differs, nowhere);
            }
            self.f.ins().jump(on, &[]);
            self.f.switch_to_block(empty);
            self.zero_of_slot(slot, offset_of!(Slot, private) + offset_of!(Private, host));
            self.f.ins().jump(nowhere, &[]);
            // Private memory is at any SOFFSET.
            self.f.switch_to_block(nowhere);
            self.zero_of_slot(slot, offset_of!(Slot, host));
            self.f.ins().jump(on, &[]);
            self.f.switch_to_block(on);
        }
    }

    /// Not zero, if scalars are not the slot's.
    pub fn other_words(&mut self, slot: u32, first: u8, words: u8) -> Value {
        let mut differs = self.f.ins().iconst(I64, 0);
        for pair in (0..words).step_by(2) {
            let theirs = self.of_slot(slot, I64, offset_of!(Slot, words) + 4 * usize::from(pair));
            let ours = self.scalar_pair(first + pair);
            let differ = self.f.ins().bxor(ours, theirs);
            differs = self.f.ins().bor(differs, differ);
        }
        differs
    }

    fn zero_of_slot(&mut self, slot: u32, at: usize) {
        let (slots, at) = self.slot_at(slot, at);
        let none = self.f.ins().iconst(I64, 0);
        self.f.ins().store(OWN, none, slots, at);
    }
}
