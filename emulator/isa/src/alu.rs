//! The algebra that bodies are written in: raw 32-bit values and conditions.
//!
//! A body is generic over [`Alu`], so one text serves the whole-wave interpreter, the one-lane reference, the constant
//! folder and whatever comes later. Float operations follow the MODE register that the engine carries (rounding,
//! denormals), never the host's defaults.

use crate::row::Row;

pub trait Alu {
    /// 32 raw bits.
    type B: Copy;
    /// A condition.
    type C: Copy;

    fn lit(&mut self, v: u32) -> Self::B;
    fn add(&mut self, a: Self::B, b: Self::B) -> Self::B;
    fn sub(&mut self, a: Self::B, b: Self::B) -> Self::B;
    fn and(&mut self, a: Self::B, b: Self::B) -> Self::B;
    fn ult(&mut self, a: Self::B, b: Self::B) -> Self::C;
    fn sel(&mut self, c: Self::C, t: Self::B, f: Self::B) -> Self::B;
    fn fadd(&mut self, a: Self::B, b: Self::B) -> Self::B;
    fn ffma(&mut self, a: Self::B, b: Self::B, c: Self::B) -> Self::B;
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

/// Something that wants every row: `insts::instantiate::<E>()` gives one `E::Out` per row, in `Op` order.
pub trait Engine {
    type Out;
    fn lane<K: Lane>(row: &'static Row) -> Self::Out;
    fn compare<K: Compare>(row: &'static Row) -> Self::Out;
    fn carry<K: Carry>(row: &'static Row) -> Self::Out;
    fn wide<K: Wide>(row: &'static Row) -> Self::Out;
    /// Rows whose meaning is data: `row.sem` is Mem, Wave, Control or Todo.
    fn data(row: &'static Row) -> Self::Out;
}
