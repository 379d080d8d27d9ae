//! The driver's end of the hardware line: the port, the interrupt handler with the condition that all waiters share,
//! and the allocations that wait for the GPU before they are given back.
//!
//! Waiting: the GPU writes a value to memory, then raises the interrupt; the handler takes the lock and wakes everybody;
//! a waiter looks at memory under the same lock. So no wake-up is lost, and a spurious one costs a look.

use crate::config::{Config, DebugFlags, report};
use crate::covered::Covered;
use crate::error::{Error, Result};
use crate::findings::{Findings, Found};
use crate::gate::{Gates, Waiting};
use crate::heap::Suballocation;
use crate::lock::{Mutex, rank};
use crate::messages::Printer;
use crate::ordering::{Batch, Ordering as Ordered};
use crate::queue::SubmitInfo;
use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Weak};
use std::time::{Duration, Instant};
use wavepipe_core::GuestChecks;
use wavepipe_hw::code::CodeObject;
use wavepipe_hw::fault::{FaultKind, GpuFault, WaveSite};
use wavepipe_hw::finding::{Finding, FindingKind, Location, SourceLine};
use wavepipe_hw::port::{Advance, Allocation, GpuPort, HostMemory, Interrupt, Protection, QueueId};
use wavepipe_isa::Gen;
use wavepipe_isa::disasm::{self, Labels};

/// How long a waiter leaves a GPU alone that cannot get further by itself.
const STANDSTILL: Duration = Duration::from_millis(1);

pub(crate) struct Bus {
    pub port: Arc<dyn GpuPort>,
    pub config: Config,
    /// The generation of descriptors and packets.
    pub isa: Gen,
    pub interrupts: Arc<Interrupts>,
    fences: Mutex<Vec<Weak<QueueFence>>, { rank::FENCES }>,
    retired: Mutex<Vec<Retired>, { rank::RETIRED }>,
}

/// An allocation that its owner dropped while queues had work.
struct Retired {
    va: u64,
    pending: Vec<(Arc<QueueFence>, u64)>,
}

/// How far a queue has come: a 64-bit counter in GPU memory, written at the end of each submission.
pub(crate) struct QueueFence {
    pub id: QueueId,
    pub cell: Suballocation,
    /// Number of the last submission.
    pub submitted: AtomicU64,
    pub interrupts: Arc<Interrupts>,
    /// What each submission's packets point to, until it is over.
    pub keep: Mutex<VecDeque<Kept>, { rank::KEPT }>,
}

/// The number of a submission, and what its packets point to.
pub(crate) type Kept = (u64, SubmitInfo, Vec<Waiting>);

impl QueueFence {
    /// Whether submission `seq` is over: done, or never to be done because the queue stopped.
    pub fn retired(&self, seq: u64) -> bool {
        self.cell.load_u64(0) >= seq || self.interrupts.stopped(self.id)
    }

    /// Whether submission `seq` finished.
    pub fn completed(&self, seq: u64) -> bool {
        self.cell.load_u64(0) >= seq
    }

    /// Lets go of what finished submissions needed.
    pub fn release_kept(&self) {
        let mut over = Vec::new();
        let mut keep = self.keep.lock();
        while keep.front().is_some_and(|(seq, ..)| self.retired(*seq)) {
            over.extend(keep.pop_front());
        }
        // Dropping may free memory, which looks at queues: not under the lock.
        drop(keep);
        drop(over);
    }
}

impl Bus {
    pub fn new(port: Arc<dyn GpuPort>, config: Config, codes: Arc<CodeMap>) -> Arc<Bus> {
        let interrupts = Arc::new(Interrupts {
            state: Mutex::default(),
            changed: Condvar::new(),
            findings: Findings::default(),
            ordering: config.guest_checks.contains(GuestChecks::SYNC).then(Default::default),
            printer: Printer::default(),
            covered: Covered::default(),
            codes,
            debug: config.debug,
            gates: Gates::new(&port),
            port: port.clone(),
        });
        let handler = interrupts.clone();
        port.set_interrupt_handler(Box::new(move |i| handler.handle(i)));
        let isa = config.isa();
        Arc::new(Bus { port, config, isa, interrupts, fences: Mutex::default(), retired: Mutex::default() })
    }

