//! A job on the clock: what it wrote, where its cycles went, what the checks found.

use crate::asked::Running;
use crate::given;
use serde_json::{Value, json};
use std::time::Instant;
use wavepipe::bind::label;
use wavepipe::contents::Contents;
use wavepipe::findings::Findings;
use wavepipe::profile::{self, figures};
use wavepipe::work::{Loaded, Work};
use wavepipe::{Failure, Result};
use wavepipe_runtime::hw::machine::Machine;
use wavepipe_runtime::isa::row::Class;
use wavepipe_runtime::simple::Session;
use wavepipe_runtime::timing::DispatchReport;
use wavepipe_runtime::timing::engine::InstrCounters;
use wavepipe_runtime::{ComputePipeline, Device, GlobalPriority, GuestChecks, Policy, QueueOptions, code_lines};

/// Numbers of a resource that are shown.
const SHOWN: usize = 4096;
/// Pixels of the largest picture that is shown.
const PIXELS: usize = 4 << 20;

/// Runs the job; with `beside` it runs twice, on two queues.
pub fn answer(asked: &Running) -> Result<Value> {
    let work = given::opened(&asked.shading)?;
    let mut config = given::run_config(&asked.shading)?;
    if asked.check {
        config.guest_checks = GuestChecks::ALL;
    }
    config.policy = asked.beside.as_deref().map(policy).transpose()?;
    let session = Session::new(&config)?;
    let device = session.device().clone();
    device.collect_printed();
    let loaded = work.load(&session)?;
    let begin = Instant::now();
    let mut kernels: Vec<u64> = loaded.pipelines.iter().map(|p| p.address()).collect();
    let result = match asked.beside {
        None => loaded.run(&session),
        Some(_) => two_queues(&work, &loaded, &session, &mut kernels),
    };
    let seconds = begin.elapsed().as_secs_f64();
    let found = Findings::of(&device);
    let printed = device.take_printed();
    let failure = result.err().map(|e| e.to_string());
    let outputs = if failure.is_none() { outputs(&work, &loaded)? } else { Vec::new() };
    let mut value = json!({
        "failure": failure,
        "outputs": outputs,
        "findings": found.reports,
        "more_findings": found.more,
        "printed": printed,
        "seconds": seconds,
        "groups": work.plan.steps[0].groups,
        "machine": device.config().machine.name,
    });
    cycles(&device, &loaded.pipelines[0], &kernels, asked.beside.is_some(), &mut value);
    Ok(value)
}

fn policy(name: &str) -> Result<Policy> {
    Ok(match name {
        "share" => Policy::Share,
        "limit" => Policy::Limit,
        "tunnel" => Policy::Tunnel,
        _ => return Err(Failure::usage(format!("`{name}` is no policy: there are share, limit and tunnel"))),
    })
}

/// The job on the general queue, and once more on an asynchronous one of REALTIME priority, both from the first cycle on.
/// The copy's kernels are added to `kernels`.
fn two_queues(work: &Work, loaded: &Loaded<'_>, session: &Session, kernels: &mut Vec<u64>) -> Result<()> {
    let device = session.device();
    let options = QueueOptions { global: GlobalPriority::Realtime, ..QueueOptions::default() };
    let urgent = Session::on_queue(device.clone(), device.queue_with(1, 0, options)?);
    let copy = work.load(&urgent)?;
    kernels.extend(copy.pipelines.iter().map(|p| p.address()));
    let first = loaded.begin(session)?;
    let second = copy.begin(&urgent)?;
    second.wait()?;
    Ok(first.wait()?)
}

/// What every resource holds now.
fn outputs(work: &Work, loaded: &Loaded<'_>) -> Result<Vec<Value>> {
    let after = loaded.contents()?;
    let mut out: Vec<Value> = Vec::new();
    let mut shown = vec![false; after.len()];
    for (info, step) in work.entries.iter().zip(&work.plan.steps) {
        for placed in &step.placed {
            let resource = info.resources.iter().find(|r| (r.set, r.binding) == (placed.set, placed.binding));
            let (Some(n), Some(resource)) = (placed.given, resource) else { continue };
            let Some(contents) = after[n].as_ref().filter(|_| !std::mem::replace(&mut shown[n], true)) else {
                continue;
            };
            let before = Contents::before(&work.plan.resources[n]);
            let mut value = shown_contents(contents);
            value["name"] = label(resource).into();
            value["binding"] = placed.binding.into();
            value["set"] = placed.set.into();
            value["element"] = placed.element.into();
            value["written"] = placed.written.into();
            value["changed"] = changed(contents, before.as_ref()).into();
            let size = work.job.picture.filter(|(w, h)| contents.view.count == *w as usize * *h as usize);
            value["picture"] = picture(contents, size).into();
            out.push(value);
        }
    }
    Ok(out)
}

