//! Reads the text form of [`super::print`]. `;` starts a comment. Registers and blocks keep their numbers.

use super::*;
use std::str::FromStr;
use wavepipe_isa::Gen;
use wavepipe_isa::cache::Scope;
use wavepipe_isa::instr::{Dpp16, Image};

/// A syntax error: where, both from 1, and what was expected there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseError {
    pub line: usize,
    pub column: usize,
    pub message: String,
}

impl std::fmt::Display for ParseError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "line {}, column {}: {}", self.line, self.column, self.message)
    }
}

impl std::error::Error for ParseError {}

type Parsed<T> = Result<T, ParseError>;

/// More registers and blocks than any text needs, so that a wild number is an error and no allocation.
const MAX_NUMBER: u32 = 1 << 20;

impl FromStr for Func {
    type Err = ParseError;

    fn from_str(text: &str) -> Parsed<Func> {
        let mut lines = text.lines().enumerate().map(|(n, text)| Cursor::new(n + 1, text)).filter(|c| !c.done());
        let end = |line: usize| ParseError { line, column: 1, message: "the text ends inside of a function".into() };
        let last = text.lines().count().max(1);
        let mut head = lines.next().ok_or_else(|| end(last))?;
        head.expect("mir")?;
        let wave = match head.word() {
            "wave32" => WaveSize::W32,
            "wave64" => WaveSize::W64,
            other => return head.back(other, "expected wave32 or wave64"),
        };
        let isa = match head.take("{") {
            true => Gen::default(),
            false => {
                let name = head.word();
                let Some(isa) = Gen::named(name) else { return head.back(name, "expected a generation or {") };
                head.expect("{")?;
                isa
            }
        };
        head.finish()?;
        let mut p = Parser { f: Func::new(isa, wave), known: Vec::new(), named: Vec::new(), laid: Vec::new() };
        for mut c in &mut lines {
            if c.take("}") {
                c.finish()?;
                return p.end(c).and_then(|f| match lines.next() {
                    Some(more) => more.fail("text behind the function"),
                    None => Ok(f),
                });
            }
            p.line(&mut c)?;
        }
        Err(end(last))
    }
}

impl Func {
    /// The function as its text has it: without the registers that no instruction names and the blocks that are not in the
    /// layout. Reading what was printed gives this.
    pub fn as_text(&self) -> Func {
        let mut f = self.clone();
        let mut named = vec![false; f.regs.len()];
        for part in self.insts().flat_map(|i| i.dst.iter().chain(&i.src)).filter_map(|a| a.part()) {
            named[part.reg as usize] = true;
        }
        let last = named.iter().rposition(|n| *n).map_or(0, |n| n + 1);
        f.regs.truncate(last);
        for (info, named) in f.regs.iter_mut().zip(named) {
            if !named {
                *info = RegInfo::new(Bank::S, 1);
            }
        }
        let laid = |b: usize| self.order.contains(&(b as BlockId));
        f.blocks.truncate(self.order.iter().max().map_or(0, |&b| b as usize + 1));
        for (b, block) in f.blocks.iter_mut().enumerate() {
            if !laid(b) {
                *block = Block::new(0);
            }
        }
        f
    }
}

struct Parser {
    f: Func,
    /// Banks of the registers that the text has described or named.
    known: Vec<Option<Bank>>,
    /// Registers that an instruction has named.
    named: Vec<bool>,
    laid: Vec<bool>,
}

impl Parser {
    /// A register's description, a block's head, an instruction or a terminator.
    fn line(&mut self, c: &mut Cursor<'_>) -> Parsed<()> {
        if self.f.order.is_empty() && c.rest().starts_with('%') {
            return self.description(c);
        }
        if let Some(b) = c.label()? {
            return self.head(b, c);
        }
        let Some(&b) = self.f.order.last() else { return c.fail("expected a register or a block") };
        if self.f.blocks[b as usize].term != Term::Fall {
            return c.fail(format!("b{b} has ended"));
        }
        let term = match c.peek_word() {
            "jump" | "branch" | "end" | "return" => Some(c.word()),
            _ => None,
        };
        match term {
            Some("jump") => self.f.blocks[b as usize].term = Term::Jump(c.block()?),
            Some("branch") => {
                let name = c.word();
                let Some(cond) = Cond::ALL.into_iter().find(|k| k.name() == name) else {
                    return c.back(name, "expected a condition");
                };
                self.f.blocks[b as usize].term = Term::Branch { cond, target: c.block()? };
            }
            Some("return") => self.f.blocks[b as usize].term = Term::Return,
            Some(_) => self.f.blocks[b as usize].term = Term::End,
            None => {
                let inst = self.inst(c)?;
                self.f.blocks[b as usize].insts.push(inst);
            }
        }
        c.finish()
    }

