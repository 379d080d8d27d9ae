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
//! rbx rows, rbp scalars, r12 instructions so far, r14 the frame, r15 the constants; [`words`] has the other general
//! registers, [`masks`] EXEC's.

mod across;
pub mod avx2;
mod avx512;
mod elements;
mod flags;
mod lanes;
mod masks;
mod moving;
mod operands;
mod pairs;
pub mod rows;
mod scalar;
mod step;
mod tables;
mod together;
pub mod words;

use super::Host;
use super::registers::{Found, Home, Kept, Reg, Registers};
use crate::x86::X86Isa;
use iced_x86::{Code, Instruction, MemoryOperand, Register};
use lanes::Bad;
pub use lanes::lanes_at;
use masks::{Joining, LAST, Last};
use moving::Moving;
use operands::Source;
use pairs::Pairs;
use std::collections::BTreeSet;
use step::{Value, Values};

pub const ROWS: Register = Register::RBX;
pub const SCALARS: Register = Register::RBP;
pub const DONE: Register = Register::R12;
pub const FRAME: Register = Register::R14;
pub const CONSTANTS: Register = Register::R15;

/// Bytes of the stack for a chunk's offsets and, from [`DATA_LANES`] on, its data, lane by lane; from [`COMPARED_LANES`] on for what is
/// compared, or for a register of 64 lanes that have moved.
pub const LANES_BYTES: i32 = 384;
pub const DATA_LANES: i64 = 64;
pub const COMPARED_LANES: i64 = 128;
pub const MOVED_LANES: i64 = 128;

/// Bytes of a line of the host's caches; constants begin with one.
pub const LINE: usize = 64;
/// Words of it.
pub const LINE_WORDS: usize = LINE / 4;

/// The step cannot be emitted: too many values at once, or an operation without instructions.
#[derive(Debug)]
pub struct Refused;

pub type Done<T> = Result<T, Refused>;

pub struct Emitter {
    pub code: Vec<Instruction>,
    pub constants: Vec<u32>,
    pub registers: Registers,
    /// Of scalars.
    pub words: Registers,
    /// Bit i: mask register i is taken.
    masks: u8,
    joining: Vec<Joining>,
    pairs: Pairs,
    moving: Option<Moving>,
    pub host: Host,
    halves: i64,
    chunk: u8,
    /// All lanes live: nothing has to be kept.
    pub all_live: bool,
    /// Until the chunk ends, dirty homes that are not fixed have values of the live lanes only; those of others are in memory, or in the
    /// register that the same home has for good. Without masked instructions it costs least so.
    pub raw: bool,
    /// Of AVX-512, until the chunk ends: what homes that are fixed become has values of all lanes in another register, and the live ones
    /// go to the fixed one at the end. What the steps make of one another waits for no mask so.
    pub late: bool,
    /// With AVX2, while chunks are emitted: registers with EXEC's words in all lanes.
    exec_words: Vec<(u8, Reg)>,
    last_mask: Option<Last>,
    /// The lane mask that the step makes is a condition of steps to come, and nothing else.
    pub for_steps_only: bool,
    /// With AVX2, while chunks are emitted: a lane mask is a condition of all lanes, until its word is whole. Of EXEC's lanes in their
    /// register the signs count, and nothing else.
    pub bits_late: bool,
    /// No step to come has the lane mask that the step makes as a condition.
    pub bits_only: bool,
    /// Where the last label stands: who comes from elsewhere brings other flags.
    pub joined: usize,
    bad: Bad,
    /// Registers whose words are no signaling NaNs, in the lanes of the chunk that live.
    quiet: BTreeSet<u32>,
}

/// An emitter's knowledge, to go back to.
pub struct Mark {
    code: usize,
    registers: Registers,
    words: Registers,
    masks: u8,
    joining: Vec<Joining>,
    pairs: Pairs,
    last_mask: Option<Last>,
}

/// Registers by file, as bits or as what has to be stored.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub struct Files<T> {
    pub vectors: T,
    pub words: T,
}

pub type Stores = Files<Vec<Kept>>;

