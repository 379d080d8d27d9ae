//! A small scene of signed distances, sphere-traced, with soft shadows.

mod reference;

use std::process::ExitCode;
use wavepipe_samples::{Answer, Binding, Error, Host, Sample, Shader, Tolerance, spirv};

const WIDTH: u32 = 320;
const HEIGHT: u32 = 240;
const TURN: f32 = 0.6;
const DISTANCE: f32 = 5.0;

fn main() -> ExitCode {
    wavepipe_samples::main(&Sample {
        name: "raymarch",
        about: "a 320x240 picture of a scene",
        run,
        reference,
        // On silhouettes, shadow edges and the floor's joints one rounding decides between two colours.
        tolerance: Tolerance::Pixels { channel: 3, outliers: 0.01 },
    })
}

fn run(host: &mut dyn Host) -> Result<Answer, Error> {
    let pixels = host.zeros((WIDTH * HEIGHT) as usize)?;
    let view = host.upload(&[WIDTH, HEIGHT, TURN.to_bits(), DISTANCE.to_bits()])?;
    let pipeline = host.pipeline(&Shader {
        spirv: spirv!("raymarch"),
        entry: "main",
        bindings: &[Binding::Storage, Binding::Uniform],
        push_bytes: 0,
        spec: &[],
    })?;
    host.dispatch(pipeline, &[pixels, view], &[], [WIDTH / 8, HEIGHT / 8, 1])?;
    Ok(Answer::pixels(host.read(pixels)?, WIDTH, HEIGHT))
}

fn reference() -> Answer {
    let pixel = |i| reference::pixel(i % WIDTH, i / WIDTH, WIDTH, HEIGHT, TURN, DISTANCE);
    Answer::picture(&(0..WIDTH * HEIGHT).map(pixel).collect::<Vec<_>>(), WIDTH, HEIGHT)
}
