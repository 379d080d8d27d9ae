//! A vector step, node by node, and what becomes of its results.

use super::super::registers::{Found, Home, Reg};
use super::masks::LAST;
use super::{Done, Emitter, Refused, avx2, k, tables, ymm, zmm};
use crate::record::{F, Id, Node};
use crate::step::{Plan, ResultPlace, operand};
use crate::x86::X86Isa;
use iced_x86::{Code, OpKind, Register};
use wavepipe_core::wave::{Operand, Step, below};

/// What a node's value is in.
#[derive(Clone, Copy)]
pub(super) enum Value {
    Word(Reg),
    Mask(u8),
    /// Of an operand: still in memory.
    Away(Home),
}

impl Emitter {
    pub fn step(&mut self, step: &Step, plan: &Plan) -> Done<()> {
        let nodes = plan.nodes.len();
        self.moving = step.movement.map(|m| self.moving(&m)).transpose()?;
        let quiet = self.quiet_nodes(step, plan);
        let mut state = Values {
            nodes: &plan.nodes,
            of: vec![None; nodes],
            high: vec![None; nodes],
            uses: plan.uses(),
            quiet: quiet.clone(),
        };
        self.values(step, plan, &mut state)?;
        self.end_moving();
        for &(place, id) in &plan.results {
            match place {
                ResultPlace::Vgpr(v) if quiet[usize::from(id)] && step.movement.is_none() => {
                    self.quiet.insert(v);
                }
                ResultPlace::Vgpr(v) => {
                    self.quiet.remove(&v);
                }
                _ => {}
            }
        }
        // High words that nobody asked for.
        state.high.into_iter().flatten().for_each(|r| self.registers.unpin(r));
        Ok(())
    }

    /// Which nodes' values are no signaling NaN, in the lanes that live.
    fn quiet_nodes(&self, step: &Step, plan: &Plan) -> Vec<bool> {
        use F::*;
        let mut quiet: Vec<bool> = Vec::with_capacity(plan.nodes.len());
        for node in &plan.nodes {
            let of = |k: usize| quiet[usize::from(node.args[k])];
            let is = |k: usize, word: u32| {
                let of = plan.nodes[usize::from(node.args[k])];
                of.f == F::literal && of.literal == word
            };
            quiet.push(match node.f {
                F::literal => !f32::from_bits(node.literal).is_nan(),
                F::source => match operand(step, node.literal) {
                    Some(Operand::Vgpr(v)) => step.movement.is_none() && self.quiet.contains(&(v + (node.literal & 1))),
                    Some(Operand::Constant(words)) => !f32::from_bits(words[node.literal as usize & 1]).is_nan(),
                    _ => false,
                },
                fadd | fmul | ffma | fsqrt | frcp | frsq | ftrunc | ffloor | fceil | frndne | f32_from_i32
                | f32_from_u32 | f32_from_f16 | fmin | fmax => true,
                fless | fmore => of(0) && of(1),
                sel => of(1) && of(2),
                // Signs.
                xor => of(0) && is(1, 1 << 31),
                and => of(0) && is(1, !(1 << 31)),
                _ => false,
            });
        }
        quiet
    }

    fn values(&mut self, step: &Step, plan: &Plan, state: &mut Values) -> Done<()> {
        let last = plan.nodes.len().wrapping_sub(1);
        for (i, node) in plan.nodes.iter().enumerate() {
            self.fetch(node, state)?;
            // The only result, computed by one instruction, goes into its home at once.
            if let [(ResultPlace::Vgpr(v), id)] = plan.results[..]
                && usize::from(id) == last
                && i == last
                && self.into_home(node, v, state)?
            {
                return Ok(());
            }
            if let [(ResultPlace::Mask(m), id)] = plan.results[..]
                && usize::from(id) == last
                && i == last
                && self.into_mask(node, m, state)?
            {
                return Ok(());
            }
            let value = match node.f {
                F::literal | F::source => {
                    let home = Home::named(step, node, self.chunk).ok_or(Refused)?;
                    match state.uses[i] {
                        1 if self.stays(home, plan) => Value::Away(home),
                        _ => Value::Word(self.operand(home, node)?),
                    }
                }
                F::below => Value::Word(self.bits_below(node.literal != 0)?),
                F::condition => Value::Mask(self.condition_in(step)?),
                F::high => Value::Word(state.high[usize::from(node.args[0])].take().ok_or(Refused)?),
                _ => match self.host.target {
                    X86Isa::Avx512 => self.node_512(node, i, state)?,
                    X86Isa::Avx2 => self.node_256(node, i, state)?,
                },
            };
            state.of[i] = Some(value);
            for &a in node.args.iter().filter(|&&a| a != Id::MAX) {
                self.used(a, state);
            }
        }
        self.results(plan, state)
    }

