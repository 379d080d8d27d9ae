//! What a row's body computes, as text: one more algebra, which notes each operation instead of computing it.
//!
//! `S0`, `S1`, `S2` are the row's sources, `C` its condition in; `D` is its result and `CC` its condition out. What is used more than
//! once has a name of its own (`t0`, `t1`, …). Functions are the algebra's ([`crate::alu::Alu`]): with `f` they are of f32, with
//! `h` of f16, with `d` of f64, and round as MODE says.

use std::fmt::Write as _;
use std::sync::LazyLock;

use crate::alu::{Alu, Carry, Compare, Engine, FpMode, Host, Lane, Wide, WideCarry, mode_of};
use crate::insts::{self, Op};
use crate::row::Row;

/// A place in a record.
type Id = usize;

#[derive(Clone, PartialEq, Eq, Debug)]
enum Node {
    /// A source's lower or only dword, and its upper one.
    Low(usize),
    High(usize),
    Carry,
    Literal(u32),
    Truth(bool),
    Call(Function, Vec<Id>),
    /// A dword of a call that gives two.
    Half(Id, usize),
}

/// Operations in the order of their recording, and which of them are the result.
#[derive(Clone, Default, Debug)]
struct Record {
    nodes: Vec<Node>,
    result: Vec<Id>,
    condition: Option<Id>,
}

impl Record {
    /// Equal operations are one: they have no effect but their value.
    fn note(&mut self, node: Node) -> Id {
        self.nodes.iter().position(|n| *n == node).unwrap_or_else(|| {
            self.nodes.push(node);
            self.nodes.len() - 1
        })
    }

    fn source(&mut self, n: usize) -> [Id; 2] {
        [self.note(Node::Low(n)), self.note(Node::High(n))]
    }
}

/// Arguments as a list of dwords and conditions.
trait Flat {
    fn put(self, to: &mut Vec<Id>);
}
impl Flat for Id {
    fn put(self, to: &mut Vec<Id>) {
        to.push(self);
    }
}
impl Flat for [Id; 2] {
    fn put(self, to: &mut Vec<Id>) {
        to.extend(self);
    }
}

/// What a node is worth; conditions are 0 and 1.
struct Arguments<'a>(std::slice::Iter<'a, u32>);
impl Arguments<'_> {
    fn word(&mut self) -> u32 {
        self.0.next().copied().unwrap_or(0)
    }
}

/// `name(argument: kind, …) -> kind;` with kinds B (a dword), C (a condition) and P (two dwords).
macro_rules! functions {
    ($($name:ident($($arg:ident: $kind:ident),*) -> $out:ident;)*) => {
        #[allow(non_camel_case_types)]
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        enum Function { $($name),* }

        impl Function {
            fn name(self) -> &'static str {
                match self { $(Function::$name => stringify!($name)),* }
            }
            /// Whether each argument is of two dwords.
            fn pairs(self) -> &'static [bool] {
                match self { $(Function::$name => &[$(functions!(@pair $kind)),*]),* }
            }
            fn value(self, host: &mut Host, arguments: &[u32]) -> [u32; 2] {
                let mut from = Arguments(arguments.iter());
                match self { $(Function::$name => {
                    $(let $arg = functions!(@read from $kind);)*
                    functions!(@value $out host.$name($($arg),*))
                }),* }
            }
        }

        impl Alu for Record {
            type B = Id;
            type C = Id;
            // Calls, since each is in every body once for each operation.
            #[inline(never)]
            fn lit(&mut self, v: u32) -> Id {
                self.note(Node::Literal(v))
            }
            #[inline(never)]
            fn truth(&mut self, v: bool) -> Id {
                self.note(Node::Truth(v))
            }
            $(#[inline(never)]
            fn $name(&mut self, $($arg: functions!(@ty $kind)),*) -> functions!(@ty $out) {
                let mut all = Vec::new();
                $($arg.put(&mut all);)*
                let node = self.note(Node::Call(Function::$name, all));
                functions!(@out $out self node)
            })*
        }
    };
    (@ty P) => { [Id; 2] };
    (@ty $other:ident) => { Id };
    (@pair P) => { true };
    (@pair $other:ident) => { false };
    (@read $from:ident P) => { [$from.word(), $from.word()] };
    (@read $from:ident B) => { $from.word() };
    (@read $from:ident C) => { ($from.word() != 0) };
    (@value P $e:expr) => { $e };
    (@value B $e:expr) => { [$e, 0] };
    (@value C $e:expr) => { [u32::from($e), 0] };
    (@out P $self:ident $node:ident) => { [$self.note(Node::Half($node, 0)), $self.note(Node::Half($node, 1))] };
    (@out $other:ident $self:ident $node:ident) => { $node };
}

