//! `wavepipe view` and `wavepipe isa SHADER`: one kernel as a page, as text, or for machines; two of them beside each other.

mod kernel;

use self::kernel::Kernel;
use crate::failure::{Failure, Result, write_file};
use crate::job::{JobArgs, RunArgs};
use std::path::{Path, PathBuf};
use wavepipe::profile::Profile;
use wavepipe::sheet;
use wavepipe::work::{Loaded, Work};
use wavepipe_page::{Comparison, html, json, text as page_text};
use wavepipe_runtime::timing::trace::Timeline;

const EXAMPLES: &str = "\
Examples:
  wavepipe view samples/reduction/reduction.wgsl -o reduction.html
  wavepipe view samples/reduction/reduction.wgsl --gpu rx6800xt --wave 64 -o reduction.html
  wavepipe view scale.comp --groups 16 --buffer 0=f32[1024]:iota --buffer 1=f32[1024] --push f32=2 -o scale.html
  wavepipe view kernels.co --entry saxpy -o saxpy.html
  wavepipe view samples/reduction/reduction.wgsl --diff wave=64 -o waves.html
  wavepipe view samples/reduction/reduction.wgsl --diff gpu=rx6800xt -o machines.html
  wavepipe view before.comp --diff after.comp -o change.html
  wavepipe view samples/reduction/reduction.wgsl --json > reduction.json

The page is one file that needs no other, on line or off. Where the job says enough it is run on the card's clock, and the page has
what each line cost; --no-run leaves that out. A code object of clang, and assembly (.s), are shown and not run.

--diff WHAT puts another beside it, which is the same but for WHAT: a shader's file, or
  wave=64, gpu=NAME, entry=NAME, spec.KEY=VALUE
and it may be given more than once.";

#[derive(clap::Args, Clone, Debug)]
#[command(after_help = EXAMPLES)]
pub struct ViewArgs {
    #[command(flatten)]
    job: JobArgs,
    /// Beside another, the same but for WHAT: FILE, wave=64, gpu=NAME, entry=NAME, spec.KEY=VALUE
    #[arg(long, value_name = "WHAT")]
    diff: Vec<String>,
    /// Write the page
    #[arg(short = 'o', value_name = "FILE.html", required_unless_present = "json")]
    output: Option<PathBuf>,
    /// Compile it, and do not run it
    #[arg(long)]
    no_run: bool,
    /// Number of work-groups; enough for the largest output by default
    #[arg(long, value_name = "X,Y,Z")]
    groups: Option<String>,
    /// A buffer, as `wavepipe run` takes it
    #[arg(long, value_name = "KEY[=TYPE[N]][:INIT]")]
    buffer: Vec<String>,
    /// An image, as `wavepipe run` takes it
    #[arg(long, value_name = "KEY[=FORMAT[WxHxD]][:INIT]")]
    image: Vec<String>,
    /// A sampler, as `wavepipe run` takes it
    #[arg(long, value_name = "KEY=HOW[,HOW]")]
    sampler: Vec<String>,
    /// Push constants, as `wavepipe run` takes them
    #[arg(long, value_name = "NAME=VALUE")]
    push: Vec<String>,
    /// Print one JSON object of the schema wavepipe-sheet, or wavepipe-comparison with --diff (docs/view.md)
    #[arg(long)]
    json: bool,
}

/// The job of the other side.
fn other(job: &JobArgs, changes: &[String]) -> Result<JobArgs> {
    let mut other = job.clone();
    for change in changes {
        match change.split_once('=') {
            Some(("wave", lanes @ ("32" | "64"))) => other.wave = Some(lanes.into()),
            Some(("wave", lanes)) => {
                return Err(Failure::usage(format!("--diff wave={lanes}: waves have 32 or 64 lanes")));
            }
            Some(("gpu", name)) => other.gpu.gpu = Some(name.into()),
            Some(("entry", name)) => other.entry = Some(name.into()),
            Some((key, value)) if key.starts_with("spec.") => {
                other.spec.push(format!("{}={value}", key.trim_start_matches("spec.")));
            }
            Some((key, _)) => {
                let why = format!("--diff {change}: there is no {key}; write FILE, wave=, gpu=, entry= or spec.KEY=");
                return Err(Failure::usage(why));
            }
            None => other.shader = change.into(),
        }
    }
    Ok(other)
}

/// Prints a kernel, or two: the other one with these changes.
pub fn text(job: &JobArgs, changes: &[String], as_json: bool) -> Result<()> {
    let left = Kernel::of(&RunArgs { job: job.clone(), ..Default::default() }, false)?.sheet();
    match changes {
        [] if as_json => println!("{}", json::sheet(&left)),
        [] => print!("{}", page_text::sheet(&left)),
        changes => {
            let job = other(job, changes)?;
            let right = Kernel::of(&RunArgs { job, ..Default::default() }, false)?.sheet();
            let both = Comparison::new(&left, &right);
            match as_json {
                true => println!("{}", json::comparison(&both)),
                false => print!("{}", page_text::comparison(&both)),
            }
        }
    }
    Ok(())
}

pub fn run(args: &ViewArgs) -> Result<()> {
    let given = |job: JobArgs| RunArgs {
        job,
        groups: args.groups.clone(),
        buffer: args.buffer.clone(),
        image: args.image.clone(),
        sampler: args.sampler.clone(),
        push: args.push.clone(),
        ..Default::default()
    };
    let left = Kernel::of(&given(args.job.clone()), !args.no_run)?.sheet();
    let right = match &args.diff[..] {
        [] => None,
        changes => Some(Kernel::of(&given(other(&args.job, changes)?), !args.no_run)?.sheet()),
    };
    let both = right.as_ref().map(|right| Comparison::new(&left, right));
    if args.json {
        println!("{}", both.as_ref().map_or_else(|| json::sheet(&left), json::comparison));
    }
    let Some(file) = &args.output else { return Ok(()) };
    write(file, &both.as_ref().map_or_else(|| html::sheet(&left), html::comparison))
}

fn write(file: &Path, page: &str) -> Result<()> {
    write_file(file, page.as_bytes())?;
    eprintln!("wrote {}", file.display());
    Ok(())
}

/// Writes the page of a run: of its first kernel.
pub fn of_run(file: &Path, work: &Work, loaded: &Loaded<'_>, profile: &Profile, waves: &Timeline) -> Result<()> {
    let pipeline = &loaded.pipelines[0];
    if loaded.pipelines.len() > 1 {
        let name = &work.entries[0].name;
        eprintln!("wavepipe: the page is of {name}; `wavepipe view --entry NAME` makes one of another kernel");
    }
    let (code, run) = (pipeline.code_object(), profile.run_of(pipeline.address(), waves));
    let sources = sheet::sources(code);
    let kernel = sheet::Kernel { work, at: 0, code, machine: profile.machine(), run, sources };
    write(file, &html::sheet(&kernel.sheet()))
}
