//! Accesses lane by lane: atomics, bytes and halves of dwords, lanes that have addresses of their own, and private memory.
//!
//! ```text
//! survey:  whether each live lane's offset is in range, and where it has to be a multiple of four; else slow, before anything
//!          is written
//! lanes:   the live ones in their order, each with its own load or store
//! atomic:  by the host's operation of that kind, or by exchanges until one takes place; of LDS, which nobody else has now, by a
//!          load and a store. Of all lanes at one place one for all
//! ```

use super::access::GUEST;
use super::region::{Builder, OWN};
use crate::atomic::{Together, together};
use crate::step::EXEC;
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types::{I32, I64};
use cranelift_codegen::ir::{AtomicRmwOp, Block, BlockArg, InstBuilder, Value};
use wavepipe_core::wave::{Access, Element, Motion, Origin, Part, Piece};
use wavepipe_isa::row::AtomicOp;

/// Whether an atomic is done in place.
pub fn takes(op: AtomicOp) -> bool {
    use AtomicOp::{Add, And, CmpSwap, Dec, Inc, Or, Rsub, SMax, SMin, Sub, Swap, UMax, UMin, Xor};
    matches!(op, Add | And | CmpSwap | Dec | Inc | Or | Rsub | SMax | SMin | Sub | Swap | UMax | UMin | Xor)
}

/// Where each lane's access is.
#[derive(Clone, Copy)]
pub enum Places {
    /// So far behind the base as its register says.
    Offsets(u32),
    /// At its address in two registers, of which the base is that address.
    Addresses(u32, Value),
    /// In its column of the row that its register and a word say together.
    Rows(Option<u32>, Value),
    /// All at the base.
    Base,
}

/// The host's address of offset 0, and the last offset in range.
pub type Within = (Value, Value);

/// What is done for a lane, whose words in rows are counted from a place, with values that go from one lane to the next.
type Each<'e, B, const N: usize> = &'e mut dyn FnMut(&mut B, Value, [Value; N]) -> Option<[Value; N]>;

impl Builder<'_, '_> {
    /// Does the same for each live lane of the wave, with a value that goes from one to the next.
    fn lanes(&mut self, begin: Value, body: &mut dyn FnMut(&mut Self, Value, Value) -> Option<Value>) -> Option<Value> {
        self.lanes_with([begin], &mut |b, row, [v]| Some([body(b, row, v)?])).map(|[v]| v)
    }

    /// The same with several values.
    fn lanes_with<const N: usize>(&mut self, begin: [Value; N], body: Each<'_, Self, N>) -> Option<[Value; N]> {
        let values = self.halves(begin.to_vec(), &mut |b, half, values| {
            let word = b.mask_word(half, EXEC);
            let each =
                &mut |b: &mut Self, row, values: Vec<Value>| Some(body(b, row, values.try_into().ok()?)?.to_vec());
            b.each_live(half, word, values, each)
        })?;
        values.try_into().ok()
    }

    /// A lane's word of a register.
    pub fn lane_word(&mut self, row: Value, register: u32) -> Value {
        let at = self.register_bytes() * i64::from(register);
        self.f.ins().load(I32, OWN, row, at as i32)
    }

    fn set_lane_word(&mut self, row: Value, register: u32, v: Value) {
        let at = self.register_bytes() * i64::from(register);
        self.f.ins().store(OWN, v, row, at as i32);
    }

    /// A lane's distance from the base, in 64 bits, as far as it is held against the last one in range.
    fn distance(&mut self, places: Places, row: Value) -> Value {
        match places {
            Places::Offsets(register) => {
                let off = self.lane_word(row, register);
                self.f.ins().uextend(I64, off)
            }
            Places::Rows(register, all) => {
                let off = match register {
                    Some(register) => {
                        let own = self.lane_word(row, register);
                        self.f.ins().iadd(own, all)
                    }
                    None => all,
                };
                self.f.ins().uextend(I64, off)
            }
            Places::Addresses(register, base) => {
                let (low, high) = (self.lane_word(row, register), self.lane_word(row, register + 1));
                let (low, high) = (self.f.ins().uextend(I64, low), self.f.ins().uextend(I64, high));
                let high = self.f.ins().ishl_imm_u(high, 32);
                let at = self.f.ins().bor(low, high);
                self.f.ins().isub(at, base)
            }
            Places::Base => self.f.ins().iconst(I64, 0),
        }
    }

