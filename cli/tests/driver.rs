//! Where the Vulkan loader looks for drivers, and what their manifests name.

use std::ffi::OsString;
use wavepipe_cli::tested::driver::{Library, check, read, searched, text};

#[test]
fn the_loaders_folders() {
    let set = |pairs: &'static [(&str, &str)]| {
        let find = move |name: &str| pairs.iter().find(|(n, _)| *n == name).map(|(_, v)| OsString::from(*v));
        searched(&find).into_iter().map(|p| p.display().to_string()).collect::<Vec<_>>()
    };
    let usual = [
        "/var/me/.config/vulkan/icd.d",
        "/etc/xdg/vulkan/icd.d",
        "/usr/local/etc/vulkan/icd.d",
        "/etc/vulkan/icd.d",
        "/var/me/.local/share/vulkan/icd.d",
        "/usr/local/share/vulkan/icd.d",
        "/usr/share/vulkan/icd.d",
    ];
    assert_eq!(set(&[("HOME", "/var/me")]), usual);
    let other = set(&[("XDG_DATA_HOME", "/data"), ("XDG_DATA_DIRS", "/a:/b:/a:relative"), ("XDG_CONFIG_DIRS", "")]);
    let wanted = ["/etc/xdg", "/usr/local/etc", "/etc", "/data", "/a", "/b"].map(|p| format!("{p}/vulkan/icd.d"));
    assert_eq!(other, wanted);
}

#[test]
fn what_a_manifest_names() {
    let folder = std::env::temp_dir().join(format!("wavepipe-manifest-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join("m.json");
    let named = |library: &str| {
        std::fs::write(&path, text(library)).unwrap();
        read(&path).unwrap()
    };
    assert_eq!(named("../lib/libx.so"), Library::File(folder.join("../lib/libx.so")));
    assert_eq!(named("/lib/libvulkan_wavepipe.so"), Library::File("/lib/libvulkan_wavepipe.so".into()));
    assert!(named("/lib/libvulkan_wavepipe.so").is_ours() && !named("libx.so").is_ours());
    assert_eq!(named("libx.so"), Library::Name("libx.so".into()));
    for (wrong, says) in [("{", "no manifest"), ("{}", "no ICD.library_path"), ("[1]", "no ICD.library_path")] {
        std::fs::write(&path, wrong).unwrap();
        let why = read(&path).unwrap_err();
        assert!(why.contains("m.json") && why.contains(says), "{why}");
    }
    std::fs::write(&path, text("./m.json")).unwrap();
    let why = check(&path).unwrap_err();
    assert!(why.contains("library_path is wrong") && why.contains("no 64-bit ELF"), "{why}");
    std::fs::remove_dir_all(folder).unwrap();
}
