//! The program contains the driver's library, so that one that was installed alone (`cargo install --path cli`) has a driver.
//!
//! The package depends on `wavepipe-icd` for that and for nothing else: Cargo makes the library in the same compilation as the
//! crate, and before the program is compiled. This script passes its path on; `src/main.rs` assembles it into a section
//! that is not loaded with the program. `cargo check` assembles nothing, and makes no library.

use std::path::PathBuf;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-check-cfg=cfg(contains_driver)");
    let elf = std::env::var("CARGO_CFG_TARGET_OS").is_ok_and(|os| os == "linux");
    // PROFILE/build/wavepipe-cli-HASH/out. Laid out otherwise, the program contains no driver, and says so when it needs one.
    let out = PathBuf::from(std::env::var_os("OUT_DIR").unwrap_or_default());
    let mut above = out.ancestors().skip(2);
    if let (true, Some(build), Some(profile)) = (elf, above.next(), above.next())
        && build.ends_with("build")
    {
        println!("cargo::rustc-env=WAVEPIPE_DRIVER={}", profile.join("deps/libvulkan_wavepipe.so").display());
        println!("cargo::rustc-cfg=contains_driver");
    }
}
