//! The front end: SPIR-V words to an [`crate::ir::Kernel`], and reflection for tools.

mod arith;
mod components;
mod composite;
mod control;
mod derivatives;
mod effects;
mod float_controls;
mod frame;
mod glsl;
mod group;
mod handle;
mod image;
mod image_sample;
mod image_type;
mod inputs;
mod instances;
mod joins;
mod locals;
mod memory;
mod module;
mod operand;
mod outline;
mod pointer;
mod products;
mod refused;
mod switch;
mod tags;
mod translate;
mod types;

pub use self::refused::refusal;
pub use self::translate::MAX_DEPTH;

use self::module::{Entry, Module};
use self::operand::Root;
use self::translate::Translator;
use self::types::{Layout, Ty};
use crate::error::{CompileError, ErrorKind, Result};
use crate::inspect::{Inspector, Pass, broken};
use crate::ir;
use crate::opt::promote::promote;
use spirv::{Decoration, Op, StorageClass};
use std::collections::{HashMap, HashSet};
use wavepipe_hw::code::WaveSize;
use wavepipe_hw::launch::{BindingKind, PipelineLayout};

/// A specialization constant's value: its bits, `size` bytes of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SpecValue {
    pub id: u32,
    pub bits: u64,
    pub size: u32,
}

/// What to translate.
#[derive(Clone, Debug)]
pub struct Request<'a> {
    pub entry: &'a str,
    pub wave: WaveSize,
    pub spec: &'a [SpecValue],
    pub layout: &'a PipelineLayout,
    /// As [`crate::Options::inline_budget`].
    pub inline_budget: u32,
}

/// One resource that an entry point statically uses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResourceInfo {
    pub set: u32,
    pub binding: u32,
    pub kind: BindingKind,
    pub count: u32,
    pub name: String,
    pub readonly: bool,
}

/// A specialization constant that the module declares.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SpecInfo {
    pub id: u32,
    pub name: String,
    /// Bits of the default and its size in bytes.
    pub default: u64,
    pub size: u32,
}

/// What a tool wants to know of an entry point before compiling it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EntryInfo {
    pub name: String,
    pub workgroup: [u32; 3],
    pub resources: Vec<ResourceInfo>,
    pub push_constant_bytes: u32,
    pub spec: Vec<SpecInfo>,
}

/// The GLCompute entry points of a module.
pub fn reflect(words: &[u32]) -> Result<Vec<EntryInfo>> {
    let m = Module::parse(words)?;
    // What does not depend on the entry point is found once.
    let mut t = Translator::new(&m, "", HashMap::new(), None, 32);
    t.written = written(&m);
    t.globals()?;
    let constant = t.workgroup;
    let declared = m.globals.clone().filter(|&n| {
        let op = m.instrs[n].op;
        matches!(op, Op::SpecConstant | Op::SpecConstantTrue | Op::SpecConstantFalse | Op::Variable)
    });
    let declared: Vec<usize> = declared.collect();
    let entry = |e| {
        t.workgroup = constant;
        reflect_entry(&mut t, &declared, e)
    };
    m.entries.iter().map(entry).collect()
}

/// Translates one entry point.
pub fn translate(words: &[u32], request: &Request<'_>, inspector: &mut Inspector<'_>) -> Result<ir::Kernel> {
    let m = Module::parse(words)?;
    let entry = m.entries.iter().find(|e| e.name == request.entry).ok_or_else(|| CompileError {
        kind: ErrorKind::Request,
        site: None,
        message: match m.entries.len() {
            0 => "the module has no compute entry point".to_string(),
            _ => {
                let names: Vec<&str> = m.entries.iter().map(|e| e.name.as_str()).collect();
                format!("no compute entry point `{}`; there are: {}", request.entry, names.join(", "))
            }
        },
    })?;
    let spec: HashMap<u32, (u64, u32)> = request.spec.iter().map(|s| (s.id, (s.bits, s.size))).collect();
    let mut escaping = HashSet::new();
    let mut tags = tags::Tags::default();
    let used = used_globals(&m, entry);
    let called = outline::plan::called(&m, entry.function, request.inline_budget)?;
    // A run learns which values escape from their region, and which pointers are values; the next knows.
    for _ in 0..MAX_RUNS {
        let mut t = Translator::new(&m, &entry.name, spec.clone(), Some(request.layout), request.wave.lanes());
        t.escaping = escaping;
        let known = tags.known();
        t.tags = tags;
        t.used = Some(used.clone());
        run(&mut t, entry, called.clone())?;
        let again = t.tags.again(known);
        if t.missed.is_empty() && again.is_none() {
            let main = std::mem::replace(&mut t.b, ir::build::Builder::new(ir::Kernel::new("", [1; 3])));
            let mut kernel = main.finish(ir::Exit::Yield(Vec::new()));
            t.link(&mut kernel);
            inspector.after("translate", &kernel)?;
            inspector.run(
                &[Pass { name: "promote variables", run: |k: &mut ir::Kernel| k.each(&mut promote) }],
                &mut kernel,
            )?;
            // A module's every oddity meets the ir's rules here, checks or not.
            return match ir::validate::validate(&kernel) {
                Ok(()) => Ok(kernel),
                Err(v) => Err(broken("the front end", v)),
            };
        }
        tags = again.unwrap_or_else(|| t.tags.fresh());
        escaping = std::mem::take(&mut t.escaping);
        escaping.extend(t.missed.drain());
    }
    Err(CompileError {
        kind: ErrorKind::Unsupported,
        site: None,
        message: "values are used outside of the blocks that dominate them".to_string(),
    })
}

