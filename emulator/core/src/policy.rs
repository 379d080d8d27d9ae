//! Who goes first when queues compete, as one pure function: the functional scheduler and the timing engine both ask it.
//!
//! Asynchronous compute tunneling (RDNA whitepaper, figure 5) knows three policies for a dispatch that arrives on a
//! high-priority queue while other work fills the machine: share, limit and tunnel. Only HIGH and REALTIME queues hold
//! back others, and only those of lower global priority. The priority within a global priority (pQueuePriorities)
//! orders and weighs, and holds back nobody.

use wavepipe_hw::port::GlobalPriority;

/// What HIGH and REALTIME queues do to queues of lower global priority while they have work that could run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Policy {
    /// Nothing: all share the machine by weight.
    Share,
    /// The others start no new work-groups; their resident ones drain.
    Limit,
    /// The others' waves are suspended with all their state, and resume when the high-priority work is done.
    Tunnel,
}

/// What a queue's work may do while others have work.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Standing {
    Runs,
    /// Starts no new work-groups; resident ones go on.
    Held,
    Suspended,
}

/// A queue's claim on the machine; the greater goes first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Rank {
    pub global: GlobalPriority,
    /// 0..=15 among queues of the same global priority.
    pub priority: u32,
}

impl Rank {
    pub const MAX_WEIGHT: u64 = 256;

    /// Share of the machine beside others that run too: any MEDIUM queue weighs at least what any LOW one does. HIGH and
    /// REALTIME are no heavier, since what they do beyond that is the policy's choice.
    pub fn weight(self) -> u64 {
        let scale = if self.global == GlobalPriority::Low { 1 } else { 16 };
        scale * (u64::from(self.priority) + 1)
    }
}

/// What a queue of rank `own` may do while `highest` is the highest rank among the others that have work which could
/// run. Work that waits for memory, or for dispatches of its own queue, does not count: it may be waiting for `own`.
///
/// `choice`: for all HIGH and REALTIME queues; `None` lets REALTIME tunnel and HIGH limit.
///
/// On compute units that are reserved for it, a queue always runs; callers ask for the rest of the machine only.
pub fn standing(choice: Option<Policy>, own: Rank, highest: Option<Rank>) -> Standing {
    let Some(global) = highest.map(|rank| rank.global).filter(|global| *global > own.global) else {
        return Standing::Runs;
    };
    let policy = match global {
        GlobalPriority::Low | GlobalPriority::Medium => Policy::Share,
        GlobalPriority::High => choice.unwrap_or(Policy::Limit),
        GlobalPriority::Realtime => choice.unwrap_or(Policy::Tunnel),
    };
    match policy {
        Policy::Share => Standing::Runs,
        Policy::Limit => Standing::Held,
        Policy::Tunnel => Standing::Suspended,
    }
}
