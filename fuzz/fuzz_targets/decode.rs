#![no_main]

#[path = "../body.rs"]
#[allow(dead_code)]
mod body;

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let words: Vec<u32> = data.chunks_exact(4).map(|c| u32::from_le_bytes([c[0], c[1], c[2], c[3]])).collect();
    body::decode(&words);
});
