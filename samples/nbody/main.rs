//! Gravity between 2000 bodies, all pairs, two steps; the positions swap buffers in between.

use std::process::ExitCode;
use wavepipe_samples::{Answer, Binding, Error, Host, Sample, Shader, Step, Tolerance, data, spirv};

const BODIES: usize = 2000;
const STEPS: usize = 2;
const STEP: f32 = 0.01;
const SOFTENING: f32 = 0.01;

fn main() -> ExitCode {
    wavepipe_samples::main(&Sample {
        name: "nbody",
        about: "2000 bodies, 2 steps",
        run,
        reference,
        // Sums of 2000 forces in another order of rounding, and inversesqrt within 2 ULP, scaled by the step.
        tolerance: Tolerance::Floats { absolute: 1e-5, relative: 1e-5 },
    })
}

/// Positions in [-1, 1)^3 with masses that sum to about 1.
fn bodies() -> Vec<[f32; 4]> {
    let row = data::signed_floats(4 * BODIES, 7);
    row.chunks_exact(4).map(|v| [v[0], v[1], v[2], (v[3] + 1.0) / BODIES as f32]).collect()
}

fn run(host: &mut dyn Host) -> Result<Answer, Error> {
    let mut now = host.upload(&bodies())?;
    let mut next = host.zeros(4 * BODIES)?;
    let velocities = host.zeros(4 * BODIES)?;
    let pipeline = host.pipeline(&Shader {
        spirv: spirv!("nbody"),
        entry: "main",
        bindings: &[Binding::Storage; 3],
        push_bytes: 12,
        spec: &[],
    })?;
    let push = [BODIES as u32, STEP.to_bits(), SOFTENING.to_bits()];
    let mut steps = Vec::new();
    for _ in 0..STEPS {
        let groups = [(BODIES as u32).div_ceil(256), 1, 1];
        steps.push(Step::dispatch(pipeline, &[now, next, velocities], bytemuck::cast_slice(&push), groups));
        std::mem::swap(&mut now, &mut next);
    }
    host.run(&steps)?;
    Ok(Answer::bytes(host.read(now)?))
}

fn reference() -> Answer {
    let mut now = bodies();
    let mut velocities = vec![[0.0f32; 3]; BODIES];
    for _ in 0..STEPS {
        let mut next = now.clone();
        for ((body, velocity), next) in now.iter().zip(&mut velocities).zip(&mut next) {
            let mut pull = [0.0f32; 3];
            for other in &now {
                let away = [other[0] - body[0], other[1] - body[1], other[2] - body[2]];
                let square = away[0] * away[0] + away[1] * away[1] + away[2] * away[2] + SOFTENING;
                let scale = other[3] / (square * square.sqrt());
                for (pull, away) in pull.iter_mut().zip(away) {
                    *pull += away * scale;
                }
            }
            for axis in 0..3 {
                velocity[axis] += STEP * pull[axis];
                next[axis] += STEP * velocity[axis];
            }
        }
        now = next;
    }
    Answer::floats(bytemuck::cast_slice(&now))
}
