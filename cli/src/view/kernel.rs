//! The kernel that a page is of: a shader compiled and, where the job says enough, run; a code object; assembly.

use crate::asm::input_text;
use crate::failure::{Failure, Result, read_file};
use crate::gpu::{generation, lanes};
use crate::job::RunArgs;
use std::sync::Arc;
use wavepipe::job::{Dispatch, Spoken};
use wavepipe::shader::Shader;
use wavepipe::sheet;
use wavepipe::work::{Work, config};
use wavepipe_page::{Input, Run, Sheet};
use wavepipe_runtime::compiler::{self, Checks, Options};
use wavepipe_runtime::hw::code::CodeObject;
use wavepipe_runtime::hw::hsa::Module;
use wavepipe_runtime::hw::machine::Machine;
use wavepipe_runtime::simple;
use wavepipe_runtime::{Error, WaveSize, isa};

/// How an ELF file begins.
const ELF_MAGIC: &[u8] = b"\x7fELF";

/// All that a sheet is made of.
pub struct Kernel {
    shader: String,
    code: CodeObject,
    machine: Arc<Machine>,
    ir: Option<String>,
    run: Option<Run>,
}

impl Kernel {
    /// Of a command line.
    pub fn of(args: &RunArgs, run: bool) -> Result<Kernel> {
        let path = &args.job.shader;
        let is = |ending: &str| path.extension().is_some_and(|e| e == ending);
        if is("s") {
            return assembly(args);
        }
        if !is("spv") && !is("wgsl") && !is("comp") && !is("glsl") && path.is_file() {
            let bytes = read_file(path)?;
            if bytes.starts_with(ELF_MAGIC) {
                return object(args, &bytes);
            }
        }
        shader(args, run)
    }

    pub fn sheet(self) -> Sheet {
        let Kernel { shader, code, machine, ir, run } = self;
        let sources = sheet::sources(&code);
        Sheet::new(Input { shader: &shader, code: &code, machine: &machine, sources: &sources, ir: ir.as_deref(), run })
    }
}

fn shader(args: &RunArgs, run: bool) -> Result<Kernel> {
    let job = args.resolve()?;
    let of_entry = |d: &Dispatch| args.job.entry.is_none() || d.entry == args.job.entry;
    let at = job.dispatches.iter().position(of_entry).unwrap_or(0);
    let dispatch = &job.dispatches[at];
    let path = dispatch.shader.clone();
    let special = Shader::open(&path)?.specialize(&dispatch.spec, &dispatch.spec_flags, Spoken::Flags)?;
    let entry = args.job.entry.as_ref().or(dispatch.entry.as_ref());
    let info = simple::specialized_entry_point(&special.words, entry.map(String::as_str), &special.spec);
    let info = info.map_err(|e| Failure::from(e).context(&path))?;
    let layout = simple::layout_of(&info)?;
    let config = config(job.gpu.as_deref(), job.wave)?;
    let options = Options {
        isa: config.isa(),
        wave: config.wave_size(None)?,
        spec: &special.spec,
        checks: Checks::On,
        ..Options::new(&info.name, layout.layout())
    };
    let (code, dumps) = compiler::compile_with_dumps(&special.words, &options);
    let code = code.map_err(|e| Failure::from(Error::from(e)).context(&path))?;
    let ir = dumps.into_iter().rfind(|d| d.form == "ir").map(|d| d.text);
    let mut kernel =
        Kernel { shader: path.display().to_string(), code, machine: config.machine.clone(), ir, run: None };
    if !run {
        return Ok(kernel);
    }
    let work = match Work::open(job) {
        Ok(work) => work,
        Err(Failure::Usage(why)) => {
            eprintln!("wavepipe: not run, so the page has no cycles: {why}");
            return Ok(kernel);
        }
        Err(other) => return Err(other),
    };
    work.plan.steps.iter().filter_map(|s| s.derived.as_ref()).for_each(|why| eprintln!("wavepipe: {why}"));
    let ran = sheet::run(&work, at, config)?;
    (kernel.code, kernel.run) = (ran.code, ran.run);
    Ok(kernel)
}

