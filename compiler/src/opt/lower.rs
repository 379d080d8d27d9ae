//! Rewrites what selection has no instruction sequence for into operations that it has.
//!
//! Algorithm: if the kernel holds such an operation, it is written anew through the folding builder, which shares and folds
//! what the expansions have in common. Each expansion is straight-line, except float additions in memory and texels that
//! the machine cannot add to: those become a loop of compare-and-exchange.
//! What all lanes of a wave add to one place is summed first.
//! - 64-bit products' high halves: four 32-bit products, summed with their carries.
//! - Division, by a reciprocal of the divisor (`division.rs`).
//! - 64-bit integers to f32: the leading 32 bits, with the rest or-ed into the lowest (one rounding); to f64: the sum of the
//!   halves, of which only the sum rounds. Floats to 64-bit integers: both halves of the truncated f64.
//! - f16 where the machine only converts it (`half.rs`), and whole f64 where it does not round them (`whole.rs`).
//! - f64 to f16: f32 with the bits that are lost or-ed into the lowest, so that the second rounding is the only one.

mod division;
mod half;
mod whole;

pub(super) use division::{divides, divisor};

use crate::ir::build::{Builder, Def};
use crate::ir::*;
use Alu::*;
use Width::{B1, B8, B16, B32, B64};

/// 2³² and 2⁻³².
const TWO_32: f64 = 4_294_967_296.0;

/// Operations that the largest expansion, that of a signed division, has at most.
const LARGEST: usize = 128;
/// As [`LARGEST`], of divisions of up to 32 bits.
const LARGEST_WORD: usize = 32;

/// Operations that [`alu`], [`atomic`] or [`subgroup`] makes of the instruction at most, if they rewrite it.
pub(super) fn growth(k: &Kernel, i: &Inst) -> Option<usize> {
    let &first = i.args.first()?;
    let division = matches!(i.op, Op::Alu(a) if divides(a));
    wanted(k, i, first).then_some(if division && k.width(first) != B64 { LARGEST_WORD } else { LARGEST })
}

fn wanted(k: &Kernel, i: &Inst, first: Value) -> bool {
    match i.op {
        Op::Alu(a) => has_expansion(k, a, k.width(first), i.results.first().map_or(B32, |&r| k.width(r))),
        Op::Atomic { op, space, .. } => loops(op, space, i.results.first().map(|&r| k.width(r))),
        Op::Image(image) => image.op == ImageOp::Atomic(Atomic::FAdd),
        Op::Subgroup(s) => by_words(s, k.width(first)) || half::reduces(k, s, k.width(first)),
        _ => false,
    }
}

fn has_expansion(k: &Kernel, a: Alu, from: Width, to: Width) -> bool {
    if half::wanted(k, a, from) || whole::wanted(k, a, from) {
        return true;
    }
    match a {
        _ if divides(a) => true,
        UBfe | SBfe | Bfi | FindSMsb | UAddCarry | USubBorrow => from == B64,
        UMulHi | SMulHi => from != B32,
        FToU | FToS => to == B64,
        UToF | SToF => from == B64,
        FConvert | FConvertRte | FConvertRtz => (from, to) == (B64, B16),
        FSign => from != B32,
        _ => false,
    }
}

fn loops(op: Atomic, space: Space, width: Option<Width>) -> bool {
    op == Atomic::FAdd && (space != Space::Lds || width == Some(B64))
}

/// Masks answer what all lanes' booleans are together, but no scan and no cluster.
fn by_words(s: Subgroup, width: Width) -> bool {
    use ReduceOp::{And, Or, Xor};
    match s {
        Subgroup::Reduce { op: And | Or | Xor, kind: ReduceKind::Reduce, cluster: 0 } => false,
        Subgroup::Reduce { .. } => width == B1,
        _ => false,
    }
}