    /// One user of the value less.
    pub(super) fn used(&mut self, id: Id, state: &mut Values) {
        let i = usize::from(id);
        state.uses[i] -= 1;
        if state.uses[i] == 0 {
            match state.of[i].take() {
                Some(Value::Word(r)) => self.registers.unpin(r),
                Some(Value::Mask(m)) => self.free_mask(m),
                Some(Value::Away(_)) | None => {}
            }
        }
    }

    pub(super) fn word(&self, id: Id, state: &Values) -> Done<Reg> {
        match state.of.get(usize::from(id)) {
            Some(Some(Value::Word(r))) => Ok(*r),
            _ => Err(Refused),
        }
    }

    pub(super) fn condition(&self, id: Id, state: &Values) -> Done<u8> {
        match state.of.get(usize::from(id)) {
            Some(Some(Value::Mask(m))) => Ok(*m),
            _ => Err(Refused),
        }
    }

    /// The chunk's part of a table.
    fn bits_below(&mut self, high: bool) -> Done<Reg> {
        let lanes = self.host.lanes() as u32;
        let first = lanes * u32::from(self.chunk);
        let words: Vec<u32> = (first..first + lanes).map(|lane| below(high, lane)).collect();
        let (r, at) = (self.temporary()?, self.constants_at(&words));
        match self.host.target {
            X86Isa::Avx512 => self.load(Code::EVEX_Vmovdqu32_zmm_k1z_zmmm512, zmm(r), at)?,
            X86Isa::Avx2 => self.load(Code::VEX_Vmovdqu_ymm_ymmm256, ymm(r), at)?,
        }
        Ok(r)
    }

    fn operand(&mut self, home: Home, node: &Node) -> Done<Reg> {
        let r = self.home(home)?;
        match &self.moving {
            Some(_) if node.f == F::source && node.literal >> 1 == 0 => self.moved(r),
            _ => Ok(r),
        }
    }

