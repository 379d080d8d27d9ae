//! Instruction selection: ir → mir.
//!
//! Where a value lives follows [`Divergence`]: scalar values in SGPRs, computed by the scalar unit; uniform values that
//! only the vector unit can compute, and divergent ones, in VGPRs. A divergent boolean is a lane mask, valid in the
//! lanes active where it was made; a uniform integer comparison is kept as a recipe and redone at each use, because SCC
//! holds nothing for long. Selection looks through single-use definitions to find fused operations; what becomes unused
//! thereby, dead-code elimination removes.
//!
//! Narrow integers live in 32-bit registers with undefined high bits; operations that look at those extend first.

mod alu;
mod atomic;
mod bools;
mod call;
mod control;
mod convert;
mod float;
mod fused;
mod image;
mod jumps;
mod launch;
mod memory;
mod narrow;
mod reciprocal;
mod reduce;
mod regions;
mod stand_in;
mod subgroup;
mod switch;
mod units;
mod wide;

use crate::analysis::defs::Defs;
use crate::analysis::divergence::{Divergence, Home};
use crate::error::{CompileError, ErrorKind, Result, Site};
use crate::ir::{self, Inst as IrInst, Kernel, Loc, Value, Width};
use crate::mir::*;
use crate::{Instrument, Options};
use bools::Bool;
pub use call::{Selected, select_all};
use launch::Launch;
pub use launch::LaunchInfo;
use std::collections::{HashMap, HashSet};
use wavepipe_hw::code::WaveSize;
use wavepipe_hw::launch::PipelineLayout;
use wavepipe_hw::order;
use wavepipe_hw::site::{counted_dword, first_dword};
use wavepipe_hw::undefined;
use wavepipe_isa::instr::{Flags, Mods};
use wavepipe_isa::insts as i;
use wavepipe_isa::row::Ty;
use wavepipe_isa::{Op, Src};

/// Translates `kernel` for a wave size; also says what the launch must provide. `reserve_scratch`: provide the scratch
/// ring even if the kernel has no private memory of its own.
fn select(
    kernel: &Kernel,
    divergence: &Divergence,
    options: &Options<'_>,
    reserve_scratch: bool,
) -> Result<(Func, LaunchInfo, Kept)> {
    let mut t = translate(kernel, divergence, options, reserve_scratch, call::Calls::default())?;
    let (mut info, places) = launch::places(t.launch.arguments.keys().copied(), t.launch.ids.map(|id| id.is_some()))?;
    launch::fix(&mut t.f, &t.launch, &places);
    info.scratch = t.scratch;
    Ok((t.f, info, t.kept))
}

/// Translates one body; its registers of the launch have no numbers yet.
fn translate(
    kernel: &Kernel,
    divergence: &Divergence,
    options: &Options<'_>,
    reserve_scratch: bool,
    calls: call::Calls<'_>,
) -> Result<call::Translated> {
    let defs = Defs::new(kernel);
    let mut s = Selector {
        k: kernel,
        defs: &defs,
        div: divergence,
        layout: options.layout,
        order_marks: options.instrument.contains(Instrument::ORDER),
        instrument: options.instrument,
        f: Func::new(options.isa, options.wave),
        cur: 0,
        depth: 0,
        loc: Loc::default(),
        made: 0,
        vals: vec![Val::None; kernel.values.len()],
        launch: Launch::default(),
        calls,
        literals: HashMap::new(),
        vector_constants: HashMap::new(),
        doubles: Default::default(),
        control: control::Control::default(),
    };
    if s.calls.called {
        // What stands before its first line is of that line too, and not of the function before.
        kernel.body.for_each_inst(&mut |i| s.loc = if s.loc.line == 0 { i.loc } else { s.loc });
        s.loc.point = 0;
    }
    let prologue = s.f.block(0);
    s.begin(prologue);
    s.start_launch();
    if !s.calls.called {
        let marks = [(Instrument::ORDER, order::BEGIN), (Instrument::COPIES, order::COPIES)];
        let mark = marks.into_iter().find(|(flag, _)| options.instrument.contains(*flag));
        mark.into_iter().for_each(|(_, bits)| s.mark(bits));
    }
    s.begin_calls();
    let body = s.f.block(0);
    s.f.blocks[prologue as usize].logical = vec![body];
    s.begin(body);
    if reserve_scratch {
        s.scratch();
    }
    if s.calls.called {
        s.function_body()?
    } else {
        s.kernel_body()?
    }
    let scratch = match s.calls.functions.is_empty() {
        true => s.launch.scratch(),
        false => Some(s.frame()),
    };
    let kept = kept(&s);
    Ok(call::Translated { f: s.f, launch: s.launch, agreed: s.calls.agreed, scratch, kept })
}

