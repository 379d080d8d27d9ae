//! Address translation: a small TLB for each compute unit and one for each work-group processor's scalar side, a large one
//! of the machine behind them, page walks behind that.
//!
//! Caches are looked up while the address is translated: only a miss of the first level costs. Each TLB holds any pages, the
//! least recently used goes: a list in order of use, found through chains by the page's number.

use wavepipe_hw::machine::Machine;

pub(super) struct Tlbs {
    first: Vec<Pages>,
    second: Pages,
    page_shift: u32,
    hit: u64,
    walk: u64,
}

impl Tlbs {
    /// `users` first levels.
    pub(super) fn new(machine: &Machine, users: usize) -> Tlbs {
        let tlb = &machine.tlb;
        Tlbs {
            first: (0..users).map(|_| Pages::new(tlb.l1_entries.value as usize)).collect(),
            second: Pages::new(tlb.l2_entries.value as usize),
            page_shift: tlb.page.value.trailing_zeros(),
            hit: machine.cycles(tlb.l2_hit_ns.value),
            walk: machine.cycles(tlb.walk_ns.value),
        }
    }

    /// When `user` knows the physical address of `va`, which it asks for at `at`; and whether it knew it already.
    pub(super) fn translate(&mut self, at: u64, user: usize, va: u64) -> (u64, bool) {
        let page = va >> self.page_shift;
        let first = &mut self.first[user];
        if let Some(ready) = first.look(page) {
            return (at.max(ready), ready <= at);
        }
        let asked = at + self.hit;
        let ready = match self.second.look(page) {
            Some(ready) => asked.max(ready),
            None => {
                self.second.put(page, asked + self.walk);
                asked + self.walk
            }
        };
        first.put(page, ready);
        (ready, false)
    }
}

/// One TLB: entries in order of use, as a ring of links through `entries[0]`, which holds no page.
pub struct Pages {
    entries: Box<[Entry]>,
    /// First entry of each chain of pages; 0 is none. A power of two.
    chains: Box<[u32]>,
    used: usize,
}

#[derive(Clone, Copy, Default)]
struct Entry {
    page: u64,
    ready: u64,
    /// Neighbours in order of use.
    newer: u32,
    older: u32,
    /// The next of the chain.
    next: u32,
}

impl Pages {
    pub fn new(entries: usize) -> Pages {
        let chains = (entries * 2).next_power_of_two();
        Pages { entries: vec![Entry::default(); entries + 1].into(), chains: vec![0; chains].into(), used: 0 }
    }

    fn chain(&self, page: u64) -> usize {
        // Pages come in runs and in strides of powers of two: all bits take part.
        let folded = page ^ page >> 7 ^ page >> 15 ^ page >> 26;
        folded as usize & (self.chains.len() - 1)
    }

    /// When the page's translation is there, if it was asked for. It becomes the most recently used.
    pub fn look(&mut self, page: u64) -> Option<u64> {
        let newest = self.entries[0].older;
        if newest != 0 && self.entries[newest as usize].page == page {
            return Some(self.entries[newest as usize].ready);
        }
        let mut at = self.chains[self.chain(page)];
        while at != 0 && self.entries[at as usize].page != page {
            at = self.entries[at as usize].next;
        }
        if at == 0 {
            return None;
        }
        self.unlink(at);
        self.link_newest(at);
        Some(self.entries[at as usize].ready)
    }

    /// Puts a page, which is not there, in place of the least recently used one.
    pub fn put(&mut self, page: u64, ready: u64) {
        let at = if self.used + 1 < self.entries.len() {
            self.used += 1;
            self.used as u32
        } else {
            let oldest = self.entries[0].newer;
            self.unlink(oldest);
            self.unchain(oldest);
            oldest
        };
        let chain = self.chain(page);
        let entry = &mut self.entries[at as usize];
        (entry.page, entry.ready, entry.next) = (page, ready, self.chains[chain]);
        self.chains[chain] = at;
        self.link_newest(at);
    }

    fn unchain(&mut self, at: u32) {
        let chain = self.chain(self.entries[at as usize].page);
        let next = self.entries[at as usize].next;
        if self.chains[chain] == at {
            self.chains[chain] = next;
            return;
        }
        let mut before = self.chains[chain];
        while self.entries[before as usize].next != at {
            before = self.entries[before as usize].next;
        }
        self.entries[before as usize].next = next;
    }

    fn unlink(&mut self, at: u32) {
        let Entry { newer, older, .. } = self.entries[at as usize];
        self.entries[newer as usize].older = older;
        self.entries[older as usize].newer = newer;
    }

    fn link_newest(&mut self, at: u32) {
        let newest = self.entries[0].older;
        self.entries[at as usize].newer = 0;
        self.entries[at as usize].older = newest;
        self.entries[newest as usize].newer = at;
        self.entries[0].older = at;
    }
}
