//! Regions: the code that is reached from a hot block, as an engine of host code takes it.
//!
//! ```text
//! discover:  from the block that is hot on, follow branches to blocks that have run (all, for an engine without patience),
//!            up to MAX_OPERATIONS; cut at each place that a branch leads to, so that a node has one entry and one end
//! describe:  an operation that computes in registers is a Step, a branch is an End, every other one a call of the
//!            interpreter's own function, behind which the region may be over (a fault, a barrier, a new MODE)
//! compile:   on a thread of its own, while the interpreter goes on; at once for an engine without patience
//! run:       the host's function goes from node to node until a way leads out, a call says so, or the turn is over,
//!            which it asks on ways that lead back
//! ```
//!
//! Invariant: a region does to the wave and its surroundings what its operations would have done one by one, in the MODE
//! that its blocks' key names and with DX10_CLAMP set, and leaves with the state of some place in that order: exact but for registers
//! that the nodes to come write before anybody reads them.

use super::access::{self, Access, Fetch, Slot};
use super::across::{self, Across};
use super::block::{Block, CodeCache, Key};
use super::env::Env;
use super::hot::{Role, Step, role};
use super::op::MicroOp;
use super::state::Wave;
use super::touched::Touched;
use super::unwritten::Unwritten;
use crate::memory::MemoryMap;
use std::collections::BTreeMap;
use std::ffi::c_void;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use wavepipe_isa::alu::FpMode;
use wavepipe_isa::row::{Control, Sem};

/// Most instructions of a region.
const MAX_OPERATIONS: usize = 2048;

/// An engine that makes host code.
pub trait HostCode: Send + Sync {
    /// The execution of a block, counted from 1, in front of which it is compiled.
    fn patience(&self) -> u32;
    /// Code for the region.
    ///
    /// # Errors
    /// There is none, and the interpreter keeps it.
    fn compile(&self, region: &Region) -> Result<Box<dyn HostRun>, NoCode>;
    /// What waves that have ended stored is seen by other threads before what this thread does next.
    fn publish(&self);
}

/// Why there is no host code.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NoCode {
    /// There will be none of this region.
    Never,
    /// The engine has no room for more, until other code of its is dropped.
    Full,
}

/// A compiled region.
pub trait HostRun: Send + Sync {
    /// Runs from the region's entry on; the instructions that were executed. Why it came back stands in the frame.
    ///
    /// # Safety
    /// The frame is for a wave of the region's kind: `rows` is aligned to 64 bytes and holds every register that the
    /// region names, `scalars` is a scalar file of 256 words, and calls may be made of each of the region's operations.
    unsafe fn run(&self, frame: &mut HostFrame) -> u64;

    /// The host's function, where [`HostRun::run`] is nothing but a call of it.
    fn entry(&self) -> Option<Entry> {
        None
    }
}

/// What a compiled region finds and leaves.
#[repr(C)]
pub struct HostFrame {
    /// Rows of 32 words: register r of half h at row r · halves + h.
    pub rows: *mut u32,
    pub scalars: *mut u32,
    /// Executes an operation of the region by the interpreter, `done` instructions after the region's entry, that one
    /// not counted, and fills its slot, if it has one; whether the region is over. Registers are in memory, before and after.
    pub call: Call,
    /// The region's slots.
    pub slots: *mut Slot,
    /// LDS, and its bytes.
    pub lds: *mut u8,
    pub lds_bytes: u64,
    /// Not zero: the turn is over.
    pub preempt: *const u8,
    /// Instructions after which the turn is over.
    pub budget: u64,
    /// Where the wave goes on, if the region was left by a way out or a halt.
    pub pc: u64,
    /// One more than the operation whose call ended the region; 0: a way led out; a [`Halt`].
    pub stopped: u32,
    wave: *mut Wave,
    env: *mut c_void,
    code: *const Compiled,
    /// The wave's clock at the entry.
    clock: u64,
}

/// A function of a frame; the instructions that were executed. On x86-64 in the System V convention on every operating system.
#[cfg(target_arch = "x86_64")]
pub type Entry = unsafe extern "sysv64" fn(*mut HostFrame) -> u64;
#[cfg(not(target_arch = "x86_64"))]
pub type Entry = unsafe extern "C" fn(*mut HostFrame) -> u64;

#[cfg(target_arch = "x86_64")]
pub type Call = unsafe extern "sysv64" fn(*mut HostFrame, u32, u64) -> u32;
#[cfg(not(target_arch = "x86_64"))]
pub type Call = unsafe extern "C" fn(*mut HostFrame, u32, u64) -> u32;

