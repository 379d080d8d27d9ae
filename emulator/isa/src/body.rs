//! Pure meanings, each written once, named as the field names them.
//!
//! Bodies nest calls through `e!(a, add(x, shl(y, 3)))`: a name is a value, a number or `{expression}` a literal, and
//! anything with parentheses a method of [`crate::alu::Alu`] or of [`ext::Ext`], evaluated left to right.

macro_rules! e {
    ($a:ident, $f:ident ( $($args:tt)* )) => { e!(@args $a, $f, [], $($args)*) };
    ($a:ident, $n:literal) => { $a.lit($n) };
    ($a:ident, { $($x:tt)* }) => { $a.lit($($x)*) };
    ($a:ident, $v:ident) => { $v };
    (@args $a:ident, $f:ident, [$($d:tt)*], $g:ident ( $($i:tt)* ) $(, $($r:tt)*)?) => {
        e!(@args $a, $f, [$($d)* ($g($($i)*))], $($($r)*)?)
    };
    (@args $a:ident, $f:ident, [$($d:tt)*], $x:tt $(, $($r:tt)*)?) => { e!(@args $a, $f, [$($d)* ($x)], $($($r)*)?) };
    (@args $a:ident, $f:ident, [($($p:tt)*)],) => {{ let p = e!($a, $($p)*); $a.$f(p) }};
    (@args $a:ident, $f:ident, [($($p:tt)*) ($($q:tt)*)],) => {{
        let p = e!($a, $($p)*);
        let q = e!($a, $($q)*);
        $a.$f(p, q)
    }};
    (@args $a:ident, $f:ident, [($($p:tt)*) ($($q:tt)*) ($($r:tt)*)],) => {{
        let p = e!($a, $($p)*);
        let q = e!($a, $($q)*);
        let r = e!($a, $($r)*);
        $a.$f(p, q, r)
    }};
}

/// Names [`crate::alu::Lane`] bodies: `add_u32 |a, x, y, z| add(x, y);`, or a block where one term is not enough.
macro_rules! lane {
    ($($(#[$doc:meta])* $id:ident |$a:ident, $x:pat_param, $y:pat_param, $z:pat_param| $f:tt $(($($args:tt)*))?;)*) => { $(
        $(#[$doc])*
        #[allow(non_camel_case_types)]
        pub struct $id;
        impl crate::alu::Lane for $id {
            #[inline(always)]
            fn eval<A: crate::alu::Alu>($a: &mut A, [$x, $y, $z]: [A::B; 3]) -> A::B {
                term!($a, $f $(($($args)*))?)
            }
        }
    )* };
}

/// A block as it stands, or an `e!` term.
macro_rules! term {
    ($a:ident, { $($block:tt)* }) => {{ $($block)* }};
    ($a:ident, $($t:tt)*) => { e!($a, $($t)*) };
}

pub mod ext;

mod compare;
mod float;
mod half;
mod int;
mod trans;
mod wide;

pub use compare::*;
pub use float::*;
pub use half::*;
pub use int::*;
pub use trans::*;
pub use wide::*;