/// The expansion of an operation, if it has one.
pub(super) fn alu(b: &mut Builder, a: Alu, to: Width, args: &[Value]) -> Option<Value> {
    let x = *args.first()?;
    let from = b.width(x);
    if !has_expansion(&b.kernel, a, from, to) {
        return None;
    }
    let mut l = Lower { b };
    Some(match a {
        _ if half::wanted(&l.b.kernel, a, from) => l.by_single(a, to, args),
        _ if whole::wanted(&l.b.kernel, a, from) => l.whole(a, args),
        _ if divides(a) => l.division(a, x, args[1]),
        UMulHi if from == B64 => l.mul_high(x, args[1]),
        SMulHi if from == B64 => l.mul_high_signed(x, args[1]),
        UMulHi | SMulHi => l.mul_high_narrow(a == SMulHi, x, args[1]),
        UBfe | SBfe => l.extract(a == SBfe, x, args[1], args[2]),
        Bfi => l.insert(x, args[1], args[2], args[3]),
        FindSMsb => {
            let s = l.shift(SShr, x, 63);
            let y = l.op(Xor, &[x, s]);
            l.b.alu(FindUMsb, B32, &[y])
        }
        UAddCarry => {
            let sum = l.op(IAdd, &[x, args[1]]);
            let carry = l.test(ULt, sum, x);
            l.b.alu(BoolToInt, B64, &[carry])
        }
        USubBorrow => {
            let borrow = l.test(ULt, x, args[1]);
            l.b.alu(BoolToInt, B64, &[borrow])
        }
        FToU | FToS => l.float_to_int(a == FToS, x),
        UToF | SToF => l.int_to_float(a == SToF, x, to),
        FConvert | FConvertRte | FConvertRtz => l.to_half(a, x),
        _ => l.sign(x),
    })
}

/// What a loop of compare-and-exchange works on, by its address operands.
#[derive(Clone, Copy)]
enum Subject {
    Memory(Space, u32),
    Texel(Image),
}

impl Subject {
    fn read(self, b: &mut Builder, address: &[Value], w: Width) -> Value {
        match self {
            Subject::Memory(space, offset) => {
                let op = Op::Atomic { op: Atomic::Load, space, offset };
                b.inst(op, address.to_vec(), &[w])[0]
            }
            Subject::Texel(image) => {
                let op = Op::Image(Image { op: ImageOp::Load, ..image });
                b.inst(op, address.to_vec(), &[B32; 4])[0]
            }
        }
    }

    /// What was there; it is `new` now if that was `old`.
    fn exchange(self, b: &mut Builder, address: &[Value], new: Value, old: Value) -> Value {
        let op = match self {
            Subject::Memory(space, offset) => Op::Atomic { op: Atomic::CompareExchange, space, offset },
            Subject::Texel(image) => Op::Image(Image { op: ImageOp::Atomic(Atomic::CompareExchange), ..image }),
        };
        let data = address.iter().copied().chain([new, old]).collect();
        b.inst(op, data, &[b.width(old)])[0]
    }
}

/// A float addition to memory or a texel, and the value before it. `uniform`: the first operands are the same in all lanes.
pub(super) fn atomic(
    b: &mut Builder,
    op: &Op,
    args: &[Value],
    width: Option<Width>,
    uniform: impl Fn(usize) -> bool,
) -> Option<Value> {
    let (subject, n) = match *op {
        Op::Atomic { op, space, offset } if loops(op, space, width) => {
            (Subject::Memory(space, offset), space.address_operands())
        }
        Op::Image(image) if image.op == ImageOp::Atomic(Atomic::FAdd) && width == Some(B32) => {
            (Subject::Texel(image), image.descriptors() + image.addresses())
        }
        _ => return None,
    };
    let (address, term, w) = (&args[..n], args[n], width?);
    if b.exact || !uniform(n) {
        return Some(add_in_loop(b, subject, address, term, w));
    }
    // Lanes of one wave at one place would take turns in the loop: one adds for all of them.
    let reduce = |kind| Op::Subgroup(Subgroup::Reduce { op: ReduceOp::FAdd, kind, cluster: 0 });
    let sum = b.inst(reduce(ReduceKind::Reduce), vec![term], &[w])[0];
    let before = b.inst(reduce(ReduceKind::ExclusiveScan), vec![term], &[w])[0];
    let first = b.inst(Op::Subgroup(Subgroup::Elect), Vec::new(), &[B1])[0];
    let found = b.value(w);
    b.begin();
    let old = add_in_loop(b, subject, address, sum, w);
    let then = b.end(Exit::Yield(vec![old]));
    b.begin();
    let nothing = b.undef(w);
    let els = b.end(Exit::Yield(vec![nothing]));
    b.push(Node::If { cond: first, then, els, results: vec![found], loc: b.loc });
    let found = b.inst(Op::Subgroup(Subgroup::BroadcastFirst), vec![found], &[w])[0];
    Some(b.alu(FAdd, w, &[found, before]))
}