/// What a region consists of.
pub struct Region {
    /// Of the waves that run it: 32 lanes each.
    pub halves: usize,
    pub nodes: Vec<Node>,
    /// Where it is entered.
    pub entry: usize,
    /// How many [`Slot`]s its accesses have.
    pub slots: u32,
}

/// Instructions one after the other.
pub struct Node {
    pub pc: u64,
    pub acts: Vec<Act>,
    /// Instructions, those that do nothing and the branch at the end too.
    pub count: u32,
    pub end: End,
}

/// An instruction that does something.
pub struct Act {
    /// For [`HostFrame::call`].
    pub operation: u32,
    /// The node's instructions up to this one, which counts.
    pub done: u32,
    pub what: What,
}

/// What an instruction does, as far as host code can.
pub enum What {
    /// It reads and writes registers only.
    Step(Step),
    Access(Access),
    Fetch(Fetch),
    /// It moves words between lanes.
    Across(Across),
    /// An address to a pair of scalars: that of the next instruction.
    Pc {
        to: u8,
        pc: u64,
    },
    /// It waits for stores: whoever sees what is stored behind it sees what was stored before.
    Wait,
    /// The region and the wave's turn are over, its pc being this one.
    Halt(Halt, u64),
    Call,
}

/// Why a wave's turn is over; in [`HostFrame::stopped`], where no operation has such a number.
#[repr(u32)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Halt {
    /// It waits for the other waves of its work-group, if there are any.
    Barrier = u32::MAX - 1,
    /// The wave is no more. Others may see later what it stored, up to [`HostCode::publish`].
    End = u32::MAX,
}

impl What {
    /// The slot that it has.
    fn slot(&self) -> Option<u32> {
        match self {
            What::Access(access) => access.place.slot(),
            What::Fetch(fetch) => Some(fetch.slot),
            What::Step(_) | What::Across(_) | What::Pc { .. } | What::Wait | What::Halt(..) | What::Call => None,
        }
    }
}

/// How a node ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum End {
    Go(Way),
    Branch { when: When, taken: Way, not: Way },
}

/// Where to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Way {
    Node(usize),
    /// Out of the region, to this address.
    Out(u64),
}

/// What a branch asks: whether a word or a lane mask is zero, or is not.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct When {
    pub of: Asked,
    pub zero: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Asked {
    Scc,
    Vcc,
    Exec,
}

pub(super) fn when(c: Control) -> Option<When> {
    let (of, zero) = match c {
        Control::BranchScc0 => (Asked::Scc, true),
        Control::BranchScc1 => (Asked::Scc, false),
        Control::BranchVccz => (Asked::Vcc, true),
        Control::BranchVccnz => (Asked::Vcc, false),
        Control::BranchExecz => (Asked::Exec, true),
        Control::BranchExecnz => (Asked::Exec, false),
        _ => return None,
    };
    Some(When { of, zero })
}

pub(super) fn control(op: &MicroOp) -> Option<Control> {
    match op.row.sem {
        Sem::Control(c) => Some(c),
        _ => None,
    }
}

/// S_GETPC_B64 to SGPRs or VCC.
fn place(op: &MicroOp) -> Option<What> {
    let to = u8::try_from(op.dst).ok().filter(|&to| to < super::hot::NULL - 1)?;
    (control(op) == Some(Control::GetPc)).then_some(What::Pc { to, pc: op.next })
}

/// A region and the operations that its calls name.
pub(crate) struct Discovered {
    pub region: Region,
    operations: Box<[Operation]>,
    touched: Touched,
}

/// One of a block's operations, and its slot.
struct Operation {
    block: Arc<Block>,
    index: usize,
    slot: Option<u32>,
}

/// Places that nodes begin at: an operation of a block.
type Leaders = BTreeMap<u64, (Arc<Block>, usize)>;

/// Nodes' places, from `first` on; see the module's algorithm.
fn leaders(first: &Arc<Block>, key: Key, map: &MemoryMap, code: &CodeCache) -> Leaders {
    let eager = code.host().is_some_and(|h| h.patience() == 1);
    let mut found = Leaders::from([(first.start, (first.clone(), 0))]);
    let mut open = vec![(first.clone(), 0)];
    let mut operations = 0;
    while let Some((block, begin)) = open.pop() {
        let mut targets = Vec::new();
        for (i, op) in block.ops.iter().enumerate().skip(begin) {
            operations += 1;
            match control(op) {
                Some(Control::Branch) => targets.push((super::control::target(op), None)),
                Some(c) if when(c).is_some() => {
                    targets.push((super::control::target(op), None));
                    if i + 1 < block.ops.len() {
                        targets.push((op.next, Some(i + 1)));
                    }
                }
                _ => {
                    if i + 1 == block.ops.len() && block.is_cut() {
                        targets.push((block.end, None));
                    }
                    continue;
                }
            }
            break;
        }
        if operations > MAX_OPERATIONS {
            break;
        }
        for (pc, inside) in targets {
            if found.contains_key(&pc) || pc >= super::block::PC_END || pc & 3 != 0 {
                continue;
            }
            let next = match inside {
                Some(i) => Some((block.clone(), i)),
                None if eager => Some((code.get(map, Key { pc, ..key }), 0)),
                None => code.known(Key { pc, ..key }).filter(|b| b.heat.has_run()).map(|b| (b, 0)),
            };
            if let Some(next) = next {
                found.insert(pc, next.clone());
                open.push(next);
            }
        }
    }
    found
}

