//! Lane masks of a wave of two chunks in mask registers, so that a mask that a comparison made is EXEC some scalar steps later
//! without a way through general registers, which takes as long as the rest of a short loop.
//!
//! ```text
//! pair:    two mask registers, one for each chunk; several scalars may have the same one. The words themselves are where they
//!          always are: a pair can be dropped at any time
//! made:    of what vector steps write, behind the last chunk; of what scalar steps copy and combine, by the same on pairs
//! EXEC:    has pair 0 wherever a node begins
//! ```

use super::masks::LAST;
use super::moving::Moving;
use super::{Done, Emitter, k};
use crate::record::{F, Id};
use crate::step::{EXEC, Plan, ResultPlace, operand};
use crate::x86::X86Isa;
use iced_x86::{Code, Instruction, OpKind, Register};
use wavepipe_core::wave::{Operand, Step};

/// k1 and k2, k3 and k4, k5 and k6.
const PAIRS: usize = 3;
/// What a scalar's new chunks are named until the last is there.
const NEW: u16 = 256;

#[derive(Clone, Copy, Default)]
struct Pair {
    /// Whether a chunk's register holds it.
    known: [bool; 2],
    used: u32,
}

#[derive(Clone, Default)]
pub struct Pairs {
    pairs: [Pair; PAIRS],
    of: Vec<(u16, usize)>,
    clock: u32,
}

/// A mask register of a pair.
fn register(pair: usize, chunk: u8) -> u8 {
    1 + 2 * pair as u8 + chunk
}

impl Pairs {
    fn find(&mut self, scalar: u16) -> Option<usize> {
        let (_, pair) = *self.of.iter().find(|(s, _)| *s == scalar)?;
        self.clock += 1;
        self.pairs[pair].used = self.clock;
        Some(pair)
    }

    /// The scalar's pair, if both chunks are there.
    fn whole(&mut self, scalar: u8) -> Option<usize> {
        self.find(scalar.into()).filter(|&pair| self.pairs[pair].known == [true; 2])
    }

    fn name(&mut self, scalar: u16, pair: usize) {
        self.unname(scalar);
        self.of.push((scalar, pair));
    }

    fn unname(&mut self, scalar: u16) {
        self.of.retain(|(s, _)| *s != scalar);
    }

    pub fn written(&mut self, scalar: u8) {
        self.unname(scalar.into());
    }

    fn drop(&mut self, pair: usize) {
        self.of.retain(|(_, p)| *p != pair);
        self.pairs[pair].known = [false; 2];
    }

    /// A pair that is nobody's; `busy`: mask registers that are in use, by bits. What pairs hold of scalars that are `written` is
    /// wanted no more.
    fn take(&mut self, busy: u8, keep: &[usize], written: &[u8]) -> Option<usize> {
        let wanted = |s: u16| !written.iter().any(|w| u16::from(*w) == s);
        let named = |p: usize| self.of.iter().any(|(s, q)| *q == p && wanted(*s));
        let exec = self.of.iter().find(|(s, _)| *s == u16::from(EXEC) && wanted(*s)).map(|(_, p)| *p);
        let free = (0..PAIRS).filter(|p| busy >> register(*p, 0) & 3 == 0 && !keep.contains(p) && exec != Some(*p));
        let pair = free.min_by_key(|&p| if named(p) { self.pairs[p].used + 1 } else { 0 })?;
        self.drop(pair);
        self.clock += 1;
        self.pairs[pair].used = self.clock;
        Some(pair)
    }

    /// Only EXEC is known, and in its place.
    fn exec_only(&mut self) {
        *self = Pairs::default();
        self.pairs[0].known = [true; 2];
        self.of.push((EXEC.into(), 0));
    }
}

/// What a node of a scalar step is in pairs.
#[derive(Clone, Copy)]
struct Value {
    pair: usize,
    not: bool,
}

impl Emitter {
    /// Whether masks have pairs.
    fn has_pairs(&self) -> bool {
        self.host.target == X86Isa::Avx512 && self.chunks() == 2
    }

    /// The mask register that EXEC of the chunk is in, less the lanes that a movement does not let write.
    pub fn live(&self) -> Register {
        if let Some(Moving::Here { write, .. }) = &self.moving {
            return k(*write);
        }
        let exec = self.pairs.of.iter().find(|(s, _)| *s == u16::from(EXEC)).filter(|_| self.has_pairs());
        k(exec.map_or(1, |(_, pair)| register(*pair, self.chunk)))
    }

