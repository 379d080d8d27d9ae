//! What of MODE a body depends on, and how many float operations it is. Bodies cannot branch on values, so evaluating one on
//! no values at all passes every operation that it is made of; each operation says which fields of MODE it reads.

use crate::alu::{Alu, Carry, Compare, Engine, FpMode, Lane, Wide, WideCarry};
use crate::insts::{self, Op};
use crate::row::{Class, Row, Ty};
use std::sync::LazyLock;

bitflags::bitflags! {
    /// Parts of MODE that can change a result.
    #[derive(Clone, Copy, PartialEq, Eq, Debug, Hash, Default)]
    pub struct ModeParts: u8 {
        /// Rounding and denormals of f32.
        const F32 = 1 << 0;
        /// Rounding and denormals of f16 and f64, overflow of f16.
        const F16_F64 = 1 << 1;
        /// Signalling NaNs in minimum and maximum.
        const IEEE = 1 << 2;
    }
}

impl ModeParts {
    /// The parts in which a mode differs from what [`crate::alu::Nearest`] computes.
    pub const fn unusual(mode: FpMode) -> ModeParts {
        let f32 = if mode.round32 == 0 && mode.denorm32 == 3 { 0 } else { Self::F32.bits() };
        let other =
            if mode.round16_64 == 0 && mode.denorm16_64 == 3 && !mode.fp16_ovfl { 0 } else { Self::F16_F64.bits() };
        let ieee = if mode.ieee { Self::IEEE.bits() } else { 0 };
        ModeParts::from_bits_truncate(f32 | other | ieee)
    }
}

/// The parts of MODE that a row's body reads; empty for rows without one.
pub fn mode_parts(op: Op) -> ModeParts {
    watched(op).seen
}

/// What one lane computes: additions and multiplications, of which a fused one is two, by precision: f16, f32, f64. A
/// transcendental instruction is one operation, whatever its body takes to say it. Minima, comparisons, roundings and moves
/// are none. This is how peak rates are counted.
pub fn float_ops(op: Op) -> [u8; 3] {
    let row = op.row();
    match (row.class, row.dst.first()) {
        (Class::Trans, Some(Ty::F16)) => [1, 0, 0],
        (Class::Trans, _) => [0, 1, 0],
        _ => watched(op).ops,
    }
}

/// Whether a lane multiplies, divides or takes a root of f64, which takes other hardware longer than a sum or a comparison.
pub fn double_products(op: Op) -> bool {
    watched(op).products
}

fn watched(op: Op) -> &'static Watch {
    static ALL: LazyLock<Vec<Watch>> = LazyLock::new(insts::instantiate::<Watching>);
    &ALL[op.0 as usize]
}

struct Watching;

impl Engine for Watching {
    type Out = Watch;
    fn lane<K: Lane>(_: &'static Row) -> Watch {
        let mut w = Watch::default();
        K::eval(&mut w, [(); 3]);
        w
    }
    fn compare<K: Compare>(_: &'static Row) -> Watch {
        let mut w = Watch::default();
        K::eval(&mut w, [[(); 2]; 2]);
        w
    }
    fn carry<K: Carry>(_: &'static Row) -> Watch {
        let mut w = Watch::default();
        K::eval(&mut w, [(); 3], ());
        w
    }
    fn wide<K: Wide>(_: &'static Row) -> Watch {
        let mut w = Watch::default();
        K::eval(&mut w, [[(); 2]; 3]);
        w
    }
    fn wide_carry<K: WideCarry>(_: &'static Row) -> Watch {
        let mut w = Watch::default();
        K::eval(&mut w, [[(); 2]; 3], ());
        w
    }
    fn data(_: &'static Row) -> Watch {
        Watch::default()
    }
}

#[derive(Default)]
struct Watch {
    seen: ModeParts,
    /// It multiplies, divides or takes a root of f64.
    products: bool,
    /// Additions and multiplications of f16, f32, f64.
    ops: [u8; 3],
}

impl Watch {
    /// Returns true if the operation reads nothing of MODE: such ones are no float operations either.
    const fn is_nothing(&self) -> bool {
        self.seen.is_empty()
    }

