//! Reads the text form of [`super::print`]. `#` starts a comment. Values and labels keep their numbers.

mod head;

use super::image::*;
use super::named::Mark;
use super::names::*;
use super::{kernel::*, types::*};
use std::str::FromStr;

/// A syntax error: the 1-based line and what was expected there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseError {
    pub line: usize,
    pub message: String,
}

impl std::fmt::Display for ParseError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "line {}: {}", self.line, self.message)
    }
}

impl std::error::Error for ParseError {}

impl FromStr for Kernel {
    type Err = ParseError;
    fn from_str(text: &str) -> Result<Kernel, ParseError> {
        let lines =
            text.lines().enumerate().map(|(n, l)| (n + 1, words(l))).filter(|(_, w)| !w.is_empty()).collect::<Vec<_>>();
        let mut p = Parser { lines, at: 0, kernel: Kernel::new("", [1; 3]) };
        p.kernel()?;
        Ok(p.kernel)
    }
}

/// Splits a line at blanks; parentheses and commas stand alone; a quoted string is one word that keeps its first quote.
fn words(line: &str) -> Vec<String> {
    let mut out = Vec::new();
    let mut word = String::new();
    let mut chars = line.chars();
    while let Some(c) = chars.next() {
        match c {
            '#' => break,
            '"' => {
                word.push('"');
                while let Some(c) = chars.next() {
                    match c {
                        '"' => break,
                        '\\' => word.extend(unescaped(&mut chars)),
                        c => word.push(c),
                    }
                }
            }
            '(' | ')' | ',' => {
                out.extend((!word.is_empty()).then(|| std::mem::take(&mut word)));
                out.push(c.to_string());
            }
            c if c.is_whitespace() => out.extend((!word.is_empty()).then(|| std::mem::take(&mut word))),
            c => word.push(c),
        }
    }
    out.extend((!word.is_empty()).then_some(word));
    out
}

/// The character behind a backslash, as Rust's `{:?}` writes those that do not print.
fn unescaped(chars: &mut std::str::Chars<'_>) -> Option<char> {
    Some(match chars.next()? {
        'n' => '\n',
        'r' => '\r',
        't' => '\t',
        '0' => '\0',
        'u' => {
            let digits: String = chars.by_ref().skip_while(|c| *c == '{').take_while(|c| *c != '}').collect();
            u32::from_str_radix(&digits, 16).ok().and_then(char::from_u32)?
        }
        c => c,
    })
}

struct Parser {
    lines: Vec<(usize, Vec<String>)>,
    at: usize,
    kernel: Kernel,
}

type Parsed<T> = Result<T, ParseError>;

/// The words of one line, and a place in them.
struct Line {
    number: usize,
    words: Vec<String>,
    at: usize,
}

impl Line {
    fn err<T>(&self, message: impl Into<String>) -> Parsed<T> {
        Err(ParseError { line: self.number, message: message.into() })
    }

    fn peek(&self) -> &str {
        self.words.get(self.at).map_or("", String::as_str)
    }

    fn next(&mut self) -> &str {
        self.at += 1;
        self.words.get(self.at - 1).map_or("", String::as_str)
    }

    fn take(&mut self, word: &str) -> bool {
        let hit = self.peek() == word;
        self.at += usize::from(hit);
        hit
    }

    fn expect(&mut self, word: &str) -> Parsed<()> {
        if self.take(word) { Ok(()) } else { self.err(format!("expected `{word}`, found `{}`", self.peek())) }
    }

    fn number<T: FromStr>(&mut self) -> Parsed<T> {
        let word = self.next().to_string();
        word.parse().or_else(|_| self.err(format!("expected a number, found `{word}`")))
    }

    /// `key=value`, if the next word is that.
    fn key<T: FromStr>(&mut self, key: &str) -> Parsed<Option<T>> {
        let Some(text) = self.peek().strip_prefix(key).and_then(|r| r.strip_prefix('=')).map(str::to_string) else {
            return Ok(None);
        };
        self.at += 1;
        text.parse().map(Some).or_else(|_| self.err(format!("expected a number after `{key}=`")))
    }

