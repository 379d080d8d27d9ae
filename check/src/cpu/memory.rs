//! The numbers behind a reference's variables: buffers as they were before the run.

use super::eval::Memory;
use super::value::{Num, Result, Value};
use wavepipe::contents::Contents;
use wavepipe::element::{Number, Scalar};
use wavepipe::view::{Leaf, Types, numbers};
use wavepipe_runtime::compiler::spirv::{self, Member, ScalarKind, Type};

/// A buffer or an image that a reference may name.
#[derive(Clone, Debug)]
pub struct Array {
    pub name: String,
    pub contents: Contents,
}

/// What of a buffer a variable shows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum What {
    Elements,
    /// The block, as the shader has it.
    Whole,
    /// A member of the head, or of a block without an array.
    Member(usize),
}

pub struct Global<'a> {
    pub name: String,
    pub what: What,
    pub of: &'a Array,
}

/// The type of an element; `None` if it has numbers of several types, and nothing says which are what.
pub fn element(contents: &Contents) -> Option<Type> {
    if let Some(types) = contents.view.types.as_deref() {
        return Some(types.element.clone());
    }
    let leaves = &contents.view.element;
    let first = leaves.first()?.scalar;
    if leaves.iter().any(|l| l.scalar != first) {
        return None;
    }
    let kind = match first {
        _ if first.is_float() => ScalarKind::Float,
        Scalar::I8 | Scalar::I16 | Scalar::I32 | Scalar::I64 => ScalarKind::Signed,
        _ => ScalarKind::Unsigned,
    };
    let bytes = first.bytes() as u32;
    let scalar = spirv::Scalar { kind, bytes };
    Some(match leaves.len() as u32 {
        1 => Type::Scalar(scalar),
        n @ 2..=4 => Type::Vector { scalar, n, stride: bytes },
        n => Type::Array { element: Type::Scalar(scalar).into(), n: Some(n), stride: bytes, bytes },
    })
}

impl Array {
    pub fn element(&self) -> Option<Type> {
        element(&self.contents)
    }

    fn types(&self) -> Option<&Types> {
        self.contents.view.types.as_deref()
    }

    /// The head's members, the array's name, and whether there is no array.
    pub fn parts(&self) -> (&[Member], &str, bool) {
        self.types().map_or((&[], "", false), |t| (&t.head, &t.array, t.whole))
    }

    fn count(&self) -> usize {
        self.contents.view.count
    }

    /// An element.
    fn at(&self, index: usize, name: &str) -> Result<Value> {
        let (view, has) = (&self.contents.view, self.count());
        if index >= has {
            return Err(format!("{name}[{index}] is past its {has} elements"));
        }
        let ty = self.element().ok_or_else(|| format!("{name} has numbers of several types"))?;
        let at = view.at + index * view.stride;
        self.value(&ty, &mut view.element.iter(), at)
    }

    /// A member of the head, or of what is no array.
    fn member(&self, k: usize) -> Result<Value> {
        let view = &self.contents.view;
        let none = || "there is no such member".to_owned();
        let types = self.types().ok_or_else(none)?;
        let (members, leaves, at) = match &types.element {
            Type::Struct { members, .. } if types.whole => (&members[..], &view.element, view.at),
            _ => (&types.head[..], &view.head, 0),
        };
        let member = members.get(k).ok_or_else(none)?;
        let before: usize = members[..k].iter().map(|m| numbers(&m.ty)).sum();
        self.value(&member.ty, &mut leaves.iter().skip(before), at)
    }

    /// The value of a type whose numbers are the next ones.
    fn value(&self, ty: &Type, leaves: &mut dyn Iterator<Item = &Leaf>, at: usize) -> Result<Value> {
        let mut next = || {
            let leaf = leaves.next().ok_or("it has more numbers than its memory")?;
            Ok::<_, String>(num(leaf.scalar, &self.contents.bytes[at + leaf.offset..]))
        };
        match ty {
            Type::Scalar(_) | Type::Pointer => Ok(Value::Scalar(next()?)),
            Type::Vector { n, .. } => Value::vector(&(0..*n).map(|_| next()).collect::<Result<Vec<Num>>>()?),
            Type::Matrix { column, n, .. } => {
                (0..*n).map(|_| self.value(column, leaves, at)).collect::<Result<_>>().map(Value::Matrix)
            }
            Type::Array { element, n, .. } => {
                let all = (0..n.unwrap_or(0)).map(|_| self.value(element, leaves, at));
                all.collect::<Result<_>>().map(Value::Composite)
            }
            Type::Struct { members, .. } => {
                members.iter().map(|m| self.value(&m.ty, leaves, at)).collect::<Result<_>>().map(Value::Composite)
            }
        }
    }
}

