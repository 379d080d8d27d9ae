//! The passes in order.
//!
//! ```text
//! words ──translate──▶ ir ──optimise, lower──▶ ir ──divergence, select──▶ mir (virtual registers)
//!       ──dead code──▶ mir ──liveness, coalesce, allocate (spill and again)──▶ mir + assignment ──checker
//!       ──lower──▶ instructions in blocks ──tidy──▶ ──exec──▶ ──m0──▶ ──waits──▶ ──hazards──▶ ──emit──▶ code object
//! ```
//!
//! Behind each arrow stands the inspector: a validator of the form, and its dump. [`Passes`] has what rewrites a form in
//! place; what makes one form of another is called by name.

use crate::analysis::divergence::Divergence;
use crate::analysis::waves;
use crate::back::calls::{self, Clobbers};
use crate::back::checker::held::{self, Views};
use crate::back::liveness::{Liveness, eliminate_dead};
use crate::back::machine::Machine;
use crate::back::{checker, coalesce, emit, exec, hazards, m0, machine, regalloc, select, spill, tidy, waits};
use crate::error::{CompileError, ErrorKind, Result};
use crate::inspect::{Form, Inspector, Pass, broken};
use crate::ir::Kernel;
use crate::mir::{Func, Inst, Pseudo};
use crate::{Options, opt, spirv};
use wavepipe_hw::code::{CodeObject, Stats, WaveSize};
use wavepipe_hw::machine::{least, most};
use wavepipe_hw::rsrc::TMPRING_WAVESIZE_BYTES;
use wavepipe_isa::Gen;

/// Coalesces, allocates, and spills what does not fit: code, VGPRs that there are, where to spill to.
pub type Allocate = fn(
    &mut Func,
    &regalloc::Room<'_>,
    &mut spill::Slots,
    spill::Scratch,
    &mut Inspector<'_>,
) -> Result<regalloc::Assignment>;

/// What rewrites a form in place, in the order of the pipeline. Tests put broken passes in.
#[derive(Clone, Copy)]
pub struct Passes {
    pub optimise: &'static [Pass<Kernel>],
    pub selected: &'static [Pass<Func>],
    pub allocate: Allocate,
    pub machine: &'static [Pass<Machine>],
}

/// Passes over what selection made.
pub const SELECTED: &[Pass<Func>] = &[Pass { name: "dead registers", run: eliminate_dead }];

/// Passes over machine code in blocks.
pub const MACHINE: &[Pass<Machine>] = &[
    Pass { name: "tidy", run: tidy::tidy },
    Pass { name: "exec", run: exec::unseen },
    Pass { name: "m0", run: m0::insert },
    Pass { name: "waits", run: waits::insert },
    Pass { name: "hazards", run: hazards::insert },
];

/// The passes that [`compile`] runs.
pub const PASSES: Passes = Passes { optimise: opt::OPTIMISE, selected: SELECTED, allocate, machine: MACHINE };

/// SPIR-V to machine code.
pub fn compile(words: &[u32], options: &Options<'_>, inspector: &mut Inspector<'_>) -> Result<CodeObject> {
    let request = spirv::Request {
        entry: options.entry,
        wave: options.wave,
        spec: options.spec,
        layout: options.layout,
        inline_budget: options.inline_budget,
        instrument: options.instrument,
        names: options.names,
    };
    let mut kernel = spirv::translate(words, &request, inspector)?;
    shared_fits(&kernel)?;
    inspector.run(PASSES.optimise, &mut kernel)?;
    back(&PASSES, kernel, options, inspector)
}

/// ir to machine code.
pub fn compile_kernel(kernel: Kernel, options: &Options<'_>, inspector: &mut Inspector<'_>) -> Result<CodeObject> {
    inspector.after("input", &kernel)?;
    back(&PASSES, kernel, options, inspector)
}

