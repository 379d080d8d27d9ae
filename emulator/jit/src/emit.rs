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
//! rdi rows, rsi scalars; in a loop over the wave's sixteens of lanes, r8 rows and r9 scalars moved on to the sixteen;
//! r10 the constants; k1 the sixteen's EXEC.

use crate::record::{F, Id, Node};
use crate::registers::{Home, Reg, Registers};
use crate::step::{EXEC, Place, Plan, SCC, operand};
use iced_x86::{Code, Instruction, MemoryOperand, Register};
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

/// EXEC of the sixteen.
const LIVE: u8 = 1;
/// Comparisons of integers, and of floats, as their immediates; floats quietly.
const EQ: i32 = 0;
const LT: i32 = 1;
const F_EQ: i32 = 0x00;
const F_LT: i32 = 0x11;
const F_LE: i32 = 0x12;
const F_UNORDERED: i32 = 0x03;
const F_ORDERED: i32 = 0x07;
/// Rounding of VRNDSCALE: bits 1:0 as in MODE, bit 3 no exception.
const NEAREST: i32 = 8;
const DOWN: i32 = 9;
const UP: i32 = 10;
const TO_ZERO: i32 = 11;

/// An operation on two words that is one instruction.
fn binary(f: F) -> Option<Code> {
    Some(match f {
        F::add => Code::EVEX_Vpaddd_zmm_k1z_zmm_zmmm512b32,
        F::sub => Code::EVEX_Vpsubd_zmm_k1z_zmm_zmmm512b32,
        F::mul => Code::EVEX_Vpmulld_zmm_k1z_zmm_zmmm512b32,
        F::and => Code::EVEX_Vpandd_zmm_k1z_zmm_zmmm512b32,
        F::or => Code::EVEX_Vpord_zmm_k1z_zmm_zmmm512b32,
        F::xor => Code::EVEX_Vpxord_zmm_k1z_zmm_zmmm512b32,
        F::fadd => Code::EVEX_Vaddps_zmm_k1z_zmm_zmmm512b32_er,
        F::fmul => Code::EVEX_Vmulps_zmm_k1z_zmm_zmmm512b32_er,
        _ => return None,
    })
}

/// An operation on one word that is one instruction, and its immediate.
fn unary(node: &Node) -> Option<(Code, Option<i32>)> {
    let round = |how| (Code::EVEX_Vrndscaleps_zmm_k1z_zmmm512b32_imm8_sae, Some(how));
    let shift = |code| (code, Some(node.literal as i32));
    Some(match node.f {
        F::shl if node.args[1] == Id::MAX => shift(Code::EVEX_Vpslld_zmm_k1z_zmmm512b32_imm8),
        F::shr if node.args[1] == Id::MAX => shift(Code::EVEX_Vpsrld_zmm_k1z_zmmm512b32_imm8),
        F::sar if node.args[1] == Id::MAX => shift(Code::EVEX_Vpsrad_zmm_k1z_zmmm512b32_imm8),
        F::popcnt => (Code::EVEX_Vpopcntd_zmm_k1z_zmmm512b32, None),
        F::clz => (Code::EVEX_Vplzcntd_zmm_k1z_zmmm512b32, None),
        F::frndne => round(NEAREST),
        F::ffloor => round(DOWN),
        F::fceil => round(UP),
        F::ftrunc => round(TO_ZERO),
        F::fsqrt => (Code::EVEX_Vsqrtps_zmm_k1z_zmmm512b32_er, None),
        F::f32_from_i32 => (Code::EVEX_Vcvtdq2ps_zmm_k1z_zmmm512b32_er, None),
        F::f32_from_u32 => (Code::EVEX_Vcvtudq2ps_zmm_k1z_zmmm512b32_er, None),
        _ => return None,
    })
}

