//! How a user comes to the driver: found beside a program that was copied, packaged or installed, made known to the loader,
//! looked after by `wavepipe doctor`, and missed by a program that ran elsewhere.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use wavepipe_runtime::HostIsa;
use wavepipe_tests::{
    clean, installed, lavapipe_manifest, program, root, run, scratch, show, skip, wavepipe, wavepipe_manifest,
};

fn words(output: &Output) -> (String, String) {
    (String::from_utf8_lossy(&output.stdout).into_owned(), String::from_utf8_lossy(&output.stderr).into_owned())
}

fn good(command: &mut Command) -> Output {
    let output = run(command).unwrap();
    assert!(output.status.success(), "{command:?}\n{}", show(&output));
    output
}

/// A folder of this test's own, which goes with the test. It is not in the checkout, whose driver a program in it would find.
struct Folder(PathBuf);

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

impl std::ops::Deref for Folder {
    type Target = Path;
    fn deref(&self) -> &Path {
        &self.0
    }
}

impl AsRef<OsStr> for Folder {
    fn as_ref(&self) -> &OsStr {
        self.0.as_ref()
    }
}

fn folder(name: &str) -> Folder {
    let path = std::env::temp_dir().join(format!("wavepipe-way-in-{}-{name}", std::process::id()));
    let _ = std::fs::remove_dir_all(&path);
    std::fs::create_dir_all(&path).unwrap();
    Folder(path)
}

/// A command of a user who has this home and nothing in it.
fn at_home(home: &Path, file: &Path, arguments: &[&str]) -> Command {
    let mut command = clean(file);
    for name in ["XDG_DATA_HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_DIRS", "XDG_CONFIG_DIRS"] {
        command.env_remove(name);
    }
    command.env("HOME", home).current_dir(home).args(arguments);
    command
}

fn loader_is_there() -> bool {
    let there = std::fs::read_dir("/usr/lib").into_iter().flatten().flatten();
    let there = there.map(|folder| folder.path().join("libvulkan.so.1")).any(|path| path.exists());
    if !there {
        skip("libvulkan1").unwrap();
    }
    there
}

/// A program that computes through the Vulkan loader, and fails without a device.
fn vulkan_program() -> Vec<String> {
    let sample = program("examples/raymarch").unwrap().display().to_string();
    let picture = scratch("raymarch.png").display().to_string();
    [sample.as_str(), "--host", "vulkan", "--out", &picture].map(str::to_owned).to_vec()
}

fn exec(before: &[&str], program: &[String]) -> Command {
    let mut command = wavepipe(&["exec"]);
    command.args(before).arg("--").args(program);
    command
}

#[test]
fn exec_says_when_a_program_ran_elsewhere() {
    if !loader_is_there() {
        return;
    }
    let ours = good(&mut exec(&[], &vulkan_program()));
    assert!(!words(&ours).1.contains("warning"), "{}", show(&ours));

    let silent = |quiet: &[&str], seconds: &str| words(&good(&mut exec(quiet, &["sleep".into(), seconds.into()]))).1;
    // On a busy machine a short program ends before it is looked at.
    let long = ["0.2", "2", "20", "100"].iter().map(|seconds| silent(&[], seconds));
    let said = long.into_iter().find(|said| !said.contains("ended before it could be looked at")).unwrap_or_default();
    assert!(said.contains("`sleep` never opened wavepipe") && said.contains("does not use Vulkan"), "{said}");
    assert_eq!(silent(&["--quiet"], "0.2"), "");

    let Some(lavapipe) = lavapipe_manifest() else { return skip("lavapipe").unwrap() };
    let lavapipe = lavapipe.display();
    // By a grandchild, as a test runner starts programs.
    let names = format!("VK_DRIVER_FILES={lavapipe} VK_ICD_FILENAMES={lavapipe} \"$0\" \"$@\"; true");
    let runner: Vec<String> = ["sh".into(), "-c".into(), names].into_iter().chain(vulkan_program()).collect();
    let said = words(&good(&mut exec(&[], &runner))).1;
    assert!(said.contains("`sh` never opened wavepipe") && said.contains("ran on lavapipe (llvmpipe)"), "{said}");
    assert!(said.contains("(raymarch) has /") && said.contains("libvulkan_lvp.so"), "{said}");
    // What takes the variables away is named as that, whatever driver the system has for such a program.
    let stripped = "env -u VK_DRIVER_FILES -u VK_ICD_FILENAMES \"$0\" \"$@\"; true".to_owned();
    let runner: Vec<String> = ["sh".into(), "-c".into(), stripped].into_iter().chain(vulkan_program()).collect();
    let mut command = exec(&[], &runner);
    let nothing = folder("nothing installed");
    command.env("XDG_DATA_HOME", &*nothing);
    let said = words(&good(&mut command)).1;
    assert!(said.contains("never opened wavepipe") && said.contains("was started without VK_DRIVER_FILES"), "{said}");
}