impl Files<u32> {
    pub fn or(self, other: Self) -> Self {
        Files { vectors: self.vectors | other.vectors, words: self.words | other.words }
    }
}

fn zmm(r: Reg) -> Register {
    Register::ZMM0 + u32::from(r)
}

pub fn xmm(r: Reg) -> Register {
    Register::XMM0 + u32::from(r)
}

pub fn ymm(r: Reg) -> Register {
    Register::YMM0 + u32::from(r)
}

fn k(m: u8) -> Register {
    Register::K0 + u32::from(m)
}

impl Emitter {
    pub fn new(halves: usize, host: Host) -> Emitter {
        Emitter {
            code: Vec::new(),
            constants: [avx2::tables(), rows::tables()].concat(),
            registers: Registers::new(host.registers()),
            host,
            words: Registers::new(words::COUNT),
            masks: 0,
            joining: Vec::new(),
            pairs: Pairs::default(),
            moving: None,
            halves: halves as i64,
            chunk: 0,
            all_live: false,
            raw: false,
            late: false,
            exec_words: Vec::new(),
            last_mask: None,
            for_steps_only: false,
            bits_late: false,
            bits_only: false,
            joined: 0,
            bad: Bad::None,
            quiet: BTreeSet::new(),
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
            words: self.words.clone(),
            masks: self.masks,
            joining: self.joining.clone(),
            pairs: self.pairs.clone(),
            last_mask: self.last_mask,
        }
    }

    pub fn back_to(&mut self, mark: Mark) {
        self.code.truncate(mark.code);
        self.know(mark);
    }

    /// What was known at the mark; the code stays.
    pub fn know(&mut self, mark: Mark) {
        (self.registers, self.words) = (mark.registers, mark.words);
        (self.masks, self.joining) = (mark.masks, mark.joining);
        (self.pairs, self.last_mask, self.moving) = (mark.pairs, mark.last_mask, None);
        self.exec_words.clear();
        (self.late, self.bits_late, self.for_steps_only, self.bits_only) = (false, false, false, false);
    }

    /// At the beginning of a node: nothing is known but the fixed homes, of which `soiled` may be newer than memory.
    pub fn begin(&mut self, soiled: Files<u32>) {
        self.registers.begin(soiled.vectors);
        self.words.begin(soiled.words);
        self.forget_masks(true);
    }

    /// What is newer than memory; fixed homes only if `all`.
    pub fn dirty(&self, all: bool) -> Stores {
        Files { vectors: self.registers.dirty(all), words: self.words.dirty(all) }
    }

    /// These are newer than memory: on another way that comes here.
    pub fn soil(&mut self, newer: &Stores) {
        newer.vectors.iter().for_each(|&(r, _)| self.registers.soil(r));
        newer.words.iter().for_each(|&(r, _)| self.words.soil(r));
    }

    pub fn save(&mut self, stores: Stores) -> Done<()> {
        stores.vectors.into_iter().chain(stores.words).try_for_each(|kept| self.spill(kept))
    }

    pub fn load_all(&mut self, loads: Stores) -> Done<()> {
        loads.vectors.into_iter().try_for_each(|(r, home)| self.bring(r, home))?;
        loads.words.into_iter().try_for_each(|kept| self.fill(kept))
    }

    /// Fixed homes that are in memory only are loaded.
    pub fn load_fixed(&mut self) -> Done<()> {
        let loads = Files { vectors: self.registers.back(), words: self.words.back() };
        self.load_all(loads)
    }

    /// What is not fixed goes to memory, and nothing else is known.
    pub fn settle(&mut self) -> Done<()> {
        let stores = self.dirty(false);
        self.save(stores)?;
        self.registers.forget_homes();
        self.words.forget_homes();
        Ok(())
    }