    pub fn add_fence(&self, fence: &Arc<QueueFence>) {
        self.fences.lock().push(Arc::downgrade(fence));
    }

    /// Whether the order of commands is checked.
    pub fn checks_order(&self) -> bool {
        self.interrupts.ordering.is_some()
    }

    /// Looks at the order of the commands that are done by now, and of what follows from `news`.
    pub fn settle(&self, news: impl FnOnce(&mut Ordered)) {
        let Some(ordering) = self.interrupts.ordering.as_ref().filter(|_| self.port.is_here()) else { return };
        let queues: HashMap<u32, u64> = self.queues().iter().map(|q| (q.id.0, q.cell.load_u64(0))).collect();
        let mut ordering = ordering.lock();
        let mut findings = ordering.settle(&|id| queues.get(&id.0).copied().unwrap_or(u64::MAX));
        news(&mut ordering);
        ordering.let_go();
        drop(ordering);
        for finding in &mut findings {
            let other = finding.other.as_mut().and_then(|o| o.access.as_mut());
            for access in finding.access.as_mut().into_iter().chain(other) {
                access.name = self.port.name_at(access.address);
            }
        }
        self.interrupts.note(&findings, 0);
    }

    /// A batch of commands is submitted.
    pub fn submitted(&self, queue: &QueueFence, slot: (u32, u32), batch: Batch) {
        if let Some(ordering) = &self.interrupts.ordering {
            ordering.lock().submit(queue.id, slot, batch);
        }
    }

    /// Memory or a semaphore is no more.
    pub fn order_without(&self, news: impl FnOnce(&mut Ordered)) {
        if let Some(ordering) = self.interrupts.ordering.as_ref().filter(|_| self.port.is_here()) {
            news(&mut ordering.lock());
        }
    }

    /// Allocates, after giving back what no queue uses any more.
    pub fn allocate(&self, size: u64, name: &str, protection: Protection) -> Result<Allocation> {
        self.reap();
        Ok(self.port.allocate_protected(size, name, protection)?)
    }

    /// Maps memory of the host.
    pub fn map_host(&self, memory: HostMemory, name: &str) -> Result<Allocation> {
        self.reap();
        Ok(self.port.map_host(memory, name)?)
    }

    /// Gives an allocation back as soon as all work submitted so far is over.
    pub fn retire(&self, va: u64) {
        if !self.port.is_here() {
            return;
        }
        let mut pending = Vec::new();
        for queue in self.queues() {
            let seq = queue.submitted.load(Ordering::Acquire);
            if !queue.retired(seq) {
                pending.push((queue, seq));
            }
        }
        if pending.is_empty() {
            self.port.free(va);
        } else {
            self.retired.lock().push(Retired { va, pending });
        }
    }

    /// The queues that are still mapped, or have work.
    fn queues(&self) -> Vec<Arc<QueueFence>> {
        let mut fences = self.fences.lock();
        fences.retain(|f| f.strong_count() > 0);
        fences.iter().filter_map(Weak::upgrade).collect()
    }

    /// Frees what was dropped while the GPU used it, and is not used any more.
    pub fn reap(&self) {
        if !self.port.is_here() {
            return;
        }
        self.queues().iter().for_each(|q| q.release_kept());
        let free = |r: &mut Retired| r.pending.iter().all(|(f, seq)| f.retired(*seq));
        let over: Vec<Retired> = self.retired.lock().extract_if(.., free).collect();
        over.iter().for_each(|r| self.port.free(r.va));
    }
}

impl Drop for Bus {
    fn drop(&mut self) {
        if !self.port.is_here() {
            return;
        }
        self.interrupts.gates.close();
        // The handler holds the interrupt state; an idle one breaks the last tie to this device.
        self.port.set_interrupt_handler(Box::new(|_| {}));
        for r in self.retired.get_mut().drain(..) {
            self.port.free(r.va);
        }
    }
}

pub(crate) struct Interrupts {
    state: Mutex<InterruptState, { rank::INTERRUPTS }>,
    changed: Condvar,
    findings: Findings,
    /// Whether commands are ordered, if that is checked.
    ordering: Option<Mutex<Ordered, { rank::ORDERING }>>,
    pub printer: Printer,
    pub covered: Covered,
    pub codes: Arc<CodeMap>,
    debug: DebugFlags,
    pub gates: Arc<Gates>,
    /// What lets time pass, on a GPU with a clock of its own.
    port: Arc<dyn GpuPort>,
}