#[test]
fn exec_says_what_a_broken_driver_is() {
    let folder = folder("broken");
    let path = |name: &str| folder.join(name).display().to_string();
    let write = |name: &str, text: &str| std::fs::write(folder.join(name), text).unwrap();
    let naming = |library: &str| {
        format!(
            "{{\"file_format_version\": \"1.0.0\", \"ICD\": {{\"library_path\": \"{library}\", \"api_version\": \"1.3.0\"}}}}"
        )
    };
    write("text.json", "no manifest");
    write("empty.json", "{\"ICD\": {}}");
    write("unversioned.json", "{\"ICD\": {\"library_path\": \"./libvulkan_wavepipe.so\"}}");
    write("gone.json", &naming("./libvulkan_wavepipe.so"));
    write("libtext.so", "no library");
    write("library.json", &naming("./libtext.so"));
    // A library for this machine, and no driver.
    let libc = Command::new("sh").args(["-c", "ls /lib/*/libc.so.6 /lib64/libc.so.6 2>/dev/null | head -1"]).output();
    write("other.json", &naming(String::from_utf8_lossy(&libc.unwrap().stdout).trim()));
    // Another processor's.
    let mut bytes = std::fs::read(program("libvulkan_wavepipe.so").unwrap()).unwrap();
    bytes[18] ^= 0x55;
    std::fs::write(folder.join("foreign.so"), bytes).unwrap();
    write("foreign.json", &naming("./foreign.so"));
    for (name, says) in [
        ("there is none.json", "No such file"),
        ("text.json", "no manifest"),
        ("empty.json", "there is no ICD.library_path"),
        ("unversioned.json", "there is no file_format_version"),
        ("gone.json", "libvulkan_wavepipe.so: No such file"),
        ("library.json", "no 64-bit ELF library"),
        ("other.json", "does not export vk_icdGetInstanceProcAddr"),
        ("foreign.json", "a library for another processor"),
        ("", "no regular file"),
    ] {
        let output = run(wavepipe(&["exec", "--icd", &path(name), "--"]).args(["echo", "started"])).unwrap();
        let (out, err) = words(&output);
        assert_eq!((output.status.code(), out.as_str()), (Some(3), ""), "{name}: {err}");
        assert!(err.contains(says) && err.contains(&path(name)), "{name}: {err}");
    }
}

