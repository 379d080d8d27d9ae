//! Integer division: a reciprocal of the divisor, a product, and two corrections.
//!
//! z ≈ 2ʷ/d is never too large, and so near that the quotient mulhi(n, z) is at most two too small, which two conditional
//! corrections repair. Of 32 bits z is an operation of the ir; of 64 it comes from an f32 reciprocal that is never too large,
//! by two Newton steps z += mulhi(z, −d·z) in integers. Signed division works on magnitudes; narrow numbers are widened.

use super::*;

/// A quotient or remainder of integers.
pub(in crate::opt) const fn divides(a: Alu) -> bool {
    matches!(a, UDiv | SDiv | UMod | SRem | SMod)
}

/// Emits what division by `d` needs that follows from `d` alone. Divisions where it is visible share it.
pub(in crate::opt) fn divisor(b: &mut Builder, d: Value, signed: bool) {
    let mut l = Lower { b };
    let d = l.widened(d, signed);
    l.divisor(d, signed);
}

/// What follows from a divisor alone.
struct Divisor {
    /// All ones if it is negative, else zero: of signed division.
    sign: Option<Value>,
    magnitude: Value,
    /// 2ʷ/magnitude.
    reciprocal: Value,
}

impl Lower<'_> {
    pub(super) fn division(&mut self, a: Alu, n: Value, d: Value) -> Value {
        // Integers are exact anyway; so marked, what divisions by a value share would not be the same.
        let exact = std::mem::replace(&mut self.b.exact, false);
        let r = self.divide(a, n, d);
        self.b.exact = exact;
        r
    }

    fn divide(&mut self, a: Alu, n: Value, d: Value) -> Value {
        let w = self.b.width(n);
        if let Some(r) = self.b.simplified(a, w, &[n, d]) {
            return r;
        }
        let signed = matches!(a, SDiv | SRem | SMod);
        if matches!(w, B8 | B16) {
            let (n, d) = (self.widened(n, signed), self.widened(d, signed));
            let r = self.divide(a, n, d);
            return self.b.alu(UConvert, w, &[r]);
        }
        if !signed
            && w == B64
            && let (Some(n), Some(d)) = (self.narrow(n), self.narrow(d))
        {
            let r = self.divide(a, n, d);
            return self.b.alu(UConvert, B64, &[r]);
        }
        let by = self.divisor(d, signed);
        let Some(sd) = by.sign else { return self.unsigned(n, &by, a == UMod) };
        let sn = self.sign_mask(n);
        let un = self.negate_if(n, sn);
        let r = self.unsigned(un, &by, a != SDiv);
        let s = if a == SDiv { self.op(Xor, &[sn, sd]) } else { sn };
        let out = self.negate_if(r, s);
        if a != SMod {
            return out;
        }
        // The remainder takes the divisor's sign: d more, if it is not 0 and the signs differ.
        let x = self.op(Xor, &[out, d]);
        let zero = self.b.constant(w, 0);
        let (differ, nonzero) = (self.test(SLt, x, zero), self.test(INe, out, zero));
        let fix = self.b.alu(And, B1, &[differ, nonzero]);
        let up = self.op(IAdd, &[out, d]);
        self.b.select(fix, up, out)
    }

    /// Quotient, or remainder, of an unsigned number.
    fn unsigned(&mut self, n: Value, by: &Divisor, remainder: bool) -> Value {
        let (d, w) = (by.magnitude, self.b.width(n));
        let mut q = self.op(UMulHi, &[n, by.reciprocal]);
        let back = self.op(IMul, &[q, d]);
        let mut r = self.op(ISub, &[n, back]);
        let one = self.b.constant(w, 1);
        for _ in 0..2 {
            let more = self.test(ULe, d, r);
            let up = self.op(IAdd, &[q, one]);
            q = self.b.select(more, up, q);
            let down = self.op(ISub, &[r, d]);
            // Less than nothing is more than either, and one instruction where there is one.
            r = if w == B64 { self.b.select(more, down, r) } else { self.op(UMin, &[r, down]) };
        }
        if remainder { r } else { q }
    }

    fn divisor(&mut self, d: Value, signed: bool) -> Divisor {
        let sign = signed.then(|| self.sign_mask(d));
        let magnitude = sign.map_or(d, |s| self.negate_if(d, s));
        Divisor { sign, magnitude, reciprocal: self.reciprocal(magnitude) }
    }

    /// 2ʷ/d: never more, and little less.
    fn reciprocal(&mut self, d: Value) -> Value {
        let w = self.b.width(d);
        match self.b.known(d) {
            Some(k) if k != 0 => {
                let z = (1u128 << w.bits()) / u128::from(k);
                return self.b.constant(w, z.min(u128::from(fold::mask(w))) as u64);
            }
            _ if w == B32 => return self.b.alu(URcp, w, &[d]),
            _ => {}
        }
        let (d0, d1) = (self.half(Lo32, d), self.half(Hi32, d));
        let (f0, f1) = (self.half(UToF, d0), self.half(UToF, d1));
        let two_32 = self.f32(TWO_32);
        let f = self.op(FFma, &[f1, two_32, f0]);
        let r = self.op(FRcp, &[f]);
        // Four units below 2⁶⁴, so that no rounding on the way makes the reciprocal too large.
        let scale = self.b.u32(0x5f7f_fffc);
        let r = self.op(FMul, &[r, scale]);
        let (down, up) = (self.f32(1.0 / TWO_32), self.f32(-TWO_32));
        let high = self.op(FMul, &[r, down]);
        let high = self.op(FTrunc, &[high]);
        let low = self.op(FFma, &[high, up, r]);
        let (z0, z1) = (self.half(FToU, low), self.half(FToU, high));
        let mut z = self.pack(z0, z1);
        let minus = self.op(INeg, &[d]);
        for _ in 0..2 {
            let e = self.op(IMul, &[minus, z]);
            let e = self.mul_high(z, e);
            z = self.op(IAdd, &[z, e]);
        }
        z
    }

    /// All ones of a negative number, else zero.
    fn sign_mask(&mut self, x: Value) -> Value {
        let top = self.b.width(x).bits() - 1;
        self.shift(SShr, x, top)
    }

    /// A number of 8 or 16 bits in 32.
    fn widened(&mut self, v: Value, signed: bool) -> Value {
        match self.b.width(v) {
            B8 | B16 => self.b.alu(if signed { SConvert } else { UConvert }, B32, &[v]),
            _ => v,
        }
    }

    /// The 32-bit value that `v` is widened from without a sign.
    fn narrow(&mut self, v: Value) -> Option<Value> {
        if let Some(c) = self.b.known(v) {
            return (c >> 32 == 0).then(|| self.b.u32(c as u32));
        }
        match self.b.def(v) {
            Def::Alu(UConvert, [x, ..], _) if self.b.width(x) == B32 => Some(x),
            Def::Alu(UConvert, [x, ..], _) if matches!(self.b.width(x), B8 | B16) => {
                Some(self.b.alu(UConvert, B32, &[x]))
            }
            Def::Alu(Pack64, [lo, hi, ..], _) if self.b.known(hi) == Some(0) => Some(lo),
            _ => None,
        }
    }
}
