//! A block of the shader as memory: its numbers in order, and the array that it ends with.

use crate::element::Scalar;
use crate::view::Leaf;
use wavepipe_runtime::compiler::spirv::{self, Block, Member, ScalarKind, Type};

/// Numbers of a head or of an element that are told one by one.
const MOST_LEAVES: usize = 1 << 16;

/// A block's fixed part and its array.
#[derive(Clone, Debug)]
pub struct Form {
    pub head: Vec<Leaf>,
    pub tail: Option<Tail>,
    /// Bytes that a buffer has at least.
    pub least: usize,
}

/// The array that a block ends with, or is.
#[derive(Clone, Debug)]
pub struct Tail {
    pub at: usize,
    pub stride: usize,
    /// Of an element, without the padding behind it.
    pub bytes: usize,
    pub element: Vec<Leaf>,
    /// `None`: as many as the buffer holds.
    pub n: Option<usize>,
    /// The element's type as a user writes it: `vec3`.
    pub ty: String,
}

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

/// A type as a user writes one, or by its name.
pub fn type_name(ty: &Type) -> String {
    use crate::element::Element;
    match ty {
        Type::Scalar(s) => Element { scalar: scalar(*s), lanes: 1 }.to_string(),
        Type::Vector { scalar: s, n, .. } => Element { scalar: scalar(*s), lanes: *n as usize }.to_string(),
        Type::Matrix { column, n, .. } => format!("{n} columns of {}", type_name(column)),
        Type::Array { element, n: Some(n), .. } => format!("{}[{n}]", type_name(element)),
        Type::Array { element, n: None, .. } => format!("{}[]", type_name(element)),
        Type::Struct { name, .. } if name.is_empty() => "a structure".to_owned(),
        Type::Struct { name, .. } => name.clone(),
        Type::Pointer => "u64".to_owned(),
    }
}

/// `{float a; vec3 b at 16}`, for messages.
pub fn members_text(members: &[Member]) -> String {
    let shown = members.iter().take(8).map(|m| format!("{} {} at byte {}", type_name(&m.ty), m.name, m.offset));
    let mut shown: Vec<String> = shown.collect();
    if members.len() > 8 {
        shown.push("…".to_owned());
    }
    format!("{{ {} }}", shown.join(", "))
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

impl Form {
    /// None: more numbers than can be told one by one.
    pub fn of(block: &Block) -> Option<Form> {
        let mut head = Walk::default();
        let tail = members(&block.members, 0, &mut head)?;
        let end = tail.as_ref().filter(|t| t.n.is_none()).map_or(0, |t| t.at + t.bytes);
        Some(Form { head: head.leaves, tail, least: (block.bytes as usize).max(end) })
    }

    /// All numbers: of the head, and of one element.
    pub fn scalars(&self) -> impl Iterator<Item = Scalar> + '_ {
        let element = self.tail.iter().flat_map(|t| &t.element);
        self.head.iter().chain(element).map(|l| l.scalar)
    }

    /// Whether numbers follow each other without a gap.
    pub fn dense(&self) -> bool {
        let run = |leaves: &[Leaf], end: usize| {
            let mut at = 0;
            let touching = leaves.iter().all(|l| std::mem::replace(&mut at, l.offset + l.scalar.bytes()) == l.offset);
            touching && at == end
        };
        match &self.tail {
            Some(t) => run(&self.head, t.at) && run(&t.element, t.stride),
            None => self.head.last().is_none_or(|l| run(&self.head, l.offset + l.scalar.bytes())),
        }
    }
}

/// Walks over all but the array at the end, which it gives.
fn members(all: &[Member], at: usize, head: &mut Walk) -> Option<Option<Tail>> {
    let (last, before) = all.split_last()?;
    before.iter().try_for_each(|m| head.add(&m.ty, at + m.offset as usize))?;
    let at = at + last.offset as usize;
    match &last.ty {
        // A structure around all (WGSL's, or GLSL's with one member) is as if it were not there.
        Type::Struct { members: inner, .. } if before.is_empty() => members(inner, at, head),
        Type::Array { element, n, stride, bytes } => {
            let mut one = Walk::default();
            one.add(element, 0)?;
            Some(Some(Tail {
                at,
                stride: *stride as usize,
                bytes: *bytes as usize,
                element: one.leaves,
                n: n.map(|n| n as usize),
                ty: type_name(element),
            }))
        }
        ty => head.add(ty, at).map(|()| None),
    }
}

/// A block as a message tells it.
pub fn describe(block: &Block, form: &Form) -> String {
    match &form.tail {
        Some(t) if form.head.is_empty() => {
            let n = t.n.map_or(String::new(), |n| n.to_string());
            let padded =
                t.stride != t.bytes || t.element.last().is_some_and(|l| l.offset + l.scalar.bytes() != t.stride);
            let stride = if padded { format!(", each {} bytes from the last", t.stride) } else { String::new() };
            format!("{}[{n}]{stride}", t.ty)
        }
        _ => match &block.members[..] {
            [Member { ty: Type::Struct { members, .. }, .. }] => members_text(members),
            members => members_text(members),
        },
    }
}
