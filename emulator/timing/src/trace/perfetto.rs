//! A Perfetto trace of the machine, in emulated nanoseconds.
//!
//! Tracks, each declared when first used:
//! ```text
//! machine ─ waves resident, waves suspended, instructions per cycle, memory read, memory written   (counters)
//!         ├ command processor ─ front end, ACE 0.., DMA engine: packets
//!         │                     └ queue: packets and waits ─ dispatches: from launch to the last store's arrival
//!         └ shader engine ─ array ─ WGP ─ SIMD ─ slot: waves; in them instructions, and what they waited for
//! ```
//! Arrows: from a signal to what waited for it, from a dispatch to its first wave, from a suspended wave to itself
//! resumed. What is kept is of the resident waves and the running dispatches; starts that lie ahead are written when
//! time has come to them, so that each track is written in the order of its times.

use super::packets::{describe, signals};
use super::stream::{Arg, Slice, Stream};
use super::{Detail, Symbols, nanoseconds};
use crate::observe::{Awaited, Event, Recorder, WaveSlot};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;
use wavepipe_core::dispatch::Dispatch;
use wavepipe_core::policy::{Rank, Standing};
use wavepipe_hw::code::CodeObject;
use wavepipe_hw::machine::Machine;
use wavepipe_hw::pipe;
use wavepipe_isa::disasm::{self, Labels};
use wavepipe_isa::{Gen, Instr};

/// Cycles between two values of a rate.
const SAMPLING: u64 = 1024;
/// Words of memory whose last signal is known.
const SIGNALS: usize = 1024;

/// Kinds of tracks: the top byte of a track's number.
mod kind {
    pub const MACHINE: u64 = 1 << 56;
    pub const COUNTER: u64 = 2 << 56;
    pub const COMMAND: u64 = 3 << 56;
    pub const PIPE: u64 = 4 << 56;
    pub const QUEUE: u64 = 5 << 56;
    pub const DISPATCHES: u64 = 6 << 56;
    pub const ENGINE: u64 = 7 << 56;
    pub const ARRAY: u64 = 8 << 56;
    pub const WGP: u64 = 9 << 56;
    pub const SIMD: u64 = 10 << 56;
    pub const SLOT: u64 = 11 << 56;
}

/// Kinds of arrows.
mod flow {
    pub const SIGNAL: u64 = 1 << 60;
    pub const DISPATCH: u64 = 2 << 60;
    pub const WAVE: u64 = 3 << 60;
    pub const MASK: u64 = (1 << 60) - 1;
}

#[derive(Clone, Copy)]
enum Counter {
    Resident,
    Suspended,
    Instructions,
    Read,
    Written,
}

const COUNTERS: [(&str, &str); 5] = [
    ("waves resident", "waves"),
    ("waves suspended", "waves"),
    ("instructions per cycle", "instructions/cycle"),
    ("memory read", "GB/s"),
    ("memory written", "GB/s"),
];

/// A track with slices, written up to `last` nanoseconds.
#[derive(Clone, Copy)]
struct Line {
    track: u64,
    last: u64,
}

impl Line {
    /// The time, or the last one if that is later.
    fn at(&mut self, ns: u64) -> u64 {
        self.last = self.last.max(ns);
        self.last
    }
}

struct QueueTrack {
    line: Line,
    pipe: u32,
    /// Tracks of dispatches that overlap.
    dispatches: Vec<(Line, Option<u64>)>,
    waits: Option<Awaited>,
}

struct Running {
    what: Arc<Dispatch>,
    name: Arc<str>,
    queue: usize,
    lane: usize,
    standing: Standing,
    any_wave: bool,
    suspended: u64,
}

/// A wave in its slot.
struct Resident {
    start: u64,
    dispatch: u64,
    group: u64,
    wave: u32,
    resumed: bool,
    begun: bool,
}

/// Bytes of one direction of the memory, as their requests come.
#[derive(Default)]
pub struct Traffic {
    seen: u64,
    waiting: f64,
}

