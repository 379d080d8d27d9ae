//! Types, values and pointers.

use crate::spirv::{Inst, Module};
use rspirv::spirv::{Decoration, Op, StorageClass};
use std::collections::HashMap;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Type {
    Void,
    Bool,
    Int {
        bits: u32,
        signed: bool,
    },
    Float {
        bits: u32,
    },
    Vector {
        of: u32,
        n: u32,
    },
    /// Columns.
    Matrix {
        of: u32,
        n: u32,
    },
    Array {
        of: u32,
        n: u32,
    },
    RuntimeArray {
        of: u32,
    },
    Struct(Vec<u32>),
    Pointer {
        class: StorageClass,
        to: u32,
    },
    Other,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// A scalar; bits above its width are zero. A boolean is 0 or 1.
    Bits(u64),
    Many(Vec<Value>),
    Pointer(Box<Pointer>),
}

/// An object, and the indexes that lead to the part of it that is meant.
#[derive(Clone, Debug, PartialEq)]
pub struct Pointer {
    pub root: Root,
    pub path: Vec<u32>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Root {
    /// A variable in memory that is laid out by decorations; `element` of an array of descriptors is in the path.
    External(u32),
    /// A variable that each work-item has: Private and Input.
    Item(u32),
    /// A variable of a work-group.
    Workgroup(u32),
    /// A function's variable, by a number of its own.
    Local(u32),
    Null,
}

impl Value {
    pub fn bits(&self) -> u64 {
        match self {
            Value::Bits(b) => *b,
            _ => 0,
        }
    }

    pub fn parts(&self) -> &[Value] {
        match self {
            Value::Many(v) => v,
            _ => std::slice::from_ref(self),
        }
    }
}

/// How a matrix lies in memory: MatrixStride, and whether rows are together.
pub type MatrixLayout = Option<(u32, bool)>;

/// Decorations with their operands.
type Decorations = Vec<(u32, Vec<u32>)>;

/// Types and decorations of a module.
#[derive(Default)]
pub struct Types {
    pub types: HashMap<u32, Type>,
    decorations: HashMap<u32, Decorations>,
    members: HashMap<(u32, u32), Decorations>,
}

impl Types {
    pub fn decorate(&mut self, m: &Module) {
        for i in &m.globals {
            match (i.op, i.args.as_slice()) {
                (Op::Decorate, [target, what, rest @ ..]) => {
                    self.decorations.entry(*target).or_default().push((*what, rest.to_vec()));
                }
                (Op::MemberDecorate, [target, n, what, rest @ ..]) => {
                    self.members.entry((*target, *n)).or_default().push((*what, rest.to_vec()));
                }
                _ => {}
            }
        }
    }

    /// Operands of a decoration.
    pub fn decoration(&self, id: u32, d: Decoration) -> Option<&[u32]> {
        self.decorations.get(&id)?.iter().find(|x| x.0 == d as u32).map(|x| x.1.as_slice())
    }

    pub fn number(&self, id: u32, d: Decoration) -> Option<u32> {
        self.decoration(id, d)?.first().copied()
    }

    fn member(&self, id: u32, n: u32, d: Decoration) -> Option<&[u32]> {
        self.members.get(&(id, n))?.iter().find(|x| x.0 == d as u32).map(|x| x.1.as_slice())
    }

    /// `length` gives constants.
    pub fn declare(&mut self, i: &Inst, length: impl Fn(u32) -> Option<u64>) {
        let a = &i.args;
        let ty = match i.op {
            Op::TypeVoid => Type::Void,
            Op::TypeBool => Type::Bool,
            Op::TypeInt => Type::Int { bits: a[0], signed: a[1] != 0 },
            Op::TypeFloat => Type::Float { bits: a[0] },
            Op::TypeVector => Type::Vector { of: a[0], n: a[1] },
            Op::TypeMatrix => Type::Matrix { of: a[0], n: a[1] },
            Op::TypeArray => Type::Array { of: a[0], n: length(a[1]).unwrap_or(0) as u32 },
            Op::TypeRuntimeArray => Type::RuntimeArray { of: a[0] },
            Op::TypeStruct => Type::Struct(a.clone()),
            Op::TypePointer => {
                Type::Pointer { class: StorageClass::from_u32(a[0]).unwrap_or(StorageClass::Generic), to: a[1] }
            }
            _ => Type::Other,
        };
        self.types.insert(i.id, ty);
    }

