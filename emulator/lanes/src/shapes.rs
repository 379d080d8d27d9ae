//! The loops over lanes, one for each kind of body, for each set of host instructions.
//!
//! Every function below has the same shape: take the sources as rows, evaluate the body lane by lane into a local row
//! (nothing aliases it, so the compiler vectorises the loop), then merge under EXEC. The loop is the whole cost; what
//! is rare (SGPR broadcast, modifiers, other rounding modes) is decided when the block is decoded.

use crate::operands::{BodyFn, Operands};
use crate::registers::{LaneRow, Registers};
use wavepipe_alu::{Alu, Carry, Compare, Lane, Nearest, Wide, WideCarry};

/// Returns a mask from a condition per byte (0 or 255), lane 0 in bit 0.
#[inline(always)]
pub fn bits(lanes: &[u8; 32]) -> u32 {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{__m128i, _mm_loadu_si128, _mm_movemask_epi8};
        let p: *const __m128i = lanes.as_ptr().cast();
        // SAFETY: SSE2 is part of x86-64; the array is two unaligned 16-byte vectors.
        let (lo, hi) = unsafe { (_mm_movemask_epi8(_mm_loadu_si128(p)), _mm_movemask_epi8(_mm_loadu_si128(p.add(1)))) };
        lo as u32 | (hi as u32) << 16
    }
    #[cfg(not(target_arch = "x86_64"))]
    {
        lanes.iter().enumerate().fold(0, |m, (i, &b)| m | u32::from(b & 1) << i)
    }
}

#[inline(always)]
fn lane<K: Lane>(w: &mut Registers, op: &Operands) -> bool {
    op.broadcast(w);
    let halves = w.halves;
    for half in 0..halves {
        let exec = w.exec(half);
        let mut out = LaneRow::ZERO;
        {
            let (x, y, z) = (
                op.source(&w.v, 0, 0, half, halves),
                op.source(&w.v, 1, 0, half, halves),
                op.source(&w.v, 2, 0, half, halves),
            );
            let mut alu = Nearest;
            for i in 0..32 {
                out.0[i] = K::eval(&mut alu, [x.0[i], y.0[i], z.0[i]]);
            }
        }
        w.v.put(op.dst as usize + half, &out, exec);
    }
    false
}

#[inline(always)]
fn compare<K: Compare>(w: &mut Registers, op: &Operands) -> bool {
    op.broadcast(w);
    let halves = w.halves;
    let mut masks = [0; 2];
    for half in 0..halves {
        let mut out = [0u8; 32];
        let (x, y) = (op.source(&w.v, 0, 0, half, halves), op.source(&w.v, 1, 0, half, halves));
        let (xh, yh) = (op.source(&w.v, 0, 1, half, halves), op.source(&w.v, 1, 1, half, halves));
        let mut alu = Nearest;
        for i in 0..32 {
            out[i] = if K::eval(&mut alu, [[x.0[i], xh.0[i]], [y.0[i], yh.0[i]]]) { 255 } else { 0 };
        }
        masks[half & 1] = bits(&out) & w.exec(half);
    }
    let mask = u64::from(masks[0]) | u64::from(masks[1]) << 32;
    w.set_mask(op.dst as usize, mask);
    // EXEC beside VCC, in GCN's rows.
    w.set_mask(op.dst2 as usize, mask);
    false
}

#[inline(always)]
fn carry<K: Carry, const OUT: bool>(w: &mut Registers, op: &Operands) -> bool {
    op.broadcast(w);
    let halves = w.halves;
    let mut masks = [0; 2];
    for half in 0..halves {
        let exec = w.exec(half);
        let cin = w.scalar(op.s[6 + (half & 1)]);
        let (mut out, mut cout) = (LaneRow::ZERO, [0u8; 32]);
        {
            let (x, y, z) = (
                op.source(&w.v, 0, 0, half, halves),
                op.source(&w.v, 1, 0, half, halves),
                op.source(&w.v, 2, 0, half, halves),
            );
            let mut alu = Nearest;
            for i in 0..32 {
                let (r, c) = K::eval(&mut alu, [x.0[i], y.0[i], z.0[i]], cin >> i & 1 != 0);
                out.0[i] = r;
                if OUT {
                    cout[i] = if c { 255 } else { 0 };
                }
            }
        }
        if OUT {
            masks[half & 1] = bits(&cout) & exec;
        }
        w.v.put(op.dst as usize + half, &out, exec);
    }
    if OUT {
        w.set_mask(op.dst2 as usize, u64::from(masks[0]) | u64::from(masks[1]) << 32);
    }
    false
}

