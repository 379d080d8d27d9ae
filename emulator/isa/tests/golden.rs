//! The golden corpus (tests/golden, made by scripts/golden-isa): instructions of every row and form with the bytes and the text
//! that llvm-mc 19 gives them, both ways, with no tool installed.

use crate::common;
use std::collections::{BTreeMap, BTreeSet};

use crate::common::golden::{self, Line};
use wavepipe_isa::instr::Form;
use wavepipe_isa::sample::FORMS;
use wavepipe_isa::{Gen, Op, asm, decode, disasm, encode};

const GEN: Gen = Gen::Gfx1010;

/// What is wrong with a line, or the row and form that it is of.
fn held(line: &Line, lanes: u32) -> Result<(Op, Form), String> {
    let (instr, size) = decode::decode(&line.words, GEN).map_err(|e| e.to_string())?;
    let mut again = Vec::new();
    encode::encode(&instr, GEN, &mut again).map_err(|e| e.to_string())?;
    if size != line.words.len() || again != line.words {
        return Err(format!("encodes to {again:08x?}"));
    }
    let printed = disasm::text(&instr, GEN, lanes);
    if printed != line.text {
        return Err(format!("prints {printed}"));
    }
    let parsed = asm::parse_line(&line.text, GEN, lanes).map_err(|e| e.to_string())?;
    again.clear();
    encode::encode(&parsed, GEN, &mut again).map_err(|e| e.to_string())?;
    if again == line.words { Ok((instr.op, instr.form)) } else { Err(format!("assembles to {again:08x?}")) }
}

fn hold(lanes: u32, least: usize) -> BTreeSet<(Op, Form)> {
    let lines = golden::read(lanes);
    let mut seen = BTreeSet::new();
    let mut wrong: BTreeMap<&str, (usize, String)> = BTreeMap::new();
    for line in &lines {
        match held(line, lanes) {
            Ok(of) => {
                seen.insert(of);
            }
            Err(what) => {
                let mnemonic = line.text.split(' ').next().unwrap_or_default();
                let entry =
                    wrong.entry(mnemonic).or_insert((0, format!("{} {}: {what}", common::hex(&line.words), line.text)));
                entry.0 += 1;
            }
        }
    }
    for (count, example) in wrong.values() {
        println!("{count:6} {example}");
    }
    println!("wave{lanes}: {} lines, {} rows and forms", lines.len(), seen.len());
    assert!(wrong.is_empty(), "{} mnemonics", wrong.len());
    assert!(lines.len() >= least, "the corpus shrank to {}", lines.len());
    seen
}

#[test]
fn bytes_and_text_of_every_row_and_form() {
    let seen = hold(32, 60_000);
    let all = Op::of(GEN).flat_map(|op| FORMS.into_iter().filter(move |&f| op.supports(f, GEN)).map(move |f| (op, f)));
    let absent: Vec<_> = all.filter(|of| !seen.contains(of)).collect();
    assert_eq!(absent, [], "rows and forms without a line");
}

#[test]
fn masks_of_wave64() {
    hold(64, 5_000);
}

#[test]
fn the_files_are_small() {
    let bytes: u64 =
        [32, 64].iter().map(|&lanes| std::fs::metadata(golden::file(lanes)).expect("is there").len()).sum();
    assert!(bytes < 1_500_000, "{bytes} bytes of golden corpus");
}

/// Packing loses nothing, not even of what no corpus has.
#[test]
fn packing() {
    let line = |text: &str, words: &[u32]| Line { text: text.into(), words: words.into() };
    let long = "x".repeat(300);
    let lines = [
        line("", &[]),
        line("a b", &[1]),
        line("a b, c", &[0xdead_beef, 2, 3, 4, 5]),
        line(&long, &[7]),
        line(&(long.clone() + "y"), &[8]),
    ];
    assert_eq!(golden::unpack(&golden::pack(&lines)), lines);
}

/// llvm-mc of today says what the files say.
#[test]
fn llvm_still_says_so() {
    let Some(tool) = common::llvm::llvm_mc() else { return };
    for lanes in [32, 64] {
        let lines = golden::read(lanes);
        let texts: Vec<String> = lines.iter().map(|l| l.text.clone()).collect();
        let words: Vec<Vec<u32>> = lines.iter().map(|l| l.words.clone()).collect();
        let bytes = common::llvm::llvm_lines(&tool, lanes, &texts);
        let printed = common::llvm::llvm_texts(&tool, lanes, &words);
        let other = |(line, (bytes, text)): &(&Line, (&Result<String, String>, &Option<String>))| {
            bytes.as_ref() != Ok(&common::hex(&line.words)) || text.as_ref() != Some(&line.text)
        };
        let other: Vec<_> = lines.iter().zip(bytes.iter().zip(&printed)).filter(other).collect();
        assert!(other.is_empty(), "{} lines, the first {:?}", other.len(), other[0]);
    }
}
