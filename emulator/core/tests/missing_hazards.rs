//! The check of hazards: for each that the table has, programs that walk into it, and the same ones that do not. The walk over bytes of
//! the `isa` crate has the table's every turn; here are the paths that waves take.

use crate::wave::Bed;
use std::sync::Arc;
use wavepipe_core::GuestChecks;
use wavepipe_core::wave::{Device, WorkGroup};
use wavepipe_hw::code::WaveSize;
use wavepipe_hw::finding::{Check, Finding, FindingKind};
use wavepipe_isa::hazard::{GCN, GFX10, Reading, Trigger};
use wavepipe_isa::{Gen, asm};

/// Hazards by name, with the instruction that the finding stands at and the other one; none of them waits as the other check asks for.
fn found(isa: Gen, text: &str, wave: WaveSize) -> Vec<(&'static str, String, String)> {
    // No lane is there, so that nothing needs to be mapped.
    let text = format!(
        "s_mov_b64 exec, 0\n{}\ns_endpgm",
        text.replace("VCC", if wave == WaveSize::W32 { "vcc_lo" } else { "vcc" })
    );
    let words = asm::assemble(&text, isa, wave.lanes()).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let mut bed = Bed::new(wave, [wave.lanes(), 1, 1]);
    bed.launch.isa = isa;
    bed.group = WorkGroup::on(Arc::new(Device { checks: GuestChecks::WAIT, ..Device::default() }));
    bed.start(&words);
    bed.run().unwrap_or_else(|e| panic!("{e:?}\n{text}"));
    let named = |f: Finding| match f.kind {
        FindingKind::Hazard { name, .. } => {
            assert_eq!((f.check(), f.kind.slug()), (Check::Wait, name));
            let other = f.other.map_or(String::new(), |o| o.site.disassembly);
            Some((name, f.site.disassembly, other))
        }
        _ => None,
    };
    bed.group.take_findings().0.into_iter().filter_map(named).collect()
}

const NSA: &str = "image_sample v0, [v1, v3], s[8:15], s[16:19] dmask:0x1 dim:SQ_RSRC_IMG_2D";
const NSA_LONG: &str = "image_sample_d v0, [v1, v2, v3, v4, v9, v6], s[8:15], s[16:19] dmask:0x1 dim:SQ_RSRC_IMG_2D";

