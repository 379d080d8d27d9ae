//! The passes in order.
//!
//! ```text
//! words ──translate──▶ ir ──optimise──▶ ir ──divergence, select──▶ mir (virtual registers)
//!       ──dead code──▶ mir ──liveness, coalesce, allocate (spill and again)──▶ mir + assignment ──checker
//!       ──lower──▶ instructions in blocks ──tidy──▶ ──waits──▶ ──emit──▶ code object
//! ```

use crate::analysis::divergence::Divergence;
use crate::back::liveness::{Liveness, eliminate_dead};
use crate::back::{checker, coalesce, emit, machine, regalloc, select, spill, tidy, waits};
use crate::error::{CompileError, ErrorKind, Result};
use crate::ir::Kernel;
use crate::mir::{Func, Inst, Pseudo, validate};
use crate::{Options, ir, opt, spirv};
use wavepipe_hw::code::{CodeObject, Stats, WaveSize};
use wavepipe_hw::machine::least;

/// The text of an intermediate form after a pass.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dump {
    /// `ir` or `mir`.
    pub form: &'static str,
    pub pass: &'static str,
    pub text: String,
}

/// SPIR-V to machine code.
pub fn compile(words: &[u32], options: &Options<'_>, mut dumps: Option<&mut Vec<Dump>>) -> Result<CodeObject> {
    let request =
        spirv::Request { entry: options.entry, wave: options.wave, spec: options.spec, layout: options.layout };
    let mut kernel = spirv::translate(words, &request)?;
    check_ir(&kernel, "translation")?;
    dump_ir(&mut dumps, "translate", &kernel);
    opt::optimise(&mut kernel);
    compile_kernel(kernel, options, dumps)
}

/// ir to machine code.
pub fn compile_kernel(
    mut kernel: Kernel,
    options: &Options<'_>,
    mut dumps: Option<&mut Vec<Dump>>,
) -> Result<CodeObject> {
    check_ir(&kernel, "optimisation")?;
    dump_ir(&mut dumps, "optimise", &kernel);
    if opt::lower(&mut kernel) {
        check_ir(&kernel, "lowering")?;
        dump_ir(&mut dumps, "lower", &kernel);
    }
    let divergence = Divergence::new(&kernel);
    let limit = vgpr_limit(&kernel, options.wave);
    // Spilling to memory needs launch state; a kernel that turns out to need it is selected again with that reserved.
    let mut reserve = false;
    let (f, launch, assignment, slots) = loop {
        let (mut f, launch) = select::select(&kernel, &divergence, options.wave, options.layout, reserve)?;
        keep_scratch(&mut f, launch.scratch);
        check(&f, "selection")?;
        dump_mir(&mut dumps, "select", &f);
        eliminate_dead(&mut f);
        check(&f, "dead-code elimination")?;
        dump_mir(&mut dumps, "dead", &f);
        let mut slots = spill::Slots { scratch_bytes: kernel.scratch_bytes.next_multiple_of(4), ..Default::default() };
        let own_scratch = slots.scratch_bytes;
        let before = cfg!(debug_assertions).then(|| f.clone());
        let assignment = match allocate(&mut f, limit, &mut slots, launch.scratch) {
            Err(e) if !reserve && launch.scratch.is_none() && e.kind == ErrorKind::Resource => {
                reserve = true;
                continue;
            }
            other => other?,
        };
        if let Some(before) = before {
            let after = checker::Allocated {
                func: &f,
                assignment: &assignment,
                scratch: launch.scratch,
                scratch_bytes: (own_scratch, slots.scratch_bytes),
                vgpr_limit: limit,
            };
            checker::check(&before, &after).map_err(|e| internal(format!("after register allocation: {e}")))?;
        }
        break (f, launch, assignment, slots);
    };
    dump_mir(&mut dumps, "allocate", &f);

    let mut code = machine::lower(&f, &assignment).map_err(internal)?;
    tidy::tidy(&mut code);
    waits::insert(&mut code);
    let emitted = emit::emit(&code, &kernel).map_err(internal)?;
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
pub(crate) fn allocate(
    f: &mut Func,
    limit: u32,
    slots: &mut spill::Slots,
    scratch: spill::Scratch,
) -> Result<regalloc::Assignment> {
    loop {
        let live = Liveness::new(f);
        let classes = coalesce::coalesce(f, &live);
        match regalloc::allocate(f, &live, &classes, limit) {
            Ok(a) => return Ok(a),
            Err(s) => {
                let refused = |message| CompileError { kind: ErrorKind::Resource, site: None, message };
                spill::spill(f, &s, slots, scratch).map_err(refused)?;
                check(f, "spilling")?;
            }
        }
    }
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

fn check_ir(kernel: &Kernel, after: &str) -> Result<()> {
    match ir::validate::validate(kernel) {
        Ok(()) => Ok(()),
        Err(v) => Err(internal(format!("after {after}: {v}"))),
    }
}

fn check(f: &Func, after: &str) -> Result<()> {
    validate::validate(f).map_err(|e| internal(format!("after {after}: {e}")))
}

fn dump_ir(dumps: &mut Option<&mut Vec<Dump>>, pass: &'static str, kernel: &Kernel) {
    if let Some(d) = dumps {
        d.push(Dump { form: "ir", pass, text: kernel.to_string() });
    }
}

fn dump_mir(dumps: &mut Option<&mut Vec<Dump>>, pass: &'static str, f: &Func) {
    if let Some(d) = dumps {
        d.push(Dump { form: "mir", pass, text: f.to_string() });
    }
}
