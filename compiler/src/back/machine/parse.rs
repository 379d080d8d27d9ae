//! Reads the text form of [`super::print`]: assembly in blocks.

use super::print::branch;
use super::{Body, Link, Machine, Placed};
use crate::ir::Loc;
use crate::mir::{BlockId, Cond, Term};
use std::str::FromStr;
use wavepipe_isa::{Gen, Src, asm, insts as i};

/// What is wrong with a line, which counts from 1.
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

/// More blocks than any text needs.
const MAX_BLOCKS: BlockId = 1 << 20;

impl FromStr for Machine {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Machine, ParseError> {
        let (blocks, order, functions) = (Vec::new(), Vec::new(), Vec::new());
        let mut m = Machine { isa: Gen::default(), lanes: 0, blocks, order, called: false, functions };
        let mut open = false;
        for (n, line) in text.lines().enumerate() {
            m.line(line, &mut open).map_err(|message| ParseError { line: n + 1, message })?;
        }
        let line = text.lines().count().max(1);
        for &b in &m.order {
            if let Term::Jump(t) | Term::Branch { target: t, .. } = m.blocks[b as usize].term
                && !m.order.contains(&t)
            {
                return Err(ParseError { line, message: format!("b{b} branches to b{t}, which is not there") });
            }
        }
        Ok(m)
    }
}

impl Machine {
    /// The code as its text has it: blocks that are not in the layout are empty. Reading what was printed gives this.
    pub fn as_text(&self) -> Machine {
        let mut m = self.clone();
        m.blocks.truncate(self.order.iter().max().map_or(0, |&b| b as usize + 1));
        for (b, body) in m.blocks.iter_mut().enumerate() {
            if !self.order.contains(&(b as BlockId)) {
                *body = nothing();
            }
        }
        m
    }

    /// `open`: the last block of the layout has not ended.
    fn line(&mut self, line: &str, open: &mut bool) -> Result<(), String> {
        let (code, comment) = line.split_once(';').unwrap_or((line, ""));
        let (code, words) = (code.trim(), comment.split_whitespace().collect::<Vec<_>>());
        if self.lanes == 0 {
            return match words[..] {
                [] if code.is_empty() => Ok(()),
                [wave, ref more @ ..] if code.is_empty() => self.head(wave, more),
                _ => self.head("", &[]),
            };
        }
        let loc = words.iter().find_map(|w| location(w)).unwrap_or_default();
        if let Some(name) = code.strip_suffix(':') {
            let b = block(name)?;
            let n = self.blocks.len().max(b as usize + 1);
            self.blocks.resize(n, nothing());
            if self.order.contains(&b) {
                return Err(format!("b{b} stands twice"));
            }
            self.order.push(b);
            self.blocks[b as usize] = Body { insts: Vec::new(), term: Term::Fall, loc };
            *open = true;
            return Ok(());
        }
        if code.is_empty() {
            return Ok(());
        }
        let Some(body) = self.order.last().and_then(|&b| self.blocks.get_mut(b as usize)).filter(|_| *open) else {
            return Err(format!("expected a label, found `{code}`"));
        };
        if let Some(term) = terminator(code)? {
            body.term = term;
            *open = false;
            return Ok(());
        }
        let mut instr = asm::parse_line(code, self.isa, self.lanes).map_err(|e| e.what)?;
        let link = link(&words)?;
        if let (true, Some(value)) = (link != Link::None, instr.src[1].inline_value()) {
            // What is added to becomes a literal, however small it is.
            (instr.src[1], instr.literal) = (Src::LITERAL, value);
        }
        body.insts.push(Placed { instr, loc, link });
        if instr.op == i::S_SETPC_B64 {
            body.term = Term::Return;
            *open = false;
        }
        Ok(())
    }

    /// `wave32`, `wave64`; behind it the generation, unless it is the default machine's, `called`, and `functions` with their first blocks.
    fn head(&mut self, wave: &str, more: &[&str]) -> Result<(), String> {
        self.lanes = match wave {
            "wave32" => 32,
            "wave64" => 64,
            _ => return Err("expected `; wave32` or `; wave64` first".into()),
        };
        let more = match more {
            [isa, rest @ ..] if Gen::named(isa).is_some() => {
                self.isa = Gen::named(isa).unwrap_or_default();
                rest
            }
            more => more,
        };
        let more = more.strip_prefix(&["called"]).inspect(|_| self.called = true).unwrap_or(more);
        self.functions = match more {
            [] => Vec::new(),
            ["functions", starts @ ..] => starts.iter().map(|s| block(s)).collect::<Result<_, _>>()?,
            [other, ..] => return Err(format!("expected `called` or `functions`, found `{other}`")),
        };
        Ok(())
    }
}

/// `constants` or `function N`
fn link(words: &[&str]) -> Result<Link, String> {
    if words.contains(&"constants") {
        return Ok(Link::Constants);
    }
    let Some(at) = words.iter().position(|w| *w == "function") else { return Ok(Link::None) };
    let number = words.get(at + 1).and_then(|n| n.parse().ok());
    number.map(Link::Function).ok_or_else(|| "expected a function's number".into())
}

/// What a block that is not in the layout holds.
fn nothing() -> Body {
    Body { insts: Vec::new(), term: Term::End, loc: Loc::default() }
}

fn block(name: &str) -> Result<BlockId, String> {
    let number = name.trim().strip_prefix('b').and_then(|n| n.parse().ok()).filter(|n| *n < MAX_BLOCKS);
    number.ok_or_else(|| format!("expected a block as b0, found `{name}`"))
}

fn terminator(code: &str) -> Result<Option<Term>, String> {
    let (name, operand) = code.split_once(char::is_whitespace).unwrap_or((code, ""));
    if code == "s_endpgm" {
        return Ok(Some(Term::End));
    }
    if name == "s_branch" {
        return Ok(Some(Term::Jump(block(operand)?)));
    }
    match Cond::ALL.into_iter().find(|c| branch(*c).row().name == name) {
        Some(cond) => Ok(Some(Term::Branch { cond, target: block(operand)? })),
        None => Ok(None),
    }
}

/// `!FILE:LINE`
fn location(word: &str) -> Option<Loc> {
    let (file, line) = word.strip_prefix('!')?.split_once(':')?;
    Some(Loc { file: file.parse().ok()?, line: line.parse().ok()?, point: 0 })
}
