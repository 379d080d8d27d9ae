//! What a text says, as a tree: names are not looked up, and nothing has a type yet.

use super::types::{Scalar, Ty};
use std::rc::Rc;

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct At {
    pub file: u16,
    pub line: u32,
}

#[derive(Clone, Debug)]
pub struct Expr {
    pub at: At,
    pub kind: ExprKind,
}

#[derive(Clone, Debug)]
pub enum ExprKind {
    Int(u64, Scalar),
    Float(f64, Scalar),
    Bool(bool),
    Text(Rc<str>),
    Name(Rc<str>),
    Index(Box<Expr>, Box<Expr>),
    Member(Box<Expr>, Rc<str>),
    Call(Rc<str>, Vec<Expr>),
    /// `float[2](…)`, and every other type's.
    Make(Spec, Vec<Expr>),
    /// `a.length()`
    Method(Box<Expr>, Rc<str>),
    Unary(&'static str, Box<Expr>),
    /// `++` and `--` behind what they change.
    Behind(&'static str, Box<Expr>),
    Binary(&'static str, Box<Expr>, Box<Expr>),
    /// With the operation of a compound one.
    Assign(Option<&'static str>, Box<Expr>, Box<Expr>),
    Choose(Box<Expr>, Box<Expr>, Box<Expr>),
    Comma(Box<Expr>, Box<Expr>),
    /// `{…}`
    List(Vec<Expr>),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Storage {
    #[default]
    None,
    Const,
    In,
    Out,
    InOut,
    Uniform,
    Buffer,
    Shared,
}

#[derive(Clone, Debug, Default)]
pub struct Quals {
    pub storage: Storage,
    pub layout: Vec<(Rc<str>, Option<Expr>)>,
    pub memory: Memory,
    pub precise: bool,
}

/// What a declaration says of its memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Memory {
    pub coherent: bool,
    pub volatile: bool,
    pub restrict: bool,
    pub readonly: bool,
    pub writeonly: bool,
}

impl Memory {
    pub fn and(self, other: Memory) -> Memory {
        Memory {
            coherent: self.coherent | other.coherent,
            volatile: self.volatile | other.volatile,
            restrict: self.restrict | other.restrict,
            readonly: self.readonly | other.readonly,
            writeonly: self.writeonly | other.writeonly,
        }
    }
}

/// Sizes of an array, outermost first; `None` for `[]`.
pub type Dims = Vec<Option<Expr>>;

#[derive(Clone, Debug)]
pub struct Spec {
    pub at: At,
    pub named: Named,
    pub dims: Dims,
}

#[derive(Clone, Debug)]
pub enum Named {
    Builtin(Ty),
    User(Rc<str>),
    Struct(Rc<Struct>),
}

#[derive(Clone, Debug)]
pub struct Struct {
    pub name: Rc<str>,
    pub members: Vec<Member>,
}

#[derive(Clone, Debug)]
pub struct Member {
    pub at: At,
    pub quals: Quals,
    pub spec: Spec,
    pub name: Rc<str>,
    pub dims: Dims,
}

#[derive(Clone, Debug)]
pub struct Vars {
    pub quals: Quals,
    pub spec: Spec,
    pub list: Vec<Var>,
}

#[derive(Clone, Debug)]
pub struct Var {
    pub at: At,
    pub name: Rc<str>,
    pub dims: Dims,
    pub value: Option<Expr>,
}

#[derive(Clone, Debug)]
pub struct Function {
    pub at: At,
    pub ty: Spec,
    pub name: Rc<str>,
    pub parameters: Vec<Member>,
    /// `None`: it is only announced.
    pub body: Option<Vec<Stmt>>,
    /// `[[…]]` in front of it.
    pub attributes: Vec<Rc<str>>,
}

#[derive(Clone, Debug)]
pub enum Item {
    Vars(Vars),
    Block {
        at: At,
        quals: Quals,
        name: Rc<str>,
        members: Vec<Member>,
        instance: Option<(Rc<str>, Dims)>,
    },
    /// `layout(…) in;`
    Default(At, Quals),
    Function(Rc<Function>),
}

#[derive(Clone, Debug)]
pub struct Stmt {
    pub at: At,
    pub kind: StmtKind,
}

#[derive(Clone, Debug)]
pub enum StmtKind {
    Empty,
    Vars(Vars),
    Expr(Expr),
    Block(Vec<Stmt>),
    If {
        condition: Expr,
        then: Box<Stmt>,
        otherwise: Option<Box<Stmt>>,
        hints: u32,
    },
    /// `for` and `while`.
    Loop {
        first: Option<Box<Stmt>>,
        condition: Option<Box<Stmt>>,
        step: Option<Expr>,
        body: Box<Stmt>,
        hints: u32,
    },
    Do {
        body: Box<Stmt>,
        condition: Expr,
        hints: u32,
    },
    Switch {
        on: Expr,
        body: Vec<Stmt>,
        hints: u32,
    },
    Case(Expr),
    DefaultCase,
    Break,
    Continue,
    Return(Option<Expr>),
}
