//! The hazards of GCN: by each, what has it and what has not, and on which generations.

use super::hazards_on;
use wavepipe_isa::Gen;
use wavepipe_isa::hazard::{GCN, Reading, Trigger};

const SI: Gen = Gen::Gfx600;
const CI: Gen = Gen::Gfx701;
const VEGA: Gen = Gen::Gfx900;
const ALL: &[Gen] = &[SI, CI, VEGA];

/// Hazard, generations that it is on, what has it and what has not.
type Written = (&'static str, &'static [Gen], &'static [&'static str], &'static [&'static str]);

const WRITTEN: &[Written] = &[
    (
        "VMEMReadSGPRVALUDefHazard",
        ALL,
        &[
            "v_readfirstlane_b32 s4, v0\n buffer_load_dword v1, v2, s[4:7], 0 offen",
            "v_readfirstlane_b32 s7, v0\n s_nop 3\n buffer_store_dword v1, v2, s[4:7], 0 offen",
            "v_readlane_b32 s9, v0, 3\n s_mov_b32 s8, 0\n buffer_load_dword v1, v2, s[4:7], s9 offen",
            "v_cmp_eq_u32_e64 s[4:5], v0, v1\n image_load v0, v[2:5], s[0:7] dmask:0x1 unorm",
            "v_readfirstlane_b32 m0, v0\n buffer_load_dword v1, v2, s[4:7], m0 offen",
            // A scalar write in between does not help, nor a wait.
            "v_readfirstlane_b32 s4, v0\n s_mov_b32 s4, 0\n s_waitcnt lgkmcnt(0)\n buffer_load_dword v1, v2, s[4:7], 0 offen",
            // By each way.
            "v_readfirstlane_b32 s4, v0\n s_cbranch_scc0 on\n s_nop 7\n on: buffer_load_dword v1, v2, s[4:7], 0 offen",
            "again: buffer_load_dword v1, v2, s[4:7], 0 offen\n v_readfirstlane_b32 s4, v0\n s_nop 2\n s_cbranch_scc0 again",
            "v_cmpx_eq_u32_e64 s[8:9], v0, v1\n buffer_load_dword v1, v2, s[4:7], 0 offen",
        ],
        &[
            "v_readfirstlane_b32 s4, v0\n s_nop 4\n buffer_load_dword v1, v2, s[4:7], 0 offen",
            "v_readfirstlane_b32 s8, v0\n buffer_load_dword v1, v2, s[4:7], 0 offen",
            "s_mov_b32 s4, 0\n buffer_load_dword v1, v2, s[4:7], 0 offen",
            "v_readfirstlane_b32 s4, v0\n ds_read_b32 v1, v2",
            "again: buffer_load_dword v1, v2, s[4:7], 0 offen\n v_readfirstlane_b32 s4, v0\n s_nop 3\n s_cbranch_scc0 again",
        ],
    ),
    (
        "SMRDReadVALUDefHazard",
        &[SI],
        &[
            "v_readfirstlane_b32 s4, v0\n s_load_dword s0, s[4:5], 0x0",
            "v_readfirstlane_b32 s5, v0\n s_nop 2\n s_buffer_load_dword s0, s[4:7], 0x0",
            "s_mov_b32 s6, 0\n s_buffer_load_dword s0, s[4:7], 0x0",
        ],
        &[
            "v_readfirstlane_b32 s4, v0\n s_nop 3\n s_load_dword s0, s[4:5], 0x0",
            "s_mov_b32 s4, 0\n s_load_dword s0, s[4:5], 0x0",
        ],
    ),
    (
        "RWLaneHazard",
        ALL,
        &[
            "v_readfirstlane_b32 s4, v0\n v_readlane_b32 s0, v1, s4",
            "v_readfirstlane_b32 s4, v0\n s_nop 2\n v_writelane_b32 v1, 1, s4",
            "v_cmp_eq_u32 vcc, v0, v1\n v_readlane_b32 s0, v1, vcc_hi",
        ],
        &[
            "v_readfirstlane_b32 s4, v0\n s_nop 3\n v_readlane_b32 s0, v1, s4",
            // Data is forwarded.
            "v_readfirstlane_b32 s4, v0\n v_writelane_b32 v1, s4, 3",
            "s_mov_b32 s4, 0\n v_readlane_b32 s0, v1, s4",
        ],
    ),
    (
        "DivFMasHazard",
        ALL,
        &[
            "v_div_scale_f32 v0, vcc, v1, v2, v3\n v_div_fmas_f32 v0, v1, v2, v3",
            "v_cmp_eq_u32 vcc, v0, v1\n s_nop 2\n v_div_fmas_f64 v[0:1], v[2:3], v[4:5], v[6:7]",
        ],
        &[
            "v_div_scale_f32 v0, vcc, v1, v2, v3\n s_nop 3\n v_div_fmas_f32 v0, v1, v2, v3",
            "s_mov_b64 vcc, 0\n v_div_fmas_f32 v0, v1, v2, v3",
        ],
    ),
    (
        "DPPHazard",
        &[VEGA],
        &[
            "v_mov_b32 v1, v2\n v_add_f32_dpp v3, v1, v4 row_shr:1 row_mask:0xf bank_mask:0xf",
            "v_mov_b32 v1, v2\n s_nop 0\n v_add_f32_dpp v3, v4, v1 row_shr:1 row_mask:0xf bank_mask:0xf",
            "v_mov_b32 v3, v2\n v_mov_b32_dpp v3, v4 row_shr:1 row_mask:0xf bank_mask:0xf",
            "v_cmpx_eq_u32 vcc, v0, v1\n s_nop 3\n v_mov_b32_dpp v3, v4 row_shr:1 row_mask:0xf bank_mask:0xf",
        ],
        &[
            "v_mov_b32 v1, v2\n s_nop 1\n v_add_f32_dpp v3, v1, v4 row_shr:1 row_mask:0xf bank_mask:0xf",
            "v_mov_b32 v5, v2\n v_add_f32_dpp v3, v1, v4 row_shr:1 row_mask:0xf bank_mask:0xf",
            "s_mov_b64 exec, -1\n v_mov_b32_dpp v3, v4 row_shr:1 row_mask:0xf bank_mask:0xf",
            "v_cmpx_eq_u32 vcc, v0, v1\n s_nop 4\n v_mov_b32_dpp v3, v4 row_shr:1 row_mask:0xf bank_mask:0xf",
        ],
    ),
    (
        "ZeroFlagHazard",
        ALL,
        &[
            "v_cmp_eq_u32 vcc, v0, v1\n v_mov_b32 v0, src_vccz",
            "v_cmpx_eq_u32 vcc, v0, v1\n s_nop 3\n v_mov_b32 v0, src_execz",
        ],
        &["v_cmp_eq_u32 vcc, v0, v1\n s_nop 4\n v_mov_b32 v0, src_vccz", "s_mov_b64 vcc, 0\n v_mov_b32 v0, src_vccz"],
    ),
    (
        "SetRegHazard",
        ALL,
        &[
            "s_setreg_b32 hwreg(HW_REG_MODE), s0\n s_getreg_b32 s1, hwreg(HW_REG_MODE)",
            "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 4), 0\n s_nop 0\n s_setreg_b32 hwreg(HW_REG_MODE, 4, 4), s0",
            "s_setvskip s0, 3\n s_getreg_b32 s1, hwreg(HW_REG_MODE)",
        ],
        &[
            "s_setreg_b32 hwreg(HW_REG_MODE), s0\n s_nop 1\n s_getreg_b32 s1, hwreg(HW_REG_MODE)",
            "s_setreg_b32 hwreg(HW_REG_MODE), s0\n s_getreg_b32 s1, hwreg(HW_REG_HW_ID)",
        ],
    ),
    (
        "VskipHazard",
        ALL,
        &[
            "s_setreg_b32 hwreg(HW_REG_MODE, 28, 1), s0\n v_mov_b32 v0, v1",
            "s_setreg_b32 hwreg(HW_REG_MODE), s0\n s_nop 0\n ds_write_b32 v0, v1",
        ],
        &[
            "s_setreg_b32 hwreg(HW_REG_MODE, 0, 8), s0\n v_mov_b32 v0, v1",
            "s_setreg_b32 hwreg(HW_REG_MODE), s0\n s_nop 1\n v_mov_b32 v0, v1",
        ],
    ),
    (
        "RFEHazard",
        &[VEGA],
        &["s_setreg_b32 hwreg(HW_REG_TRAPSTS), s0\n s_rfe_b64 s[2:3]"],
        &["s_setreg_b32 hwreg(HW_REG_TRAPSTS), s0\n s_nop 0\n s_rfe_b64 s[2:3]"],
    ),
    (
        "12DWordStoreHazard",
        ALL,
        &[
            "buffer_store_dwordx4 v[0:3], v9, s[4:7], 0 offen\n v_mov_b32 v3, v8",
            "buffer_atomic_cmpswap_x2 v[0:3], v9, s[4:7], 0 offen\n v_mov_b32 v0, v8",
        ],
        &[
            "buffer_store_dwordx4 v[0:3], v9, s[4:7], 0 offen\n s_nop 0\n v_mov_b32 v3, v8",
            "buffer_store_dwordx4 v[0:3], v9, s[4:7], s8 offen\n v_mov_b32 v3, v8",
            "buffer_store_dwordx2 v[0:1], v9, s[4:7], 0 offen\n v_mov_b32 v1, v8",
            "buffer_store_dwordx4 v[0:3], v9, s[4:7], 0 offen\n v_mov_b32 v9, v8",
            "buffer_load_dwordx4 v[0:3], v9, s[4:7], 0 offen\n v_mov_b32 v9, v8",
            "image_store v[0:3], v[4:7], s[0:7] dmask:0xf unorm\n v_mov_b32 v0, v8",
        ],
    ),
    (
        "ReadM0SendMsgHazard",
        ALL,
        &[
            "s_mov_b32 m0, s0\n s_ttracedata",
            "s_mov_b32 m0, s0\n s_sendmsg sendmsg(MSG_INTERRUPT)",
            "s_mov_b32 m0, s0\n ds_add_u32 v0, v1 gds",
        ],
        &["s_mov_b32 m0, s0\n s_nop 0\n s_ttracedata", "s_mov_b32 m0, s0\n ds_add_u32 v0, v1"],
    ),
    (
        "ReadM0Hazard",
        &[VEGA],
        &["s_mov_b32 m0, s0\n s_movrels_b32 s1, s2", "s_mov_b32 m0, s0\n v_interp_p1_f32 v0, v1, attr0.x"],
        &["s_mov_b32 m0, s0\n s_nop 0\n s_movrels_b32 s1, s2"],
    ),
    (
        "InterpReadLaneHazard",
        &[SI],
        &["v_interp_p1_f32 v0, v1, attr0.x\n v_readfirstlane_b32 s0, v0"],
        &[
            "v_interp_p1_f32 v0, v1, attr0.x\n v_readfirstlane_b32 s0, v1",
            "v_interp_p1_f32 v0, v1, attr0.x\n v_writelane_b32 v0, s0, 1",
        ],
    ),
    (
        "ReadVCCZBug",
        &[SI, CI],
        &["s_load_dword s0, s[4:5], 0x0\n v_cmp_eq_u32 vcc, v0, v1\n s_cbranch_vccz on\n on: s_nop 0"],
        &[
            "s_load_dword s0, s[4:5], 0x0\n s_waitcnt lgkmcnt(0)\n v_cmp_eq_u32 vcc, v0, v1\n s_cbranch_vccz on\n on: s_nop 0",
            "s_load_dword s0, s[4:5], 0x0\n s_cbranch_execz on\n on: s_nop 0",
        ],
    ),
    (
        "StaleVCCZ",
        &[SI, CI],
        &[
            "v_cmp_eq_u32 vcc, v0, v1\n s_load_dword s0, s[4:5], 0x0\n s_waitcnt lgkmcnt(0)\n s_cbranch_vccnz on\n on: s_nop 0",
        ],
        &[
            "s_load_dword s0, s[4:5], 0x0\n s_waitcnt lgkmcnt(0)\n s_mov_b64 vcc, vcc\n s_cbranch_vccnz on\n on: s_nop 0",
        ],
    ),
    (
        "PartialVCCWrite",
        ALL,
        &["s_mov_b32 vcc_lo, 0\n s_cbranch_vccz on\n on: s_nop 0"],
        &["s_mov_b32 vcc_lo, 0\n s_mov_b64 vcc, vcc\n s_cbranch_vccz on\n on: s_nop 0"],
    ),
];

