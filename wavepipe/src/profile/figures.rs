//! A dispatch's figures beside the machine's.

use super::ratio;
use wavepipe_runtime::hw::machine::Machine;
use wavepipe_runtime::isa::row::Class;
use wavepipe_runtime::timing::DispatchReport;
use wavepipe_runtime::timing::engine::{Counters, Unit};
use wavepipe_runtime::timing::memory::{Level, Sum};
use wavepipe_runtime::timing::reason::Reason;

/// What was moved or computed, beside the most that the machine can.
pub struct Rate {
    pub name: &'static str,
    pub unit: &'static str,
    /// Per second, in the unit.
    pub reached: f64,
    pub peak: f64,
}

/// How often a cache had what was asked of it.
pub struct Cache {
    pub name: &'static str,
    pub hits: u64,
    pub misses: u64,
}

/// From launch to end, of the card's time.
pub fn seconds(machine: &Machine, d: &DispatchReport) -> f64 {
    (d.ended - d.launched) as f64 / machine.shader_hz()
}

/// Bytes of all users of a level.
fn bytes(c: &Counters, level: Level) -> u64 {
    [&c.vector, &c.scalar, &c.fetch].iter().map(|s| s.bytes[level as usize]).sum()
}

/// Of a dispatch: operations, then levels of memory from the wave on.
pub fn rates(machine: &Machine, d: &DispatchReport) -> Vec<Rate> {
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

/// Caches on the way of an instruction's data, from the wave on; `None`: it goes to none.
pub fn levels(class: Class) -> Option<[&'static str; 3]> {
    let first = match class {
        Class::Smem => SCALAR_L0,
        Class::Vmem | Class::Flat | Class::Image => VECTOR_L0,
        _ => return None,
    };
    Some([first, L1, L2])
}

const VECTOR_L0: &str = "vector L0";
const SCALAR_L0: &str = "scalar L0";
const L1: &str = "L1";
const L2: &str = "L2";

/// From the wave on.
pub fn caches(c: &Counters) -> Vec<Cache> {
    let l0 = |name, sum: &Sum| Cache { name, hits: sum.hits[0], misses: sum.misses[0] };
    let shared = |name, level: Level| {
        let sums = [&c.vector, &c.scalar, &c.fetch];
        let all = |of: fn(&Sum) -> &[u64; 3]| sums.iter().map(|s| of(s)[level as usize]).sum();
        Cache { name, hits: all(|s| &s.hits), misses: all(|s| &s.misses) }
    };
    vec![
        l0(VECTOR_L0, &c.vector),
        l0(SCALAR_L0, &c.scalar),
        l0("instruction L0", &c.fetch),
        shared(L1, Level::L1),
        shared(L2, Level::L2),
    ]
}

/// What was waited for, by reason: the most first, without what is nothing.
pub fn stalls(cycles: &[u64]) -> Vec<(&'static str, u64)> {
    let all = Reason::ALL.iter().zip(cycles).filter(|(_, n)| **n > 0);
    let mut all: Vec<_> = all.map(|(r, n)| (r.name(), *n)).collect();
    all.sort_by_key(|(_, n)| std::cmp::Reverse(*n));
    all
}

/// What waves' cycles went by for: issues first, then what they waited for.
pub fn spent(c: &Counters) -> Vec<(&'static str, u64)> {
    [("issued", c.passes)].into_iter().chain(stalls(&c.stalls)).collect()
}

/// Of the cycles of all units of a kind, those in which they were busy.
pub fn busy(machine: &Machine, d: &DispatchReport) -> Vec<(Unit, f64)> {
    let of = |unit: Unit| {
        let cycles = (d.ended - d.launched) * unit.count(machine);
        (unit, ratio(d.counters.busy[unit as usize], cycles))
    };
    Unit::ALL.into_iter().map(of).collect()
}

/// Of waves, on the whole card.
pub fn slots(machine: &Machine) -> u64 {
    machine.wgps() * machine.simds_per_wgp() * machine.simd.wave_slots.value
}