    fn results(&mut self, plan: &Plan, state: &mut Values) -> Done<()> {
        // The last mask goes when a mask is written.
        let mut masks = plan.results.iter().filter(|(place, _)| matches!(place, ResultPlace::Mask(_)));
        let from_last = |id: Id| matches!(state.of.get(usize::from(id)), Some(Some(Value::Mask(LAST))));
        if self.host.target == X86Isa::Avx512 && masks.next().is_some() && masks.any(|&(_, id)| from_last(id)) {
            return Err(Refused);
        }
        // What is copied only is in no register yet.
        for &(_, id) in &plan.results {
            if let Some(Value::Away(home)) = state.of[usize::from(id)] {
                let r = self.temporary()?;
                self.bring(r, home)?;
                state.of[usize::from(id)] = Some(Value::Word(r));
            }
        }
        // One result may be what another one's register held.
        if plan.results.len() > 1 {
            for &(place, id) in &plan.results {
                let ResultPlace::Vgpr(_) = place else { continue };
                let r = self.word(id, state)?;
                if self.registers.is_home(r) {
                    let copy = self.temporary()?;
                    self.copy(copy, r)?;
                    self.registers.unpin(r);
                    state.of[usize::from(id)] = Some(Value::Word(copy));
                }
            }
        }
        for &(place, id) in &plan.results {
            match place {
                ResultPlace::Vgpr(v) => {
                    let (r, home) = (self.word(id, state)?, Home::Vgpr(v, self.chunk));
                    let fixed = self.registers.fixed_for(home).is_some();
                    // A copy of what is there already waits for EXEC where it goes, if nobody of the chunk reads it there.
                    let copies = self.late && self.registers.is_home(r) && !self.registers.asks_within(home, u32::MAX);
                    let whole = self.replaces(fixed) && !copies;
                    let moves = (self.raw || self.late || !fixed) && !self.registers.runs(home);
                    if whole && moves && state.uses[usize::from(id)] == 1 && self.registers.dies(r) {
                        // Nothing of what was there is kept.
                        self.registers.forget(home);
                        self.registers.make_home(r, home);
                        self.registers.soil(r);
                        continue;
                    }
                    let made = self.code.len();
                    let home = if whole { self.home_new(home)? } else { self.home(home)? };
                    if home != r {
                        let alone = state.uses[usize::from(id)] == 1 && self.registers.dies(r);
                        if whole {
                            self.copy(home, r)?
                        } else if !alone || !self.into_place(made, r, home)? {
                            self.merge(home, r)?
                        }
                        self.registers.soil(home);
                    }
                    self.registers.unpin(home);
                }
                ResultPlace::Mask(i) => {
                    let m = self.condition(id, state)?;
                    self.mask_out(i, m)?;
                }
                // Of scalar steps.
                ResultPlace::Scalar(_) | ResultPlace::Scc | ResultPlace::SccNonZero => return Err(Refused),
            }
        }
        for &(_, id) in &plan.results {
            self.used(id, state);
        }
        Ok(())
    }

    /// The lanes of EXEC.
    pub fn merge(&mut self, d: Reg, s: Reg) -> Done<()> {
        let live = self.live();
        match self.host.target {
            X86Isa::Avx512 => {
                self.op2(Code::EVEX_Vmovdqa32_zmm_k1z_zmmm512, zmm(d), zmm(s))?.set_op_mask(live);
                Ok(())
            }
            X86Isa::Avx2 if self.replaces(false) => self.copy(d, s),
            X86Isa::Avx2 => self.blend(d, d, s, avx2::LIVE),
        }
    }

    /// Of AVX-512: the last instruction in front of `made`, by which a temporary that nobody else asks for became what it is, writes the
    /// home's live lanes instead; `false`: it cannot.
    fn into_place(&mut self, made: usize, r: Reg, home: Reg) -> Done<bool> {
        let Some(at) = made.checked_sub(1).filter(|_| self.host.target == X86Isa::Avx512) else { return Ok(false) };
        let mut last = self.code[at];
        let registers = (1..last.op_count()).filter(|&n| last.op_kind(n) == OpKind::Register);
        // The home may have been loaded just now, into what the instruction reads.
        let clashes = self.code.len() > made && registers.clone().any(|n| last.op_register(n) == zmm(home));
        let plain = tables::takes_mask(last.code()) && last.op_mask() == Register::None && !clashes;
        if !plain || last.op0_register() != zmm(r) {
            return Ok(false);
        }
        self.code.remove(at);
        last.set_op0_register(zmm(home));
        last.set_op_mask(self.live());
        self.code.push(last);
        Ok(true)
    }

    /// Whether a result takes all of a home's lanes: if all live, or if those of the others are elsewhere.
    pub(super) fn replaces(&self, fixed: bool) -> bool {
        match self.host.target {
            X86Isa::Avx512 => self.late && fixed,
            X86Isa::Avx2 => self.all_live || self.raw,
        }
    }

    /// A result by one instruction under EXEC, into the register's home; `false`: not this operation.
    fn into_home(&mut self, node: &Node, v: u32, state: &mut Values) -> Done<bool> {
        let fixed = self.registers.fixed_for(Home::Vgpr(v, self.chunk)).is_some();
        match self.host.target {
            X86Isa::Avx512 if self.replaces(fixed) => Ok(false),
            X86Isa::Avx512 => self.into_home_512(node, v, state),
            X86Isa::Avx2 if self.replaces(fixed) => self.into_home_256(node, v, state),
            X86Isa::Avx2 => Ok(false),
        }
    }

