//! A region to one function.
//!
//! ```text
//! node:   a block. Its steps by groups ([`crate::group`]), accesses and calls one after the other. Between those every
//!         register is in memory, and every scalar, whose last value is remembered as well
//! ways:   forward to the node's block; back by a block that asks whether the turn is over; out by one that says where to
//! calls:  the interpreter's operation, with the number of instructions so far; a call that ends the region goes to the end
//! ```
//!
//! What is known of scalars goes on where a node has one way in, from the node in front of it, whose block dominates it.

use super::vector::together;
use crate::arena::Arena;
use crate::code::ExecutableCode;
use crate::group::Group;
use crate::hoist::Hoisted;
use crate::items::{Item, between, depths, items, ways};
use crate::step::{EXEC, Plan, SCC, VCC};
use cranelift_codegen::Context;
use cranelift_codegen::control::ControlPlane;
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types::{I8, I32, I64};
use cranelift_codegen::ir::{
    AbiParam, Block, Endianness, Function, InstBuilder, MemFlagsData, SigRef, Signature, Type, UserFuncName, Value,
};
use cranelift_codegen::isa::{CallConv, TargetIsa};
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext, Variable};
use std::collections::{BTreeMap, HashMap};
use std::mem::offset_of;
use wavepipe_core::wave::{Act, Asked, End, Entry, Halt, HostFrame, HostRun, NoCode, Node, Region, Step, Way, When};
use wavepipe_isa::row::Sem;

/// Memory of ours: rows, scalars, the frame.
pub const OWN: MemFlagsData = MemFlagsData::trusted();

pub struct Builder<'f, 'r> {
    pub f: FunctionBuilder<'f>,
    pub region: &'r Region,
    pub hoisted: Hoisted,
    /// Where loops are entered that begin with a node, if something is compared for them.
    pub entered: BTreeMap<usize, Block>,
    /// Ways into each node, the entry's among them.
    ins: Vec<u32>,
    /// Of the nodes.
    pub blocks: Vec<Block>,
    /// Loops around each node.
    depths: Vec<u32>,
    pub frame: Value,
    pub rows: Value,
    pub scalars: Value,
    budget: Value,
    preempt: Value,
    /// Instructions so far.
    done: Variable,
    call: SigRef,
    /// Scalars' last values, which are in memory, too.
    known: HashMap<u8, Value>,
}

/// On x86-64 the System V convention on every operating system, as the frame's calls; elsewhere nothing is on the stack.
fn signature(params: &[Type], returns: Type) -> Signature {
    let mut s = Signature::new(CallConv::SystemV);
    s.params.extend(params.iter().map(|&ty| AbiParam::new(ty)));
    s.returns.push(AbiParam::new(returns));
    s
}

impl<'f, 'r> Builder<'f, 'r> {
    fn new(region: &'r Region, hoisted: Hoisted, mut f: FunctionBuilder<'f>) -> Builder<'f, 'r> {
        let mut ins = vec![0; region.nodes.len()];
        ins[region.entry] = 1;
        between(region).for_each(|(_, t)| ins[t] += 1);
        let begin = f.create_block();
        f.append_block_params_for_function_params(begin);
        f.switch_to_block(begin);
        let frame = f.block_params(begin)[0];
        let of = |f: &mut FunctionBuilder, at: usize| f.ins().load(I64, OWN, frame, at as i32);
        let rows = of(&mut f, offset_of!(HostFrame, rows));
        let scalars = of(&mut f, offset_of!(HostFrame, scalars));
        let budget = of(&mut f, offset_of!(HostFrame, budget));
        let preempt = of(&mut f, offset_of!(HostFrame, preempt));
        let done = f.declare_var(I64);
        let none = f.ins().iconst(I64, 0);
        f.def_var(done, none);
        let blocks: Vec<Block> = region.nodes.iter().map(|_| f.create_block()).collect();
        let call = f.import_signature(signature(&[I64, I32, I64], I32));
        let (depths, known) = (depths(region), HashMap::new());
        let entered = BTreeMap::new();
        let mut b = Builder {
            f,
            region,
            hoisted,
            entered,
            ins,
            blocks,
            depths,
            frame,
            rows,
            scalars,
            budget,
            preempt,
            done,
            call,
            known,
        };
        b.loops_entered();
        b
    }