impl Traffic {
    /// Bytes a nanosecond since the last look, when `total` have been asked for. What is more than memory can do waits.
    pub fn rate(&mut self, total: u64, ns: f64, peak: f64) -> f64 {
        self.waiting += (total - self.seen) as f64;
        self.seen = total;
        let moved = self.waiting.min(peak * ns);
        self.waiting -= moved;
        moved / ns
    }
}

/// An instruction as it is shown.
struct Shown {
    instr: Instr,
    text: Arc<str>,
    label: Option<Arc<str>>,
}

pub struct Perfetto {
    out: Stream,
    machine: Arc<Machine>,
    detail: Detail,
    symbols: Box<dyn Symbols>,
    declared: BTreeSet<u64>,
    pipes: BTreeMap<u32, Line>,
    queues: BTreeMap<usize, QueueTrack>,
    mapped: u64,
    running: BTreeMap<u64, Running>,
    slots: Vec<Option<Resident>>,
    lines: Vec<Line>,
    /// Waves whose first instruction lies ahead: when, and the slot.
    ahead: BTreeSet<(u64, usize)>,
    resident: u64,
    suspended: u64,
    /// Last signal of words of memory, and the words in the order of their first.
    signals: BTreeMap<u64, u64>,
    words: VecDeque<u64>,
    arrows: u64,
    sampled: u64,
    executed: u64,
    traffic: [Traffic; 2],
    /// The instruction at an address.
    texts: BTreeMap<u64, Shown>,
    /// The code whose labels were asked for last.
    labels: Option<(Arc<CodeObject>, Labels)>,
}

impl Perfetto {
    pub fn new(out: Stream, machine: Arc<Machine>, detail: Detail, symbols: Box<dyn Symbols>) -> Perfetto {
        let slots = (machine.wgps() * machine.simds_per_wgp() * machine.simd.wave_slots.value) as usize;
        let mut new = Perfetto {
            out,
            detail,
            symbols,
            declared: BTreeSet::new(),
            pipes: BTreeMap::new(),
            queues: BTreeMap::new(),
            mapped: 0,
            running: BTreeMap::new(),
            slots: (0..slots).map(|_| None).collect(),
            lines: (0..slots as u64).map(|i| Line { track: kind::SLOT + i, last: 0 }).collect(),
            ahead: BTreeSet::new(),
            resident: 0,
            suspended: 0,
            signals: BTreeMap::new(),
            words: VecDeque::new(),
            arrows: 0,
            sampled: 0,
            executed: 0,
            traffic: Default::default(),
            texts: BTreeMap::new(),
            labels: None,
            machine,
        };
        new.out.track(kind::MACHINE, None, &format!("{}, emulated", new.machine.product), 0);
        for (i, (name, unit)) in (0..).zip(COUNTERS) {
            new.out.counter_track(kind::COUNTER + i, Some(kind::MACHINE), name, unit, i);
            new.out.counter(0, kind::COUNTER + i, 0.0);
        }
        new.out.track(kind::COMMAND, Some(kind::MACHINE), "command processor", COUNTERS.len() as u64);
        new
    }

    fn ns(&self, cycle: u64) -> u64 {
        nanoseconds(&self.machine, cycle)
    }

    fn counter(&mut self, counter: Counter, ns: u64, value: f64) {
        self.out.counter(ns, kind::COUNTER + counter as u64, value);
    }

    /// Declares a track unless it is there.
    fn track(&mut self, track: u64, parent: u64, rank: u64, name: impl FnOnce() -> String) {
        if self.declared.insert(track) {
            self.out.track(track, Some(parent), &name(), rank);
        }
    }

    /// Declares the track of a wave slot, and those above it.
    fn slot_tracks(&mut self, at: WaveSlot) {
        let slots = self.machine.simd.wave_slots.value;
        let (simd, slot) = (u64::from(at.simd), u64::from(at.slot));
        if self.declared.contains(&(kind::SLOT + simd * slots + slot)) {
            return;
        }
        let wgp = simd / self.machine.simds_per_wgp();
        let array = self.machine.array_of_wgp(wgp as usize) as u64;
        let engine = array / self.machine.shape.arrays_per_engine.value;
        let above = COUNTERS.len() as u64 + 1;
        self.track(kind::ENGINE + engine, kind::MACHINE, above + engine, || format!("shader engine {engine}"));
        self.track(kind::ARRAY + array, kind::ENGINE + engine, array, || format!("array {array}"));
        self.track(kind::WGP + wgp, kind::ARRAY + array, wgp, || format!("WGP {wgp}"));
        self.track(kind::SIMD + simd, kind::WGP + wgp, simd, || format!("SIMD {simd}"));
        self.track(kind::SLOT + simd * slots + slot, kind::SIMD + simd, slot, || format!("slot {slot}"));
    }

