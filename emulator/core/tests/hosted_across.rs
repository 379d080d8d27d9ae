//! Words between lanes in loops of host code, beside the interpreter's: lanes and selects that are constants and that scalars say,
//! sources that are the destination, under EXEC masks of all kinds, between lane masks that host code keeps in registers of its own.

use crate::hosted_loops::ends_as_the_interpreters;
use wavepipe_jit::HostIsa;

/// What shows in v20 after each line; s65 to s67 are random, VCC and s[24:25] masks.
const LINES: [&str; 36] = [
    "v_readfirstlane_b32 s65, v2",
    "v_readlane_b32 s66, v20, 0",
    "v_readlane_b32 s67, v20, 31",
    "v_readlane_b32 s66, v22, 49",
    "v_readlane_b32 s65, v20, s65",
    "v_readlane_b32 s24, v20, s66",
    "s_cmp_lt_u32 s65, s66",
    "v_readlane_b32 s66, v20, src_scc",
    "v_readfirstlane_b32 m0, v20",
    "v_readlane_b32 s67, v2, m0",
    "v_writelane_b32 v20, s65, 3",
    "v_writelane_b32 v22, s66, s67",
    "v_writelane_b32 v20, 17, s65",
    "v_permlane16_b32 v20, v20, s65, s66",
    "v_permlane16_b32 v21, v2, s66, s65 op_sel:[1,0]",
    "v_permlane16_b32 v22, v20, -1, 0 op_sel:[0,1]",
    "v_permlanex16_b32 v20, v20, s67, s65 op_sel:[1,1]",
    "v_permlanex16_b32 v22, v22, s65, s67 op_sel:[0,1]",
    "v_permlanex16_b32 v21, v20, -1, -1",
    "v_permlanex16_b32 v20, v22, 0x76543210, s66",
    "ds_bpermute_b32 v20, v2, v20",
    "ds_bpermute_b32 v21, v20, v21 offset:12",
    "ds_bpermute_b32 v22, v22, v20 offset:65532",
    "ds_permute_b32 v20, v2, v20",
    "ds_permute_b32 v22, v20, v22 offset:8",
    "ds_permute_b32 v21, v21, v20 offset:65532",
    "ds_swizzle_b32 v20, v20 offset:swizzle(QUAD_PERM,3,1,0,2)",
    "ds_swizzle_b32 v21, v20 offset:swizzle(BITMASK_PERM,\"01pi0\")",
    "ds_swizzle_b32 v22, v22 offset:0xc0a3",
    "v_mbcnt_lo_u32_b32 v21, s65, v20",
    "v_mbcnt_hi_u32_b32 v20, v22, v21",
    "v_cmp_lt_u32 vcc, v20, v21",
    "v_cmp_gt_u32 MASK_24, v22, v21",
    "s_xor_bm MASK_24, MASK_24, vcc",
    "s_and_saveexec_bm MASK_26, MASK_24",
    "s_mov_bm LANES, MASK_26",
];

/// `some`: which lines, by their bits; all of them if it is 0.
fn program(some: u64) -> String {
    let mut text = String::from(
        "v_lshlrev_b32 v1, 2, v0\n v_mov_b32 v20, v0\n v_mov_b32 v21, 5\n v_mul_lo_u32 v22, v0, 20\n s_mov_b64 s[40:41], exec\n\
         s_mov_b32 m0, 7\nround:\n\
         s_mov_b64 exec, s[40:41]\n global_load_dword v2, v1, s[0:1]\n s_load_dwordx2 s[20:21], s[0:1], 0x130\n\
         s_load_dwordx4 s[64:67], s[0:1], 0x100\n s_load_dwordx2 s[66:67], s[0:1], 0x20\n\
         s_waitcnt vmcnt(0) lgkmcnt(0)\n s_mov_b64 exec, s[20:21]\n v_cmp_lt_u32 MASK_24, v2, v20\n",
    );
    for (n, line) in LINES.iter().enumerate() {
        if some != 0 && some >> n & 1 == 0 {
            continue;
        }
        text += &format!("{line}\n v_mul_lo_u32 v20, v20, 31\n v_add3_u32 v20, v21, v22, v20\n");
        text += "v_xor_b32 v20, s65, v20\n v_xor_b32 v20, s66, v20\n v_add_nc_u32 v20, s67, v20\n";
    }
    text += "s_add_u32 s0, s0, 0x200\n s_addc_u32 s1, s1, 0\n s_sub_u32 s4, s4, 1\n s_cmp_lg_u32 s4, 0\n";
    text + "s_cbranch_scc1 round\n s_endpgm\n"
}

fn of(target: HostIsa) {
    ends_as_the_interpreters(target, &program(0), 40, 0);
    // Few of them leave more in registers, and show which one it is.
    for n in 0..LINES.len() {
        ends_as_the_interpreters(target, &program(1 << n), 3, 0);
        ends_as_the_interpreters(target, &program(1 << n | 0x1_f000_0000), 3, 0);
    }
}

#[test]
fn words_of_avx512_between_lanes_are_the_interpreters() {
    of(HostIsa::Avx512);
}

#[test]
fn words_of_avx2_between_lanes_are_the_interpreters() {
    of(HostIsa::Avx2);
}

#[test]
fn words_of_neon_between_lanes_are_the_interpreters() {
    of(HostIsa::Neon);
}
