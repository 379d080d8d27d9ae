//! The sum of a million words, modulo 2^32: one dispatch per level of the tree.

use std::process::ExitCode;
use wavepipe_samples::{Answer, Binding, Error, Host, Sample, Shader, Step, Tolerance, data, spirv};

const N: usize = 1_000_000;
/// Words that one work-group sums: 256 work-items, 16 words each.
const STRETCH: usize = 4096;

fn main() -> ExitCode {
    wavepipe_samples::main(&Sample {
        name: "reduction",
        about: "the sum of 1000000 words",
        run,
        reference,
        tolerance: Tolerance::Words,
    })
}

fn run(host: &mut dyn Host) -> Result<Answer, Error> {
    let groups = N.div_ceil(STRETCH);
    assert!(groups <= STRETCH, "two levels must do");
    let input = host.upload(&data::noise_words(N))?;
    let sums = host.zeros(groups)?;
    let total = host.zeros(1)?;
    let pipeline = host.pipeline(&Shader {
        spirv: spirv!("reduction"),
        entry: "main",
        bindings: &[Binding::Storage; 2],
        push_bytes: 0,
        spec: &[],
    })?;
    host.run(&[
        Step::dispatch(pipeline, &[input, sums], &[], [groups as u32, 1, 1]),
        Step::dispatch(pipeline, &[sums, total], &[], [1, 1, 1]),
    ])?;
    Ok(Answer::bytes(host.read(total)?))
}

fn reference() -> Answer {
    Answer::words(&[data::noise_words(N).into_iter().fold(0, u32::wrapping_add)])
}
