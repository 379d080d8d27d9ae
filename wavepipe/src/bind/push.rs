//! Push constants, laid out as the shader's block has them.

use super::form::{members_text, type_name};
use crate::data::typed_value;
use crate::element::Element;
use crate::failure::{Failure, Result};
use crate::job::Spoken;
use crate::view::{Leaf, Walk};
use wavepipe_runtime::compiler::spirv::{Block, Member, Type};

/// A member, or an element of one, that a value can be given for.
struct Atom {
    name: String,
    ty: String,
    at: usize,
    leaves: Vec<Leaf>,
    filled: bool,
}

/// More than a block of 256 bytes can have.
const MOST_ATOMS: usize = 256;

fn atoms(name: &str, ty: &Type, at: usize, out: &mut Vec<Atom>) -> Option<()> {
    if out.len() > MOST_ATOMS {
        return None;
    }
    match ty {
        Type::Struct { members, .. } => members.iter().try_for_each(|m| {
            let dot = if name.is_empty() { "" } else { "." };
            atoms(&format!("{name}{dot}{}", m.name), &m.ty, at + m.offset as usize, out)
        }),
        Type::Array { element, n, stride, .. } => {
            let step = *stride as usize;
            (0..(*n)? as usize).try_for_each(|k| atoms(&format!("{name}[{k}]"), element, at + k * step, out))
        }
        Type::Matrix { column, n, stride } => {
            (0..*n as usize).try_for_each(|k| atoms(&format!("{name}[{k}]"), column, at + k * *stride as usize, out))
        }
        _ => {
            let mut inner = Walk::default();
            inner.add(ty, at)?;
            out.push(Atom { name: name.to_owned(), ty: type_name(ty), at, leaves: inner.leaves, filled: false });
            Some(())
        }
    }
}

/// A structure around all is as if it were not there.
fn members(block: &Block) -> &[Member] {
    match &block.members[..] {
        [Member { ty: Type::Struct { members, .. }, .. }] => members,
        members => members,
    }
}

/// The members that values can be given for by name, each with how many numbers it has.
pub fn names(block: &Block) -> Vec<(&str, usize)> {
    let count = |m: &Member| {
        let mut inner = Walk::default();
        inner.add(&m.ty, m.offset as usize).map(|()| inner.leaves.len())
    };
    members(block).iter().filter_map(|m| Some((m.name.as_str(), count(m)?))).collect()
}

/// The bytes of a block. `texts` are `TYPE=VALUE` for the next member, or `NAME=VALUE`.
pub fn bytes(block: Option<&Block>, texts: &[String], spoken: Spoken) -> Result<Vec<u8>> {
    let Some(block) = block else {
        return match texts.first() {
            None => Ok(Vec::new()),
            Some(text) => Err(Failure::usage(format!("push constant {text}: the shader has no push constants"))),
        };
    };
    let members = members(block);
    let has = || format!("the shader's push constants are {}", members_text(members));
    let (mut all, mut whole) = (Vec::new(), Walk::default());
    let finite = members.iter().try_for_each(|m| whole.add(&m.ty, m.offset as usize));
    let finite = finite.filter(|()| whole.leaves.len() <= MOST_ATOMS);
    if finite.is_none() || members.iter().try_for_each(|m| atoms(&m.name, &m.ty, m.offset as usize, &mut all)).is_none()
    {
        return Err(Failure::Unsupported(format!("{}, too many to be given", has())));
    }
    let mut out = vec![0; (block.bytes as usize).next_multiple_of(4)];
    for text in texts {
        let (name, value) = text
            .split_once('=')
            .ok_or_else(|| Failure::usage(format!("push constant {text}: write TYPE=VALUE or NAME=VALUE")))?;
        let name = name.trim();
        match name.parse::<Element>() {
            Ok(element) => {
                let (_, bytes) = typed_value(text)?;
                let none = || Failure::usage(format!("push constant {text} is one too many: {}", has()));
                let next = all.iter_mut().find(|a| !a.filled).ok_or_else(none)?;
                put_typed(next, element, &bytes, &mut out).ok_or_else(|| {
                    Failure::usage(format!(
                        "push constant {text}: the next member is {} {}; {}",
                        next.ty,
                        next.name,
                        has()
                    ))
                })?;
            }
            Err(_) => named(&mut all, name, value, &mut out)
                .map_err(|e| Failure::usage(format!("push constant {text}: {e}; {}", has())))?,
        }
    }
    match all.iter().find(|a| !a.filled) {
        Some(a) => {
            let name = if a.name.is_empty() { &a.ty } else { &a.name };
            let message = format!(
                "no value for push constant {name} ({} at byte {}): {}; {}",
                a.ty,
                a.at,
                spoken.push(name),
                has()
            );
            Err(Failure::usage(message))
        }
        None => Ok(out),
    }
}

/// None: another type.
fn put_typed(atom: &mut Atom, element: Element, bytes: &[u8], out: &mut [u8]) -> Option<()> {
    let same =
        |l: &Leaf| l.scalar.bytes() == element.scalar.bytes() && l.scalar.is_float() == element.scalar.is_float();
    if atom.leaves.len() != element.lanes || !atom.leaves.iter().all(same) {
        return None;
    }
    for (leaf, value) in atom.leaves.iter().zip(bytes.chunks_exact(element.scalar.bytes())) {
        out[leaf.offset..leaf.offset + value.len()].copy_from_slice(value);
    }
    atom.filled = true;
    Some(())
}

fn named(all: &mut [Atom], name: &str, value: &str, out: &mut [u8]) -> Result<()> {
    let inside =
        |a: &Atom| a.name.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']));
    let mut parts = value.split(',');
    let mut found = 0;
    for atom in all.iter_mut().filter(|a| inside(a)) {
        if atom.filled {
            return Err(Failure::usage(format!("{} has a value already", atom.name)));
        }
        for leaf in &atom.leaves {
            found += 1;
            let part = parts.next().ok_or_else(|| Failure::usage(format!("{} numbers are too few", found - 1)))?;
            let mut bytes = Vec::new();
            leaf.scalar.put(leaf.scalar.parse(part)?, &mut bytes);
            out[leaf.offset..leaf.offset + bytes.len()].copy_from_slice(&bytes);
        }
        atom.filled = true;
    }
    match (found, parts.count()) {
        (0, _) => Err(Failure::usage(format!("there is no {name}"))),
        (_, 0) => Ok(()),
        (n, more) => Err(Failure::usage(format!("{} numbers are too many, {n} are wanted", n + more))),
    }
}
