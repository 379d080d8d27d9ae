//! The GPU's clock beside the host's (VK_KHR_calibrated_timestamps).

use crate::device::Device;
#[cfg(not(target_family = "wasm"))]
use rustix::time::{ClockId, clock_gettime};

/// A clock that timestamps can be of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimeDomain {
    /// What timestamp queries write, in ticks of `machine::Info::timestamp_hz`.
    Device,
    /// The host's, in nanoseconds.
    Monotonic,
    MonotonicRaw,
}

/// The one clock of WebAssembly's host, under both names.
#[cfg(target_family = "wasm")]
enum ClockId {
    Monotonic,
    MonotonicRaw,
}

#[cfg(target_family = "wasm")]
fn nanoseconds(_clock: ClockId) -> u64 {
    static BEGIN: std::sync::OnceLock<std::time::Instant> = std::sync::OnceLock::new();
    BEGIN.get_or_init(std::time::Instant::now).elapsed().as_nanos() as u64
}

#[cfg(not(target_family = "wasm"))]
fn nanoseconds(clock: ClockId) -> u64 {
    let t = clock_gettime(clock);
    t.tv_sec as u64 * 1_000_000_000 + t.tv_nsec as u64
}

impl Device {
    /// All clocks as if at one time, and how many nanoseconds at most lie between any two of them: the time that reading
    /// took, and a tick of the slowest.
    pub fn calibrated_timestamps(&self, domains: &[TimeDomain]) -> (Vec<u64>, u64) {
        let begin = nanoseconds(ClockId::MonotonicRaw);
        let read = |domain: &TimeDomain| match domain {
            TimeDomain::Device => self.clock(),
            TimeDomain::Monotonic => nanoseconds(ClockId::Monotonic),
            TimeDomain::MonotonicRaw => nanoseconds(ClockId::MonotonicRaw),
        };
        let times = domains.iter().map(read).collect();
        (times, nanoseconds(ClockId::MonotonicRaw) - begin + 1_000_000_000 / self.config().machine.reference_hz())
    }
}