/// The registers and constants, by dword, that are the values of source variables; and registers that are written anew where
/// control jumps, for whom it arrives at.
#[derive(Clone, Debug, Default)]
pub struct Kept {
    pub values: HashMap<Value, Vec<Arg>>,
    pub slots: HashSet<u32>,
    /// Where such have their values from: the block where they arrive.
    pub arrivals: HashMap<BlockId, Vec<u32>>,
}

/// What was selected for the values that points know.
fn kept(s: &Selector<'_>) -> Kept {
    let Some(named) = &s.k.named else { return Kept::default() };
    let mut kept =
        Kept { values: HashMap::new(), slots: s.control.slots.clone(), arrivals: s.control.arrivals.clone() };
    for v in named.points.iter().filter_map(|p| p.set?.1) {
        let words: Vec<Arg> = match s.vals.get(v.0 as usize).copied().unwrap_or(Val::None) {
            Val::Const(n) => vec![Arg::Imm(n as u32), Arg::Imm((n >> 32) as u32)],
            Val::Reg(p) => (0..p.len.into()).map(|n| p.at(n).into()).collect(),
            Val::Pair(lo, hi) => vec![lo, hi],
            Val::Bool(Bool::Const(c)) => vec![Arg::Imm(c.into())],
            Val::Bool(Bool::Mask(p)) => (0..p.len.into()).map(|n| p.at(n).into()).collect(),
            _ => continue,
        };
        kept.values.insert(v, words);
    }
    kept
}

/// Where a value is.
#[derive(Clone, Copy, Debug)]
enum Val {
    None,
    Const(u64),
    Reg(Part),
    /// 64 bits in two halves that need not be neighbours.
    Pair(Arg, Arg),
    Bool(Bool),
    /// Descriptor whose index differs between lanes: byte offset of the V# from the set's memory, in a VGPR.
    DivergentDesc {
        base: Part,
        offset: Part,
    },
    /// Descriptor at a byte offset from an address: read where it is used.
    FarDesc {
        base: Part,
        offset: u32,
    },
}

/// Machine instructions that a kernel may have before registers are allocated: what fits into memory, several times what a
/// module of a megabyte has that is not made to explode.
const MAX_INSTRUCTIONS: usize = 1 << 20;

/// Refuses a kernel of so many instructions, those of its functions included.
fn bounded(made: usize) -> Result<()> {
    if made <= MAX_INSTRUCTIONS {
        return Ok(());
    }
    let message = format!(
        "the kernel has more than {MAX_INSTRUCTIONS} machine instructions: split it, or put what repeats into loops"
    );
    Err(CompileError { kind: ErrorKind::Resource, site: None, message })
}

struct Selector<'a> {
    k: &'a Kernel,
    defs: &'a Defs<'a>,
    div: &'a Divergence,
    layout: &'a PipelineLayout,
    /// As [`Instrument::ORDER`].
    order_marks: bool,
    instrument: Instrument,
    f: Func,
    /// Instructions pushed so far.
    made: usize,
    cur: BlockId,
    depth: u32,
    loc: Loc,
    vals: Vec<Val>,
    launch: Launch,
    calls: call::Calls<'a>,
    /// Literals that stand in an SGPR in the current block.
    literals: HashMap<u32, Part>,
    /// Constants that stand in a VGPR in the current block, in its active lanes.
    vector_constants: HashMap<u32, Part>,
    /// Numbers of 64 bits that stand in registers in the current block.
    doubles: units::Doubles,
    control: control::Control,
}

const EXEC: Arg = Arg::Phys(Src::EXEC_LO);

