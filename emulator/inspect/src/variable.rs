//! Source variables of a wave that stands still, by the tables that the compiler made.
//!
//! A name is the innermost scope's that has one of it: what is called `x` in a function that was inlined hides the caller's.
//! `x.y`, `x[2]` and `x[2].y` are parts of it.

use crate::form::Form;
use crate::program::Program;
use crate::value::{Eye, Value, WhatError};
use std::fmt;
use wavepipe_hw::descriptor::BufferDescriptor;
use wavepipe_hw::variable::{Held, Number, NumberKind, Piece, Variables, Whereabouts};

/// Scalars of a variable that are read at once.
const MOST: usize = 1024;

/// A variable, or a part of one.
#[derive(Clone, PartialEq, Debug)]
pub struct Seen {
    /// As it was asked for, or the variable's name.
    pub name: String,
    /// Its type; a variable's, also where a part was asked for.
    pub ty: String,
    /// The function that it is of.
    pub function: String,
    pub parts: Vec<Part>,
}

/// A scalar of it.
#[derive(Clone, PartialEq, Debug)]
pub struct Part {
    /// `.x`, `[2].rate`, from the variable on; empty of a scalar.
    pub path: String,
    pub number: Number,
    /// Its bits in each lane; `None`: the code keeps it nowhere here.
    pub lanes: Option<Vec<u64>>,
    /// Lanes that are live; of others nothing is known.
    pub live: u64,
}

impl Part {
    /// A lane's value as text; `-` of a lane that is not live, `?` where it is not here.
    pub fn text(&self, lane: usize) -> String {
        match &self.lanes {
            _ if self.live >> lane & 1 == 0 => "-".into(),
            None => "?".into(),
            Some(lanes) => text(self.number, lanes.get(lane).copied().unwrap_or(0)),
        }
    }
}

fn text(number: Number, bits: u64) -> String {
    let signed = |bits: u64| (bits << (64 - number.bits)) as i64 >> (64 - number.bits);
    match (number.kind, number.bits) {
        (NumberKind::Bool, _) => (bits != 0).to_string(),
        (NumberKind::Unsigned, _) => bits.to_string(),
        (NumberKind::Signed, _) => signed(bits).to_string(),
        (NumberKind::Float, 64) => f64::from_bits(bits).to_string(),
        (NumberKind::Float, 32) => f32::from_bits(bits as u32).to_string(),
        (NumberKind::Float, _) => half(bits as u16).to_string(),
    }
}

/// An f16 as an f32, which has all of them.
fn half(bits: u16) -> f32 {
    let (sign, exponent, fraction) = (bits >> 15, bits >> 10 & 31, f32::from(bits & 0x3ff));
    let size = match exponent {
        0 => fraction * 2f32.powi(-24),
        31 if fraction == 0.0 => f32::INFINITY,
        31 => f32::NAN,
        e => (1024.0 + fraction) * 2f32.powi(i32::from(e) - 25),
    };
    if sign == 0 { size } else { -size }
}

impl fmt::Display for Seen {
    /// Its parts as `name.path: a b c`, a line each.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (n, part) in self.parts.iter().enumerate() {
            let lanes = part.lanes.as_ref().map_or(64 - part.live.leading_zeros() as usize, Vec::len);
            let values: Vec<String> = (0..lanes).map(|lane| part.text(lane)).collect();
            let line = if n == 0 { "" } else { "\n" };
            write!(f, "{line}{}{}: {}", self.name, part.path, values.join(" "))?;
        }
        Ok(())
    }
}

/// `a`, and `[2].x` of `a[2].x`.
fn split(name: &str) -> (&str, &str) {
    name.split_at(name.find(['.', '[']).unwrap_or(name.len()))
}

