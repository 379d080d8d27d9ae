//! The front end: SPIR-V words to an [`crate::ir::Kernel`], and reflection for tools.

mod arith;
mod components;
mod composite;
mod control;
mod coverage;
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
mod instrument;
mod instrumentation;
mod joins;
mod locals;
mod memory;
mod mentions;
mod module;
mod named;
mod naming;
mod numbers;
mod operand;
mod outline;
mod pointer;
mod print;
mod products;
mod reflect;
mod refused;
mod switch;
mod tags;
mod translate;
mod types;

pub use self::instrumentation::Instrument;
pub use self::reflect::{
    Block, Content, EntryInfo, ImageShape, Member, ResourceInfo, Scalar, ScalarKind, SpecInfo, SpecValue, Type,
    reflect, reflect_specialized,
};
pub use self::refused::refusal;
pub use self::translate::MAX_DEPTH;

use self::instrumentation::Instrumentation;
use self::mentions::{used_globals, written};
use self::module::{Entry, Module};
use self::translate::Translator;
use crate::error::{CompileError, ErrorKind, Result};
use crate::inspect::{Inspector, Pass, broken};
use crate::ir;
use crate::opt::promote::promote;
use std::collections::{HashMap, HashSet};
use wavepipe_hw::code::WaveSize;
use wavepipe_hw::launch::PipelineLayout;

/// The text of a module, as rspirv prints it; `None` where that cannot read it.
pub fn assembly(words: &[u32]) -> Option<String> {
    use rspirv::binary::Disassemble;
    rspirv::dr::load_words(words).ok().map(|module| module.disassemble())
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
    pub instrument: Instrument,
    /// As [`crate::Options::names`].
    pub names: bool,
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
        t.instrumentation = Instrumentation::new(request.instrument);
        t.b.kernel.watched = request.instrument.contains(Instrument::INDEX);
        t.escaping = escaping;
        t.naming.on = request.names;
        let known = tags.known();
        t.tags = tags;
        t.used = Some(used.clone());
        run(&mut t, entry, called.clone())?;
        let again = t.tags.again(known);
        if t.missed.is_empty() && again.is_none() {
            let main = std::mem::replace(&mut t.b, ir::build::Builder::new(ir::Kernel::new("", [1; 3])));
            let mut kernel = main.finish(ir::Exit::Yield(Vec::new()));
            kernel.knows_subgroups = mentions::subgroups(&m);
            kernel.sites = std::mem::take(&mut t.instrumentation.sites);
            let shift = t.linked_by();
            t.link(&mut kernel);
            t.hand_over(&mut kernel, shift);
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
        let (lds, buffer, image) = (true, false, false);
        t.b.inst(ir::Op::Barrier { execution: group, memory: group, lds, buffer, image }, vec![], &[]);
    }
    t.function(&i, entry.function, Vec::new())?;
    t.bodies()
}
