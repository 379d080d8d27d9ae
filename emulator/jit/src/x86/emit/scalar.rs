//! Scalar steps in the host's general registers.
//!
//! ```text
//! read:    a scalar's register if it is known, else a load
//! compute: each node into a register of its own; what is a scalar's alone, into that scalar's, if nobody asks for it any more
//! write:   the register goes on as that scalar's ([`super::words`])
//! ```

use super::super::registers::{Home, Reg};
use super::words::{wide, word};
use super::{Done, Emitter, Refused};
use crate::record::{F, Id, Node};
use crate::step::{INVERTED, OVERFLOWS, Plan, ResultPlace, SCC, operand};
use iced_x86::{Code, Instruction, Register};
use wavepipe_core::wave::{Operand, Step};

/// What a node's value is: conditions are words that are 0 or 1.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Scalar {
    Known(u32),
    In(Reg),
}

struct Values {
    of: Vec<Option<Scalar>>,
    uses: Vec<u32>,
    /// For the node that is computed: the register of the scalar that it becomes, if that may be written at once.
    home: Option<Reg>,
    /// If the node is a sum that is asked whether it overflows: the same of what that becomes.
    asked: Option<Option<Reg>>,
    /// Whether the last of those sums does.
    overflows: Option<Reg>,
}

impl Values {
    fn value(&self, id: Id) -> Done<Scalar> {
        self.of.get(usize::from(id)).copied().flatten().ok_or(Refused)
    }
}

impl Emitter {
    /// A scalar step.
    pub fn scalar_step(&mut self, step: &Step, plan: &Plan) -> Done<()> {
        let pairs = self.pair_results(step, plan)?;
        let nodes = plan.nodes.len();
        let mut v = Values { of: vec![None; nodes], uses: plan.uses(), home: None, asked: None, overflows: None };
        for (i, node) in plan.nodes.iter().enumerate() {
            v.home = self.home_of(step, plan, i, i);
            let asks = |n: &Node| n.f == F::slt && n.literal == OVERFLOWS && usize::from(n.args[0]) == i;
            v.asked = plan.nodes.iter().position(asks).map(|of| self.home_of(step, plan, of, i));
            v.of[i] = Some(self.scalar_node(step, node, &mut v)?);
            for &a in node.args.iter().filter(|&&a| a != Id::MAX) {
                self.scalar_used(a, &mut v);
            }
        }
        for (n, &(place, id)) in plan.results.iter().enumerate() {
            let value = v.of[usize::from(id)].ok_or(Refused)?;
            // A scalar that goes elsewhere, too, before it is written.
            if let Scalar::In(g) = value {
                let gone = |&(place, other): &(ResultPlace, Id)| match place {
                    ResultPlace::Scalar(i) => other != id && self.words.is_fixed(g, Home::Scalar(i)),
                    _ => false,
                };
                if plan.results[..n].iter().any(gone) {
                    return Err(Refused);
                }
            }
            match place {
                ResultPlace::Scalar(i) => self.set_scalar(i, value)?,
                ResultPlace::Scc => self.set_scalar(SCC, value)?,
                ResultPlace::SccNonZero => {
                    let flag = match value {
                        Scalar::Known(k) => Scalar::Known((k != 0).into()),
                        Scalar::In(g) => {
                            let d = self.flag_register(self.words.fixed_for(Home::Scalar(SCC)))?;
                            let code = self.sets_by(word(g))?;
                            self.flag(code, d)?;
                            Scalar::In(d)
                        }
                    };
                    self.set_scalar(SCC, flag)?;
                    if let Scalar::In(d) = flag {
                        self.words.unpin(d);
                    }
                }
                ResultPlace::Vgpr(_) | ResultPlace::Mask(_) => return Err(Refused),
            }
        }
        for &(_, id) in &plan.results {
            self.scalar_used(id, &mut v);
        }
        self.name_pairs(pairs);
        Ok(())
    }