functions! {
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
    shl(a: B, n: B) -> B;
    shr(a: B, n: B) -> B;
    sar(a: B, n: B) -> B;
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
    dadd(a: P, b: P) -> P;
    dmul(a: P, b: P) -> P;
    dfma(a: P, b: P, c: P) -> P;
    dmin(a: P, b: P) -> P;
    dmax(a: P, b: P) -> P;
    deq(a: P, b: P) -> C;
    dlt(a: P, b: P) -> C;
    dle(a: P, b: P) -> C;
    dtrunc(a: P) -> P;
    dfloor(a: P) -> P;
    dceil(a: P) -> P;
    drndne(a: P) -> P;
    dsqrt(a: P) -> P;
    drcp(a: P) -> P;
    drsq(a: P) -> P;
    dldexp(a: P, n: B) -> P;
    f64_from_i32(a: B) -> P;
    f64_from_u32(a: B) -> P;
    f64_from_f32(a: B) -> P;
    i32_from_f64(a: P) -> B;
    u32_from_f64(a: P) -> B;
    f32_from_f64(a: P) -> B;
}

/// How many results a body has: of a lane one dword, of a comparison none.
struct Records;

impl Engine for Records {
    type Out = Option<Record>;
    fn lane<K: Lane>(_: &'static Row) -> Option<Record> {
        let mut r = Record::default();
        let s = [0, 1, 2].map(|n| r.note(Node::Low(n)));
        r.result = vec![K::eval(&mut r, s)];
        Some(r)
    }
    fn compare<K: Compare>(_: &'static Row) -> Option<Record> {
        let mut r = Record::default();
        let s = [0, 1].map(|n| r.source(n));
        r.condition = Some(K::eval(&mut r, s));
        Some(r)
    }
    fn carry<K: Carry>(_: &'static Row) -> Option<Record> {
        let mut r = Record::default();
        let s = [0, 1, 2].map(|n| r.note(Node::Low(n)));
        let carry = r.note(Node::Carry);
        let (v, c) = K::eval(&mut r, s, carry);
        (r.result, r.condition) = (vec![v], Some(c));
        Some(r)
    }
    fn wide<K: Wide>(_: &'static Row) -> Option<Record> {
        let mut r = Record::default();
        let s = [0, 1, 2].map(|n| r.source(n));
        let (v, c) = K::eval(&mut r, s);
        (r.result, r.condition) = (v.to_vec(), Some(c));
        Some(r)
    }
    fn wide_carry<K: WideCarry>(_: &'static Row) -> Option<Record> {
        let mut r = Record::default();
        let s = [0, 1, 2].map(|n| r.source(n));
        let carry = r.note(Node::Carry);
        let (v, c) = K::eval(&mut r, s, carry);
        (r.result, r.condition) = (v.to_vec(), Some(c));
        Some(r)
    }
    fn data(_: &'static Row) -> Option<Record> {
        None
    }
}

static RECORDS: LazyLock<Vec<Option<Record>>> = LazyLock::new(insts::instantiate::<Records>);

/// The statements that compute a row's result, a line each; `None` if its meaning is no body: memory, cross-lane, control.
pub fn statements(op: Op) -> Option<Vec<String>> {
    RECORDS[usize::from(op.0)].as_ref().map(|record| Printer::new(record).statements())
}

