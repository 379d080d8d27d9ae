//! A fault or a finding is seen where it happens: told where there is no terminal, by the command that is printed, too.

use crate::common::{PAST, folder, out, run, said, wavepipe, with_turn};
use std::path::{Path, PathBuf};
use std::process::Command;

fn with_past(name: &str) -> PathBuf {
    let folder = folder(name);
    std::fs::write(folder.join("past.comp"), PAST).unwrap();
    folder
}

const CHECKED: [&str; 8] = ["past.comp", "--buffer", "y=[64]", "--groups", "2", "--check", "mem", "--quiet"];

/// What is told of the place.
fn is_told(text: &str) {
    assert!(text.starts_with("past.comp:10 +0x"), "{text}");
    assert!(text.contains("lane 5: "), "{text}");
    assert!(text.contains("  work-group 1,0,0 wave 0, dispatch 0, "), "{text}");
    assert!(text.contains("    10 |     y[at] = i;"), "{text}");
    assert!(text.contains("  exec  .....#"), "{text}");
    assert!(text.contains("  lane 5, invocation 37,0,0"), "{text}");
}

#[test]
fn a_finding_is_told_where_it_is() {
    let folder = with_past("replay_finding");
    let output = run(&folder, &[&["run"], &CHECKED[..], &["--break-on-fault"]].concat());
    assert_eq!(output.status.code(), Some(1), "{}", said(&output));
    is_told(&out(&output));
}

#[test]
fn the_printed_command_shows_it_again() {
    let folder = with_past("replay_command");
    let output = run(&folder, &[&["run"], &CHECKED[..]].concat());
    assert_eq!(output.status.code(), Some(1), "{}", said(&output));
    let said = said(&output);
    let line = said.lines().find_map(|l| l.strip_prefix("wavepipe: to see it in the debugger: ")).unwrap();
    let path = Path::new(env!("CARGO_BIN_EXE_wavepipe")).parent().unwrap();
    let path = format!("{}:{}", path.display(), std::env::var("PATH").unwrap_or_default());
    let again = Command::new("sh").args(["-c", line]).env("PATH", path).current_dir(&folder).output().unwrap();
    assert!(again.status.success(), "{}", crate::common::said(&again));
    is_told(&out(&again));
}

#[test]
fn a_fault_is_told_where_it_is() {
    let folder = folder("replay_fault");
    let lds = "\
#version 450
layout(local_size_x = 32) in;
layout(set = 0, binding = 0) buffer Y { uint y[]; };
shared uint words[32];
void main() {
    uint i = gl_LocalInvocationIndex;
    words[i] = i;
    barrier();
    uint at = i;
    if (y[i] == 7u) {
        at = 100000u;
    }
    y[i] = words[at];
}
";
    std::fs::write(folder.join("lds.comp"), lds).unwrap();
    let args = [
        "lds.comp",
        "--buffer",
        "y=[32]:0,0,0,7,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0",
        "--groups",
        "1",
    ];
    let output = run(&folder, &[&["run"], &args[..], &["--break-on-fault"]].concat());
    assert_eq!(output.status.code(), Some(3), "{}", said(&output));
    let text = out(&output);
    assert!(text.starts_with("lds.comp:13 +0x") && text.contains("lane 3: "), "{text}");
    assert!(text.contains("at 0x61a80 of LDS"), "{text}");
    // A run on the clock prints a command that says so: it shows the same.
    let output = run(&folder, &[&["debug"], &args[..], &["--timing", "--break-on-fault"]].concat());
    assert_eq!(out(&output), text, "{}", said(&output));
}

#[test]
fn nothing_wrong_is_said() {
    let folder = with_turn("replay_nothing");
    let args = ["turn.wgsl", "--buffer", "y=[64]", "--groups", "1", "--check", "all"];
    let output = run(&folder, &[&["run"], &args[..], &["--quiet", "--break-on-fault"]].concat());
    assert!(output.status.success() && out(&output).is_empty(), "{}", said(&output));
    let output = run(&folder, &[&["debug"], &args[..], &["--break-on-fault"]].concat());
    assert_eq!(output.status.code(), Some(1));
    assert!(said(&output).contains("nothing to break on"), "{}", said(&output));
}

#[test]
fn debug_without_a_terminal_tells_where_it_stands() {
    let folder = with_turn("debug_text");
    let output = run(&folder, &["debug", "turn.wgsl", "--buffer", "y=[64]", "--groups", "1", "--to", "8"]);
    assert!(output.status.success(), "{}", said(&output));
    assert!(out(&output).starts_with("turn.wgsl:8 +0x"), "{}", out(&output));
    let none = wavepipe(&folder).arg("debug").output().unwrap();
    assert_eq!(none.status.code(), Some(2));
    assert!(said(&none).contains("no shader to debug"), "{}", said(&none));
    let several = run(&folder, &["debug", "turn.wgsl", "--buffer", "y=[64]", "--gpu", "all"]);
    assert!(said(&several).contains("one machine is debugged at a time"), "{}", said(&several));
}

#[test]
fn a_case_of_a_test_file_is_debugged() {
    let folder = with_past("replay_case");
    let test = "\
groups = [2, 1, 1]
[[buffer]]
name = \"y\"
type = \"u32[64]\"
[[expect]]
name = \"y\"
cpu = \"i\"
";
    std::fs::write(folder.join("past.test.toml"), test).unwrap();
    let output = run(&folder, &["test"]);
    assert_eq!(output.status.code(), Some(1), "{}{}", out(&output), said(&output));
    assert!(said(&output).contains("add --debug to the command behind `again`"), "{}", said(&output));
    let debug = run(&folder, &["test", "past.test.toml", "--debug"]);
    assert!(debug.status.success(), "{}", said(&debug));
    is_told(&out(&debug));
    std::fs::copy(folder.join("past.test.toml"), folder.join("past2.test.toml")).unwrap();
    std::fs::copy(folder.join("past.comp"), folder.join("past2.comp")).unwrap();
    let several = run(&folder, &["test", "--debug"]);
    assert!(said(&several).contains("--debug is for one case, and 2 are chosen"), "{}", said(&several));
}