    /// The register of the scalar that a node becomes, if no node behind the one `at` asks what it was.
    fn home_of(&self, step: &Step, plan: &Plan, node: usize, at: usize) -> Option<Reg> {
        let becomes = |&&(_, id): &&(ResultPlace, Id)| usize::from(id) == node;
        let mut places = plan.results.iter().filter(becomes).filter_map(|(place, _)| match place {
            ResultPlace::Scalar(s) => Some(*s),
            ResultPlace::Scc => Some(SCC),
            _ => None,
        });
        let (Some(scalar), None) = (places.next(), places.next()) else { return None };
        let read = |n: &Node| match n.f {
            F::source => operand(step, n.literal)
                .is_none_or(|of| matches!(of, Operand::Scalar(words) if words[n.literal as usize & 1] == scalar)),
            F::condition => step.condition == Some(scalar),
            _ => false,
        };
        if plan.nodes[at + 1..].iter().any(read) { None } else { self.words.fixed_for(Home::Scalar(scalar)) }
    }

    /// A register for a flag, pinned: this one if nobody holds what it was.
    fn flag_register(&mut self, home: Option<Reg>) -> Done<Reg> {
        match home.filter(|&r| self.words.pins(r) == 0) {
            Some(r) => {
                self.words.overwrite(r);
                Ok(r)
            }
            None => self.word_temporary(),
        }
    }

    fn scalar_used(&mut self, id: Id, v: &mut Values) {
        let i = usize::from(id);
        v.uses[i] -= 1;
        if v.uses[i] == 0
            && let Some(Scalar::In(g)) = v.of[i]
        {
            self.words.unpin(g);
        }
    }

    /// 0 or 1 by a condition code.
    fn flag(&mut self, code: Code, d: Reg) -> Done<()> {
        self.push(Instruction::with1(code, Register::AL))?;
        self.op2(Code::Movzx_r32_rm8, word(d), Register::AL).map(|_| ())
    }

    pub fn set_number(&mut self, i: u8, v: u32) -> Done<()> {
        self.set_scalar(i, Scalar::Known(v))
    }

    fn set_scalar(&mut self, i: u8, value: Scalar) -> Done<()> {
        self.written_scalar(i);
        match value {
            Scalar::Known(k) => self.becomes_number(i, k),
            Scalar::In(g) => self.becomes(g, i),
        }
    }

    /// A register with a node's value, to be changed: that of the scalar which it becomes, or the node's own, if nobody else wants
    /// it. `beside`: the node's other operand, which is read when this one is there already; [`Id::MAX`]: there is none.
    fn taken(&mut self, id: Id, beside: Id, v: &Values) -> Done<Reg> {
        let value = v.value(id)?;
        let beside = if beside == Id::MAX { None } else { Some(v.value(beside)?) };
        if let Some(home) = v.home {
            let held = u32::from(value == Scalar::In(home) && v.uses[usize::from(id)] == 1);
            if self.words.pins(home) == held && beside != Some(Scalar::In(home)) {
                self.words.overwrite(home);
                match value {
                    Scalar::In(g) if g == home => {}
                    Scalar::In(g) => {
                        self.op2(Code::Mov_r32_rm32, word(home), word(g))?;
                    }
                    Scalar::Known(k) => {
                        self.push(Instruction::with2(Code::Mov_r32_imm32, word(home), k))?;
                    }
                }
                return Ok(home);
            }
        }
        if let Scalar::In(g) = value
            && v.uses[usize::from(id)] == 1
            && self.words.dies(g)
        {
            self.words.pin(g);
            return Ok(g);
        }
        self.copied(value)
    }

    /// A register with a node's value, to be read, pinned once more.
    fn held(&mut self, id: Id, v: &Values) -> Done<Reg> {
        match v.value(id)? {
            Scalar::In(g) => {
                self.words.pin(g);
                Ok(g)
            }
            known => self.copied(known),
        }
    }

    /// A new register with the value.
    fn copied(&mut self, value: Scalar) -> Done<Reg> {
        let d = self.word_temporary()?;
        match value {
            Scalar::Known(k) => self.push(Instruction::with2(Code::Mov_r32_imm32, word(d), k))?,
            Scalar::In(g) => self.op2(Code::Mov_r32_rm32, word(d), word(g))?,
        };
        Ok(d)
    }

