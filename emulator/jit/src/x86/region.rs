//! A region to one function.
//!
//! ```text
//! choose:  what becomes of each instruction, and which guest registers are *fixed* to host registers ([`choose`])
//! emit:    nodes in the order of their addresses. In a node, steps by groups: a vector step joins the open group unless lanes
//!          would see one another's masks, a scalar step moves in front of it if neither sees what the other writes. A
//!          group's scalar steps once, then for each chunk of the wave's lanes all its vector steps, so that a register stays
//!          in a host register from one step to the next
//! ways:    where a node has one way in, from the node in front of it, what registers are known to hold goes on. Ways that lead
//!          back ask whether the turn is over. Ways out, what ends calls, and what is seldom run stand behind the nodes
//! ```

mod access;
mod aside;
mod assembly;
mod by_lane;
mod choose;
mod chunks;
mod element;
mod fetch;
mod give;
mod hoisted;
mod one_place;
mod private;
mod running;
mod stream;
mod uniform;

use super::Host;
use super::emit::{DONE, Done, Emitter, FRAME, Files, LANES_BYTES, LINE, Mark, ROWS, SCALARS, Stores, scalar_at};
use crate::group::Group;
use crate::hoist::Hoisted;
use crate::items::{Item, back, between, items, target};
use crate::live::Live;
use crate::step::{EXEC, Plan, SCC, VCC};
use crate::x86::X86Isa;
use aside::Aside;
pub use assembly::Assembly;
use choose::Fixes;
use iced_x86::{Code, Instruction, MemoryOperand, Register};
use running::Running;
use std::mem::{offset_of, size_of};
use stream::Streams;
use uniform::Uniform;
use wavepipe_core::wave::{Act, Asked, End, Halt, HostFrame, Node, Region, Slot, Step, Way, When};
use wavepipe_isa::row::Sem;

/// Where code goes on that stands behind the nodes.
struct Stub {
    label: Label,
    stores: Stores,
    then: Then,
}

enum Then {
    /// On to a node, by a way that leads back or not.
    Node {
        label: Label,
        pc: u64,
        back: bool,
    },
    Out(u64),
    /// An access by a call; then fixed registers are loaded, and it goes on.
    Access {
        operation: u32,
        before: u32,
        loads: Stores,
        on: Label,
    },
    /// A call ended the region, so many instructions before the node's end.
    Stop(u32),
    /// A fence, and on.
    Drain(Label),
}

type Label = usize;

struct Builder<'r> {
    e: Emitter,
    region: &'r Region,
    items: Vec<Vec<Item<'r>>>,
    live: Live,
    hoisted: Hoisted,
    running: Running,
    /// Ways into each node, the entry's among them.
    ins: Vec<u32>,
    soiled: Vec<Files<u32>>,
    /// Where labels stand; the first are those of the nodes, then those of the ways into loops that begin with them.
    labels: Vec<Option<usize>>,
    /// Those that stand somewhere, in that order.
    placed: Vec<Label>,
    stubs: Vec<Stub>,
    asides: Vec<Aside>,
    epilogue: Label,
    streams: Streams,
    /// How much is called that could not be emitted, for want of registers mostly.
    crowded: u32,
    /// Which nodes are in loops that write EXEC.
    divergent: Vec<bool>,
    /// Whether that holds here, and masks that are there late cost time.
    diverges: bool,
    /// Whether something runs here.
    runs: bool,
}

/// The nodes in loops that write EXEC.
fn divergent(region: &Region, items: &[Vec<Item<'_>>]) -> Vec<bool> {
    let writes = |items: &Vec<Item<'_>>| {
        items.iter().any(|item| matches!(item, Item::Step(_, _, plan) if plan.effect.writes.has(EXEC)))
    };
    let mut divergent = vec![false; items.len()];
    for (n, head) in back(region) {
        if items[head..=n].iter().any(writes) {
            divergent[head..=n].fill(true);
        }
    }
    divergent
}

