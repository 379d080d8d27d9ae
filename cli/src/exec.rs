//! `wavepipe exec -- PROGRAM …`: starts a Vulkan program with this driver as the only one, for that program alone.

use crate::failure::code;
use std::path::PathBuf;
use std::process::{Command, ExitCode};

/// Run a Vulkan program on this driver.
#[derive(clap::Args, Debug)]
pub struct ExecArgs {
    /// Wavefront size of its kernels
    #[arg(long, value_parser = ["32", "64"])]
    wave: Option<String>,
    /// The driver's manifest; found beside this program by default
    #[arg(long, value_name = "FILE")]
    icd: Option<PathBuf>,
    /// The program and its arguments
    #[arg(required = true, trailing_var_arg = true, allow_hyphen_values = true)]
    program: Vec<String>,
}

/// The manifest, looked for from this program's folder upwards (`target/release/wavepipe` → `icd/wavepipe_icd.json`).
fn manifest() -> Option<PathBuf> {
    let exe = std::env::current_exe().ok()?;
    exe.ancestors().map(|folder| folder.join("icd/wavepipe_icd.json")).find(|path| path.exists())
}

/// Becomes the program's exit code; 3 if the driver or the program cannot be started.
pub fn run(args: &ExecArgs) -> ExitCode {
    let Some(icd) = args.icd.clone().or_else(manifest) else {
        eprintln!(
            "error: the driver's manifest icd/wavepipe_icd.json is not in a folder above this program.\n\
             Build the driver (`cargo build --release`) and name the manifest with --icd FILE."
        );
        return ExitCode::from(code::DRIVER);
    };
    let mut command = Command::new(&args.program[0]);
    // Both names: loaders before 1.3.207 know only the second.
    command.args(&args.program[1..]).env("VK_DRIVER_FILES", &icd).env("VK_ICD_FILENAMES", &icd);
    if let Some(wave) = &args.wave {
        command.env("WAVEPIPE_WAVE", wave);
    }
    match command.status() {
        Ok(status) => ExitCode::from(status.code().and_then(|c| u8::try_from(c).ok()).unwrap_or(code::DRIVER)),
        Err(e) => {
            eprintln!("error: cannot start {}: {e}", args.program[0]);
            ExitCode::from(code::DRIVER)
        }
    }
}
