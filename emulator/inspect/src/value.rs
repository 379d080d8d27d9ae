//! What can be read of a machine that stands still, and how it is written.
//!
//! ```text
//! v3  s7  s[4:5]  exec  vcc  scc  m0  mode  pc        of a wave; v3 of all its lanes
//! lds[0x40]  lds[0x40;4]  mem[0x100000000;2]          dwords from a byte on, one unless said otherwise
//! total  total[3]                                     what has a name: all of it, or a dword
//! WHAT:f32  :i32  :u32  :hex                          how it is printed
//! ```

use crate::form::Form;
use crate::program::{Names, Space, Surroundings, Thing};
use std::fmt;
use std::str::FromStr;
use wavepipe_core::memory::MemoryMap;
use wavepipe_core::wave::WorkGroup;

/// Something to read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum What {
    Vgpr(u32),
    Sgpr(u32),
    /// Two SGPRs, by the first.
    SgprPair(u32),
    Exec,
    Vcc,
    Scc,
    M0,
    Mode,
    Pc,
    /// From a byte on, how many dwords.
    Lds(u64, u32),
    Memory(u64, u32),
    /// What has a name: a dword of it, or all.
    Named(String, Option<u64>),
}

/// Dwords of a thing that are read, where all of it is asked for.
const MOST: u32 = 64;

/// Text that names nothing to read: what is wrong with it, and what to write.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{0}")]
pub struct WhatError(pub String);

/// A number, in decimal or as `0x…`.
pub(crate) fn number(text: &str) -> Option<u64> {
    match text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        Some(hex) => u64::from_str_radix(&hex.replace('_', ""), 16).ok(),
        None => text.parse().ok(),
    }
}

impl FromStr for What {
    type Err = WhatError;

    fn from_str(text: &str) -> Result<What, WhatError> {
        let wrong = |why: &str| Err(WhatError(format!("`{text}` {why}")));
        let text = text.trim();
        match text {
            "exec" => return Ok(What::Exec),
            "vcc" => return Ok(What::Vcc),
            "scc" => return Ok(What::Scc),
            "m0" => return Ok(What::M0),
            "mode" => return Ok(What::Mode),
            "pc" => return Ok(What::Pc),
            "" => {
                return Err(WhatError("nothing to read: write a register (v0, s4, exec), lds[0x40], or a name".into()));
            }
            _ => {}
        }
        if let Some(n) = register(text, 'v') {
            return Ok(What::Vgpr(n));
        }
        if let Some(n) = register(text, 's') {
            return if n < 128 { Ok(What::Sgpr(n)) } else { wrong("is no register: there are s0 to s127") };
        }
        let (name, index) = match text.split_once('[') {
            None => (text, None),
            Some((name, rest)) => match rest.strip_suffix(']') {
                Some(inside) if !inside.contains([']', '[']) => (name, Some(inside)),
                // A part of a part, of a source variable.
                _ if is_name(name) && is_path(rest) => return Ok(What::Named(text.into(), None)),
                Some(inside) => (name, Some(inside)),
                None => return wrong("has no `]`"),
            },
        };
        let counted = |inside: &str| -> Option<(u64, u32)> {
            let (at, count) = inside.split_once(';').unwrap_or((inside, "1"));
            Some((number(at.trim())?, number(count.trim())?.try_into().ok().filter(|n| (1..=4096).contains(n))?))
        };
        match (name, index) {
            ("lds" | "mem", Some(inside)) => match counted(inside) {
                Some((at, count)) if name == "lds" => Ok(What::Lds(at, count)),
                Some((at, count)) => Ok(What::Memory(at, count)),
                None => wrong("is not lds[BYTE], lds[BYTE;DWORDS], mem[ADDRESS] or mem[ADDRESS;DWORDS]"),
            },
            ("lds" | "mem", None) => wrong("wants a place: lds[0x40], mem[0x100000000;4]"),
            ("s", Some(inside)) => match inside.split_once(':').map(|(a, b)| (number(a), number(b))) {
                Some((Some(a), Some(b))) if b == a + 1 && b < 128 => Ok(What::SgprPair(a as u32)),
                _ => wrong("is no pair of registers: write s[4:5]"),
            },
            _ if !is_name(name) => wrong("is neither a register (v0, s4, exec, vcc, scc) nor a name"),
            (_, None) => Ok(What::Named(name.into(), None)),
            (_, Some(inside)) => match number(inside) {
                Some(n) => Ok(What::Named(name.into(), Some(n))),
                None => wrong("has an index that is no number"),
            },
        }
    }
}

