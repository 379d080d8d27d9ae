//! The checker of hazards, on assembly written for each rule: what is dangerous, and the same made harmless.

mod gcn;

use wavepipe_isa::hazard::{self, GFX10, Kinds, Reading, Remedy, Trigger, facts, walk};
use wavepipe_isa::{Gen, Src, asm, decode};

const GEN: Gen = Gen::Gfx1010;

fn hazards(text: &str, lanes: u32, reading: Reading) -> Vec<&'static str> {
    hazards_on(GEN, text, lanes, reading)
}

fn hazards_on(isa: Gen, text: &str, lanes: u32, reading: Reading) -> Vec<&'static str> {
    let name = isa.name();
    let words =
        asm::assemble(&format!("{text}\ns_endpgm"), isa, lanes).unwrap_or_else(|e| panic!("{name}: {e}\n{text}"));
    let found = walk::check(&words, &[0], lanes, isa, reading).unwrap_or_else(|e| panic!("{name}: {e}\n{text}"));
    let mut names: Vec<&str> = found.iter().map(|f| f.hazard.name).collect();
    names.dedup();
    names
}

/// By hazard: what has it, and what does not.
const WRITTEN: &[(&str, &[&str], &[&str])] = &[
    (
        "VMEMtoScalarWriteHazard",
        &[
            "buffer_load_dword v0, v1, s[0:3], 0 offen\n s_mov_b32 s3, 0",
            "buffer_load_dword v0, v1, s[0:3], s9 offen\n s_load_dword s9, s[4:5], 0x0",
            "buffer_store_dword v0, v1, s[0:3], m0 offen\n s_mov_b32 m0, 0",
            "global_load_dword v0, v1, s[2:3]\n s_add_u32 s2, s2, 4",
            "ds_read_b32 v0, v1\n s_mov_b32 exec_lo, s4",
            "flat_load_dword v0, v[1:2]\n s_mov_b64 exec, s[4:5]",
            "ds_write_b32 v0, v1\n s_nop 7\n s_waitcnt lgkmcnt(0)\n s_mov_b32 exec_lo, s4",
            // Around a loop, and behind a branch.
            "s_mov_b32 s0, 0\n again: s_add_u32 s0, s0, 1\n buffer_load_dword v0, v1, s[0:3], 0 offen\n s_cbranch_scc1 again",
            "buffer_load_dword v0, v1, s[0:3], 0 offen\n s_cbranch_scc0 on\n v_mov_b32 v5, v6\n on: s_mov_b32 s0, 0",
        ],
        &[
            "buffer_load_dword v0, v1, s[0:3], 0 offen\n s_mov_b32 s4, 0",
            "buffer_load_dword v0, v1, s[0:3], 0 offen\n v_mov_b32 v2, v3\n s_mov_b32 s3, 0",
            "buffer_load_dword v0, v1, s[0:3], 0 offen\n s_waitcnt_depctr depctr_vm_vsrc(0)\n s_mov_b32 s3, 0",
            "buffer_load_dword v0, v1, s[0:3], 0 offen\n s_waitcnt vmcnt(0) expcnt(0) lgkmcnt(0)\n s_mov_b32 s3, 0",
            "buffer_load_dword v0, v1, s[0:3], 0 offen\n v_readfirstlane_b32 s3, v9",
            "s_load_dword s9, s[4:5], 0x0\n s_mov_b32 s4, 0",
            "buffer_load_dword v0, v1, s[0:3], 0 offen\n s_cbranch_scc0 on\n s_mov_b32 s9, 0\n on: s_mov_b32 s8, 0",
        ],
    ),
    (
        "SMEMtoVectorWriteHazard",
        &[
            "s_load_dword s9, s[4:5], 0x0\n v_readfirstlane_b32 s4, v0",
            "s_load_dword s9, s[4:5], s2\n v_readlane_b32 s2, v0, 1",
            "s_buffer_load_dword s9, s[4:7], 0x0\n v_cmp_eq_u32_e64 s7, v0, v1",
            "s_load_dword s9, vcc, 0x0\n v_cmp_eq_u32 vcc_lo, v0, v1",
            "s_load_dword s9, s[4:5], 0x0\n s_waitcnt vmcnt(0)\n s_nop 0\n v_readfirstlane_b32 s4, v0",
            "s_load_dword s9, s[4:5], 0x0\n s_branch on\n on: v_add_co_u32 v0, s5, v0, v1",
        ],
        &[
            "s_load_dword s9, s[4:5], 0x0\n v_readfirstlane_b32 s6, v0",
            "s_load_dword s9, s[4:5], 0x0\n s_mov_b32 null, 0\n v_readfirstlane_b32 s4, v0",
            "s_load_dword s9, s[4:5], 0x0\n s_cmp_eq_u32 s0, 0\n v_readfirstlane_b32 s4, v0",
            "s_load_dword s9, s[4:5], 0x0\n s_waitcnt lgkmcnt(0)\n v_readfirstlane_b32 s4, v0",
            "s_load_dword s9, s[4:5], 0x0\n s_waitcnt_lgkmcnt null, 0x0\n v_readfirstlane_b32 s4, v0",
        ],
    ),
    (
        "VcmpxExecWARHazard",
        &[
            "s_mov_b32 s0, exec_lo\n v_cmpx_eq_u32 v0, v1",
            "s_and_saveexec_b32 s0, s1\n v_cmpx_eq_u32 v0, v1",
            "s_cbranch_execz on\n on: v_cmpx_lt_f32 v0, v1",
            "global_load_dword v0, v1, s[2:3]\n v_mov_b32 v2, v3\n v_cmpx_eq_u32 v2, v1",
            "s_mov_b32 s0, exec_lo\n v_readfirstlane_b32 s3, v0\n v_cmpx_eq_u32 v0, v1",
        ],
        &[
            "v_mov_b32 v0, v1\n v_cmpx_eq_u32 v0, v1",
            "s_mov_b32 s0, exec_lo\n v_cmp_eq_u32 vcc_lo, v0, v1\n v_cmpx_eq_u32 v0, v1",
            "s_mov_b32 s0, exec_lo\n s_waitcnt_depctr depctr_sa_sdst(0)\n v_cmpx_eq_u32 v0, v1",
        ],
    ),
    (
        "VcmpxPermlaneHazard",
        &[
            "v_cmpx_eq_u32 v0, v1\n v_permlane16_b32 v2, v3, s0, s1",
            "v_cmpx_lt_f32_e64 v0, v1\n v_nop\n s_mov_b32 s9, 0\n v_permlanex16_b32 v2, v3, s0, s1",
        ],
        &[
            "v_cmp_eq_u32 vcc_lo, v0, v1\n v_permlane16_b32 v2, v3, s0, s1",
            "v_cmpx_eq_u32 v0, v1\n v_mov_b32 v3, v3\n v_permlane16_b32 v2, v3, s0, s1",
        ],
    ),
    (
        "LdsBranchVmemWARHazard",
        &[
            "ds_read_b32 v0, v1\n s_branch on\n on: global_load_dword v0, v1, s[2:3]",
            "buffer_load_dword v0, v1, s[0:3], 0 offen\n s_cbranch_scc0 on\n v_nop\n on: ds_write_b32 v0, v1",
            "scratch_load_dword v0, off, s2\n s_cbranch_vccz on\n s_waitcnt vmcnt(0)\n on: ds_write_b32 v0, v1",
            "on: ds_read_b32 v0, v1\n image_load v0, v[2:3], s[0:7] dmask:0x1 dim:SQ_RSRC_IMG_2D unorm\n s_cbranch_scc0 on",
        ],
        &[
            "ds_read_b32 v0, v1\n global_load_dword v0, v1, s[2:3]",
            "ds_read_b32 v0, v1\n s_branch on\n on: s_waitcnt_vscnt null, 0x0\n global_load_dword v0, v1, s[2:3]",
            "ds_read_b32 v0, v1\n s_waitcnt_vscnt null, 0x0\n s_branch on\n on: global_load_dword v0, v1, s[2:3]",
            "ds_read_b32 v0, v1\n s_branch on\n on: flat_load_dword v0, v[2:3]",
            "ds_read_b32 v0, v1\n s_branch on\n on: ds_read_b32 v1, v1\n global_load_dword v0, v1, s[2:3]",
        ],
    ),
    (
        "NSAtoVMEMBug",
        &["image_sample_d v0, [v1, v2, v3, v4, v9, v6], s[0:7], s[8:11] dmask:0x1 dim:SQ_RSRC_IMG_2D\n \
           buffer_load_dword v0, v1, s[0:3], 0 offen offset:2"],
        &[
            "image_sample_d v0, [v1, v2, v3, v4, v9, v6], s[0:7], s[8:11] dmask:0x1 dim:SQ_RSRC_IMG_2D\n \
             buffer_load_dword v0, v1, s[0:3], 0 offen offset:8",
            "image_sample_d v0, [v1, v2, v3, v4, v9, v6], s[0:7], s[8:11] dmask:0x1 dim:SQ_RSRC_IMG_2D\n s_nop 0\n \
             buffer_load_dword v0, v1, s[0:3], 0 offen offset:2",
            "image_sample v0, [v1, v3], s[0:7], s[8:11] dmask:0x1 dim:SQ_RSRC_IMG_2D\n \
             buffer_load_dword v0, v1, s[0:3], 0 offen offset:4",
        ],
    ),
    (
        "NsaCannotFollowWritelane",
        &["v_writelane_b32 v0, s0, 3\n image_sample v0, [v1, v3], s[0:7], s[8:11] dmask:0x1 dim:SQ_RSRC_IMG_2D"],
        &[
            "v_writelane_b32 v0, s0, 3\n image_sample v0, v[1:2], s[0:7], s[8:11] dmask:0x1 dim:SQ_RSRC_IMG_2D",
            "v_writelane_b32 v0, s0, 3\n s_nop 0\n \
             image_sample v0, [v1, v3], s[0:7], s[8:11] dmask:0x1 dim:SQ_RSRC_IMG_2D",
        ],
    ),
    (
        "FPAtomicToDenormModeHazard",
        &[
            "global_atomic_fmin v[0:1], v2, off\n s_denorm_mode 3",
            "buffer_atomic_fmax v0, v1, s[0:3], 0 offen\n s_nop 1\n s_denorm_mode 3",
        ],
        &[
            "buffer_atomic_fmax v0, v1, s[0:3], 0 offen\n s_nop 2\n s_denorm_mode 3",
            "buffer_atomic_fmax v0, v1, s[0:3], 0 offen\n v_nop\n s_denorm_mode 3",
            "buffer_atomic_fmax v0, v1, s[0:3], 0 offen\n s_waitcnt vmcnt(3)\n s_denorm_mode 3",
            "buffer_atomic_add v0, v1, s[0:3], 0 offen\n s_denorm_mode 3",
            "ds_min_f32 v0, v1\n s_denorm_mode 3",
        ],
    ),
    (
        "SMEMStoreThenLoad",
        &["s_store_dword s0, s[2:3], 0x0\n s_load_dword s1, s[4:5], 0x0"],
        &["s_store_dword s0, s[2:3], 0x0\n s_waitcnt lgkmcnt(0)\n s_load_dword s1, s[4:5], 0x0"],
    ),
    ("Offset3fBug", &["s_branch 0x3f"], &["s_branch 0x3e", "s_cbranch_scc0 0x40"]),
    ("InstFwdPrefetchBug", &["s_inst_prefetch 0x3"], &["s_nop 3"]),
    (
        "NSAClauseBug",
        &["s_clause 0x1\n global_load_dword v0, v1, s[2:3]\n \
           image_sample v0, [v1, v3], s[0:7], s[8:11] dmask:0x1 dim:SQ_RSRC_IMG_2D"],
        &["s_clause 0x1\n global_load_dword v0, v1, s[2:3]\n global_load_dword v1, v1, s[2:3]\n \
           image_sample v0, [v1, v3], s[0:7], s[8:11] dmask:0x1 dim:SQ_RSRC_IMG_2D"],
    ),
    (
        "NSAMaxSize5",
        &["image_sample_d v0, [v1, v2, v3, v4, v9, v6], s[0:7], s[8:11] dmask:0x1 dim:SQ_RSRC_IMG_2D"],
        &["image_sample_d v0, v[0:5], s[0:7], s[8:11] dmask:0x1 dim:SQ_RSRC_IMG_2D"],
    ),
    ("FlatSegmentOffsetBug", &["flat_load_dword v0, v[2:3] offset:4"], &["global_load_dword v0, v[2:3], off offset:4"]),
    (
        "NegativeUnalignedScratchOffsetBug",
        &["scratch_load_dword v0, v1, off offset:-3"],
        &["scratch_load_dword v0, v1, off offset:-4", "scratch_load_dword v0, off, s1 offset:-3"],
    ),
];

