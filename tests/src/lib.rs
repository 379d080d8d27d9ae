//! What the cross-crate tests share: where things are, which drivers there are, what to do when an oracle is missing.

pub mod cases;
pub mod collected;
pub mod host_time;
pub mod interval;
pub mod ir_interp;
pub mod ir_random;
pub mod matrix;
pub mod processor;
pub mod random;
pub mod shader;
pub mod share;
pub mod spirv;
pub mod split_mix;
#[doc(hidden)]
pub mod tested;

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::OnceLock;

/// The repository.
pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("tests/ is in the repository")
}

/// The folder of this build's programs and libraries: `target/release`, or wherever this test was built.
pub fn built() -> PathBuf {
    let exe = std::env::current_exe().expect("a test has a path");
    let folder = exe.parent().expect("a test is in a folder");
    if folder.ends_with("deps") {
        folder.parent().expect("deps is in a profile's folder").to_owned()
    } else {
        folder.to_owned()
    }
}

/// A program of this build, by its path in the profile's folder. `scripts/test` builds all before it tests.
pub fn program(name: &str) -> Result<PathBuf, String> {
    let path = built().join(name);
    if path.exists() {
        return Ok(path);
    }
    Err(format!("{} is not built: cargo build --release --workspace --lib --bins --examples", path.display()))
}

/// A manifest of this build's driver. The one that is checked in points into `target/release`; this one to where the
/// build really is.
pub fn wavepipe_manifest() -> Result<PathBuf, String> {
    static MADE: OnceLock<Result<PathBuf, String>> = OnceLock::new();
    let make = || {
        let library = program("libvulkan_wavepipe.so")?;
        let text = std::fs::read_to_string(checked_in_manifest()).map_err(|e| format!("icd/wavepipe_icd.json: {e}"))?;
        let mut manifest: serde_json::Value = serde_json::from_str(&text).map_err(|e| e.to_string())?;
        manifest["ICD"]["library_path"] = library.display().to_string().into();
        let path = scratch("wavepipe_icd.json");
        std::fs::write(&path, manifest.to_string()).map_err(|e| e.to_string())?;
        Ok(path)
    };
    MADE.get_or_init(make).clone()
}

pub fn checked_in_manifest() -> PathBuf {
    root().join("icd/wavepipe_icd.json")
}

/// lavapipe's manifest, where distributions put it.
pub fn lavapipe_manifest() -> Option<PathBuf> {
    let files = std::fs::read_dir("/usr/share/vulkan/icd.d").ok()?.flatten().map(|file| file.path());
    files.into_iter().find(|path| {
        let name = path.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
        name.starts_with("lvp_icd") && name.ends_with(".json")
    })
}

/// A path for a file of this process, in a folder that goes with the build.
pub fn scratch(name: &str) -> PathBuf {
    let folder = built().join("test-scratch").join(std::process::id().to_string());
    std::fs::create_dir_all(&folder).expect("the build's folder is writable");
    folder.join(name)
}

/// A compute shader in GLSL as `glslc` writes it: not optimised, with lines. It is kept as `NAME.comp`.
pub fn glslc(name: &str, text: &str) -> Vec<u32> {
    let path = scratch(&format!("{name}.comp"));
    std::fs::write(&path, text).expect("the build's folder is writable");
    let out = path.with_extension("spv");
    let ran = Command::new("glslc").args(["-g", "-O0", "--target-env=vulkan1.2", "-o"]).arg(&out).arg(&path).output();
    let ran = ran.expect("glslc is installed");
    assert!(ran.status.success(), "{}\n{text}", String::from_utf8_lossy(&ran.stderr));
    std::fs::read(&out).expect("glslc writes").as_chunks::<4>().0.iter().map(|c| u32::from_le_bytes(*c)).collect()
}

/// Whether a program can be started at all.
pub fn installed(program: &str) -> bool {
    let tried = Command::new(program).arg("--version").stdin(Stdio::null()).output();
    !matches!(tried, Err(error) if error.kind() == std::io::ErrorKind::NotFound)
}

/// An oracle is not here: said by name, and a failure in CI.
pub fn skip(oracle: &str) -> Result<(), String> {
    println!("SKIP {oracle}");
    if std::env::var_os("CI").is_some() { Err(format!("{oracle} is missing, and CI may not skip")) } else { Ok(()) }
}

/// A command that sees one Vulkan driver and nothing of the caller's settings.
pub fn with_driver(program: &Path, manifest: &Path) -> Command {
    let mut command = clean(program);
    // Both names: loaders before 1.3.207 know only the second.
    command.env("VK_DRIVER_FILES", manifest).env("VK_ICD_FILENAMES", manifest);
    command
}

/// A command without the caller's Vulkan and wavepipe settings, in which the compiler checks itself.
pub fn clean(program: &Path) -> Command {
    let mut command = Command::new(program);
    for (name, _) in std::env::vars_os() {
        let text = name.to_string_lossy();
        if ["VK_", "WAVEPIPE_", "MESA_"].iter().any(|prefix| text.starts_with(prefix)) {
            command.env_remove(&name);
        }
    }
    // What an earlier run compiled is not to answer for the compiler of this one, which checks its every pass.
    command.env("WAVEPIPE_CACHE", "off").env("WAVEPIPE_DEBUG", "checks").stdin(Stdio::null());
    command
}

/// The program of that name, to be run in the repository.
pub fn wavepipe(arguments: &[&str]) -> Command {
    let mut command = clean(&program("wavepipe").unwrap());
    command.current_dir(root()).args(arguments);
    command
}

/// Runs to the end; the output, or why there is none.
pub fn run(command: &mut Command) -> Result<Output, String> {
    command.output().map_err(|e| format!("{}: {e}", command.get_program().to_string_lossy()))
}

/// An output as a failure's text.
pub fn show(output: &Output) -> String {
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    format!("{}\n--- stdout\n{out}\n--- stderr\n{err}", output.status)
}