/// Copies of the program in the places in which users have it.
#[test]
fn a_copied_program_finds_its_driver() {
    if !loader_is_there() {
        return;
    }
    let (tool, library) = (program("wavepipe").unwrap(), program("libvulkan_wavepipe.so").unwrap());
    let home = folder("home");
    let put = |from: &Path, to: PathBuf| {
        std::fs::create_dir_all(to.parent().unwrap()).unwrap();
        std::fs::copy(from, &to).unwrap();
        to
    };
    // The manifest that exec gives, the library that it names, and that programs compute on it.
    let chosen = |tool: &Path| {
        let out = words(&good(&mut at_home(&home, tool, &["exec", "-q", "--", "sh", "-c", "echo $VK_DRIVER_FILES"]))).0;
        let mut command = at_home(&home, tool, &["exec", "--"]);
        let said = words(&good(command.args(vulkan_program()))).1;
        assert!(!said.contains("warning"), "{said}");
        let manifest = std::fs::read_to_string(out.trim()).unwrap();
        let manifest: serde_json::Value = serde_json::from_str(&manifest).unwrap();
        (PathBuf::from(out.trim()), manifest["ICD"]["library_path"].as_str().unwrap().to_owned())
    };

    let side = folder("side");
    let side = put(&tool, side.join("wavepipe"));
    let beside = put(&library, side.with_file_name("libvulkan_wavepipe.so"));
    let (manifest, named) = chosen(&side);
    assert!(manifest.starts_with(&*home) && Path::new(&named) == beside, "{manifest:?} {named}");

    for lib in ["lib", "lib/x86_64-linux-gnu", "lib/aarch64-linux-gnu", "lib64"] {
        if lib.contains('-') && !lib.contains(std::env::consts::ARCH) {
            continue;
        }
        let prefix = folder("prefix");
        let packaged = put(&tool, prefix.join("bin/wavepipe"));
        let there = put(&library, prefix.join(lib).join("libvulkan_wavepipe.so"));
        assert_eq!(chosen(&packaged).1, there.display().to_string());
        // A manifest of the package's wins.
        let icd = prefix.join("share/vulkan/icd.d/wavepipe_icd.any.json");
        std::fs::create_dir_all(icd.parent().unwrap()).unwrap();
        let text = format!(
            "{{\"file_format_version\": \"1.0.0\", \"ICD\": {{\"library_path\": \"../../../{lib}/libvulkan_wavepipe.so\", \"api_version\": \"1.3.0\"}}}}"
        );
        std::fs::write(&icd, text).unwrap();
        assert_eq!(chosen(&packaged).0, icd);
    }

    // Alone, as `cargo install` leaves it: the driver comes out of the program.
    let alone = folder("alone");
    let alone = put(&tool, alone.join("bin/wavepipe"));
    let (manifest, named) = chosen(&alone);
    assert!(manifest.starts_with(&*home) && Path::new(&named).starts_with(&*home), "{manifest:?} {named}");
    assert!(std::fs::read(&named).unwrap() == std::fs::read(&library).unwrap(), "the driver is this build's");
    // A damaged one is made anew.
    std::fs::write(&named, "no library").unwrap();
    assert_eq!(chosen(&alone).1, named);

    // Neither beside it nor in it: it says where it looked.
    let bare = folder("bare");
    let bare = bare.join("wavepipe");
    if !installed("objcopy") {
        return skip("objcopy").unwrap();
    }
    good(clean("objcopy".as_ref()).args(["--remove-section=.wavepipe.driver"]).args([&tool, &bare]));
    let output = run(&mut at_home(&home, &bare, &["exec", "--", "true"])).unwrap();
    let err = words(&output).1;
    assert_eq!(output.status.code(), Some(3), "{err}");
    let wanted = bare.with_file_name("libvulkan_wavepipe.so").display().to_string();
    assert!(err.contains("contains none") && err.contains(&wanted) && err.contains("--icd FILE"), "{err}");
    // Damaged, and said to be.
    std::fs::write(&wanted, "no library").unwrap();
    let err = words(&run(&mut at_home(&home, &bare, &["exec", "--", "true"])).unwrap()).1;
    assert!(err.contains("libvulkan_wavepipe.so: no 64-bit ELF library"), "{err}");
}

