//! What generations do each in their own way, as their manuals have it: indexed registers, forks, skipped vector instructions,
//! halves of registers, limits of LDS, addresses. Small programs, and what they leave in registers and memory.

use crate::wave::Bed;
use wavepipe_hw::code::WaveSize;
use wavepipe_isa::Gen::{self, Gfx600, Gfx701, Gfx900, Gfx1010, Gfx1030};
use wavepipe_isa::asm;

/// v1 of every lane after a program of one wave64, at whose start v0 is the lane's number and s[0:1] points to dwords 0, 1, 2 ….
fn v1(isa: Gen, text: &str) -> Vec<u32> {
    let words =
        asm::assemble(&format!("{text}\n s_endpgm"), isa, 64).unwrap_or_else(|e| panic!("{isa:?} {e:?}\n{text}"));
    let mut bed = Bed::new(WaveSize::W64, [64, 1, 1]);
    bed.launch.isa = isa;
    (0..1024).for_each(|n| bed.write(n, n as u32));
    bed.start(&words);
    bed.run().unwrap_or_else(|f| panic!("{isa:?} {f:?}\n{text}"));
    bed.vgpr(1)
}

fn lanes(f: impl Fn(u32) -> u32) -> Vec<u32> {
    (0..64).map(f).collect()
}

/// Vega's manual: V_MAD_LEGACY_F16 writes zeros above its result, "this is different from V_MAD_F16"; instructions of VOP1 and VOP2
/// are of the older kind there. RDNA keeps what is above.
#[test]
fn halves_above_results_of_16_bits() {
    let cases = [
        ("v_add_f16 v1, 1.0, v2", 0x4200, false),
        ("v_cvt_f16_f32 v1, 2.0", 0x4000, false),
        ("v_mul_lo_u16 v1, v3, v3", 9, false),
        ("v_fma_f16 v1, v2, v2, v2", 0x4600, true),
        ("v_mad_u16 v1, v3, v3, v3", 12, true),
    ];
    for (text, low, keeps_always) in cases {
        for isa in [Gfx900, Gfx1010, Gfx1030] {
            let text = format!("v_mov_b32 v1, 0x12345678\n v_mov_b32 v2, 0x77774000\n v_mov_b32 v3, 3\n {text}");
            let above = if keeps_always || isa != Gfx900 { 0x1234_0000 } else { 0 };
            assert_eq!(v1(isa, &text)[5], above | low, "{isa:?} {text}");
        }
    }
    for (text, above) in [
        ("v_mac_f16 v1, v2, v2", 0x1234_0000),
        ("v_mad_f16 v1, v2, v2, v1", 0x1234_0000),
        ("v_mad_legacy_f16 v1, v2, v2, v1", 0),
        ("v_fma_legacy_f16 v1, v2, v2, v1", 0),
    ] {
        let text = format!("v_mov_b32 v1, 0x12343c00\n v_mov_b32 v2, 0x4000\n {text}");
        assert_eq!(v1(Gfx900, &text)[5], above | 0x4500, "{text}");
    }
    for isa in [Gfx600, Gfx701] {
        assert_eq!(v1(isa, "v_mov_b32 v1, -1\n v_cvt_f16_f32 v1, 2.0")[5], 0x4000);
    }
}

/// Bits of MODE, by the generations' register databases: what is not there is not kept, and does nothing. VSKIP and what stands above
/// it are another test's.
#[test]
fn mode_has_the_generation_s_bits() {
    for (isa, bits) in [
        (Gfx600, 0xf007_ffff_u32),
        (Gfx701, 0xf01f_ffff),
        (Gfx900, 0xff9f_ffff),
        (Gfx1010, 0xf89f_f7ff),
        (Gfx1030, 0x089f_f7ff),
    ] {
        // GPR_IDX_EN would index v1.
        let text = "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 10, 17), 0x1ffff
            v_cvt_f16_f32 v2, v0
            s_getreg_b32 s4, hwreg(HW_REG_MODE, 10, 17)
            v_mov_b32 v1, s4";
        assert_eq!(v1(isa, text)[3], bits >> 10 & 0x1ffff, "{isa:?}");
        // FP16_OVFL keeps a result from becoming infinity.
        let text = "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 23, 1), 1
            v_mov_b32 v1, 0x4e6e6b28
            v_cvt_f16_f32 v1, v1
            v_and_b32 v1, 0xffff, v1";
        assert_eq!(v1(isa, text)[3], if bits >> 23 & 1 != 0 { 0x7bff } else { 0x7c00 }, "{isa:?}");
    }
}

