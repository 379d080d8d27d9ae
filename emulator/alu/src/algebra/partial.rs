//! The algebra on values that are defined in part: each bit has a value, or depends on something that never got one.
//!
//! What an operation says is defined is so whatever the undefined bits are (a test flips them, for every body); what it says
//! is undefined may be defined all the same where that would take more than a few steps to see. Bitwise operations, shifts by defined
//! counts and selections are exact. Sums, differences and counts are taken between their least and their greatest value: the
//! bits above the highest one in which these differ are defined. Of floats one undefined bit makes all of the result undefined.

use super::{Alu, FpMode, Host};

/// 32 bits. What `value` has in the place of an undefined bit is one of the possibilities.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Bits {
    pub value: u32,
    pub undefined: u32,
}

impl Bits {
    pub const fn new(value: u32, undefined: u32) -> Bits {
        Bits { value, undefined }
    }

    pub const fn defined(value: u32) -> Bits {
        Bits { value, undefined: 0 }
    }

    /// The value with all undefined bits clear, and set.
    const fn ends(self) -> (u32, u32) {
        (self.value & !self.undefined, self.value | self.undefined)
    }

    /// The same as signed numbers.
    const fn signed_ends(self) -> (i32, i32) {
        const SIGN: u32 = 1 << 31;
        let (low, high) = Bits::new(self.value ^ SIGN, self.undefined).ends();
        ((low ^ SIGN) as i32, (high ^ SIGN) as i32)
    }
}

/// A condition.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Truth {
    pub value: bool,
    pub undefined: bool,
}

impl Truth {
    pub const fn new(value: bool, undefined: bool) -> Truth {
        Truth { value, undefined }
    }
}

/// Values by [`Host`].
#[derive(Clone, Copy, Default, Debug)]
pub struct Partial(Host);

impl Partial {
    pub const fn new(mode: FpMode) -> Partial {
        Partial(Host { mode })
    }
}

/// The highest set bit and all below it.
const fn below(bits: u32) -> u32 {
    match bits.leading_zeros() {
        32 => 0,
        n => !0 >> n,
    }
}

/// All, if any is.
const fn all(undefined: u32) -> u32 {
    if undefined != 0 { !0 } else { 0 }
}

/// The bits that may differ between numbers from `low` to `high`.
const fn between(low: u32, high: u32) -> u32 {
    below(low ^ high)
}

type B = Bits;
type D = [Bits; 2];

fn values(v: D) -> [u32; 2] {
    v.map(|b| b.value)
}

/// Both words of a result that comes of all of `of`.
fn wide(value: [u32; 2], of: &[D]) -> D {
    let any = of.iter().flatten().fold(0, |u, b| u | b.undefined);
    value.map(|v| Bits::new(v, all(any)))
}

impl Partial {
    fn product(a: B, b: B) -> u32 {
        // Undefined from bit i on, times a multiple of 2^n, is undefined from bit i + n on.
        let from = |x: B, y: B| x.undefined.trailing_zeros() + y.ends().1.trailing_zeros();
        match from(a, b).min(from(b, a)) {
            n @ 0..=31 if a.undefined | b.undefined != 0 => !0 << n,
            _ => 0,
        }
    }
}

/// Float operations: name(sources) and the bits of a source that count.
macro_rules! floats {
    ($($name:ident($($x:ident),*) $mask:literal => $result:literal;)*) => { $(
        fn $name(&mut self, $($x: B),*) -> B {
            let any = 0 $(| $x.undefined)*;
            Bits::new(self.0.$name($($x.value),*), if any & $mask != 0 { $result } else { 0 })
        }
    )* };
}

/// Comparisons of floats.
macro_rules! orders {
    ($($name:ident)*) => { $(
        fn $name(&mut self, a: B, b: B) -> Truth {
            Truth::new(self.0.$name(a.value, b.value), a.undefined | b.undefined != 0)
        }
    )* };
}

/// Operations on f64.
macro_rules! doubles {
    ($($name:ident($($x:ident),*);)*) => { $(
        fn $name(&mut self, $($x: D),*) -> D {
            wide(self.0.$name($(values($x)),*), &[$($x),*])
        }
    )* };
}

macro_rules! double_orders {
    ($($name:ident)*) => { $(
        fn $name(&mut self, a: D, b: D) -> Truth {
            let any = [a, b].iter().flatten().any(|b| b.undefined != 0);
            Truth::new(self.0.$name(values(a), values(b)), any)
        }
    )* };
}

