//! What the clock counted of one kernel, as a page has it.

use super::{Profile, figures, ratio};
use wavepipe_page::sheet::{Cost, Found, Reached, Run, Span, Spent, Timeline};
use wavepipe_runtime::timing::DispatchReport;
use wavepipe_runtime::timing::engine::InstrCounters;
use wavepipe_runtime::timing::trace::Timeline as Recorded;

fn spent(all: Vec<(&'static str, u64)>) -> Vec<Spent> {
    all.into_iter().map(|(what, cycles)| Spent { what, cycles }).collect()
}

fn cost(c: &InstrCounters) -> Cost {
    Cost {
        issued: c.issued,
        issue_cycles: c.passes,
        stalls: spent(figures::stalls(&c.stalls)),
        lanes: c.lanes,
        lane_instructions: c.lane_instructions,
        requests: c.met.requests,
        lines: c.met.lines,
        conflicts: c.met.conflicts,
        hits: c.met.hits[0],
        misses: c.met.misses[0],
    }
}

/// All dispatches as if they were one.
fn together(dispatches: &[&DispatchReport]) -> Option<DispatchReport> {
    let (first, others) = dispatches.split_first()?;
    let mut all = (*first).clone();
    (all.launched, all.ended) = (0, first.ended - first.launched);
    for d in others {
        all.ended += d.ended - d.launched;
        all.counters.add(&d.counters);
        all.memory.iter_mut().zip(d.memory).for_each(|(sum, n)| *sum += n);
    }
    Some(all)
}

impl Profile {
    /// The kernel at an address as a page has it; `None` if it was not dispatched.
    pub fn run_of(&self, address: u64, recorded: &Recorded) -> Option<Run> {
        let machine = &self.machine;
        let dispatches: Vec<&DispatchReport> = self.dispatches.iter().filter(|d| d.code_va == address).collect();
        let all = together(&dispatches)?;
        let c = &all.counters;
        let rows = self.rows.iter().filter(|row| row.kernel == address).map(|row| cost(&row.counters));
        let (spans, more) = recorded.spans();
        let ours = spans.iter().filter(|s| dispatches.iter().any(|d| d.number == s.dispatch));
        let spans = ours.map(|s| Span {
            simd: s.at.simd,
            slot: s.at.slot,
            group: s.group,
            wave: s.wave,
            begin: s.begin,
            end: s.end,
        });
        let timeline = Timeline {
            begin: dispatches.iter().map(|d| d.launched).min()?,
            end: dispatches.iter().map(|d| d.ended).max()?,
            simds: (machine.wgps() * machine.simds_per_wgp()) as u32,
            slots: machine.simd.wave_slots.value as u32,
            spans: spans.collect(),
            more,
        };
        let rate = |r: figures::Rate| Reached { name: r.name, unit: r.unit, reached: r.reached, peak: r.peak };
        Some(Run {
            dispatches: dispatches.len() as u64,
            groups: c.workgroups,
            waves: c.waves,
            cycles: all.ended,
            nanoseconds: figures::seconds(machine, &all) * 1e9,
            instructions: c.instructions,
            lanes: (c.lane_instructions > 0).then(|| ratio(c.lanes, c.lane_instructions)),
            spent: spent(figures::spent(c)),
            rates: figures::rates(machine, &all).into_iter().map(rate).collect(),
            caches: figures::caches(c)
                .into_iter()
                .map(|c| Found { name: c.name, hits: c.hits, misses: c.misses })
                .collect(),
            rows: rows.collect(),
            timeline,
        })
    }
}
