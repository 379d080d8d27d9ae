//! The pass that keeps hazards apart: beside LLVM's own pass, and under the checker.

use crate::llvm_mir::{Random, all_reached, compiled, functions, instructions, machine};
use std::collections::BTreeMap;
use wavepipe_compiler::back::checker::held::Views;
use wavepipe_compiler::back::hazards::Rules;
use wavepipe_compiler::back::machine::Machine;
use wavepipe_compiler::back::{emit, hazards};
use wavepipe_compiler::ir::Kernel;
use wavepipe_isa::hazard::{self, Reading, Remedy, walk};
use wavepipe_isa::{Gen, asm, disasm, insts as i};

fn missing(oracle: &str) -> bool {
    use std::process::{Command, Stdio};
    let there = Command::new(oracle).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok();
    if !there {
        println!("SKIP {oracle}");
        assert!(std::env::var_os("CI").is_none(), "{oracle} is missing");
    }
    !there
}

/// Generations that code is made for, with the sizes of their waves.
const GENERATIONS: &[(Gen, &[u32])] = &[
    (Gen::Gfx600, &[64]),
    (Gen::Gfx701, &[64]),
    (Gen::Gfx900, &[64]),
    (Gen::Gfx1010, &[32, 64]),
    (Gen::Gfx1030, &[32, 64]),
];

/// One instruction a line, without branch distances and what follows the end.
fn listing(words: &[u32], isa: Gen, lanes: u32) -> Vec<String> {
    let mut out = Vec::new();
    for (_, mut x) in instructions(words, isa) {
        if let wavepipe_isa::row::Sem::Control(c) = x.op.row().sem
            && c.has_target()
        {
            x.imm = 0;
        }
        out.push(disasm::text(&x, isa, lanes));
        if x.op == i::S_ENDPGM {
            break;
        }
    }
    out
}

/// Pairs of instructions that the checker reports, by the hazard's name.
fn pairs(words: &[u32], isa: Gen, lanes: u32, reading: Reading) -> Vec<String> {
    let found = walk::check(words, &[0], lanes, isa, reading).unwrap();
    found.iter().filter(|f| f.first != f.second).map(|f| f.to_string()).collect()
}

fn emitted(m: &Machine) -> Vec<u32> {
    let text = emit::emit(m, &Kernel::new("f", [1; 3]), &Views::default()).unwrap().text;
    text.as_chunks::<4>().0.iter().map(|w| u32::from_le_bytes(*w)).collect()
}

/// Random functions before and after LLVM's hazard pass, and after ours by the same reading. Without loops the instructions
/// are the same; with loops each pass is cautious in its own way (LLVM looks backwards into blocks that it has yet to mend),
/// and ours inserts no more in all. The checker finds something in a function if and only if LLVM mended it, and nothing
/// behind either pass; but for loops of GCN, whose wait states LLVM counts by one way to each block, which need not be the shortest: there
/// it misses a few.
fn beside_llvm(isa: Gen, sizes: &[u32], loops: bool, seed: u64, count: usize) -> BTreeMap<String, usize> {
    let folder = std::env::temp_dir().join(format!("wavepipe-hazards-{}-{}-{loops}", std::process::id(), isa.name()));
    std::fs::create_dir_all(&folder).unwrap();
    let (mut remedies, mut more, mut missed) = (BTreeMap::new(), 0, 0);
    for &lanes in sizes {
        let mir = functions(count, isa, lanes, loops, seed + u64::from(lanes));
        let before = compiled(&folder, &mir, isa, lanes, "-start-after=post-RA-hazard-rec");
        let after = compiled(&folder, &mir, isa, lanes, "-start-before=post-RA-hazard-rec");
        assert_eq!(before.len(), count);
        for (n, words) in &before {
            let mut m = machine(words, isa, lanes);
            if !all_reached(&m) {
                continue;
            }
            hazards::insert_by(&mut m, &Rules { generation: isa, reading: Reading::Llvm, without: None });
            let mended = emitted(&m);
            let without = listing(words, isa, lanes);
            let name = || format!("f{n} of {} wave{lanes}, without: {without:#?}", isa.name());
            let (ours, theirs) = (listing(&mended, isa, lanes), listing(&after[n], isa, lanes));
            assert!(loops || ours == theirs, "{}\nours {ours:#?}\ntheirs {theirs:#?}", name());
            let llvm = pairs(&after[n], isa, lanes, Reading::Llvm);
            if loops && !llvm.is_empty() && !isa.caps().wave32 {
                missed += 1;
            } else {
                assert!(llvm.is_empty(), "{}\n{llvm:#?}\n{theirs:#?}", name());
                more += ours.len() as isize - theirs.len() as isize;
                let found = pairs(words, isa, lanes, Reading::Llvm);
                // In loops of GCN it may see by a longer way what another has put apart.
                let same = found.is_empty() == (theirs.len() == without.len());
                assert!(same || loops && !isa.caps().wave32 && found.is_empty(), "{}\n{found:#?}", name());
            }
            let left = pairs(&mended, isa, lanes, Reading::Llvm);
            assert!(left.is_empty(), "{}\n{left:#?}\n{ours:#?}", name());
            let mut had = without.iter().peekable();
            for line in theirs {
                if had.next_if(|had| **had == line).is_none() {
                    *remedies.entry(line.split(' ').next().unwrap().to_owned()).or_default() += 1;
                }
            }
        }
    }
    std::fs::remove_dir_all(&folder).unwrap();
    println!("{} beside LLVM {more:+} instructions, which misses {missed}", isa.name());
    assert!(missed * 20 < count, "LLVM misses {missed} of {count}");
    assert!(more <= 0, "{more} instructions more than LLVM inserts");
    remedies
}

