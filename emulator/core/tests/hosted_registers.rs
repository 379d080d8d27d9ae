//! More guest registers than the host has, in long and short groups of steps: registers that are written before anybody reads them, in
//! all lanes that live, in some of them, and under EXEC masks that lose lanes in between and get them back.

use crate::bench::host::engine_of;
use crate::hosted_loops::{ends_as_the_interpreters, rounds, went};
use crate::split_mix::split_mix;
use wavepipe_core::wave::CodeCache;
use wavepipe_hw::code::WaveSize;
use wavepipe_jit::{CODE_BYTES, HostIsa};

struct Random(u64);

impl Random {
    fn below(&mut self, n: u64) -> u64 {
        split_mix(&mut self.0) % n
    }

    fn of<'a>(&mut self, all: &[&'a str]) -> &'a str {
        all[self.below(all.len() as u64) as usize]
    }

    fn of_two(&mut self, one: u64, other: u64) -> u64 {
        if self.below(2) == 0 { one } else { other }
    }

    /// One of the registers that are computed with.
    fn register(&mut self, named: u64) -> u64 {
        4 + self.below(named)
    }
}

const BINARY: &[&str] = &[
    "v_add_nc_u32",
    "v_sub_nc_u32",
    "v_xor_b32",
    "v_and_b32",
    "v_or_b32",
    "v_max_u32",
    "v_min_i32",
    "v_lshlrev_b32",
    "v_ashrrev_i32",
    "v_mul_lo_u32",
    "v_mul_hi_u32",
    "v_mul_hi_i32",
];
/// Of numbers that are no NaNs; operands have their places, or may change them.
const FLOATS: &[&str] =
    &["v_sub_f32", "v_subrev_f32", "v_add_f32", "v_mul_f32", "v_max_f32", "v_min_f32", "v_fmac_f32"];
const COMPARISONS: &[&str] = &["eq_u32", "ne_u32", "lt_u32", "ge_i32", "le_u32", "lt_i32", "ne_i32", "ge_u32"];
/// Some lanes keep what they have, or all are written.
const MOVES: &[&str] = &[
    "row_shr:1 row_mask:0xf bank_mask:0xf",
    "row_shl:3 row_mask:0xf bank_mask:0x5 bound_ctrl:0",
    "quad_perm:[3,1,0,2] row_mask:0xf bank_mask:0xf",
    "row_ror:5 row_mask:0xa bank_mask:0xf bound_ctrl:0",
];

