//! `wavepipe launch`: one kernel of an AMD HSA code object, its buffers shown and written.

use crate::compare::Part;
use crate::debug;
use crate::failure::{Failure, Result, read_file};
use crate::findings::{CheckArgs, Findings};
use crate::gpu::GpuArgs;
use crate::progress::progress;
use crate::seeds::{self, Outcome, SeedArgs};
use crate::watch::{Seen, WatchArgs};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;
use wavepipe::contents::{self, Contents};
use wavepipe::data::{self, Init};
use wavepipe::held::{self, Uploaded};
use wavepipe::inspect;
use wavepipe::job;
use wavepipe::view::{Shape, View};
use wavepipe_runtime::hsa::{ArgValue, Launch, Program, describe};
use wavepipe_runtime::hw::code::CodeObject;
use wavepipe_runtime::hw::hsa::{Kernel, Module};
use wavepipe_runtime::simple::{Session, Submitted};
use wavepipe_runtime::{Buffer, Config, Error};

const EXAMPLES: &str = "\
Examples:
  clang-19 -x cl -cl-std=CL2.0 -target amdgcn-amd-amdhsa -mcpu=gfx1010 -nogpulib -O3 -o saxpy.co saxpy.cl
  wavepipe launch saxpy.co --grid 1000 --block 64 --arg f32[1000]:iota --arg f32[1000]:rand --arg f32=2.5
  wavepipe launch tools.co --kernel transpose --grid 512,512 --block 16,16 --arg u32[512*512]:photo.png \\
      --arg u32[512*512] --arg local=1088 --out 1=turned.png --shape 512x512
  wavepipe launch saxpy.co --list
  wavepipe launch saxpy.co --grid 1024 --arg f32[1024] --check all --findings saxpy.sarif
  wavepipe launch sum.co --grid 1024 --arg f32[1024]:iota --arg f32[1] --many-seeds 0..20
  wavepipe launch saxpy.co --grid 64 --arg f32[64]:iota --arg f32[64] --arg f32=2 --watch '+0x0:exec,v0:u32'
  wavepipe launch saxpy.co --grid 256 --arg f32[256]:iota --arg f32[256] --arg f32=2 --debug --timing

An argument is one of
  TYPE[N][:INIT]                  a buffer; INIT is zero, iota, rand, none (zero, and not written to --check init), numbers
                                  (1,2,3), or a file of as many: .bin or .raw (bytes), .json, .csv, .npy or .png
  TYPE=VALUE                      a value: i32=-5, u32=7, f32=0.5, u64=…, f16=…, vec4=1,2,3,4
  bytes=FILE                      a value by its bytes, such as a structure
  local=BYTES                     a pointer to that much local memory
  null                            a null pointer
Arguments are given in the kernel's order and numbered from 0.";

#[derive(clap::Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct LaunchArgs {
    /// The code object: ELF for amdgcn-amd-amdhsa. It runs on a card of its generation; one that is named has to be of it
    file: PathBuf,
    /// Kernel by name; the only one by default
    #[arg(long, value_name = "NAME")]
    kernel: Option<String>,
    /// Work-items; the last work-groups may be partial
    #[arg(long, value_name = "X,Y,Z", required_unless_present = "list")]
    grid: Option<String>,
    /// Work-items of a work-group; the size that the kernel requires, or 64, by default
    #[arg(long, value_name = "X,Y,Z")]
    block: Option<String>,
    /// The next argument, as below
    #[arg(long, value_name = "ARGUMENT", allow_hyphen_values = true)]
    arg: Vec<String>,
    /// Write the buffer of an argument after the run: .bin, .raw, .json, .csv, .npy or .png
    #[arg(long, value_name = "ARG=FILE")]
    out: Vec<String>,
    /// Size of pictures
    #[arg(long, value_name = "WxH")]
    shape: Option<String>,
    /// List the file's kernels and their arguments
    #[arg(long)]
    list: bool,
    #[command(flatten)]
    gpu: GpuArgs,
    #[command(flatten)]
    checks: CheckArgs,
    #[command(flatten)]
    seeds: SeedArgs,
    #[command(flatten)]
    watch: WatchArgs,
    /// Open the debugger in front of the first instruction
    #[arg(long)]
    debug: bool,
    /// In the debugger waves go in the order and in the cycles of the card's clock
    #[arg(long, requires = "debug")]
    timing: bool,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
    /// Print no table
    #[arg(long, short)]
    quiet: bool,
}

