//! Samples that go on and on, in a window.

use crate::host::{BufferId, Error, Host, Step};
use crate::program::{self, Options, Sample};
use crate::vulkan::Vulkan;
use crate::window::Window;
use clap::Parser;
use std::process::ExitCode;
use std::time::{Duration, Instant};

/// What makes the next picture, and where it will be: R8G8B8A8 rows from the top.
pub type Frames = Box<dyn FnMut() -> (Vec<Step>, BufferId)>;

/// Pictures without end.
pub struct Scene {
    pub size: [u32; 2],
    /// Pixels of the window, at first, for each of the picture's.
    pub scale: u32,
    /// Makes buffers and pipelines, and what the steps of each picture are.
    pub start: fn(&mut dyn Host) -> Result<Frames, Error>,
}

#[derive(Debug, Parser)]
#[command(after_help = "Exit code: 0 right, 1 wrong, 2 usage, 3 the driver or the X server failed.")]
struct SceneOptions {
    #[command(flatten)]
    options: Options,
    /// Show it in a window of the X server, until that is closed
    #[arg(long, conflicts_with_all = ["host", "out", "raw", "against", "no_check", "steady", "json"])]
    window: bool,
    /// Stand still after this many pictures
    #[arg(long, value_name = "N", requires = "window")]
    frames: Option<u64>,
}

/// The `main` of a sample that has a scene too.
pub fn main_with_window(sample: &Sample, scene: &Scene) -> ExitCode {
    let asked = SceneOptions::parse();
    if !asked.window {
        return program::run_with(sample, None, &asked.options);
    }
    match show(sample, scene, asked.frames) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{}: {error}", sample.name);
            ExitCode::from(3)
        }
    }
}

/// How often a window that stands still is looked after.
const REST: Duration = Duration::from_millis(20);

fn show(sample: &Sample, scene: &Scene, frames: Option<u64>) -> Result<(), Error> {
    let window = Window::open(sample.name, scene.size.map(|n| n * scene.scale))?;
    let (mut host, mut stage) = Vulkan::open_in(sample.name, &window, scene.size)?;
    let shown = (scene.start)(&mut host).and_then(|mut next| {
        let (mut count, mut last, start) = (0u64, None, Instant::now());
        let mut took = Duration::ZERO;
        loop {
            let news = window.news()?;
            if news.closed {
                break;
            }
            let resized = news.size.is_some_and(|size| stage.fit(&host, size));
            if frames.is_none_or(|frames| count < frames) {
                let (steps, picture) = next();
                host.run(&steps)?;
                stage.show(&host, picture)?;
                (count, last, took) = (count + 1, Some(picture), start.elapsed());
            } else {
                if let Some(picture) = last.filter(|_| news.exposed || resized) {
                    stage.show(&host, picture)?;
                }
                std::thread::sleep(REST);
            }
        }
        let rate = count as f64 / took.as_secs_f64().max(f64::EPSILON);
        println!("{}: {count} pictures on {}, {rate:.1} a second", sample.name, host.device());
        Ok(())
    });
    stage.end(&host);
    shown
}