/// A kernel of a code object that another compiler made.
fn object(args: &RunArgs, bytes: &[u8]) -> Result<Kernel> {
    let path = &args.job.shader;
    let module = Module::parse(bytes).map_err(|e| Failure::from(Error::from(e)).context(path))?;
    let config = args.job.gpu.config_for(Some(module.target))?;
    let names = || module.kernels.iter().map(|k| k.name.as_str()).collect::<Vec<_>>().join(", ");
    let kernel = match (&args.job.entry, &module.kernels[..]) {
        (Some(name), all) => all.iter().find(|k| k.name == *name),
        (None, [only]) => Some(only),
        (None, _) => None,
    };
    let kernel =
        kernel.ok_or_else(|| Failure::usage(format!("name a kernel with --entry: {}", names())).context(path))?;
    let function = module.functions.iter().find(|f| f.address == kernel.entry);
    let (begin, size) = (kernel.entry as usize, function.map_or(0, |f| f.size as usize));
    let image = module.image(0);
    let text = image.get(begin..).and_then(|rest| rest.get(..size)).unwrap_or_default();
    let (files, lines) = function.map_or_else(Default::default, |f| module.lines_of(f));
    let rsrc = kernel.descriptor.rsrc();
    let code = CodeObject {
        name: kernel.name.clone(),
        text: text.to_vec(),
        isa: module.isa,
        wave: kernel.wave,
        vgprs: rsrc.vgprs(kernel.wave),
        sgprs: rsrc.numbered_sgprs(),
        lds_bytes: kernel.group_bytes,
        scratch_bytes: kernel.private_bytes,
        workgroup: kernel.required_workgroup.unwrap_or([64, 1, 1]),
        files,
        lines,
        ..CodeObject::default()
    };
    Ok(Kernel { shader: path.display().to_string(), code, machine: config.machine.clone(), ir: None, run: None })
}

/// Assembly, with the registers that it names.
fn assembly(args: &RunArgs) -> Result<Kernel> {
    let path = &args.job.shader;
    let gpu = args.job.gpu.gpu.as_deref();
    let config = config(gpu, lanes(args.job.wave.as_deref()))?;
    let (isa, wave) = (gpu.map_or(Ok(config.isa()), generation)?, config.wave_size(None)?);
    let words = isa::asm::assemble(&input_text(path)?, isa, wave.lanes());
    let words = words.map_err(|e| Failure::usage(format!("{}: {e}", path.display())))?;
    let (vgprs, sgprs) = named(&words, isa, wave);
    let name = path.file_stem().map_or(String::new(), |n| n.to_string_lossy().into_owned());
    let code = CodeObject {
        name,
        text: words.iter().flat_map(|w| w.to_le_bytes()).collect(),
        isa,
        wave,
        vgprs,
        sgprs,
        workgroup: [64, 1, 1],
        ..CodeObject::default()
    };
    Ok(Kernel { shader: path.display().to_string(), code, machine: config.machine.clone(), ir: None, run: None })
}

/// VGPRs and SGPRs up to the last that code names.
fn named(words: &[u32], isa: isa::Gen, wave: WaveSize) -> (u32, u32) {
    let (mut at, mut vgprs, mut sgprs) = (0, 1, 0);
    while let Some(Ok((instr, size))) = words.get(at..).filter(|w| !w.is_empty()).map(|w| isa::decode::decode(w, isa)) {
        for a in instr.uses(wave.lanes()).chain(instr.defs(wave.lanes())) {
            match a.reg.is_vgpr() {
                true => vgprs = vgprs.max(a.reg.vgpr() + a.dwords),
                false if u32::from(a.reg.0) + a.dwords <= 106 => sgprs = sgprs.max(u32::from(a.reg.0) + a.dwords),
                false => {}
            }
        }
        at += size;
    }
    (vgprs, sgprs)
}
