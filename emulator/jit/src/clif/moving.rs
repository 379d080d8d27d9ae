//! Lanes that move inside of a row of sixteen (DPP).
//!
//! ```text
//! move:   in front of the step's chunks, each lane's word from the lane that it reads to rows of ours: zero where nothing is read
//! write:  EXEC, the row and bank masks, and without BOUND_CTRL who reads, as words beside those rows: EXEC for the step
//! ```

use super::region::{Builder, OWN};
use super::vector::Half;
use crate::step::EXEC;
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types::{I32, I32X4};
use cranelift_codegen::ir::{InstBuilder, Value};
use wavepipe_core::wave::{Movement, Operand, Step};

/// A step's movement, done.
#[derive(Clone, Copy)]
pub struct Moved {
    /// From the rows of registers to the words that have moved.
    words: Value,
    /// From the scalars to EXEC's words less the lanes that do not write.
    live: Value,
}

impl Builder<'_, '_> {
    pub fn move_lanes(&mut self, step: &Step, m: &Movement) -> Option<Moved> {
        let Operand::Vgpr(from) = step.source[0] else { return None };
        let halves = self.region.halves as u32;
        let (room, live) = (self.lanes_room(32 * halves), self.lanes_room(halves));
        let moved = Moved { words: self.f.ins().isub(room, self.rows), live: self.f.ins().isub(live, self.scalars) };
        if halves == 1 {
            self.scalar(EXEC);
        }
        self.halves(Vec::new(), &mut |b, half, _| {
            let exec = b.mask_word(half, EXEC);
            let to = b.f.ins().iadd(half.row, moved.words);
            let none = b.f.ins().iconst(I32, 0);
            // Lanes that read, and who is read lives.
            let mut read = none;
            for lane in 0..32u32 {
                let of = lane & 16 | u32::from(m.from[lane as usize & 15]);
                let mut v = none;
                if m.inside >> lane & 1 != 0 {
                    let read_of = b.f.ins().iadd_imm_s(half.row, 4 * i64::from(of));
                    v = b.lane_word(read_of, from);
                    if !m.fetch_inactive {
                        let bit = b.f.ins().ushr_imm_u(exec, i64::from(of));
                        let lives = b.f.ins().band_imm_u(bit, 1);
                        v = b.f.ins().select(lives, v, none);
                        let bit = b.f.ins().ishl_imm_u(lives, i64::from(lane));
                        read = b.f.ins().bor(read, bit);
                    }
                }
                b.f.ins().store(OWN, v, to, 4 * lane as i32);
            }
            let writes = match (m.bound_ctrl, m.fetch_inactive) {
                (true, _) => b.enabled(half, m.enabled),
                (false, true) => b.enabled(half, m.enabled.map(|word| word & m.inside)),
                (false, false) => {
                    let enabled = b.enabled(half, m.enabled);
                    b.f.ins().band(enabled, read)
                }
            };
            let writes = b.f.ins().band(writes, exec);
            let at = b.f.ins().iadd(half.scalars, moved.live);
            b.f.ins().store(OWN, writes, at, 0);
            Some(Vec::new())
        })?;
        Some(moved)
    }

    /// The half's word of two.
    fn enabled(&mut self, half: Half, words: [u32; 2]) -> Value {
        let [low, high] = words.map(|word| self.f.ins().iconst(I32, i64::from(word)));
        if self.region.halves == 1 || words[0] == words[1] {
            return low;
        }
        let second = self.f.ins().icmp(IntCC::NotEqual, half.scalars, self.scalars);
        self.f.ins().select(second, high, low)
    }

    /// EXEC of a half for a step whose lanes have moved.
    pub fn writing(&mut self, half: Half, moved: Moved) -> Value {
        let at = self.f.ins().iadd(half.scalars, moved.live);
        self.f.ins().load(I32, OWN, at, 0)
    }

    /// The words that have moved, of four lanes.
    pub fn moved_words(&mut self, (row, at): (Value, i32), moved: Moved) -> Value {
        let row = self.f.ins().iadd(row, moved.words);
        self.f.ins().load(I32X4, OWN, row, at)
    }
}