impl Eye<'_> {
    /// The table and the offset that the wave is at.
    fn table(&self) -> Option<(&Variables, u32, &Program)> {
        let pc = self.group.wave(self.wave)?.pc();
        self.around.programs.iter().find_map(|p| {
            let offset = pc.checked_sub(p.address).filter(|o| *o < p.bytes)? as u32;
            Some((p.variables.as_deref()?, offset, p))
        })
    }

    /// The variables that have a value in the source here, innermost scope first.
    pub fn variables(&self) -> Vec<Seen> {
        let Some((table, pc, program)) = self.table() else { return Vec::new() };
        table.visible(pc).into_iter().map(|v| self.seen(table, pc, program, v, "")).collect()
    }

    /// A variable by its name, or a part of one; `None`: none has that name here.
    pub fn variable(&self, name: &str) -> Option<Result<Seen, WhatError>> {
        let (table, pc, program) = self.table()?;
        let visible = table.visible(pc);
        let of = |name: &str| visible.iter().copied().find(|&v| table.all[v as usize].name == name);
        // A name may have dots of its own.
        let (variable, path) = match of(name) {
            Some(v) => (v, ""),
            None => {
                let (base, path) = split(name);
                (of(base)?, path)
            }
        };
        let seen = self.seen(table, pc, program, variable, path);
        Some(match seen.parts.is_empty() {
            false => Ok(Seen { name: name[..name.len() - path.len()].into(), ..seen }),
            true => Err(WhatError(format!("{} is {}, which has no {path}", seen.name, seen.ty))),
        })
    }

    fn seen(&self, table: &Variables, pc: u32, program: &Program, variable: u32, path: &str) -> Seen {
        let v = &table.all[variable as usize];
        let rows: Vec<&Held> = table.at(variable, pc).collect();
        let within =
            |p: &Piece| p.path.strip_prefix(path).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']));
        let pieces = v.shape.numbers(MOST).into_iter().filter(within);
        let live = self.group.wave(self.wave).map_or(0, |w| w.exec());
        let part = |p: Piece| Part { lanes: self.lanes(&rows, program, &p), path: p.path, number: p.number, live };
        Seen {
            name: v.name.clone(),
            ty: v.shape.to_string(),
            function: table.scopes.get(v.scope as usize).map_or(String::new(), |s| s.function.clone()),
            parts: pieces.map(part).collect(),
        }
    }

    fn lanes(&self, rows: &[&Held], program: &Program, piece: &Piece) -> Option<Vec<u64>> {
        let number = piece.number;
        let mask = if number.bits >= 64 { u64::MAX } else { (1 << number.bits) - 1 };
        if let Some(whole) = rows.iter().find(|row| row.dword.is_none()) {
            let at = match whole.at? {
                Whereabouts::Private(at) => Whereabouts::Private(at + piece.byte),
                Whereabouts::Lds(at) => Whereabouts::Lds(at + piece.byte),
                _ => return None,
            };
            let bytes = number.bytes() as usize;
            let lanes = self.places(at, program, bytes.div_ceil(4) as u32)?;
            return Some(match number.kind {
                NumberKind::Bool => lanes.into_iter().map(|bits| u64::from(bits != 0)).collect(),
                _ => lanes.into_iter().map(|bits| bits & mask).collect(),
            });
        }
        let dword = |n: u32| {
            let at = rows.iter().find(|row| row.dword == Some(piece.dword + n))?.at?;
            self.places(at, program, 1)
        };
        let mut lanes = dword(0)?;
        if number.dwords() == 2 {
            lanes.iter_mut().zip(dword(1)?).for_each(|(low, high)| *low |= high << 32);
        }
        Some(lanes.into_iter().map(|bits| bits & mask).collect())
    }

    /// What each lane has at a place: a dword, or two from memory.
    fn places(&self, at: Whereabouts, program: &Program, dwords: u32) -> Option<Vec<u64>> {
        let wave = self.group.wave(self.wave)?;
        let lanes = wave.lanes();
        let all = |value: u64| vec![value; lanes as usize];
        let from = |bytes: &[u8]| bytes.iter().rev().fold(0u64, |sum, b| sum << 8 | u64::from(*b));
        Some(match at {
            Whereabouts::Vgpr(n) => {
                let mut words = [0; 64];
                wave.vgpr_lanes(n, &mut words);
                words[..lanes as usize].iter().map(|&w| w.into()).collect()
            }
            Whereabouts::Sgpr(n) => all(wave.sgpr(n).into()),
            Whereabouts::Mask(n) => (0..lanes).map(|l| (wave.sgpr(n + l / 32) >> (l % 32) & 1).into()).collect(),
            Whereabouts::Lane { vgpr, lane } => all(wave.vgpr(vgpr, lane).into()),
            Whereabouts::Constant(c) => all(c.into()),
            Whereabouts::Lds(at) => {
                let mut bytes = [0; 8];
                let bytes = &mut bytes[..4 * dwords as usize];
                // The last bytes of LDS may be fewer than a dword.
                let first = at / 4 * 4;
                self.group.read_lds(first.into(), bytes)?;
                all(from(bytes) >> (8 * (at - first)))
            }
            Whereabouts::Private(at) => {
                let base = self.private(program)?;
                let lane = |lane: u32| {
                    let dword = |n: u32| {
                        let mut bytes = [0; 4];
                        let row = u64::from(at / 4 + n) * u64::from(lanes);
                        self.map.read(base + 4 * (row + u64::from(lane)), &mut bytes)?;
                        Some(from(&bytes))
                    };
                    let high = if dwords > 1 { dword(1)? } else { 0 };
                    Some((dword(0)? | high << 32) >> (8 * (at % 4)))
                };
                (0..lanes).map(lane).collect::<Option<_>>()?
            }
        })
    }

    /// Address of the wave's private memory: where its part of the scratch ring begins.
    fn private(&self, program: &Program) -> Option<u64> {
        let launch = self.around.launch;
        let at = program.ring? as usize;
        let word = |n: usize| launch.user_data.get(at + n).copied();
        let descriptor = u64::from(word(0)?) | u64::from(word(1)?) << 32;
        let mut bytes = [0; 16];
        self.map.read(descriptor, &mut bytes)?;
        let words = std::array::from_fn(|n| u32::from_le_bytes(bytes[4 * n..][..4].try_into().unwrap_or_default()));
        let ring = BufferDescriptor::from_words(words, launch.isa).base;
        let wave = u64::from(launch.scratch_bytes_per_wave) * self.wave as u64;
        Some(ring + self.around.scratch? + wave)
    }

    /// A variable as a value: of a scalar of up to 32 bits.
    pub fn scalar(&self, name: &str) -> Option<Result<Value, WhatError>> {
        let seen = match self.variable(name)? {
            Ok(seen) => seen,
            Err(e) => return Some(Err(e)),
        };
        let [part] = &seen.parts[..] else {
            let parts: Vec<String> = seen.parts.iter().take(4).map(|p| format!("{}{}", seen.name, p.path)).collect();
            return Some(Err(WhatError(format!("{name} is {}: read its parts, as {}", seen.ty, parts.join(", ")))));
        };
        let Some(lanes) = &part.lanes else {
            return Some(Err(WhatError(format!("{name} is not here: the code keeps it nowhere at this instruction"))));
        };
        Some(Ok(match part.number {
            Number { kind: NumberKind::Bool, .. } => {
                let bits = lanes.iter().zip(0..).fold(0, |mask, (bit, lane)| mask | (bit & 1) << lane) & part.live;
                Value::Mask { bits, lanes: lanes.len() as u32 }
            }
            Number { bits: 64, .. } => return Some(Err(WhatError(format!("{name} is {}: 64 bits", part.number)))),
            Number { kind: NumberKind::Signed, bits } => {
                let wide = |&l: &u64| ((l << (64 - bits)) as i64 >> (64 - bits)) as u32;
                Value::Lanes { words: lanes.iter().map(wide).collect(), live: part.live }
            }
            Number { kind: NumberKind::Float, bits: 16 } => {
                let wide = |&l: &u64| half(l as u16).to_bits();
                Value::Lanes { words: lanes.iter().map(wide).collect(), live: part.live }
            }
            _ => Value::Lanes { words: lanes.iter().map(|&l| l as u32).collect(), live: part.live },
        }))
    }

    /// What a variable's numbers are, as they are printed.
    pub fn scalar_form(&self, name: &str) -> Option<Form> {
        let seen = self.variable(name)?.ok()?;
        Some(match seen.parts.first()?.number.kind {
            NumberKind::Float => Form::F32,
            NumberKind::Signed => Form::I32,
            _ => Form::U32,
        })
    }
}
