//! Recorded results as waves before and after: what the vector tests share.
//!
//! - [`machine`]: a wave from a state to a state, by machine code. [`translate`]: other generations' text as gfx1010's.
//! - [`singles`]: records of one instruction. [`programs`]: records of short programs. [`compare`]: how near is right.
//! - [`differences`]: where a record is not followed, and why.

pub mod compare;
pub mod differences;
pub mod machine;
pub mod programs;
pub mod singles;
pub mod translate;

use serde_json::Value;
use std::path::PathBuf;
use wavepipe_hw::code::WaveSize;
use wavepipe_isa::Gen;

/// VGPRs and SGPRs that records of one instruction use.
pub const VGPRS: usize = 12;
pub const SGPRS: usize = 32;

/// Where records come from; `Rdna3Programs` were compared with hardware.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Source {
    Rdna3Programs,
    Rdna3,
    Rdna4,
    Cdna,
    /// The records of `Cdna` that have gfx900's words, as they stand.
    Gfx900,
}

impl Source {
    /// The generation that its code runs on.
    pub const fn isa(self) -> Gen {
        if matches!(self, Source::Gfx900) { Gen::Gfx900 } else { Gen::Gfx1010 }
    }

    /// Name of its files.
    pub const fn file(self) -> &'static str {
        if matches!(self, Source::Gfx900) { "cdna" } else { self.name() }
    }

    /// Name in the table of witnesses.
    pub const fn name(self) -> &'static str {
        match self {
            Source::Rdna3Programs => "hw",
            Source::Rdna3 => "rdna3",
            Source::Rdna4 => "rdna4",
            Source::Cdna => "cdna",
            Source::Gfx900 => "gfx900",
        }
    }
}

/// Registers of one wave. Lane masks have as many bits as it has lanes.
#[derive(Clone, Debug)]
pub struct WaveRegisters {
    /// v0 …, each of all lanes.
    pub v: Vec<Vec<u32>>,
    pub s: [u32; SGPRS],
    pub vcc: u64,
    pub exec: u64,
    pub scc: bool,
}

/// A wave before and after.
#[derive(Clone, Debug)]
pub struct Case {
    pub wave: WaveSize,
    pub before: WaveRegisters,
    pub after: WaveRegisters,
    /// Lanes whose results are not known.
    pub skip: u64,
    /// Round or row in its record.
    pub place: usize,
}

/// A file of the facts that lie beside the workspace; `None` (after saying so) if it is missing, an error in CI.
pub fn fact(path: &str) -> Option<String> {
    let file = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/isa").join(path);
    let text = std::fs::read_to_string(file).ok();
    if text.is_none() {
        println!("SKIP {path}");
        assert!(std::env::var_os("CI").is_none(), "{path} is missing, and a skip is a failure in CI");
    }
    text
}

pub fn numbers(v: &Value) -> Vec<u32> {
    v.as_array().map(|a| a.iter().map(|n| n.as_u64().unwrap_or(0) as u32).collect()).unwrap_or_default()
}
