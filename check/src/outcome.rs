//! What became of a case: what a worker tells its parent, and the formats tell the world.

use crate::coverage::CoveredLine;
use serde::{Deserialize, Serialize};
use wavepipe_runtime::findings::Report;

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    Passed,
    Failed,
    /// It cannot run here, and nothing is wrong with it.
    Skipped,
    /// The test itself is wrong.
    Wrong,
}

/// What is wrong, of which kind.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ProblemKind {
    Mismatch,
    Finding,
    MissingFinding,
    Fault,
    MissingFault,
    Budget,
    MissingSnapshot,
    Input,
    Timeout,
    Crash,
    Driver,
    Unsupported,
}

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Problem {
    pub kind: ProblemKind,
    /// The whole report, some lines.
    pub text: String,
    /// Where in the shader, or in the test file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// Which budget was not kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub budget: Option<String>,
    /// Which check found it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub check: Option<String>,
    /// A mismatch, for machines.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mismatch: Option<serde_json::Value>,
}

impl Problem {
    pub fn new(kind: ProblemKind, text: impl Into<String>) -> Problem {
        Problem { kind, text: text.into(), file: None, line: None, budget: None, check: None, mismatch: None }
    }

    pub fn at(self, file: impl Into<String>, line: Option<u32>) -> Problem {
        Problem { file: Some(file.into()), line, ..self }
    }
}

/// What the kernels need, and what they took: of several the most.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Costs {
    pub vgprs: u32,
    pub sgprs: u32,
    pub spills: u32,
    /// Waves that a SIMD can hold at once: of several kernels the least.
    pub occupancy: u32,
    pub lds_bytes: u32,
    /// Machine instructions of the code, of all kernels.
    #[serde(default)]
    pub code: u32,
    /// What was counted on the card's clock, where that ran.
    #[serde(flatten)]
    pub clock: Option<ClockCosts>,
}

/// Of all dispatches.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct ClockCosts {
    pub cycles: u64,
    /// Executed, once a wave.
    pub instructions: u64,
    /// On in a vector instruction, on average.
    pub lanes: f64,
    /// Cache lines that vector memory instructions asked for.
    pub lines: u64,
    pub bank_conflicts: u64,
}

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Outcome {
    pub status: Status,
    pub problems: Vec<Problem>,
    /// All that the checks found, expected or not.
    pub findings: Vec<Report>,
    /// What the shader printed.
    pub printed: Vec<String>,
    /// Snapshots that were written.
    pub updated: Vec<String>,
    pub seconds: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub costs: Option<Costs>,
    /// The test's own words on what went wrong.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// Shaders and inputs, for who watches them.
    pub files: Vec<String>,
    /// Of the shaders, where that was asked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub coverage: Vec<CoveredLine>,
}

impl Outcome {
    pub fn of(status: Status) -> Outcome {
        Outcome {
            status,
            problems: Vec::new(),
            findings: Vec::new(),
            printed: Vec::new(),
            updated: Vec::new(),
            seconds: 0.0,
            costs: None,
            hint: None,
            files: Vec::new(),
            coverage: Vec::new(),
        }
    }

    pub fn with(status: Status, problem: Problem) -> Outcome {
        Outcome { problems: vec![problem], ..Outcome::of(status) }
    }
}
