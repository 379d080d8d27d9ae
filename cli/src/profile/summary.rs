//! Where a dispatch's time went, on one screen.

use super::{rate, ratio};
use std::fmt::Write as _;
use wavepipe_runtime::hw::machine::Machine;
use wavepipe_runtime::isa::row::Class;
use wavepipe_runtime::timing::DispatchReport;
use wavepipe_runtime::timing::engine::{Counters, Unit};
use wavepipe_runtime::timing::memory::{Level, Sum};
use wavepipe_runtime::timing::reason::Reason;

/// What was moved or computed, beside the most that the machine can.
pub(super) struct Rate {
    pub name: &'static str,
    pub unit: &'static str,
    /// Per second, in the unit.
    pub reached: f64,
    pub peak: f64,
}

/// How often a cache had what was asked of it.
pub(super) struct Cache {
    pub name: &'static str,
    pub hits: u64,
    pub misses: u64,
}

pub(super) fn seconds(machine: &Machine, d: &DispatchReport) -> f64 {
    (d.ended - d.launched) as f64 / machine.shader_hz()
}

/// Bytes of all users of a level.
fn bytes(c: &Counters, level: Level) -> u64 {
    [&c.vector, &c.scalar, &c.fetch].iter().map(|s| s.bytes[level as usize]).sum()
}

pub(super) fn rates(machine: &Machine, d: &DispatchReport) -> Vec<Rate> {
    let (c, time) = (&d.counters, seconds(machine, d));
    let lds = (machine.wgps() * machine.lds.arrays.value * machine.lds.banks.value * 4) as f64 * machine.shader_hz();
    let gbytes = |name, bytes: u64, peak: f64| Rate {
        name,
        unit: "GB/s",
        reached: bytes as f64 / time.max(f64::MIN_POSITIVE) / 1e9,
        peak: peak / 1e9,
    };
    let ops: u64 = c.float_ops.iter().sum();
    let flops = Rate {
        name: "float operations",
        unit: "GFLOP/s",
        reached: ops as f64 / time.max(f64::MIN_POSITIVE) / 1e9,
        peak: machine.peak_flops() / 1e9,
    };
    let mut rates = vec![
        flops,
        gbytes("LDS", c.lds.bytes[Level::L0 as usize], lds),
        gbytes("vector L0", c.vector.bytes[Level::L0 as usize], machine.l0_bandwidth()),
    ];
    rates.extend(machine.l1_bandwidth().map(|peak| gbytes("L1", bytes(c, Level::L1), peak)));
    rates.push(gbytes("L2", bytes(c, Level::L2), machine.l2_bandwidth()));
    rates.extend(machine.mall_bandwidth().map(|peak| gbytes("Infinity Cache", bytes(c, Level::Memory), peak)));
    rates.push(gbytes("memory", d.memory.iter().sum(), machine.memory_bandwidth()));
    rates
}

pub(super) fn caches(c: &Counters) -> Vec<Cache> {
    let l0 = |name, sum: &Sum| Cache { name, hits: sum.hits[0], misses: sum.misses[0] };
    let shared = |name, level: Level| {
        let sums = [&c.vector, &c.scalar, &c.fetch];
        let all = |of: fn(&Sum) -> &[u64; 3]| sums.iter().map(|s| of(s)[level as usize]).sum();
        Cache { name, hits: all(|s| &s.hits), misses: all(|s| &s.misses) }
    };
    vec![
        l0("vector L0", &c.vector),
        l0("scalar L0", &c.scalar),
        l0("instruction L0", &c.fetch),
        shared("L1", Level::L1),
        shared("L2", Level::L2),
    ]
}

/// What waves' cycles went by for: issues first, then the reasons, the largest first.
pub(super) fn spent(c: &Counters) -> Vec<(&'static str, u64)> {
    let mut all: Vec<_> = Reason::ALL.iter().zip(c.stalls).map(|(r, n)| (r.name(), n)).collect();
    all.retain(|(_, n)| *n > 0);
    all.sort_by_key(|(_, n)| std::cmp::Reverse(*n));
    all.insert(0, ("issued", c.passes));
    all
}

/// Of the cycles of all units of a kind, those in which they were busy.
pub(super) fn busy(machine: &Machine, d: &DispatchReport) -> Vec<(Unit, f64)> {
    let of = |unit: Unit| {
        let cycles = (d.ended - d.launched) * unit.count(machine);
        (unit, ratio(d.counters.busy[unit as usize], cycles))
    };
    Unit::ALL.into_iter().map(of).collect()
}

pub(super) fn slots(machine: &Machine) -> u64 {
    machine.wgps() * machine.simds_per_wgp() * machine.simd.wave_slots.value
}

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
