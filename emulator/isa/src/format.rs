//! Formats of typed memory: gfx10's unified enumeration. Numbers 0..=127 are the 7-bit FORMAT of a V# and of MTBUF; a T# has
//! 9 bits and adds what only images have; of these the table leaves out what no Vulkan image can have (one-bit, subsampled
//! and multimedia formats, FMASK, 6E4 and 7E3 floats) and depth packed with stencil, which this GPU's drivers keep apart.
//!
//! Source: the RDNA 1 ISA document's table of buffer formats, and the `BUF_FMT_*`/`IMG_FORMAT_*` enumerations of Linux's
//! register headers for gfx10.

mod code;
mod convert;
mod lanes;
pub(crate) mod split;

pub use convert::TEXEL;
pub use lanes::Lanes;

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
    /// Three mantissas, and in W's bits the exponent that they share; the fourth component is absent.
    SharedExponent,
    /// 4 × 4 texels compressed together; `bits` counts the block's in X.
    Block(Block),
}

/// Block compressions.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Block {
    Bc1,
    Bc1Srgb,
    Bc2,
    Bc2Srgb,
    Bc3,
    Bc3Srgb,
    Bc4,
    Bc4Snorm,
    Bc5,
    Bc5Snorm,
    Bc6Ufloat,
    Bc6Sfloat,
    Bc7,
    Bc7Srgb,
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

    /// Texels of a block in each direction: 1 unless compressed.
    pub fn block_side(&self) -> u32 {
        if matches!(self.num, Num::Block(_)) { 4 } else { 1 }
    }

    /// The format with this number.
    #[inline]
    pub fn find(number: u16) -> Option<&'static Format> {
        let at = *PLACES.get(usize::from(number))?;
        FORMATS.get(usize::from(at))
    }

    /// The buffer format with this name.
    pub fn named(name: &str) -> Option<&'static Format> {
        FORMATS.iter().find(|f| f.number < 128 && f.name == name)
    }
}

