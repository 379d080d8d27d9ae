//! Laws of the table: what holds for every row because rows are data.

use crate::body;
use crate::common;
use std::collections::{HashMap, HashSet};

use crate::common::instances::{instances, words};
use crate::common::random::every_instance;
use wavepipe_isa::instr::Flags;
use wavepipe_isa::row::{Format, Scc, Sem, Ty};
use wavepipe_isa::{Gen, Op, Src, asm, decode, disasm, encode, legal, reference};

const GEN: Gen = Gen::Gfx1010;

#[test]
fn names_and_opcodes_are_unique() {
    let mut names = HashSet::new();
    for op in Op::all() {
        let row = op.row();
        assert!(names.insert(row.name), "{} stands twice", row.name);
        assert_eq!(Op::named(row.name), Some(op));
        assert!(!row.doc.trim().is_empty(), "{} has no description", row.name);
        assert!(row.numbers.is_sorted_by_key(|(from, _)| *from), "{}: columns out of order", row.name);
        assert!(row.spellings.is_sorted_by_key(|(from, _)| *from), "{}: columns out of order", row.name);
    }
    assert_eq!(names.len(), wavepipe_isa::insts::COUNT);
    for generation in Gen::ALL {
        let (mut spellings, mut codes) = (HashSet::new(), HashMap::new());
        for op in Op::of(generation) {
            let row = op.row();
            let encoding = row.encoding(generation).expect("a row of the generation");
            let other = codes.insert((format!("{:?}", encoding.format), encoding.opcode), row.name);
            assert!(other.is_none(), "{} and {other:?} share an opcode on {generation:?}", row.name);
            assert!(spellings.insert(row.spelling(generation)), "{} stands twice on {generation:?}", row.name);
        }
    }
}

#[test]
fn scc_rules_agree_with_operands() {
    for op in Op::all() {
        let row = op.row();
        let writes = row.dst.contains(&Ty::Scc);
        assert!(row.scc == Scc::Keep || writes, "{}: an SCC rule and no SCC", row.name);
        assert!(!writes || row.scc != Scc::Keep || row.sem == Sem::Todo, "{}: SCC and no rule", row.name);
    }
}

#[test]
fn rows_with_bodies_evaluate() {
    for op in Op::all() {
        let data = matches!(op.row().sem, Sem::Mem(..) | Sem::Wave(_) | Sem::Control(_) | Sem::Todo);
        let mode = Default::default();
        assert_eq!(reference::evaluate(op, [1, 2, 3], false, mode).is_none(), data, "{op:?}");
    }
}

#[test]
fn decode_inverts_encode_and_parse_inverts_print() {
    let mut n = 0;
    every_instance(20, 32, |instr| {
        n += 1;
        let mut words = Vec::new();
        encode::encode(&instr, GEN, &mut words).unwrap_or_else(|e| panic!("{instr:?}: {e}"));
        let (back, size) = decode::decode(&words, GEN).unwrap_or_else(|e| panic!("{instr:?} {words:08x?}: {e}"));
        assert_eq!(size, words.len());
        assert_eq!(back, instr, "{words:08x?}");
        for cut in 0..size {
            assert!(decode::decode(&words[..cut], GEN).is_err());
        }
        let text = disasm::text(&instr, GEN, 32);
        let parsed = asm::parse_line(&text, GEN, 32).unwrap_or_else(|e| panic!("{text}: {e}"));
        assert_eq!(parsed, instr, "{text}");
    });
    every_instance(4, 64, |instr| {
        n += 1;
        let text = disasm::text(&instr, GEN, 64);
        let parsed = asm::parse_line(&text, GEN, 64).unwrap_or_else(|e| panic!("{text}: {e}"));
        assert_eq!(parsed, instr, "{text}");
    });
    // Whatever is legal, modifiers in any combination too: in text a constant may become another of the same value.
    instances(24, 32, |instr| {
        n += 1;
        let words = words(&instr).expect("legal");
        let (back, size) = decode::decode(&words, GEN).unwrap_or_else(|e| panic!("{instr:?} {words:08x?}: {e}"));
        assert_eq!((back, size), (instr, words.len()), "{words:08x?}");
        assert_eq!(body::decode(&words), 1);
    });
    println!("{n} instances");
}

