//! Whole modules: none panics, every kernel passes all checks on its way to machine code, and broken modules are errors.
//!
//! The project's own shaders are always there. A collection of modules that real programs hand to a driver may lie beside the
//! repository; it is no part of it, so its absence is a `SKIP` by name.

use crate::share::due;
use spirv::Op;
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use wavepipe_compiler::error::{CompileError, ErrorKind};
use wavepipe_compiler::inspect::Inspector;
use wavepipe_compiler::mir::{Func, InstCode};
use wavepipe_compiler::opt::optimise;
use wavepipe_compiler::spirv::{Request, translate};
use wavepipe_compiler::{Checks, INLINE_BUDGET, Options, compile, compile_with_dumps, reflect};
use wavepipe_hw::code::{CodeObject, WaveSize};
use wavepipe_hw::launch::{BindingLayout, PipelineLayout, Place, SetLayout};
use wavepipe_isa::Gen;

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
        let (place, stride) = (Place::Set(set.size), r.kind.bytes().next_multiple_of(16));
        set.size = set.size.saturating_add(stride.saturating_mul(r.count.max(1)));
        set.bindings.push(BindingLayout { binding: r.binding, kind: r.kind, count: r.count.max(1), place, stride });
    }
    layout
}

/// What is tried of a module: with all calls inlined and, where there are calls, with none.
fn budgets(words: &[u32]) -> &'static [u32] {
    let mut rest = words.get(5..).unwrap_or_default();
    while let Some(&first) = rest.first() {
        if first & 0xffff == Op::FunctionCall as u32 {
            return &[INLINE_BUDGET, 0];
        }
        rest = rest.get((first >> 16).max(1) as usize..).unwrap_or_default();
    }
    &[INLINE_BUDGET]
}

/// Every entry point of a module to machine code, with all checks. How many there are.
fn all(words: &[u32], waves: &[WaveSize]) -> Result<usize, CompileError> {
    let mut count = 0;
    for e in reflect(words)? {
        if e.resources.iter().any(|r| r.set > 31) {
            continue;
        }
        let layout = layout(&e.resources);
        for &inline_budget in budgets(words) {
            for &wave in waves {
                let options = Options { wave, inline_budget, checks: Checks::On, ..Options::new(&e.name, &layout) };
                let code = compile(words, &options)?;
                // Following source variables changes nothing.
                let named = compile(words, &Options { names: true, ..options })?;
                assert_eq!(CodeObject { variables: None, ..named }, code, "entry point {} with names", e.name);
            }
        }
        count += 1;
    }
    Ok(count)
}

/// Every entry point through the front end and the passes of the ir.
fn front(words: &[u32]) -> Result<(), CompileError> {
    let mut inspector = Inspector::new(Checks::On, None);
    for e in reflect(words)? {
        if e.resources.iter().all(|r| r.set < 32) {
            let layout = layout(&e.resources);
            for &inline_budget in budgets(words) {
                let request = Request {
                    names: false,
                    entry: &e.name,
                    wave: WaveSize::W32,
                    spec: &[],
                    layout: &layout,
                    inline_budget,
                    instrument: Default::default(),
                };
                optimise(&mut translate(words, &request, &mut inspector)?, &mut inspector)?;
            }
        }
    }
    Ok(())
}

/// A named module.
type Named = (String, Vec<u32>);

fn files(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let mut out = Vec::new();
    for folder in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        out.extend(std::fs::read_dir(folder.path()).into_iter().flatten().flatten().map(|f| f.path()));
    }
    out.retain(|p| p.extension().is_some_and(|e| e == extension));
    out.sort();
    out
}

fn name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// WGSL files of `samples`, each a module: none may get lost.
const OWN: usize = 10;

/// The project's own shaders, through naga.
fn own() -> Vec<Named> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../samples");
    let compiled = files(&folder, "wgsl").into_iter().map(|path| {
        let source = std::fs::read_to_string(&path).unwrap();
        let module = naga::front::wgsl::parse_str(&source).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        let capabilities = naga::valid::Capabilities::SUBGROUP;
        let mut validator = naga::valid::Validator::new(naga::valid::ValidationFlags::all(), capabilities);
        let info = validator.validate(&module).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        let options = naga::back::spv::Options { lang_version: (1, 3), ..Default::default() };
        (name(&path), naga::back::spv::write_vec(&module, &info, &options, None).unwrap())
    });
    let out: Vec<Named> = compiled.collect();
    assert_eq!(out.len(), OWN, "shaders in {}", folder.display());
    out
}

/// Modules of the collection, at least, if it is there; and how the names of those begin that the compiler refuses: of
/// cooperative matrices.
const COLLECTED: usize = 268;
const REFUSED: &[&str] = &["rdna3_module_imatmul_dispatch_0_imatmul_dispatch_0_"];

fn collected() -> Vec<Named> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/spirv");
    let out: Vec<Named> =
        files(&root, "spv").into_iter().map(|p| (name(&p), words(&std::fs::read(&p).unwrap()))).collect();
    if out.is_empty() {
        // Nothing that could be installed: no failure under CI either.
        println!("SKIP SPIR-V-collection (../shared/spirv)");
    } else {
        assert!(out.len() >= COLLECTED, "{} modules in {}", out.len(), root.display());
    }
    out
}

