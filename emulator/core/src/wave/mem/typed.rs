//! Typed buffer access: elements converted by the format of the V# (MUBUF) or of the instruction (MTBUF), and buffer and
//! global loads whose result goes to LDS.
//!
//! An element is in range as a whole or not at all. Out of range, and through a format that means nothing, reads give zero
//! and writes are dropped; DST_SEL's constant one stays one.

use super::buffer::{Buffer, descriptor};
use super::failed::Failed;
use super::share::Share;
use super::transfer::{extend, load_bytes, merge_d16, store_bytes};
use super::{Access, Addressing};
use crate::wave::env::Env;
use crate::wave::op::{MicroOp, OpFn};
use crate::wave::regs::{LaneRow, set_bits};
use crate::wave::state::{M0, Wave};
use wavepipe_isa::format::{Format, TEXEL};
use wavepipe_isa::row::{self, MemKind, Sem};

pub(super) fn function(kind: MemKind) -> Option<OpFn> {
    Some(match kind {
        MemKind::LoadFormat { .. } => load,
        MemKind::StoreFormat { .. } => store,
        _ => return None,
    })
}

/// The function of a load with the LDS bit.
pub(super) fn to_lds<A: Addressing>(kind: MemKind) -> Option<OpFn> {
    match kind {
        MemKind::Load { dwords: 1, .. } | MemKind::LoadFormat { components: 1, d16: false, .. } => {
            Some(load_to_lds::<A>)
        }
        _ => None,
    }
}

/// DST_SEL: 0 and 1 are constants, 4.. components.
const SEL_ONE: u8 = 1;
const SEL_X: u8 = 4;

/// An instruction's format, and where each of its components comes from.
#[derive(Clone, Copy)]
struct View {
    format: &'static Format,
    select: [u8; 4],
}

impl View {
    #[inline(always)]
    fn of(w: &Wave, op: &MicroOp) -> Option<View> {
        let d = descriptor(w, op.s[0]);
        let typed = op.row.format == row::Format::Mtbuf;
        let number = if typed { Format::of_buffer_code(op.literal as u16, w.isa) } else { d.format.into() };
        let format = Format::find(number).filter(|f| f.number != 0 && d.is_bound(true))?;
        if !typed {
            return Some(View { format, select: d.dst_sel });
        }
        // Components that the format has not are zero: X000, XY00, XYZ0 or XYZW.
        let stored = format.components() as u8;
        let select = std::array::from_fn(|i| if (i as u8) < stored { SEL_X + i as u8 } else { 0 });
        Some(View { format, select })
    }

    /// What the registers get of an element.
    fn loaded(&self, components: [u32; 4]) -> [u32; 4] {
        self.select.map(|s| match s {
            SEL_ONE => self.format.one(),
            SEL_X.. => components[usize::from(s - SEL_X) & 3],
            _ => 0,
        })
    }

    /// The element that these registers make: each component from the register that selects it, or zero.
    fn stored(&self, registers: [u32; 4]) -> [u32; 4] {
        std::array::from_fn(|c| {
            let from = self.select.iter().position(|&s| s == SEL_X + c as u8);
            from.map_or(0, |i| registers[i])
        })
    }
}

/// Whether the operation converts elements.
#[inline(always)]
pub(super) fn is_typed(op: &MicroOp) -> bool {
    matches!(op.row.sem, Sem::Mem(_, MemKind::LoadFormat { .. } | MemKind::StoreFormat { .. }))
}

/// Bytes of an element of a typed access; `None` if it is none, or its format means nothing.
pub(crate) fn element(w: &Wave, op: &MicroOp) -> Option<u32> {
    if !is_typed(op) {
        return None;
    }
    View::of(w, op).map(|view| view.format.bytes())
}

/// Reads an element of up to 16 bytes.
fn read(env: &mut Env, a: &Access, lane: usize, bytes: u32) -> Option<[u8; TEXEL]> {
    let mut texel = [0; TEXEL];
    for j in 0..bytes.div_ceil(4) {
        let at = a.at[lane].wrapping_add(a.spacing.step * u64::from(j));
        let word = load_bytes(env, at, bytes.min(4), a.spacing)?;
        texel[4 * j as usize..][..4].copy_from_slice(&word.to_le_bytes());
    }
    Some(texel)
}

fn write(env: &mut Env, a: &Access, lane: usize, bytes: u32, texel: &[u8; TEXEL]) -> Option<()> {
    for j in 0..bytes.div_ceil(4) {
        let at = a.at[lane].wrapping_add(a.spacing.step * u64::from(j));
        let i = 4 * j as usize;
        let word = u32::from_le_bytes([texel[i], texel[i + 1], texel[i + 2], texel[i + 3]]);
        store_bytes(env, at, bytes.min(4), a.spacing, word)?;
    }
    Some(())
}

/// The registers of one lane.
#[inline(always)]
fn fetch(env: &mut Env, view: Option<View>, a: &Access, lane: usize, bit: usize, failed: &mut Failed) -> [u32; 4] {
    let Some(view) = view else { return [0; 4] };
    let bytes = view.format.bytes();
    if !a.allows(lane, 0, bytes) {
        return view.loaded([0; 4]);
    }
    match read(env, a, lane, bytes) {
        Some(texel) => view.loaded(view.format.decode(&texel)),
        None => {
            failed.wild(bit, a.at[lane]);
            [0; 4]
        }
    }
}

