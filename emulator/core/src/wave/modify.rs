//! Operations with modifiers: DPP, SDWA, neg, abs, op_sel, omod, clamp, and results of 16 bits.
//!
//! The plain operation stays untouched: its sources are prepared in temporary rows, it writes to a temporary row, and the
//! result is finished and merged into the real destination.
//!
//! ```text
//! for each source: copy -> DPP lane movement (source 0) -> SDWA or op_sel select -> abs -> neg
//! EXEC is narrowed to the lanes that DPP lets write, the plain operation runs, EXEC is restored
//! result: omod -> clamp -> placed by SDWA / op_sel / 16-bit rules -> merged under EXEC
//! ```

use super::env::Env;
use super::op::{Ext, MicroOp};
use super::regs::{LaneRow, Loc, source};
use super::state::{EXEC, Wave};
use wavepipe_isa::alu::FpMode;
use wavepipe_isa::instr::{Dpp16, Extra, Sdwa};
use wavepipe_isa::reference;
use wavepipe_isa::row::{Format, Sem, Ty};

/// Temporary register of source `k` and of the result (of up to four dwords each).
pub(super) const fn temp(k: usize) -> usize {
    4 * k
}
pub(super) const RESULT: usize = 12;

/// Whether a DPP16 operation moves lanes across rows of 16 (GCN).
pub(super) const fn crosses_rows(ctrl: u16) -> bool {
    matches!(ctrl, 0x130..=0x13f | 0x142 | 0x143)
}

/// Where lane `lane` of a wave's 64 reads from in a DPP16 operation; `None`: outside of the row, or of the wave.
pub(super) fn dpp16_source(ctrl: u16, lane: usize) -> Option<usize> {
    let (row, at) = (lane & !15, lane & 15);
    let n = usize::from(ctrl & 15);
    Some(match ctrl {
        0x000..=0x0ff => lane & !3 | usize::from(ctrl) >> (2 * (lane & 3)) & 3,
        0x101..=0x10f => (at + n < 16).then_some(row + at + n)?,
        0x111..=0x11f => row + at.checked_sub(n)?,
        0x121..=0x12f => row + (at + 16 - n) % 16,
        // By one lane across the wave: shifted left, rotated left, shifted right, rotated right.
        0x130 => (lane < 63).then_some(lane + 1)?,
        0x134 => (lane + 1) & 63,
        0x138 => lane.checked_sub(1)?,
        0x13c => (lane + 63) & 63,
        // The last lane of a row to the next row, of the wave's first half to its second.
        0x142 => row.checked_sub(1)?,
        0x143 => (lane >= 32).then_some(31)?,
        0x140 => row + 15 - at,
        0x141 => lane & !7 | 7 - (lane & 7),
        0x150..=0x15f => row + n,
        0x160..=0x16f => row + (at ^ n),
        _ => return None,
    })
}

/// `from`: both halves of the source.
fn dpp16(d: &Dpp16, from: &[LaneRow; 2], exec: u64, half: usize) -> (LaneRow, u32) {
    let (mut out, mut write) = (LaneRow::ZERO, 0u32);
    for lane in 0..32 {
        let row_of_16 = (2 * half + lane / 16) as u32;
        let bank = (lane / 4 % 4) as u32;
        if d.row_mask as u32 >> row_of_16 & 1 == 0 || d.bank_mask as u32 >> bank & 1 == 0 {
            continue;
        }
        let source = dpp16_source(d.ctrl, 32 * half + lane).filter(|&s| d.fetch_inactive || exec >> s & 1 != 0);
        match source {
            Some(s) => out.0[lane] = from[s / 32].0[s % 32],
            None if d.bound_ctrl => {}
            None => continue,
        }
        write |= 1 << lane;
    }
    (out, write)
}

/// The lane that lane `lane` of a DPP8 operation reads.
pub(super) fn dpp8_source(selects: u32, lane: usize) -> usize {
    lane & !7 | (selects >> (3 * (lane & 7)) & 7) as usize
}

fn dpp8(selects: u32, fetch_inactive: bool, from: &LaneRow, exec: u32) -> LaneRow {
    let mut out = LaneRow::ZERO;
    for lane in 0..32 {
        let s = dpp8_source(selects, lane);
        if fetch_inactive || exec >> s & 1 != 0 {
            out.0[lane] = from.0[s];
        }
    }
    out
}