/// A number of memory, as wide as references have it.
fn num(scalar: Scalar, bytes: &[u8]) -> Num {
    match (scalar, scalar.get(bytes)) {
        (Scalar::F64, n) => Num::F64(n.float()),
        (_, Number::Float(f)) => Num::F32(f as f32),
        (Scalar::I64, Number::Int(i)) => Num::I64(i as i64),
        (Scalar::U64, Number::Int(i)) => Num::U64(i as u64),
        (Scalar::I8 | Scalar::I16 | Scalar::I32, Number::Int(i)) => Num::I32(i as i32),
        (_, Number::Int(i)) => Num::U32(i as u32),
    }
}

/// The numbers of a result, if it is of that type.
pub fn flatten(value: &Value, ty: &Type, out: &mut Vec<Num>) -> bool {
    let is = |n: &Num, s: &spirv::Scalar| !matches!(n, Num::Bool(_)) && n.is_float() == (s.kind == ScalarKind::Float);
    match (ty, value) {
        (Type::Scalar(s), Value::Scalar(n)) => {
            out.push(*n);
            is(n, s)
        }
        (Type::Pointer, Value::Scalar(n)) => {
            out.push(*n);
            !n.is_float()
        }
        (Type::Vector { scalar, n, .. }, Value::Vector(has, all)) => {
            let all = &all[..usize::from(*has)];
            out.extend(all);
            all.len() == *n as usize && all.iter().all(|n| is(n, scalar))
        }
        (Type::Matrix { column, n, .. }, Value::Matrix(all)) => {
            all.len() == *n as usize && all.iter().all(|v| flatten(v, column, out))
        }
        (Type::Array { element, n, .. }, Value::Composite(all)) => {
            Some(all.len()) == n.map(|n| n as usize) && all.iter().all(|v| flatten(v, element, out))
        }
        (Type::Struct { members, .. }, Value::Composite(all)) => {
            all.len() == members.len() && all.iter().zip(&**members).all(|(v, m)| flatten(v, &m.ty, out))
        }
        _ => false,
    }
}

/// What a reference's text names.
pub struct Buffers<'a>(pub Vec<Global<'a>>);

impl Buffers<'_> {
    fn find(&self, name: &str) -> Result<&Global<'_>> {
        self.0.iter().find(|g| g.name == name).ok_or_else(|| format!("there is no `{name}`"))
    }
}

impl Memory for Buffers<'_> {
    fn has(&self, name: &str) -> bool {
        self.find(name).is_ok()
    }

    fn load(&self, name: &str, path: &[usize]) -> Result<Value> {
        let global = self.find(name)?;
        let of = global.of;
        let (head, array, whole) = of.parts();
        let element = |path: &[usize], name: &str| {
            let (index, rest) = path.split_first().ok_or_else(|| format!("{name}: an element at a time"))?;
            rest.iter().try_fold(of.at(*index, name)?, |value, n| value.part(*n))
        };
        match (global.what, path.split_first()) {
            (What::Elements, _) => element(path, name),
            (What::Member(k), _) => path.iter().try_fold(of.member(k)?, |value, n| value.part(*n)),
            (What::Whole, _) if whole => path.iter().try_fold(of.at(0, name)?, |value, n| value.part(*n)),
            (What::Whole, Some((k, rest))) if *k == head.len() => element(rest, &format!("{name}.{array}")),
            (What::Whole, Some((k, rest))) => rest.iter().try_fold(of.member(*k)?, |value, n| value.part(*n)),
            (What::Whole, None) => Err(format!("{name}: a member at a time")),
        }
    }

    fn length(&self, name: &str) -> Result<usize> {
        self.find(name).map(|g| g.of.count())
    }
}