    fn description(&mut self, c: &mut Cursor<'_>) -> Parsed<()> {
        let at = c.at;
        let (bank, r) = self.register(c)?;
        if self.known[r as usize].is_some() {
            c.at = at;
            return c.fail(format!("register {r} is described twice"));
        }
        self.known[r as usize] = Some(bank);
        c.expect(":")?;
        let (mut dwords, mut align, mut resident, mut spill_temp) = (1, None, false, false);
        loop {
            match c.peek_word() {
                "align" => {
                    c.word();
                    align = Some(c.number(1, 4)? as u8);
                }
                "resident" => resident = c.take("resident"),
                "spill_temp" => spill_temp = c.take("spill_temp"),
                _ => {
                    dwords = c.number(1, 32)? as u8;
                    c.expect("dwords")?;
                }
            }
            if !c.take(",") {
                break;
            }
        }
        let plain = RegInfo::new(bank, dwords);
        self.f.regs[r as usize] = RegInfo { align: align.unwrap_or(plain.align), resident, spill_temp, ..plain };
        c.finish()
    }

    fn head(&mut self, b: BlockId, c: &mut Cursor<'_>) -> Parsed<()> {
        self.make(b);
        if std::mem::replace(&mut self.laid[b as usize], true) {
            return c.fail(format!("b{b} stands twice"));
        }
        self.f.order.push(b);
        let mut block = Block::new(0);
        block.term = Term::Fall;
        if c.take("depth") {
            block.loop_depth = c.number(0, u32::MAX)?;
        }
        if c.take("logical") {
            while c.rest().starts_with('b') {
                block.logical.push(c.block()?);
            }
        }
        block.loc = c.location()?;
        self.f.blocks[b as usize] = block;
        c.finish()
    }

    fn make(&mut self, b: BlockId) {
        let n = self.f.blocks.len().max(b as usize + 1);
        self.f.blocks.resize(n, Block::new(0));
        self.laid.resize(n, false);
    }

    fn inst(&mut self, c: &mut Cursor<'_>) -> Parsed<Inst> {
        let mut dst = Vec::new();
        if c.rest().contains('=') {
            loop {
                dst.push(self.arg(c)?);
                if !c.take(",") {
                    break;
                }
            }
            c.expect("=")?;
        }
        let name = c.word();
        let code = match (Pseudo::ALL.into_iter().find(|p| p.name() == name), Op::named(name)) {
            (Some(p), _) => InstCode::Pseudo(p),
            (None, Some(op)) => InstCode::Isa(op),
            (None, None) => return c.back(name, "no such instruction"),
        };
        let mut inst = Inst::new(code, dst, Vec::new());
        if self.begins_arg(c) {
            loop {
                let bit = 1u8.checked_shl(inst.src.len() as u32).unwrap_or(0);
                // A minus with nothing behind it is no operand at all.
                let behind = c.rest().strip_prefix('-').and_then(|r| r.chars().next());
                if behind.is_some_and(|b| !matches!(b, ',' | ' ')) {
                    c.take("-");
                    inst.mods.neg |= bit;
                }
                let bar = c.take("|");
                let arg = self.arg(c)?;
                inst.src.push(arg);
                if bar {
                    c.expect("|")?;
                    inst.mods.abs |= bit;
                }
                if !c.take(",") {
                    break;
                }
            }
        }
        while !c.done() && !c.rest().starts_with('!') {
            self.modifier(&mut inst, c)?;
        }
        inst.loc = c.location()?;
        Ok(inst)
    }

    fn begins_arg(&self, c: &Cursor<'_>) -> bool {
        c.rest().starts_with(['%', '-', '|']) || c.rest().starts_with("0x") || phys(c.peek_word()).is_some()
    }