    pub fn get(&self, id: u32) -> &Type {
        self.types.get(&id).unwrap_or(&Type::Other)
    }

    /// The type of part `n`.
    pub fn part(&self, id: u32, n: u32) -> Option<u32> {
        match self.get(id) {
            Type::Vector { of, n: len } | Type::Matrix { of, n: len } | Type::Array { of, n: len } => {
                (n < *len).then_some(*of)
            }
            Type::RuntimeArray { of } => Some(*of),
            Type::Struct(m) => m.get(n as usize).copied(),
            _ => None,
        }
    }

    /// How many parts a composite has.
    pub fn parts(&self, id: u32) -> u32 {
        match self.get(id) {
            Type::Vector { n, .. } | Type::Matrix { n, .. } | Type::Array { n, .. } => *n,
            Type::Struct(m) => m.len() as u32,
            _ => 0,
        }
    }

    /// OpConstantNull's value; also what stands for an undefined one.
    pub fn zero(&self, id: u32) -> Value {
        match self.get(id) {
            Type::Pointer { .. } => Value::Pointer(Box::new(Pointer { root: Root::Null, path: Vec::new() })),
            Type::Vector { .. } | Type::Matrix { .. } | Type::Array { .. } | Type::Struct(_) => {
                Value::Many((0..self.parts(id)).filter_map(|n| self.part(id, n)).map(|t| self.zero(t)).collect())
            }
            _ => Value::Bits(0),
        }
    }

    /// Where part `n` of an object of type `id` at `at` lies: (type, byte offset, layout of a matrix in it, bytes between
    /// components of a vector).
    pub fn step(&self, id: u32, n: u32, place: MemoryPlace) -> Option<(u32, MemoryPlace)> {
        let part = self.part(id, n)?;
        let MemoryPlace { at, matrix, components } = place;
        let go = |bytes: u32| n.checked_mul(bytes).and_then(|b| at.checked_add(b));
        let place = match self.get(id) {
            Type::Struct(_) => {
                let first = |d| self.member(id, n, d).and_then(|a| a.first()).copied();
                let rows = self.member(id, n, Decoration::RowMajor).is_some();
                MemoryPlace {
                    at: at.checked_add(first(Decoration::Offset)?)?,
                    matrix: first(Decoration::MatrixStride).map(|s| (s, rows)),
                    components: None,
                }
            }
            Type::Array { .. } | Type::RuntimeArray { .. } => {
                MemoryPlace { at: go(self.number(id, Decoration::ArrayStride)?)?, matrix, components }
            }
            Type::Matrix { .. } => match matrix? {
                (stride, true) => MemoryPlace { at: go(self.scalar_bytes(part))?, matrix, components: Some(stride) },
                (stride, false) => MemoryPlace { at: go(stride)?, matrix, components: None },
            },
            Type::Vector { .. } => {
                MemoryPlace { at: go(components.unwrap_or(self.scalar_bytes(part)))?, matrix, components: None }
            }
            _ => return None,
        };
        Some((part, place))
    }

    /// Bytes of a scalar, or of a vector's component.
    pub fn scalar_bytes(&self, id: u32) -> u32 {
        match self.get(id) {
            Type::Int { bits, .. } | Type::Float { bits } => bits / 8,
            Type::Vector { of, .. } => self.scalar_bytes(*of),
            _ => 4,
        }
    }
}

/// A place in memory.
#[derive(Clone, Copy, Debug, Default)]
pub struct MemoryPlace {
    pub at: u32,
    pub matrix: MatrixLayout,
    pub components: Option<u32>,
}
