//! Indexed moves, unusual sources, integer clamp and control instructions, by small programs whose end state is known.

use crate::wave::{self, Bed};
use wavepipe_core::wave::WaveFault;
use wavepipe_hw::code::WaveSize::{self, W32, W64};
use wavepipe_hw::fault::FaultKind;

fn lanes(n: u32, of: impl Fn(u32) -> u32) -> Vec<u32> {
    (0..n).map(of).collect()
}

fn fault_of(size: WaveSize, text: &str) -> Option<Box<WaveFault>> {
    let mut b = Bed::new(size, [size.lanes(), 1, 1]);
    let words = wave::assemble(text, size)?;
    b.start(&words);
    Some(b.run().expect_err("no fault"))
}

#[test]
fn vector_registers_by_index() {
    for size in [W32, W64] {
        let n = size.lanes();
        let mut b = Bed::new(size, [n, 1, 1]);
        let text = "
            v_add_nc_u32 v17, 100, v0
            v_mov_b32 v9, 9
            s_mov_b32 m0, 10
            v_movreld_b32 v5, v9
            v_movrels_b32 v6, v7
            v_movrelsd_b32 v8, v7
            s_mov_b32 m0, 0x14000a
            v_movrelsd_2_b32 v5, v7
            v_mov_b32 v30, 30
            v_mov_b32 v31, 31
            s_mov_b32 m0, 0x10002
            v_swaprel_b32 v30, v28
            s_mov_b32 m0, 1000
            v_movrels_b32 v40, v7
            v_mov_b32 v41, 41
            v_movreld_b32 v41, v9
            s_mov_b32 m0, -1
            v_movreld_b32 v41, v9
            v_movreld_b32 v0, v9
            s_mov_b32 m0, 4
            v_movrels_b32_dpp v42, v13 row_mirror row_mask:0xf bank_mask:0xf
            v_mov_b32 v43, 0x1234567
            v_movreld_b32_sdwa v39, v17 dst_sel:BYTE_1 dst_unused:UNUSED_PRESERVE src0_sel:BYTE_0
            v_movreld_b32_e64 v40, s0
            s_endpgm";
        if !b.text(text) {
            return;
        }
        let row = lanes(n, |i| 100 + i);
        assert_eq!(b.vgpr(15), lanes(n, |_| 9), "destination");
        assert_eq!(b.vgpr(6), row, "source");
        assert_eq!(b.vgpr(18), row, "both by one index");
        assert_eq!(b.vgpr(25), row, "both, an index each");
        assert_eq!((b.vgpr(30)[3], b.vgpr(31)[3]), (31, 30), "exchange");
        assert_eq!(b.vgpr(40), lanes(n, |i| i), "a source past the last register is v0");
        assert_eq!(b.vgpr(41), lanes(n, |_| 41), "a destination past the last register is not written");
        assert_eq!(b.vgpr(0), lanes(n, |i| i));
        assert_eq!(b.vgpr(42), lanes(n, |i| 100 + (i ^ 15)), "moved across lanes");
        assert_eq!(b.vgpr(43), lanes(n, |i| 0x0123_0067 | (100 + i) << 8), "one byte of the destination");
        assert_eq!(b.vgpr(44), lanes(n, |_| b.data as u32), "from a scalar");
    }
}

#[test]
fn scalar_registers_by_index() {
    let mut b = Bed::new(W32, [32, 1, 1]);
    let text = "
        s_mov_b32 s17, 17
        s_mov_b64 s[18:19], 0x123
        s_mov_b32 m0, 10
        s_movrels_b32 s8, s7
        s_movreld_b32 s10, s17
        s_mov_b32 m0, 11
        s_movrels_b64 s[22:23], s[8:9]
        s_movreld_b64 s[24:25], 7
        s_mov_b32 m0, 0x14000a
        s_movrelsd_2_b32 s16, s7
        s_mov_b32 s40, 40
        s_mov_b32 m0, 100
        s_movrels_b32 s41, s40
        s_movreld_b32 s40, s17
        s_mov_b32 m0, 99
        s_movreld_b32 s8, s17
        s_endpgm";
    if !b.text(text) {
        return;
    }
    let s = |n| b.sgpr(n);
    assert_eq!((s(8), s(20)), (17, 17));
    assert_eq!((s(22), s(23), s(34), s(35)), (0x123, 0, 7, 0), "an index of pairs is even");
    assert_eq!(s(36), 17);
    assert_eq!((s(41), s(40)), (s(0), 40), "out of range: s0 is read, nothing is written");
    assert_eq!(s(107), 17, "VCC is the last in range");
}

