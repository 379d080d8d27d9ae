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

#[cfg(test)]
mod tests {
    use super::*;
    use GlobalPriority::*;

    const ALL: [GlobalPriority; 4] = [Low, Medium, High, Realtime];

    fn at(global: GlobalPriority) -> Rank {
        Rank { global, priority: 7 }
    }

    #[test]
    fn by_default_realtime_tunnels_and_high_limits() {
        let beside = |own, other| standing(None, at(own), Some(at(other)));
        assert_eq!(beside(Medium, Realtime), Standing::Suspended);
        assert_eq!(beside(High, Realtime), Standing::Suspended);
        assert_eq!(beside(Medium, High), Standing::Held);
        assert_eq!(beside(Low, Medium), Standing::Runs);
    }

    #[test]
    fn a_choice_counts_for_high_and_realtime_and_for_nobody_else() {
        for other in [High, Realtime] {
            let chosen = |p| standing(Some(p), at(Medium), Some(at(other)));
            assert_eq!(chosen(Policy::Share), Standing::Runs);
            assert_eq!(chosen(Policy::Limit), Standing::Held);
            assert_eq!(chosen(Policy::Tunnel), Standing::Suspended);
        }
        assert_eq!(standing(Some(Policy::Tunnel), at(Low), Some(at(Medium))), Standing::Runs);
    }

    #[test]
    fn nobody_is_held_back_by_an_equal_or_a_lower_one() {
        for choice in [None, Some(Policy::Share), Some(Policy::Limit), Some(Policy::Tunnel)] {
            for own in ALL {
                assert_eq!(standing(choice, at(own), None), Standing::Runs);
                for other in ALL.into_iter().filter(|o| *o <= own) {
                    let highest = Rank { global: other, priority: 15 };
                    let own = Rank { global: own, priority: 0 };
                    assert_eq!(standing(choice, own, Some(highest)), Standing::Runs);
                }
            }
        }
    }

    #[test]
    fn weights_follow_ranks_below_high() {
        let ranks = [Low, Medium].into_iter().flat_map(|global| (0..16).map(move |priority| Rank { global, priority }));
        let ranks: Vec<_> = ranks.collect();
        assert!(ranks.windows(2).all(|w| w[0] < w[1] && w[0].weight() <= w[1].weight()));
        assert_eq!(ranks[31].weight(), Rank::MAX_WEIGHT);
    }
}
