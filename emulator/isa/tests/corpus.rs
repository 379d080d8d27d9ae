//! Every instruction and form that LLVM accepts, by generation: bytes to text and back, bit for bit and letter for letter. The
//! one difference that counts as none: LLVM's remarks on operands, in block comments inside of its text.

use crate::common;
use std::collections::BTreeMap;

use wavepipe_isa::{Gen, Op, asm, decode, disasm, encode};

/// What facts of LLVM call a generation: gfx700 stands for all of GCN 2, whose encodings are one.
fn fact_name(generation: Gen) -> &'static str {
    if generation == Gen::Gfx701 { "gfx700" } else { generation.name() }
}

/// The family of a row by the table's name, which tells generations' layouts apart.
fn family(name: &str) -> &str {
    match name {
        "SMRD" => "SMEM",
        "VBUFFER" => "MUBUF",
        "VIMAGE" | "VSAMPLE" => "MIMG",
        "VDSDIR" => "LDSDIR",
        name => name.strip_prefix('V').filter(|n| matches!(*n, "FLAT" | "GLOBAL" | "SCRATCH")).unwrap_or(name),
    }
}

/// Opcodes of a generation's rows beside LLVM's table; how many rows there are.
fn rows(generation: Gen) -> usize {
    if let Some(compared) = compare(generation, |_| true) {
        assert!(compared > 700, "{compared} rows compared");
    }
    Op::of(generation).count()
}

/// Opcodes of rows beside LLVM's table, of the mnemonics that are asked for; how many.
fn compare(generation: Gen, asked: impl Fn(&str) -> bool) -> Option<usize> {
    let name = fact_name(generation);
    let table = common::fact(&format!("tables/opcodes_{name}.tsv"))?;
    let mut bad = Vec::new();
    let mut compared = 0;
    for line in table.lines().skip(1) {
        let columns: Vec<&str> = line.split('\t').collect();
        let (format, opcode, mnemonic, bits) = (columns[0], columns[1], columns[2], columns[3]);
        // VOPD's are numbers of LLVM's own for each pair.
        if !asked(mnemonic) || format == "VOPD" {
            continue;
        }
        // The tables of GCN hold VBUFFER's rows by mistake, with their 96 bits.
        if !asked(mnemonic) || !generation.caps().wave32 && bits == "96" {
            continue;
        }
        // GCN 5's table has one number twice, once by a name that only GCN 1 and 2 and RDNA 1 have.
        if (generation, mnemonic) == (Gen::Gfx900, "v_mul_lo_i32") {
            continue;
        }
        let Some(op) = Op::find(mnemonic, generation) else {
            bad.push(format!("no row {mnemonic}"));
            continue;
        };
        let encoding = op.row().encoding(generation).expect("a row of the generation");
        // VOP3 numbers of rows of other families follow from their own.
        if format!("{:?}", encoding.format).eq_ignore_ascii_case(family(format)) {
            compared += 1;
            if opcode.parse() != Ok(encoding.opcode) {
                bad.push(format!("{mnemonic}: {opcode} in the table, {:#x} in the row", encoding.opcode));
            }
        }
    }
    assert_eq!(bad, [""; 0], "{} mistakes in the rows of {name}", bad.len());
    Some(compared)
}

/// Lines of a generation's corpus; all of them have to be right, if `least` says so.
fn corpus(generation: Gen, least: usize) {
    let (good, wrong) = lines(generation, |_| true);
    assert!(good >= least, "{good} lines of the corpus are right, of {least} at least");
    assert_eq!(wrong, 0);
}

/// Lines whose mnemonic is asked for, both ways: how many are right, and how many are not.
fn lines(generation: Gen, asked: impl Fn(&str) -> bool) -> (usize, usize) {
    let lanes = if generation.caps().wave32 { 32 } else { 64 };
    held(generation, |_, text| asked(text), |words, text| both_ways(generation, lanes, words, text))
}

fn held(
    generation: Gen,
    asked: impl Fn(&[u32], &str) -> bool,
    check: impl Fn(&[u32], &str) -> Result<(), String>,
) -> (usize, usize) {
    let name = fact_name(generation);
    let Some(corpus) = common::fact(&format!("corpus/{name}.tsv")) else { return (usize::MAX, 0) };
    let mut bad: BTreeMap<String, (usize, String)> = BTreeMap::new();
    let (mut good, mut lines) = (0, 0);
    for line in corpus.lines() {
        let (hex, text) = line.split_once('\t').expect("bytes, tab, text");
        let words = common::words(hex);
        if !asked(&words, text) {
            continue;
        }
        lines += 1;
        match check(&words, text) {
            Ok(()) => good += 1,
            Err(e) => {
                let mnemonic = text.split(' ').next().expect("a mnemonic");
                let entry = bad.entry(mnemonic.to_string()).or_insert((0, format!("{hex} {text}: {e}")));
                entry.0 += 1;
            }
        }
    }
    println!("corpus {name}: {lines} lines, {good} right, {} wrong", lines - good);
    for (count, example) in bad.values() {
        println!("{count:6} {example}");
    }
    (good, lines - good)
}

