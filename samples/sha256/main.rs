//! SHA-256 of 10000 messages of 32 bytes.

mod reference;

use std::process::ExitCode;
use wavepipe_samples::{Answer, Binding, Error, Host, Sample, Shader, Tolerance, data, spirv};

const MESSAGES: usize = 10_000;

fn main() -> ExitCode {
    wavepipe_samples::main(&Sample {
        name: "sha256",
        about: "10000 digests",
        run,
        reference,
        tolerance: Tolerance::Words,
    })
}

fn run(host: &mut dyn Host) -> Result<Answer, Error> {
    let messages = host.upload(&data::noise_words(8 * MESSAGES))?;
    let digests = host.zeros(8 * MESSAGES)?;
    let constants = host.upload(&reference::constants())?;
    let pipeline = host.pipeline(&Shader {
        spirv: spirv!("sha256"),
        entry: "main",
        bindings: &[Binding::Storage, Binding::Storage, Binding::Uniform],
        push_bytes: 0,
        spec: &[],
    })?;
    host.dispatch(pipeline, &[messages, digests, constants], &[], [(MESSAGES as u32).div_ceil(64), 1, 1])?;
    Ok(Answer::bytes(host.read(digests)?))
}

fn reference() -> Answer {
    let constants = reference::constants();
    let words = data::noise_words(8 * MESSAGES);
    let digests = words.chunks_exact(8).flat_map(|m| {
        let message = std::array::from_fn(|i| m[i]);
        reference::digest(message, &constants)
    });
    Answer::words(&digests.collect::<Vec<_>>())
}