/// All formats, by number. 0 has no components: what reads through it gets zeros, what writes is dropped. A name lists the
/// components' bits from the most significant down, so `bits` reverses it.
#[rustfmt::skip]
pub static FORMATS: &[Format] = &[
    Format { number: 0, name: "INVALID", bits: [0, 0, 0, 0], num: Num::Uint },
    Format { number: 1, name: "8_UNORM", bits: [8, 0, 0, 0], num: Num::Unorm },
    Format { number: 2, name: "8_SNORM", bits: [8, 0, 0, 0], num: Num::Snorm },
    Format { number: 3, name: "8_USCALED", bits: [8, 0, 0, 0], num: Num::Uscaled },
    Format { number: 4, name: "8_SSCALED", bits: [8, 0, 0, 0], num: Num::Sscaled },
    Format { number: 5, name: "8_UINT", bits: [8, 0, 0, 0], num: Num::Uint },
    Format { number: 6, name: "8_SINT", bits: [8, 0, 0, 0], num: Num::Sint },
    Format { number: 7, name: "16_UNORM", bits: [16, 0, 0, 0], num: Num::Unorm },
    Format { number: 8, name: "16_SNORM", bits: [16, 0, 0, 0], num: Num::Snorm },
    Format { number: 9, name: "16_USCALED", bits: [16, 0, 0, 0], num: Num::Uscaled },
    Format { number: 10, name: "16_SSCALED", bits: [16, 0, 0, 0], num: Num::Sscaled },
    Format { number: 11, name: "16_UINT", bits: [16, 0, 0, 0], num: Num::Uint },
    Format { number: 12, name: "16_SINT", bits: [16, 0, 0, 0], num: Num::Sint },
    Format { number: 13, name: "16_FLOAT", bits: [16, 0, 0, 0], num: Num::Float },
    Format { number: 14, name: "8_8_UNORM", bits: [8, 8, 0, 0], num: Num::Unorm },
    Format { number: 15, name: "8_8_SNORM", bits: [8, 8, 0, 0], num: Num::Snorm },
    Format { number: 16, name: "8_8_USCALED", bits: [8, 8, 0, 0], num: Num::Uscaled },
    Format { number: 17, name: "8_8_SSCALED", bits: [8, 8, 0, 0], num: Num::Sscaled },
    Format { number: 18, name: "8_8_UINT", bits: [8, 8, 0, 0], num: Num::Uint },
    Format { number: 19, name: "8_8_SINT", bits: [8, 8, 0, 0], num: Num::Sint },
    Format { number: 20, name: "32_UINT", bits: [32, 0, 0, 0], num: Num::Uint },
    Format { number: 21, name: "32_SINT", bits: [32, 0, 0, 0], num: Num::Sint },
    Format { number: 22, name: "32_FLOAT", bits: [32, 0, 0, 0], num: Num::Float },
    Format { number: 23, name: "16_16_UNORM", bits: [16, 16, 0, 0], num: Num::Unorm },
    Format { number: 24, name: "16_16_SNORM", bits: [16, 16, 0, 0], num: Num::Snorm },
    Format { number: 25, name: "16_16_USCALED", bits: [16, 16, 0, 0], num: Num::Uscaled },
    Format { number: 26, name: "16_16_SSCALED", bits: [16, 16, 0, 0], num: Num::Sscaled },
    Format { number: 27, name: "16_16_UINT", bits: [16, 16, 0, 0], num: Num::Uint },
    Format { number: 28, name: "16_16_SINT", bits: [16, 16, 0, 0], num: Num::Sint },
    Format { number: 29, name: "16_16_FLOAT", bits: [16, 16, 0, 0], num: Num::Float },
    Format { number: 30, name: "10_11_11_UNORM", bits: [11, 11, 10, 0], num: Num::Unorm },
    Format { number: 31, name: "10_11_11_SNORM", bits: [11, 11, 10, 0], num: Num::Snorm },
    Format { number: 32, name: "10_11_11_USCALED", bits: [11, 11, 10, 0], num: Num::Uscaled },
    Format { number: 33, name: "10_11_11_SSCALED", bits: [11, 11, 10, 0], num: Num::Sscaled },
    Format { number: 34, name: "10_11_11_UINT", bits: [11, 11, 10, 0], num: Num::Uint },
    Format { number: 35, name: "10_11_11_SINT", bits: [11, 11, 10, 0], num: Num::Sint },
    Format { number: 36, name: "10_11_11_FLOAT", bits: [11, 11, 10, 0], num: Num::Float },
    Format { number: 37, name: "11_11_10_UNORM", bits: [10, 11, 11, 0], num: Num::Unorm },
    Format { number: 38, name: "11_11_10_SNORM", bits: [10, 11, 11, 0], num: Num::Snorm },
    Format { number: 39, name: "11_11_10_USCALED", bits: [10, 11, 11, 0], num: Num::Uscaled },
    Format { number: 40, name: "11_11_10_SSCALED", bits: [10, 11, 11, 0], num: Num::Sscaled },
    Format { number: 41, name: "11_11_10_UINT", bits: [10, 11, 11, 0], num: Num::Uint },
    Format { number: 42, name: "11_11_10_SINT", bits: [10, 11, 11, 0], num: Num::Sint },
    Format { number: 43, name: "11_11_10_FLOAT", bits: [10, 11, 11, 0], num: Num::Float },
    Format { number: 44, name: "10_10_10_2_UNORM", bits: [2, 10, 10, 10], num: Num::Unorm },
    Format { number: 45, name: "10_10_10_2_SNORM", bits: [2, 10, 10, 10], num: Num::Snorm },
    Format { number: 46, name: "10_10_10_2_USCALED", bits: [2, 10, 10, 10], num: Num::Uscaled },
    Format { number: 47, name: "10_10_10_2_SSCALED", bits: [2, 10, 10, 10], num: Num::Sscaled },
    Format { number: 48, name: "10_10_10_2_UINT", bits: [2, 10, 10, 10], num: Num::Uint },
    Format { number: 49, name: "10_10_10_2_SINT", bits: [2, 10, 10, 10], num: Num::Sint },
    Format { number: 50, name: "2_10_10_10_UNORM", bits: [10, 10, 10, 2], num: Num::Unorm },
    Format { number: 51, name: "2_10_10_10_SNORM", bits: [10, 10, 10, 2], num: Num::Snorm },
    Format { number: 52, name: "2_10_10_10_USCALED", bits: [10, 10, 10, 2], num: Num::Uscaled },
    Format { number: 53, name: "2_10_10_10_SSCALED", bits: [10, 10, 10, 2], num: Num::Sscaled },
    Format { number: 54, name: "2_10_10_10_UINT", bits: [10, 10, 10, 2], num: Num::Uint },
    Format { number: 55, name: "2_10_10_10_SINT", bits: [10, 10, 10, 2], num: Num::Sint },
    Format { number: 56, name: "8_8_8_8_UNORM", bits: [8, 8, 8, 8], num: Num::Unorm },
    Format { number: 57, name: "8_8_8_8_SNORM", bits: [8, 8, 8, 8], num: Num::Snorm },
    Format { number: 58, name: "8_8_8_8_USCALED", bits: [8, 8, 8, 8], num: Num::Uscaled },
    Format { number: 59, name: "8_8_8_8_SSCALED", bits: [8, 8, 8, 8], num: Num::Sscaled },
    Format { number: 60, name: "8_8_8_8_UINT", bits: [8, 8, 8, 8], num: Num::Uint },
    Format { number: 61, name: "8_8_8_8_SINT", bits: [8, 8, 8, 8], num: Num::Sint },
    Format { number: 62, name: "32_32_UINT", bits: [32, 32, 0, 0], num: Num::Uint },
    Format { number: 63, name: "32_32_SINT", bits: [32, 32, 0, 0], num: Num::Sint },
    Format { number: 64, name: "32_32_FLOAT", bits: [32, 32, 0, 0], num: Num::Float },
    Format { number: 65, name: "16_16_16_16_UNORM", bits: [16, 16, 16, 16], num: Num::Unorm },
    Format { number: 66, name: "16_16_16_16_SNORM", bits: [16, 16, 16, 16], num: Num::Snorm },
    Format { number: 67, name: "16_16_16_16_USCALED", bits: [16, 16, 16, 16], num: Num::Uscaled },
    Format { number: 68, name: "16_16_16_16_SSCALED", bits: [16, 16, 16, 16], num: Num::Sscaled },
    Format { number: 69, name: "16_16_16_16_UINT", bits: [16, 16, 16, 16], num: Num::Uint },
    Format { number: 70, name: "16_16_16_16_SINT", bits: [16, 16, 16, 16], num: Num::Sint },
    Format { number: 71, name: "16_16_16_16_FLOAT", bits: [16, 16, 16, 16], num: Num::Float },
    Format { number: 72, name: "32_32_32_UINT", bits: [32, 32, 32, 0], num: Num::Uint },
    Format { number: 73, name: "32_32_32_SINT", bits: [32, 32, 32, 0], num: Num::Sint },
    Format { number: 74, name: "32_32_32_FLOAT", bits: [32, 32, 32, 0], num: Num::Float },
    Format { number: 75, name: "32_32_32_32_UINT", bits: [32, 32, 32, 32], num: Num::Uint },
    Format { number: 76, name: "32_32_32_32_SINT", bits: [32, 32, 32, 32], num: Num::Sint },
    Format { number: 77, name: "32_32_32_32_FLOAT", bits: [32, 32, 32, 32], num: Num::Float },
    Format { number: 128, name: "8_SRGB", bits: [8, 0, 0, 0], num: Num::Srgb },
    Format { number: 129, name: "8_8_SRGB", bits: [8, 8, 0, 0], num: Num::Srgb },
    Format { number: 130, name: "8_8_8_8_SRGB", bits: [8, 8, 8, 8], num: Num::Srgb },
    Format { number: 132, name: "5_9_9_9_FLOAT", bits: [9, 9, 9, 5], num: Num::SharedExponent },
    Format { number: 133, name: "5_6_5_UNORM", bits: [5, 6, 5, 0], num: Num::Unorm },
    Format { number: 134, name: "1_5_5_5_UNORM", bits: [5, 5, 5, 1], num: Num::Unorm },
    Format { number: 135, name: "5_5_5_1_UNORM", bits: [1, 5, 5, 5], num: Num::Unorm },
    Format { number: 136, name: "4_4_4_4_UNORM", bits: [4, 4, 4, 4], num: Num::Unorm },
    Format { number: 137, name: "4_4_UNORM", bits: [4, 4, 0, 0], num: Num::Unorm },
    Format { number: 169, name: "BC1_UNORM", bits: [64, 0, 0, 0], num: Num::Block(Block::Bc1) },
    Format { number: 170, name: "BC1_SRGB", bits: [64, 0, 0, 0], num: Num::Block(Block::Bc1Srgb) },
    Format { number: 171, name: "BC2_UNORM", bits: [128, 0, 0, 0], num: Num::Block(Block::Bc2) },
    Format { number: 172, name: "BC2_SRGB", bits: [128, 0, 0, 0], num: Num::Block(Block::Bc2Srgb) },
    Format { number: 173, name: "BC3_UNORM", bits: [128, 0, 0, 0], num: Num::Block(Block::Bc3) },
    Format { number: 174, name: "BC3_SRGB", bits: [128, 0, 0, 0], num: Num::Block(Block::Bc3Srgb) },
    Format { number: 175, name: "BC4_UNORM", bits: [64, 0, 0, 0], num: Num::Block(Block::Bc4) },
    Format { number: 176, name: "BC4_SNORM", bits: [64, 0, 0, 0], num: Num::Block(Block::Bc4Snorm) },
    Format { number: 177, name: "BC5_UNORM", bits: [128, 0, 0, 0], num: Num::Block(Block::Bc5) },
    Format { number: 178, name: "BC5_SNORM", bits: [128, 0, 0, 0], num: Num::Block(Block::Bc5Snorm) },
    Format { number: 179, name: "BC6_UFLOAT", bits: [128, 0, 0, 0], num: Num::Block(Block::Bc6Ufloat) },
    Format { number: 180, name: "BC6_SFLOAT", bits: [128, 0, 0, 0], num: Num::Block(Block::Bc6Sfloat) },
    Format { number: 181, name: "BC7_UNORM", bits: [128, 0, 0, 0], num: Num::Block(Block::Bc7) },
    Format { number: 182, name: "BC7_SRGB", bits: [128, 0, 0, 0], num: Num::Block(Block::Bc7Srgb) },
];

/// Of each number, its index in [`FORMATS`]; past the end for numbers that mean nothing here.
static PLACES: [u8; 512] = {
    let mut places = [u8::MAX; 512];
    let mut i = 0;
    while i < FORMATS.len() {
        places[FORMATS[i].number as usize] = i as u8;
        i += 1;
    }
    places
};
