//! The same work again and again, when all that is made once has been made: what a dispatch takes a program that goes on.

use crate::host::{BufferId, Error, Host, Step};
use std::time::{Duration, Instant};

/// Submissions that are not counted: what the device prepares when code turns out to be hot is ready after them.
const WARM_UP: usize = 3;
/// At least so many are counted, however long they take, and at most.
const LEAST: usize = 3;
const MOST: usize = 10_000;

/// How much a kernel does, where that can be held against what the host does at best.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Work {
    /// Fused multiply-adds of single precision.
    Fmas(u64),
    /// Read and written.
    Bytes(u64),
}

/// What a sample has asked for, so that it can be asked for again.
#[derive(Default)]
pub(crate) struct Kept {
    /// As they were made.
    pub buffers: Vec<(BufferId, Vec<u8>)>,
    pub steps: Vec<Step>,
    /// The last buffer that was read, which is the answer, and its bytes.
    pub answer: Option<(BufferId, Vec<u8>)>,
}

/// What came of it.
pub(crate) struct Steady {
    /// From submission until the device was done, each.
    pub times: Vec<Duration>,
    /// Whether the last answer has the bits of the first.
    pub equal: bool,
}

impl Kept {
    /// Repeats the steps for `budget`. Each time they find the buffers as they were first, and leave the same.
    pub fn again(&self, host: &mut dyn Host, budget: Duration) -> Result<Steady, Error> {
        let mut changed = Vec::new();
        for (buffer, bytes) in &self.buffers {
            if host.read(*buffer)? != *bytes {
                changed.push((*buffer, bytes));
            }
        }
        let recording = host.prepare(&self.steps)?;
        let mut times = Vec::new();
        let mut start = Instant::now();
        for done in 0.. {
            if done == WARM_UP {
                start = Instant::now();
            }
            let counted = usize::saturating_sub(done, WARM_UP);
            if counted == MOST || counted >= LEAST && start.elapsed() >= budget {
                break;
            }
            for (buffer, bytes) in &changed {
                host.write(*buffer, bytes)?;
            }
            let submitted = Instant::now();
            host.submit(recording)?;
            if done >= WARM_UP {
                times.push(submitted.elapsed());
            }
        }
        let equal = match &self.answer {
            Some((buffer, bytes)) => host.read(*buffer)? == *bytes,
            None => true,
        };
        Ok(Steady { times, equal })
    }
}
