//! Scalar steps in the host's general registers.
//!
//! ```text
//! read:    a scalar's register if it is known, else a load
//! compute: each node into a register of its own
//! write:   to the scalar file at once; the register goes on as that scalar's
//! ```

use super::super::registers::Home;
use super::{Done, Emitter, Refused, SCALARS, scalar_at};
use crate::record::{F, Id, Node};
use crate::step::{Plan, ResultPlace, SCC, operand};
use iced_x86::{Code, Instruction, Register};
use wavepipe_core::wave::{Operand, Step};

/// What may hold scalars; EAX is for the moment only.
const POOL: [Register; 8] = [
    Register::ECX,
    Register::EDX,
    Register::ESI,
    Register::EDI,
    Register::R8D,
    Register::R9D,
    Register::R10D,
    Register::R11D,
];

/// Which scalars the general registers hold. What they hold is in memory, too.
#[derive(Clone, Default)]
pub struct Generals {
    home: [Option<u8>; POOL.len()],
    pins: [u32; POOL.len()],
    used: [u32; POOL.len()],
    clock: u32,
    /// Lane masks whose word is being joined from chunks, and where.
    joining: Vec<(u8, Gpr)>,
}

/// A register of the pool.
type Gpr = usize;

/// All 64 bits of it.
fn wide(g: Gpr) -> Register {
    Register::RAX + (POOL[g] as u32 - Register::EAX as u32)
}

impl Generals {
    pub fn forget(&mut self, i: u8) {
        self.home.iter_mut().filter(|h| **h == Some(i)).for_each(|h| *h = None);
    }

    pub fn empty(&mut self) {
        self.home = Default::default();
    }

    fn find(&mut self, i: u8) -> Option<Gpr> {
        let at = self.home.iter().position(|h| *h == Some(i))?;
        self.clock += 1;
        self.used[at] = self.clock;
        Some(at)
    }

    /// A register, pinned once, that holds nothing now.
    fn take(&mut self) -> Done<Gpr> {
        let free = (0..POOL.len()).filter(|&g| self.pins[g] == 0);
        let at = free.min_by_key(|&g| if self.home[g].is_some() { self.used[g] + 1 } else { 0 }).ok_or(Refused)?;
        self.home[at] = None;
        self.pins[at] = 1;
        self.clock += 1;
        self.used[at] = self.clock;
        Ok(at)
    }
}

/// What a node's value is: conditions are words that are 0 or 1.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Scalar {
    Known(u32),
    In(Gpr),
}

struct Values {
    of: Vec<Option<Scalar>>,
    uses: Vec<u32>,
}

impl Emitter {
    /// A scalar's register, if one is known.
    pub fn known_scalar(&mut self, i: u8) -> Option<Register> {
        self.generals.find(i).map(|g| POOL[g])
    }

    /// A scalar step.
    pub fn scalar_step(&mut self, step: &Step, plan: &Plan) -> Done<()> {
        let mut uses = vec![0u32; plan.nodes.len()];
        let read = plan.nodes.iter().flat_map(|n| n.args).filter(|&a| a != Id::MAX);
        read.chain(plan.results.iter().map(|r| r.1)).for_each(|id| uses[usize::from(id)] += 1);
        let mut v = Values { of: vec![None; plan.nodes.len()], uses };
        for (i, node) in plan.nodes.iter().enumerate() {
            v.of[i] = Some(self.scalar_node(step, node, &v)?);
            for &a in node.args.iter().filter(|&&a| a != Id::MAX) {
                self.scalar_used(a, &mut v);
            }
        }
        for &(place, id) in &plan.results {
            let value = v.of[usize::from(id)].ok_or(Refused)?;
            match place {
                ResultPlace::Scalar(i) => self.set_scalar(i, value)?,
                ResultPlace::Scc => self.set_scalar(SCC, value)?,
                ResultPlace::SccNonZero => {
                    let flag = match value {
                        Scalar::Known(k) => Scalar::Known((k != 0).into()),
                        Scalar::In(g) => {
                            let d = self.generals.take()?;
                            self.op2(Code::Test_rm32_r32, POOL[g], POOL[g])?;
                            self.flag(Code::Setne_rm8, d)?;
                            Scalar::In(d)
                        }
                    };
                    self.set_scalar(SCC, flag)?;
                    if let Scalar::In(d) = flag {
                        self.generals.pins[d] -= 1;
                    }
                }
                ResultPlace::Vgpr(_) | ResultPlace::Mask(_) => return Err(Refused),
            }
        }
        for &(_, id) in &plan.results {
            self.scalar_used(id, &mut v);
        }
        Ok(())
    }