#[test]
fn workarounds_stand_where_llvm_puts_them() {
    if missing("llc-19") {
        return;
    }
    const RDNA_1: &[&str] = &["s_waitcnt_depctr", "s_mov_b32", "v_mov_b32_e32", "s_waitcnt_vscnt", "s_nop"];
    for &(isa, sizes) in GENERATIONS {
        for (loops, count) in [(false, 2_000), (true, 1_000)] {
            let remedies = beside_llvm(isa, sizes, loops, 1, count);
            println!("{} {remedies:?}", isa.name());
            let expected = if isa == Gen::Gfx1010 { RDNA_1 } else { &["s_nop"] };
            for op in expected {
                assert!(remedies.get(*op).is_some_and(|&n| n > 20), "{op}: {remedies:?}");
            }
            assert!(remedies.len() == expected.len(), "{remedies:?}");
        }
    }
}

/// Code with one hazard each, which the pass keeps apart: over a loop, a join, a branch.
const KERNELS: &[(&str, &str)] = &[
    (
        "VMEMtoScalarWriteHazard",
        "s_mov_b32 s0, 0\n again: s_add_u32 s0, s0, 1\n global_store_dword v0, v1, s[2:3]\n \
         buffer_load_dword v2, v1, s[0:3], 0 offen\n s_cbranch_scc1 again",
    ),
    (
        "SMEMtoVectorWriteHazard",
        "s_cbranch_scc0 other\n s_load_dword s9, s[4:5], 0x0\n s_branch join\n other: v_mov_b32 v0, v1\n \
         join: v_readfirstlane_b32 s5, v0",
    ),
    ("VcmpxExecWARHazard", "v_mov_b32 v0, v1\n s_cbranch_execz on\n v_mov_b32 v1, v2\n on: v_cmpx_eq_u32 v0, v1"),
    (
        "VcmpxPermlaneHazard",
        "v_cmpx_eq_u32 v0, v1\n s_cbranch_scc0 on\n s_mov_b32 s1, 0\n on: v_permlane16_b32 v2, v3, s0, s1",
    ),
    (
        "LdsBranchVmemWARHazard",
        "again: ds_write_b32 v0, v1\n global_load_dword v2, v1, s[2:3]\n v_mov_b32 v3, v4\n s_cbranch_scc1 again",
    ),
    (
        "NSAtoVMEMBug",
        "image_sample_d v0, [v1, v2, v3, v4, v9, v6], s[0:7], s[8:11] dmask:0x1 dim:SQ_RSRC_IMG_2D\n \
         buffer_load_dword v0, v1, s[0:3], 0 offen offset:4",
    ),
    (
        "NsaCannotFollowWritelane",
        "v_writelane_b32 v0, s0, 3\n image_sample v0, [v1, v3], s[0:7], s[8:11] dmask:0x1 dim:SQ_RSRC_IMG_2D",
    ),
    ("FPAtomicToDenormModeHazard", "global_atomic_fmin v[0:1], v2, off\n s_cbranch_scc0 on\n on: s_denorm_mode 0x3"),
    ("SMEMStoreThenLoad", "s_store_dword s0, s[2:3], 0x0\n s_branch on\n on: s_load_dword s1, s[4:5], 0x0"),
    (
        "VMEMReadSGPRVALUDefHazard",
        "again: buffer_load_dword v2, v1, s[0:3], 0 offen\n v_readfirstlane_b32 s1, v0\n s_nop 0\n s_cbranch_scc1 again",
    ),
    ("SMRDReadVALUDefHazard", "s_cbranch_scc0 on\n v_readfirstlane_b32 s4, v0\n on: s_load_dword s0, s[4:5], 0x0"),
    (
        "RWLaneHazard",
        "v_cmp_eq_u32_e64 s[4:5], v0, v1\n s_cbranch_scc0 on\n s_mov_b32 s1, 0\n on: v_readlane_b32 s2, v3, s5",
    ),
    ("DivFMasHazard", "v_div_scale_f32 v0, vcc, v1, v2, v3\n s_cbranch_scc0 on\n on: v_div_fmas_f32 v0, v1, v2, v3"),
    (
        "DPPHazard",
        "v_mov_b32 v200, v1\n s_cbranch_scc0 on\n on: v_add_f32_dpp v3, v200, v2 row_shr:1 row_mask:0xf bank_mask:0xf",
    ),
    ("ZeroFlagHazard", "v_cmp_eq_u32_e64 vcc, v0, v1\n s_cbranch_scc0 on\n on: v_mov_b32 v2, src_vccz"),
    (
        "SetRegHazard",
        "s_setreg_b32 hwreg(HW_REG_MODE, 0, 4), s0\n s_cbranch_scc0 on\n on: s_getreg_b32 s1, hwreg(HW_REG_MODE)",
    ),
    ("VskipHazard", "s_setreg_b32 hwreg(HW_REG_MODE, 28, 1), s0\n s_cbranch_scc0 on\n on: ds_read_b32 v2, v3"),
    ("RFEHazard", "s_setreg_b32 hwreg(HW_REG_TRAPSTS), s0\n s_rfe_b64 s[2:3]"),
    ("12DWordStoreHazard", "buffer_store_dwordx4 v[0:3], v9, s[0:3], 0 offen\n v_mov_b32 v3, v8"),
    ("ReadM0SendMsgHazard", "s_mov_b32 m0, s0\n s_ttracedata"),
    ("ReadM0Hazard", "s_mov_b32 m0, s0\n s_movrels_b32 s1, s2"),
    ("InterpReadLaneHazard", "v_interp_p1_f32 v200, v1, attr0.x\n v_readfirstlane_b32 s9, v200"),
    ("SMEMStoreClause", "s_store_dword s1, s[4:5], 0x0\n s_load_dword s2, s[4:5], 0x0"),
    (
        "ReadVCCZBug",
        "s_load_dword s0, s[4:5], 0x0\n v_cmp_eq_u32_e64 vcc, v0, v1\n s_cbranch_vccz on\n on: v_mov_b32 v0, v1",
    ),
    ("StaleVCCZ", "s_waitcnt lgkmcnt(0)\n s_cbranch_scc0 on\n s_mov_b64 vcc, 0\n on: s_cbranch_vccnz to\n to: s_nop 0"),
    ("PartialVCCWrite", "s_mov_b32 vcc_lo, 0\n s_cbranch_vccz on\n on: v_mov_b32 v0, v1"),
];

