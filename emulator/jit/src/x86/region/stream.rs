//! Rows that are stored past the host's caches: of a buffer that they could not hold anyway, and whose lines they would have to
//! read first.
//!
//! ```text
//! who:    stores outside of loops, and in them to what the region does not load: such a line would come from memory each time
//! when:   the descriptor's range is larger than the caches, all lanes live, and whole vectors are aligned
//! order:  other threads may see such stores late. So a fence stands where the program waits for its stores, where a call may do
//!         anything, and where the region ends, if something was stored so since the last one. A wave that ends leaves that to
//!         `HostCode::publish`: a fence takes as long as memory does, and many waves end before anybody asks
//! ```

use super::super::emit::{Done, Stores};
use super::{Builder, Code, Instruction, Label, Register, STREAMED, Then, in_frame, in_slot, on_stack};
use crate::items::{Item, depths};
use iced_x86::MemoryOperand;
use std::mem::offset_of;
use wavepipe_core::wave::{Access, HostFrame, Motion, Origin, Region, Slot};

/// Which stores of a region may go past the caches.
#[derive(Default)]
pub struct Streams {
    /// Loops around each node.
    depths: Vec<u32>,
    /// Descriptors that something is loaded by, each by its first scalar.
    loaded: Vec<u8>,
    /// Whether any store may.
    pub any: bool,
}

impl Streams {
    pub fn of(region: &Region, items: &[Vec<Item<'_>>]) -> Streams {
        let mut streams = Streams { depths: depths(region), ..Streams::default() };
        let accesses = || {
            items.iter().enumerate().flat_map(|(n, items)| {
                items.iter().filter_map(move |item| match item {
                    Item::Access(_, access) => Some((n, *access)),
                    _ => None,
                })
            })
        };
        let loaded = accesses().filter(|(_, access)| access.motion != Motion::Store);
        streams.loaded = loaded.filter_map(|(_, access)| Some(descriptor(access)?.1)).collect();
        streams.any = accesses().any(|(n, access)| streams.slot(n, access).is_some());
        streams
    }

    /// The slot of a store of the node's that may.
    pub fn slot(&self, node: usize, access: &Access) -> Option<u32> {
        let (slot, first) = descriptor(access)?;
        let may = self.depths[node] == 0 || !self.loaded.contains(&first);
        (access.motion == Motion::Store && access.element.is_none() && may).then_some(slot)
    }
}

fn descriptor(access: &Access) -> Option<(u32, u8)> {
    match access.place {
        Origin::Slot { slot, first, .. } => Some((slot, first)),
        Origin::Lds | Origin::Region { .. } | Origin::Scratch { .. } => None,
    }
}

impl Builder<'_> {
    /// RSI is where the store goes, unless it is better off in the caches, or not aligned to so many bytes.
    pub(super) fn past_caches(&mut self, slot: u32, at: MemoryOperand, aligned: u32, plain: Label) -> Done<()> {
        let slots = in_frame(offset_of!(HostFrame, slots));
        self.e.push(Instruction::with2(Code::Mov_r64_rm64, Register::RDX, slots))?;
        let last = in_slot(slot, offset_of!(Slot, last));
        self.e.push(Instruction::with2(Code::Cmp_rm32_imm32, last, self.e.host.streams_from as i32))?;
        self.jump(Code::Jb_rel32_64, plain)?;
        self.e.push(Instruction::with2(Code::Lea_r64_m, Register::RSI, at))?;
        self.e.push(Instruction::with2(Code::Test_rm32_imm32, Register::ESI, aligned as i32 - 1))?;
        self.jump(Code::Jne_rel32_64, plain)
    }

    pub(super) fn streamed(&mut self, any: bool) -> Done<()> {
        self.e.push(Instruction::with2(Code::Mov_rm8_imm8, on_stack(STREAMED), u32::from(any))).map(|_| ())
    }

    /// What was stored past the caches is seen by all before anything that comes.
    pub(super) fn drain(&mut self) -> Done<()> {
        if !self.streams.any {
            return Ok(());
        }
        let (label, on) = (self.label(), self.label());
        self.stubs.push(super::Stub { label, stores: Stores::default(), then: Then::Drain(on) });
        self.e.push(Instruction::with2(Code::Cmp_rm8_imm8, on_stack(STREAMED), 0))?;
        self.jump(Code::Jne_rel32_64, label)?;
        self.here(on);
        Ok(())
    }

    pub(super) fn drained(&mut self, on: Label) -> Done<()> {
        self.e.push(Ok(Instruction::with(Code::Sfence)))?;
        self.streamed(false)?;
        self.jump(Code::Jmp_rel32_64, on)
    }
}
