//! The command that runs a test again, and where it leaves things.

use std::path::PathBuf;

/// Our variables of the environment, as a shell sets them for a command.
pub fn variables() -> Vec<String> {
    let ours =
        std::env::vars_os().filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)));
    let mut words: Vec<String> = ours
        .filter(|(name, _)| name.starts_with("WAVEPIPE_"))
        .map(|(name, value)| format!("{name}={}", quoted(&value)))
        .collect();
    words.sort();
    words
}

/// `cargo test …` for the test that calls, with the variables that it ran with; of another program its command line.
pub(crate) fn command() -> String {
    let mut words = variables();
    // pytest says where it is.
    if let Some(test) = std::env::var("PYTEST_CURRENT_TEST").ok().as_deref().and_then(|t| t.rsplit_once(" (")) {
        words.push(format!("python -m pytest {}", quoted(test.0)));
        return words.join(" ");
    }
    match (test(), std::env::var("CARGO_PKG_NAME")) {
        (Some(test), Ok(package)) => words.push(format!("cargo test -p {package} {test} -- --exact")),
        (Some(test), Err(_)) => words.extend(own_path().map(|exe| format!("{exe} {test} --exact"))),
        (None, _) => {
            words.extend(own_path());
            words.extend(std::env::args_os().skip(1).map(|a| quoted(&a.to_string_lossy())));
        }
    }
    words.join(" ")
}

fn own_path() -> Option<String> {
    std::env::current_exe().ok().map(|exe| quoted(&exe.display().to_string()))
}

/// The path of the test that calls: its thread has that name.
fn test() -> Option<String> {
    let thread = std::thread::current();
    thread.name().filter(|name| *name != "main").map(str::to_owned)
}

/// For a shell.
pub fn quoted(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=,:+@%".contains(c);
    if !text.is_empty() && text.chars().all(plain) {
        text.to_owned()
    } else {
        format!("'{}'", text.replace('\'', "'\\''"))
    }
}

/// The folder for pictures of what differs: beside the program, or above where that is one of Cargo's.
pub(crate) fn folder() -> PathBuf {
    let exe = std::env::current_exe().unwrap_or_default();
    let beside = exe.parent().map(PathBuf::from).unwrap_or_default();
    let cargo = beside.ends_with("deps") || beside.ends_with("examples");
    let above = if cargo { beside.parent().map(PathBuf::from).unwrap_or_default() } else { beside };
    above.join("wavepipe-differences")
}

/// A name for a file of the calling test about a resource.
pub(crate) fn file_name(of: &str) -> String {
    let test = test().unwrap_or_else(|| "main".to_owned());
    format!("{test}-{of}").replace(|c: char| !c.is_ascii_alphanumeric() && c != '_', "-")
}