    /// EXEC of the chunk in its mask register.
    pub(super) fn live_pair(&mut self) -> Done<()> {
        if !self.has_pairs() {
            return self.mask_in(EXEC, 1);
        }
        let pair = match self.pairs.find(EXEC.into()) {
            Some(pair) => pair,
            None => {
                let pair = self.pairs.take(self.masks, &[], &[]).ok_or(super::Refused)?;
                self.pairs.name(EXEC.into(), pair);
                pair
            }
        };
        let chunk = usize::from(self.chunk);
        if !std::mem::replace(&mut self.pairs.pairs[pair].known[chunk], true) {
            self.mask_in(EXEC, register(pair, self.chunk))?;
        }
        Ok(())
    }

    /// EXEC in pair 0, as a node finds it.
    pub fn exec_home(&mut self) -> Done<()> {
        if !self.has_pairs() {
            return Ok(());
        }
        let from = self.pairs.find(EXEC.into());
        for chunk in 0..2 {
            let (to, known) = (register(0, chunk), from.filter(|&p| self.pairs.pairs[p].known[usize::from(chunk)]));
            match known {
                Some(0) => {}
                Some(pair) => {
                    self.op2(Code::VEX_Kmovw_kr_km16, k(to), k(register(pair, chunk)))?;
                }
                None => {
                    self.chunk = chunk;
                    self.mask_in(EXEC, to)?;
                }
            }
        }
        if from != Some(0) {
            self.pairs.drop(0);
            self.pairs.name(EXEC.into(), 0);
        }
        self.pairs.pairs[0].known = [true; 2];
        Ok(())
    }

    /// EXEC in pair 0 as memory has it, whatever else is known.
    pub fn live_from_memory(&mut self) -> Done<()> {
        if !self.has_pairs() {
            return Ok(());
        }
        for chunk in 0..2 {
            self.mask_from_memory(register(0, chunk), EXEC, chunk)?;
        }
        Ok(())
    }

    /// Nothing is known of mask registers, but where a node begins or an access ends, EXEC.
    pub fn forget_masks(&mut self, exec: bool) {
        self.last_mask = None;
        match exec && self.has_pairs() {
            true => self.pairs.exec_only(),
            false => self.pairs = Pairs::default(),
        }
    }

    /// Room for a condition in a mask register, which is nobody's then.
    pub(super) fn mask_register(&mut self) -> Option<u8> {
        let free = |m: &u8| self.masks >> m & 1 == 0;
        if !self.has_pairs() {
            return (2..LAST).find(free);
        }
        let exec = self.pairs.find(EXEC.into());
        let in_pair = |m: u8| usize::from((m - 1) / 2);
        let named = |p: usize| self.pairs.of.iter().any(|(_, q)| *q == p);
        let others = (1..LAST).filter(|m| free(m) && Some(in_pair(*m)) != exec);
        let used = |p: usize| if named(p) { self.pairs.pairs[p].used + 1 } else { 0 };
        if let Some(m) = others.min_by_key(|m| used(in_pair(*m))) {
            self.pairs.drop(in_pair(m));
            return Some(m);
        }
        // EXEC of the other chunk has to be found anew there.
        let (pair, other) = (exec?, 1 - self.chunk);
        let m = register(pair, other);
        let free = self.masks >> m & 1 == 0;
        self.pairs.pairs[pair].known[usize::from(other)] = false;
        free.then_some(m)
    }

    /// The register that has the chunk's bits of a mask, if one does: as the group's steps before have left them.
    pub(super) fn pair_condition(&mut self, scalar: u8, written: bool) -> Option<u8> {
        let name = if written { NEW + u16::from(scalar) } else { scalar.into() };
        let pair = self.pairs.find(name).filter(|_| self.has_pairs())?;
        let m = register(pair, self.chunk);
        let known = self.pairs.pairs[pair].known[usize::from(self.chunk)];
        (known && self.masks >> m & 1 == 0).then_some(m)
    }

