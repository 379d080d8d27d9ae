//! Vector steps over the chunks of a wave, four lanes each.
//!
//! ```text
//! in front:  words of scalars and constants in every lane
//! a half:    a round of a loop, if there are two: lane masks' words, a loop over the chunks, in which each lane's bit of a mask
//!            moves along, and the words of the masks that were written
//! a chunk:   all steps. A register is loaded when it is first read; what was written is stored at the end, of the live lanes.
//!            In between dead lanes hold anything: steps keep lanes apart
//! ```
//!
//! In loops, where it costs to keep dead lanes, once more for when there are none.

use super::moving::Moved;
use super::region::{Builder, OWN};
use crate::record::F;
use crate::step::{EXEC, Plan, ResultPlace, operand};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types::{I32, I32X4, I64, I64X2};
use cranelift_codegen::ir::{BlockArg, Endianness, InstBuilder, MemFlagsData, Type, Value};
use wavepipe_core::wave::{Act, Operand, Step};

/// Lanes of a vector.
pub const LANES: i32 = 4;
/// Chunks of a half.
pub const CHUNKS: i32 = 32 / LANES;
/// Bytes of a vector.
pub const BYTES: i32 = 4 * LANES;
/// Vector steps from which on it is worth to ask whether all lanes live.
const SHORT: usize = 3;
/// Vector steps from which on it is worth to ask whether any lane of a chunk lives.
const LONG: usize = 24;

pub type VectorStep<'i> = (&'i Act, &'i Step, &'i Plan);

/// A word in every lane.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Splat {
    Constant(u32),
    Scalar(u8),
}

/// What all chunks use.
#[derive(Default)]
pub struct Common {
    splats: Vec<(Splat, Value)>,
    /// Lane masks that are read before a step writes them, EXEC among them.
    reads: Vec<u8>,
    writes: Vec<u8>,
}

/// A register's value in a chunk.
struct Held {
    register: u32,
    value: Value,
    dirty: bool,
}

/// What is done again and again, with the values that go from one time to the next.
pub type Body<'b, B, P> = &'b mut dyn FnMut(&mut B, P, Vec<Value>) -> Option<Vec<Value>>;

/// Half a wave's places: of the first register, and of the scalars that masks' words are counted from.
#[derive(Clone, Copy)]
pub struct Half {
    pub row: Value,
    pub scalars: Value,
}

/// Where four lanes of the first register are.
#[derive(Clone, Copy)]
pub struct Quad {
    pub row: Value,
    pub at: i32,
}

/// Four lanes.
#[derive(Clone, Copy)]
pub struct Lanes {
    pub quad: Quad,
    /// Each one's bit of a mask's word.
    pub bits: Value,
    pub half: Half,
}

/// Four lanes, and what of them has values.
pub struct Chunk<'c> {
    pub common: &'c Common,
    pub lanes: Lanes,
    /// Of a step whose lanes move.
    pub moved: Option<Moved>,
    /// Lanes of EXEC, as ones and zeros; `None`: all.
    live: Option<Value>,
    held: Vec<Held>,
    /// Lane masks.
    masks: Vec<(u8, Value)>,
}

/// Lane masks that a step reads or writes, EXEC left out.
fn masks<'i>(&(_, step, plan): &'i VectorStep<'_>) -> impl Iterator<Item = (u8, bool)> + 'i {
    let read = plan.nodes.iter().filter(|n| n.f == F::condition).filter_map(|_| step.condition).map(|i| (i, false));
    let written = plan.results.iter().filter_map(|(place, _)| match place {
        ResultPlace::Mask(i) => Some((*i, true)),
        _ => None,
    });
    read.chain(written)
}

/// Vector steps as they can go together: one whose lanes move by itself.
pub fn together<'g, 'i>(steps: &'g [VectorStep<'i>], halves: usize) -> Vec<&'g [VectorStep<'i>]> {
    let moves = |(_, step, _): &VectorStep<'_>| step.movement.is_some();
    let runs = steps.chunk_by(|a, b| !moves(a) && !moves(b));
    runs.flat_map(|run| without_clash(run, halves)).collect()
}

/// In waves of 64 lanes not with masks of which one begins with another's second word.
fn without_clash<'g, 'i>(steps: &'g [VectorStep<'i>], halves: usize) -> Vec<&'g [VectorStep<'i>]> {
    let all: Vec<(u8, bool)> = steps.iter().flat_map(masks).chain([(EXEC, false)]).collect();
    let clash = |&(i, writes): &(u8, bool)| all.iter().any(|&(j, w)| i.abs_diff(j) == 1 && (writes || w));
    match halves == 2 && all.iter().any(clash) {
        true => steps.chunks(1).collect(),
        false => vec![steps],
    }
}

