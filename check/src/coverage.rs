//! What lanes came to of a shader, by line.

use serde::{Deserialize, Serialize};
use wavepipe_runtime::covered::{KernelCoverage, lines};

/// A line of a shader.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct CoveredLine {
    pub file: String,
    pub line: u32,
    /// How many lanes came to it.
    pub lanes: u64,
    /// For each branch its arms, and how many lanes went there.
    pub branches: Vec<Vec<(String, u64)>>,
}

/// What a device counted.
pub fn of(kernels: &[KernelCoverage]) -> Vec<CoveredLine> {
    let all = lines(kernels).into_iter().map(|l| CoveredLine {
        file: l.file,
        line: l.line,
        lanes: l.lanes,
        branches: l.branches.into_iter().map(|b| b.arms.into_iter().map(|a| (a.what, a.lanes)).collect()).collect(),
    });
    all.collect()
}