/// The record's own answer, as [`crate::reference::evaluate`] gives the body's.
pub fn evaluate(op: Op, s: [u64; 3], carry: bool, mode: FpMode) -> Option<(u64, bool)> {
    let record = RECORDS[usize::from(op.0)].as_ref()?;
    let mut host = Host { mode: mode_of(mode, op.row().class) };
    let mut values: Vec<[u32; 2]> = Vec::new();
    for node in &record.nodes {
        values.push(match node {
            Node::Low(n) => [s[*n] as u32, 0],
            Node::High(n) => [(s[*n] >> 32) as u32, 0],
            Node::Carry => [carry.into(), 0],
            Node::Literal(v) => [*v, 0],
            Node::Truth(v) => [u32::from(*v), 0],
            Node::Call(f, arguments) => {
                let arguments: Vec<u32> = arguments.iter().map(|a| values[*a][0]).collect();
                f.value(&mut host, &arguments)
            }
            Node::Half(of, which) => [values[*of][*which], 0],
        });
    }
    let word = |n: usize| record.result.get(n).map_or(0, |id| u64::from(values[*id][0]));
    Some((word(0) | word(1) << 32, record.condition.is_some_and(|c| values[c][0] != 0)))
}

struct Printer<'r> {
    record: &'r Record,
    /// The name of what is computed once and used often.
    names: Vec<Option<String>>,
    /// Whether a source has an upper dword that the body reads.
    wide: [bool; 3],
}

/// Deeper terms get names: a line is for reading.
const DEEPEST: usize = 4;

