//! Declarations and statements of a text.

mod expression;

use super::lex::{Kind, Token};
use super::pre::Text;
use super::syntax::{At, Dims, Function, Item, Member, Named, Quals, Spec, Stmt, StmtKind, Storage, Struct, Var, Vars};
use super::{Refusal, Result, types};
use std::collections::HashSet;
use std::rc::Rc;

/// Expressions in expressions and statements in statements.
const DEEPEST: usize = 250;
/// Operations in a row, each of which is done on what the one in front of it gives.
const LONGEST: usize = 400;

pub fn parse(text: &Text) -> Result<Vec<Item>> {
    let mut parser = Parser { text, at: 0, depth: 0, names: HashSet::new(), end: end(text) };
    let mut items = Vec::new();
    while parser.at < text.tokens.len() {
        if !parser.takes(";") {
            parser.item(&mut items)?;
        }
    }
    Ok(items)
}

fn end(text: &Text) -> Token {
    let last = text.tokens.last();
    let (file, line) = last.map_or((0, 1), |t| (t.file, t.line));
    Token { kind: Kind::End, text: "the end".into(), file, line, first: true, spaced: true }
}

struct Parser<'a> {
    text: &'a Text,
    at: usize,
    depth: usize,
    /// Of structures and buffer references.
    names: HashSet<Rc<str>>,
    end: Token,
}

const PRECISIONS: &[&str] = &["highp", "mediump", "lowp"];

impl<'a> Parser<'a> {
    fn peek(&self) -> &Token {
        self.text.tokens.get(self.at).unwrap_or(&self.end)
    }

    fn ahead(&self, n: usize) -> &Token {
        self.text.tokens.get(self.at + n).unwrap_or(&self.end)
    }

    fn place(&self) -> At {
        let token = self.peek();
        At { file: token.file, line: token.line }
    }

    fn is(&self, text: &str) -> bool {
        let token = self.peek();
        &*token.text == text && matches!(token.kind, Kind::Sign | Kind::Word)
    }

    fn takes(&mut self, text: &str) -> bool {
        let is = self.is(text);
        self.at += usize::from(is);
        is
    }

    fn wants(&mut self, text: &str) -> Result<()> {
        if self.takes(text) {
            Ok(())
        } else {
            Err(self.refuse(format!("`{text}` is wanted in front of `{}`", self.peek().text)))
        }
    }

    fn refuse(&self, what: impl Into<String>) -> Refusal {
        self.text.refuse(self.peek(), what)
    }

    fn word(&mut self) -> Result<Rc<str>> {
        let token = self.peek();
        if token.kind != Kind::Word {
            return Err(self.refuse(format!("a name is wanted in front of `{}`", token.text)));
        }
        let name = token.text.clone();
        self.at += 1;
        Ok(name)
    }