/// A branch that is there for its distance needs something to land on.
fn with_room(text: &str) -> String {
    match text.starts_with("s_branch 0x") || text.starts_with("s_cbranch_scc0 0x") {
        true => format!("{text}{}", "\ns_nop 0".repeat(0x40)),
        false => text.to_owned(),
    }
}

#[test]
fn bad_and_good() {
    for &(name, bad, good) in WRITTEN {
        for text in bad {
            let found = hazards(&with_room(text), 32, Reading::Strict);
            assert!(found.contains(&name), "{name} is not found, but {found:?}\n{text}");
        }
        for text in good {
            // Of others there may be some: the long NSA form is one by itself.
            let found = hazards(&with_room(text), 32, Reading::Strict);
            assert!(!found.contains(&name), "{name} is found\n{text}");
        }
    }
}

#[test]
fn every_hazard_is_written() {
    for h in GFX10 {
        let unseen = h.rules.iter().all(|r| matches!(r.trigger, Trigger::Unseen));
        assert_ne!(unseen, WRITTEN.iter().any(|(name, ..)| *name == h.name), "{}", h.name);
    }
}

/// The remedy that the table names makes each bad sequence good.
#[test]
fn remedies_are_what_the_table_clears() {
    for h in hazard::hazards() {
        for rule in h.rules {
            let Trigger::Behind(s) = rule.trigger else { continue };
            let text = "v_permlane16_b32 v2, v3, s0, s1";
            let second = asm::parse_line(text, GEN, 32).unwrap();
            let remedy =
                h.remedy.instr(&second, s.within.unwrap_or(0), rule.on[0]).unwrap_or_else(|| panic!("{}", h.name));
            let x = facts(&remedy, rule.on[0], 32);
            let apart = s.within.is_some_and(|limit| x.states >= limit);
            assert!(x.kinds.intersects(s.clear) || apart, "{}: {:?}", h.name, h.remedy);
            // It changes nothing: what it writes it reads.
            assert!(!x.kinds.intersects(s.first) && x.writes & !x.reads & !(1 << Src::NULL.0) == 0, "{}", h.name);
            for &isa in rule.on {
                assert!(remedy.op.row().encoding(isa).is_some(), "{}: {:?} on {}", h.name, h.remedy, isa.name());
            }
        }
        assert_eq!(
            matches!(h.remedy, Remedy::Avoid(_)),
            h.rules.iter().all(|r| !matches!(r.trigger, Trigger::Behind(_)))
        );
    }
}