    fn slot(&self, at: WaveSlot) -> usize {
        at.simd as usize * self.machine.simd.wave_slots.value as usize + at.slot as usize
    }

    fn queue_mapped(&mut self, queue: usize, pipe: u32, place: u32, rank: Rank) {
        let track = kind::PIPE + u64::from(pipe);
        self.track(track, kind::COMMAND, pipe.into(), || match pipe {
            pipe::FRONT_END => "front end".into(),
            pipe::DMA => "DMA engine".into(),
            ace => format!("ACE {}", ace - pipe::FIRST_ACE),
        });
        self.pipes.entry(pipe).or_insert(Line { track, last: 0 });
        let own = kind::QUEUE + self.mapped;
        self.mapped += 1;
        let name = format!("queue {place}, {} {}", format!("{:?}", rank.global).to_uppercase(), rank.priority);
        self.out.track(own, Some(track), &name, self.mapped);
        let line = Line { track: own, last: 0 };
        self.queues.insert(queue, QueueTrack { line, pipe, dispatches: Vec::new(), waits: None });
    }

    fn packet(&mut self, cycle: u64, queue: usize, packet: &wavepipe_hw::pm4::Packet, until: u64) {
        let (name, mut args) = describe(packet);
        let (signals, awaited) = signals(packet);
        let mut flows = Vec::new();
        if let Some(word) = signals {
            self.arrows += 1;
            flows.push(flow::SIGNAL | self.arrows);
            if self.signals.insert(word, flow::SIGNAL | self.arrows).is_none() {
                self.words.push_back(word);
            }
            if self.words.len() > SIGNALS
                && let Some(first) = self.words.pop_front()
            {
                self.signals.remove(&first);
            }
        }
        flows.extend(awaited.and_then(|word| self.signals.get(&word)));
        let (from, to) = (self.ns(cycle), self.ns(until));
        let Some(q) = self.queues.get_mut(&queue) else { return };
        args.push(("cycle", Arg::Number(cycle)));
        let slice = Slice { name, category: "packet", args: &args, flows: &flows };
        self.out.begin(q.line.at(from), q.line.track, &slice);
        self.out.end(q.line.at(to), q.line.track, &[]);
        if let Some(line) = self.pipes.get_mut(&q.pipe) {
            let args = [("queue", Arg::Number(queue as u64)), ("cycle", Arg::Number(cycle))];
            self.out.begin(line.at(from), line.track, &Slice { name, category: "packet", args: &args, flows: &[] });
            self.out.end(line.at(to), line.track, &[]);
        }
    }

    fn waits(&mut self, cycle: u64, queue: usize, waits: Option<Awaited>) {
        let ns = self.ns(cycle);
        let Some(q) = self.queues.get_mut(&queue) else { return };
        if std::mem::replace(&mut q.waits, waits).is_some() {
            self.out.end(q.line.at(ns), q.line.track, &[]);
        }
        let name = match waits {
            Some(Awaited::Memory) => "waits for a semaphore",
            Some(Awaited::Dispatches) => "waits for its dispatches",
            Some(Awaited::Clock) => "waits for the clock",
            None => return,
        };
        let args = [("cycle", Arg::Number(cycle))];
        self.out.begin(q.line.at(ns), q.line.track, &Slice { name, category: "wait", args: &args, flows: &[] });
    }

