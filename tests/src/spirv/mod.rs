//! SPIR-V for tests: modules in a plain form, a plain interpreter of them, a generator of random ones, a shrinker of those
//! that fail, and mutation. Nothing here is shared with the compiler's front end.

pub mod generate;
pub mod grow;
pub mod interp;
pub mod module;
pub mod mutate;
pub mod shrink;

pub use module::{Block, Function, Inst, Module};

use rspirv::spirv::{AddressingModel, Capability, MemoryModel, Op};
use std::io::Write;
use std::process::{Command, Stdio};

/// The words of a literal string.
pub fn string(text: &str) -> Vec<u32> {
    let mut bytes = text.as_bytes().to_vec();
    bytes.resize((text.len() / 4 + 1) * 4, 0);
    bytes.chunks(4).map(|c| u32::from_le_bytes([c[0], c[1], c[2], c[3]])).collect()
}

/// How a module begins: its capabilities, GLSL.std.450 as `glsl`, the memory model.
fn head(capabilities: &[Capability], glsl: u32) -> Vec<Inst> {
    let mut all: Vec<Inst> = capabilities.iter().map(|&c| Inst::new(Op::Capability, 0, 0, [c as u32])).collect();
    all.push(Inst::new(Op::ExtInstImport, 0, glsl, string("GLSL.std.450")));
    let model = [AddressingModel::Logical as u32, MemoryModel::GLSL450 as u32];
    all.push(Inst::new(Op::MemoryModel, 0, 0, model));
    all
}

/// Runs one of SPIRV-Tools' programs on a module: what it printed, or what it complained of. None: it is not installed.
pub fn tool(program: &str, args: &[&str], words: &[u32]) -> Option<Result<String, String>> {
    let bytes: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
    pipe(program, args, bytes).map(|r| r.map(|out| String::from_utf8_lossy(&out).into_owned()))
}

/// Runs a program that reads all of its input from a pipe and writes to another.
fn pipe(program: &str, args: &[&str], input: Vec<u8>) -> Option<Result<Vec<u8>, String>> {
    let mut command = Command::new(program);
    let child = command.args(args).arg("-").stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let mut child = child.ok()?;
    // A program that dislikes the beginning does not read to the end.
    let _ = child.stdin.take().map(|mut pipe| pipe.write_all(&input));
    let output = child.wait_with_output().ok()?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    Some(match output.status.success() {
        true => Ok(output.stdout),
        false => Err(text(&output.stderr) + &text(&output.stdout)),
    })
}

/// The words of assembly text. None: spirv-as is not installed.
pub fn assembled(text: &str) -> Option<Result<Vec<u32>, String>> {
    let args = ["--target-env", "spv1.5", "--preserve-numeric-ids", "-o", "-"];
    let words = |bytes: Vec<u8>| bytes.chunks_exact(4).map(|c| u32::from_le_bytes([c[0], c[1], c[2], c[3]])).collect();
    pipe("spirv-as", &args, text.into()).map(|r| r.map(words))
}

/// What spirv-val thinks of a module under Vulkan 1.3's rules. None: it is not installed.
pub fn validate(words: &[u32]) -> Option<Result<(), String>> {
    let args = ["--target-env", "vulkan1.3", "--scalar-block-layout", "--workgroup-scalar-block-layout"];
    tool("spirv-val", &args, words).map(|r| r.map(drop))
}

/// The module as assembly text, or as words where spirv-dis is not installed.
pub fn assembly(words: &[u32]) -> String {
    match tool("spirv-dis", &["--no-color", "--raw-id"], words) {
        Some(Ok(text)) => text,
        _ => format!("{words:#x?}"),
    }
}