/// An argument of the command line.
enum Given {
    Buffer(Shape, Init),
    Bytes(Vec<u8>),
    Local(u32),
}

fn given(text: &str) -> Result<Given> {
    if text == "null" {
        return Ok(Given::Bytes(vec![0; 8]));
    }
    if let Some((name, value)) = text.split_once('=').filter(|(name, _)| !name.contains('[')) {
        return match name.trim() {
            "local" => value
                .trim()
                .parse()
                .map(Given::Local)
                .map_err(|_| Failure::usage(format!("--arg {text}: local=BYTES takes a number"))),
            "bytes" => Ok(Given::Bytes(read_file(Path::new(value))?)),
            _ => Ok(Given::Bytes(data::typed_value(text)?.1)),
        };
    }
    if !text.contains('[') {
        return Err(Failure::usage(format!(
            "--arg {text}: write TYPE[N], TYPE=VALUE, local=BYTES, bytes=FILE or null (see wavepipe launch --help)"
        )));
    }
    let (shape, init) = text.split_once(':').unwrap_or((text, ""));
    Ok(Given::Buffer(shape.parse()?, init.parse()?))
}

/// `ARG=FILE`, where ARG is the number of a buffer among `given`.
fn output(text: &str, given: &[Given]) -> Result<(usize, PathBuf)> {
    let (number, file) =
        text.split_once('=').ok_or_else(|| Failure::usage(format!("--out {text}: write ARG=FILE, ARG from 0")))?;
    let index: usize = number
        .trim()
        .parse()
        .map_err(|_| Failure::usage(format!("--out {text}: `{number}` is no argument's number")))?;
    match given.get(index) {
        Some(Given::Buffer(..)) => contents::check_ending(file.as_ref()).map(|()| (index, file.into())),
        Some(_) => Err(Failure::usage(format!("--out {text}: argument {index} is no buffer"))),
        None => Err(Failure::usage(format!("--out {text}: there are {} arguments, numbered from 0", given.len()))),
    }
}

fn list(program: &Program) {
    for k in &program.module().kernels {
        println!(
            "{}  wave{}, {} bytes of LDS, {} private bytes, {} of arguments",
            k.name,
            k.wave.lanes(),
            k.group_bytes,
            k.private_bytes,
            k.kernarg_bytes
        );
        for (i, arg) in k.explicit_args().enumerate() {
            println!("    {}", describe(i, arg));
        }
    }
}

/// A kernel that has run, well or not.
struct Launched {
    session: Session,
    kernel: Kernel,
    grid: [u32; 3],
    workgroup: [u32; 3],
    /// Its buffers by argument, if it ran to its end.
    after: Vec<(usize, Shape, Contents)>,
    result: wavepipe_runtime::Result<()>,
    seconds: f64,
    seen: Seen,
}

/// What a launch is for.
enum Way<'a> {
    Plain,
    Watch(inspect::Session),
    /// For where it goes wrong.
    Find(inspect::Session, &'a mut Option<debug::Position>),
    Debug(inspect::Session, Option<debug::Position>),
}

