//! What the table's tests share: where the facts are, and how a missing oracle is told.
#![allow(dead_code)]

pub mod golden;
pub mod instances;
pub mod llvm;
pub mod random;

use crate::split_mix;

use std::path::PathBuf;

/// A file of the facts that lie beside the workspace, or a skip told by name; in CI a skip is a failure.
pub fn fact(path: &str) -> Option<String> {
    let file = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/isa").join(path);
    match std::fs::read_to_string(file) {
        Ok(text) => Some(text),
        Err(_) => {
            skip(path);
            None
        }
    }
}

pub fn skip(oracle: &str) {
    println!("SKIP {oracle}");
    assert!(std::env::var_os("CI").is_none(), "{oracle} is missing, and a skip is a failure in CI");
}

/// A small deterministic generator.
pub struct Rng(pub u64);

impl Rng {
    pub fn next(&mut self) -> u64 {
        split_mix::split_mix(&mut self.0)
    }
    pub fn below(&mut self, n: u32) -> u32 {
        (self.next() % u64::from(n.max(1))) as u32
    }
    pub fn chance(&mut self, one_in: u32) -> bool {
        self.below(one_in) == 0
    }
}

/// Dwords of a hexadecimal byte string.
pub fn words(hex: &str) -> Vec<u32> {
    let byte = |i: usize| u8::from_str_radix(&hex[i..i + 2], 16).expect("hexadecimal");
    let bytes: Vec<u8> = (0..hex.len()).step_by(2).map(byte).collect();
    bytes.chunks(4).map(|c| u32::from_le_bytes(c.try_into().expect("whole dwords"))).collect()
}

/// The bytes in memory of dwords, as llvm-mc writes them.
pub fn hex(words: &[u32]) -> String {
    words.iter().flat_map(|w| w.to_le_bytes()).map(|b| format!("{b:02x}")).collect()
}

/// LLVM remarks on operands in block comments inside of the text.
pub fn without_remarks(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("/*") {
        out += before;
        rest = after.split_once("*/").map_or("", |(_, rest)| rest);
    }
    out + rest
}
