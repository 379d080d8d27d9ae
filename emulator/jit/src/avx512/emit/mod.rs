//! Nodes to AVX-512 instructions: a word of 16 lanes in a vector register, a condition of 16 lanes in a mask register.
//!
//! ```text
//! for each node:   operands are registers already -> instructions into a new temporary, or into an operand that dies here
//! for each result: a register under EXEC into its home; a condition AND EXEC to its 16 bits of the scalar file;
//!                  scalars and SCC to the scalar file at once
//! ```
//!
//! Scalar steps run on lane 0 of the same instructions.
//!
//! rdi rows, rsi scalars; in a loop over the wave's lanes by 16, r8 rows and r9 scalars moved on to those;
//! r10 the constants; k1 EXEC of the 16 lanes.

mod nodes;
mod tables;

use super::registers::{Home, Reg, Registers};
use crate::record::{F, Id, Node};
use crate::step::{EXEC, Plan, ResultPlace, SCC, operand};
use iced_x86::{Code, Instruction, MemoryOperand, Register};
use tables::{binary, unary};
use wavepipe_core::wave::{Operand, Step};

pub const ROWS: Register = Register::R8;
pub const MASKS: Register = Register::R9;
pub const SCALARS: Register = Register::RSI;
const CONSTANTS: Register = Register::R10;

/// The step cannot be emitted: too many values at once, or an operation without instructions.
#[derive(Debug)]
pub struct Refused;

type Done<T> = Result<T, Refused>;

/// What a node's value is in.
#[derive(Clone, Copy)]
enum Value {
    Word(Reg),
    Mask(u8),
}

#[derive(Default)]
pub struct Emitter {
    pub code: Vec<Instruction>,
    pub constants: Vec<u32>,
    registers: Registers,
    /// Bit i: mask register i is taken.
    masks: u8,
    halves: i64,
}

fn zmm(r: Reg) -> Register {
    Register::ZMM0 + u32::from(r)
}

fn xmm(r: Reg) -> Register {
    Register::XMM0 + u32::from(r)
}

fn ymm(r: Reg) -> Register {
    Register::YMM0 + u32::from(r)
}

fn k(m: u8) -> Register {
    Register::K0 + u32::from(m)
}

/// EXEC of the 16 lanes.
const LIVE: u8 = 1;
impl Emitter {
    pub fn new(halves: usize) -> Emitter {
        Emitter { halves: halves as i64, ..Emitter::default() }
    }

    pub fn push(&mut self, i: Result<Instruction, iced_x86::IcedError>) -> Done<&mut Instruction> {
        self.code.push(i.map_err(|_| Refused)?);
        self.code.last_mut().ok_or(Refused)
    }

    fn op2(&mut self, code: Code, d: Register, a: Register) -> Done<&mut Instruction> {
        self.push(Instruction::with2(code, d, a))
    }

    fn op3(&mut self, code: Code, d: Register, a: Register, b: Register) -> Done<&mut Instruction> {
        self.push(Instruction::with3(code, d, a, b))
    }

    /// Of one operand, with an immediate.
    fn imm2(&mut self, code: Code, d: Register, a: Register, i: i32) -> Done<&mut Instruction> {
        self.push(Instruction::with3(code, d, a, i))
    }

    fn imm3(&mut self, code: Code, d: Register, a: Register, b: Register, i: i32) -> Done<&mut Instruction> {
        self.push(Instruction::with4(code, d, a, b, i))
    }

    fn load(&mut self, code: Code, d: Register, m: MemoryOperand) -> Done<()> {
        self.push(Instruction::with2(code, d, m)).map(|_| ())
    }

    fn store(&mut self, code: Code, m: MemoryOperand, s: Register) -> Done<()> {
        self.push(Instruction::with2(code, m, s)).map(|_| ())
    }

    fn register_at(&self, v: u32) -> MemoryOperand {
        MemoryOperand::with_base_displ(ROWS, 128 * self.halves * i64::from(v))
    }

    /// A register for a temporary, pinned.
    fn temporary(&mut self) -> Done<Reg> {
        let (r, evicted) = self.registers.take().ok_or(Refused)?;
        if let Some(v) = evicted {
            self.store(Code::EVEX_Vmovdqa32_zmmm512_k1z_zmm, self.register_at(v), zmm(r))?;
        }
        Ok(r)
    }

    /// The home's register, loaded if need be, pinned once more.
    fn home(&mut self, home: Home) -> Done<Reg> {
        if let Some(r) = self.registers.find(home) {
            self.registers.pin(r);
            return Ok(r);
        }
        let r = self.temporary()?;
        match home {
            Home::Vgpr(v) => self.load(Code::EVEX_Vmovdqa32_zmm_k1z_zmmm512, zmm(r), self.register_at(v))?,
            Home::Scalar(i) => self.load(Code::EVEX_Vpbroadcastd_zmm_k1z_xmmm32, zmm(r), scalar_at(SCALARS, i))?,
            Home::Constant(0) => {
                self.op3(Code::EVEX_Vpxord_zmm_k1z_zmm_zmmm512b32, zmm(r), zmm(r), zmm(r))?;
            }
            Home::Constant(v) => {
                let at = self.constant(v);
                self.load(Code::EVEX_Vpbroadcastd_zmm_k1z_xmmm32, zmm(r), at)?;
            }
        }
        self.registers.make_home(r, home);
        Ok(r)
    }