fn changed(now: &Contents, before: Option<&Contents>) -> bool {
    before.is_some_and(|before| before.bytes != now.bytes)
}

fn shown_contents(contents: &Contents) -> Value {
    let view = &contents.view;
    let mut short = contents.clone();
    let per_row = view.element.len().max(1);
    short.view.count = view.count.min(SHOWN.div_ceil(per_row));
    let sides = contents.texels.as_ref().map(|t| t.plan.sides());
    json!({
        "type": view.label, "count": view.count, "lanes": view.element.len(), "head": view.head.len(),
        "values": short.json_values(), "sides": sides,
    })
}

fn picture(contents: &Contents, size: Option<(u32, u32)>) -> Option<String> {
    if contents.texels.is_none() && size.is_none() || contents.view.count > PIXELS {
        return None;
    }
    let picture = contents.picture(size).ok()?;
    let png = picture.encode(std::path::Path::new("picture.png")).ok()?;
    Some(given::data_url(&png))
}

/// What the clock counted: dispatches, and each instruction.
fn cycles(device: &Device, pipeline: &ComputePipeline, kernels: &[u64], two: bool, value: &mut Value) {
    let Some(mut engine) = device.timing() else { return };
    let mut counted = engine.profile();
    let machine = device.config().machine.clone();
    let reports = engine.reports();
    drop(engine);
    let rows: Vec<Value> = code_lines(pipeline.code_object())
        .iter()
        .filter_map(|line| {
            let counters = counted.remove(&(pipeline.address() + u64::from(line.offset)))?;
            Some(instruction(line.offset, &counters))
        })
        .collect();
    value["instructions"] = rows.into();
    // Kernels of the driver's own are not the page's.
    // They come in the order of their ends: those of the general queue first.
    let own = |d: &&DispatchReport| kernels.contains(&d.code_va);
    let mut own: Vec<&DispatchReport> = reports.iter().filter(own).collect();
    let urgent = |d: &DispatchReport| kernels.iter().position(|k| *k == d.code_va) >= Some(kernels.len().div_ceil(2));
    let urgent = |d: &DispatchReport| two && urgent(d);
    own.sort_by_key(|d| urgent(d));
    let row = |d: &DispatchReport| {
        let mut row = dispatch(&machine, d);
        row["urgent"] = urgent(d).into();
        row
    };
    value["dispatches"] = own.into_iter().map(row).collect();
}

fn instruction(offset: u32, c: &InstrCounters) -> Value {
    json!({
        "offset": offset,
        "issued": c.issued,
        "cycles": profile::cycles(c),
        "lanes": c.lanes,
        "lane_instructions": c.lane_instructions,
        "stalls": figures::stalls(&c.stalls),
        "conflicts": c.met.conflicts,
        "requests": c.met.requests,
        "lines": c.met.lines,
    })
}

fn dispatch(machine: &Machine, d: &DispatchReport) -> Value {
    let c = &d.counters;
    let kinds: Vec<Value> =
        Class::ALL.iter().zip(c.by_class).filter(|(_, n)| *n > 0).map(|(k, n)| json!([k.name(), n])).collect();
    json!({
        "queue": d.queue, "launched": d.launched, "ended": d.ended,
        "cycles": d.ended - d.launched,
        "nanoseconds": figures::seconds(machine, d) * 1e9,
        "workgroups": c.workgroups, "waves": c.waves, "instructions": c.instructions, "kinds": kinds,
        "lanes": c.lanes, "lane_instructions": c.lane_instructions,
        "resident": c.resident, "slots": figures::slots(machine), "issued": c.passes, "stalls": figures::stalls(&c.stalls),
        "occupancy": { "span": d.occupancy.span, "resident": d.occupancy.resident.as_slice() },
        "conflicts": c.lds.conflicts, "lds": c.lds.service,
        "memory": d.memory,
    })
}