    /// Runs `inside` one level deeper.
    fn deeper<T>(&mut self, inside: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(self.refuse(format!("this is nested more than {DEEPEST} deep")));
        }
        let out = inside(self);
        self.depth -= 1;
        out
    }

    /// Whether a type's name stands `n` tokens ahead.
    fn names_type(&self, n: usize) -> bool {
        let token = self.ahead(n);
        token.kind == Kind::Word
            && (types::builtin(&token.text).is_some() || &*token.text == "struct" || self.names.contains(&token.text))
    }

    fn quals(&mut self) -> Result<Quals> {
        let mut out = Quals::default();
        loop {
            let storage = match &*self.peek().text {
                "const" => Storage::Const,
                "in" if out.storage == Storage::Const => Storage::Const,
                "in" => Storage::In,
                "out" => Storage::Out,
                "inout" => Storage::InOut,
                "uniform" => Storage::Uniform,
                "buffer" => Storage::Buffer,
                "shared" => Storage::Shared,
                _ => Storage::None,
            };
            if storage != Storage::None {
                out.storage = storage;
                self.at += 1;
                continue;
            }
            match &*self.peek().text {
                "coherent" | "devicecoherent" | "queuefamilycoherent" | "workgroupcoherent" | "subgroupcoherent" => {
                    out.memory.coherent = true;
                }
                "volatile" => out.memory.volatile = true,
                "restrict" => out.memory.restrict = true,
                "readonly" => out.memory.readonly = true,
                "writeonly" => out.memory.writeonly = true,
                "precise" => out.precise = true,
                "subgroupuniformEXT" | "nonuniformEXT" if &*self.ahead(1).text != "(" => {}
                "invariant" | "nonprivate" | "highp" | "mediump" | "lowp" => {}
                "layout" => {
                    self.at += 1;
                    self.layout(&mut out)?;
                    continue;
                }
                _ => return Ok(out),
            }
            self.at += 1;
        }
    }

    fn layout(&mut self, out: &mut Quals) -> Result<()> {
        self.wants("(")?;
        loop {
            let name = self.word()?;
            let value = if self.takes("=") { Some(self.unary_or_more()?) } else { None };
            out.layout.push((name, value));
            if !self.takes(",") {
                return self.wants(")");
            }
        }
    }

    fn dims(&mut self) -> Result<Dims> {
        let mut out = Vec::new();
        while self.takes("[") {
            out.push(if self.is("]") { None } else { Some(self.expression()?) });
            self.wants("]")?;
        }
        Ok(out)
    }

    fn spec(&mut self) -> Result<Spec> {
        while PRECISIONS.contains(&&*self.peek().text) {
            self.at += 1;
        }
        let at = self.place();
        if self.takes("struct") {
            let name = if self.is("{") { "".into() } else { self.word()? };
            if !name.is_empty() {
                self.names.insert(name.clone());
            }
            let members = self.members()?;
            return Ok(Spec { at, named: Named::Struct(Rc::new(Struct { name, members })), dims: self.dims()? });
        }
        if !self.names_type(0) {
            let known = ["rayQueryEXT", "accelerationStructureEXT", "atomic_uint", "subpassInput", "coopmat"];
            let what = match known.contains(&&*self.peek().text) {
                true => format!("{} is not known", self.peek().text),
                false => format!("a type is wanted, and `{}` is none", self.peek().text),
            };
            return Err(self.refuse(what));
        }
        let name = self.word()?;
        let named = match (self.names.contains(&name), types::builtin(&name)) {
            (false, Some(ty)) => Named::Builtin(ty),
            _ => Named::User(name),
        };
        Ok(Spec { at, named, dims: self.dims()? })
    }

    fn members(&mut self) -> Result<Vec<Member>> {
        self.wants("{")?;
        let mut out = Vec::new();
        while !self.takes("}") {
            let quals = self.quals()?;
            let spec = self.spec()?;
            loop {
                let at = self.place();
                let name = self.word()?;
                let dims = self.dims()?;
                out.push(Member { at, quals: quals.clone(), spec: spec.clone(), name, dims });
                if !self.takes(",") {
                    break;
                }
            }
            self.wants(";")?;
        }
        Ok(out)
    }

    fn attributes(&mut self) -> Result<Vec<Rc<str>>> {
        let mut out = Vec::new();
        while self.is("[") && &*self.ahead(1).text == "[" {
            self.at += 2;
            while !self.is("]") {
                let name = self.word()?;
                if self.takes("(") {
                    self.expression()?;
                    self.wants(")")?;
                }
                out.push(name);
                if !self.takes(",") {
                    break;
                }
            }
            self.wants("]")?;
            self.wants("]")?;
        }
        Ok(out)
    }

    fn item(&mut self, items: &mut Vec<Item>) -> Result<()> {
        if self.takes("precision") {
            self.at += 2;
            return self.wants(";");
        }
        let mut attributes = self.attributes()?;
        let at = self.place();
        let quals = self.quals()?;
        if self.takes(";") {
            items.push(Item::Default(at, quals));
            return Ok(());
        }
        let block =
            matches!(quals.storage, Storage::Buffer | Storage::Uniform | Storage::Shared | Storage::In | Storage::Out);
        if block && self.peek().kind == Kind::Word && matches!(&*self.ahead(1).text, "{" | ";") && !self.names_type(0)
            || quals.storage == Storage::Buffer && &*self.ahead(1).text == "{"
        {
            let name = self.word()?;
            self.names.extend(quals.layout.iter().any(|(n, _)| &**n == "buffer_reference").then(|| name.clone()));
            if self.takes(";") {
                // A block that is announced: `buffer NAME;`
                self.names.insert(name);
                return Ok(());
            }
            let members = self.members()?;
            let instance = if self.is(";") { None } else { Some((self.word()?, self.dims()?)) };
            self.wants(";")?;
            items.push(Item::Block { at, quals, name, members, instance });
            return Ok(());
        }
        let spec = self.spec()?;
        attributes.extend(self.attributes()?);
        if self.peek().kind == Kind::Word && &*self.ahead(1).text == "(" {
            items.push(Item::Function(Rc::new(self.function(spec, attributes)?)));
            return Ok(());
        }
        let vars = self.vars(quals, spec)?;
        items.push(Item::Vars(vars));
        Ok(())
    }

    fn function(&mut self, ty: Spec, mut attributes: Vec<Rc<str>>) -> Result<Function> {
        let at = self.place();
        let name = self.word()?;
        self.wants("(")?;
        let mut parameters = Vec::new();
        if !(self.is("void") && &*self.ahead(1).text == ")") {
            while !self.is(")") {
                let quals = self.quals()?;
                let spec = self.spec()?;
                let at = self.place();
                let name = if self.peek().kind == Kind::Word { self.word()? } else { "".into() };
                let dims = self.dims()?;
                parameters.push(Member { at, quals, spec, name, dims });
                if !self.takes(",") {
                    break;
                }
            }
        } else {
            self.at += 1;
        }
        self.wants(")")?;
        attributes.extend(self.attributes()?);
        let body = if self.takes(";") { None } else { Some(self.block()?) };
        Ok(Function { at, ty, name, parameters, body, attributes })
    }

    /// What is declared behind a type, up to the semicolon.
    fn vars(&mut self, quals: Quals, spec: Spec) -> Result<Vars> {
        let mut list = Vec::new();
        if !self.is(";") {
            loop {
                let at = self.place();
                let name = self.word()?;
                let dims = self.dims()?;
                let value = if self.takes("=") { Some(self.initializer()?) } else { None };
                list.push(Var { at, name, dims, value });
                if !self.takes(",") {
                    break;
                }
            }
        }
        self.wants(";")?;
        Ok(Vars { quals, spec, list })
    }

    fn block(&mut self) -> Result<Vec<Stmt>> {
        self.wants("{")?;
        let mut out = Vec::new();
        while !self.takes("}") {
            if self.peek().kind == Kind::End {
                return Err(self.refuse("`}` is wanted in front of the end"));
            }
            out.push(self.statement()?);
        }
        Ok(out)
    }

    /// Whether what stands here declares variables.
    fn declares(&self) -> bool {
        let word = &*self.peek().text;
        let quals = [
            "const",
            "highp",
            "mediump",
            "lowp",
            "precise",
            "struct",
            "shared",
            "volatile",
            "coherent",
            "subgroupuniformEXT",
        ];
        if quals.contains(&word) {
            return true;
        }
        if !self.names_type(0) {
            return false;
        }
        // `float x`, `float[2] x`; `float(x)` and `float[2](x)` are expressions.
        let mut n = 1;
        while &*self.ahead(n).text == "[" {
            let mut depth = 0;
            loop {
                match &*self.ahead(n).text {
                    "[" => depth += 1,
                    "]" => depth -= 1,
                    _ => {}
                }
                n += 1;
                if depth == 0 || self.ahead(n).kind == Kind::End {
                    break;
                }
            }
        }
        self.ahead(n).kind == Kind::Word || &*self.ahead(n).text == ";"
    }

    fn statement(&mut self) -> Result<Stmt> {
        self.deeper(Self::statement_here)
    }

    fn statement_here(&mut self) -> Result<Stmt> {
        let hints = self.attributes()?.iter().fold(0, |bits, name| {
            bits | match &**name {
                "unroll" | "flatten" => 1,
                "dont_unroll" | "dont_flatten" | "branch" => 2,
                _ => 0,
            }
        });
        let at = self.place();
        let kind = match &*self.peek().text {
            ";" => {
                self.at += 1;
                StmtKind::Empty
            }
            "{" => StmtKind::Block(self.block()?),
            "if" => {
                self.at += 1;
                let condition = self.bracketed()?;
                let then = Box::new(self.statement()?);
                let otherwise = if self.takes("else") { Some(Box::new(self.statement()?)) } else { None };
                StmtKind::If { condition, then, otherwise, hints }
            }
            "for" => {
                self.at += 1;
                self.wants("(")?;
                let first = Some(Box::new(self.simple()?));
                let condition = if self.is(";") { None } else { Some(Box::new(self.condition()?)) };
                self.wants(";")?;
                let step = if self.is(")") { None } else { Some(self.expression()?) };
                self.wants(")")?;
                StmtKind::Loop { first, condition, step, body: Box::new(self.statement()?), hints }
            }
            "while" => {
                self.at += 1;
                self.wants("(")?;
                let condition = Some(Box::new(self.condition()?));
                self.wants(")")?;
                StmtKind::Loop { first: None, condition, step: None, body: Box::new(self.statement()?), hints }
            }
            "do" => {
                self.at += 1;
                let body = Box::new(self.statement()?);
                self.wants("while")?;
                let condition = self.bracketed()?;
                self.wants(";")?;
                StmtKind::Do { body, condition, hints }
            }
            "switch" => {
                self.at += 1;
                let on = self.bracketed()?;
                StmtKind::Switch { on, body: self.block()?, hints }
            }
            "case" => {
                self.at += 1;
                let value = self.expression()?;
                self.wants(":")?;
                StmtKind::Case(value)
            }
            "default" => {
                self.at += 1;
                self.wants(":")?;
                StmtKind::DefaultCase
            }
            "break" | "continue" => {
                let kind = if self.is("break") { StmtKind::Break } else { StmtKind::Continue };
                self.at += 1;
                self.wants(";")?;
                kind
            }
            "return" => {
                self.at += 1;
                let value = if self.is(";") { None } else { Some(self.expression()?) };
                self.wants(";")?;
                StmtKind::Return(value)
            }
            "discard" | "demote" | "terminateInvocation" => {
                return Err(self.refuse(format!("`{}` is for fragment shaders", self.peek().text)));
            }
            _ => return self.simple(),
        };
        Ok(Stmt { at, kind })
    }

    fn bracketed(&mut self) -> Result<super::syntax::Expr> {
        self.wants("(")?;
        let out = self.expression()?;
        self.wants(")")?;
        Ok(out)
    }

    /// A declaration or an expression, with its semicolon.
    fn simple(&mut self) -> Result<Stmt> {
        let at = self.place();
        if self.takes(";") {
            return Ok(Stmt { at, kind: StmtKind::Empty });
        }
        if self.takes("precision") {
            self.at += 2;
            self.wants(";")?;
            return Ok(Stmt { at, kind: StmtKind::Empty });
        }
        if self.declares() {
            let quals = self.quals()?;
            let spec = self.spec()?;
            return Ok(Stmt { at, kind: StmtKind::Vars(self.vars(quals, spec)?) });
        }
        let value = self.expression()?;
        self.wants(";")?;
        Ok(Stmt { at, kind: StmtKind::Expr(value) })
    }

    /// An expression, or `bool more = …`.
    fn condition(&mut self) -> Result<Stmt> {
        let at = self.place();
        if !self.declares() {
            return Ok(Stmt { at, kind: StmtKind::Expr(self.expression()?) });
        }
        let quals = self.quals()?;
        let spec = self.spec()?;
        let name = self.word()?;
        self.wants("=")?;
        let value = Some(self.expression()?);
        let list = vec![Var { at, name, dims: Vec::new(), value }];
        Ok(Stmt { at, kind: StmtKind::Vars(Vars { quals, spec, list }) })
    }
}
