//! The transpose of a 1000x900 matrix; no side is a multiple of the tile.

use std::process::ExitCode;
use wavepipe_samples::{Answer, Binding, Error, Host, Sample, Shader, Tolerance, data, spirv};

const WIDTH: usize = 1000;
const HEIGHT: usize = 900;

fn main() -> ExitCode {
    wavepipe_samples::main(&Sample {
        name: "transpose",
        about: "a 1000x900 matrix",
        run,
        reference,
        tolerance: Tolerance::Words,
    })
}

fn run(host: &mut dyn Host) -> Result<Answer, Error> {
    let from = host.upload(&data::noise_words(WIDTH * HEIGHT))?;
    let to = host.zeros(WIDTH * HEIGHT)?;
    let pipeline = host.pipeline(&Shader {
        spirv: spirv!("transpose"),
        entry: "main",
        bindings: &[Binding::Storage; 2],
        push_bytes: 8,
        spec: &[],
    })?;
    let push = [WIDTH as u32, HEIGHT as u32];
    let groups = [push[0].div_ceil(32), push[1].div_ceil(32), 1];
    host.dispatch(pipeline, &[from, to], bytemuck::cast_slice(&push), groups)?;
    Ok(Answer::bytes(host.read(to)?))
}

fn reference() -> Answer {
    let from = data::noise_words(WIDTH * HEIGHT);
    let to: Vec<u32> = (0..WIDTH * HEIGHT).map(|i| from[i % HEIGHT * WIDTH + i / HEIGHT]).collect();
    Answer::words(&to)
}
