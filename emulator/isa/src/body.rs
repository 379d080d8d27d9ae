//! Pure meanings, each written once.

use crate::alu::{Alu, Carry, Lane};

/// Names a [`Lane`] body: `lane! { add_u32 |a, x, y, z| a.add(x, y) }`.
macro_rules! lane { ($($(#[$doc:meta])* $id:ident |$a:ident, $x:pat_param, $y:pat_param, $z:pat_param| $body:expr;)*) => { $(
    $(#[$doc])* #[allow(non_camel_case_types)] pub struct $id;
    impl Lane for $id {
        #[inline(always)]
        fn eval<A: Alu>($a: &mut A, [$x, $y, $z]: [A::B; 3]) -> A::B { $body }
    } )* } }

lane! {
    add_u32 |a, x, y, _| a.add(x, y);
    add_f32 |a, x, y, _| a.fadd(x, y);
    fma_f32 |a, x, y, z| a.ffma(x, y, z);
}

#[allow(non_camel_case_types)]
pub struct addc_u32;
impl Carry for addc_u32 {
    #[inline(always)]
    fn eval<A: Alu>(a: &mut A, [x, y, _]: [A::B; 3], carry: A::C) -> (A::B, A::C) {
        let sum = a.add(x, y);
        let first = a.ult(sum, x);
        let (one, zero) = (a.lit(1), a.lit(0));
        let cin = a.sel(carry, one, zero);
        let total = a.add(sum, cin);
        let second = a.ult(total, cin);
        let (c1, c2) = (a.sel(first, one, zero), a.sel(second, one, zero));
        let any = a.add(c1, c2);
        (total, a.ult(zero, any))
    }
}
