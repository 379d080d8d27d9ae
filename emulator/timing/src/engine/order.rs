//! The order of a seed: whose instruction, or which queue's packet, is next.
//!
//! Algorithm: a random walk over the whole machine, one step at a time, where a step is one instruction of one wave or one packet
//! of one queue. Who goes next is drawn from the top: a queue; its next packet or one of its work-groups; a wave of that. At each
//! level who went last stays with a chance that the seed draws once: some seeds switch behind every instruction, others
//! let a wave run for hundreds. Work-groups start in their order, as many as there is room for, before anybody goes on.
//!
//! The clock only says how long a step takes: a wave or a queue whose turn it is not waits, whatever the clock would let it do.
//! Invariant: the walk depends on the seed, the program and the machine, never on the host. Invariant: whatever can go on has a
//! chance at each draw, so nobody who spins keeps out whom he waits for.

use super::front::At;
use super::{FRONT, Run};

/// How likely who went last stays, in 65536ths: of a wave, of a work-group, of a queue.
const WAVES: [u16; 6] = [0, 0, 1 << 15, 7 << 13, 31 << 11, 255 << 8];
const GROUPS: [u16; 5] = [0, 0, 1 << 15, 7 << 13, 63 << 10];
const QUEUES: [u16; 5] = [0, 0, 1 << 15, 7 << 13, 63 << 10];
/// How likely a queue reads a packet while its work-groups could run.
const PACKETS: [u16; 3] = [1 << 15, 1 << 13, 1 << 10];

/// Cycles from now in which a packet counts as ready: reading it is quicker than most instructions are.
const SOON: u64 = 1 << 14;

/// SplitMix64: Steele, Lea, Flood, "Fast splittable pseudorandom number generators" (2014).
pub(crate) struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    fn chance(&mut self, of_65536: u16) -> bool {
        ((self.next() >> 48) as u16) < of_65536
    }

    fn below(&mut self, n: u32) -> u32 {
        ((self.next() >> 32) * u64::from(n) >> 32) as u32
    }

    fn of<T: Copy>(&mut self, list: &[T]) -> Option<T> {
        (!list.is_empty()).then(|| list[self.below(list.len() as u32) as usize])
    }
}

/// Who goes next.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Turn {
    /// Of a work-group by its place among the engine's.
    Wave { group: u32, wave: u32 },
    /// Of a queue by its number in the machine.
    Packet { queue: usize },
}

/// Who went last.
#[derive(Clone, Copy)]
struct Last {
    queue: usize,
    /// `None`: it was a packet.
    wave: Option<(u32, u32)>,
}

pub(crate) struct Order {
    random: Random,
    pub stay: [u16; 3],
    packets: u16,
    turn: Option<Turn>,
    last: Option<Last>,
    // Kept for their memory.
    queues: Vec<usize>,
    groups: Vec<u32>,
    waves: Vec<u32>,
}

impl Order {
    pub fn new(seed: u64) -> Order {
        let mut random = Random(seed);
        let stay = [
            random.of(&WAVES).unwrap_or_default(),
            random.of(&GROUPS).unwrap_or_default(),
            random.of(&QUEUES).unwrap_or_default(),
        ];
        let packets = random.of(&PACKETS).unwrap_or_default();
        let (queues, groups, waves) = Default::default();
        Order { random, stay, packets, turn: None, last: None, queues, groups, waves }
    }

    /// Whether it is the wave's turn.
    pub fn is_wave(&self, group: u32, wave: u32) -> bool {
        self.turn == Some(Turn::Wave { group, wave })
    }

    /// Whether it is the turn of a queue's packet.
    pub fn is_packet(&self, queue: usize) -> bool {
        self.turn == Some(Turn::Packet { queue })
    }

    /// Who had the turn has used it.
    pub fn went(&mut self) {
        self.turn = None;
    }
}

impl Run<'_, '_> {
    /// Draws who goes next, if nobody has the turn that could use it.
    pub(super) fn draw(&mut self) {
        let Some(mut order) = self.clock.order.take() else { return };
        let usable = match order.turn {
            Some(Turn::Wave { group, wave }) => self.ready_at(group, wave).is_some(),
            Some(Turn::Packet { queue }) => self.packet_at(queue).is_some(),
            None => false,
        };
        // What is about to start can be drawn, too.
        if !usable {
            order.turn = if self.front.launching() { None } else { self.drawn(&mut order) };
            self.wake_turn(order.turn);
        }
        self.clock.order = Some(order);
    }

