//! Source variables of compiled code: their types, the calls that they belong to, and where they are at which address.

use serde::{Deserialize, Serialize};
use std::fmt;

/// Where the variables of a kernel are. Beside the line table, and as that no part of what runs.
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Variables {
    pub all: Vec<Variable>,
    /// The kernel and the calls in it that were inlined; the kernel is the first.
    pub scopes: Vec<Scope>,
    /// Sorted by variable, dword and address; ranges of one dword do not overlap.
    pub held: Vec<Held>,
    /// Which scope's code begins at an offset, up to the next row. Sorted.
    pub inside: Vec<(u32, u32)>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Variable {
    pub name: String,
    pub shape: Shape,
    pub scope: u32,
}

/// A call that was inlined, or a function that is called, or the kernel.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Scope {
    pub function: String,
    /// Whose code calls it.
    pub parent: Option<u32>,
    /// Where: a file of the code object, and a line, 0 where none is known.
    pub file: u32,
    pub line: u32,
}

/// A variable, or a dword of its value, in the code from one offset to another.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Held {
    pub variable: u32,
    /// As [`Shape::numbers`] counts them; `None`: all of it, in memory from [`Whereabouts`] on.
    pub dword: Option<u32>,
    pub from: u32,
    pub to: u32,
    /// `None`: it has a value in the source, and the code does not keep it.
    pub at: Option<Whereabouts>,
}

/// Where a dword is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Whereabouts {
    Vgpr(u32),
    /// The same in all lanes; 106 and 107 are VCC.
    Sgpr(u32),
    /// A bit for each lane, in as many SGPRs from this one on as a wave has dwords of lanes.
    Mask(u32),
    /// In a lane of a VGPR, the same for all: an SGPR that was spilled.
    Lane {
        vgpr: u32,
        lane: u32,
    },
    /// A byte of each lane's private memory.
    Private(u32),
    /// A byte of the work-group's LDS.
    Lds(u32),
    Constant(u32),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum NumberKind {
    /// A bit of a lane mask; a word where it is in memory.
    Bool,
    Unsigned,
    Signed,
    Float,
}

/// A scalar: what it is, and how many bits it has. In registers it has a dword for itself, or two.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Number {
    pub kind: NumberKind,
    pub bits: u32,
}

/// A type as values have it; strides and offsets are those in memory.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Shape {
    Number(Number),
    Vector { of: Number, n: u32 },
    Matrix { of: Number, rows: u32, columns: u32, stride: u32 },
    Array { of: Box<Shape>, n: u32, stride: u32 },
    Struct { name: String, members: Vec<Member> },
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Member {
    pub name: String,
    pub offset: u32,
    pub shape: Shape,
}

/// A scalar of a variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece {
    /// `.x`, `[2].rate`; empty of a scalar.
    pub path: String,
    pub number: Number,
    /// Its first dword in registers, among those of the variable.
    pub dword: u32,
    /// Its first byte in memory, from the variable's on.
    pub byte: u32,
}

impl Number {
    pub const fn dwords(self) -> u32 {
        self.bits.div_ceil(32)
    }

    /// Bytes in memory.
    pub const fn bytes(self) -> u32 {
        if matches!(self.kind, NumberKind::Bool) { 4 } else { self.bits / 8 }
    }
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.kind {
            NumberKind::Bool => f.write_str("bool"),
            NumberKind::Unsigned => write!(f, "u{}", self.bits),
            NumberKind::Signed => write!(f, "i{}", self.bits),
            NumberKind::Float => write!(f, "f{}", self.bits),
        }
    }
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Shape::Number(number) => number.fmt(f),
            Shape::Vector { of, n } => write!(f, "vec{n}<{of}>"),
            Shape::Matrix { of, rows, columns, .. } => write!(f, "mat{columns}x{rows}<{of}>"),
            Shape::Array { of, n, .. } => write!(f, "array<{of}, {n}>"),
            Shape::Struct { name, .. } if name.is_empty() => f.write_str("struct"),
            Shape::Struct { name, .. } => f.write_str(name),
        }
    }
}