#[test]
fn llvm_agrees_both_ways() {
    let Some(tool) = common::llvm::llvm_mc() else { return };
    for lanes in [32, 64] {
        llvm_agrees(&tool, lanes);
    }
}

fn llvm_agrees(tool: &str, lanes: u32) {
    let mut texts = Vec::new();
    let mut bytes = Vec::new();
    every_instance(4, lanes, |instr| {
        // LLVM knows no TFE of MTBUF.
        if instr.op.row().format == Format::Mtbuf && instr.flags.contains(Flags::TFE) {
            return;
        }
        let mut words = Vec::new();
        encode::encode(&instr, GEN, &mut words).expect("legal");
        texts.push(disasm::text(&instr, GEN, lanes));
        bytes.push(
            words.iter().flat_map(|w| w.to_le_bytes()).map(|b| format!("0x{b:02x}")).collect::<Vec<_>>().join(","),
        );
    });
    let out = common::llvm::run_llvm(tool, "-show-encoding", lanes, &(texts.join("\n") + "\n"));
    let lines: Vec<&str> = out.lines().filter(|l| l.contains("encoding: [")).collect();
    assert_eq!(lines.len(), texts.len());
    let mut wrong = 0;
    for ((line, text), want) in lines.iter().zip(&texts).zip(&bytes) {
        let got = line.rsplit_once("encoding: [").and_then(|(_, r)| r.split_once(']')).map_or("", |(e, _)| e);
        if got != want {
            wrong += 1;
            println!("{text}: LLVM {got}, we {want}");
        }
    }
    let out = common::llvm::run_llvm(
        tool,
        "-disassemble",
        lanes,
        &(bytes.iter().map(|b| b.replace(',', " ")).collect::<Vec<_>>().join("\n") + "\n"),
    );
    let read: Vec<String> = out
        .lines()
        .map(str::trim)
        .filter(|l| !l.is_empty() && !l.starts_with('.'))
        .map(|l| l.split(" //").next().unwrap_or(l).split_whitespace().collect::<Vec<_>>().join(" "))
        .collect();
    assert_eq!(read.len(), texts.len());
    for (got, text) in read.iter().zip(&texts) {
        if got != text {
            wrong += 1;
            println!("LLVM prints {got}, we {text}");
        }
    }
    println!("{} instances against llvm-mc, wave{lanes}", texts.len());
    assert_eq!(wrong, 0);
}

#[test]
fn llvm_reads_wave64_masks() {
    let Some(tool) = common::llvm::llvm_mc() else { return };
    let lines = [
        "v_add_co_ci_u32_e32 v0, vcc, v1, v2, vcc",
        "v_add_co_ci_u32_e64 v0, s[2:3], v1, v2, s[4:5]",
        "v_add_co_u32 v0, s[2:3], v1, 5",
        "v_cmp_lt_f32_e32 vcc, 1.0, v2",
        "v_cmp_lt_f32_e64 s[10:11], v1, v2",
        "v_cmpx_lt_f32_e32 v1, v2",
        "v_cndmask_b32_e32 v0, v1, v2, vcc",
        "v_cndmask_b32_e64 v0, v1, v2, s[6:7]",
        "v_div_scale_f32 v0, vcc, v1, v2, v1",
        "v_mad_u64_u32 v[0:1], s[2:3], v4, v5, v[6:7]",
        "s_and_saveexec_b64 s[2:3], vcc",
        "s_mov_b64 exec, s[2:3]",
    ];
    let bytes: Vec<String> = lines
        .iter()
        .map(|line| {
            let instr = asm::parse_line(line, GEN, 64).unwrap_or_else(|e| panic!("{line}: {e}"));
            assert_eq!(disasm::text(&instr, GEN, 64), *line);
            let mut words = Vec::new();
            encode::encode(&instr, GEN, &mut words).expect("legal");
            words.iter().flat_map(|w| w.to_le_bytes()).map(|b| format!("0x{b:02x}")).collect::<Vec<_>>().join(" ")
        })
        .collect();
    let out = common::llvm::run_llvm(&tool, "-disassemble", 64, &(bytes.join("\n") + "\n"));
    let read: Vec<String> = out
        .lines()
        .map(|l| l.split_whitespace().collect::<Vec<_>>().join(" "))
        .filter(|l| !l.is_empty() && !l.starts_with('.'))
        .collect();
    assert_eq!(read, lines);
}

