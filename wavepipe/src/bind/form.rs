//! A block of the shader as memory: its numbers in order, and the array that it ends with.

use crate::element::Scalar;
use crate::view::{Leaf, Types, Walk, scalar};
use std::sync::Arc;
use wavepipe_runtime::compiler::spirv::{Block, Member, Type};

/// A block's fixed part and its array.
#[derive(Clone, Debug)]
pub struct Form {
    pub head: Vec<Leaf>,
    /// What the head's numbers are parts of.
    members: Vec<Member>,
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
    of: Type,
    /// What the block calls it.
    name: String,
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

impl Form {
    /// None: more numbers than can be told one by one.
    pub fn of(block: &Block) -> Option<Form> {
        let mut head = Head::default();
        let tail = members(&block.members, 0, &mut head)?;
        let end = tail.as_ref().filter(|t| t.n.is_none()).map_or(0, |t| t.at + t.bytes);
        let least = (block.bytes as usize).max(end);
        Some(Form { head: head.walk.leaves, members: head.members, tail, least })
    }

    /// The types of the head and of the array, or of what is no array.
    pub fn types(&self) -> Arc<Types> {
        let types = match (&self.tail, &self.members[..]) {
            (Some(t), _) => {
                Types { head: self.members.clone(), element: t.of.clone(), array: t.name.clone(), whole: false }
            }
            // WGSL's variable of a number, or of a vector.
            (None, [Member { name, ty, .. }]) if name.is_empty() => {
                Types { head: Vec::new(), element: ty.clone(), array: String::new(), whole: true }
            }
            (None, all) => {
                let element = Type::Struct { name: String::new(), members: all.into() };
                Types { head: Vec::new(), element, array: String::new(), whole: true }
            }
        };
        Arc::new(types)
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

/// What lies before a block's array.
#[derive(Default)]
struct Head {
    walk: Walk,
    members: Vec<Member>,
}

impl Head {
    fn add(&mut self, m: &Member, at: usize) -> Option<()> {
        self.members.push(Member { offset: u32::try_from(at).ok()?, ..m.clone() });
        self.walk.add(&m.ty, at)
    }
}

/// Walks over all but the array at the end, which it gives.
fn members(all: &[Member], at: usize, head: &mut Head) -> Option<Option<Tail>> {
    let (last, before) = all.split_last()?;
    before.iter().try_for_each(|m| head.add(m, at + m.offset as usize))?;
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
                of: Type::clone(element),
                name: last.name.clone(),
            }))
        }
        _ => head.add(last, at).map(|()| None),
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
