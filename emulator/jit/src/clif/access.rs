//! Loads and stores of dwords.
//!
//! ```text
//! place:   the host's address of offset 0, and the last offset in range; scalars that are not the slot's, if no loop has compared
//!          them: slow
//! survey:  the highest offset of all lanes, and if that is out of range, of the live ones; before anything is written; else slow.
//!          Also whether all lanes lie one behind the other, or at one place
//! row:     all lanes live, one behind the other: vectors from there or to there
//! load:    from one place once for all; else chunk by chunk: lanes one behind the other by one load, others one by one. Dead lanes
//!          are held in range, so that they need no branches
//! store:   chunk by chunk: live lanes one behind the other by one store, others one by one, the highest lane last
//! slow:    the interpreter's operation, by a call
//! ```

use super::lanes::{EVEN, HIGH_HALVES, HIGH_PAIRS, LOW_HALVES, LOW_PAIRS, ODD};
use super::region::{Builder, OWN};
use super::single::Places;
use super::vector::{BYTES, CHUNKS, Half, LANES, Lanes};
use crate::step::EXEC;
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types::{I32, I32X4, I64, I64X2};
use cranelift_codegen::ir::{Block, BlockArg, Endianness, InstBuilder, MemFlagsData, Value};
use std::mem::offset_of;
use wavepipe_core::wave::{Access, Act, HostFrame, Motion, Node, Origin, Part, Slot};
use wavepipe_isa::Src;

/// Guest memory: at any address, and as guests have it.
pub const GUEST: MemFlagsData = MemFlagsData::new().with_notrap().with_endianness(Endianness::Little);

/// What lanes' offsets are to one another, in every lane.
struct Seen {
    /// The first lane's.
    first: Value,
    /// Ones where they lie one dword behind the other.
    row: Value,
    /// Ones where they are the first's.
    one: Value,
}

/// Where an access goes.
struct Reach {
    /// The host's address of offset 0.
    base: Value,
    /// The last offset in range.
    word: Value,
    /// The same in every lane.
    last: Value,
    /// An [`Origin::Region`]'s address of offset 0.
    address: Option<Value>,
}

/// Whether it is done in place.
pub fn is_in_place(access: &Access) -> bool {
    match access.motion {
        Motion::Atomic { op, .. } => super::single::takes(op),
        Motion::Load | Motion::Store => true,
    }
}

impl Builder<'_, '_> {
    pub fn access(&mut self, act: &Act, access: &Access, node: &Node) -> Option<()> {
        let (slow, done) = (self.f.create_block(), self.f.create_block());
        self.f.set_cold_block(slow);
        // Here, where both ways see it.
        if self.region.halves == 1 {
            self.scalar(EXEC);
        }
        if matches!(access.place, Origin::Scratch { .. }) {
            self.scratch(access, slow)?;
            self.f.ins().jump(done, &[]);
            self.by_call(act, node, slow, done);
            return Some(());
        }
        let private = access.may_be_private().map(|of| (of, self.f.create_block()));
        if let Some((_, block)) = private {
            self.f.set_cold_block(block);
        }
        let reach = self.reach(access, slow, private.map_or(slow, |(_, block)| block))?;
        if matches!(access.motion, Motion::Atomic { .. }) || access.element.is_some() || reach.address.is_some() {
            let places = match (access.address, reach.address) {
                (Some(register), Some(base)) => Places::Addresses(register, base),
                (Some(register), None) => Places::Offsets(register),
                (None, _) => Places::Base,
            };
            self.singles(access, places, (reach.base, reach.word), slow)?;
        } else {
            self.dwords(access, &reach, slow, done)?;
        }
        self.f.ins().jump(done, &[]);
        if let Some(((slot, soffset), block)) = private {
            self.f.switch_to_block(block);
            self.private(access, slot, soffset, slow)?;
            self.f.ins().jump(done, &[]);
        }
        self.by_call(act, node, slow, done);
        Some(())
    }

    /// What is slow; it goes on where it is done.
    fn by_call(&mut self, act: &Act, node: &Node, slow: Block, done: Block) {
        self.f.switch_to_block(slow);
        self.call_of(act, node);
        self.f.ins().jump(done, &[]);
        self.f.switch_to_block(done);
    }

