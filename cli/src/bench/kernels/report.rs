//! What was measured, as a table or as JSON.

use crate::bench::measure::median;
use serde::Serialize;
use serde_json::Value;
use std::fmt;
use wavepipe_limits::{Limit, Limits};

#[derive(Serialize)]
pub struct Report {
    /// Of dispatches of each kernel on each driver.
    seconds: f64,
    turns: u32,
    /// In the order of each kernel's timings.
    drivers: Vec<Column>,
    host: Limits,
    pub kernels: Vec<KernelRow>,
    /// Of each of this driver's columns, where there is a driver to compare with.
    pub means: Vec<Mean>,
}

#[derive(Serialize)]
pub struct Column {
    pub label: String,
    /// The host code to which this driver is restricted.
    pub host: Option<String>,
    pub ours: bool,
    /// What the device calls itself.
    pub device: Option<String>,
}

#[derive(Serialize)]
pub struct KernelRow {
    pub name: String,
    /// How near to the CPU's an answer must be.
    pub tolerance: String,
    /// Of one dispatch, where the kernel is held against what the host does at best.
    pub fmas: Option<u64>,
    /// Read and written.
    pub bytes: Option<u64>,
    pub timings: Vec<Timing>,
}

/// A kernel on a driver.
#[derive(Debug, Default, Serialize)]
pub struct Timing {
    /// From submission until the device was done.
    pub median_ms: Option<f64>,
    pub least_ms: Option<f64>,
    pub dispatches: usize,
    /// The other driver's median over this one.
    pub times_as_fast: Option<f64>,
    /// The same of the shortest dispatches, which other work on the host disturbs less.
    pub least_times_as_fast: Option<f64>,
    /// Whether the answer has the bits of the other driver's. Both are within the tolerance of the CPU's.
    pub bits_equal: Option<bool>,
    /// Multiply-adds, or bytes, in the shortest dispatch, for the host's best counts too.
    pub per_second: Option<f64>,
    /// Of what all of the host's threads do, with its widest vectors.
    pub share_of_host: Option<f64>,
    /// Of multiply-adds: the same with the vectors that this driver's host code is made of, where those are others.
    pub share_of_vectors: Option<f64>,
    /// Why there are no times: a wrong answer, or none.
    pub failed: Option<String>,
}

#[derive(Debug, PartialEq, Serialize)]
pub struct Mean {
    pub driver: String,
    pub geometric_mean: f64,
    /// By the shortest dispatches.
    pub least_geometric_mean: f64,
    pub least: f64,
    pub least_kernel: String,
}

impl Timing {
    pub fn new(times: Vec<f64>, failed: Option<String>) -> Timing {
        if failed.is_some() || times.is_empty() {
            let failed = failed.or_else(|| Some("no times".to_owned()));
            return Timing { failed, ..Timing::default() };
        }
        Timing {
            least_ms: times.iter().copied().min_by(f64::total_cmp),
            dispatches: times.len(),
            median_ms: Some(median(times)),
            ..Timing::default()
        }
    }
}

impl KernelRow {
    pub fn new(name: &str) -> KernelRow {
        KernelRow { name: name.to_owned(), tolerance: String::new(), fmas: None, bytes: None, timings: Vec::new() }
    }

    /// What the program says of the kernel.
    pub fn describe(&mut self, told: &Value) {
        self.tolerance = told["tolerance"].as_str().unwrap_or_default().to_owned();
        self.fmas = told["work"]["fmas"].as_u64();
        self.bytes = told["work"]["bytes"].as_u64();
    }

    /// Fills in what follows from the times: of the column of the other driver, and the answers' digests.
    pub fn compare(&mut self, rival: Option<usize>, digests: &[Option<String>]) {
        let good = |timing: &Timing| timing.median_ms.zip(timing.least_ms).filter(|_| timing.failed.is_none());
        let rival = rival.filter(|&i| good(&self.timings[i]).is_some());
        let rival_ms = rival.and_then(|i| good(&self.timings[i]));
        let work = self.fmas.or(self.bytes);
        for (i, timing) in self.timings.iter_mut().enumerate() {
            let Some((median, least)) = good(timing) else { continue };
            if rival != Some(i) {
                timing.times_as_fast = rival_ms.map(|(rival, _)| rival / median);
                timing.least_times_as_fast = rival_ms.map(|(_, rival)| rival / least);
                timing.bits_equal = rival.map(|rival| digests[rival] == digests[i]);
            }
            timing.per_second = work.map(|work| work as f64 / (least / 1e3));
        }
    }

    /// Fills in which share of the host's limit is reached.
    fn hold_against(&mut self, drivers: &[Column], host: &Limits) {
        let widest = host.vectors.first().map(|peak| peak.host);
        for (timing, driver) in self.timings.iter_mut().zip(drivers) {
            let share = |limit: Option<Limit>| Some(timing.per_second? / limit?.all_threads);
            timing.share_of_host = share(match self.fmas {
                Some(_) => host.fmas_of(None),
                None => host.copied_bytes_per_second,
            });
            let own = driver.host.as_deref().filter(|own| self.fmas.is_some() && Some(*own) != widest);
            let known = own.filter(|own| host.vectors.iter().any(|peak| peak.host == *own));
            timing.share_of_vectors = known.and_then(|own| share(host.fmas_of(Some(own))));
        }
    }

    /// How this driver's answers stand to the other one's.
    fn results(&self) -> String {
        let equal: Vec<bool> = self.timings.iter().filter_map(|timing| timing.bits_equal).collect();
        match equal.iter().all(|equal| *equal) {
            _ if self.timings.iter().any(|timing| timing.failed.is_some()) => "failed".to_owned(),
            true if equal.is_empty() => format!("right: {}", self.tolerance),
            true => "bits equal".to_owned(),
            false => self.tolerance.clone(),
        }
    }
}

