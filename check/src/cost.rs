//! What a case's kernels need and took, held against its budget.

use crate::outcome::{ClockCosts, Costs};
use crate::schema::Budget;
use std::sync::Arc;
use wavepipe_runtime::{ComputePipeline, Device, instructions, waves_per_simd};

/// Of the kernels that a device ran.
pub fn of(device: &Device, pipelines: &[Arc<ComputePipeline>]) -> Costs {
    let mut out = Costs { occupancy: u32::MAX, ..Costs::default() };
    for p in pipelines {
        let code = p.code_object();
        let waves = waves_per_simd(&device.config().machine, code);
        out.vgprs = out.vgprs.max(code.vgprs);
        out.sgprs = out.sgprs.max(code.sgprs);
        out.lds_bytes = out.lds_bytes.max(code.lds_bytes);
        out.spills += code.stats.spilled_sgprs + code.stats.spilled_vgprs;
        out.occupancy = out.occupancy.min(waves);
        out.code += instructions(code);
    }
    out.clock = device.timing().map(|mut engine| {
        let reports = engine.reports();
        let mut clock = ClockCosts::default();
        let (mut lanes, mut vector) = (0, 0);
        for r in reports.iter().filter(|r| pipelines.iter().any(|p| p.address() == r.code_va)) {
            let c = &r.counters;
            clock.cycles += r.ended - r.launched;
            clock.instructions += c.instructions;
            clock.lines += c.vector.lines;
            clock.bank_conflicts += c.lds.conflicts;
            lanes += c.lanes;
            vector += c.lane_instructions;
        }
        clock.lanes = if vector == 0 { 0.0 } else { lanes as f64 / vector as f64 };
        clock
    });
    out
}

/// What of a budget was not kept: its key, and the figures.
pub fn over(budget: &Budget, costs: &Costs) -> Vec<(&'static str, String)> {
    let mut out = Vec::new();
    // Figures of the clock are there where the budget asks for one.
    let clock = costs.clock.unwrap_or_default();
    let most = |key, is: u64, most: Option<u64>, what| {
        most.filter(|most| is > *most).map(|most| (key, format!("{is} {what}, {key} = {most}")))
    };
    out.extend(most("max_vgprs", costs.vgprs.into(), budget.max_vgprs.map(u64::from), "VGPRs"));
    if let Some(least) = budget.min_occupancy.filter(|least| costs.occupancy < *least) {
        out.push(("min_occupancy", format!("{} waves per SIMD, min_occupancy = {least}", costs.occupancy)));
    }
    out.extend(most("max_lds_bytes", costs.lds_bytes.into(), budget.max_lds_bytes.map(u64::from), "bytes of LDS"));
    out.extend(most("max_code", costs.code.into(), budget.max_code.map(u64::from), "machine instructions"));
    out.extend(most("max_cycles", clock.cycles, budget.max_cycles, "cycles"));
    out.extend(most("max_instructions", clock.instructions, budget.max_instructions, "instructions executed"));
    if let Some(least) = budget.min_lanes.filter(|least| clock.lanes < *least) {
        out.push(("min_lanes", format!("{:.1} lanes on, min_lanes = {least}", clock.lanes)));
    }
    out.extend(most("max_lines", clock.lines, budget.max_lines, "cache lines asked for"));
    if budget.no_spills && costs.spills > 0 {
        out.push(("no_spills", format!("{} values were spilled, no_spills = true", costs.spills)));
    }
    if budget.no_bank_conflicts && clock.bank_conflicts > 0 {
        let cycles = clock.bank_conflicts;
        out.push(("no_bank_conflicts", format!("{cycles} cycles of LDS bank conflicts, no_bank_conflicts = true")));
    }
    out
}