fn assembled(text: &str, isa: Gen, lanes: u32) -> Machine {
    let words = asm::assemble(&format!("{text}\ns_endpgm"), isa, lanes)
        .unwrap_or_else(|e| panic!("{} {e}\n{text}", isa.name()));
    machine(&words, isa, lanes)
}

/// The kernel after the pass by `rules`, and how many instructions that put in.
fn mended(text: &str, lanes: u32, rules: &Rules) -> (Vec<u32>, usize) {
    without_hazards(assembled(text, rules.generation, lanes), rules)
}

fn without_hazards(mut m: Machine, rules: &Rules) -> (Vec<u32>, usize) {
    let remedies = hazards::insert_by(&mut m, rules);
    (emitted(&m), remedies)
}

/// Hazards that the pass cannot overlook: S_RFE leaves the code, in front of which whatever else S_SETREG begins is resolved.
const COVERED: &[&str] = &["RFEHazard"];

fn rules(generation: Gen) -> Rules {
    Rules { generation, ..Rules::default() }
}

/// Kernels of hazards that a generation has.
fn kernels(isa: Gen) -> impl Iterator<Item = (&'static str, &'static str)> {
    KERNELS.iter().copied().filter(move |(name, _)| hazard::Hazard::find(name).is_some_and(|h| h.is_on(isa)))
}