/// The region from `first` on.
pub(crate) fn discover(first: &Arc<Block>, key: Key, map: &MemoryMap, code: &CodeCache) -> Discovered {
    let leaders = leaders(first, key, map, code);
    let number: BTreeMap<u64, usize> = leaders.keys().enumerate().map(|(n, &pc)| (pc, n)).collect();
    let way = |pc: u64| number.get(&pc).map_or(Way::Out(pc), |&n| Way::Node(n));
    let mut operations = Vec::new();
    let mut nodes = Vec::new();
    let (mut slots, mut touched) = (0, Touched::default());
    for (&pc, (block, begin)) in &leaders {
        let mut node = Node { pc, acts: Vec::new(), count: 0, end: End::Go(way(block.end)) };
        for (i, op) in block.ops.iter().enumerate().skip(*begin) {
            let here = block.start + u64::from(block.places[i].offset);
            if i > *begin && number.contains_key(&here) {
                node.end = End::Go(way(here));
                break;
            }
            node.count += 1;
            let ends = match control(op) {
                Some(Control::Branch) => Some(End::Go(way(super::control::target(op)))),
                Some(c) => {
                    let branch = |when| End::Branch { when, taken: way(super::control::target(op)), not: way(op.next) };
                    when(c).map(branch)
                }
                None => None,
            };
            if let Some(end) = ends {
                node.end = end;
                break;
            }
            let what = match role(op, key.halves) {
                Role::Nothing if super::control::waits_for_stores(op, key.isa) => What::Wait,
                Role::Nothing => continue,
                Role::Step(step) => What::Step(step),
                Role::Interpreted => {
                    let access = access::access(op, key.halves, slots).map(What::Access);
                    let fetch = || access::fetch(op, slots).map(What::Fetch);
                    let across = || across::across(op, key.halves, key.isa).map(What::Across);
                    let what = access.or_else(fetch).or_else(across).or_else(|| place(op));
                    what.or_else(|| Some(What::Halt(super::control::halt(control(op)?)?, op.next)))
                        .unwrap_or(What::Call)
                }
            };
            let slot = what.slot();
            slots += u32::from(slot.is_some());
            if let (false, Some(instr)) = (matches!(what, What::Call), &block.places[i].instr) {
                touched.add(Touched::by(instr, block.lanes));
            }
            node.acts.push(Act { operation: operations.len() as u32, done: node.count, what });
            operations.push(Operation { block: block.clone(), index: i, slot });
        }
        nodes.push(node);
    }
    let entry = number[&first.start];
    Discovered { region: Region { halves: key.halves, nodes, entry, slots }, operations: operations.into(), touched }
}

/// Host code, and what it was made of.
pub(crate) struct Compiled {
    run: Box<dyn HostRun>,
    entry: Option<Entry>,
    /// What it begins with.
    pub first: Arc<Block>,
    /// How many were made before it.
    pub number: u64,
    operations: Box<[Operation]>,
    slots: u32,
    /// What it changes, but by calls.
    touched: Touched,
    /// If its first block is a program's: what that may read of VGPRs without having written it.
    unwritten: Option<Unwritten>,
}

/// [`HostFrame::call`] by the host's convention.
macro_rules! call {
    ($abi:literal) => {
        unsafe extern $abi fn call(frame: *mut HostFrame, operation: u32, done: u64) -> u32 {
            // SAFETY: the caller's promise.
            unsafe { called(frame, operation, done) }
        }
    };
}
#[cfg(target_arch = "x86_64")]
call!("sysv64");
#[cfg(not(target_arch = "x86_64"))]
call!("C");

