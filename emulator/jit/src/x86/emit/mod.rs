//! Nodes to instructions: a word of as many lanes as a vector register has, a condition of so many lanes in a mask register
//! ([`avx512`]), or as ones and zeros in a vector register ([`avx2`]).
//!
//! ```text
//! for each node:   operands are registers already -> instructions into a new temporary, or into an operand that dies here
//! for each result: a register under EXEC into its home; a condition AND EXEC to its bits of the scalar file
//! ```
//!
//! A wave's lanes are done by chunks of a register's size, one after the other. Scalar steps are done in general registers
//! ([`scalar`]).
//!
//! rbx rows, rbp scalars, r12 instructions so far, r13 the budget, r14 the frame, r15 the constants; k1 or ymm15 EXEC of the
//! chunk.

pub mod avx2;
mod avx512;
mod lanes;
mod scalar;
mod tables;

use super::Host;
use super::registers::{Found, Home, Reg, Registers, Store};
use crate::record::{F, Id, Node};
use crate::step::{EXEC, Plan, ResultPlace, operand};
use crate::x86::X86Isa as HostIsa;
use iced_x86::{Code, Instruction, MemoryOperand, Register};
use scalar::Generals;
use wavepipe_core::wave::{Operand, Step};

pub const ROWS: Register = Register::RBX;
pub const SCALARS: Register = Register::RBP;
pub const DONE: Register = Register::R12;
pub const BUDGET: Register = Register::R13;
pub const FRAME: Register = Register::R14;
pub const CONSTANTS: Register = Register::R15;

/// The step cannot be emitted: too many values at once, or an operation without instructions.
#[derive(Debug)]
pub struct Refused;

pub type Done<T> = Result<T, Refused>;

/// What a node's value is in.
#[derive(Clone, Copy)]
enum Value {
    Word(Reg),
    Mask(u8),
}

pub struct Emitter {
    pub code: Vec<Instruction>,
    pub constants: Vec<u32>,
    pub registers: Registers,
    generals: Generals,
    /// Bit i: mask register i is taken.
    masks: u8,
    pub host: Host,
    halves: i64,
    chunk: u8,
    /// All lanes live: nothing has to be kept.
    pub all_live: bool,
    /// The lane mask whose bits of this chunk k0 holds.
    last_mask: Option<u8>,
}

/// An emitter's knowledge, to go back to.
pub struct Mark {
    code: usize,
    registers: Registers,
    generals: Generals,
    masks: u8,
    last_mask: Option<u8>,
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
    pub fn new(halves: usize, host: Host) -> Emitter {
        Emitter {
            code: Vec::new(),
            constants: avx2::tables(),
            registers: Registers::new(host.registers()),
            host,
            generals: Generals::default(),
            masks: 0,
            halves: halves as i64,
            chunk: 0,
            all_live: false,
            last_mask: None,
        }
    }

    /// Chunks of a wave.
    pub fn chunks(&self) -> u8 {
        (32 * self.halves as usize / self.host.lanes()) as u8
    }

    pub fn mark(&self) -> Mark {
        Mark {
            code: self.code.len(),
            registers: self.registers.clone(),
            generals: self.generals.clone(),
            masks: self.masks,
            last_mask: self.last_mask,
        }
    }

    pub fn back_to(&mut self, mark: Mark) {
        self.code.truncate(mark.code);
        (self.registers, self.generals) = (mark.registers, mark.generals);
        (self.masks, self.last_mask) = (mark.masks, mark.last_mask);
    }

    /// What was known at the mark; the code stays.
    pub fn know(&mut self, mark: Mark) {
        (self.registers, self.generals) = (mark.registers, mark.generals);
        (self.masks, self.last_mask) = (mark.masks, mark.last_mask);
    }