/// One run finds all escaping values of its kind; pointers to them may need another, and so may pointers to pointers.
const MAX_RUNS: usize = 8;

fn run(t: &mut Translator<'_>, entry: &Entry, called: HashSet<u32>) -> Result<()> {
    t.written = written(t.m);
    t.float_mode(entry)?;
    t.globals()?;
    t.workgroup(entry)?;
    t.fast_math_defaults(entry)?;
    let Some(i) = t.m.at(entry.word).copied() else { return Ok(()) };
    t.begin_outline(called);
    let mut shared = false;
    for (p, init) in std::mem::take(&mut t.initial) {
        shared |= t.initialise(&i, &p, init)?;
    }
    if shared {
        let group = ir::Scope::WorkGroup;
        t.b.inst(ir::Op::Barrier { execution: group, memory: group, lds: true, buffer: false }, vec![], &[]);
    }
    t.function(&i, entry.function, Vec::new())?;
    t.bodies()
}

/// The (set, binding) of every buffer that some function may write; None if that cannot be told.
fn written(m: &Module<'_>) -> Option<HashSet<(u32, u32)>> {
    let mut root: HashMap<u32, u32> = HashMap::new();
    let mut out = HashSet::new();
    let mut parameters = HashSet::new();
    let mut initial = Vec::new();
    for i in &m.instrs {
        match i.op {
            // An address may be that of any buffer.
            Op::Capability if i.arg(0) == Some(spirv::Capability::PhysicalStorageBufferAddresses as u32) => {
                return None;
            }
            Op::Variable => {
                root.insert(i.id, i.id);
                initial.extend(i.arg(1));
            }
            Op::FunctionParameter => {
                parameters.insert(i.id);
            }
            Op::AccessChain
            | Op::InBoundsAccessChain
            | Op::PtrAccessChain
            | Op::InBoundsPtrAccessChain
            | Op::CopyObject => {
                match i.arg(0).and_then(|b| root.get(&b)).copied() {
                    Some(r) => {
                        root.insert(i.id, r);
                    }
                    // What a parameter points to is known where the call is: all arguments count as written.
                    None if i.arg(0).is_some_and(|b| parameters.contains(&b)) => {
                        parameters.insert(i.id);
                    }
                    None => {}
                }
            }
            op => {
                let destinations: &[u32] = match op {
                    Op::CopyMemory | Op::CopyMemorySized => i.args.get(..1).unwrap_or(&[]),
                    // A pointer stored, chosen, passed or returned may be written through.
                    Op::Store | Op::CompositeInsert => i.args.get(..2).unwrap_or(&[]),
                    Op::FunctionCall | Op::Phi | Op::Select | Op::ReturnValue | Op::CompositeConstruct => i.args,
                    Op::ExtInst => i.args.get(2..).unwrap_or(&[]),
                    Op::AtomicStore
                    | Op::AtomicExchange
                    | Op::AtomicCompareExchange
                    | Op::AtomicCompareExchangeWeak
                    | Op::AtomicIIncrement
                    | Op::AtomicIDecrement
                    | Op::AtomicIAdd
                    | Op::AtomicISub
                    | Op::AtomicSMin
                    | Op::AtomicUMin
                    | Op::AtomicSMax
                    | Op::AtomicUMax
                    | Op::AtomicAnd
                    | Op::AtomicOr
                    | Op::AtomicXor
                    | Op::AtomicFMinEXT
                    | Op::AtomicFMaxEXT
                    | Op::AtomicFAddEXT => i.args.get(..1).unwrap_or(&[]),
                    _ => &[],
                };
                for d in destinations {
                    let Some(&var) = root.get(d) else { continue };
                    out.extend(m.place(var));
                }
            }
        }
    }
    // A variable may begin as a pointer to a buffer.
    for id in initial {
        out.extend(m.place(id));
    }
    Some(out)
}