/// # Safety
/// The frame is that of a [`Compiled::run`] that waits for its host code, and the operation one of the region's.
unsafe fn called(frame: *mut HostFrame, operation: u32, done: u64) -> u32 {
    // SAFETY: borrows of wave, surroundings and code are made of those of `Compiled::run` while it waits for the host code,
    // which touches none of them now.
    unsafe {
        let frame = &mut *frame;
        let (wave, env, code) = (&mut *frame.wave, &mut *frame.env.cast::<Env<'_>>(), &*frame.code);
        wave.clock = frame.clock + done;
        wave.beginning = 0;
        let Operation { block, index, slot } = &code.operations[operation as usize];
        let op = &block.ops[*index];
        // What the operation loads may be in its own scalars' place no more, but scalars it does not write.
        let found = slot.and_then(|slot| Some((slot, access::resolve(wave, op, env)?)));
        let stopped = (op.f)(wave, op, env);
        if stopped {
            frame.stopped = operation + 1;
        } else if let Some((slot, found)) = found {
            *frame.slots.add(slot as usize) = found;
        }
        stopped.into()
    }
}

/// What became of a run.
pub(crate) struct Ran<'c> {
    pub instructions: u64,
    /// The operation that ended it, if one did.
    pub stopped: Option<(&'c Block, usize)>,
}

impl Compiled {
    pub fn new(
        run: Box<dyn HostRun>,
        first: Arc<Block>,
        number: u64,
        found: Discovered,
        unwritten: Option<Unwritten>,
    ) -> Compiled {
        let Discovered { region, operations, touched } = found;
        Compiled { entry: run.entry(), run, first, number, operations, slots: region.slots, touched, unwritten }
    }

    /// Whether a wave may have host code, by its MODE: it clamps NaN to 0.
    #[inline(always)]
    pub fn takes(w: &Wave) -> bool {
        FpMode::from_bits(w.mode).dx10_clamp
    }

    /// See [`super::unwritten`]; `None`: nothing is known.
    pub fn unwritten(&self) -> Option<&[u32]> {
        self.unwritten.as_ref().map(|unwritten| &*unwritten.registers)
    }

    /// Slots as they are at first.
    pub fn empty_slots(&self) -> Box<[Slot]> {
        vec![Slot::default(); self.slots as usize].into()
    }

    pub fn is_gone(&self) -> bool {
        self.operations.iter().any(|o| o.block.is_gone()) || self.unwritten.as_ref().is_some_and(Unwritten::is_gone)
    }

    /// What runs of waves in these surroundings are given: the slots are the region's, and empty or filled by runs with the same memory
    /// map.
    #[inline(always)]
    pub fn frame(&self, env: &mut Env<'_>, slots: &mut [Slot], preempt: &AtomicBool) -> HostFrame {
        debug_assert_eq!(slots.len(), self.slots as usize);
        let lds = env.lds.backing();
        HostFrame {
            rows: std::ptr::null_mut(),
            scalars: std::ptr::null_mut(),
            call,
            slots: slots.as_mut_ptr(),
            lds: lds.map_or(std::ptr::null_mut(), |lds| lds.host()),
            lds_bytes: lds.map_or(0, |lds| lds.size()),
            preempt: std::ptr::from_ref(preempt).cast(),
            budget: 0,
            pc: 0,
            stopped: 0,
            clock: 0,
            wave: std::ptr::null_mut(),
            env: std::ptr::from_mut(env).cast(),
            code: self,
        }
    }

    /// Runs the wave, one of so many, from the region's entry on; where no operation ended it, the wave's pc says where it goes on.
    ///
    /// # Safety
    /// As for [`super::op::OpFn`]: the region's blocks were decoded for waves such as `w`. The frame is this code's, and what it was made
    /// of is still there, and nobody else's.
    #[inline(always)]
    pub unsafe fn run(&self, frame: &mut HostFrame, w: &mut Wave, waves: u32, budget: u64) -> Ran<'_> {
        (frame.rows, frame.scalars) = (w.registers.v.first_row(), w.s.0.as_mut_ptr());
        (frame.clock, frame.wave) = (w.clock, std::ptr::from_mut(w));
        (frame.budget, frame.stopped) = (budget, 0);
        // SAFETY: rows are aligned to 64 bytes, and the operations, of which the region was made, name registers of the
        // wave only.
        let instructions = unsafe {
            match self.entry {
                Some(entry) => entry(frame),
                None => self.run.run(frame),
            }
        };
        w.clock = frame.clock + instructions;
        w.touched.add(self.touched);
        const BARRIER: u32 = Halt::Barrier as u32;
        const END: u32 = Halt::End as u32;
        match frame.stopped {
            0 => w.pc = frame.pc,
            BARRIER => super::control::stop_at(w, Halt::Barrier, frame.pc, waves),
            END => super::control::stop_at(w, Halt::End, frame.pc, waves),
            operation => {
                let Operation { block, index, .. } = &self.operations[operation as usize - 1];
                return Ran { instructions, stopped: Some((block, *index)) };
            }
        }
        Ran { instructions, stopped: None }
    }
}
