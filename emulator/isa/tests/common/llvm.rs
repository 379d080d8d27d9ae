//! llvm-mc 19, line by line.

use std::collections::HashMap;
use std::process::{Command, Stdio};

use super::skip;
use wavepipe_isa::Gen;

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
    let (out, errors) = llvm(tool, Gen::Gfx1010, mode, lanes, input);
    assert!(errors.is_empty(), "llvm-mc: {}", errors.lines().take(60).collect::<Vec<_>>().join("\n"));
    out
}

/// What llvm-mc prints, and what it complains of.
fn llvm(tool: &str, generation: Gen, mode: &str, lanes: u32, input: &str) -> (String, String) {
    use std::io::Write;
    let waves = if lanes == 32 { "+wavefrontsize32,-wavefrontsize64" } else { "-wavefrontsize32,+wavefrontsize64" };
    let mut child = Command::new(tool)
        .args(["-triple=amdgcn", &format!("-mcpu={}", generation.name()), &format!("-mattr={waves}"), mode])
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

/// What llvm-mc makes of each line by itself: its bytes in hexadecimal, or its word on why not. A warning counts as refusal:
/// it says that the bytes are not what was written.
pub fn llvm_lines(tool: &str, lanes: u32, lines: &[String]) -> Vec<Result<String, String>> {
    llvm_lines_on(tool, Gen::Gfx1010, lanes, lines)
}

/// As [`llvm_lines`], on a generation.
pub fn llvm_lines_on(tool: &str, generation: Gen, lanes: u32, lines: &[String]) -> Vec<Result<String, String>> {
    let (out, errors) = llvm(tool, generation, "-show-encoding", lanes, &(lines.join("\n") + "\n"));
    let mut refused = complaints(&errors);
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

/// What llvm-mc says of lines, by number from 0: whether it is a mere warning, and the words.
fn complaints(errors: &str) -> HashMap<usize, (bool, String)> {
    let mut all = HashMap::new();
    for line in errors.lines() {
        let mut parts = line.splitn(5, ':');
        let at = parts.nth(1).and_then(|n| n.parse::<usize>().ok());
        let (kind, what) = (parts.nth(1).unwrap_or("").trim(), parts.next().unwrap_or("").trim());
        if let (Some(at @ 1..), "error" | "warning") = (at, kind) {
            all.insert(at - 1, (kind == "warning", what.to_string()));
        }
    }
    all
}

/// What llvm-mc prints of each instruction by itself, if it is one; its remarks in block comments are left out.
pub fn llvm_texts(tool: &str, lanes: u32, all: &[Vec<u32>]) -> Vec<Option<String>> {
    let bytes = |words: &Vec<u32>| {
        let bytes: Vec<String> = words.iter().flat_map(|w| w.to_le_bytes()).map(|b| format!("{b:#04x}")).collect();
        format!("[{}]\n", bytes.join(","))
    };
    let (out, errors) = llvm(tool, Gen::Gfx1010, "-disassemble", lanes, &all.iter().map(bytes).collect::<String>());
    let complaints = complaints(&errors);
    let mut texts = out.lines().map(str::trim).filter(|l| !l.is_empty() && !l.starts_with('.'));
    let all = (0..all.len())
        .map(|n| match complaints.get(&n) {
            // It has no text; what is undefined has one, and counts as none.
            Some((_, what)) => {
                if !what.contains("invalid") {
                    texts.next();
                }
                None
            }
            None => {
                let text = super::without_remarks(texts.next().expect("a text of each instruction"));
                let text = text.split(" //").next().unwrap_or_default().trim().to_string();
                Some(text.split_whitespace().collect::<Vec<_>>().join(" "))
            }
        })
        .collect();
    assert_eq!(texts.next(), None, "more texts than instructions");
    all
}

/// The words of the section .text that llvm-mc makes of a program with labels; a warning fails the test.
pub fn object_text(tool: &str, generation: Gen, lanes: u32, program: &str) -> Vec<u32> {
    let file = std::env::temp_dir().join(format!("labels-{}-{}.o", std::process::id(), generation.name()));
    let source = file.with_extension("s");
    std::fs::write(&source, program).expect("a file in the folder for temporary ones");
    let waves = if lanes == 32 { "+wavefrontsize32,-wavefrontsize64" } else { "-wavefrontsize32,+wavefrontsize64" };
    let out = Command::new(tool)
        .args(["-triple=amdgcn", &format!("-mcpu={}", generation.name()), &format!("-mattr={waves}")])
        .arg("-filetype=obj")
        .arg("-o")
        .args([&file, &source])
        .output()
        .expect("llvm-mc runs");
    assert!(out.stderr.is_empty(), "{generation:?}: {}\n{program}", String::from_utf8_lossy(&out.stderr));
    let bytes = std::fs::read(&file).expect("an object");
    let _ = (std::fs::remove_file(&file), std::fs::remove_file(&source));
    // ELF64: section headers from e_shoff on, 64 bytes each; the code is the section that may be executed.
    let number = |at: usize, n: usize| bytes[at..at + n].iter().rev().fold(0usize, |v, b| v << 8 | usize::from(*b));
    let (headers, count) = (number(0x28, 8), number(0x3c, 2));
    let code = (0..count).map(|i| headers + 64 * i).find(|h| number(h + 8, 8) & 4 != 0).expect("a section of code");
    let (begin, size) = (number(code + 0x18, 8), number(code + 0x20, 8));
    (begin..begin + size).step_by(4).map(|at| number(at, 4) as u32).collect()
}