/// Lowers ir to machine code by way of `passes`, but for [`Passes::optimise`], which ran before.
///
/// # Errors
/// What the machine has no room for; with checks, what a pass got wrong.
pub fn back(
    passes: &Passes,
    mut kernel: Kernel,
    options: &Options<'_>,
    inspector: &mut Inspector<'_>,
) -> Result<CodeObject> {
    kernel.each(&mut |k| k.isa = options.isa);
    opt::lower(&mut kernel, inspector)?;
    // What follows relies on the rules of the ir; they cost little, and a kernel may come from anywhere.
    kernel.validate().map_err(|e| broken("the passes of the ir", e))?;
    let divergence = Divergence::of_all(&kernel);
    let options = &Options { wave: wave_of(&kernel, &divergence, options)?, ..options.clone() };
    let limit = vgpr_limit(&kernel, options.wave, options.isa);
    // Spilling to memory needs launch state; a kernel that turns out to need it is selected again with that reserved.
    let mut reserve = false;
    let mut views = Views::default();
    let (launch, done) = loop {
        let selected = select::select_all(&kernel, &divergence, options, reserve)?;
        let launch = selected.launch.clone();
        match allocate_all(passes, selected, &kernel, limit, &mut views, inspector) {
            Err(e) if !reserve && launch.scratch.is_none() && e.kind == ErrorKind::Resource => reserve = true,
            other => break (launch, other?),
        }
    };
    let mut stats = Stats::default();
    let (mut vgprs, mut sgprs) = (launch.tidig_comp_cnt + 1, launch.sgprs);
    let mut machines = Vec::with_capacity(done.len());
    for d in &done {
        stats.spilled_sgprs += d.slots.spilled_sgprs;
        stats.spilled_vgprs += d.slots.spilled_vgprs;
        let [s, v] = d.slots.live.unwrap_or_default();
        (stats.live_sgprs, stats.live_vgprs) = (stats.live_sgprs.max(s), stats.live_vgprs.max(v));
        vgprs = vgprs.max(d.assignment.vgprs);
        sgprs = sgprs.max(d.assignment.sgprs);
        let mut code = machine::lower(&d.f, &d.assignment, d.frame).map_err(internal)?;
        calls::preserve(&mut code, &d.f, &d.assignment, d.scratch, &d.residents, d.slots.scratch_bytes);
        inspector.after("machine", &code)?;
        inspector.run(passes.machine, &mut code)?;
        machines.push(code);
    }
    // Functions are given the ring whether they come to use it or not.
    let least = if kernel.functions.is_empty() { 0 } else { 4 };
    let scratch_bytes = (kernel.shared_scratch + deepest(&done)).max(least);
    scratch_fits(&kernel, scratch_bytes, options.wave)?;
    let main = machines.remove(0);
    let code = calls::join(main, machines);
    let emitted = emit::emit(&code, &kernel, &views).map_err(internal)?;
    if inspector.checks() {
        hazards::check(&emitted.text, &emitted.functions, options.isa, options.wave.lanes())
            .map_err(|e| broken("emit", e))?;
    }
    Ok(CodeObject {
        name: kernel.name,
        text: emitted.text,
        code_bytes: emitted.code_bytes,
        isa: options.isa,
        wave: options.wave,
        vgprs,
        sgprs,
        lds_bytes: kernel.lds_bytes,
        scratch_bytes,
        workgroup: kernel.workgroup,
        user_data: launch.user_data,
        system: launch.system,
        tidig_comp_cnt: launch.tidig_comp_cnt,
        mode: kernel.mode,
        files: kernel.files,
        lines: emitted.lines,
        functions: emitted.functions.into_iter().zip(kernel.functions.into_iter().map(|f| f.name)).collect(),
        sites: kernel.sites,
        stats,
        variables: emitted.variables.map(Box::new),
    })
}

/// Instructions, and VGPRs that are live at once, up to which waves have 64 lanes where they may: host code for twice as many lanes is
/// twice as long, which short programs make up for, and keeps twice as many registers.
const FEW: (usize, u32) = (64, 16);