/// GCN 1 and 2: what lies at M0 or behind it reads zero and is not written, and that is no fault.
#[test]
fn lds_ends_at_m0() {
    let text = "
        v_lshlrev_b32 v2, 2, v0
        v_add_i32 v3, vcc, 5, v0
        s_mov_b32 m0, -1
        ds_write_b32 v2, v3
        s_mov_b32 m0, 40
        v_mov_b32 v4, 7
        ds_write_b32 v2, v4 offset:20
        ds_read_b32 v5, v2 offset:20
        s_mov_b32 m0, -1
        ds_read_b32 v6, v2
        s_waitcnt lgkmcnt(0)
        v_lshlrev_b32 v6, 16, v6
        v_or_b32 v1, v5, v6";
    for isa in [Gfx600, Gfx701] {
        let want = lanes(|l| {
            let read = if 4 * l + 20 < 40 { 7 } else { 0 };
            let there = if (5..10).contains(&l) { 7 } else { l + 5 };
            there << 16 | read
        });
        assert_eq!(v1(isa, text), want, "{isa:?}");
    }
}

/// DS_BPERMUTE and DS_PERMUTE: all lanes of the wave on GCN 5, 32 of them on RDNA.
#[test]
fn lanes_are_permuted_as_far_as_they_go() {
    let text = "v_sub_u32 v2, 63, v0\n v_lshlrev_b32 v2, 2, v2\n ds_bpermute_b32 v1, v2, v0\n s_waitcnt lgkmcnt(0)";
    assert_eq!(v1(Gfx900, text), lanes(|l| 63 - l));
    let text = text.replace("v_sub_u32", "v_sub_nc_u32");
    assert_eq!(v1(Gfx1010, &text), lanes(|l| l & 32 | (63 - l) & 31));
    let text = "v_sub_u32 v2, 63, v0\n v_lshlrev_b32 v2, 2, v2\n ds_permute_b32 v1, v2, v0\n s_waitcnt lgkmcnt(0)";
    assert_eq!(v1(Gfx900, text), lanes(|l| 63 - l));
}

/// GCN 5's permutations across rows.
#[test]
fn lanes_move_across_rows() {
    type From = fn(u32) -> u32;
    let cases: [(&str, From); 6] = [
        ("wave_shl:1", |l| if l == 63 { 99 } else { l + 1 }),
        ("wave_rol:1", |l| (l + 1) & 63),
        ("wave_shr:1", |l| if l == 0 { 99 } else { l - 1 }),
        ("wave_ror:1", |l| (l + 63) & 63),
        ("row_bcast:15", |l| if l < 16 { 99 } else { l / 16 * 16 - 1 }),
        ("row_bcast:31", |l| if l < 32 { 99 } else { 31 }),
    ];
    for (ctrl, want) in cases {
        let text = format!("v_mov_b32 v1, 99\n s_nop 1\n v_mov_b32_dpp v1, v0 {ctrl} row_mask:0xf bank_mask:0xf");
        assert_eq!(v1(Gfx900, &text), lanes(want), "{ctrl}");
    }
}

