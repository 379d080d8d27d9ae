//! GCN on the clock: cadence, rates and LDS as documents and CLRX's measurements have them.

use std::sync::Arc;
use wavepipe_hw::code::WaveSize::W64;
use wavepipe_hw::machine::Machine;
use wavepipe_isa::asm;
use wavepipe_isa::cache::Cache;
use wavepipe_timing::lab::{Kernel, Lab};
use wavepipe_timing::memory::{Hierarchy, Kind, LdsAccess, ScalarAccess, VectorAccess};
use wavepipe_timing::sequence::timeline;
use wavepipe_timing::{DispatchReport, Options};

const CARDS: [&str; 3] = ["hd7950", "r9390", "vega64"];

fn card(name: &str) -> Arc<Machine> {
    Arc::new(Machine::builtin(name).unwrap())
}

/// Cycles in which instructions of one wave issue.
fn issues(name: &str, text: &str) -> Vec<u64> {
    let timeline = timeline(text, W64, card(name)).unwrap_or_else(|e| panic!("{name}: {e}\n{text}"));
    let one = |passes: &[u64]| {
        assert_eq!(passes.len(), 1, "a wave is one pass");
        passes[0]
    };
    timeline.issues.iter().map(|i| one(&i.passes)).collect()
}

/// Figure 3 of the RDNA whitepaper, its row of Vega: sixteen cycles.
#[test]
fn figure_3_takes_sixteen_cycles() {
    let text = "s_add_i32 s0, s1, s2\nv_mul_f32 v0, v1, s0\nv_add_f32 v5, v4, v3\nv_sub_f32 v6, v7, v0";
    for name in CARDS {
        assert_eq!(issues(name, text), [0, 4, 8, 12], "{name}");
    }
}

/// Cycles from each instruction of a row of four of the same to the next, if that is always the same.
fn step(name: &str, instruction: &str) -> u64 {
    let at = issues(name, &format!("{instruction}\n").repeat(4));
    let steps: Vec<u64> = at.windows(2).map(|w| w[1] - w[0]).collect();
    assert!(steps.iter().all(|s| *s == steps[0]), "{name}: {instruction}: {at:?}");
    steps[0]
}

/// CLRX, GcnTimings: cycles of an instruction.
#[test]
fn instructions_take_what_was_measured() {
    let rows: [(&str, u64); 18] = [
        ("v_add_f32 v0, v1, v2", 4),
        ("v_mac_f32 v0, v1, v2", 4),
        ("v_and_b32 v0, v1, v2", 4),
        ("v_mul_u32_u24 v0, v1, v2", 4),
        ("v_mov_b32 v0, v1", 4),
        ("v_rcp_f32 v0, v1", 16),
        ("v_rsq_f32 v0, v1", 16),
        ("v_sqrt_f32 v0, v1", 16),
        ("v_log_f32 v0, v1", 16),
        ("v_exp_f32 v0, v1", 16),
        ("v_sin_f32 v0, v1", 16),
        ("v_cos_f32 v0, v1", 16),
        ("s_add_u32 s0, s1, s2", 4),
        ("s_mul_i32 s0, s1, s2", 4),
        ("s_and_saveexec_b64 s[0:1], s[2:3]", 8),
        ("s_nop 0", 4),
        ("s_nop 3", 16),
        ("v_cmp_lt_f32 vcc, v1, v2", 4),
    ];
    for name in CARDS {
        for (instruction, cycles) in rows {
            assert_eq!(step(name, instruction), cycles, "{name}: {instruction}");
        }
    }
    assert_eq!(step("vega64", "v_swap_b32 v0, v1"), 8);
    assert_eq!(step("vega64", "v_pk_fma_f16 v0, v1, v2, v3"), 4);
}

/// Two dwords of code that do not begin in the first three of 32 bytes cost GCN 1 and 2 four cycles more, Vega nothing.
#[test]
fn wide_instructions_cost_by_their_place() {
    for (name, more) in [("hd7950", 4), ("r9390", 4), ("vega64", 0)] {
        // Four of two dwords fill 32 bytes: the first two begin in dwords 0 and 2, the others in 4 and 6.
        let at = issues(name, &"v_fma_f32 v0, v1, v2, v3\n".repeat(5));
        assert_eq!(at, [0, 4, 8 + more, 12 + 2 * more, 16 + 2 * more], "{name}");
        // Those that take longer hide it.
        let at = issues(name, &"v_mul_lo_u32 v0, v1, v2\n".repeat(5));
        assert_eq!(at, [0, 16, 32, 48, 64], "{name}");
    }
}