fn wave_of(kernel: &Kernel, divergence: &(Divergence, Vec<Divergence>), options: &Options<'_>) -> Result<WaveSize> {
    if !options.widen || options.wave != WaveSize::W32 || !waves::alike(kernel, &divergence.0) {
        return Ok(options.wave);
    }
    let mut selected = select::select_all(kernel, divergence, options, false)?;
    let few = selected.funcs.first_mut().is_some_and(|f| {
        eliminate_dead(f);
        f.insts().count() <= FEW.0 && Liveness::new(f).most(f)[1] <= FEW.1
    });
    Ok(if few { WaveSize::W64 } else { WaveSize::W32 })
}

/// A body with its registers.
struct Done {
    f: Func,
    assignment: regalloc::Assignment,
    scratch: spill::Scratch,
    slots: spill::Slots,
    /// Registers to give back as they were.
    residents: Vec<u32>,
    /// Bytes of private memory that a lane has here.
    frame: u32,
}

/// Registers for the kernel and its functions, callees first; in the kernel's order.
fn allocate_all(
    passes: &Passes,
    mut selected: select::Selected,
    kernel: &Kernel,
    limit: u32,
    views: &mut Views,
    inspector: &mut Inspector<'_>,
) -> Result<Vec<Done>> {
    let mut functions = vec![Clobbers::default(); kernel.functions.len()];
    let mut done = Vec::with_capacity(selected.funcs.len());
    while let Some(mut f) = selected.funcs.pop() {
        let n = selected.funcs.len();
        let body = n.checked_sub(1).map_or(kernel, |n| &kernel.functions[n]);
        let scratch = selected.scratch[n];
        if kernel.functions.is_empty() {
            keep_scratch(&mut f, scratch);
        }
        inspector.after("select", &f)?;
        inspector.run(passes.selected, &mut f)?;
        f.validate().map_err(|e| broken("selection", e))?;
        let own = (body.scratch_bytes - kernel.shared_scratch).next_multiple_of(4);
        let mut slots = spill::Slots { scratch_bytes: own, ..Default::default() };
        let before = (inspector.checks() || body.named.is_some()).then(|| f.clone());
        let room = regalloc::Room { vgprs: limit, convention: &selected.convention, functions: &functions };
        let named = |e: CompileError| match n {
            0 => e,
            _ => CompileError { message: format!("function {:?}: {}", body.name, e.message), ..e },
        };
        let assignment = (passes.allocate)(&mut f, &room, &mut slots, scratch, inspector).map_err(named)?;
        inspector.after("allocate", &regalloc::Assigned { func: &f, assignment: &assignment })?;
        if let Some(before) = before {
            let after = checker::Allocated {
                func: &f,
                assignment: &assignment,
                scratch,
                scratch_bytes: (own, slots.scratch_bytes),
                room: &room,
            };
            if inspector.checks() {
                checker::check(&before, &after).map_err(|e| broken("allocate", e))?;
            }
            if let Some(named) = &body.named {
                // Private memory of functions has no address that is known here.
                let private = kernel.functions.is_empty();
                let at = held::views(&before, &after, named, &selected.kept[n], private, views);
                let at = at.map_err(|e| broken("variables", e))?;
                for (block, at) in f.blocks.iter_mut().zip(at) {
                    block.insts.iter_mut().zip(at).for_each(|(inst, at)| inst.loc.point = at);
                }
            }
        }
        let mut residents = Vec::new();
        if let Some(n) = n.checked_sub(1) {
            functions[n] = Clobbers::of(&f, &assignment, &functions);
            residents = calls::residents(&f, &assignment);
        }
        let frame = slots.scratch_bytes + 4 * residents.len() as u32;
        done.push(Done { f, assignment, scratch, slots, residents, frame });
    }
    done.reverse();
    Ok(done)
}

