//! From vkCreateInstance to the first finished dispatch, of an empty shader: what a program pays before it begins.

use std::process::ExitCode;
use wavepipe_samples::{Answer, Error, Host, Sample, Shader, Tolerance, spirv};

fn main() -> ExitCode {
    wavepipe_samples::main(&Sample {
        name: "bench_empty",
        about: "one empty dispatch",
        run,
        reference: || Answer::words(&[]),
        tolerance: Tolerance::Words,
    })
}

fn run(host: &mut dyn Host) -> Result<Answer, Error> {
    let shader = Shader { spirv: spirv!("bench_empty"), entry: "main", bindings: &[], push_bytes: 0, spec: &[] };
    let pipeline = host.pipeline(&shader)?;
    host.dispatch(pipeline, &[], &[], [1, 1, 1])?;
    Ok(Answer::words(&[]))
}
