//! Modules of real programs, a collection of which may lie beside the workspace or where `WAVEPIPE_FUZZ_CORPUS` says, and what to run
//! them with.

use crate::random::Random;
use std::path::{Path, PathBuf};
use wavepipe_runtime::WaveSize;
use wavepipe_runtime::compiler::spirv::{EntryInfo, SpecValue};
use wavepipe_runtime::simple::Job;

/// The modules' files; none (said by name) without the collection.
pub fn files() -> Vec<PathBuf> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/spirv");
    let folder = std::env::var_os("WAVEPIPE_FUZZ_CORPUS").map_or(beside, PathBuf::from);
    let folders = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let files = folders.flat_map(|f| std::fs::read_dir(f.path()).into_iter().flatten().flatten()).map(|f| f.path());
    let mut files: Vec<PathBuf> = files.filter(|f| f.extension().is_some_and(|e| e == "spv")).collect();
    files.sort();
    if files.is_empty() {
        println!("SKIP SPIR-V-collection (../shared/spirv)");
    }
    files
}

/// Those that take floats in their buffers for counts, and do not end.
pub const COUNTS: &[&str] = &["34591f6153bfb675"];

/// An entry point with sizes and strides of 2 or 32, and buffers of small whole numbers, some of them negative if they are floats.
pub fn job(words: &[u32], entry: &EntryInfo, floats: bool) -> Job {
    let mut r = Random(1);
    let mut word = || match floats {
        true => (r.below(9) as f32 - 4.0).to_bits(),
        false => r.below(9) as u32,
    };
    let mut data = || (0..4096).flat_map(|_| word().to_le_bytes()).collect();
    let (size, wave) = if floats { (32u32, WaveSize::W64) } else { (2, WaveSize::W32) };
    Job {
        words: words.to_vec(),
        entry: Some(entry.name.clone()),
        wave: Some(wave),
        // The work-group's size, where it can be chosen: with that of 1, shaders of ggml do not end.
        spec: entry.spec.iter().filter(|s| s.id == 0).map(|_| SpecValue { id: 0, bits: 128, size: 4 }).collect(),
        // One work-group: what several do to the same bytes has no order.
        groups: [1, 1, 1],
        buffers: entry.resources.iter().map(|r| (r.set, r.binding, data())).collect(),
        push: (0..entry.push_constant_bytes / 4).flat_map(|_| size.to_le_bytes()).collect(),
    }
}
