//! Operations that a target lacks, by those that it has. Expansions are written over the algebra, as bodies are.
//!
//! ```text
//! for each node in order, its operands by their new numbers:
//!   core, or the target has it -> the same node
//!   the high word of a double  -> the expansion's high word, if the double was expanded
//!   else                       -> the expansion, recorded with the operands as its sources, goes node by node the same way
//! ```
//!
//! An expansion uses core operations, and others that expand without it: this ends.

mod doubles;
mod halves;
mod integers;
mod singles;

use crate::record::{D, F, Id, Node, Recorder};
use wavepipe_isa::alu::Alu;

/// What every target must have. `sel` is among them, since a condition has no other way to a word.
#[rustfmt::skip]
pub const CORE: &[F] = &[
    F::literal, F::source, F::condition, F::truth, F::high,
    F::sel, F::cand, F::cor, F::cnot,
    F::add, F::sub, F::mul, F::and, F::or, F::xor, F::not, F::shl, F::shr, F::sar, F::eq, F::slt,
    F::fadd, F::fmul, F::ffma, F::feq, F::flt, F::fle, F::fsqrt, F::frcp,
    F::dadd, F::dmul, F::dfma, F::deq, F::dlt, F::dle, F::dsqrt, F::drcp, F::f64_from_f32, F::f32_from_f64,
];

const NONE: Id = Id::MAX;

/// Replaces what the target lacks. Nodes that nothing needs may come of it.
pub fn legalise<P>(nodes: &mut Vec<Node>, results: &mut [(P, Id)], has: &dyn Fn(F) -> bool) {
    let mut l = Legaliser { has, out: Recorder::default() };
    if nodes.iter().all(|n| l.keeps(n.f)) {
        return;
    }
    let to = l.replay(nodes, None);
    results.iter_mut().for_each(|(_, id)| *id = to[usize::from(*id)][0]);
    *nodes = l.out.nodes;
}

struct Legaliser<'a> {
    has: &'a dyn Fn(F) -> bool,
    out: Recorder,
}

impl Legaliser<'_> {
    fn keeps(&self, f: F) -> bool {
        CORE.contains(&f) || (self.has)(f)
    }

    /// The new numbers of nodes: of a word, and of the high word of a double that was expanded. An expansion's sources are given.
    fn replay(&mut self, nodes: &[Node], given: Option<&[Id]>) -> Vec<D> {
        let mut to: Vec<D> = Vec::with_capacity(nodes.len());
        for &old in nodes {
            let mut node = old;
            node.args.iter_mut().filter(|a| **a != NONE).for_each(|a| *a = to[usize::from(*a)][0]);
            let new = match (old.f, given) {
                (F::source, Some(given)) => [given[old.literal as usize], NONE],
                (F::high, _) => match to[usize::from(old.args[0])][1] {
                    NONE => [self.out.put(node), NONE],
                    expanded => [expanded, NONE],
                },
                _ if self.keeps(old.f) => [self.out.put(node), NONE],
                _ => self.expanded(node),
            };
            to.push(new);
        }
        to
    }

    fn expanded(&mut self, node: Node) -> D {
        let mut r = Recorder::default();
        let s: [Id; 6] = std::array::from_fn(|i| r.source(i / 2, i % 2));
        // Without an expansion it stays; whoever makes code of it refuses.
        let Some(results) = expansion(&mut r, node.f, s, self.has) else { return [self.out.put(node), NONE] };
        let to = self.replay(&r.nodes, Some(&node.args));
        results.map(|id| if id == NONE { NONE } else { to[usize::from(id)][0] })
    }
}

