//! The language of conditions: `v0[5] > 3`, `s4 == 0x10 && scc`, `lds[0x40] != total[2]`, `v1:f32 < 0.5`.
//!
//! ```text
//! or     = and { "||" and }          and  = compare { "&&" compare }
//! compare = mask [ ("=="|"!="|"<"|"<="|">"|">=") mask ]
//! mask   = sum { "&" sum }           sum  = product { ("+"|"-") product }
//! product = unary { "*" unary }      unary = ("!"|"-") unary | value
//! value  = NUMBER | "(" or ")" | WHAT [ "[" LANE "]" ] [ ":" ("u32"|"i32"|"f32") ] | "lane"
//! ```
//! What [`What`] reads, as whole numbers without sign unless it says otherwise; `v0[5]` is lane 5 of it. A condition with a vector
//! register and no lane, or with `lane`, holds where it does for any live lane. Where something cannot be read, as LDS out of
//! its bounds, the condition does not hold.

use crate::form::Form;
use crate::program::Names;
use crate::value::{Eye, Value, What, number, unknown};
use std::fmt;
use std::str::FromStr;

/// Text that is no condition: what was expected, and where.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("condition `{text}`: {why}")]
pub struct ConditionError {
    pub text: String,
    pub why: String,
}

/// What has to hold for a breakpoint to stop.
#[derive(Clone, PartialEq, Debug)]
pub struct Condition {
    text: String,
    root: Node,
}

#[derive(Clone, PartialEq, Debug)]
enum Node {
    Int(i128),
    Float(f64),
    Read { what: What, lane: Option<u32>, form: Form },
    Lane,
    Not(Box<Node>),
    Minus(Box<Node>),
    Two(Op, Box<Node>, Box<Node>),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Op {
    Or,
    And,
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
    Mask,
    Add,
    Sub,
    Mul,
}

/// By how tightly they bind, the loosest first.
const LEVELS: &[&[(&str, Op)]] = &[
    &[("||", Op::Or)],
    &[("&&", Op::And)],
    &[("==", Op::Eq), ("!=", Op::Ne), ("<=", Op::Le), (">=", Op::Ge), ("<", Op::Lt), (">", Op::Gt)],
    &[("&", Op::Mask)],
    &[("+", Op::Add), ("-", Op::Sub)],
    &[("*", Op::Mul)],
];
/// Operators that nest, at most: each level of text is one of the host's stack.
const DEPTH: u32 = 64;

#[derive(Clone, Copy, Debug)]
enum Number {
    Int(i128),
    Float(f64),
}

impl Number {
    fn float(self) -> f64 {
        match self {
            Number::Int(n) => n as f64,
            Number::Float(f) => f,
        }
    }

    fn holds(self) -> bool {
        match self {
            Number::Int(n) => n != 0,
            Number::Float(f) => f != 0.0,
        }
    }
}

impl FromStr for Condition {
    type Err = ConditionError;

    fn from_str(text: &str) -> Result<Condition, ConditionError> {
        let wrong = |why: String| ConditionError { text: text.trim().into(), why };
        let mut parser = Parser { left: text, depth: 0 };
        let root = parser.level(0).map_err(wrong)?;
        match parser.left.trim() {
            "" => Ok(Condition { text: text.trim().into(), root }),
            rest => Err(wrong(format!("an operator (== != < <= > >= && || & + - *) is expected at `{rest}`"))),
        }
    }
}

impl fmt::Display for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl Condition {
    /// That all its names are known.
    pub fn check(&self, names: &Names) -> Result<(), ConditionError> {
        let mut missing = None;
        self.root.each(&mut |node| {
            if let Node::Read { what: What::Named(name, _), .. } = node
                && !names.knows(name)
            {
                missing = Some(unknown(name, names).0);
            }
        });
        missing.map_or(Ok(()), |why| Err(ConditionError { text: self.text.clone(), why }))
    }

