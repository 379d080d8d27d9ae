//! f16 for machines that only convert it: each operation in f32, whose result is rounded again.
//!
//! f32 has more than twice f16's bits and two, so rounding twice is rounding once for a sum, a product, a quotient and a root
//! (Figueroa, "When is double rounding innocuous?", 1995), if both round to nearest. For other modes, and for the fused
//! operation, f64 has room for all bits that can decide, and its conversion rounds once ([`Lower::to_half`]).

use super::*;
use wavepipe_isa::insts;

/// Whether an operation on values of this width becomes one on f32.
pub(super) fn wanted(k: &Kernel, a: Alu, from: Width) -> bool {
    let arithmetic = match a {
        FAdd | FSub | FMul | FDiv | FRem | FMod | FSign | FFloor | FCeil | FTrunc | FRoundEven | FFract | FSqrt
        | FRsq | FRcp | FExp2 | FLog2 | FSin | FCos | FFma | FMin | FMax | FSat | FLdexp | FFrexpMant | FFrexpExp => {
            true
        }
        // Bits, unless denormals count as zero.
        FNeg | FAbs => k.flushes(B16),
        _ => a.compares_floats(),
    };
    from == B16 && arithmetic && !insts::V_ADD_F16.exists(k.isa)
}

/// Whether a reduction of floats is one of f32.
pub(super) fn reduces(k: &Kernel, s: Subgroup, width: Width) -> bool {
    use ReduceOp as R;
    let float = matches!(s, Subgroup::Reduce { op: R::FAdd | R::FMul | R::FMin | R::FMax, .. });
    float && width == B16 && !insts::V_ADD_F16.exists(k.isa)
}

impl Lower<'_> {
    pub(super) fn by_single(&mut self, a: Alu, to: Width, args: &[Value]) -> Value {
        let mode = self.b.kernel.mode;
        let nearest = mode.round(true) == 0 && mode.round(false) == 0;
        let w = match a {
            FFma => B64,
            FAdd | FSub | FMul if !nearest => B64,
            _ => B32,
        };
        let wide = |l: &mut Self, v: Value| if l.b.width(v) == B16 { l.b.alu(FConvert, w, &[v]) } else { v };
        let args: Vec<Value> = args.iter().map(|&v| wide(self, v)).collect();
        if to != B16 {
            return self.b.alu(a, to, &args);
        }
        let mut r = self.b.alu(a, w, &args);
        if a == FFract {
            // What is just below one must not round to one.
            let most = self.f32(0.999_511_718_75);
            r = self.op(FMin, &[r, most]);
        }
        self.alu(FConvert, B16, &[r])
    }
}
