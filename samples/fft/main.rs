//! 256 Fourier transforms of 1024 complex numbers.

use std::process::ExitCode;
use wavepipe_samples::{Answer, Binding, Error, Host, Sample, Shader, Tolerance, data, spirv};

const SIZE: usize = 1024;
const BATCH: usize = 256;

fn main() -> ExitCode {
    wavepipe_samples::main(&Sample {
        name: "fft",
        about: "256 transforms of 1024 complex numbers",
        run,
        reference,
        // Numbers grow to about 60. Vulkan lets sin and cos be 2^-11 off; five passes of devices that are ten times
        // better than that stay within this.
        tolerance: Tolerance::Floats { absolute: 4e-3, relative: 1e-4 },
    })
}

fn run(host: &mut dyn Host) -> Result<Answer, Error> {
    let signal = host.upload(&data::signed_floats(2 * SIZE * BATCH, 5))?;
    let pipeline = host.pipeline(&Shader {
        spirv: spirv!("fft"),
        entry: "main",
        bindings: &[Binding::Storage],
        push_bytes: 0,
        spec: &[],
    })?;
    host.dispatch(pipeline, &[signal], &[], [BATCH as u32, 1, 1])?;
    Ok(Answer::bytes(host.read(signal)?))
}

fn reference() -> Answer {
    let signal = data::signed_floats(2 * SIZE * BATCH, 5);
    let transform = |numbers: &[f32]| {
        let numbers: Vec<_> = numbers.chunks_exact(2).map(|n| (f64::from(n[0]), f64::from(n[1]))).collect();
        fourier(&numbers).into_iter().flat_map(|(re, im)| [re as f32, im as f32])
    };
    Answer::floats(&signal.chunks_exact(2 * SIZE).flat_map(transform).collect::<Vec<_>>())
}

/// The textbook recursion in double precision: transforms of the even and the odd numbers, combined.
fn fourier(numbers: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let n = numbers.len();
    if n == 1 {
        return numbers.to_vec();
    }
    let part = |start: usize| fourier(&numbers[start..].iter().copied().step_by(2).collect::<Vec<_>>());
    let (even, odd) = (part(0), part(1));
    let mut out = vec![(0.0, 0.0); n];
    for k in 0..n / 2 {
        let (sin, cos) = (-std::f64::consts::TAU * k as f64 / n as f64).sin_cos();
        let turned = (odd[k].0 * cos - odd[k].1 * sin, odd[k].0 * sin + odd[k].1 * cos);
        out[k] = (even[k].0 + turned.0, even[k].1 + turned.1);
        out[k + n / 2] = (even[k].0 - turned.0, even[k].1 - turned.1);
    }
    out
}
