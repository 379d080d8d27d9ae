//! Conway's game of life: 24 generations of a random 300x200 board, or, in a window, as many as one likes to see.

use std::process::ExitCode;
use wavepipe_samples::{
    Answer, Binding, BufferId, Error, Frames, Host, PipelineId, Sample, Scene, Shader, Step, Tolerance, data, spirv,
};

const WIDTH: u32 = 300;
const HEIGHT: u32 = 200;
const GENERATIONS: u32 = 24;

fn main() -> ExitCode {
    let sample = Sample {
        name: "life",
        about: "24 generations of a 300x200 board",
        run,
        reference,
        tolerance: Tolerance::Words,
    };
    wavepipe_samples::main_with_window(&sample, &Scene { size: [WIDTH, HEIGHT], scale: 3, start })
}

/// About a third of the cells live.
fn board() -> Vec<u32> {
    (0..WIDTH * HEIGHT).map(|i| if data::noise(i).is_multiple_of(3) { 0xffff_ffff } else { 0xff00_0000 }).collect()
}

/// Two boards, one of which is made of the other.
struct Game {
    pipeline: PipelineId,
    size: BufferId,
    now: BufferId,
    next: BufferId,
}

impl Game {
    fn new(host: &mut dyn Host) -> Result<Game, Error> {
        Ok(Game {
            now: host.upload(&board())?,
            next: host.zeros((WIDTH * HEIGHT) as usize)?,
            size: host.upload(&[WIDTH, HEIGHT])?,
            pipeline: host.pipeline(&Shader {
                spirv: spirv!("life"),
                entry: "main",
                bindings: &[Binding::Storage, Binding::Storage, Binding::Uniform],
                push_bytes: 0,
                spec: &[],
            })?,
        })
    }

    /// One generation.
    fn step(&mut self) -> Step {
        let groups = [WIDTH.div_ceil(8), HEIGHT.div_ceil(8), 1];
        let step = Step::dispatch(self.pipeline, &[self.now, self.next, self.size], &[], groups);
        std::mem::swap(&mut self.now, &mut self.next);
        step
    }
}

fn run(host: &mut dyn Host) -> Result<Answer, Error> {
    let mut game = Game::new(host)?;
    let start = game.now;
    game.now = host.zeros((WIDTH * HEIGHT) as usize)?;
    let mut steps = vec![Step::Copy { from: start, to: game.now }];
    steps.extend((0..GENERATIONS).map(|_| game.step()));
    host.run(&steps)?;
    Ok(Answer::pixels(host.read(game.now)?, WIDTH, HEIGHT))
}

fn start(host: &mut dyn Host) -> Result<Frames, Error> {
    let mut game = Game::new(host)?;
    Ok(Box::new(move || (vec![game.step()], game.now)))
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