impl<'r> Builder<'r> {
    fn new(region: &'r Region, host: Host, takes: &dyn Fn(&Step) -> bool) -> Builder<'r> {
        let (items, live) = items(region, &|step| plan(step, region.halves, host).filter(|_| takes(step)));
        let mut ins = vec![0; region.nodes.len()];
        ins[region.entry] = 1;
        between(region).for_each(|(_, t)| ins[t] += 1);
        let nodes = region.nodes.len();
        let epilogue = 2 * nodes;
        let labels = vec![None; epilogue + 1];
        let e = Emitter::new(region.halves, host);
        let divergent = divergent(region, &items);
        let (soiled, streams) = (vec![Files::default(); nodes], Streams::of(region, &items));
        let hoisted = Hoisted::of(region, &items);
        Builder {
            e,
            region,
            items,
            live,
            hoisted,
            running: Running::default(),
            ins,
            soiled,
            labels,
            placed: Vec::new(),
            stubs: Vec::new(),
            asides: Vec::new(),
            epilogue,
            streams,
            crowded: 0,
            divergent,
            diverges: false,
            runs: false,
        }
    }

    fn label(&mut self) -> Label {
        self.labels.push(None);
        self.labels.len() - 1
    }

    fn here(&mut self, label: Label) {
        self.labels[label] = Some(self.e.code.len());
        self.e.joined = self.e.code.len();
        self.placed.push(label);
    }

    fn jump(&mut self, code: Code, label: Label) -> Done<()> {
        self.e.push(Instruction::with_branch(code, label as u64)).map(|_| ())
    }

    fn prologue(&mut self) -> Done<()> {
        use Register::{R12D, RDI, RSP};
        for r in SAVED {
            self.e.push(Instruction::with1(Code::Push_r64, r))?;
        }
        self.e.push(Instruction::with2(Code::Mov_r64_rm64, Register::RAX, RSP))?;
        self.e.push(Instruction::with2(Code::Sub_rm64_imm32, RSP, STACK))?;
        self.e.push(Instruction::with2(Code::And_rm64_imm32, RSP, -(LINE as i32)))?;
        self.e.push(Instruction::with2(Code::Mov_rm64_r64, on_stack(LANES_BYTES), Register::RAX))?;
        if self.streams.any {
            self.streamed(false)?;
        }
        self.e.push(Instruction::with2(Code::Mov_r64_rm64, FRAME, RDI))?;
        for (r, at) in [(ROWS, offset_of!(HostFrame, rows)), (SCALARS, offset_of!(HostFrame, scalars))] {
            self.e.push(Instruction::with2(Code::Mov_r64_rm64, r, in_frame(at)))?;
        }
        self.e.push(Instruction::with2(Code::Xor_r32_rm32, R12D, R12D))?;
        self.e.load_fixed()?;
        self.e.exec_home()?;
        let entry = self.region.entry;
        let around = self.hoisted.around(entry);
        self.compare(&around)?;
        if entry != 0 {
            self.jump(Code::Jmp_rel32_64, self.into_loop(entry))?;
        }
        Ok(())
    }

    fn finish(&mut self) -> Done<()> {
        for Stub { label, stores, then } in std::mem::take(&mut self.stubs) {
            self.here(label);
            self.e.save(stores)?;
            match then {
                Then::Node { label, pc, back } => self.go_on(label, pc, back)?,
                Then::Out(pc) => self.out(pc)?,
                Then::Access { operation, before, loads, on } => self.slow_access(operation, before, loads, on)?,
                Then::Drain(on) => self.drained(on)?,
                Then::Stop(before) => {
                    self.e.push(Instruction::with2(Code::Sub_rm64_imm32, DONE, before as i32))?;
                    self.jump(Code::Jmp_rel32_64, self.epilogue)?;
                }
            }
        }
        // Going on leads to more ways out.
        if !self.stubs.is_empty() {
            return self.finish();
        }
        self.here(self.epilogue);
        if self.streams.any {
            let on = self.label();
            self.e.push(Instruction::with2(Code::Cmp_rm8_imm8, on_stack(STREAMED), 0))?;
            self.jump(Code::Je_rel32_64, on)?;
            self.e.push(Ok(Instruction::with(Code::Sfence)))?;
            self.here(on);
        }
        self.e.push(Ok(Instruction::with(Code::VEX_Vzeroupper)))?;
        self.e.push(Instruction::with2(Code::Mov_r64_rm64, Register::RAX, DONE))?;
        self.e.push(Instruction::with2(Code::Mov_r64_rm64, Register::RSP, on_stack(LANES_BYTES)))?;
        for r in SAVED.into_iter().rev() {
            self.e.push(Instruction::with1(Code::Pop_r64, r))?;
        }
        self.e.push(Ok(Instruction::with(Code::Retnq)))?;
        self.put_asides();
        Ok(())
    }

    /// Leaves with the wave at `pc`; everything is in memory.
    fn out(&mut self, pc: u64) -> Done<()> {
        self.e.push(Instruction::with2(Code::Mov_r64_imm64, Register::RAX, pc))?;
        self.e.push(Instruction::with2(Code::Mov_rm64_r64, in_frame(offset_of!(HostFrame, pc)), Register::RAX))?;
        self.jump(Code::Jmp_rel32_64, self.epilogue)
    }

    /// Leaves with the wave's turn over, so many instructions before the node's end.
    fn halt(&mut self, halt: Halt, pc: u64, before: u32) -> Done<()> {
        let stores = self.e.dirty(true);
        self.e.save(stores)?;
        if before > 0 {
            self.e.push(Instruction::with2(Code::Sub_rm64_imm32, DONE, before as i32))?;
        }
        let stopped = in_frame(offset_of!(HostFrame, stopped));
        self.e.push(Instruction::with2(Code::Mov_rm32_imm32, stopped, halt as u32))?;
        self.out(pc)
    }

    /// To a node's beginning, with its fixed registers loaded and nothing else newer than memory.
    fn go_on(&mut self, label: Label, pc: u64, back: bool) -> Done<()> {
        if back {
            let over = self.label();
            // Fixed registers as the node may find them.
            let stores = self.soiled_at(label);
            self.stubs.push(Stub { label: over, stores, then: Then::Out(pc) });
            self.e.push(Instruction::with2(Code::Cmp_r64_rm64, DONE, in_frame(offset_of!(HostFrame, budget))))?;
            self.jump(Code::Jae_rel32_64, over)?;
            let preempt = in_frame(offset_of!(HostFrame, preempt));
            self.e.push(Instruction::with2(Code::Mov_r64_rm64, Register::RAX, preempt))?;
            let byte = MemoryOperand::with_base(Register::RAX);
            self.e.push(Instruction::with2(Code::Cmp_rm8_imm8, byte, 0))?;
            self.jump(Code::Je_rel32_64, label)?;
            return self.jump(Code::Jmp_rel32_64, over);
        }
        self.jump(Code::Jmp_rel32_64, label)
    }

    fn soiled_at(&mut self, node: usize) -> Stores {
        let before = self.e.mark();
        self.e.begin(self.soiled[node]);
        let stores = self.e.dirty(true);
        self.e.know(before);
        stores
    }

    /// The function, how often it calls for what could not be emitted, and whether fewer fixed registers might leave room for that.
    fn emit(mut self, fixes: Fixes) -> Done<(Assembly, u32, bool)> {
        let (fixed, running) = choose::fixed(self.region, &self.items, &mut self.e, fixes);
        let any = fixed.any() || running.any();
        self.running = running;
        self.soiled = choose::soiled(self.region, &self.items, &fixed);
        self.prologue()?;
        let mut goes_on = false;
        for n in 0..self.region.nodes.len() {
            if !goes_on {
                self.e.begin(self.soiled[n]);
            }
            self.e.registers.run(self.running.at(n));
            self.loop_entered(n)?;
            self.here(n);
            goes_on = self.node(n)?;
        }
        self.finish()?;
        Ok((Assembly { code: self.e.code, constants: self.e.constants, labels: self.labels }, self.crowded, any))
    }

    /// Whether what registers are known to hold goes on to the next node.
    fn node(&mut self, n: usize) -> Done<bool> {
        let node = &self.region.nodes[n];
        self.e.push(Instruction::with2(Code::Add_rm64_imm32, DONE, node.count as i32))?;
        self.runs = !self.running.at(n).is_empty();
        self.diverges = self.divergent[n] && self.e.host.target == X86Isa::Avx512;
        let items = std::mem::take(&mut self.items[n]);
        let (mut group, mut uniform) = (Group::default(), Uniform::default());
        for (i, item) in items.iter().enumerate() {
            let live = *self.live.at(n, i);
            match item {
                Item::Step(act, step, plan) => {
                    let fits = if step.is_scalar() { group.passes(&plan.effect) } else { group.joins(&plan.effect) };
                    let alone = self.moves_before(step).is_some();
                    if !fits || alone {
                        self.group(std::mem::take(&mut group), node, live)?;
                    }
                    group.add(act, step, plan);
                    if alone {
                        self.group(std::mem::take(&mut group), node, *self.live.at(n, i + 1))?;
                    }
                }
                Item::Access(act, access) if by_lane::takes(access) => {
                    self.group(std::mem::take(&mut group), node, live)?;
                    let streams = self.streams.slot(n, access);
                    self.or_call(act, node, |b| match uniform.offset(access) {
                        Some(offset) => b.load_uniform(act, access, node, offset),
                        None => b.access(act, access, node, streams),
                    })?;
                }
                Item::Fetch(act, fetch) => {
                    self.group(std::mem::take(&mut group), node, live)?;
                    self.or_call(act, node, |b| b.fetch(act, fetch, node))?;
                }
                Item::Across(act, across) => {
                    self.group(std::mem::take(&mut group), node, live)?;
                    self.or_call(act, node, |b| b.across(across))?;
                }
                Item::Pc(to, pc) => {
                    self.group(std::mem::take(&mut group), node, live)?;
                    self.e.set_number(*to, *pc as u32)?;
                    self.e.set_number(to + 1, (pc >> 32) as u32)?;
                }
                Item::Wait => self.drain()?,
                Item::Halt(act, halt, pc) => {
                    self.group(std::mem::take(&mut group), node, live)?;
                    match halt {
                        // Who sees what it stored late waits for it to be published.
                        Halt::End if self.streams.any => self.streamed(false)?,
                        Halt::End => {}
                        Halt::Barrier => self.drain()?,
                    }
                    self.halt(*halt, *pc, node.count - act.done)?;
                    return Ok(false);
                }
                Item::Access(act, _) | Item::Call(act) => {
                    self.group(std::mem::take(&mut group), node, live)?;
                    self.call(act, node)?;
                }
            }
            uniform.saw(item);
        }
        self.group(group, node, *self.live.at(n, items.len()))?;
        match node.end {
            End::Go(way) => self.way(n, way),
            End::Branch { when, taken, not } => {
                self.branch(n, when, taken)?;
                self.way(n, not)
            }
        }
    }

    fn way(&mut self, n: usize, way: Way) -> Done<bool> {
        let t = match way {
            Way::Out(pc) => {
                let stores = self.e.dirty(true);
                self.e.save(stores)?;
                self.out(pc)?;
                return Ok(false);
            }
            Way::Node(t) => t,
        };
        if t == n + 1 && self.ins[t] == 1 {
            return Ok(true);
        }
        self.e.load_fixed()?;
        self.e.exec_home()?;
        let stores = self.e.dirty(false);
        self.e.save(stores)?;
        if t != n + 1 {
            self.go_on(self.way_to(n, t), self.region.nodes[t].pc, t <= n)?;
        }
        Ok(false)
    }

    fn branch(&mut self, n: usize, when: When, taken: Way) -> Done<()> {
        self.e.load_fixed()?;
        if target(taken).is_some() {
            self.e.exec_home()?;
        }
        let first = match when.of {
            Asked::Scc => SCC,
            Asked::Vcc => VCC,
            Asked::Exec => EXEC,
        };
        let pair = self.region.halves == 2 && when.of != Asked::Scc;
        let [not_zero, zero] = if pair {
            for (i, code) in [(first, Code::Mov_r32_rm32), (first + 1, Code::Or_r32_rm32)] {
                self.e.with_scalar(code, Register::EAX, i)?;
            }
            [Code::Jne_rel32_64, Code::Je_rel32_64]
        } else if let Some(r) = self.e.known_scalar(first)? {
            self.e.jumps_by(r)?
        } else {
            self.e.push(Instruction::with2(Code::Cmp_rm32_imm8, scalar_at(SCALARS, first), 0))?;
            [Code::Jne_rel32_64, Code::Je_rel32_64]
        };
        let (yes, no) = if when.zero { (zero, not_zero) } else { (not_zero, zero) };
        match taken {
            Way::Node(t) if t <= n => {
                let on = self.label();
                self.jump(no, on)?;
                let stores = self.e.dirty(false);
                self.e.save(stores)?;
                self.go_on(t, self.region.nodes[t].pc, true)?;
                self.here(on);
                Ok(())
            }
            Way::Node(t) => {
                let stores = self.e.dirty(false);
                let to = self.way_to(n, t);
                if stores == Stores::default() {
                    return self.jump(yes, to);
                }
                let label = self.label();
                self.stubs.push(Stub { label, stores, then: Then::Node { label: to, pc: 0, back: false } });
                self.jump(yes, label)
            }
            Way::Out(pc) => {
                let label = self.label();
                self.stubs.push(Stub { label, stores: self.e.dirty(true), then: Then::Out(pc) });
                self.jump(yes, label)
            }
        }
    }

    /// What cannot be emitted is called.
    fn or_call(&mut self, act: &Act, node: &Node, emit: impl FnOnce(&mut Self) -> Done<()>) -> Done<()> {
        let mark = self.mark();
        if emit(self).is_err() {
            self.back_to(mark);
            self.crowded += 1;
            self.call(act, node)?;
        }
        Ok(())
    }

    /// In front of what a call may do instead, with everything in memory: nothing but fixed registers is known, and those are loaded;
    /// of masks EXEC alone, here and as the call leaves it. The labels of the call and of where it goes on.
    fn with_slow_way(&mut self, act: &Act, node: &Node, scalars: &[std::ops::Range<u8>]) -> Done<(Label, Label)> {
        self.e.settle()?;
        self.e.load_fixed()?;
        self.e.exec_home()?;
        self.e.forget_masks(true);
        for scalars in scalars {
            self.e.in_memory(scalars.clone())?;
        }
        let (slow, on) = (self.label(), self.label());
        let loads = Files { vectors: self.e.registers.fixed(), words: self.e.words.fixed() };
        let then = Then::Access { operation: act.operation, before: node.count - act.done, loads, on };
        self.stubs.push(Stub { label: slow, stores: self.e.dirty(true), then });
        Ok((slow, on))
    }

    fn call(&mut self, act: &Act, node: &Node) -> Done<()> {
        self.drain()?;
        self.e.leave()?;
        self.call_of(act.operation, node.count - act.done)
    }

    /// Calls an operation `before` instructions in front of the node's end.
    fn call_of(&mut self, operation: u32, before: u32) -> Done<()> {
        self.e.push(Ok(Instruction::with(Code::VEX_Vzeroupper)))?;
        self.e.push(Instruction::with2(Code::Mov_r64_rm64, Register::RDI, FRAME))?;
        self.e.push(Instruction::with2(Code::Mov_r32_imm32, Register::ESI, operation))?;
        let done = MemoryOperand::with_base_displ(DONE, -i64::from(before) - 1);
        self.e.push(Instruction::with2(Code::Lea_r64_m, Register::RDX, done))?;
        self.e.push(Instruction::with1(Code::Call_rm64, in_frame(offset_of!(HostFrame, call))))?;
        self.e.push(Instruction::with2(Code::Test_rm32_r32, Register::EAX, Register::EAX))?;
        let label = self.label();
        self.stubs.push(Stub { label, stores: Stores::default(), then: Then::Stop(before) });
        self.jump(Code::Jne_rel32_64, label)
    }

    fn mark(&self) -> (Mark, [usize; 4]) {
        (self.e.mark(), [self.labels.len(), self.placed.len(), self.stubs.len(), self.asides.len()])
    }

    fn back_to(&mut self, (mark, [labels, placed, stubs, asides]): (Mark, [usize; 4])) {
        self.e.back_to(mark);
        self.labels.truncate(labels);
        self.placed.truncate(placed);
        self.stubs.truncate(stubs);
        self.asides.truncate(asides);
    }
}

/// What a function has to give back as it was, besides RSP.
const SAVED: [Register; 6] = [Register::RBX, Register::RBP, Register::R12, Register::R13, Register::R14, Register::R15];
/// Bytes of the stack: the lanes', which begin a line, for a row that lies in two is not read back at once; what RSP was; and whether
/// something was stored past the caches; an access's place, while RAX is something else.
const STACK: i32 = LANES_BYTES + 24;
const STREAMED: i32 = LANES_BYTES + 8;
const PLACE: i32 = LANES_BYTES + 16;

fn on_stack(at: i32) -> MemoryOperand {
    MemoryOperand::with_base_displ(Register::RSP, at.into())
}

/// A place in a slot of the frame's, which RDX is at.
fn in_slot(slot: u32, at: usize) -> MemoryOperand {
    MemoryOperand::with_base_displ(Register::RDX, (slot as usize * size_of::<Slot>() + at) as i64)
}

fn in_frame(at: usize) -> MemoryOperand {
    MemoryOperand::with_base_displ(FRAME, at as i64)
}

/// General registers have all operations of words.
fn plan(step: &Step, halves: usize, host: Host) -> Option<Plan> {
    // What writes EXEC does so of all lanes.
    if step.movement.is_some() && step.op.row().sem == Sem::CompareExec {
        return None;
    }
    let mut plan = Plan::new(step, halves, &|f| step.is_scalar() || host.has(f))?;
    plan.contract();
    if step.is_scalar() {
        plan.contract_overflow();
    }
    if host.target == X86Isa::Avx512 && !step.is_scalar() {
        plan.contract_bits();
    }
    Some(plan)
}

/// A step by itself; `None`: it cannot be emitted.
pub fn alone(step: &Step, halves: usize, host: Host) -> Option<Vec<Instruction>> {
    let plan = plan(step, halves, host)?;
    let mut e = Emitter::new(halves, host);
    match step.is_scalar() {
        true => e.scalar_step(step, &plan),
        false => e.step(step, &plan),
    }
    .ok()?;
    Some(e.code)
}

pub fn takes(step: &Step, halves: usize, host: Host) -> bool {
    alone(step, halves, host).is_some()
}

pub fn assemble(region: &Region, host: Host, takes: &dyn Fn(&Step) -> bool) -> Option<Assembly> {
    let emit = |fixes| Builder::new(region, host, takes).emit(fixes).ok();
    let (mut made, mut crowded, mut fixed) = emit(Fixes::Most)?;
    for fixes in Fixes::LESS {
        if crowded == 0 || !fixed {
            break;
        }
        // What stays a call was no want of registers.
        let (assembly, fewer, any) = emit(fixes)?;
        fixed = any;
        if fewer < crowded {
            (made, crowded) = (assembly, fewer);
        }
    }
    Some(made)
}
