//! The algebra that bodies are written in: raw 32-bit values and conditions.
//!
//! A body is generic over [`Alu`], so one text serves the whole-wave interpreter, the one-lane reference, the constant
//! folder and whatever comes later. Float operations follow the MODE register that the engine carries (rounding,
//! denormals), never the host's defaults: [`Nearest`] is the policy of a Vulkan launch, [`Host`] any policy.

mod host;
mod partial;
pub mod soft;

pub use host::{FpMode, Host, Nearest};
pub use partial::{Bits, Partial, Truth};

/// f32 values are their bits; f16 values are the low 16 bits of a word (bits above are ignored on input and zero on
/// output); 64-bit values are `[low, high]`.
pub trait Alu: Sized {
    /// 32 raw bits.
    type B: Copy;
    /// A condition.
    type C: Copy;

    fn lit(&mut self, v: u32) -> Self::B;
    fn truth(&mut self, v: bool) -> Self::C;
    /// `c ? t : f`
    fn sel(&mut self, c: Self::C, t: Self::B, f: Self::B) -> Self::B;
    fn cand(&mut self, a: Self::C, b: Self::C) -> Self::C;
    fn cor(&mut self, a: Self::C, b: Self::C) -> Self::C;
    fn cnot(&mut self, a: Self::C) -> Self::C;

    fn add(&mut self, a: Self::B, b: Self::B) -> Self::B;
    fn sub(&mut self, a: Self::B, b: Self::B) -> Self::B;
    /// Low 32 bits of the product.
    fn mul(&mut self, a: Self::B, b: Self::B) -> Self::B;
    /// High 32 bits of the unsigned product.
    fn umulhi(&mut self, a: Self::B, b: Self::B) -> Self::B;
    /// High 32 bits of the signed product.
    fn smulhi(&mut self, a: Self::B, b: Self::B) -> Self::B;
    fn and(&mut self, a: Self::B, b: Self::B) -> Self::B;
    fn or(&mut self, a: Self::B, b: Self::B) -> Self::B;
    fn xor(&mut self, a: Self::B, b: Self::B) -> Self::B;
    fn not(&mut self, a: Self::B) -> Self::B;
    /// Shifts take the low five bits of the count.
    fn shl(&mut self, a: Self::B, n: Self::B) -> Self::B;
    fn shr(&mut self, a: Self::B, n: Self::B) -> Self::B;
    fn sar(&mut self, a: Self::B, n: Self::B) -> Self::B;
    fn brev(&mut self, a: Self::B) -> Self::B;
    fn popcnt(&mut self, a: Self::B) -> Self::B;
    /// Leading zeros; 32 for zero.
    fn clz(&mut self, a: Self::B) -> Self::B;
    /// Trailing zeros; 32 for zero.
    fn ctz(&mut self, a: Self::B) -> Self::B;
    fn eq(&mut self, a: Self::B, b: Self::B) -> Self::C;
    fn ult(&mut self, a: Self::B, b: Self::B) -> Self::C;
    fn slt(&mut self, a: Self::B, b: Self::B) -> Self::C;

    fn fadd(&mut self, a: Self::B, b: Self::B) -> Self::B;
    fn fmul(&mut self, a: Self::B, b: Self::B) -> Self::B;
    fn ffma(&mut self, a: Self::B, b: Self::B, c: Self::B) -> Self::B;
    /// IEEE-754 minNum with −0 < +0; quiets a signalling NaN if MODE.ieee.
    fn fmin(&mut self, a: Self::B, b: Self::B) -> Self::B;
    fn fmax(&mut self, a: Self::B, b: Self::B) -> Self::B;
    /// Ordered comparisons: false if either is NaN.
    fn feq(&mut self, a: Self::B, b: Self::B) -> Self::C;
    fn flt(&mut self, a: Self::B, b: Self::B) -> Self::C;
    fn fle(&mut self, a: Self::B, b: Self::B) -> Self::C;
    fn ftrunc(&mut self, a: Self::B) -> Self::B;
    fn ffloor(&mut self, a: Self::B) -> Self::B;
    fn fceil(&mut self, a: Self::B) -> Self::B;
    /// Ties to even.
    fn frndne(&mut self, a: Self::B) -> Self::B;
    /// Correctly rounded to nearest, which is within the hardware's 1 ulp; so are `frcp` and (within 1 ulp) `frsq`.
    fn fsqrt(&mut self, a: Self::B) -> Self::B;
    fn frcp(&mut self, a: Self::B) -> Self::B;
    fn frsq(&mut self, a: Self::B) -> Self::B;
    /// `a · 2^n` for a signed integer `n`, one rounding.
    fn fldexp(&mut self, a: Self::B, n: Self::B) -> Self::B;
    fn f32_from_i32(&mut self, a: Self::B) -> Self::B;
    fn f32_from_u32(&mut self, a: Self::B) -> Self::B;
    /// Toward zero, saturated, NaN gives 0.
    fn i32_from_f32(&mut self, a: Self::B) -> Self::B;
    fn u32_from_f32(&mut self, a: Self::B) -> Self::B;

