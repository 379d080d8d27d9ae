//! `wavepipe disasm` and `wavepipe asm`: machine code to text and back.

use crate::failure::{Failure, Result, read_file, read_stdin, read_text, write_file};
use crate::gpu::generation;
use std::io::{BufWriter, ErrorKind, Write};
use std::path::{Path, PathBuf};
use wavepipe_runtime::hw::code::CodeObject;
use wavepipe_runtime::hw::hsa::Module;
use wavepipe_runtime::isa::disasm::Labels;
use wavepipe_runtime::isa::{self, Gen, Instr};
use wavepipe_runtime::{Error, disassembly};

const DISASM_EXAMPLES: &str = "\
Examples:
  wavepipe disasm 060a0501 bf810000        words in hex, as llvm-objdump prints them
  wavepipe disasm kernel.bin               raw machine code
  wavepipe disasm kernels.co               the functions of an AMD HSA code object
  wavepipe disasm --hazards kernels.co     and what in them a card would get wrong
  wavepipe disasm --gpu gfx1030 cc144005 18020100
  wavepipe disasm --lines encodings.txt    one encoding a line: bytes in memory order
  wavepipe disasm --labels --lines code.txt   the lines as one program: BB0: in front of where a branch goes

What branches go to has a label (BB0:); `wavepipe asm` and llvm-mc make the same bytes of the text again.";

const ASM_EXAMPLES: &str = "\
Examples:
  wavepipe asm kernel.s -o kernel.bin
  echo 's_endpgm' | wavepipe asm -
  wavepipe asm --lines texts.txt           one instruction a line, one encoding a line";

#[derive(clap::Args, Debug)]
#[command(after_help = DISASM_EXAMPLES)]
pub struct DisasmArgs {
    /// Words in hex, a file of raw machine code or an AMD HSA code object, or - for standard input
    #[arg(required_unless_present = "lines")]
    input: Vec<String>,
    #[command(flatten)]
    target: AsmTarget,
    /// Read one encoding in hex a line (bytes in memory order); print one text a line; an error stays on its line
    #[arg(long, value_name = "FILE")]
    lines: Option<PathBuf>,
    /// The lines are one program, one behind the other: labels in front of the texts that branches go to
    #[arg(long, requires = "lines")]
    labels: bool,
    /// Also list what the code does that the silicon gets wrong
    #[arg(long, conflicts_with = "lines")]
    hazards: bool,
}

#[derive(clap::Args, Debug)]
#[command(after_help = ASM_EXAMPLES)]
pub struct AsmArgs {
    /// Assembly file, or - for standard input
    #[arg(required_unless_present = "lines")]
    input: Option<PathBuf>,
    #[command(flatten)]
    target: AsmTarget,
    /// Read one instruction a line; print its bytes in hex a line; an error stays on its line
    #[arg(long, value_name = "FILE")]
    lines: Option<PathBuf>,
    /// Write raw machine code instead of printing words
    #[arg(short = 'o', value_name = "FILE")]
    output: Option<PathBuf>,
}

#[derive(clap::Args, Debug)]
struct AsmTarget {
    /// Generation: gfx600, gfx701, gfx900 (GCN), gfx1010, gfx1030, gfx1100, gfx1150, gfx1201 (RDNA), or a machine of one
    #[arg(long, value_name = "NAME", default_value = "gfx1010")]
    gpu: String,
    /// Wavefront size that lane masks are written for; the smallest that the generation has by default
    #[arg(long, value_parser = ["32", "64"])]
    wave: Option<String>,
}

impl AsmTarget {
    fn resolve(&self) -> Result<(Gen, u32)> {
        let gpu = generation(&self.gpu)?;
        let lanes = match (self.wave.as_deref(), gpu.caps().wave32) {
            (Some("64"), _) | (None, false) => 64,
            (_, true) => 32,
            (_, false) => {
                return Err(Failure::Unsupported(format!("waves of 32 lanes; {} has waves of 64 only", gpu.name())));
            }
        };
        Ok((gpu, lanes))
    }
}

/// How an ELF file begins.
const ELF_MAGIC: &[u8] = b"\x7fELF";

fn words_of(bytes: &[u8]) -> Vec<u32> {
    bytes.chunks_exact(4).map(|c| u32::from_le_bytes([c[0], c[1], c[2], c[3]])).collect()
}