/// An operation by others: the result's words. `None`: it has no expansion.
pub fn expansion(r: &mut Recorder, f: F, s: [Id; 6], has: &dyn Fn(F) -> bool) -> Option<D> {
    let [x, y, z, ..] = s;
    let (d, e) = ([x, y], [z, s[3]]);
    Some(match f {
        F::popcnt => [integers::popcnt(r, x), NONE],
        F::clz => [integers::clz(r, x), NONE],
        F::ctz if has(F::clz) => [integers::ctz_by_clz(r, x), NONE],
        F::ctz => [integers::ctz(r, x), NONE],
        F::brev => [integers::brev(r, x), NONE],
        F::ult => [integers::ult(r, x, y), NONE],
        F::umulhi if has(F::smulhi) => [integers::umulhi_by_smulhi(r, x, y), NONE],
        F::umulhi => [integers::umulhi(r, x, y), NONE],
        F::smulhi => [integers::smulhi(r, x, y), NONE],

        F::fmin => [singles::fmin(r, x, y), NONE],
        F::fmax => [singles::fmax(r, x, y), NONE],
        F::ftrunc => [singles::ftrunc(r, x), NONE],
        F::ffloor => [singles::ffloor(r, x), NONE],
        F::fceil => [singles::fceil(r, x), NONE],
        F::frndne => [singles::frndne(r, x), NONE],
        F::frsq => [singles::frsq(r, x), NONE],
        F::fldexp => [singles::fldexp(r, x, y), NONE],
        F::f32_from_i32 => [singles::f32_from_i32(r, x), NONE],
        F::f32_from_u32 => [singles::f32_from_u32(r, x), NONE],
        F::i32_from_f32 => [singles::i32_from_f32(r, x), NONE],
        F::u32_from_f32 => [singles::u32_from_f32(r, x), NONE],

        F::f16_from_f32 => [halves::f16_from_f32(r, x), NONE],
        F::f16_from_f32_rtz => [halves::f16_from_f32_rtz(r, x), NONE],
        F::f32_from_f16 => [halves::f32_from_f16(r, x), NONE],
        F::hadd => [halves::hadd(r, x, y), NONE],
        F::hmul => [halves::hmul(r, x, y), NONE],
        F::hfma => [halves::hfma(r, x, y, z), NONE],
        F::hmin => [halves::hmin(r, x, y), NONE],
        F::hmax => [halves::hmax(r, x, y), NONE],

        F::dmin => doubles::dmin(r, d, e),
        F::dmax => doubles::dmax(r, d, e),
        F::dtrunc => doubles::dtrunc(r, d),
        F::dfloor => doubles::dfloor(r, d),
        F::dceil => doubles::dceil(r, d),
        F::drndne => doubles::drndne(r, d),
        F::drsq => doubles::drsq(r, d),
        F::dldexp => doubles::dldexp(r, d, z),
        F::f64_from_i32 => doubles::f64_from_i32(r, x),
        F::f64_from_u32 => doubles::f64_from_u32(r, x),
        F::i32_from_f64 => [doubles::i32_from_f64(r, d), NONE],
        F::u32_from_f64 => [doubles::u32_from_f64(r, d), NONE],
        _ => return None,
    })
}

const SIGN: u32 = 1 << 31;

macro_rules! by_literal {
    ($($name:ident = $f:ident -> $out:ident;)*) => {
        /// Operations whose second operand is a literal.
        trait Literals: Alu {
            $(fn $name(&mut self, x: Self::B, v: u32) -> Self::$out {
                let v = self.lit(v);
                self.$f(x, v)
            })*
        }
    };
}

by_literal! {
    add_lit = add -> B;
    and_lit = and -> B;
    or_lit = or -> B;
    xor_lit = xor -> B;
    shl_lit = shl -> B;
    shr_lit = shr -> B;
    sar_lit = sar -> B;
    fadd_lit = fadd -> B;
    fmul_lit = fmul -> B;
    slt_lit = slt -> C;
    eq_lit = eq -> C;
}

impl<A: Alu> Literals for A {}

/// `c ? x : v`
fn or_else<A: Alu>(a: &mut A, c: A::C, x: A::B, v: u32) -> A::B {
    let v = a.lit(v);
    a.sel(c, x, v)
}

/// A signed integer, held between two.
fn held<A: Alu>(a: &mut A, x: A::B, least: i32, most: i32) -> A::B {
    let below = a.slt_lit(x, most as u32);
    let x = or_else(a, below, x, most as u32);
    let v = a.lit(least as u32);
    let above = a.slt(v, x);
    a.sel(above, x, v)
}

/// The integer part of a float's magnitude; 0 if that is below 1, which `unit` is the exponent field of. `word` has the
/// significand from its bit `top` down. Also whether it fits.
fn whole<A: Alu>(a: &mut A, field: A::B, word: A::B, unit: u32, top: u32) -> (A::B, A::C) {
    let most = a.lit(unit + top);
    let count = a.sub(most, field);
    let v = a.shr(word, count);
    let v = {
        let (small, zero) = (a.slt_lit(field, unit), a.lit(0));
        a.sel(small, zero, v)
    };
    (v, a.slt_lit(field, unit + top + 1))
}

/// As [`whole`], with the sign of `sign`'s bit 31, saturated.
fn whole_signed<A: Alu>(a: &mut A, field: A::B, word: A::B, unit: u32, sign: A::B) -> A::B {
    let (v, fits) = whole(a, field, word, unit, 30);
    let s = a.sar_lit(sign, 31);
    let v = a.xor(v, s);
    let v = a.sub(v, s);
    let limit = a.xor_lit(s, !SIGN);
    a.sel(fits, v, limit)
}