    /// A lane mask by one comparison under EXEC; `false`: not this operation.
    fn into_mask(&mut self, node: &Node, m: u8, state: &mut Values) -> Done<bool> {
        if self.host.target == X86Isa::Avx2 {
            return self.into_mask_256(node, m, state);
        }
        let Some((code, relation)) = tables::comparison(node) else { return Ok(false) };
        let ([a, b], live) = (self.last_in_memory(node, state), self.live());
        let (x, y) = (self.word(a, state)?, self.last(b, state)?);
        self.begin_mask(m)?;
        let at = self.code.len();
        self.last3_imm(code, k(LAST), x, y, relation)?;
        self.is_last(m, LAST)?;
        if !self.last_is_of_all() {
            self.code[at].set_op_mask(live);
        }
        for &a in &node.args[..2] {
            self.used(a, state);
        }
        Ok(true)
    }

    /// The home's register, pinned once more, for a value that replaces all of it.
    pub(super) fn home_new(&mut self, home: Home) -> Done<Reg> {
        match self.registers.find(home) {
            Found::Here(r) | Found::Away(r) if !((self.raw || self.late) && self.registers.has_fixed(r)) => {
                self.registers.pin(r);
                Ok(r)
            }
            _ => {
                let r = self.temporary()?;
                self.registers.make_home(r, home);
                Ok(r)
            }
        }
    }

    pub(super) fn written(&mut self, home: Reg, node: &Node, state: &mut Values) {
        self.registers.soil(home);
        self.registers.unpin(home);
        for &a in node.args.iter().filter(|&&a| a != Id::MAX) {
            self.used(a, state);
        }
    }
}

/// A literal of which, and of something, there is a minimum or maximum.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Number {
    /// It goes last, for it is what a NaN gives way to, and where both are zeros it is the one.
    Alone,
    /// A zero that gives way to the other zero: it goes first, and a NaN has to give way to it still.
    Zero,
}

pub(super) struct Values<'p> {
    nodes: &'p [Node],
    pub of: Vec<Option<Value>>,
    /// The high words of doubles until their node comes.
    pub high: Vec<Option<Reg>>,
    pub uses: Vec<u32>,
    /// Which nodes' values are no signaling NaN.
    quiet: Vec<bool>,
}

impl Values<'_> {
    /// Whether it is no signaling NaN.
    pub fn is_quiet(&self, id: Id) -> bool {
        self.quiet.get(usize::from(id)).is_some_and(|&q| q)
    }

    /// Whether it is still in memory.
    pub fn is_away(&self, id: Id) -> bool {
        matches!(self.of.get(usize::from(id)), Some(Some(Value::Away(_))))
    }

    /// The operands as the host's minimum or maximum takes them, if one is a literal and no NaN: of two zeros, or where one is NaN,
    /// it gives the second.
    pub fn number(&self, a: Id, b: Id, max: bool) -> Option<(Number, [Id; 2])> {
        let number = |id: Id| match self.nodes.get(usize::from(id)) {
            Some(&Node { f: F::literal, literal: v, .. }) => match v {
                0 if !max => Some(Number::Zero),
                0x8000_0000 if max => Some(Number::Zero),
                _ => (!f32::from_bits(v).is_nan()).then_some(Number::Alone),
            },
            _ => None,
        };
        let (n, other, literal) = match number(b) {
            Some(n) => (n, a, b),
            None => (number(a)?, b, a),
        };
        Some((n, if n == Number::Zero { [literal, other] } else { [other, literal] }))
    }

    /// The same, where the host's instruction by itself gives what the algebra does.
    pub fn plain(&self, a: Id, b: Id, max: bool) -> Option<[Id; 2]> {
        self.number(a, b, max).and_then(|(n, of)| (n == Number::Alone).then_some(of))
    }
}