/// A file's text, or that of standard input for `-`.
pub fn input_text(path: &Path) -> Result<String> {
    if path != Path::new("-") {
        return read_text(path);
    }
    String::from_utf8(read_stdin()?).map_err(|e| Failure::usage(format!("standard input: {e}")))
}

/// A file, or standard input for `-`.
fn input_bytes(path: &Path) -> Result<Vec<u8>> {
    if path == Path::new("-") { read_stdin() } else { read_file(path) }
}

/// What is made of a line, or what is wrong with it.
type Line<T> = std::result::Result<T, String>;

/// The lines of a file or of standard input. One that is no text is an error of its own.
fn lines_of(bytes: &[u8]) -> impl Iterator<Item = Line<&str>> {
    let bytes = bytes.strip_suffix(b"\n").unwrap_or(bytes);
    let lines = (!bytes.is_empty()).then(|| bytes.split(|b| *b == b'\n')).into_iter().flatten();
    lines.map(|line| match std::str::from_utf8(line) {
        Ok(text) => Ok(text.trim_end_matches('\r')),
        Err(e) => Err(e.to_string()),
    })
}

/// Runs `translate` on every line of a file or of standard input. A reader that has seen enough ends the run.
fn each_line(path: &Path, mut translate: impl FnMut(&str) -> Line<String>) -> Result<()> {
    let bytes = input_bytes(path)?;
    print_each(lines_of(&bytes).map(|line| line.and_then(&mut translate)))
}

/// An answer a line, an error on its own.
fn print_each(answers: impl Iterator<Item = Line<String>>) -> Result<()> {
    let mut out = BufWriter::new(std::io::stdout().lock());
    let mut written = Ok(());
    for answer in answers {
        written = match answer {
            Ok(text) => writeln!(out, "{text}"),
            Err(e) => writeln!(out, "error: {e}"),
        };
        if written.is_err() {
            break;
        }
    }
    match written.and_then(|()| out.flush()) {
        Err(e) if e.kind() != ErrorKind::BrokenPipe => Err(Failure::usage(format!("standard output: {e}"))),
        _ => Ok(()),
    }
}

/// `0605…` bytes in memory order, spaces allowed.
fn hex_bytes(line: &str) -> Option<Vec<u8>> {
    let digits: Vec<u32> =
        line.chars().filter(|c| !c.is_whitespace()).map(|c| c.to_digit(16)).collect::<Option<_>>()?;
    (digits.len().is_multiple_of(8)).then(|| digits.chunks_exact(2).map(|d| (d[0] << 4 | d[1]) as u8).collect())
}

pub fn disasm(args: &DisasmArgs) -> Result<()> {
    let (gpu, lanes) = args.target.resolve()?;
    if let Some(file) = &args.lines {
        let text = |line: &str| disasm_line(line, gpu).map(|(instr, _)| isa::disasm::text(&instr, gpu, lanes));
        return if args.labels { program(file, gpu, lanes) } else { each_line(file, text) };
    }
    let words = match args.input.as_slice() {
        [one] if one == "-" => hex_words(input_text(Path::new("-"))?.split_whitespace())?,
        [one] if Path::new(one).exists() => {
            let bytes = read_file(Path::new(one))?;
            if bytes.starts_with(ELF_MAGIC) {
                return disasm_object(Path::new(one), &bytes, args.hazards);
            }
            words_of(&bytes)
        }
        many => hex_words(many.iter().map(String::as_str))?,
    };
    let mut at = 0;
    while at < words.len() {
        match isa::decode::decode(&words[at..], gpu) {
            Ok((_, size)) => at += size,
            Err(e) => return Err(Failure::usage(format!("at +{:#x}, word {:08x}: {e}", 4 * at, words[at]))),
        }
    }
    print!("{}", isa::disasm::listing(&words, gpu, lanes));
    if args.hazards { hazards(&words, &[0], lanes, gpu) } else { Ok(()) }
}

/// A line for each hazard in code that is entered at some of its dwords.
fn hazards(words: &[u32], entries: &[usize], lanes: u32, gpu: Gen) -> Result<()> {
    let found = isa::hazard::walk::check(words, entries, lanes, gpu, isa::hazard::Reading::Strict)
        .map_err(|e| Failure::usage(format!("the code cannot be followed: {e}")))?;
    println!("{} hazards", found.len());
    found.iter().for_each(|f| println!("{f}"));
    Ok(())
}

