//! Every instruction and form that LLVM accepts for gfx1010, of the families in the table: bytes to text and back.

mod common;

use std::collections::BTreeMap;

use wavepipe_isa::{Gen, asm, decode, disasm, encode};

const GEN: Gen = Gen::Gfx1010;

/// Families that have no rows: image, typed buffer, interpolation, export.
fn out_of_table(mnemonic: &str) -> bool {
    ["image_", "tbuffer_", "v_interp_", "exp", "ds_gws_", "ds_ordered_count"].iter().any(|p| mnemonic.starts_with(p))
        || mnemonic.contains("_src2_")
        || [
            "s_atomic_",
            "s_buffer_atomic_",
            "s_scratch_",
            "s_store_",
            "s_buffer_store_",
            "s_dcache_discard",
            "s_atc_probe",
        ]
        .iter()
        .any(|p| mnemonic.starts_with(p))
}

#[test]
fn bytes_to_text_and_back() {
    let Some(corpus) = common::fact("corpus/gfx1010.tsv") else { return };
    let mut bad: BTreeMap<String, (usize, String)> = BTreeMap::new();
    let (mut good, mut skipped) = (0, 0);
    for line in corpus.lines() {
        let (hex, text) = line.split_once('\t').expect("bytes, tab, text");
        let mnemonic = text.split(' ').next().expect("a mnemonic");
        // Constants as destinations, loads from scratch to LDS, and V_NOP with lane permutation are refused.
        let scalar_result =
            mnemonic.starts_with("v_cmp_") && mnemonic.ends_with("_e64") || mnemonic.starts_with("v_read");
        let refused = scalar_result && text.split(' ').nth(1).is_some_and(|d| d.starts_with("src_"))
            || mnemonic.starts_with("scratch_") && text.ends_with(" lds")
            || text.starts_with("v_nop ");
        if refused || out_of_table(mnemonic) || text.contains("/*") || mnemonic == "v_illegal" {
            skipped += 1;
            continue;
        }
        let words = common::words(hex);
        let result = decode::decode(&words, GEN).map_err(|e| e.to_string()).and_then(|(instr, size)| {
            let mut again = Vec::new();
            encode::encode(&instr, GEN, &mut again).map_err(|e| e.to_string())?;
            let printed = disasm::text(&instr, GEN, 32);
            if printed != text {
                return Err(format!("prints {printed}"));
            }
            if size != words.len() || again != words {
                return Err("other bytes".into());
            }
            let parsed = asm::parse_line(text, GEN, 32).map_err(|e| e.to_string())?;
            again.clear();
            encode::encode(&parsed, GEN, &mut again).map_err(|e| e.to_string())?;
            // Text cannot say that a literal dword holds what an inline constant could, nor reserved counter bits.
            let canonical = again.len() == words.len() && !text.starts_with("s_waitcnt");
            if canonical && again != words { Err(format!("assembles to {again:08x?}")) } else { Ok(()) }
        });
        match result {
            Ok(()) => good += 1,
            Err(e) => {
                let entry = bad.entry(mnemonic.to_string()).or_insert((0, format!("{hex} {text}: {e}")));
                entry.0 += 1;
            }
        }
    }
    let wrong: usize = bad.values().map(|b| b.0).sum();
    println!("corpus gfx1010: {good} right, {wrong} wrong, {skipped} outside of the table");
    for (count, example) in bad.values() {
        println!("{count:6} {example}");
    }
    assert!(good > 60_000, "the corpus shrank");
    assert_eq!(wrong, 0);
}