#[test]
fn an_installed_driver_is_found_by_every_program() {
    if !loader_is_there() {
        return;
    }
    let home = folder("installing");
    let tool = program("wavepipe").unwrap();
    let icd = |arguments: &[&str]| {
        let output = run(at_home(&home, &tool, &["icd"]).args(arguments)).unwrap();
        (output.status.code(), words(&output))
    };
    // Only ours, so that what else the machine has neither helps nor harms.
    let finds = |program: &[String]| {
        let mut command = at_home(&home, program[0].as_ref(), &[]);
        run(command.args(&program[1..]).env("VK_LOADER_DRIVERS_SELECT", "wavepipe_icd*")).unwrap().status.success()
    };
    let manifest = home.join(".local/share/vulkan/icd.d/wavepipe_icd.json");
    assert!(icd(&["show"]).1.0.contains("finds no wavepipe"));
    assert!(!finds(&vulkan_program()));
    for _ in 0..2 {
        let (code, (out, err)) = icd(&["install", "--user"]);
        assert!(code == Some(0) && out.contains(&manifest.display().to_string()), "{out}{err}");
        let text: serde_json::Value = serde_json::from_slice(&std::fs::read(&manifest).unwrap()).unwrap();
        let library = text["ICD"]["library_path"].as_str().unwrap().to_owned();
        assert_eq!(Path::new(&library), program("libvulkan_wavepipe.so").unwrap().canonicalize().unwrap());
        assert_eq!(std::fs::read_dir(manifest.parent().unwrap()).unwrap().count(), 1);
        assert!(finds(&vulkan_program()));
        let shown: serde_json::Value = serde_json::from_str(&icd(&["show", "--json"]).1.0).unwrap();
        assert_eq!(shown[0]["library"], library);
        assert_eq!(
            (&shown[0]["manifest"], &shown[0]["fault"]),
            (&manifest.display().to_string().into(), &serde_json::Value::Null)
        );
    }
    // A driver that only the program contains is kept with the manifest.
    let installer = folder("installer");
    let alone = installer.join("wavepipe");
    std::fs::copy(&tool, &alone).unwrap();
    good(&mut at_home(&home, &alone, &["icd", "install"]));
    std::fs::remove_file(&alone).unwrap();
    let kept = home.join(".local/share/wavepipe/libvulkan_wavepipe.so");
    assert!(kept.exists() && finds(&vulkan_program()));
    // What is broken is shown as that.
    std::fs::write(&kept, "no library").unwrap();
    let (code, (out, err)) = icd(&["show"]);
    assert!(
        code == Some(3) && out.contains("fault: ") && out.contains("no 64-bit ELF") && err.contains("1 broken"),
        "{out}{err}"
    );

    let (code, (out, err)) = icd(&["uninstall"]);
    assert!(code == Some(0) && out.matches("removed").count() == 2, "{out}{err}");
    assert!(!manifest.exists() && !kept.parent().unwrap().exists() && !finds(&vulkan_program()));
    let (code, (out, _)) = icd(&["uninstall", "--user"]);
    assert!(code == Some(0) && out.contains("nothing was installed"), "{out}");
    // Nowhere to put it.
    let lost = run(at_home(&home, &tool, &["icd", "install"]).env_remove("HOME")).unwrap();
    assert!(lost.status.code() == Some(3) && words(&lost).1.contains("XDG_DATA_HOME"), "{}", show(&lost));
}

/// The checks of a doctor who was called in these surroundings.
fn doctor(home: &Path, set: &[(&str, &str)], arguments: &[&str]) -> (Option<i32>, Vec<serde_json::Value>, String) {
    let mut command = at_home(home, &program("wavepipe").unwrap(), &["doctor", "--json"]);
    let output = run(command.args(arguments).envs(set.iter().copied())).unwrap();
    let checks = serde_json::from_slice(&output.stdout).unwrap_or_else(|e| panic!("{e}: {}", show(&output)));
    (output.status.code(), checks, show(&output))
}

/// Finding and mend of the check of that name.
fn check<'a>(checks: &'a [serde_json::Value], name: &str) -> (&'a str, &'a str, &'a str) {
    let check = checks.iter().find(|c| c["name"] == name).unwrap_or_else(|| panic!("no {name} in {checks:?}"));
    let text = |field: &str| check[field].as_str().unwrap_or("");
    (text("verdict"), text("finding"), text("mend"))
}

