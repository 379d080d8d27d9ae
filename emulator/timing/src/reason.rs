//! Why a wave waits: what the engine finds, observers see and profiles count.

use wavepipe_isa::wait::Counter;

/// Why a wave could not issue earlier.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[repr(usize)]
pub enum Reason {
    /// It could: it issued in the cycle after its last instruction, or another wave went first.
    Arbitration,
    /// Its unit, or path to memory, was still busy with instructions of other waves, or its own.
    Unit,
    /// A result of a vector instruction was not ready.
    Vector,
    /// A result of a scalar instruction was not ready.
    Scalar,
    /// S_WAITCNT, by counter.
    WaitVm,
    WaitLgkm,
    WaitVs,
    /// A counter was full, or the memory pipe took no more.
    Memory,
    /// Instructions were not there.
    Fetch,
    /// After a branch.
    Branch,
    Barrier,
    /// S_SLEEP, S_NOP, messages, hardware registers.
    Idle,
    /// Its registers were being written at launch, or saved and restored.
    Launch,
}

/// How many there are.
pub const REASONS: usize = 13;

impl Reason {
    pub const ALL: [Reason; REASONS] = [
        Reason::Arbitration,
        Reason::Unit,
        Reason::Vector,
        Reason::Scalar,
        Reason::WaitVm,
        Reason::WaitLgkm,
        Reason::WaitVs,
        Reason::Memory,
        Reason::Fetch,
        Reason::Branch,
        Reason::Barrier,
        Reason::Idle,
        Reason::Launch,
    ];

    /// Of a wait for a counter. Nothing that has a time here counts on EXPCNT.
    pub fn of(counter: Counter) -> Reason {
        match counter {
            Counter::Vm => Reason::WaitVm,
            Counter::Exp | Counter::Lgkm => Reason::WaitLgkm,
            Counter::Vs => Reason::WaitVs,
        }
    }

    pub fn name(self) -> &'static str {
        match self {
            Reason::Arbitration => "other waves first",
            Reason::Unit => "unit busy",
            Reason::Vector => "vector result",
            Reason::Scalar => "scalar result",
            Reason::WaitVm => Counter::Vm.name(),
            Reason::WaitLgkm => Counter::Lgkm.name(),
            Reason::WaitVs => Counter::Vs.name(),
            Reason::Memory => "memory pipe",
            Reason::Fetch => "fetch",
            Reason::Branch => "branch",
            Reason::Barrier => "barrier",
            Reason::Idle => "sleep and messages",
            Reason::Launch => "launch",
        }
    }
}
