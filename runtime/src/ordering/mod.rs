//! Whether commands that access the same memory are ordered as the API asks for (`WAVEPIPE_CHECK=sync`): by barriers on a queue,
//! semaphores between queues, and what the host waits for. The machine orders more than that; a card does not.
//!
//! Algorithm:
//!
//! 1. Recording notes a [`Script`] beside the packets: bytes of transfers, dispatches, dependencies. Submitting puts it in its
//!    queue's list, with what the host knows to be done by then and the semaphores that it waits for and signals.
//! 2. The GPU tells of each dispatch which bytes it read and wrote, and by which instructions (`hw::touched`); dispatches are
//!    counted on both sides. When a submission is done, so are these reports.
//! 3. Finished submissions are gone through in order ([`tracker`]): each byte has its last write and the reads since, each with
//!    the dependencies that it has passed ([`scopes`]). An access that is not behind them is a finding.
//! 4. A submission knows to be done and visible what the host knew when it was submitted, what the submissions before it on its
//!    queue knew, and what those knew and did whose semaphores it waits for. What comes from other processes or the window
//!    system counts as knowing all: it is not known what that stands for.
//!
//! Images' layouts are followed on the way ([`layouts`]).
//!
//! A barrier for a range counts for accesses that are all in it. An event's wait counts as a barrier where it stands. A semaphore's
//! wait counts for all stages. What the host reads and writes is not looked at, nor are render passes.

mod layouts;
mod scopes;
mod script;
mod tracker;

pub use layouts::{ImageLayout, LayoutStep, Layouts};
pub use scopes::{Dependency, Scope, Stages, Standing, Ways};
pub(crate) use script::{Entry, Script};
use std::collections::{BTreeMap, HashMap, VecDeque};
use std::ops::Range;
use std::sync::Arc;
use tracker::{Act, Cells, Clock, Conflict, Log, Submitted, join};
use wavepipe_hw::finding::{
    Access, AccessKind, AddressSpace, Command, Finding, FindingKind, Location, Party, Unordered, WrongLayout,
};
use wavepipe_hw::port::QueueId;
use wavepipe_hw::touched::Touched;

/// Places that are remembered before those that are done with are looked for.
const CELLS: usize = 1 << 14;

/// Signals of a semaphore that are remembered: who waits for an older one is behind the oldest.
const SIGNALS: usize = 64;

/// A batch as it is submitted.
#[derive(Default)]
pub(crate) struct Batch {
    pub number: u64,
    pub scripts: Vec<Arc<Script>>,
    /// Semaphores by address, and values.
    pub waits: Vec<(u64, u64)>,
    pub signals: Vec<(u64, u64)>,
}

#[derive(Default)]
struct QueueState {
    /// With what the host knew.
    pending: VecDeque<(Batch, Clock)>,
    slot: (u32, u32),
    /// Of the last batch that was gone through.
    last: u64,
    /// What its last batch knew.
    known: Clock,
    /// Entries and DISPATCH packets so far.
    position: u64,
    dispatches: u64,
    log: Log,
}

#[derive(Default)]
pub(crate) struct Ordering {
    queues: BTreeMap<u32, QueueState>,
    touched: HashMap<(u32, u64), Arc<Touched>>,
    cells: Cells,
    /// What the host knows.
    host: Clock,
    /// What signals of a semaphore stand for, by value; `None`: not gone through yet.
    signals: HashMap<u64, BTreeMap<u64, Option<Clock>>>,
    /// Cells when they were swept last.
    swept: usize,
    pub layouts: Layouts,
}

impl Ordering {
    pub fn submit(&mut self, queue: QueueId, slot: (u32, u32), batch: Batch) {
        for (semaphore, value) in &batch.signals {
            self.signals.entry(*semaphore).or_default().insert(*value, None);
        }
        let state = self.queues.entry(queue.0).or_default();
        state.slot = slot;
        state.pending.push_back((batch, self.host.clone()));
    }

    /// A dispatch has ended.
    pub fn note(&mut self, queue: QueueId, touched: Arc<Touched>) {
        self.touched.insert((queue.0, touched.number), touched);
    }

    /// The host has seen a batch to be done.
    pub fn host_saw(&mut self, queue: QueueId, number: u64) {
        let known = self.host.entry(queue.0).or_default();
        *known = (*known).max(number);
        if let Some(state) = self.queues.get(&queue.0) {
            join(&mut self.host, &state.known);
        }
    }

    /// The host has seen a semaphore's value.
    pub fn host_saw_value(&mut self, semaphore: u64, value: u64) {
        for clock in
            self.signals.get(&semaphore).into_iter().flat_map(|s| s.range(..=value)).filter_map(|(_, c)| c.clone())
        {
            join(&mut self.host, &clock);
        }
    }

    /// An object that is no more, whose address may be another's.
    pub fn forget_semaphore(&mut self, semaphore: u64) {
        self.signals.remove(&semaphore);
    }

    pub fn forget_memory(&mut self, bytes: Range<u64>) {
        self.cells.forget(bytes);
    }