    /// d = d op b.
    fn apply(&mut self, register: Code, immediate: Code, d: Reg, b: Scalar) -> Done<()> {
        match b {
            Scalar::Known(k) => self.push(Instruction::with2(immediate, word(d), k as i32))?,
            Scalar::In(g) => self.op2(register, word(d), word(g))?,
        };
        Ok(())
    }

    fn scalar_node(&mut self, step: &Step, node: &Node, v: &mut Values) -> Done<Scalar> {
        use F::*;
        let [a, b, c, ..] = node.args;
        if node.f == slt && node.literal == OVERFLOWS {
            return v.overflows.take().map(Scalar::In).ok_or(Refused);
        }
        let simple = match node.f {
            add => Some((Code::Add_r32_rm32, Code::Add_rm32_imm32)),
            sub => Some((Code::Sub_r32_rm32, Code::Sub_rm32_imm32)),
            and | cand => Some((Code::And_r32_rm32, Code::And_rm32_imm32)),
            or | cor => Some((Code::Or_r32_rm32, Code::Or_rm32_imm32)),
            xor => Some((Code::Xor_r32_rm32, Code::Xor_rm32_imm32)),
            _ => None,
        };
        if let Some((register, immediate)) = simple {
            // Where the second becomes what they make, it is the first.
            let [a, b] = match v.home {
                Some(home) if node.f != sub && v.value(b)? == Scalar::In(home) => [b, a],
                _ => [a, b],
            };
            let d = self.taken(a, b, v)?;
            self.apply(register, immediate, d, v.value(b)?)?;
            if let Some(home) = v.asked {
                let flag = self.flag_register(home)?;
                self.flag(Code::Seto_rm8, flag)?;
                v.overflows = Some(flag);
            }
            return Ok(Scalar::In(d));
        }
        let v = &*v;
        let value = |id: Id| v.value(id);
        Ok(match node.f {
            literal | truth => Scalar::Known(node.literal),
            source => match operand(step, node.literal).ok_or(Refused)? {
                Operand::Constant(words) => Scalar::Known(words[node.literal as usize & 1]),
                Operand::Scalar(words) => Scalar::In(self.word_home(words[node.literal as usize & 1])?),
                Operand::Vgpr(_) => return Err(Refused),
            },
            condition => {
                let g = self.word_home(step.condition.ok_or(Refused)?)?;
                let d = self.word_temporary()?;
                let code = self.sets_by(word(g))?;
                self.flag(code, d)?;
                self.words.unpin(g);
                Scalar::In(d)
            }
            cnot => {
                let d = self.taken(a, Id::MAX, v)?;
                self.apply(Code::Xor_r32_rm32, Code::Xor_rm32_imm32, d, Scalar::Known(1))?;
                Scalar::In(d)
            }
            not => {
                let d = self.taken(a, Id::MAX, v)?;
                self.push(Instruction::with1(Code::Not_rm32, word(d)))?;
                Scalar::In(d)
            }
            mul => {
                let d = self.taken(a, b, v)?;
                match value(b)? {
                    Scalar::Known(k) => {
                        self.push(Instruction::with3(Code::Imul_r32_rm32_imm32, word(d), word(d), k as i32))?
                    }
                    Scalar::In(g) => self.op2(Code::Imul_r32_rm32, word(d), word(g))?,
                };
                Scalar::In(d)
            }
            umulhi | smulhi => {
                let (x, y) = (self.taken(a, b, v)?, self.taken(b, Id::MAX, v)?);
                if node.f == smulhi {
                    for g in [x, y] {
                        self.op2(Code::Movsxd_r64_rm32, wide(g), word(g))?;
                    }
                }
                self.op2(Code::Imul_r64_rm64, wide(x), wide(y))?;
                self.push(Instruction::with2(Code::Shr_rm64_imm8, wide(x), 32))?;
                self.words.unpin(y);
                Scalar::In(x)
            }
            shl | shr | sar if b == Id::MAX => {
                let d = self.taken(a, Id::MAX, v)?;
                let code = match node.f {
                    shl => Code::Shl_rm32_imm8,
                    shr => Code::Shr_rm32_imm8,
                    _ => Code::Sar_rm32_imm8,
                };
                self.push(Instruction::with2(code, word(d), node.literal as i32 & 31))?;
                Scalar::In(d)
            }
            // Counts are taken by 32, as the host does it.
            shl | shr | sar => {
                let (d, n) = (self.taken(a, b, v)?, self.taken(b, Id::MAX, v)?);
                let code = match node.f {
                    shl => Code::VEX_Shlx_r32_rm32_r32,
                    shr => Code::VEX_Shrx_r32_rm32_r32,
                    _ => Code::VEX_Sarx_r32_rm32_r32,
                };
                self.op3(code, word(d), word(d), word(n))?;
                self.words.unpin(n);
                Scalar::In(d)
            }
            popcnt | clz | ctz => {
                let d = self.taken(a, Id::MAX, v)?;
                let code = match node.f {
                    popcnt => Code::Popcnt_r32_rm32,
                    clz => Code::Lzcnt_r32_rm32,
                    _ => Code::Tzcnt_r32_rm32,
                };
                self.op2(code, word(d), word(d))?;
                Scalar::In(d)
            }
            brev => {
                // Bytes, then the bits of each: halves, quarters, eighths.
                let d = self.taken(a, Id::MAX, v)?;
                let t = self.word_temporary()?;
                self.push(Instruction::with1(Code::Bswap_r32, word(d)))?;
                for (n, mask) in [(4, 0x0f0f_0f0f), (2, 0x3333_3333), (1, 0x5555_5555)] {
                    self.op2(Code::Mov_r32_rm32, word(t), word(d))?;
                    self.push(Instruction::with2(Code::Shr_rm32_imm8, word(t), n))?;
                    self.push(Instruction::with2(Code::And_rm32_imm32, word(t), mask))?;
                    self.push(Instruction::with2(Code::And_rm32_imm32, word(d), mask))?;
                    self.push(Instruction::with2(Code::Shl_rm32_imm8, word(d), n))?;
                    self.op2(Code::Or_r32_rm32, word(d), word(t))?;
                }
                self.words.unpin(t);
                Scalar::In(d)
            }
            // SCC is 0 or 1.
            eq if node.literal == INVERTED
                && value(b)? == Scalar::Known(0)
                && matches!(value(a)?, Scalar::In(g) if self.words.holds(g, Home::Scalar(SCC))) =>
            {
                Scalar::In(self.held(a, v)?)
            }
            eq | ult | slt => {
                let x = self.held(a, v)?;
                self.apply(Code::Cmp_r32_rm32, Code::Cmp_rm32_imm32, x, value(b)?)?;
                self.words.unpin(x);
                let d = self.flag_register(v.home)?;
                let code = match (node.f, node.literal == INVERTED) {
                    (eq, false) => Code::Sete_rm8,
                    (eq, true) => Code::Setne_rm8,
                    (ult, false) => Code::Setb_rm8,
                    (ult, true) => Code::Setae_rm8,
                    (_, false) => Code::Setl_rm8,
                    (_, true) => Code::Setge_rm8,
                };
                self.flag(code, d)?;
                Scalar::In(d)
            }
            // A condition's word is that.
            sel if (value(b)?, value(c)?) == (Scalar::Known(1), Scalar::Known(0)) => match value(a)? {
                Scalar::Known(k) => Scalar::Known(k),
                Scalar::In(_) => Scalar::In(self.taken(a, Id::MAX, v)?),
            },
            sel if (value(b)?, value(c)?) == (Scalar::Known(!0), Scalar::Known(0))
                && matches!(value(a)?, Scalar::In(_)) =>
            {
                let d = self.taken(a, Id::MAX, v)?;
                self.push(Instruction::with1(Code::Neg_rm32, word(d)))?;
                Scalar::In(d)
            }
            sel => {
                let f = value(c)?;
                match value(a)? {
                    Scalar::Known(k) => Scalar::In(self.copied(if k != 0 { value(b)? } else { f })?),
                    Scalar::In(g) => {
                        let d = if v.home == Some(g) { self.copied(f)? } else { self.taken(c, b, v)? };
                        let t = self.held(b, v)?;
                        let code = self.moves_by(word(g))?;
                        self.op2(code, word(d), word(t))?;
                        self.words.unpin(t);
                        Scalar::In(d)
                    }
                }
            }
            _ => return Err(Refused),
        })
    }
}
