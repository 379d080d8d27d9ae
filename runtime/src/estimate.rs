//! What a kernel's code costs, estimated from its instructions alone, as Mesa's ACO does for RADV's statistics.
//!
//! A model and no measurement (the clock is `wavepipe_timing`): one wave, alone, in the order of the code. An instruction waits for its operands and for the
//! unit that it goes to; what it writes is there after the latency of its class, memory's being one number for each kind. Blocks
//! count as often as they may run: eight times in a loop, four times more in a loop of that and twice in each further, half where a
//! uniform branch leads past, three quarters where one for no lane does.
//!
//! Source of the figures and of the weights: Mesa 25, `src/amd/compiler/aco_statistics.cpp`. Unlike there a wait costs what the
//! instruction that reads the result would have waited, and blocks begin with nothing outstanding.

use std::collections::{BTreeSet, HashMap};
use wavepipe_hw::code::CodeObject;
use wavepipe_isa::instr::Extra;
use wavepipe_isa::row::{Class, Format, MemKind, Sem};
use wavepipe_isa::{Instr, Src, decode, insts as i};

/// An instruction and where it is, in dwords.
pub struct Decoded {
    pub at: usize,
    pub size: usize,
    /// None: it does not decode.
    pub instr: Option<Instr>,
}

/// The instructions of a kernel and its functions, without padding.
pub fn decoded(code: &CodeObject) -> Vec<Decoded> {
    let words = code.code_words();
    let (mut at, mut out) = (0, Vec::new());
    while at < words.len() {
        let (instr, size) =
            decode::decode(&words[at..], code.isa).map_or((None, 1), |(instr, size)| (Some(instr), size));
        out.push(Decoded { at, size, instr });
        at += size;
    }
    out
}

/// What is counted by the kind of instruction, as RADV counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    pub instructions: u64,
    pub branches: u64,
    pub valu: u64,
    pub salu: u64,
    pub vmem: u64,
    pub smem: u64,
    pub vopd: u64,
    /// Moves from register to register.
    pub copies: u64,
    /// Runs of memory instructions of a kind that nothing stands between and that load, or store, from one descriptor.
    pub vmem_clauses: u64,
    pub smem_clauses: u64,
}

fn format(instr: &Instr) -> Format {
    instr.op.row().format
}

fn is_vmem(instr: &Instr) -> bool {
    matches!(
        format(instr),
        Format::Flat | Format::Global | Format::Scratch | Format::Mubuf | Format::Mtbuf | Format::Mimg
    )
}

fn is_valu(instr: &Instr) -> bool {
    matches!(format(instr), Format::Vop1 | Format::Vop2 | Format::Vopc | Format::Vop3 | Format::Vop3p | Format::Vopd)
}

fn copies(instr: &Instr) -> bool {
    let moves = [i::V_MOV_B32, i::V_SWAP_B32, i::S_MOV_B32, i::S_MOV_B64].contains(&instr.op);
    let register = |s: Src| s.is_vgpr() || s.is_sgpr();
    moves && instr.extra == Extra::None && register(instr.dst[0]) && register(instr.src[0])
}

/// What has no operands, as an invalidation of caches or a clock, is of no clause.
fn accesses(instr: &Instr) -> bool {
    instr.src.iter().any(|s| *s != Src::NONE)
}

fn stores(instr: &Instr) -> bool {
    matches!(instr.op.row().sem, Sem::Mem(_, kind) if matches!(kind, MemKind::Store { .. } | MemKind::StoreHi { .. }))
}

/// What instructions of a clause have in common.
fn clause(instr: &Instr) -> (Format, bool, Src) {
    // The descriptor, or the base.
    let from = match format(instr) {
        Format::Smem => instr.src[0],
        _ => instr.src[1],
    };
    (format(instr), stores(instr), from)
}