#[derive(Default)]
struct InterruptState {
    fault: Option<Arc<GpuFault>>,
    stopped: Vec<QueueId>,
}

impl Interrupts {
    fn handle(&self, interrupt: Interrupt) {
        match interrupt {
            Interrupt::EndOfPipe { .. } => {
                self.gates.look();
                self.notify();
            }
            Interrupt::Fault { queue, fault } => {
                let fault = self.codes.annotate(fault);
                if self.debug.contains(DebugFlags::FAULT) {
                    report(&fault.to_string());
                }
                let mut state = self.state.lock();
                state.stopped.push(queue);
                state.fault.get_or_insert(fault);
                drop(state);
                self.changed.notify_all();
            }
            Interrupt::Findings { findings, more, .. } => self.note(&findings, more),
            Interrupt::Executed { counts, .. } => self.covered.executed(&counts, &self.codes),
            Interrupt::Touched { queue, touched } => {
                if let Some(ordering) = &self.ordering {
                    ordering.lock().note(queue, touched);
                }
            }
            Interrupt::Trace(messages) => {
                self.covered.counted(&messages, &self.codes);
                self.printer.print(&messages, &self.codes);
            }
        }
    }

    /// Keeps what was found in a dispatch.
    fn note(&self, findings: &[Finding], more: u64) {
        let findings: Vec<Finding> = findings.iter().map(|f| self.codes.complete(f.clone())).collect();
        for finding in &findings {
            // Code of others sends what it likes.
            if matches!(finding.kind, FindingKind::Told { .. }) || findings.iter().any(|f| f.says_more_than(finding)) {
                continue;
            }
            // An upload's number, for the address may hold other code some day.
            let (finding, upload) = (finding.clone(), self.codes.upload_at(finding.site.pc));
            let (finding, new) = self.findings.add(finding, upload);
            if new && self.debug.contains(DebugFlags::FAULT) {
                report(&finding.to_string());
            }
        }
        self.findings.add_more(more);
    }

    /// What was found since last asked.
    pub fn take_findings(&self) -> Found {
        self.findings.take()
    }

    /// All that was found.
    pub fn all_findings(&self) -> Found {
        self.findings.all()
    }

    /// Wakes all waiters to look again.
    pub fn notify(&self) {
        drop(self.state.lock());
        self.changed.notify_all();
    }

    /// The first fault.
    pub fn fault(&self) -> Option<Arc<GpuFault>> {
        self.state.lock().fault.clone()
    }

    /// Nothing on the queue will finish any more.
    pub fn stop(&self, queue: QueueId) {
        self.state.lock().stopped.push(queue);
    }

    fn stopped(&self, queue: QueueId) -> bool {
        self.state.lock().stopped.contains(&queue)
    }

    /// Whether the device can do anything: it is in this process, and not lost.
    pub fn check(&self) -> Result<()> {
        self.here()?;
        self.fault().map_or(Ok(()), |f| Err(Error::DeviceLost(f)))
    }

    /// First of all, and without a lock: in a forked child a lock may be held by a thread that is not there.
    fn here(&self) -> Result<()> {
        if self.port.is_here() { Ok(()) } else { Err(Error::OtherProcess) }
    }

    /// Blocks until `ready`, or the deadline (`Ok(false)`), or the device is lost. `ready` must not take this lock.
    pub fn wait(&self, deadline: Option<Instant>, ready: impl FnMut() -> bool) -> Result<bool> {
        self.wait_letting(true, deadline, ready)
    }

    /// The same for a thread of the driver's own, for which no time passes on a GPU with a clock of its own.
    pub fn watch(&self, deadline: Option<Instant>, ready: impl FnMut() -> bool) -> Result<bool> {
        self.wait_letting(false, deadline, ready)
    }

