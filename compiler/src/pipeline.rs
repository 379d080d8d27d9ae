//! The passes in order.
//!
//! ```text
//! words ──translate──▶ ir ──optimise, lower──▶ ir ──divergence, select──▶ mir (virtual registers)
//!       ──dead code──▶ mir ──liveness, coalesce, allocate (spill and again)──▶ mir + assignment ──checker
//!       ──lower──▶ instructions in blocks ──tidy──▶ ──waits──▶ ──hazards──▶ ──emit──▶ code object
//! ```
//!
//! Behind each arrow stands the inspector: a validator of the form, and its dump. [`Passes`] has what rewrites a form in
//! place; what makes one form of another is called by name.

use crate::analysis::divergence::Divergence;
use crate::back::liveness::{Liveness, eliminate_dead};
use crate::back::machine::Machine;
use crate::back::{checker, coalesce, emit, hazards, machine, regalloc, select, spill, tidy, waits};
use crate::error::{CompileError, ErrorKind, Result};
use crate::inspect::{Form, Inspector, Pass, broken};
use crate::ir::Kernel;
use crate::mir::{Func, Inst, Pseudo};
use crate::{Options, opt, spirv};
use wavepipe_hw::code::{CodeObject, Stats, WaveSize};
use wavepipe_hw::machine::least;
use wavepipe_hw::rsrc::TMPRING_WAVESIZE_BYTES;

/// Coalesces, allocates, and spills what does not fit: code, VGPRs that there are, where to spill to.
type Allocate =
    fn(&mut Func, u32, &mut spill::Slots, spill::Scratch, &mut Inspector<'_>) -> Result<regalloc::Assignment>;

/// What rewrites a form in place, in the order of the pipeline. Tests put broken passes in.
#[derive(Clone, Copy)]
pub(crate) struct Passes {
    optimise: &'static [Pass<Kernel>],
    selected: &'static [Pass<Func>],
    allocate: Allocate,
    machine: &'static [Pass<Machine>],
}

/// Passes over what selection made.
pub const SELECTED: &[Pass<Func>] = &[Pass { name: "dead registers", run: eliminate_dead }];

/// Passes over machine code in blocks.
pub const MACHINE: &[Pass<Machine>] = &[
    Pass { name: "tidy", run: tidy::tidy },
    Pass { name: "waits", run: waits::insert },
    Pass { name: "hazards", run: hazards::insert },
];

const PASSES: Passes = Passes { optimise: opt::OPTIMISE, selected: SELECTED, allocate, machine: MACHINE };

/// SPIR-V to machine code.
pub fn compile(words: &[u32], options: &Options<'_>, inspector: &mut Inspector<'_>) -> Result<CodeObject> {
    let request =
        spirv::Request { entry: options.entry, wave: options.wave, spec: options.spec, layout: options.layout };
    let mut kernel = spirv::translate(words, &request, inspector)?;
    inspector.run(PASSES.optimise, &mut kernel)?;
    back(&PASSES, kernel, options, inspector)
}

/// ir to machine code.
pub fn compile_kernel(kernel: Kernel, options: &Options<'_>, inspector: &mut Inspector<'_>) -> Result<CodeObject> {
    inspector.after("input", &kernel)?;
    back(&PASSES, kernel, options, inspector)
}

fn back(
    passes: &Passes,
    mut kernel: Kernel,
    options: &Options<'_>,
    inspector: &mut Inspector<'_>,
) -> Result<CodeObject> {
    opt::lower(&mut kernel, inspector)?;
    // What follows relies on the rules of the ir; they cost little, and a kernel may come from anywhere.
    kernel.validate().map_err(|e| broken("the passes of the ir", e))?;
    let divergence = Divergence::new(&kernel);
    let limit = vgpr_limit(&kernel, options.wave);
    // Spilling to memory needs launch state; a kernel that turns out to need it is selected again with that reserved.
    let mut reserve = false;
    let (f, launch, assignment, slots) = loop {
        let (mut f, launch) = select::select(&kernel, &divergence, options.wave, options.layout, reserve)?;
        keep_scratch(&mut f, launch.scratch);
        inspector.after("select", &f)?;
        inspector.run(passes.selected, &mut f)?;
        f.validate().map_err(|e| broken("selection", e))?;
        let mut slots = spill::Slots { scratch_bytes: kernel.scratch_bytes.next_multiple_of(4), ..Default::default() };
        let own_scratch = slots.scratch_bytes;
        let before = inspector.checks().then(|| f.clone());
        let assignment = match (passes.allocate)(&mut f, limit, &mut slots, launch.scratch, inspector) {
            Err(e) if !reserve && launch.scratch.is_none() && e.kind == ErrorKind::Resource => {
                reserve = true;
                continue;
            }
            other => other?,
        };
        inspector.after("allocate", &regalloc::Assigned { func: &f, assignment: &assignment })?;
        if let Some(before) = before {
            let after = checker::Allocated {
                func: &f,
                assignment: &assignment,
                scratch: launch.scratch,
                scratch_bytes: (own_scratch, slots.scratch_bytes),
                vgpr_limit: limit,
            };
            checker::check(&before, &after).map_err(|e| broken("allocate", e))?;
        }
        break (f, launch, assignment, slots);
    };
    scratch_fits(&kernel, slots.scratch_bytes, options.wave)?;
    let mut code = machine::lower(&f, &assignment).map_err(internal)?;
    inspector.after("machine", &code)?;
    inspector.run(passes.machine, &mut code)?;
    let emitted = emit::emit(&code, &kernel).map_err(internal)?;
    if inspector.checks() {
        hazards::check(&emitted.text, options.wave.lanes()).map_err(|e| broken("emit", e))?;
    }
    Ok(CodeObject {
        name: kernel.name,
        text: emitted.text,
        code_bytes: emitted.code_bytes,
        wave: options.wave,
        vgprs: assignment.vgprs.max(launch.tidig_comp_cnt + 1),
        sgprs: assignment.sgprs.max(launch.sgprs),
        lds_bytes: kernel.lds_bytes,
        scratch_bytes: slots.scratch_bytes,
        workgroup: kernel.workgroup,
        user_data: launch.user_data,
        system: launch.system,
        tidig_comp_cnt: launch.tidig_comp_cnt,
        mode: kernel.mode,
        files: kernel.files,
        lines: emitted.lines,
        stats: Stats { spilled_sgprs: slots.spilled_sgprs, spilled_vgprs: slots.spilled_vgprs },
    })
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
    limit: u32,
    slots: &mut spill::Slots,
    scratch: spill::Scratch,
    inspector: &mut Inspector<'_>,
) -> Result<regalloc::Assignment> {
    loop {
        let live = Liveness::new(f);
        let classes = coalesce::coalesce(f, &live);
        match regalloc::allocate(f, &live, &classes, limit) {
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

/// VGPRs that a wave may have so that its whole work-group fits a work-group processor of any machine.
fn vgpr_limit(kernel: &Kernel, wave: WaveSize) -> u32 {
    let lanes = wave.lanes();
    let items = kernel.workgroup.iter().product::<u32>().max(1);
    let waves_per_simd = items.div_ceil(lanes).div_ceil(least::SIMDS_PER_WGP as u32);
    let file = least::VGPR_ROWS as u32 * 32 / lanes;
    (file / waves_per_simd / 8 * 8).clamp(8, 256)
}

fn internal(message: String) -> CompileError {
    CompileError { kind: ErrorKind::Internal, site: None, message }
}

#[cfg(test)]
mod tests;
