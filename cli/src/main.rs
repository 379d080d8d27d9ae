//! The `wavepipe` program: its library, and beside that the driver's, which `driver/contained.rs` finds in the program's file.

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