/// A [`Wide`] body as a [`WideCarry`] body that ignores the condition.
struct NoCarry<K>(std::marker::PhantomData<K>);
impl<K: Wide> WideCarry for NoCarry<K> {
    #[inline(always)]
    fn eval<A: Alu>(a: &mut A, s: [[A::B; 2]; 3], _: A::C) -> ([A::B; 2], A::C) {
        K::eval(a, s)
    }
}

#[inline(always)]
fn wide<K: WideCarry>(w: &mut Registers, op: &Operands) -> bool {
    op.broadcast(w);
    let halves = w.halves;
    let mut masks = [0; 2];
    for half in 0..halves {
        let exec = w.exec(half);
        let cin = w.scalar(op.s[6 + (half & 1)]);
        let (mut lo, mut hi, mut cout) = (LaneRow::ZERO, LaneRow::ZERO, [0u8; 32]);
        {
            let s = |k, word| op.source(&w.v, k, word, half, halves);
            let (x, y, z) = ([s(0, 0), s(0, 1)], [s(1, 0), s(1, 1)], [s(2, 0), s(2, 1)]);
            let mut alu = Nearest;
            for i in 0..32 {
                let pair = |p: &[&LaneRow; 2]| [p[0].0[i], p[1].0[i]];
                let (r, c) = K::eval(&mut alu, [pair(&x), pair(&y), pair(&z)], cin >> i & 1 != 0);
                (lo.0[i], hi.0[i]) = (r[0], r[1]);
                cout[i] = if c { 255 } else { 0 };
            }
        }
        masks[half & 1] = bits(&cout) & exec;
        w.v.put(op.dst as usize + half, &lo, exec);
        if op.wide & 8 != 0 {
            w.v.put(op.dst as usize + halves + half, &hi, exec);
        }
    }
    w.set_mask(op.dst2 as usize, u64::from(masks[0]) | u64::from(masks[1]) << 32);
    false
}

/// Makes a module of the four shapes for one set of host instructions. Its functions return those of a body.
macro_rules! variant {
    ($name:ident $(, $features:literal)?) => {
        pub(crate) mod $name {
            use super::*;

            pub fn lane<K: Lane>() -> BodyFn { lane_fn::<K> }
            pub fn compare<K: Compare>() -> BodyFn { compare_fn::<K> }
            /// `OUT`: the row has a condition out.
            pub fn carry<K: Carry, const OUT: bool>() -> BodyFn { carry_fn::<K, OUT> }
            pub fn wide<K: Wide>() -> BodyFn { wide_fn::<NoCarry<K>> }

            $(#[target_feature(enable = $features)])?
            unsafe fn lane_fn<K: Lane>(w: &mut Registers, op: &Operands, _: *mut ()) -> bool { super::lane::<K>(w, op) }
            $(#[target_feature(enable = $features)])?
            unsafe fn compare_fn<K: Compare>(w: &mut Registers, op: &Operands, _: *mut ()) -> bool { super::compare::<K>(w, op) }
            $(#[target_feature(enable = $features)])?
            unsafe fn carry_fn<K: Carry, const OUT: bool>(w: &mut Registers, op: &Operands, _: *mut ()) -> bool {
                super::carry::<K, OUT>(w, op)
            }
            $(#[target_feature(enable = $features)])?
            unsafe fn wide_fn<K: WideCarry>(w: &mut Registers, op: &Operands, _: *mut ()) -> bool { super::wide::<K>(w, op) }
        }
    };
}
crate::variants!(variant);
