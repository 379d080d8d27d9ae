//! A buffer, an image or a sampler as the user writes it.

use crate::data::Init;
use crate::element::Element;
use crate::failure::{Failure, Result};
use crate::texel::Texel;
use crate::view::product;
use std::path::PathBuf;
use std::str::FromStr;

/// A resource's place: `BINDING` or `SET.BINDING` on the command line.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct BindingSlot {
    pub set: u32,
    pub binding: u32,
}

impl std::fmt::Display for BindingSlot {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.set {
            0 => write!(f, "{}", self.binding),
            set => write!(f, "{set}.{}", self.binding),
        }
    }
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Named {
    Slot(BindingSlot),
    Name(String),
}

/// Which resource: by place or by name, and which element of an array of them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Key {
    pub named: Named,
    /// `None`: of an array that is none.
    pub element: Option<u32>,
}

impl FromStr for Key {
    type Err = Failure;

    fn from_str(text: &str) -> Result<Key> {
        let bad = || {
            Failure::usage(format!(
                "`{text}` is no binding: write BINDING, SET.BINDING or the name, with [I] in an array"
            ))
        };
        let text = text.trim();
        let (name, element) = match text.strip_suffix(']').and_then(|t| t.split_once('[')) {
            Some((name, element)) => (name, Some(element.trim().parse().map_err(|_| bad())?)),
            None => (text, None),
        };
        let named = if name.starts_with(|c: char| c.is_ascii_digit()) {
            let (set, binding) = name.split_once('.').unwrap_or(("0", name));
            let number = |n: &str| n.parse().map_err(|_| bad());
            Named::Slot(BindingSlot { set: number(set)?, binding: number(binding)? })
        } else if !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_') {
            Named::Name(name.to_owned())
        } else {
            return Err(bad());
        };
        Ok(Key { named, element })
    }
}

impl std::fmt::Display for Key {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.named {
            Named::Slot(slot) => write!(f, "{slot}")?,
            Named::Name(name) => write!(f, "{name}")?,
        }
        self.element.map_or(Ok(()), |e| write!(f, "[{e}]"))
    }
}

/// A resource that the user gives.
#[derive(Clone, Debug)]
pub struct Given {
    pub key: Key,
    pub what: What,
    /// Folder that a relative file name starts from.
    pub folder: PathBuf,
    /// The flag or the place in the job file, for messages.
    pub source: String,
    /// From the command line, which wins.
    pub flag: bool,
}

impl Given {
    /// The file that its contents come from, if they do.
    pub fn file(&self) -> Option<PathBuf> {
        match &self.what {
            What::Buffer { init: Init::File(name), .. } => Some(self.folder.join(name)),
            What::Image(ImageGiven { init: Init::File(name), .. }) => Some(self.folder.join(name)),
            _ => None,
        }
    }
}

#[derive(Clone, Debug)]
pub enum What {
    Buffer { element: Option<Element>, count: Option<usize>, init: Init },
    Image(ImageGiven),
    Sampler(SamplerGiven),
}

impl What {
    pub fn is_sampler(&self) -> bool {
        matches!(self, What::Sampler(_))
    }

    pub fn name(&self) -> &'static str {
        match self {
            What::Buffer { .. } => "a buffer",
            What::Image(_) => "an image",
            What::Sampler(_) => "a sampler",
        }
    }
}

#[derive(Clone, Debug)]
pub struct ImageGiven {
    pub format: Option<Texel>,
    /// Width, height, depth or layers: as many as were written.
    pub size: Option<Vec<u32>>,
    pub init: Init,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct SamplerGiven {
    pub nearest: bool,
    pub address: Address,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Address {
    #[default]
    Clamp,
    Repeat,
    Mirror,
}

/// `TYPE[N]`, `TYPE` or `[N]`.
pub fn typed_count(text: &str) -> Result<(Option<Element>, Option<usize>)> {
    let (name, count) = match text.trim().strip_suffix(']').and_then(|t| t.split_once('[')) {
        Some((name, count)) => (name.trim(), Some(product(count, text)?)),
        None => (text.trim(), None),
    };
    Ok((if name.is_empty() { None } else { Some(name.parse()?) }, count))
}

/// `FORMAT[WxHxD]`, `FORMAT` or `[WxHxD]`.
pub fn format_size(text: &str) -> Result<(Option<Texel>, Option<Vec<u32>>)> {
    let (name, size) = match text.trim().strip_suffix(']').and_then(|t| t.split_once('[')) {
        Some((name, size)) => (name.trim(), Some(extent(size)?)),
        None => (text.trim(), None),
    };
    Ok((if name.is_empty() { None } else { Some(name.parse()?) }, size))
}

/// `W`, `WxH` or `WxHxD`.
pub fn extent(text: &str) -> Result<Vec<u32>> {
    let sides = text.split('x').map(|n| n.trim().parse::<u32>().ok().filter(|&n| n > 0));
    let sides: Option<Vec<u32>> = sides.collect();
    let sides = sides.filter(|s| s.len() <= 3);
    sides.ok_or_else(|| Failure::usage(format!("`{text}` is no size of an image: write W, WxH or WxHxD")))
}

/// `linear`, `nearest`, `clamp`, `repeat`, `mirror`.
pub fn sampling(words: &[&str]) -> Result<SamplerGiven> {
    let mut out = SamplerGiven::default();
    for word in words {
        match word.trim() {
            "linear" => out.nearest = false,
            "nearest" => out.nearest = true,
            "clamp" => out.address = Address::Clamp,
            "repeat" => out.address = Address::Repeat,
            "mirror" => out.address = Address::Mirror,
            other => {
                let message = format!("`{other}`: a sampler is nearest or linear, and repeat, mirror or clamp");
                return Err(Failure::usage(message));
            }
        }
    }
    Ok(out)
}