fn both_ways(generation: Gen, lanes: u32, words: &[u32], text: &str) -> Result<(), String> {
    let (instr, size) = decode::decode(words, generation).map_err(|e| e.to_string())?;
    let mut again = Vec::new();
    encode::encode(&instr, generation, &mut again).map_err(|e| e.to_string())?;
    let printed = disasm::text(&instr, generation, lanes);
    if printed != common::without_remarks(text) {
        return Err(format!("prints {printed}"));
    }
    if size != words.len() || again != words {
        return Err("other bytes".into());
    }
    let parsed = asm::parse_line(text, generation, lanes).map_err(|e| e.to_string())?;
    again.clear();
    encode::encode(&parsed, generation, &mut again).map_err(|e| e.to_string())?;
    if again == words { Ok(()) } else { Err(format!("assembles to {again:08x?}")) }
}

#[test]
fn gfx1010() {
    assert_eq!(rows(Gen::Gfx1010), 1_227);
    corpus(Gen::Gfx1010, 80_000);
}
#[test]
fn gfx1030() {
    // V_ILLEGAL is not in LLVM's table.
    assert_eq!(rows(Gen::Gfx1030), 1_139);
    corpus(Gen::Gfx1030, 78_000);
}

/// What LLVM lets through and the documents of RDNA 3 and 4 do not have: VCCZ and EXECZ behind a modifier (plain, LLVM
/// refuses them), LDS direct in a pair.
fn beyond(text: &str) -> bool {
    text.contains("src_vccz") || text.contains("src_execz") || text.contains("::") && text.contains("src_lds_direct")
}

// Beside LLVM's table: V_ILLEGAL, and the three operations that stand only second in a pair.

/// All lines of a generation of which some are beyond, and those are as many as are said.
fn corpus_but_beyond(generation: Gen, least: usize, refused: usize) {
    let (good, wrong) = lines(generation, |text| !beyond(text));
    assert!(good >= least, "{good} lines of the corpus are right, of {least} at least");
    assert_eq!(wrong, 0);
    if good != usize::MAX {
        assert_eq!(lines(generation, beyond), (0, refused));
    }
}

#[test]
fn gfx1100() {
    assert_eq!(rows(Gen::Gfx1100), 1_152 + 4);
    corpus_but_beyond(Gen::Gfx1100, 82_000, 51);
}

#[test]
fn gfx1150() {
    assert_eq!(rows(Gen::Gfx1150), 1_211 + 4);
    corpus_but_beyond(Gen::Gfx1150, 88_500, 53);
}

#[test]
fn gfx1201() {
    assert_eq!(rows(Gen::Gfx1201), 1_258 + 4);
    corpus_but_beyond(Gen::Gfx1201, 83_900, 58);
}

/// Lines whose text does not stand for their bytes: clamp where GCN 1 has no bit for it, and bits of a message beside those that
/// the text names.
fn mistaken(words: &[u32], text: &str) -> bool {
    text.starts_with("v_div_scale") && text.contains(" clamp")
        || text.starts_with("s_sendmsg") && text.contains("sendmsg(") && words[0] & 0xfc00 != 0
}

/// All lines of a generation that LLVM cannot disassemble: text to bytes, and bytes to our own text and back.
fn assembled(generation: Gen, least: usize, refused: usize) {
    let round = |words: &[u32], text: &str| -> Result<(), String> {
        let assemble = |text: &str| {
            let mut out = Vec::new();
            let parsed = asm::parse_line(text, generation, 64).map_err(|e| e.to_string())?;
            encode::encode(&parsed, generation, &mut out).map_err(|e| e.to_string())?;
            if out == words { Ok(()) } else { Err(format!("{text} assembles to {out:08x?}")) }
        };
        assemble(text)?;
        let (instr, size) = decode::decode(words, generation).map_err(|e| e.to_string())?;
        if size != words.len() {
            return Err(format!("is {size} dwords"));
        }
        assemble(&disasm::text(&instr, generation, 64))
    };
    let (good, wrong) = held(generation, |words, text| !mistaken(words, text), round);
    assert!(good >= least, "{good} lines of the corpus are right, of {least} at least");
    assert_eq!(wrong, 0);
    if good != usize::MAX {
        assert_eq!(held(generation, mistaken, round), (0, refused));
    }
}

#[test]
fn gfx701() {
    assert_eq!(rows(Gen::Gfx701), 880);
    assembled(Gen::Gfx701, 38_880, 11);
}

#[test]
fn gfx600() {
    assert_eq!(rows(Gen::Gfx600), 815);
    assembled(Gen::Gfx600, 35_950, 10);
}

#[test]
fn gfx900() {
    assert_eq!(rows(Gen::Gfx900), 1_174);
    corpus(Gen::Gfx900, 72_000);
}
