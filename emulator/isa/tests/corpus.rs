//! Every instruction and form that LLVM accepts for gfx1010: bytes to text and back, bit for bit and letter for letter. The
//! one difference that counts as none: LLVM's remarks on operands, in block comments inside of its text.

mod common;

use std::collections::BTreeMap;

use wavepipe_isa::{Gen, Op, asm, decode, disasm, encode};

const GEN: Gen = Gen::Gfx1010;

#[test]
fn every_opcode_has_a_row() {
    let Some(table) = common::fact("tables/opcodes_gfx1010.tsv") else { return };
    let mut rows = 0;
    for line in table.lines().skip(1) {
        let columns: Vec<&str> = line.split('\t').collect();
        let (format, opcode, mnemonic) = (columns[0], columns[1], columns[2]);
        let op = Op::find(mnemonic).unwrap_or_else(|| panic!("no row {mnemonic}"));
        // VOP3 numbers of rows of other families follow from their own.
        if format!("{:?}", op.row().format).eq_ignore_ascii_case(&format.replace("VINTRP", "Vintrp")) {
            assert_eq!(opcode.parse(), Ok(op.row().opcode), "{mnemonic}");
            rows += 1;
        }
    }
    assert!(rows > 1_100, "{rows} rows compared");
}

#[test]
fn bytes_to_text_and_back() {
    let Some(corpus) = common::fact("corpus/gfx1010.tsv") else { return };
    let mut bad: BTreeMap<String, (usize, String)> = BTreeMap::new();
    let (mut good, mut lines) = (0, 0);
    for line in corpus.lines() {
        lines += 1;
        let (hex, text) = line.split_once('\t').expect("bytes, tab, text");
        let words = common::words(hex);
        let result = decode::decode(&words, GEN).map_err(|e| e.to_string()).and_then(|(instr, size)| {
            let mut again = Vec::new();
            encode::encode(&instr, GEN, &mut again).map_err(|e| e.to_string())?;
            let printed = disasm::text(&instr, GEN, 32);
            if printed != common::without_remarks(text) {
                return Err(format!("prints {printed}"));
            }
            if size != words.len() || again != words {
                return Err("other bytes".into());
            }
            let parsed = asm::parse_line(text, GEN, 32).map_err(|e| e.to_string())?;
            again.clear();
            encode::encode(&parsed, GEN, &mut again).map_err(|e| e.to_string())?;
            if again == words { Ok(()) } else { Err(format!("assembles to {again:08x?}")) }
        });
        match result {
            Ok(()) => good += 1,
            Err(e) => {
                let mnemonic = text.split(' ').next().expect("a mnemonic");
                let entry = bad.entry(mnemonic.to_string()).or_insert((0, format!("{hex} {text}: {e}")));
                entry.0 += 1;
            }
        }
    }
    println!("corpus gfx1010: {lines} lines, {good} right, {} wrong", lines - good);
    for (count, example) in bad.values() {
        println!("{count:6} {example}");
    }
    assert!(good > 80_000, "the corpus shrank");
    assert!(bad.is_empty());
}
