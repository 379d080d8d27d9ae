//! The tree as SPIR-V: names are looked up, expressions have types, memory has places.

mod atomic;
mod builtin;
mod call;
mod declare;
mod expression;
mod image;
mod make;
mod math;
mod memory;
mod operate;
mod statement;
mod subgroup;

use super::emit::Builder;
use super::fold::Konst;
use super::layout::{Lay, Struct};
use super::pre::Text;
use super::syntax::{At, Function, Item, Memory};
use super::types::{Scalar, Ty};
use super::{Refusal, Result};
use spirv::Op;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

/// A value of an expression.
#[derive(Clone, Debug)]
struct Val {
    id: u32,
    ty: Ty,
    known: Known,
}

#[derive(Clone, Debug)]
enum Known {
    No,
    Const(Konst),
    /// A specialization constant, or made of such, with what it is by default.
    Spec(Option<Konst>),
}

/// Memory that an expression names.
#[derive(Clone, Debug)]
struct Lvalue {
    base: u32,
    class: spirv::StorageClass,
    chain: Vec<u32>,
    ty: Ty,
    /// How it lies in a buffer.
    lay: Option<Lay>,
    /// Components of a vector, where they are picked.
    pick: Option<Vec<u8>>,
    memory: Memory,
    /// Of the address, where it is one of a pointer.
    align: u32,
    /// Nobody may write it.
    fixed: bool,
    /// The block that it is in.
    block: Option<usize>,
}

#[derive(Clone, Debug)]
enum Symbol {
    Lvalue(Lvalue),
    Val(Val),
    Struct(usize),
    Reference(usize),
    /// A variable that is there once it is named.
    Input(spirv::BuiltIn, Ty),
}

/// A function of the text.
struct Overload {
    tree: Rc<Function>,
    ty: Ty,
    parameters: Vec<Parameter>,
    id: u32,
    written: bool,
    /// By the types of opaque parameters, for which it is written anew.
    made: HashMap<Vec<u32>, u32>,
}

#[derive(Clone)]
struct Parameter {
    name: Rc<str>,
    ty: Ty,
    /// What the caller gives goes in; what is there at the end comes out.
    goes_in: bool,
    comes_out: bool,
    memory: Memory,
}

struct Lower<'a> {
    text: &'a Text,
    b: Builder,
    structs: Vec<Struct>,
    scopes: Vec<HashMap<Rc<str>, Symbol>>,
    functions: HashMap<Rc<str>, Vec<Overload>>,
    types: HashMap<(Ty, Option<Lay>), u32>,
    /// What texts are called, in the module.
    files: Vec<u32>,
    at: At,
    /// Where `break` and `continue` go, innermost last.
    breaks: Vec<u32>,
    continues: Vec<u32>,
    returns: Ty,
    /// Values that differ between invocations where one is wanted.
    nonuniform: HashSet<u32>,
    inputs: HashMap<u32, Lvalue>,
    interface: Vec<u32>,
    sides: [Option<Side>; 3],
    spec_ids: HashMap<u32, Val>,
    /// The module has a variable of the work-group's size.
    size_said: bool,
    /// Block layout by default: of `uniform`, of `buffer`.
    defaults: [Lay; 2],
    /// Run before `main`: globals whose first values are computed.
    first: Vec<(Lvalue, super::syntax::Expr)>,
    /// Constants are wanted: operations on specialization constants are such again.
    constant: bool,
    depth: usize,
    glsl: u32,
    /// Blocks that are announced, and come later.
    pending: HashMap<Rc<str>, usize>,
    /// What constants of `int` are.
    ints: HashMap<u32, u32>,
}

/// A side of the work-group.
#[derive(Clone, Copy)]
struct Side {
    size: Option<u32>,
    id: Option<u32>,
    /// The specialization constant that `size` is the default of.
    given: Option<u32>,
}

/// The module of a tree.
pub fn lower(items: &[Item], source: &str, text: &Text) -> Result<Vec<u32>> {
    let mut b = Builder::default();
    let glsl = b.import("GLSL.std.450");
    let files: Vec<u32> = text.files.iter().map(|f| b.string(f)).collect();
    b.source(text.version, text.version < 430, files[0], source);
    let lay = |rule| Lay { rule, rows: false };
    use super::layout::Rule;
    let mut lower = Lower {
        text,
        b,
        structs: Vec::new(),
        scopes: vec![builtin::symbols(), HashMap::new()],
        functions: HashMap::new(),
        types: HashMap::new(),
        files,
        at: At { file: 0, line: 1 },
        breaks: Vec::new(),
        continues: Vec::new(),
        returns: Ty::Void,
        nonuniform: HashSet::new(),
        inputs: HashMap::new(),
        interface: Vec::new(),
        sides: [None; 3],
        spec_ids: HashMap::new(),
        size_said: false,
        defaults: [lay(Rule::Std140), lay(Rule::Std430)],
        first: Vec::new(),
        constant: false,
        depth: 0,
        glsl,
        ints: HashMap::new(),
        pending: HashMap::new(),
    };
    lower.items(items)?;
    Ok(lower.b.module())
}

impl Lower<'_> {
    fn refuse(&self, what: impl Into<String>) -> Refusal {
        let file = self.text.files.get(usize::from(self.at.file)).cloned().unwrap_or_default();
        Refusal { file, line: self.at.line, what: what.into() }
    }

    fn go(&mut self, at: At) {
        self.at = at;
        self.b.line = (self.files[usize::from(at.file)], at.line);
    }

    fn find(&self, name: &str) -> Option<&Symbol> {
        self.scopes.iter().rev().find_map(|s| s.get(name))
    }

    fn name(&mut self, name: Rc<str>, symbol: Symbol) {
        if let Some(scope) = self.scopes.last_mut() {
            scope.insert(name, symbol);
        }
    }

    /// Runs `inside` with names of its own.
    fn scoped<T>(&mut self, inside: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        self.scopes.push(HashMap::new());
        let out = inside(self);
        self.scopes.pop();
        out
    }

    fn value(&mut self, op: Op, ty: &Ty, words: &[u32]) -> Result<Val> {
        let id = self.ty(ty)?;
        let id = self.b.value(op, id, words);
        if words.iter().any(|w| self.nonuniform.contains(w)) {
            self.nonuniform.insert(id);
        }
        Ok(Val { id, ty: ty.clone(), known: Known::No })
    }

    /// An instruction of GLSL's own set.
    fn extended(&mut self, op: u32, ty: &Ty, words: &[u32]) -> Result<Val> {
        let words = [&[self.glsl, op], words].concat();
        self.value(Op::ExtInst, ty, &words)
    }

    fn type_name(&self, ty: &Ty) -> String {
        match ty {
            Ty::Struct(n) | Ty::Reference(n) => self.structs[*n].name.to_string(),
            _ => super::types::name(ty),
        }
    }
}

fn is_bool(ty: &Ty) -> bool {
    ty.scalar() == Some(Scalar::Bool)
}