/// `declared`: the variables and specialization constants among the instructions.
fn reflect_entry(t: &mut Translator<'_>, declared: &[usize], entry: &Entry) -> Result<EntryInfo> {
    let m = t.m;
    let workgroup = t.workgroup(entry)?;
    let used = used_globals(m, entry);
    let mut resources: Vec<ResourceInfo> = Vec::new();
    let mut push_constant_bytes = 0;
    let mut spec = Vec::new();
    for &n in declared {
        let i = m.instrs[n];
        let number = |d| m.decoration(i.id, d).and_then(|a: &[u32]| a.first()).copied();
        let name_of = |id: u32| m.names.get(&id).filter(|n| !n.is_empty()).cloned();
        match i.op {
            Op::SpecConstant | Op::SpecConstantTrue | Op::SpecConstantFalse => {
                let Some(id) = number(Decoration::SpecId) else { continue };
                let v = t.scalar(&i, i.id)?;
                let default = t.b.known(v).unwrap_or(0);
                let size = (t.b.width(v).bits() / 8).max(if i.op == Op::SpecConstant { 1 } else { 4 });
                spec.push(SpecInfo { id, name: name_of(i.id).unwrap_or_default(), default, size });
            }
            Op::Variable if used.contains(&i.id) => {
                let Ty::Pointer { class, pointee } = *t.types.get(i.ty) else { continue };
                if class == StorageClass::PushConstant {
                    let layout = Layout { explicit: true, ..Default::default() };
                    push_constant_bytes = push_constant_bytes.max(t.types.extent(pointee, layout).unwrap_or(0));
                }
                let Some((set, binding)) = m.place(i.id) else { continue };
                let (mut element, mut count) = (pointee, 1u32);
                while let Ty::Array { elem, .. } | Ty::RuntimeArray { elem, .. } = *t.types.get(element) {
                    count = count.saturating_mul(t.types.elements(element));
                    element = elem;
                }
                let (kind, readonly) = match t.pointers.get(&i.id).map(|p| p.root) {
                    Some(Root::Buffer { kind, readonly, .. }) => (kind, readonly),
                    _ => (t.types.opaque_kind(element).unwrap_or(BindingKind::SampledImage), false),
                };
                let readonly = readonly || m.decoration(i.id, Decoration::NonWritable).is_some();
                let name = name_of(i.id).or_else(|| name_of(element)).unwrap_or_default();
                // Two variables may share a binding, to look at it as two types.
                match resources.iter_mut().find(|r| (r.set, r.binding) == (set, binding)) {
                    Some(r) => r.readonly &= readonly,
                    None => resources.push(ResourceInfo { set, binding, kind, count, name, readonly }),
                }
            }
            _ => {}
        }
    }
    resources.sort_by_key(|r| (r.set, r.binding));
    Ok(EntryInfo { name: entry.name.clone(), workgroup, resources, push_constant_bytes, spec })
}

/// Global variables that the entry's functions mention.
fn used_globals(m: &Module<'_>, entry: &Entry) -> HashSet<u32> {
    let mut seen = HashSet::new();
    let mut work = vec![entry.function];
    let mut used = HashSet::new();
    while let Some(f) = work.pop() {
        let Some(function) = m.functions.get(&f).filter(|_| seen.insert(f)) else { continue };
        for b in &function.blocks {
            for i in &m.instrs[b.body.start..=b.end] {
                if i.op == Op::FunctionCall {
                    work.extend(i.arg(0));
                }
                used.extend(i.args);
            }
        }
    }
    // A variable's initial value may be a pointer to another.
    for i in m.instrs[m.globals.clone()].iter().rev() {
        if i.op == Op::Variable && used.contains(&i.id) {
            used.extend(i.arg(1));
        }
    }
    used
}