    /// Whether it holds, for the wave or for any live lane.
    pub(crate) fn holds(&self, eye: &Eye<'_>) -> bool {
        let at = |lane: u32| self.root.value(eye, lane).is_some_and(Number::holds);
        let mut by_lane = false;
        self.root.each(&mut |node| {
            by_lane |= match node {
                Node::Lane | Node::Read { what: What::Vgpr(_), lane: None, .. } => true,
                // A source variable: each lane has its own.
                Node::Read { what: What::Named(name, _), lane: None, .. } => eye.names.get(name).is_none(),
                _ => false,
            };
        });
        if !by_lane {
            return at(0);
        }
        let live = eye.group.wave(eye.wave).map_or(0, |w| w.exec());
        (0..64).any(|lane| live >> lane & 1 != 0 && at(lane))
    }
}

impl Node {
    fn each(&self, see: &mut dyn FnMut(&Node)) {
        see(self);
        match self {
            Node::Not(a) | Node::Minus(a) => a.each(see),
            Node::Two(_, a, b) => {
                a.each(see);
                b.each(see);
            }
            _ => {}
        }
    }

    fn value(&self, eye: &Eye<'_>, lane: u32) -> Option<Number> {
        Some(match self {
            Node::Int(n) => Number::Int(*n),
            Node::Float(f) => Number::Float(*f),
            Node::Lane => Number::Int(lane.into()),
            Node::Read { what, lane: of, form } => {
                let word = match eye.read(what).ok()? {
                    Value::Flag(b) => return Some(Number::Int(b.into())),
                    Value::Long(l) => return Some(Number::Int(l.into())),
                    Value::Mask { bits, .. } if matches!(what, What::Named(..)) => {
                        return Some(Number::Int((bits >> of.unwrap_or(lane) & 1).into()));
                    }
                    Value::Mask { bits, .. } => return Some(Number::Int(bits.into())),
                    Value::Word(w) => w,
                    Value::Lanes { words, .. } => *words.get(of.unwrap_or(lane) as usize)?,
                    Value::Words(words) => *words.first()?,
                };
                let form = if *form == Form::Hex { eye.form(what) } else { *form };
                match form {
                    Form::Hex | Form::U32 => Number::Int(word.into()),
                    Form::I32 => Number::Int((word as i32).into()),
                    Form::F32 => Number::Float(f32::from_bits(word).into()),
                }
            }
            Node::Not(a) => Number::Int((!a.value(eye, lane)?.holds()).into()),
            Node::Minus(a) => match a.value(eye, lane)? {
                Number::Int(n) => Number::Int(n.wrapping_neg()),
                Number::Float(f) => Number::Float(-f),
            },
            Node::Two(op, a, b) => {
                let a = a.value(eye, lane)?;
                match op {
                    Op::Or if a.holds() => return Some(Number::Int(1)),
                    Op::And if !a.holds() => return Some(Number::Int(0)),
                    _ => {}
                }
                op.of(a, b.value(eye, lane)?)?
            }
        })
    }
}

impl Op {
    fn of(self, a: Number, b: Number) -> Option<Number> {
        let truth = |b: bool| Number::Int(b.into());
        let order = match (a, b) {
            (Number::Int(a), Number::Int(b)) => Some(a.cmp(&b)),
            _ => a.float().partial_cmp(&b.float()),
        };
        Some(match (self, a, b) {
            (Op::Or | Op::And, _, b) => truth(b.holds()),
            (Op::Eq, ..) => truth(order.is_some_and(|o| o.is_eq())),
            (Op::Ne, ..) => truth(order.is_none_or(|o| o.is_ne())),
            (Op::Lt, ..) => truth(order.is_some_and(|o| o.is_lt())),
            (Op::Le, ..) => truth(order.is_some_and(|o| o.is_le())),
            (Op::Gt, ..) => truth(order.is_some_and(|o| o.is_gt())),
            (Op::Ge, ..) => truth(order.is_some_and(|o| o.is_ge())),
            (Op::Mask, Number::Int(a), Number::Int(b)) => Number::Int(a & b),
            (Op::Mask, ..) => return None,
            (Op::Add, Number::Int(a), Number::Int(b)) => Number::Int(a.wrapping_add(b)),
            (Op::Sub, Number::Int(a), Number::Int(b)) => Number::Int(a.wrapping_sub(b)),
            (Op::Mul, Number::Int(a), Number::Int(b)) => Number::Int(a.wrapping_mul(b)),
            (Op::Add, ..) => Number::Float(a.float() + b.float()),
            (Op::Sub, ..) => Number::Float(a.float() - b.float()),
            (Op::Mul, ..) => Number::Float(a.float() * b.float()),
        })
    }
}

struct Parser<'t> {
    left: &'t str,
    depth: u32,
}

