//! A body as a list of operations: one more algebra, so that no meaning is written again.

use std::sync::LazyLock;
use wavepipe_isa::alu::{Alu, Carry, Compare, Engine, Lane, Wide};
use wavepipe_isa::insts::{self, Op};
use wavepipe_isa::row::Row;

/// Number of a node: a word or a condition of every lane.
pub type Id = u16;
/// The low and the high word of a double.
pub type D = [Id; 2];

/// A node's operation; it has no operands that it does not use.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Node {
    pub f: F,
    pub args: [Id; 6],
    pub literal: u32,
}

/// Hands a macro the algebra's operations: `name(operands) -> result`, of words, conditions and doubles.
#[doc(hidden)]
#[macro_export]
macro_rules! operations {
    ($macro:ident) => {
        $macro! {
            sel(c: C, t: B, f: B) -> B;
            cand(a: C, b: C) -> C;
            cor(a: C, b: C) -> C;
            cnot(a: C) -> C;
            add(a: B, b: B) -> B;
            sub(a: B, b: B) -> B;
            mul(a: B, b: B) -> B;
            umulhi(a: B, b: B) -> B;
            smulhi(a: B, b: B) -> B;
            and(a: B, b: B) -> B;
            or(a: B, b: B) -> B;
            xor(a: B, b: B) -> B;
            not(a: B) -> B;
            shl(a: B, b: B) -> B;
            shr(a: B, b: B) -> B;
            sar(a: B, b: B) -> B;
            brev(a: B) -> B;
            popcnt(a: B) -> B;
            clz(a: B) -> B;
            ctz(a: B) -> B;
            eq(a: B, b: B) -> C;
            ult(a: B, b: B) -> C;
            slt(a: B, b: B) -> C;
            fadd(a: B, b: B) -> B;
            fmul(a: B, b: B) -> B;
            ffma(a: B, b: B, c: B) -> B;
            fmin(a: B, b: B) -> B;
            fmax(a: B, b: B) -> B;
            feq(a: B, b: B) -> C;
            flt(a: B, b: B) -> C;
            fle(a: B, b: B) -> C;
            ftrunc(a: B) -> B;
            ffloor(a: B) -> B;
            fceil(a: B) -> B;
            frndne(a: B) -> B;
            fsqrt(a: B) -> B;
            frcp(a: B) -> B;
            frsq(a: B) -> B;
            fldexp(a: B, n: B) -> B;
            f32_from_i32(a: B) -> B;
            f32_from_u32(a: B) -> B;
            i32_from_f32(a: B) -> B;
            u32_from_f32(a: B) -> B;
            f16_from_f32(a: B) -> B;
            f16_from_f32_rtz(a: B) -> B;
            f32_from_f16(a: B) -> B;
            hadd(a: B, b: B) -> B;
            hmul(a: B, b: B) -> B;
            hfma(a: B, b: B, c: B) -> B;
            hmin(a: B, b: B) -> B;
            hmax(a: B, b: B) -> B;
            dadd(a: D, b: D) -> D;
            dmul(a: D, b: D) -> D;
            dfma(a: D, b: D, c: D) -> D;
            dmin(a: D, b: D) -> D;
            dmax(a: D, b: D) -> D;
            deq(a: D, b: D) -> C;
            dlt(a: D, b: D) -> C;
            dle(a: D, b: D) -> C;
            dtrunc(a: D) -> D;
            dfloor(a: D) -> D;
            dceil(a: D) -> D;
            drndne(a: D) -> D;
            dsqrt(a: D) -> D;
            drcp(a: D) -> D;
            drsq(a: D) -> D;
            dldexp(a: D, n: B) -> D;
            f64_from_i32(a: B) -> D;
            f64_from_u32(a: B) -> D;
            f64_from_f32(a: B) -> D;
            i32_from_f64(a: D) -> B;
            u32_from_f64(a: D) -> B;
            f32_from_f64(a: D) -> B;
        }
    };
}