/// What only one generation's assembly has.
const OWN: &[(Gen, &str, &[&str], &[&str])] = &[
    (
        CI,
        "12DWordStoreHazard",
        &["flat_store_dwordx3 v[8:9], v[0:2]\n v_mov_b32 v2, v8"],
        &["flat_store_dwordx3 v[8:9], v[0:2]\n v_mov_b32 v9, v8"],
    ),
    (
        VEGA,
        "12DWordStoreHazard",
        &[
            "global_store_dwordx4 v[8:9], v[0:3], off\n v_mov_b32 v2, v8",
            "scratch_store_dwordx3 v8, v[0:2], off\n v_mov_b32 v2, v8",
        ],
        &[
            "global_store_dwordx4 v[8:9], v[0:3], off\n v_mov_b32 v9, v8",
            "global_store_dwordx2 v[8:9], v[0:1], off\n v_mov_b32 v0, v8",
        ],
    ),
    (
        VEGA,
        "VMEMReadSGPRVALUDefHazard",
        &[
            "v_readfirstlane_b32 s4, v0\n global_load_dword v0, v1, s[4:5]",
            "v_readfirstlane_b32 flat_scratch_lo, v0\n flat_load_dword v0, v[2:3]",
        ],
        &["v_readfirstlane_b32 flat_scratch_lo, v0\n global_load_dword v0, v[2:3], off"],
    ),
    (
        VEGA,
        "ReadM0Hazard",
        &[
            "s_mov_b32 m0, s0\n ds_read_addtid_b32 v0",
            "s_mov_b32 m0, s0\n buffer_load_dword v1, s[4:7], 0 offen lds",
            "s_mov_b32 m0, s0\n v_mov_b32 v0, src_lds_direct",
        ],
        &["s_mov_b32 m0, s0\n ds_read_b32 v0, v1"],
    ),
    (
        VEGA,
        "SMEMStoreClause",
        &[
            "s_load_dword s0, s[4:5], 0x0\n s_store_dword s1, s[4:5], 0x0",
            "s_store_dword s1, s[4:5], 0x0\n s_load_dword s0, s[4:5], 0x0",
        ],
        &[
            "s_store_dword s1, s[4:5], 0x0\n s_nop 0\n s_load_dword s0, s[4:5], 0x0",
            "s_load_dword s1, s[4:5], 0x0\n s_load_dword s0, s[4:5], 0x0",
        ],
    ),
];

