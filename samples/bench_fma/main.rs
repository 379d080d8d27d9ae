//! A loop of fused multiply-adds: how many wave-instructions a second the machine executes.

use std::process::ExitCode;
use wavepipe_samples::{Answer, Binding, Error, Host, Sample, Shader, Tolerance, spirv};

const ITEMS: u32 = 128 * 256;

fn main() -> ExitCode {
    wavepipe_samples::main(&Sample {
        name: "bench_fma",
        about: "32768 work-items of 16384 fused multiply-adds",
        run,
        // Every chain's fixed point is 2, and 4096 halvings reach it.
        reference: || Answer::floats(&[16.0; ITEMS as usize]),
        tolerance: Tolerance::Floats { absolute: 1e-4, relative: 0.0 },
    })
}

fn run(host: &mut dyn Host) -> Result<Answer, Error> {
    let out = host.zeros(ITEMS as usize)?;
    let pipeline = host.pipeline(&Shader {
        spirv: spirv!("bench_fma"),
        entry: "main",
        bindings: &[Binding::Storage],
        push_bytes: 0,
        spec: &[],
    })?;
    host.dispatch(pipeline, &[out], &[], [ITEMS / 256, 1, 1])?;
    Ok(Answer::bytes(host.read(out)?))
}
