//! Loads of scalars.
//!
//! ```text
//! place:  S_LOAD: the base's address and the offset, less the slot's region, below its end. S_BUFFER_LOAD: the V# is the slot's,
//!         and the offset not above its last; else slow
//! load:   the dwords to the scalar file
//! slow:   the interpreter's operation, by a call
//! ```

use super::access::GUEST;
use super::region::{Builder, OWN};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types::{I32, I64};
use cranelift_codegen::ir::{Block, Endianness, InstBuilder, Type, Value};
use std::mem::{offset_of, size_of};
use wavepipe_core::wave::{Act, Fetch, HostFrame, Node, Slot};

impl Builder<'_, '_> {
    /// A word of a slot.
    pub fn of_slot(&mut self, slot: u32, ty: Type, at: usize) -> Value {
        let (slots, at) = self.slot_at(slot, at);
        self.f.ins().load(ty, OWN.with_endianness(Endianness::Little), slots, at)
    }

    /// Where a place in a slot is: all slots, and so far behind their beginning.
    pub fn slot_at(&mut self, slot: u32, at: usize) -> (Value, i32) {
        let slots = self.f.ins().load(I64, OWN, self.frame, offset_of!(HostFrame, slots) as i32);
        (slots, (slot as usize * size_of::<Slot>() + at) as i32)
    }

    /// The host's place of an address in the slot's region; slow, if it is behind what is in range there.
    pub fn in_region(&mut self, slot: u32, at: Value, slow: Block) -> Value {
        let words = |n: usize| offset_of!(Slot, words) + 4 * n;
        let (region, end) = (self.of_slot(slot, I64, words(0)), self.of_slot(slot, I64, words(2)));
        let off = self.f.ins().isub(at, region);
        let beyond = self.f.ins().icmp(IntCC::UnsignedGreaterThanOrEqual, off, end);
        self.unless(beyond, slow);
        let host = self.of_slot(slot, I64, offset_of!(Slot, host));
        self.f.ins().iadd(host, off)
    }

    pub fn fetch(&mut self, act: &Act, fetch: &Fetch, node: &Node) {
        let (slow, done) = (self.f.create_block(), self.f.create_block());
        self.f.set_cold_block(slow);
        let off = match fetch.soffset {
            Some(i) => {
                let word = self.scalar(i);
                let wide = self.f.ins().uextend(I64, word);
                self.f.ins().iadd_imm_s(wide, i64::from(fetch.offset))
            }
            None => self.f.ins().iconst(I64, i64::from(fetch.offset)),
        };
        let off = self.f.ins().band_imm_s(off, -4);
        let at = if fetch.buffer {
            let host = self.of_slot(fetch.slot, I64, offset_of!(Slot, host));
            let mut differs = match self.hoisted.left(fetch.slot).words {
                true => self.other_words(fetch.slot, fetch.first, 4),
                false => self.f.ins().iconst(I64, 0),
            };
            let last = self.of_slot(fetch.slot, I32, offset_of!(Slot, last));
            let last = self.f.ins().uextend(I64, last);
            for bad in [
                self.f.ins().icmp(IntCC::UnsignedGreaterThan, off, last),
                self.f.ins().icmp_imm_u(IntCC::Equal, host, 0),
            ] {
                let bad = self.f.ins().uextend(I64, bad);
                differs = self.f.ins().bor(differs, bad);
            }
            self.unless(differs, slow);
            self.f.ins().iadd(host, off)
        } else {
            let base = self.scalar_pair(fetch.first);
            let base = self.f.ins().band_imm_s(base, -4);
            let at = self.f.ins().iadd(base, off);
            self.in_region(fetch.slot, at, slow)
        };
        let load = |j: u8| self.f.ins().load(I32, GUEST, at, 4 * i32::from(j));
        let values: Vec<Value> = (0..fetch.dwords).map(load).collect();
        for (i, v) in (fetch.dst..).zip(values) {
            self.f.ins().store(OWN, v, self.scalars, 4 * i32::from(i));
        }
        self.f.ins().jump(done, &[]);
        self.f.switch_to_block(slow);
        self.call_of(act, node);
        self.f.ins().jump(done, &[]);
        self.f.switch_to_block(done);
        (fetch.dst..fetch.dst + fetch.dwords).for_each(|i| self.forget(i));
    }
}