#[test]
fn defs_and_uses_name_implicit_registers() {
    let of = |line: &str, lanes: u32| {
        let instr = asm::parse_line(line, GEN, lanes).unwrap_or_else(|e| panic!("{line}: {e}"));
        let list = |i: Vec<legal::Access>| i.into_iter().map(|a| (a.reg, a.dwords)).collect::<Vec<_>>();
        (list(instr.defs(lanes).collect()), list(instr.uses(lanes).collect()))
    };
    let (s, v, vcc) = (Src::s, Src::v, Src::VCC_LO);
    assert_eq!(
        of("v_add_co_ci_u32_e32 v0, vcc_lo, s1, v2, vcc_lo", 32),
        (vec![(v(0), 1), (vcc, 1)], vec![(s(1), 1), (v(2), 1), (vcc, 1)])
    );
    assert_eq!(of("v_cmp_lt_f32_e64 s[2:3], v1, 1.0", 64), (vec![(s(2), 2)], vec![(v(1), 1)]));
    assert_eq!(of("v_fmac_f32 v3, v4, v5", 32), (vec![(v(3), 1)], vec![(v(4), 1), (v(5), 1), (v(3), 1)]));
    assert_eq!(
        of("s_and_saveexec_b64 s[2:3], vcc", 64),
        (vec![(s(2), 2), (Src::EXEC_LO, 2), (Src::SCC, 0)], vec![(vcc, 2), (Src::EXEC_LO, 2)])
    );
    assert_eq!(of("s_addc_u32 s0, s1, 7", 32), (vec![(s(0), 1), (Src::SCC, 0)], vec![(s(1), 1), (Src::SCC, 0)]));
    assert_eq!(of("s_load_dwordx4 s[4:7], s[2:3], 0x10", 32), (vec![(s(4), 4)], vec![(s(2), 2)]));
    assert_eq!(
        of("buffer_store_dwordx2 v[4:5], v[1:2], s[8:11], s3 idxen offen", 32),
        (vec![], vec![(v(1), 2), (s(8), 4), (s(3), 1), (v(4), 2)])
    );
    assert_eq!(
        of("buffer_atomic_cmpswap v[4:5], off, s[8:11], 0 glc", 32),
        (vec![(v(4), 1)], vec![(s(8), 4), (v(4), 2)])
    );
    assert_eq!(of("global_atomic_add v[2:3], v4, off", 32), (vec![], vec![(v(2), 2), (v(4), 1)]));
    assert_eq!(of("global_load_dword v1, v2, s[4:5]", 32), (vec![(v(1), 1)], vec![(v(2), 1), (s(4), 2)]));
    assert_eq!(of("v_swap_b32 v1, v2", 32), (vec![(v(1), 1), (v(2), 1)], vec![(v(2), 1), (v(1), 1)]));
    assert_eq!(of("s_cbranch_vccz 4", 32), (vec![], vec![(vcc, 1)]));
    assert_eq!(
        of("s_atomic_cmpswap_x2 s[4:7], s[2:3], s9 offset:0x10 glc", 32),
        (vec![(s(4), 2)], vec![(s(2), 2), (s(9), 1), (s(4), 4)])
    );
    assert_eq!(of("s_buffer_store_dwordx2 s[4:5], s[8:11], 0x10", 32), (vec![], vec![(s(8), 4), (s(4), 2)]));
    assert_eq!(of("ds_gws_init v3 offset:4 gds", 32), (vec![], vec![(v(3), 1), (Src::M0, 1)]));
    assert_eq!(of("exp mrt0 v1, off, v3, off done vm", 32), (vec![], vec![(v(1), 1), (v(3), 1)]));
    assert_eq!(
        of("v_interp_p2_f32_e32 v1, v2, attr3.y", 32),
        (vec![(v(1), 1)], vec![(v(2), 1), (v(1), 1), (Src::M0, 1)])
    );
}