fn register(text: &str, kind: char) -> Option<u32> {
    let digits = text.strip_prefix(kind)?;
    digits.bytes().all(|b| b.is_ascii_digit()).then(|| digits.parse().ok())?
}

/// What may stand behind `a[`: `2].x`, `2][3]`.
fn is_path(rest: &str) -> bool {
    let index = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
    let Some((first, mut rest)) = rest.split_once(']') else { return false };
    if !index(first) {
        return false;
    }
    while !rest.is_empty() {
        rest = match (rest.strip_prefix('['), rest.strip_prefix('.')) {
            (Some(inside), _) => match inside.split_once(']') {
                Some((n, behind)) if index(n) => behind,
                _ => return false,
            },
            (_, Some(member)) => {
                let end = member.find(['.', '[']).unwrap_or(member.len());
                if !is_name(&member[..end]) {
                    return false;
                }
                &member[end..]
            }
            _ => return false,
        };
    }
    true
}

fn is_name(text: &str) -> bool {
    let good = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '$');
    text.chars().all(good) && text.chars().next().is_some_and(|c| !c.is_ascii_digit())
}

impl fmt::Display for What {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let count = |n: &u32| if *n == 1 { String::new() } else { format!(";{n}") };
        match self {
            What::Vgpr(n) => write!(f, "v{n}"),
            What::Sgpr(n) => write!(f, "s{n}"),
            What::SgprPair(n) => write!(f, "s[{n}:{}]", n + 1),
            What::Exec => f.write_str("exec"),
            What::Vcc => f.write_str("vcc"),
            What::Scc => f.write_str("scc"),
            What::M0 => f.write_str("m0"),
            What::Mode => f.write_str("mode"),
            What::Pc => f.write_str("pc"),
            What::Lds(at, n) => write!(f, "lds[{at:#x}{}]", count(n)),
            What::Memory(at, n) => write!(f, "mem[{at:#x}{}]", count(n)),
            What::Named(name, None) => f.write_str(name),
            What::Named(name, Some(n)) => write!(f, "{name}[{n}]"),
        }
    }
}

/// What was read.
#[derive(Clone, PartialEq, Debug)]
pub enum Value {
    Flag(bool),
    Word(u32),
    /// An address, or two registers.
    Long(u64),
    /// A bit for each lane, of 32 or 64.
    Mask {
        bits: u64,
        lanes: u32,
    },
    /// A dword of each lane, and which lanes are live.
    Lanes {
        words: Vec<u32>,
        live: u64,
    },
    Words(Vec<u32>),
}

impl Value {
    /// Its dwords; of a mask or an address, the low one first.
    pub fn words(&self) -> Vec<u32> {
        match self {
            Value::Flag(b) => vec![u32::from(*b)],
            Value::Word(w) => vec![*w],
            Value::Long(l) => vec![*l as u32, (l >> 32) as u32],
            Value::Mask { bits, lanes } => (0..lanes.div_ceil(32)).map(|n| (bits >> (32 * n)) as u32).collect(),
            Value::Lanes { words, .. } | Value::Words(words) => words.clone(),
        }
    }

    /// As text; what a lane that is not live has stands as `-`.
    pub fn text(&self, form: Form) -> String {
        let list = |words: &mut dyn Iterator<Item = String>| words.collect::<Vec<_>>().join(" ");
        match self {
            Value::Flag(b) => u32::from(*b).to_string(),
            Value::Word(w) => form.text(*w),
            Value::Long(l) => format!("{l:#x}"),
            Value::Mask { bits, lanes } => strip(*bits, *lanes),
            Value::Lanes { words, live } => {
                list(&mut words.iter().enumerate().map(
                    |(lane, w)| {
                        if live >> lane & 1 != 0 { form.text(*w) } else { "-".into() }
                    },
                ))
            }
            Value::Words(words) => list(&mut words.iter().map(|w| form.text(*w))),
        }
    }
}

/// A mask as `#.##`, lane 0 first.
pub fn strip(bits: u64, lanes: u32) -> String {
    (0..lanes).map(|lane| if bits >> lane & 1 != 0 { '#' } else { '.' }).collect()
}

