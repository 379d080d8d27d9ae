//! `wavepipe run`: a job's dispatches, its buffers and images shown and written.

use crate::compare::Part;
use crate::debug;
use crate::failure::{Failure, Result};
use crate::findings::Findings;
use crate::job::RunArgs;
use crate::profile::{self, View};
use crate::progress::progress;
use crate::seeds::Outcome;
use crate::view;
use crate::watch::Seen;
use std::sync::Arc;
use std::time::Instant;
use wavepipe::bind::{self, Plan};
use wavepipe::contents::{self, Contents};
use wavepipe::held;
use wavepipe::job::{BindingSlot, Job};
use wavepipe::profile::Profile;
use wavepipe::work::{Loaded, Work, config};
use wavepipe_runtime::compiler::spirv::EntryInfo;
use wavepipe_runtime::simple::Session;
use wavepipe_runtime::timing::trace::Detail;
use wavepipe_runtime::{ComputePipeline, Config, Device, Trace};

/// Runs the job on one machine, and shows it.
pub fn run(args: &RunArgs, job: Job) -> Result<()> {
    let mut config = config(job.gpu.as_deref(), job.wave)?;
    let to_stdout = job.outputs.iter().filter(|o| o.file.is_none()).count();
    if to_stdout > 1 || to_stdout > 0 && (args.json || args.timing.is_some()) {
        return Err(Failure::usage("standard output is for one thing: one output -, or --json, or --timing"));
    }
    if args.watch.is_on() {
        args.alone(to_stdout)?;
    }
    job.outputs.iter().filter_map(|o| o.file.as_deref()).try_for_each(contents::check_ending)?;
    let work = Work::open(job)?;
    let Work { job, entries, plan, .. } = &work;

    config.timing |= args.timing.is_some() || args.html.is_some();
    args.checks.apply(&mut config)?;
    if let Some(path) = &args.trace {
        let mut trace = Trace::at(path).map_err(|e| Failure::usage(format!("--trace {e}")))?;
        if args.trace_detail.as_deref() == Some("instructions") {
            trace.detail = Detail::Instructions;
        }
        config.trace = Some(trace);
    }
    let mut waves = None;
    if args.html.is_some() {
        if args.trace.is_some() {
            return Err(Failure::usage("--html records the waves by itself: leave out --trace"));
        }
        let (trace, timeline) = Trace::kept();
        (config.trace, waves) = (Some(trace), Some(timeline));
    }
    args.seeds.apply(&mut config);
    plan.steps.iter().filter_map(|s| s.derived.as_ref()).for_each(|why| eprintln!("wavepipe: {why}"));
    if let Some(seeds) = &args.seeds.many_seeds {
        if !job.outputs.is_empty()
            || args.timing.is_some()
            || args.trace.is_some()
            || args.html.is_some()
            || args.checks.findings.is_some()
        {
            let why = "--many-seeds compares, and writes nothing: leave out -o, --out, --timing, --trace, --html and --findings";
            return Err(Failure::usage(why));
        }
        let once = |seed| outcome(&work, &Config { seed: Some(seed), ..config.clone() });
        return crate::seeds::many(seeds.clone(), args.json, once);
    }
    let (session, held) = match args.watch.is_on() {
        true => held::machine(&config, true).map(|(session, held)| (session, Some(held)))?,
        false => (Session::new(&config)?, None),
    };
    let device = session.device();
    let loaded = work.load(&session)?;
    let start = Instant::now();
    let mut seen = Seen::default();
    let result = match held {
        Some(mut held) => {
            loaded.introduce(&mut held);
            let submitted = loaded.begin(&session)?;
            seen = args.watch.follow(held, args.json, &mut |text| print!("{text}"))?;
            submitted.wait().map_err(|e| Failure::from(e).context(&job.dispatches[0].shader))
        }
        None => {
            let bar = progress("running");
            let result = loaded.run(&session);
            bar.finish_and_clear();
            result
        }
    };
    let seconds = start.elapsed().as_secs_f64();
    // A lost device has something to tell as well.
    let found = args.checks.tell(device)?;
    if result.is_err() && device.fault().is_some() || !found.is_empty() {
        match args.watch.break_on_fault {
            true => debug::replayed(&work, &config)?,
            false => eprintln!("wavepipe: to see it in the debugger: {}", debug::command()),
        }
    }
    result?;

    let after = loaded.contents()?;
    for (output, n) in job.outputs.iter().zip(&plan.outputs) {
        if let Some(contents) = &after[*n] {
            contents.write(output.file.as_deref(), job.picture)?;
            output.file.iter().for_each(|file| eprintln!("wrote {}", file.display()));
        }
    }
    if let Some(why) = device.trace_failure() {
        return Err(Failure::Driver(why));
    }
    args.trace.iter().for_each(|path| eprintln!("wrote {path}"));
    let pipelines = &loaded.pipelines;
    // The order of a seed has a clock, too, but nobody asked for it.
    let profile = Profile::of(device, pipelines).filter(|_| config.timing || config.trace.is_some());
    if let (Some(file), Some(waves), Some(profile)) = (&args.html, &waves, &profile) {
        view::of_run(file, &work, &loaded, profile, waves)?;
    }
    // Nobody asked for more than the page.
    let profile = profile.filter(|_| args.timing.is_some() || args.html.is_none());
    let ran = Ran { job, plan, entries, pipelines, after: &after, seconds };
    if args.json {
        let mut value = ran.json(device, &found, profile.as_ref());
        if args.watch.is_on() {
            value["watched"] = seen.hits.into();
        }
        println!("{value}");
        return found.verdict();
    }
    let quiet = args.quiet || to_stdout > 0;
    if !quiet {
        ran.table(device);
    }
    if let Some(profile) = profile.filter(|_| to_stdout == 0) {
        let space = if quiet { "" } else { "\n" };
        print!("{space}{}", profile::text(&profile, args.timing.unwrap_or(View::Summary)));
    }
    found.verdict()
}

