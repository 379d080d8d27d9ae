//! Clocks for limits in tests. A limit on work counts processor time, which other programs on the host do not change; a limit by the
//! clock only ends what hangs. The crates' suites include this file.
#![allow(dead_code)]

use rustix::time::{ClockId, clock_gettime};
use std::time::{Duration, Instant};

/// Limit by the clock that only a hang exceeds, on a busy machine and without optimisation too. It measures no speed.
pub const PATIENCE: Duration = Duration::from_secs(300);
/// [`PATIENCE`] in nanoseconds, as Vulkan counts.
pub const PATIENCE_NS: u64 = PATIENCE.as_nanos() as u64;

fn read(clock: ClockId) -> Duration {
    let time = clock_gettime(clock);
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

/// Reads what the calling thread has had of a processor.
pub fn thread_time() -> Duration {
    read(ClockId::ThreadCPUTime)
}

/// Reads what all threads of this process have had of processors.
pub fn process_time() -> Duration {
    read(ClockId::ProcessCPUTime)
}

/// Runs `work` and returns `times` its duration, at least `least`: a limit by the clock that the same work keeps on a busy host.
pub fn ample(least: Duration, times: u32, work: impl FnOnce()) -> Duration {
    let begin = Instant::now();
    work();
    let limit = (times * begin.elapsed()).clamp(least, PATIENCE / 4);
    // Reports have whole milliseconds.
    Duration::from_millis(limit.as_millis() as u64)
}
