//! `wavepipe test`: finds tests of shaders, runs their cases in processes beside each other, and says what is wrong.

pub(crate) mod coverage;
mod debug;
pub(crate) mod find;
mod merge;
pub(crate) mod pool;
pub(crate) mod report;
mod watch;

use self::coverage::Coverage;
use self::find::Partition;
use self::pool::Pool;
use self::report::{Counts, Format, Ran};
use crate::failure::{code, exit_code as failure_code};
use indicatif::{ProgressBar, ProgressStyle};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;
use wavepipe::failure::{Failure, Result, write_file};
use wavepipe_check::case::{self, Case};
use wavepipe_check::outcome::{Outcome, Problem, ProblemKind, Status};
use wavepipe_check::{place, suite};

const HELP: &str = "\
Tests are files that end in .test.toml, beside the shaders they test; Amber scripts (.amber) that compute, and vkrunner's
.shader_test files run as they are. docs/testing.md tells how to write one; `wavepipe init` makes a first one.

Examples:
  wavepipe test
  wavepipe test shaders/blur.test.toml --case 'edges[wave=64]'
  wavepipe test shaders/blur.test.toml --case 'edges[wave=64]' --debug
  wavepipe test shaders --filter blur --list
  wavepipe test shaders --format junit -o part-1.xml --partition hash:1/4
  wavepipe test --merge part-1.xml part-2.xml part-3.xml part-4.xml -o junit.xml
  wavepipe test shaders --gpu all
  wavepipe test shaders --update

Exit codes: 0 all pass or are skipped; 1 some fail, or have findings that they do not expect; 2 a test is wrong (a misspelled key, a
file that is not there), or there is none.";

/// Run tests of compute shaders.
#[derive(clap::Args, Debug)]
#[command(after_help = HELP)]
pub struct TestArgs {
    /// Test files, and folders with all that is in them
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Cases whose name has this in it; several: any of them
    #[arg(long, value_name = "TEXT")]
    filter: Vec<String>,
    /// The case of this name, as --list prints it behind the ::
    #[arg(long, value_name = "NAME")]
    case: Option<String>,
    /// A part of the cases: hash:1/4 by their names, the same on every host; count:1/4 every fourth
    #[arg(long, value_name = "PART")]
    partition: Option<Partition>,
    /// Print the names of cases, and run none
    #[arg(long)]
    list: bool,
    /// Cases at a time; as many as there are cores by default
    #[arg(long, short, value_name = "N")]
    jobs: Option<usize>,
    /// Write what shaders wrote to the files that they were to be like
    #[arg(long)]
    update: bool,
    /// JUnit files of parts of a run as one, to -o or standard output: PATHs are these files, and nothing runs
    #[arg(long, conflicts_with_all = ["list", "update", "watch", "partition", "case", "filter", "coverage", "format"])]
    merge: bool,
    /// Run again what changes, until interrupted
    #[arg(long)]
    watch: bool,
    /// Open one case in the debugger, where it has a fault or a finding
    #[arg(long, conflicts_with_all = ["list", "update", "watch", "merge", "coverage", "output"])]
    debug: bool,
    /// Cards of cases that name none: machines (`wavepipe machine list`), generations or descriptions, in a comma list, or all
    #[arg(long, value_name = "NAME|all")]
    gpu: Option<String>,
    /// Checks of cases that name none: a comma list, or off; mem,race,init,sync by default
    #[arg(long, value_name = "LIST", value_parser = checks)]
    check: Option<String>,
    /// Count the lines and branches of shaders that lanes come to, in all cases: for other tools, or a page
    #[arg(long, value_enum, value_name = "FORM")]
    coverage: Option<coverage::Form>,
    /// Where that is written: wavepipe.lcov, or wavepipe-coverage.html by default
    #[arg(long, value_name = "FILE", requires = "coverage")]
    coverage_output: Option<PathBuf>,
    /// How it is told
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    /// Write that to a file, and tell people on standard output
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Where pictures of differences go
    #[arg(long, value_name = "FOLDER", default_value = "wavepipe-differences")]
    pictures: PathBuf,
    #[arg(long, hide = true)]
    worker: bool,
}

fn checks(text: &str) -> std::result::Result<String, String> {
    let known = || wavepipe_runtime::Config::default().set("WAVEPIPE_CHECK", text);
    if text == "off" { Ok(text.to_owned()) } else { known().map(|()| text.to_owned()) }
}