pub(super) fn sdwa_place(s: &Sdwa, value: u32, old: u32) -> u32 {
    let (shift, bits) = match s.dst_sel {
        n @ 0..=3 => (8 * u32::from(n), 8u32),
        4 => (0, 16),
        5 => (16, 16),
        _ => return value,
    };
    let field = ((1u32 << bits) - 1) << shift;
    let placed = value << shift & field;
    match s.dst_unused {
        0 => placed,
        1 => {
            let up = value << (32 - bits);
            let extended = (up as i32 >> (32 - bits)) as u32;
            placed | extended << shift & !(field | ((1u32 << shift) - 1))
        }
        _ => placed | old & !field,
    }
}

pub(super) fn is_half(ty: Ty) -> bool {
    matches!(ty, Ty::F16 | Ty::B16 | Ty::U16 | Ty::I16)
}

/// Source modifiers that are only signs, as masks that turn the sign word of a source of type `ty` into its negative or absolute value: `word & keep ^ flip`;
/// `None` if the source needs more than that.
fn sign_masks(ext: &Ext, k: usize, ty: Ty, packed: bool) -> Option<(u32, u32)> {
    let m = &ext.instr.mods;
    let on = |mask: u8| mask >> k & 1 != 0;
    if ty == Ty::Mix || matches!(ext.instr.extra, Extra::Sdwa(_)) && k < 2 {
        return None;
    }
    if packed && matches!(ty, Ty::PkF16 | Ty::PkU16) {
        let flip = if ty == Ty::PkF16 { u32::from(on(m.neg)) << 15 | u32::from(on(m.neg_hi)) << 31 } else { 0 };
        return (!on(m.op_sel) && on(m.op_sel_hi)).then_some((!0, flip));
    }
    if is_half(ty) && on(m.op_sel) {
        return None;
    }
    // Integers have no sign modifiers.
    let sign = match ty {
        Ty::F16 => 1 << 15,
        Ty::F32 | Ty::F64 => 1 << 31,
        _ => 0,
    };
    Some((if on(m.abs) { !sign } else { !0 }, if on(m.neg) { sign } else { 0 }))
}

/// Prepares source `k` in its temporary rows. Gives where the plain operation reads it, and whether that is a constant.
fn prepare(
    w: &mut Wave,
    op: &MicroOp,
    ext: &Ext,
    from: Loc,
    (k, ty): (usize, Ty),
    write: &mut [u32; 2],
) -> (Loc, bool) {
    let fixed = op.constant >> k & 1 != 0;
    let halves = w.halves;
    let packed = op.row.format == Format::Vop3p;
    let words = 1 + usize::from(op.wide >> k & 1);
    let moved = k == 0 && matches!(ext.instr.extra, Extra::Dpp16(_) | Extra::Dpp8 { .. });
    let masks = sign_masks(ext, k, ty, packed);
    if masks == Some((!0, 0)) && !moved {
        return (from, fixed);
    }
    // By half, then by word: all is read before any is written, which may be the same rows.
    let mut rows = [[LaneRow::ZERO; 2]; 2];
    for (half, rows) in rows.iter_mut().enumerate().take(halves) {
        for (word, row) in rows.iter_mut().enumerate().take(words) {
            *row = *source(&w.v, from, fixed, word * halves + half);
        }
    }
    for half in 0..halves {
        let mut s = rows[half];
        if k == 0 {
            let exec = w.exec(half);
            for (word, s) in s.iter_mut().enumerate().take(words) {
                match &ext.instr.extra {
                    Extra::Dpp16(d) => {
                        let both = [rows[0][word], rows[1][word]];
                        (*s, write[half & 1]) = dpp16(d, &both, w.exec64(), half);
                    }
                    Extra::Dpp8 { selects, fetch_inactive } => *s = dpp8(*selects, *fetch_inactive, s, exec),
                    _ => {}
                }
            }
        }
        match masks {
            Some((keep, flip)) => {
                for word in &mut s[words - 1].0 {
                    *word = *word & keep ^ flip;
                }
            }
            None => {
                for lane in 0..32 {
                    let raw = u64::from(s[0].0[lane]) | u64::from(s[1].0[lane]) << 32;
                    let v = reference::modify(&ext.instr, k, raw, FpMode::from_bits(w.mode));
                    (s[0].0[lane], s[1].0[lane]) = (v as u32, (v >> 32) as u32);
                }
            }
        }
        for (word, s) in s[..words].iter().enumerate() {
            *w.registers.v.get_mut((temp(k) + word) * halves + half) = *s;
        }
    }
    (Loc::row(temp(k) * halves), false)
}