    /// At the beginning of a node: nothing is known but the fixed homes, of which `soiled` may be newer than memory.
    pub fn begin(&mut self, soiled: u32) {
        self.registers.begin(soiled);
        self.generals.empty();
        self.last_mask = None;
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

    fn register_at(&self, v: u32, chunk: u8) -> MemoryOperand {
        let lanes = 4 * self.host.lanes() as i64 * i64::from(chunk);
        MemoryOperand::with_base_displ(ROWS, 128 * self.halves * i64::from(v) + lanes)
    }

    /// The chunk's bits of a lane mask.
    fn mask_at(&self, i: u8) -> MemoryOperand {
        MemoryOperand::with_base_displ(
            SCALARS,
            4 * i64::from(i) + (self.host.lanes() / 8) as i64 * i64::from(self.chunk),
        )
    }

    pub fn spill(&mut self, (r, v, chunk): Store) -> Done<()> {
        let at = self.register_at(v, chunk);
        match self.host.target {
            HostIsa::Avx512 => self.store(Code::EVEX_Vmovdqa32_zmmm512_k1z_zmm, at, zmm(r)),
            HostIsa::Avx2 => self.store(Code::VEX_Vmovdqa_ymmm256_ymm, at, ymm(r)),
        }
    }

    pub fn fill(&mut self, (r, v, chunk): Store) -> Done<()> {
        let at = self.register_at(v, chunk);
        match self.host.target {
            HostIsa::Avx512 => self.load(Code::EVEX_Vmovdqa32_zmm_k1z_zmmm512, zmm(r), at),
            HostIsa::Avx2 => self.load(Code::VEX_Vmovdqa_ymm_ymmm256, ymm(r), at),
        }
    }

    /// A word of memory in every lane.
    pub fn broadcast(&mut self, r: Reg, at: MemoryOperand) -> Done<()> {
        match self.host.target {
            HostIsa::Avx512 => self.load(Code::EVEX_Vpbroadcastd_zmm_k1z_xmmm32, zmm(r), at),
            HostIsa::Avx2 => self.load(Code::VEX_Vpbroadcastd_ymm_xmmm32, ymm(r), at),
        }
    }

    fn zero(&mut self, r: Reg) -> Done<()> {
        match self.host.target {
            HostIsa::Avx512 => self.op3(Code::EVEX_Vpxord_zmm_k1z_zmm_zmmm512b32, zmm(r), zmm(r), zmm(r)),
            HostIsa::Avx2 => self.op3(Code::VEX_Vpxor_ymm_ymm_ymmm256, ymm(r), ymm(r), ymm(r)),
        }
        .map(|_| ())
    }

    fn copy(&mut self, d: Reg, s: Reg) -> Done<()> {
        match self.host.target {
            HostIsa::Avx512 => self.op2(Code::EVEX_Vmovdqa32_zmm_k1z_zmmm512, zmm(d), zmm(s)),
            HostIsa::Avx2 => self.op2(Code::VEX_Vmovdqa_ymm_ymmm256, ymm(d), ymm(s)),
        }
        .map(|_| ())
    }

    /// Nothing is known of scalars.
    pub fn forget_scalars(&mut self) {
        self.generals.empty();
        self.last_mask = None;
    }

    /// In front of a call: everything goes to memory.
    pub fn leave(&mut self) -> Done<()> {
        for store in self.registers.dirty(true) {
            self.spill(store)?;
        }
        self.registers.leave();
        self.generals.empty();
        self.last_mask = None;
        Ok(())
    }

    /// A register for a temporary, pinned.
    pub fn temporary(&mut self) -> Done<Reg> {
        let (r, evicted) = self.registers.take().ok_or(Refused)?;
        if let Some(store) = evicted {
            self.spill(store)?;
        }
        Ok(r)
    }

    /// The home's register, loaded if need be, pinned once more.
    pub fn home(&mut self, home: Home) -> Done<Reg> {
        match self.registers.find(home) {
            Found::No => {}
            found @ (Found::Here(r) | Found::Away(r)) => {
                self.registers.pin(r);
                if let (Found::Away(_), Home::Vgpr(v, chunk)) = (found, home) {
                    self.fill((r, v, chunk))?;
                }
                return Ok(r);
            }
        }
        let r = self.temporary()?;
        match home {
            Home::Vgpr(v, chunk) => self.fill((r, v, chunk))?,
            Home::Scalar(i) => self.broadcast(r, scalar_at(SCALARS, i))?,
            Home::Constant(0) => self.zero(r)?,
            Home::Constant(v) => {
                let at = self.constant(v);
                self.broadcast(r, at)?;
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

    /// Room for a condition.
    fn mask(&mut self) -> Done<u8> {
        match self.host.target {
            HostIsa::Avx512 => {
                // From k2 on.
                let m = (2..8).find(|m| self.masks >> m & 1 == 0).ok_or(Refused)?;
                self.masks |= 1 << m;
                Ok(m)
            }
            HostIsa::Avx2 => self.temporary(),
        }
    }

    fn free_mask(&mut self, m: u8) {
        match self.host.target {
            HostIsa::Avx512 => self.masks &= !(1 << m),
            HostIsa::Avx2 => self.registers.unpin(m),
        }
    }

    /// At the beginning of a chunk: EXEC.
    pub fn live_lanes(&mut self, chunk: u8) -> Done<()> {
        (self.chunk, self.last_mask) = (chunk, None);
        if self.all_live {
            return Ok(());
        }
        self.mask_in(EXEC, LIVE)
    }

    /// The chunk's bits of a lane mask as a condition.
    fn mask_in(&mut self, i: u8, m: u8) -> Done<()> {
        let at = self.mask_at(i);
        match self.host.target {
            HostIsa::Avx512 => self.load(Code::VEX_Kmovw_kr_km16, k(m), at),
            HostIsa::Avx2 => self.spread(if i == EXEC && m == LIVE { avx2::LIVE } else { m }, at),
        }
    }

    /// Asks whether no lane of the chunk lives.
    pub fn no_lanes(&mut self) -> Done<()> {
        match self.host.target {
            HostIsa::Avx512 => self.op2(Code::VEX_Kortestw_kr_kr, k(LIVE), k(LIVE)).map(|_| ()),
            HostIsa::Avx2 => self.op2(Code::VEX_Vptest_ymm_ymmm256, ymm(avx2::LIVE), ymm(avx2::LIVE)).map(|_| ()),
        }
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
            let value = match node.f {
                F::literal => Value::Word(self.home(Home::Constant(node.literal))?),
                F::source => Value::Word(self.source(step, node.literal)?),
                F::condition => Value::Mask(self.condition_in(step)?),
                F::high => Value::Word(state.high[usize::from(node.args[0])].take().ok_or(Refused)?),
                _ => match self.host.target {
                    HostIsa::Avx512 => self.node_512(node, i, state)?,
                    HostIsa::Avx2 => self.node_256(node, i, state)?,
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
            Operand::Vgpr(v) => Home::Vgpr(v + word, self.chunk),
            Operand::Constant(words) => Home::Constant(words[word as usize]),
            Operand::Scalar(words) => Home::Scalar(words[word as usize]),
        };
        self.home(home)
    }

    /// The condition in: each lane's bit of a mask.
    fn condition_in(&mut self, step: &Step) -> Done<u8> {
        let (m, from) = (self.mask()?, step.condition.ok_or(Refused)?);
        if self.last_mask == Some(from) {
            self.op2(Code::VEX_Kmovw_kr_km16, k(m), k(0))?;
        } else {
            self.mask_in(from, m)?;
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
                    self.copy(copy, r)?;
                    self.registers.unpin(r);
                    state.of[usize::from(id)] = Some(Value::Word(copy));
                }
            }
        }
        for &(place, id) in &plan.results {
            match place {
                ResultPlace::Vgpr(v) => {
                    let r = self.word(id, state)?;
                    let home = self.home(Home::Vgpr(v, self.chunk))?;
                    if home != r {
                        self.merge(home, r)?;
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
        match self.host.target {
            HostIsa::Avx512 => {
                self.op2(Code::EVEX_Vmovdqa32_zmm_k1z_zmmm512, zmm(d), zmm(s))?.set_op_mask(k(LIVE));
                Ok(())
            }
            HostIsa::Avx2 if self.all_live => self.copy(d, s),
            HostIsa::Avx2 => self.blend(d, d, s, avx2::LIVE),
        }
    }

    /// A condition of the live lanes to its bits of the scalar file.
    fn mask_out(&mut self, i: u8, m: u8) -> Done<()> {
        let at = self.mask_at(i);
        match self.host.target {
            HostIsa::Avx512 => {
                // In a register of its own: another result may want the condition as it is.
                self.op3(Code::VEX_Kandw_kr_kr_kr, k(0), k(m), k(LIVE))?;
                self.store(Code::VEX_Kmovw_m16_kr, at, k(0))?;
                self.last_mask = Some(i);
                if i == EXEC {
                    self.op2(Code::VEX_Kmovw_kr_km16, k(LIVE), k(0))?;
                }
                self.op2(Code::VEX_Kmovw_r32_kr, Register::EAX, k(0))?;
            }
            HostIsa::Avx2 => {
                if self.all_live {
                    self.op2(Code::VEX_Vmovmskps_r32_ymm, Register::EAX, ymm(m))?;
                    self.store(Code::Mov_rm8_r8, at, Register::AL)?;
                } else {
                    let live = self.temporary()?;
                    self.op3(Code::VEX_Vpand_ymm_ymm_ymmm256, ymm(live), ymm(m), ymm(avx2::LIVE))?;
                    self.op2(Code::VEX_Vmovmskps_r32_ymm, Register::EAX, ymm(live))?;
                    self.store(Code::Mov_rm8_r8, at, Register::AL)?;
                    if i == EXEC {
                        self.copy(avx2::LIVE, live)?;
                    }
                    self.registers.unpin(live);
                }
            }
        }
        self.join_mask(i)
    }

    /// A result by one instruction under EXEC, into the register's home; `false`: not this operation.
    fn into_home(&mut self, node: &Node, v: u32, state: &mut Values) -> Done<bool> {
        match self.host.target {
            HostIsa::Avx512 => self.into_home_512(node, v, state),
            HostIsa::Avx2 if self.all_live => self.into_home_256(node, v, state),
            HostIsa::Avx2 => Ok(false),
        }
    }

    /// The home's register, pinned once more, for a value that replaces all of it.
    fn home_new(&mut self, home: Home) -> Done<Reg> {
        let r = match self.registers.find(home) {
            Found::No => {
                let r = self.temporary()?;
                self.registers.make_home(r, home);
                return Ok(r);
            }
            Found::Here(r) | Found::Away(r) => r,
        };
        self.registers.pin(r);
        Ok(r)
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

pub fn scalar_at(base: Register, i: u8) -> MemoryOperand {
    MemoryOperand::with_base_displ(base, 4 * i64::from(i))
}