    /// Whole dwords from a register's offsets on, or all at one place.
    fn dwords(&mut self, access: &Access, reach: &Reach, slow: Block, done: Block) -> Option<()> {
        let seen = match access.address {
            Some(address) => Some(self.survey(address, reach, slow)?),
            None => None,
        };
        if let Some(seen) = &seen
            && access.dwords == 1
        {
            self.row(access, seen, reach, done);
        }
        if access.motion == Motion::Store {
            for part in access.parts.iter().flatten() {
                self.store(access, part, reach)?;
            }
        } else {
            self.load(access, seen.as_ref(), reach, done)?;
        }
        Some(())
    }

    /// SOFFSET, where not all that follows comes by.
    pub fn soffset(&mut self, soffset: u8) -> Value {
        match Src(soffset.into()).inline_value() {
            Some(v) => self.f.ins().iconst(I32, i64::from(v)),
            None => self.scalar_now(soffset),
        }
    }

    /// Slow, if the word is not zero.
    pub fn unless(&mut self, word: Value, slow: Block) {
        let on = self.f.create_block();
        self.f.ins().brif(word, slow, &[], on, &[]);
        self.f.switch_to_block(on);
    }

    /// `nowhere`: where it goes on if the slot has no place of this kind.
    fn reach(&mut self, access: &Access, slow: Block, nowhere: Block) -> Option<Reach> {
        let in_frame = |b: &mut Self, at: usize| b.f.ins().load(I64, OWN, b.frame, at as i32);
        let mut address = None;
        let (base, word) = match access.place {
            Origin::Lds => {
                let most = access.parts.iter().flatten().map(|p| p.offset).max().unwrap_or(0);
                let base = in_frame(self, offset_of!(HostFrame, lds));
                let bytes = in_frame(self, offset_of!(HostFrame, lds_bytes));
                let needed =
                    self.f.ins().iconst(I64, i64::from(most + access.element.map_or(4 * access.dwords, |e| e.bytes)));
                let short = self.f.ins().icmp(IntCC::UnsignedLessThan, bytes, needed);
                self.unless(short, slow);
                let last = self.f.ins().isub(bytes, needed);
                (base, self.f.ins().ireduce(I32, last))
            }
            Origin::Scratch { .. } => return None,
            Origin::Region { slot } => {
                let base = self.of_slot(slot, I64, offset_of!(Slot, host));
                self.unless_nowhere(base, slow);
                address = Some(self.of_slot(slot, I64, offset_of!(Slot, words)));
                (base, self.of_slot(slot, I32, offset_of!(Slot, last)))
            }
            Origin::Slot { slot, first, words, soffset } => {
                let left = self.hoisted.left(slot);
                if left.words {
                    let differs = self.other_words(slot, first, words);
                    self.unless(differs, slow);
                }
                let base = self.of_slot(slot, I64, offset_of!(Slot, host));
                self.unless_nowhere(base, nowhere);
                if let Some(soffset) = soffset.filter(|_| left.soffset) {
                    let theirs = self.of_slot(slot, I32, offset_of!(Slot, soffset));
                    let ours = self.soffset(soffset);
                    let differ = self.f.ins().bxor(ours, theirs);
                    self.unless(differ, slow);
                }
                (base, self.of_slot(slot, I32, offset_of!(Slot, last)))
            }
        };
        let last = self.f.ins().splat(I32X4, word);
        Some(Reach { base, word, last, address })
    }

    /// Elsewhere, if the place is none.
    fn unless_nowhere(&mut self, base: Value, elsewhere: Block) {
        let nowhere = self.f.ins().icmp_imm_u(IntCC::Equal, base, 0);
        self.unless(nowhere, elsewhere);
    }