macro_rules! algebra {
    ($($name:ident($($arg:ident: $ty:tt),*) -> $out:tt;)*) => {
        /// What a node does: an operation of [`Alu`] by its name, or where a value comes from.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        #[allow(non_camel_case_types)]
        pub enum F {
            literal,
            /// Word `literal` & 1 of source `literal` >> 1.
            source,
            /// The condition in.
            condition,
            truth,
            /// The high word of the double whose node is the operand.
            high,
            /// Of a mask's low word, or if `literal` is not 0 its high one, the bits of the lanes below each.
            below,
            /// The operand rotated to the right by `literal`, and the function `literal` of three operands' bits: made where a target
            /// has them ([`crate::bits`]).
            rotate,
            bits,
            /// The lesser and the greater word, signed and not; `a` if as a float it is less than `b`, or more, else `b` ([`crate::fold`]).
            smin,
            smax,
            umin,
            umax,
            fless,
            fmore,
            $($name),*
        }

        impl Alu for Recorder {
            type B = Id;
            type C = Id;
            fn lit(&mut self, v: u32) -> Id {
                self.node(F::literal, &[], v)
            }
            fn truth(&mut self, v: bool) -> Id {
                self.node(F::truth, &[], v.into())
            }
            // Calls, since each is in every body once for each operation.
            $(#[inline(never)]
            fn $name(&mut self, $($arg: algebra!(@type $ty)),*) -> algebra!(@type $out) {
                let mut args = Vec::with_capacity(6);
                $(algebra!(@push args $arg $ty);)*
                let low = self.node(F::$name, &args, 0);
                algebra!(@result self low $out)
            })*
        }
    };
    (@type D) => { D };
    (@type $word:tt) => { Id };
    (@push $args:ident $arg:ident D) => { $args.extend($arg) };
    (@push $args:ident $arg:ident $word:tt) => { $args.push($arg) };
    (@result $self:ident $low:ident D) => {{ let high = $self.node(F::high, &[$low], 0); [$low, high] }};
    (@result $self:ident $low:ident $word:tt) => { $low };
}

operations!(algebra);

/// Nodes in the order in which they are evaluated.
#[derive(Default)]
pub struct Recorder {
    pub nodes: Vec<Node>,
}

impl Recorder {
    fn node(&mut self, f: F, args: &[Id], literal: u32) -> Id {
        let mut node = Node { f, args: [Id::MAX; 6], literal };
        node.args[..args.len()].copy_from_slice(args);
        self.put(node)
    }

    /// A node whose operands are nodes of this recorder.
    pub fn put(&mut self, node: Node) -> Id {
        // The same value again is the same node.
        let found = self.nodes.iter().position(|n| *n == node);
        found.unwrap_or_else(|| {
            self.nodes.push(node);
            self.nodes.len() - 1
        }) as Id
    }

    pub fn source(&mut self, k: usize, word: usize) -> Id {
        self.node(F::source, &[], (2 * k + word) as u32)
    }

    pub fn below(&mut self, high: bool) -> Id {
        self.node(F::below, &[], high.into())
    }

    pub fn condition(&mut self) -> Id {
        self.node(F::condition, &[], 0)
    }
}

/// The body of a row, to be evaluated on a recorder.
#[derive(Clone, Copy)]
pub enum Body {
    Lane(fn(&mut Recorder, [Id; 3]) -> Id),
    Compare(fn(&mut Recorder, [D; 2]) -> Id),
    Carry(fn(&mut Recorder, [Id; 3], Id) -> (Id, Id)),
    Wide(fn(&mut Recorder, [D; 3]) -> (D, Id)),
    /// None, or one that host code does not take.
    None,
}

struct Bodies;

impl Engine for Bodies {
    type Out = Body;
    fn lane<K: Lane>(_: &'static Row) -> Body {
        Body::Lane(K::eval::<Recorder>)
    }
    fn compare<K: Compare>(_: &'static Row) -> Body {
        Body::Compare(K::eval::<Recorder>)
    }
    fn carry<K: Carry>(_: &'static Row) -> Body {
        Body::Carry(K::eval::<Recorder>)
    }
    fn wide<K: Wide>(_: &'static Row) -> Body {
        Body::Wide(K::eval::<Recorder>)
    }
    fn data(_: &'static Row) -> Body {
        Body::None
    }
}

pub fn body(op: Op) -> Body {
    static BODIES: LazyLock<Vec<Body>> = LazyLock::new(insts::instantiate::<Bodies>);
    BODIES[usize::from(op.0)]
}
