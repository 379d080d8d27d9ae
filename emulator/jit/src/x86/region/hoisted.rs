//! Comparing scalars with slots where a loop is entered: see [`crate::hoist`].

use super::super::emit::{Done, SCALARS, scalar_at};
use super::{Builder, Code, Instruction, Label, MemoryOperand, Register, in_frame, in_slot};
use crate::hoist::Compared;
use std::mem::offset_of;
use wavepipe_core::wave::{HostFrame, Private, Slot};

impl Builder<'_> {
    /// Where a way from a node to another leads.
    pub(super) fn way_to(&self, from: usize, to: usize) -> Label {
        if self.hoisted.enters(from, to) || self.running.enters(from, to) { self.into_loop(to) } else { to }
    }

    /// Where a loop is entered that begins with a node; else the node.
    pub(super) fn into_loop(&self, n: usize) -> Label {
        if self.hoisted.at(n).is_empty() && self.running.entered(n).is_empty() {
            n
        } else {
            self.region.nodes.len() + n
        }
    }

    /// In front of a node.
    pub(super) fn loop_entered(&mut self, n: usize) -> Done<()> {
        let label = self.into_loop(n);
        if label == n {
            return Ok(());
        }
        self.here(label);
        let all = self.hoisted.at(n).to_vec();
        for compared in &all {
            self.e.in_memory(compared.first..compared.first + compared.words)?;
            self.e.in_memory(compared.soffset.map_or(0..0, |i| i..i + 1))?;
        }
        self.compare(&all)?;
        self.running.entered(n).to_vec().into_iter().try_for_each(|kept| self.e.fill(kept))
    }

    /// Slots that have other scalars are emptied.
    pub(super) fn compare(&mut self, all: &[Compared]) -> Done<()> {
        if !all.is_empty() {
            self.mov(Register::RDX, in_frame(offset_of!(HostFrame, slots)))?;
        }
        for compared in all {
            let (slot, on) = (compared.slot, self.label());
            let (empty, nowhere) = (self.label(), self.label());
            self.same_words(slot, compared.first, compared.words, empty)?;
            if let Some(i) = compared.soffset {
                self.same(false, scalar_at(SCALARS, i), in_slot(slot, offset_of!(Slot, soffset)), nowhere)?;
            }
            self.aside(on, |b| {
                b.here(empty);
                b.zero_word(in_slot(slot, offset_of!(Slot, private) + offset_of!(Private, host)))?;
                // Private memory is at any SOFFSET.
                b.here(nowhere);
                b.zero_word(in_slot(slot, offset_of!(Slot, host)))
            })?;
            self.here(on);
        }
        Ok(())
    }

    fn zero_word(&mut self, at: MemoryOperand) -> Done<()> {
        self.e.push(Instruction::with2(Code::Mov_rm64_imm32, at, 0)).map(|_| ())
    }
}
