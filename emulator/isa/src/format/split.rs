//! Formats on GCN: a data format, which is the components' sizes, and a number format, which is what they mean.

use super::{Block, Format, Num};
use crate::generation::Gen;

/// Data formats by number: names, and bits of components as [`Format::bits`] has them. Buffers have the first sixteen. The one of
/// compressed blocks is their [`block`].
pub const DATA: [(&str, [u8; 4]); 64] = {
    let mut all = [("", [0; 4]); 64];
    let buffers = [
        ("INVALID", [0; 4]),
        ("8", [8, 0, 0, 0]),
        ("16", [16, 0, 0, 0]),
        ("8_8", [8, 8, 0, 0]),
        ("32", [32, 0, 0, 0]),
        ("16_16", [16, 16, 0, 0]),
        ("10_11_11", [11, 11, 10, 0]),
        ("11_11_10", [10, 11, 11, 0]),
        ("10_10_10_2", [2, 10, 10, 10]),
        ("2_10_10_10", [10, 10, 10, 2]),
        ("8_8_8_8", [8, 8, 8, 8]),
        ("32_32", [32, 32, 0, 0]),
        ("16_16_16_16", [16, 16, 16, 16]),
        ("32_32_32", [32, 32, 32, 0]),
        ("32_32_32_32", [32, 32, 32, 32]),
        ("RESERVED_15", [0; 4]),
    ];
    let mut n = 0;
    while n < buffers.len() {
        all[n] = buffers[n];
        n += 1;
    }
    all[16] = ("5_6_5", [5, 6, 5, 0]);
    all[17] = ("1_5_5_5", [5, 5, 5, 1]);
    all[18] = ("5_5_5_1", [1, 5, 5, 5]);
    all[19] = ("4_4_4_4", [4, 4, 4, 4]);
    all[34] = ("5_9_9_9", [9, 9, 9, 5]);
    all[57] = ("4_4", [4, 4, 0, 0]);
    all
};

/// Data and number format of compressed blocks. Of BC6 the number format says whether there is a sign.
const fn block(block: Block) -> (u8, u8) {
    match block {
        Block::Bc1 => (35, UNORM),
        Block::Bc1Srgb => (35, SRGB),
        Block::Bc2 => (36, UNORM),
        Block::Bc2Srgb => (36, SRGB),
        Block::Bc3 => (37, UNORM),
        Block::Bc3Srgb => (37, SRGB),
        Block::Bc4 => (38, UNORM),
        Block::Bc4Snorm => (38, SNORM),
        Block::Bc5 => (39, UNORM),
        Block::Bc5Snorm => (39, SNORM),
        Block::Bc6Ufloat => (40, UNORM),
        Block::Bc6Sfloat => (40, SNORM),
        Block::Bc7 => (41, UNORM),
        Block::Bc7Srgb => (41, SRGB),
    }
}

const UNORM: u8 = 0;
const SNORM: u8 = 1;
const FLOAT: u8 = 7;
const SRGB: u8 = 9;

/// Data and number format of a format.
pub const fn parts(format: &Format) -> Option<(u8, u8)> {
    let number = match format.num {
        Num::Block(b) => return Some(block(b)),
        Num::Unorm => UNORM,
        Num::Snorm => SNORM,
        Num::Uscaled => 2,
        Num::Sscaled => 3,
        Num::Uint => 4,
        Num::Sint => 5,
        Num::Float | Num::SharedExponent => FLOAT,
        Num::Srgb => SRGB,
    };
    let mut n = 0;
    while n < DATA.len() {
        let (a, b) = (DATA[n].1, format.bits);
        if a[0] == b[0] && a[1] == b[1] && a[2] == b[2] && a[3] == b[3] {
            return if n == 0 { Some((0, 0)) } else { Some((n as u8, number)) };
        }
        n += 1;
    }
    None
}

/// What an instruction without a format has, of both.
const DEFAULT: (u8, u8) = (1, 0);
const DATA_PREFIX: &str = "BUF_DATA_FORMAT_";
const NUMBER_PREFIX: &str = "BUF_NUM_FORMAT_";

/// The text of a format's 7 bits, data below number; nothing on a generation that has one number for both.
pub(crate) fn text(format: u8, generation: Gen) -> Option<String> {
    let numbers = generation.caps().number_formats?;
    let (data, number) = (format & 15, format >> 4 & 7);
    let mut parts = Vec::new();
    if data != DEFAULT.0 {
        parts.push(format!("{DATA_PREFIX}{}", DATA[usize::from(data)].0));
    }
    if number != DEFAULT.1 {
        parts.push(format!("{NUMBER_PREFIX}{}", numbers[usize::from(number)]));
    }
    Some(format!("[{}]", parts.join(",")))
}

/// The format of such a text: either part, or both in any order.
pub(crate) fn parse(text: &str, generation: Gen) -> Option<u8> {
    let numbers = generation.caps().number_formats?;
    let (mut data, mut number) = DEFAULT;
    for part in text.strip_prefix('[')?.strip_suffix(']')?.split(',').map(str::trim) {
        if let Some(name) = part.strip_prefix(DATA_PREFIX) {
            data = DATA[..16].iter().position(|(n, _)| *n == name)? as u8;
        } else {
            let name = part.strip_prefix(NUMBER_PREFIX)?;
            number = numbers.iter().position(|n| *n == name)? as u8;
        }
    }
    Some(data | number << 4)
}