    /// Goes through what is done by now; `done` tells how far each queue is.
    pub fn settle(&mut self, done: &dyn Fn(QueueId) -> u64) -> Vec<Finding> {
        let mut findings = Vec::new();
        loop {
            let ready = self.queues.iter().find(|(id, q)| {
                q.pending.front().is_some_and(|(b, _)| b.number <= done(QueueId(**id)) && !self.waits_for_others(b))
            });
            // Where two wait for each other somebody else has signaled.
            let any = || {
                let front = |(id, q): &(&u32, &QueueState)| {
                    q.pending.front().is_some_and(|(b, _)| b.number <= done(QueueId(**id)))
                };
                self.queues.iter().find(front)
            };
            let Some(id) = ready.or_else(any).map(|(id, _)| *id) else { break };
            self.go_through(QueueId(id), &mut findings);
        }
        findings
    }

    /// Forgets what everybody knows to be done.
    pub fn let_go(&mut self) {
        let idle =
            |(id, q): (&u32, &QueueState)| q.pending.is_empty() && self.host.get(id).is_some_and(|n| *n >= q.last);
        if self.queues.iter().all(idle) {
            // Whatever comes is behind all that was.
            self.cells = Cells::default();
            self.queues.values_mut().for_each(|q| q.log.0.clear());
        } else if self.cells.len() > CELLS.max(2 * self.swept) {
            self.cells.sweep(&self.host);
            self.swept = self.cells.len();
        }
    }

    /// Whether a signal that it waits for is yet to be gone through.
    fn waits_for_others(&self, batch: &Batch) -> bool {
        let open = |(semaphore, value): &(u64, u64)| {
            let signal = self.signals.get(semaphore).and_then(|s| s.range(*value..).next());
            signal.is_some_and(|(_, clock)| clock.is_none())
        };
        batch.waits.iter().any(open)
    }

    fn go_through(&mut self, id: QueueId, findings: &mut Vec<Finding>) {
        let Some(queue) = self.queues.get_mut(&id.0) else { return };
        let Some((batch, host)) = queue.pending.pop_front() else { return };
        let mut known = queue.known.clone();
        join(&mut known, &host);
        for (semaphore, value) in &batch.waits {
            let signal = self.signals.get(semaphore).and_then(|s| s.range(*value..).next());
            match signal {
                Some((_, Some(clock))) => join(&mut known, clock),
                // Nobody here signals that.
                _ => self.queues.iter().for_each(|(other, q)| {
                    let last = q.pending.front().map_or(q.last, |(b, _)| b.number - 1);
                    let last = if *other == id.0 { batch.number - 1 } else { last };
                    let own = known.entry(*other).or_default();
                    *own = (*own).max(last);
                }),
            }
        }
        let (mut conflicts, mut wrong) = (Vec::new(), Vec::new());
        for script in &batch.scripts {
            self.run(script, (id, batch.number), &known, &mut conflicts, &mut wrong);
        }
        let mut done = known.clone();
        done.insert(id.0, batch.number);
        for (semaphore, value) in &batch.signals {
            let signals = self.signals.entry(*semaphore).or_default();
            signals.insert(*value, Some(done.clone()));
            if signals.len() > SIGNALS {
                signals.pop_first();
            }
        }
        if let Some(queue) = self.queues.get_mut(&id.0) {
            queue.known = known;
            queue.last = batch.number;
        }
        findings.extend(told(conflicts));
        findings.extend(wrong);
    }

