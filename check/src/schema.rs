//! The keys of a `.test.toml` file. [docs/testing.md](../../../docs/testing.md) tells them; here is what each may be.

use serde::Deserialize;
use std::collections::BTreeMap;
use toml::{Spanned, Value};
use wavepipe::job::file::{BufferFile, DispatchFile, ImageFile, Push, SamplerFile};

/// A test, or what the tests of a file have in common.
#[derive(Deserialize, Clone, Debug, Default)]
#[serde(deny_unknown_fields, default)]
pub struct TestFile {
    pub name: Option<Spanned<String>>,
    /// For people: a heading, and what it is about.
    pub title: Option<String>,
    pub about: Option<String>,
    pub shader: Option<Spanned<String>>,
    pub entry: Option<String>,
    pub groups: Option<[u32; 3]>,
    pub wave: Option<Spanned<u32>>,
    pub gpu: Option<Spanned<String>>,
    pub seed: Option<Spanned<u64>>,
    /// `off`, or a list as `WAVEPIPE_CHECK` has it.
    pub checks: Option<Spanned<String>>,
    /// `10s`, `500ms`.
    pub timeout: Option<Spanned<String>>,
    pub push: Option<Push>,
    pub spec: BTreeMap<String, Value>,
    pub buffer: Vec<Spanned<BufferFile>>,
    pub image: Vec<Spanned<ImageFile>>,
    pub sampler: Vec<Spanned<SamplerFile>>,
    pub dispatch: Vec<DispatchFile>,
    pub expect: Vec<Spanned<ExpectFile>>,
    pub finding: Vec<Spanned<FindingFile>>,
    pub fault: Option<FaultFile>,
    pub budget: Option<Spanned<Budget>>,
    pub hint: Vec<Spanned<HintFile>>,
    pub matrix: Option<Spanned<Matrix>>,
    pub test: Vec<Spanned<TestFile>>,
}

/// What a buffer or an image is to hold at the end.
#[derive(Deserialize, Clone, Debug)]
#[serde(deny_unknown_fields)]
pub struct ExpectFile {
    pub name: Option<String>,
    pub set: Option<u32>,
    pub binding: Option<u32>,
    pub element: Option<u32>,
    pub values: Option<Value>,
    pub file: Option<String>,
    pub cpu: Option<Spanned<Value>>,
    pub ulp: Option<u64>,
    pub relative: Option<f64>,
    pub absolute: Option<f64>,
    pub rmse: Option<f64>,
    pub picture: Option<PictureFile>,
    /// Of a picture that is made of a buffer.
    pub shape: Option<Spanned<String>>,
}

/// How far pictures may be apart.
#[derive(Deserialize, Clone, Copy, Debug, Default)]
#[serde(deny_unknown_fields, default)]
pub struct PictureFile {
    pub channel: u8,
    pub pixels: usize,
}

/// A finding that is to be there.
#[derive(Deserialize, Clone, Debug)]
#[serde(deny_unknown_fields)]
pub struct FindingFile {
    pub check: String,
    pub kind: Option<String>,
    pub line: Option<u32>,
    pub other_line: Option<u32>,
}

/// The fault that it is to end with.
#[derive(Deserialize, Clone, Debug, Default)]
#[serde(deny_unknown_fields, default)]
pub struct FaultFile {
    /// A part of its text.
    pub message: Option<String>,
    pub line: Option<u32>,
}

/// What it may cost.
#[derive(Deserialize, Clone, Debug, Default)]
#[serde(deny_unknown_fields, default)]
pub struct Budget {
    pub max_vgprs: Option<u32>,
    /// Waves that a SIMD can hold at once.
    pub min_occupancy: Option<u32>,
    /// Of a work-group.
    pub max_lds_bytes: Option<u32>,
    /// Machine instructions of the code.
    pub max_code: Option<u32>,
    /// Of all dispatches, on the card's clock.
    pub max_cycles: Option<u64>,
    /// That all waves execute.
    pub max_instructions: Option<u64>,
    /// On in a vector instruction, on average.
    pub min_lanes: Option<f64>,
    /// Cache lines that vector memory instructions ask for.
    pub max_lines: Option<u64>,
    pub no_spills: bool,
    pub no_bank_conflicts: bool,
}

impl Budget {
    /// Whether the card's clock has to run.
    pub fn timed(&self) -> bool {
        let counted = [self.max_cycles, self.max_instructions, self.max_lines];
        self.no_bank_conflicts || self.min_lanes.is_some() || counted.iter().any(Option::is_some)
    }
}

/// Words for who makes a mistake that is well known: they are told where all that it says is so.
#[derive(Deserialize, Clone, Debug, Default)]
#[serde(deny_unknown_fields, default)]
pub struct HintFile {
    pub text: String,
    /// The kind of a problem: `mismatch`, `finding`, `fault`, `budget` and the like.
    pub problem: Option<String>,
    /// A part of its text.
    pub message: Option<String>,
    /// A budget that is not kept.
    pub budget: Option<String>,
    /// A check that found something.
    pub check: Option<String>,
    /// Of a mismatch: the first element that differs, and what is there, as the report has it.
    pub element: Option<u64>,
    pub got: Option<String>,
    /// Text that the shader has, or lacks, in its code.
    pub has: Option<String>,
    pub lacks: Option<String>,
}

/// Each combination is a case.
#[derive(Deserialize, Clone, Debug, Default)]
#[serde(deny_unknown_fields, default)]
pub struct Matrix {
    pub gpu: Vec<String>,
    pub wave: Vec<u32>,
    /// A list, or `"0..16"`.
    pub seed: Option<Value>,
    pub spec: BTreeMap<String, Vec<Value>>,
}

/// `cpu = { … }`.
#[derive(Deserialize, Clone, Debug, Default)]
#[serde(deny_unknown_fields, default)]
pub struct Reference {
    pub wgsl: Option<String>,
    pub glsl: Option<String>,
    pub shader: Option<String>,
    pub entry: Option<String>,
    pub groups: Option<[u32; 3]>,
    pub spec: BTreeMap<String, Value>,
}
