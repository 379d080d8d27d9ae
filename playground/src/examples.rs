//! Shaders to begin with: the repository's samples with their job files, and small ones that show one thing.

use crate::asked::Language;
use serde_json::{Value, json};

pub struct Example {
    pub name: &'static str,
    /// What it shows, in a line.
    pub about: &'static str,
    pub language: Language,
    pub source: &'static str,
    pub job: &'static str,
}

macro_rules! samples {
    ($($name:literal $ending:literal $language:ident $about:literal;)*) => {
        &[$(Example {
            name: $name,
            about: $about,
            language: Language::$language,
            source: include_str!(concat!("../../samples/", $name, "/", $name, ".", $ending)),
            job: include_str!(concat!("../../samples/", $name, "/", $name, ".toml")),
        },)*]
    };
}

const SAMPLES: &[Example] = samples! {
    "saxpy" "comp" Glsl "y = a x + y, an element for each invocation";
    "mandelbrot" "wgsl" Wgsl "a picture whose pixels take unequal time: lanes go idle";
    "reduction" "wgsl" Wgsl "a sum in shared memory, with barriers";
    "transpose" "comp" Glsl "a matrix turned through shared memory, without bank conflicts";
    "matmul" "comp" Glsl "a matrix product by tiles";
    "histogram" "wgsl" Wgsl "atomics in shared memory";
    "subgroup_scan" "wgsl" Wgsl "prefix sums by subgroup operations";
    "bitonic_sort" "comp" Glsl "sorting in shared memory, step by step";
    "fft" "comp" Glsl "a Fourier transform of 1024 numbers";
    "nbody" "comp" Glsl "gravity between all pairs";
    "life" "wgsl" Wgsl "a generation of the game of life";
    "cas" "wgsl" Wgsl "a photograph sharpened";
    "raymarch" "wgsl" Wgsl "a scene by sphere tracing";
    "sha256" "wgsl" Wgsl "integer work: hashes";
};

macro_rules! lessons {
    ($($name:literal $about:literal;)*) => {
        &[$(Example {
            name: $name,
            about: $about,
            language: Language::Wgsl,
            source: include_str!(concat!("../examples/", $name, ".wgsl")),
            job: include_str!(concat!("../examples/", $name, ".toml")),
        },)*]
    };
}

const LESSONS: &[Example] = lessons! {
    "first" "the smallest shader that does something: step it";
    "divergence" "lanes that go two ways: watch EXEC";
    "strides" "how far apart lanes read decides how many cache lines";
    "banks" "a stride in shared memory, and what its banks make of it";
};

/// All, in the order in which they are offered.
pub fn all() -> impl Iterator<Item = &'static Example> {
    LESSONS.iter().chain(SAMPLES)
}

/// A file that an example's job names.
pub fn file(name: &str) -> Option<&'static [u8]> {
    match name {
        "photo.png" => Some(include_bytes!("../../samples/cas/photo.png")),
        "constants.json" => Some(include_bytes!("../../samples/sha256/constants.json")),
        _ => None,
    }
}

impl Example {
    pub fn json(&self) -> Value {
        let language = match self.language {
            Language::Wgsl => "wgsl",
            Language::Glsl => "glsl",
        };
        json!({ "name": self.name, "about": self.about, "language": language, "source": self.source, "job": self.job })
    }
}
