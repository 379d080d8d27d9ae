//! The `wavepipe` program: calls the library `wavepipe_cli` and contains the driver's file, which `driver/contained.rs` of the library reads.

use std::process::ExitCode;

// Here and not in the library: an archive's member that nothing refers to is not linked.
#[cfg(contains_driver)]
std::arch::global_asm!(
    ".pushsection .wavepipe.driver,\"\",@progbits",
    concat!(".incbin \"", env!("WAVEPIPE_DRIVER"), "\""),
    ".popsection",
);

fn main() -> ExitCode {
    wavepipe_cli::main()
}
