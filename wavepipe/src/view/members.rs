//! What numbers are parts of: members of structures, columns, elements of arrays.

use super::Leaf;
use crate::element::Scalar;
use std::fmt::Write as _;
use wavepipe_runtime::compiler::spirv::{self, Member, ScalarKind, Type};

/// The types of a buffer's numbers, as the shader or a script declares them.
#[derive(Clone, PartialEq, Debug)]
pub struct Types {
    /// What lies before the array.
    pub head: Vec<Member>,
    /// An element's.
    pub element: Type,
    /// What the block calls the array; nothing where the block is the array.
    pub array: String,
    /// There is no array: the one element is all members of the block.
    pub whole: bool,
}

/// Numbers that are told one by one.
const MOST_LEAVES: usize = 1 << 16;

/// A scalar of a shader as memory has it.
pub fn scalar(s: spirv::Scalar) -> Scalar {
    match (s.kind, s.bytes) {
        (ScalarKind::Unsigned, 1) => Scalar::U8,
        (ScalarKind::Unsigned, 2) => Scalar::U16,
        (ScalarKind::Unsigned, 8) => Scalar::U64,
        (ScalarKind::Unsigned, _) => Scalar::U32,
        (ScalarKind::Signed, 1) => Scalar::I8,
        (ScalarKind::Signed, 2) => Scalar::I16,
        (ScalarKind::Signed, 8) => Scalar::I64,
        (ScalarKind::Signed, _) => Scalar::I32,
        (ScalarKind::Float, 2) => Scalar::F16,
        (ScalarKind::Float, 8) => Scalar::F64,
        (ScalarKind::Float, _) => Scalar::F32,
    }
}

/// The numbers of types, in order, as far as they can be told one by one.
#[derive(Default)]
pub struct Walk {
    pub leaves: Vec<Leaf>,
    visits: usize,
}

impl Walk {
    /// Adds those of a type at `at`. None: too many, or an array without an end.
    pub fn add(&mut self, ty: &Type, at: usize) -> Option<()> {
        // Structures of nothing have no leaves, however many there are.
        self.visits += 1;
        if self.leaves.len() > MOST_LEAVES || self.visits > 4 * MOST_LEAVES {
            return None;
        }
        let step = |n: u32, stride: u32| (0..n as usize).map(move |k| at + k * stride as usize);
        match ty {
            Type::Scalar(s) => self.leaves.push(Leaf { offset: at, scalar: scalar(*s) }),
            Type::Pointer => self.leaves.push(Leaf { offset: at, scalar: Scalar::U64 }),
            Type::Vector { scalar: s, n, stride } => {
                self.leaves.extend(step(*n, *stride).map(|offset| Leaf { offset, scalar: scalar(*s) }));
            }
            Type::Matrix { column, n, stride } => step(*n, *stride).try_for_each(|at| self.add(column, at))?,
            Type::Array { element, n: Some(n), stride, .. } => {
                step(*n, *stride).try_for_each(|at| self.add(element, at))?;
            }
            Type::Array { n: None, .. } => return None,
            Type::Struct { members, .. } => {
                members.iter().try_for_each(|m| self.add(&m.ty, at + m.offset as usize))?;
            }
        }
        Some(())
    }
}

/// How many numbers a type has that a walk has ended on.
pub fn numbers(ty: &Type) -> usize {
    match ty {
        Type::Scalar(_) | Type::Pointer => 1,
        Type::Vector { n, .. } => *n as usize,
        Type::Matrix { column, n, .. } => *n as usize * numbers(column),
        Type::Array { element, n, .. } => n.unwrap_or(0) as usize * numbers(element),
        Type::Struct { members, .. } => members.iter().map(|m| numbers(&m.ty)).sum(),
    }
}

/// The way to a type's `n`th number: `.velocity.y`, `[2]`.
fn way(ty: &Type, n: usize, out: &mut String) {
    let part = |of: &Type, out: &mut String| {
        let each = numbers(of).max(1);
        let _ = write!(out, "[{}]", n / each);
        way(of, n % each, out);
    };
    match ty {
        Type::Scalar(_) | Type::Pointer => {}
        Type::Vector { .. } => {
            out.push('.');
            out.push_str("xyzw".get(n..n + 1).unwrap_or("?"));
        }
        Type::Matrix { column, .. } => part(column, out),
        Type::Array { element, .. } => part(element, out),
        Type::Struct { members, .. } => among(members, n, out),
    }
}

fn among(members: &[Member], mut n: usize, out: &mut String) {
    for (k, member) in members.iter().enumerate() {
        let has = numbers(&member.ty);
        if n < has {
            let _ = if member.name.is_empty() { write!(out, ".{k}") } else { write!(out, ".{}", member.name) };
            return way(&member.ty, n, out);
        }
        n -= has;
    }
}

impl Types {
    /// What the `n`th number is called within the head, or within an element.
    pub(super) fn member(&self, n: usize, head: bool) -> Option<String> {
        let mut out = String::new();
        match &self.element {
            _ if head => among(&self.head, n, &mut out),
            // Its letter says it.
            Type::Scalar(_) | Type::Pointer | Type::Vector { .. } => return None,
            ty => way(ty, n, &mut out),
        }
        Some(out.strip_prefix('.').map_or_else(|| out.clone(), str::to_owned))
    }
}