type Parsed = Result<Node, String>;

impl Parser<'_> {
    fn level(&mut self, n: usize) -> Parsed {
        let Some(ops) = LEVELS.get(n) else { return self.unary() };
        let mut node = self.level(n + 1)?;
        let mut count = 0;
        while let Some(op) = self.operator(ops) {
            count += 1;
            if count > DEPTH {
                return Err(format!("more than {DEPTH} operators in a row"));
            }
            node = Node::Two(op, Box::new(node), Box::new(self.level(n + 1)?));
            if n == 2 {
                break;
            }
        }
        Ok(node)
    }

    fn operator(&mut self, ops: &[(&str, Op)]) -> Option<Op> {
        let left = self.left.trim_start();
        // `&&` is not two masks.
        let is = |text: &str| left.starts_with(text) && !(text == "&" && left.starts_with("&&"));
        let (text, op) = ops.iter().find(|(text, _)| is(text))?;
        self.left = &left[text.len()..];
        Some(*op)
    }

    fn take(&mut self, c: char) -> bool {
        let left = self.left.trim_start();
        left.strip_prefix(c).map(|rest| self.left = rest).is_some()
    }

    fn unary(&mut self) -> Parsed {
        self.depth += 1;
        if self.depth > DEPTH {
            return Err(format!("it nests more than {DEPTH} deep"));
        }
        let node = if self.take('!') {
            Node::Not(Box::new(self.unary()?))
        } else if self.take('-') {
            Node::Minus(Box::new(self.unary()?))
        } else if self.take('(') {
            let inside = self.level(0)?;
            if !self.take(')') {
                return Err(format!("`)` is expected at `{}`", self.left.trim()));
            }
            inside
        } else {
            self.value()?
        };
        self.depth -= 1;
        Ok(node)
    }

    /// The longest begin of what is left that consists of such characters.
    fn word(&mut self, is: impl Fn(char) -> bool) -> &str {
        let left = self.left.trim_start();
        let end = left.find(|c| !is(c)).unwrap_or(left.len());
        self.left = &left[end..];
        &left[..end]
    }

    fn value(&mut self) -> Parsed {
        let word = self.word(|c| c.is_alphanumeric() || matches!(c, '_' | '.' | '$')).to_owned();
        if word.is_empty() {
            let what = "a number, a register (v0, s4, exec, vcc, scc), lds[0x40] or a name is expected";
            return Err(match self.left.trim() {
                "" => format!("{what} at its end"),
                rest => format!("{what} at `{rest}`"),
            });
        }
        if word.starts_with(|c: char| c.is_ascii_digit()) {
            return match number(&word) {
                Some(n) => Ok(Node::Int(n.into())),
                None => word.parse().map(Node::Float).map_err(|_| format!("`{word}` is no number")),
            };
        }
        if word == "lane" {
            return Ok(Node::Lane);
        }
        let bracket = match self.take('[') {
            true => {
                let inside = self.word(|c| c != ']').to_owned();
                if !self.take(']') {
                    return Err(format!("`{word}[` has no `]`"));
                }
                Some(inside)
            }
            false => None,
        };
        let plain: Option<What> = word.parse().ok();
        let (what, lane) = match (plain, bracket) {
            (Some(What::Vgpr(n)), Some(lane)) => match number(lane.trim()).filter(|lane| *lane < 64) {
                Some(lane) => (What::Vgpr(n), Some(lane as u32)),
                None => return Err(format!("`{word}[{lane}]`: `{lane}` is no lane; they are 0 to 63")),
            },
            (_, Some(inside)) => (format!("{word}[{inside}]").parse::<What>().map_err(|e| e.0)?, None),
            (_, None) => (word.parse::<What>().map_err(|e| e.0)?, None),
        };
        let form = match self.take(':') {
            true => {
                let name = self.word(|c| c.is_alphanumeric()).to_owned();
                Form::named(&name).ok_or_else(|| format!("`:{name}` is no type: they are u32, i32, f32"))?
            }
            false => Form::Hex,
        };
        Ok(Node::Read { what, lane, form })
    }
}
