//! A play on a device of its own: dispatches up to the next expectation, then what they left, held against what was wanted.

use crate::case::{Case, Ready, Stopped};
use crate::cost;
use crate::coverage;
use crate::hint;
use crate::judge::{bits, coloured, movers, probed};
use crate::outcome::{Costs, Outcome, Problem, ProblemKind, Status};
use crate::play::{Act, Dispatch, Do, Expectation, Groups, Holds, Play, Show};
use crate::schema::FindingFile;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;
use wavepipe::contents::Contents;
use wavepipe::expect::{Mismatch, Otherwise, Tolerance, compare};
use wavepipe::failure::{Failure, Result};
use wavepipe::work::Made;
use wavepipe_runtime::findings::Report;
use wavepipe_runtime::hw::fault::GpuFault;
use wavepipe_runtime::simple::{Bound, Descriptor, Session, Step};
use wavepipe_runtime::{BufferView, ComputePipeline, Config, Device, Error, Observe, Sampler, Writer};

/// How a case is to run.
#[derive(Clone, Debug, Default)]
pub struct How {
    /// Snapshots become what the shader wrote.
    pub update: bool,
    /// Host threads of a device.
    pub threads: usize,
    /// Where pictures of differences go.
    pub pictures: Option<PathBuf>,
    /// Of cases that name none.
    pub checks: Option<String>,
    /// Lines and branches are counted.
    pub coverage: bool,
    /// Problems end with the command that runs the case again.
    pub commands: bool,
    /// Devices have a clock, whether or not anybody asks it: where there are no threads.
    pub clocked: bool,
}

impl How {
    /// Of a device beside the one that is tested.
    fn beside(&self, config: &Config, timing: bool) -> Config {
        Config { timing: timing || self.clocked, trace: None, ..config.clone() }
    }
}

/// Runs a case from its file to its outcome.
pub fn run(case: &Case, how: &How) -> Outcome {
    let start = Instant::now();
    let file = case.file.display().to_string();
    let input = |text: String| Problem::new(ProblemKind::Input, text).at(file.clone(), Some(case.line));
    let mut outcome = match case.ready(how.checks.as_deref()) {
        Ok(ready) => Stagehand::new(case, how, ready).perform(),
        Err(Stopped::Refused(text)) => {
            let problem = Problem::new(ProblemKind::Unsupported, text).at(file.clone(), Some(case.line));
            Outcome::with(Status::Skipped, problem)
        }
        Err(Stopped::Wrong(text)) => Outcome::with(Status::Wrong, input(text)),
    };
    outcome.seconds = start.elapsed().as_secs_f64();
    outcome
}

struct Stagehand<'a> {
    case: &'a Case,
    how: &'a How,
    ready: Ready,
    problems: Vec<Problem>,
    pending: Vec<Pending>,
    updated: Vec<String>,
}

/// A mismatch whose writer is not known yet.
struct Pending {
    /// Among the problems.
    problem: usize,
    act: usize,
    resource: usize,
    mismatch: Box<Mismatch>,
}

/// A play that is loaded on a device.
pub struct Loaded<'a> {
    play: &'a Play,
    pub session: Session,
    pub pipelines: Vec<Arc<ComputePipeline>>,
    pub made: Vec<Made>,
    /// What has not run yet.
    pub waiting: Vec<Step>,
}