/// What is to run.
struct Chosen {
    cases: Vec<Case>,
    /// Files that are wrong, as cases that are.
    wrong: Vec<(Case, Outcome)>,
}

impl TestArgs {
    fn paths(&self) -> Vec<PathBuf> {
        if self.paths.is_empty() { vec![PathBuf::from(".")] } else { self.paths.clone() }
    }

    /// What `--gpu` names, each of which is there.
    fn gpus(&self) -> Result<Vec<String>> {
        let Some(list) = &self.gpu else { return Ok(Vec::new()) };
        Ok(crate::gpu::listed(list)?.into_iter().map(|(name, _)| name).collect())
    }

    fn chosen(&self) -> Result<Chosen> {
        let gpus = self.gpus()?;
        let (mut all, mut wrong) = (Vec::new(), Vec::new());
        for file in find::files(&self.paths())? {
            match case::cases(&file, &gpus) {
                Ok(cases) => all.extend(cases),
                Err(failure) => {
                    let case = Case { file, label: String::new(), line: 1, timeout: suite::TIMEOUT, gpu: None };
                    let problem = Problem::new(ProblemKind::Input, failure.to_string());
                    let problem = problem.at(case.file.display().to_string(), Some(1));
                    wrong.push((case, Outcome::with(Status::Wrong, problem)));
                }
            }
        }
        let found = all.len();
        if let Some(label) = &self.case {
            let near = place::nearest(label, all.iter().map(|c| c.label.as_str())).map(str::to_owned);
            all.retain(|c| c.label == *label);
            if all.is_empty() && wrong.is_empty() {
                let near = near.filter(|n| !n.is_empty()).map_or(String::new(), |n| format!(" Did you mean '{n}'?"));
                return Err(Failure::usage(format!("there is no case '{label}'.{near} --list prints the names")));
            }
        }
        if !self.filter.is_empty() {
            all.retain(|c| self.filter.iter().any(|text| c.name().contains(text.as_str())));
            if all.is_empty() && wrong.is_empty() {
                let message = format!("none of {found} cases has {} in its name", self.filter.join(" or "));
                return Err(Failure::usage(message));
            }
        }
        if let Some(part) = self.partition {
            let mut n = 0..;
            all.retain(|c| part.has(n.next().unwrap_or(0), &c.name()));
        }
        if found == 0 && wrong.is_empty() {
            let paths: Vec<String> = self.paths().iter().map(|p| p.display().to_string()).collect();
            let message = format!("no test in {}: `wavepipe init` makes a first one", paths.join(", "));
            return Err(Failure::usage(message));
        }
        Ok(Chosen { cases: all, wrong })
    }

    fn pool(&self) -> Pool {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        Pool {
            jobs: self.jobs.unwrap_or(cores),
            update: self.update,
            pictures: Some(self.pictures.clone()),
            checks: self.check.clone(),
            coverage: self.coverage.is_some(),
        }
    }
}

/// The outcomes of a file's cases, for who tells of them in another way.
pub fn outcomes(file: &Path) -> Result<Vec<Outcome>> {
    let cases = case::cases(file, &[])?;
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let pool = Pool { jobs: cores, update: false, pictures: None, checks: None, coverage: false };
    let mut all: Vec<Option<Outcome>> = vec![None; cases.len()];
    pool.run(&cases, |n, outcome| all[n] = Some(outcome));
    Ok(all.into_iter().flatten().collect())
}

/// A line on stderr that says how far it is, on a terminal.
fn progress(count: usize) -> ProgressBar {
    let bar = ProgressBar::new(count as u64);
    if let Ok(style) = ProgressStyle::with_template("{pos}/{len} {wide_bar} {msg}") {
        bar.set_style(style);
    }
    bar
}

/// Tells of cases in their order, as soon as all before them have ended.
struct Teller<'a> {
    cases: &'a [Case],
    outcomes: Vec<Option<Outcome>>,
    told: usize,
    format: Format,
}

impl Teller<'_> {
    fn add(&mut self, n: usize, outcome: Outcome) {
        self.outcomes[n] = Some(outcome);
        while let Some(Some(outcome)) = self.outcomes.get(self.told) {
            say(&report::case(self.format, &self.cases[self.told], outcome));
            self.told += 1;
        }
    }
}

/// To standard output; who closes it does not want to hear.
fn say(text: &str) {
    let mut out = std::io::stdout().lock();
    let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
}