/// Indexing adds M0's index to the registers that its mode names, modifiers and all, and to no constant.
#[test]
fn registers_are_indexed() {
    let begin = "v_mov_b32 v2, 20\n v_mov_b32 v3, 30\n v_mov_b32 v4, 40\n v_mov_b32 v5, 50\n v_mov_b32 v1, 1\n s_mov_b32 s4, 2\n";
    let cases = [
        ("s_set_gpr_idx_on s4, 1\n v_mov_b32 v1, v2\n s_set_gpr_idx_off", 40),
        ("s_set_gpr_idx_on s4, 2\n v_add_u32 v1, v2, v2\n s_set_gpr_idx_off", 60),
        ("s_set_gpr_idx_on s4, 3\n v_add_u32 v1, v2, v3\n s_set_gpr_idx_off", 90),
        ("s_set_gpr_idx_on s4, 8\n v_mov_b32 v2, 7\n s_set_gpr_idx_off\n v_mov_b32 v1, v4", 7),
        ("s_set_gpr_idx_on s4, 1\n s_set_gpr_idx_idx 1\n v_mov_b32 v1, v2\n s_set_gpr_idx_off", 30),
        ("s_set_gpr_idx_on s4, 1\n s_set_gpr_idx_mode 0\n v_mov_b32 v1, v2\n s_set_gpr_idx_off", 20),
        ("s_set_gpr_idx_on s4, 1\n s_set_gpr_idx_off\n v_mov_b32 v1, v2", 20),
        ("s_set_gpr_idx_on s4, 15\n s_set_gpr_idx_off\n v_mov_b32 v1, m0", 0xf002),
        // An accumulated sum is where the destination is; a constant has no register.
        ("s_set_gpr_idx_on s4, 8\n v_mac_f32 v2, 0, v3\n s_set_gpr_idx_off\n v_mov_b32 v1, v4", 0),
        (
            "s_set_gpr_idx_on s4, 1\n v_mov_b32_sdwa v1, v2 dst_sel:BYTE_1 dst_unused:UNUSED_PAD src0_sel:BYTE_0\n s_set_gpr_idx_off",
            40 << 8,
        ),
        ("s_set_gpr_idx_on s4, 1\n v_mov_b32_dpp v1, v2 row_shl:1 row_mask:0xf bank_mask:0xf\n s_set_gpr_idx_off", 40),
        ("s_set_gpr_idx_on s4, 1\n v_readfirstlane_b32 s5, v2\n s_set_gpr_idx_off\n v_mov_b32 v1, s5", 40),
    ];
    for (text, want) in cases {
        assert_eq!(v1(Gfx900, &format!("{begin}{text}"))[3], want, "{text}");
    }
}

/// A fork runs the fewer lanes first and keeps the others, with their way, on the stack; the join lets those run, and whoever comes
/// second goes on, with their lanes.
#[test]
fn forks_part_lanes_and_joins_let_both_run() {
    for isa in [Gfx600, Gfx701, Gfx900] {
        for (limit, first) in [(10, 1), (50, 2), (0, 2), (64, 1)] {
            let add = if isa == Gfx900 { "v_add_u32 v1," } else { "v_add_i32 v1, vcc," };
            // Ways 1 (of the lanes that pass) and 2; s10 counts them.
            let text = format!(
                "s_mov_b32 s10, 0
                s_mov_b64 s[12:13], exec
                v_mov_b32 v1, 0
                s_getreg_b32 s11, hwreg(HW_REG_MODE, 29, 3)
                v_cmp_gt_u32 vcc, {limit}, v0
                s_cbranch_i_fork vcc, 5
                s_add_u32 s10, s10, 1
                v_mov_b32 v1, 0x200
                {add} s10, v1
                s_branch 4
                s_add_u32 s10, s10, 1
                v_mov_b32 v1, 0x100
                {add} s10, v1
                s_cbranch_join s11
                {add} 64, v1
                s_mov_b64 exec, s[12:13]
                {add} 32, v1"
            );
            let want = lanes(|l| {
                let way = if l < limit { 1 } else { 2 };
                let turn = if way == first { 1 } else { 2 };
                let last = limit == 0 || limit == 64 || turn == 2;
                0x100 * way + turn + 32 + if last { 64 } else { 0 }
            });
            assert_eq!(v1(isa, &text), want, "{isa:?} {limit}");
        }
    }
}

#[test]
fn vector_instructions_are_passed_over() {
    for isa in [Gfx600, Gfx701, Gfx900] {
        let text = "v_mov_b32 v1, 1\n s_mov_b32 s4, 3\n s_setvskip -1, 0\n v_mov_b32 v1, 2\n s_add_u32 s4, s4, 1\n s_setvskip 0, 0\n v_or_b32 v1, s4, v1";
        assert_eq!(v1(isa, text)[9], 5, "{isa:?}");
    }
}