impl<'a> Loaded<'a> {
    fn new(play: &'a Play, config: &Config) -> Result<Loaded<'a>> {
        Self::on(play, Session::new(config)?)
    }

    pub fn on(play: &'a Play, session: Session) -> Result<Loaded<'a>> {
        let mut pipelines = Vec::new();
        for k in &play.kernels {
            let pipeline = session.pipeline(&k.special.words, Some(&k.entry.name), &k.special.spec, k.wave);
            pipelines.push(pipeline.map_err(|e| Failure::from(e).context(&k.path))?);
        }
        let made: Vec<Made> =
            play.resources.iter().map(|r| Made::new(session.device(), &r.prepared)).collect::<Result<_>>()?;
        made.iter().zip(&play.resources).for_each(|(m, r)| m.rename(&r.name));
        Ok(Loaded { play, session, pipelines, made, waiting: Vec::new() })
    }

    fn device(&self) -> &Arc<Device> {
        self.session.device()
    }

    fn contents(&self, resource: usize) -> Result<Contents> {
        let contents = self.made[resource].contents(&self.play.resources[resource].prepared)?;
        contents.ok_or_else(|| Failure::usage("a sampler holds nothing"))
    }

    fn descriptor(&self, show: &Show) -> Result<Descriptor> {
        let device = self.device();
        let sampler = |info| Sampler::new(device, info);
        Ok(match show {
            Show::Buffer { resource, offset, bytes } => {
                let buffer = self.made[*resource].buffer()?;
                let bytes = bytes.unwrap_or(buffer.size().saturating_sub(*offset));
                Descriptor::Range(buffer.clone(), *offset, bytes)
            }
            Show::Texels { resource, texel: None } => self.made[*resource].descriptor(None)?,
            Show::Texels { resource, texel: Some(texel) } => {
                Descriptor::Texels(BufferView::new(self.made[*resource].buffer()?, texel.format(), 0, None)?)
            }
            Show::Image(resource) => self.made[*resource].descriptor(None)?,
            Show::Combined(resource, info) => self.made[*resource].descriptor(Some(sampler(info)?))?,
            Show::Sampler(info) => Descriptor::Sampler(sampler(info)?),
        })
    }

    pub fn dispatch(&mut self, d: &Dispatch) -> Result<()> {
        let mut bound = Vec::new();
        for b in &d.bound {
            let descriptor = self.descriptor(&b.what)?;
            bound.push(Bound { set: b.set, binding: b.binding, element: b.element, descriptor });
        }
        let (groups, indirect) = match d.groups {
            Groups::These(groups) => (groups, None),
            Groups::Indirect { resource, offset } => ([0; 3], Some((self.made[resource].buffer()?.clone(), offset))),
        };
        let step = Step { pipeline: self.pipelines[d.kernel].clone(), bound, push: d.push.clone(), groups, indirect };
        self.waiting.extend((0..d.repeat).map(|_| step.clone()));
        Ok(())
    }

    /// Brings to an end what waits.
    fn flush(&mut self) -> std::result::Result<(), Error> {
        let steps = std::mem::take(&mut self.waiting);
        if steps.is_empty() { Ok(()) } else { self.session.run_steps(&steps) }
    }

    /// An act of a play that has run before: what is expected was looked at then.
    fn again(&mut self, act: &Act) -> Result<()> {
        match &act.what {
            Do::Dispatch(d) => self.dispatch(d),
            Do::Copy { from, to } => self.copy(*from, *to),
            Do::Write { resource, at, bytes } => self.write(*resource, *at, bytes),
            Do::Expect(_) => self.flush().map_err(Failure::from),
        }
    }

    /// Writes from the host, behind what waits.
    pub fn write(&mut self, resource: usize, at: usize, bytes: &[u8]) -> Result<()> {
        self.flush()?;
        Ok(self.made[resource].buffer()?.write(at as u64, bytes)?)
    }

    /// Copies on the host, behind what waits.
    pub fn copy(&mut self, from: usize, to: usize) -> Result<()> {
        self.flush()?;
        let (from, to) = (self.made[from].buffer()?, self.made[to].buffer()?);
        if from.size() > to.size() {
            return Err(Failure::usage(format!("COPY of {} bytes to {}", from.size(), to.size())));
        }
        let mut bytes = vec![0; from.size() as usize];
        from.read(0, &mut bytes)?;
        Ok(to.write(0, &bytes)?)
    }
}

/// What stops a case on its way.
enum Halt {
    Lost(Arc<GpuFault>),
    Failed(Failure),
}

impl From<Failure> for Halt {
    fn from(failure: Failure) -> Halt {
        Halt::Failed(failure)
    }
}

impl From<Error> for Halt {
    fn from(error: Error) -> Halt {
        match error {
            Error::DeviceLost(fault) => Halt::Lost(fault),
            other => Halt::Failed(other.into()),
        }
    }
}

impl<'a> Stagehand<'a> {
    fn new(case: &'a Case, how: &'a How, mut ready: Ready) -> Stagehand<'a> {
        ready.config.timing |= how.clocked;
        if ready.config.threads == 0 {
            ready.config.threads = how.threads;
        }
        // What is counted costs cycles.
        if how.coverage && !ready.config.timed() {
            ready.config.observe |= Observe::COVERAGE;
        }
        Stagehand { case, how, ready, problems: Vec::new(), pending: Vec::new(), updated: Vec::new() }
    }

    fn at_test(&self, problem: Problem, line: u32) -> Problem {
        let line = if line == 0 { self.case.line } else { line };
        problem.at(self.case.file.display().to_string(), Some(line))
    }

    /// The last line of a problem's text.
    fn again(&self) -> String {
        if self.how.commands { format!("  again: {}", self.case.again()) } else { String::new() }
    }

    fn perform(mut self) -> Outcome {
        let play = std::mem::take(&mut self.ready.play);
        let mut outcome = Outcome::of(Status::Passed);
        outcome.files = self.ready.files.iter().map(|f| f.display().to_string()).collect();
        let mut loaded = match Loaded::new(&play, &self.ready.config) {
            Ok(loaded) => loaded,
            Err(failure) => {
                self.failed(failure);
                return self.end(outcome);
            }
        };
        let device = loaded.device().clone();
        device.collect_printed();
        let halted = play.acts.iter().enumerate().try_for_each(|(n, act)| self.act(&mut loaded, n, act));
        let halted = halted.and_then(|()| loaded.flush().map_err(Halt::from));
        let found = device.findings();
        outcome.findings = found.findings.iter().map(|f| Report::from(&**f)).collect();
        outcome.printed = device.take_printed();
        if self.how.coverage {
            outcome.coverage = coverage::of(&device.coverage());
        }
        let lost = match halted {
            Ok(()) => None,
            Err(Halt::Lost(fault)) => Some(fault),
            Err(Halt::Failed(failure)) => {
                self.failed(failure);
                None
            }
        };
        self.fault(lost.as_deref());
        self.findings(&outcome.findings);
        if found.more > 0 {
            self.problems
                .push(Problem::new(ProblemKind::Finding, format!("{} more findings are not shown", found.more)));
        }
        let costs = (!loaded.pipelines.is_empty()).then(|| cost::of(loaded.device(), &loaded.pipelines));
        drop(loaded);
        outcome.costs = costs.map(|costs| if lost.is_some() { costs } else { self.plain(&play).unwrap_or(costs) });
        if let Some(costs) = outcome.costs.filter(|_| lost.is_none()) {
            self.budget(&costs);
        }
        self.writers(&play);
        self.end(outcome)
    }

    fn end(self, mut outcome: Outcome) -> Outcome {
        outcome.problems = self.problems;
        outcome.updated = self.updated;
        let has = |kind| outcome.problems.iter().any(|p: &Problem| p.kind == kind);
        outcome.status = match &outcome.problems[..] {
            [] => Status::Passed,
            _ if has(ProblemKind::Input) => Status::Wrong,
            all if all.iter().all(|p| p.kind == ProblemKind::Unsupported) => Status::Skipped,
            _ => Status::Failed,
        };
        outcome.hint = hint::of(&self.ready.hints, &outcome.problems, &self.ready.shaders);
        outcome
    }

    fn failed(&mut self, failure: Failure) {
        let kind = match &failure {
            Failure::Unsupported(_) => ProblemKind::Unsupported,
            Failure::Usage(_) | Failure::File { .. } => ProblemKind::Input,
            Failure::Check(_) => ProblemKind::Finding,
            Failure::Driver(_) => ProblemKind::Driver,
        };
        let problem = self.at_test(Problem::new(kind, failure.to_string()), 0);
        self.problems.push(problem);
    }

    fn act(&mut self, loaded: &mut Loaded<'_>, n: usize, act: &Act) -> std::result::Result<(), Halt> {
        match &act.what {
            Do::Dispatch(d) => loaded.dispatch(d)?,
            Do::Copy { from, to } => loaded.copy(*from, *to)?,
            Do::Write { resource, at, bytes } => loaded.write(*resource, *at, bytes)?,
            Do::Expect(expectation) => {
                loaded.flush()?;
                let snapshot = self.ready.snapshots.iter().find(|(of, _)| *of == n).map(|(_, file)| file.clone());
                self.expect(loaded, n, act.line, expectation, snapshot)?;
            }
        }
        Ok(())
    }

    fn expect(
        &mut self,
        loaded: &Loaded<'_>,
        n: usize,
        line: u32,
        e: &Expectation,
        snapshot: Option<PathBuf>,
    ) -> std::result::Result<(), Halt> {
        let name = &loaded.play.resources[e.resource].name;
        let got = loaded.contents(e.resource)?;
        let (found, picture) = match &e.holds {
            Holds::Like { wanted, tolerance, picture } => {
                (compare(name, &got, wanted, *tolerance, *picture)?, *picture)
            }
            Holds::Reference { play, resource, tolerance, picture } => {
                let wanted = reference(play, *resource, self.how.beside(&self.ready.config, false))?;
                if wanted.view.scalars() != got.view.scalars() {
                    let message =
                        format!("the reference's `{name}` is {}, this one {}", wanted.view.label, got.view.label);
                    return Err(Failure::usage(message).into());
                }
                (compare(name, &got, &wanted, *tolerance, *picture)?, *picture)
            }
            Holds::Missing(file) if self.how.update => return Ok(self.write(&got, file, None)?),
            Holds::Missing(file) => {
                let text = format!("{name}: there is no {}: `wavepipe test --update` makes it", file.display());
                let problem = self.at_test(Problem::new(ProblemKind::MissingSnapshot, text), line);
                self.problems.push(problem);
                return Ok(());
            }
            Holds::Other { other, tolerance } => {
                let wanted = loaded.contents(*other)?;
                let found = compare(name, &got, &wanted, *tolerance, None)?;
                match (found, tolerance) {
                    // Equal is equal by bits: 0 and -0 are not, nor NaNs of other payloads.
                    (None, Tolerance::Exact) => (compare(name, &bits(&got), &bits(&wanted), *tolerance, None)?, None),
                    (found, _) => (found, None),
                }
            }
            Holds::Histogram { other, most } => {
                let distance = movers(&got, &loaded.contents(*other)?);
                let text = match distance {
                    Some(d) if d <= *most => return Ok(()),
                    Some(d) => format!("{name}: the histograms are {d} apart, at most {most} is wanted"),
                    None => format!("{name}: histograms are compared of four channels of 8 bits"),
                };
                let problem = self.at_test(Problem::new(ProblemKind::Mismatch, text), line);
                self.problems.push(problem);
                return Ok(());
            }
            Holds::Probes(probes) => (probed(name, &got, probes), None),
            Holds::Colour { rectangle, channels, near } => (coloured(name, &got, *rectangle, channels, near), None),
        };
        let Some(mut found) = found else { return Ok(()) };
        if let Some(file) = snapshot.filter(|_| self.how.update) {
            return Ok(self.write(&got, &file, picture)?);
        }
        found.again = self.how.commands.then(|| self.case.again());
        self.picture(&mut found, name);
        let problem = self.at_test(Problem::new(ProblemKind::Mismatch, String::new()), line);
        self.pending.push(Pending { problem: self.problems.len(), act: n, resource: e.resource, mismatch: found });
        self.problems.push(problem);
        Ok(())
    }

    /// Runs the case once more, where it is noted who writes, and completes what was not as wanted.
    fn writers(&mut self, play: &Play) {
        let mut pending = std::mem::take(&mut self.pending);
        if pending.is_empty() {
            return;
        }
        let config = Config { observe: Observe::WRITERS, ..self.how.beside(&self.ready.config, false) };
        let told = told(play, &config, &pending);
        for (n, Pending { problem, mismatch, .. }) in pending.iter_mut().enumerate() {
            if let Some(writer) = told.get(n) {
                mismatch.writer = writer.as_ref().and_then(wavepipe::expect::Writer::of);
                mismatch.otherwise = Otherwise::of(writer.as_ref());
            }
            self.problems[*problem].text = mismatch.to_string();
            self.problems[*problem].mismatch = serde_json::to_value(&**mismatch).ok();
        }
    }

    fn write(&mut self, got: &Contents, file: &Path, picture: Option<(u32, u32)>) -> Result<()> {
        got.write(Some(file), picture.or(self.ready.picture))?;
        self.updated.push(file.display().to_string());
        Ok(())
    }

    /// Writes what differs as a picture.
    fn picture(&self, found: &mut Mismatch, name: &str) {
        let (Some(folder), Some(picture)) = (&self.how.pictures, &found.picture) else { return };
        let plain = |c: char| if c.is_ascii_alphanumeric() || "._-".contains(c) { c } else { '_' };
        let name: String = format!("{}.{name}", self.case.name()).chars().map(plain).collect();
        let path = folder.join(format!("{name}.png"));
        let encoded = picture.encode(&path);
        let wrote = encoded.ok().filter(|_| std::fs::create_dir_all(folder).is_ok());
        if wrote.is_some_and(|bytes| std::fs::write(&path, bytes).is_ok()) {
            found.written = Some(path);
        }
    }

    fn fault(&mut self, lost: Option<&GpuFault>) {
        let source = |f: &GpuFault| {
            let source = f.site.as_ref().and_then(|s| s.source.clone());
            source
                .as_deref()
                .and_then(|s| s.rsplit_once(':'))
                .map(|(file, line)| (file.to_owned(), line.parse::<u32>().ok()))
        };
        match (lost, &self.ready.fault) {
            (None, None) => {}
            (None, Some(_)) => {
                let text = "it ended without a fault, and [fault] expects one".to_owned();
                let problem = self.at_test(Problem::new(ProblemKind::MissingFault, text), 0);
                self.problems.push(problem);
            }
            (Some(fault), expected) => {
                let text = fault.to_string();
                let line = source(fault).and_then(|(_, line)| line);
                let as_wanted = expected.as_ref().is_some_and(|e| {
                    e.message.as_ref().is_none_or(|m| text.contains(m.as_str())) && (e.line.is_none() || e.line == line)
                });
                if as_wanted {
                    return;
                }
                let but = if expected.is_some() { "another fault than [fault] expects: " } else { "" };
                let text = format!("{but}device lost: {text}\n{}", self.again());
                let problem = Problem::new(ProblemKind::Fault, text);
                let problem = match source(fault) {
                    Some((file, line)) => problem.at(file, line),
                    None => self.at_test(problem, 0),
                };
                self.problems.push(problem);
            }
        }
    }

    fn findings(&mut self, found: &[Report]) {
        let expected = std::mem::take(&mut self.ready.findings);
        let is = |e: &FindingFile, f: &Report| {
            e.check == f.check
                && e.kind.as_ref().is_none_or(|k| *k == f.kind)
                && (e.line.is_none() || e.line == f.place.line)
                && (e.other_line.is_none() || e.other_line == f.other.as_ref().and_then(|o| o.line))
        };
        for f in found.iter().filter(|f| !expected.iter().any(|e| is(e, f))) {
            let text = format!("[{}] {}\n{}{}", f.id, f.message, parties(f), self.again());
            let problem = Problem { check: Some(f.check.clone()), ..Problem::new(ProblemKind::Finding, text) };
            self.problems.push(match &f.place.file {
                Some(file) => problem.at(file.clone(), f.place.line),
                None => self.at_test(problem, 0),
            });
        }
        for e in expected.iter().filter(|e| !found.iter().any(|f| is(e, f))) {
            let kind = e.kind.as_ref().map_or(String::new(), |k| format!(" `{k}`"));
            let line = e.line.map_or(String::new(), |l| format!(" on line {l}"));
            let text = format!("no finding of {}{kind}{line}, and [[finding]] expects one", e.check);
            let problem = self.at_test(Problem::new(ProblemKind::MissingFinding, text), 0);
            self.problems.push(problem);
        }
    }

    /// What the case costs without what the checks put into its code, if it has a budget.
    fn plain(&self, play: &Play) -> Option<Costs> {
        let (config, measured) = (&self.ready.config, self.ready.budget.as_ref()?);
        if config.guest_checks.is_empty() {
            return None;
        }
        let checks = Config::default().guest_checks;
        let config = self.how.beside(config, measured.timed());
        let config = Config { guest_checks: checks, observe: Observe::empty(), ..config };
        let mut loaded = Loaded::new(play, &config).ok()?;
        // What it prints was printed.
        loaded.device().collect_printed();
        if measured.timed() {
            play.acts.iter().try_for_each(|act| loaded.again(act)).ok()?;
        }
        Some(cost::of(loaded.device(), &loaded.pipelines))
    }

    fn budget(&mut self, costs: &Costs) {
        let Some(budget) = self.ready.budget.take() else { return };
        for (budget, text) in cost::over(&budget, costs) {
            let problem = Problem::new(ProblemKind::Budget, format!("over budget: {text}"));
            let problem = self.at_test(Problem { budget: Some(budget.to_owned()), ..problem }, 0);
            self.problems.push(problem);
        }
    }
}

/// Who did it, a line each.
fn parties(f: &Report) -> String {
    let party = |p: &wavepipe_runtime::findings::PartyReport| {
        let source = match (&p.file, p.line) {
            (Some(file), Some(line)) => format!("{file}:{line}, "),
            _ => String::new(),
        };
        let [x, y, z] = p.group;
        format!("{source}work-group ({x}, {y}, {z}), wave {}, lane {}: {}", p.wave, p.lane, p.instruction)
    };
    let other = f.other.as_ref().map_or(String::new(), |o| format!("  other: {}\n", party(o)));
    format!("  at {}\n{other}", party(&f.place))
}

/// Who has written the first number of each mismatch last; of those that the run does not come to nothing.
fn told(play: &Play, config: &Config, pending: &[Pending]) -> Vec<Option<Writer>> {
    let mut out = Vec::new();
    let Ok(mut loaded) = Loaded::new(play, config) else { return out };
    let device = loaded.device().clone();
    // What it prints was printed.
    device.collect_printed();
    loaded.made.iter().filter_map(Made::memory).for_each(|(at, bytes)| device.watch_writes(at, bytes));
    for (n, act) in play.acts.iter().enumerate() {
        if loaded.again(act).is_err() {
            break;
        }
        for p in pending.iter().filter(|p| p.act == n) {
            let byte = p.mismatch.shown.first().map(|d| d.byte);
            let address = byte.and_then(|byte| loaded.made[p.resource].address(byte));
            out.push(address.and_then(|at| device.last_writer(at)));
        }
    }
    out
}

/// What a reference leaves: it is not checked, as it is not what is tested.
fn reference(play: &Play, resource: usize, config: Config) -> Result<Contents> {
    let config = Config { guest_checks: Config::default().guest_checks, ..config };
    let mut loaded = Loaded::new(play, &config)?;
    for act in &play.acts {
        if let Do::Dispatch(d) = &act.what {
            loaded.dispatch(d)?;
        }
    }
    loaded.flush().map_err(|e| Failure::from(e).prefix("the reference"))?;
    loaded.contents(resource)
}
