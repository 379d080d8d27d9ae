//! Private memory: a dword of an offset is a row of all lanes of the wave.
//!
//! ```text
//! place:  by a V#: the slot's, SOFFSET further; a SOFFSET out of range: slow. By SCRATCH: FLAT_SCRATCH's in the slot's region;
//!         outside of that: slow
//! rows:   at what comes to all lanes' offsets, where they have none of their own: a multiple of four, in range; else slow
//! lanes:  with offsets of their own, and of bytes and halves of dwords, one by one
//! ```

use super::access::GUEST;
use super::region::Builder;
use super::single::{Places, Within};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types::{I32, I32X4, I64};
use cranelift_codegen::ir::{Block, InstBuilder, Value};
use std::mem::offset_of;
use wavepipe_core::wave::{Access, Motion, Origin, Private, Slot};

impl Builder<'_, '_> {
    /// By a V#.
    pub fn private(&mut self, access: &Access, slot: u32, soffset: u8, slow: Block) -> Option<()> {
        let of = |at: usize| offset_of!(Slot, private) + at;
        let host = self.of_slot(slot, I64, of(offset_of!(Private, host)));
        let nowhere = self.f.ins().icmp_imm_u(IntCC::Equal, host, 0);
        self.unless(nowhere, slow);
        let ours = self.soffset(soffset);
        let most = self.of_slot(slot, I32, of(offset_of!(Private, soffset)));
        let above = self.f.ins().icmp(IntCC::UnsignedGreaterThan, ours, most);
        self.unless(above, slow);
        let ours = self.f.ins().uextend(I64, ours);
        let base = self.f.ins().iadd(host, ours);
        if access.address.is_none() {
            return self.rows_at(access, base, slow);
        }
        let word = self.of_slot(slot, I32, of(offset_of!(Private, offset)));
        let zero = self.f.ins().iconst(I32, 0);
        self.lanes_of_rows(access, (base, word), zero, slow)
    }

    /// By SCRATCH.
    pub fn scratch(&mut self, access: &Access, slow: Block) -> Option<()> {
        let Origin::Scratch { slot, first, saddr, offset } = access.place else { return None };
        let at = self.scalar_pair(first);
        let base = self.in_region(slot, at, slow);
        let last = self.of_slot(slot, I32, offset_of!(Slot, last));
        let all = match saddr {
            Some(i) => {
                let word = self.scalar_now(i);
                self.f.ins().iadd_imm_s(word, i64::from(offset))
            }
            None => self.f.ins().iconst(I32, i64::from(offset)),
        };
        if access.address.is_some() || access.element.is_some() {
            return self.lanes_of_rows(access, (base, last), all, slow);
        }
        let odd = self.f.ins().band_imm_u(all, 3);
        self.unless(odd, slow);
        let above = self.f.ins().icmp(IntCC::UnsignedGreaterThan, all, last);
        self.unless(above, slow);
        let all = self.f.ins().uextend(I64, all);
        let bits = self.row_bits();
        let rows = self.f.ins().ishl_imm_u(all, bits);
        let base = self.f.ins().iadd(base, rows);
        self.rows_at(access, base, slow)
    }

    /// A byte of an offset is so many of a row, by their logarithm.
    pub fn row_bits(&self) -> i64 {
        4 + self.region.halves as i64
    }

    /// Lane by lane; what comes to all lanes' offsets is a word.
    fn lanes_of_rows(&mut self, access: &Access, within: Within, all: Value, slow: Block) -> Option<()> {
        self.singles(access, Places::Rows(access.address, all), within, slow)
    }

    /// The rows from one place on. Stores of some lanes go one by one: what the others have there may be somebody else's.
    fn rows_at(&mut self, access: &Access, base: Value, slow: Block) -> Option<()> {
        if access.motion == Motion::Load {
            return self.row_by_row(access, base);
        }
        let (whole, some, done) = (self.f.create_block(), self.f.create_block(), self.f.create_block());
        let exec = self.both_halves();
        let all = self.f.ins().icmp_imm_s(IntCC::Equal, exec, -1);
        self.f.ins().brif(all, whole, &[], some, &[]);
        self.f.switch_to_block(some);
        let zero = self.f.ins().iconst(I32, 0);
        self.lanes_of_rows(access, (base, zero), zero, slow)?;
        self.f.ins().jump(done, &[]);
        self.f.switch_to_block(whole);
        self.row_by_row(access, base)?;
        self.f.ins().jump(done, &[]);
        self.f.switch_to_block(done);
        Some(())
    }

    /// Of all lanes, if they are stored.
    fn row_by_row(&mut self, access: &Access, base: Value) -> Option<()> {
        let data = access.parts[0]?.data;
        let row = 4i32 << self.row_bits();
        self.halves(Vec::new(), &mut |b, half, _| {
            let exec = b.exec(half);
            b.chunks(half, Vec::new(), &mut |b, lanes, _| {
                let live = b.lanes_of(exec, lanes);
                let column = b.f.ins().isub(lanes.quad.row, b.rows);
                let at = b.f.ins().iadd(base, column);
                for j in 0..access.dwords {
                    if access.motion == Motion::Load {
                        let there = b.f.ins().load(I32X4, GUEST, at, row * j as i32);
                        b.store_row(lanes.quad, data + j, Some(live), there);
                    } else {
                        let v = b.load_row(lanes.quad, data + j);
                        b.f.ins().store(GUEST, v, at, row * j as i32);
                    }
                }
                Some(Vec::new())
            })
        })?;
        Some(())
    }
}