    fn dispatch_started(&mut self, cycle: u64, dispatch: u64, queue: usize, what: &Arc<Dispatch>) {
        let ns = self.ns(cycle);
        let va = what.launch.code_va;
        let code = self.symbols.code(va).filter(|(at, _)| *at == va);
        let name: Arc<str> = code.map_or_else(|| format!("code at {va:#x}"), |(_, c)| c.name.clone()).into();
        let Some(q) = self.queues.get_mut(&queue) else { return };
        let lane = q.dispatches.iter().position(|(_, who)| who.is_none()).unwrap_or_else(|| {
            let own = q.line.track - kind::QUEUE;
            let track = kind::DISPATCHES + (own << 16) + q.dispatches.len() as u64;
            // Tracks of one name are shown as one.
            self.out.track(track, Some(q.line.track), "dispatches", 0);
            q.dispatches.push((Line { track, last: 0 }, None));
            q.dispatches.len() - 1
        });
        let (line, who) = &mut q.dispatches[lane];
        *who = Some(dispatch);
        let (launch, [x, y, z]) = (&what.launch, what.groups);
        let args = [
            ("dispatch", Arg::Number(dispatch)),
            ("groups", Arg::Text(&format!("{x} x {y} x {z}"))),
            ("waves of a group", Arg::Number(what.waves().into())),
            ("lanes", Arg::Number(launch.wave.lanes().into())),
            ("VGPRs", Arg::Number(launch.vgprs.into())),
            ("LDS bytes", Arg::Number(launch.lds_bytes.into())),
            ("code", Arg::Address(va)),
            ("cycle", Arg::Number(cycle)),
        ];
        let slice = Slice { name: &name, category: "dispatch", args: &args, flows: &[flow::DISPATCH | dispatch] };
        self.out.begin(line.at(ns), line.track, &slice);
        let (what, standing) = (what.clone(), Standing::Runs);
        let new = Running { what, name, queue, lane, standing, any_wave: false, suspended: 0 };
        self.running.insert(dispatch, new);
    }

    fn standing(&mut self, cycle: u64, dispatch: u64, standing: Standing) {
        let ns = self.ns(cycle);
        let Some(running) = self.running.get_mut(&dispatch) else { return };
        let before = std::mem::replace(&mut running.standing, standing);
        let Some(q) = self.queues.get_mut(&running.queue) else { return };
        let Some((line, _)) = q.dispatches.get_mut(running.lane) else { return };
        if before == standing {
            return;
        }
        if before != Standing::Runs {
            self.out.end(line.at(ns), line.track, &[]);
        }
        let name = match standing {
            Standing::Runs => return,
            Standing::Held => "held",
            Standing::Suspended => "suspended",
        };
        let args = [("cycle", Arg::Number(cycle))];
        self.out.begin(line.at(ns), line.track, &Slice { name, category: "standing", args: &args, flows: &[] });
    }

    fn dispatch_ended(&mut self, cycle: u64, dispatch: u64) {
        self.standing(cycle, dispatch, Standing::Runs);
        let ns = self.ns(cycle);
        let Some(running) = self.running.remove(&dispatch) else { return };
        self.count_suspended(ns, -(running.suspended as i64));
        let Some(q) = self.queues.get_mut(&running.queue) else { return };
        let Some((line, who)) = q.dispatches.get_mut(running.lane).filter(|l| l.1 == Some(dispatch)) else { return };
        *who = None;
        self.out.end(line.at(ns), line.track, &[("end cycle", Arg::Number(cycle))]);
    }

    /// Writes the waves whose first instruction is not ahead any more.
    fn come_to(&mut self, now: u64) {
        while let Some(&(start, slot)) = self.ahead.first().filter(|(start, _)| *start <= now) {
            self.ahead.pop_first();
            self.wave_begins(start, slot);
        }
    }