    fn scalar_used(&mut self, id: Id, v: &mut Values) {
        let i = usize::from(id);
        v.uses[i] -= 1;
        if v.uses[i] == 0
            && let Some(Scalar::In(g)) = v.of[i]
        {
            self.generals.pins[g] -= 1;
        }
    }

    /// 0 or 1 by a condition code.
    fn flag(&mut self, code: Code, d: Gpr) -> Done<()> {
        self.push(Instruction::with1(code, Register::AL))?;
        self.op2(Code::Movzx_r32_rm8, POOL[d], Register::AL).map(|_| ())
    }

    fn set_scalar(&mut self, i: u8, value: Scalar) -> Done<()> {
        match value {
            Scalar::Known(k) => {
                self.push(Instruction::with2(Code::Mov_rm32_imm32, scalar_at(SCALARS, i), k))?;
                self.written_scalar(i);
            }
            Scalar::In(g) => {
                self.store(Code::Mov_rm32_r32, scalar_at(SCALARS, i), POOL[g])?;
                self.written_scalar(i);
                if self.generals.home[g].is_none() {
                    self.generals.home[g] = Some(i);
                }
            }
        }
        Ok(())
    }

    /// The scalar in memory is newer than what registers know.
    pub(super) fn written_scalar(&mut self, i: u8) {
        self.generals.forget(i);
        self.registers.forget(Home::Scalar(i));
    }

    fn scalar_in(&mut self, i: u8) -> Done<Scalar> {
        if let Some(g) = self.generals.find(i) {
            self.generals.pins[g] += 1;
            return Ok(Scalar::In(g));
        }
        let g = self.generals.take()?;
        self.load(Code::Mov_r32_rm32, POOL[g], scalar_at(SCALARS, i))?;
        self.generals.home[g] = Some(i);
        Ok(Scalar::In(g))
    }

    /// A new register with the value.
    fn copied(&mut self, value: Scalar) -> Done<Gpr> {
        let d = self.generals.take()?;
        match value {
            Scalar::Known(k) => self.push(Instruction::with2(Code::Mov_r32_imm32, POOL[d], k))?,
            Scalar::In(g) => self.op2(Code::Mov_r32_rm32, POOL[d], POOL[g])?,
        };
        Ok(d)
    }

    /// d = d op b.
    fn apply(&mut self, register: Code, immediate: Code, d: Gpr, b: Scalar) -> Done<()> {
        match b {
            Scalar::Known(k) => self.push(Instruction::with2(immediate, POOL[d], k as i32))?,
            Scalar::In(g) => self.op2(register, POOL[d], POOL[g])?,
        };
        Ok(())
    }

