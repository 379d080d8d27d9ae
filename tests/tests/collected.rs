//! Modules of real programs on each generation: what compiles for one compiles for all, and what they leave in their buffers is
//! what they leave on the default machine.

use spirv::{GlslStd450Op as GLOp, Op};
use std::path::Path;
use std::sync::Arc;
use wavepipe_runtime::compiler::reflect;
use wavepipe_runtime::compiler::spirv::EntryInfo;
use wavepipe_runtime::hw::machine::Machine;
use wavepipe_runtime::simple::{Job, Session, layout_of};
use wavepipe_runtime::{ComputePipeline, Config, WaveSize};
use wavepipe_tests::share::due;
use wavepipe_tests::{collected, matrix};

/// An entry point on a machine, compiled once: the compiler's checks are most of the time here.
struct Compiled {
    session: Session,
    pipeline: Arc<ComputePipeline>,
}

impl Compiled {
    fn new(machine: &Arc<Machine>, job: &Job) -> Result<Compiled, String> {
        let session = Session::new(&Config { machine: machine.clone(), ..Config::checked() }).unwrap();
        let pipeline = session.pipeline(&job.words, job.entry.as_deref(), &job.spec, job.wave);
        Ok(Compiled { pipeline: pipeline.map_err(|e| e.to_string())?, session })
    }

    /// The buffers afterwards, or why there are none.
    fn run(&mut self, machine: &Arc<Machine>, job: &Job) -> Result<Vec<Vec<u8>>, String> {
        let out = self.session.run_pipeline(&self.pipeline, job).map_err(|e| e.to_string());
        // What fails takes its device along.
        if out.is_err() {
            *self = Compiled::new(machine, job)?;
        }
        out
    }
}

/// Whether a module has sines or cosines.
fn has_sines(words: &[u32]) -> bool {
    let mut rest = words.get(5..).unwrap_or_default();
    while let Some(&first) = rest.first() {
        let sine = [GLOp::Sin, GLOp::Cos].iter().any(|op| rest.get(4) == Some(&(*op as u32)));
        if first & 0xffff == Op::ExtInst as u32 && sine {
            return true;
        }
        rest = rest.get((first >> 16).max(1) as usize..).unwrap_or_default();
    }
    false
}

/// Whether a machine does as the default one: what is compared, in words, and how it differs.
fn held(words: &[u32], entry: &EntryInfo, file: &Path, machine: &Arc<Machine>) -> (&'static str, Vec<String>) {
    if layout_of(entry).is_err() {
        return ("without a layout", Vec::new());
    }
    let standard = Machine::standard();
    let job = |floats| Job { wave: Some(WaveSize::W64), ..collected::job(words, entry, floats) };
    let (mut wanted, mut own) = match [&standard, machine].map(|machine| Compiled::new(machine, &job(false))) {
        [Ok(wanted), Ok(own)] => (wanted, own),
        [Err(_), Err(_)] => return ("refused", Vec::new()),
        [_, Err(e)] => return ("compiled", vec![e]),
        [Err(e), _] => return ("compiled", vec![format!("not on the default machine: {e}")]),
    };
    let (mut kind, mut wrong) = ("compiled", Vec::new());
    // Where V_SIN_F32 takes one revolution, V_FRACT_F32 is in front of it and rounds.
    let sines_differ = !machine.generation().caps().any_revolutions;
    for floats in [false, true] {
        let counts = collected::COUNTS.iter().any(|name| file.to_string_lossy().contains(name));
        if floats && (counts || sines_differ && has_sines(words)) {
            continue;
        }
        let job = job(floats);
        let Ok(want) = wanted.run(&standard, &job) else { continue };
        let wrote = want.iter().zip(&job.buffers).any(|(after, before)| *after != before.2);
        kind = if wrote || kind == "wrote" { "wrote" } else { "ran" };
        match own.run(machine, &job) {
            Ok(got) if got == want => {}
            Ok(got) => {
                let all = |buffers: &[Vec<u8>]| buffers.concat();
                let (got, want) = (all(&got), all(&want));
                let words = |bytes: &[u8]| bytes.as_chunks::<4>().0.iter().map(|w| u32::from_le_bytes(*w)).collect();
                let (got, want): (Vec<u32>, Vec<u32>) = (words(&got), words(&want));
                let differ: Vec<usize> = (0..want.len()).filter(|&i| got[i] != want[i]).collect();
                let of = |i: &usize| format!("[{i}] {:08x} for {:08x}", got[*i], want[*i]);
                let first: Vec<String> = differ.iter().take(3).map(of).collect();
                wrong.push(format!("floats {floats}: {} words differ: {}", differ.len(), first.join(", ")));
            }
            Err(e) => wrong.push(format!("floats {floats}: {e}")),
        }
    }
    (kind, wrong)
}

#[test]
fn collected_modules_do_the_same_on_each_generation() {
    let files = collected::files();
    let machines = matrix::generations();
    let (mut counts, mut wrong) = (std::collections::BTreeMap::<_, usize>::new(), Vec::new());
    for (n, file) in due("collected modules", (0..).zip(&files), 2) {
        let bytes = std::fs::read(file).unwrap();
        let words: Vec<u32> = bytes.as_chunks::<4>().0.iter().map(|w| u32::from_le_bytes(*w)).collect();
        for machine in matrix::of_seed(n, &machines) {
            if machine.generation() == machines[0].generation() {
                continue;
            }
            for entry in reflect(&words).unwrap() {
                let (kind, differs) = held(&words, &entry, file, machine);
                *counts.entry((machine.generation().name(), kind)).or_default() += 1;
                let name = format!("{} `{}` {}", file.display(), entry.name, machine.generation().name());
                wrong.extend(differs.into_iter().map(|how| format!("{name}: {how}")));
            }
        }
    }
    println!("{counts:?}");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    // Most do something with such data.
    let of = |kind: &str| counts.iter().filter(|((_, k), _)| *k == kind).map(|(_, n)| n).sum::<usize>();
    assert!(files.is_empty() || of("wrote") > of("refused") + of("compiled") + of("ran"), "{counts:?}");
}