    fn wave_begins(&mut self, start: u64, slot: usize) {
        let ns = self.ns(start);
        let Some(wave) = &mut self.slots[slot] else { return };
        wave.begun = true;
        let (dispatch, resumed) = (wave.dispatch, wave.resumed);
        let mut flows = vec![flow::WAVE | mix(dispatch, wave.group, wave.wave) & flow::MASK];
        let Some(running) = self.running.get_mut(&dispatch) else { return };
        if !std::mem::replace(&mut running.any_wave, true) {
            flows.push(flow::DISPATCH | dispatch);
        }
        let [x, y, z] = running.what.id(wave.group);
        let args = [
            ("dispatch", Arg::Number(dispatch)),
            ("group", Arg::Number(wave.group)),
            ("group id", Arg::Text(&format!("{x}, {y}, {z}"))),
            ("wave", Arg::Number(wave.wave.into())),
            ("resumed", Arg::Number(resumed.into())),
            ("cycle", Arg::Number(start)),
        ];
        let line = &mut self.lines[slot];
        let slice = Slice { name: &running.name, category: "wave", args: &args, flows: &flows };
        self.out.begin(line.at(ns), line.track, &slice);
        if resumed {
            running.suspended = running.suspended.saturating_sub(1);
            self.count_suspended(ns, -1);
        }
        self.resident += 1;
        self.counter(Counter::Resident, ns, self.resident as f64);
    }

    fn count_suspended(&mut self, ns: u64, by: i64) {
        if by != 0 {
            self.suspended = self.suspended.saturating_add_signed(by);
            self.counter(Counter::Suspended, ns, self.suspended as f64);
        }
    }

    fn wave_ended(&mut self, cycle: u64, at: WaveSlot, suspended: bool) {
        let slot = self.slot(at);
        let Some(wave) = self.slots.get_mut(slot).and_then(Option::as_mut) else { return };
        let (start, dispatch) = (wave.start, wave.dispatch);
        if !wave.begun {
            // Taken off before its first instruction.
            self.ahead.remove(&(start, slot));
            self.wave_begins(cycle, slot);
        }
        self.slots[slot] = None;
        let ns = self.ns(cycle);
        let line = &mut self.lines[slot];
        let args = [("suspended", Arg::Number(suspended.into())), ("end cycle", Arg::Number(cycle))];
        self.out.end(line.at(ns), line.track, &args);
        self.resident -= 1;
        self.counter(Counter::Resident, ns, self.resident as f64);
        if suspended && let Some(running) = self.running.get_mut(&dispatch) {
            running.suspended += 1;
            self.count_suspended(ns, 1);
        }
    }

    fn sample(&mut self, cycle: u64, executed: u64, bytes: [u64; 2]) {
        let cycles = cycle.saturating_sub(self.sampled);
        if cycles == 0 {
            return;
        }
        // A value holds from its time on: the rate of what lies behind begins where that began.
        let begin = self.ns(self.sampled);
        let ns = cycles as f64 * 1000.0 / self.machine.clock.shader_mhz.value;
        let peak = self.machine.memory_bandwidth() / 1e9;
        let rates = [0, 1].map(|i| self.traffic[i].rate(bytes[i], ns, peak));
        self.counter(Counter::Read, begin, rates[0]);
        self.counter(Counter::Written, begin, rates[1]);
        self.counter(Counter::Instructions, begin, (executed - self.executed) as f64 / cycles as f64);
        (self.sampled, self.executed) = (cycle, executed);
    }

    fn issued(&mut self, cycle: u64, event: &Event<'_>) {
        let Event::Issued { at, pc, instr, class, half, first, stalled, reason, .. } = event else { return };
        let slot = self.slot(*at);
        let Some(wave) = self.slots.get(slot).and_then(Option::as_ref).filter(|w| w.begun) else { return };
        let (from, ns, to) = (self.ns((cycle - stalled).max(wave.start)), self.ns(cycle), self.ns(cycle + 1));
        let code = self.running.get(&wave.dispatch).map(|r| (r.what.launch.isa, r.what.launch.wave.lanes()));
        let (text, label) = match instr {
            Some(instr) => self.text(*pc, instr, code.unwrap_or((Gen::default(), 32))),
            None => ("no instruction".into(), None),
        };
        let line = &mut self.lines[slot];
        if *stalled > 0 && *first {
            let args = [("cycles", Arg::Number(*stalled))];
            let slice = Slice { name: reason.name(), category: "stall", args: &args, flows: &[] };
            self.out.begin(line.at(from), line.track, &slice);
            self.out.end(line.at(ns), line.track, &[]);
        }
        let args = [
            ("pc", Arg::Address(*pc)),
            ("class", Arg::Text(class.name())),
            ("half", Arg::Number(*half as u64)),
            ("cycle", Arg::Number(cycle)),
            ("label", Arg::Text(label.as_deref().unwrap_or_default())),
        ];
        let args = &args[..args.len() - usize::from(label.is_none())];
        self.out.begin(line.at(ns), line.track, &Slice { name: &text, category: "instruction", args, flows: &[] });
        self.out.end(line.at(to), line.track, &[]);
    }

