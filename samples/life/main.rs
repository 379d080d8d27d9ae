//! Conway's game of life: 24 generations of a random 300x200 board.

use std::process::ExitCode;
use wavepipe_samples::{Answer, Binding, Error, Host, Sample, Shader, Step, Tolerance, data, spirv};

const WIDTH: u32 = 300;
const HEIGHT: u32 = 200;
const GENERATIONS: u32 = 24;

fn main() -> ExitCode {
    wavepipe_samples::main(&Sample {
        name: "life",
        about: "24 generations of a 300x200 board",
        run,
        reference,
        tolerance: Tolerance::Words,
    })
}

/// About a third of the cells live.
fn board() -> Vec<u32> {
    (0..WIDTH * HEIGHT).map(|i| if data::noise(i).is_multiple_of(3) { 0xffff_ffff } else { 0xff00_0000 }).collect()
}

fn run(host: &mut dyn Host) -> Result<Answer, Error> {
    let start = host.upload(&board())?;
    let mut now = host.zeros((WIDTH * HEIGHT) as usize)?;
    let mut next = host.zeros((WIDTH * HEIGHT) as usize)?;
    let size = host.upload(&[WIDTH, HEIGHT])?;
    let pipeline = host.pipeline(&Shader {
        spirv: spirv!("life"),
        entry: "main",
        bindings: &[Binding::Storage, Binding::Storage, Binding::Uniform],
        push_bytes: 0,
        spec: &[],
    })?;
    let mut steps = vec![Step::Copy { from: start, to: now }];
    for _ in 0..GENERATIONS {
        let groups = [WIDTH.div_ceil(8), HEIGHT.div_ceil(8), 1];
        steps.push(Step::dispatch(pipeline, &[now, next, size], &[], groups));
        std::mem::swap(&mut now, &mut next);
    }
    host.run(&steps)?;
    Ok(Answer::pixels(host.read(now)?, WIDTH, HEIGHT))
}

fn reference() -> Answer {
    let mut now = board();
    for _ in 0..GENERATIONS {
        let alive = |x: u32, y: u32| now[(y % HEIGHT * WIDTH + x % WIDTH) as usize] & 255 == 255;
        let next = (0..WIDTH * HEIGHT).map(|i| {
            let (x, y) = (i % WIDTH + WIDTH, i / WIDTH + HEIGHT);
            let around = (0..9).filter(|&k| k != 4 && alive(x + k % 3 - 1, y + k / 3 - 1)).count();
            let lives = around == 3 || around == 2 && alive(x, y);
            0xff00_0000 | if lives { 0xff_ffff } else { now[i as usize] >> 1 & 0x7f_7f00 }
        });
        now = next.collect();
    }
    Answer::picture(&now, WIDTH, HEIGHT)
}
