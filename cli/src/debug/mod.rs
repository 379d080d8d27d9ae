//! `wavepipe debug`: a shader on a machine that is held, in a terminal, over the Debug Adapter Protocol, or as a text of where it
//! stands.

mod before;
pub(crate) mod dap;
pub(crate) mod desk;
pub(crate) mod marks;
mod picture;
mod replay;
pub(crate) mod tui;

pub use self::replay::{NOTHING, command, found, replayed, stopping};

use self::desk::Desk;
use crate::failure::{Failure, Result};
use crate::gpu;
use crate::job::RunArgs;
use crate::progress::progress;
use std::io::IsTerminal as _;
use std::sync::Arc;
use wavepipe::contents::Contents;
use wavepipe::held;
use wavepipe::inspect::Session;
use wavepipe::work::{Loaded, Work, config};
use wavepipe_runtime::{Config, Device};

const EXAMPLES: &str = "\
Examples:
  wavepipe debug samples/reduction/reduction.wgsl
  wavepipe debug scale.wgsl --buffer x:1,2,3,4 --buffer y=[4] --gpu vega64
  wavepipe debug blur.wgsl --check mem --break-on-fault
  wavepipe debug scale.wgsl --to 12
  wavepipe debug scale.wgsl --timing                      waves go in the order and in the cycles of the card's clock
  wavepipe debug --dap                                    an editor starts this, and sends what to run
  wavepipe debug samples/reduction/reduction.wgsl --dap

Keys: ? shows them. Where standard output is no terminal, it is told where the shader stands.";

/// The shader and its job, as of `wavepipe run`.
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = EXAMPLES)]
#[command(mut_arg("shader", |a| a.required(false).default_value(NO_SHADER).hide_default_value(true)))]
pub struct DebugArgs {
    #[command(flatten)]
    run: RunArgs,
    /// Speak the Debug Adapter Protocol on standard input and output
    #[arg(long)]
    dap: bool,
    /// Print the keys of the terminal program
    #[arg(long)]
    keys: bool,
    /// Run to a place first: LINE, FILE:LINE or +OFFSET
    #[arg(long, value_name = "PLACE", conflicts_with = "dap", value_parser = crate::watch::place)]
    to: Option<crate::watch::At>,
}

/// In place of a shader where a client names it.
const NO_SHADER: &str = "-";

/// Where a dispatch stands: dispatches before it, and its instructions; and what is wrong there.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Position {
    pub dispatch: u64,
    pub executed: u64,
    pub why: String,
}

impl Position {
    fn go(self, desk: &mut Desk) {
        desk.skip_to(self.dispatch);
        desk.goto(self.executed);
        desk.finding = Some((self.dispatch, self.executed, self.why));
        desk.look_at_fault();
    }
}

/// What a face of the debugger is given.
pub struct Opened<'a> {
    pub desk: &'a mut Desk,
    /// What the buffers hold at the end.
    pub results: &'a dyn Fn() -> Vec<String>,
    /// Where to go first, if something is wrong there.
    pub at: Option<Position>,
}

pub fn run(args: &DebugArgs) -> Result<()> {
    if args.keys {
        tui::KEYS.iter().for_each(|(key, what)| println!("{key:<11} {what}"));
        return Ok(());
    }
    let named = args.run.job.shader.as_os_str() != NO_SHADER;
    if args.dap {
        return dap::serve(named.then_some(&args.run));
    }
    if !named {
        return Err(Failure::usage("no shader to debug: wavepipe debug SHADER, or --dap for an editor that names it"));
    }
    let mut ended = Ok(());
    open(&args.run, |mut opened| {
        ended = shown(&mut opened, args.to.as_ref());
    })?;
    ended
}

/// In a terminal to be walked through; else as a text.
fn shown(opened: &mut Opened<'_>, to: Option<&crate::watch::At>) -> Result<()> {
    let Opened { desk, at, .. } = opened;
    if let Some(at) = at.take() {
        at.go(desk);
    }
    if let Some(to) = to {
        desk.run_to(to).map_err(Failure::usage)?;
    }
    match std::io::stdout().is_terminal() && std::io::stdin().is_terminal() {
        true => tui::run(desk),
        false => {
            print!("{}", replay::state(desk));
            Ok(())
        }
    }
}

/// Opens a job, and with `--break-on-fault` looks first for where it goes wrong.
fn open(args: &RunArgs, f: impl FnOnce(Opened<'_>)) -> Result<()> {
    let job = args.resolve()?;
    if let Some(list) = job.gpu.as_deref().filter(|gpu| gpu::is_list(gpu)) {
        return Err(Failure::usage(format!("--gpu {list}: one machine is debugged at a time")));
    }
    let mut config = config(job.gpu.as_deref(), job.wave)?;
    args.checks.apply(&mut config)?;
    // Where it goes wrong is found in an order of its own, and shown in that.
    let clocked = (args.timing.is_some() || config.timing) && !args.watch.break_on_fault;
    let work = Work::open(job)?;
    let at = match args.watch.break_on_fault {
        true => Some(replay::find(&work, &config)?.ok_or_else(|| Failure::Check(replay::NOTHING.into()))?),
        false => None,
    };
    with_work(&work, &config, (at, clocked), f)
}

/// The work on a machine that is held, in the order of the card's clock if it is `clocked`. Nobody times who debugs.
fn with_work(
    work: &Work,
    config: &Config,
    (at, clocked): (Option<Position>, bool),
    f: impl FnOnce(Opened<'_>),
) -> Result<()> {
    let schedules = match clocked {
        true => {
            let bar = progress("on the card's clock");
            let schedules = held::schedules(work, config);
            bar.finish_and_clear();
            schedules?
        }
        false => Vec::new(),
    };
    let config = Config { timeout: None, ..config.clone() };
    let (session, mut held) = held::machine(&config, false)?;
    held.follow(schedules);
    let loaded = work.load(&session)?;
    loaded.introduce(&mut held);
    let submitted = loaded.begin(&session)?;
    let mut desk = Desk::new(held, session.device().clone(), &loaded.codes());
    let results = || results(&loaded);
    f(Opened { desk: &mut desk, results: &results, at });
    drop(desk);
    drop(submitted);
    Ok(())
}

fn results(loaded: &Loaded<'_>) -> Vec<String> {
    let line = |(n, contents): (usize, Contents)| contents.line(&n.to_string());
    let all = loaded.contents().unwrap_or_default();
    all.into_iter().enumerate().filter_map(|(n, contents)| contents.map(|c| (n, c))).map(line).collect()
}

/// A kernel of another compiler, once it is submitted to a machine that is held.
pub fn launched(held: Session, device: &Arc<Device>, codes: &[held::Uploaded], at: Option<Position>) -> Result<()> {
    let mut desk = Desk::new(held, device.clone(), codes);
    shown(&mut Opened { desk: &mut desk, results: &Vec::new, at }, None)
}