pub fn counts(code: &[Decoded]) -> Counts {
    let mut c = Counts { instructions: code.len() as u64, ..Counts::default() };
    let (mut vmem, mut smem) = (Vec::new(), Vec::new());
    let starts = leaders(code);
    for d in code {
        if starts.contains(&d.at) {
            (vmem, smem) = (Vec::new(), Vec::new());
        }
        let Some(instr) = &d.instr else { continue };
        let class = instr.op.row().class;
        c.branches += u64::from(target(d).is_some());
        c.valu += u64::from(is_valu(instr));
        c.copies += u64::from(copies(instr));
        c.vopd += u64::from(format(instr) == Format::Vopd);
        c.salu += u64::from(format(instr).is_salu() && format(instr) != Format::Sopp && class != Class::Wait);
        for (is, count, clauses, open) in [
            (is_vmem(instr), &mut c.vmem, &mut c.vmem_clauses, &mut vmem),
            (format(instr) == Format::Smem, &mut c.smem, &mut c.smem_clauses, &mut smem),
        ] {
            if !is || !accesses(instr) {
                open.clear();
                continue;
            }
            *count += 1;
            *clauses += u64::from(!open.contains(&clause(instr)));
            open.push(clause(instr));
        }
    }
    c
}

/// The dword that a branch goes to.
fn target(d: &Decoded) -> Option<usize> {
    let instr = d.instr.as_ref()?;
    let branch = instr.op.row().class == Class::Branch && format(instr) == Format::Sopp;
    let relative = branch && ![i::S_ENDPGM].contains(&instr.op);
    relative.then(|| (d.at + d.size).wrapping_add_signed(instr.imm as i16 as isize))
}

/// Where blocks begin.
fn leaders(code: &[Decoded]) -> BTreeSet<usize> {
    let mut out = BTreeSet::from([0]);
    for d in code {
        if let Some(to) = target(d) {
            out.extend([to, d.at + d.size]);
        }
    }
    out
}

/// How often the instruction at a dword runs for each time that the kernel does, about.
fn weight(branches: &[(usize, usize, bool, bool)], at: usize) -> f64 {
    let (mut depth, mut weight) = (0, 1.0);
    let mut loops = BTreeSet::new();
    for &(from, to, divergent, always) in branches {
        if to <= from {
            // A loop is where it begins, however many ways lead back.
            if (to..=from).contains(&at) && loops.insert(to) {
                depth += 1;
            }
        } else if (from + 1..to).contains(&at) {
            weight *= if divergent && !always { 0.75 } else { 0.5 };
        }
    }
    for n in 0..depth {
        weight *= [8.0, 4.0].get(n).copied().unwrap_or(2.0);
    }
    weight
}

/// Units that instructions keep busy.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Station {
    Scalar,
    Branch,
    Valu,
    /// Of the vector unit, what computes transcendental functions, wide products and doubles.
    Complex,
    Lds,
    Export,
    Memory,
}

/// Cycles until the result is there, and units with the cycles that they are busy.
fn cost(class: Class, gcn: bool) -> (i64, &'static [(Station, i64)]) {
    use Station::*;
    if gcn {
        return match class {
            Class::Valu => (4, &[(Valu, 4)]),
            Class::Trans | Class::MulWide => (16, &[(Valu, 16)]),
            Class::Double => (64, &[(Valu, 64)]),
            Class::Salu | Class::Smem => (4, &[(Scalar, 4)]),
            Class::Branch => (4, &[(Branch, 4)]),
            Class::Lds => (4, &[(Lds, 4)]),
            Class::Export => (16, &[(Export, 16)]),
            Class::Vmem | Class::Flat | Class::Image => (4, &[(Memory, 4)]),
            Class::Wait | Class::Message => (4, &[]),
        };
    }
    match class {
        Class::Valu => (5, &[(Valu, 1)]),
        Class::MulWide => (8, &[(Valu, 4), (Complex, 4)]),
        Class::Trans => (10, &[(Valu, 1), (Complex, 4)]),
        Class::Double => (22, &[(Valu, 16), (Complex, 16)]),
        Class::Salu => (2, &[(Scalar, 1)]),
        Class::Smem => (0, &[(Scalar, 1)]),
        Class::Branch | Class::Message => (0, &[(Branch, 3)]),
        Class::Lds => (0, &[(Lds, 1)]),
        Class::Export => (0, &[(Export, 1)]),
        Class::Vmem | Class::Flat | Class::Image => (0, &[(Memory, 1)]),
        Class::Wait => (0, &[]),
    }
}