    /// At the end of a chunk: what has values of live lanes only gets the others', and goes to memory, or to the register that the home
    /// has for good; so does what runs.
    pub fn end_raw(&mut self) -> Done<()> {
        for (r, home) in self.registers.ran() {
            let spare = self.temporary()?;
            self.spill_by(spare, (r, home))?;
            self.registers.unpin(spare);
            self.registers.clean(r);
        }
        if !self.raw && !self.late {
            return Ok(());
        }
        let ends = |e: &Self, home| e.raw || e.registers.fixed_for(home).is_some();
        for kept in self.registers.dirty(false).into_iter().filter(|kept| ends(self, kept.1)).collect::<Vec<_>>() {
            self.spill(kept)?;
            self.registers.forget(kept.1);
        }
        Ok(())
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

    pub fn spill(&mut self, kept: Kept) -> Done<()> {
        self.spill_by(kept.0, kept)
    }

    /// By way of another register, so that what the register holds stays.
    fn spill_by(&mut self, by: Reg, (r, home): Kept) -> Done<()> {
        match (home, self.host.target) {
            (Home::Vgpr(v, chunk), X86Isa::Avx512) => {
                if let Some(fixed) = self.registers.fixed_for(home).filter(|&fixed| fixed != r) {
                    let live = self.live();
                    self.op2(Code::EVEX_Vmovdqa32_zmm_k1z_zmmm512, zmm(fixed), zmm(r))?.set_op_mask(live);
                    self.registers.soil(fixed);
                    return Ok(());
                }
                self.store(Code::EVEX_Vmovdqa32_zmmm512_k1z_zmm, self.register_at(v, chunk), zmm(r))
            }
            // Hosts take long for a store under a mask.
            (Home::Vgpr(v, chunk), X86Isa::Avx2) if self.raw => {
                if let Some(fixed) = self.registers.fixed_for(home) {
                    self.blend(fixed, r, fixed, avx2::DEAD)?;
                    self.registers.soil(fixed);
                    return Ok(());
                }
                let (at, blend) = (self.register_at(v, chunk), Code::VEX_Vblendvps_ymm_ymm_ymmm256_ymm);
                self.push(Instruction::with4(blend, ymm(by), ymm(r), at, ymm(avx2::DEAD)))?;
                self.store(Code::VEX_Vmovdqa_ymmm256_ymm, at, ymm(by))
            }
            (Home::Vgpr(v, chunk), X86Isa::Avx2) => {
                self.store(Code::VEX_Vmovdqa_ymmm256_ymm, self.register_at(v, chunk), ymm(r))
            }
            (Home::Scalar(i), _) => self.spill_word(r, i),
            (Home::Constant(_), _) => Ok(()),
        }
    }

    pub fn fill(&mut self, (r, home): Kept) -> Done<()> {
        match (home, self.host.target) {
            (Home::Vgpr(v, chunk), X86Isa::Avx512) => {
                self.load(Code::EVEX_Vmovdqa32_zmm_k1z_zmmm512, zmm(r), self.register_at(v, chunk))
            }
            (Home::Vgpr(v, chunk), X86Isa::Avx2) => {
                self.load(Code::VEX_Vmovdqa_ymm_ymmm256, ymm(r), self.register_at(v, chunk))
            }
            (Home::Scalar(i), _) => self.fill_word(r, i),
            (Home::Constant(_), _) => Ok(()),
        }
    }

    /// A word of memory in every lane.
    pub fn broadcast(&mut self, r: Reg, at: MemoryOperand) -> Done<()> {
        match self.host.target {
            X86Isa::Avx512 => self.load(Code::EVEX_Vpbroadcastd_zmm_k1z_xmmm32, zmm(r), at),
            X86Isa::Avx2 => self.load(Code::VEX_Vpbroadcastd_ymm_xmmm32, ymm(r), at),
        }
    }

    fn zero(&mut self, r: Reg) -> Done<()> {
        match self.host.target {
            X86Isa::Avx512 => self.op3(Code::EVEX_Vpxord_zmm_k1z_zmm_zmmm512b32, zmm(r), zmm(r), zmm(r)),
            X86Isa::Avx2 => self.op3(Code::VEX_Vpxor_ymm_ymm_ymmm256, ymm(r), ymm(r), ymm(r)),
        }
        .map(|_| ())
    }

    pub fn copy(&mut self, d: Reg, s: Reg) -> Done<()> {
        match self.host.target {
            X86Isa::Avx512 => self.op2(Code::EVEX_Vmovdqa32_zmm_k1z_zmmm512, zmm(d), zmm(s)),
            X86Isa::Avx2 => self.op2(Code::VEX_Vmovdqa_ymm_ymmm256, ymm(d), ymm(s)),
        }
        .map(|_| ())
    }

    /// In front of a call: everything goes to memory.
    pub fn leave(&mut self) -> Done<()> {
        let stores = self.dirty(true);
        self.save(stores)?;
        self.registers.leave();
        self.words.leave();
        self.forget_masks(false);
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

    /// So many temporaries more will find registers that hold nothing: in front of a branch, for what is behind it.
    pub fn reserve(&mut self, n: usize) -> Done<()> {
        let taken = (0..n).map(|_| self.temporary()).collect::<Done<Vec<Reg>>>()?;
        taken.into_iter().for_each(|r| self.registers.unpin(r));
        Ok(())
    }

    /// The home's register, loaded if need be, pinned once more.
    pub fn home(&mut self, home: Home) -> Done<Reg> {
        match self.registers.find(home) {
            Found::No => {}
            found @ (Found::Here(r) | Found::Away(r)) => {
                self.registers.pin(r);
                if matches!(found, Found::Away(_)) {
                    self.bring(r, home)?;
                }
                return Ok(r);
            }
        }
        let r = self.temporary()?;
        self.bring(r, home)?;
        self.registers.make_home(r, home);
        Ok(r)
    }

    /// The home's value, which no other register has, to a register.
    fn bring(&mut self, r: Reg, home: Home) -> Done<()> {
        match home {
            Home::Vgpr(..) => self.fill((r, home)),
            Home::Scalar(i) => self.broadcast_scalar(r, i),
            Home::Constant(0) => self.zero(r),
            Home::Constant(v) => {
                let at = self.constant(v);
                self.broadcast(r, at)
            }
        }
    }

    fn broadcast_scalar(&mut self, r: Reg, i: u8) -> Done<()> {
        // Memory costs least.
        match self.words.newer(Home::Scalar(i)) {
            Some(w) => self.splat(r, words::word(w)),
            None => self.broadcast(r, scalar_at(SCALARS, i)),
        }
    }

    fn constant(&mut self, v: u32) -> MemoryOperand {
        let at = self.constants.iter().position(|&c| c == v).unwrap_or_else(|| {
            self.constants.push(v);
            self.constants.len() - 1
        });
        MemoryOperand::with_base_displ(CONSTANTS, 4 * at as i64)
    }

    /// Words among the constants, one behind the other: in one line of the host's caches, if they are no more than that.
    pub(super) fn constants_at(&mut self, words: &[u32]) -> MemoryOperand {
        let apart = words.len().next_power_of_two().min(LINE_WORDS);
        let mut places = (0..self.constants.len()).step_by(apart);
        let at = places.find(|&at| self.constants[at..].starts_with(words)).unwrap_or_else(|| {
            self.constants.resize(self.constants.len().next_multiple_of(apart), 0);
            self.constants.extend(words);
            self.constants.len() - words.len()
        });
        MemoryOperand::with_base_displ(CONSTANTS, 4 * at as i64)
    }

    /// Room for a condition.
    fn mask(&mut self) -> Done<u8> {
        match self.host.target {
            X86Isa::Avx512 => {
                let m = self.mask_register().ok_or(Refused)?;
                self.masks |= 1 << m;
                Ok(m)
            }
            X86Isa::Avx2 => self.temporary(),
        }
    }

    fn free_mask(&mut self, m: u8) {
        match self.host.target {
            X86Isa::Avx512 if m == LAST => {}
            X86Isa::Avx512 => self.masks &= !(1 << m),
            X86Isa::Avx2 => self.registers.unpin(m),
        }
    }
}

pub fn scalar_at(base: Register, i: u8) -> MemoryOperand {
    MemoryOperand::with_base_displ(base, 4 * i64::from(i))
}