    /// Slow, if some live lane's is not right: in range, and a multiple of so many bytes.
    fn survey_lanes(&mut self, places: Places, last: Value, aligned: u32, slow: Block) -> Option<()> {
        if matches!(places, Places::Base) {
            return Some(());
        }
        let none = self.f.ins().iconst(I64, 0);
        let last = self.f.ins().uextend(I64, last);
        let bad = self.lanes(none, &mut |b, row, bad| {
            let off = b.distance(places, row);
            Some(b.worse(bad, off, last, aligned))
        })?;
        self.unless(bad, slow);
        Some(())
    }

    /// Zero, if nothing was bad, and a lane is not either.
    fn worse(&mut self, bad: Value, off: Value, last: Value, aligned: u32) -> Value {
        let above = self.f.ins().icmp(IntCC::UnsignedGreaterThan, off, last);
        let above = self.f.ins().uextend(I64, above);
        let bad = self.f.ins().bor(bad, above);
        if aligned <= 1 {
            return bad;
        }
        let odd = self.f.ins().band_imm_u(off, i64::from(aligned) - 1);
        self.f.ins().bor(bad, odd)
    }

    /// Where a lane's access is, whose words in rows are counted from `row`.
    fn lane_at(&mut self, places: Places, base: Value, row: Value) -> Value {
        let off = self.distance(places, row);
        match places {
            Places::Rows(..) => {
                let bits = self.row_bits();
                let (rows, within) = (self.f.ins().band_imm_s(off, -4), self.f.ins().band_imm_u(off, 3));
                let rows = self.f.ins().ishl_imm_u(rows, bits);
                let column = self.f.ins().isub(row, self.rows);
                let column = self.f.ins().iadd(column, within);
                let off = self.f.ins().iadd(rows, column);
                self.f.ins().iadd(base, off)
            }
            _ => self.f.ins().iadd(base, off),
        }
    }

    /// All of an access; it goes on behind it.
    pub fn singles(&mut self, access: &Access, places: Places, within: Within, slow: Block) -> Option<()> {
        let (base, last) = within;
        let atomic = matches!(access.motion, Motion::Atomic { .. });
        if atomic {
            let odd = self.f.ins().band_imm_u(base, 3);
            self.unless(odd, slow);
        }
        let in_rows = matches!(places, Places::Rows(..));
        let aligned = match access.element {
            Some(e) if in_rows => e.bytes,
            _ if atomic || in_rows => 4,
            _ => 1,
        };
        // LDS is the thread's own, whose lanes are done no later one by one.
        let how = match access.motion {
            Motion::Atomic { op, .. } if access.place != Origin::Lds => together(op),
            _ => None,
        };
        let done = match (access.parts[0], how) {
            (Some(part), Some(how)) => {
                let done = self.f.create_block();
                self.at_one_place(access, &part, how, (places, within), (slow, done))?;
                Some(done)
            }
            _ => {
                self.survey_lanes(places, last, aligned, slow)?;
                None
            }
        };
        let step = if in_rows { 4 << self.row_bits() } else { 4 };
        let none = self.f.ins().iconst(I32, 0);
        for part in access.parts.iter().flatten() {
            self.lanes(none, &mut |b, row, none| {
                let at = b.lane_at(places, base, row);
                match (access.motion, access.element) {
                    (Motion::Atomic { .. }, _) => b.atomic(access, part, at, row)?,
                    (Motion::Load, Some(e)) => b.load_element(e, part, at, row),
                    (Motion::Store, Some(e)) => b.store_element(e, part, at, row),
                    (Motion::Load, None) => {
                        let load = |j: u32| b.f.ins().load(I32, GUEST, at, (part.offset + step * j) as i32);
                        // All before the first is written, which may be of the address.
                        let values: Vec<Value> = (0..access.dwords).map(load).collect();
                        (part.data..).zip(values).for_each(|(register, v)| b.set_lane_word(row, register, v));
                    }
                    (Motion::Store, None) => {
                        for j in 0..access.dwords {
                            let v = b.lane_word(row, part.data + j);
                            b.f.ins().store(GUEST, v, at, (part.offset + step * j) as i32);
                        }
                    }
                }
                Some(none)
            })?;
        }
        if let Some(done) = done {
            self.f.ins().jump(done, &[]);
            self.f.switch_to_block(done);
        }
        Some(())
    }

