//! Vector steps' nodes: a word of four lanes, a condition as ones and zeros. A double's words lie apart, as its registers do,
//! and come together for as long as an operation lasts.

use super::region::Builder;
use super::vector::{Chunk, Splat};
use crate::legal::CORE;
use crate::record::{F, Id, Node};
use crate::step::{Plan, ResultPlace, operand};
use cranelift_codegen::ir::condcodes::{FloatCC, IntCC};
use cranelift_codegen::ir::types::{F32X4, F64X2, I8X16, I16X8, I32, I32X4, I64X2};
use cranelift_codegen::ir::{Endianness, InstBuilder, MemFlagsData, Type, Value};
use wavepipe_core::wave::{Operand, Step};

/// What nodes beside the core's have values here. Cranelift has no halves of vectors, and counts bits of bytes only.
pub fn has(f: F) -> bool {
    use F::*;
    matches!(
        f,
        umulhi
            | smulhi
            | ult
            | popcnt
            | fmin
            | fmax
            | ftrunc
            | ffloor
            | fceil
            | frndne
            | frsq
            | f32_from_i32
            | f32_from_u32
            | i32_from_f32
            | u32_from_f32
            | dmin
            | dmax
            | dtrunc
            | dfloor
            | dceil
            | drndne
            | drsq
            | f64_from_i32
            | f64_from_u32
    )
}

/// Whether a node of a vector step has a value here.
pub fn takes(f: F) -> bool {
    CORE.contains(&f) || f == F::below || has(f)
}

/// Words of two vectors, the first's four, then the second's.
type Words = [u8; 4];
pub const LOW_PAIRS: Words = [0, 4, 1, 5];
pub const HIGH_PAIRS: Words = [2, 6, 3, 7];
pub const EVEN: Words = [0, 2, 4, 6];
pub const ODD: Words = [1, 3, 5, 7];
pub const LOW_HALVES: Words = [0, 1, 4, 5];
pub const HIGH_HALVES: Words = [2, 3, 6, 7];
const HIGH_FIRST: Words = [2, 3, 0, 1];

/// A node's words: of a double both.
#[derive(Clone, Copy)]
struct Words2 {
    low: Value,
    high: Option<Value>,
}

/// What is known of a step's nodes so far.
struct Nodes<'p> {
    step: &'p Step,
    plan: &'p Plan,
    of: Vec<Words2>,
}

impl Nodes<'_> {
    fn word(&self, id: Id) -> Value {
        self.of[usize::from(id)].low
    }
}

impl Builder<'_, '_> {
    pub fn lanes_step(&mut self, c: &mut Chunk<'_>, step: &Step, plan: &Plan) -> Option<()> {
        let mut nodes = Nodes { step, plan, of: Vec::with_capacity(plan.nodes.len()) };
        for node in &plan.nodes {
            let words = self.lanes_node(c, node, &nodes)?;
            nodes.of.push(words);
        }
        for &(place, id) in &plan.results {
            let v = nodes.word(id);
            match place {
                ResultPlace::Vgpr(register) => self.set_register(c, register, v),
                ResultPlace::Mask(i) => self.set_mask(c, i, v),
                ResultPlace::Scalar(_) | ResultPlace::Scc | ResultPlace::SccNonZero => return None,
            }
        }
        Some(())
    }

    /// Of a mask's word the bits of the lanes below each.
    fn bits_below(&mut self, c: &Chunk<'_>, high: bool) -> Value {
        let ones = self.vector_of([!0; 4]);
        let own = self.f.ins().iadd(c.lanes.bits, ones);
        if self.region.halves == 1 {
            return if high { self.vector_of([0; 4]) } else { own };
        }
        let second = self.f.ins().icmp(IntCC::NotEqual, c.lanes.half.scalars, self.scalars);
        let second = self.f.ins().bmask(I32, second);
        let second = self.f.ins().splat(I32X4, second);
        if high { self.f.ins().band(own, second) } else { self.f.ins().bor(own, second) }
    }

