//! Formats of typed memory: gfx10's unified enumeration. Numbers 0..=127 are the 7-bit FORMAT of a V# and of MTBUF; a T# has
//! 9 bits and adds what only images have.
//!
//! Source: the RDNA 1 ISA document's table of buffer formats, and the `BUF_FMT_*`/`IMG_FORMAT_*` enumerations of Linux's
//! register headers for gfx10.

/// How a component's bits become a number.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Num {
    Unorm,
    Snorm,
    Uscaled,
    Sscaled,
    Uint,
    Sint,
    Float,
    /// Unorm in sRGB's transfer function; the fourth component is linear.
    Srgb,
}

/// One format.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Format {
    pub number: u16,
    /// LLVM's name of a buffer format without its prefix, "8_8_8_8_UNORM"; image formats are named the same way.
    pub name: &'static str,
    /// Bits of components X, Y, Z, W from the least significant up; 0 = absent.
    pub bits: [u8; 4],
    pub num: Num,
}

impl Format {
    /// Bytes of one element (of one block, for a compressed format).
    pub fn bytes(&self) -> u32 {
        self.bits.iter().map(|&b| u32::from(b)).sum::<u32>() / 8
    }

    /// The format with this number.
    pub fn find(number: u16) -> Option<&'static Format> {
        FORMATS.iter().find(|f| f.number == number)
    }

    /// The buffer format with this name.
    pub fn named(name: &str) -> Option<&'static Format> {
        FORMATS.iter().find(|f| f.number < 128 && f.name == name)
    }
}

/// All formats, by number.
pub static FORMATS: &[Format] = &[Format { number: 1, name: "8_UNORM", bits: [8, 0, 0, 0], num: Num::Unorm }];