impl Shape {
    /// The first `most` scalars of a value, in the order of its dwords.
    pub fn numbers(&self, most: usize) -> Vec<Piece> {
        let mut out = Vec::new();
        self.collect("", 0, most, &mut out);
        out
    }

    fn collect(&self, path: &str, byte: u32, most: usize, out: &mut Vec<Piece>) {
        if out.len() >= most {
            return;
        }
        let mut push = |path: String, number: Number, byte: u32| {
            let dword = out.last().map_or(0, |p: &Piece| p.dword + p.number.dwords());
            if out.len() < most {
                out.push(Piece { path, number, dword, byte });
            }
        };
        match self {
            Shape::Number(number) => push(path.into(), *number, byte),
            Shape::Vector { of, n } => {
                for (k, name) in (0..*n).zip(["x", "y", "z", "w"]) {
                    push(format!("{path}.{name}"), *of, byte + k * of.bytes());
                }
            }
            Shape::Matrix { of, rows, columns, stride } => {
                for column in 0..*columns {
                    for (row, name) in (0..*rows).zip(["x", "y", "z", "w"]) {
                        push(format!("{path}[{column}].{name}"), *of, byte + column * stride + row * of.bytes());
                    }
                }
            }
            Shape::Array { of, n, stride } => {
                for k in 0..*n {
                    if out.len() >= most {
                        return;
                    }
                    of.collect(&format!("{path}[{k}]"), byte.saturating_add(k.saturating_mul(*stride)), most, out);
                }
            }
            Shape::Struct { members, .. } => {
                for (n, member) in members.iter().enumerate() {
                    let name = if member.name.is_empty() { n.to_string() } else { member.name.clone() };
                    member.shape.collect(&format!("{path}.{name}"), byte + member.offset, most, out);
                }
            }
        }
    }
}

impl Variables {
    /// Whether `outer` is the scope `inner`, or one around it.
    pub fn encloses(&self, outer: u32, mut inner: u32) -> bool {
        for _ in 0..=self.scopes.len() {
            if inner == outer {
                return true;
            }
            match self.scopes.get(inner as usize).and_then(|s| s.parent) {
                Some(parent) => inner = parent,
                None => return false,
            }
        }
        false
    }

    /// The scope whose code is at an offset.
    pub fn scope(&self, pc: u32) -> Option<u32> {
        self.inside[..self.inside.partition_point(|row| row.0 <= pc)].last().map(|row| row.1)
    }

    /// The variables that have a value in the source at an offset, the innermost scope's first, the last defined first, each name
    /// of a scope once.
    pub fn visible(&self, pc: u32) -> Vec<u32> {
        let mut found: Vec<u32> =
            self.held.iter().filter(|h| (h.from..h.to).contains(&pc)).map(|h| h.variable).collect();
        found.dedup();
        let depth = |v: &u32| {
            let mut scope = self.all[*v as usize].scope;
            let mut depth = 0;
            while let Some(parent) = self.scopes.get(scope as usize).and_then(|s| s.parent).filter(|_| depth < 1 << 16)
            {
                (scope, depth) = (parent, depth + 1);
            }
            depth
        };
        found.sort_by_cached_key(|v| std::cmp::Reverse((depth(v), *v)));
        let mut seen = std::collections::HashSet::new();
        found.retain(|v| seen.insert((self.all[*v as usize].scope, self.all[*v as usize].name.clone())));
        found
    }

    /// Where a variable is at an offset: a row for each dword that is known of, or one for all of it.
    pub fn at(&self, variable: u32, pc: u32) -> impl Iterator<Item = &Held> {
        let first = self.held.partition_point(|h| h.variable < variable);
        let rows = self.held[first..].iter().take_while(move |h| h.variable == variable);
        rows.filter(move |h| (h.from..h.to).contains(&pc))
    }
}