impl Builder<'_, '_> {
    /// `in_loop`: it may run often.
    pub fn vector(&mut self, steps: &[VectorStep<'_>], in_loop: bool) -> Option<()> {
        if steps.is_empty() {
            return Some(());
        }
        let common = self.common(steps)?;
        if steps.len() < SHORT || !in_loop || common.writes.contains(&EXEC) {
            self.all_chunks(steps, &common, false)?;
        } else {
            let mut exec = self.scalar(EXEC);
            if self.region.halves == 2 {
                let high = self.scalar(EXEC + 1);
                exec = self.f.ins().band(exec, high);
            }
            let (all, some, done) = (self.f.create_block(), self.f.create_block(), self.f.create_block());
            let alive = self.f.ins().icmp_imm_s(IntCC::Equal, exec, -1);
            self.f.ins().brif(alive, all, &[], some, &[]);
            for (block, all_live) in [(all, true), (some, false)] {
                self.f.switch_to_block(block);
                self.all_chunks(steps, &common, all_live)?;
                self.f.ins().jump(done, &[]);
            }
            self.f.switch_to_block(done);
        }
        for &i in &common.writes {
            (0..self.region.halves as u8).for_each(|half| self.forget(i.wrapping_add(half)));
        }
        Some(())
    }

    fn common(&mut self, steps: &[VectorStep<'_>]) -> Option<Common> {
        let mut common = Common { reads: vec![EXEC], ..Common::default() };
        for one @ (_, step, plan) in steps {
            for node in &plan.nodes {
                match node.f {
                    F::literal => self.splat(&mut common, Splat::Constant(node.literal)),
                    F::source => {
                        let word = node.literal as usize & 1;
                        match operand(step, node.literal)? {
                            Operand::Constant(words) => self.splat(&mut common, Splat::Constant(words[word])),
                            Operand::Scalar(words) => self.splat(&mut common, Splat::Scalar(words[word])),
                            Operand::Vgpr(_) => {}
                        }
                    }
                    _ => {}
                }
            }
            for (i, writes) in masks(one) {
                let seen = common.writes.contains(&i);
                match writes {
                    true if !seen => common.writes.push(i),
                    false if !seen && !common.reads.contains(&i) => common.reads.push(i),
                    _ => {}
                }
            }
        }
        // Here, where all that follows sees them.
        if self.region.halves == 1 {
            common.reads.iter().for_each(|&i| {
                self.scalar(i);
            });
        }
        Some(common)
    }

    fn splat(&mut self, common: &mut Common, what: Splat) {
        if common.splats.iter().any(|(s, _)| *s == what) {
            return;
        }
        let word = match what {
            Splat::Constant(v) => self.f.ins().iconst(I32, i64::from(v)),
            Splat::Scalar(i) => self.scalar(i),
        };
        let v = self.f.ins().splat(I32X4, word);
        common.splats.push((what, v));
    }

    fn all_chunks(&mut self, steps: &[VectorStep<'_>], common: &Common, all_live: bool) -> Option<()> {
        let moved = match steps {
            [(_, step, _)] => match &step.movement {
                Some(movement) => Some(self.move_lanes(step, movement)?),
                None => None,
            },
            _ => None,
        };
        self.halves(Vec::new(), &mut |b, half, _| {
            let mut read = Vec::new();
            for &i in common.reads.iter().filter(|&&i| !(all_live && i == EXEC)) {
                let word = match moved {
                    Some(moved) if i == EXEC => b.writing(half, moved),
                    _ => b.mask_word(half, i),
                };
                read.push((i, b.f.ins().splat(I32X4, word)));
            }
            let none = b.vector_of([0; 4]);
            let begin = vec![none; common.writes.len()];
            let written =
                b.chunks(half, begin, &mut |b, lanes, written| b.chunk((steps, moved), common, lanes, &read, written))?;
            for (&i, v) in common.writes.iter().zip(written) {
                let word = b.joined(v);
                b.f.ins().store(OWN, word, half.scalars, 4 * i32::from(i));
            }
            Some(Vec::new())
        })?;
        Some(())
    }

    /// Does the same for each half.
    pub fn halves(&mut self, begin: Vec<Value>, body: Body<'_, Self, Half>) -> Option<Vec<Value>> {
        if self.region.halves == 1 {
            return body(self, Half { row: self.rows, scalars: self.scalars }, begin);
        }
        let (row, scalars) = (self.rows, self.scalars);
        let end = self.f.ins().iadd_imm_s(row, 2 * i64::from(BYTES * CHUNKS));
        let mut begin = begin;
        begin.push(scalars);
        let mut values = self.repeat((row, BYTES * CHUNKS, end), begin, &mut |b, row, mut values| {
            let scalars = values.pop()?;
            let mut values = body(b, Half { row, scalars }, values)?;
            values.push(b.f.ins().iadd_imm_s(scalars, 4));
            Some(values)
        })?;
        values.pop();
        Some(values)
    }

    /// Does the same for each chunk of a half.
    pub fn chunks(&mut self, half: Half, begin: Vec<Value>, body: Body<'_, Self, Lanes>) -> Option<Vec<Value>> {
        let mut begin = begin;
        let end = self.f.ins().iadd_imm_s(half.row, i64::from(BYTES * CHUNKS));
        begin.push(self.vector_of([1, 2, 4, 8]));
        let mut values = self.repeat((half.row, BYTES, end), begin, &mut |b, row, mut values| {
            let bits = values.pop()?;
            let mut values = body(b, Lanes { quad: Quad { row, at: 0 }, bits, half }, values)?;
            values.push(b.f.ins().ishl_imm_u(bits, i64::from(LANES)));
            Some(values)
        })?;
        values.pop();
        Some(values)
    }

    /// A loop from an address on by so many bytes, with values that go from round to round; there is at least one.
    pub fn repeat(
        &mut self,
        (from, bytes, end): (Value, i32, Value),
        begin: Vec<Value>,
        body: Body<'_, Self, Value>,
    ) -> Option<Vec<Value>> {
        let (head, done) = (self.f.create_block(), self.f.create_block());
        let enter: Vec<BlockArg> = begin.iter().copied().chain([from]).map(BlockArg::Value).collect();
        self.f.ins().jump(head, &enter);
        let types: Vec<Type> = begin.iter().map(|&v| self.f.func.dfg.value_type(v)).collect();
        let values = types.into_iter().map(|ty| self.f.append_block_param(head, ty)).collect();
        let at = self.f.append_block_param(head, I64);
        self.f.switch_to_block(head);
        let values = body(self, at, values)?;
        let next = self.f.ins().iadd_imm_s(at, i64::from(bytes));
        let more = self.f.ins().icmp(IntCC::NotEqual, next, end);
        let again: Vec<BlockArg> = values.iter().copied().chain([next]).map(BlockArg::Value).collect();
        self.f.ins().brif(more, head, &again, done, &[]);
        self.f.switch_to_block(done);
        Some(values)
    }

    /// Does the same for each of a half's lanes whose bit is set in the word, the lowest first: its words in rows are counted from the
    /// place it is given.
    pub fn each_live(
        &mut self,
        half: Half,
        word: Value,
        begin: Vec<Value>,
        body: Body<'_, Self, Value>,
    ) -> Option<Vec<Value>> {
        let (head, lane, done) = (self.f.create_block(), self.f.create_block(), self.f.create_block());
        let enter: Vec<BlockArg> = begin.iter().copied().chain([word]).map(BlockArg::Value).collect();
        self.f.ins().jump(head, &enter);
        let types: Vec<Type> = begin.iter().map(|&v| self.f.func.dfg.value_type(v)).collect();
        let values: Vec<Value> = types.into_iter().map(|ty| self.f.append_block_param(head, ty)).collect();
        let live = self.f.append_block_param(head, I32);
        self.f.switch_to_block(head);
        self.f.ins().brif(live, lane, &[], done, &[]);
        self.f.switch_to_block(lane);
        let number = self.f.ins().ctz(live);
        let own = self.indexed(half.row, number);
        let next = body(self, own, values.clone())?;
        let less = self.f.ins().iadd_imm_s(live, -1);
        let rest = self.f.ins().band(live, less);
        let again: Vec<BlockArg> = next.into_iter().chain([rest]).map(BlockArg::Value).collect();
        self.f.ins().jump(head, &again);
        self.f.switch_to_block(done);
        Some(values)
    }

    /// A lane mask's word of a half.
    pub fn mask_word(&mut self, half: Half, i: u8) -> Value {
        match self.region.halves {
            1 => self.scalar(i),
            _ => self.f.ins().load(I32, OWN, half.scalars, 4 * i32::from(i)),
        }
    }

    /// Four words' bits in one.
    fn joined(&mut self, v: Value) -> Value {
        let wide = self.f.ins().bitcast(I64X2, MemFlagsData::new().with_endianness(Endianness::Little), v);
        let (low, high) = (self.f.ins().extractlane(wide, 0), self.f.ins().extractlane(wide, 1));
        let both = self.f.ins().bor(low, high);
        let upper = self.f.ins().ushr_imm_u(both, 32);
        let word = self.f.ins().bor(both, upper);
        self.f.ins().ireduce(I32, word)
    }

    /// All steps of a chunk; the bits of the masks so far, and its own.
    fn chunk(
        &mut self,
        (steps, moved): (&[VectorStep<'_>], Option<Moved>),
        common: &Common,
        lanes: Lanes,
        read: &[(u8, Value)],
        mut written: Vec<Value>,
    ) -> Option<Vec<Value>> {
        let mut c = Chunk { common, lanes, moved, live: None, held: Vec::new(), masks: Vec::new() };
        for &(i, splat) in read {
            let mask = self.lanes_of(splat, lanes);
            c.masks.push((i, mask));
            if i == EXEC {
                c.live = Some(mask);
            }
        }
        let mut over = None;
        if let Some(live) = c.live
            && steps.len() >= LONG
            && common.writes.is_empty()
        {
            let (some, none) = (self.f.create_block(), self.f.create_block());
            let any = self.f.ins().vany_true(live);
            self.f.ins().brif(any, some, &[], none, &[]);
            self.f.switch_to_block(some);
            over = Some(none);
        }
        for (_, step, plan) in steps {
            self.lanes_step(&mut c, step, plan)?;
        }
        self.flush(&mut c);
        if let Some(over) = over {
            self.f.ins().jump(over, &[]);
            self.f.switch_to_block(over);
        }
        for (of, &i) in written.iter_mut().zip(&common.writes) {
            let mask = self.mask(&c, i)?;
            let own = self.f.ins().band(mask, c.lanes.bits);
            *of = self.f.ins().bor(*of, own);
        }
        Some(written)
    }

    /// A chunk of the wave, in which all lanes of a register lie together.
    pub fn quad(&self, chunk: i32) -> Quad {
        Quad { row: self.rows, at: BYTES * chunk }
    }

    /// A mask's word in every lane as ones and zeros.
    pub fn lanes_of(&mut self, splat: Value, lanes: Lanes) -> Value {
        let own = self.f.ins().band(splat, lanes.bits);
        self.f.ins().icmp(IntCC::Equal, own, lanes.bits)
    }

    fn place(&self, quad: Quad, register: u32) -> (Value, i32) {
        (quad.row, quad.at + BYTES * CHUNKS * self.region.halves as i32 * register as i32)
    }

    pub fn load_row(&mut self, quad: Quad, register: u32) -> Value {
        let (row, at) = self.place(quad, register);
        self.f.ins().load(I32X4, OWN, row, at)
    }

    /// The value's live lanes become the register's: all if none are given.
    pub fn store_row(&mut self, quad: Quad, register: u32, live: Option<Value>, value: Value) {
        let value = match live {
            Some(live) => {
                let old = self.load_row(quad, register);
                self.f.ins().bitselect(live, value, old)
            }
            None => value,
        };
        let (row, at) = self.place(quad, register);
        self.f.ins().store(OWN, value, row, at);
    }

    /// A register's lanes.
    pub fn register(&mut self, c: &mut Chunk<'_>, register: u32) -> Value {
        if let Some(held) = c.held.iter().find(|h| h.register == register) {
            return held.value;
        }
        let value = self.load_row(c.lanes.quad, register);
        c.held.push(Held { register, value, dirty: false });
        value
    }

    /// The value's live lanes become the register's.
    pub fn set_register(&mut self, c: &mut Chunk<'_>, register: u32, value: Value) {
        match c.held.iter_mut().find(|h| h.register == register) {
            Some(held) => (held.value, held.dirty) = (value, true),
            None => c.held.push(Held { register, value, dirty: true }),
        }
    }

    /// What was written goes to memory, of the live lanes: behind a change of EXEC dead ones hold what they did.
    fn flush(&mut self, c: &mut Chunk<'_>) {
        for h in c.held.iter().filter(|h| h.dirty) {
            self.store_row(c.lanes.quad, h.register, c.live, h.value);
        }
        match c.live {
            Some(_) => c.held.retain(|h| !h.dirty),
            None => c.held.iter_mut().for_each(|h| h.dirty = false),
        }
    }

    /// A lane mask.
    pub fn mask(&mut self, c: &Chunk<'_>, i: u8) -> Option<Value> {
        c.masks.iter().find(|(of, _)| *of == i).map(|(_, v)| *v)
    }

    /// The condition of the live lanes becomes a mask; if that is EXEC, other lanes live from now on.
    pub fn set_mask(&mut self, c: &mut Chunk<'_>, i: u8, condition: Value) {
        let own = match c.live {
            Some(live) => self.f.ins().band(condition, live),
            None => condition,
        };
        c.masks.retain(|(of, _)| *of != i);
        c.masks.push((i, own));
        if i == EXEC {
            self.flush(c);
            c.live = Some(own);
        }
    }

    pub fn vector_of(&mut self, words: [u32; 4]) -> Value {
        let bytes: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
        let constant = self.f.func.dfg.constants.insert(bytes.into());
        self.f.ins().vconst(I32X4, constant)
    }
}

impl Common {
    /// A word in every lane, of which [`Builder::vector`] knows.
    pub fn splat(&self, what: Splat) -> Option<Value> {
        self.splats.iter().find(|(s, _)| *s == what).map(|(_, v)| *v)
    }
}