    fn constant(&mut self, v: u32) -> MemoryOperand {
        let at = self.constants.iter().position(|&c| c == v).unwrap_or_else(|| {
            self.constants.push(v);
            self.constants.len() - 1
        });
        MemoryOperand::with_base_displ(CONSTANTS, 4 * at as i64)
    }

    /// A mask register from k2 on.
    fn mask(&mut self) -> Done<u8> {
        let m = (2..8).find(|m| self.masks >> m & 1 == 0).ok_or(Refused)?;
        self.masks |= 1 << m;
        Ok(m)
    }

    fn free_mask(&mut self, m: u8) {
        self.masks &= !(1 << m);
    }

    /// At the beginning of 16 lanes: EXEC.
    pub fn live_lanes(&mut self) -> Done<()> {
        self.load(Code::VEX_Kmovw_kr_km16, k(LIVE), scalar_at(MASKS, EXEC))
    }

    /// Stores what is newer in registers, and forgets them.
    pub fn flush(&mut self) -> Done<()> {
        for (r, v) in self.registers.flush() {
            self.store(Code::EVEX_Vmovdqa32_zmmm512_k1z_zmm, self.register_at(v), zmm(r))?;
        }
        Ok(())
    }

    pub fn step(&mut self, step: &Step, plan: &Plan) -> Done<()> {
        let mut uses = vec![0u32; plan.nodes.len()];
        let read = plan.nodes.iter().flat_map(|n| n.args).filter(|&a| a != Id::MAX);
        read.chain(plan.results.iter().map(|r| r.1)).for_each(|id| uses[usize::from(id)] += 1);
        let mut state = Values { of: vec![None; plan.nodes.len()], high: vec![None; plan.nodes.len()], uses };
        self.values(step, plan, &mut state)?;
        // High words that nobody asked for.
        state.high.into_iter().flatten().for_each(|r| self.registers.unpin(r));
        Ok(())
    }

    fn values(&mut self, step: &Step, plan: &Plan, state: &mut Values) -> Done<()> {
        let last = plan.nodes.len().wrapping_sub(1);
        for (i, node) in plan.nodes.iter().enumerate() {
            // The only result, computed by one instruction, goes into its home at once.
            if let [(ResultPlace::Vgpr(v), id)] = plan.results[..]
                && usize::from(id) == last
                && i == last
                && self.into_home(node, v, state)?
            {
                return Ok(());
            }
            let value = self.node(step, node, i, state)?;
            state.of[i] = Some(value);
            for &a in node.args.iter().filter(|&&a| a != Id::MAX) {
                self.used(a, state);
            }
        }
        self.results(plan, state)
    }

    /// One user of the value less.
    fn used(&mut self, id: Id, state: &mut Values) {
        let i = usize::from(id);
        state.uses[i] -= 1;
        if state.uses[i] == 0 {
            match state.of[i].take() {
                Some(Value::Word(r)) => self.registers.unpin(r),
                Some(Value::Mask(m)) => self.free_mask(m),
                None => {}
            }
        }
    }

    fn word(&self, id: Id, state: &Values) -> Done<Reg> {
        match state.of.get(usize::from(id)) {
            Some(Some(Value::Word(r))) => Ok(*r),
            _ => Err(Refused),
        }
    }

    fn condition(&self, id: Id, state: &Values) -> Done<u8> {
        match state.of.get(usize::from(id)) {
            Some(Some(Value::Mask(m))) => Ok(*m),
            _ => Err(Refused),
        }
    }

    fn source(&mut self, step: &Step, literal: u32) -> Done<Reg> {
        let word = literal & 1;
        let home = match operand(step, literal).ok_or(Refused)? {
            Operand::Vgpr(v) => Home::Vgpr(v + word),
            Operand::Constant(words) => Home::Constant(words[word as usize]),
            Operand::Scalar(words) => Home::Scalar(words[word as usize]),
        };
        self.home(home)
    }

    /// The condition in: each lane's bit of a mask, or whether a scalar is not zero.
    fn condition_in(&mut self, step: &Step) -> Done<u8> {
        let (m, from) = (self.mask()?, step.condition.ok_or(Refused)?);
        if step.is_scalar() {
            let r = self.home(Home::Scalar(from))?;
            self.op3(Code::EVEX_Vptestmd_kr_k1_zmm_zmmm512b32, k(m), zmm(r), zmm(r))?;
            self.registers.unpin(r);
        } else {
            self.load(Code::VEX_Kmovw_kr_km16, k(m), scalar_at(MASKS, from))?;
        }
        Ok(m)
    }