    fn lanes_node(&mut self, c: &mut Chunk<'_>, node: &Node, nodes: &Nodes<'_>) -> Option<Words2> {
        use F::*;
        let [a, _, z, ..] = node.args;
        let x = |k: usize| nodes.word(node.args[k]);
        let low = match node.f {
            literal => c.common.splat(Splat::Constant(node.literal))?,
            source => {
                let word = node.literal as usize & 1;
                match operand(nodes.step, node.literal)? {
                    Operand::Vgpr(_) if node.literal == 0 && c.moved.is_some() => {
                        let quad = c.lanes.quad;
                        self.moved_words((quad.row, quad.at), c.moved?)
                    }
                    Operand::Vgpr(v) => self.register(c, v + word as u32),
                    Operand::Constant(words) => c.common.splat(Splat::Constant(words[word]))?,
                    Operand::Scalar(words) => c.common.splat(Splat::Scalar(words[word]))?,
                }
            }
            condition => self.mask(c, nodes.step.condition?)?,
            below => self.bits_below(c, node.literal != 0),
            truth => self.vector_of([node.literal.wrapping_neg(); 4]),
            high => nodes.of[usize::from(a)].high?,
            sel => self.f.ins().bitselect(x(0), x(1), x(2)),
            cand | and => self.f.ins().band(x(0), x(1)),
            cor | or => self.f.ins().bor(x(0), x(1)),
            cnot | not => self.f.ins().bnot(x(0)),
            xor => self.f.ins().bxor(x(0), x(1)),
            add => self.f.ins().iadd(x(0), x(1)),
            sub => self.f.ins().isub(x(0), x(1)),
            mul => self.f.ins().imul(x(0), x(1)),
            umulhi | smulhi => self.high_product(x(0), x(1), node.f == smulhi),
            shl | shr | sar => match self.count(nodes, node) {
                Some(count) => self.shifted_by(node.f, x(0), count),
                None => self.shifted_apart(node.f, x(0), x(1)),
            },
            popcnt => self.counted(x(0)),
            eq => self.f.ins().icmp(IntCC::Equal, x(0), x(1)),
            ult => self.f.ins().icmp(IntCC::UnsignedLessThan, x(0), x(1)),
            slt => self.f.ins().icmp(IntCC::SignedLessThan, x(0), x(1)),
            feq | flt | fle => {
                let (x, y) = (self.cast(F32X4, x(0)), self.cast(F32X4, x(1)));
                self.f.ins().fcmp(relation(node.f), x, y)
            }
            i32_from_f32 => {
                let x = self.cast(F32X4, x(0));
                self.f.ins().fcvt_to_sint_sat(I32X4, x)
            }
            u32_from_f32 => {
                let x = self.cast(F32X4, x(0));
                self.f.ins().fcvt_to_uint_sat(I32X4, x)
            }
            f32_from_i32 => {
                let v = self.f.ins().fcvt_from_sint(F32X4, x(0));
                self.cast(I32X4, v)
            }
            f32_from_u32 => {
                let v = self.f.ins().fcvt_from_uint(F32X4, x(0));
                self.cast(I32X4, v)
            }
            fadd | fmul | ffma | fmin | fmax | ftrunc | ffloor | fceil | frndne | fsqrt | frcp | frsq => {
                let used = node.args.iter().filter(|&&a| a != Id::MAX);
                let args: Vec<Value> = used.map(|&a| self.cast(F32X4, nodes.word(a))).collect();
                let v = self.float(F32X4, node.f, &args)?;
                self.cast(I32X4, v)
            }
            f64_from_f32 => {
                let first = self.cast(F32X4, x(0));
                let second = self.shuffled(x(0), x(0), HIGH_FIRST);
                let second = self.cast(F32X4, second);
                let d = [first, second].map(|v| self.f.ins().fvpromote_low(v));
                return Some(self.apart(d));
            }
            f64_from_i32 | f64_from_u32 => {
                let second = self.shuffled(x(0), x(0), HIGH_FIRST);
                let d = [x(0), second].map(|v| {
                    if node.f == f64_from_i32 {
                        let v = self.f.ins().swiden_low(v);
                        self.f.ins().fcvt_from_sint(F64X2, v)
                    } else {
                        let v = self.f.ins().uwiden_low(v);
                        self.f.ins().fcvt_from_uint(F64X2, v)
                    }
                });
                return Some(self.apart(d));
            }
            f32_from_f64 => {
                let d = self.paired(x(0), x(1)).map(|v| self.f.ins().fvdemote(v));
                let [first, second] = d.map(|v| self.cast(I32X4, v));
                self.shuffled(first, second, LOW_HALVES)
            }
            deq | dlt | dle => {
                let (x, y) = (self.paired(x(0), x(1)), self.paired(nodes.word(z), x(3)));
                let m = [0, 1].map(|i| self.f.ins().fcmp(relation(node.f), x[i], y[i]));
                let [first, second] = m.map(|v| self.cast(I32X4, v));
                self.shuffled(first, second, EVEN)
            }
            dadd | dmul | dfma | dmin | dmax | dtrunc | dfloor | dceil | drndne | dsqrt | drcp | drsq => {
                let used = node.args.iter().filter(|&&a| a != Id::MAX).count();
                let args: Vec<[Value; 2]> = (0..used / 2).map(|k| self.paired(x(2 * k), x(2 * k + 1))).collect();
                let mut of = |i: usize| {
                    let args: Vec<Value> = args.iter().map(|pair| pair[i]).collect();
                    self.float(F64X2, node.f, &args)
                };
                let d = [of(0)?, of(1)?];
                return Some(self.apart(d));
            }
            _ => return None,
        };
        Some(Words2 { low, high: None })
    }