impl<'r> Printer<'r> {
    fn new(record: &'r Record) -> Printer<'r> {
        Printer { record, names: vec![None; record.nodes.len()], wide: [false; 3] }
    }

    fn statements(mut self) -> Vec<String> {
        let record = self.record;
        let ends: Vec<Id> = record.result.iter().chain(&record.condition).copied().collect();
        // How often a node is read, and whether the dwords of a pair are read one by one.
        let (mut uses, mut split) = (vec![0; record.nodes.len()], vec![false; record.nodes.len()]);
        let read = |uses: &mut Vec<usize>, dwords: &[Id]| match dwords {
            [low, high] if self.whole(*low, *high).is_some() => {
                self.whole(*low, *high).into_iter().for_each(|whole| uses[whole] += 1);
            }
            dwords => dwords.iter().for_each(|id| uses[*id] += 1),
        };
        read(&mut uses, &record.result);
        record.condition.iter().for_each(|id| uses[*id] += 1);
        let mut wide = [false; 3];
        for (id, node) in record.nodes.iter().enumerate().rev() {
            match node {
                _ if uses[id] == 0 => {}
                Node::Call(f, arguments) => {
                    let mut rest = &arguments[..];
                    for pair in f.pairs() {
                        let (these, others) = rest.split_at(1 + usize::from(*pair));
                        read(&mut uses, these);
                        rest = others;
                    }
                }
                Node::Half(of, _) => {
                    uses[*of] += uses[id];
                    split[*of] = true;
                }
                _ => {}
            }
        }
        // A source is of 64 bits if anything is made of its upper dword.
        for node in &record.nodes {
            if let Node::Call(_, arguments) = node {
                for a in arguments {
                    if let Node::High(n) = record.nodes[*a] {
                        wide[n] = true;
                    }
                }
            }
        }
        self.wide = wide;
        let mut depth = vec![0; record.nodes.len()];
        let mut out = Vec::new();
        for (id, node) in record.nodes.iter().enumerate() {
            let Node::Call(_, arguments) = node else {
                if let Node::Half(of, _) = node {
                    depth[id] = depth[*of];
                }
                continue;
            };
            depth[id] = 1 + arguments.iter().map(|a| depth[*a]).max().unwrap_or(0);
            let end = ends.iter().any(|e| *e == id || matches!(record.nodes[*e], Node::Half(of, _) if of == id));
            if uses[id] > 1 || split[id] || uses[id] == 1 && depth[id] > DEEPEST && !end {
                let name = format!("t{}", out.len());
                out.push(format!("{name} = {}", self.term(id)));
                self.names[id] = Some(name);
                depth[id] = 0;
            }
        }
        match record.result[..] {
            [v] => out.push(format!("D = {}", self.bare(v))),
            [low, high] => out.push(match self.whole(low, high) {
                Some(whole) => format!("D = {}", self.bare_pair(whole)),
                None => format!("D = {{{}, {}}}", self.text(low), self.text(high)),
            }),
            _ => {}
        }
        if let Some(c) = record.condition {
            out.push(format!("CC = {}", self.bare(c)));
        }
        out
    }

    /// The pair that two dwords are both halves of: a call's, or a source's.
    fn whole(&self, low: Id, high: Id) -> Option<Id> {
        match (&self.record.nodes[low], &self.record.nodes[high]) {
            (Node::Half(a, 0), Node::Half(b, 1)) if a == b => Some(*a),
            (Node::Low(a), Node::High(b)) if a == b => Some(low),
            _ => None,
        }
    }

    fn bare_pair(&self, id: Id) -> String {
        match &self.record.nodes[id] {
            Node::Low(n) => format!("S{n}"),
            _ => self.bare(id),
        }
    }

    /// Without parentheses around it.
    fn bare(&self, id: Id) -> String {
        if self.names[id].is_some() { self.text(id) } else { self.term(id) }
    }

    fn text(&self, id: Id) -> String {
        if let Some(name) = &self.names[id] {
            return name.clone();
        }
        let term = self.term(id);
        let infix = matches!(&self.record.nodes[id], Node::Call(f, _) if f.symbol().is_some() || *f == Function::sel);
        if infix { format!("({term})") } else { term }
    }

    fn term(&self, id: Id) -> String {
        match &self.record.nodes[id] {
            Node::Low(n) if self.wide[*n] => format!("S{n}.lo"),
            Node::Low(n) => format!("S{n}"),
            Node::High(n) => format!("S{n}.hi"),
            Node::Carry => "C".into(),
            Node::Literal(v) if *v < 1024 => v.to_string(),
            Node::Literal(v) => format!("{v:#x}"),
            Node::Truth(v) => v.to_string(),
            Node::Half(of, which) => format!("{}.{}", self.text(*of), ["lo", "hi"][*which]),
            Node::Call(Function::sel, a) => format!("{} ? {} : {}", self.text(a[0]), self.text(a[1]), self.text(a[2])),
            Node::Call(f @ (Function::not | Function::cnot), a) => {
                format!("{}{}", if *f == Function::not { "~" } else { "!" }, self.text(a[0]))
            }
            Node::Call(f, a) => match f.symbol() {
                Some(symbol) => format!("{} {symbol} {}", self.text(a[0]), self.text(a[1])),
                None => self.call(*f, a),
            },
        }
    }

    fn call(&self, f: Function, arguments: &[Id]) -> String {
        let (mut out, mut at) = (format!("{}(", f.name()), 0);
        for (n, pair) in f.pairs().iter().enumerate() {
            let comma = if n > 0 { ", " } else { "" };
            let one = match *pair {
                false => self.bare(arguments[at]),
                true => match self.whole(arguments[at], arguments[at + 1]) {
                    Some(whole) => self.bare_pair(whole),
                    None => format!("{{{}, {}}}", self.text(arguments[at]), self.text(arguments[at + 1])),
                },
            };
            let _ = write!(out, "{comma}{one}");
            at += 1 + usize::from(*pair);
        }
        out + ")"
    }
}

impl Function {
    /// Of what is written between its arguments: integers of 32 bits, comparisons without a sign.
    fn symbol(self) -> Option<&'static str> {
        Some(match self {
            Function::add => "+",
            Function::sub => "-",
            Function::mul => "*",
            Function::and => "&",
            Function::or => "|",
            Function::xor => "^",
            Function::shl => "<<",
            Function::shr => ">>",
            Function::eq => "==",
            Function::ult => "<",
            Function::cand => "&&",
            Function::cor => "||",
            _ => return None,
        })
    }
}