#[test]
fn conditions_and_lds_as_sources() {
    let mut b = Bed::new(W32, [32, 1, 1]);
    let text = "
        v_lshlrev_b32 v1, 2, v0
        ds_write_b32 v1, v0 offset:256
        v_mov_b32 v2, 0x80ff8081
        ds_write_b32 v1, v2
        s_mov_b32 vcc_lo, 0
        v_mov_b32 v3, src_vccz
        s_add_u32 s8, src_vccz, src_execz
        v_add_nc_u32 v4, src_vccz, v0
        v_cvt_f32_u32_e64 v5, src_vccz mul:2
        v_xor_b32_dpp v6, v0, v0 quad_perm:[0,0,0,0] row_mask:0xf bank_mask:0xf
        s_mov_b32 vcc_lo, 4
        v_mov_b32 v7, src_vccz
        s_cmp_eq_u32 s8, 1
        v_mov_b32 v8, src_scc
        s_mov_b32 m0, 0x20114
        v_add_nc_u32 v9, src_lds_direct, v0
        s_mov_b32 m0, 0x00003
        v_mov_b32 v10, src_lds_direct
        s_mov_b32 m0, 0x10002
        v_mov_b32 v11, src_lds_direct
        s_mov_b32 m0, 0x40001
        v_mov_b32 v12, src_lds_direct
        s_mov_b32 m0, 0x50000
        v_mov_b32 v13, src_lds_direct
        s_mov_b32 m0, 0x2fff0
        v_mov_b32 v14, src_lds_direct
        v_lshl_add_u32 v15, src_vccz, 4, src_execz
        s_mov_b32 exec_lo, 0
        s_mov_b32 s9, src_execz
        s_mov_b32 exec_lo, -1
        s_endpgm";
    if !b.text(text) {
        return;
    }
    let first = |n| b.vgpr(n)[0];
    assert_eq!((first(3), b.sgpr(8), b.sgpr(9)), (1, 1, 1));
    assert_eq!(b.vgpr(4), lanes(32, |i| i + 1));
    assert_eq!(first(5), 1.0f32.to_bits());
    assert_eq!((first(7), first(8)), (0, 1));
    assert_eq!(b.vgpr(9), lanes(32, |i| i + 5));
    assert_eq!((first(10), first(11)), (0x80, 0x80ff));
    assert_eq!((first(12), first(13)), (0xffff_ff80, 0xffff_8081));
    assert_eq!((first(14), first(15)), (0, 0));
}