/// What compilers for GCN write, with the carry in VCC, and comparisons that write EXEC beside the mask.
#[test]
fn masks_of_comparisons() {
    for isa in [Gfx600, Gfx701, Gfx900] {
        let text = "s_mov_b64 s[6:7], exec\n v_mov_b32 v1, 0\n v_cmpx_gt_u32 vcc, 5, v0\n v_mov_b32 v1, 3\n s_mov_b64 exec, s[6:7]\n v_cndmask_b32 v2, 0, 16, vcc\n v_or_b32 v1, v1, v2";
        assert_eq!(v1(isa, text), lanes(|l| if l < 5 { 19 } else { 0 }), "{isa:?}");
        let text = "s_mov_b64 s[6:7], exec\n v_cmpx_le_i32 s[8:9], 60, v0\n s_mov_b64 s[10:11], exec\n s_mov_b64 exec, s[6:7]\n s_xor_b64 s[8:9], s[8:9], s[10:11]\n s_or_b32 s8, s8, s9\n s_or_b32 s8, s8, s11\n v_mov_b32 v1, s8";
        assert_eq!(v1(isa, text)[0], 0xf000_0000, "{isa:?}");
    }
}

/// Constants of scalar loads count dwords on GCN 1 and 2; a register counts bytes everywhere.
#[test]
fn offsets_of_scalar_loads() {
    for (isa, offset) in [(Gfx600, "3"), (Gfx701, "3"), (Gfx701, "0x103"), (Gfx900, "12"), (Gfx1010, "12")] {
        let text = format!(
            "s_load_dword s4, s[0:1], {offset}\n s_mov_b32 s5, 20\n s_load_dword s6, s[0:1], s5\n s_waitcnt lgkmcnt(0)\n s_lshl_b32 s6, s6, 16\n s_or_b32 s4, s4, s6\n v_mov_b32 v1, s4"
        );
        let want = if offset == "0x103" { 0x103 } else { 3 };
        assert_eq!(v1(isa, &text)[0], 5 << 16 | want, "{isa:?} {offset}");
    }
}

/// Whole addresses in VGPRs through a buffer (GCN 1 and 2): its base and all offsets are added, its size is not asked.
#[test]
fn buffers_take_whole_addresses() {
    for isa in [Gfx600, Gfx701] {
        let text = "
            s_add_u32 s4, s0, 16
            s_addc_u32 s5, s1, 0
            s_mov_b32 s6, 0
            s_mov_b32 s7, 0xf000
            s_mov_b32 s8, 8
            v_lshlrev_b32 v2, 2, v0
            v_mov_b32 v3, 0
            buffer_load_dword v1, v[2:3], s[4:7], s8 addr64 offset:4
            s_waitcnt vmcnt(0)";
        assert_eq!(v1(isa, text), lanes(|l| l + 7), "{isa:?}");
    }
}

/// RDNA 2's accesses by lane, and GCN 5's store from LDS.
#[test]
fn addresses_by_lane() {
    let text = "global_load_dword_addtid v1, s[0:1] offset:8\n s_waitcnt vmcnt(0)";
    assert_eq!(v1(Gfx1030, text), lanes(|l| l + 2));
    let text = "v_add_nc_u32 v2, 100, v0\n global_store_dword_addtid v2, s[0:1] offset:4\n s_waitcnt_vscnt null, 0x0\n global_load_dword_addtid v1, s[0:1]\n s_waitcnt vmcnt(0)";
    assert_eq!(v1(Gfx1030, text), lanes(|l| if l == 0 { 0 } else { l + 99 }));
    // One lane, so that nobody has to say who stores last: the address is the same for all.
    let text = "
        v_lshlrev_b32 v2, 2, v0
        v_add_u32 v3, 500, v0
        ds_write_b32 v2, v3 offset:32
        s_waitcnt lgkmcnt(0)
        s_mov_b64 s[10:11], exec
        s_mov_b64 exec, 32
        s_mov_b32 m0, 16
        s_mov_b32 s4, s0
        s_and_b32 s5, s1, 0xffff
        s_mov_b32 s6, 0x400
        s_mov_b32 s7, 0x27fac
        s_mov_b32 s8, 0
        buffer_store_lds_dword s[4:7], s8 offset:16 lds
        s_waitcnt vmcnt(0)
        s_mov_b64 exec, s[10:11]
        global_load_dword v1, v2, s[0:1]
        s_waitcnt vmcnt(0)";
    assert_eq!(v1(Gfx900, text), lanes(|l| if l == 4 { 505 } else { l }));
}
