//! Events of execution for observers: trace, race detector, coverage, timing.

use super::state::{EXEC, M0, SCC, VCC, Wave};
use wavepipe_isa::Instr;
use wavepipe_isa::row::Space;

/// Sees every instruction before it executes. With [`Silent`] the run loop contains no trace of it.
pub trait Probe {
    /// Whether to call at all; a constant, so that the calls vanish.
    const ACTIVE: bool;

    /// `instr` at `pc` is about to run. Its memory accesses, if any, follow in [`Probe::access`].
    fn issue(&mut self, wave: &WaveView<'_>, pc: u64, instr: &Instr);

    /// The lanes of `mask` are about to access memory at `addresses` (of 64; LDS addresses are offsets).
    fn access(&mut self, _wave: &WaveView<'_>, _space: Space, _mask: u64, _addresses: &[u64; 64]) {}
}

/// Observes nothing.
pub struct Silent;
impl Probe for Silent {
    const ACTIVE: bool = false;
    fn issue(&mut self, _: &WaveView<'_>, _: u64, _: &Instr) {}
}

/// Read access to a wave's registers.
pub struct WaveView<'a>(pub(crate) &'a Wave);

impl WaveView<'_> {
    /// Index in the work-group.
    pub fn index(&self) -> u32 {
        self.0.index
    }

    /// 32 or 64.
    pub fn lanes(&self) -> u32 {
        32 * self.0.halves as u32
    }

    pub fn pc(&self) -> u64 {
        self.0.pc
    }

    /// Live lanes.
    pub fn exec(&self) -> u64 {
        self.0.mask(EXEC)
    }

    pub fn vcc(&self) -> u64 {
        self.0.mask(VCC)
    }

    pub fn scc(&self) -> bool {
        self.0.s.0[SCC] != 0
    }

    pub fn m0(&self) -> u32 {
        self.0.s.0[M0]
    }

    pub fn mode(&self) -> u32 {
        self.0.mode
    }

    /// Messages to the host that the wave has sent.
    pub fn interrupts(&self) -> u32 {
        self.0.interrupts
    }

    /// SGPR `n` (0..=127: with VCC, TTMP, M0 and EXEC by their operand numbers).
    pub fn sgpr(&self, n: u32) -> u32 {
        self.0.s.0[n as usize & 127]
    }

    /// Number of VGPRs.
    pub fn vgprs(&self) -> u32 {
        self.0.vgprs
    }

    /// VGPR `n` of `lane`; zero outside of the wave's registers.
    pub fn vgpr(&self, n: u32, lane: u32) -> u32 {
        if n >= self.0.vgprs || lane >= self.lanes() {
            return 0;
        }
        let row = (super::regs::TEMPS + n) as usize * self.0.halves + (lane / 32) as usize;
        self.0.v.get(row).0[lane as usize % 32]
    }
}