#[test]
fn integer_results_saturate() {
    let mut b = Bed::new(W64, [64, 1, 1]);
    let text = "
        v_mov_b32 v1, -1
        v_mov_b32 v2, 0x7fffffff
        v_mov_b32 v3, 0x7fff8000
        v_mov_b32 v16, 0xdead0000
        v_mov_b32 v40, 0xfffe
        v_add_nc_u32 v4, v1, v0 clamp
        v_sub_nc_u32 v5, v0, v1 clamp
        v_subrev_nc_u32 v6, v1, v0 clamp
        v_add_nc_i32 v7, v2, v0 clamp
        v_sub_nc_i32 v8, -2, v2 clamp
        v_mul_u32_u24 v9, v1, v1 clamp
        v_mad_i32_i24 v10, v2, v2, v2 clamp
        v_pk_add_i16 v11, v3, v3 clamp
        v_pk_sub_u16 v12, v0, v3 clamp
        v_sad_u32 v13, v1, v0, v2 clamp
        v_mad_u64_u32 v[14:15], s[8:9], v1, v1, v[1:2] clamp
        v_add_nc_i16 v16, v3, v3 clamp
        v_add_co_u32 v17, vcc, v1, v0 clamp
        v_add_nc_u16 v18, v40, v0 clamp
        v_mov_b32 v20, -1
        v_mov_b32 v21, 0
        v_mov_b32 v22, -2
        v_mov_b32 v23, 1
        v_mqsad_u32_u8 v[24:27], v[0:1], v1, v[20:23]
        v_mqsad_u32_u8 v[28:31], v[0:1], v1, v[20:23] clamp
        v_xor_b32_sdwa v32, v1, v0 clamp dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:DWORD src1_sel:DWORD
        v_add_nc_u32_sdwa v33, v1, v0 clamp dst_sel:WORD_1 dst_unused:UNUSED_PAD src0_sel:DWORD src1_sel:DWORD
        s_endpgm";
    if !b.text(text) {
        return;
    }
    let at = |n, lane: usize| b.vgpr(n)[lane];
    assert_eq!((at(4, 0), at(4, 40)), (!0, !0));
    assert_eq!((at(5, 9), at(6, 9)), (0, 0));
    assert_eq!((at(7, 0), at(7, 63)), (0x7fff_ffff, 0x7fff_ffff));
    assert_eq!(at(8, 0), 0x8000_0000, "−2 − MAX is below MIN");
    assert_eq!((at(9, 0), at(10, 0)), (!0, 0x7fff_ffff));
    assert_eq!((at(11, 0), at(12, 3)), (0x7fff_8000, 0));
    assert_eq!(at(13, 0), !0);
    assert_eq!((at(14, 0), at(15, 0)), (!0, !0));
    assert_eq!(at(16, 0), 0xdead_8000);
    assert_eq!((at(17, 1), b.sgpr(106), b.sgpr(107)), (!0, !1, !0), "the carry is as without clamp");
    assert_eq!((at(18, 1), at(18, 2)), (0xffff, 0xffff));
    // |lane − 255| + 3 · 255, then bytes of −1 alone and differences of nothing.
    let sums = |lane: usize| [24, 25, 26, 27].map(|n| at(n, lane));
    let low = |lane: u32| 255 - lane;
    assert_eq!(sums(5), [low(5).wrapping_add(3 * 255 - 1), 3 * 255, 2 * 255 - 2, 256]);
    assert_eq!([28, 29, 30, 31].map(|n| at(n, 5)), [!0, 3 * 255, !0, 256]);
    assert_eq!(at(32, 5), !5, "nothing to clamp in a bitwise result");
    assert_eq!(at(33, 5), 0xffff_0000, "the clamped result's low half");
}

#[test]
fn a_loop_over_the_halves_of_a_wave64() {
    for (mask, passes) in [(!0u64, 2), (0xf0, 1), (0, 0), (!0 << 32, 1), (1 << 63 | 1, 2)] {
        let mut b = Bed::new(W64, [64, 1, 1]);
        b.launch.user_data[4] = mask as u32;
        b.launch.user_data[5] = (mask >> 32) as u32;
        // v2 counts how often each lane ran; v3 says in which pass.
        let text = "
            v_mov_b32 v2, 0
            v_mov_b32 v3, 0
            s_mov_b32 s9, 0
            s_mov_b64 exec, s[4:5]
            s_subvector_loop_begin s8, 4
            s_add_u32 s9, s9, 1
            v_add_nc_u32 v2, 1, v2
            v_mov_b32 v3, s9
            s_subvector_loop_end s8, 0xfffc
            s_mov_b64 s[10:11], exec
            s_mov_b64 exec, -1
            s_endpgm";
        if !b.text(text) {
            return;
        }
        assert_eq!(b.sgpr(9), passes, "{mask:x}");
        assert_eq!(u64::from(b.sgpr(10)) | u64::from(b.sgpr(11)) << 32, mask, "{mask:x}: EXEC is restored");
        assert_eq!(b.vgpr(2), lanes(64, |i| (mask >> i & 1) as u32), "{mask:x}");
        let first = if mask as u32 == 0 { 1 } else { 2 };
        let pass = |i: u32| if i < 32 { 1 } else { first };
        assert_eq!(b.vgpr(3), lanes(64, |i| if mask >> i & 1 != 0 { pass(i) } else { 0 }), "{mask:x}");
    }
}

