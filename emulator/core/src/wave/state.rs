//! One wave's architectural state.

use super::regs::{PAD, TEMPS};
use super::touched::Touched;
use crate::gds::Ticket;
use std::ops::{Deref, DerefMut};
use wavepipe_hw::fault::FaultKind;
use wavepipe_hw::launch::{Apertures, FlatScratch, flat_scratch};
use wavepipe_isa::Gen;
use wavepipe_isa::Src;
use wavepipe_lanes::Registers;

pub(crate) use wavepipe_lanes::registers::{EXEC, Scalars};

pub(crate) const VCC: usize = 106;
pub(crate) const M0: usize = 124;
pub(crate) const VCCZ: usize = 251;
pub(crate) const EXECZ: usize = 252;
pub(crate) const SCC: usize = 253;
/// The value of an LDS direct read (source 254), in a reserved number's place: 254 itself is taken below.
pub(crate) const LDS_DIRECT: usize = 233;
/// Where writes to NULL go; not readable by any operand.
pub(crate) const SINK: usize = 254;
/// The running instruction's literal.
pub(crate) const LITERAL: usize = 255;
/// Reserved source numbers hold the words of 64-bit float constants: high words of 240..=248 and the low word of 1/2π.
pub(crate) const F64_HIGH: usize = 209;
pub(crate) const F64_INV_2PI_LOW: usize = F64_HIGH + 9;

/// Scalars that a wave begins with: SGPRs to EXEC.
pub(crate) const FIRST_SCALARS: usize = 128;
pub(crate) type FirstScalars = [u32; FIRST_SCALARS];

/// Registers whose names are past the file's end (`Src::FLAT_SCRATCH_LO` to `Src::TMA_HI`, in that order) are here.
pub(crate) const NAMED: std::ops::Range<usize> = 219..227;
pub(crate) const FLAT_SCRATCH: usize = NAMED.start;

/// Why a wave is not executing its next instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) enum Status {
    /// Not part of the running work-group.
    #[default]
    Ended,
    Ready,
    AtBarrier,
    /// Gave up its turn (S_SLEEP); ready at the next round.
    Yielded,
    /// Waits for another wave, maybe of another work-group (GWS, DS_ORDERED_COUNT): tries again at the next round.
    Waiting,
}

/// A fault as an operation reports it: what, and which lanes.
#[derive(Clone, Debug)]
pub(crate) struct Trouble {
    pub kind: FaultKind,
    pub lanes: u64,
}

/// `repr(C)`: a pointer to a wave is one to its registers ([`super::table::op_of`]).
#[derive(Clone)]
#[repr(C)]
pub(crate) struct Wave {
    pub registers: Registers,
    /// The instruction set of its code.
    pub isa: Gen,
    pub vgprs: u32,
    pub pc: u64,
    /// Where FLAT addresses are those of LDS, or of private memory.
    pub apertures: Apertures,
    /// Address that FLAT_SCRATCH counts from, where it has an offset.
    pub private_base: u64,
    /// SGPRs that were allocated.
    pub sgprs: u32,
    /// Bytes of private memory of one lane; 0: the dispatch has none, and nothing is known of its size.
    pub private_bytes: u32,
    pub status: Status,
    pub index: u32,
    /// Vector registers are whatever they were, and zero before anybody can see them; but so many, from the first on, which are given.
    pub stale: bool,
    pub given: u32,
    /// Number of the beginning that it was given ([`super::beginning`]), if it differs from that only where host code touched it; or 0.
    pub beginning: u64,
    pub touched: Touched,
    /// Lanes that have a work-item.
    pub launched: u64,
    /// Of the work-group, as LDS_ALLOC shows it.
    pub lds_bytes: u32,
    /// The work-group has other waves.
    pub in_group: bool,
    /// TRAPSTS, as the program wrote it: exceptions of floats are not recorded.
    pub trapsts: u32,
    /// STATUS.USER_PRIO.
    pub user_prio: u32,
    /// Messages to the host that the wave sent.
    pub interrupts: u32,
    /// Set by an operation that ends its block early; read by the run loop after an operation returned `true`.
    pub trouble: Option<Box<Trouble>>,
    /// Instructions of this wave, for S_MEMTIME's monotonic count within a run.
    pub clock: u64,
    /// Its place at a GWS resource, while that keeps it waiting.
    pub ticket: Option<Ticket>,
}