/// Cycles of memory: vector memory, LDS, scalar memory by a constant offset or of a descriptor, and else.
fn memory(instr: &Instr) -> i64 {
    match instr.op.row().class {
        Class::Vmem | Class::Flat | Class::Image => 320,
        Class::Lds => 20,
        Class::Smem => match instr.src[1] {
            s if s.is_sgpr() => 200,
            _ => 30,
        },
        _ => 0,
    }
}

/// Latency: cycles of one wave. Inverse throughput: cycles that a SIMD with `waves` waves takes for each wave of 64 lanes.
pub fn cycles(object: &CodeObject, code: &[Decoded], waves: u32) -> (u64, u64) {
    let gcn = !object.isa.caps().wave32;
    let lanes = object.wave.lanes();
    let items = object.workgroup.iter().fold(1u64, |n, &m| n.saturating_mul(m.into()));
    let branches: Vec<(usize, usize, bool, bool)> = code
        .iter()
        .filter_map(|d| {
            let op = d.instr.as_ref()?.op;
            let divergent = op == i::S_CBRANCH_EXECZ || op == i::S_CBRANCH_EXECNZ;
            Some((d.at, target(d)?, divergent, op == i::S_BRANCH))
        })
        .collect();
    let starts = leaders(code);
    let (mut latency, mut usage) = (0.0, HashMap::<Station, f64>::new());
    let (mut now, mut times) = (0i64, 1.0);
    let (mut ready, mut free, mut outstanding) = (HashMap::<Src, i64>::new(), HashMap::<Station, i64>::new(), 0i64);
    for d in code {
        if starts.contains(&d.at) {
            latency += now as f64 * times;
            (now, outstanding, times) = (0, 0, weight(&branches, d.at));
            ready.clear();
            free.clear();
        }
        let Some(instr) = &d.instr else { continue };
        let class = instr.op.row().class;
        let (result, stations) = cost(class, gcn);
        let read = instr.uses(lanes).flat_map(|u| (0..u.dwords as u16).map(move |n| Src(u.reg.0 + n)));
        let operands = read.filter_map(|reg| ready.get(&reg)).copied().max().unwrap_or(0);
        now = now.max(operands);
        if instr.op == i::S_ENDPGM {
            now = now.max(ready.values().copied().max().unwrap_or(0)).max(outstanding);
        }
        // A wave of 64 lanes goes through units of 32 twice.
        let vector = is_valu(instr) || is_vmem(instr) || class == Class::Lds;
        let passes = if !gcn && lanes == 64 && vector && items > 32 && format(instr) != Format::Vopd { 2 } else { 1 };
        let mut start = now;
        for _ in 0..passes {
            now = stations.iter().filter_map(|(s, _)| free.get(s)).copied().fold(now, i64::max);
            start = now;
            for &(station, busy) in stations {
                free.insert(station, now + busy);
                *usage.entry(station).or_default() += busy as f64 * times;
            }
            now += if gcn { result } else { 1 };
        }
        let there = start + result.max(memory(instr));
        if stores(instr) {
            outstanding = outstanding.max(there);
        }
        for def in instr.defs(lanes) {
            (0..def.dwords as u16).for_each(|n| {
                ready.insert(Src(def.reg.0 + n), there);
            });
        }
    }
    latency += now as f64 * times;
    let parallel = usage.values().filter(|busy| **busy > 0.0).fold(f64::from(waves), |p, busy| p.min(latency / busy));
    let filled = items as f64 / items.next_multiple_of(lanes.into()) as f64;
    let waves_of_64 = parallel / latency.max(1.0) * f64::from(lanes) / 64.0 * filled;
    (latency.round() as u64, (1.0 / waves_of_64).round() as u64)
}
