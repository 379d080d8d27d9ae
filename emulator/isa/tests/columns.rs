//! Columns that say how rows are related, against what the rows compute.

use crate::common::Rng;
use wavepipe_isa::alu::FpMode;
use wavepipe_isa::insts::Op;
use wavepipe_isa::reference;
use wavepipe_isa::row::{Format, Sem, Ty};

/// Values at which operations differ.
const EDGES: [u32; 16] = [
    0,
    1,
    2,
    0x7f,
    0xffff,
    0x8000,
    0x7fff_ffff,
    0x8000_0000,
    0xffff_ffff,
    0x3f80_0000,
    0xbf80_0000,
    0x7f80_0000,
    0x7fc0_0000,
    0x3c00,
    0xbc00,
    0x7e00,
];

/// What a row makes of two sources in two conditions, and how an equal result of it may differ: in the payload of a NaN.
fn results(op: Op, sources: [u64; 2], accumulator: u64) -> [Option<(u64, bool)>; 2] {
    let ty = op.row().dst.first().copied().unwrap_or(Ty::Scc);
    [false, true].map(|carry| {
        let (v, c) = reference::evaluate(op, [sources[0], sources[1], accumulator], carry, FpMode::default())?;
        let nan = match ty {
            Ty::F32 => f32::from_bits(v as u32).is_nan(),
            Ty::F64 => f64::from_bits(v).is_nan(),
            Ty::F16 => v & 0x7fff > 0x7c00,
            _ => false,
        };
        Some((if nan { u64::MAX } else { v }, c))
    })
}

fn samples() -> Vec<[u64; 3]> {
    let mut rng = Rng(5);
    let mut all = Vec::new();
    for x in EDGES {
        for y in EDGES {
            let wide = |v: u32| u64::from(v) | u64::from(v) << 32;
            all.extend([[u64::from(x), u64::from(y), 3], [wide(x), wide(y), wide(y)]]);
        }
    }
    all.extend((0..400).map(|_| [rng.next(), rng.next(), rng.next()]));
    all
}

/// Rows whose first two sources may be exchanged: the families that take what is no VGPR as their first source alone.
fn binary() -> Vec<Op> {
    let families = |op: &Op| matches!(op.row().format, Format::Vop2 | Format::Vopc);
    let meant = |op: &Op| matches!(op.row().sem, Sem::Lane | Sem::Carry | Sem::Wide | Sem::Compare | Sem::CompareExec);
    // A literal has a place of its own.
    let free = |op: &Op| op.row().src.get(1).is_some_and(|&ty| ty != Ty::Lit32);
    Op::all().filter(families).filter(meant).filter(free).collect()
}

/// A row names one that gives its results with the sources exchanged, and each row that has such a one names it.
#[test]
fn exchanged_rows_compute_the_same() {
    let samples = samples();
    let rows = binary();
    let same = |a: Op, b: Op| samples.iter().all(|&[x, y, z]| results(a, [x, y], z) == results(b, [y, x], z));
    let mut wrong = Vec::new();
    for &op in &rows {
        let row = op.row();
        let alike = |other: Op| {
            let o = other.row();
            (o.dst, o.src, o.sem, o.scc, o.format) == (row.dst, row.src, row.sem, row.scc, row.format)
                && o.numbers.iter().map(|n| (n.0, n.1.is_some())).eq(row.numbers.iter().map(|n| (n.0, n.1.is_some())))
        };
        match row.exchanged {
            Some(other) if same(op, other) => {}
            Some(other) => wrong.push(format!("{} is not {} exchanged", row.name, other.row().name)),
            None => {
                let found: Vec<&str> =
                    rows.iter().filter(|&&o| alike(o) && same(op, o)).map(|o| o.row().name).collect();
                if !found.is_empty() {
                    wrong.push(format!("{} is exchanged {found:?}", row.name));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A scalar comparison names the one that holds where it does not, if there is one.
#[test]
fn opposite_comparisons_are_opposite() {
    let samples = samples();
    let rows: Vec<Op> =
        Op::all().filter(|op| op.row().sem == Sem::Compare && op.row().format == Format::Sopc).collect();
    let opposite = |a: Op, b: Op| {
        let holds = |op: Op, [x, y, _]: [u64; 3]| reference::evaluate(op, [x, y, 0], false, FpMode::default());
        samples.iter().all(|&s| holds(a, s).map(|r| !r.1) == holds(b, s).map(|r| r.1))
    };
    let mut wrong = Vec::new();
    for &op in &rows {
        let row = op.row();
        match row.opposite {
            Some(other) if opposite(op, other) => {}
            Some(other) => wrong.push(format!("{} is not opposite to {}", row.name, other.row().name)),
            None => {
                let alike = |o: &&Op| o.row().src == row.src && opposite(op, **o);
                let found: Vec<&str> = rows.iter().filter(alike).map(|o| o.row().name).collect();
                if !found.is_empty() {
                    wrong.push(format!("{} is opposite to {found:?}", row.name));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
