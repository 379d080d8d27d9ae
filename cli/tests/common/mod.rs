//! The program, and shaders for it.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Two waves of 32 lanes turn LDS around; one lane in three goes another way. Its lines are counted by tests.
pub const TURN: &str = "\
@group(0) @binding(0) var<storage, read_write> y: array<u32>;
var<workgroup> tile: array<u32, 64>;

@compute @workgroup_size(8, 8)
fn main(@builtin(local_invocation_index) i: u32, @builtin(workgroup_id) group: vec3u) {
    let at = group.x * 64u + i;
    tile[i] = i * 3u;
    workgroupBarrier();
    y[at] = tile[i ^ 1u];
    if i % 3u == 0u {
        y[at] += 100u;
    }
}
";

/// Line of [`TURN`] that has this text.
pub fn line(text: &str) -> u32 {
    TURN.lines().position(|l| l.contains(text)).unwrap() as u32 + 1
}

/// What it gives invocation `i`.
pub fn turned(i: u32) -> u32 {
    (i ^ 1) * 3 + if i.is_multiple_of(3) { 100 } else { 0 }
}

/// Writes past the end of its buffer where the check looks: lane 5 of work-group 1.
pub const PAST: &str = "\
#version 450
layout(local_size_x = 32) in;
layout(set = 0, binding = 0) buffer Y { uint y[]; };
void main() {
    uint i = gl_GlobalInvocationID.x;
    uint at = i;
    if (i == 37u) {
        at = 1000u;
    }
    y[at] = i;
}
";

/// An empty folder for a test.
pub fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

/// The program in a folder, its environment without variables of ours.
pub fn wavepipe(folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_wavepipe"));
    command.current_dir(folder);
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("WAVEPIPE_") {
            command.env_remove(name);
        }
    }
    command
}

/// Runs it on a shader of a folder.
pub fn run(folder: &Path, args: &[&str]) -> Output {
    wavepipe(folder).args(args).output().unwrap()
}

pub fn out(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

pub fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// A folder with [`TURN`] as `turn.wgsl`.
pub fn with_turn(name: &str) -> PathBuf {
    let folder = folder(name);
    std::fs::write(folder.join("turn.wgsl"), TURN).unwrap();
    folder
}
