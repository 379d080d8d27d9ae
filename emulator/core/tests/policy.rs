//! Which queue goes first when queues compete.

use GlobalPriority::*;
use wavepipe_core::policy::{Policy, Rank, Standing, standing};
use wavepipe_hw::port::GlobalPriority;

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