/// Compiles modules on all cores; what was refused, by name.
fn compiled(modules: &[Named]) -> Vec<String> {
    let (next, refused) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let work = || {
        while let Some((name, words)) = modules.get(next.fetch_add(1, Ordering::Relaxed)) {
            match all(words, &[WaveSize::W32, WaveSize::W64]) {
                Ok(0) => panic!("{name} has no entry point"),
                Ok(_) => {}
                Err(e) => {
                    assert_ne!(e.kind, ErrorKind::Internal, "{name}: {e}");
                    refused.lock().unwrap().push(format!("{name}: {e}"));
                }
            }
        }
    };
    std::thread::scope(|scope| {
        let threads = std::thread::available_parallelism().map_or(1, |n| n.get());
        let handles: Vec<_> = (0..threads)
            .map(|_| std::thread::Builder::new().stack_size(64 << 20).spawn_scoped(scope, work).unwrap())
            .collect();
        handles.into_iter().for_each(|h| h.join().unwrap());
    });
    refused.into_inner().unwrap()
}

#[test]
fn own_modules_compile() {
    assert_eq!(compiled(&own()), [""; 0]);
}

#[test]
fn collected_modules_compile_or_are_refused_by_name() {
    let refused = compiled(&due("collected modules", collected(), 2));
    refused.iter().for_each(|r| println!("{r}"));
    let known = |r: &&String| REFUSED.iter().any(|name| r.starts_with(name));
    let unexpected: Vec<&String> = refused.iter().filter(|r| !known(r)).collect();
    assert!(unexpected.is_empty() && refused.len() <= REFUSED.len(), "{unexpected:#?}");
}

/// Words flipped and modules cut, deterministically: an error or code, never a panic.
#[test]
fn broken_modules_never_panic() {
    let mut seed = 1u64;
    let mut random = move |n: usize| {
        seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (seed >> 33) as usize % n
    };
    let (mut good, mut bad) = (0, 0);
    for (name, original) in own().into_iter().chain(collected().into_iter().step_by(9)) {
        if original.len() > 20_000 {
            continue;
        }
        // So many that the project's own modules are enough.
        for round in 0..90 {
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
            match catch_unwind(AssertUnwindSafe(|| front(&w))) {
                Ok(Ok(())) => good += 1,
                Ok(Err(_)) => bad += 1,
                Err(_) => {
                    let kept = std::env::temp_dir().join("wavepipe-broken.spv");
                    let _ = std::fs::write(&kept, w.iter().flat_map(|w| w.to_le_bytes()).collect::<Vec<u8>>());
                    panic!("{name} round {round} panics; the module is in {}", kept.display());
                }
            }
        }
    }
    // Bits of names and of line numbers break nothing.
    assert!(good > 50 && bad > 200, "{good} compiled, {bad} refused");
}

/// What selection takes for a generation that the generation has no encoding of, and what was refused first, by number of kernels.
fn lacking(modules: &[Named], isa: Gen) -> BTreeMap<String, (usize, String)> {
    let (next, found) = (AtomicUsize::new(0), Mutex::new(BTreeMap::<String, (usize, String)>::new()));
    let wave = if isa.caps().wave32 { WaveSize::W32 } else { WaveSize::W64 };
    let one = |module: &str, words: &[u32]| {
        for e in reflect(words).unwrap().iter().filter(|e| e.resources.iter().all(|r| r.set < 32)) {
            let layout = layout(&e.resources);
            let options = Options { isa, wave, checks: Checks::On, ..Options::new(&e.name, &layout) };
            let mut reasons = Vec::new();
            let (code, dumps) = match catch_unwind(AssertUnwindSafe(|| compile_with_dumps(words, &options))) {
                Ok(out) => out,
                Err(_) => (Ok(Default::default()), Vec::new()),
            };
            for dump in dumps.iter().filter(|d| d.pass == "select") {
                let f: Func = dump.text.parse().unwrap();
                let ops = f.insts().filter_map(|i| match i.code {
                    InstCode::Isa(op) if op.row().encoding(isa).is_none() => Some(op.row().name),
                    _ => None,
                });
                reasons.extend(ops.map(|name| format!("row {name}")));
            }
            if let Err(e) = code {
                let text = e.to_string();
                reasons.push(format!("first {}", text.split([':', '\n']).take(3).collect::<String>()));
            } else if dumps.is_empty() {
                reasons.push("panic".into());
            }
            reasons.sort();
            reasons.dedup();
            let mut found = found.lock().unwrap();
            for reason in reasons {
                found.entry(reason).or_insert((0, module.to_owned())).0 += 1;
            }
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, |n| n.get()) {
            let work = || {
                while let Some((name, words)) = modules.get(next.fetch_add(1, Ordering::Relaxed)) {
                    one(name, words);
                }
            };
            std::thread::Builder::new().stack_size(64 << 20).spawn_scoped(scope, work).unwrap();
        }
    });
    found.into_inner().unwrap()
}

/// What a generation still lacks, as a list to work down: `WAVEPIPE_ISA=gfx900 cargo test -p wavepipe-compiler what_is_refused --
/// --ignored --nocapture`; every third module with `WAVEPIPE_EVERY=3`.
#[test]
#[ignore = "a list for who adds a generation"]
fn what_is_refused() {
    let isa = std::env::var("WAVEPIPE_ISA").map_or(Gen::default(), |name| Gen::named(&name).expect("a generation"));
    let every = std::env::var("WAVEPIPE_EVERY").map_or(1, |n| n.parse().expect("a number"));
    let modules: Vec<Named> = own().into_iter().chain(collected().into_iter().step_by(every)).collect();
    for (reason, (kernels, module)) in lacking(&modules, isa) {
        println!("{kernels:4} {reason}  ({module})");
    }
}