    fn modifier(&mut self, inst: &mut Inst, c: &mut Cursor<'_>) -> Parsed<()> {
        let word = c.word();
        let valued = c.take(":");
        let flag = Flags::all().iter_names().find(|(name, _)| !valued && name.to_lowercase() == word);
        if let Some((_, flag)) = flag {
            inst.flags |= flag;
            return Ok(());
        }
        match (word, &mut inst.extra, valued) {
            ("returns", _, false) => inst.cache.returns = true,
            ("scope", _, true) => {
                let name = c.word();
                let Some(scope) = Scope::ALL.into_iter().find(|s| s.name() == name) else {
                    return c.back(name, "no such scope");
                };
                inst.cache.scope = scope;
            }
            ("clamp", _, false) => inst.mods.clamp = true,
            ("tied", _, false) => inst.tied = true,
            ("imm", _, true) => inst.imm = c.signed()?,
            ("omod", _, true) => inst.mods.omod = c.byte()?,
            ("op_sel", _, true) => inst.mods.op_sel = c.byte()?,
            ("op_sel_hi", _, true) => inst.mods.op_sel_hi = c.byte()?,
            ("neg_hi", _, true) => inst.mods.neg_hi = c.byte()?,
            ("dpp16", extra, true) => {
                let ctrl = c.number(0, 0x1ff)? as u16;
                *extra =
                    Extra::Dpp16(Dpp16 { ctrl, row_mask: 0, bank_mask: 0, bound_ctrl: false, fetch_inactive: false });
            }
            ("row_mask", Extra::Dpp16(d), true) => d.row_mask = c.byte()?,
            ("bank_mask", Extra::Dpp16(d), true) => d.bank_mask = c.byte()?,
            ("bound_ctrl", Extra::Dpp16(d), false) => d.bound_ctrl = true,
            ("fi", Extra::Dpp16(d), false) => d.fetch_inactive = true,
            ("dmask", extra, true) => {
                let vaddr = [0; Image::MAX_ADDRESSES];
                *extra = Extra::Image(Image { dmask: c.byte()?, dim: 0, nsa: 0, vaddr, addresses: 0 });
            }
            ("dim", Extra::Image(i), true) => i.dim = c.byte()?,
            ("addresses", Extra::Image(i), true) => i.addresses = c.byte()?,
            _ => return c.back(word, "no such modifier here"),
        }
        Ok(())
    }

    /// `%s12`, without part and place.
    fn register(&mut self, c: &mut Cursor<'_>) -> Parsed<(Bank, u32)> {
        c.expect("%")?;
        let bank = match c.rest().chars().next() {
            Some('s') => Bank::S,
            Some('v') => Bank::V,
            _ => return c.fail("expected s or v"),
        };
        c.at += 1;
        let r = c.number(0, MAX_NUMBER)?;
        let n = self.f.regs.len().max(r as usize + 1);
        self.f.regs.resize(n, RegInfo::new(Bank::S, 1));
        self.known.resize(n, None);
        self.named.resize(n, false);
        Ok((bank, r))
    }

    fn arg(&mut self, c: &mut Cursor<'_>) -> Parsed<Arg> {
        if c.take("-") {
            return Ok(Arg::None);
        }
        if c.rest().starts_with("0x") {
            return Ok(Arg::Imm(c.number(0, u32::MAX)?));
        }
        if !c.rest().starts_with('%') {
            let word = c.word();
            return match phys(word) {
                Some(s) => Ok(Arg::Phys(s)),
                None => c.back(word, "expected an operand"),
            };
        }
        let at = c.at;
        let (bank, r) = self.register(c)?;
        let n = r as usize;
        if self.known[n].is_some_and(|other| other != bank) {
            c.at = at;
            return c.fail(format!("register {r} is of the other bank"));
        }
        if self.known[n].replace(bank).is_none() {
            self.f.regs[n] = RegInfo::new(bank, 1);
        }
        let info = &mut self.f.regs[n];
        let (mut sub, mut len) = (0, info.dwords);
        if c.take("[") {
            sub = c.number(0, 31)? as u8;
            let last = if c.take(":") { c.number(sub.into(), 31)? as u8 } else { sub };
            len = last - sub + 1;
            c.expect("]")?;
            if last >= info.dwords {
                c.at = at;
                return c.fail(format!("register {r} has {} dwords", info.dwords));
            }
        }
        let place = if c.take("@") {
            let word = c.word();
            match phys(word) {
                Some(s) => Some(s),
                None => return c.back(word, "expected a machine register"),
            }
        } else {
            None
        };
        // A place that was said once holds.
        let before = std::mem::replace(&mut self.named[n], true);
        if place.is_some() && before && place != info.fixed {
            c.at = at;
            return c.fail(format!("register {r} stands elsewhere before"));
        }
        info.fixed = place.or(info.fixed);
        Ok(Arg::Reg(Part { reg: r, sub, len }))
    }

    fn end(self, c: Cursor<'_>) -> Parsed<Func> {
        let targets = |b: &Block| {
            let term = match b.term {
                Term::Jump(t) | Term::Branch { target: t, .. } => Some(t),
                _ => None,
            };
            b.logical.iter().copied().chain(term).collect::<Vec<_>>()
        };
        for t in self.f.order.iter().flat_map(|&b| targets(&self.f.blocks[b as usize])) {
            if !self.laid.get(t as usize).is_some_and(|l| *l) {
                return Err(ParseError { line: c.number, column: 1, message: format!("there is no b{t}") });
            }
        }
        Ok(self.f)
    }
}