/// Reads, adds, and writes unless somebody else has written. The value before it.
fn add_in_loop(b: &mut Builder, subject: Subject, address: &[Value], term: Value, w: Width) -> Value {
    let first = subject.read(b, address, w);
    let label = b.kernel.label();
    let (old, result) = (b.value(w), b.value(w));
    b.begin();
    let sum = b.alu(FAdd, w, &[old, term]);
    let found = subject.exchange(b, address, sum, old);
    let done = b.alu(IEq, B1, &[found, old]);
    b.begin();
    let then = b.end(Exit::Break(label, vec![found]));
    b.begin();
    let els = b.end(Exit::Yield(vec![]));
    b.push(Node::If { cond: done, then, els, results: vec![], loc: b.loc });
    let body = b.end(Exit::Continue(label, vec![found]));
    b.push(Node::Loop { label, params: vec![old], init: vec![first], body, results: vec![result], loc: b.loc });
    result
}

/// A reduction of booleans as one of words of 0 and 1, of f16 as one of f32 where there is no other.
pub(super) fn subgroup(b: &mut Builder, op: &Op, args: &[Value]) -> Option<Value> {
    let (&Op::Subgroup(s), &[v]) = (op, args) else { return None };
    if half::reduces(&b.kernel, s, b.width(v)) {
        let single = b.alu(FConvert, B32, &[v]);
        let r = b.inst(Op::Subgroup(s), vec![single], &[B32])[0];
        return Some(b.alu(FConvert, B16, &[r]));
    }
    if !by_words(s, b.width(v)) {
        return None;
    }
    let word = b.alu(BoolToInt, B32, &[v]);
    let r = b.inst(Op::Subgroup(s), vec![word], &[B32])[0];
    // And's identity has all bits set.
    let (one, zero) = (b.u32(1), b.u32(0));
    let bit = b.alu(And, B32, &[r, one]);
    Some(b.alu(INe, B1, &[bit, zero]))
}

struct Lower<'b> {
    b: &'b mut Builder,
}

