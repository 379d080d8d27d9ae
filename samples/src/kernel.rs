//! A program of several kernels, each a sample of its own.

use crate::program::{self, Options, Sample};
use crate::steady::Work;
use clap::Parser;
use std::process::ExitCode;

pub struct Kernel {
    pub sample: Sample,
    pub work: Option<Work>,
}

#[derive(Debug, Parser)]
#[command(after_help = "Exit code: 0 right, 1 wrong, 2 usage, 3 the driver failed.")]
struct KernelOptions {
    /// Its name
    kernel: String,
    /// Little of it, to try whether it is right
    #[arg(long)]
    small: bool,
    #[command(flatten)]
    options: Options,
}

/// The `main` of such a program; each kernel is there in full and small.
pub fn main_of_kernels<const N: usize>(kernels: [[Kernel; 2]; N]) -> ExitCode {
    let asked = KernelOptions::parse();
    let found = kernels.iter().find(|[full, _]| full.sample.name == asked.kernel);
    let Some(sizes) = found else {
        let names: Vec<_> = kernels.iter().map(|[full, _]| full.sample.name).collect();
        eprintln!("no kernel `{}`; there are: {}", asked.kernel, names.join(", "));
        return ExitCode::from(2);
    };
    let kernel = &sizes[usize::from(asked.small)];
    program::run_with(&kernel.sample, kernel.work, &asked.options)
}
