//! Scalar operations: a body once, on the scalar file, with the row's SCC rule.

use super::env::Env;
use super::op::{MicroOp, OpFn};
use super::state::{EXEC, LITERAL, M0, SCC, SINK, Wave};
use wavepipe_isa::alu::{Carry, Compare, Lane, Nearest, Wide};
use wavepipe_isa::row::{self, Sem, WaveOp};

#[inline(always)]
fn low(w: &Wave, op: &MicroOp) -> [u32; 3] {
    [w.scalar(op.s[0]), w.scalar(op.s[2]), w.scalar(op.s[4])]
}

#[inline(always)]
fn pair(w: &Wave, op: &MicroOp, k: usize) -> [u32; 2] {
    [w.scalar(op.s[2 * k]), w.scalar(op.s[2 * k + 1])]
}

#[inline(always)]
fn set(w: &mut Wave, i: u32, v: u32) {
    w.s.0[i as usize & 255] = v;
}

pub(crate) unsafe fn lane<K: Lane>(w: &mut Wave, op: &MicroOp, _: &mut Env) -> bool {
    w.s.0[LITERAL] = op.literal;
    let r = K::eval(&mut Nearest, low(w, op));
    set(w, op.dst, r);
    if op.row.scc == row::Scc::NonZero {
        w.s.0[SCC] = u32::from(r != 0);
    }
    false
}

pub(crate) unsafe fn compare<K: Compare>(w: &mut Wave, op: &MicroOp, _: &mut Env) -> bool {
    w.s.0[LITERAL] = op.literal;
    let c = K::eval(&mut Nearest, [pair(w, op, 0), pair(w, op, 1)]);
    w.s.0[SCC] = u32::from(c);
    false
}

pub(crate) unsafe fn carry<K: Carry>(w: &mut Wave, op: &MicroOp, _: &mut Env) -> bool {
    w.s.0[LITERAL] = op.literal;
    let (r, c) = K::eval(&mut Nearest, low(w, op), w.scalar(op.s[6]) != 0);
    set(w, op.dst, r);
    match op.row.scc {
        row::Scc::Keep => {}
        row::Scc::NonZero => w.s.0[SCC] = u32::from(r != 0),
        row::Scc::Body => w.s.0[SCC] = u32::from(c),
    }
    false
}

pub(crate) unsafe fn wide<K: Wide>(w: &mut Wave, op: &MicroOp, _: &mut Env) -> bool {
    w.s.0[LITERAL] = op.literal;
    let (r, c) = K::eval(&mut Nearest, [pair(w, op, 0), pair(w, op, 1), pair(w, op, 2)]);
    set(w, op.dst, r[0]);
    if op.wide & 8 != 0 {
        set(w, op.dst + 1, r[1]);
    }
    match op.row.scc {
        row::Scc::Keep => {}
        row::Scc::NonZero => w.s.0[SCC] = u32::from(r[0] != 0 || op.wide & 8 != 0 && r[1] != 0),
        row::Scc::Body => w.s.0[SCC] = u32::from(c),
    }
    false
}

/// S_*_SAVEEXEC: destination = EXEC, EXEC = body(source, EXEC), SCC = EXEC ≠ 0. S_*_WREXEC: destination = EXEC = result.
pub(crate) unsafe fn save_exec<K: Lane>(w: &mut Wave, op: &MicroOp, _: &mut Env) -> bool {
    w.s.0[LITERAL] = op.literal;
    let words = 1 + usize::from(op.wide & 1);
    let source = pair(w, op, 0);
    let mut any = 0;
    let mut old = [0; 2];
    let mut new = [0; 2];
    for i in 0..words {
        old[i] = w.s.0[EXEC + i];
        new[i] = K::eval(&mut Nearest, [source[i], old[i], 0]);
        any |= new[i];
    }
    let result = if op.row.sem == Sem::SaveExec { old } else { new };
    for i in 0..words {
        set(w, op.dst + i as u32, result[i]);
    }
    w.s.0[EXEC..EXEC + words].copy_from_slice(&new[..words]);
    w.s.0[SCC] = u32::from(any != 0);
    false
}

/// The function of an S_MOVREL* row.
pub(crate) fn relative(what: WaveOp) -> Option<OpFn> {
    Some(match what {
        WaveOp::MovrelD => movrel::<false, true>,
        WaveOp::MovrelS => movrel::<true, false>,
        WaveOp::MovrelSD2 => movrel::<true, true>,
        _ => return None,
    })
}

/// The register `by` after `base`, if a value of `words` stays in the range that `base` is of: SGPRs with VCC, or trap
/// temporaries (RDNA 1 ISA document, 3.6.1).
fn indexed(base: usize, by: u32, words: usize) -> Option<usize> {
    let last = match base {
        0..=107 => 107,
        108..=123 => 123,
        _ => base + words - 1,
    };
    let at = base.checked_add(by as usize)?;
    (at + words - 1 <= last).then_some(at)
}

/// S_MOVREL*: M0 indexes the source (`S`), the destination (`D`), or each with a field of its own. A source out of range is
/// s0, and to a destination out of range nothing is written.
unsafe fn movrel<const S: bool, const D: bool>(w: &mut Wave, op: &MicroOp, _: &mut Env) -> bool {
    w.s.0[LITERAL] = op.literal;
    let words = 1 + usize::from(op.wide & 1);
    // An index of pairs is even.
    let m0 = w.s.0[M0] & if words == 2 { !1 } else { !0 };
    let (from, to) = if S && D { (m0 & 0x3ff, m0 >> 16 & 0x3ff) } else { (m0, m0) };
    let mut value = pair(w, op, 0);
    if S {
        let at = indexed(usize::from(op.s[0]), from, words).unwrap_or(0);
        value = [w.s.0[at & 127], w.s.0[(at + 1) & 127]];
    }
    let dst = match op.dst as usize {
        SINK => None,
        base if D => indexed(base, to, words),
        base => Some(base),
    };
    if let Some(dst) = dst {
        for (i, &v) in value[..words].iter().enumerate() {
            set(w, (dst + i) as u32, v);
        }
    }
    false
}