    fn scalar_node(&mut self, step: &Step, node: &Node, v: &Values) -> Done<Scalar> {
        use F::*;
        let value = |id: Id| v.of.get(usize::from(id)).copied().flatten().ok_or(Refused);
        let [a, b, c, ..] = node.args;
        let simple = match node.f {
            add => Some((Code::Add_r32_rm32, Code::Add_rm32_imm32)),
            sub => Some((Code::Sub_r32_rm32, Code::Sub_rm32_imm32)),
            and | cand => Some((Code::And_r32_rm32, Code::And_rm32_imm32)),
            or | cor => Some((Code::Or_r32_rm32, Code::Or_rm32_imm32)),
            xor => Some((Code::Xor_r32_rm32, Code::Xor_rm32_imm32)),
            _ => None,
        };
        if let Some((register, immediate)) = simple {
            let d = self.copied(value(a)?)?;
            self.apply(register, immediate, d, value(b)?)?;
            return Ok(Scalar::In(d));
        }
        Ok(match node.f {
            literal | truth => Scalar::Known(node.literal),
            source => match operand(step, node.literal).ok_or(Refused)? {
                Operand::Constant(words) => Scalar::Known(words[node.literal as usize & 1]),
                Operand::Scalar(words) => self.scalar_in(words[node.literal as usize & 1])?,
                Operand::Vgpr(_) => return Err(Refused),
            },
            condition => {
                let Scalar::In(g) = self.scalar_in(step.condition.ok_or(Refused)?)? else { return Err(Refused) };
                let d = self.generals.take()?;
                self.op2(Code::Test_rm32_r32, POOL[g], POOL[g])?;
                self.flag(Code::Setne_rm8, d)?;
                self.generals.pins[g] -= 1;
                Scalar::In(d)
            }
            cnot => {
                let d = self.copied(value(a)?)?;
                self.apply(Code::Xor_r32_rm32, Code::Xor_rm32_imm32, d, Scalar::Known(1))?;
                Scalar::In(d)
            }
            not => {
                let d = self.copied(value(a)?)?;
                self.push(Instruction::with1(Code::Not_rm32, POOL[d]))?;
                Scalar::In(d)
            }
            mul => {
                let d = self.copied(value(a)?)?;
                match value(b)? {
                    Scalar::Known(k) => {
                        self.push(Instruction::with3(Code::Imul_r32_rm32_imm32, POOL[d], POOL[d], k as i32))?
                    }
                    Scalar::In(g) => self.op2(Code::Imul_r32_rm32, POOL[d], POOL[g])?,
                };
                Scalar::In(d)
            }
            umulhi | smulhi => {
                let (x, y) = (self.copied(value(a)?)?, self.copied(value(b)?)?);
                if node.f == smulhi {
                    for g in [x, y] {
                        self.op2(Code::Movsxd_r64_rm32, wide(g), POOL[g])?;
                    }
                }
                self.op2(Code::Imul_r64_rm64, wide(x), wide(y))?;
                self.push(Instruction::with2(Code::Shr_rm64_imm8, wide(x), 32))?;
                self.generals.pins[y] -= 1;
                Scalar::In(x)
            }
            shl | shr | sar if b == Id::MAX => {
                let d = self.copied(value(a)?)?;
                let code = match node.f {
                    shl => Code::Shl_rm32_imm8,
                    shr => Code::Shr_rm32_imm8,
                    _ => Code::Sar_rm32_imm8,
                };
                self.push(Instruction::with2(code, POOL[d], node.literal as i32 & 31))?;
                Scalar::In(d)
            }
            // Counts are taken by 32, as the host does it.
            shl | shr | sar => {
                let (d, n) = (self.copied(value(a)?)?, self.copied(value(b)?)?);
                let code = match node.f {
                    shl => Code::VEX_Shlx_r32_rm32_r32,
                    shr => Code::VEX_Shrx_r32_rm32_r32,
                    _ => Code::VEX_Sarx_r32_rm32_r32,
                };
                self.op3(code, POOL[d], POOL[d], POOL[n])?;
                self.generals.pins[n] -= 1;
                Scalar::In(d)
            }
            popcnt | clz | ctz => {
                let d = self.copied(value(a)?)?;
                let code = match node.f {
                    popcnt => Code::Popcnt_r32_rm32,
                    clz => Code::Lzcnt_r32_rm32,
                    _ => Code::Tzcnt_r32_rm32,
                };
                self.op2(code, POOL[d], POOL[d])?;
                Scalar::In(d)
            }
            brev => {
                // Bytes, then the bits of each: halves, quarters, eighths.
                let d = self.copied(value(a)?)?;
                let t = self.generals.take()?;
                self.push(Instruction::with1(Code::Bswap_r32, POOL[d]))?;
                for (n, mask) in [(4, 0x0f0f_0f0f), (2, 0x3333_3333), (1, 0x5555_5555)] {
                    self.op2(Code::Mov_r32_rm32, POOL[t], POOL[d])?;
                    self.push(Instruction::with2(Code::Shr_rm32_imm8, POOL[t], n))?;
                    self.push(Instruction::with2(Code::And_rm32_imm32, POOL[t], mask))?;
                    self.push(Instruction::with2(Code::And_rm32_imm32, POOL[d], mask))?;
                    self.push(Instruction::with2(Code::Shl_rm32_imm8, POOL[d], n))?;
                    self.op2(Code::Or_r32_rm32, POOL[d], POOL[t])?;
                }
                self.generals.pins[t] -= 1;
                Scalar::In(d)
            }
            eq | ult | slt => {
                let x = self.copied(value(a)?)?;
                self.apply(Code::Cmp_r32_rm32, Code::Cmp_rm32_imm32, x, value(b)?)?;
                let code = match node.f {
                    eq => Code::Sete_rm8,
                    ult => Code::Setb_rm8,
                    _ => Code::Setl_rm8,
                };
                self.flag(code, x)?;
                Scalar::In(x)
            }
            sel => {
                let (t, f) = (value(b)?, value(c)?);
                match value(a)? {
                    Scalar::Known(k) => Scalar::In(self.copied(if k != 0 { t } else { f })?),
                    Scalar::In(g) => {
                        let (d, t) = (self.copied(f)?, self.copied(t)?);
                        self.op2(Code::Test_rm32_r32, POOL[g], POOL[g])?;
                        self.op2(Code::Cmovne_r32_rm32, POOL[d], POOL[t])?;
                        self.generals.pins[t] -= 1;
                        Scalar::In(d)
                    }
                }
            }
            _ => return Err(Refused),
        })
    }