/// A quarter, an eighth and a sixteenth of single precision for products; sums take half as long.
#[test]
fn double_precision_has_the_cards_rate() {
    for (name, product, sum) in [("hd7950", 16, 8), ("r9390", 32, 16), ("vega64", 64, 32)] {
        for instruction in [
            "v_fma_f64 v[0:1], v[2:3], v[4:5], v[6:7]",
            "v_mul_f64 v[0:1], v[2:3], v[4:5]",
            "v_rcp_f64 v[0:1], v[2:3]",
            "v_rsq_f64 v[0:1], v[2:3]",
        ] {
            // The last place of a wide instruction costs nothing where it waits for the one before it.
            assert_eq!(step(name, instruction), product, "{name}: {instruction}");
        }
        for instruction in [
            "v_add_f64 v[0:1], v[2:3], v[4:5]",
            "v_min_f64 v[0:1], v[2:3], v[4:5]",
            "v_cvt_f64_i32 v[0:1], v2",
            "v_cvt_f32_f64 v0, v[2:3]",
            "v_cmp_lt_f64 vcc, v[0:1], v[2:3]",
        ] {
            assert_eq!(step(name, instruction), sum, "{name}: {instruction}");
        }
    }
}

/// Branches: four cycles that are not taken, twenty that are, four more right behind what they look at; sums and lane reads keep
/// their scalar reader waiting for sixteen cycles, comparisons do not.
#[test]
fn branches_and_scalar_readers_wait() {
    for name in CARDS {
        assert_eq!(issues(name, "s_cbranch_scc1 end\nv_mov_b32 v0, v1\nend:\ns_nop 0"), [0, 4, 8], "{name}");
        assert_eq!(issues(name, "s_branch end\nv_mov_b32 v0, v1\nend:\ns_nop 0"), [0, 20], "{name}");
        let late = issues(name, "s_cmp_eq_u32 s0, 1\ns_cbranch_scc1 end\nend:\ns_nop 0");
        assert_eq!(late[1], 8, "{name}");
        let apart = issues(name, "s_cmp_eq_u32 s0, 1\nv_mov_b32 v0, v1\ns_cbranch_scc1 end\nend:\ns_nop 0");
        assert_eq!(apart[2], 8, "{name}");
        assert_eq!(issues(name, "v_readlane_b32 s0, v1, 0\ns_mov_b32 s1, s0")[1], 20, "{name}");
        assert_eq!(issues(name, "v_readlane_b32 s0, v1, 0\nv_mov_b32 v2, s0")[1], 4, "{name}");
        assert_eq!(issues(name, "v_cmp_lt_f32 vcc, v1, v2\ns_mov_b64 s[0:1], vcc")[1], 4, "{name}");
    }
}

/// Loads of 8 and 16 dwords keep their wave's way to the scalar cache.
#[test]
fn wide_scalar_loads_take_longer_to_issue() {
    for name in CARDS {
        for (dwords, cycles) in
            [("dword s8", 4), ("dwordx4 s[8:11]", 4), ("dwordx8 s[8:15]", 8), ("dwordx16 s[8:23]", 16)]
        {
            let at = issues(name, &format!("s_load_{dwords}, s[0:1], 0x0\n").repeat(3));
            assert_eq!(at[2] - at[1], cycles, "{name}: {dwords}");
        }
    }
}

/// Runs `text` once in each of `waves` waves of one work-group, without instruction misses; s2 is the first free SGPR.
fn run(name: &str, text: &str, waves: u32, vgprs: u32) -> DispatchReport {
    let machine = card(name);
    let words =
        asm::assemble(&format!("{text}\ns_endpgm"), machine.generation(), 64).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let mut lab = Lab::new(machine, Options { warm_fetch: true, ..Options::default() }, None).unwrap();
    let code = lab.code(&words).unwrap();
    let lds_bytes = 32 << 10;
    let kernel = Kernel {
        code,
        wave: W64,
        vgprs,
        lds_bytes,
        user_data: vec![0, 0],
        workgroup: 64 * waves,
        groups: 1,
        wgp_mode: false,
    };
    lab.run(&kernel).unwrap()
}