impl Report {
    pub fn new(seconds: f64, turns: u32, drivers: Vec<Column>, host: Limits, mut kernels: Vec<KernelRow>) -> Report {
        kernels.iter_mut().for_each(|kernel| kernel.hold_against(&drivers, &host));
        let mean = |i: usize, of: fn(&Timing) -> Option<f64>| {
            let ratios: Vec<f64> = kernels.iter().filter_map(|kernel| of(&kernel.timings[i])).collect();
            (ratios.iter().map(|ratio| ratio.ln()).sum::<f64>() / ratios.len() as f64).exp()
        };
        let means = (0..drivers.len()).filter_map(|i| {
            let ratios = kernels.iter().filter_map(|kernel| Some((&kernel.name, kernel.timings[i].times_as_fast?)));
            let (least_kernel, least) = ratios.min_by(|a, b| a.1.total_cmp(&b.1))?;
            Some(Mean {
                driver: drivers[i].label.clone(),
                geometric_mean: mean(i, |timing| timing.times_as_fast),
                least_geometric_mean: mean(i, |timing| timing.least_times_as_fast),
                least,
                least_kernel: least_kernel.clone(),
            })
        });
        let means = means.collect();
        Report { seconds, turns, drivers, host, kernels, means }
    }

    /// What each kernel that is wrong somewhere says.
    pub fn failures(&self) -> Vec<String> {
        let of = |kernel: &KernelRow| {
            let timings = kernel.timings.iter().zip(&self.drivers);
            let failed = timings.filter_map(|(timing, driver)| Some((timing.failed.as_ref()?, driver)));
            failed.map(|(why, driver)| format!("{}, {}: {why}", kernel.name, driver.label)).collect::<Vec<_>>()
        };
        self.kernels.iter().flat_map(of).collect()
    }

    /// The label of the driver to compare with.
    fn rival(&self) -> Option<&str> {
        self.drivers.iter().find(|driver| !driver.ours).map(|driver| driver.label.as_str())
    }
}

/// Columns are as wide as their labels.
fn width(driver: &Column) -> usize {
    driver.label.len().max(9)
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let rival = self.rival();
        write!(f, "Steady dispatches, medians in ms over {} turns", self.turns)?;
        writeln!(f, "{}", rival.map_or(String::new(), |rival| format!("; × is how many times as fast as {rival}")))?;
        for driver in &self.drivers {
            writeln!(f, "{}: {}", driver.label, driver.device.as_deref().unwrap_or("no device"))?;
        }
        write!(f, "{:<14}", "kernel")?;
        for driver in &self.drivers {
            write!(f, " {:>1$}", driver.label, width(driver))?;
            write!(f, "{}", if driver.ours && rival.is_some() { "       ×" } else { "" })?;
        }
        writeln!(f, "   answers")?;
        for kernel in &self.kernels {
            write!(f, "{:<14}", kernel.name)?;
            for (timing, driver) in kernel.timings.iter().zip(&self.drivers) {
                let ms = timing.median_ms.map_or("-".to_owned(), |ms| format!("{ms:.3}"));
                write!(f, " {ms:>0$}", width(driver))?;
                if driver.ours && rival.is_some() {
                    let ratio = timing.times_as_fast.map_or("-".to_owned(), |ratio| format!("{ratio:.2}"));
                    write!(f, " {ratio:>7}")?;
                }
            }
            writeln!(f, "   {}", kernel.results())?;
        }
        for mean in &self.means {
            writeln!(
                f,
                "{}: {:.2} × in the geometric mean ({:.2} × by the shortest dispatches), least {:.2} × ({})",
                mean.driver, mean.geometric_mean, mean.least_geometric_mean, mean.least, mean.least_kernel
            )?;
        }
        self.shares(f)
    }
}

impl Report {
    /// The host's limits, and which share of them each driver reaches.
    fn shares(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let giga = |rate: f64| rate / 1e9;
        let host = &self.host;
        for peak in &host.vectors {
            let Some(limit) = peak.fmas_per_second else { continue };
            let (one, all) = (giga(limit.one_thread), giga(limit.all_threads));
            let (threads, vectors) = (host.threads, peak.host);
            writeln!(f, "this host ({vectors}): {one:.1} G multiply-adds/s on one thread, {all:.1} G on {threads}")?;
        }
        if let Some(limit) = host.copied_bytes_per_second {
            let (one, all, threads) = (giga(limit.one_thread), giga(limit.all_threads), host.threads);
            let stream = host.stream_bytes as f64 / f64::from(1 << 20);
            writeln!(f, "this host, copies of {stream} MB: {one:.1} GB/s on one thread, {all:.1} GB/s on {threads}")?;
        }
        for kernel in self.kernels.iter().filter(|kernel| kernel.fmas.or(kernel.bytes).is_some()) {
            let unit = if kernel.fmas.is_some() { "G multiply-adds/s" } else { "GB/s" };
            let reached = kernel.timings.iter().zip(&self.drivers).filter_map(|(timing, driver)| {
                let (rate, share) = (giga(timing.per_second?), timing.share_of_host? * 100.0);
                let own = timing.share_of_vectors.map(|own| format!(" ({:.0} % of such vectors')", own * 100.0));
                Some(format!("{} {rate:.1} {unit}, {share:.0} %{}", driver.label, own.unwrap_or_default()))
            });
            let reached: Vec<_> = reached.collect();
            if !reached.is_empty() {
                writeln!(f, "{}, of the host's on all threads: {}", kernel.name, reached.join("; "))?;
            }
        }
        Ok(())
    }
}
