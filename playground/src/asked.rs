//! What can be asked.

use serde::Deserialize;
use std::collections::BTreeMap;

#[derive(Deserialize, Debug)]
#[serde(tag = "do", rename_all = "lowercase")]
pub enum Asked {
    About,
    Code(Shading),
    Run(Running),
    Page(Shading),
    Puzzles,
    Check(Checking),
    Begin(Beginning),
    Step(Step),
    End,
}

#[derive(Deserialize, Clone, Copy, PartialEq, Eq, Debug)]
#[serde(rename_all = "lowercase")]
pub enum Language {
    Wgsl,
    Glsl,
}

/// A shader, and what it runs on.
#[derive(Deserialize, Clone, Debug)]
pub struct Shading {
    pub language: Language,
    pub source: String,
    /// The text of a job file; an empty one is drafted from the shader.
    #[serde(default)]
    pub job: String,
    /// As `--gpu` takes it; the default machine where it is empty.
    #[serde(default)]
    pub gpu: String,
    /// Lanes of a wave: 32, 64, or 0 for the machine's own.
    #[serde(default)]
    pub wave: u32,
    /// Files that the job names, in base64.
    #[serde(default)]
    pub files: BTreeMap<String, String>,
}

#[derive(Deserialize, Debug)]
pub struct Running {
    #[serde(flatten)]
    pub shading: Shading,
    /// Whether its accesses, barriers, waits and values are checked.
    #[serde(default)]
    pub check: bool,
    /// Beside it the same work on a queue of REALTIME priority, by this policy: `share`, `limit` or `tunnel`.
    #[serde(default)]
    pub beside: Option<String>,
}

/// A text that may solve a puzzle.
#[derive(Deserialize, Debug)]
pub struct Checking {
    /// `3.1`
    pub puzzle: String,
    pub source: String,
}

/// What of a machine that stands is looked at.
#[derive(Deserialize, Default, Clone, Debug)]
pub struct Seen {
    /// Work-group and wave in it; that whose turn it is by default.
    #[serde(default)]
    pub wave: Option<(u64, u32)>,
    /// Lines to stop at.
    #[serde(default)]
    pub breakpoints: Vec<Stopping>,
    /// What to stop behind a change of.
    #[serde(default)]
    pub watches: Vec<Watching>,
}

#[derive(Deserialize, Clone, PartialEq, Eq, Debug)]
pub struct Stopping {
    pub line: u32,
    /// A condition, as `wavepipe_inspect::condition` reads it.
    #[serde(default)]
    pub when: String,
}

#[derive(Deserialize, Clone, PartialEq, Eq, Debug)]
pub struct Watching {
    /// As `wavepipe_inspect::value` reads it: `sums[3]`, `lds[0x40;4]`, which is that of any work-group.
    pub what: String,
    /// A condition, as of a line, on the wave that made the change.
    #[serde(default)]
    pub when: String,
}

#[derive(Deserialize, Debug)]
pub struct Beginning {
    #[serde(flatten)]
    pub shading: Shading,
    /// In the order and the cycles of the card's clock.
    #[serde(default)]
    pub clock: bool,
    #[serde(flatten)]
    pub seen: Seen,
}

#[derive(Deserialize, Debug)]
pub struct Step {
    pub how: How,
    #[serde(default)]
    pub back: bool,
    /// For [`How::To`]: instructions since the begin.
    #[serde(default)]
    pub to: u64,
    #[serde(flatten)]
    pub seen: Seen,
}

#[derive(Deserialize, Clone, Copy, PartialEq, Eq, Debug)]
#[serde(rename_all = "lowercase")]
pub enum How {
    Instruction,
    Line,
    Wave,
    Barrier,
    Group,
    Cycle,
    Run,
    To,
    /// Only another wave is looked at.
    Look,
}
