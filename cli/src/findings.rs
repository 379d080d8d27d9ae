//! What the checks found, in words, in files and in the exit code: of `run`, `launch` and `exec`.

use crate::failure::{Failure, Result};
use std::path::PathBuf;
pub use wavepipe::findings::Findings;
use wavepipe_runtime::{Config, Device};

/// The flags that all three have.
#[derive(clap::Args, Clone, Debug, Default)]
pub struct CheckArgs {
    /// Checks of what the shader does: a comma list of mem, init, num, race, sync, wait or all (which leaves out num); with stop, the first finding ends it
    #[arg(long, value_name = "LIST", value_parser = list)]
    pub check: Option<String>,
    /// Write what was found: .json or .sarif
    #[arg(long, value_name = "FILE", value_parser = file)]
    pub findings: Option<PathBuf>,
}

/// The variable that `--check` stands for.
pub const VARIABLE: &str = "WAVEPIPE_CHECK";

fn list(text: &str) -> std::result::Result<String, String> {
    Config::default().set(VARIABLE, text).map(|()| text.to_owned())
}

fn file(text: &str) -> std::result::Result<PathBuf, String> {
    let path = PathBuf::from(text);
    match path.extension().and_then(|e| e.to_str()) {
        Some("json" | "sarif") => Ok(path),
        _ => Err("name it FILE.json or FILE.sarif".into()),
    }
}

impl CheckArgs {
    /// The flag wins over the variable.
    pub fn apply(&self, config: &mut Config) -> Result<()> {
        let Some(list) = &self.check else { return Ok(()) };
        config.set(VARIABLE, list).map_err(|why| Failure::usage(format!("--check {list}: {why}")))
    }

    /// Tells what was found on the device, and writes the file.
    pub fn tell(&self, device: &Device) -> Result<Findings> {
        let found = device.findings();
        found.findings.iter().for_each(|finding| eprintln!("wavepipe: warning: {finding}"));
        found.rest().iter().for_each(|rest| eprintln!("wavepipe: warning: {rest}"));
        let findings = Findings::of(device);
        self.write(&findings)?;
        Ok(findings)
    }

    pub fn write(&self, findings: &Findings) -> Result<()> {
        self.findings.as_deref().map_or(Ok(()), |path| findings.write(path))
    }
}