#[test]
fn a_rule_that_the_pass_forgets_is_found() {
    for &(isa, sizes) in GENERATIONS {
        for h in hazard::hazards().filter(|h| h.is_on(isa) && !matches!(h.remedy, Remedy::Avoid(_))) {
            let (_, text) = kernels(isa).find(|(name, _)| *name == h.name).unwrap_or_else(|| panic!("{}", h.name));
            for &lanes in sizes {
                let (code, remedies) = mended(text, lanes, &rules(isa));
                // The flag that one of them makes wait is then stale.
                let wanted = if h.name == "ReadVCCZBug" { 2 } else { 1 };
                assert_eq!(
                    (remedies, pairs(&code, isa, lanes, Reading::Strict)),
                    (wanted, vec![]),
                    "{} {text}\n{:#?}",
                    isa.name(),
                    listing(&code, isa, lanes)
                );
                if COVERED.contains(&h.name) {
                    continue;
                }
                let (code, remedies) = mended(text, lanes, &Rules { without: Some(h.name), ..rules(isa) });
                let found = pairs(&code, isa, lanes, Reading::Strict);
                assert!(
                    remedies == 0 && found.iter().all(|f| f.starts_with(h.name)) && !found.is_empty(),
                    "{} {found:#?}\n{text}",
                    isa.name()
                );
            }
        }
    }
}

/// Wait states that several rules ask for are one S_NOP, of as many as the one that asks for most.
#[test]
fn one_nop_is_enough() {
    let text =
        "v_cmpx_eq_u32 vcc, v0, v1\n v_mov_b32 v2, v3\n v_add_f32_dpp v3, v2, v2 row_shr:1 row_mask:0xf bank_mask:0xf";
    let (code, remedies) = mended(text, 64, &rules(Gen::Gfx900));
    let lines = listing(&code, Gen::Gfx900, 64);
    assert_eq!((remedies, lines[2].as_str()), (1, "s_nop 3"), "{lines:#?}");
}