/// Launches the kernel on a device of its own.
fn launch(args: &LaunchArgs, session: Session, program: &Arc<Program>, way: Way<'_>) -> Result<Launched> {
    let kernel = program.kernel(args.kernel.as_deref()).map_err(|e| Failure::from(e).context(&args.file))?;
    let grid = job::triple(args.grid.as_deref().unwrap_or("1"))?;
    let workgroup = match &args.block {
        Some(text) => job::triple(text)?,
        None => kernel.required_workgroup.unwrap_or([64, 1, 1]),
    };
    let given = args.arg.iter().map(|text| given(text)).collect::<Result<Vec<_>>>()?;

    let mut values = Vec::new();
    let mut buffers: Vec<(usize, Shape, Arc<Buffer>)> = Vec::new();
    for (index, g) in given.into_iter().enumerate() {
        values.push(match g {
            Given::Bytes(bytes) => ArgValue::Bytes(bytes),
            Given::Local(bytes) => ArgValue::Local(bytes),
            Given::Buffer(shape, init) => {
                let bytes = data::fill(shape, &init, Path::new("."))?;
                let buffer = Buffer::with_memory(session.device(), bytes.len() as u64)?;
                buffer.rename(&format!("argument {index}"));
                if init != data::Init::None {
                    buffer.write(0, &bytes)?;
                }
                buffers.push((index, shape, buffer.clone()));
                ArgValue::Buffer(buffer)
            }
        });
    }
    let launch = Launch { grid, workgroup, args: values };
    let start = Instant::now();
    let mut seen = Seen::default();
    let begin = |held: &mut inspect::Session| -> Result<(Vec<Uploaded>, Submitted)> {
        let codes = introduce(held, program, kernel, &buffers);
        Ok((codes, session.begin_launch(program, kernel, &launch)?))
    };
    let result = match way {
        Way::Watch(mut held) => {
            let (_, submitted) = begin(&mut held)?;
            seen = args.watch.follow(held, args.json, &mut |text| print!("{text}"))?;
            submitted.wait()
        }
        Way::Find(mut held, at) => {
            let (_, submitted) = begin(&mut held)?;
            *at = debug::found(held, session.device());
            drop(submitted);
            Ok(())
        }
        Way::Debug(mut held, at) => {
            let (codes, submitted) = begin(&mut held)?;
            debug::launched(held, session.device(), &codes, at)?;
            drop(submitted);
            Ok(())
        }
        Way::Plain => {
            let bar = progress("running");
            let result = session.launch(program, kernel, &launch);
            bar.finish_and_clear();
            result
        }
    };
    let seconds = start.elapsed().as_secs_f64();
    let mut after = Vec::new();
    for (index, shape, buffer) in buffers.iter().filter(|_| result.is_ok()) {
        let view = View::from(*shape);
        let mut bytes = vec![0; view.bytes];
        buffer.read(0, &mut bytes)?;
        after.push((*index, *shape, Contents::buffer(view, bytes)));
    }
    Ok(Launched { kernel: kernel.clone(), grid, workgroup, after, result, seconds, session, seen })
}

/// Tells what code and buffers are called.
fn introduce(
    held: &mut inspect::Session,
    program: &Program,
    kernel: &Kernel,
    buffers: &[(usize, Shape, Arc<Buffer>)],
) -> Vec<Uploaded> {
    // Of functions the file does not say for which waves they are.
    let of_kernel = |code: &CodeObject| Arc::new(CodeObject { wave: kernel.wave, ..code.clone() });
    let codes: Vec<Uploaded> = program.functions().iter().map(|(at, code)| (*at, of_kernel(code))).collect();
    held::add_programs(held, &codes);
    for ((n, arg), (_, shape, buffer)) in
        kernel.explicit_args().enumerate().filter_map(|(n, arg)| Some(((n, arg), buffers.iter().find(|b| b.0 == n)?)))
    {
        let name = arg.name.clone().filter(|name| !name.is_empty()).unwrap_or_else(|| format!("argument{n}"));
        let (at, bytes) = (buffer.address(), View::from(*shape).bytes as u64);
        let form = held::form_of(Some(shape.element.scalar));
        held.add_name(name, inspect::Thing { space: inspect::program::Space::Memory, at, bytes, form });
    }
    codes
}

