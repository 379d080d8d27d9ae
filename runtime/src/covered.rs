//! Coverage of guest code: how often each instruction ran, how many lanes came to each line of the source, and which way they went
//! at each branch. Instructions are counted by the GPU as it runs them; lines and branches by the code itself, which is compiled for
//! that, so that nothing of it follows from what the compiler's passes have left of the source. All numbers are sums, and the same on
//! any number of threads.

use crate::bus::CodeMap;
use crate::lock::{Mutex, rank};
use std::collections::BTreeMap;
use std::sync::Arc;
use wavepipe_flow::listing::code_lines;
use wavepipe_hw::code::CodeObject;
use wavepipe_hw::observe::Executed;
use wavepipe_hw::site::{Messages, SiteKind};

/// A kernel, or a function of its own, as it was compiled once.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KernelCoverage {
    pub kernel: String,
    pub instructions: Vec<InstructionCoverage>,
    /// By file and line. Empty where the module has no debug information.
    pub lines: Vec<LineCoverage>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct InstructionCoverage {
    /// Bytes from the kernel's begin.
    pub offset: u32,
    /// A branch names its label.
    pub text: String,
    /// The label in front of it, if a branch goes there.
    pub label: Option<String>,
    /// `FILE:LINE`, where that is known.
    pub source: Option<String>,
    /// Waves that executed it, and lanes that were active then, in all.
    pub waves: u64,
    pub lanes: u64,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LineCoverage {
    pub file: String,
    pub line: u32,
    /// Lanes that came to it, each as often as it came: of several blocks on the line, to the one that most came to.
    pub lanes: u64,
    /// In the order of the program.
    pub branches: Vec<BranchCoverage>,
}

/// A branch of the source: an `if`, the condition of a loop, a `switch`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BranchCoverage {
    /// `true` and `false` of a condition; `case 1, 2` and so on, and `default`, of a switch.
    pub arms: Vec<ArmCoverage>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ArmCoverage {
    pub what: String,
    /// Lanes that went this way.
    pub lanes: u64,
}

/// The lines of several kernels together: those of one module that was compiled in several ways are counted as one.
pub fn lines(kernels: &[KernelCoverage]) -> Vec<LineCoverage> {
    let mut all: BTreeMap<(&str, u32), LineCoverage> = BTreeMap::new();
    for line in kernels.iter().flat_map(|k| &k.lines) {
        let of = || LineCoverage { file: line.file.clone(), line: line.line, ..LineCoverage::default() };
        let sum = all.entry((&line.file, line.line)).or_insert_with(of);
        sum.lanes += line.lanes;
        for (n, branch) in line.branches.iter().enumerate() {
            let same = |b: &&mut BranchCoverage| b.arms.iter().map(|a| &a.what).eq(branch.arms.iter().map(|a| &a.what));
            match sum.branches.get_mut(n).filter(same) {
                Some(b) => b.arms.iter_mut().zip(&branch.arms).for_each(|(a, other)| a.lanes += other.lanes),
                None => sum.branches.push(branch.clone()),
            }
        }
    }
    all.into_values().collect()
}

/// What a device has counted.
#[derive(Default)]
pub(crate) struct Covered(Mutex<BTreeMap<u64, Counts>, { rank::LEAF }>);

struct Counts {
    code: Arc<CodeObject>,
    /// By offset: waves and lanes.
    executed: BTreeMap<u64, (u64, u64)>,
    /// Lanes by site.
    counted: BTreeMap<u32, u64>,
}

impl Counts {
    fn of(code: &Arc<CodeObject>) -> Counts {
        Counts { code: code.clone(), executed: BTreeMap::new(), counted: BTreeMap::new() }
    }
}

impl Covered {
    /// Code was uploaded.
    pub fn add(&self, upload: u64, code: &Arc<CodeObject>) {
        self.0.lock().entry(upload).or_insert_with(|| Counts::of(code));
    }

    /// Instructions ran.
    pub fn executed(&self, counts: &[Executed], codes: &CodeMap) {
        let mut at: Option<(u64, Arc<CodeObject>, u64)> = None;
        for count in counts {
            if at.as_ref().is_none_or(|(va, code, _)| count.pc.wrapping_sub(*va) >= code.text.len() as u64) {
                at = codes.find_upload(count.pc);
            }
            let Some((va, code, upload)) = &at else { continue };
            let mut all = self.0.lock();
            let kernel = all.entry(*upload).or_insert_with(|| Counts::of(code));
            let sum = kernel.executed.entry(count.pc - va).or_default();
            *sum = (sum.0 + count.waves, sum.1 + count.lanes);
        }
    }

    /// Code has counted its lanes.
    pub fn counted(&self, messages: &Messages, codes: &CodeMap) {
        for count in messages.counted() {
            let Some((_, code, upload)) = codes.find_upload(count.pc) else { continue };
            let mut all = self.0.lock();
            let kernel = all.entry(upload).or_insert_with(|| Counts::of(&code));
            *kernel.counted.entry(count.site).or_default() += count.lanes;
        }
    }

    pub fn kernels(&self) -> Vec<KernelCoverage> {
        self.0.lock().values().map(Counts::report).collect()
    }
}

impl Counts {
    fn report(&self) -> KernelCoverage {
        let instructions = code_lines(&self.code).into_iter().map(|line| {
            let (waves, lanes) = self.executed.get(&line.offset.into()).copied().unwrap_or_default();
            InstructionCoverage {
                offset: line.offset,
                text: line.labelled(),
                label: line.label,
                source: line.source,
                waves,
                lanes,
            }
        });
        KernelCoverage { kernel: self.code.name.clone(), instructions: instructions.collect(), lines: self.lines() }
    }

    fn lines(&self) -> Vec<LineCoverage> {
        let mut lines: BTreeMap<(u32, u32), u64> = BTreeMap::new();
        // By place and label, then by arm.
        let mut branches: BTreeMap<((u32, u32), u32), BTreeMap<u32, ArmCoverage>> = BTreeMap::new();
        for (site, n) in self.code.sites.iter().zip(0..) {
            let lanes = self.counted.get(&n).copied().unwrap_or(0);
            match &site.kind {
                SiteKind::Block { lines: of, .. } => {
                    for place in of {
                        let most = lines.entry(*place).or_default();
                        *most = lanes.max(*most);
                    }
                }
                SiteKind::Arm { label, arm, what } if site.line != 0 => {
                    let arms = branches.entry(((site.file, site.line), *label)).or_default();
                    arms.insert(*arm, ArmCoverage { what: what.clone(), lanes });
                }
                _ => {}
            }
        }
        for ((place, _), arms) in &branches {
            lines.entry(*place).or_insert_with(|| arms.values().map(|a| a.lanes).sum());
        }
        let file = |n: u32| self.code.files.get(n as usize).cloned().unwrap_or_default();
        let line = |((f, line), lanes)| {
            let of = branches.range(((f, line), 0)..=((f, line), u32::MAX));
            let branch = |arms: &BTreeMap<u32, ArmCoverage>| BranchCoverage { arms: arms.values().cloned().collect() };
            LineCoverage { file: file(f), line, lanes, branches: of.map(|(_, arms)| branch(arms)).collect() }
        };
        let mut all: Vec<LineCoverage> = lines.into_iter().map(line).collect();
        all.sort_by(|a, b| (&a.file, a.line).cmp(&(&b.file, b.line)));
        all
    }
}
