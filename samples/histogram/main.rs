//! A histogram of bytes, unevenly spread so that the atomics collide.

use std::process::ExitCode;
use wavepipe_samples::{Answer, Binding, Error, Host, Sample, Shader, Step, Tolerance, data, spirv};

const WORDS: usize = 250_001;
/// Words that one work-group counts.
const STRETCH: usize = 2048;

fn main() -> ExitCode {
    wavepipe_samples::main(&Sample {
        name: "histogram",
        about: "counts of 1000004 bytes",
        run,
        reference,
        tolerance: Tolerance::Words,
    })
}

/// Bytes with few bits set are likelier.
fn input() -> Vec<u32> {
    (0..WORDS as u32).map(|i| data::noise(2 * i) & data::noise(2 * i + 1)).collect()
}

fn run(host: &mut dyn Host) -> Result<Answer, Error> {
    let words = host.upload(&input())?;
    let bins = host.upload(&[0xdead_beefu32; 256])?;
    let pipeline = host.pipeline(&Shader {
        spirv: spirv!("histogram"),
        entry: "main",
        bindings: &[Binding::Storage; 2],
        push_bytes: 0,
        spec: &[],
    })?;
    host.run(&[
        Step::Fill { buffer: bins, word: 0 },
        Step::dispatch(pipeline, &[words, bins], &[], [WORDS.div_ceil(STRETCH) as u32, 1, 1]),
    ])?;
    Ok(Answer::bytes(host.read(bins)?))
}

fn reference() -> Answer {
    let mut bins = [0u32; 256];
    for byte in input().into_iter().flat_map(u32::to_le_bytes) {
        bins[usize::from(byte)] += 1;
    }
    Answer::words(&bins)
}
