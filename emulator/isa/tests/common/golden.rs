//! The golden corpus as it lies in a file: one line an instruction, packed.
//!
//! Lines are sorted by text. A text is kept as the length of what it shares with the line before and what follows; the bytes
//! stand in columns, the first of each instruction, then the second of each, and so on. All that is deflated.

use std::io::{Read, Write};
use std::path::PathBuf;

use flate2::Compression;
use flate2::read::DeflateDecoder;
use flate2::write::DeflateEncoder;

/// One instruction as llvm-mc has it in both directions.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Line {
    pub text: String,
    pub words: Vec<u32>,
}

/// The corpus of a wave size.
pub fn file(lanes: u32) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(format!("tests/golden/gfx1010-wave{lanes}.bin"))
}

pub fn read(lanes: u32) -> Vec<Line> {
    let file = file(lanes);
    let packed = std::fs::read(&file).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
    unpack(&packed)
}

pub fn pack(lines: &[Line]) -> Vec<u8> {
    let mut raw = Vec::new();
    raw.extend((lines.len() as u32).to_le_bytes());
    let mut before = "";
    for line in lines {
        let shared = before.bytes().zip(line.text.bytes()).take_while(|(a, b)| a == b).count().min(255);
        raw.push(shared as u8);
        raw.extend(&line.text.as_bytes()[shared..]);
        raw.push(b'\n');
        before = &line.text;
    }
    raw.extend(lines.iter().map(|l| l.words.len() as u8));
    for n in 0..MOST_WORDS {
        for byte in 0..4 {
            raw.extend(lines.iter().filter_map(|l| l.words.get(n)).map(|w| w.to_le_bytes()[byte]));
        }
    }
    let mut packed = DeflateEncoder::new(Vec::new(), Compression::best());
    packed.write_all(&raw).and_then(|()| packed.finish()).expect("a vector takes all")
}

const MOST_WORDS: usize = 5;

pub fn unpack(packed: &[u8]) -> Vec<Line> {
    let mut raw = Vec::new();
    DeflateDecoder::new(packed).read_to_end(&mut raw).expect("deflated");
    let (count, mut rest) = raw.split_first_chunk().expect("a count");
    let mut lines: Vec<Line> = Vec::new();
    for _ in 0..u32::from_le_bytes(*count) {
        let end = 1 + rest[1..].iter().position(|b| *b == b'\n').expect("a line ends");
        let before = lines.last().map_or("", |l| &l.text);
        let text = before[..rest[0].into()].to_string() + std::str::from_utf8(&rest[1..end]).expect("text");
        lines.push(Line { text, words: Vec::new() });
        rest = &rest[end + 1..];
    }
    let (sizes, mut rest) = rest.split_at(lines.len());
    for (line, &size) in lines.iter_mut().zip(sizes) {
        line.words = vec![0; size.into()];
    }
    for n in 0..MOST_WORDS {
        for byte in 0..4 {
            for word in lines.iter_mut().filter_map(|l| l.words.get_mut(n)) {
                let (&first, others) = rest.split_first().expect("bytes of every line");
                *word |= u32::from(first) << (8 * byte);
                rest = others;
            }
        }
    }
    assert!(rest.is_empty(), "bytes behind the last line");
    lines
}
