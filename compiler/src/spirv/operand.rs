//! What an id stands for while its module is translated: scalars, a pointer, a handle; and where values wait.

use super::handle::{Opaque, OpaqueVariable};
use super::instrumentation::IndexCheck;
use super::types::Layout;
use crate::ir::{Space, Value, Width};
use spirv::BuiltIn;
use std::rc::Rc;
use wavepipe_hw::launch::BindingKind;

/// What a pointer points into.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Root {
    Buffer {
        set: u32,
        binding: u32,
        kind: BindingKind,
        element: Option<Value>,
        readonly: bool,
    },
    Global(Value),
    Opaque(OpaqueVariable),
    Plain(Space),
    /// An input of the launch.
    Input(BuiltIn),
    /// One of the roots that pointers to `pointee` have as values: `word` says which (`pointer.rs`).
    Tagged {
        word: Value,
        pointee: u32,
    },
}

/// A pointer: a place in a root, and how the pointee is laid out there.
#[derive(Clone, PartialEq, Debug)]
pub struct Pointer {
    pub root: Root,
    pub dynamic: Option<Value>,
    pub offset: u32,
    pub pointee: u32,
    pub layout: Layout,
    /// The pointee is an array of resources that no index has chosen from yet.
    pub resource_array: bool,
    pub readonly: bool,
    pub coherent: bool,
    pub volatile: bool,
    /// What the source calls it, and its indexes that are still to be checked, in instrumented code.
    pub name: Option<Rc<str>>,
    pub checks: Vec<IndexCheck>,
}

impl Pointer {
    /// A pointer to the start of `root`, in the natural layout.
    pub fn new(root: Root, pointee: u32) -> Pointer {
        Pointer {
            root,
            dynamic: None,
            offset: 0,
            pointee,
            layout: Layout::default(),
            resource_array: false,
            readonly: false,
            coherent: false,
            volatile: false,
            name: None,
            checks: Vec::new(),
        }
    }
}

/// What an id stands for: the scalars of a value, a pointer, or a handle.
#[derive(Clone, PartialEq, Debug)]
pub enum Operand {
    Flat(Rc<[Value]>),
    Pointer(Pointer),
    /// A large composite in memory that nobody writes (`composite.rs`).
    Stored(Pointer),
    /// A large composite of zeros.
    Null,
    Opaque(Opaque),
}

/// Scratch cells, one a scalar.
pub type Cells = Rc<[(u32, Width)]>;

/// Where a value waits that several places of the control flow give: cells, or memory if it is large.
#[derive(Clone)]
pub enum JoinSlot {
    Cells(Cells),
    Memory(Pointer),
}

/// The IR values that an operand consists of.
pub fn parts(o: &Operand) -> Vec<Value> {
    match o {
        Operand::Flat(v) => v.to_vec(),
        Operand::Pointer(p) => {
            let root = match p.root {
                Root::Buffer { element, .. } | Root::Opaque(OpaqueVariable { element, .. }) => element,
                Root::Global(v) | Root::Tagged { word: v, .. } => Some(v),
                _ => None,
            };
            let mut checks = p.checks.clone();
            let checked = checks.iter_mut().flat_map(IndexCheck::values).map(|v| *v);
            root.into_iter().chain(p.dynamic).chain(checked).collect()
        }
        Operand::Opaque(o) => o.parts(),
        Operand::Stored(_) | Operand::Null => Vec::new(),
    }
}

/// The operand with its IR values replaced, in the order of [`parts`].
pub fn rebuild(o: Operand, values: &[Value]) -> Operand {
    match o {
        Operand::Flat(_) => Operand::Flat(values.into()),
        Operand::Stored(_) | Operand::Null => o,
        Operand::Pointer(mut p) => {
            let mut next = values.iter().copied();
            match &mut p.root {
                Root::Buffer { element: Some(e), .. }
                | Root::Opaque(OpaqueVariable { element: Some(e), .. })
                | Root::Global(e)
                | Root::Tagged { word: e, .. } => *e = next.next().unwrap_or(*e),
                _ => {}
            }
            if let Some(d) = &mut p.dynamic {
                *d = next.next().unwrap_or(*d);
            }
            p.checks.iter_mut().flat_map(IndexCheck::values).zip(next).for_each(|(v, new)| *v = new);
            Operand::Pointer(p)
        }
        Operand::Opaque(o) => Operand::Opaque(o.rebuild(values)),
    }
}
