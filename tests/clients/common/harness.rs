//! What `harness.py` is to the Python clients: cases by name, each timed, its answer compared with the CPU's, one JSON line each.

use serde_json::json;
use std::error::Error;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// What a case gives: the device's numbers, then a way to compute the same on the CPU, and the absolute difference allowed.
pub struct Answer {
    pub got: Vec<f64>,
    pub want: Box<dyn FnOnce() -> Vec<f64>>,
    pub allowed: f64,
}

impl Answer {
    pub fn exact<T: Into<f64> + Copy>(got: &[T], want: impl FnOnce() -> Vec<T> + 'static) -> Self {
        Self::close(got, want, 0.0)
    }

    pub fn close<T: Into<f64> + Copy>(got: &[T], want: impl FnOnce() -> Vec<T> + 'static, allowed: f64) -> Self {
        let wide = |numbers: &[T]| numbers.iter().map(|&number| number.into()).collect::<Vec<f64>>();
        Self { got: wide(got), want: Box::new(move || wide(&want())), allowed }
    }

    /// Worst difference as a multiple of what is allowed.
    fn off(self) -> f64 {
        let want = (self.want)();
        if want.len() != self.got.len() {
            return f64::INFINITY;
        }
        let off = |(got, want): (&f64, &f64)| match (got - want).abs() {
            0.0 => 0.0,
            apart if apart.is_nan() => f64::INFINITY,
            apart => apart / self.allowed,
        };
        self.got.iter().zip(&want).map(off).fold(0.0, f64::max)
    }
}

static UNTIMED_NANOS: AtomicU64 = AtomicU64::new(0);

/// What is done within is no part of the case's time.
#[allow(dead_code)] // Not every client has such a thing to do.
pub fn untimed<T>(work: impl FnOnce() -> T) -> T {
    let start = Instant::now();
    let result = work();
    UNTIMED_NANOS.fetch_add(start.elapsed().as_nanos() as u64, Relaxed);
    result
}

pub type Result<T> = std::result::Result<T, Box<dyn Error>>;
pub type Case<Device> = (&'static str, fn(&Device) -> Result<Answer>);

/// Runs the cases named on the command line, or all, or lists them. `open` gives the device and its name.
pub fn main<Device>(open: impl FnOnce() -> Result<(Device, String)>, cases: &[Case<Device>]) {
    let wanted: Vec<String> = std::env::args().skip(1).collect();
    if wanted == ["--list"] {
        return cases.iter().for_each(|(name, _)| println!("{name}"));
    }
    let (device, name) = open().unwrap_or_else(|error| {
        eprintln!("{error}");
        std::process::exit(1);
    });
    for (name, run) in cases.iter().filter(|(name, _)| wanted.is_empty() || wanted.iter().any(|one| one == name)) {
        UNTIMED_NANOS.store(0, Relaxed);
        let start = Instant::now();
        let answer = run(&device);
        let seconds = (start.elapsed() - Duration::from_nanos(UNTIMED_NANOS.load(Relaxed))).as_secs_f64();
        let (off, why) = match answer.map(Answer::off) {
            Ok(off) if off <= 1.0 => (Some(off), String::new()),
            Ok(off) => (off.is_finite().then_some(off), "differs from the CPU".into()),
            Err(error) => (None, error.to_string()),
        };
        println!("{}", json!({"case": name, "seconds": seconds, "off": off, "ok": why.is_empty(), "why": why}));
    }
    let maps = std::fs::read_to_string("/proc/self/maps").unwrap_or_default();
    let driver = std::env::var("CLIENT_DRIVER").unwrap_or_default();
    println!("{}", json!({"device": name, "loaded": maps.contains(&driver)}));
}