fn held(isa: Gen, name: &str, bad: &[&str], good: &[&str]) {
    for text in bad {
        let found = hazards_on(isa, text, 64, Reading::Strict);
        assert!(found.contains(&name), "{name} is not found on {}, but {found:?}\n{text}", isa.name());
    }
    for text in good {
        let found = hazards_on(isa, text, 64, Reading::Strict);
        assert!(!found.contains(&name), "{name} is found on {}\n{text}", isa.name());
    }
}

#[test]
fn bad_and_good_of_gcn() {
    for &(name, on, bad, good) in WRITTEN {
        on.iter().for_each(|&isa| held(isa, name, bad, good));
    }
    OWN.iter().for_each(|&(isa, name, bad, good)| held(isa, name, bad, good));
}

/// Each is written for just the generations that the table has it on.
#[test]
fn every_hazard_of_gcn_is_written() {
    for h in GCN {
        let unseen = h.rules.iter().all(|r| matches!(r.trigger, Trigger::Unseen));
        for &isa in ALL {
            let written = WRITTEN.iter().any(|(name, on, ..)| *name == h.name && on.contains(&isa))
                || OWN.iter().any(|(on, name, ..)| *name == h.name && *on == isa);
            assert_eq!(!unseen && h.is_on(isa), written, "{} on {}", h.name, isa.name());
        }
    }
}

