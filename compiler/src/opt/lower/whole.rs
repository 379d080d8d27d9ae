//! f64 rounded to whole numbers, for machines without the instructions: the bits of the fraction are cleared, and one is
//! added or taken away where that was the wrong way.

use super::*;
use wavepipe_isa::insts;

/// Whether an operation on values of this width is done by the bits.
pub(super) fn wanted(k: &Kernel, a: Alu, from: Width) -> bool {
    from == B64 && matches!(a, FTrunc | FFloor | FCeil | FRoundEven | FRem | FMod) && !insts::V_TRUNC_F64.exists(k.isa)
}

impl Lower<'_> {
    pub(super) fn whole(&mut self, a: Alu, args: &[Value]) -> Value {
        let x = args[0];
        if let (FRem | FMod, &[x, y]) = (a, args) {
            let q = self.op(FDiv, &[x, y]);
            let q = self.op(if a == FRem { FTrunc } else { FFloor }, &[q]);
            let minus = self.op(FNeg, &[y]);
            return self.op(FFma, &[q, minus, x]);
        }
        let t = self.truncated(x);
        if a == FTrunc {
            return t;
        }
        let (one, minus) = (self.c64(1f64.to_bits()), self.c64((-1f64).to_bits()));
        let (away, step) = match a {
            FFloor => (self.test(FOrdLt, x, t), minus),
            FCeil => (self.test(FOrdGt, x, t), one),
            _ => {
                // More than a half away, or a half from an odd number.
                let rest = self.op(FSub, &[x, t]);
                let rest = self.op(FAbs, &[rest]);
                let half = self.c64(0.5f64.to_bits());
                let halved = self.op(FMul, &[t, half]);
                let even = self.truncated(halved);
                let (more, tie) = (self.test(FOrdGt, rest, half), self.test(FOrdEq, rest, half));
                let odd = self.test(FOrdNe, even, halved);
                let tie = self.b.alu(And, B1, &[tie, odd]);
                let negative = self.half(Hi32, x);
                let zero = self.b.u32(0);
                let negative = self.test(SLt, negative, zero);
                (self.b.alu(Or, B1, &[more, tie]), self.b.select(negative, minus, one))
            }
        };
        let stepped = self.op(FAdd, &[t, step]);
        self.b.select(away, stepped, t)
    }

    /// Towards zero. Below one only the sign is left; from 2⁵² on, and of infinities and NaNs, everything stays.
    fn truncated(&mut self, x: Value) -> Value {
        let hi = self.half(Hi32, x);
        let (at, bits, bias) = (self.b.u32(20), self.b.u32(11), self.b.u32(1023));
        let exponent = self.op(UBfe, &[hi, at, bits]);
        let exponent = self.op(ISub, &[exponent, bias]);
        let fraction = self.c64((1 << 52) - 1);
        let fraction = self.op(UShr, &[fraction, exponent]);
        let kept = self.op(Not, &[fraction]);
        let kept = self.op(And, &[x, kept]);
        let (zero, sign, last) = (self.b.u32(0), self.b.u32(1 << 31), self.b.u32(51));
        let signed = self.op(And, &[hi, sign]);
        let signed = self.pack(zero, signed);
        let (small, large) = (self.test(SLt, exponent, zero), self.test(SLt, last, exponent));
        let r = self.b.select(large, x, kept);
        self.b.select(small, signed, r)
    }
}