/// What comes out of the work on a device of its own, to be compared with other seeds.
fn outcome(work: &Work, config: &Config) -> Result<Outcome> {
    let session = Session::new(config)?;
    let loaded = work.load(&session)?;
    let failure = loaded.run(&session).err();
    let parts = if failure.is_none() { parts(work, &loaded)? } else { Vec::new() };
    Ok(Outcome { parts, findings: Findings::of(session.device()), failure })
}

/// What its resources hold now.
pub fn parts(work: &Work, loaded: &Loaded<'_>) -> Result<Vec<Part>> {
    let after = loaded.contents()?;
    let mut parts = Vec::new();
    for (n, _, binding, element, name) in in_order(&work.plan, &work.entries) {
        let Some(Some(contents)) = after.get(n) else { continue };
        let name = if name.is_empty() { binding.to_string() } else { name.to_owned() };
        let name = if element > 0 { format!("{name}[{element}]") } else { name };
        let values = contents.json_values().as_array().cloned().unwrap_or_default();
        parts.push(Part { name, bytes: contents.bytes.clone(), values });
    }
    Ok(parts)
}

/// Resources in the order of the shader's bindings: number of the given, set, binding, element and name.
fn in_order<'a>(plan: &Plan, entries: &'a [EntryInfo]) -> Vec<(usize, u32, u32, u32, &'a str)> {
    let mut out: Vec<(usize, u32, u32, u32, &str)> = Vec::new();
    for (info, step) in entries.iter().zip(&plan.steps) {
        for p in &step.placed {
            let r = info.resources.iter().find(|r| (r.set, r.binding) == (p.set, p.binding));
            let (Some(n), Some(r)) = (p.given, r) else { continue };
            if !out.iter().any(|known| known.0 == n) {
                out.push((n, p.set, p.binding, p.element, bind::label(r)));
            }
        }
    }
    out
}

/// A run, to be shown.
struct Ran<'a> {
    job: &'a Job,
    plan: &'a Plan,
    entries: &'a [EntryInfo],
    pipelines: &'a [Arc<ComputePipeline>],
    after: &'a [Option<Contents>],
    seconds: f64,
}

impl Ran<'_> {
    fn compile_seconds(&self) -> f64 {
        self.pipelines.iter().map(|p| p.compile_time().as_secs_f64()).sum()
    }

    fn json(&self, device: &Device, found: &Findings, profile: Option<&Profile>) -> serde_json::Value {
        let mut shown = Vec::new();
        for (n, set, binding, element, name) in in_order(self.plan, self.entries) {
            let Some(contents) = &self.after[n] else { continue };
            let mut value = serde_json::json!({
                "set": set, "binding": binding, "name": name, "type": contents.type_name(),
                "lanes": contents.view.element.len(), "count": contents.view.count, "values": contents.json_values(),
            });
            if element > 0 {
                value["element"] = element.into();
            }
            if let Some(t) = &contents.texels {
                value["sides"] = t.plan.sides().into();
            }
            shown.push(value);
        }
        let step = |n: usize| {
            serde_json::json!({
                "shader": self.job.dispatches[n].shader, "entry": self.entries[n].name,
                "groups": self.plan.steps[n].groups, "workgroup": self.entries[n].workgroup,
                "repeat": self.job.dispatches[n].repeat,
            })
        };
        let mut value = step(0);
        value["wave"] = self.pipelines[0].code_object().wave.lanes().into();
        value["seconds"] = self.seconds.into();
        value["compile_seconds"] = self.compile_seconds().into();
        value["wave_instructions"] = device.statistics().wave_instructions.into();
        value["buffers"] = shown.into();
        value["findings"] = serde_json::json!(found.reports);
        value["more_findings"] = found.more.into();
        if self.entries.len() > 1 {
            value["dispatches"] = (0..self.entries.len()).map(step).collect();
        }
        if let Some(profile) = profile {
            value["timing"] = profile::json(profile);
        }
        value
    }

    fn table(&self, device: &Device) {
        for (n, set, binding, element, name) in in_order(self.plan, self.entries) {
            let Some(contents) = &self.after[n] else { continue };
            let slot = BindingSlot { set, binding };
            let element = if element > 0 { format!("[{element}]") } else { String::new() };
            let name = if name.is_empty() { String::new() } else { format!(" {name}") };
            println!("{}", contents.line(&format!("{slot}{element}{name}")));
        }
        let wave = self.pipelines[0].code_object().wave.lanes();
        for (n, info) in self.entries.iter().enumerate() {
            let ([x, y, z], [lx, ly, lz]) = (self.plan.steps[n].groups, info.workgroup);
            let repeat = match self.job.dispatches[n].repeat {
                1 => String::new(),
                times => format!(", {times} times"),
            };
            let entry = if self.entries.len() > 1 { format!("{}: ", info.name) } else { String::new() };
            let last = n + 1 == self.entries.len();
            print!("{entry}{x}x{y}x{z} groups of {lx}x{ly}x{lz}, wave{wave}{repeat}{}", if last { ": " } else { "\n" });
        }
        println!(
            "compiled in {:.1} ms, ran {} wave instructions in {:.1} ms",
            self.compile_seconds() * 1e3,
            device.statistics().wave_instructions,
            self.seconds * 1e3
        );
    }
}
