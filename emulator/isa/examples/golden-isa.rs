//! Makes the golden corpus of encodings: `scripts/golden-isa`, or with `--check` compares it with the files that are there.
//!
//! Our generator chooses instructions, llvm-mc 19 says what their bytes and their text are: of each instance its bytes are
//! disassembled, that text is assembled, and what comes back as it went is a line. What llvm-mc does not print, or does not
//! read back (the 16-bit integers that it prints for inline floats, say), is counted.

#[path = "../tests/common/mod.rs"]
mod common;

use std::process::ExitCode;

use common::golden::{self, Line};
use common::instances;
use wavepipe_isa::row::Ty;

/// Instances of a row and form; wave64 only of those whose text is another there.
const WAVE32: usize = 40;
const WAVE64: usize = 16;

fn main() -> ExitCode {
    let check = std::env::args().nth(1).is_some_and(|a| a == "--check");
    let Some(tool) = common::llvm::llvm_mc() else { return ExitCode::FAILURE };
    let mut same = true;
    for (lanes, count) in [(32, WAVE32), (64, WAVE64)] {
        let lines = corpus(&tool, lanes, count);
        if check {
            let as_it_was = golden::read(lanes) == lines;
            println!("wave{lanes}: {}", if as_it_was { "as it was" } else { "other lines than the file has" });
            same &= as_it_was;
        } else {
            let packed = golden::pack(&lines);
            println!("wave{lanes}: {} lines, {} bytes", lines.len(), packed.len());
            std::fs::write(golden::file(lanes), packed).expect("the file is written");
        }
    }
    if same { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn corpus(tool: &str, lanes: u32, count: usize) -> Vec<Line> {
    let mut all = Vec::new();
    instances::instances(count, lanes, |instr| {
        let row = instr.op.row();
        let mask = row.dst.iter().chain(row.src).any(|t| matches!(t, Ty::Mask | Ty::Vcc | Ty::Exec));
        if lanes == 32 || mask {
            all.push(instances::words(&instr).expect("legal"));
        }
    });
    let texts = common::llvm::llvm_texts(tool, lanes, &all);
    let printed: Vec<(String, Vec<u32>)> =
        texts.iter().zip(&all).filter_map(|(t, w)| Some((t.clone()?, w.clone()))).collect();
    let lines: Vec<String> = printed.iter().map(|(text, _)| text.clone()).collect();
    let mut good: Vec<Line> = Vec::new();
    for ((text, words), bytes) in printed.into_iter().zip(common::llvm::llvm_lines(tool, lanes, &lines)) {
        if bytes.as_ref() == Ok(&common::hex(&words)) {
            good.push(Line { text, words });
        }
    }
    println!("wave{lanes}: {} instances, {} printed, {} read back", all.len(), lines.len(), good.len());
    good.sort();
    good.dedup();
    good
}