    fn wait_letting(
        &self,
        time_pass: bool,
        deadline: Option<Instant>,
        mut ready: impl FnMut() -> bool,
    ) -> Result<bool> {
        self.here()?;
        let mut by_itself = !time_pass;
        loop {
            let state = self.state.lock();
            if ready() {
                return Ok(true);
            }
            if let Some(fault) = &state.fault {
                return Err(Error::DeviceLost(fault.clone()));
            }
            if !by_itself {
                drop(state);
                match self.port.advance() {
                    Advance::ByItself => by_itself = true,
                    Advance::Passed => {}
                    Advance::Nothing => {
                        // Another thread of the program may do what the GPU waits for.
                        let soon = Instant::now() + STANDSTILL;
                        let until = deadline.map_or(soon, |d| d.min(soon));
                        self.state.lock().wait_until(&self.changed, until);
                    }
                }
                if deadline.is_some_and(|d| Instant::now() >= d) {
                    return Ok(ready());
                }
                continue;
            }
            match deadline {
                None => state.wait(&self.changed),
                Some(d) => {
                    if state.wait_until(&self.changed, d) {
                        return Ok(ready());
                    }
                }
            }
        }
    }

    /// Somebody looks whether something has happened: on a GPU with a clock of its own time passes, until it may have.
    pub fn poll(&self, mut ready: impl FnMut() -> bool) -> bool {
        self.here().is_ok() && (ready() || self.port.advance() == Advance::Passed && ready())
    }
}

/// Code in GPU memory by address: a fault's pc becomes a kernel and a source line, and a queue learns which addresses
/// hold code that its instruction fetches have not seen.
#[derive(Default)]
pub(crate) struct CodeMap {
    codes: Mutex<BTreeMap<u64, UploadedCode>, { rank::LEAF }>,
    uploads: AtomicU64,
    /// Code that is gone, the last one last, if it may be asked for.
    gone: Option<GoneCode>,
}

type GoneCode = Mutex<Vec<(u64, Arc<CodeObject>)>, { rank::LEAF }>;

struct UploadedCode {
    object: Arc<CodeObject>,
    /// Number of the upload.
    upload: u64,
}

impl CodeMap {
    /// That keeps what is gone, if `keeps`.
    pub fn new(keeps: bool) -> CodeMap {
        CodeMap { gone: keeps.then(Mutex::default), ..CodeMap::default() }
    }

    /// Its number among the uploads.
    pub fn insert(&self, va: u64, object: Arc<CodeObject>) -> u64 {
        let mut codes = self.codes.lock();
        let upload = self.uploads.fetch_add(1, Ordering::AcqRel) + 1;
        codes.insert(va, UploadedCode { object, upload });
        upload
    }

    pub fn remove(&self, va: u64) {
        let removed = self.codes.lock().remove(&va);
        if let (Some(gone), Some(code)) = (&self.gone, removed) {
            gone.lock().push((va, code.object));
        }
    }

    /// The code that holds an address, and where it begins.
    pub fn find(&self, va: u64) -> Option<(u64, Arc<CodeObject>)> {
        let codes = self.codes.lock();
        let (at, code) = codes.range(..=va).next_back()?;
        (va - at < code.object.text.len() as u64).then(|| (*at, code.object.clone()))
    }

    /// The same, with the number of its upload.
    pub fn find_upload(&self, va: u64) -> Option<(u64, Arc<CodeObject>, u64)> {
        let codes = self.codes.lock();
        let (at, code) = codes.range(..=va).next_back()?;
        (va - at < code.object.text.len() as u64).then(|| (*at, code.object.clone(), code.upload))
    }

    /// All code that holds an address, or has held it; the newest first.
    pub fn ever(&self, va: u64) -> Vec<(u64, Arc<CodeObject>)> {
        let holds = |(at, code): &&(u64, Arc<CodeObject>)| va.wrapping_sub(*at) < code.text.len() as u64;
        let gone = self.gone.as_ref().map(|g| g.lock().iter().rev().filter(holds).cloned().collect::<Vec<_>>());
        self.find(va).into_iter().chain(gone.unwrap_or_default()).collect()
    }

    /// The number of the upload that is nearest at or before an address.
    fn upload_at(&self, va: u64) -> u64 {
        self.codes.lock().range(..=va).next_back().map_or(0, |(_, code)| code.upload)
    }