    fn survey(&mut self, address: u32, reach: &Reach, slow: Block) -> Option<Seen> {
        let first = self.load_row(self.quad(0), address);
        let first = self.f.ins().extractlane(first, 0);
        let first = self.f.ins().splat(I32X4, first);
        let (steps, next) = (self.vector_of([0, 4, 8, 12]), self.vector_of([16; 4]));
        let mut expected = self.f.ins().iadd(first, steps);
        let mut all: Option<[Value; 3]> = None;
        for chunk in 0..self.region.halves as i32 * CHUNKS {
            let off = self.load_row(self.quad(chunk), address);
            let row = self.f.ins().icmp(IntCC::Equal, off, expected);
            let one = self.f.ins().icmp(IntCC::Equal, off, first);
            all = Some(match all {
                None => [off, row, one],
                Some([most, rows, ones]) => {
                    [self.f.ins().umax(most, off), self.f.ins().band(rows, row), self.f.ins().band(ones, one)]
                }
            });
            expected = self.f.ins().iadd(expected, next);
        }
        let [most, row, one] = all?;
        let (again, on) = (self.f.create_block(), self.f.create_block());
        self.f.set_cold_block(again);
        let above = self.above(most, reach);
        self.f.ins().brif(above, again, &[], on, &[]);
        self.f.switch_to_block(again);
        let none = self.vector_of([0; 4]);
        let most = self.halves(vec![none], &mut |b, half, most| {
            let exec = b.exec(half);
            b.chunks(half, most, &mut |b, lanes, most| {
                let (off, live) = (b.load_row(lanes.quad, address), b.lanes_of(exec, lanes));
                let off = b.f.ins().band(off, live);
                Some(vec![b.f.ins().umax(most[0], off)])
            })
        })?;
        let above = self.above(most[0], reach);
        self.f.ins().brif(above, slow, &[], on, &[]);
        self.f.switch_to_block(on);
        Some(Seen { first, row, one })
    }

    /// Whether an offset is out of range.
    fn above(&mut self, most: Value, reach: &Reach) -> Value {
        let above = self.f.ins().icmp(IntCC::UnsignedGreaterThan, most, reach.last);
        self.f.ins().vany_true(above)
    }

    /// All lanes at once, and done, if that is right; else what follows.
    fn row(&mut self, access: &Access, seen: &Seen, reach: &Reach, done: Block) {
        let (row, not) = (self.f.create_block(), self.f.create_block());
        let exec = self.both_halves();
        let exec = self.f.ins().splat(I32X4, exec);
        // All ones if both are.
        let all = self.f.ins().band(seen.row, exec);
        let ones = self.vector_of([!0; 4]);
        let all = self.f.ins().icmp(IntCC::Equal, all, ones);
        let all = self.f.ins().vall_true(all);
        self.f.ins().brif(all, row, &[], not, &[]);
        self.f.switch_to_block(row);
        let at = self.lane(reach, seen.first, 0);
        let parts: Vec<Part> = access.parts.iter().flatten().copied().collect();
        let chunks = self.region.halves as i32 * CHUNKS;
        if access.motion == Motion::Store {
            for (part, chunk) in parts.iter().flat_map(|part| (0..chunks).map(move |chunk| (part, chunk))) {
                let v = self.load_row(self.quad(chunk), part.data);
                self.f.ins().store(GUEST, v, at, part.offset as i32 + BYTES * chunk);
            }
        } else {
            for (part, chunk) in parts.iter().flat_map(|part| (0..chunks).map(move |chunk| (part, chunk))) {
                let v = self.f.ins().load(I32X4, GUEST, at, part.offset as i32 + BYTES * chunk);
                self.store_row(self.quad(chunk), part.data, None, v);
            }
        }
        self.f.ins().jump(done, &[]);
        self.f.switch_to_block(not);
    }

    /// The lanes' bits of EXEC that are set in all halves.
    pub fn both_halves(&mut self) -> Value {
        let low = self.scalar_now(EXEC);
        if self.region.halves == 1 {
            return low;
        }
        let high = self.scalar_now(EXEC + 1);
        self.f.ins().band(low, high)
    }

    /// EXEC's word in every lane.
    pub fn exec(&mut self, half: Half) -> Value {
        let word = self.mask_word(half, EXEC);
        self.f.ins().splat(I32X4, word)
    }

