//! Inclusive prefix sums with subgroup arithmetic: blocks, the blocks' totals, offsets added.

use std::process::ExitCode;
use wavepipe_samples::{Answer, Binding, Error, Host, Sample, Shader, Step, Tolerance, data, spirv};

const BLOCK: usize = 1024;
const BLOCKS: usize = 509;

fn main() -> ExitCode {
    wavepipe_samples::main(&Sample {
        name: "subgroup_scan",
        about: "prefix sums of 521216 words",
        run,
        reference,
        tolerance: Tolerance::Words,
    })
}

fn run(host: &mut dyn Host) -> Result<Answer, Error> {
    let values = host.upload(&data::noise_words(BLOCKS * BLOCK))?;
    // A block of totals is scanned as a block of data is, so its size is a multiple of four words.
    let totals = host.zeros(BLOCKS.next_multiple_of(4))?;
    let total = host.zeros(1)?;
    let mut shader = Shader {
        spirv: spirv!("subgroup_scan"),
        entry: "scan",
        bindings: &[Binding::Storage; 2],
        push_bytes: 0,
        spec: &[],
    };
    let scan = host.pipeline(&shader)?;
    shader.entry = "add_offsets";
    let add = host.pipeline(&shader)?;
    let blocks = [BLOCKS as u32, 1, 1];
    host.run(&[
        Step::dispatch(scan, &[values, totals], &[], blocks),
        Step::dispatch(scan, &[totals, total], &[], [1, 1, 1]),
        Step::dispatch(add, &[values, totals], &[], blocks),
    ])?;
    Ok(Answer::bytes(host.read(values)?))
}

fn reference() -> Answer {
    let mut sum = 0u32;
    let sums: Vec<u32> = data::noise_words(BLOCKS * BLOCK)
        .into_iter()
        .map(|word| {
            sum = sum.wrapping_add(word);
            sum
        })
        .collect();
    Answer::words(&sums)
}
