//! Address translation: a small TLB for each compute unit and one for each work-group processor's scalar side, a large one
//! of the machine behind them, page walks behind that.
//!
//! Caches are looked up while the address is translated, and the first level covers what they hold: only its misses cost.

use super::cache::Tags;
use wavepipe_hw::machine::Machine;

/// Ways of the machine's TLB.
const WAYS: u64 = 16;

pub(super) struct Tlbs {
    first: Vec<Tags>,
    /// Page of each first level's last translation, which is still there.
    last: Vec<u64>,
    second: Tags,
    page_shift: u32,
    hit: u64,
    walk: u64,
}

impl Tlbs {
    /// `users` first levels.
    pub(super) fn new(machine: &Machine, users: usize) -> Tlbs {
        let tlb = &machine.tlb;
        Tlbs {
            first: vec![Tags::new(1, tlb.l1_entries.value); users],
            last: vec![u64::MAX; users],
            second: Tags::new(tlb.l2_entries.value.div_ceil(WAYS), WAYS),
            page_shift: tlb.page.value.trailing_zeros(),
            hit: machine.cycles(tlb.l2_hit_ns.value),
            walk: machine.cycles(tlb.walk_ns.value),
        }
    }

    /// When `user` knows the physical address of `va`, which it asks for at `at`; and whether it knew it already.
    pub(super) fn translate(&mut self, at: u64, user: usize, va: u64) -> (u64, bool) {
        let page = va >> self.page_shift;
        if self.last[user] == page {
            return (at, true);
        }
        if let Some(place) = self.first[user].look(0, page, true) {
            if place.ready <= at {
                self.last[user] = page;
                return (at, true);
            }
            return (place.ready, false);
        }
        let set = self.second.set(page);
        let at = at + self.hit;
        let ready = match self.second.look(set, page, true) {
            Some(place) => at.max(place.ready),
            None => {
                self.second.fill(set, page, at + self.walk, true);
                at + self.walk
            }
        };
        self.first[user].fill(0, page, ready, true);
        // The page that went may be the last one.
        self.last[user] = u64::MAX;
        (ready, false)
    }
}
