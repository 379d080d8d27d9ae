//! Work on a machine that is held: nothing runs but what a session of [`wavepipe_inspect`] lets, instruction by instruction.
//!
//! ```text
//! machine(config) ──► simple::Session, inspect::Session
//! Work::load ──► Loaded ── introduce() ──► programs and names
//! schedules(work) ──► Session::follow: the clock's order
//! Loaded::begin() ──► Submitted     … next_dispatch(), step(), read() …     drop(inspect::Session), Submitted::wait()
//! ```

use crate::bind::{self, Prepared};
use crate::element::Scalar;
use crate::failure::{Failure, Result};
use crate::profile::figures;
use crate::work::{Loaded, Work};
use std::sync::Arc;
use std::time::Duration;
use wavepipe_inspect::program::Space;
use wavepipe_inspect::{Access, Cached, Form, Inspector, Issue, Program, Schedule, Session, Thing, Turn};
use wavepipe_runtime::hw::code::CodeObject;
use wavepipe_runtime::simple::{self, Submitted};
use wavepipe_runtime::timing::memory::Met;
use wavepipe_runtime::timing::trace::{Issue as Recorded, Issued};
use wavepipe_runtime::{Config, Device, GuestChecks, Trace};

/// How long a dispatch may run for its schedule: more instructions than one has take no longer.
const ON_THE_CLOCK: Duration = Duration::from_secs(5);

/// Code in GPU memory, and where it begins.
pub type Uploaded = (u64, Arc<CodeObject>);

/// A device whose GPU is held, and who holds it. It has neither the card's clock nor a seed's order: time is an instruction's, or what
/// [`schedules`] say.
/// `checked`: the configuration's checks look at what runs, so each instruction is to run once; without that the code is as for these checks, and
/// nobody looks.
pub fn machine(config: &Config, checked: bool) -> Result<(simple::Session, Session)> {
    let config = Config { timing: false, seed: None, trace: None, names: true, ..config.clone() };
    let looking = if checked { config.guest_checks } else { GuestChecks::empty() };
    let inspector = Inspector::new(Config { guest_checks: looking, ..config.clone() }.emulated());
    let gpu = inspector.gpu().clone();
    let statistics = move || gpu.statistics().into();
    let device = Device::with_port(inspector.gpu().clone(), &config, statistics);
    let session = inspector.session().ok_or_else(|| Failure::Driver("the machine is held already".into()))?;
    Ok((simple::Session::with_device(device)?, session))
}

/// How its numbers are printed, where dwords are numbers.
pub fn form_of(scalar: Option<Scalar>) -> Form {
    match scalar {
        Some(Scalar::F32) => Form::F32,
        Some(Scalar::I32) => Form::I32,
        Some(Scalar::U32) => Form::U32,
        _ => Form::Hex,
    }
}

/// Makes code known, whose numbers among the session's programs are those of the list.
pub fn add_programs(session: &mut Session, codes: &[Uploaded]) {
    codes.iter().for_each(|(at, code)| session.add_program(Program::of(code, *at)));
}

/// In which order, and in which cycles, the card's clock has a job's dispatches: it runs on a device of its own, to its end or to what
/// stops it. A session that follows it ([`Session::follow`]) goes in that order.
pub fn schedules(work: &Work, config: &Config) -> Result<Vec<Schedule>> {
    schedules_of(config, |session| work.load(&session)?.run(&session))
}

/// The same of whatever `run` does on the device.
pub fn schedules_of(config: &Config, run: impl FnOnce(simple::Session) -> Result<()>) -> Result<Vec<Schedule>> {
    let (trace, issues) = Trace::issues();
    let timeout = Some(config.timeout.unwrap_or(ON_THE_CLOCK).min(ON_THE_CLOCK));
    let clocked = Config { timing: true, seed: None, trace: Some(trace), names: true, timeout, ..config.clone() };
    let session = simple::Session::new(&clocked)?;
    // Whoever follows meets what went wrong.
    let _ = run(session);
    Ok(issues.take().into_iter().map(schedule).collect())
}

fn schedule(issued: Issued) -> Schedule {
    let Issued { code_va, launched, all, .. } = issued;
    let cached = |class, met: Met| {
        let levels = figures::levels(class).into_iter().flatten().zip(met.hits.into_iter().zip(met.misses));
        let lines = levels.filter(|(_, (hits, misses))| hits + misses > 0);
        lines.map(|(cache, (hits, misses))| Cached { cache, hits: hits.into(), misses: misses.into() }).collect()
    };
    let issue = |i: Recorded| Issue {
        turn: Turn { group: i.group, wave: i.wave },
        simd: i.at.simd,
        slot: i.at.slot,
        cycle: i.cycle.saturating_sub(launched),
        offset: i.pc.wrapping_sub(code_va),
        waited: i.stalled,
        reason: i.reason.name(),
        access: i
            .access
            .map(|(met, done)| Access { done: done.saturating_sub(launched), caches: cached(i.class, met) }),
    };
    Schedule::new(all.into_iter().map(issue).collect())
}

impl Loaded<'_> {
    /// Submits the dispatches, and does not wait for them.
    pub fn begin(&self, session: &simple::Session) -> Result<Submitted> {
        let shader = &self.work.job.dispatches[0].shader;
        session.begin_steps(&self.steps).map_err(|e| Failure::from(e).context(shader))
    }

    /// The code of its pipelines.
    pub fn codes(&self) -> Vec<Uploaded> {
        self.pipelines.iter().map(|p| (p.address(), Arc::new(p.code_object().clone()))).collect()
    }

    /// Tells a session what its code and its buffers are called: as the first shader calls them that has them.
    pub fn introduce(&self, session: &mut Session) {
        add_programs(session, &self.codes());
        let mut known = vec![false; self.made.len()];
        for (step, entry) in self.work.plan.steps.iter().zip(&self.work.entries) {
            for p in &step.placed {
                let Some(n) = p.given.filter(|n| !known[*n]) else { continue };
                let (Prepared::Buffer { view, .. }, Some((at, bytes))) =
                    (&self.work.plan.resources[n], self.made[n].memory())
                else {
                    continue;
                };
                let resource = entry.resources.iter().find(|r| (r.set, r.binding) == (p.set, p.binding));
                let name = match resource.map_or("", bind::label) {
                    "" => format!("buffer{}", p.binding),
                    name if p.element > 0 => format!("{name}.{}", p.element),
                    name => name.to_owned(),
                };
                // Names of two buffers are those of the first.
                if session.names().get(&name).is_none() {
                    session.add_name(name, Thing { space: Space::Memory, at, bytes, form: form_of(view.uniform()) });
                }
                known[n] = true;
            }
        }
    }
}
