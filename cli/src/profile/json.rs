//! All of it, for machines.

use serde_json::{Map, Value, json};
use wavepipe::profile::{Profile, cycles, figures};
use wavepipe_runtime::hw::machine::Machine;
use wavepipe_runtime::isa::row::Class;
use wavepipe_runtime::timing::DispatchReport;
use wavepipe_runtime::timing::engine::{InstrCounters, Unit};
use wavepipe_runtime::timing::memory::Sum;
use wavepipe_runtime::timing::reason::Reason;

pub(super) fn value(profile: &Profile) -> Value {
    let instructions: Vec<Value> = profile
        .rows()
        .iter()
        .map(|row| {
            let mut object = counters(&row.counters);
            object.insert("offset".into(), row.line.offset.into());
            object.insert("text".into(), row.line.labelled().into());
            object.insert("label".into(), row.line.label.clone().into());
            object.insert("target".into(), row.line.target.clone().into());
            object.insert("source".into(), row.line.source.clone().into());
            Value::Object(object)
        })
        .collect();
    let lines: Vec<Value> = profile
        .lines()
        .iter()
        .map(|(source, c)| {
            let mut object = counters(c);
            object.insert("source".into(), (*source).into());
            Value::Object(object)
        })
        .collect();
    json!({
        "machine": profile.machine().name,
        "dispatches": profile.dispatches().iter().map(|d| dispatch(profile.machine(), d)).collect::<Vec<_>>(),
        "lines": lines,
        "instructions": instructions,
    })
}

fn dispatch(machine: &Machine, d: &DispatchReport) -> Value {
    let c = &d.counters;
    let rates: Map<String, Value> = figures::rates(machine, d)
        .into_iter()
        .map(|r| (r.name.to_owned(), json!({ "reached": r.reached, "peak": r.peak, "unit": r.unit })))
        .collect();
    let busy: Map<String, Value> = Unit::ALL
        .iter()
        .map(|u| (u.name().to_owned(), json!({ "cycles": c.busy[*u as usize], "units": u.count(machine) })))
        .collect();
    json!({
        "number": d.number, "queue": d.queue,
        "launched": d.launched, "ended": d.ended, "cycles": d.ended - d.launched,
        "nanoseconds": figures::seconds(machine, d) * 1e9,
        "workgroups": c.workgroups, "waves": c.waves, "instructions": c.instructions, "passes": c.passes,
        "by_kind": Class::ALL.iter().zip(c.by_class).map(|(k, n)| (k.name().to_owned(), n.into())).collect::<Map<_, _>>(),
        "lanes": c.lanes, "lane_instructions": c.lane_instructions,
        "float_ops": { "f16": c.float_ops[0], "f32": c.float_ops[1], "f64": c.float_ops[2] },
        "resident": c.resident, "wave_slots": figures::slots(machine), "stalls": stalls(&c.stalls), "busy": busy,
        "occupancy": { "span": d.occupancy.span, "resident": d.occupancy.resident.as_slice() },
        "vector": sum(&c.vector), "scalar": sum(&c.scalar), "lds": sum(&c.lds), "fetch": sum(&c.fetch),
        "memory": { "read": d.memory[0], "written": d.memory[1] },
        "rates": rates,
    })
}

fn counters(c: &InstrCounters) -> Map<String, Value> {
    let pairs: [(&str, Value); 8] = [
        ("issued", c.issued.into()),
        ("passes", c.passes.into()),
        ("cycles", cycles(c).into()),
        ("lanes", c.lanes.into()),
        ("lane_instructions", c.lane_instructions.into()),
        ("float_ops", c.float_ops.into()),
        ("stalls", stalls(&c.stalls)),
        ("memory", sum(&c.met)),
    ];
    pairs.into_iter().map(|(key, value)| (key.to_owned(), value)).collect()
}

fn stalls(stalls: &[u64]) -> Value {
    Reason::ALL.iter().zip(stalls).map(|(r, n)| (r.name().to_owned(), (*n).into())).collect::<Map<_, _>>().into()
}

/// Hits, misses and bytes are lists by level: L0 or LDS, L1, L2, memory.
fn sum(s: &Sum) -> Value {
    json!({
        "requests": s.requests, "lanes": s.lanes, "lines": s.lines, "hits": s.hits, "misses": s.misses,
        "bytes": s.bytes, "tlb_misses": s.tlb_misses, "conflicts": s.conflicts, "service": s.service,
        "queued": s.queued,
    })
}
