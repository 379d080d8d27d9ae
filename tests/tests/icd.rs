//! The driver through the real loader, as users meet it first.

use wavepipe_tests::{checked_in_manifest, installed, run, scratch, show, skip, wavepipe_manifest, with_driver};

fn vulkaninfo(arguments: &[&str]) -> Option<String> {
    if !installed("vulkaninfo") {
        skip("vulkaninfo").unwrap();
        return None;
    }
    let manifest = wavepipe_manifest().unwrap();
    let mut command = with_driver("vulkaninfo".as_ref(), &manifest);
    // The loader's window system wants a folder, and complains without one.
    command.env("XDG_RUNTIME_DIR", scratch(""));
    let output = run(command.args(arguments)).unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{}", show(&output));
    let complaints = String::from_utf8_lossy(&output.stderr).into_owned();
    // Without a display vulkaninfo mentions the surfaces that it does not try; that is not about the driver.
    let of_driver = |line: &&str| line.to_ascii_uppercase().contains("ERROR");
    assert_eq!(complaints.lines().chain(text.lines()).find(of_driver), None, "{}", show(&output));
    Some(text)
}

#[test]
fn vulkaninfo_summary_names_the_device() {
    let Some(text) = vulkaninfo(&["--summary"]) else { return };
    let name = text.lines().find(|line| line.trim().starts_with("deviceName"));
    assert!(name.is_some_and(|line| line.contains("wavepipe")), "{text}");
    assert_eq!(text.matches("GPU0:").count(), 1, "{text}");
    assert!(!text.contains("GPU1:"), "{text}");
}

#[test]
fn vulkaninfo_reads_every_property() {
    let Some(text) = vulkaninfo(&[]) else { return };
    for part in
        ["VkPhysicalDeviceLimits", "VkQueueFamilyProperties", "memoryHeaps", "VkPhysicalDeviceSubgroupProperties"]
    {
        assert!(text.contains(part), "no {part} in\n{text}");
    }
}

#[test]
fn the_wave_size_is_the_subgroup_size() {
    if !installed("vulkaninfo") {
        skip("vulkaninfo").unwrap();
        return;
    }
    for wave in ["32", "64"] {
        let manifest = wavepipe_manifest().unwrap();
        let output = run(with_driver("vulkaninfo".as_ref(), &manifest).env("WAVEPIPE_WAVE", wave)).unwrap();
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let line = text.lines().find(|line| line.trim().starts_with("subgroupSize ")).unwrap_or("none");
        assert_eq!(line.split('=').next_back().map(str::trim), Some(wave), "{line}");
    }
}

#[test]
fn the_checked_in_manifest_points_into_the_release_build() {
    let text = std::fs::read_to_string(checked_in_manifest()).unwrap();
    let manifest: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(manifest["ICD"]["library_path"], "../target/release/libvulkan_wavepipe.so");
    let version = manifest["ICD"]["api_version"].as_str().unwrap();
    let Some(summary) = vulkaninfo(&["--summary"]) else { return };
    let device = summary.lines().find(|line| line.trim().starts_with("apiVersion")).unwrap_or("none");
    let minor = version.rsplit_once('.').unwrap().0;
    assert!(device.contains(minor), "the manifest says {version}, the device {device}");
}

/// What other programs are shown (`runtime/engines.toml`) is not there for this one.
#[test]
fn vulkaninfo_sees_the_truth() {
    let Some(text) = vulkaninfo(&[]) else { return };
    let values = |name: &str| {
        let lines = text.lines().map(str::trim).filter(|line| line.split([' ', '=']).next() == Some(name));
        lines.filter_map(|line| Some(line.split_once('=')?.1.trim().to_owned())).collect::<Vec<_>>()
    };
    for name in
        ["fullDrawIndexUint32", "independentBlend", "sampleRateShading", "depthBiasClamp", "fragmentStoresAndAtomics"]
    {
        assert_eq!(values(name), ["false"], "{name}");
    }
    // Of VkPhysicalDeviceVulkan12Properties and VkPhysicalDeviceDriverProperties.
    for part in ["major", "minor", "subminor", "patch"] {
        assert_eq!(values(part), ["0"; 2], "{part}");
    }
}