#[test]
fn messages_sleep_and_debug_branches_go_on() {
    let mut b = Bed::new(W32, [64, 1, 1]);
    let text = "
        s_setprio 2
        s_sleep 0
        s_sleep 3
        s_wakeup
        s_clause 0x1
        s_sendmsg sendmsg(MSG_INTERRUPT)
        s_sendmsg 4
        s_sethalt 0
        s_setkill 0
        s_cbranch_cdbgsys 20
        s_cbranch_cdbguser 20
        s_cbranch_cdbgsys_or_user 20
        s_cbranch_cdbgsys_and_user 20
        s_icache_inv
        s_incperflevel 1
        s_ttracedata
        s_inst_prefetch 2
        s_trap 3
        s_mov_b32 s8, 8
        s_setkill 1
        s_mov_b32 s8, 9
        s_endpgm";
    if !b.text(text) {
        return;
    }
    assert_eq!(b.sgpr(8), 8, "the kill bit ends the wave");
    assert_eq!(b.group.wave(0).unwrap().interrupts(), 1);
}

#[test]
fn every_way_to_end_is_an_end() {
    for end in ["s_endpgm", "s_endpgm_saved", "s_endpgm_ordered_ps_done", "s_setkill 1"] {
        let mut b = Bed::new(W32, [64, 1, 1]);
        if !b.text(&format!("s_mov_b32 s8, 8\n {end}\n s_mov_b32 s8, 9\n s_endpgm")) {
            return;
        }
        assert_eq!(b.sgpr(8), 8, "{end}");
    }
}

#[test]
fn a_barrier_waits_for_the_waves_that_are_left() {
    // Waves 0 and 1 leave at once, wave 2 between the barriers; wave 3 meets nobody at the second one.
    let mut b = Bed::new(W32, [128, 1, 1]);
    let text = "
        v_readfirstlane_b32 s8, v0
        s_cmp_lt_u32 s8, 64
        s_cbranch_scc1 18
        v_mov_b32 v1, 1
        v_mov_b32 v2, 0
        ds_add_u32 v2, v1
        s_barrier
        ds_read_b32 v3, v2
        s_cmp_lt_u32 s8, 96
        s_cbranch_scc1 9
        s_barrier
        s_barrier
        v_mov_b32 v4, 0x100
        global_store_dword v2, v3, s[0:1]
        s_endpgm
        s_nop 0
        s_nop 0
        s_endpgm
        s_endpgm
        s_endpgm";
    let Some(words) = wave::assemble(text, W32) else { return };
    b.start(&words);
    assert!(b.run().is_ok());
    assert_eq!(b.read(0), 64, "both waves' lanes counted before either went on");
}

#[test]
fn what_cannot_go_on_is_a_fault() {
    let kinds = [
        ("s_trap 2", FaultKind::Trap { id: 2 }),
        ("s_trap 0xfe", FaultKind::Trap { id: 0xfe }),
        ("s_sethalt 1", FaultKind::Halted),
        ("s_sethalt 5", FaultKind::Halted),
        ("s_sendmsghalt 1", FaultKind::Halted),
    ];
    for (text, kind) in kinds {
        let Some(f) = fault_of(W32, &format!("s_nop 0\n {text}\n s_endpgm")) else { return };
        assert_eq!(f.kind, kind, "{text}");
        let site = f.site.unwrap();
        assert_eq!(site.pc_offset, 4);
        assert!(site.disassembly.contains(text.split(' ').next().unwrap()), "{}", site.disassembly);
    }
    let illegal = [
        "s_code_end",
        "s_rfe_b64 s[8:9]",
        "s_sendmsg 0",
        "v_interp_mov_f32 v0, p0, attr0.x",
        "exp mrt0 v0, v0, v0, v0 done vm",
        "v_mov_b32 v64, v0",
    ];
    for text in illegal {
        let Some(f) = fault_of(W64, &format!("s_nop 0\n {text}\n s_endpgm")) else { return };
        assert!(matches!(f.kind, FaultKind::IllegalInstruction { .. }), "{text}: {:?}", f.kind);
    }
}

