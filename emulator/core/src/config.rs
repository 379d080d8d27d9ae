//! What the user of the emulated GPU may choose.

use crate::policy::Policy;
use std::sync::Arc;
use std::time::Duration;
use wavepipe_hw::machine::Machine;
use wavepipe_hw::observe::Observe;

/// What an access outside of a work-group's LDS, or of GDS, does.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum OutOfLds {
    /// It is a fault, as the hardware reports a memory violation.
    #[default]
    Fault,
    /// Reads give zero and writes are dropped, as the hardware does when nobody looks at the violation.
    Ignore,
}

bitflags::bitflags! {
    /// What guest code is checked for besides executing it. Where a check observes instructions, the interpreter runs all of them.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
    pub struct GuestChecks: u32 {
        /// Registers are used only when what is on its way there has been waited for.
        const WAIT = 1 << 0;
        /// All of a work-group comes to the same barriers. This is looked at in any case.
        const SYNC = 1 << 1;
        /// Accesses of two invocations to the same memory are ordered, unless both read or both are atomic. One host thread
        /// then runs all work-groups, in their order, so that the same pair is named every time.
        const RACE = 1 << 2;
        /// Buffers are accessed in the range of their descriptors, which somebody has written, and indexes stay inside of arrays:
        /// code is to be compiled so that it tells of them.
        const MEM = 1 << 3;
        /// Nothing is decided by what was never written.
        const INIT = 1 << 4;
        /// Numbers have meaningful results: code is to be compiled so that it tells of those that have none.
        const NUM = 1 << 5;
        /// A finding is a fault of the wave; otherwise it goes on.
        const STOP = 1 << 31;
    }
}

impl GuestChecks {
    /// Checks of which the code itself tells (`wavepipe_hw::site`).
    pub const TOLD: GuestChecks = GuestChecks::MEM.union(GuestChecks::NUM);

    /// Every check but that of numbers: some programs mean an infinity.
    pub const ALL: GuestChecks = GuestChecks::MEM
        .union(GuestChecks::RACE)
        .union(GuestChecks::INIT)
        .union(GuestChecks::SYNC)
        .union(GuestChecks::WAIT);

    /// Name and check; the one list that parsers and messages read.
    pub const NAMES: &[(&str, GuestChecks)] = &[
        ("mem", GuestChecks::MEM),
        ("init", GuestChecks::INIT),
        ("num", GuestChecks::NUM),
        ("race", GuestChecks::RACE),
        ("sync", GuestChecks::SYNC),
        ("wait", GuestChecks::WAIT),
        ("all", GuestChecks::ALL),
        ("stop", GuestChecks::STOP),
    ];
}

#[derive(Clone, Debug, PartialEq)]
pub struct Config {
    /// The card.
    pub machine: Arc<Machine>,
    /// Host threads that run work-groups and the command processor; 0 = all that the host has.
    pub threads: usize,
    /// Longest run of one dispatch before its queue is stopped with a timeout fault; zero = no limit. By default as long
    /// as amdgpu gives compute.
    pub timeout: Duration,
    /// Bytes of video memory.
    pub memory_bytes: u64,
    pub out_of_lds: OutOfLds,
    pub guest_checks: GuestChecks,
    /// What is noted besides.
    pub observe: Observe,
    /// What HIGH and REALTIME queues do to others; `None`: REALTIME tunnels, HIGH limits.
    pub policy: Option<Policy>,
}

impl Default for Config {
    fn default() -> Self {
        Config {
            machine: Machine::standard(),
            threads: 0,
            timeout: Duration::from_secs(60),
            memory_bytes: 8 << 30,
            out_of_lds: OutOfLds::Fault,
            guest_checks: GuestChecks::empty(),
            observe: Observe::empty(),
            policy: None,
        }
    }
}

impl Config {
    /// `threads` with 0 resolved; one where races are looked for ([`GuestChecks::RACE`]) or writers are noted
    /// ([`Observe::WRITERS`]).
    pub fn host_threads(&self) -> usize {
        match self.threads {
            _ if self.guest_checks.contains(GuestChecks::RACE) || self.observe.contains(Observe::WRITERS) => 1,
            0 => std::thread::available_parallelism().map_or(1, |n| n.get()),
            n => n,
        }
    }
}
