//! Where a dispatch's time went, on one screen.

use std::fmt::Write as _;
use wavepipe::profile::figures::{busy, caches, rates, seconds, slots, spent};
use wavepipe::profile::{rate, ratio};
use wavepipe_runtime::hw::machine::Machine;
use wavepipe_runtime::isa::row::Class;
use wavepipe_runtime::timing::DispatchReport;

const BLOCKS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// A bar for each span of the dispatch's time, the fullest a full block.
fn bars(d: &DispatchReport) -> String {
    let spans = (d.ended - d.launched).div_ceil(d.occupancy.span) as usize;
    let spans = &d.occupancy.resident[..spans.min(d.occupancy.resident.len())];
    let most = spans.iter().copied().max().unwrap_or(0).max(1);
    spans
        .iter()
        .map(|n| if *n == 0 { ' ' } else { BLOCKS[((n * 8).div_ceil(most) as usize).clamp(1, 8) - 1] })
        .collect()
}

pub(super) fn text(machine: &Machine, d: &DispatchReport) -> String {
    let c = &d.counters;
    let cycles = d.ended - d.launched;
    let mut out = String::new();
    let percent = |x: f64| format!("{:5.1} %", 100.0 * x);
    // A share that rounds to nothing is not shown.
    let shown = |x: f64| 100.0 * x >= 0.05;
    let _ = writeln!(
        out,
        "dispatch {} on the clock of {}: {cycles} cycles = {:.3} us at {} MHz",
        d.number,
        machine.name,
        seconds(machine, d) * 1e6,
        machine.clock.shader_mhz.value
    );
    let _ = writeln!(
        out,
        "  {} work-groups, {} waves; {} instructions, {:.3} a cycle",
        c.workgroups,
        c.waves,
        c.instructions,
        ratio(c.instructions, cycles)
    );
    let kinds: Vec<String> = Class::ALL
        .iter()
        .zip(c.by_class)
        .filter(|(_, n)| *n > 0)
        .map(|(class, n)| format!("{n} {}", class.name()))
        .collect();
    let _ = writeln!(out, "  {}", kinds.join(", "));
    if c.lane_instructions > 0 {
        let _ = writeln!(out, "  {:.1} lanes on in a vector instruction", ratio(c.lanes, c.lane_instructions));
    }

    let _ = writeln!(out, "\noccupancy");
    let waves = ratio(c.resident, cycles);
    let _ = writeln!(
        out,
        "  {waves:.1} waves on average, {} of {} slots",
        percent(waves / slots(machine) as f64).trim(),
        slots(machine)
    );
    let most = ratio(d.occupancy.resident.iter().copied().max().unwrap_or(0), d.occupancy.span);
    let _ = writeln!(out, "  |{}| {} cycles a bar, {most:.1} waves at most", bars(d), d.occupancy.span);

    let _ = writeln!(out, "\nwhere the waves' time went");
    for (name, n) in spent(c).into_iter().filter(|(_, n)| shown(ratio(*n, c.resident))) {
        let _ = writeln!(out, "  {name:<22} {:>14} cycles  {}", n, percent(ratio(n, c.resident)));
    }

    let _ = writeln!(out, "\nbusy units");
    for (unit, share) in busy(machine, d).into_iter().filter(|(_, share)| shown(*share)) {
        let _ = writeln!(out, "  {:<22} {}", unit.name(), percent(share));
    }

    let _ = writeln!(out, "\nreached, of the peak");
    for r in rates(machine, d).into_iter().filter(|r| shown(r.reached / r.peak)) {
        let _ = writeln!(
            out,
            "  {:<22} {:>10.1} {:<7} {}  of {:.0}",
            r.name,
            r.reached,
            r.unit,
            percent(r.reached / r.peak),
            r.peak
        );
    }

    let _ = writeln!(out, "\ncache lines found");
    for cache in caches(c) {
        if let Some(found) = rate(cache.hits, cache.misses) {
            let _ = writeln!(
                out,
                "  {:<22} {}  {} of {}",
                cache.name,
                percent(found),
                cache.hits,
                cache.hits + cache.misses
            );
        }
    }
    if c.vector.requests > 0 {
        let _ = writeln!(
            out,
            "  {} vector memory instructions, {:.1} lanes and {:.1} lines each; {} translations missed",
            c.vector.requests,
            ratio(c.vector.lanes, c.vector.requests),
            ratio(c.vector.lines, c.vector.requests),
            c.vector.tlb_misses
        );
    }
    if c.lds.requests > 0 {
        let _ = writeln!(
            out,
            "  {} LDS instructions, {} cycles of bank conflicts of {} in all",
            c.lds.requests, c.lds.conflicts, c.lds.service
        );
    }
    out
}