    fn emit(mut self, items: &[Vec<Item<'_>>]) -> Option<FunctionBuilder<'f>> {
        let mut goes_on = false;
        for (n, items) in items.iter().enumerate() {
            self.f.switch_to_block(self.blocks[n]);
            if !goes_on {
                self.known.clear();
            }
            goes_on = self.node(n, items)?;
        }
        self.f.seal_all_blocks();
        Some(self.f)
    }

    /// Whether what is known of scalars goes on to the next node.
    fn node(&mut self, n: usize, items: &[Item<'_>]) -> Option<bool> {
        let node = &self.region.nodes[n];
        let before = self.f.use_var(self.done);
        let done = self.f.ins().iadd_imm_s(before, i64::from(node.count));
        self.f.def_var(self.done, done);
        let mut group = Group::default();
        for item in items {
            match item {
                Item::Step(act, step, plan) => {
                    let fits = if step.is_scalar() { group.passes(&plan.effect) } else { group.joins(&plan.effect) };
                    if !fits {
                        self.group(&std::mem::take(&mut group), n)?;
                    }
                    group.add(act, step, plan);
                }
                Item::Access(act, access) if super::access::is_in_place(access) => {
                    self.group(&std::mem::take(&mut group), n)?;
                    self.access(act, access, node)?;
                }
                Item::Fetch(act, fetch) => {
                    self.group(&std::mem::take(&mut group), n)?;
                    self.fetch(act, fetch, node);
                }
                Item::Across(_, across) => {
                    self.group(&std::mem::take(&mut group), n)?;
                    self.across(across)?;
                }
                // Its stores are in order.
                Item::Wait => {}
                Item::Pc(to, pc) => {
                    self.group(&std::mem::take(&mut group), n)?;
                    for (i, word) in [(*to, *pc as u32), (to + 1, (pc >> 32) as u32)] {
                        let word = self.f.ins().iconst(I32, i64::from(word));
                        self.set_scalar(i, word);
                    }
                }
                Item::Halt(act, halt, pc) => {
                    self.group(&std::mem::take(&mut group), n)?;
                    self.halt(*halt, *pc, node.count - act.done);
                    return Some(false);
                }
                Item::Access(act, _) | Item::Call(act) => {
                    self.group(&std::mem::take(&mut group), n)?;
                    self.call(act, node);
                }
            }
        }
        self.group(&group, n)?;
        match node.end {
            End::Go(way) => self.go(n, way),
            End::Branch { when, taken, not } => self.branch(n, when, taken, not),
        }
        let next = |way| matches!(way, Way::Node(t) if t == n + 1 && self.ins[t] == 1);
        Some(ways(node.end).any(next))
    }

    fn group(&mut self, group: &Group<'_>, n: usize) -> Option<()> {
        for (_, step, plan) in &group.scalar {
            self.scalar_step(step, plan)?;
        }
        for steps in together(&group.vector, self.region.halves) {
            self.vector(steps, self.depths[n] > 0)?;
        }
        Some(())
    }

    fn go(&mut self, n: usize, way: Way) {
        match way {
            Way::Node(t) if t > n => {
                let block = self.way_to(n, t);
                self.f.ins().jump(block, &[]);
            }
            Way::Node(t) => {
                let out = self.f.create_block();
                self.f.set_cold_block(out);
                let done = self.f.use_var(self.done);
                let spent = self.f.ins().icmp(IntCC::UnsignedGreaterThanOrEqual, done, self.budget);
                // Others write it: no value that was loaded before will do.
                let preempt = self.f.ins().atomic_load(I8, OWN, self.preempt);
                let over = self.f.ins().bor(spent, preempt);
                self.f.ins().brif(over, out, &[], self.blocks[t], &[]);
                self.f.switch_to_block(out);
                self.go(n, Way::Out(self.region.nodes[t].pc));
            }
            Way::Out(pc) => {
                let done = self.f.use_var(self.done);
                self.out(pc, done);
            }
        }
    }

    /// Leaves with the wave at `pc`, and so many instructions done.
    fn out(&mut self, pc: u64, done: Value) {
        let pc = self.f.ins().iconst(I64, pc as i64);
        self.f.ins().store(OWN, pc, self.frame, offset_of!(HostFrame, pc) as i32);
        self.f.ins().return_(&[done]);
    }

    /// Leaves with the wave's turn over, so many instructions before the node's end.
    fn halt(&mut self, halt: Halt, pc: u64, before: u32) {
        let why = self.f.ins().iconst(I32, i64::from(halt as u32));
        self.f.ins().store(OWN, why, self.frame, offset_of!(HostFrame, stopped) as i32);
        let done = self.f.use_var(self.done);
        let done = self.f.ins().iadd_imm_s(done, -i64::from(before));
        self.out(pc, done);
    }

    fn branch(&mut self, n: usize, when: When, taken: Way, not: Way) {
        let first = match when.of {
            Asked::Scc => SCC,
            Asked::Vcc => VCC,
            Asked::Exec => EXEC,
        };
        let mut word = self.scalar(first);
        if self.region.halves == 2 && when.of != Asked::Scc {
            let high = self.scalar(first + 1);
            word = self.f.ins().bor(word, high);
        }
        let block = |b: &mut Self, way: Way| match way {
            Way::Node(t) if t > n => b.way_to(n, t),
            _ => b.f.create_block(),
        };
        let (yes, no) = (block(self, taken), block(self, not));
        let (set, clear) = if when.zero { (no, yes) } else { (yes, no) };
        self.f.ins().brif(word, set, &[], clear, &[]);
        for (way, block) in [(taken, yes), (not, no)] {
            if !matches!(way, Way::Node(t) if t > n) {
                self.f.switch_to_block(block);
                self.go(n, way);
            }
        }
    }

    fn call(&mut self, act: &Act, node: &Node) {
        self.call_of(act, node);
        self.known.clear();
    }

    /// Calls the operation.
    pub fn call_of(&mut self, act: &Act, node: &Node) {
        let callee = self.f.ins().load(I64, OWN, self.frame, offset_of!(HostFrame, call) as i32);
        let operation = self.f.ins().iconst(I32, i64::from(act.operation));
        let done = self.f.use_var(self.done);
        let before = i64::from(node.count - act.done);
        let so_far = self.f.ins().iadd_imm_s(done, -before - 1);
        let call = self.f.ins().call_indirect(self.call, callee, &[self.frame, operation, so_far]);
        let stopped = self.f.inst_results(call)[0];
        let (stop, on) = (self.f.create_block(), self.f.create_block());
        self.f.set_cold_block(stop);
        self.f.ins().brif(stopped, stop, &[], on, &[]);
        self.f.switch_to_block(stop);
        let done = self.f.ins().iadd_imm_s(done, -before);
        self.f.ins().return_(&[done]);
        self.f.switch_to_block(on);
    }

    /// A scalar's value.
    pub fn scalar(&mut self, i: u8) -> Value {
        let v = self.scalar_now(i);
        self.known.insert(i, v);
        v
    }

    /// As [`Builder::scalar`], where not all that follows comes by.
    pub fn scalar_now(&mut self, i: u8) -> Value {
        match self.known.get(&i) {
            Some(&v) => v,
            None => self.f.ins().load(I32, OWN, self.scalars, 4 * i32::from(i)),
        }
    }

    /// Two scalars in a row, as memory has them.
    pub fn scalar_pair(&mut self, i: u8) -> Value {
        self.f.ins().load(I64, OWN.with_endianness(Endianness::Little), self.scalars, 4 * i32::from(i))
    }

    /// The scalar's word in memory is newer.
    pub fn forget(&mut self, i: u8) {
        self.known.remove(&i);
    }

    pub fn set_scalar(&mut self, i: u8, v: Value) {
        self.f.ins().store(OWN, v, self.scalars, 4 * i32::from(i));
        self.known.insert(i, v);
    }
}

/// A step's plan, if all of its nodes have values here.
pub fn plan(step: &Step, halves: usize) -> Option<Plan> {
    let scalar = step.is_scalar();
    // What writes EXEC does so of all lanes.
    let exec = matches!(step.op.row().sem, Sem::CompareExec | Sem::Wave(_));
    if step.movement.is_some() && (exec || step.wide & 1 != 0) {
        return None;
    }
    let plan = Plan::new(step, halves, &|f| scalar || super::lanes::has(f))?;
    let takes = if scalar { super::scalar::takes } else { super::lanes::takes };
    plan.nodes.iter().all(|n| takes(n.f)).then_some(plan)
}

pub fn compile(region: &Region, isa: &dyn TargetIsa, arena: &Arena) -> Result<Run, NoCode> {
    let code = function(region, isa).ok_or(NoCode::Never)?;
    Ok(Run { code: ExecutableCode::new(arena, &code)? })
}

fn function(region: &Region, isa: &dyn TargetIsa) -> Option<Vec<u8>> {
    let mut context =
        Context::for_function(Function::with_name_signature(UserFuncName::default(), signature(&[I64], I64)));
    let mut variables = FunctionBuilderContext::new();
    let (items, _) = items(region, &|step| plan(step, region.halves));
    let hoisted = Hoisted::of(region, &items);
    let builder = Builder::new(region, hoisted, FunctionBuilder::new(&mut context.func, &mut variables));
    builder.emit(&items)?.finalize(isa.frontend_config());
    let code = context.compile(isa, &mut ControlPlane::default()).ok()?;
    // A call of the host's library: nothing here may be one.
    if !code.buffer.relocs().is_empty() {
        return None;
    }
    Some(code.code_buffer().to_vec())
}

/// A compiled region.
pub struct Run {
    code: ExecutableCode,
}

impl HostRun for Run {
    unsafe fn run(&self, frame: &mut HostFrame) -> u64 {
        // SAFETY: the code was made for such a frame, by the caller's promise; it touches the rows of the registers that the
        // region names and the 256 scalars.
        unsafe { self.code.call(frame) }
    }

    fn entry(&self) -> Option<Entry> {
        // SAFETY: it was made as such a function.
        Some(unsafe { self.code.entry() })
    }
}