    fn key_of<T: Copy>(&mut self, key: &str, table: &[(T, &'static str)]) -> Parsed<T> {
        match self.key::<String>(key)?.as_deref().and_then(|name| lookup(table, name)) {
            Some(v) => Ok(v),
            None => {
                self.err(format!("expected `{key}=` and one of {:?}", table.iter().map(|t| t.1).collect::<Vec<_>>()))
            }
        }
    }

    fn value(&mut self) -> Parsed<Value> {
        let word = self.next().to_string();
        match word.strip_prefix('%').and_then(|n| n.parse().ok()) {
            Some(n) => Ok(Value(n)),
            None => self.err(format!("expected a value, found `{word}`")),
        }
    }

    fn values(&mut self) -> Parsed<Vec<Value>> {
        let mut out = Vec::new();
        while self.peek().starts_with('%') {
            out.push(self.value()?);
        }
        Ok(out)
    }

    fn loc(&mut self) -> Parsed<Loc> {
        let Some(text) = self.peek().strip_prefix('!').map(str::to_string) else { return Ok(Loc::default()) };
        self.at += 1;
        match text
            .split_once(':')
            .and_then(|(f, l)| Some(Loc { file: f.parse().ok()?, line: l.parse().ok()?, point: 0 }))
        {
            Some(l) => Ok(l),
            None => self.err("expected `!FILE:LINE`"),
        }
    }

    fn end(&self) -> Parsed<()> {
        if self.at >= self.words.len() { Ok(()) } else { self.err(format!("unexpected `{}`", self.peek())) }
    }
}

/// More values than any text needs, so that a wild number is an error and no allocation.
const MAX_VALUES: u32 = 1 << 24;

impl Parser {
    fn line(&mut self) -> Parsed<Line> {
        let last = self.lines.last().map_or(0, |l| l.0);
        match self.lines.get_mut(self.at) {
            Some((number, words)) => {
                self.at += 1;
                Ok(Line { number: *number, words: std::mem::take(words), at: 0 })
            }
            None => Err(ParseError { line: last, message: "the text ends inside of a region".into() }),
        }
    }

    fn define(&mut self, l: &mut Line) -> Parsed<Value> {
        let word = l.next().to_string();
        let parts = word.strip_prefix('%').and_then(|w| w.split_once(':'));
        let (number, width) = match parts.map(|(n, w)| (n.parse::<u32>(), lookup(WIDTHS, w))) {
            Some((Ok(n), Some(w))) if n < MAX_VALUES => (n, w),
            _ => return l.err(format!("expected a definition like %3:b32, found `{word}`")),
        };
        if self.kernel.values.len() <= number as usize {
            self.kernel.values.resize(number as usize + 1, ValueInfo { width: Width::B32 });
        }
        self.kernel.values[number as usize].width = width;
        Ok(Value(number))
    }

    fn label(&mut self, l: &mut Line) -> Parsed<Label> {
        let word = l.next().to_string();
        match word.strip_prefix('@').and_then(|n| n.parse::<u32>().ok()) {
            Some(n) if n < MAX_VALUES => {
                self.kernel.labels = self.kernel.labels.max(n + 1);
                Ok(Label(n))
            }
            _ => l.err(format!("expected a label like @0, found `{word}`")),
        }
    }

    /// Nodes up to and with the exit.
    fn region(&mut self) -> Parsed<Region> {
        let mut nodes = Vec::new();
        loop {
            let mut l = self.line()?;
            let exit = match l.peek() {
                "yield" => {
                    l.next();
                    Exit::Yield(l.values()?)
                }
                "break" => {
                    l.next();
                    Exit::Break(self.label(&mut l)?, l.values()?)
                }
                "continue" => {
                    l.next();
                    Exit::Continue(self.label(&mut l)?, l.values()?)
                }
                "unreachable" => {
                    l.next();
                    Exit::Unreachable
                }
                _ => {
                    nodes.push(self.node(l)?);
                    continue;
                }
            };
            l.end()?;
            return Ok(Region { nodes, exit });
        }
    }

    fn close(&mut self, words: &[&str]) -> Parsed<()> {
        let mut l = self.line()?;
        words.iter().try_for_each(|w| l.expect(w))?;
        l.end()
    }

    /// Parameters in parentheses, and what they begin with.
    fn params(&mut self, l: &mut Line) -> Parsed<(Vec<Value>, Vec<Value>)> {
        let (mut params, mut init) = (Vec::new(), Vec::new());
        l.expect("(")?;
        while !l.take(")") {
            params.push(self.define(l)?);
            l.expect("=")?;
            init.push(l.value()?);
            if !l.take(",") && l.peek() != ")" {
                return l.err("expected `,` or `)`");
            }
        }
        Ok((params, init))
    }

    fn case(&mut self) -> Parsed<Case> {
        let mut l = self.line()?;
        l.expect("case")?;
        let mut values = Vec::new();
        while let Some(hex) = l.peek().strip_prefix("0x") {
            match u32::from_str_radix(hex, 16) {
                Ok(v) => values.push(v),
                Err(_) => return l.err("expected 32 bits in hexadecimal digits"),
            }
            l.next();
        }
        let default = l.take("default");
        let (params, init) = self.params(&mut l)?;
        l.expect("{")?;
        l.end()?;
        let body = self.region()?;
        self.close(&["}"])?;
        Ok(Case { values, default, params, init, body })
    }

    fn node(&mut self, mut l: Line) -> Parsed<Node> {
        let mut results = Vec::new();
        while l.peek().starts_with('%') {
            results.push(self.define(&mut l)?);
        }
        if !results.is_empty() {
            l.expect("=")?;
        }
        match l.peek() {
            "if" => {
                l.next();
                let cond = l.value()?;
                let loc = l.loc()?;
                l.expect("{")?;
                let then = self.region()?;
                self.close(&["}", "else", "{"])?;
                let els = self.region()?;
                self.close(&["}"])?;
                Ok(Node::If { cond, then, els, results, loc })
            }
            "loop" => {
                l.next();
                let label = self.label(&mut l)?;
                let (params, init) = self.params(&mut l)?;
                let loc = l.loc()?;
                l.expect("{")?;
                let body = self.region()?;
                self.close(&["}"])?;
                Ok(Node::Loop { label, params, init, body, results, loc })
            }
            "block" => {
                l.next();
                let label = self.label(&mut l)?;
                let loc = l.loc()?;
                l.expect("{")?;
                let body = self.region()?;
                self.close(&["}"])?;
                Ok(Node::Block { label, body, results, loc })
            }
            "switch" => {
                l.next();
                let label = self.label(&mut l)?;
                let selector = l.value()?;
                let loc = l.loc()?;
                l.expect("{")?;
                l.end()?;
                let mut cases = Vec::new();
                while self.lines.get(self.at).is_some_and(|(_, w)| w.first().is_some_and(|w| w == "case")) {
                    cases.push(self.case()?);
                }
                self.close(&["}"])?;
                Ok(Node::Switch { label, selector, cases, results, loc })
            }
            _ => {
                let exact = l.take("exact");
                let op = op(&mut l)?;
                let args = l.values()?;
                let loc = l.loc()?;
                l.end()?;
                Ok(Node::Inst(Inst { op, args, results, exact, loc }))
            }
        }
    }
}

fn op(l: &mut Line) -> Parsed<Op> {
    let head = l.next().to_string();
    let mut parts = head.split('.');
    let first = parts.next().unwrap_or("");
    let unknown = |l: &Line| l.err(format!("unknown operation `{head}`"));
    let access = |l: &mut Line| -> Parsed<(u32, Access)> {
        let offset = l.key("offset")?.unwrap_or(0);
        let (coherent, volatile, readonly) = (l.take("coherent"), l.take("volatile"), l.take("readonly"));
        Ok((offset, Access { coherent, volatile, readonly, align: l.key("align")?.unwrap_or(0) }))
    };
    let space = parts.clone().next().and_then(|s| lookup(SPACES, s));
    Ok(match (first, space) {
        ("const", _) => {
            let word = l.next().to_string();
            let bits = match word.strip_prefix("0x") {
                Some(hex) => u64::from_str_radix(hex, 16).ok(),
                // A decimal with a point is an f32: shorter to write in tests.
                None if word.contains('.') => word.parse::<f32>().ok().map(|f| u64::from(f.to_bits())),
                None => word.parse().ok(),
            };
            match bits {
                Some(b) => Op::Const(b),
                None => return l.err(format!("expected a constant, found `{word}`")),
            }
        }
        ("undef", _) => Op::Undef,
        ("builtin", _) => {
            let name = l.next().to_string();
            match lookup(BUILTINS, &name) {
                Some(b) => Op::Builtin(b),
                None => return l.err(format!("unknown builtin `{name}`")),
            }
        }
        ("descriptor", _) => match (l.key("set")?, l.key("binding")?) {
            (Some(set), Some(binding)) => Op::Descriptor { set, binding, kind: l.key_of("kind", KINDS)? },
            _ => return l.err("expected set= and binding="),
        },
        ("descriptor_size", _) => Op::DescriptorSize,
        ("load", Some(space)) => {
            let (offset, access) = access(l)?;
            Op::Load { space, offset, access }
        }
        ("store", Some(space)) => {
            let (offset, access) = access(l)?;
            Op::Store { space, offset, access }
        }
        ("atomic", Some(space)) => match parts.nth(1).and_then(|n| lookup(ATOMICS, n)) {
            Some(op) => Op::Atomic { op, space, offset: l.key("offset")?.unwrap_or(0) },
            None => return unknown(l),
        },
        ("image", _) => {
            let name = parts.next().unwrap_or("").to_string();
            let op = match name.as_str() {
                "atomic" => parts.next().and_then(|n| lookup(ATOMICS, n)).map(ImageOp::Atomic),
                "gather" => l.key("component")?.map(ImageOp::Gather),
                name => lookup(IMAGE_OPS, name),
            };
            let Some(op) = op else { return unknown(l) };
            let dim = l.key_of("dim", DIMS)?;
            let mut image = Image::new(op, dim, l.take("arrayed"), l.take("multisampled"));
            (image.offset, image.compare, image.min_lod) = (l.take("offset"), l.take("compare"), l.take("min_lod"));
            image.integer = l.take("integer");
            image.level = l.key_of("level", LEVELS)?;
            image.access = access(l)?.1;
            Op::Image(image)
        }
        ("subgroup", _) => {
            let name = parts.next().unwrap_or("");
            match (lookup(SUBGROUPS, name), lookup(REDUCE_KINDS, name)) {
                (Some(s), _) => Op::Subgroup(s),
                (_, Some(kind)) => match parts.next().and_then(|n| lookup(REDUCE_OPS, n)) {
                    Some(op) => Op::Subgroup(Subgroup::Reduce { op, kind, cluster: l.key("cluster")?.unwrap_or(0) }),
                    None => return unknown(l),
                },
                _ => return unknown(l),
            }
        }
        ("barrier", _) => {
            let (execution, memory) = (l.key_of("execution", SCOPES)?, l.key_of("memory", SCOPES)?);
            let (lds, buffer, image) = (l.take("lds"), l.take("buffer"), l.take("image"));
            Op::Barrier { execution, memory, lds, buffer, image }
        }
        ("trace", _) => Op::Trace { site: l.number()?, finding: l.take("finding") },
        ("count", _) => Op::Count { site: l.number()? },
        ("mark", _) => Op::Mark(match parts.next() {
            Some("set") => Mark::Set { variable: l.number()?, first: l.number()? },
            Some("begin") => Mark::Begin { variable: l.number()? },
            Some("enter") => Mark::Enter { scope: l.number()? },
            _ => return unknown(l),
        }),
        ("call", _) => Op::Call { function: l.number()?, effects: !l.take("pure") },
        ("clock", _) => Op::Clock { realtime: l.take("realtime") },
        (name, _) => match lookup(ALUS, name) {
            Some(a) => Op::Alu(a),
            None => return unknown(l),
        },
    })
}