#[test]
fn the_doctor_finds_nothing_wrong() {
    if !loader_is_there() {
        return;
    }
    let home = folder("healthy");
    let (code, checks, all) = doctor(&home, &[], &[]);
    assert_eq!(code, Some(0), "{all}");
    for name in ["driver", "manifest", "loader", "version", "dispatch", "wgpu-hal", "Dawn", "Slang"] {
        assert_eq!(check(&checks, name).0, "ok", "{name}: {all}");
    }
    let (verdict, _, mend) = check(&checks, "by itself");
    assert!(verdict == "note" && mend.contains("wavepipe icd install"), "{all}");
    let best = HostIsa::ALL.into_iter().find(|target| target.is_present());
    assert_eq!(check(&checks, "host code").0, if best.is_some() { "ok" } else { "note" }, "{all}");
    assert!(best.is_none_or(|target| check(&checks, "host code").1.contains(target.name())), "{all}");
    let (_, checks, all) = doctor(&home, &[("WAVEPIPE_HOST", "interpreter")], &[]);
    let (verdict, _, mend) = check(&checks, "host code");
    assert!(verdict == "note" && mend.contains("unset WAVEPIPE_HOST"), "{all}");
    good(&mut at_home(&home, &program("wavepipe").unwrap(), &["icd", "install"]));
    let (code, checks, all) = doctor(&home, &[], &[]);
    assert!(code == Some(0) && check(&checks, "by itself").0 == "ok", "{all}");
    // For people: a line each, and no fault.
    let (out, _) = words(&good(&mut at_home(&home, &program("wavepipe").unwrap(), &["doctor"])));
    assert!(out.lines().all(|l| !l.starts_with("FAULT")) && out.contains("ok     dispatch"), "{out}");
}

