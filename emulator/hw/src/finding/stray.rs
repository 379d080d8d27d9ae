//! Accesses that go where nothing of the program's is.

use super::{Access, AddressSpace};
use std::fmt;

/// Where an access went.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stray {
    /// To an address in the program's memory that is in no buffer.
    NoBuffer(Option<Near>),
    /// To memory of the driver's that the kernel was not given.
    Drivers,
    /// To a place in LDS that is in none of its parts, or in private memory behind what a work-item has.
    OutsideLocal(Near),
    /// Through the descriptor of a buffer that was destroyed since.
    Destroyed { name: String },
    /// To a texel that the image does not have.
    Texel(OutsideImage),
    /// To an address that is not a multiple of what the program promised.
    Misaligned { name: String, address: u64, align: u32 },
}

/// The buffer or the part of LDS that is nearest to an address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Near {
    pub name: String,
    pub size: u64,
    pub place: NearPlace,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NearPlace {
    /// In it, before it was destroyed.
    Inside,
    /// Bytes from the address on to its begin.
    Before(u64),
    /// Bytes from its end on to the address.
    Behind(u64),
    /// The address is the offset in it, and the access goes beyond its end.
    Across(u64),
}

/// A texel that is not there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OutsideImage {
    /// x, y, and layer or depth, as far as the image has them.
    pub at: [u32; 3],
    pub axes: u8,
    /// Texels of the level, and layers.
    pub size: [u32; 3],
    pub level: u32,
    pub levels: u32,
    pub sample: u32,
    pub samples: u32,
    /// Address of the image.
    pub base: u64,
}

impl Stray {
    pub(super) fn slug(&self) -> &'static str {
        match self {
            Stray::NoBuffer(_) => "no-buffer",
            Stray::Drivers => "not-given",
            Stray::OutsideLocal(_) => "outside-local",
            Stray::Destroyed { .. } => "destroyed",
            Stray::Texel(_) => "outside-image",
            Stray::Misaligned { .. } => "misaligned",
        }
    }

    pub(super) fn tell(&self, f: &mut fmt::Formatter<'_>, access: Option<&Access>) -> fmt::Result {
        let (kind, bytes) = access.map_or(("access", 0), |a| (a.kind.name(), a.bytes));
        match self {
            Stray::NoBuffer(near) => {
                let address = access.map_or(0, |a| a.address);
                write!(f, "{kind} of {bytes} bytes at {address:#x}, which is in no buffer")?;
                near.as_ref().map_or(Ok(()), |near| write!(f, ": {near}"))
            }
            Stray::Drivers => {
                let address = access.map_or(0, |a| a.address);
                write!(f, "{kind} of {bytes} bytes at {address:#x}, which is in no buffer, but in memory of the driver")
            }
            Stray::OutsideLocal(near) => {
                let (lds, address) = access.map_or((false, 0), |a| (a.space == AddressSpace::Lds, a.address));
                let space = if lds { "LDS" } else { "private memory" };
                write!(f, "{kind} of {bytes} bytes at offset {address:#x} of {space}: {near}")
            }
            Stray::Destroyed { name } => {
                write!(f, "{kind} of {bytes} bytes through the descriptor of a buffer that is no more")?;
                if name.is_empty() { Ok(()) } else { write!(f, ": `{name}`") }
            }
            Stray::Texel(outside) => {
                write!(f, "{kind} of {outside}")?;
                match access.and_then(|a| a.name.as_ref()) {
                    Some(name) => write!(f, ", `{name}`"),
                    None => Ok(()),
                }
            }
            Stray::Misaligned { name, address, align } => {
                match name.as_str() {
                    "" => write!(f, "an access at {address:#x}")?,
                    name => write!(f, "an access of `{name}` at {address:#x}")?,
                }
                write!(f, ", which the program says is a multiple of {align}")
            }
        }
    }
}

impl fmt::Display for Near {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Near { name, size, place } = self;
        match place {
            NearPlace::Inside => write!(f, "it was in `{name}`, which was destroyed"),
            NearPlace::Before(n) => write!(f, "{n} bytes before the begin of `{name}`"),
            NearPlace::Behind(0) => write!(f, "right behind the {size} bytes of `{name}`"),
            NearPlace::Behind(n) => write!(f, "{n} bytes behind the end of the {size} bytes of `{name}`"),
            NearPlace::Across(offset) => write!(f, "it begins at offset {offset} of the {size} bytes of `{name}`"),
        }
    }
}

impl fmt::Display for OutsideImage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let axes = usize::from(self.axes.clamp(1, 3));
        // Those that wrapped below zero, most probably.
        let at: Vec<String> = self.at[..axes].iter().map(|n| (*n as i32).to_string()).collect();
        let size: Vec<String> = self.size[..axes].iter().map(u32::to_string).collect();
        write!(f, "texel ({})", at.join(", "))?;
        if self.level >= self.levels {
            return write!(f, " of level {} of an image of {} levels", self.level, self.levels);
        }
        if self.sample >= self.samples {
            return write!(f, ", sample {} of an image of {} samples", self.sample, self.samples);
        }
        let level = if self.levels > 1 { format!(" level {} of", self.level) } else { String::new() };
        write!(f, " of{level} an image of {}", size.join(" x "))
    }
}