/// Lines of a round, of so many registers; with `breaks` of a hundred that change EXEC, and end groups. With `moves` groups keep no results
/// back for EXEC.
fn lines(r: &mut Random, named: u64, breaks: u64, moves: bool) -> Vec<String> {
    let mut lines: Vec<String> =
        (0..named).map(|n| format!("v_mad_u32_u24 v{}, v2, {}, v{}", 4 + n, n + 3, 4 + n)).collect();
    for n in 0..90 {
        let [d, a, b] = [(); 3].map(|()| r.register(named));
        if r.below(100) < breaks {
            lines.extend(match r.below(10) {
                // Lanes go, for a while.
                0 => vec![format!("v_cmp_lt_u32 vcc, v{a}, v{b}"), "s_and_saveexec_bm MASK_24, vcc".into()],
                1 => vec!["s_or_bm LANES, LANES, MASK_24".into()],
                2 => vec!["s_mov_b64 exec, s[20:21]".into()],
                3 => vec![format!("v_cmpx_ne_u32 v{a}, v{b}")],
                // What may fault, or is called.
                4 => vec![
                    format!("ds_write_b32 v3, v{a}"),
                    format!("ds_read_b32 v{d}, v3"),
                    "s_waitcnt lgkmcnt(0)".into(),
                ],
                5 => vec![format!("v_readlane_b32 s46, v{a}, 3"), format!("v_xor_b32 v{d}, s46, v{b}")],
                // Read by others than steps, and written again.
                6 => vec![
                    format!("v_xor_b32 v{a}, v{b}, v{a}"),
                    format!("v_readlane_b32 s46, v{a}, {}", r.below(32)),
                    format!("v_add_nc_u32 v{a}, s46, v{d}"),
                ],
                7 => vec![
                    format!("v_xor_b32 v{a}, v{b}, v{a}"),
                    format!("ds_write_b32 v3, v{a}"),
                    format!("v_mov_b32 v{a}, {n}"),
                    format!("ds_read_b32 v{d}, v3"),
                    "s_waitcnt lgkmcnt(0)".into(),
                ],
                // Written in fewer lanes, twice, in groups of their own, and read in all.
                8 => vec![
                    format!("v_add_nc_u32 v{a}, v{b}, v{d}"),
                    format!("v_cmp_lt_u32 vcc, v{b}, v{d}"),
                    "s_and_saveexec_bm MASK_28, vcc".into(),
                    format!("v_xor_b32 v{a}, v{b}, v{d}"),
                    format!("v_cmp_gt_u32 MASK_26, v{a}, v{d}"),
                    "s_mov_b32 s46, s26".into(),
                    format!("v_xor_b32 v{d}, s46, v{d}"),
                    format!("v_mov_b32 v{a}, v{b}"),
                    "s_or_bm LANES, LANES, MASK_28".into(),
                ],
                _ => vec![
                    format!("s_cmp_lt_u32 s4, {}", r.below(48)),
                    "s_cselect_b32 s46, -1, 0".into(),
                    "s_cselect_b32 s47, s4, s22".into(),
                    format!("v_add_nc_u32 v{d}, s46, v{a}"),
                    format!("v_xor_b32 v{b}, s47, v{b}"),
                ],
            });
            continue;
        }
        lines.extend(match r.below(15) {
            0 => vec![format!("v_mov_b32 v{d}, {:#x}", r.below(1 << 32))],
            1 => vec![format!("v_mov_b32 v{d}, s{}", 20 + r.below(3))],
            2 => vec![
                format!("v_cmp_{} vcc, v{a}, v{b}", r.of(COMPARISONS)),
                format!("v_cndmask_b32 v{d}, v{}, v{b}, vcc", r.of_two(a, d)),
            ],
            // A mask that is asked for as a word only, and one that is so, too.
            3 => vec![format!("v_cmp_{} MASK_26, v{a}, v{b}", r.of(COMPARISONS)), format!("v_xor_b32 v{d}, s26, v{d}")],
            4 => vec![
                format!("v_cmp_{} MASK_26, v{a}, v{b}", r.of(COMPARISONS)),
                format!("v_cndmask_b32 v{d}, v{b}, v{a}, MASK_26"),
                format!("v_add_nc_u32 v{d}, s26, v{d}"),
            ],
            5 if moves => vec![format!("v_mov_b32_dpp v{d}, v{a} {}", r.of(MOVES))],
            6 if moves => vec![format!("v_add_nc_u32_dpp v{d}, v{a}, v{a} {}", r.of(MOVES))],
            7 => vec![
                format!("v_cvt_f32_u32 v{d}, v{a}"),
                format!("v_rcp_iflag_f32 v{d}, v{d}"),
                format!("v_mul_f32 v{d}, 0x4f7ffffe, v{d}"),
                format!("v_max_f32 v{d}, 1.0, v{d}"),
                format!("v_cvt_u32_f32 v{d}, v{d}"),
            ],
            8 => vec![format!("v_mul_hi_u32 v{d}, s22, v{a}"), format!("v_add_nc_u32 v{d}, {n}, v{d}")],
            // Of operands in memory and in registers, as an access leaves the first.
            9 | 10 => {
                let no_nan = |v: u64| format!("v_and_b32 v{v}, 0x3fffffff, v{v}");
                let (one, other) = (r.of(FLOATS), r.of(FLOATS));
                vec![
                    no_nan(a),
                    no_nan(b),
                    no_nan(d),
                    format!("ds_write_b32 v3, v{d}"),
                    no_nan(b),
                    format!("v_fma_f32 v{d}, v{b}, v{b}, v{a}"),
                    format!("{one} v{d}, v{a}, v{b}"),
                    format!("v_cmp_{}_f32 vcc, v{a}, v{b}", r.of(&["lt", "nle", "eq", "gt"])),
                    format!("v_cndmask_b32 v{b}, v{a}, v{b}, vcc"),
                    no_nan(d),
                    format!("{other} v{d}, s22, v{b}"),
                    format!("v_fma_f32 v{a}, v{a}, v{b}, -v{d}"),
                    no_nan(a),
                    no_nan(d),
                ]
            }
            // A mask that others come in between.
            11 => vec![
                format!("v_cmp_{} MASK_26, v{a}, v{b}", r.of(COMPARISONS)),
                format!("v_cndmask_b32 v{d}, v{b}, v{a}, MASK_28"),
                format!("v_cndmask_b32 v{a}, v{d}, v{b}, MASK_26"),
                format!("v_xor_b32 v{b}, s26, v{b}"),
            ],
            _ => vec![format!("{} v{d}, v{a}, v{b}", r.of(BINARY))],
        });
    }
    lines
}

#[test]
fn registers_that_nobody_reads_again_are_the_interpreters() {
    let mut r = Random(0x5eed);
    let some = [(28, 0), (28, 4), (34, 12), (12, 6), (34, 30), (5, 20), (36, 2), (36, 0)];
    for (n, (named, breaks)) in some.into_iter().chain(some).enumerate() {
        let lines = lines(&mut r, named, breaks, n < some.len());
        let text = rounds(&lines.iter().map(String::as_str).collect::<Vec<_>>());
        // In loops that write EXEC, and in none.
        for text in [text.clone(), text.replace("s_cbranch_scc1 round\n", "")] {
            HostIsa::ALL.into_iter().for_each(|target| ends_as_the_interpreters(target, &text, 2, 0));
        }
    }
}

/// What comes behind a fault would have written it.
#[test]
fn registers_at_faults_are_the_interpreters() {
    let text = "v_mov_b32 v4, 5\n v_mov_b32 v5, 6\n v_cmp_gt_u32 vcc_lo, 9, v0\n s_and_saveexec_b32 s30, vcc_lo\n\
                v_mul_lo_u32 v4, v0, v0\n v_add_nc_u32 v5, v4, v5\n v_xor_b32 v6, v4, v5\n v_mov_b32 v7, -1\n\
                v_mov_b32 v8, -1\n global_load_dword v6, v[7:8], off\n v_mov_b32 v4, 1\n v_mov_b32 v5, 2\n\
                s_waitcnt vmcnt(0)\n s_endpgm\n";
    let want = went(&CodeCache::new(), WaveSize::W32, text);
    assert!(want.is_err());
    for engine in HostIsa::ALL.into_iter().filter_map(|target| engine_of(target, &[], CODE_BYTES)) {
        assert_eq!(went(&CodeCache::with_host_code(engine), WaveSize::W32, text), want);
    }
}
