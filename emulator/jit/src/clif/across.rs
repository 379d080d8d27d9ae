//! Words between lanes, and between lanes and scalars. A register's lanes are words in memory, one behind the other.
//!
//! ```text
//! read, write:  the word of a lane
//! take:         for each half, each lane's word from where it says to a row of ours, then all rows under EXEC: the register may be
//!               the one that they come from
//! ```

use super::region::{Builder, OWN};
use super::vector::Half;
use crate::step::EXEC;
use cranelift_codegen::ir::types::{I32, I32X4, I64};
use cranelift_codegen::ir::{InstBuilder, StackSlotData, StackSlotKind, Value};
use wavepipe_core::wave::{Across, Dead, Shared, Which};

/// Lanes of a half.
const HALF: u32 = 32;

/// Of a lane's number, the bit that says which row of sixteen it is in.
const ROW: u32 = 16;

impl Builder<'_, '_> {
    pub fn across(&mut self, across: &Across) -> Option<()> {
        match across {
            Across::Read { from, lane, to } => {
                let at = self.lane_place(*from, *lane);
                let v = self.f.ins().load(I32, OWN, at, 0);
                self.set_scalar(*to, v);
            }
            Across::Write { word, lane, to } => {
                let (v, at) = (self.shared(*word), self.lane_place(*to, Some(*lane)));
                self.f.ins().store(OWN, v, at, 0);
            }
            Across::Take { from, which, dead, to } => self.take(*from, which, *dead, *to)?,
            Across::Give { from, address, offset, to } => self.give((*from, *address, *offset), *to)?,
        }
        Some(())
    }

    fn shared(&mut self, word: Shared) -> Value {
        match word {
            Shared::Constant(v) => self.f.ins().iconst(I32, i64::from(v)),
            Shared::Scalar(i) => self.scalar(i),
        }
    }

    /// Bytes of a register's lanes.
    pub fn register_bytes(&self) -> i64 {
        4 * i64::from(HALF) * self.region.halves as i64
    }

    /// Where the word of a lane is; of the first that lives, without one; of lane 0, where none does.
    fn lane_place(&mut self, register: u32, lane: Option<Shared>) -> Value {
        let last = i64::from(HALF) * self.region.halves as i64 - 1;
        let number = match lane {
            Some(lane) => self.shared(lane),
            None if self.region.halves == 1 => {
                let exec = self.scalar(EXEC);
                self.f.ins().ctz(exec)
            }
            None => {
                let exec = self.scalar_pair(EXEC);
                let first = self.f.ins().ctz(exec);
                self.f.ins().ireduce(I32, first)
            }
        };
        // Where no bit is set, the count is the number of bits.
        let number = self.f.ins().band_imm_u(number, last);
        let at = self.register_bytes() * i64::from(register);
        let row = self.f.ins().iadd_imm_s(self.rows, at);
        self.indexed(row, number)
    }

    /// The place of a word by its number.
    pub fn indexed(&mut self, row: Value, number: Value) -> Value {
        let bytes = self.f.ins().ishl_imm_u(number, 2);
        let bytes = self.f.ins().uextend(I64, bytes);
        self.f.ins().iadd(row, bytes)
    }

    /// Room for words of so many lanes.
    pub fn lanes_room(&mut self, lanes: u32) -> Value {
        let slot = self.f.create_sized_stack_slot(StackSlotData::new(StackSlotKind::ExplicitSlot, 4 * lanes, 4));
        self.f.ins().stack_addr(I64, slot, 0)
    }