    fn wake_turn(&mut self, turn: Option<Turn>) {
        let soon = self.clock.now + 1;
        match turn {
            Some(Turn::Wave { group, wave }) => {
                if let Some((simd, ready)) = self.ready_at(group, wave) {
                    self.simds[simd].wake(ready.max(soon), self.clock);
                }
            }
            Some(Turn::Packet { queue }) => {
                if let Some(at) = self.packet_at(queue) {
                    self.clock.wake(at.max(soon), FRONT);
                }
            }
            None => {}
        }
    }

    fn drawn(&mut self, order: &mut Order) -> Option<Turn> {
        let Order { random, stay, packets, last, queues, groups, waves, .. } = order;
        if let Some(Last { queue, wave }) = *last {
            match wave {
                Some((group, wave)) => {
                    if random.chance(stay[0]) && self.ready_at(group, wave).is_some() {
                        return Some(Turn::Wave { group, wave });
                    }
                    if random.chance(stay[1]) {
                        self.waves_of(group, waves);
                        if let Some(wave) = random.of(waves) {
                            *last = Some(Last { queue, wave: Some((group, wave)) });
                            return Some(Turn::Wave { group, wave });
                        }
                    }
                }
                None if random.chance(stay[0]) && self.packet_soon(queue) => return Some(Turn::Packet { queue }),
                None => {}
            }
        }
        queues.clear();
        for i in 0..self.front.queues.len() {
            let queue = self.front.queues[i].queue.index();
            if self.packet_soon(queue) || self.groups_of(queue).next().is_some() {
                queues.push(queue);
            }
        }
        let before = last.map(|l| l.queue).filter(|q| queues.contains(q));
        let same = before.filter(|_| random.chance(stay[2]));
        let Some(queue) = same.or_else(|| random.of(queues)) else {
            // The earliest of what is far away.
            let far = self.front.queues.iter().map(|q| q.queue.index());
            let (_, queue) = far.filter_map(|q| Some((self.packet_at(q)?, q))).min()?;
            *last = Some(Last { queue, wave: None });
            return Some(Turn::Packet { queue });
        };
        let runs = self.groups_of(queue).next().is_some();
        if self.packet_soon(queue) && (!runs || random.chance(*packets)) {
            *last = Some(Last { queue, wave: None });
            return Some(Turn::Packet { queue });
        }
        let group = self.any_group(queue, random, groups)?;
        self.waves_of(group, waves);
        let wave = random.of(waves)?;
        *last = Some(Last { queue, wave: Some((group, wave)) });
        Some(Turn::Wave { group, wave })
    }

    /// The SIMD of a wave that can go on, and from which cycle.
    fn ready_at(&self, group: u32, wave: u32) -> Option<(usize, u64)> {
        let (simd, slot) = (*self.groups.peek(group)?.slots.get(wave as usize)?)?;
        let wave = self.simds[simd as usize].slots[slot as usize].as_ref()?;
        (!wave.parked).then_some((simd as usize, wave.ready))
    }

    fn waves_of(&self, group: u32, waves: &mut Vec<u32>) {
        let all = self.groups.peek(group).map_or(0, |g| g.slots.len() as u32);
        waves.clear();
        waves.extend((0..all).filter(|wave| self.ready_at(group, *wave).is_some()));
    }

    /// Whether a work-group is the queue's and has a wave that can go on.
    fn goes(&self, queue: usize, id: u32) -> bool {
        let Some(group) = self.groups.peek(id) else { return false };
        let active = self.front.actives.get(group.dispatch).and_then(Option::as_ref);
        active.is_some_and(|a| a.queue == queue)
            && (0..group.slots.len() as u32).any(|wave| self.ready_at(id, wave).is_some())
    }

    fn groups_of(&self, queue: usize) -> impl Iterator<Item = u32> {
        (0..self.groups.places()).filter(move |id| self.goes(queue, *id))
    }

    /// One of them: guessed, which mostly succeeds; else of all, `list`.
    fn any_group(&self, queue: usize, random: &mut Random, list: &mut Vec<u32>) -> Option<u32> {
        let guess = (0..8).map(|_| random.below(self.groups.places())).find(|id| self.goes(queue, *id));
        guess.or_else(|| {
            list.clear();
            list.extend(self.groups_of(queue));
            random.of(list)
        })
    }

    /// From which cycle the queue's next packet may execute; `None` if it has none, or waits.
    fn packet_at(&self, queue: usize) -> Option<u64> {
        let q = self.front.queues.iter().find(|q| q.queue.index() == queue)?;
        match q.at {
            At::Packet(at) => Some(at.max(self.front.packet_free[q.queue.place().0 as usize])),
            _ => None,
        }
    }

    fn packet_soon(&self, queue: usize) -> bool {
        self.packet_at(queue).is_some_and(|at| at <= self.clock.now + SOON)
    }
}
