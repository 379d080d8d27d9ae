//! Combinations of the algebra that several bodies want.

use crate::Alu;

/// 64-bit values are `[low, high]`.
pub trait Ext: Alu {
    #[inline(always)]
    fn ne(&mut self, x: Self::B, y: Self::B) -> Self::C {
        e!(self, cnot(eq(x, y)))
    }
    #[inline(always)]
    fn nonzero(&mut self, x: Self::B) -> Self::C {
        e!(self, ne(x, 0))
    }
    #[inline(always)]
    fn bit(&mut self, c: Self::C) -> Self::B {
        e!(self, sel(c, 1, 0))
    }
    #[inline(always)]
    fn neg(&mut self, x: Self::B) -> Self::B {
        e!(self, sub(0, x))
    }
    #[inline(always)]
    fn umin(&mut self, x: Self::B, y: Self::B) -> Self::B {
        e!(self, sel(ult(x, y), x, y))
    }
    #[inline(always)]
    fn umax(&mut self, x: Self::B, y: Self::B) -> Self::B {
        e!(self, sel(ult(x, y), y, x))
    }
    #[inline(always)]
    fn smin(&mut self, x: Self::B, y: Self::B) -> Self::B {
        e!(self, sel(slt(x, y), x, y))
    }
    #[inline(always)]
    fn smax(&mut self, x: Self::B, y: Self::B) -> Self::B {
        e!(self, sel(slt(x, y), y, x))
    }
    #[inline(always)]
    fn low16(&mut self, x: Self::B) -> Self::B {
        e!(self, and(x, 0xffff))
    }
    #[inline(always)]
    fn sext16(&mut self, x: Self::B) -> Self::B {
        e!(self, sar(shl(x, 16), 16))
    }
    /// `hi[15:0], lo[15:0]`
    #[inline(always)]
    fn pack16(&mut self, lo: Self::B, hi: Self::B) -> Self::B {
        e!(self, or(low16(lo), shl(hi, 16)))
    }
    #[inline(always)]
    fn absdiff_u(&mut self, x: Self::B, y: Self::B) -> Self::B {
        e!(self, sel(ult(x, y), sub(y, x), sub(x, y)))
    }

    #[inline(always)]
    fn fneg(&mut self, x: Self::B) -> Self::B {
        e!(self, xor(x, 0x8000_0000))
    }
    #[inline(always)]
    fn fabs(&mut self, x: Self::B) -> Self::B {
        e!(self, and(x, 0x7fff_ffff))
    }
    #[inline(always)]
    fn fsub(&mut self, x: Self::B, y: Self::B) -> Self::B {
        e!(self, fadd(x, fneg(y)))
    }
    #[inline(always)]
    fn fnan(&mut self, x: Self::B) -> Self::C {
        e!(self, ult(0x7f80_0000, fabs(x)))
    }
    /// Biased exponent field.
    #[inline(always)]
    fn fexponent(&mut self, x: Self::B) -> Self::B {
        e!(self, shr(fabs(x), 23))
    }
    /// Denormals to zero of the same sign, whatever the mode.
    #[inline(always)]
    fn fflush(&mut self, x: Self::B) -> Self::B {
        e!(self, sel(eq(fexponent(x), 0), and(x, 0x8000_0000), x))
    }
    /// Zero of either sign.
    #[inline(always)]
    fn fzero(&mut self, x: Self::B) -> Self::C {
        e!(self, eq(fabs(x), 0))
    }
    /// Sign of `s`, magnitude of `m`.
    #[inline(always)]
    fn fcopysign(&mut self, m: Self::B, s: Self::B) -> Self::B {
        e!(self, or(fabs(m), and(s, 0x8000_0000)))
    }

