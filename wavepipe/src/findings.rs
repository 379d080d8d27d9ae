//! What the checks found on a device: in words, in files, and whether it is a failure.

use crate::failure::{Failure, Result, write_file};
use std::path::Path;
use wavepipe_runtime::Device;
use wavepipe_runtime::findings::{Report, document, sarif};

/// Findings as they are written.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Findings {
    pub reports: Vec<Report>,
    /// How many others there are.
    pub more: u64,
}

impl Findings {
    /// All of a device.
    pub fn of(device: &Device) -> Findings {
        let found = device.findings();
        Findings { reports: found.findings.iter().map(|f| Report::from(&**f)).collect(), more: found.more }
    }

    /// Writes them to a file: .sarif, or JSON.
    pub fn write(&self, path: &Path) -> Result<()> {
        let value = match path.extension().is_some_and(|e| e == "sarif") {
            true => sarif(&self.reports, self.more),
            false => document(&self.reports, self.more),
        };
        write_file(path, format!("{value:#}\n").as_bytes())
    }

    pub fn is_empty(&self) -> bool {
        self.reports.is_empty() && self.more == 0
    }

    /// How many, in words.
    pub fn count(&self) -> String {
        match self.reports.len() as u64 + self.more {
            1 => "1 finding".into(),
            n => format!("{n} findings"),
        }
    }

    /// Exit code 1 where there is one.
    pub fn verdict(&self) -> Result<()> {
        if self.is_empty() { Ok(()) } else { Err(Failure::Check(self.count())) }
    }

    /// The same finding of another process, or of another device of it, is one.
    pub fn add(&mut self, report: Report) {
        match self.reports.iter_mut().find(|r| r.id == report.id) {
            Some(known) => known.count = known.count.saturating_add(report.count),
            None => self.reports.push(report),
        }
    }
}
