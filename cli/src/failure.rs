//! How the program fails: one exit code for each kind of failure.

pub use wavepipe::failure::{Failure, Result, read_file, read_stdin, read_text, write_file};

/// Exit codes; `wavepipe --help` lists them.
pub mod code {
    pub const GOOD: u8 = 0;
    pub const CHECK_FAILED: u8 = 1;
    pub const USAGE: u8 = 2;
    pub const DRIVER: u8 = 3;
    pub const UNSUPPORTED: u8 = 4;
}

pub fn exit_code(failure: &Failure) -> u8 {
    match failure {
        Failure::Check(_) => code::CHECK_FAILED,
        Failure::Usage(_) | Failure::File { .. } => code::USAGE,
        Failure::Driver(_) => code::DRIVER,
        Failure::Unsupported(_) => code::UNSUPPORTED,
    }
}