/// Bytes of the frames of the deepest chain of calls.
fn deepest(done: &[Done]) -> u32 {
    let mut need = vec![0; done.len()];
    for (n, d) in done.iter().enumerate().rev() {
        let calls = d.f.insts().filter(|i| i.is_pseudo(Pseudo::Call));
        let below = calls.filter_map(|i| need.get(1 + i.imm as usize)).max();
        need[n] = d.frame + below.copied().unwrap_or(0);
    }
    need.first().copied().unwrap_or(0)
}

/// Spill code, which is still to come, reads the scratch ring's V# anywhere: it lives to the end, in SGPRs of its own.
fn keep_scratch(f: &mut Func, scratch: spill::Scratch) {
    let (Some((ring, wave)), Some(&last)) = (scratch, f.order.last()) else { return };
    f.regs[ring.reg as usize].spill_temp = true;
    f.blocks[last as usize].insts.push(Inst::pseudo(Pseudo::Keep, vec![], vec![ring.into(), wave.into()]));
}

/// Coalesce and allocate; spill what does not fit and try again.
///
/// # Errors
/// There is no place to spill to, or what must not be spilled does not fit.
pub fn allocate(
    f: &mut Func,
    room: &regalloc::Room<'_>,
    slots: &mut spill::Slots,
    scratch: spill::Scratch,
    inspector: &mut Inspector<'_>,
) -> Result<regalloc::Assignment> {
    loop {
        let live = Liveness::new(f);
        slots.live.get_or_insert_with(|| live.most(f));
        let classes = coalesce::coalesce(f, &live);
        match regalloc::allocate(f, &live, &classes, room) {
            Ok(a) => return Ok(a),
            Err(s) => {
                let refused = |message| CompileError { kind: ErrorKind::Resource, site: None, message };
                spill::spill(f, &s, slots, scratch).map_err(refused)?;
                inspector.after("spill", f)?;
            }
        }
    }
}

/// Bytes of scratch that a wave may have: WAVESIZE of COMPUTE_TMPRING_SIZE has 13 bits.
const SCRATCH_OF_WAVE: u64 = 0x1fff * TMPRING_WAVESIZE_BYTES as u64;

fn scratch_fits(kernel: &Kernel, bytes: u32, wave: WaveSize) -> Result<()> {
    let lanes = u64::from(wave.lanes());
    if u64::from(bytes) * lanes <= SCRATCH_OF_WAVE {
        return Ok(());
    }
    let message = format!(
        "{bytes} bytes of private memory for each work-item, {} of them the kernel's own; the scratch memory of a wave of {lanes} has room for {} each: make private arrays smaller, or shared",
        kernel.scratch_bytes,
        SCRATCH_OF_WAVE / lanes
    );
    Err(CompileError { kind: ErrorKind::Resource, site: None, message })
}

/// A work-group whose shared variables no machine has the LDS for could never be placed.
fn shared_fits(kernel: &Kernel) -> Result<()> {
    if u64::from(kernel.lds_bytes) <= most::WORKGROUP_LDS {
        return Ok(());
    }
    let message = format!(
        "kernel `{}` has {} bytes of shared memory, a work-group can have {}: make shared variables smaller",
        kernel.name,
        kernel.lds_bytes,
        most::WORKGROUP_LDS
    );
    Err(CompileError { kind: ErrorKind::Resource, site: None, message })
}

/// VGPRs that a wave may have so that its whole work-group fits a work-group processor of any machine of the generation.
fn vgpr_limit(kernel: &Kernel, wave: WaveSize, isa: Gen) -> u32 {
    let lanes = wave.lanes();
    let items = kernel.workgroup.iter().product::<u32>().max(1);
    let waves_per_simd = items.div_ceil(lanes).div_ceil(least::SIMDS_PER_WGP as u32);
    let file = least::vgpr_file(isa) as u32 / lanes;
    (file / waves_per_simd / 8 * 8).clamp(8, 256)
}

fn internal(message: String) -> CompileError {
    CompileError { kind: ErrorKind::Internal, site: None, message }
}