#[test]
fn the_doctor_names_the_fault_and_the_mend() {
    if !loader_is_there() {
        return;
    }
    let home = folder("ill");
    let tool = program("wavepipe").unwrap();
    good(&mut at_home(&home, &tool, &["icd", "install"]));
    let fault = |set: &[(&str, &str)], name: &str, finding: &str, mend: &str| {
        let (code, checks, all) = doctor(&home, set, &[]);
        let (verdict, found, mended) = check(&checks, name);
        assert_eq!((code, verdict), (Some(3), "fault"), "{set:?}: {all}");
        assert!(found.contains(finding) && mended.contains(mend), "{set:?}: {all}");
    };
    fault(&[("WAVEPIPE_ENGINES", "off")], "wgpu-hal", "a conformance version", "unset WAVEPIPE_ENGINES");
    fault(&[("WAVEPIPE_ENGINES", "off")], "Dawn", "sampleRateShading", "unset WAVEPIPE_ENGINES");
    fault(
        &[("VK_LOADER_DRIVERS_DISABLE", "*wavepipe*")],
        "by itself",
        "*wavepipe* hides it",
        "unset VK_LOADER_DRIVERS_DISABLE",
    );
    fault(
        &[("VK_LOADER_DRIVERS_SELECT", "nobody*")],
        "by itself",
        "nobody* hides it",
        "unset VK_LOADER_DRIVERS_SELECT",
    );
    for name in ["VK_DRIVER_FILES", "VK_ICD_FILENAMES"] {
        fault(&[(name, "/nowhere.json")], "by itself", "/nowhere.json hides it", &format!("unset {name}"));
    }
    let (code, checks, all) = doctor(&folder("bare home"), &[("VK_DRIVER_FILES", "/nowhere.json")], &[]);
    let (verdict, finding, mend) = check(&checks, "by itself");
    if lavapipe_manifest().is_some() {
        assert!(code == Some(3) && verdict == "fault" && mend == "unset VK_DRIVER_FILES", "{all}");
        assert!(finding.contains("find no device: VK_DRIVER_FILES=/nowhere.json"), "{all}");
    }
    // The loader's place is taken by what is none.
    let libraries = folder("libraries");
    std::fs::write(libraries.join("libvulkan.so.1"), "no library").unwrap();
    let path = libraries.display().to_string();
    fault(&[("LD_LIBRARY_PATH", &path)], "loader", "libvulkan.so.1 cannot be opened", "LD_LIBRARY_PATH");

    // A driver of another build: its compiler has another name.
    let mut bytes = std::fs::read(program("libvulkan_wavepipe.so").unwrap()).unwrap();
    let own = wavepipe_runtime::COMPILER.as_bytes();
    // As text, and as the number that rustc may have made of its digits already; both in one place or several.
    let number: Vec<u8> =
        (0..16).step_by(2).map(|at| u8::from_str_radix(&wavepipe_runtime::COMPILER[at..at + 2], 16).unwrap()).collect();
    let texts: Vec<usize> = (0..bytes.len()).filter(|&at| bytes[at..].starts_with(own)).collect();
    let numbers: Vec<usize> = (0..bytes.len()).filter(|&at| bytes[at..].starts_with(&number)).collect();
    assert!(!texts.is_empty() || !numbers.is_empty(), "the driver knows its compiler");
    texts.into_iter().for_each(|at| bytes[at] = if bytes[at] == b'0' { b'1' } else { b'0' });
    numbers.into_iter().for_each(|at| bytes[at] ^= 1);
    let other = folder("other");
    std::fs::write(other.join("libvulkan_wavepipe.so"), bytes).unwrap();
    let manifest = other.join("other.json");
    std::fs::write(&manifest, r#"{"file_format_version": "1.0.0", "ICD": {"library_path": "./libvulkan_wavepipe.so", "api_version": "1.3.0"}}"#).unwrap();
    let named = manifest.display().to_string();
    let (code, checks, all) = doctor(&home, &[], &["--icd", &named]);
    let (verdict, finding, mend) = check(&checks, "version");
    assert!(
        code == Some(3) && verdict == "fault" && finding.contains("another build") && mend.contains("cargo build"),
        "{all}"
    );
    assert_eq!(check(&checks, "dispatch").0, "ok", "{all}");
    // One that needs a library which is not there: the loader's own words say so.
    let mut bytes = std::fs::read(program("libvulkan_wavepipe.so").unwrap()).unwrap();
    let needed = b"libgcc_s.so.1";
    let at = bytes.windows(needed.len()).position(|w| w == needed).expect("the driver needs libgcc");
    bytes[at + 3] = b'x';
    std::fs::write(other.join("unlinked.so"), bytes).unwrap();
    let unlinked = std::fs::read_to_string(&manifest).unwrap().replace("libvulkan_wavepipe", "unlinked");
    std::fs::write(other.join("unlinked.json"), unlinked).unwrap();
    let (code, checks, all) = doctor(&home, &[], &["--icd", &other.join("unlinked.json").display().to_string()]);
    let (verdict, finding, _) = check(&checks, "device");
    assert!(code == Some(3) && verdict == "fault" && finding.contains("libxcc_s.so.1"), "{all}");
    // Installed, it is the one that programs find.
    good(&mut at_home(&home, &tool, &["icd", "install", "--icd", &named]));
    fault(&[], "by itself", "another build", "wavepipe icd install");
    std::fs::remove_file(other.join("libvulkan_wavepipe.so")).unwrap();
    fault(&[], "installed", "library_path is wrong", "wavepipe icd install");
    let (code, checks, all) = doctor(&home, &[], &["--icd", &named]);
    assert!(code == Some(3) && check(&checks, "driver").1.contains("No such file"), "{all}");
    // Two of them.
    good(&mut at_home(&home, &tool, &["icd", "install"]));
    let config = home.join(".config/vulkan/icd.d");
    std::fs::create_dir_all(&config).unwrap();
    std::fs::copy(wavepipe_manifest().unwrap(), config.join("wavepipe_icd.json")).unwrap();
    fault(&[], "by itself", "2 times", "Remove all manifests but one");
}

/// Every command has a page, and completes.
#[test]
fn man_pages_and_completions_know_every_command() {
    let pages = folder("man");
    good(wavepipe(&["man"]).arg(&pages));
    let (help, _) = words(&good(&mut wavepipe(&["--help"])));
    let commands = help.split("Commands:").nth(1).unwrap().split("Options:").next().unwrap();
    let commands: Vec<&str> =
        commands.lines().filter_map(|l| l.strip_prefix("  ")?.split(' ').next()).filter(|w| !w.is_empty()).collect();
    assert!(commands.len() > 12 && commands.contains(&"doctor"), "{commands:?}");
    let completions: Vec<String> =
        ["bash", "zsh", "fish"].map(|shell| words(&good(&mut wavepipe(&["completions", shell]))).0).to_vec();
    for command in commands {
        if command != "help" {
            let page = std::fs::read_to_string(pages.join(format!("wavepipe-{command}.1"))).unwrap();
            assert!(page.contains(".TH") && page.contains("SYNOPSIS"), "{command}");
        }
        assert!(completions.iter().all(|c| c.contains(command)), "{command}");
    }
    let doctor = std::fs::read_to_string(pages.join("wavepipe-doctor.1")).unwrap();
    assert!(doctor.contains("Exit code 3 if there is a fault") && !doctor.contains("probe"), "{doctor}");
    if !installed("bash") {
        return skip("bash").unwrap();
    }
    let script = scratch("wavepipe.bash");
    std::fs::write(&script, &completions[0]).unwrap();
    let asks = "source \"$0\"; COMP_WORDS=(wavepipe doc) COMP_CWORD=1; _wavepipe wavepipe doc wavepipe; echo \"${COMPREPLY[@]}\"";
    let answer = words(&good(clean("bash".as_ref()).args(["-c", asks]).arg(&script))).0;
    assert_eq!(answer.trim(), "doctor");
}

/// Copies files of the host into a root of its own, and the libraries that they or others need, as ldd names them.
fn bring(tree: &Path, files: &[&Path], others: &[&Path]) {
    let listed = words(&good(clean("ldd".as_ref()).args(files).args(others))).0;
    let needed = listed.split_whitespace().filter(|word| word.starts_with('/') && !word.ends_with(':'));
    for path in needed.map(Path::new).chain(files.iter().copied()) {
        let to = tree.join(path.strip_prefix("/").unwrap());
        std::fs::create_dir_all(to.parent().unwrap()).unwrap();
        std::fs::copy(path, &to).unwrap();
    }
}

/// Takes away a file, or what is wavepipe's below a folder.
fn remove_ours(path: &Path) {
    match std::fs::read_dir(path) {
        Ok(folder) => folder.flatten().for_each(|entry| remove_ours(&entry.path())),
        Err(_) if path.file_name().is_some_and(|n| n.to_string_lossy().contains("wavepipe")) => {
            std::fs::remove_file(path).unwrap()
        }
        Err(_) => {}
    }
}

/// The package and the archive, as `scripts/package` makes them, in a root that has the C library, the Vulkan loader and a shell.
#[test]
fn packages_work_where_there_is_nothing_else() {
    let made = folder("packages");
    let mut script = clean(&root().join("scripts/package"));
    let built = program("wavepipe").unwrap();
    let listed = good(script.arg("--from").arg(built.parent().unwrap()).arg(&made));
    let files: Vec<PathBuf> = words(&listed).0.lines().map(PathBuf::from).collect();
    let archive = files.iter().find(|f| f.extension().is_some_and(|e| e == "gz")).expect("an archive");
    let contents = words(&good(clean("tar".as_ref()).arg("-tzf").arg(archive))).0;
    for part in [
        "bin/wavepipe",
        "libvulkan_wavepipe.so",
        "share/vulkan/icd.d/wavepipe_icd.",
        "man1/wavepipe-doctor.1.gz",
        "bash-completion/completions/wavepipe",
        "copyright",
    ] {
        assert!(contents.contains(part), "{part} is not in\n{contents}");
    }
    let tree = folder("tree");
    let var = tree.join("var");
    std::fs::create_dir_all(&var).unwrap();
    good(clean("tar".as_ref()).arg("-xzf").arg(archive).arg("-C").arg(&var));
    match files.iter().find(|f| f.extension().is_some_and(|e| e == "deb")) {
        Some(package) => {
            let facts = words(&good(clean("dpkg-deb".as_ref()).arg("--info").arg(package))).0;
            assert!(facts.contains("Depends: libc6 (>= 2.") && facts.contains("Recommends: libvulkan1"), "{facts}");
            good(clean("dpkg-deb".as_ref()).arg("--extract").arg(package).arg(&tree));
        }
        None => skip("dpkg-deb").unwrap(),
    }
    if !loader_is_there() {
        return;
    }
    // To see its own processes, a root needs a /proc, and to have one, a namespace.
    let mut try_it = clean("unshare".as_ref());
    let enters =
        try_it.args(["--mount", "sh", "-c", "mount --bind /proc /proc && chroot / true"]).stderr(Stdio::null());
    if !run(enters).is_ok_and(|o| o.status.success()) {
        // Where this is root without these rights, nobody can give them.
        return skip("chroot").unwrap();
    }
    let sample = program("examples/mandelbrot").unwrap();
    let loader = words(&good(clean("sh".as_ref()).args(["-c", "ls /usr/lib/*-linux-gnu*/libvulkan.so.1 | head -1"]))).0;
    for (from, to) in [("lib", "usr/lib"), ("lib64", "usr/lib64")] {
        std::fs::create_dir_all(tree.join(to)).unwrap();
        std::os::unix::fs::symlink(to, tree.join(from)).unwrap();
    }
    bring(&tree, &["/bin/sh", "/usr/bin/env", loader.trim()].map(Path::new), &[&built, &sample]);
    for folder in ["proc", "dev", "home", "etc"] {
        std::fs::create_dir_all(tree.join(folder)).unwrap();
    }
    std::fs::copy(&sample, tree.join("var/mandelbrot")).unwrap();
    let inside = |line: &str| {
        let mut command = Command::new("unshare");
        let enter = "mount --bind /proc \"$0/proc\" && mount --bind /dev \"$0/dev\" && exec chroot \"$0\" /usr/bin/env -i HOME=/home PATH=/usr/bin:/bin sh -c \"$1\"";
        run(command.args(["--mount", "sh", "-c", enter]).arg(&tree).arg(line).stdin(Stdio::null())).unwrap()
    };
    let works = |line: &str, says: &str| {
        let output = inside(line);
        let (out, err) = words(&output);
        assert!(output.status.success() && out.contains(says) && !err.contains("warning"), "{line}: {}", show(&output));
    };
    let sample = "/var/mandelbrot --host vulkan --out /var/m.png";
    let unpacked =
        format!("/var/{}/bin/wavepipe", archive.file_name().unwrap().to_string_lossy().trim_end_matches(".tar.gz"));
    if files.len() == 2 {
        // The package's manifest lies where the loader looks.
        works("wavepipe doctor", "programs find wavepipe");
        works(sample, "");
        works(&format!("wavepipe exec -- {sample}"), "");
        works("wavepipe icd show", "/usr/share/vulkan/icd.d/wavepipe_icd.");
        for part in ["bin/wavepipe", "share/vulkan", "lib"] {
            remove_ours(&tree.join("usr").join(part));
        }
    }
    assert!(!inside(sample).status.success(), "there is no driver any more");
    works(&format!("{unpacked} doctor"), "wavepipe icd install");
    works(&format!("{unpacked} exec -- {sample}"), "");
    works(&format!("{unpacked} icd install --system && {sample}"), "/usr/local/lib/wavepipe/libvulkan_wavepipe.so");
    works(&format!("{unpacked} icd uninstall --system"), "removed /etc/vulkan/icd.d/wavepipe_icd.json");
    assert!(!inside(sample).status.success(), "there is no driver any more");
}