#[test]
fn trap_registers_keep_nothing_without_privilege() {
    let mut b = Bed::new(W32, [32, 1, 1]);
    if b.text("s_mov_b32 ttmp4, 5\n s_mov_b64 ttmp[6:7], 7\n s_add_u32 s8, ttmp4, ttmp6\n s_endpgm") {
        assert_eq!(b.sgpr(8), 0);
    }
}

#[test]
fn clocks_only_grow() {
    let mut b = Bed::new(W32, [32, 1, 1]);
    let text = "
        s_memtime s[8:9]
        s_memrealtime s[10:11]
        s_sleep 1
        s_memtime s[12:13]
        s_memrealtime s[14:15]
        s_sub_u32 s16, s12, s8
        s_subb_u32 s17, s13, s9
        s_sub_u32 s18, s14, s10
        s_subb_u32 s19, s15, s11
        s_endpgm";
    if b.text(text) {
        assert!(b.sgpr(16) > 0 && b.sgpr(17) == 0);
        assert!((b.sgpr(19) as i32) >= 0);
    }
}

#[test]
fn hardware_registers_by_number() {
    let mut b = Bed::new(W64, [128, 1, 1]);
    let text = "
        s_getreg_b32 s8, hwreg(HW_REG_MODE)
        s_setprio 2
        s_mov_b64 vcc, 0
        s_cmp_eq_u32 s8, s8
        s_getreg_b32 s9, hwreg(HW_REG_STATUS)
        s_setreg_imm32_b32 hwreg(HW_REG_TRAPSTS, 4, 8), 0xfff
        s_getreg_b32 s10, hwreg(HW_REG_TRAPSTS)
        s_getreg_b32 s11, hwreg(HW_REG_GPR_ALLOC, 8, 6)
        s_getreg_b32 s12, hwreg(HW_REG_LDS_ALLOC, 12, 9)
        s_getreg_b32 s13, hwreg(HW_REG_IB_STS)
        s_getreg_b32 s14, hwreg(HW_REG_SH_MEM_BASES)
        s_mov_b32 s15, 0x12345678
        s_setreg_b32 hwreg(HW_REG_FLAT_SCR_LO), s15
        s_setreg_b32 hwreg(HW_REG_FLAT_SCR_HI, 0, 16), s15
        s_getreg_b32 s16, hwreg(HW_REG_FLAT_SCR_LO, 8, 16)
        s_getreg_b32 s17, hwreg(HW_REG_FLAT_SCR_HI)
        s_setreg_b32 hwreg(HW_REG_STATUS), s15
        s_getreg_b32 s18, hwreg(HW_REG_STATUS, 16, 16)
        s_getreg_b32 s19, hwreg(HW_REG_TBA_LO)
        s_getreg_b32 s20, hwreg(HW_REG_XNACK_MASK)
        s_getreg_b32 s21, hwreg(HW_REG_HW_ID1, 0, 5)
        s_getreg_b32 s22, hwreg(HW_REG_POPS_PACKER)
        s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 2), 3
        v_add_f32 v1, 1.0, 0x33800001
        s_round_mode 0x1
        v_add_f32 v2, 1.0, 0x33800001
        s_denorm_mode 0x0
        v_add_f32 v3, 1, 1
        s_getreg_b32 s23, hwreg(HW_REG_MODE)
        s_endpgm";
    if !b.text(&text.replace("v_add_f32 v3, 1, 1", "v_add_f32 v3, 1, s2")) {
        return;
    }
    let s = |n| b.sgpr(n);
    assert_eq!(s(8), 0x1f0);
    assert_eq!(s(9), 1 | 2 << 3 | 1 << 10 | 1 << 11 | 1 << 16);
    // There is no bit 9.
    assert_eq!(s(10), 0xdf0);
    assert_eq!((s(11), s(12), s(13)), (15, 16, 0));
    assert_eq!(s(14), 0x0001_0002);
    assert_eq!((s(16), s(17)), (0x3456, 0x5678));
    assert_eq!((s(18), s(19), s(20), s(21), s(22)), (1, 0, 0, 0, 0));
    let first = |n| b.vgpr(n)[0];
    assert_eq!((first(1), first(2), first(3)), (0x3f80_0000, 0x3f80_0001, 0));
    assert_eq!(s(23), 0x101);
}