/// The machine register of a name.
fn phys(word: &str) -> Option<Src> {
    if let Some((s, _)) = disasm::SPECIAL.iter().find(|(_, name)| *name == word) {
        return Some(*s);
    }
    let number = |prefix: &str| word.strip_prefix(prefix).and_then(|n| n.parse::<u16>().ok());
    if let Some(n) = number("src").filter(|n| *n < 256) {
        return Some(Src(n));
    }
    let scalar = number("s").filter(|n| *n < Src::VCC_LO.0).map(Src);
    scalar.or_else(|| number("v").filter(|n| *n < 256).map(|n| Src::v(n.into())))
}

/// A place in a line.
struct Cursor<'a> {
    number: usize,
    /// Without the comment.
    text: &'a str,
    at: usize,
}

impl<'a> Cursor<'a> {
    fn new(number: usize, text: &'a str) -> Cursor<'a> {
        let text = text.split(';').next().unwrap_or("").trim_end();
        let mut c = Cursor { number, text, at: 0 };
        c.skip();
        c
    }

    fn skip(&mut self) {
        self.at = self.text.len() - self.text[self.at..].trim_start().len();
    }

    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn done(&self) -> bool {
        self.rest().is_empty()
    }

    fn fail<T>(&self, message: impl Into<String>) -> Parsed<T> {
        Err(ParseError { line: self.number, column: self.at + 1, message: message.into() })
    }

    /// Fails at the word that was just read.
    fn back<T>(&self, word: &str, message: &str) -> Parsed<T> {
        let at = if word.is_empty() { self.at } else { self.text[..self.at].rfind(word).unwrap_or(self.at) };
        let found = if word.is_empty() { self.rest() } else { word };
        Err(ParseError { line: self.number, column: at + 1, message: format!("{message}, found `{found}`") })
    }

    fn peek_word(&self) -> &'a str {
        let rest = self.rest();
        let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
        &rest[..end]
    }

    /// Letters, digits and underscores; empty if there are none.
    fn word(&mut self) -> &'a str {
        let word = self.peek_word();
        self.at += word.len();
        self.skip();
        word
    }

    fn take(&mut self, what: &str) -> bool {
        let word = what.starts_with(|c: char| c.is_ascii_alphanumeric());
        let hit = if word { self.peek_word() == what } else { self.rest().starts_with(what) };
        if hit {
            self.at += what.len();
            self.skip();
        }
        hit
    }

    fn expect(&mut self, what: &str) -> Parsed<()> {
        if self.take(what) { Ok(()) } else { self.fail(format!("expected `{what}`, found `{}`", self.rest())) }
    }

    fn finish(&self) -> Parsed<()> {
        if self.done() { Ok(()) } else { self.fail(format!("unexpected `{}`", self.rest())) }
    }

    /// Decimal, or hexadecimal behind `0x`.
    fn number(&mut self, least: u32, most: u32) -> Parsed<u32> {
        let word = self.peek_word();
        let value = match word.strip_prefix("0x") {
            Some(hex) => u32::from_str_radix(hex, 16).ok(),
            None => word.parse().ok(),
        };
        match value.filter(|v| (least..=most).contains(v)) {
            Some(v) => {
                self.word();
                Ok(v)
            }
            None => self.fail(format!("expected a number from {least} to {most}, found `{}`", self.rest())),
        }
    }

    fn byte(&mut self) -> Parsed<u8> {
        Ok(self.number(0, 255)? as u8)
    }

    fn signed(&mut self) -> Parsed<i32> {
        let minus = self.take("-");
        let n = i64::from(self.number(0, 1 << 31)?);
        let value = if minus { -n } else { n };
        i32::try_from(value).or_else(|_| self.fail("beyond 32 bits"))
    }

    fn block(&mut self) -> Parsed<BlockId> {
        let word = self.peek_word();
        match word.strip_prefix('b').and_then(|n| n.parse().ok()).filter(|n| *n < MAX_NUMBER) {
            Some(n) => {
                self.word();
                Ok(n)
            }
            None => self.fail(format!("expected a block, found `{}`", self.rest())),
        }
    }

    /// `b7:`, if the line begins so.
    fn label(&mut self) -> Parsed<Option<BlockId>> {
        let word = self.peek_word();
        let is_label = word.starts_with('b') && self.rest()[word.len()..].starts_with(':');
        if !is_label {
            return Ok(None);
        }
        let b = self.block()?;
        self.expect(":")?;
        Ok(Some(b))
    }

    fn location(&mut self) -> Parsed<Loc> {
        if !self.take("!") {
            return Ok(Loc::default());
        }
        let file = self.number(0, u32::MAX)? as _;
        self.expect(":")?;
        // Lines count from one: none is no place.
        Ok(Loc { file, line: self.number(1, u32::MAX)?, point: 0 })
    }
}
