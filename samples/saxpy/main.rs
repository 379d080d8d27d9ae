//! y = a x + y over a million numbers that do not fill the last work-group.

use std::process::ExitCode;
use wavepipe_samples::{Answer, Binding, Error, Host, Sample, Shader, Tolerance, data, spirv};

const N: usize = 1_000_003;
const A: f32 = 2.5;
const GROUP: u32 = 128;

fn main() -> ExitCode {
    wavepipe_samples::main(&Sample {
        name: "saxpy",
        about: "2.5 x + y over 1000003 numbers",
        run,
        reference,
        // One rounding more or less: the sum may be fused or not.
        tolerance: Tolerance::Floats { absolute: 3e-7, relative: 1e-7 },
    })
}

fn run(host: &mut dyn Host) -> Result<Answer, Error> {
    let x = host.upload(&data::signed_floats(N, 1))?;
    let y = host.upload(&data::signed_floats(N, 2))?;
    let pipeline = host.pipeline(&Shader {
        spirv: spirv!("saxpy"),
        entry: "main",
        bindings: &[Binding::Storage, Binding::Storage],
        push_bytes: 8,
        spec: &[(0, GROUP)],
    })?;
    let push = [A.to_bits(), N as u32];
    host.dispatch(pipeline, &[x, y], bytemuck::cast_slice(&push), [(N as u32).div_ceil(GROUP), 1, 1])?;
    Ok(Answer::bytes(host.read(y)?))
}

fn reference() -> Answer {
    let (x, y) = (data::signed_floats(N, 1), data::signed_floats(N, 2));
    let sums: Vec<f32> = x.iter().zip(&y).map(|(x, y)| A * x + y).collect();
    Answer::floats(&sums)
}
