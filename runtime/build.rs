//! Names the compiler that this build contains, so that machine code which another one made is not taken from a cache:
//! a hash of all sources that decide what comes out of it. In a published package they are not there: its version stands for
//! them, as it wants the others in that very version.
//!
//! The driver's own shaders become SPIR-V here.

use std::hash::{DefaultHasher, Hasher};
use std::path::{Path, PathBuf};

/// Sources that make machine code, from this package.
const SOURCES: &[&str] =
    &["../compiler/src", "../emulator/alu/src", "../emulator/isa/src", "../emulator/hw/src", "../Cargo.lock"];

const SHADERS: &str = "src/meta";

fn main() {
    name_compiler();
    make_shaders();
}

fn make_shaders() {
    println!("cargo::rerun-if-changed={SHADERS}");
    let out = PathBuf::from(std::env::var_os("OUT_DIR").expect("cargo sets it"));
    let mut files = Vec::new();
    walk(Path::new(SHADERS), &mut files);
    for path in files.iter().filter(|path| path.extension().is_some_and(|e| e == "comp")) {
        let source = std::fs::read_to_string(path).expect("a readable shader");
        let words = wavepipe_glsl::compile(&source, path).unwrap_or_else(|e| panic!("{e}"));
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        let name = path.with_extension("spv");
        std::fs::write(out.join(name.file_name().expect("a shader has a name")), bytes).expect("OUT_DIR is writable");
    }
}

fn name_compiler() {
    let mut files = Vec::new();
    for source in SOURCES.iter().filter(|source| Path::new(source).exists()) {
        println!("cargo::rerun-if-changed={source}");
        walk(Path::new(source), &mut files);
    }
    files.sort();
    // Two streams, for 128 bits.
    let mut hashers = [0u8, 1].map(|n| {
        let mut hasher = DefaultHasher::new();
        hasher.write_u8(n);
        hasher
    });
    for file in &files {
        let text = std::fs::read(file).unwrap_or_default();
        for hasher in &mut hashers {
            hasher.write(file.to_string_lossy().as_bytes());
            hasher.write_usize(text.len());
            hasher.write(&text);
        }
    }
    for name in ["TARGET", "CARGO_PKG_VERSION"] {
        let value = std::env::var(name).unwrap_or_default();
        hashers.iter_mut().for_each(|h| h.write(value.as_bytes()));
    }
    let [a, b] = hashers.map(|h| h.finish());
    println!("cargo::rustc-env=WAVEPIPE_COMPILER={a:016x}{b:016x}");
}

fn walk(path: &Path, files: &mut Vec<PathBuf>) {
    if path.is_file() {
        files.push(path.to_owned());
        return;
    }
    for entry in std::fs::read_dir(path).into_iter().flatten().flatten() {
        walk(&entry.path(), files);
    }
}