    fn f16_from_f32(&mut self, a: Self::B) -> Self::B;
    /// Rounded toward zero whatever the mode.
    fn f16_from_f32_rtz(&mut self, a: Self::B) -> Self::B;
    fn f32_from_f16(&mut self, a: Self::B) -> Self::B;
    fn hadd(&mut self, a: Self::B, b: Self::B) -> Self::B;
    fn hmul(&mut self, a: Self::B, b: Self::B) -> Self::B;
    fn hfma(&mut self, a: Self::B, b: Self::B, c: Self::B) -> Self::B;
    /// As [`Alu::fmin`] and [`Alu::fmax`].
    fn hmin(&mut self, a: Self::B, b: Self::B) -> Self::B;
    fn hmax(&mut self, a: Self::B, b: Self::B) -> Self::B;

    fn dadd(&mut self, a: [Self::B; 2], b: [Self::B; 2]) -> [Self::B; 2];
    fn dmul(&mut self, a: [Self::B; 2], b: [Self::B; 2]) -> [Self::B; 2];
    fn dfma(&mut self, a: [Self::B; 2], b: [Self::B; 2], c: [Self::B; 2]) -> [Self::B; 2];
    fn dmin(&mut self, a: [Self::B; 2], b: [Self::B; 2]) -> [Self::B; 2];
    fn dmax(&mut self, a: [Self::B; 2], b: [Self::B; 2]) -> [Self::B; 2];
    fn deq(&mut self, a: [Self::B; 2], b: [Self::B; 2]) -> Self::C;
    fn dlt(&mut self, a: [Self::B; 2], b: [Self::B; 2]) -> Self::C;
    fn dle(&mut self, a: [Self::B; 2], b: [Self::B; 2]) -> Self::C;
    fn dtrunc(&mut self, a: [Self::B; 2]) -> [Self::B; 2];
    fn dfloor(&mut self, a: [Self::B; 2]) -> [Self::B; 2];
    fn dceil(&mut self, a: [Self::B; 2]) -> [Self::B; 2];
    fn drndne(&mut self, a: [Self::B; 2]) -> [Self::B; 2];
    fn dsqrt(&mut self, a: [Self::B; 2]) -> [Self::B; 2];
    fn drcp(&mut self, a: [Self::B; 2]) -> [Self::B; 2];
    fn drsq(&mut self, a: [Self::B; 2]) -> [Self::B; 2];
    fn dldexp(&mut self, a: [Self::B; 2], n: Self::B) -> [Self::B; 2];
    fn f64_from_i32(&mut self, a: Self::B) -> [Self::B; 2];
    fn f64_from_u32(&mut self, a: Self::B) -> [Self::B; 2];
    fn f64_from_f32(&mut self, a: Self::B) -> [Self::B; 2];
    fn i32_from_f64(&mut self, a: [Self::B; 2]) -> Self::B;
    fn u32_from_f64(&mut self, a: [Self::B; 2]) -> Self::B;
    fn f32_from_f64(&mut self, a: [Self::B; 2]) -> Self::B;
}

/// A meaning with 32-bit sources and a 32-bit result. Unused sources hold anything.
pub trait Lane: 'static {
    fn eval<A: Alu>(a: &mut A, s: [A::B; 3]) -> A::B;
}

/// Sources (low, high words; 32-bit operands use the low word) → condition.
pub trait Compare: 'static {
    fn eval<A: Alu>(a: &mut A, s: [[A::B; 2]; 2]) -> A::C;
}

/// 32-bit sources and a carry-in → result and carry-out.
pub trait Carry: 'static {
    fn eval<A: Alu>(a: &mut A, s: [A::B; 3], carry: A::C) -> (A::B, A::C);
}

/// Sources and result of up to 64 bits as (low, high), and a condition (carry out, SCC; anything if the row has none).
pub trait Wide: 'static {
    fn eval<A: Alu>(a: &mut A, s: [[A::B; 2]; 3]) -> ([A::B; 2], A::C);
}

/// As [`Wide`], with a condition in.
pub trait WideCarry: 'static {
    fn eval<A: Alu>(a: &mut A, s: [[A::B; 2]; 3], carry: A::C) -> ([A::B; 2], A::C);
}

/// f16 bits of a value, to nearest even.
pub fn f16_bits(v: f64) -> u32 {
    soft::narrow(v, soft::F16, 0)
}
