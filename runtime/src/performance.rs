//! Performance counters of a machine on a clock (VK_KHR_performance_query): what each is made of. Names, categories and
//! formulas are those of Mesa's radv_perfcounter.c, of the counters that mean the same here.

use crate::device::Device;
use crate::error::{Error, Result};
use std::collections::BTreeMap;
use wavepipe_hw::machine::Machine;
use wavepipe_hw::perf::{Block, Counter, Event};

/// What a value is in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CounterUnit {
    Generic,
    Percentage,
    Bytes,
    Cycles,
}

/// How a value follows from what the hardware counted between two samples.
enum Formula {
    /// So many times the count.
    Count(Event, u64),
    /// Percent: busy cycles of all units, over active cycles.
    Busy(Event, fn(&Machine) -> u64),
    /// Percent of requests that did not miss.
    Hits { requests: Event, misses: Event },
}

/// A counter that programs may ask for. Counts are u64, percentages f64.
pub struct PerformanceCounter {
    pub name: &'static str,
    pub category: &'static str,
    pub description: &'static str,
    pub unit: CounterUnit,
    formula: Formula,
}

fn simds(machine: &Machine) -> u64 {
    machine.shape.cus.value * machine.shape.simds_per_cu.value
}

fn cus(machine: &Machine) -> u64 {
    machine.shape.cus.value
}

const fn counter(
    name: &'static str,
    category: &'static str,
    description: &'static str,
    unit: CounterUnit,
    formula: Formula,
) -> PerformanceCounter {
    PerformanceCounter { name, category, description, unit, formula }
}

const fn count(name: &'static str, description: &'static str, event: Event) -> PerformanceCounter {
    counter(name, "Shaders", description, CounterUnit::Generic, Formula::Count(event, 1))
}

const fn hits(name: &'static str, description: &'static str, requests: Event, misses: Event) -> PerformanceCounter {
    counter(name, "Memory", description, CounterUnit::Percentage, Formula::Hits { requests, misses })
}

/// All of them; programs name them by their place here.
pub static PERFORMANCE_COUNTERS: [PerformanceCounter; 16] = [
    counter(
        "GPU active cycles",
        "GRBM",
        "Cycles of the GPU between the samples",
        CounterUnit::Cycles,
        Formula::Count(Event::Active, 1),
    ),
    count("Waves", "Waves started", Event::Waves),
    count("Instructions", "Instructions that waves executed", Event::Instructions),
    count("VALU Instructions", "Instructions of the vector ALUs", Event::VectorInstructions),
    count("SALU Instructions", "Instructions of the scalar ALU", Event::ScalarInstructions),
    count("VMEM Load Instructions", "Vector memory instructions that return data", Event::VectorLoads),
    count("SMEM Load Instructions", "Scalar memory instructions", Event::ScalarMemoryInstructions),
    count("VMEM Store Instructions", "Vector memory instructions that return none", Event::VectorStores),
    count("LDS Instructions", "Instructions of the local data share", Event::LdsInstructions),
    counter(
        "VALU Busy",
        "Shader Utilization",
        "Of the cycles of all SIMDs, those in which the main vector ALU was busy",
        CounterUnit::Percentage,
        Formula::Busy(Event::VectorCycles, simds),
    ),
    counter(
        "SALU Busy",
        "Shader Utilization",
        "Scalar instructions, of the cycles of all compute units",
        CounterUnit::Percentage,
        Formula::Busy(Event::ScalarInstructions, cus),
    ),
    counter(
        "VRAM read size",
        "Memory",
        "Bytes that memory's channels read",
        CounterUnit::Bytes,
        Formula::Count(Event::Reads128, 128),
    ),
    counter(
        "VRAM write size",
        "Memory",
        "Bytes that memory's channels wrote",
        CounterUnit::Bytes,
        Formula::Count(Event::Writes32, 32),
    ),
    hits("L0 cache hit ratio", "Lines found in vector L0", Event::L0Requests, Event::L0Misses),
    hits("L1 cache hit ratio", "Lines found in L1", Event::L1Requests, Event::L1Misses),
    hits("L2 cache hit ratio", "Lines found in L2", Event::L2Requests, Event::L2Misses),
];

impl PerformanceCounter {
    /// Whether its values are f64.
    pub fn is_real(&self) -> bool {
        self.unit == CounterUnit::Percentage
    }

    pub(crate) fn events(&self) -> Vec<Event> {
        match self.formula {
            Formula::Count(event, _) => vec![event],
            Formula::Busy(event, _) => vec![event, Event::Active],
            Formula::Hits { requests, misses } => vec![requests, misses],
        }
    }

    /// The bits of its value, if each event was counted so often.
    fn value(&self, machine: &Machine, counted: impl Fn(Event) -> u64) -> u64 {
        let percent = |part: u64, whole: u64| match whole {
            0 => 0.0f64,
            _ => 100.0 * part as f64 / whole as f64,
        };
        match self.formula {
            Formula::Count(event, weight) => counted(event) * weight,
            Formula::Busy(event, units) => percent(counted(event), counted(Event::Active) * units(machine)).to_bits(),
            Formula::Hits { requests, misses } => {
                let all = counted(requests);
                percent(all - counted(misses).min(all), all).to_bits()
            }
        }
    }
}

/// What a pool of performance queries samples: each event by a counter of its block, before and after.
pub(crate) struct Sampled {
    counters: Vec<&'static PerformanceCounter>,
    pub samples: Vec<(Event, Counter)>,
}

impl Sampled {
    /// # Errors
    /// The machine has no clock, there is no such counter, or more is asked of a block than it counts at once.
    pub fn new(device: &Device, indices: &[u32]) -> Result<Sampled> {
        if device.timing().is_none() {
            return Err(Error::Invalid("only a machine on a clock counts: set WAVEPIPE_TIMING=1".into()));
        }
        let find = |i: &u32| {
            let missing = || Error::Invalid(format!("there is no performance counter {i}"));
            PERFORMANCE_COUNTERS.get(*i as usize).ok_or_else(missing)
        };
        let counters = indices.iter().map(find).collect::<Result<Vec<_>>>()?;
        let mut samples = BTreeMap::new();
        let mut used = [0; Block::ALL.len()];
        for event in counters.iter().flat_map(|c| c.events()) {
            let block = event.block();
            let next = &mut used[block as usize];
            samples.entry(event).or_insert_with(|| {
                *next += 1;
                Counter { block, index: *next - 1 }
            });
        }
        if Block::ALL.into_iter().any(|block| usize::from(used[block as usize]) > block.counters()) {
            return Err(Error::Invalid("more counters than the hardware samples at once".into()));
        }
        Ok(Sampled { counters, samples: samples.into_iter().collect() })
    }

    /// Values of a query.
    pub fn values(&self) -> usize {
        self.counters.len()
    }

    /// Value `n`, of the samples before and after, two words an event.
    pub fn value(&self, machine: &Machine, n: usize, word: impl Fn(u64) -> u64) -> u64 {
        let counted = |event: Event| {
            let place = self.samples.iter().position(|(e, _)| *e == event).unwrap_or(0) as u64;
            word(2 * place + 1).wrapping_sub(word(2 * place))
        };
        self.counters[n].value(machine, counted)
    }
}
