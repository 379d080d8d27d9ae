//! Pure meanings, each written once, named as the field names them.
//!
//! Bodies nest calls through `e!(a, add(x, shl(y, 3)))`: a name is a value, a number or `{expression}` a literal, and
//! anything with parentheses a method of [`crate::Alu`] or of [`ext::Ext`], evaluated left to right.

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

/// Declares [`Lane`] bodies: `add_u32 |a, x, y, z| add(x, y);`, or a block where one term is not enough. With `@NAME` in front of
/// them they are bodies of vector instructions, which the function `NAME` lists.
macro_rules! lane {
    ($(@$list:ident)? $($(#[$doc:meta])* $id:ident |$a:ident, $x:pat_param, $y:pat_param, $z:pat_param| $f:tt $(($($args:tt)*))?;)*) => {
        listed! { $(@$list)? lane $($id)* }
        $(
        $(#[$doc])*
        #[allow(non_camel_case_types)]
        pub struct $id;
        impl crate::Lane for $id {
            #[inline(always)]
            fn eval<A: crate::Alu>($a: &mut A, [$x, $y, $z]: [A::B; 3]) -> A::B {
                term!($a, $f $(($($args)*))?)
            }
        }
    )* };
}

/// The function `$list`, which gives a [`Visitor`] each of these bodies; none for bodies of scalar instructions only.
macro_rules! listed {
    ($kind:ident $($id:ident)*) => {};
    (@$list:ident $kind:ident $($id:ident)*) => {
        pub(super) fn $list<V: crate::body::Visitor>(visitor: &mut V) {
            $(visitor.$kind::<$id>();)*
        }
    };
}

/// A block as it stands, or an `e!` term.
macro_rules! term {
    ($a:ident, { $($block:tt)* }) => {{ $($block)* }};
    ($a:ident, $($t:tt)*) => { e!($a, $($t)*) };
}

use crate::{Carry, Compare, Lane, Wide};

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

/// Receives the bodies of vector instructions, one call each, by kind.
pub trait Visitor {
    fn lane<K: Lane>(&mut self);
    fn compare<K: Compare>(&mut self);
    fn carry<K: Carry>(&mut self);
    fn wide<K: Wide>(&mut self);
}

/// Visits every body that a vector instruction has, once. [`WideCarry`](crate::WideCarry) bodies are left out: the one-lane reference evaluates them.
pub fn visit_vector_bodies<V: Visitor>(visitor: &mut V) {
    int::lanes(visitor);
    int::carries(visitor);
    float::lanes(visitor);
    float::carries(visitor);
    half::lanes(visitor);
    trans::lanes(visitor);
    compare::visit(visitor);
    wide::wides(visitor);
    visitor.wide::<mad_u64_u32>();
    visitor.wide::<mad_i64_i32>();
    visitor.wide::<div_scale_f64>();
}
