//! Waves: state and execution.

use crate::memory::MemoryMap;
use std::ops::Range;
use std::sync::Arc;
use wavepipe_hw::code::{SystemSgprs, WaveSize};
use wavepipe_hw::fault::{FaultKind, WaveSite};

/// One dispatch's launch state, decoded from the SH registers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Launch {
    /// Address of the first instruction.
    pub code_va: u64,
    pub wave: WaveSize,
    /// Registers allocated to each wave.
    pub vgprs: u32,
    pub sgprs: u32,
    /// LDS bytes of a work-group.
    pub lds_bytes: u32,
    /// MODE register at launch.
    pub mode: u32,
    pub user_data: [u32; 16],
    /// How many of `user_data` go to SGPRs.
    pub user_sgprs: u32,
    pub system: SystemSgprs,
    pub tidig_comp_cnt: u32,
    /// Work-items of a work-group.
    pub workgroup: [u32; 3],
    pub scratch_bytes_per_wave: u32,
}

/// A fault of a wave: what, and where.
#[derive(Clone, Debug)]
pub struct WaveFault {
    pub kind: FaultKind,
    pub site: Option<WaveSite>,
}

/// How [`WorkGroup::run`] came back.
pub enum Outcome {
    /// Every wave ended.
    Done,
    /// The budget is used up; call `run` again.
    Budget,
    Fault(Box<WaveFault>),
}

/// A work-group: waves, registers, LDS, barrier state. Reusable: `start` keeps allocations.
#[derive(Default)]
pub struct WorkGroup {}

impl WorkGroup {
    pub fn new() -> Self {
        Self::default()
    }

    /// Resets to the launch state of work-group `id`. `scratch_wave_offset`: of wave 0, bytes.
    pub fn start(&mut self, _launch: &Arc<Launch>, _id: [u32; 3], _scratch_wave_offset: u32) {}

    /// Runs until every wave ended, or `budget` wave-instructions were executed, or a fault.
    pub fn run(&mut self, _map: &MemoryMap, _code: &CodeCache, _budget: u64) -> Outcome {
        Outcome::Done
    }

    /// Wave-instructions since last asked.
    pub fn instructions(&mut self) -> u64 {
        0
    }

    /// Where a wave that has not ended stands; for timeout reports.
    pub fn site(&self) -> Option<WaveSite> {
        None
    }
}

/// Decoded code, shared by all work-groups.
#[derive(Default)]
pub struct CodeCache {}

impl CodeCache {
    pub fn new() -> Self {
        Self::default()
    }

    /// Forgets what was decoded from these addresses.
    pub fn invalidate(&self, _range: Range<u64>) {}
}