    fn results(&mut self, plan: &Plan, state: &mut Values) -> Done<()> {
        // One result may be what another one's register held.
        if plan.results.len() > 1 {
            for &(place, id) in &plan.results {
                let ResultPlace::Vgpr(_) = place else { continue };
                let r = self.word(id, state)?;
                if self.registers.is_home(r) {
                    let copy = self.temporary()?;
                    self.op2(Code::EVEX_Vmovdqa32_zmm_k1z_zmmm512, zmm(copy), zmm(r))?;
                    self.registers.unpin(r);
                    state.of[usize::from(id)] = Some(Value::Word(copy));
                }
            }
        }
        for &(place, id) in &plan.results {
            match place {
                ResultPlace::Vgpr(v) => {
                    let r = self.word(id, state)?;
                    let home = self.home(Home::Vgpr(v))?;
                    if home != r {
                        self.op2(Code::EVEX_Vmovdqa32_zmm_k1z_zmmm512, zmm(home), zmm(r))?.set_op_mask(k(LIVE));
                        self.registers.soil(home);
                    }
                    self.registers.unpin(home);
                }
                ResultPlace::Mask(i) => {
                    let m = self.condition(id, state)?;
                    // In a register of its own: another result may want the condition as it is.
                    self.op3(Code::VEX_Kandw_kr_kr_kr, k(0), k(m), k(LIVE))?;
                    self.store(Code::VEX_Kmovw_m16_kr, scalar_at(MASKS, i), k(0))?;
                    if i == EXEC {
                        self.op2(Code::VEX_Kmovw_kr_km16, k(LIVE), k(0))?;
                    }
                }
                ResultPlace::Scalar(i) => {
                    let r = self.word(id, state)?;
                    self.store(Code::EVEX_Vmovd_rm32_xmm, scalar_at(SCALARS, i), xmm(r))?;
                    self.registers.forget(Home::Scalar(i));
                }
                ResultPlace::Scc => {
                    let m = self.condition(id, state)?;
                    self.scc(m)?;
                }
                ResultPlace::SccNonZero => {
                    let r = self.word(id, state)?;
                    self.op3(Code::EVEX_Vptestmd_kr_k1_zmm_zmmm512b32, k(0), zmm(r), zmm(r))?;
                    self.scc(0)?;
                }
            }
        }
        for &(_, id) in &plan.results {
            self.used(id, state);
        }
        Ok(())
    }

    fn scc(&mut self, m: u8) -> Done<()> {
        self.op2(Code::VEX_Kmovw_r32_kr, Register::EAX, k(m))?;
        self.push(Instruction::with2(Code::And_EAX_imm32, Register::EAX, 1))?;
        self.registers.forget(Home::Scalar(SCC));
        self.store(Code::Mov_rm32_r32, scalar_at(SCALARS, SCC), Register::EAX)
    }

    /// A result by one instruction under EXEC, into the register's home; `false`: not this operation.
    fn into_home(&mut self, node: &Node, v: u32, state: &mut Values) -> Done<bool> {
        use F::*;
        let [a, b, c, ..] = node.args;
        let word = |e: &Self, id| e.word(id, state);
        if node.f == ffma {
            let (a, b, c) = (word(self, a)?, word(self, b)?, word(self, c)?);
            let home = self.home(Home::Vgpr(v))?;
            let (code, x, y) = if home == c {
                (Code::EVEX_Vfmadd231ps_zmm_k1z_zmm_zmmm512b32_er, a, b)
            } else if home == a {
                (Code::EVEX_Vfmadd213ps_zmm_k1z_zmm_zmmm512b32_er, b, c)
            } else if home == b {
                (Code::EVEX_Vfmadd213ps_zmm_k1z_zmm_zmmm512b32_er, a, c)
            } else {
                self.registers.unpin(home);
                return Ok(false);
            };
            self.op3(code, zmm(home), zmm(x), zmm(y))?.set_op_mask(k(LIVE));
            self.written(home, node, state);
            return Ok(true);
        }
        if let Some(code) = binary(node.f) {
            let (a, b) = (word(self, a)?, word(self, b)?);
            let home = self.home(Home::Vgpr(v))?;
            self.op3(code, zmm(home), zmm(a), zmm(b))?.set_op_mask(k(LIVE));
            self.written(home, node, state);
            return Ok(true);
        }
        if let Some((code, immediate)) = unary(node) {
            let a = word(self, a)?;
            let home = self.home(Home::Vgpr(v))?;
            match immediate {
                Some(i) => self.imm2(code, zmm(home), zmm(a), i)?,
                None => self.op2(code, zmm(home), zmm(a))?,
            }
            .set_op_mask(k(LIVE));
            self.written(home, node, state);
            return Ok(true);
        }
        Ok(false)
    }

    fn written(&mut self, home: Reg, node: &Node, state: &mut Values) {
        self.registers.soil(home);
        self.registers.unpin(home);
        for &a in node.args.iter().filter(|&&a| a != Id::MAX) {
            self.used(a, state);
        }
    }
}

struct Values {
    of: Vec<Option<Value>>,
    /// The high words of doubles until their node comes.
    high: Vec<Option<Reg>>,
    uses: Vec<u32>,
}

fn scalar_at(base: Register, i: u8) -> MemoryOperand {
    MemoryOperand::with_base_displ(base, 4 * i64::from(i))
}
