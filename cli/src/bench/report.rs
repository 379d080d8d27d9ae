//! What was measured, as a table or as JSON.

use super::measure::Rate;
use serde::Serialize;
use std::fmt;

#[derive(Default, Serialize)]
pub struct Report {
    /// Timed runs of each program on each driver.
    pub runs: u32,
    pub samples: Vec<SampleRow>,
    /// From vkCreateInstance to the first finished empty dispatch.
    pub first_dispatch_ms: Option<f64>,
    pub rate: Option<Rate>,
}

/// One sample: medians in milliseconds.
#[derive(Default, Serialize)]
pub struct SampleRow {
    pub name: &'static str,
    /// The whole program, from spawn to exit.
    pub whole_ms: f64,
    /// Creating its pipelines.
    pub compile_ms: f64,
    /// From submission until the device was done.
    pub device_ms: f64,
    pub rivals: Vec<Rival>,
    /// Why there are no times: a wrong answer, or none.
    pub failed: Option<String>,
}

/// The same program on another driver.
#[derive(Serialize)]
pub struct Rival {
    pub driver: &'static str,
    pub whole_ms: f64,
    /// Its time over ours.
    pub times_as_fast: f64,
}

impl Report {
    /// For each rival: its label, the geometric mean of the ratios, and the sample with the least ratio.
    pub fn means(&self) -> Vec<(&'static str, f64, (&'static str, f64))> {
        let right: Vec<&SampleRow> = self.samples.iter().filter(|row| row.failed.is_none()).collect();
        let Some(first) = right.first() else { return Vec::new() };
        (0..first.rivals.len())
            .map(|i| {
                let ratios = || right.iter().map(|row| (row.name, row.rivals[i].times_as_fast));
                let logs: f64 = ratios().map(|(_, ratio)| ratio.ln()).sum();
                let least = ratios().min_by(|a, b| a.1.total_cmp(&b.1)).unwrap_or(("", f64::NAN));
                (first.rivals[i].driver, (logs / right.len() as f64).exp(), least)
            })
            .collect()
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        writeln!(
            f,
            "Whole programs through the Vulkan loader, medians of {} runs in ms; × is how many times as fast.",
            self.runs
        )?;
        write!(f, "{:<14} {:>9} {:>8} {:>8}", "sample", "wavepipe", "compile", "device")?;
        let means = self.means();
        for (driver, ..) in &means {
            write!(f, " {driver:>17} {:>7}", "×")?;
        }
        writeln!(f)?;
        for row in &self.samples {
            if let Some(why) = &row.failed {
                writeln!(f, "{:<14} {why}", row.name)?;
                continue;
            }
            write!(f, "{:<14} {:>9.1} {:>8.1} {:>8.1}", row.name, row.whole_ms, row.compile_ms, row.device_ms)?;
            for rival in &row.rivals {
                write!(f, " {:>17.1} {:>7.2}", rival.whole_ms, rival.times_as_fast)?;
            }
            writeln!(f)?;
        }
        for (driver, mean, (name, least)) in &means {
            writeln!(f, "beside {driver}: {mean:.2}× in the geometric mean, least {least:.2}× ({name})")?;
        }
        let slowest = self.samples.iter().max_by(|a, b| a.compile_ms.total_cmp(&b.compile_ms));
        if let Some(row) = slowest {
            writeln!(f, "longest compilation: {:.1} ms ({})", row.compile_ms, row.name)?;
        }
        if let Some(ms) = self.first_dispatch_ms {
            writeln!(f, "vkCreateInstance to the first finished dispatch: {ms:.1} ms")?;
        }
        let Some(rate) = self.rate else { return Ok(()) };
        writeln!(
            f,
            "multiply-add loop: {} wave-instructions in {:.1} ms, {:.1} million a second on each of {} threads",
            rate.wave_instructions,
            rate.ms,
            rate.per_second_and_thread / 1e6,
            rate.threads
        )
    }
}