    pub fn cast(&mut self, ty: Type, v: Value) -> Value {
        self.f.ins().bitcast(ty, MemFlagsData::new().with_endianness(Endianness::Little), v)
    }

    pub fn shuffled(&mut self, a: Value, b: Value, words: Words) -> Value {
        let (a, b) = (self.cast(I8X16, a), self.cast(I8X16, b));
        let bytes: Vec<u8> = words.iter().flat_map(|w| (0..4).map(move |byte| 4 * w + byte)).collect();
        let mask = self.f.func.dfg.immediates.push(bytes.as_slice().into());
        let v = self.f.ins().shuffle(a, b, mask);
        self.cast(I32X4, v)
    }

    /// Low and high words as doubles: of lanes 0 and 1, of lanes 2 and 3.
    fn paired(&mut self, low: Value, high: Value) -> [Value; 2] {
        [LOW_PAIRS, HIGH_PAIRS].map(|words| {
            let v = self.shuffled(low, high, words);
            self.cast(F64X2, v)
        })
    }

    fn apart(&mut self, d: [Value; 2]) -> Words2 {
        let [first, second] = d.map(|v| self.cast(I32X4, v));
        Words2 { low: self.shuffled(first, second, EVEN), high: Some(self.shuffled(first, second, ODD)) }
    }

    /// An operation of floats of one type.
    fn float(&mut self, ty: Type, f: F, x: &[Value]) -> Option<Value> {
        use F::*;
        Some(match f {
            fadd | dadd => self.f.ins().fadd(x[0], x[1]),
            fmul | dmul => self.f.ins().fmul(x[0], x[1]),
            ffma | dfma => self.f.ins().fma(x[0], x[1], x[2]),
            fmin | dmin => {
                let [x, y] = self.numbers([x[0], x[1]]);
                self.f.ins().fmin(x, y)
            }
            fmax | dmax => {
                let [x, y] = self.numbers([x[0], x[1]]);
                self.f.ins().fmax(x, y)
            }
            ftrunc | dtrunc => self.f.ins().trunc(x[0]),
            ffloor | dfloor => self.f.ins().floor(x[0]),
            fceil | dceil => self.f.ins().ceil(x[0]),
            frndne | drndne => self.f.ins().nearest(x[0]),
            fsqrt | dsqrt => self.f.ins().sqrt(x[0]),
            frcp | drcp => self.reciprocal(ty, x[0]),
            frsq | drsq => {
                let root = self.f.ins().sqrt(x[0]);
                self.reciprocal(ty, root)
            }
            _ => return None,
        })
    }

    /// A NaN's place is taken by the other one: Cranelift's minimum and maximum would be NaN, the algebra's are not.
    fn numbers(&mut self, x: [Value; 2]) -> [Value; 2] {
        let ty = self.f.func.dfg.value_type(x[0]);
        [(x[0], x[1]), (x[1], x[0])].map(|(v, other)| {
            let number = self.f.ins().fcmp(FloatCC::Equal, v, v);
            let number = self.cast(ty, number);
            self.f.ins().bitselect(number, v, other)
        })
    }