pub fn run(args: &LaunchArgs) -> Result<()> {
    let file = read_file(&args.file)?;
    let module = Module::parse(&file).map_err(Error::from);
    let mut config = args.gpu.config_for(module.as_ref().ok().map(|module| module.target))?;
    args.checks.apply(&mut config)?;
    args.seeds.apply(&mut config);
    let module = Arc::new(module.map_err(|e| Failure::from(e).context(&args.file))?);
    let place = |session: Session| -> Result<(Session, Arc<Program>)> {
        let program =
            Program::place(session.device(), module.clone()).map_err(|e| Failure::from(e).context(&args.file))?;
        Ok((session, program))
    };
    let load = |config: &Config| place(Session::new(config)?);
    if args.watch.is_on() && (args.seeds.seed.is_some() || args.seeds.many_seeds.is_some()) {
        return Err(Failure::usage(
            "--watch runs an instruction at a time, in an order of its own: leave out --seed and --many-seeds",
        ));
    }
    if let Some(seeds) = args.seeds.many_seeds.as_ref().filter(|_| !args.list) {
        if !args.out.is_empty() || args.checks.findings.is_some() {
            return Err(Failure::usage("--many-seeds compares, and writes nothing: leave out --out and --findings"));
        }
        return seeds::many(seeds.clone(), args.json, |seed| {
            let (session, program) = load(&Config { seed: Some(seed), ..config.clone() })?;
            let Launched { result, after, session, .. } = launch(args, session, &program, Way::Plain)?;
            let part = |(index, _, contents): (usize, Shape, Contents)| {
                let values = contents.json_values().as_array().cloned().unwrap_or_default();
                Part { name: format!("argument {index}"), bytes: contents.bytes, values }
            };
            let failure = result.err().map(Failure::from);
            let parts = if failure.is_none() { after.into_iter().map(part).collect() } else { Vec::new() };
            Ok(Outcome { parts, findings: Findings::of(session.device()), failure })
        });
    }
    if args.list {
        list(&load(&config)?.1);
        return Ok(());
    }
    let hold = |config: &Config, checked: bool| -> Result<(Session, Arc<Program>, inspect::Session)> {
        let (session, held) = held::machine(config, checked)?;
        let (session, program) = place(session)?;
        Ok((session, program, held))
    };
    // Nobody times who debugs.
    let debug_at = |at: Option<debug::Position>| -> Result<()> {
        let schedules = match args.timing {
            true => held::schedules_of(&config, |session| {
                let (session, program) = place(session)?;
                Ok(launch(args, session, &program, Way::Plain)?.result?)
            })?,
            false => Vec::new(),
        };
        let (session, program, mut held) = hold(&Config { timeout: None, ..config.clone() }, false)?;
        held.follow(schedules);
        launch(args, session, &program, Way::Debug(held, at)).map(|_| ())
    };
    if args.debug {
        return debug_at(None);
    }
    let given = args.arg.iter().map(|text| given(text)).collect::<Result<Vec<_>>>()?;
    let outputs = args.out.iter().map(|text| output(text, &given)).collect::<Result<Vec<_>>>()?;
    let picture = args.shape.as_deref().map(job::size).transpose()?;
    let (session, program, way) = match args.watch.is_on() {
        true => hold(&config, true).map(|(session, program, held)| (session, program, Way::Watch(held)))?,
        false => load(&config).map(|(session, program)| (session, program, Way::Plain))?,
    };
    let Launched { session, kernel, grid, workgroup, after, result, seconds, seen } =
        launch(args, session, &program, way)?;
    let found = args.checks.tell(session.device())?;
    if result.is_err() && session.device().fault().is_some() || !found.is_empty() {
        if args.watch.break_on_fault {
            let (session, program, held) = hold(&debug::stopping(&config), true)?;
            let mut at = None;
            launch(args, session, &program, Way::Find(held, &mut at))?;
            match at {
                Some(at) => debug_at(Some(at))?,
                None => eprintln!("wavepipe: {}", debug::NOTHING),
            }
        } else {
            eprintln!("wavepipe: to see it in the debugger: {}", debug::command());
        }
    }
    result?;
    for (index, file) in &outputs {
        for (_, _, contents) in after.iter().filter(|c| c.0 == *index) {
            contents.write(Some(file), picture)?;
            eprintln!("wrote {}", file.display());
        }
    }
    let statistics = session.device().statistics();
    if args.json {
        let shown: Vec<serde_json::Value> = after
            .iter()
            .map(|(index, shape, after)| {
                serde_json::json!({
                    "arg": index, "type": shape.element.scalar.name(), "lanes": shape.element.lanes,
                    "count": shape.count, "values": after.json_values(),
                })
            })
            .collect();
        let mut value = serde_json::json!({
            "file": args.file, "kernel": kernel.name, "wave": kernel.wave.lanes(), "grid": grid, "block": workgroup,
            "seconds": seconds, "wave_instructions": statistics.wave_instructions,
            "workgroups": statistics.workgroups, "waves": statistics.waves, "buffers": shown,
            "findings": found.reports, "more_findings": found.more,
        });
        if args.watch.is_on() {
            value["watched"] = seen.hits.into();
        }
        println!("{value}");
    } else if !args.quiet {
        for (index, _, after) in &after {
            println!("{}", after.line(&index.to_string()));
        }
        println!(
            "{}: {} work-groups, {} waves of {} lanes, {} wave instructions in {:.1} ms",
            kernel.name,
            statistics.workgroups,
            statistics.waves,
            kernel.wave.lanes(),
            statistics.wave_instructions,
            seconds * 1e3
        );
    }
    found.verdict()
}