/// Where a register says where to go on, nothing is pending.
#[test]
fn calls_and_returns_begin_with_nothing() {
    // A float atomic is not among them: what resolves its other hazards keeps it far enough away.
    let begun = [
        ("VMEMtoScalarWriteHazard", "global_load_dword v0, v1, s[2:3]"),
        ("SMEMtoVectorWriteHazard", "s_load_dword s9, s[4:5], 0x0"),
        ("VcmpxExecWARHazard", "s_mov_b32 s0, exec_lo"),
        ("VcmpxPermlaneHazard", "v_cmpx_eq_u32 v0, v1"),
        ("LdsBranchVmemWARHazard", "ds_write_b32 v0, v1"),
        ("NsaCannotFollowWritelane", "v_writelane_b32 v0, s0, 3"),
        ("SMEMStoreThenLoad", "s_store_dword s0, s[2:3], 0x0"),
    ];
    let on = |isa: Gen, lanes: u32, begun: &[(&'static str, &str)]| {
        for (name, text) in begun {
            let text = format!("{text}\ns_setpc_b64 s[30:31]");
            let found = |rules: &Rules| pairs(&mended(&text, lanes, rules).0, isa, lanes, Reading::Strict);
            assert_eq!(found(&rules(isa)), [""; 0], "{text}");
            let left = found(&Rules { without: Some(name), ..rules(isa) });
            assert!(!left.is_empty() && left.iter().all(|f| f.starts_with(name)), "{left:#?}\n{text}");
        }
    };
    on(Gen::Gfx1010, 32, &begun);
    let vega = [
        ("VMEMReadSGPRVALUDefHazard", "v_readfirstlane_b32 s9, v0\n s_nop 3"),
        ("DPPHazard", "v_mov_b32 v200, v0"),
        ("12DWordStoreHazard", "buffer_store_dwordx4 v[0:3], v9, s[0:3], 0 offen"),
        ("SetRegHazard", "s_setreg_b32 hwreg(HW_REG_MODE, 0, 4), s0"),
        ("PartialVCCWrite", "s_mov_b32 vcc_lo, 0"),
    ];
    on(Gen::Gfx900, 64, &vega);
    on(Gen::Gfx600, 64, &[("SMRDReadVALUDefHazard", "s_mov_b32 s4, 0")]);
}

/// Random code by the strict reading: nothing is left, and of each rule that the pass forgets something is.
#[test]
fn random_code_is_mended() {
    for &(isa, sizes) in GENERATIONS {
        let mut r = Random(5);
        let mut found: BTreeMap<&str, usize> = BTreeMap::new();
        for n in 0..4_000 {
            let lanes = sizes[n % sizes.len()];
            let text = program(isa, lanes, &mut r);
            let plain = assembled(&text, isa, lanes);
            let (whole, _) = without_hazards(plain.clone(), &rules(isa));
            assert_eq!(pairs(&whole, isa, lanes, Reading::Strict), [""; 0], "{} {text}", isa.name());
            for (name, _) in kernels(isa) {
                let (code, _) = without_hazards(plain.clone(), &Rules { without: Some(name), ..rules(isa) });
                // The same code has nothing left again.
                if code == whole {
                    continue;
                }
                let left = pairs(&code, isa, lanes, Reading::Strict);
                assert!(left.iter().all(|f| f.starts_with(name)), "{} {left:#?}\n{text}", isa.name());
                *found.entry(name).or_default() += usize::from(!left.is_empty());
            }
        }
        println!("{} {found:?}", isa.name());
        assert!(
            kernels(isa).all(|(name, _)| found.get(name).is_some_and(|&n| n > 20) || COVERED.contains(&name)),
            "{} {found:?}",
            isa.name()
        );
    }
}

/// Up to six blocks of lines that rules speak of.
fn program(isa: Gen, lanes: u32, r: &mut Random) -> String {
    let mut lines: Vec<String> = kernels(isa).flat_map(|(_, text)| text.split('\n')).map(String::from).collect();
    lines.retain(|l| !l.contains("branch"));
    lines.iter_mut().for_each(|l| *l = l.rsplit_once(": ").map_or(l.as_str(), |(_, code)| code).trim().to_owned());
    let mask = if lanes == 64 { "s[4:5]" } else { "s4" };
    lines.push(format!("v_cmp_eq_u32_e64 {mask}, v0, v1"));
    lines.push(format!("s_and_saveexec_b{lanes} {mask}, {mask}"));
    let waits =
        ["s_waitcnt vmcnt(0)", "s_waitcnt lgkmcnt(0)", "s_waitcnt_vscnt null, 0x0", "s_nop 0", "s_mov_b32 s2, 0"];
    lines.extend(waits.iter().filter(|w| asm::parse_line(w, isa, lanes).is_ok()).map(|w| w.to_string()));
    let blocks = 2 + r.below(5);
    let mut out = String::new();
    for b in 0..blocks {
        out += &format!("b{b}: s_nop 0\n");
        for _ in 0..r.below(6) {
            out += &lines[r.below(lines.len())];
            out.push('\n');
        }
        if b + 1 < blocks {
            let branch = ["s_cbranch_scc1", "s_cbranch_execz", "s_cbranch_vccz"][r.below(3)];
            out += &format!("{branch} b{}\n", r.below(blocks));
        }
    }
    out
}