    fn load(&mut self, access: &Access, seen: Option<&Seen>, reach: &Reach, done: Block) -> Option<()> {
        let dwords: Vec<(u32, u32)> = {
            let parts = access.parts.iter().flatten();
            parts.flat_map(|p| (0..access.dwords).map(|j| (p.offset + 4 * j, p.data + j))).collect()
        };
        let (Some(address), Some(seen)) = (access.address, seen) else {
            let values = self.everywhere(reach.base, &dwords);
            return self.fill(&dwords, &mut |_, _| values.clone());
        };
        let (one, spread) = (self.f.create_block(), self.f.create_block());
        let alike = self.f.ins().vall_true(seen.one);
        self.f.ins().brif(alike, one, &[], spread, &[]);
        self.f.switch_to_block(one);
        // In range even if no lane lives.
        let first = self.f.ins().umin(seen.first, reach.last);
        let at = self.lane(reach, first, 0);
        let values = self.everywhere(at, &dwords);
        self.fill(&dwords, &mut |_, _| values.clone())?;
        self.f.ins().jump(done, &[]);
        self.f.switch_to_block(spread);
        self.fill(&dwords, &mut |b, lanes| {
            let off = b.load_row(lanes.quad, address);
            b.load_lanes(access, off, reach, &dwords)
        })
    }

    /// Values of the live lanes of every chunk into the dwords' registers.
    fn fill(&mut self, dwords: &[(u32, u32)], values: &mut dyn FnMut(&mut Self, Lanes) -> Vec<Value>) -> Option<()> {
        self.halves(Vec::new(), &mut |b, half, _| {
            let exec = b.exec(half);
            b.chunks(half, Vec::new(), &mut |b, lanes, _| {
                let values = values(b, lanes);
                let live = b.lanes_of(exec, lanes);
                for (&(_, register), v) in dwords.iter().zip(values) {
                    b.store_row(lanes.quad, register, Some(live), v);
                }
                Some(Vec::new())
            })
        })?;
        Some(())
    }

    /// Dwords at one place, in every lane.
    fn everywhere(&mut self, at: Value, dwords: &[(u32, u32)]) -> Vec<Value> {
        let mut load = |&(offset, _): &(u32, u32)| {
            let v = self.f.ins().load(I32, GUEST, at, offset as i32);
            self.f.ins().splat(I32X4, v)
        };
        dwords.iter().map(&mut load).collect()
    }

    /// Where a lane's offset leads.
    fn lane(&mut self, reach: &Reach, off: Value, lane: u8) -> Value {
        let off = self.f.ins().extractlane(off, lane);
        let off = self.f.ins().uextend(I64, off);
        self.f.ins().iadd(reach.base, off)
    }

    /// Which lanes lie one dword behind the other, from the first on.
    fn neighbours(&mut self, off: Value) -> Value {
        let first = self.f.ins().extractlane(off, 0);
        let first = self.f.ins().splat(I32X4, first);
        let steps = self.vector_of([0, 4, 8, 12]);
        let expected = self.f.ins().iadd(first, steps);
        self.f.ins().icmp(IntCC::Equal, off, expected)
    }

    fn load_lanes(&mut self, access: &Access, off: Value, reach: &Reach, dwords: &[(u32, u32)]) -> Vec<Value> {
        let off = self.f.ins().umin(off, reach.last);
        let done = self.f.create_block();
        let leave = |b: &mut Self, values: Vec<Value>| {
            let values: Vec<BlockArg> = values.into_iter().map(BlockArg::Value).collect();
            b.f.ins().jump(done, &values);
        };
        if access.dwords == 1 {
            let (row, not) = (self.f.create_block(), self.f.create_block());
            let near = self.neighbours(off);
            let near = self.f.ins().vall_true(near);
            self.f.ins().brif(near, row, &[], not, &[]);
            self.f.switch_to_block(row);
            let at = self.lane(reach, off, 0);
            let load = |&(offset, _): &(u32, u32)| self.f.ins().load(I32X4, GUEST, at, offset as i32);
            let values = dwords.iter().map(load).collect();
            leave(self, values);
            self.f.switch_to_block(not);
        }
        let at = [0, 1, 2, 3].map(|lane| self.lane(reach, off, lane));
        let values = access.parts.iter().flatten().flat_map(|p| self.spread(at, p.offset, access.dwords)).collect();
        leave(self, values);
        let values = dwords.iter().map(|_| self.f.append_block_param(done, I32X4)).collect();
        self.f.switch_to_block(done);
        values
    }