/// Conversions from f64.
macro_rules! narrowed {
    ($($name:ident)*) => { $(
        fn $name(&mut self, a: D) -> B {
            Bits::new(self.0.$name(values(a)), all(a[0].undefined | a[1].undefined))
        }
    )* };
}

/// Conversions to f64.
macro_rules! widened {
    ($($name:ident)*) => { $(
        fn $name(&mut self, a: B) -> D {
            wide(self.0.$name(a.value), &[[a, a]])
        }
    )* };
}

impl Alu for Partial {
    type B = Bits;
    type C = Truth;

    fn lit(&mut self, v: u32) -> B {
        Bits::defined(v)
    }
    fn truth(&mut self, v: bool) -> Truth {
        Truth::new(v, false)
    }
    fn sel(&mut self, c: Truth, t: B, f: B) -> B {
        let chosen = if c.value { t } else { f };
        let either = t.value ^ f.value | t.undefined | f.undefined;
        Bits::new(chosen.value, if c.undefined { either } else { chosen.undefined })
    }
    fn cand(&mut self, a: Truth, b: Truth) -> Truth {
        let may = |c: Truth| c.value || c.undefined;
        Truth::new(a.value && b.value, (a.undefined || b.undefined) && may(a) && may(b))
    }
    fn cor(&mut self, a: Truth, b: Truth) -> Truth {
        let may_not = |c: Truth| !c.value || c.undefined;
        Truth::new(a.value || b.value, (a.undefined || b.undefined) && may_not(a) && may_not(b))
    }
    fn cnot(&mut self, a: Truth) -> Truth {
        Truth::new(!a.value, a.undefined)
    }

    fn add(&mut self, a: B, b: B) -> B {
        let ((a0, a1), (b0, b1)) = (a.ends(), b.ends());
        // A bit whose carry in is the same at both ends has that carry in always.
        let carries = a0.wrapping_add(b0) ^ a1.wrapping_add(b1);
        Bits::new(a.value.wrapping_add(b.value), carries | a.undefined | b.undefined)
    }
    fn sub(&mut self, a: B, b: B) -> B {
        let ((a0, a1), (b0, b1)) = (a.ends(), b.ends());
        let borrows = a0.wrapping_sub(b1) ^ a1.wrapping_sub(b0);
        Bits::new(a.value.wrapping_sub(b.value), borrows | a.undefined | b.undefined)
    }
    fn mul(&mut self, a: B, b: B) -> B {
        Bits::new(a.value.wrapping_mul(b.value), Self::product(a, b))
    }
    fn umulhi(&mut self, a: B, b: B) -> B {
        let ((a0, a1), (b0, b1)) = (a.ends(), b.ends());
        let (low, high) = (self.0.umulhi(a0, b0), self.0.umulhi(a1, b1));
        Bits::new(self.0.umulhi(a.value, b.value), between(low, high))
    }
    fn smulhi(&mut self, a: B, b: B) -> B {
        let zero = a.ends().1 == 0 || b.ends().1 == 0;
        let undefined = if zero { 0 } else { all(a.undefined | b.undefined) };
        Bits::new(self.0.smulhi(a.value, b.value), undefined)
    }
    fn and(&mut self, a: B, b: B) -> B {
        Bits::new(a.value & b.value, (a.undefined | b.undefined) & a.ends().1 & b.ends().1)
    }
    fn or(&mut self, a: B, b: B) -> B {
        Bits::new(a.value | b.value, (a.undefined | b.undefined) & !a.ends().0 & !b.ends().0)
    }
    fn xor(&mut self, a: B, b: B) -> B {
        Bits::new(a.value ^ b.value, a.undefined | b.undefined)
    }
    fn not(&mut self, a: B) -> B {
        Bits::new(!a.value, a.undefined)
    }
    fn shl(&mut self, a: B, n: B) -> B {
        let (known, low) = (n.undefined & 31 == 0, a.ends().1.trailing_zeros());
        let undefined = match low {
            _ if known => a.undefined << (n.value & 31),
            // Zeros come in below, and those that are there go up.
            0..=31 => !0 << low,
            _ => 0,
        };
        Bits::new(a.value << (n.value & 31), undefined)
    }
    fn shr(&mut self, a: B, n: B) -> B {
        let known = n.undefined & 31 == 0;
        let undefined = if known { a.undefined >> (n.value & 31) } else { below(a.ends().1) };
        Bits::new(a.value >> (n.value & 31), undefined)
    }
    fn sar(&mut self, a: B, n: B) -> B {
        let known = n.undefined & 31 == 0;
        let (low, high) = a.ends();
        let undefined = match () {
            () if known => (a.undefined as i32 >> (n.value & 31)) as u32,
            // All that the sign does not reach.
            () if high >> 31 == 0 => below(high),
            () if low >> 31 != 0 => below(!low),
            () => !0,
        };
        Bits::new((a.value as i32 >> (n.value & 31)) as u32, undefined)
    }
    fn brev(&mut self, a: B) -> B {
        Bits::new(a.value.reverse_bits(), a.undefined.reverse_bits())
    }
    fn popcnt(&mut self, a: B) -> B {
        let (low, high) = a.ends();
        Bits::new(a.value.count_ones(), between(low.count_ones(), high.count_ones()))
    }
    fn clz(&mut self, a: B) -> B {
        let (low, high) = a.ends();
        Bits::new(a.value.leading_zeros(), between(high.leading_zeros(), low.leading_zeros()))
    }
    fn ctz(&mut self, a: B) -> B {
        let (low, high) = a.ends();
        Bits::new(a.value.trailing_zeros(), between(high.trailing_zeros(), low.trailing_zeros()))
    }
    fn eq(&mut self, a: B, b: B) -> Truth {
        let undefined = a.undefined | b.undefined;
        let differ = (a.value ^ b.value) & !undefined != 0;
        Truth::new(a.value == b.value, undefined != 0 && !differ)
    }
    fn ult(&mut self, a: B, b: B) -> Truth {
        let ((a0, a1), (b0, b1)) = (a.ends(), b.ends());
        Truth::new(a.value < b.value, (a1 < b0) != (a0 < b1))
    }
    fn slt(&mut self, a: B, b: B) -> Truth {
        let ((a0, a1), (b0, b1)) = (a.signed_ends(), b.signed_ends());
        Truth::new((a.value as i32) < b.value as i32, (a1 < b0) != (a0 < b1))
    }