impl Selector<'_> {
    // ---- blocks and instructions ----

    /// Starts emitting into a block, placing it next in the layout.
    fn begin(&mut self, b: BlockId) {
        self.f.order.push(b);
        self.f.blocks[b as usize].loop_depth = self.depth;
        self.f.blocks[b as usize].loc = self.loc;
        self.cur = b;
        self.literals.clear();
        self.vector_constants.clear();
        self.doubles = Default::default();
    }

    fn new_block(&mut self) -> BlockId {
        self.f.block(self.depth)
    }

    fn push(&mut self, mut inst: Inst) -> &mut Inst {
        inst.loc = self.loc;
        self.made += 1;
        let insts = &mut self.f.blocks[self.cur as usize].insts;
        insts.push(inst);
        insts.last_mut().expect("just pushed")
    }

    /// An instruction as given, operands already legal.
    fn raw(&mut self, op: Op, dst: &[Arg], src: &[Arg]) -> &mut Inst {
        self.push(Inst::isa(op, dst.to_vec(), src.to_vec()))
    }

    fn new_s(&mut self, dwords: u32) -> Part {
        self.f.reg(Bank::S, dwords)
    }

    fn new_v(&mut self, dwords: u32) -> Part {
        self.f.reg(Bank::V, dwords)
    }

    fn new_mask(&mut self) -> Part {
        let n = self.f.mask_dwords();
        self.f.reg(Bank::S, n)
    }

    /// Tells a check about the order of accesses.
    fn mark(&mut self, bits: u8) {
        let (op, imm) = order::mark(bits, self.f.isa);
        self.raw(op, &[], &[]).imm = imm;
    }

    fn wave64(&self) -> bool {
        self.f.wave == WaveSize::W64
    }

    fn is_v(&self, a: Arg) -> bool {
        matches!(a, Arg::Reg(p) if self.f.info(p).bank == Bank::V)
    }

    fn is_s(&self, a: Arg) -> bool {
        match a {
            Arg::Reg(p) => self.f.info(p).bank == Bank::S,
            Arg::Phys(s) => s.is_sgpr(),
            _ => false,
        }
    }

    /// Data of a store: constants in a VGPR are shared within the block. Only for reading, and not for code that runs in
    /// inactive lanes.
    fn stored(&mut self, a: Arg) -> Part {
        let Arg::Imm(n) = a else { return self.to_v(a) };
        if let Some(&p) = self.vector_constants.get(&n) {
            return p;
        }
        let p = self.to_v(a);
        self.vector_constants.insert(n, p);
        p
    }

    /// `parts` side by side in one register of `bank`.
    fn gather(&mut self, bank: Bank, parts: &[Arg]) -> Part {
        if let [Arg::Reg(p)] = parts
            && self.f.info(*p).bank == bank
        {
            return *p;
        }
        if let Some(p) = self.adjacent(bank, parts) {
            return p;
        }
        let d = self.f.reg(bank, parts.len() as u32);
        let mut copy = Inst::pseudo(Pseudo::Copy, vec![], vec![]);
        for (n, &a) in parts.iter().enumerate() {
            let a = if bank == Bank::S { self.to_s(a) } else { a };
            copy.dst.push(d.at(n as u32).into());
            copy.src.push(a);
        }
        self.push(copy);
        d
    }

    /// The parts as one part, if they already are neighbours in one suitably aligned register.
    fn adjacent(&self, bank: Bank, parts: &[Arg]) -> Option<Part> {
        let first = parts.first()?.part()?;
        let info = self.f.info(first);
        let n = parts.len() as u8;
        let align = if bank == Bank::S { n.next_power_of_two().min(4) } else { 1 };
        if info.bank != bank || !first.sub.is_multiple_of(align) || info.align < align.min(info.align.max(align)) {
            return None;
        }
        let joined = Part { reg: first.reg, sub: first.sub, len: n };
        let all = parts.iter().enumerate().all(|(k, &a)| a == Arg::Reg(joined.at(k as u32)));
        all.then_some(joined)
    }

    // ---- values ----

    fn home(&self, v: Value) -> Home {
        self.div.home(v)
    }

    fn width(&self, v: Value) -> Width {
        self.k.width(v)
    }

    fn set(&mut self, v: Value, val: Val) {
        self.vals[v.0 as usize] = val;
    }

    fn set_reg(&mut self, v: Value, p: Part) {
        self.set(v, Val::Reg(p));
    }

    fn bank(&self, v: Value) -> Bank {
        if self.home(v) == Home::Scalar { Bank::S } else { Bank::V }
    }

    /// A value of up to 32 bits as an operand.
    fn src(&self, v: Value) -> Arg {
        match self.vals[v.0 as usize] {
            Val::Const(n) => Arg::Imm(n as u32),
            Val::Reg(p) => p.into(),
            _ => Arg::Imm(0),
        }
    }

    /// A 64-bit value as two operands, low half first.
    fn src64(&self, v: Value) -> (Arg, Arg) {
        match self.vals[v.0 as usize] {
            Val::Const(n) => (Arg::Imm(n as u32), Arg::Imm((n >> 32) as u32)),
            Val::Reg(p) => (p.at(0).into(), p.at(1).into()),
            Val::Pair(lo, hi) => (lo, hi),
            _ => (Arg::Imm(0), Arg::Imm(0)),
        }
    }

    /// A value's dwords as operands.
    fn dwords(&self, v: Value) -> Vec<Arg> {
        match self.width(v) {
            Width::B64 => {
                let (lo, hi) = self.src64(v);
                vec![lo, hi]
            }
            _ => vec![self.src(v)],
        }
    }

    /// A 64-bit value in a register pair of `bank`, or as an inline constant that reads as the same 64 bits.
    fn pair(&mut self, v: Value, bank: Bank) -> Part {
        let (lo, hi) = self.src64(v);
        self.gather(bank, &[lo, hi])
    }

    fn unsupported(&self, what: &str) -> CompileError {
        let source = self.k.files.get(self.loc.file as usize).filter(|_| self.loc.line > 0);
        CompileError {
            kind: ErrorKind::Unsupported,
            site: source.map(|f| Site {
                word: None,
                instruction: what.into(),
                source: Some(format!("{f}:{}", self.loc.line)),
            }),
            message: format!("{what} has no translation to {} yet", self.f.isa.name()),
        }
    }

    fn internal(&self, message: &str) -> CompileError {
        CompileError { kind: ErrorKind::Internal, site: None, message: message.into() }
    }

    /// A value that nobody gave, such that who observes the code sees it ([`undefined`]).
    fn unwritten(&mut self, width: Width, from: Src) -> Val {
        let from = Arg::Phys(from);
        match width {
            Width::B1 => {
                let mask = self.new_mask();
                self.mask_into(i::S_MOV_B32, i::S_MOV_B64, mask.into(), &[from]);
                Val::Bool(Bool::Mask(mask))
            }
            _ => {
                let wide = width == Width::B64;
                let d = self.new_s(if wide { 2 } else { 1 });
                self.raw(if wide { i::S_MOV_B64 } else { i::S_MOV_B32 }, &[d.into()], &[from]);
                Val::Reg(d)
            }
        }
    }

    // ---- instructions ----

    fn inst(&mut self, inst: &IrInst) -> Result<()> {
        bounded(self.made)?;
        self.loc = self.loc.then(inst.loc);
        let unused = !inst.results.is_empty() && inst.results.iter().all(|&r| self.defs.uses(r) == 0);
        match &inst.op {
            ir::Op::Const(n) => {
                let r = inst.results[0];
                let val = if self.width(r) == Width::B1 { Val::Bool(Bool::Const(*n & 1 != 0)) } else { Val::Const(*n) };
                self.set(r, val);
                Ok(())
            }
            ir::Op::Undef => {
                let r = inst.results[0];
                let val = match self.width(r) {
                    width if self.instrument.contains(Instrument::UNDEFINED) && !unused => {
                        self.unwritten(width, undefined::VARIABLE)
                    }
                    Width::B1 => Val::Bool(Bool::Const(false)),
                    _ => Val::Const(0),
                };
                self.set(r, val);
                Ok(())
            }
            ir::Op::Alu(_) | ir::Op::Builtin(_) | ir::Op::Load { .. } if unused => Ok(()),
            ir::Op::Image(image) if unused && !image.writes() => Ok(()),
            ir::Op::Image(image) => self.image(image, inst),
            ir::Op::Alu(a) => self.alu(*a, inst),
            ir::Op::Builtin(b) => self.builtin(*b, inst.results[0]),
            ir::Op::Descriptor { set, binding, kind } => self.descriptor(*set, *binding, *kind, inst),
            ir::Op::DescriptorSize => self.descriptor_size(inst),
            ir::Op::Load { space, offset, access } => self.load(*space, *offset, *access, inst),
            ir::Op::Store { space, offset, access } => self.store(*space, *offset, *access, inst),
            ir::Op::Atomic { op, space, offset } => self.atomic(*op, *space, *offset, inst),
            ir::Op::Subgroup(s) => self.subgroup(*s, inst),
            ir::Op::Barrier { execution, memory, lds, buffer, image } => {
                self.barrier(*execution, *memory, [*lds, *buffer, *image]);
                Ok(())
            }
            ir::Op::Trace { site, finding } => {
                let first = Arg::Imm(first_dword(*site, *finding, inst.args.len()));
                let payload: Vec<Arg> = inst.args.iter().map(|&v| self.src(v)).collect();
                for dword in std::iter::once(first).chain(payload) {
                    let dword = self.to_s(dword);
                    self.push(Inst::pseudo(Pseudo::Trace, vec![], vec![dword]));
                }
                Ok(())
            }
            ir::Op::Count { site } => {
                let dword = self.to_s(Arg::Imm(counted_dword(*site)));
                self.push(Inst::pseudo(Pseudo::Trace, vec![], vec![dword]));
                Ok(())
            }
            ir::Op::Mark(_) => Ok(()),
            ir::Op::Call { function, .. } => self.call(*function, inst),
            ir::Op::Clock { realtime } => {
                let op = if *realtime { i::S_MEMREALTIME } else { i::S_MEMTIME };
                if !self.has(op) {
                    return Err(self.unsupported("a clock of constant rate"));
                }
                let d = self.new_s(2);
                self.raw(op, &[d.into()], &[]);
                self.set_reg(inst.results[0], d);
                Ok(())
            }
        }
    }
}
