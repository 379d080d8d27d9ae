//! Shaders that stand inside of scripts: GLSL, HLSL, SPIR-V as text or as numbers. Lines are those of the script.

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};
use wavepipe::failure::{Failure, Result};
use wavepipe::job::Spoken;
use wavepipe::shader::Shader;

/// Where the text begins.
pub struct At<'a> {
    pub path: &'a Path,
    pub line: u32,
}

impl At<'_> {
    /// The text on its lines of the script.
    pub(crate) fn padded(&self, text: &str) -> String {
        let lines = self.line.saturating_sub(1) as usize;
        // Some versions of GLSL have to begin with theirs.
        match text.lines().position(|l| l.trim_start().starts_with("#version")) {
            Some(n) => {
                let mut all = text.lines().skip(n);
                let version = all.next().unwrap_or("");
                let rest: Vec<&str> = all.collect();
                format!("{version}\n{}{}\n", "\n".repeat(lines + n), rest.join("\n"))
            }
            None => "\n".repeat(lines) + text,
        }
    }
}

/// `target` is a Vulkan or SPIR-V version, where the script names one. Scripts are written for glslang, so that is asked first,
/// by glslc.
pub fn glsl(text: &str, at: &At<'_>, target: Option<&str>) -> Result<Shader> {
    let text = at.padded(text);
    let version = match target {
        Some(target) if target.starts_with("spv") => {
            vec!["--target-env=vulkan1.3".to_owned(), format!("--target-spv={target}")]
        }
        Some(target) => vec![format!("--target-env={target}")],
        None => vec!["--target-env=vulkan1.1".to_owned()],
    };
    let args = ["-fshader-stage=compute", "-x", "glsl", "-g", "-o", "-", "-"].map(str::to_owned);
    match compile("glslc", &[&args[..], &version].concat(), &text, at) {
        Err(Failure::Unsupported(_)) => Shader::of_glsl(text, at.path, false),
        other => other,
    }
}

pub fn hlsl(text: &str, at: &At<'_>) -> Result<Shader> {
    let args = ["-fshader-stage=compute", "-x", "hlsl", "-g", "--target-env=vulkan1.1", "-o", "-", "-"];
    compile("glslc", &args.map(str::to_owned), &at.padded(text), at)
}

/// Where the script names no `target`, it is for `least`, or for the newest if only that has its instructions: what the script's own
/// runner was told with it is not in it.
pub fn assembly(text: &str, at: &At<'_>, target: Option<&str>, least: &str) -> Result<Shader> {
    let of = |version: &str| {
        let args = ["--target-env", version, "-o", "-", "-"];
        compile("spirv-as", &args.map(str::to_owned), text, at)
    };
    match target {
        Some(target) => of(target),
        None => of(least).or_else(|refusal| of("spv1.6").map_err(|_| refusal)),
    }
}

pub fn hex(text: &str, at: &At<'_>) -> Result<Shader> {
    let bad = |word: &str| Failure::usage(format!("{}: `{word}` is no word of SPIR-V", at.path.display()));
    let parse = |word: &str| u32::from_str_radix(word.trim_start_matches("0x"), 16).map_err(|_| bad(word));
    let all = text.split(|c: char| c.is_whitespace() || c == ',').filter(|w| !w.is_empty());
    Shader::spirv(&all.map(parse).collect::<Result<Vec<u32>>>()?)
}

pub fn words(bytes: &[u8]) -> Result<Vec<u32>> {
    if !bytes.len().is_multiple_of(4) {
        return Err(Failure::usage(format!("{} bytes are no whole words of SPIR-V", bytes.len())));
    }
    Ok(bytes.chunks_exact(4).map(|c| u32::from_le_bytes([c[0], c[1], c[2], c[3]])).collect())
}

/// A shader after passes of spirv-opt.
pub fn optimized(shader: &Shader, passes: &[String], at: &At<'_>) -> Result<Shader> {
    let words = shader.specialize(&[], &[], Spoken::File)?.words;
    let bytes: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
    let args = [passes, &["-o".to_owned(), "-".to_owned(), "-".to_owned()]].concat();
    Shader::spirv(&filter("spirv-opt", &args, &bytes, at)?)
}

fn compile(program: &str, args: &[String], text: &str, at: &At<'_>) -> Result<Shader> {
    Shader::spirv(&filter(program, args, text.as_bytes(), at)?)
}

/// SPIR-V of a program that reads from its standard input.
fn filter(program: &str, args: &[String], input: &[u8], at: &At<'_>) -> Result<Vec<u32>> {
    let mut command = Command::new(program);
    command.args(args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let missing = |e: std::io::Error| {
        Failure::Unsupported(format!("{}: this shader needs the program {program}: {e}", at.path.display()))
    };
    let mut child = command.spawn().map_err(missing)?;
    let mut pipe = child.stdin.take().ok_or_else(|| Failure::Driver("no pipe".into()))?;
    let owned = input.to_owned();
    // It may write before it has read everything.
    let writer = std::thread::spawn(move || pipe.write_all(&owned));
    let output = child.wait_with_output().map_err(missing)?;
    let _ = writer.join();
    let path = at.path.display().to_string();
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr).replace("<stdin>", &path);
        return Err(Failure::usage(format!("{path}: {program} refuses the shader:\n{}", said.trim_end())));
    }
    Ok(renamed(words(&output.stdout)?, &path))
}

const OP_STRING: u32 = 7;

/// The module with the script's name for the file that the compiler has read.
pub(crate) fn renamed(words: Vec<u32>, name: &str) -> Vec<u32> {
    let mut out = words.iter().take(5).copied().collect::<Vec<u32>>();
    let mut at = 5;
    while let Some(&first) = words.get(at) {
        let length = (first >> 16).max(1) as usize;
        let instruction = &words[at..(at + length).min(words.len())];
        let bytes: Vec<u8> = instruction.iter().skip(2).flat_map(|w| w.to_le_bytes()).take_while(|b| *b != 0).collect();
        if first & 0xffff == OP_STRING && bytes == b"<stdin>" {
            let mut text = name.as_bytes().to_vec();
            text.resize((text.len() + 1).next_multiple_of(4), 0);
            out.push((2 + text.len() as u32 / 4) << 16 | OP_STRING);
            out.push(instruction[1]);
            out.extend(text.chunks_exact(4).map(|c| u32::from_le_bytes([c[0], c[1], c[2], c[3]])));
        } else {
            out.extend_from_slice(instruction);
        }
        at += length;
    }
    out
}