/// Where the sources disagree: LLVM's reading is held to code of clang, the strict one to ours.
#[test]
fn two_readings() {
    let both = |text: &str| [Reading::Strict, Reading::Llvm].map(|r| hazards(text, 32, r));
    let strict = |text, name| assert_eq!(both(text), [vec![name], vec![]], "{text}");
    // EXEC that the opcode implies; a store behind S_WAITCNT 0, whose counters it is not on.
    strict("ds_read_b32 v0, v1\n s_and_saveexec_b32 s4, s5", "VMEMtoScalarWriteHazard");
    let store =
        "buffer_store_dword v0, v1, s[0:3], 0 offen\n s_waitcnt vmcnt(0) expcnt(0) lgkmcnt(0)\n s_mov_b32 s0, 0";
    strict(store, "VMEMtoScalarWriteHazard");
    let mode = "s_load_dword s9, s[4:5], 0x0\n s_setreg_imm32_b32 hwreg(HW_REG_MODE), 0\n v_readfirstlane_b32 s4, v0";
    strict(mode, "SMEMtoVectorWriteHazard");
    strict("ds_read_b32 v0, v1\n s_getpc_b64 s[8:9]\n global_load_dword v0, v1, s[2:3]", "LdsBranchVmemWARHazard");
}

/// Where jumps through registers go, if constants say so; what is pending at others.
#[test]
fn jumps_through_registers() {
    let far = |distance: u32| {
        format!(
            "ds_read_b32 v0, v1\n s_getpc_b64 s[8:9]\n s_add_u32 s8, s8, {distance:#x}\n s_addc_u32 s9, s9, 0\n \
             s_setpc_b64 s[8:9]\n s_endpgm\n global_load_dword v0, v1, s[2:3]"
        )
    };
    // Behind S_GETPC: S_ADD with a literal or not, S_ADDC, S_SETPC, S_ENDPGM.
    assert_eq!(hazards(&far(16), 32, Reading::Llvm), ["LdsBranchVmemWARHazard"]);
    assert_eq!(hazards(&far(12), 32, Reading::Llvm), [""; 0]);
    let unknown = "ds_read_b32 v0, v1\n s_setpc_b64 s[8:9]";
    assert!(hazards(unknown, 32, Reading::Strict).contains(&"LdsBranchVmemWARHazard"));
    assert_eq!(hazards(unknown, 32, Reading::Llvm), [""; 0]);
    // Whoever is there may read what has been written, and SCC is not among it.
    let on_gcn = |first: &str| hazards_on(Gen::Gfx600, &format!("{first}\n s_setpc_b64 s[8:9]"), 64, Reading::Strict);
    assert_eq!(on_gcn("s_mov_b32 s4, 0"), ["SMRDReadVALUDefHazard"]);
    assert_eq!(on_gcn("s_cmp_eq_u32 s4, 0"), [""; 0]);
    // Constants on another path say nothing: S_BRANCH goes over them, and S_ENDPGM stands between.
    let other = "ds_read_b32 v0, v1\n s_branch 4\n s_getpc_b64 s[8:9]\n s_add_u32 s8, s8, 0x14\n s_addc_u32 s9, s9, 0\n \
                 s_endpgm\n s_setpc_b64 s[8:9]\n s_endpgm\n global_load_dword v0, v1, s[2:3]";
    assert_eq!(hazards(other, 32, Reading::Llvm), [""; 0]);
    // A call comes back; what it did meanwhile is not known.
    let call = "s_mov_b32 s0, exec_lo\n s_swappc_b64 s[30:31], s[20:21]\n v_cmpx_eq_u32 v0, v1";
    for reading in [Reading::Strict, Reading::Llvm] {
        assert_eq!(hazards(call, 32, reading), ["VcmpxExecWARHazard"]);
    }
}