    fn run(
        &mut self,
        script: &Script,
        (id, number): (QueueId, u64),
        known: &Clock,
        conflicts: &mut Vec<Conflict>,
        wrong: &mut Vec<Finding>,
    ) {
        for (n, entry) in script.0.iter().enumerate() {
            let queue = self.queues.entry(id.0).or_default();
            queue.position += 1;
            let (position, slot) = (queue.position, queue.slot);
            let submitted = |name: &str, kernel: &Option<String>, touched: Option<Arc<Touched>>| {
                let command =
                    Command { name: name.into(), kernel: kernel.clone(), number: n as u32, access: AccessKind::Read };
                Arc::new(Submitted { queue: id, slot, submission: number, position, command, touched })
            };
            match entry {
                Entry::Execute(inner) => self.run(inner, (id, number), known, conflicts, wrong),
                Entry::Layout(step) => {
                    if let Some((at, is, said)) = self.layouts.step(step) {
                        let by = submitted(step.command, &None, None);
                        wrong.push(wrong_layout(&by, None, (at, AccessKind::Read), Some(said), is));
                    }
                }
                Entry::Dependency(d) => drop(queue.log.0.insert(position, d.clone())),
                Entry::Transfer { name, parts } => {
                    let by = submitted(name, &None, None);
                    for (bytes, writes) in parts {
                        let way = if *writes { Ways::TRANSFER_WRITE } else { Ways::TRANSFER_READ };
                        self.cells.access(bytes, &Act::new(&by, 0, way), known, &queue.log, conflicts);
                    }
                }
                Entry::Dispatch { kernel, name, counts } => {
                    let touched = self.touched.remove(&(id.0, queue.dispatches));
                    queue.dispatches += 1;
                    let by = submitted(name, kernel, touched.clone());
                    if name.is_empty() {
                        // The driver's own business.
                        continue;
                    }
                    if let Some(bytes) = counts {
                        let act = Act::new(&by, u32::MAX, Ways::INDIRECT_READ);
                        self.cells.access(bytes, &act, known, &queue.log, conflicts);
                    }
                    for span in touched.iter().flat_map(|t| &t.spans) {
                        let texels = touched.as_ref().is_some_and(|t| t.images.get(span.site as usize) == Some(&true));
                        let found = match texels && kernel.is_some() {
                            true => self.layouts.access(&(span.start..span.end), span.kind),
                            false => None,
                        };
                        if let Some((at, is)) = found {
                            wrong.push(wrong_layout(&by, Some(span.site), (at, span.kind), None, is));
                        }
                        let way = match (kernel.is_some(), span.kind) {
                            (true, AccessKind::Read) => Ways::COMPUTE_READ,
                            (true, _) => Ways::COMPUTE_WRITE,
                            (false, AccessKind::Read) => Ways::TRANSFER_READ,
                            (false, _) => Ways::TRANSFER_WRITE,
                        };
                        let mut act = Act::new(&by, span.site, way);
                        act.atomic = span.kind == AccessKind::Atomic;
                        self.cells.access(&(span.start..span.end), &act, known, &queue.log, conflicts);
                    }
                }
            }
        }
    }
}

/// The finding of each pair of commands and instructions, with the bytes that come first.
fn told(conflicts: Vec<Conflict>) -> Vec<Finding> {
    type Key = (usize, u32, usize, u32, bool, bool);
    let mut all: Vec<(Key, Finding)> = Vec::new();
    let mut places: HashMap<Key, usize> = HashMap::new();
    for c in conflicts {
        let (one, two) = (&c.first, &c.second);
        let key = (
            Arc::as_ptr(&one.by) as usize,
            one.site,
            Arc::as_ptr(&two.by) as usize,
            two.site,
            one.way().writes(),
            two.way().writes(),
        );
        let bytes = c.bytes.end - c.bytes.start;
        if let Some(&at) = places.get(&key) {
            let Finding { access, other, .. } = &mut all[at].1;
            for access in [access.as_mut(), other.as_mut().and_then(|o| o.access.as_mut())].into_iter().flatten() {
                access.bytes = access.bytes.saturating_add(bytes.min(u32::MAX.into()) as u32);
            }
            continue;
        }
        places.insert(key, all.len());
        all.push((key, finding(&c)));
    }
    all.into_iter().map(|(_, finding)| finding).collect()
}

/// Of a command, or of an instruction of it.
fn wrong_layout(
    by: &Arc<Submitted>,
    site: Option<u32>,
    (address, kind): (u64, AccessKind),
    said: Option<ImageLayout>,
    is: ImageLayout,
) -> Finding {
    let (command, is) = (Command { access: kind, ..by.command.clone() }, is.name());
    Finding {
        kind: FindingKind::Layout(WrongLayout { command, said: said.map(ImageLayout::name), is }),
        kernel: by.command.kernel.clone().unwrap_or_default(),
        queue: by.slot,
        site: site_of(by, site),
        access: Some(Access { kind, space: AddressSpace::Global, address, bytes: 1, name: None }),
        other: None,
        count: 1,
    }
}

/// Where an instruction of a command is.
fn site_of(by: &Submitted, site: Option<u32>) -> Location {
    let sites = by.touched.as_ref().map(|t| &t.sites);
    let site = site.and_then(|n| sites?.get(n as usize).cloned());
    // A command is no instruction: its number stands for the place.
    site.unwrap_or_else(|| Location {
        pc_offset: by.command.number.into(),
        disassembly: by.command.name.clone(),
        ..Location::default()
    })
}

fn finding(c: &Conflict) -> Finding {
    let side = |act: &Act| {
        let kind = AccessKind::of(act.way().writes(), act.atomic);
        let bytes = (c.bytes.end - c.bytes.start).min(u32::MAX.into()) as u32;
        let access = Access { kind, space: AddressSpace::Global, address: c.bytes.start, bytes, name: None };
        let site = site_of(&act.by, Some(act.site));
        let command = Command { access: kind, ..act.by.command.clone() };
        (command, site, access)
    };
    let ((first, other_site, other_access), (second, site, access)) = (side(&c.first), side(&c.second));
    Finding {
        kind: FindingKind::Unordered(Unordered { first, second, lacks: c.lacks }),
        kernel: c.second.by.command.kernel.clone().unwrap_or_default(),
        queue: c.second.by.slot,
        site,
        access: Some(access),
        other: Some(Box::new(Party { site: other_site, access: Some(other_access) })),
        count: 1,
    }
}