/// Cycles of a further instruction of each of `waves` waves on one compute unit, all waves together.
fn throughput(name: &str, start: &str, body: &str, waves: u32) -> f64 {
    let time = |n: usize| {
        let report = run(name, &format!("{start}\n{}s_waitcnt lgkmcnt(0)", format!("{body}\n").repeat(n)), waves, 24);
        report.ended - report.launched
    };
    (time(384) - time(128)) as f64 / 256.0 / f64::from(waves)
}

/// Four SIMDs with a wave each: four instructions in four cycles; one SIMD's wave alone, one. A second wave of each SIMD adds
/// scalar instructions beside vector ones, for they are of another kind.
#[test]
fn simds_take_turns_and_kinds_go_together() {
    for name in CARDS {
        assert_eq!(throughput(name, "", "v_add_f32 v0, v1, v2", 1), 4.0, "{name}");
        assert_eq!(throughput(name, "", "v_add_f32 v0, v1, v2", 4), 1.0, "{name}");
        assert_eq!(throughput(name, "", "v_add_f32 v0, v1, v2", 8), 1.0, "{name}");
        // A vector and a scalar instruction: with one wave a SIMD eight cycles, with two waves four.
        let pair = "v_add_f32 v0, v1, v2\ns_add_u32 s10, s11, s12";
        assert_eq!(throughput(name, "", pair, 4), 2.0, "{name}");
        let both = throughput(name, "", pair, 8);
        assert!((1.0..1.03).contains(&both), "{name}: {both}");
    }
}