/// Code that runs into what is no instruction has no answer.
#[test]
fn errors_have_places() {
    let check = |words: &[u32]| walk::check(words, &[0], 32, GEN, Reading::Strict);
    assert_eq!(check(&[0xbf80_0000, 0xbf80_0000]).unwrap_err().at, 2);
    assert_eq!(check(&[0xbf80_0000, 0xbfff_0000, 0xbf81_0000]).unwrap_err().at, 1);
    assert!(check(&[0xbf82_8000]).is_err());
    assert!(check(&[0xbf81_0000]).unwrap().is_empty());
}

/// RDNA 2 has one of RDNA 1's.
#[test]
fn one_is_left_on_gfx1030() {
    let on: Vec<&str> = hazard::hazards().filter(|h| h.is_on(Gen::Gfx1030)).map(|h| h.name).collect();
    assert_eq!(on, ["FPAtomicToDenormModeHazard"]);
    let found = |text| hazards_on(Gen::Gfx1030, text, 32, Reading::Strict);
    assert_eq!(found("global_atomic_fmin v[0:1], v2, off\n s_denorm_mode 3"), on);
    assert_eq!(found("ds_read_b32 v0, v1\n s_mov_b32 exec_lo, s4"), [""; 0]);
}

/// Lane masks are one SGPR in wave32 and two in wave64.
#[test]
fn masks_by_wave() {
    let text = "s_load_dword s9, s[4:5], 0x0\n v_cmp_eq_u32_e64 {}, v0, v1";
    assert!(hazards(&text.replace("{}", "s3"), 32, Reading::Strict).is_empty());
    assert_eq!(hazards(&text.replace("{}", "s[4:5]"), 64, Reading::Strict), ["SMEMtoVectorWriteHazard"]);
    let (compare, _) = decode::decode(&[0x7d84_0300], GEN).unwrap();
    let (narrow, wide) = (facts(&compare, GEN, 32), facts(&compare, GEN, 64));
    assert!(narrow.kinds.contains(Kinds::VALU | Kinds::VALU_MASK));
    assert_eq!((narrow.writes, wide.writes), (1 << 106, 3 << 106));
}

/// The page about what silicon gets wrong has a line for each hazard.
#[test]
fn every_hazard_is_documented() {
    let page = include_str!("../ERRATA.md");
    for h in hazard::hazards() {
        assert!(page.contains(&format!("| {} |", h.name)), "ERRATA.md lacks a line for {}", h.name);
    }
}