    /// The chunk's bits of a scalar's mask are in k7. Where they are then.
    pub(super) fn pair_chunk(&mut self, scalar: u8) -> Done<u8> {
        if !self.has_pairs() {
            return Ok(LAST);
        }
        let name = NEW + u16::from(scalar);
        let pair = match self.pairs.find(name) {
            Some(pair) => pair,
            None if self.chunk == 0 => {
                let Some(pair) = self.pairs.take(self.masks, &[], &[]) else { return Ok(LAST) };
                self.pairs.name(name, pair);
                pair
            }
            None => return Ok(LAST),
        };
        self.pairs.pairs[pair].known[usize::from(self.chunk)] = true;
        let m = register(pair, self.chunk);
        if !self.last_at_once(m) {
            self.op2(Code::VEX_Kmovw_kr_km16, k(m), k(LAST))?;
        }
        Ok(m)
    }

    /// Who made k7 makes this mask register instead, and who has read it since reads that; `false`: that was something else meanwhile.
    fn last_at_once(&mut self, m: u8) -> bool {
        let makes = |i: &Instruction| i.op0_register() == k(LAST) && i.code() != Code::VEX_Kortestw_kr_kr;
        let names = |i: &Instruction, r: Register| {
            (0..i.op_count()).any(|n| i.op_kind(n) == OpKind::Register && i.op_register(n) == r) || i.op_mask() == r
        };
        let from = self.joined.min(self.code.len());
        let Some(at) = self.code[from..].iter().rposition(makes).map(|at| from + at) else { return false };
        // One that leaves lanes as they were reads it, too.
        let made = self.code[at];
        if self.code[at..].iter().any(|i| names(i, k(m))) || made.op_count() > 1 && made.op1_register() == k(LAST) {
            return false;
        }
        for i in &mut self.code[at..] {
            for n in 0..i.op_count() {
                if i.op_kind(n) == OpKind::Register && i.op_register(n) == k(LAST) {
                    i.set_op_register(n, k(m));
                }
            }
            if i.op_mask() == k(LAST) {
                i.set_op_mask(k(m));
            }
        }
        true
    }

    /// What [`Emitter::pair_chunk`] names in the chunk.
    pub(super) fn new_pairs(&self) -> Vec<usize> {
        let new = self.pairs.of.iter().filter(|(s, _)| *s >= NEW).map(|(_, pair)| *pair);
        new.filter(|&p| self.pairs.pairs[p].known[usize::from(self.chunk)]).collect()
    }

    /// No lanes in the chunk of what [`Emitter::pair_chunk`] names.
    pub(super) fn no_pairs(&mut self) -> Done<()> {
        for pair in self.new_pairs() {
            let m = k(register(pair, self.chunk));
            self.op3(Code::VEX_Kxorw_kr_kr_kr, m, m, m)?;
        }
        Ok(())
    }

    /// Behind the last chunk: the scalar's new chunks are its mask.
    pub(super) fn pair_made(&mut self, scalar: u8) {
        self.pairs.written(scalar);
        let name = NEW + u16::from(scalar);
        if let Some(pair) = self.pairs.find(name) {
            self.pairs.unname(name);
            if self.pairs.pairs[pair].known == [true; 2] {
                self.pairs.name(scalar.into(), pair);
            }
        }
    }

    /// EXEC of the chunk is what k7 holds.
    pub(super) fn pair_exec(&mut self) -> Done<()> {
        let shared = |e: &Self, pair: usize| e.pairs.of.iter().filter(|(_, p)| *p == pair).count() > 1;
        if self.has_pairs()
            && let Some(old) = self.pairs.find(EXEC.into())
            && shared(self, old)
        {
            let pair = self.pairs.take(self.masks, &[old], &[]).ok_or(super::Refused)?;
            let other = 1 - self.chunk;
            if self.pairs.pairs[old].known[usize::from(other)] {
                self.op2(Code::VEX_Kmovw_kr_km16, k(register(pair, other)), k(register(old, other)))?;
                self.pairs.pairs[pair].known[usize::from(other)] = true;
            }
            self.pairs.pairs[pair].known[usize::from(self.chunk)] = true;
            self.pairs.name(EXEC.into(), pair);
        }
        let live = self.live();
        self.op2(Code::VEX_Kmovw_kr_km16, live, k(LAST)).map(|_| ())
    }