/// By hazard: what has it, with the beginnings of the instruction and of the other one; and what does not. NSA stands for one of the above.
type Case = (&'static str, &'static [(&'static str, &'static str, &'static str)], &'static [&'static str]);

const CASES: &[Case] = &[
    (
        "VMEMtoScalarWriteHazard",
        &[
            ("buffer_load_dword v0, v1, s[8:11], 0 offen\n s_mov_b32 s11, 0", "s_mov_b32 s11", "buffer_load"),
            ("buffer_store_dword v0, v1, s[8:11], m0 offen\n s_mov_b32 m0, 0", "s_mov_b32 m0", "buffer_store"),
            ("global_load_dword v0, v1, s[2:3]\n s_mov_b64 exec, 0", "s_mov_b64 exec", "global_load"),
            ("global_load_dword v0, v1, s[4:5]\n s_load_dword s4, s[0:1], 0x0", "s_load_dword s4", "global_load"),
            ("ds_read_b32 v0, v1\n s_waitcnt lgkmcnt(0)\n s_nop 7\n s_mov_b64 exec, 0", "s_mov_b64 exec", "ds_read"),
            // Around a loop that is taken once.
            (
                "s_mov_b32 s20, 0\n again:\n s_cmp_eq_u32 s20, 1\n s_mov_b32 s8, 0\n s_mov_b32 s20, 1\n \
                 buffer_load_dword v0, v1, s[8:11], 0 offen\n s_cbranch_scc0 again",
                "s_mov_b32 s8",
                "buffer_load",
            ),
        ],
        &[
            "buffer_load_dword v0, v1, s[8:11], 0 offen\n s_mov_b32 s12, 0",
            "buffer_load_dword v0, v1, s[8:11], 0 offen\n v_mov_b32 v2, v3\n s_mov_b32 s11, 0",
            "buffer_load_dword v0, v1, s[8:11], 0 offen\n s_waitcnt_depctr depctr_vm_vsrc(0)\n s_mov_b32 s11, 0",
            "buffer_load_dword v0, v1, s[8:11], 0 offen\n s_waitcnt vmcnt(0) expcnt(0) lgkmcnt(0)\n s_mov_b32 s11, 0",
            // The dangerous instruction is on another path.
            "buffer_load_dword v0, v1, s[8:11], 0 offen\n s_branch on\n s_mov_b32 s11, 0\n on:\n s_nop 0",
            "s_mov_b32 s20, 0\n again:\n s_cmp_eq_u32 s20, 1\n s_mov_b32 s8, 0\n s_mov_b32 s20, 1\n \
             buffer_load_dword v0, v1, s[8:11], 0 offen\n s_waitcnt_depctr depctr_vm_vsrc(0)\n s_cbranch_scc0 again",
        ],
    ),
    (
        "SMEMtoVectorWriteHazard",
        &[
            ("s_load_dword s9, s[0:1], 0x0\n v_readfirstlane_b32 s0, v0", "v_readfirstlane_b32 s0", "s_load"),
            ("s_load_dword s9, s[0:1], s2\n s_nop 3\n v_readlane_b32 s2, v0, 1", "v_readlane_b32 s2", "s_load"),
            ("s_load_dword s9, s[0:1], vcc_lo\n v_cmp_eq_u32 VCC, v0, v1", "v_cmp_eq_u32", "s_load"),
        ],
        &[
            "s_load_dword s9, s[0:1], 0x0\n v_readfirstlane_b32 s6, v0",
            "s_load_dword s9, s[0:1], 0x0\n s_mov_b32 null, 0\n v_readfirstlane_b32 s0, v0",
            "s_load_dword s9, s[0:1], 0x0\n s_waitcnt lgkmcnt(0)\n v_readfirstlane_b32 s0, v0",
        ],
    ),
    (
        "VcmpxExecWARHazard",
        &[
            ("s_mov_b64 s[10:11], exec\n v_cmpx_eq_u32 v0, v1", "v_cmpx_eq_u32", "s_mov_b64"),
            ("s_cbranch_execz on\n on: v_cmpx_lt_f32 v0, v1", "v_cmpx_lt_f32", "s_cbranch_execz"),
        ],
        &[
            "v_mov_b32 v0, v1\n v_cmpx_eq_u32 v0, v1",
            "s_mov_b64 s[10:11], exec\n v_cmp_eq_u32 VCC, v0, v1\n v_cmpx_eq_u32 v0, v1",
            "s_mov_b64 s[10:11], exec\n s_waitcnt_depctr depctr_sa_sdst(0)\n v_cmpx_eq_u32 v0, v1",
        ],
    ),
    (
        "VcmpxPermlaneHazard",
        &[("v_cmpx_eq_u32 v0, v1\n v_nop\n v_permlane16_b32 v2, v3, s8, s9", "v_permlane16", "v_cmpx_eq_u32")],
        &[
            "v_cmp_eq_u32 VCC, v0, v1\n v_permlane16_b32 v2, v3, s8, s9",
            "v_cmpx_eq_u32 v0, v1\n v_mov_b32 v3, v3\n v_permlane16_b32 v2, v3, s8, s9",
        ],
    ),
    (
        "LdsBranchVmemWARHazard",
        &[
            ("ds_read_b32 v0, v1\n s_branch on\n on: global_load_dword v2, v1, s[2:3]", "global_load", "ds_read"),
            (
                "buffer_load_dword v0, v1, s[8:11], 0 offen\n s_cbranch_scc1 on\n on: ds_write_b32 v3, v1",
                "ds_write",
                "buffer_load",
            ),
        ],
        &[
            "ds_read_b32 v0, v1\n global_load_dword v2, v1, s[2:3]",
            "ds_read_b32 v0, v1\n s_branch on\n on: s_waitcnt_vscnt null, 0x0\n global_load_dword v2, v1, s[2:3]",
            "ds_read_b32 v0, v1\n s_waitcnt_vscnt null, 0x0\n s_branch on\n on: global_load_dword v2, v1, s[2:3]",
            "ds_read_b32 v0, v1\n s_branch on\n on: ds_read_b32 v2, v1\n global_load_dword v3, v1, s[2:3]",
        ],
    ),
    (
        "NSAtoVMEMBug",
        &[("NSA_LONG\n buffer_load_dword v5, v1, s[8:11], 0 offen offset:2", "buffer_load", "image_sample_d")],
        &[
            "NSA_LONG\n buffer_load_dword v5, v1, s[8:11], 0 offen offset:8",
            "NSA_LONG\n s_nop 0\n buffer_load_dword v5, v1, s[8:11], 0 offen offset:2",
        ],
    ),
    (
        "NsaCannotFollowWritelane",
        &[("v_writelane_b32 v7, s9, 3\n NSA", "image_sample", "v_writelane")],
        &["v_writelane_b32 v7, s9, 3\n s_nop 0\n NSA"],
    ),
    (
        "FPAtomicToDenormModeHazard",
        &[
            ("global_atomic_fmin v[0:1], v2, off\n s_denorm_mode 3", "s_denorm_mode", "global_atomic"),
            (
                "buffer_atomic_fmax v0, v1, s[8:11], 0 offen\n s_nop 1\n s_denorm_mode 3",
                "s_denorm_mode",
                "buffer_atomic",
            ),
        ],
        &[
            "buffer_atomic_fmax v0, v1, s[8:11], 0 offen\n s_nop 2\n s_denorm_mode 3",
            "buffer_atomic_add v0, v1, s[8:11], 0 offen\n s_denorm_mode 3",
        ],
    ),
    (
        "SMEMStoreThenLoad",
        &[("s_store_dword s8, s[0:1], 0x0\n s_load_dword s9, s[0:1], 0x0", "s_load", "s_store")],
        &["s_store_dword s8, s[0:1], 0x0\n s_waitcnt lgkmcnt(0)\n s_load_dword s9, s[0:1], 0x0"],
    ),
    ("Offset3fBug", &[("s_cbranch_scc1 0x3f", "s_cbranch_scc1", "")], &["s_cbranch_scc1 0x3e"]),
    ("InstFwdPrefetchBug", &[("s_inst_prefetch 0x3", "s_inst_prefetch", "")], &["s_nop 3"]),
    (
        "NSAClauseBug",
        &[("s_clause 0x1\n global_load_dword v5, v1, s[2:3]\n NSA", "image_sample", "s_clause")],
        &["s_clause 0x1\n global_load_dword v5, v1, s[2:3]\n global_load_dword v7, v1, s[2:3]\n NSA"],
    ),
    (
        "NSAMaxSize5",
        &[("NSA_LONG", "image_sample_d", "")],
        &["image_sample_d v0, v[0:5], s[8:15], s[16:19] dmask:0x1 dim:SQ_RSRC_IMG_2D"],
    ),
    (
        "FlatSegmentOffsetBug",
        &[("flat_load_dword v0, v[2:3] offset:4", "flat_load", "")],
        &["global_load_dword v0, v[2:3], off offset:4"],
    ),
    (
        "NegativeUnalignedScratchOffsetBug",
        &[("scratch_load_dword v0, v1, off offset:-3", "scratch_load", "")],
        &["scratch_load_dword v0, v1, off offset:-4"],
    ),
];

fn text(case: &str) -> String {
    case.replace("NSA_LONG", NSA_LONG).replace("NSA\n", &format!("{NSA}\n")).replace("\n NSA", &format!("\n {NSA}"))
}

#[test]
fn hazards_are_found_where_waves_walk_into_them() {
    for (name, bad, good) in CASES {
        for wave in [WaveSize::W32, WaveSize::W64] {
            for (case, at, other) in *bad {
                let all = found(Gen::Gfx1010, &text(case), wave);
                let of: Vec<_> = all.iter().filter(|f| f.0 == *name).collect();
                let [(_, site, behind)] = &of[..] else { panic!("{wave:?} {name}: {all:?}\n{case}") };
                assert!(site.starts_with(at), "{wave:?} {name}: {all:?}\n{case}");
                assert!(behind.starts_with(other) && behind.is_empty() == other.is_empty(), "{name}: {all:?}\n{case}");
            }
            for case in *good {
                let all = found(Gen::Gfx1010, &text(case), wave);
                assert!(all.iter().all(|f| f.0 != *name), "{wave:?} {name}: {all:?}\n{case}");
            }
        }
    }
}

#[test]
fn every_hazard_is_planted() {
    for h in GFX10 {
        // What addresses decide is not looked at.
        let unseen = h.rules.iter().all(|r| matches!(r.trigger, Trigger::Unseen));
        assert_ne!(unseen, CASES.iter().any(|(name, ..)| *name == h.name), "{}", h.name);
    }
}

const SI: Gen = Gen::Gfx600;
const CI: Gen = Gen::Gfx701;
const VEGA: Gen = Gen::Gfx900;
const ALL: &[Gen] = &[SI, CI, VEGA];

/// The same of GCN, with the generations on which waves are held to it: by LLVM's reading of what LLVM knows.
type GcnCase = (&'static [Gen], Case);

/// What waves of a compute queue walk into with no memory behind it: interpolation and returns from traps are the walk's.
const GCN_CASES: &[GcnCase] = &[
    (
        &[VEGA],
        (
            "VMEMReadSGPRVALUDefHazard",
            &[
                ("v_readfirstlane_b32 s11, v0\n buffer_load_dword v1, v2, s[8:11], 0 offen", "buffer_load", "v_readf"),
                (
                    "v_readfirstlane_b32 s11, v0\n s_nop 3\n buffer_store_dword v1, v2, s[8:11], 0 offen",
                    "buffer_store",
                    "v_readfirstlane",
                ),
                (
                    "s_mov_b32 s20, 0\n again:\n buffer_load_dword v1, v2, s[8:11], 0 offen\n s_cmp_eq_u32 s20, 0\n \
                     s_mov_b32 s20, 1\n v_readfirstlane_b32 s8, v0\n s_cbranch_scc1 again",
                    "buffer_load",
                    "v_readfirstlane",
                ),
            ],
            &[
                "v_readfirstlane_b32 s11, v0\n s_nop 4\n buffer_load_dword v1, v2, s[8:11], 0 offen",
                "v_readfirstlane_b32 s12, v0\n buffer_load_dword v1, v2, s[8:11], 0 offen",
                // The wait states are on the way that the wave takes.
                "v_readfirstlane_b32 s8, v0\n s_branch on\n buffer_load_dword v1, v2, s[8:11], 0 offen\n on: s_nop 0",
            ],
        ),
    ),
    (
        &[SI],
        (
            "SMRDReadVALUDefHazard",
            &[
                ("v_readfirstlane_b32 s15, v0\n s_buffer_load_dword s9, s[12:15], 0x0", "s_buffer_load", "v_readf"),
                ("s_mov_b32 s14, 0\n s_nop 2\n s_buffer_load_dword s9, s[12:15], 0x0", "s_buffer_load", "s_mov_b32"),
            ],
            &["v_readfirstlane_b32 s15, v0\n s_nop 3\n s_buffer_load_dword s9, s[12:15], 0x0"],
        ),
    ),
    (
        ALL,
        (
            "RWLaneHazard",
            &[
                ("v_readfirstlane_b32 s12, v0\n v_readlane_b32 s13, v1, s12", "v_readlane", "v_readfirstlane"),
                ("v_cmp_eq_u32 vcc, v0, v1\n s_nop 2\n v_writelane_b32 v1, 1, vcc_hi", "v_writelane", "v_cmp_eq_u32"),
            ],
            &["v_readfirstlane_b32 s12, v0\n s_nop 3\n v_readlane_b32 s13, v1, s12"],
        ),
    ),
    (
        ALL,
        (
            "DivFMasHazard",
            &[("v_cmp_eq_u32 vcc, v0, v1\n s_nop 2\n v_div_fmas_f32 v0, v1, v2, v3", "v_div_fmas", "v_cmp_eq_u32")],
            &["v_cmp_eq_u32 vcc, v0, v1\n s_nop 3\n v_div_fmas_f32 v0, v1, v2, v3"],
        ),
    ),
    (
        &[VEGA],
        (
            "DPPHazard",
            &[
                (
                    "v_mov_b32 v1, v2\n v_add_f32_dpp v3, v1, v4 row_shr:1 row_mask:0xf bank_mask:0xf",
                    "v_add_f32",
                    "v_mov_b32",
                ),
                (
                    "v_cmpx_eq_u32 vcc, v0, v1\n s_nop 3\n v_mov_b32_dpp v3, v4 row_shr:1 row_mask:0xf bank_mask:0xf",
                    "v_mov_b32",
                    "v_cmpx_eq_u32",
                ),
            ],
            &["v_mov_b32 v1, v2\n s_nop 1\n v_add_f32_dpp v3, v1, v4 row_shr:1 row_mask:0xf bank_mask:0xf"],
        ),
    ),
    (
        ALL,
        (
            "ZeroFlagHazard",
            &[("v_cmp_eq_u32 vcc, v0, v1\n s_nop 3\n v_mov_b32 v0, src_vccz", "v_mov_b32", "v_cmp_eq_u32")],
            &["v_cmp_eq_u32 vcc, v0, v1\n s_nop 4\n v_mov_b32 v0, src_vccz"],
        ),
    ),
    (
        ALL,
        (
            "SetRegHazard",
            &[(
                "s_setreg_b32 hwreg(HW_REG_MODE, 0, 4), s12\n s_nop 0\n s_getreg_b32 s13, hwreg(HW_REG_MODE)",
                "s_getreg",
                "s_setreg",
            )],
            &["s_setreg_b32 hwreg(HW_REG_MODE, 0, 4), s12\n s_nop 1\n s_getreg_b32 s13, hwreg(HW_REG_MODE)"],
        ),
    ),
    (
        ALL,
        (
            "VskipHazard",
            &[("s_setreg_b32 hwreg(HW_REG_MODE, 28, 1), s12\n s_nop 0\n v_mov_b32 v0, v1", "v_mov_b32", "s_setreg")],
            &["s_setreg_b32 hwreg(HW_REG_MODE, 28, 1), s12\n s_nop 1\n v_mov_b32 v0, v1"],
        ),
    ),
    (
        &[CI, VEGA],
        (
            "12DWordStoreHazard",
            &[("buffer_store_dwordx4 v[4:7], v9, s[8:11], 0 offen\n v_mov_b32 v7, v8", "v_mov_b32", "buffer_store")],
            &["buffer_store_dwordx4 v[4:7], v9, s[8:11], 0 offen\n s_nop 0\n v_mov_b32 v7, v8"],
        ),
    ),
    (
        &[VEGA],
        (
            "ReadM0SendMsgHazard",
            &[("s_mov_b32 m0, s12\n s_ttracedata", "s_ttracedata", "s_mov_b32")],
            &["s_mov_b32 m0, s12\n s_nop 0\n s_ttracedata"],
        ),
    ),
    (
        &[VEGA],
        (
            "ReadM0Hazard",
            &[("s_mov_b32 m0, 0\n s_movrels_b32 s12, s13", "s_movrels", "s_mov_b32")],
            &["s_mov_b32 m0, 0\n s_nop 0\n s_movrels_b32 s12, s13"],
        ),
    ),
    (
        &[VEGA],
        (
            "SMEMStoreClause",
            &[("s_store_dword s12, s[0:1], 0x0\n s_load_dword s13, s[0:1], 0x0", "s_load", "s_store")],
            &["s_store_dword s12, s[0:1], 0x0\n s_nop 0\n s_load_dword s13, s[0:1], 0x0"],
        ),
    ),
    (
        &[SI, CI],
        (
            "ReadVCCZBug",
            &[("s_load_dword s12, s[0:1], 0x0\n s_mov_b64 vcc, 0\n s_cbranch_vccz on\n on:", "s_cbranch", "s_load")],
            &["s_load_dword s12, s[0:1], 0x0\n s_waitcnt lgkmcnt(0)\n s_mov_b64 vcc, vcc\n s_cbranch_vccz on\n on:"],
        ),
    ),
    (
        &[SI, CI],
        (
            "StaleVCCZ",
            &[(
                "s_load_dword s12, s[0:1], 0x0\n s_waitcnt lgkmcnt(0)\n s_cbranch_vccnz on\n on:",
                "s_cbranch",
                "s_load",
            )],
            &["s_load_dword s12, s[0:1], 0x0\n s_waitcnt lgkmcnt(0)\n s_mov_b64 vcc, vcc\n s_cbranch_vccnz on\n on:"],
        ),
    ),
    (
        ALL,
        (
            "PartialVCCWrite",
            &[("s_mov_b32 vcc_lo, 0\n s_cbranch_vccz on\n on:", "s_cbranch", "s_mov_b32")],
            &["s_mov_b32 vcc_lo, 0\n s_mov_b64 vcc, vcc\n s_cbranch_vccz on\n on:"],
        ),
    ),
];

/// What no wave of a compute queue runs.
const NOT_RUN: [&str; 2] = ["InterpReadLaneHazard", "RFEHazard"];

#[test]
fn hazards_of_gcn_are_found_where_waves_walk_into_them() {
    for (on, (name, bad, good)) in GCN_CASES {
        for &isa in *on {
            for (case, at, other) in *bad {
                let all = found(isa, case, WaveSize::W64);
                let of: Vec<_> = all.iter().filter(|f| f.0 == *name).collect();
                let [(_, site, behind)] = &of[..] else { panic!("{isa:?} {name}: {all:?}\n{case}") };
                assert!(site.starts_with(at) && behind.starts_with(other), "{isa:?} {name}: {all:?}\n{case}");
            }
            for case in *good {
                let all = found(isa, case, WaveSize::W64);
                assert!(all.iter().all(|f| f.0 != *name), "{isa:?} {name}: {all:?}\n{case}");
            }
        }
    }
}

#[test]
fn every_hazard_of_gcn_is_planted() {
    for h in GCN {
        let reading = if h.known_to_llvm() { Reading::Llvm } else { Reading::Strict };
        for isa in ALL {
            let seen = h.rules(*isa, reading).any(|t| !matches!(t, Trigger::Unseen)) && !NOT_RUN.contains(&h.name);
            let planted = GCN_CASES.iter().any(|(on, (name, ..))| *name == h.name && on.contains(isa));
            assert_eq!(seen, planted, "{} on {}", h.name, isa.name());
        }
    }
}
