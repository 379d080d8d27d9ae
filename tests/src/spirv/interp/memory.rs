//! Loads and stores, in memory that decorations lay out and in objects that have no layout.

use super::value::{MemoryPlace, Pointer, Root, Type, Types, Value};
use super::{Fault, Machine};
use rspirv::spirv::Decoration;

/// A value of type `ty` at a place in `bytes`.
pub fn read(types: &Types, ty: u32, bytes: &[u8], place: MemoryPlace) -> Result<Value, Fault> {
    let scalar = types.scalar_bytes(ty) as usize;
    Ok(match types.get(ty) {
        Type::Int { .. } | Type::Float { .. } => {
            let at = place.at as usize;
            let part = bytes.get(at..at + scalar).ok_or_else(|| Fault::new(format!("a load at byte {at}")))?;
            Value::Bits(part.iter().rev().fold(0, |sum, &b| sum << 8 | u64::from(b)))
        }
        Type::Vector { .. } | Type::Matrix { .. } | Type::Array { .. } | Type::Struct(_) => {
            let part = |n| {
                let (ty, place) = types.step(ty, n, place).ok_or_else(|| Fault::new("a type without layout"))?;
                read(types, ty, bytes, place)
            };
            Value::Many((0..types.parts(ty)).map(part).collect::<Result<_, _>>()?)
        }
        _ => return Err(Fault::new("a load of what no memory holds")),
    })
}

pub fn write(types: &Types, ty: u32, bytes: &mut [u8], place: MemoryPlace, value: &Value) -> Result<(), Fault> {
    let scalar = types.scalar_bytes(ty) as usize;
    match (types.get(ty), value) {
        (Type::Int { .. } | Type::Float { .. }, Value::Bits(v)) => {
            let at = place.at as usize;
            let part = bytes.get_mut(at..at + scalar).ok_or_else(|| Fault::new(format!("a store at byte {at}")))?;
            part.copy_from_slice(&v.to_le_bytes()[..scalar]);
        }
        (_, Value::Many(parts)) => {
            for (n, v) in parts.iter().enumerate() {
                let step = types.step(ty, n as u32, place);
                let (ty, place) = step.ok_or_else(|| Fault::new("a type without layout"))?;
                write(types, ty, bytes, place, v)?;
            }
        }
        _ => return Err(Fault::new("a store of what no memory holds")),
    }
    Ok(())
}

/// Where in its buffer a pointer points, and at what type.
pub fn place(types: &Types, mut ty: u32, path: &[u32]) -> Result<(u32, MemoryPlace), Fault> {
    let mut place = MemoryPlace::default();
    for &n in path {
        (ty, place) = types.step(ty, n, place).ok_or_else(|| Fault::new(format!("index {n} is outside")))?;
    }
    Ok((ty, place))
}

/// Part of a value.
pub fn part<'a>(mut v: &'a Value, path: &[u32]) -> Result<&'a Value, Fault> {
    for &n in path {
        v = match v {
            Value::Many(parts) => parts.get(n as usize).ok_or_else(|| Fault::new(format!("index {n} is outside")))?,
            _ => return Err(Fault::new("an index into a scalar")),
        };
    }
    Ok(v)
}

pub fn part_mut<'a>(mut v: &'a mut Value, path: &[u32]) -> Result<&'a mut Value, Fault> {
    for &n in path {
        v = match v {
            Value::Many(parts) => {
                parts.get_mut(n as usize).ok_or_else(|| Fault::new(format!("index {n} is outside")))?
            }
            _ => return Err(Fault::new("an index into a scalar")),
        };
    }
    Ok(v)
}

impl Machine {
    /// The bytes behind a variable.
    pub fn external(&mut self, types: &Types, variable: u32) -> Result<&mut Vec<u8>, Fault> {
        let number = |d| types.number(variable, d);
        match (number(Decoration::DescriptorSet), number(Decoration::Binding)) {
            (Some(set), Some(binding)) => {
                let bytes = self.buffers.get_mut(&(set, binding));
                bytes.ok_or_else(|| Fault::new(format!("no buffer {set}.{binding}")))
            }
            _ => Ok(&mut self.push),
        }
    }
}

/// A pointer to an element of what `p` points to.
pub fn deeper(p: &Pointer, indexes: impl Iterator<Item = u32>) -> Pointer {
    Pointer { root: p.root, path: p.path.iter().copied().chain(indexes).collect() }
}

/// A pointer to the element `by` further in the same array.
pub fn further(p: &Pointer, by: i64) -> Result<Pointer, Fault> {
    let mut path = p.path.clone();
    let last = path.last_mut().filter(|_| p.root != Root::Null);
    let last = last.ok_or_else(|| Fault::new("OpPtrAccessChain on what is no element of an array"))?;
    *last = u32::try_from(i64::from(*last) + by).map_err(|_| Fault::new("an index below zero"))?;
    Ok(Pointer { root: p.root, path })
}