    /// In front of a scalar step: pairs for its sources, if one of them has one, and those that its results will have.
    pub(super) fn pair_results(&mut self, step: &Step, plan: &Plan) -> Done<Vec<(u8, usize)>> {
        use F::{and, not, or, source, xor};
        if !self.has_pairs() || plan.nodes.iter().any(|n| !matches!(n.f, source | and | or | xor | not)) {
            return Ok(Vec::new());
        }
        let scalar = |literal: u32| match operand(step, literal) {
            Some(Operand::Scalar(words)) => Some(words[literal as usize & 1]),
            _ => None,
        };
        let sources: Vec<u8> = plan.nodes.iter().filter(|n| n.f == source).filter_map(|n| scalar(n.literal)).collect();
        if !sources.iter().any(|&i| self.pairs.whole(i).is_some()) {
            return Ok(Vec::new());
        }
        let written = plan.results.iter().filter_map(|(place, _)| match place {
            ResultPlace::Scalar(i) => Some(*i),
            _ => None,
        });
        let written: Vec<u8> = written.collect();
        let mut uses = plan.uses();
        let mut values: Vec<Option<Value>> = Vec::new();
        for node in &plan.nodes {
            for &a in node.args.iter().filter(|&&a| a != Id::MAX) {
                uses[usize::from(a)] -= 1;
            }
            let of = |id: Id| values.get(usize::from(id)).copied().flatten();
            let used = values.iter().zip(&uses).filter(|(_, n)| **n > 0);
            let keep: Vec<usize> = used.filter_map(|(v, _)| Some(v.as_ref()?.pair)).collect();
            let [a, b, ..] = node.args;
            let value = match node.f {
                source => match scalar(node.literal) {
                    Some(i) => match self.pairs.whole(i) {
                        Some(pair) => Some(Value { pair, not: false }),
                        None => self.pair_in(i, &keep)?.map(|pair| Value { pair, not: false }),
                    },
                    None => None,
                },
                not => of(a).map(|v| Value { not: !v.not, ..v }),
                f => match (of(a), of(b)) {
                    (Some(a), Some(b)) => self.combined(f, a, b, &keep, &written)?,
                    _ => None,
                },
            };
            values.push(value);
        }
        let mut results: Vec<(u8, usize)> = Vec::new();
        for &(place, id) in &plan.results {
            let ResultPlace::Scalar(i) = place else { continue };
            // A scalar that is written twice is what comes last.
            results.retain(|(j, _)| *j != i);
            if let Some(Some(Value { pair, not: false })) = values.get(usize::from(id)) {
                results.push((i, *pair));
            }
        }
        Ok(results)
    }

    /// Behind it.
    pub(super) fn name_pairs(&mut self, results: Vec<(u8, usize)>) {
        results.into_iter().for_each(|(i, pair)| self.pairs.name(i.into(), pair));
    }

    /// A pair with a scalar's bits.
    fn pair_in(&mut self, scalar: u8, keep: &[usize]) -> Done<Option<usize>> {
        let Some(pair) = self.pairs.take(self.masks, keep, &[]) else { return Ok(None) };
        for chunk in 0..2 {
            self.chunk = chunk;
            self.mask_in(scalar, register(pair, chunk))?;
        }
        self.pairs.pairs[pair].known = [true; 2];
        self.pairs.name(scalar.into(), pair);
        Ok(Some(pair))
    }

    fn combined(&mut self, f: F, a: Value, b: Value, keep: &[usize], written: &[u8]) -> Done<Option<Value>> {
        let (code, a, b) = match (f, a.not, b.not) {
            (F::and, false, false) => (Code::VEX_Kandw_kr_kr_kr, a.pair, b.pair),
            (F::and, false, true) => (Code::VEX_Kandnw_kr_kr_kr, b.pair, a.pair),
            (F::and, true, false) => (Code::VEX_Kandnw_kr_kr_kr, a.pair, b.pair),
            (F::or, false, false) => (Code::VEX_Korw_kr_kr_kr, a.pair, b.pair),
            (F::xor, false, false) => (Code::VEX_Kxorw_kr_kr_kr, a.pair, b.pair),
            _ => return Ok(None),
        };
        // It may be that of an operand.
        let Some(pair) = self.pairs.take(self.masks, keep, written) else { return Ok(None) };
        for chunk in 0..2 {
            self.op3(code, k(register(pair, chunk)), k(register(a, chunk)), k(register(b, chunk)))?;
        }
        self.pairs.pairs[pair].known = [true; 2];
        Ok(Some(Value { pair, not: false }))
    }
}
