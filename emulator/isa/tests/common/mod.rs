//! What the table's tests share: where the facts are, and how a missing oracle is told.
#![allow(dead_code)]

pub mod random;

use std::path::PathBuf;
use std::process::{Command, Stdio};

/// A file of the facts that lie beside the workspace, or a skip told by name; in CI a skip is a failure.
pub fn fact(path: &str) -> Option<String> {
    let file = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/isa").join(path);
    match std::fs::read_to_string(file) {
        Ok(text) => Some(text),
        Err(_) => {
            skip(path);
            None
        }
    }
}

pub fn skip(oracle: &str) {
    println!("SKIP {oracle}");
    assert!(std::env::var_os("CI").is_none(), "{oracle} is missing, and a skip is a failure in CI");
}

/// LLVM's assembler for gfx1010 (version 19), or a skip.
pub fn llvm_mc() -> Option<String> {
    let name = ["llvm-mc-19", "llvm-mc"].into_iter().find(|n| {
        Command::new(n)
            .arg("--version")
            .output()
            .is_ok_and(|o| String::from_utf8_lossy(&o.stdout).contains("version 19."))
    });
    if name.is_none() {
        skip("llvm-mc-19");
    }
    name.map(String::from)
}

/// Runs llvm-mc on `input` with one more argument; anything on stderr fails the test.
pub fn run_llvm(tool: &str, mode: &str, lanes: u32, input: &str) -> String {
    let (out, errors) = llvm(tool, mode, lanes, input);
    assert!(errors.is_empty(), "llvm-mc: {}", errors.lines().take(60).collect::<Vec<_>>().join("\n"));
    out
}

/// What llvm-mc prints, and what it complains of.
fn llvm(tool: &str, mode: &str, lanes: u32, input: &str) -> (String, String) {
    use std::io::Write;
    let waves = if lanes == 32 { "+wavefrontsize32,-wavefrontsize64" } else { "-wavefrontsize32,+wavefrontsize64" };
    let mut child = Command::new(tool)
        .args(["-triple=amdgcn", "-mcpu=gfx1010", &format!("-mattr={waves}"), mode])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("llvm-mc starts");
    let mut stdin = child.stdin.take().expect("piped");
    let text = input.to_string();
    let writer = std::thread::spawn(move || stdin.write_all(text.as_bytes()));
    let out = child.wait_with_output().expect("llvm-mc ends");
    writer.join().expect("writer").expect("llvm-mc reads its input");
    let text = |bytes| String::from_utf8(bytes).expect("llvm-mc prints text");
    (text(out.stdout), text(out.stderr))
}

/// A small deterministic generator (SplitMix64).
pub struct Rng(pub u64);

impl Rng {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
    pub fn below(&mut self, n: u32) -> u32 {
        (self.next() % u64::from(n.max(1))) as u32
    }
    pub fn chance(&mut self, one_in: u32) -> bool {
        self.below(one_in) == 0
    }
}

/// Dwords of a hexadecimal byte string.
pub fn words(hex: &str) -> Vec<u32> {
    let byte = |i: usize| u8::from_str_radix(&hex[i..i + 2], 16).expect("hexadecimal");
    let bytes: Vec<u8> = (0..hex.len()).step_by(2).map(byte).collect();
    bytes.chunks(4).map(|c| u32::from_le_bytes(c.try_into().expect("whole dwords"))).collect()
}

/// What llvm-mc makes of each line by itself: its bytes in hexadecimal, or its word on why not. A warning counts as refusal:
/// it says that the bytes are not what was written.
pub fn llvm_lines(tool: &str, lanes: u32, lines: &[String]) -> Vec<Result<String, String>> {
    let (out, errors) = llvm(tool, "-show-encoding", lanes, &(lines.join("\n") + "\n"));
    let mut refused: std::collections::HashMap<usize, (bool, String)> = std::collections::HashMap::new();
    for line in errors.lines() {
        let mut parts = line.splitn(5, ':');
        let at = parts.nth(1).and_then(|n| n.parse::<usize>().ok());
        let (kind, what) = (parts.nth(1).unwrap_or("").trim(), parts.next().unwrap_or("").trim());
        if let (Some(at), "error" | "warning") = (at, kind) {
            refused.insert(at - 1, (kind == "warning", what.to_string()));
        }
    }
    let mut encodings = out
        .lines()
        .filter_map(|l| l.rsplit_once("encoding: [")?.1.split_once(']'))
        .map(|(bytes, _)| bytes.split(',').map(|b| b.trim_start_matches("0x")).collect::<String>());
    let all = (0..lines.len())
        .map(|n| match refused.remove(&n) {
            Some((warns, what)) => {
                if warns {
                    encodings.next().expect("a warning has its bytes");
                }
                Err(what)
            }
            None => Ok(encodings.next().unwrap_or_else(|| panic!("llvm-mc gives no bytes for {}", lines[n]))),
        })
        .collect();
    assert_eq!(encodings.next(), None, "more encodings than lines");
    all
}
