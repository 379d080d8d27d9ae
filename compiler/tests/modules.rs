//! The front end over real modules: none panics, every kernel is valid, and broken modules are errors.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use wavepipe_compiler::error::ErrorKind;
use wavepipe_compiler::inspect::{Checks, Inspector};
use wavepipe_compiler::ir::Kernel;
use wavepipe_compiler::opt::optimise;
use wavepipe_compiler::spirv::{Request, reflect, translate};
use wavepipe_hw::code::WaveSize;
use wavepipe_hw::launch::{BindingLayout, PipelineLayout, Place, SetLayout};

fn words(bytes: &[u8]) -> Vec<u32> {
    bytes.chunks_exact(4).map(|c| u32::from_le_bytes([c[0], c[1], c[2], c[3]])).collect()
}

/// A layout that has what the entry point wants.
fn layout(resources: &[wavepipe_compiler::spirv::ResourceInfo]) -> PipelineLayout {
    let mut layout = PipelineLayout { push_constant_bytes: 256, ..Default::default() };
    for r in resources {
        if layout.sets.len() <= r.set as usize {
            layout.sets.resize(r.set as usize + 1, SetLayout::default());
        }
        let set = &mut layout.sets[r.set as usize];
        let place = Place::Set(set.size);
        set.size += 16 * r.count.max(1);
        set.bindings.push(BindingLayout { binding: r.binding, kind: r.kind, count: r.count.max(1), place, stride: 16 });
    }
    layout
}

/// Every entry point of a module, translated and optimised.
fn all(words: &[u32]) -> Result<Vec<Kernel>, wavepipe_compiler::error::CompileError> {
    let mut out = Vec::new();
    let mut inspector = Inspector::new(Checks::On, None);
    for e in reflect(words)? {
        if e.resources.iter().any(|r| r.set > 31) {
            continue;
        }
        let layout = layout(&e.resources);
        let request = Request { entry: &e.name, wave: WaveSize::W32, spec: &[], layout: &layout };
        let mut k = translate(words, &request, &mut inspector)?;
        optimise(&mut k, &mut inspector)?;
        out.push(k);
    }
    Ok(out)
}

fn corpus() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/spirv");
    let mut out = Vec::new();
    let Ok(folders) = std::fs::read_dir(&root) else {
        // A collection that may lie beside the workspace, no tool that can be installed: its absence is no failure.
        println!("SKIP corpus of SPIR-V modules (../shared/spirv)");
        return out;
    };
    for folder in folders.flatten() {
        out.extend(std::fs::read_dir(folder.path()).into_iter().flatten().flatten().map(|f| f.path()));
    }
    out.retain(|p| p.extension().is_some_and(|e| e == "spv"));
    out.sort();
    out
}

#[test]
fn corpus_translates() {
    let (mut good, mut refused) = (0, Vec::new());
    for path in corpus() {
        let bytes = std::fs::read(&path).unwrap();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        match catch_unwind(AssertUnwindSafe(|| all(&words(&bytes)))) {
            Ok(Ok(_)) => good += 1,
            Ok(Err(e)) => {
                assert_ne!(e.kind, ErrorKind::Internal, "{name}: {e}");
                refused.push(format!("{name}: {e}"));
            }
            Err(_) => panic!("{name}: panicked"),
        }
    }
    println!("{good} modules translated, {} refused", refused.len());
    refused.iter().for_each(|r| println!("{r}"));
}

/// Words flipped and modules cut, deterministically: an error or a kernel, never a panic.
#[test]
fn broken_modules_never_panic() {
    let mut seed = 1u64;
    let mut random = move |n: usize| {
        seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (seed >> 33) as usize % n
    };
    for path in corpus().into_iter().step_by(9) {
        let original = words(&std::fs::read(&path).unwrap());
        if original.len() > 20_000 {
            continue;
        }
        for round in 0..60 {
            let mut w = original.clone();
            match round % 3 {
                0 => w.truncate(random(original.len())),
                1 => {
                    let at = random(w.len());
                    w[at] ^= 1 << random(32);
                }
                _ => {
                    let (a, b) = (random(w.len()), random(w.len()));
                    w.swap(a, b);
                }
            }
            let text = w.iter().flat_map(|w| w.to_le_bytes()).collect::<Vec<u8>>();
            let outcome = catch_unwind(AssertUnwindSafe(|| all(&w).map(|_| ())));
            if outcome.is_err() {
                let kept = std::env::temp_dir().join("wavepipe-broken.spv");
                let _ = std::fs::write(&kept, &text);
                panic!("{} round {round} panics; the module is in {}", path.display(), kept.display());
            }
        }
    }
}