    /// The chunk's bits of a lane mask were just stored, and EAX holds them. Where they end a word, the word is stored as a
    /// whole, so that who loads it need not wait for its parts.
    pub(super) fn join_mask(&mut self, i: u8) -> Done<()> {
        let lanes = self.host.lanes();
        let (per_word, bits) = ((32 / lanes) as u8, lanes as i32);
        let (word, at) = (i.wrapping_add(self.chunk / per_word), i32::from(self.chunk % per_word));
        self.written_scalar(word);
        let joined = self.generals.joining.iter().find(|(mask, _)| *mask == i).map(|(_, g)| *g);
        let g = match joined {
            Some(g) => g,
            None if at == 0 => {
                let Ok(g) = self.generals.take() else { return Ok(()) };
                self.generals.joining.push((i, g));
                g
            }
            // There was no register for its beginning.
            None => return Ok(()),
        };
        if at == 0 {
            return self.op2(Code::Mov_r32_rm32, POOL[g], Register::EAX).map(|_| ());
        }
        self.push(Instruction::with2(Code::Shl_rm32_imm8, Register::EAX, bits * at))?;
        // Another step of the group may have joined to the same word.
        self.push(Instruction::with2(Code::And_rm32_imm32, POOL[g], (1i32 << (bits * at)) - 1))?;
        self.op2(Code::Or_r32_rm32, POOL[g], Register::EAX)?;
        if at + 1 == i32::from(per_word) {
            self.store(Code::Mov_rm32_r32, scalar_at(SCALARS, word), POOL[g])?;
        }
        Ok(())
    }

    /// Behind the last chunk: registers that held parts of lane masks go on as the last word's.
    pub fn end_chunks(&mut self) {
        let last = self.chunks() - 1;
        for (i, g) in std::mem::take(&mut self.generals.joining) {
            self.generals.pins[g] -= 1;
            let word = i.wrapping_add(last / (32 / self.host.lanes()) as u8);
            self.generals.forget(word);
            self.generals.home[g] = Some(word);
        }
    }
}
