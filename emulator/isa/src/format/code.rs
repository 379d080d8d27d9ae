//! What a generation's descriptors and instructions write for a format: one number, gfx10's or gfx11's, or on GCN a data format
//! with a number format above it.

use super::{FORMATS, Format, split};
use crate::generation::{Gen, Unified};

/// Gfx11's numbers, which are those of gfx10 without what nobody used: its first, ours, and how many.
const GFX11: &[(u16, u16, u16)] = &[
    (0, 0, 30),
    (30, 36, 1),
    (31, 43, 1),
    (32, 44, 2),
    (34, 48, 2),
    (36, 50, 28),
    (64, 128, 3),
    (67, 132, 6),
    (109, 169, 14),
];

/// The first number of formats that only images have.
const IMAGES: u16 = 128;
/// Buffers' last number.
const BUFFERS: u16 = 77;
/// A number that no format has, for codes that mean nothing.
const UNKNOWN: u16 = 127;

/// Bits of the data format below the number format, in buffers' codes and in images'.
const BUFFER_DATA: u32 = 4;
const IMAGE_DATA: u32 = 6;

/// Numbers by GCN's codes, of a data format of `data` bits; of no format with a number from `end` on.
const fn split<const N: usize>(data: u32, end: u16) -> [u16; N] {
    let mut numbers = [UNKNOWN; N];
    let mut i = 0;
    // Without a data format there is no format.
    while i < N {
        if i & ((1 << data) - 1) == 0 {
            numbers[i] = 0;
        }
        i += 1;
    }
    i = 0;
    while i < FORMATS.len() {
        if FORMATS[i].number < end
            && let Some((d, n)) = split::parts(&FORMATS[i])
        {
            numbers[d as usize | (n as usize) << data] = FORMATS[i].number;
        }
        i += 1;
    }
    numbers
}

static SPLIT_BUFFERS: [u16; 128] = split(BUFFER_DATA, IMAGES);
static SPLIT_IMAGES: [u16; 1024] = split(IMAGE_DATA, u16::MAX);

fn from_gfx11(code: u16, end: u16) -> u16 {
    let mut found = GFX11.iter().filter(|(first, _, n)| (*first..first + n).contains(&code));
    found.next().map(|(first, here, _)| here + code - first).filter(|&n| n < end).unwrap_or(UNKNOWN)
}

fn to_gfx11(number: u16) -> Option<u16> {
    let found = GFX11.iter().find(|(_, here, n)| (*here..here + n).contains(&number));
    found.map(|(first, here, _)| first + number - here)
}

impl Format {
    /// The number here of the buffer format that a generation's code means: of a V#, or of MTBUF. One that means nothing has a
    /// number that no format has.
    #[inline(always)]
    pub fn of_buffer_code(code: u16, generation: Gen) -> u16 {
        let caps = generation.caps();
        match caps.unified_formats {
            _ if caps.number_formats.is_some() => SPLIT_BUFFERS[usize::from(code & 0x7f)],
            Unified::Gfx10 => code,
            Unified::Gfx11 => from_gfx11(code, IMAGES),
        }
    }

    /// The same of a T#.
    pub fn of_image_code(code: u16, generation: Gen) -> u16 {
        let caps = generation.caps();
        match caps.unified_formats {
            _ if caps.number_formats.is_some() => SPLIT_IMAGES[usize::from(code & 0x3ff)],
            Unified::Gfx10 => code,
            Unified::Gfx11 => from_gfx11(code, u16::MAX),
        }
    }

    /// The generation's code of a buffer format.
    pub fn buffer_code(number: u16, generation: Gen) -> Option<u16> {
        let caps = generation.caps();
        match caps.unified_formats {
            _ if caps.number_formats.is_some() => Self::split_code(number, BUFFER_DATA),
            Unified::Gfx10 => Some(number),
            Unified::Gfx11 => to_gfx11(number),
        }
    }

    /// The generation's code of an image format.
    pub fn image_code(number: u16, generation: Gen) -> Option<u16> {
        let caps = generation.caps();
        match caps.unified_formats {
            _ if caps.number_formats.is_some() => Self::split_code(number, IMAGE_DATA),
            Unified::Gfx10 => Some(number),
            Unified::Gfx11 => to_gfx11(number),
        }
    }

    fn split_code(number: u16, bits: u32) -> Option<u16> {
        let (data, n) = split::parts(Format::find(number)?)?;
        (u32::from(data) < 1 << bits).then_some(u16::from(data) | u16::from(n) << bits)
    }

    /// The format that a number of MTBUF means on a generation with unified formats.
    pub fn of_buffer(number: u8, generation: Gen) -> Option<&'static Format> {
        Format::find(Self::of_buffer_code(number.into(), generation)).filter(|f| f.number <= BUFFERS)
    }

    /// The number of the buffer format with this name on a generation with unified formats.
    pub fn buffer_number(name: &str, generation: Gen) -> Option<u8> {
        Self::buffer_code(Format::named(name)?.number, generation).map(|code| code as u8)
    }
}