    fn take(&mut self, from: u32, which: &Which, dead: Dead, to: u32) -> Option<()> {
        let room = self.lanes_room(HALF);
        let selects = match which {
            Which::Selects { words, .. } => Some(words.map(|word| self.shared(word))),
            Which::Constant(_) | Which::Address { .. } => None,
        };
        if self.region.halves == 1 {
            self.scalar(EXEC);
        }
        self.halves(Vec::new(), &mut |b, half, _| {
            let exec = b.mask_word(half, EXEC);
            let own = |b: &mut Self, lane: u32| b.f.ins().iadd_imm_s(half.row, 4 * i64::from(lane));
            match which {
                Which::Constant(lanes) => {
                    for (lane, &from_lane) in (0..HALF).zip(lanes) {
                        let (own, number) = (own(b, lane), b.f.ins().iconst(I32, i64::from(from_lane)));
                        let v = b.taken(half, from, number, dead, (exec, own, to));
                        b.f.ins().store(OWN, v, room, 4 * lane as i32);
                    }
                }
                Which::Selects { crossed, .. } => {
                    for lane in 0..HALF {
                        let (own, word) = (own(b, lane), selects?[(lane >> 3 & 1) as usize]);
                        let select = b.f.ins().ushr_imm_u(word, 4 * i64::from(lane & 7));
                        let select = b.f.ins().band_imm_u(select, 15);
                        let row = (lane & ROW) ^ if *crossed { ROW } else { 0 };
                        let number = b.f.ins().bor_imm_u(select, i64::from(row));
                        let v = b.taken(half, from, number, dead, (exec, own, to));
                        b.f.ins().store(OWN, v, room, 4 * lane as i32);
                    }
                }
                Which::Address { from: address, offset } => {
                    let end = b.f.ins().iadd_imm_s(half.row, 4 * i64::from(HALF));
                    b.repeat((half.row, 4, end), Vec::new(), &mut |b, own, values| {
                        let number = b.named_lane(own, *address, *offset);
                        let v = b.taken(half, from, number, dead, (exec, own, to));
                        let lane = b.f.ins().isub(own, half.row);
                        let at = b.f.ins().iadd(room, lane);
                        b.f.ins().store(OWN, v, at, 0);
                        Some(values)
                    })?;
                }
            }
            b.receive(half, room, exec, to)
        })?;
        Some(())
    }

    /// A half's words of ours to the register, under EXEC.
    fn receive(&mut self, half: Half, room: Value, exec: Value, to: u32) -> Option<Vec<Value>> {
        let splat = self.f.ins().splat(I32X4, exec);
        self.chunks(half, Vec::new(), &mut |b, lanes, _| {
            let live = b.lanes_of(splat, lanes);
            let column = b.f.ins().isub(lanes.quad.row, half.row);
            let at = b.f.ins().iadd(room, column);
            let v = b.f.ins().load(I32X4, OWN, at, 0);
            b.store_row(lanes.quad, to, Some(live), v);
            Some(Vec::new())
        })
    }

    fn give(&mut self, (from, address, offset): (u32, u32, u32), to: u32) -> Option<()> {
        let room = self.lanes_room(HALF);
        if self.region.halves == 1 {
            self.scalar(EXEC);
        }
        self.halves(Vec::new(), &mut |b, half, _| {
            let (exec, zero) = (b.mask_word(half, EXEC), b.vector_of([0; 4]));
            (0..8).for_each(|chunk| {
                b.f.ins().store(OWN, zero, room, 16 * chunk);
            });
            b.each_live(half, exec, Vec::new(), &mut |b, own, values| {
                let (number, v) = (b.named_lane(own, address, offset), b.lane_word(own, from));
                let at = b.indexed(room, number);
                b.f.ins().store(OWN, v, at, 0);
                Some(values)
            })?;
            b.receive(half, room, exec, to)
        })?;
        Some(())
    }

    /// The lane of the half that a lane's address names.
    fn named_lane(&mut self, own: Value, address: u32, offset: u32) -> Value {
        let address = self.lane_word(own, address);
        let address = self.f.ins().iadd_imm_u(address, i64::from(offset));
        let number = self.f.ins().ushr_imm_u(address, 2);
        self.f.ins().band_imm_u(number, i64::from(HALF - 1))
    }

    /// A word of the lane of that number in its half, for the lane whose own words in rows are counted from `own`.
    fn taken(
        &mut self,
        half: Half,
        register: u32,
        number: Value,
        dead: Dead,
        (exec, own, to): (Value, Value, u32),
    ) -> Value {
        let at = self.indexed(half.row, number);
        let v = self.lane_word(at, register);
        let instead = match dead {
            Dead::Read => return v,
            Dead::Zero => self.f.ins().iconst(I32, 0),
            Dead::Keep => self.lane_word(own, to),
        };
        let bit = self.f.ins().ushr(exec, number);
        let lives = self.f.ins().band_imm_u(bit, 1);
        self.f.ins().select(lives, v, instead)
    }
}