#[test]
fn defs_and_uses_of_typed_and_image_memory() {
    let of = |line: &str| {
        let instr = asm::parse_line(line, GEN, 32).unwrap_or_else(|e| panic!("{line}: {e}"));
        let list = |i: Vec<legal::Access>| i.into_iter().map(|a| (a.reg, a.dwords)).collect::<Vec<_>>();
        (list(instr.defs(32).collect()), list(instr.uses(32).collect()))
    };
    let (s, v) = (Src::s, Src::v);
    // The status of TFE is one more.
    assert_eq!(
        of("tbuffer_load_format_d16_xyz v[4:6], v1, s[8:11], 0 format:[BUF_FMT_16_16_16_16_FLOAT] idxen tfe"),
        (vec![(v(4), 3)], vec![(v(1), 1), (s(8), 4)])
    );
    assert_eq!(
        of("image_load v[4:6], v[0:1], s[8:15] dmask:0x7 dim:SQ_RSRC_IMG_2D"),
        (vec![(v(4), 3)], vec![(v(0), 2), (s(8), 8)])
    );
    // R128: the descriptor has four dwords, though its text has eight.
    assert_eq!(
        of("image_load v[4:6], v0, s[8:15] dmask:0xf dim:SQ_RSRC_IMG_2D r128 a16 tfe d16"),
        (vec![(v(4), 3)], vec![(v(0), 1), (s(8), 4)])
    );
    assert_eq!(
        of("image_store v[4:7], v[0:2], s[8:15] dmask:0xf dim:SQ_RSRC_IMG_2D_ARRAY"),
        (vec![], vec![(v(0), 3), (s(8), 8), (v(4), 4)])
    );
    assert_eq!(
        of("image_atomic_cmpswap v[4:5], v[0:1], s[8:15] dmask:0x3 dim:SQ_RSRC_IMG_2D glc"),
        (vec![(v(4), 1)], vec![(v(0), 2), (s(8), 8), (v(4), 2)])
    );
    assert_eq!(
        of("image_atomic_add v4, v[0:1], s[8:15] dmask:0x1 dim:SQ_RSRC_IMG_2D"),
        (vec![], vec![(v(0), 2), (s(8), 8), (v(4), 1)])
    );
    // Non-sequential addresses one by one: reference, two pairs of derivatives, two coordinates.
    assert_eq!(
        of("image_sample_c_d v0, [v9, v1, v3, v5, v7, v40, v30], s[8:15], s[16:19] dmask:0x1 dim:SQ_RSRC_IMG_2D"),
        (
            vec![(v(0), 1)],
            vec![(v(9), 1), (s(8), 8), (s(16), 4), (v(1), 1), (v(3), 1), (v(5), 1), (v(7), 1), (v(40), 1), (v(30), 1)]
        )
    );
    assert_eq!(
        of("image_gather4_c_lz_o v[0:3], v[8:11], s[8:15], s[16:19] dmask:0x2 dim:SQ_RSRC_IMG_2D"),
        (vec![(v(0), 4)], vec![(v(8), 4), (s(8), 8), (s(16), 4)])
    );
}