    /// Address and bytes of the code uploaded after upload number `seen`, and the newest number.
    pub fn since(&self, seen: u64) -> (Vec<(u64, u64)>, u64) {
        if self.uploads.load(Ordering::Acquire) == seen {
            return (Vec::new(), seen);
        }
        let codes = self.codes.lock();
        let fresh = codes.iter().filter(|(_, c)| c.upload > seen).map(|(va, c)| (*va, c.object.text.len() as u64));
        (fresh.collect(), self.uploads.load(Ordering::Acquire))
    }

    fn annotate(&self, fault: Arc<GpuFault>) -> Arc<GpuFault> {
        let mut fault = GpuFault::clone(&fault);
        if let Some(kernel) = fault.site.as_mut().and_then(|site| self.locate(site)) {
            fault.kernel = kernel;
        }
        if let FaultKind::Finding(finding) = &mut fault.kind {
            **finding = self.complete(Finding::clone(finding));
        }
        Arc::new(fault)
    }

    /// Adds the names that the driver knows: of the kernel, of what it calls, of source lines.
    fn complete(&self, mut finding: Finding) -> Finding {
        if let Some(kernel) = self.place(&mut finding.site) {
            finding.kernel = kernel;
        }
        if let Some(other) = &mut finding.other {
            self.place(&mut other.site);
        }
        if let FindingKind::Told { site, payload } = &finding.kind
            && let Some((_, code)) = self.find(finding.site.pc)
            && let Some(site) = code.sites.get(*site as usize)
            && let Some(kind) = FindingKind::of_site(&site.kind, payload)
        {
            finding.kind = kind;
        }
        finding
    }

    /// Completes a place; the kernel's name, if it is known.
    pub fn place(&self, site: &mut Location) -> Option<String> {
        let found = self.look_up(site.pc, site.pc_offset)?;
        site.pc_offset = found.offset;
        site.disassembly = self.labelled(&site.disassembly, site.pc);
        site.function = found.called;
        site.source = found.source;
        Some(found.kernel)
    }

    /// Tells a place's source line, and counts its offset from the code that it is in; the kernel's name, if it is known.
    fn locate(&self, site: &mut WaveSite) -> Option<String> {
        let found = self.look_up(site.pc, site.pc_offset)?;
        // In a function it counts from the kernel on.
        if found.called.is_none() {
            site.pc_offset = found.offset;
        }
        site.disassembly = self.labelled(&site.disassembly, site.pc);
        for wave in &mut site.waves {
            wave.disassembly = self.labelled(&wave.disassembly, wave.pc);
        }
        let called = found.called.map(|name| format!("{name}+{:#x}", found.offset));
        let line = found.source.map(|SourceLine { file, line }| format!("{file}:{line}"));
        site.source = line.or(called).or(site.source.take());
        Some(found.kernel)
    }

    /// The text of the instruction at `pc` as listings have it: a branch names its label.
    fn labelled(&self, text: &str, pc: u64) -> String {
        let target =
            self.find(pc).and_then(|(va, code)| Labels::goal(&code.code_words(), (pc - va) as usize / 4, code.isa));
        disasm::labelled(text, target.as_deref())
    }

    /// What is at `pc`, which is `from_kernel` bytes behind the begin of the kernel that runs.
    fn look_up(&self, pc: u64, from_kernel: u64) -> Option<CodePlace> {
        let codes = self.codes.lock();
        let (va, UploadedCode { object: code, .. }) = codes.range(..=pc).next_back()?;
        let offset = pc - va;
        if offset >= code.text.len() as u64 {
            return None;
        }
        // A function that the kernel called is a piece of code of its own.
        let entry = pc.wrapping_sub(from_kernel);
        let kernel = codes.get(&entry).filter(|_| entry != *va).map(|k| k.object.name.clone());
        let called = kernel.is_some().then(|| code.name.clone());
        let kernel = kernel.unwrap_or_else(|| code.name.clone());
        Some(CodePlace { kernel, called, offset, source: line_of(code, offset as u32) })
    }
}

/// What an address of code is.
struct CodePlace {
    kernel: String,
    /// The piece of code, if it is not the kernel itself.
    called: Option<String>,
    /// From the begin of that.
    offset: u64,
    source: Option<SourceLine>,
}

/// The source line of the instruction at byte `pc`.
pub(crate) fn line_of(code: &CodeObject, pc: u32) -> Option<SourceLine> {
    code.line_at(pc).map(|(file, row)| SourceLine { file: file.into(), line: row.line })
}
