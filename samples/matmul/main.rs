//! Matrix multiplication through tiles in shared memory; no side is a multiple of the tile.

use std::process::ExitCode;
use wavepipe_samples::{Answer, Binding, Error, Host, Sample, Shader, Tolerance, data, spirv};

const M: usize = 250;
const N: usize = 260;
const K: usize = 270;
const TILE: u32 = 16;

fn main() -> ExitCode {
    wavepipe_samples::main(&Sample {
        name: "matmul",
        about: "a 250x270 by a 270x260 matrix",
        run,
        reference,
        // 270 products below 1 in another order of rounding.
        tolerance: Tolerance::Floats { absolute: 2e-5, relative: 1e-5 },
    })
}

fn run(host: &mut dyn Host) -> Result<Answer, Error> {
    let a = host.upload(&data::signed_floats(M * K, 1))?;
    let b = host.upload(&data::signed_floats(K * N, 2))?;
    let c = host.zeros(M * N)?;
    let pipeline = host.pipeline(&Shader {
        spirv: spirv!("matmul"),
        entry: "main",
        bindings: &[Binding::Storage; 3],
        push_bytes: 12,
        spec: &[(0, TILE)],
    })?;
    let push = [M as u32, N as u32, K as u32];
    let groups = [push[1].div_ceil(TILE), push[0].div_ceil(TILE), 1];
    host.dispatch(pipeline, &[a, b, c], bytemuck::cast_slice(&push), groups)?;
    Ok(Answer::bytes(host.read(c)?))
}

fn reference() -> Answer {
    let (a, b) = (data::signed_floats(M * K, 1), data::signed_floats(K * N, 2));
    let mut c = vec![0.0f32; M * N];
    for (row, c) in a.chunks_exact(K).zip(c.chunks_exact_mut(N)) {
        for (a, row) in row.iter().zip(b.chunks_exact(N)) {
            for (c, b) in c.iter_mut().zip(row) {
                *c += a * b;
            }
        }
    }
    Answer::floats(&c)
}
