//! Operations between lanes: undefined bits move as values do.

use super::origin::{OriginId, Origins};
use super::state::{LaneBits, WaveBits};
use super::vector::{self, Sources, scalar, vgpr_of_row, vgpr_source};
use crate::wave::probe::{Issue, WaveView};
use crate::wave::regs::set_bits;
use crate::wave::state::M0;
use wavepipe_isa::row::WaveOp;

/// What lanes read of source 0, by the lane that each reads.
struct Fetch {
    bits: LaneBits,
    from: [OriginId; 64],
    /// Lanes that are written.
    written: u64,
}

impl Fetch {
    fn new() -> Fetch {
        Fetch { bits: [0; 64], from: [OriginId::default(); 64], written: 0 }
    }

    fn set(&mut self, lane: usize, (bits, from): (u32, OriginId)) {
        (self.bits[lane], self.from[lane]) = (bits, from);
        self.written |= 1 << lane;
    }
}

/// What the operation does to undefined bits. `Some`: it chooses lanes or registers by them, and where they come from.
pub(super) fn run(
    bits: &mut WaveBits,
    origins: &mut Origins,
    view: &WaveView<'_>,
    issue: &Issue<'_>,
    what: WaveOp,
) -> Option<OriginId> {
    let (w, op) = (view.0, issue.op);
    let (exec, halves) = (w.exec64(), w.halves);
    let dst = vgpr_of_row(op.dst, halves);
    let sources = Sources { w, op, bits };
    let low = |k: usize, lane: usize| {
        let (words, from) = sources.get(k, lane);
        (words[0].undefined, from)
    };
    let value = |k: usize, lane: usize| sources.get(k, lane).0[0].value;
    let select = |k: usize| {
        let n = op.s[2 * k];
        (scalar(w, op, bits, n), bits.scalar_origin(n.into()))
    };
    let all = 32 * halves;
    let mut fetch = Fetch::new();
    let mut chosen = None;
    match what {
        WaveOp::ReadFirstLane | WaveOp::ReadLane => {
            let lane = match what {
                WaveOp::ReadFirstLane if exec == 0 => 0,
                WaveOp::ReadFirstLane => exec.trailing_zeros() as usize,
                _ => {
                    let (lane, from) = select(1);
                    chosen = (lane.undefined & (all as u32 - 1) != 0).then_some(from);
                    lane.value as usize & (all - 1)
                }
            };
            let (undefined, from) = low(0, lane);
            bits.put_scalar(op.dst as usize, undefined, from);
            return chosen;
        }
        WaveOp::WriteLane => {
            let ((value, of), (lane, from)) = (select(0), select(1));
            chosen = (lane.undefined & (all as u32 - 1) != 0).then_some(from);
            fetch.set(lane.value as usize & (all - 1), (value.undefined, of));
        }
        WaveOp::Permlane16 | WaveOp::Permlanex16 => {
            let ((x, from), (y, _)) = (select(1), select(2));
            chosen = (x.undefined | y.undefined != 0).then_some(from);
            let selects = u64::from(x.value) | u64::from(y.value) << 32;
            for lane in set_bits(exec) {
                let mut at = (lane & 48) + (selects >> (4 * (lane & 15)) & 15) as usize;
                if what == WaveOp::Permlanex16 {
                    at ^= 16;
                }
                if op.cross.fetch_inactive || exec >> at & 1 != 0 {
                    fetch.set(lane, low(0, at));
                } else if op.cross.bound_control {
                    fetch.set(lane, (0, OriginId::default()));
                }
            }
        }
        WaveOp::DsPermute | WaveOp::DsBpermute => {
            let reach = crate::wave::cross::permute_reach(w);
            let within = |lane: usize, to: usize| lane & !(reach - 1) | to & (reach - 1);
            let at = |lane: usize| within(lane, (value(0, lane).wrapping_add(op.imm as u32) >> 2) as usize);
            let address = |lane: usize| low(0, lane);
            for lane in set_bits(exec) {
                fetch.set(lane, (0, OriginId::default()));
            }
            for lane in set_bits(exec) {
                let (undefined, from) = address(lane);
                if undefined & (4 * reach as u32 - 4) != 0 {
                    chosen = Some(from);
                }
                let (to, source) = if what == WaveOp::DsPermute { (at(lane), lane) } else { (lane, at(lane)) };
                if exec >> to & 1 != 0 && exec >> source & 1 != 0 {
                    fetch.set(to, low(1, source));
                }
            }
        }
        WaveOp::DsSwizzle => {
            for lane in set_bits(exec) {
                let at = lane & 32 | crate::wave::cross::swizzled(op.imm as u32 & 0xffff, lane as u32 & 31) as usize;
                let read = if exec >> at & 1 != 0 { low(0, at) } else { (0, OriginId::default()) };
                fetch.set(lane, read);
            }
        }
        WaveOp::MbcntLo | WaveOp::MbcntHi | WaveOp::QuadSad => {
            let high = (what != WaveOp::QuadSad).then_some(what == WaveOp::MbcntHi);
            let mut rows: [LaneBits; 4] = [[0; 64]; 4];
            for lane in set_bits(exec) {
                let (words, from) = vector::counted(&sources, lane, high);
                fetch.from[lane] = origins.computed(from);
                rows.iter_mut().zip(words).for_each(|(row, word)| row[lane] = word);
            }
            for (n, row) in rows.iter().enumerate().take(if high.is_some() { 1 } else { 4 }) {
                bits.put(dst + n as u32, exec, row, &fetch.from);
            }
            return None;
        }
        WaveOp::SwapB32 | WaveOp::SwapRel => {
            let m0 = if what == WaveOp::SwapRel { w.s.0[M0] } else { 0 };
            let (a, b) = (dst + (m0 >> 16 & 0x3ff), vgpr_of_row(op.dst2, halves) + (m0 & 0x3ff));
            if a < bits.vgprs() && b < bits.vgprs() {
                let origins = |n: u32| std::array::from_fn(|lane| bits.vgpr_origin(n, lane));
                let (x, y, from_x, from_y) = (bits.row(a), bits.row(b), origins(a), origins(b));
                bits.put(a, exec, &y, &from_y);
                bits.put(b, exec, &x, &from_x);
            }
            return (what == WaveOp::SwapRel && bits.s[M0] != 0).then(|| bits.scalar_origin(M0));
        }
        WaveOp::MovrelD | WaveOp::MovrelS | WaveOp::MovrelSD | WaveOp::MovrelSD2 => {
            let m0 = w.s.0[M0];
            let (from, to) = match what {
                WaveOp::MovrelD => (0, m0),
                WaveOp::MovrelS => (m0, 0),
                WaveOp::MovrelSD => (m0, m0),
                _ => (m0 & 0x3ff, m0 >> 16 & 0x3ff),
            };
            let chosen = (bits.s[M0] != 0).then(|| bits.scalar_origin(M0));
            if op.row.format == wavepipe_isa::row::Format::Sop1 {
                let words = 1 + usize::from(op.wide & 1);
                let even = if words == 2 { !1 } else { !0 };
                let moved = |base: usize, by: u32| base.saturating_add((by & even) as usize).min(255);
                let (from, to) = (moved(op.s[0].into(), from), moved(op.dst as usize, to));
                for n in 0..words {
                    let undefined = bits.s.get(from + n).copied().unwrap_or(0);
                    bits.put_scalar(to + n, undefined, bits.scalar_origin(from + n));
                }
                return chosen;
            }
            let n = vgpr_source(op, 0, halves).map(|n| n.saturating_add(from)).filter(|n| *n < bits.vgprs());
            for lane in set_bits(exec) {
                let read = match n {
                    Some(n) => (bits.vgpr(n, lane), bits.vgpr_origin(n, lane)),
                    None if op.splat & 1 != 0 => low(0, lane),
                    None => (0, OriginId::default()),
                };
                fetch.set(lane, read);
            }
            let to = dst.saturating_add(to);
            bits.put(to, fetch.written, &fetch.bits, &fetch.from);
            return chosen;
        }
    }
    bits.put(dst, fetch.written, &fetch.bits, &fetch.from);
    chosen
}