/// The functions of a code object, one after the other.
fn disasm_object(path: &Path, file: &[u8], with_hazards: bool) -> Result<()> {
    let module = Module::parse(file).map_err(|e| Failure::from(Error::from(e)).context(path))?;
    let image = module.image(0);
    let wave = module.kernels.first().map(|k| k.wave).unwrap_or_default();
    for f in &module.functions {
        let text = image.get(f.address as usize..).and_then(|rest| rest.get(..f.size as usize)).unwrap_or_default();
        let kernel = module.kernels.iter().find(|k| k.entry == f.address);
        let what = kernel.map_or(String::new(), |k| format!("    ; kernel, wave{}", k.wave.lanes()));
        println!("{}:{what}", f.name);
        let code = CodeObject { text: text.to_vec(), isa: module.isa, wave, ..Default::default() };
        println!("{}", disassembly(&code));
    }
    if with_hazards {
        let entries: Vec<usize> = module.functions.iter().map(|f| f.address as usize / 4).collect();
        hazards(&words_of(&image), &entries, wave.lanes(), module.isa)?;
    }
    Ok(())
}

fn hex_words<'a>(texts: impl Iterator<Item = &'a str>) -> Result<Vec<u32>> {
    texts
        .map(|t| {
            u32::from_str_radix(t.trim_start_matches("0x").trim_end_matches(','), 16)
                .map_err(|_| Failure::usage(format!("`{t}` is neither a file nor a 32-bit word in hex")))
        })
        .collect()
}

/// The instruction of a line, and its words.
fn disasm_line(line: &str, gpu: Gen) -> Line<(Instr, usize)> {
    let bytes = hex_bytes(line).ok_or_else(|| format!("`{line}` is not whole words of hex bytes"))?;
    if bytes.is_empty() {
        return Err("an empty line".into());
    }
    let words = words_of(&bytes);
    match isa::decode::decode(&words, gpu) {
        Ok((instr, size)) if size == words.len() => Ok((instr, size)),
        Ok((_, size)) => Err(format!("the instruction has {size} words, the line {}", words.len())),
        Err(e) => Err(e.to_string()),
    }
}

/// Lines as one program. What is none of a line's encodings takes no room.
fn program(path: &Path, gpu: Gen, lanes: u32) -> Result<()> {
    let bytes = input_bytes(path)?;
    let mut at = 0;
    let read = lines_of(&bytes).map(|line| {
        let (instr, size) = disasm_line(line?, gpu)?;
        at += size;
        Ok((at - size, instr))
    });
    let code: Vec<Line<(usize, Instr)>> = read.collect();
    let labels = Labels::among(code.iter().flatten().map(|(at, instr)| (*at, Some(*instr))), gpu);
    print_each(code.into_iter().map(|line| {
        let (at, instr) = line?;
        let text = labels.text(&instr, at, gpu, lanes);
        Ok(match labels.at(at) {
            Some(label) => format!("{label}: {text}"),
            None => text,
        })
    }))
}

pub fn asm(args: &AsmArgs) -> Result<()> {
    let (gpu, lanes) = args.target.resolve()?;
    if let Some(file) = &args.lines {
        return each_line(file, |line| asm_line(line, gpu, lanes));
    }
    let Some(input) = &args.input else {
        return Err(Failure::usage("name an assembly file, or - for standard input"));
    };
    let words = isa::asm::assemble(&input_text(input)?, gpu, lanes)
        .map_err(|e| Failure::usage(format!("{}: {e}", input.display())))?;
    match &args.output {
        Some(file) => {
            let bytes: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
            write_file(file, &bytes)
        }
        None => {
            words.iter().for_each(|w| println!("{w:08x}"));
            Ok(())
        }
    }
}

fn asm_line(line: &str, gpu: Gen, lanes: u32) -> Line<String> {
    let encoded = isa::asm::parse_line(line, gpu, lanes).map_err(|e| e.to_string()).and_then(|instr| {
        let mut words = Vec::new();
        isa::encode::encode(&instr, gpu, &mut words).map_err(|e| e.to_string())?;
        Ok(words)
    });
    let words = encoded.map_err(|e| e.replace('\n', " "))?;
    Ok(words.iter().flat_map(|w| w.to_le_bytes()).map(|b| format!("{b:02x}")).collect())
}