/// A wave in the midst of its machine.
pub(crate) struct Eye<'a> {
    pub group: &'a WorkGroup,
    pub wave: usize,
    pub map: &'a MemoryMap,
    pub names: &'a Names,
    pub around: Surroundings<'a>,
}

impl Eye<'_> {
    /// Reads something. An error says what is not there.
    pub fn read(&self, what: &What) -> Result<Value, WhatError> {
        let none = |why: String| WhatError(why);
        let wave = self.group.wave(self.wave).ok_or_else(|| none(format!("there is no wave {}", self.wave)))?;
        Ok(match what {
            What::Vgpr(n) if *n >= wave.vgprs() => {
                return Err(none(format!("no v{n}: the wave has v0 to v{}", wave.vgprs().saturating_sub(1))));
            }
            What::Vgpr(n) => {
                let mut words = [0; 64];
                wave.vgpr_lanes(*n, &mut words);
                Value::Lanes { words: words[..wave.lanes() as usize].to_vec(), live: wave.exec() }
            }
            What::Sgpr(n) => Value::Word(wave.sgpr(*n)),
            What::SgprPair(n) => Value::Long(u64::from(wave.sgpr(*n)) | u64::from(wave.sgpr(n + 1)) << 32),
            What::Exec => Value::Mask { bits: wave.exec(), lanes: wave.lanes() },
            What::Vcc => Value::Mask { bits: wave.vcc(), lanes: wave.lanes() },
            What::Scc => Value::Flag(wave.scc()),
            What::M0 => Value::Word(wave.m0()),
            What::Mode => Value::Word(wave.mode()),
            What::Pc => Value::Long(wave.pc()),
            What::Lds(at, count) => self.words(Space::Lds, *at, *count)?,
            What::Memory(at, count) => self.words(Space::Memory, *at, *count)?,
            What::Named(name, index) => {
                if self.names.get(name).is_none() {
                    let part = index.map_or(name.clone(), |n| format!("{name}[{n}]"));
                    return self.scalar(&part).unwrap_or_else(|| Err(unknown(name, self.names)));
                }
                let thing = self.thing(name)?;
                match index {
                    None => self.words(thing.space, thing.at, (thing.bytes / 4).min(MOST.into()) as u32)?,
                    Some(n) if n.saturating_mul(4).saturating_add(4) > thing.bytes => {
                        return Err(none(format!("{name} has {} dwords, no {name}[{n}]", thing.bytes / 4)));
                    }
                    Some(n) => self.words(thing.space, thing.at + 4 * n, 1)?,
                }
            }
        })
    }

    /// How it is printed unless somebody says otherwise.
    pub fn form(&self, what: &What) -> Form {
        match what {
            What::Named(name, index) => match self.names.get(name) {
                Some(thing) => thing.form,
                None => {
                    let part = index.map_or(name.clone(), |n| format!("{name}[{n}]"));
                    self.scalar_form(&part).unwrap_or_default()
                }
            },
            _ => Form::Hex,
        }
    }

    pub fn thing(&self, name: &str) -> Result<Thing, WhatError> {
        self.names.get(name).copied().ok_or_else(|| unknown(name, self.names))
    }

    fn words(&self, space: Space, at: u64, count: u32) -> Result<Value, WhatError> {
        let mut bytes = vec![0; 4 * count as usize];
        let (read, of) = match space {
            Space::Lds => {
                (self.group.read_lds(at, &mut bytes), format!("of LDS, of which there are {}", self.group.lds_bytes()))
            }
            Space::Memory => (self.map.read(at, &mut bytes), "of memory".into()),
        };
        read.ok_or_else(|| WhatError(format!("{} bytes from {at:#x} on are not all {of}", bytes.len())))?;
        let words: Vec<u32> = bytes.as_chunks::<4>().0.iter().map(|b| u32::from_le_bytes(*b)).collect();
        Ok(if count == 1 { Value::Word(words[0]) } else { Value::Words(words) })
    }
}

/// A name that nothing has.
pub(crate) fn unknown(name: &str, names: &Names) -> WhatError {
    let known: Vec<&str> = names.all().collect();
    let hint = match known.is_empty() {
        true => "nothing has a name here; registers are v0, s4, exec, vcc, scc, and lds[0x40] is LDS".to_owned(),
        false => format!("names are {}; registers are v0, s4, exec, vcc, scc, and lds[0x40] is LDS", known.join(", ")),
    };
    WhatError(format!("nothing is called {name}: {hint}"))
}
