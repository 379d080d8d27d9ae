#![no_main]

#[path = "../body.rs"]
#[allow(dead_code)]
mod body;

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    body::assemble(&String::from_utf8_lossy(data));
});