    fn reciprocal(&mut self, ty: Type, x: Value) -> Value {
        let one = match ty {
            F32X4 => self.f.ins().f32const(1.0),
            _ => self.f.ins().f64const(1.0),
        };
        let one = self.f.ins().splat(ty, one);
        self.f.ins().fdiv(one, x)
    }

    fn high_product(&mut self, x: Value, y: Value, signed: bool) -> Value {
        let [low, high] = self.products(x, y, signed);
        self.shuffled(low, high, ODD)
    }

    /// Products of 64 bits, in order, as words.
    fn products(&mut self, x: Value, y: Value, signed: bool) -> [Value; 2] {
        let low = [x, y].map(|v| if signed { self.f.ins().swiden_low(v) } else { self.f.ins().uwiden_low(v) });
        let high = [x, y].map(|v| if signed { self.f.ins().swiden_high(v) } else { self.f.ins().uwiden_high(v) });
        [low, high].map(|[x, y]| {
            let v = self.f.ins().imul(x, y);
            self.cast(I32X4, v)
        })
    }

    /// A shift's count, if it is one for all lanes.
    fn count(&mut self, nodes: &Nodes<'_>, shift: &Node) -> Option<Value> {
        if shift.args[1] == Id::MAX {
            return Some(self.f.ins().iconst(I32, i64::from(shift.literal)));
        }
        let node = nodes.plan.nodes.get(usize::from(shift.args[1])).filter(|n| n.f == F::source)?;
        let word = node.literal as usize & 1;
        match operand(nodes.step, node.literal)? {
            Operand::Scalar(words) => Some(self.scalar(words[word])),
            Operand::Constant(words) => Some(self.f.ins().iconst(I32, i64::from(words[word]))),
            Operand::Vgpr(_) => None,
        }
    }

    /// Counts are taken by 32, as Cranelift does it.
    fn shifted_by(&mut self, f: F, x: Value, count: Value) -> Value {
        match f {
            F::shl => self.f.ins().ishl(x, count),
            F::shr => self.f.ins().ushr(x, count),
            _ => self.f.ins().sshr(x, count),
        }
    }

    /// Each lane by its own count, which Cranelift has no instruction for: a product with a power of two, which is a float's
    /// exponent. To the right it is 2^(31 − count), of 64 bits, of which 31 go.
    fn shifted_apart(&mut self, f: F, x: Value, count: Value) -> Value {
        let most = self.vector_of([31; 4]);
        let count = self.f.ins().band(count, most);
        let power = |b: &mut Self, n: Value| {
            let bias = b.vector_of([127; 4]);
            let n = b.f.ins().iadd(n, bias);
            let n = b.f.ins().ishl_imm_u(n, 23);
            let n = b.cast(F32X4, n);
            b.f.ins().fcvt_to_uint_sat(I32X4, n)
        };
        if f == F::shl {
            let power = power(self, count);
            return self.f.ins().imul(x, power);
        }
        let rest = self.f.ins().isub(most, count);
        let power = power(self, rest);
        let sign = (f == F::sar).then(|| self.f.ins().sshr_imm_u(x, 31));
        let x = sign.map_or(x, |s| self.f.ins().bxor(x, s));
        let [low, high] = self.products(x, power, false).map(|v| {
            let v = self.cast(I64X2, v);
            let v = self.f.ins().ushr_imm_u(v, 31);
            self.cast(I32X4, v)
        });
        let v = self.shuffled(low, high, EVEN);
        sign.map_or(v, |s| self.f.ins().bxor(v, s))
    }

    fn counted(&mut self, x: Value) -> Value {
        let mut v = self.cast(I8X16, x);
        v = self.f.ins().popcnt(v);
        for _ in [I16X8, I32X4] {
            let (low, high) = (self.f.ins().uwiden_low(v), self.f.ins().uwiden_high(v));
            v = self.f.ins().iadd_pairwise(low, high);
        }
        v
    }
}

fn relation(f: F) -> FloatCC {
    match f {
        F::feq | F::deq => FloatCC::Equal,
        F::flt | F::dlt => FloatCC::LessThan,
        _ => FloatCC::LessThanOrEqual,
    }
}