    /// Slow, if some live lane's offset is not right. All live lanes at one place, and done; else what follows. One atomic does what theirs
    /// do one after the other, if nobody else comes in between; then each gets what the lanes in front of it made of what was there.
    fn at_one_place(
        &mut self,
        access: &Access,
        part: &Part,
        how: Together,
        (places, (base, last)): (Places, Within),
        (slow, done): (Block, Block),
    ) -> Option<()> {
        let Motion::Atomic { op, returns, .. } = access.motion else { return None };
        let (one, several) = (self.f.create_block(), self.f.create_block());
        let last = self.f.ins().uextend(I64, last);
        // Bits that all offsets have, and those that any has: without lanes they differ.
        let [bad, all, any] = [0, !0, 0].map(|bits| self.f.ins().iconst(I64, bits));
        let none = self.f.ins().iconst(I32, i64::from(how.none));
        let [bad, all, any, data] = self.lanes_with([bad, all, any, none], &mut |b, row, [bad, all, any, data]| {
            let (off, own) = (b.distance(places, row), b.lane_word(row, part.data));
            let bad = b.worse(bad, off, last, 4);
            let data = b.replacement(how.by, data, own, None)?;
            Some([bad, b.f.ins().band(all, off), b.f.ins().bor(any, off), data])
        })?;
        self.unless(bad, slow);
        let same = self.f.ins().icmp(IntCC::Equal, all, any);
        self.f.ins().brif(same, one, &[], several, &[]);
        self.f.switch_to_block(one);
        let at = self.f.ins().iadd(base, any);
        let at = self.f.ins().iadd_imm_s(at, i64::from(part.offset));
        let old = self.exchanged(access, op, at, data, None)?;
        if let Some(register) = returns {
            self.lanes(old, &mut |b, row, old| {
                let own = b.lane_word(row, part.data);
                b.set_lane_word(row, register, old);
                b.replacement(op, old, own, None)
            })?;
        }
        self.f.ins().jump(done, &[]);
        self.f.switch_to_block(several);
        Some(())
    }

    fn load_element(&mut self, e: Element, part: &Part, at: Value, row: Value) {
        let offset = part.offset as i32;
        let v = match (e.bytes, e.signed) {
            (1, false) => self.f.ins().uload8(I32, GUEST, at, offset),
            (1, true) => self.f.ins().sload8(I32, GUEST, at, offset),
            (_, false) => self.f.ins().uload16(I32, GUEST, at, offset),
            (_, true) => self.f.ins().sload16(I32, GUEST, at, offset),
        };
        let v = match e.of {
            Piece::Whole => v,
            Piece::Low => {
                let (old, v) = (self.lane_word(row, part.data), self.f.ins().band_imm_u(v, 0xffff));
                let kept = self.f.ins().band_imm_u(old, 0xffff_0000);
                self.f.ins().bor(kept, v)
            }
            Piece::High => {
                let (old, v) = (self.lane_word(row, part.data), self.f.ins().ishl_imm_u(v, 16));
                let kept = self.f.ins().band_imm_u(old, 0xffff);
                self.f.ins().bor(kept, v)
            }
        };
        self.set_lane_word(row, part.data, v);
    }

    fn store_element(&mut self, e: Element, part: &Part, at: Value, row: Value) {
        let mut v = self.lane_word(row, part.data);
        if e.of == Piece::High {
            v = self.f.ins().ushr_imm_u(v, 16);
        }
        match e.bytes {
            1 => self.f.ins().istore8(GUEST, v, at, part.offset as i32),
            _ => self.f.ins().istore16(GUEST, v, at, part.offset as i32),
        };
    }