    #[inline(always)]
    fn sel64(&mut self, c: Self::C, t: [Self::B; 2], f: [Self::B; 2]) -> [Self::B; 2] {
        [self.sel(c, t[0], f[0]), self.sel(c, t[1], f[1])]
    }
    #[inline(always)]
    fn zero64(&mut self) -> [Self::B; 2] {
        let z = self.lit(0);
        [z, z]
    }
    #[inline(always)]
    fn is_zero64(&mut self, x: [Self::B; 2]) -> Self::C {
        let [l, h] = x;
        e!(self, eq(or(l, h), 0))
    }
    /// Sum and carry out.
    #[inline(always)]
    fn add64(&mut self, x: [Self::B; 2], y: [Self::B; 2]) -> ([Self::B; 2], Self::C) {
        let ([xl, xh], [yl, yh]) = (x, y);
        let low = self.add(xl, yl);
        let carry = e!(self, bit(ult(low, xl)));
        let part = self.add(xh, yh);
        let high = self.add(part, carry);
        let out = e!(self, cor(ult(part, xh), ult(high, part)));
        ([low, high], out)
    }
    #[inline(always)]
    fn eq64(&mut self, x: [Self::B; 2], y: [Self::B; 2]) -> Self::C {
        let ([xl, xh], [yl, yh]) = (x, y);
        e!(self, cand(eq(xl, yl), eq(xh, yh)))
    }
    #[inline(always)]
    fn ult64(&mut self, x: [Self::B; 2], y: [Self::B; 2]) -> Self::C {
        let ([xl, xh], [yl, yh]) = (x, y);
        e!(self, cor(ult(xh, yh), cand(eq(xh, yh), ult(xl, yl))))
    }
    #[inline(always)]
    fn slt64(&mut self, x: [Self::B; 2], y: [Self::B; 2]) -> Self::C {
        let ([xl, xh], [yl, yh]) = (x, y);
        e!(self, cor(slt(xh, yh), cand(eq(xh, yh), ult(xl, yl))))
    }
    /// Shifts take the low six bits of the count.
    #[inline(always)]
    fn shl64(&mut self, x: [Self::B; 2], n: Self::B) -> [Self::B; 2] {
        let [l, h] = x;
        let far = e!(self, nonzero(and(n, 32)));
        let low = self.shl(l, n);
        // The bits that cross: l >> (32 − n), in two steps so that n = 0 gives none.
        let high = e!(self, or(shl(h, n), shr(shr(l, 1), xor(n, 31))));
        [e!(self, sel(far, 0, low)), self.sel(far, low, high)]
    }
    #[inline(always)]
    fn shr64(&mut self, x: [Self::B; 2], n: Self::B) -> [Self::B; 2] {
        let [l, h] = x;
        let far = e!(self, nonzero(and(n, 32)));
        let high = self.shr(h, n);
        let low = e!(self, or(shr(l, n), shl(shl(h, 1), xor(n, 31))));
        [self.sel(far, high, low), e!(self, sel(far, 0, high))]
    }
    #[inline(always)]
    fn sar64(&mut self, x: [Self::B; 2], n: Self::B) -> [Self::B; 2] {
        let [l, h] = x;
        let far = e!(self, nonzero(and(n, 32)));
        let high = self.sar(h, n);
        let low = e!(self, or(shr(l, n), shl(shl(h, 1), xor(n, 31))));
        [self.sel(far, high, low), e!(self, sel(far, sar(h, 31), high))]
    }
    /// Low `n` bits set, 0 ≤ n ≤ 63 (low six bits of the count).
    #[inline(always)]
    fn ones64(&mut self, n: Self::B) -> [Self::B; 2] {
        let all = e!(self, 0xffff_ffff);
        let kept = self.shl64([all, all], n);
        [self.not(kept[0]), self.not(kept[1])]
    }

    #[inline(always)]
    fn dnan(&mut self, x: [Self::B; 2]) -> Self::C {
        self.deq(x, x).pipe(|c| self.cnot(c))
    }
    /// Biased exponent field.
    #[inline(always)]
    fn dexponent(&mut self, x: [Self::B; 2]) -> Self::B {
        let h = x[1];
        e!(self, and(shr(h, 20), 0x7ff))
    }
}
impl<A: Alu> Ext for A {}

/// `x.pipe(f)` is `f(x)`.
pub trait Pipe: Sized {
    #[inline(always)]
    fn pipe<R>(self, f: impl FnOnce(Self) -> R) -> R {
        f(self)
    }
}
impl<T> Pipe for T {}
