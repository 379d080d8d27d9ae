//! Golden issue cycles: the whitepaper's figures, and what follows from them by hand.

use std::sync::Arc;
use wavepipe_hw::code::WaveSize::{self, W32, W64};
use wavepipe_hw::machine::Machine;
use wavepipe_timing::sequence::timeline;

fn cycles(text: &str, wave: WaveSize) -> (Vec<Vec<u64>>, u64) {
    let machine = Arc::new(Machine::default());
    let timeline = timeline(text, wave, machine).unwrap_or_else(|e| panic!("{e}\n{text}"));
    (timeline.issues.into_iter().map(|i| i.passes).collect(), timeline.cycles)
}

/// The RDNA whitepaper's Figure 3.
const FIGURE_3: &str = "s_add_i32 s0, s1, s2\nv_mul_f32 v0, v1, s0\nv_add_f32 v5, v4, v3\nv_sub_f32 v6, v7, v0";

#[test]
fn figure_3_wave32() {
    assert_eq!(cycles(FIGURE_3, W32), (vec![vec![0], vec![2], vec![3], vec![7]], 8));
}

#[test]
fn figure_3_wave64() {
    assert_eq!(cycles(FIGURE_3, W64), (vec![vec![0], vec![2, 3], vec![4, 5], vec![7, 8]], 9));
}

/// Figure 7: the order of halves, without and with sub-vector mode. Eight cycles either way.
#[test]
fn figure_7() {
    let body = "v_add_f32 v1, v2, v3\nv_add_f32 v4, v5, v6\nv_add_f32 v7, v8, v9\nv_add_f32 v10, v11, v12";
    let plain = cycles(body, W64).0;
    assert_eq!(plain, [[0, 1], [2, 3], [4, 5], [6, 7]]);
    let looped =
        format!("s_subvector_loop_begin s4, end\nagain:\n{body}\ns_subvector_loop_end s4, again\nend:\ns_nop 0");
    let passes: Vec<Vec<u64>> = cycles(&looped, W64).0;
    // begin, four low passes, end, four high passes, end, s_nop.
    let counts: Vec<usize> = passes.iter().map(Vec::len).collect();
    assert_eq!(counts, [1; 12], "{passes:?}");
    for four in [&passes[1..5], &passes[6..10]] {
        assert!(four.windows(2).all(|w| w[1][0] == w[0][0] + 1), "{passes:?}");
    }
}

/// A dependent chain waits five cycles an instruction; independent instructions issue every cycle.
#[test]
fn fma_chains() {
    let dependent = "v_fma_f32 v0, v1, v2, v0\n".repeat(4);
    assert_eq!(cycles(&dependent, W32).0, [[0], [5], [10], [15]]);
    let independent: String = (0..4).map(|i| format!("v_fma_f32 v{i}, v10, v11, v{i}\n")).collect();
    assert_eq!(cycles(&independent, W32).0, [[0], [1], [2], [3]]);
}

/// Eight lanes a cycle, beside the main unit.
#[test]
fn a_transcendental_hides_behind_independent_work() {
    let text =
        "v_rcp_f32 v0, v1\nv_fma_f32 v2, v3, v4, v5\nv_fma_f32 v6, v7, v8, v9\nv_rcp_f32 v10, v11\nv_rcp_f32 v12, v13";
    assert_eq!(cycles(text, W32).0, [[0], [1], [2], [4], [8]]);
    assert_eq!(cycles("v_rcp_f32 v0, v1\nv_rcp_f32 v2, v3", W64).0, [[0, 4], [8, 12]]);
}

/// Two lanes a cycle: sixteen cycles.
#[test]
fn double_precision_is_a_sixteenth() {
    let text =
        "v_fma_f64 v[0:1], v[2:3], v[4:5], v[6:7]\nv_fma_f64 v[8:9], v[2:3], v[4:5], v[6:7]\nv_add_f32 v10, v11, v12";
    assert_eq!(cycles(text, W32).0, [[0], [16], [17]]);
}

/// Packed halves do two operations an instruction, at an instruction a cycle.
#[test]
fn packed_halves_are_twice_as_fast() {
    let text: String = (0..8).map(|i| format!("v_pk_fma_f16 v{i}, v10, v11, v12\n")).collect();
    assert_eq!(cycles(&text, W32).1, 8);
}

/// A half whose lanes are off does not issue, unless it writes a scalar.
#[test]
fn a_half_without_lanes_is_skipped() {
    let text = "s_mov_b32 exec_hi, 0\nv_add_f32 v0, v1, v2\nv_cmp_lt_f32 vcc, v1, v2\ns_mov_b32 exec_lo, 0\nv_add_f32 v0, v1, v2";
    let counts: Vec<usize> = cycles(text, W64).0.iter().map(Vec::len).collect();
    assert_eq!(counts, [1, 1, 2, 1, 1]);
}
