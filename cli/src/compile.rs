//! `wavepipe compile`: the machine code of a shader, or its statistics.

use crate::failure::{Failure, Result, write_file};
use crate::job::JobArgs;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Instant;
use wavepipe::job::{Dispatch, Spoken};
use wavepipe::shader::{Shader, Special};
use wavepipe::work::config;
use wavepipe_runtime::compiler::{self, Checks, Options};
use wavepipe_runtime::hw::code::CodeObject;
use wavepipe_runtime::hw::launch::PipelineLayout;
use wavepipe_runtime::isa::row::{Class, Format};
use wavepipe_runtime::{SpecValue, WaveSize, isa, simple};

const EXAMPLES: &str = "\
Examples:
  wavepipe compile samples/reduction/reduction.wgsl
  wavepipe compile samples/reduction/reduction.wgsl --stats --wave 64
  wavepipe compile samples/reduction/reduction.wgsl --gpu rx5500xt
  wavepipe compile shader.spv --entry main --stats --json
  wavepipe compile shader.wgsl --dump
  wavepipe compile shader.comp -o shader.bin";

#[derive(clap::Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct CompileArgs {
    #[command(flatten)]
    job: JobArgs,
    /// Print counts instead of code: instructions by kind, registers, LDS, bytes
    #[arg(long)]
    stats: bool,
    /// Print the intermediate forms after every pass: ir, mir and machine code with labels
    #[arg(long)]
    dump: bool,
    /// Print as JSON
    #[arg(long)]
    json: bool,
    /// Write the machine code, raw, little-endian
    #[arg(short = 'o', value_name = "FILE")]
    output: Option<PathBuf>,
}

/// Kinds of instructions that the statistics count, by timing class and format.
fn kind(op: isa::Op) -> &'static str {
    let row = op.row();
    match (row.class, row.format) {
        (Class::Trans, _) => "transcendental",
        (Class::Valu | Class::MulWide | Class::Double, _) => "vector",
        (Class::Salu, _) => "scalar",
        (Class::Smem, _) => "scalar memory",
        (Class::Lds, _) => "lds",
        (Class::Vmem | Class::Flat, Format::Scratch) => "scratch",
        (Class::Vmem | Class::Flat, _) => "vector memory",
        (Class::Branch, _) => "branch",
        (Class::Wait, _) => "wait",
        (Class::Message, _) => "message",
        (Class::Image, _) => "image",
        (Class::Export, _) => "export",
    }
}

/// Compiles one entry point, with the compiler's checks: who compiles by hand wants to know.
pub fn code(
    words: &[u32],
    entry: &str,
    isa: isa::Gen,
    wave: WaveSize,
    spec: &[SpecValue],
    layout: &PipelineLayout,
) -> Result<CodeObject> {
    let options = Options { isa, wave, spec, checks: Checks::On, ..Options::new(entry, layout) };
    Ok(compiler::compile(words, &options).map_err(wavepipe_runtime::Error::from)?)
}

/// Instructions by kind; the padding behind the last s_endpgm is not counted.
pub fn count(code: &CodeObject) -> Result<BTreeMap<&'static str, u32>> {
    let words = code.code_words();
    let mut counts = BTreeMap::new();
    let mut at = 0;
    while at < words.len() {
        let (instr, size) = isa::decode::decode(&words[at..], code.isa).map_err(|e| {
            Failure::Driver(format!("internal error: emitted code does not decode at +{:#x}: {e}", 4 * at))
        })?;
        *counts.entry(kind(instr.op)).or_insert(0) += 1;
        at += size;
    }
    Ok(counts)
}

pub fn run(args: &CompileArgs) -> Result<()> {
    let job = args.job.resolve()?;
    // Of several dispatches the first that has the entry point.
    let of_entry = |d: &&Dispatch| args.job.entry.is_none() || d.entry == args.job.entry;
    let dispatch = job.dispatches.iter().find(of_entry).unwrap_or(&job.dispatches[0]);
    let path = &dispatch.shader;
    let Special { words, spec } =
        Shader::open(path)?.specialize(&dispatch.spec, &dispatch.spec_flags, Spoken::Flags)?;
    let entry = args.job.entry.as_ref().or(dispatch.entry.as_ref());
    let info = simple::specialized_entry_point(&words, entry.map(String::as_str), &spec);
    let info = info.map_err(|e| Failure::from(e).context(path))?;
    let layout = simple::layout_of(&info)?;
    let config = config(job.gpu.as_deref(), job.wave)?;
    let wave = config.wave_size(None)?;
    if args.dump {
        let options = Options {
            isa: config.isa(),
            wave,
            spec: &spec,
            checks: Checks::On,
            ..Options::new(&info.name, layout.layout())
        };
        let (_, dumps) = compiler::compile_with_dumps(&words, &options);
        for dump in &dumps {
            println!("---- {} after {}\n{}", dump.form, dump.pass, dump.text);
        }
    }
    let code = code(&words, &info.name, config.isa(), wave, &spec, layout.layout()).map_err(|e| e.context(path))?;
    if let Some(file) = &args.output {
        write_file(file, &code.text)?;
        eprintln!("wrote {}", file.display());
    }
    if args.stats {
        // As a driver compiles: without checks.
        let start = Instant::now();
        let options = Options { isa: config.isa(), wave, spec: &spec, ..Options::new(&info.name, layout.layout()) };
        compiler::compile(&words, &options).map_err(wavepipe_runtime::Error::from)?;
        let milliseconds = start.elapsed().as_secs_f64() * 1e3;
        let counts = count(&code)?;
        let total: u32 = counts.values().sum();
        if args.json {
            let value = serde_json::json!({
                "entry": code.name, "wave": code.wave.lanes(), "instructions": total, "by_kind": counts,
                "sgprs": code.sgprs, "vgprs": code.vgprs, "lds_bytes": code.lds_bytes, "scratch_bytes": code.scratch_bytes,
                "spilled_sgprs": code.stats.spilled_sgprs, "spilled_vgprs": code.stats.spilled_vgprs,
                "code_bytes": code.text.len(), "compile_ms": milliseconds,
            });
            println!("{value}");
        } else {
            println!("entry          {} (wave{})", code.name, code.wave.lanes());
            println!("instructions   {total}");
            for (kind, n) in &counts {
                println!("  {kind:<14} {n}");
            }
            println!("SGPRs          {} ({} spilled)", code.sgprs, code.stats.spilled_sgprs);
            println!("VGPRs          {} ({} spilled)", code.vgprs, code.stats.spilled_vgprs);
            println!("LDS            {} bytes", code.lds_bytes);
            println!("scratch        {} bytes a lane", code.scratch_bytes);
            println!("code           {} bytes", code.text.len());
            println!("compiled in    {milliseconds:.2} ms");
        }
    } else if args.output.is_none() {
        print!("{}", wavepipe_runtime::disassembly(&code));
    }
    Ok(())
}