    /// Its text, branches with their labels, and the label in front of it.
    fn text(&mut self, pc: u64, instr: &Instr, (isa, lanes): (Gen, u32)) -> (Arc<str>, Option<Arc<str>>) {
        if let Some(known) = self.texts.get(&pc).filter(|known| known.instr == *instr) {
            return (known.text.clone(), known.label.clone());
        }
        let (text, label) = match self.symbols.code(pc) {
            Some((base, code)) => {
                if self.labels.as_ref().is_none_or(|(of, _)| !Arc::ptr_eq(of, &code)) {
                    self.labels = None;
                }
                let (_, labels) = self.labels.get_or_insert_with(|| {
                    let labels = Labels::of(&code.code_words(), code.isa);
                    (code, labels)
                });
                let dword = (pc - base) as usize / 4;
                (labels.text(instr, dword, isa, lanes), labels.at(dword).map(Arc::from))
            }
            None => (disasm::text(instr, isa, lanes), None),
        };
        let shown = Shown { instr: *instr, text: text.into(), label };
        let out = (shown.text.clone(), shown.label.clone());
        self.texts.insert(pc, shown);
        out
    }
}

/// A number of a wave that no other is likely to have (the finalizer of SplitMix64).
fn mix(dispatch: u64, group: u64, wave: u32) -> u64 {
    let mut z = dispatch << 40 ^ group << 6 ^ u64::from(wave);
    z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ z >> 31
}

impl Recorder for Perfetto {
    fn instructions(&self) -> bool {
        self.detail == Detail::Instructions
    }

    fn sampling(&self) -> u64 {
        SAMPLING
    }

    fn event(&mut self, cycle: u64, event: &Event<'_>) {
        match event {
            Event::Queue { queue, pipe, place, rank } => self.queue_mapped(*queue, *pipe, *place, *rank),
            Event::Packet { queue, packet, until } => self.packet(cycle, *queue, packet, *until),
            Event::Waits { queue, waits } => self.waits(cycle, *queue, *waits),
            Event::DispatchStarted { dispatch, queue, what } => self.dispatch_started(cycle, *dispatch, *queue, what),
            Event::Standing { dispatch, standing } => self.standing(cycle, *dispatch, *standing),
            Event::DispatchEnded { dispatch } => {
                self.come_to(cycle);
                self.dispatch_ended(cycle, *dispatch);
            }
            Event::WaveStarted { dispatch, group, wave, at, resumed } => {
                self.slot_tracks(*at);
                let slot = self.slot(*at);
                let (dispatch, group, wave, resumed) = (*dispatch, *group, *wave, *resumed);
                self.slots[slot] = Some(Resident { start: cycle, dispatch, group, wave, resumed, begun: false });
                self.ahead.insert((cycle, slot));
            }
            Event::WaveEnded { at, suspended, .. } => {
                self.come_to(cycle);
                self.wave_ended(cycle, *at, *suspended);
            }
            Event::Issued { .. } => {
                self.come_to(cycle);
                self.issued(cycle, event);
            }
            Event::Sample { executed, memory_read, memory_written } => {
                self.come_to(cycle);
                self.sample(cycle, *executed, [*memory_read, *memory_written]);
            }
            Event::Accessed { .. } => {}
        }
    }

    fn flush(&mut self) {
        // Rates are none until something happens again.
        let ns = self.ns(self.sampled);
        for counter in [Counter::Read, Counter::Written, Counter::Instructions] {
            self.counter(counter, ns, 0.0);
        }
        self.out.flush();
    }

    fn failure(&self) -> Option<&str> {
        self.out.failure()
    }
}