fn comparison(f: F) -> Option<(Code, i32)> {
    let float = Code::EVEX_Vcmpps_kr_k1_zmm_zmmm512b32_imm8_sae;
    Some(match f {
        F::eq => (Code::EVEX_Vpcmpd_kr_k1_zmm_zmmm512b32_imm8, EQ),
        F::slt => (Code::EVEX_Vpcmpd_kr_k1_zmm_zmmm512b32_imm8, LT),
        F::ult => (Code::EVEX_Vpcmpud_kr_k1_zmm_zmmm512b32_imm8, LT),
        F::feq => (float, F_EQ),
        F::flt => (float, F_LT),
        F::fle => (float, F_LE),
        _ => return None,
    })
}

/// An operation on eight doubles.
#[derive(Clone, Copy)]
enum Double {
    Unary(Code, Option<i32>),
    Binary(Code),
    Fused,
}

fn double(f: F) -> Option<Double> {
    let round = |how| Double::Unary(Code::EVEX_Vrndscalepd_zmm_k1z_zmmm512b64_imm8_sae, Some(how));
    Some(match f {
        F::dadd => Double::Binary(Code::EVEX_Vaddpd_zmm_k1z_zmm_zmmm512b64_er),
        F::dmul => Double::Binary(Code::EVEX_Vmulpd_zmm_k1z_zmm_zmmm512b64_er),
        F::dfma => Double::Fused,
        F::drndne => round(NEAREST),
        F::dfloor => round(DOWN),
        F::dceil => round(UP),
        F::dtrunc => round(TO_ZERO),
        F::dsqrt => Double::Unary(Code::EVEX_Vsqrtpd_zmm_k1z_zmmm512b64_er, None),
        _ => return None,
    })
}

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

    /// At the beginning of a sixteen: EXEC.
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
            if let [(Place::Vgpr(v), id)] = plan.results[..]
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
                let Place::Vgpr(_) = place else { continue };
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
                Place::Vgpr(v) => {
                    let r = self.word(id, state)?;
                    let home = self.home(Home::Vgpr(v))?;
                    if home != r {
                        self.op2(Code::EVEX_Vmovdqa32_zmm_k1z_zmmm512, zmm(home), zmm(r))?.set_op_mask(k(LIVE));
                        self.registers.soil(home);
                    }
                    self.registers.unpin(home);
                }
                Place::Mask(i) => {
                    let m = self.condition(id, state)?;
                    // In a register of its own: another result may want the condition as it is.
                    self.op3(Code::VEX_Kandw_kr_kr_kr, k(0), k(m), k(LIVE))?;
                    self.store(Code::VEX_Kmovw_m16_kr, scalar_at(MASKS, i), k(0))?;
                    if i == EXEC {
                        self.op2(Code::VEX_Kmovw_kr_km16, k(LIVE), k(0))?;
                    }
                }
                Place::Scalar(i) => {
                    let r = self.word(id, state)?;
                    self.store(Code::EVEX_Vmovd_rm32_xmm, scalar_at(SCALARS, i), xmm(r))?;
                    self.registers.forget(Home::Scalar(i));
                }
                Place::Scc => {
                    let m = self.condition(id, state)?;
                    self.scc(m)?;
                }
                Place::SccNonZero => {
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

    /// Where a node's value may go: its operand, if that is a temporary that dies here, or a new one.
    fn target(&mut self, operands: &[(Id, Reg)], state: &Values) -> Done<Reg> {
        for &(id, r) in operands {
            if state.uses[usize::from(id)] == 1 && self.registers.dies(r) {
                self.registers.pin(r);
                return Ok(r);
            }
        }
        self.temporary()
    }

    fn node(&mut self, step: &Step, node: &Node, at: usize, state: &mut Values) -> Done<Value> {
        use F::*;
        let [a, b, c, ..] = node.args;
        if let Some(code) = binary(node.f) {
            let (x, y) = (self.word(a, state)?, self.word(b, state)?);
            let d = self.target(&[(a, x), (b, y)], state)?;
            self.op3(code, zmm(d), zmm(x), zmm(y))?;
            return Ok(Value::Word(d));
        }
        if let Some((code, immediate)) = unary(node) {
            let x = self.word(a, state)?;
            let d = self.target(&[(a, x)], state)?;
            match immediate {
                Some(i) => self.imm2(code, zmm(d), zmm(x), i)?,
                None => self.op2(code, zmm(d), zmm(x))?,
            };
            return Ok(Value::Word(d));
        }
        if let Some((code, relation)) = comparison(node.f) {
            let (x, y) = (self.word(a, state)?, self.word(b, state)?);
            let m = self.mask()?;
            self.imm3(code, k(m), zmm(x), zmm(y), relation)?;
            return Ok(Value::Mask(m));
        }
        if let Some(code) = double(node.f) {
            return self.doubles(node, at, code, state).map(Value::Word);
        }
        Ok(match node.f {
            literal => Value::Word(self.home(Home::Constant(node.literal))?),
            source => Value::Word(self.source(step, node.literal)?),
            condition => Value::Mask(self.condition_in(step)?),
            high => {
                let r = state.high[usize::from(a)].take().ok_or(Refused)?;
                Value::Word(r)
            }
            truth => {
                let m = self.mask()?;
                let code = if node.literal != 0 { Code::VEX_Kxnorw_kr_kr_kr } else { Code::VEX_Kxorw_kr_kr_kr };
                self.op3(code, k(m), k(m), k(m))?;
                Value::Mask(m)
            }
            cand | cor => {
                let (x, y) = (self.condition(a, state)?, self.condition(b, state)?);
                let m = self.mask()?;
                let code = if node.f == cand { Code::VEX_Kandw_kr_kr_kr } else { Code::VEX_Korw_kr_kr_kr };
                self.op3(code, k(m), k(x), k(y))?;
                Value::Mask(m)
            }
            cnot => {
                let x = self.condition(a, state)?;
                let m = self.mask()?;
                self.op2(Code::VEX_Knotw_kr_kr, k(m), k(x))?;
                Value::Mask(m)
            }
            sel => {
                let (m, t, f) = (self.condition(a, state)?, self.word(b, state)?, self.word(c, state)?);
                let d = self.target(&[(b, t), (c, f)], state)?;
                self.op3(Code::EVEX_Vpblendmd_zmm_k1z_zmm_zmmm512b32, zmm(d), zmm(f), zmm(t))?.set_op_mask(k(m));
                Value::Word(d)
            }
            ffma => {
                let (x, y, z) = (self.word(a, state)?, self.word(b, state)?, self.word(c, state)?);
                Value::Word(self.fused([(a, x), (b, y), (c, z)], state)?)
            }
            umulhi | smulhi => {
                let (x, y) = (self.word(a, state)?, self.word(b, state)?);
                Value::Word(self.high_product(x, y, node.f == smulhi)?)
            }
            ctz => {
                // The bits below the lowest that is set: 32 of them for zero.
                let x = self.word(a, state)?;
                let ones = self.home(Home::Constant(!0))?;
                let d = self.temporary()?;
                self.op3(Code::EVEX_Vpaddd_zmm_k1z_zmm_zmmm512b32, zmm(d), zmm(x), zmm(ones))?;
                self.op3(Code::EVEX_Vpandnd_zmm_k1z_zmm_zmmm512b32, zmm(d), zmm(x), zmm(d))?;
                self.op2(Code::EVEX_Vpopcntd_zmm_k1z_zmmm512b32, zmm(d), zmm(d))?;
                self.registers.unpin(ones);
                Value::Word(d)
            }
            not => {
                let x = self.word(a, state)?;
                let d = self.target(&[(a, x)], state)?;
                self.imm3(Code::EVEX_Vpternlogd_zmm_k1z_zmm_zmmm512b32_imm8, zmm(d), zmm(x), zmm(x), NOT_C)?;
                Value::Word(d)
            }
            shl | shr | sar => {
                let (x, n) = (self.word(a, state)?, self.word(b, state)?);
                let low = self.home(Home::Constant(31))?;
                let d = self.temporary()?;
                self.op3(Code::EVEX_Vpandd_zmm_k1z_zmm_zmmm512b32, zmm(d), zmm(n), zmm(low))?;
                let code = match node.f {
                    shl => Code::EVEX_Vpsllvd_zmm_k1z_zmm_zmmm512b32,
                    shr => Code::EVEX_Vpsrlvd_zmm_k1z_zmm_zmmm512b32,
                    _ => Code::EVEX_Vpsravd_zmm_k1z_zmm_zmmm512b32,
                };
                self.op3(code, zmm(d), zmm(x), zmm(d))?;
                self.registers.unpin(low);
                Value::Word(d)
            }
            fmin | fmax => {
                let (x, y) = (self.word(a, state)?, self.word(b, state)?);
                Value::Word(self.extreme(x, y, node.f == fmax)?)
            }
            frcp => {
                let x = self.word(a, state)?;
                Value::Word(self.reciprocal(x)?)
            }
            frsq => {
                let x = self.word(a, state)?;
                let root = self.temporary()?;
                self.op2(Code::EVEX_Vsqrtps_zmm_k1z_zmmm512b32_er, zmm(root), zmm(x))?;
                let d = self.reciprocal(root)?;
                self.registers.unpin(root);
                Value::Word(d)
            }
            fldexp => {
                let (x, n) = (self.word(a, state)?, self.word(b, state)?);
                let d = self.temporary()?;
                self.op2(Code::EVEX_Vcvtdq2ps_zmm_k1z_zmmm512b32_er, zmm(d), zmm(n))?;
                self.op3(Code::EVEX_Vscalefps_zmm_k1z_zmm_zmmm512b32_er, zmm(d), zmm(x), zmm(d))?;
                Value::Word(d)
            }
            i32_from_f32 => {
                // NaN is 0, what is too large the largest; the instruction gives the smallest for both.
                let x = self.word(a, state)?;
                let (limit, largest) = (self.home(Home::Constant(0x4f00_0000))?, self.home(Home::Constant(!0 >> 1))?);
                let d = self.temporary()?;
                let m = self.mask()?;
                self.imm3(Code::EVEX_Vcmpps_kr_k1_zmm_zmmm512b32_imm8_sae, k(m), zmm(x), zmm(x), F_ORDERED)?;
                let i = self.op2(Code::EVEX_Vcvttps2dq_zmm_k1z_zmmm512b32_sae, zmm(d), zmm(x))?;
                i.set_op_mask(k(m));
                i.set_zeroing_masking(true);
                self.imm3(Code::EVEX_Vcmpps_kr_k1_zmm_zmmm512b32_imm8_sae, k(m), zmm(limit), zmm(x), F_LE)?;
                self.op2(Code::EVEX_Vmovdqa32_zmm_k1z_zmmm512, zmm(d), zmm(largest))?.set_op_mask(k(m));
                self.free_mask(m);
                self.registers.unpin(limit);
                self.registers.unpin(largest);
                Value::Word(d)
            }
            u32_from_f32 => {
                // The larger of the two, the second if one is NaN.
                let x = self.word(a, state)?;
                let zero = self.home(Home::Constant(0))?;
                let d = self.temporary()?;
                self.op3(Code::EVEX_Vmaxps_zmm_k1z_zmm_zmmm512b32_sae, zmm(d), zmm(x), zmm(zero))?;
                self.op2(Code::EVEX_Vcvttps2udq_zmm_k1z_zmmm512b32_sae, zmm(d), zmm(d))?;
                self.registers.unpin(zero);
                Value::Word(d)
            }
            f32_from_f16 => {
                let x = self.word(a, state)?;
                let d = self.temporary()?;
                self.widened(d, x)?;
                Value::Word(d)
            }
            f16_from_f32 | f16_from_f32_rtz => {
                let x = self.word(a, state)?;
                let d = self.temporary()?;
                self.narrowed(d, x, if node.f == f16_from_f32 { 0 } else { 3 })?;
                Value::Word(d)
            }
            hadd | hmul => {
                // Rounding to f32 in between is innocuous (`wavepipe_isa`'s `Nearest`).
                let (x, y) = (self.word(a, state)?, self.word(b, state)?);
                let (d, e) = (self.temporary()?, self.temporary()?);
                self.widened(d, x)?;
                self.widened(e, y)?;
                let code = if node.f == hadd {
                    Code::EVEX_Vaddps_zmm_k1z_zmm_zmmm512b32_er
                } else {
                    Code::EVEX_Vmulps_zmm_k1z_zmm_zmmm512b32_er
                };
                self.op3(code, zmm(d), zmm(d), zmm(e))?;
                self.narrowed(d, d, 0)?;
                self.registers.unpin(e);
                Value::Word(d)
            }
            hmin | hmax => {
                let (x, y) = (self.word(a, state)?, self.word(b, state)?);
                let (v, w) = (self.temporary()?, self.temporary()?);
                self.widened(v, x)?;
                self.widened(w, y)?;
                let d = self.extreme(v, w, node.f == hmax)?;
                self.narrowed(d, d, 0)?;
                self.registers.unpin(v);
                self.registers.unpin(w);
                Value::Word(d)
            }
            deq | dlt | dle => {
                let relation = match node.f {
                    deq => F_EQ,
                    dlt => F_LT,
                    _ => F_LE,
                };
                let [a, b, c, d, ..] = node.args;
                let (x, y) = (self.interleaved(a, b, state)?, self.interleaved(c, d, state)?);
                let m = self.mask()?;
                for i in 0..2 {
                    let code = Code::EVEX_Vcmppd_kr_k1_zmm_zmmm512b64_imm8_sae;
                    self.imm3(code, k(0), zmm(x[i]), zmm(y[i]), relation)?;
                    self.op2(Code::EVEX_Vpmovm2q_zmm_kr, zmm(x[i]), k(0))?;
                }
                self.imm3(Code::EVEX_Vshufps_zmm_k1z_zmm_zmmm512b32_imm8, zmm(x[0]), zmm(x[0]), zmm(x[1]), LOW_WORDS)?;
                self.op2(Code::EVEX_Vpmovd2m_kr_zmm, k(m), zmm(x[0]))?;
                x.iter().chain(&y).for_each(|&r| self.registers.unpin(r));
                Value::Mask(m)
            }
            _ => return Err(Refused),
        })
    }

    /// a · b + c.
    fn fused(&mut self, [a, b, c]: [(Id, Reg); 3], state: &Values) -> Done<Reg> {
        let dies = |e: &Self, (id, r): (Id, Reg)| state.uses[usize::from(id)] == 1 && e.registers.dies(r);
        let (d, code, x, y) = if dies(self, c) {
            (c.1, Code::EVEX_Vfmadd231ps_zmm_k1z_zmm_zmmm512b32_er, a.1, b.1)
        } else if dies(self, a) {
            (a.1, Code::EVEX_Vfmadd213ps_zmm_k1z_zmm_zmmm512b32_er, b.1, c.1)
        } else if dies(self, b) {
            (b.1, Code::EVEX_Vfmadd213ps_zmm_k1z_zmm_zmmm512b32_er, a.1, c.1)
        } else {
            let d = self.temporary()?;
            self.op2(Code::EVEX_Vmovdqa32_zmm_k1z_zmmm512, zmm(d), zmm(c.1))?;
            self.op3(Code::EVEX_Vfmadd231ps_zmm_k1z_zmm_zmmm512b32_er, zmm(d), zmm(a.1), zmm(b.1))?;
            return Ok(d);
        };
        self.registers.pin(d);
        self.op3(code, zmm(d), zmm(x), zmm(y))?;
        Ok(d)
    }

    /// The high words of the products: even lanes, odd lanes, blended.
    fn high_product(&mut self, x: Reg, y: Reg, signed: bool) -> Done<Reg> {
        let code =
            if signed { Code::EVEX_Vpmuldq_zmm_k1z_zmm_zmmm512b64 } else { Code::EVEX_Vpmuludq_zmm_k1z_zmm_zmmm512b64 };
        let (even, odd, other) = (self.temporary()?, self.temporary()?, self.temporary()?);
        let down = |e: &mut Self, d: Reg, s: Reg| {
            e.imm2(Code::EVEX_Vpsrlq_zmm_k1z_zmmm512b64_imm8, zmm(d), zmm(s), 32).map(|_| ())
        };
        self.op3(code, zmm(even), zmm(x), zmm(y))?;
        down(self, even, even)?;
        down(self, odd, x)?;
        down(self, other, y)?;
        self.op3(code, zmm(odd), zmm(odd), zmm(other))?;
        // Odd lanes' high words are in place.
        self.push(Instruction::with2(Code::Mov_r32_imm32, Register::EAX, 0xaaaa))?;
        let m = self.mask()?;
        self.op2(Code::VEX_Kmovw_kr_r32, k(m), Register::EAX)?;
        self.op2(Code::EVEX_Vmovdqa32_zmm_k1z_zmmm512, zmm(even), zmm(odd))?.set_op_mask(k(m));
        self.free_mask(m);
        self.registers.unpin(odd);
        self.registers.unpin(other);
        Ok(even)
    }

    /// Minimum or maximum where a NaN loses and −0 < +0; x if both are NaN, or neither is less.
    fn extreme(&mut self, x: Reg, y: Reg, max: bool) -> Done<Reg> {
        const CMP: Code = Code::EVEX_Vcmpps_kr_k1_zmm_zmmm512b32_imm8_sae;
        let (d, below, m) = (self.temporary()?, self.mask()?, self.mask()?);
        self.imm3(CMP, k(below), zmm(x), zmm(y), F_LT)?;
        self.imm3(CMP, k(m), zmm(x), zmm(y), F_EQ)?;
        let signed = Code::EVEX_Vpcmpd_kr_k1_zmm_zmmm512b32_imm8;
        self.imm3(signed, k(m), zmm(x), zmm(y), LT)?.set_op_mask(k(m));
        self.op3(Code::VEX_Korw_kr_kr_kr, k(below), k(below), k(m))?;
        let (taken, other) = if max { (y, x) } else { (x, y) };
        let blend = Code::EVEX_Vpblendmd_zmm_k1z_zmm_zmmm512b32;
        self.op3(blend, zmm(d), zmm(other), zmm(taken))?.set_op_mask(k(below));
        self.imm3(CMP, k(m), zmm(y), zmm(y), F_UNORDERED)?;
        self.op2(Code::EVEX_Vmovdqa32_zmm_k1z_zmmm512, zmm(d), zmm(x))?.set_op_mask(k(m));
        self.imm3(CMP, k(m), zmm(x), zmm(x), F_UNORDERED)?;
        self.op2(Code::EVEX_Vmovdqa32_zmm_k1z_zmmm512, zmm(d), zmm(y))?.set_op_mask(k(m));
        self.free_mask(below);
        self.free_mask(m);
        Ok(d)
    }

    fn reciprocal(&mut self, x: Reg) -> Done<Reg> {
        let one = self.home(Home::Constant(1.0f32.to_bits()))?;
        let d = self.temporary()?;
        self.op3(Code::EVEX_Vdivps_zmm_k1z_zmm_zmmm512b32_er, zmm(d), zmm(one), zmm(x))?;
        self.registers.unpin(one);
        Ok(d)
    }

    /// Low halves to f32.
    fn widened(&mut self, d: Reg, x: Reg) -> Done<()> {
        self.op2(Code::EVEX_Vpmovdw_ymmm256_k1z_zmm, ymm(d), zmm(x))?;
        self.op2(Code::EVEX_Vcvtph2ps_zmm_k1z_ymmm256_sae, zmm(d), ymm(d)).map(|_| ())
    }

    /// f32 to low halves, zeros above; `round` as in MODE.
    fn narrowed(&mut self, d: Reg, x: Reg, round: i32) -> Done<()> {
        self.imm2(Code::EVEX_Vcvtps2ph_ymmm256_k1z_zmm_imm8_sae, ymm(d), zmm(x), round)?;
        self.op2(Code::EVEX_Vpmovzxwd_zmm_k1z_ymmm256, zmm(d), ymm(d)).map(|_| ())
    }

    /// Two words of 16 lanes as 2 × 8 doubles: lanes 0, 1, 4, 5, … and 2, 3, 6, 7, …, in temporaries.
    fn interleaved(&mut self, low: Id, high: Id, state: &Values) -> Done<[Reg; 2]> {
        let (low, high) = (self.word(low, state)?, self.word(high, state)?);
        let (x, y) = (self.temporary()?, self.temporary()?);
        self.op3(Code::EVEX_Vpunpckldq_zmm_k1z_zmm_zmmm512b32, zmm(x), zmm(low), zmm(high))?;
        self.op3(Code::EVEX_Vpunpckhdq_zmm_k1z_zmm_zmmm512b32, zmm(y), zmm(low), zmm(high))?;
        Ok([x, y])
    }

    /// An operation on doubles: the low words; the high words wait for their node.
    fn doubles(&mut self, node: &Node, at: usize, code: Double, state: &mut Values) -> Done<Reg> {
        let pairs = node.args.iter().filter(|&&a| a != Id::MAX).count() / 2;
        let mut x = Vec::with_capacity(3);
        for n in 0..pairs {
            x.push(self.interleaved(node.args[2 * n], node.args[2 * n + 1], state)?);
        }
        let first = x[0];
        for i in 0..2 {
            let d = zmm(first[i]);
            match code {
                Double::Unary(code, Some(immediate)) => self.imm2(code, d, d, immediate)?,
                Double::Unary(code, None) => self.op2(code, d, d)?,
                Double::Binary(code) => self.op3(code, d, d, zmm(x[1][i]))?,
                Double::Fused => {
                    self.op3(Code::EVEX_Vfmadd213pd_zmm_k1z_zmm_zmmm512b64_er, d, zmm(x[1][i]), zmm(x[2][i]))?
                }
            };
        }
        let high = self.temporary()?;
        let shuffle = Code::EVEX_Vshufps_zmm_k1z_zmm_zmmm512b32_imm8;
        self.imm3(shuffle, zmm(high), zmm(first[0]), zmm(first[1]), HIGH_WORDS)?;
        self.imm3(shuffle, zmm(first[0]), zmm(first[0]), zmm(first[1]), LOW_WORDS)?;
        self.registers.unpin(first[1]);
        x[1..].iter().flatten().for_each(|&r| self.registers.unpin(r));
        state.high[at] = Some(high);
        Ok(first[0])
    }
}

/// VPTERNLOG's table of the third operand's complement.
const NOT_C: i32 = 0x55;
/// The words of interleaved doubles in the order of lanes.
const LOW_WORDS: i32 = 0x88;
const HIGH_WORDS: i32 = 0xdd;

struct Values {
    of: Vec<Option<Value>>,
    /// The high words of doubles until their node comes.
    high: Vec<Option<Reg>>,
    uses: Vec<u32>,
}

fn scalar_at(base: Register, i: u8) -> MemoryOperand {
    MemoryOperand::with_base_displ(base, 4 * i64::from(i))
}
