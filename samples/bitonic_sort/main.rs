//! A bitonic sort of 131072 keys: 36 dispatches of one shader in three specializations.

use std::process::ExitCode;
use wavepipe_samples::{Answer, Binding, Error, Host, Sample, Shader, Step, Tolerance, data, spirv};

const N: u32 = 1 << 17;
const BLOCK: u32 = 1024;

fn main() -> ExitCode {
    wavepipe_samples::main(&Sample {
        name: "bitonic_sort",
        about: "131072 keys sorted",
        run,
        reference,
        tolerance: Tolerance::Words,
    })
}

fn run(host: &mut dyn Host) -> Result<Answer, Error> {
    let keys = host.upload(&data::noise_words(N as usize))?;
    let mut part = |value: u32| {
        host.pipeline(&Shader {
            spirv: spirv!("bitonic_sort"),
            entry: "main",
            bindings: &[Binding::Storage],
            push_bytes: 8,
            spec: &[(0, value)],
        })
    };
    let (sort_blocks, far_step, near_steps) = (part(0)?, part(1)?, part(2)?);
    // Each work-item compares one pair at a time.
    let groups = [N / BLOCK, 1, 1];
    let step = |pipeline, k: u32, j: u32| Step::dispatch(pipeline, &[keys], bytemuck::cast_slice(&[k, j]), groups);
    let mut steps = vec![step(sort_blocks, 0, 0)];
    let mut k = 2 * BLOCK;
    while k <= N {
        let mut j = k / 2;
        while j >= BLOCK {
            steps.push(step(far_step, k, j));
            j /= 2;
        }
        steps.push(step(near_steps, k, 0));
        k *= 2;
    }
    host.run(&steps)?;
    Ok(Answer::bytes(host.read(keys)?))
}

fn reference() -> Answer {
    let mut keys = data::noise_words(N as usize);
    keys.sort_unstable();
    Answer::words(&keys)
}
