//! What waves share with the rest of their device, memory aside.

use super::check::executed::Totals;
use super::check::init::Contents;
use super::check::races::{Shadow, Shadows};
use super::check::touches::Touches;
use super::check::writers::Written;
use super::findings::Findings;
use crate::config::{GuestChecks, OutOfLds};
use crate::gds::Gds;
use crate::memory::Placements;
use parking_lot::Mutex;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;
use wavepipe_hw::given::Given;
use wavepipe_hw::machine::Machine;
use wavepipe_hw::observe::Observe;

/// One device's shared parts.
#[derive(Default)]
pub struct Device {
    pub gds: Gds,
    /// What happens to an access outside of LDS or GDS.
    pub out_of_lds: OutOfLds,
    /// What every instruction is checked for.
    pub checks: GuestChecks,
    /// What is noted besides, and who wrote what.
    pub observe: Observe,
    pub written: Arc<Written>,
    /// What of a program's memory nobody has written.
    pub contents: Contents,
    /// Whether anybody reads the thread trace.
    pub thread_trace: bool,
    pub clock: ReferenceClock,
    /// What programs have placed in memory.
    pub placed: Arc<Placements>,
    /// Of dispatches that are over, if races are looked for.
    pub shadows: Shadows,
}

impl Device {
    /// A packet has written these bytes.
    pub(crate) fn command_wrote(&self, va: u64, bytes: u64) {
        self.written.command(va, bytes);
        self.contents.write(va, bytes);
    }

    /// A packet has copied these bytes, with what nobody wrote among them.
    pub(crate) fn command_copied(&self, from: u64, to: u64, bytes: u64) {
        self.written.command(to, bytes);
        self.contents.copy(from, to, bytes);
    }
}

/// The free-running clock that S_MEMREALTIME and timestamps read.
pub struct ReferenceClock {
    powered_on: Instant,
    hz: u64,
}

impl ReferenceClock {
    /// Begins to run now.
    pub fn new(machine: &Machine) -> ReferenceClock {
        ReferenceClock { powered_on: Instant::now(), hz: machine.reference_hz() }
    }

    /// Ticks since power-on.
    pub fn now(&self) -> u64 {
        (self.powered_on.elapsed().as_nanos() * u128::from(self.hz) / 1_000_000_000) as u64
    }
}

impl Default for ReferenceClock {
    fn default() -> Self {
        Self::new(&Machine::standard())
    }
}

/// What the waves of a dispatch share: the order in which they pass DS_ORDERED_COUNT (by work-group, and in it by wave), and
/// what was found wrong with them.
#[derive(Clone, Default)]
pub struct Passage(Arc<Shared>);

#[derive(Default)]
struct Shared {
    turn: AtomicU64,
    findings: Findings,
    /// Who accessed what, if races are looked for; made with the first access.
    shadow: Mutex<Option<Box<Shadow>>>,
    /// How often instructions ran, if that is counted.
    executed: Mutex<Totals>,
    /// What is accessed, if that is noted.
    touches: Touches,
    /// What its kernel is given, if the driver said so.
    given: Option<Given>,
}

/// Waves of a work-group that the order can number.
const WAVES: u64 = 1 << 16;

impl Passage {
    /// Of a dispatch whose kernel is given this.
    pub(crate) fn given(given: Given) -> Passage {
        Passage(Arc::new(Shared { given: Some(given), ..Shared::default() }))
    }

    /// Whether it is the turn of this wave, or was before.
    pub(crate) fn open(&self, group: u64, wave: u32) -> bool {
        self.0.turn.load(Ordering::Acquire) >= group * WAVES + u64::from(wave)
    }

    /// Lets the wave after this one pass; `waves` has its work-group.
    pub(crate) fn release(&self, group: u64, wave: u32, waves: u32) {
        let last = wave + 1 >= waves;
        let next = if last { (group + 1) * WAVES } else { group * WAVES + u64::from(wave) + 1 };
        self.0.turn.fetch_max(next, Ordering::AcqRel);
    }

    /// Whose turn it is.
    pub(crate) fn turn(&self) -> u64 {
        self.0.turn.load(Ordering::Acquire)
    }

    /// Goes back to a turn.
    pub(crate) fn set_turn(&self, turn: u64) {
        self.0.turn.store(turn, Ordering::Release);
    }

    pub(crate) fn findings(&self) -> &Findings {
        &self.0.findings
    }

    pub(crate) fn shadow(&self) -> &Mutex<Option<Box<Shadow>>> {
        &self.0.shadow
    }

    pub(crate) fn executed(&self) -> &Mutex<Totals> {
        &self.0.executed
    }

    pub(crate) fn touches(&self) -> &Touches {
        &self.0.touches
    }

    pub(crate) fn what_is_given(&self) -> Option<&Given> {
        self.0.given.as_ref()
    }

    /// Whether they are one dispatch's.
    pub(crate) fn is(&self, other: &Passage) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// Begins again with the first, and nothing found.
    pub(crate) fn reset(&self) {
        self.0.turn.store(0, Ordering::Release);
        self.0.findings.take();
        self.0.shadow.lock().take();
        self.0.executed.lock().clear();
        self.0.touches.take(0);
    }
}