    /// Adds what an operation reads and is. A call, since it is in every body once for each operation.
    #[inline(never)]
    fn note(&mut self, operation: &Watch) {
        self.seen |= operation.seen;
        self.products |= operation.products;
        self.ops.iter_mut().zip(operation.ops).for_each(|(all, n)| *all = all.saturating_add(n));
    }
}

/// One list of operations a line of parts: `name(operands) -> result`, where B is a word, D a double, C a condition; and
/// how many float operations each is: f16, f32, f64.
macro_rules! watch {
    (@ty B) => { () };
    (@ty C) => { () };
    (@ty D) => { [(); 2] };
    (@value B) => { () };
    (@value C) => { () };
    (@value D) => { [(); 2] };
    ($($parts:expr, $ops:expr, $products:expr => $($name:ident($($arg:tt)*) $out:tt),*;)*) => {
        $($( fn $name(&mut self, $(_: watch!(@ty $arg)),*) -> watch!(@ty $out) {
            const NOTED: Watch = Watch { seen: $parts, products: $products, ops: $ops };
            if !NOTED.is_nothing() {
                self.note(&NOTED);
            }
            watch!(@value $out)
        } )*)*
    };
}

impl Alu for Watch {
    type B = ();
    type C = ();
    fn lit(&mut self, _: u32) {}
    fn truth(&mut self, _: bool) {}
    watch! {
        ModeParts::empty(), [0; 3], false =>
            sel(C B B) B, cand(C C) C, cor(C C) C, cnot(C) C, add(B B) B, sub(B B) B, mul(B B) B, umulhi(B B) B,
            smulhi(B B) B, and(B B) B, or(B B) B, xor(B B) B, not(B) B, shl(B B) B, shr(B B) B, sar(B B) B, brev(B) B,
            popcnt(B) B, clz(B) B, ctz(B) B, eq(B B) C, ult(B B) C, slt(B B) C;
        ModeParts::F32, [0, 1, 0], false => fadd(B B) B, fmul(B B) B;
        ModeParts::F32, [0, 2, 0], false => ffma(B B B) B;
        ModeParts::F32, [0; 3], false =>
            feq(B B) C, flt(B B) C, fle(B B) C, ftrunc(B) B, ffloor(B) B, fceil(B) B, frndne(B) B, fsqrt(B) B, frcp(B) B, frsq(B) B, fldexp(B B) B, f32_from_i32(B) B,
            f32_from_u32(B) B, i32_from_f32(B) B, u32_from_f32(B) B;
        ModeParts::F32.union(ModeParts::IEEE), [0; 3], false => fmin(B B) B, fmax(B B) B;
        ModeParts::F16_F64, [1, 0, 0], false => hadd(B B) B, hmul(B B) B;
        ModeParts::F16_F64, [2, 0, 0], false => hfma(B B B) B;
        ModeParts::F16_F64, [0, 0, 1], false => dadd(D D) D;
        ModeParts::F16_F64, [0, 0, 1], true => dmul(D D) D;
        ModeParts::F16_F64, [0, 0, 2], true => dfma(D D D) D;
        ModeParts::F16_F64, [0; 3], false =>
            deq(D D) C, dlt(D D) C, dle(D D) C, dtrunc(D) D, dfloor(D) D, dceil(D) D, drndne(D) D,
            dldexp(D B) D, f64_from_i32(B) D, f64_from_u32(B) D, i32_from_f64(D) B, u32_from_f64(D) B;
        ModeParts::F16_F64, [0; 3], true => dsqrt(D) D, drcp(D) D, drsq(D) D;
        ModeParts::F16_F64.union(ModeParts::IEEE), [0; 3], false => hmin(B B) B, hmax(B B) B, dmin(D D) D, dmax(D D) D;
        ModeParts::F32.union(ModeParts::F16_F64), [0; 3], false =>
            f16_from_f32(B) B, f16_from_f32_rtz(B) B, f32_from_f16(B) B, f64_from_f32(B) D, f32_from_f64(D) B;
    }
}