pub(crate) unsafe fn modified(w: &mut Wave, op: &MicroOp, env: &mut Env) -> bool {
    let Some(ext) = op.ext.as_deref() else { return false };
    // SAFETY: the sources and destination are the operation's own.
    unsafe { modified_at(w, op, ext, op.src, op.dst, env) }
}

/// As [`modified`], with sources and destination that may be others of the wave's rows than `op` says.
pub(super) unsafe fn modified_at(
    w: &mut Wave,
    op: &MicroOp,
    ext: &Ext,
    mut src: [Loc; 3],
    dst: u32,
    env: &mut Env,
) -> bool {
    op.broadcast(w);
    let (row, halves) = (op.row, w.halves);
    let packed = row.format == Format::Vop3p;
    let saved: [u32; 2] = [w.s.0[EXEC], w.s.0[EXEC + 1]];
    let mut write = [!0u32; 2];
    let mut constant = 0;
    let types = row.src.iter().filter(|ty| super::lower::is_vector_source(**ty)).take(3);
    for (k, &ty) in types.enumerate() {
        let (at, fixed) = prepare(w, op, ext, src[k], (k, ty), &mut write);
        src[k] = at;
        constant |= u8::from(fixed) << k;
    }

    let ty = row.dst.first().copied().unwrap_or(Ty::B32);
    let compares = matches!(row.sem, Sem::Compare | Sem::CompareExec);
    // Results that need nothing more go where they belong at once.
    let direct = compares
        || ext.instr.mods.omod == 0
            && !ext.instr.mods.clamp
            && !is_half(ty)
            && ty != Ty::F16Hi
            && !matches!(ext.instr.extra, Extra::Sdwa(_));
    let into = if direct { dst } else { (RESULT * halves) as u32 };
    let plain = op.plain(ext.inner, src, constant, into);
    w.s.0[EXEC] &= write[0];
    if halves == 2 {
        w.s.0[EXEC + 1] &= write[1];
    }
    // SAFETY: the inner operation is this block's own; its sources and result are this operation's or the temporary rows
    // that every wave has.
    let stop = unsafe { (ext.inner)(w, &plain, env) };
    if row.sem != Sem::CompareExec {
        w.s.0[EXEC] = saved[0];
        w.s.0[EXEC + 1] = saved[1];
    }
    if direct || stop {
        return stop;
    }

    let words = 1 + usize::from(op.wide >> 3 & 1);
    let upper = ty == Ty::F16Hi || is_half(ty) && ext.instr.mods.op_sel & 8 != 0 && !packed;
    let clears = row.clears_high16(w.isa);
    for half in 0..halves {
        let mask = saved[half & 1] & write[half & 1];
        let mut r = [*w.v.get(RESULT * halves + half), LaneRow::ZERO];
        if words == 2 {
            r[1] = *w.v.get((RESULT + 1) * halves + half);
        }
        if ext.instr.mods.clamp || ext.instr.mods.omod != 0 {
            for lane in 0..32 {
                let raw = u64::from(r[0].0[lane]) | u64::from(r[1].0[lane]) << 32;
                let v = reference::finish(&ext.instr, raw, FpMode::from_bits(w.mode));
                (r[0].0[lane], r[1].0[lane]) = (v as u32, (v >> 32) as u32);
            }
        }
        let old = w.v.get(dst as usize + half);
        if let Extra::Sdwa(s) = &ext.instr.extra {
            // Of a 16-bit result the dword has zeros above.
            let result = if is_half(ty) { 0xffff } else { !0 };
            for lane in 0..32 {
                r[0].0[lane] = sdwa_place(s, r[0].0[lane] & result, old.0[lane]);
            }
        } else if upper {
            for lane in 0..32 {
                r[0].0[lane] = old.0[lane] & 0xffff | r[0].0[lane] << 16;
            }
        } else if is_half(ty) && clears {
            r[0].0.iter_mut().for_each(|v| *v &= 0xffff);
        } else if is_half(ty) {
            for lane in 0..32 {
                r[0].0[lane] = old.0[lane] & 0xffff_0000 | r[0].0[lane] & 0xffff;
            }
        }
        for (word, r) in r[..words].iter().enumerate() {
            w.registers.v.put(dst as usize + word * halves + half, r, mask);
        }
    }
    false
}