/// Where LLVM takes the older generations for safe and Mesa does not, or asks for less: clang's code is held to the one, ours to both.
#[test]
fn two_readings_of_gcn() {
    let on = |isa, text: &str| [Reading::Strict, Reading::Llvm].map(|r| hazards_on(isa, text, 64, r).len());
    let memory = "v_readfirstlane_b32 s4, v0\n buffer_load_dword v1, v2, s[4:7], 0 offen";
    let store = "buffer_store_dwordx4 v[0:3], v9, s[4:7], 0 offen\n v_mov_b32 v3, v8";
    let message = "s_mov_b32 m0, s0\n s_ttracedata";
    let twice = "s_setreg_b32 hwreg(HW_REG_MODE, 0, 4), s0\n s_nop 0\n s_setreg_b32 hwreg(HW_REG_MODE, 4, 4), s0";
    let skip = "s_setreg_b32 hwreg(HW_REG_MODE, 28, 1), s0\n v_mov_b32 v0, v1";
    for (text, llvm) in
        [(memory, [0, 0, 1]), (store, [0, 1, 1]), (message, [0, 0, 1]), (twice, [0, 0, 1]), (skip, [0; 3])]
    {
        assert_eq!([SI, CI, VEGA].map(|isa| on(isa, text)), llvm.map(|llvm| [1, llvm]), "{text}");
    }
}
