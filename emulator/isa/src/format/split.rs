//! Formats of typed buffers on GCN: a data format, which is the components' sizes, and a number format, which is what they mean.

use crate::generation::Gen;

/// Data formats by number.
const DATA: [&str; 16] = [
    "INVALID",
    "8",
    "16",
    "8_8",
    "32",
    "16_16",
    "10_11_11",
    "11_11_10",
    "10_10_10_2",
    "2_10_10_10",
    "8_8_8_8",
    "32_32",
    "16_16_16_16",
    "32_32_32",
    "32_32_32_32",
    "RESERVED_15",
];
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
        parts.push(format!("{DATA_PREFIX}{}", DATA[usize::from(data)]));
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
            data = DATA.iter().position(|n| *n == name)? as u8;
        } else {
            let name = part.strip_prefix(NUMBER_PREFIX)?;
            number = numbers.iter().position(|n| *n == name)? as u8;
        }
    }
    Some(data | number << 4)
}
