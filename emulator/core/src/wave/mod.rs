//! Waves: state and execution.
//!
//! - [`beginning`]: launch state. [`group`]: the run loop. [`turn`]: one wave's part of it. [`block`]: bytes to blocks of resolved operations, cached.
//! - [`lower`]: one instruction to one operation. [`op`], [`regs`], [`state`]: what operations work on.
//! - [`table`]: the host function of every row; `wavepipe-lanes`, [`scalar`], [`cross`], [`control`], [`mem`]: those functions;
//!   [`hwreg`]: the registers of S_GETREG and S_SETREG;
//!   [`exact`]: vector operations where MODE is unusual;
//!   [`hot`]: what runs often; [`region`]: the code from there on, and the engine of host code that may take it; [`made`]: what that has made; [`access`]:
//!   what of memory such code reaches by itself;
//!   [`modify`]: DPP, SDWA and source and result modifiers around a plain vector operation; [`prepare`]: the common ones
//!   of them by vector code.
//! - [`meeting`]: when a barrier opens, and who did not come to it.
//! - [`stretch`]: what of a block is only computing, and shown to observers as a whole.
//! - [`step`]: the same, one instruction at a time, for a machine with a clock of its own.
//! - [`keep`]: the state of a work-group kept and put back.
//! - [`unwritten`]: what a program may read of its registers without having written them.
//! - [`together`]: the parts of waves that all go on at the same place.
//! - [`touched`]: what host code changes of a wave, which is what the next one in its place has to be given anew.
//! - [`thread_trace`]: what waves send to it.
//! - [`device`]: what all waves of a device share besides memory.
//! - [`check`]: observers that hold code to what silicon asks of it. [`findings`]: what they find in a dispatch. [`probe`]: what
//!   observers see. [`report`]: what faults say.
//!
//! Invariant: executing a block takes no lock (only GWS does, one an instruction), allocates nothing and compares no strings.
//! A block that is not among a work-group's last ([`block`]'s front) takes the code cache's lock to be found.
//! Invariant: nothing a guest does reaches a panic; indices are checked, masked, or proved when the block is decoded.

mod access;
mod across;
mod beginning;
mod block;
pub(crate) mod check;
mod control;
mod cross;
mod device;
mod env;
mod exact;
pub(crate) mod findings;
mod group;
mod hot;
mod hwreg;
mod indexed;
mod keep;
mod lower;
mod made;
mod meeting;
pub(crate) mod mem;
mod modify;
mod op;
mod prepare;
mod probe;
mod region;
mod regs;
mod report;
mod scalar;
mod state;
mod step;
mod stretch;
mod table;
mod thread_trace;
mod together;
pub(crate) mod touched;
mod turn;
mod unwritten;

pub use access::{Access, Element, Fetch, Motion, Origin, Part, Piece, Private, Slot};
pub use across::{Across, Dead, Shared, Which};
pub use block::CodeCache;
pub(crate) use check::executed::list as executed;
pub use check::writers::Written;
pub use cross::below;
pub use device::{Device, Passage, ReferenceClock};
pub use env::TexelTouch;
pub use group::WorkGroup;
pub use hot::{Operand, Step};
pub use keep::{GroupState, WaveStatus};
pub use mem::{Cut, CutOff, Reach, Stored};
pub use prepare::{Finish, Movement, Shape};
pub use probe::{Issue, Probe, Silent, WaveView};
pub use region::{
    Act, Asked, Call, End, Entry, Halt, HostCode, HostFrame, HostRun, NoCode, Node, Region, Way, What, When,
};
pub use step::{BlockCode, Flow, Outside, Touch};
pub use stretch::Stretch;

use wavepipe_hw::code::{SystemSgprs, WaveSize};
use wavepipe_hw::fault::{FaultKind, WaveSite};
use wavepipe_isa::{Gen, Instr};

/// What becomes of an instruction when a wave reaches it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Execution {
    Executes,
    /// An illegal-instruction fault: an operand that no hardware accepts, or no business of a compute wave.
    Illegal,
    /// Known to the decoder only.
    Unimplemented,
}

/// What a wave does with the instruction, by the lowering that the run loop itself uses.
pub fn execution(instr: &Instr, isa: Gen, wave: WaveSize) -> Execution {
    let mut lower = lower::Lower {
        tables: table::tables(),
        isa,
        vectors: Default::default(),
        halves: (wave.lanes() / 32) as usize,
        unusual: Default::default(),
        pool: Default::default(),
        vgprs: 0,
    };
    match lower.lower(instr, 0) {
        Ok(_) => Execution::Executes,
        Err(lower::Refused::Illegal) => Execution::Illegal,
        Err(lower::Refused::Unimplemented) => Execution::Unimplemented,
    }
}

/// One dispatch's launch state, decoded from the SH registers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Launch {
    /// The instruction set of its code: the device's.
    pub isa: Gen,
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
    /// Address of the border colour table, 16 bytes a colour.
    pub border_colors: u64,
    /// Address that FLAT_SCRATCH counts from, where it has an offset.
    pub private_base: u64,
}

impl Launch {
    /// A work-group of one wave that is given nothing, with MODE as kernels of the Vulkan driver have it: for tests and
    /// measurements to begin with.
    pub fn of_one_wave(isa: Gen, code_va: u64, wave: WaveSize) -> Launch {
        Launch {
            isa,
            code_va,
            wave,
            vgprs: 64,
            sgprs: 104,
            lds_bytes: 0,
            mode: 0x1f0,
            user_data: [0; 16],
            user_sgprs: 0,
            system: SystemSgprs::default(),
            tidig_comp_cnt: 0,
            workgroup: [wave.lanes(), 1, 1],
            scratch_bytes_per_wave: 0,
            border_colors: 0,
            private_base: 0,
        }
    }
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