#[test]
fn constant_bus_and_operand_rules() {
    let refused = |line: &str| asm::assemble(line, GEN, 32).is_err();
    assert!(refused("v_add_f32_e32 v0, v1, s2"));
    assert!(refused("v_fma_f32 v0, s1, s2, s3"));
    assert!(refused("v_fma_f32 v0, s1, s2, 0x12345678"));
    assert!(!refused("v_fma_f32 v0, s1, s2, s1"));
    assert!(!refused("v_fma_f32 v0, s1, 0x12345678, v2"));
    assert!(refused("v_lshlrev_b64 v[0:1], s2, s[4:5]"));
    assert!(refused("v_and_b32 v0, -v1, v2"));
    assert!(refused("s_mov_b64 s[1:2], s[4:5]"));
    assert!(refused("v_mac_f32_sdwa v0, v1, v2 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:DWORD src1_sel:DWORD"));
    assert!(refused("ds_write_b32 v0, s1"));
    assert!(refused("global_load_dword v0, v[0:1], off offset:2048"));
    assert!(refused("v_mov_b32 s0, v1"));
    // Tuples are as long as their operand, and modifiers belong to something.
    assert!(refused("s_mov_b64 s[0:1], s2"));
    assert!(refused("buffer_load_dword v[0:1], off, s[0:3], 0"));
    assert!(refused("buffer_load_dword v0, v1, s[0:3], 0"));
    assert!(refused("v_min_u32_e64 v0, v1, v2 clamp"));
    assert!(refused("v_and_b32_e64 v0, v1, v2 mul:2"));
    assert!(refused("ds_gws_init v0"));
    assert!(refused("ds_bpermute_b32 v0, v1, v2 gds"));
    assert!(refused("image_load v0, v[0:1], s[0:7] dmask:0x3 dim:SQ_RSRC_IMG_2D"));
    assert!(refused("image_load v0, v0, s[0:7] dmask:0x1 dim:SQ_RSRC_IMG_2D"));
    assert!(refused("image_atomic_add v0, v[0:1], s[0:7] dmask:0x1 dim:SQ_RSRC_IMG_2D d16"));
    assert!(refused("exp mrt8 v0, v0, v0, v0"));
    assert!(refused("v_interp_p1_f32 v0, v1, attr64.x"));
    assert!(refused("tbuffer_load_format_x v0, off, s[0:3], 0 format:[BUF_FMT_9_UNORM]"));
}

#[test]
fn programs_with_labels() {
    let words = asm::assemble(
        "// count down\n  s_movk_i32 s0, 0x3\nloop: s_add_i32 s0, s0, -1 ; one less\n  .p2align 2\n  s_cmp_lg_u32 s0, 0\n  s_cbranch_scc1 loop\n  s_branch done\n  s_nop 0\ndone:\n  s_endpgm\n",
        GEN,
        32,
    )
    .expect("assembles");
    assert_eq!(words, [0xb000_0003, 0x8100_c100, 0xbf07_8000, 0xbf85_fffd, 0xbf82_0001, 0xbf80_0000, 0xbf81_0000]);
    let error = asm::assemble("s_nop 0\n v_add_f32 v0, v1\n", GEN, 32).expect_err("an operand is missing");
    assert_eq!(error.line, 2);
    assert!(asm::assemble("s_branch nowhere\n", GEN, 32).is_err());
    let lines = disasm::listing(&words, GEN, 32);
    // Two labels stand between them, and it is a program again.
    assert_eq!(lines.lines().count(), words.len() + 2);
    assert_eq!(asm::assemble(&lines, GEN, 32).expect("assembles"), words);
}

/// A literal of 64 bits has no sign: its text is a number and never a negative inline constant.
#[test]
fn literals_of_64_bits_print_unsigned() {
    for line in ["s_mov_b64 s[2:3], 0xffffffff", "s_and_b64 s[2:3], s[0:1], 0xfffffff0"] {
        let instr = asm::parse_line(line, GEN, 32).expect(line);
        assert!(instr.src.contains(&Src::LITERAL), "{line}: {instr:?}");
        assert_eq!(disasm::text(&instr, GEN, 32), line);
    }
}
