//! The Mandelbrot set, coloured by smooth iteration counts.

use std::process::ExitCode;
use wavepipe_samples::{Answer, Binding, Error, Host, Sample, Shader, Tolerance, spirv};

const WIDTH: u32 = 640;
const HEIGHT: u32 = 480;
const STEPS: u32 = 256;

fn main() -> ExitCode {
    wavepipe_samples::main(&Sample {
        name: "mandelbrot",
        about: "640x480 pixels of the Mandelbrot set",
        run,
        reference,
        // Near the set one rounding (a fused multiply-add, say) changes how many steps a point takes.
        tolerance: Tolerance::Pixels { channel: 3, outliers: 0.01 },
    })
}

fn run(host: &mut dyn Host) -> Result<Answer, Error> {
    let pixels = host.zeros((WIDTH * HEIGHT) as usize)?;
    let pipeline = host.pipeline(&Shader {
        spirv: spirv!("mandelbrot"),
        entry: "main",
        bindings: &[Binding::Storage],
        push_bytes: 0,
        spec: &[],
    })?;
    host.dispatch(pipeline, &[pixels], &[], [WIDTH / 16, HEIGHT / 16, 1])?;
    Ok(Answer::pixels(host.read(pixels)?, WIDTH, HEIGHT))
}

fn reference() -> Answer {
    let pixels: Vec<u32> = (0..WIDTH * HEIGHT).map(|i| pixel(i % WIDTH, i / WIDTH)).collect();
    Answer::picture(&pixels, WIDTH, HEIGHT)
}

fn pixel(x: u32, y: u32) -> u32 {
    let (height, aspect) = (HEIGHT as f32, WIDTH as f32 / HEIGHT as f32);
    let cx = ((x as f32 + 0.5) / height - 0.5 * aspect) * 2.6 - 0.65;
    let cy = (0.5 - (y as f32 + 0.5) / height) * 2.6;
    let (mut zx, mut zy, mut steps) = (0.0f32, 0.0f32, 0);
    while steps < STEPS && zx * zx + zy * zy <= 64.0 {
        (zx, zy) = (zx * zx - zy * zy + cx, 2.0 * zx * zy + cy);
        steps += 1;
    }
    if steps == STEPS {
        return 0xff00_0000;
    }
    let smooth = steps as f32 + 1.0 - (0.5 * (zx * zx + zy * zy).log2()).log2();
    let t = smooth.sqrt() * 0.125;
    let channel = |phase: f32| {
        let value = 0.5 + 0.5 * (std::f32::consts::TAU * (t + phase)).cos();
        (value.clamp(0.0, 1.0) * 255.0 + 0.5).floor() as u32
    };
    channel(0.55) | channel(0.65) << 8 | channel(0.78) << 16 | 0xff00_0000
}
