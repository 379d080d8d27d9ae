//! The hierarchy beside a plain one: lists of lines in order of use, no time. What hits and what misses, on each level, must
//! be the same for random accesses.

use wavepipe_hw::machine::{Cache, Machine};
use wavepipe_isa::Gen;
use wavepipe_isa::cache::Access;
use wavepipe_timing::memory::{Hierarchy, Invalidate, Kind, VectorAccess};

/// Sets of lines, the next to go first; with each, whether it was kept.
struct Lists {
    sets: Vec<Vec<(u64, bool)>>,
    ways: usize,
}

impl Lists {
    fn new(figures: &Cache, instances: u64) -> Lists {
        let sets = instances * figures.bytes.value / figures.line.value / figures.ways.value;
        Lists { sets: vec![Vec::new(); sets as usize], ways: figures.ways.value as usize }
    }

    /// Whether the line was there. `keep`: it is the last to go now; or else it goes before all that are kept, if it is new.
    fn touch(&mut self, set: usize, line: u64, fill: bool, keep: bool) -> bool {
        let set = &mut self.sets[set];
        let at = set.iter().position(|(l, _)| *l == line);
        match at {
            Some(at) if keep => {
                set.remove(at);
                set.push((line, true));
            }
            None if fill => {
                if set.len() == self.ways {
                    set.remove(0);
                }
                let streamed = set.iter().filter(|(_, kept)| !kept).count();
                set.insert(if keep { set.len() } else { streamed }, (line, keep));
            }
            _ => {}
        }
        at.is_some()
    }

    fn drop(&mut self, set: usize, line: u64) {
        self.sets[set].retain(|(l, _)| *l != line);
    }
}

/// The plain hierarchy of the RX 5700 XT.
struct Plain {
    l0: Vec<Lists>,
    l1: Vec<Lists>,
    l2: Lists,
}

/// Ten compute units share an array.
fn array(cu: usize) -> usize {
    cu / 10
}

impl Plain {
    fn new(machine: &Machine) -> Plain {
        Plain {
            l0: (0..40).map(|_| Lists::new(&machine.l0, 1)).collect(),
            l1: (0..4).map(|_| Lists::new(machine.l1.as_ref().unwrap(), 1)).collect(),
            l2: Lists::new(&machine.l2, 16),
        }
    }

    /// Set of a line among those of all slices: 256 bytes, two lines, go to each of 16 slices in turn, and within a slice the
    /// sets take turns.
    fn l2_set(line: u64) -> usize {
        let (row, column) = (line / 32, line / 2 % 16);
        // The row turns the order of the slices by the sum (exclusive or) of its hexadecimal digits.
        let turn = (0..16).fold(0, |t, digit| t ^ row >> (4 * digit) & 15);
        let slice = column ^ turn;
        (slice * 128 + (row * 2 + line % 2) % 128) as usize
    }

    /// Hits and misses of L0, L1, L2.
    fn load(&mut self, cu: usize, line: u64, glc: bool, slc: bool, dlc: bool) -> [(u16, u16); 3] {
        let mut met = [(0, 0); 3];
        let count = |met: &mut (u16, u16), hit: bool| if hit { met.0 += 1 } else { met.1 += 1 };
        let set = (line % 32) as usize;
        if glc {
            self.l0[cu].drop(set, line);
        }
        let hit = self.l0[cu].touch(set, line, !glc, true);
        count(&mut met[0], hit);
        if hit {
            return met;
        }
        let (l1, set) = (&mut self.l1[array(cu)], (line % 64) as usize);
        let bypass = dlc || glc && slc;
        if bypass {
            l1.drop(set, line);
        }
        let hit = l1.touch(set, line, !bypass, true);
        count(&mut met[1], hit);
        if hit {
            return met;
        }
        count(&mut met[2], self.l2.touch(Self::l2_set(line), line, true, !slc));
        met
    }

    fn store(&mut self, cu: usize, line: u64, glc: bool, slc: bool) -> [(u16, u16); 3] {
        let set = (line % 32) as usize;
        match glc {
            true => self.l0[cu].drop(set, line),
            false => drop(self.l0[cu].touch(set, line, false, true)),
        }
        self.l1[array(cu)].drop((line % 64) as usize, line);
        let hit = self.l2.touch(Self::l2_set(line), line, true, !slc);
        [(0, 0), (0, 0), if hit { (1, 0) } else { (0, 1) }]
    }

    fn atomic(&mut self, cu: usize, line: u64, slc: bool) -> [(u16, u16); 3] {
        self.l0[cu].drop((line % 32) as usize, line);
        self.l1[array(cu)].drop((line % 64) as usize, line);
        let hit = self.l2.touch(Self::l2_set(line), line, true, !slc);
        [(0, 0), (0, 0), if hit { (1, 0) } else { (0, 1) }]
    }
}

#[test]
fn hits_and_misses_are_those_of_plain_lists() {
    let machine = Machine::default();
    let mut state = 99u64;
    let mut random = |n: u64| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) % n
    };
    // Working sets about the size of L0, L1 and L2.
    for (lines, cus, steps) in [(200, 2, 20_000), (2_000, 20, 40_000), (50_000, 40, 150_000)] {
        let (mut hierarchy, mut plain) = (Hierarchy::new(&machine), Plain::new(&machine));
        let mut now = 0;
        for step in 0..steps {
            let (cu, line) = (random(cus) as usize, random(lines));
            let [glc, slc, dlc] = [random(20) == 0, random(20) == 0, random(20) == 0];
            let kind = match random(10) {
                0 | 1 => Kind::Store,
                2 => Kind::Atomic { returns: glc },
                _ => Kind::Load,
            };
            let told = match kind {
                Kind::Store => Access::Store,
                Kind::Atomic { .. } => Access::Atomic,
                Kind::Load => Access::Load,
            };
            let word = u8::from(glc) | u8::from(slc) << 1 | u8::from(dlc) << 2;
            let cache = wavepipe_isa::cache::Cache::of(told, word, Gen::Gfx1010);
            // Stores write whole lines: a line of which L2 has parts is another test's.
            let at = std::array::from_fn(|lane| line * 128 + 4 * lane as u64);
            let access = VectorAccess { at: &at, mask: u32::MAX, bytes: 4, kind, cache, texture: None };
            let reply = hierarchy.vector(now, cu, &access);
            // The next comes when all is done: nothing is in flight.
            now = reply.done.max(reply.taken);
            let expected = match kind {
                Kind::Load => plain.load(cu, line, glc, slc, dlc),
                Kind::Store => plain.store(cu, line, glc, slc),
                Kind::Atomic { .. } => plain.atomic(cu, line, slc),
            };
            let met = [0, 1, 2].map(|level| (reply.met.hits[level], reply.met.misses[level]));
            assert_eq!(met, expected, "step {step}: {kind:?} of line {line} by {cu}, {glc} {slc} {dlc}");
            if random(2000) == 0 {
                now = hierarchy.invalidate(now, cu, Invalidate::L0);
                plain.l0[cu].sets.iter_mut().for_each(Vec::clear);
            }
            if random(5000) == 0 {
                now = hierarchy.invalidate(now, cu, Invalidate::L1);
                plain.l1[array(cu)].sets.iter_mut().for_each(Vec::clear);
            }
        }
    }
}