    floats! {
        fadd(a, b) 0xffff_ffff => 0xffff_ffff;
        fmul(a, b) 0xffff_ffff => 0xffff_ffff;
        ffma(a, b, c) 0xffff_ffff => 0xffff_ffff;
        fmin(a, b) 0xffff_ffff => 0xffff_ffff;
        fmax(a, b) 0xffff_ffff => 0xffff_ffff;
        ftrunc(a) 0xffff_ffff => 0xffff_ffff;
        ffloor(a) 0xffff_ffff => 0xffff_ffff;
        fceil(a) 0xffff_ffff => 0xffff_ffff;
        frndne(a) 0xffff_ffff => 0xffff_ffff;
        fsqrt(a) 0xffff_ffff => 0xffff_ffff;
        frcp(a) 0xffff_ffff => 0xffff_ffff;
        frsq(a) 0xffff_ffff => 0xffff_ffff;
        fldexp(a, n) 0xffff_ffff => 0xffff_ffff;
        f32_from_i32(a) 0xffff_ffff => 0xffff_ffff;
        f32_from_u32(a) 0xffff_ffff => 0xffff_ffff;
        i32_from_f32(a) 0xffff_ffff => 0xffff_ffff;
        u32_from_f32(a) 0xffff_ffff => 0xffff_ffff;
        f16_from_f32(a) 0xffff_ffff => 0xffff;
        f16_from_f32_rtz(a) 0xffff_ffff => 0xffff;
        f32_from_f16(a) 0xffff => 0xffff_ffff;
        hadd(a, b) 0xffff => 0xffff;
        hmul(a, b) 0xffff => 0xffff;
        hfma(a, b, c) 0xffff => 0xffff;
        hmin(a, b) 0xffff => 0xffff;
        hmax(a, b) 0xffff => 0xffff;
    }
    orders! { feq flt fle }
    doubles! {
        dadd(a, b);
        dmul(a, b);
        dfma(a, b, c);
        dmin(a, b);
        dmax(a, b);
        dtrunc(a);
        dfloor(a);
        dceil(a);
        drndne(a);
        dsqrt(a);
        drcp(a);
        drsq(a);
    }
    fn dldexp(&mut self, a: D, n: B) -> D {
        wide(self.0.dldexp(values(a), n.value), &[a, [n, n]])
    }
    double_orders! { deq dlt dle }
    narrowed! { i32_from_f64 u32_from_f64 f32_from_f64 }
    widened! { f64_from_i32 f64_from_u32 f64_from_f32 }
}