/// Runs cases and tells of them; the outcomes in the order of the cases.
fn perform(args: &TestArgs, chosen: Chosen) -> Result<(Vec<Case>, Vec<Outcome>)> {
    let Chosen { mut cases, wrong } = chosen;
    let start = Instant::now();
    let bar = progress(cases.len());
    let told = if args.output.is_some() { Format::Human } else { args.format };
    let outcomes = {
        let mut teller = Teller { cases: &cases, outcomes: vec![None; cases.len()], told: 0, format: told };
        let mut bad = 0;
        args.pool().run(&cases, |n, outcome| {
            bad += usize::from(outcome.status != Status::Passed && outcome.status != Status::Skipped);
            bar.inc(1);
            bar.set_message(format!(
                "{} {}",
                if bad > 0 { format!("{bad} failed,") } else { String::new() },
                cases[n].name()
            ));
            bar.suspend(|| teller.add(n, outcome));
        });
        teller.outcomes
    };
    bar.finish_and_clear();
    let lost = || Outcome::with(Status::Failed, Problem::new(ProblemKind::Crash, "it never ended"));
    let mut outcomes: Vec<Outcome> = outcomes.into_iter().map(|o| o.unwrap_or_else(lost)).collect();
    for (case, outcome) in wrong {
        say(&report::case(told, &case, &outcome));
        cases.push(case);
        outcomes.push(outcome);
    }
    let ran = Ran { cases: &cases, outcomes: &outcomes, seconds: start.elapsed().as_secs_f64() };
    say(&ran.document(told));
    if let Some(file) = &args.output {
        write_file(file, ran.document(args.format).as_bytes())?;
    }
    if let Some(form) = args.coverage {
        let default = || PathBuf::from(if form == coverage::Form::Lcov { coverage::LCOV } else { coverage::HTML });
        Coverage::of(&outcomes).write(form, &args.coverage_output.clone().unwrap_or_else(default))?;
    }
    Ok((cases, outcomes))
}

fn exit_code(counts: Counts) -> u8 {
    match counts {
        Counts { wrong: 1.., .. } => code::USAGE,
        Counts { failed: 1.., .. } => code::CHECK_FAILED,
        _ => code::GOOD,
    }
}

pub fn run(args: &TestArgs) -> ExitCode {
    if args.worker {
        return pool::work();
    }
    let ended = match args.watch {
        true => watch::run(args).map(|()| code::GOOD),
        false => once(args),
    };
    match ended {
        Ok(code) => ExitCode::from(code),
        Err(failure) => {
            eprintln!("error: {failure}");
            ExitCode::from(failure_code(&failure))
        }
    }
}

/// The exit code is that of a run of all that the parts ran.
fn merged(args: &TestArgs) -> Result<u8> {
    if args.paths.is_empty() {
        return Err(Failure::usage("--merge wants the JUnit files of the parts"));
    }
    let (document, counts) = merge::documents(&args.paths)?;
    match &args.output {
        Some(file) => {
            write_file(file, document.as_bytes())?;
            say(&format!("{counts}\n"));
        }
        None => say(&document),
    }
    Ok(exit_code(counts))
}

fn once(args: &TestArgs) -> Result<u8> {
    if args.merge {
        return merged(args);
    }
    let chosen = args.chosen()?;
    if args.list {
        chosen.cases.iter().for_each(|c| say(&format!("{}\n", c.name())));
        chosen.wrong.iter().flat_map(|(_, o)| &o.problems).for_each(|p| eprintln!("error: {}", p.text));
        return Ok(if chosen.wrong.is_empty() { code::GOOD } else { code::USAGE });
    }
    if args.debug {
        let [only] = &chosen.cases[..] else {
            let (count, wrong) = (chosen.cases.len(), chosen.wrong.iter().flat_map(|(_, o)| &o.problems).next());
            let why = wrong.map_or_else(
                || format!("--debug is for one case, and {count} are chosen: add --case NAME"),
                |p| p.text.clone(),
            );
            return Err(Failure::usage(why));
        };
        return debug::run(only, args.check.as_deref()).map(|()| code::GOOD);
    }
    let (cases, outcomes) = perform(args, chosen)?;
    let mut problems = outcomes.iter().flat_map(|o| &o.problems);
    if args.format == Format::Human && problems.any(|p| matches!(p.kind, ProblemKind::Fault | ProblemKind::Finding)) {
        eprintln!("wavepipe: to see one in the debugger, add --debug to the command behind `again`");
    }
    Ok(exit_code(Ran { cases: &cases, outcomes: &outcomes, seconds: 0.0 }.counts()))
}