unsafe fn load(w: &mut Wave, op: &MicroOp, env: &mut Env) -> bool {
    let Sem::Mem(_, MemKind::LoadFormat { components, d16, hi }) = op.row.sem else { return false };
    let (view, halves) = (View::of(w, op), w.halves);
    let bytes = view.map_or(0, |v| v.format.bytes());
    let n = usize::from(components);
    let mut failed = Failed::default();
    for half in 0..halves {
        let a = Buffer::access(w, op, half, bytes);
        let mut out = [LaneRow::ZERO; 4];
        for lane in set_bits(a.live) {
            let registers = fetch(env, view, &a, lane, 32 * half + lane, &mut failed);
            for (c, &v) in registers.iter().enumerate().take(n) {
                match (d16, view) {
                    (true, Some(view)) => out[c / 2].0[lane] |= u32::from(view.format.narrow(v)) << (16 * (c % 2)),
                    _ => out[c].0[lane] = v,
                }
            }
        }
        if failed.lanes != 0 {
            continue;
        }
        let rows = if d16 { n.div_ceil(2) } else { n };
        for (j, row) in out.iter_mut().enumerate().take(rows) {
            let dst = op.dst as usize + j * halves + half;
            if d16 && n == 1 {
                merge_d16(row, w.v.get(dst), Some(hi));
            }
            w.registers.v.put(dst, row, a.live);
        }
    }
    failed.report(w, bytes, false)
}

unsafe fn store(w: &mut Wave, op: &MicroOp, env: &mut Env) -> bool {
    let Sem::Mem(_, MemKind::StoreFormat { components, d16, hi }) = op.row.sem else { return false };
    let Some(view) = View::of(w, op) else { return false };
    let bytes = view.format.bytes();
    let n = usize::from(components);
    let mut failed = Failed::default();
    for half in 0..w.halves {
        let a = Buffer::access(w, op, half, bytes);
        let register = |j: usize, lane: usize| op.source(&w.v, 1, j, half, w.halves).0[lane];
        for lane in set_bits(a.live).filter(|&l| a.allows(l, 0, bytes)) {
            let mut registers = [0; 4];
            for (c, v) in registers.iter_mut().enumerate().take(n) {
                *v = match d16 {
                    true => view.format.widen((register(c / 2, lane) >> (16 * ((c + usize::from(hi)) % 2))) as u16),
                    false => register(c, lane),
                };
            }
            let texel = view.format.encode(view.stored(registers));
            if write(env, &a, lane, bytes, &texel).is_none() {
                failed.wild(32 * half + lane, a.at[lane]);
            }
        }
    }
    failed.report(w, bytes, true)
}

/// One dword a lane goes to LDS at M0[15:0] + the instruction's offset + 4 · lane. Lanes whose place is not in LDS take no
/// part.
unsafe fn load_to_lds<A: Addressing>(w: &mut Wave, op: &MicroOp, env: &mut Env) -> bool {
    let Sem::Mem(_, kind) = op.row.sem else { return false };
    let (bits, signed, view) = match kind {
        MemKind::Load { bits, signed, .. } => (bits, signed, None),
        _ => (0, false, View::of(w, op)),
    };
    let bytes = view.map_or(u32::from(bits / 8), |v| v.format.bytes());
    let share = Share::lds(env);
    let base = i64::from(w.s.0[M0] & 0xffff) + i64::from(op.imm);
    let mut failed = Failed::default();
    for half in 0..w.halves {
        let a = A::access(w, op, half, bytes);
        for lane in set_bits(a.live) {
            let bit = 32 * half + lane;
            let Ok(place) = u64::try_from(base + 4 * bit as i64) else { continue };
            if !share.holds(place, 4) {
                continue;
            }
            let value = match bits {
                0 => fetch(env, view, &a, lane, bit, &mut failed)[0],
                _ if !a.allows(lane, 0, bytes) => 0,
                _ => match load_bytes(env, a.at[lane], bytes, a.spacing) {
                    Some(v) => extend(v, bits, signed),
                    None => {
                        failed.wild(bit, a.at[lane]);
                        continue;
                    }
                },
            };
            share.store(place, 4, value, bit, &mut failed);
        }
    }
    failed.report(w, bytes, false)
}

/// One dword a lane comes from LDS at M0[15:0] + the instruction's offset + 4 · lane. Lanes whose place is not in LDS take no
/// part.
pub(super) unsafe fn store_from_lds<A: Addressing>(w: &mut Wave, op: &MicroOp, env: &mut Env) -> bool {
    let share = Share::lds(env);
    let base = u64::from(w.s.0[M0] & 0xffff) + u64::from(op.imm as u32 & 0xfff);
    let mut failed = Failed::default();
    for half in 0..w.halves {
        let a = A::access(w, op, half, 4);
        for lane in set_bits(a.live) {
            let bit = 32 * half + lane;
            let place = base + 4 * bit as u64;
            if !share.holds(place, 4) || !a.allows(lane, 0, 4) {
                continue;
            }
            let value = share.load(place, 4, bit, &mut failed);
            if env.writable(a.at[lane], 4).and_then(|(r, off)| r.backing.store32(off, value)).is_none() {
                failed.wild(bit, a.at[lane]);
            }
        }
    }
    failed.report(w, 4, true)
}
