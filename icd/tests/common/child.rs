//! Programs that run through the real Vulkan loader, under the Khronos validation layer.
//!
//! The loader reads its environment once, so each program runs in a process of its own: the test's binary again, in which `the_child`
//! of the same module does what `WAVEPIPE_TEST_CHILD` names.

use std::process::{Command, Output};
use wavepipe_runtime::hw::machine::Machine;
use wavepipe_runtime::isa::Gen;

const CHILD: &str = "WAVEPIPE_TEST_CHILD";
const LAYER: &str = "VK_LAYER_KHRONOS_validation";
const DONE: &str = "the child is done";

/// A missing oracle is said aloud; in CI it is a failure.
pub fn skip(oracle: &str) {
    println!("SKIP {oracle}");
    assert!(std::env::var_os("CI").is_none(), "{oracle} is missing");
}

/// Of the module that `module_path!()` names.
pub fn child(module: &str, what: &str) -> Output {
    child_with(module, what, &[])
}

/// A child with more in its environment.
pub fn child_with(module: &str, what: &str, environment: &[(&str, &str)]) -> Output {
    let me = std::env::current_exe().unwrap();
    let library = me.with_file_name("libvulkan_wavepipe.so");
    let dir = std::env::temp_dir().join(format!("wavepipe-loader-{}-{what}", std::process::id()));
    std::fs::create_dir_all(&dir).unwrap();
    let manifest = dir.join("icd.json");
    let text = format!(
        "{{\"file_format_version\":\"1.0.0\",\"ICD\":{{\"library_path\":{library:?},\"api_version\":\"1.3.281\"}}}}"
    );
    std::fs::write(&manifest, text).unwrap();
    let output = Command::new(me)
        .args(["--exact", &the_child(module), "--nocapture"])
        .env(CHILD, what)
        .env("VK_DRIVER_FILES", &manifest)
        .env("VK_ICD_FILENAMES", &manifest)
        .env("VK_INSTANCE_LAYERS", LAYER)
        .envs(environment.iter().copied())
        .output()
        .unwrap();
    std::fs::remove_dir_all(&dir).unwrap();
    output
}

/// A child that enters the driver without a loader.
pub fn plain_child(module: &str, what: &str, environment: &[(&str, &str)]) -> Output {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", &the_child(module), "--nocapture"]).env(CHILD, what).envs(environment.iter().copied());
    command.output().unwrap()
}

/// What the program calls `the_child` of a module of it.
fn the_child(module: &str) -> String {
    let inside = module.split_once("::").map_or(String::new(), |(_, inside)| format!("{inside}::"));
    inside + "the_child"
}

/// Runs tests of this program again, each generation that executes as the default machine of a process of its own.
#[track_caller]
pub fn on_every_generation(tests: &[&str]) {
    for isa in Gen::ALL.into_iter().filter(|isa| Machine::executes(*isa) && *isa != Gen::default()) {
        let mut command = Command::new(std::env::current_exe().unwrap());
        let output = command.arg("--exact").args(tests).env("WAVEPIPE_MACHINE", isa.name()).output().unwrap();
        let text = said(&output);
        let passed = text.contains(&format!("test result: ok. {} passed", tests.len()));
        assert!(output.status.success() && passed, "on {}\n{text}", isa.name());
    }
}

/// In the child: what to do. None in the parent.
pub fn told() -> Option<String> {
    std::env::var(CHILD).ok()
}

/// What both streams of a child say.
pub fn said(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

/// The oracle that a child did not find.
pub fn missing(text: &str) -> Option<&'static str> {
    let oracles = [
        ("no loader", "the Vulkan loader (libvulkan1)"),
        ("no layer", "the Khronos validation layer (vulkan-validationlayers)"),
        ("no shader compiler", "glslangValidator or spirv-as (glslang-tools, spirv-tools)"),
    ];
    oracles.into_iter().find(|(words, _)| text.contains(words)).map(|(_, oracle)| oracle)
}

/// In the child: what to do, and the loader with its layer. None in the parent, and where one of them is missing.
pub fn entry() -> Option<(String, ash::Entry)> {
    let what = std::env::var(CHILD).ok()?;
    // SAFETY: the system's Vulkan loader.
    let Ok(entry) = (unsafe { ash::Entry::load() }) else {
        println!("no loader");
        return None;
    };
    // SAFETY: valid usage.
    let layers = unsafe { entry.enumerate_instance_layer_properties() }.unwrap();
    if !layers.iter().any(|l| l.layer_name_as_c_str().is_ok_and(|n| n.to_string_lossy() == LAYER)) {
        println!("no layer");
        return None;
    }
    Some((what, entry))
}

/// The child's last words.
pub fn done() {
    println!("{DONE}");
}

/// The child came to its end, and the layer had nothing to say.
#[track_caller]
pub fn passed_without_a_word(output: &Output) {
    let text = said(output);
    assert!(output.status.success() && text.contains(DONE), "{text}");
    assert!(!text.contains("VUID") && !text.contains("alidation Error"), "{text}");
}