/// CLRX, GcnTimings, LDS: cycles that one wave alone takes, and instructions that a compute unit serves in a cycle, as its
/// reciprocal.
#[test]
fn lds_takes_what_was_measured() {
    let rows: [(&str, u64, f64); 17] = [
        ("ds_read_b32 v4, v1", 4, 2.0),
        ("ds_read_b64 v[4:5], v2", 8, 4.0),
        ("ds_read2_b32 v[4:5], v1 offset1:64", 8, 4.0),
        ("ds_read2_b64 v[4:7], v2 offset1:64", 16, 8.0),
        ("ds_write_b32 v1, v4", 8, 4.0),
        ("ds_write_b64 v2, v[4:5]", 12, 8.0),
        ("ds_write2_b32 v1, v4, v5 offset1:64", 12, 6.0),
        ("ds_write2_b64 v2, v[4:5], v[6:7] offset1:64", 20, 10.0),
        ("ds_add_u32 v1, v4", 8, 4.0),
        ("ds_and_b32 v1, v4", 8, 4.0),
        ("ds_max_u32 v1, v4", 8, 4.0),
        ("ds_add_rtn_u32 v5, v1, v4", 8, 4.0),
        ("ds_add_u64 v2, v[4:5]", 12, 6.0),
        ("ds_cmpst_b32 v1, v4, v5", 12, 6.0),
        ("ds_cmpst_b64 v2, v[4:5], v[6:7]", 20, 10.0),
        ("ds_wrxchg_rtn_b32 v5, v1, v4", 8, 4.0),
        ("ds_min_i32 v1, v4", 8, 4.0),
    ];
    let wide: [(&str, u64, f64); 4] = [
        ("ds_read_b96 v[4:6], v3", 16, 8.0),
        ("ds_read_b128 v[4:7], v3", 16, 8.0),
        ("ds_write_b96 v3, v[4:6]", 16, 10.0),
        ("ds_write_b128 v3, v[4:7]", 20, 10.0),
    ];
    // M0 lets LDS be reached. Addresses of dwords, pairs and fours one after the other.
    let start = "s_mov_b32 m0, -1\nv_and_b32 v1, 63, v0\nv_lshlrev_b32 v3, 4, v1\nv_lshlrev_b32 v2, 3, v1\nv_lshlrev_b32 v1, 2, v1";
    let mut wrong = Vec::new();
    for name in CARDS {
        // GCN 1 has no accesses of three and four dwords.
        let more = if name == "hd7950" { &[][..] } else { &wide[..] };
        for &(instruction, alone, served) in rows.iter().chain(more) {
            // Addresses of the same instruction go through the path behind the SIMD one after the other.
            let ours = [throughput(name, start, instruction, 1), throughput(name, start, instruction, 8)];
            // Where the place of an instruction counts, four cycles are those of the first places only.
            let placed = card(name).fetch.wide.value > 0 && alone == 4;
            if !placed && (ours[0] - alone as f64).abs() > 0.1 || (ours[1] / served - 1.0).abs() > 0.02 {
                wrong.push(format!("{name}: {instruction}: {ours:?}, measured {alone} and {served}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// The worst conflict: 64 lanes on one bank, a lane a cycle.
#[test]
fn the_worst_conflict_serves_a_lane_a_cycle() {
    let mut hierarchy = Hierarchy::new(&card("vega64"));
    let at = std::array::from_fn(|lane| 128 * lane as u32);
    let access =
        LdsAccess { at: &at, second: None, mask: !0, dwords: 1, operands: 1, kind: Kind::Load, wgp_mode: false };
    assert_eq!(hierarchy.lds(0, 0, 0, &access).taken, 32);
}

/// CLRX, occupancy: waves of a SIMD by SGPRs and by VGPRs of each, on GCN 1 and 2.
#[test]
fn waves_of_a_simd_are_those_of_the_table() {
    use wavepipe_hw::code::CodeObject;
    let rows: [(u32, u32, u32); 10] = [
        (1, 104, 256),
        (2, 104, 128),
        (3, 104, 84),
        (4, 104, 64),
        (5, 96, 48),
        (6, 80, 40),
        (7, 72, 36),
        (8, 64, 32),
        (9, 56, 28),
        (10, 48, 24),
    ];
    // The table counts VCC, on GCN 2 FLAT_SCRATCH too, among the SGPRs; a kernel has them besides.
    for (name, besides) in [("hd7950", 2), ("r9390", 4)] {
        let machine = card(name);
        let waves = |sgprs, vgprs| {
            let isa = machine.generation();
            let code = CodeObject { isa, wave: W64, sgprs, vgprs, workgroup: [64, 1, 1], ..Default::default() };
            wavepipe_core::dispatch::waves_per_simd(&machine, &code)
        };
        for (count, sgprs, vgprs) in rows {
            assert_eq!(waves(8, vgprs), count, "{name}: {vgprs} VGPRs");
            if count < 10 {
                assert!(waves(8, vgprs + 1) < count || count == 1, "{name}: {} VGPRs", vgprs + 1);
            }
            if count > 4 {
                assert_eq!(waves(sgprs - besides, 24), count, "{name}: {sgprs} SGPRs");
            }
        }
    }
}

/// The article on GCN: a hit in the scalar cache takes just under 50 ns.
#[test]
fn scalar_hits_take_just_under_fifty_nanoseconds() {
    for name in ["hd7950", "r9390"] {
        let machine = card(name);
        let mut hierarchy = Hierarchy::new(&machine);
        let access = ScalarAccess { simd: 0, at: 64, dwords: 1, kind: Kind::Load, cache: Cache::DEFAULT };
        let mut load = |now| hierarchy.scalar(now, 0, access).done;
        let here = load(0);
        let ns = (load(here) - here) as f64 / machine.clock.shader_mhz.value * 1e3;
        assert!((47.5..=50.0).contains(&ns), "{name}: {ns:.1} ns");
    }
}

/// perftest on GCN cards: lanes a cycle of loads that hit the vector cache, linear and random, of one, two and four dwords.
#[test]
fn loads_return_as_fast_as_measured() {
    for name in CARDS {
        let machine = card(name);
        for (bytes, linear, random) in [(4, 15.65, 3.96), (8, 3.73, 3.73), (16, 3.91, 3.73)] {
            for (what, measured, turn) in [("linear", linear, 1), ("random", random, 7)] {
                let mut hierarchy = Hierarchy::new(&machine);
                let element = |lane: u64| if turn == 1 { lane } else { lane * turn % 16 };
                let at = std::array::from_fn(|lane| element(lane as u64) * u64::from(bytes));
                let kind = Kind::Load;
                let access =
                    VectorAccess { at: &at, mask: u32::MAX, bytes, kind, cache: Cache::DEFAULT, texture: None };
                let now = hierarchy.vector(0, 0, &access).done;
                let taken = (0..100).fold(now, |now, _| hierarchy.vector(now, 0, &access).taken);
                let ours = 3200.0 / (taken - now) as f64;
                assert!(
                    (ours / measured - 1.0f64).abs() < 0.1,
                    "{name}, {bytes} bytes, {what}: {ours:.2}, measured {measured}"
                );
            }
        }
    }
}