    /// Dwords in a row of each lane.
    fn spread(&mut self, at: [Value; 4], offset: u32, dwords: u32) -> Vec<Value> {
        let mut values = Vec::new();
        if dwords == 4 {
            let x = at.map(|at| self.f.ins().load(I32X4, GUEST, at, offset as i32));
            let pairs = |b: &mut Self, words| [b.shuffled(x[0], x[1], words), b.shuffled(x[2], x[3], words)];
            for words in [LOW_PAIRS, HIGH_PAIRS] {
                let [first, second] = pairs(self, words);
                values.extend([LOW_HALVES, HIGH_HALVES].map(|words| self.shuffled(first, second, words)));
            }
            return values;
        }
        if dwords >= 2 {
            let x = at.map(|at| self.f.ins().load(I64, GUEST, at, offset as i32));
            let [first, second] = [[x[0], x[1]], [x[2], x[3]]].map(|[low, high]| {
                let v = self.f.ins().splat(I64X2, low);
                let v = self.f.ins().insertlane(v, high, 1);
                self.cast(I32X4, v)
            });
            values.extend([EVEN, ODD].map(|words| self.shuffled(first, second, words)));
        }
        if dwords % 2 == 1 {
            let offset = offset + 4 * (dwords - 1);
            let x = at.map(|at| self.f.ins().load(I32, GUEST, at, offset as i32));
            let mut v = self.f.ins().splat(I32X4, x[0]);
            for lane in 1..4 {
                v = self.f.ins().insertlane(v, x[usize::from(lane)], lane);
            }
            values.push(v);
        }
        values
    }

    fn store(&mut self, access: &Access, part: &Part, reach: &Reach) -> Option<()> {
        self.halves(Vec::new(), &mut |b, half, _| {
            let (word, exec) = (b.mask_word(half, EXEC), b.exec(half));
            b.chunks(half, vec![word], &mut |b, lanes, words| {
                let off = match access.address {
                    Some(address) => b.load_row(lanes.quad, address),
                    None => b.vector_of([0; 4]),
                };
                let data: Vec<Value> = (0..access.dwords).map(|j| b.load_row(lanes.quad, part.data + j)).collect();
                match data[..] {
                    [one] => {
                        let (near, live) = (b.neighbours(off), b.lanes_of(exec, lanes));
                        let row = b.f.ins().band(near, live);
                        b.store_row_or_lanes(part, off, one, (row, words[0]), reach);
                    }
                    _ => b.store_lanes(part, off, &data, words[0], reach),
                }
                Some(vec![b.f.ins().ushr_imm_u(words[0], i64::from(LANES))])
            })?;
            Some(Vec::new())
        })?;
        Some(())
    }

    /// One dword of each lane, by one store if that is right for all of them.
    fn store_row_or_lanes(
        &mut self,
        part: &Part,
        off: Value,
        data: Value,
        (right, word): (Value, Value),
        reach: &Reach,
    ) {
        let (row, spread, done) = (self.f.create_block(), self.f.create_block(), self.f.create_block());
        let all = self.f.ins().vall_true(right);
        self.f.ins().brif(all, row, &[], spread, &[]);
        self.f.switch_to_block(row);
        let at = self.lane(reach, off, 0);
        self.f.ins().store(GUEST, data, at, part.offset as i32);
        self.f.ins().jump(done, &[]);
        self.f.switch_to_block(spread);
        self.store_lanes(part, off, &[data], word, reach);
        self.f.ins().jump(done, &[]);
        self.f.switch_to_block(done);
    }

    /// Each lane's whose bit is set in the word.
    fn store_lanes(&mut self, part: &Part, off: Value, data: &[Value], word: Value, reach: &Reach) {
        for lane in 0..LANES as u8 {
            let (some, on) = (self.f.create_block(), self.f.create_block());
            let bit = self.f.ins().band_imm_u(word, 1 << lane);
            self.f.ins().brif(bit, some, &[], on, &[]);
            self.f.switch_to_block(some);
            let at = self.lane(reach, off, lane);
            for (j, &v) in data.iter().enumerate() {
                let v = self.f.ins().extractlane(v, lane);
                self.f.ins().store(GUEST, v, at, (part.offset + 4 * j as u32) as i32);
            }
            self.f.ins().jump(on, &[]);
            self.f.switch_to_block(on);
        }
    }
}
