//! Vector operations under any MODE, by the one-lane reference: right and not fast. Vulkan kernels do not come here.

use super::env::Env;
use super::op::MicroOp;
use super::regs::LaneRow;
use super::state::Wave;
use wavepipe_isa::alu::{FpMode, Host, mode_of};
use wavepipe_isa::reference::{Meaning, meaning};
use wavepipe_isa::row::{Sem, Ty};
use wavepipe_isa::saturate;

/// `CLAMP`: the row's result is an integer that the clamp bit can change.
pub(crate) unsafe fn run<const CLAMP: bool>(w: &mut Wave, op: &MicroOp, _: &mut Env) -> bool {
    op.broadcast(w);
    let body = meaning(op.op);
    let mut alu = Host { mode: mode_of(FpMode::from_bits(w.mode), op.row.class) };
    let halves = w.halves;
    let mut masks = [0u32; 2];
    let compares = matches!(op.row.sem, Sem::Compare | Sem::CompareExec);
    for half in 0..halves {
        let exec = w.exec(half);
        let carry = w.scalar(op.s[6 + (half & 1)]);
        let (mut lo, mut hi) = (LaneRow::ZERO, LaneRow::ZERO);
        for lane in (0..32).filter(|l| exec >> l & 1 != 0) {
            let word = |k, word| op.source(&w.v, k, word, half, halves).0[lane];
            let low = || [word(0, 0), word(1, 0), word(2, 0)];
            let pairs = || [0, 1, 2].map(|k| [word(k, 0), word(k, 1)]);
            let c = carry >> lane & 1 != 0;
            let (value, out) = match body {
                Meaning::Lane(f) => ([f(&mut alu, low()), 0], false),
                Meaning::Compare(f) => ([0; 2], f(&mut alu, [pairs()[0], pairs()[1]])),
                Meaning::Carry(f) => {
                    let (v, out) = f(&mut alu, low(), c);
                    ([v, 0], out)
                }
                Meaning::Wide(f) => f(&mut alu, pairs()),
                Meaning::WideCarry(f) => f(&mut alu, pairs(), c),
                Meaning::Data => ([0; 2], false),
            };
            let value = if CLAMP {
                let whole = |[low, high]: [u32; 2]| u64::from(low) | u64::from(high) << 32;
                let held = saturate::saturated(op.op, pairs().map(whole), c);
                held.map_or(value, |v| [v as u32, (v >> 32) as u32])
            } else {
                value
            };
            (lo.0[lane], hi.0[lane]) = (value[0], value[1]);
            masks[half & 1] |= u32::from(out) << lane;
        }
        if !compares {
            w.registers.v.put(op.dst as usize + half, &lo, exec);
            if op.wide & 8 != 0 {
                w.registers.v.put(op.dst as usize + halves + half, &hi, exec);
            }
        }
    }
    let mask = u64::from(masks[0]) | u64::from(masks[1]) << 32;
    if compares {
        w.set_mask(op.dst as usize, mask);
        w.set_mask(op.dst2 as usize, mask);
    } else if op.row.dst.iter().any(|ty| matches!(ty, Ty::Vcc | Ty::Mask)) {
        w.set_mask(op.dst2 as usize, mask);
    }
    false
}