impl Lower<'_> {
    /// An operation, or its expansion.
    fn alu(&mut self, a: Alu, to: Width, args: &[Value]) -> Value {
        alu(self.b, a, to, args).unwrap_or_else(|| self.b.alu(a, to, args))
    }

    /// Operands and result of one width.
    fn op(&mut self, a: Alu, args: &[Value]) -> Value {
        self.alu(a, self.b.width(args[0]), args)
    }

    fn test(&mut self, a: Alu, x: Value, y: Value) -> Value {
        self.b.alu(a, B1, &[x, y])
    }

    fn shift(&mut self, a: Alu, x: Value, n: u32) -> Value {
        let n = self.b.u32(n);
        self.op(a, &[x, n])
    }

    fn half(&mut self, a: Alu, x: Value) -> Value {
        self.b.alu(a, B32, &[x])
    }

    fn pack(&mut self, lo: Value, hi: Value) -> Value {
        self.b.alu(Pack64, B64, &[lo, hi])
    }

    fn c64(&mut self, bits: u64) -> Value {
        self.b.constant(B64, bits)
    }

    fn f32(&mut self, x: f64) -> Value {
        self.b.f32(x as f32)
    }

    // ---- products ----

    /// 32 · 32 → 64 bits.
    fn product(&mut self, x: Value, y: Value) -> Value {
        let (lo, hi) = (self.op(IMul, &[x, y]), self.op(UMulHi, &[x, y]));
        self.pack(lo, hi)
    }

    /// The high 64 bits of the product.
    fn mul_high(&mut self, x: Value, y: Value) -> Value {
        let (x0, x1) = (self.half(Lo32, x), self.half(Hi32, x));
        let (y0, y1) = (self.half(Lo32, y), self.half(Hi32, y));
        let zero = self.b.u32(0);
        let low = self.op(UMulHi, &[x0, y0]);
        let low = self.pack(low, zero);
        // Each sum of a product and a half stays below 2⁶⁴.
        let a = self.product(x1, y0);
        let a = self.op(IAdd, &[a, low]);
        let (a0, a1) = (self.half(Lo32, a), self.half(Hi32, a));
        let rest = self.pack(a0, zero);
        let b = self.product(x0, y1);
        let b = self.op(IAdd, &[b, rest]);
        let b1 = self.half(Hi32, b);
        let (a1, b1) = (self.pack(a1, zero), self.pack(b1, zero));
        let high = self.product(x1, y1);
        let high = self.op(IAdd, &[high, a1]);
        self.op(IAdd, &[high, b1])
    }

    fn mul_high_signed(&mut self, x: Value, y: Value) -> Value {
        let mut high = self.mul_high(x, y);
        for (p, q) in [(x, y), (y, x)] {
            let s = self.shift(SShr, p, 63);
            let part = self.op(And, &[s, q]);
            high = self.op(ISub, &[high, part]);
        }
        high
    }

    fn mul_high_narrow(&mut self, signed: bool, x: Value, y: Value) -> Value {
        let w = self.b.width(x);
        let widen = if signed { SConvert } else { UConvert };
        let (x, y) = (self.b.alu(widen, B32, &[x]), self.b.alu(widen, B32, &[y]));
        let p = self.op(IMul, &[x, y]);
        let p = self.shift(UShr, p, w.bits());
        self.b.alu(UConvert, w, &[p])
    }

    /// −x where the mask `s` is all ones, x where it is zero.
    fn negate_if(&mut self, x: Value, s: Value) -> Value {
        let y = self.op(Xor, &[x, s]);
        self.op(ISub, &[y, s])
    }

    // ---- bit fields of 64 bits ----

    /// `count` ones; a count of 64 is no shift count.
    fn ones(&mut self, count: Value) -> Value {
        let (one, all, whole) = (self.c64(1), self.c64(u64::MAX), self.b.u32(64));
        let bit = self.op(Shl, &[one, count]);
        let low = self.op(ISub, &[bit, one]);
        let full = self.test(IEq, count, whole);
        self.b.select(full, all, low)
    }

    fn extract(&mut self, signed: bool, x: Value, offset: Value, count: Value) -> Value {
        let ones = self.ones(count);
        let field = self.op(UShr, &[x, offset]);
        let field = self.op(And, &[field, ones]);
        if !signed {
            return field;
        }
        // Up to the sign and back. A count of zero shifts by 64, which is none: the field is 0 then.
        let whole = self.b.u32(64);
        let up = self.b.alu(ISub, B32, &[whole, count]);
        let top = self.op(Shl, &[field, up]);
        self.op(SShr, &[top, up])
    }

    fn insert(&mut self, base: Value, insert: Value, offset: Value, count: Value) -> Value {
        let ones = self.ones(count);
        let mask = self.op(Shl, &[ones, offset]);
        let moved = self.op(Shl, &[insert, offset]);
        let new = self.op(And, &[moved, mask]);
        let keep = self.op(Not, &[mask]);
        let old = self.op(And, &[base, keep]);
        self.op(Or, &[new, old])
    }

    // ---- conversions ----

    /// Towards zero, saturated; NaN gives 0.
    fn float_to_int(&mut self, signed: bool, x: Value) -> Value {
        let x = self.b.alu(FConvert, B64, &[x]);
        let whole = self.op(FTrunc, &[x]);
        let zero = self.c64(0);
        let magnitude = if signed { self.op(FAbs, &[whole]) } else { whole };
        let bounded = self.op(FMax, &[magnitude, zero]);
        let (down, up) = (self.c64((1.0 / TWO_32).to_bits()), self.c64((-TWO_32).to_bits()));
        let high = self.op(FMul, &[bounded, down]);
        let high = self.op(FFloor, &[high]);
        let low = self.op(FFma, &[high, up, bounded]);
        // 2⁶⁴ and more saturate in both halves.
        let (lo, hi) = (self.half(FToU, low), self.half(FToU, high));
        let bits = self.pack(lo, hi);
        let too_large = self.c64(TWO_32.powi(2).to_bits());
        let all = self.c64(u64::MAX);
        let over = self.test(FOrdGe, bounded, too_large);
        let bits = self.b.select(over, all, bits);
        if !signed {
            return bits;
        }
        let top = self.half(Hi32, x);
        let s = self.shift(SShr, top, 31);
        let s = self.pack(s, s);
        let most = self.c64(i64::MAX as u64);
        let limit = self.op(ISub, &[most, s]);
        let bits = self.op(UMin, &[bits, limit]);
        self.negate_if(bits, s)
    }

    fn int_to_float(&mut self, signed: bool, x: Value, to: Width) -> Value {
        if to == B64 {
            let (lo, hi) = (self.half(Lo32, x), self.half(Hi32, x));
            let high = self.b.alu(if signed { SToF } else { UToF }, B64, &[hi]);
            let two_32 = self.c64(TWO_32.to_bits());
            let high = self.op(FMul, &[high, two_32]);
            let low = self.b.alu(UToF, B64, &[lo]);
            return self.op(FAdd, &[high, low]);
        }
        let s = self.shift(SShr, x, 63);
        let m = if signed { self.negate_if(x, s) } else { x };
        let (lo, hi) = (self.half(Lo32, m), self.half(Hi32, m));
        let zero = self.b.u32(0);
        let top = self.half(FindUMsb, hi);
        let n31 = self.b.u32(31);
        let up = self.op(ISub, &[n31, top]);
        let shifted = self.op(Shl, &[m, up]);
        let (rest, lead) = (self.half(Lo32, shifted), self.half(Hi32, shifted));
        let lost = self.test(INe, rest, zero);
        let sticky = self.b.alu(BoolToInt, B32, &[lost]);
        let lead = self.op(Or, &[lead, sticky]);
        let large = self.half(UToF, lead);
        let n32 = self.b.u32(32);
        let scale = self.op(ISub, &[n32, up]);
        let large = self.b.alu(FLdexp, B32, &[large, scale]);
        let small = self.half(UToF, lo);
        let few = self.test(IEq, hi, zero);
        let f = self.b.select(few, small, large);
        let f = if signed {
            let sign = self.half(Hi32, s);
            let sign = self.shift(Shl, sign, 31);
            self.op(Or, &[f, sign])
        } else {
            f
        };
        // f32 is exact below 2²⁴; all above is beyond f16's range.
        self.b.alu(FConvert, to, &[f])
    }

    /// f64 → f16. f32 has 29 bits fewer: they all go into its lowest.
    fn to_half(&mut self, a: Alu, x: Value) -> Value {
        // Towards zero, the first step must not overflow either; f32's own mode may be another.
        let a = if a == FConvert && self.b.kernel.mode.round(false) == 3 { FConvertRtz } else { a };
        let (lo, hi) = (self.half(Lo32, x), self.half(Hi32, x));
        let (tail, unit, zero) = (self.b.u32((1 << 29) - 1), self.b.u32(1 << 29), self.b.u32(0));
        let lost = self.op(And, &[lo, tail]);
        let any = self.test(INe, lost, zero);
        let sticky = self.b.select(any, unit, zero);
        let kept = self.op(Not, &[tail]);
        let kept = self.op(And, &[lo, kept]);
        let lo = self.op(Or, &[kept, sticky]);
        let odd = self.pack(lo, hi);
        let single = self.b.alu(a, B32, &[odd]);
        self.b.alu(a, B16, &[single])
    }

    /// ±1, or the value itself if it is a zero. A NaN's is 1: any number will do, a NaN will not.
    fn sign(&mut self, x: Value) -> Value {
        let w = self.b.width(x);
        let bits = |x: f64| if w == B64 { x.to_bits() } else { fold::half(x) };
        let (one, minus, zero) = (self.b.constant(w, bits(1.0)), self.b.constant(w, bits(-1.0)), self.b.constant(w, 0));
        // A denormal that counts as zero becomes one.
        let own = self.op(FMul, &[x, one]);
        let (above, below) = (self.test(FUnordGt, x, zero), self.test(FOrdLt, x, zero));
        let r = self.b.select(below, minus, own);
        self.b.select(above, one, r)
    }
}