impl Deref for Wave {
    type Target = Registers;
    #[inline(always)]
    fn deref(&self) -> &Registers {
        &self.registers
    }
}

impl DerefMut for Wave {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut Registers {
        &mut self.registers
    }
}

/// Returns the scalar file of a new wave: zeroes, and the inline constants.
fn first_scalars() -> Scalars {
    let mut s = [0; 256];
    for (i, w) in s.iter_mut().enumerate() {
        *w = Src(i as u16).inline_value().unwrap_or(0);
    }
    for (i, f) in [0.5f64, -0.5, 1.0, -1.0, 2.0, -2.0, 4.0, -4.0].into_iter().enumerate() {
        s[F64_HIGH + i] = (f.to_bits() >> 32) as u32;
    }
    s[F64_HIGH + 8] = 0x3fc4_5f30;
    s[F64_INV_2PI_LOW] = 0x6dc9_c882;
    s
}

impl Wave {
    /// Makes a wave that is part of no work-group.
    pub fn new() -> Wave {
        Wave {
            // SAFETY: a block is decoded for waves of one size and register count, and names no row beyond them.
            registers: unsafe { Registers::new(first_scalars()) },
            isa: Gen::default(),
            vgprs: 0,
            pc: 0,
            apertures: Apertures::default(),
            private_base: 0,
            sgprs: 0,
            private_bytes: 0,
            status: Status::default(),
            index: 0,
            stale: false,
            given: 0,
            beginning: 0,
            touched: Touched::default(),
            launched: 0,
            lds_bytes: 0,
            in_group: false,
            trapsts: 0,
            user_prio: 0,
            interrupts: 0,
            trouble: None,
            clock: 0,
            ticket: None,
        }
    }

    /// Zeroes all scalars but the first (the architecture leaves them undefined; zero is deterministic).
    pub fn reset(&mut self, (isa, apertures): (Gen, Apertures), vgprs: u32, halves: usize, first: &FirstScalars) {
        self.isa = isa;
        self.s.0[..FIRST_SCALARS].copy_from_slice(first);
        self.s.0[NAMED].fill(0);
        self.apertures = apertures;
        let Apertures { shared, private } = apertures;
        self.s.0[235..239].copy_from_slice(&[shared, shared | 0xffff, private, private | 0xffff]);
        self.v.reset(vgprs, halves as u32);
        (self.vgprs, self.registers.halves) = (vgprs, halves);
        self.trouble = None;
        (self.trapsts, self.user_prio, self.interrupts) = (0, 0, 0);
        self.ticket = None;
    }

    /// Zeroes vector registers that are not given: all, or those that are seen before they are written, if all lanes are written.
    #[inline(always)]
    pub fn make_zero(&mut self, seen: Option<&[u32]>) {
        let all = self.launched == !0 >> (64 - 32 * self.halves);
        match seen.filter(|_| all) {
            Some(seen) => {
                let halves = self.halves;
                for &v in seen.iter().filter(|&&v| v >= self.given && v < self.vgprs) {
                    self.registers.v.zero((TEMPS + v) as usize * halves, halves);
                }
            }
            None => {
                let rows = (self.vgprs + PAD - self.given) as usize * self.halves;
                self.registers.v.zero((TEMPS + self.given) as usize * self.halves, rows);
            }
        }
        self.stale = false;
    }

    /// A dword of FLAT_SCRATCH.
    pub fn flat_scratch_word(&self, n: usize) -> u32 {
        self.s.0[FLAT_SCRATCH + (n & 1)]
    }

    pub fn set_flat_scratch_word(&mut self, n: usize, value: u32) {
        self.s.0[FLAT_SCRATCH + (n & 1)] = value;
    }

    /// Address of the wave's private memory, by FLAT_SCRATCH.
    pub fn flat_scratch(&self) -> u64 {
        let (low, high) = (u64::from(self.s.0[FLAT_SCRATCH]), u64::from(self.s.0[FLAT_SCRATCH + 1]));
        match flat_scratch(self.isa) {
            FlatScratch::SizeAndOffset => self.private_base.wrapping_add(high << 8),
            FlatScratch::Address => low | high << 32,
        }
    }

    /// Reports a fault; the operation returns what this returns.
    #[cold]
    pub fn fail(&mut self, kind: FaultKind, lanes: u64) -> bool {
        self.beginning = 0;
        self.trouble = Some(Box::new(Trouble { kind, lanes }));
        true
    }
}