    fn atomic(&mut self, access: &Access, part: &Part, at: Value, row: Value) -> Option<()> {
        let Motion::Atomic { op, returns, compared } = access.motion else { return None };
        let data = self.lane_word(row, part.data);
        let at = self.f.ins().iadd_imm_s(at, i64::from(part.offset));
        let compared = compared.map(|register| self.lane_word(row, register));
        let old = self.exchanged(access, op, at, data, compared)?;
        if let Some(register) = returns {
            self.set_lane_word(row, register, old);
        }
        Some(())
    }

    /// One atomic; what was there before.
    fn exchanged(
        &mut self,
        access: &Access,
        op: AtomicOp,
        at: Value,
        data: Value,
        compared: Option<Value>,
    ) -> Option<Value> {
        use AtomicOp::{Add, And, CmpSwap, Or, SMax, SMin, Sub, Swap, UMax, UMin, Xor};
        let direct = match op {
            Add => Some(AtomicRmwOp::Add),
            Sub => Some(AtomicRmwOp::Sub),
            And => Some(AtomicRmwOp::And),
            Or => Some(AtomicRmwOp::Or),
            Xor => Some(AtomicRmwOp::Xor),
            Swap => Some(AtomicRmwOp::Xchg),
            SMin => Some(AtomicRmwOp::Smin),
            SMax => Some(AtomicRmwOp::Smax),
            UMin => Some(AtomicRmwOp::Umin),
            UMax => Some(AtomicRmwOp::Umax),
            _ => None,
        };
        Some(match (access.place, direct, compared) {
            (Origin::Lds, ..) => {
                let old = self.f.ins().load(I32, GUEST, at, 0);
                let new = self.replacement(op, old, data, compared)?;
                self.f.ins().store(GUEST, new, at, 0);
                old
            }
            (_, Some(direct), _) => self.f.ins().atomic_rmw(I32, GUEST, direct, at, data),
            (_, None, Some(compared)) if op == CmpSwap => self.f.ins().atomic_cas(GUEST, at, compared, data),
            _ => {
                let (again, done) = (self.f.create_block(), self.f.create_block());
                let first = self.f.ins().load(I32, GUEST, at, 0);
                self.f.ins().jump(again, &[BlockArg::Value(first)]);
                let old = self.f.append_block_param(again, I32);
                self.f.switch_to_block(again);
                let new = self.replacement(op, old, data, None)?;
                let found = self.f.ins().atomic_cas(GUEST, at, old, new);
                let taken = self.f.ins().icmp(IntCC::Equal, found, old);
                self.f.ins().brif(taken, done, &[], again, &[BlockArg::Value(found)]);
                self.f.switch_to_block(done);
                old
            }
        })
    }

    /// What an atomic leaves.
    fn replacement(&mut self, op: AtomicOp, old: Value, data: Value, compared: Option<Value>) -> Option<Value> {
        use AtomicOp::{Add, And, CmpSwap, Dec, Inc, Or, Rsub, SMax, SMin, Sub, Swap, UMax, UMin, Xor};
        Some(match op {
            Add => self.f.ins().iadd(old, data),
            Sub => self.f.ins().isub(old, data),
            Rsub => self.f.ins().isub(data, old),
            And => self.f.ins().band(old, data),
            Or => self.f.ins().bor(old, data),
            Xor => self.f.ins().bxor(old, data),
            Swap => data,
            SMin => self.f.ins().smin(old, data),
            SMax => self.f.ins().smax(old, data),
            UMin => self.f.ins().umin(old, data),
            UMax => self.f.ins().umax(old, data),
            CmpSwap => {
                let same = self.f.ins().icmp(IntCC::Equal, old, compared?);
                self.f.ins().select(same, data, old)
            }
            Inc => {
                let (more, zero) = (self.f.ins().iadd_imm_s(old, 1), self.f.ins().iconst(I32, 0));
                let over = self.f.ins().icmp(IntCC::UnsignedGreaterThanOrEqual, old, data);
                self.f.ins().select(over, zero, more)
            }
            Dec => {
                // Of 0 it is larger than all data.
                let less = self.f.ins().iadd_imm_s(old, -1);
                let under = self.f.ins().icmp(IntCC::UnsignedGreaterThanOrEqual, less, data);
                self.f.ins().select(under, data, less)
            }
            _ => return None,
        })
    }
}
