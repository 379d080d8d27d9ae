//! Waves run assembled kernels: launch state, memory, control flow, cross-lane operations, faults.

use crate::wave::{self, Bed};
use wavepipe_core::wave::Outcome;
use wavepipe_hw::code::WaveSize::{self, W32, W64};
use wavepipe_hw::fault::FaultKind;

#[test]
fn ids_and_consecutive_stores() {
    for size in [W32, W64] {
        let mut b = Bed::new(size, [8, 4, 6]);
        b.launch.system.tgid_x = true;
        b.launch.system.tg_size = true;
        let text = "
            v_mad_u32_u24 v3, v1, 8, v0
            v_mad_u32_u24 v3, v2, 32, v3
            v_lshlrev_b32 v4, 2, v3
            v_add_nc_u32 v5, 0x12345, v3
            global_store_dword v4, v5, s[0:1]
            s_endpgm";
        if !b.text(text) {
            return;
        }
        assert!((0..192).all(|i| b.read(i) == 0x12345 + i as u32));
        assert_eq!(b.read(192), 0);
        let waves = if size == W32 { 6 } else { 3 };
        assert_eq!(b.group.waves(), waves);
        assert_eq!(b.sgpr(9), waves as u32);
        assert_eq!(b.group.wave(1).unwrap().sgpr(9), waves as u32 | 1 << 6);
        assert_eq!(b.group.instructions(), 6 * waves as u64);
    }
}

#[test]
fn loop_with_scalar_condition() {
    let mut b = Bed::new(W32, [32, 1, 1]);
    let text = "
        s_mov_b32 s8, 0
        v_mov_b32 v1, 0
        v_add_nc_u32 v1, v0, v1
        s_addk_i32 s8, 1
        s_cmp_lt_u32 s8, 10
        s_cbranch_scc1 0xfffc
        s_endpgm";
    if b.text(text) {
        assert_eq!(b.vgpr(1), (0..32).map(|i| 10 * i).collect::<Vec<_>>());
        assert_eq!(b.sgpr(8), 10);
    }
}

#[test]
fn divergence_keeps_dead_lanes() {
    for size in [W32, W64] {
        let mut b = Bed::new(size, [64, 1, 1]);
        let (and, or, mask) = match size {
            W32 => ("s_and_saveexec_b32", "s_or_b32", ["s10", "exec_lo", "vcc_lo"]),
            W64 => ("s_and_saveexec_b64", "s_or_b64", ["s[10:11]", "exec", "vcc"]),
        };
        let [save, exec, vcc] = mask;
        let text = format!(
            "v_mov_b32 v1, 7
             v_cmp_gt_u32 {vcc}, 20, v0
             {and} {save}, {vcc}
             v_mov_b32 v1, 1.0
             v_readfirstlane_b32 s12, v1
             v_cmp_lt_u32 {vcc}, 10, v0
             {or} {exec}, {exec}, {save}
             v_cndmask_b32 v2, 5, v0, {vcc}
             s_endpgm"
        );
        if !b.text(&text) {
            return;
        }
        let lanes = size.lanes();
        let one = 1f32.to_bits();
        assert_eq!(b.vgpr(1), (0..lanes).map(|i| if i < 20 { one } else { 7 }).collect::<Vec<_>>());
        // The second compare ran with lanes 0..20 live: the others are zero in VCC.
        let want = |i| if i > 10 && i < 20 { i } else { 5 };
        assert_eq!(b.vgpr(2), (0..lanes).map(want).collect::<Vec<_>>(), "{size:?}");
        assert_eq!(b.sgpr(12), one);
    }
}

#[test]
fn modifiers_and_dpp() {
    let mut b = Bed::new(W32, [32, 1, 1]);
    let text = "
        v_cvt_f32_u32 v1, v0
        v_add_f32 v2, -v1, |v1|
        v_fma_f32 v3, v1, -2.0, 1.0
        v_mul_f32 v4, v1, 0.5 clamp
        v_mov_b32_dpp v5, v0 row_shl:1 row_mask:0xf bank_mask:0xf
        v_mov_b32_dpp v6, v0 quad_perm:[3,2,1,0] row_mask:0xf bank_mask:0xf
        v_mov_b32_dpp v7, v0 row_shr:1 row_mask:0xf bank_mask:0xf bound_ctrl:0
        v_add_nc_u32_dpp v8, v0, v0 row_ror:4 row_mask:0x2 bank_mask:0xf
        v_mov_b32_dpp v9, v0 dpp8:[7,6,5,4,3,2,1,0]
        v_mov_b32_sdwa v10, v0 dst_sel:WORD_1 dst_unused:UNUSED_PAD src0_sel:BYTE_0
        s_mov_b32 s8, 0x76543210
        s_mov_b32 s9, 0xfedcba98
        v_permlanex16_b32 v11, v0, s8, s9
        v_readlane_b32 s8, v0, 17
        v_writelane_b32 v12, 99, 3
        v_mbcnt_lo_u32_b32 v13, -1, 5
        s_endpgm";
    if !b.text(text) {
        return;
    }
    let f = |n: u32| b.vgpr(n).into_iter().map(f32::from_bits).collect::<Vec<_>>();
    let lanes = |g: &dyn Fn(u32) -> u32| (0..32).map(g).collect::<Vec<_>>();
    assert!(f(2).iter().all(|&x| x == 0.0));
    assert_eq!(f(3), (0..32).map(|i| 1.0 - 2.0 * i as f32).collect::<Vec<_>>());
    assert_eq!(f(4), (0..32).map(|i| (0.5 * i as f32).min(1.0)).collect::<Vec<_>>());
    // Without bound control a lane that reads past its row keeps its old value.
    assert_eq!(b.vgpr(5), lanes(&|i| if i % 16 == 15 { 0 } else { i + 1 }));
    assert_eq!(b.vgpr(6), lanes(&|i| i ^ 3));
    assert_eq!(b.vgpr(7), lanes(&|i| if i % 16 == 0 { 0 } else { i - 1 }));
    assert_eq!(b.vgpr(8), lanes(&|i| if i < 16 { 0 } else { i + 16 + (i + 12) % 16 }));
    assert_eq!(b.vgpr(9), lanes(&|i| i ^ 7));
    assert_eq!(b.vgpr(10), lanes(&|i| i << 16));
    assert_eq!(b.vgpr(11), lanes(&|i| i ^ 16));
    assert_eq!(b.sgpr(8), 17);
    assert_eq!(b.vgpr(12)[3], 99);
    assert_eq!(b.vgpr(13), lanes(&|i| i + 5));
}

#[test]
fn scalar_rules() {
    let mut b = Bed::new(W32, [32, 1, 1]);
    let text = "
        s_mov_b32 s8, -1
        s_add_u32 s9, s8, 1
        s_addc_u32 s10, 5, 0
        s_sub_u32 s11, 3, 5
        s_subb_u32 s12, 0, 0
        s_mov_b64 s[14:15], 1.0
        s_mov_b64 s[16:17], -3
        s_lshl_b64 s[18:19], 3, 33
        s_cselect_b32 s20, 11, 22
        s_cmp_eq_u64 s[16:17], s[18:19]
        s_cselect_b32 s21, 11, 22
        s_mov_b32 s33, 0xabcd1234
        s_bfe_u32 s22, s33, 0x80008
        s_ff1_i32_b32 s23, 0x80
        s_cmpk_eq_u32 s8, 0xffff
        s_cselect_b32 s24, 1, 2
        s_getpc_b64 s[26:27]
        s_movk_i32 s28, 0x8000
        s_mul_hi_u32 s29, s8, s8
        s_and_b32 s30, s8, 0
        s_cselect_b32 s31, 1, 2
        s_add_u32 null, s8, 1
        s_mov_b32 s32, null
        s_endpgm";
    if !b.text(text) {
        return;
    }
    let s = |n| b.sgpr(n);
    assert_eq!([s(9), s(10), s(11), s(12)], [0, 6, !1, !0]);
    assert_eq!([s(14), s(15), s(16), s(17)], [0, 0x3ff0_0000, !2, !0]);
    assert_eq!([s(18), s(19), s(20), s(21)], [0, 6, 11, 22]);
    assert_eq!([s(22), s(23), s(24)], [0x12, 7, 2]);
    assert_eq!(u64::from(s(26)) | u64::from(s(27)) << 32, b.launch.code_va + 4 * 20);
    assert_eq!([s(28), s(29), s(31), s(32)], [0xffff_8000, !1, 2, 0]);
}

fn descriptor(b: &mut Bed, words: [u32; 4]) {
    b.launch.user_data[4..8].copy_from_slice(&words);
}

#[test]
fn buffer_range_checks() {
    let mut b = Bed::new(W32, [32, 1, 1]);
    let base = b.data;
    let raw = wavepipe_hw::descriptor::BufferDescriptor::raw(base, 40).to_words(wavepipe_isa::Gen::Gfx1010);
    descriptor(&mut b, raw);
    for i in 0..64 {
        b.write(i, 100 + i as u32);
    }
    let text = "
        v_lshlrev_b32 v1, 2, v0
        v_mov_b32 v2, 77
        buffer_load_dword v2, v1, s[4:7], 0 offen
        buffer_load_dwordx2 v[3:4], v1, s[4:7], 0 offen offset:4
        s_buffer_load_dwordx4 s[8:11], s[4:7], 0x20
        s_mov_b32 s12, 8
        buffer_load_dword v5, v1, s[4:7], s12 offen
        v_mov_b32 v6, 1
        buffer_store_dword v6, v1, s[4:7], 0 offen
        buffer_atomic_add v6, v1, s[4:7], 0 offen offset:4 glc
        buffer_load_ubyte v7, v0, s[4:7], 0 offen offset:30
        v_mov_b32 v8, -4
        buffer_load_dword v9, v8, s[4:7], 0 offen offset:8
        s_endpgm";
    if !b.text(text) {
        return;
    }
    let lanes = |g: &dyn Fn(u32) -> u32| (0..32).map(g).collect::<Vec<_>>();
    assert_eq!(b.vgpr(2), lanes(&|i| if i < 10 { 100 + i } else { 0 }));
    assert_eq!(b.vgpr(3), lanes(&|i| if i < 9 { 101 + i } else { 0 }));
    assert_eq!(b.vgpr(4), lanes(&|i| if i < 8 { 102 + i } else { 0 }));
    assert_eq!([b.sgpr(8), b.sgpr(9), b.sgpr(10)], [108, 109, 0]);
    assert_eq!(b.vgpr(5), lanes(&|i| if i < 8 { 102 + i } else { 0 }));
    assert_eq!(b.vgpr(6), lanes(&|i| u32::from(i < 9)));
    let memory: Vec<u32> = (0..12).map(|i| b.read(i)).collect();
    assert_eq!(memory, [1, 2, 2, 2, 2, 2, 2, 2, 2, 2, 110, 111]);
    assert_eq!(b.vgpr(7)[1..4], [0, 2, 0]);
    assert!(b.vgpr(9).iter().all(|&v| v == 0), "a huge offset does not wrap into range");
}

/// The shortcuts for whole rows, four dwords and one address, with lanes off and at a region's last bytes.
#[test]
fn rows_and_quads_with_dead_lanes() {
    let mut b = Bed::new(W32, [32, 1, 1]);
    let raw = wavepipe_hw::descriptor::BufferDescriptor::raw(b.data, 1 << 16).to_words(wavepipe_isa::Gen::Gfx1010);
    descriptor(&mut b, raw);
    let end = (1u64 << 14) - 4;
    for i in 0..160 {
        b.write(i, 1000 + i as u32);
    }
    (0..4).for_each(|i| b.write(end + i, 500 + i as u32));
    // Later, EXEC is lanes 2..=5, and the row that these belong to ends outside of what is allocated.
    let text = "
        v_lshlrev_b32 v1, 2, v0
        v_lshlrev_b32 v2, 4, v0
        v_add_nc_u32 v3, 0xffe8, v1
        v_mov_b32 v4, 7
        v_mov_b32 v5, 0
        v_mov_b32 v20, 5
        v_mov_b32 v21, 5
        buffer_load_dwordx4 v[8:11], v2, s[4:7], 0 offen
        ds_write_b128 v2, v[8:11]
        ds_read_b128 v[12:15], v2
        ds_read_b32 v16, v1 offset:8
        s_mov_b32 exec_lo, 0x3c
        global_load_dword v6, v3, s[0:1]
        buffer_load_dword v7, v3, s[4:7], 0 offen
        global_store_dword v1, v4, s[0:1]
        v_add_nc_u32 v21, v21, v0
        buffer_atomic_add v21, v5, s[4:7], 0 offen glc
        s_endpgm";
    if !b.text(text) {
        return;
    }
    for n in 0..4 {
        let quads: Vec<u32> = (0..32).map(|i| 1000 + 4 * i + n).collect();
        assert_eq!(b.vgpr(8 + n), quads);
        assert_eq!(b.vgpr(12 + n), quads);
    }
    assert_eq!(b.vgpr(16), (0..32).map(|i| 1002 + i).collect::<Vec<_>>());
    for n in [6, 7] {
        assert_eq!(b.vgpr(n)[..8], [0, 0, 500, 501, 502, 503, 0, 0]);
    }
    // 1000 + (7 + 8 + 9 + 10); each lane sees the sum of those before it.
    assert_eq!(b.vgpr(21)[..7], [5, 5, 1000, 1007, 1015, 1024, 5]);
    let memory: Vec<u32> = (0..7).map(|i| b.read(i)).collect();
    assert_eq!(memory, [1034, 1001, 7, 7, 7, 7, 1006]);
}

#[test]
fn scratch_ring_is_swizzled_by_lane() {
    for size in [W32, W64] {
        let mut b = Bed::new(size, [size.lanes(), 1, 1]);
        let ring = wavepipe_hw::descriptor::BufferDescriptor {
            base: b.data,
            num_records: u32::MAX,
            swizzle_enable: true,
            add_tid_enable: true,
            index_stride: if size == W32 { 2 } else { 3 },
            oob_select: 3,
            dst_sel: [4, 5, 6, 7],
            format: 20,
            ..Default::default()
        };
        descriptor(&mut b, ring.to_words(wavepipe_isa::Gen::Gfx1010));
        let text = "
            s_movk_i32 s8, 0x400
            v_add_nc_u32 v1, 0x3e8, v0
            v_add_nc_u32 v2, 0x7d0, v0
            buffer_store_dwordx2 v[1:2], off, s[4:7], s8 offset:4
            buffer_load_dword v3, off, s[4:7], s8 offset:8
            s_endpgm";
        if !b.text(text) {
            return;
        }
        let lanes = u64::from(size.lanes());
        for lane in 0..lanes {
            assert_eq!(b.read(256 + lanes + lane), 1000 + lane as u32, "{size:?}");
            assert_eq!(b.read(256 + 2 * lanes + lane), 2000 + lane as u32);
        }
        assert_eq!(b.vgpr(3)[5], 2005);
    }
}

#[test]
fn lds_and_barrier() {
    for size in [W32, W64] {
        let mut b = Bed::new(size, [256, 1, 1]);
        let text = "
            v_lshlrev_b32 v1, 2, v0
            ds_write_b32 v1, v0
            v_sub_nc_u32 v2, 0xff, v0
            v_lshlrev_b32 v2, 2, v2
            s_waitcnt lgkmcnt(0)
            s_barrier
            ds_read_b32 v3, v2
            v_mov_b32 v4, 0x800
            v_mov_b32 v5, 1
            ds_add_u32 v4, v5
            s_barrier
            ds_read_b32 v6, v4
            ds_read2_b32 v[7:8], v2 offset0:1 offset1:2
            ds_read_b64 v[11:12], v1 offset:8
            s_waitcnt lgkmcnt(0)
            global_store_dword v1, v3, s[0:1]
            s_endpgm";
        if !b.text(text) {
            return;
        }
        assert!((0..256).all(|i| b.read(i) == 255 - i as u32));
        assert_eq!(b.vgpr(6)[0], 256);
        assert_eq!([b.vgpr(7)[4], b.vgpr(8)[4]], [252, 253]);
        assert_eq!([b.vgpr(11)[1], b.vgpr(12)[1]], [3, 4]);
    }
}

#[test]
fn a_wave_that_ended_does_not_hold_the_barrier() {
    let mut b = Bed::new(W32, [64, 1, 1]);
    let text = "
        v_readfirstlane_b32 s8, v0
        s_cmp_eq_u32 s8, 0
        s_cbranch_scc0 2
        s_barrier
        v_mov_b32 v1, 3
        s_endpgm";
    if b.text(text) {
        assert_eq!(b.vgpr(1)[0], 3);
    }
}

fn fault_of(size: WaveSize, text: &str) -> Option<(Box<wavepipe_core::wave::WaveFault>, u64)> {
    let mut b = Bed::new(size, [size.lanes(), 1, 1]);
    let words = wave::assemble(text, size)?;
    b.start(&words);
    let f = b.run().expect_err("no fault");
    Some((f, b.data))
}

#[test]
fn wild_addresses_name_their_lanes() {
    let text = "
        v_mov_b32 v4, 0x7777
        v_mov_b32 v1, s0
        v_mov_b32 v2, s1
        v_cmp_lt_u32 vcc_lo, 9, v0
        v_cndmask_b32 v2, v2, v4, vcc_lo
        global_load_dword v3, v[1:2], off
        s_endpgm";
    let Some((f, data)) = fault_of(W32, text) else { return };
    let site = f.site.unwrap();
    assert_eq!((site.lane, site.lanes, site.wave), (10, 0xffff_fc00, 0));
    assert_eq!(site.pc_offset, 24);
    let address = 0x7777 << 32 | data & 0xffff_ffff;
    assert_eq!(f.kind, FaultKind::WildAddress { address, bytes: 4, write: false, nearest: None });
    assert!(site.disassembly.contains("global_load_dword"), "{}", site.disassembly);
}

#[test]
fn bad_code_is_a_fault_when_reached() {
    let mut b = Bed::new(W32, [32, 1, 1]);
    let Some(mut words) = wave::assemble("s_branch 1\ns_nop 0\ns_endpgm", W32) else { return };
    words[1] = 0xffff_ffff;
    b.start(&words);
    assert!(b.run().is_ok(), "nothing reaches the bad dword");
    words[0] = 0xbf80_0000;
    b.start(&words);
    let f = b.run().unwrap_err();
    assert!(matches!(f.kind, FaultKind::IllegalInstruction { words: [0xffff_ffff, _] }), "{f:?}");
    assert_eq!(f.site.unwrap().pc_offset, 4);
    // Past the end of memory, and a register that the wave does not have.
    let f = fault_of(W32, "s_mov_b64 s[8:9], 0\ns_setpc_b64 s[8:9]").unwrap().0;
    assert!(matches!(f.kind, FaultKind::WildAddress { address: 0, .. }), "{f:?}");
    let f = fault_of(W32, "v_mov_b32 v200, 0\ns_endpgm").unwrap().0;
    assert!(matches!(f.kind, FaultKind::IllegalInstruction { .. }), "{f:?}");
}

#[test]
fn budgets_hold_and_resume() {
    let mut b = Bed::new(W32, [64, 1, 1]);
    let Some(words) = wave::assemble("s_branch 0xffff", W32) else { return };
    b.start(&words);
    let map = b.map();
    for _ in 0..3 {
        assert!(matches!(b.group.run(&map, &b.cache, 10_000), Outcome::Budget));
        let n = b.group.instructions();
        assert!((10_000..11_000).contains(&n), "{n}");
    }
    let site = b.group.site(&map).unwrap();
    assert_eq!(site.pc_offset, 0);
    assert!(site.disassembly.contains("s_branch"));
}

#[test]
fn invalidated_code_is_decoded_again() {
    let mut b = Bed::new(W32, [32, 1, 1]);
    let Some(words) = wave::assemble("s_mov_b32 s8, 1\ns_endpgm", W32) else { return };
    b.start(&words);
    b.run().unwrap();
    let (map, va) = (b.map(), b.launch.code_va);
    map.store32(va, words[0] + 1).unwrap();
    b.cache.invalidate(va..va + 8);
    b.group.start(&std::sync::Arc::new(b.launch.clone()), [0; 3], 0);
    b.run().unwrap();
    assert_eq!(b.sgpr(8), 2);
}

/// An address below zero beside an offset, as compilers write an index that runs backwards.
#[test]
fn lds_addresses_wrap() {
    for size in [W32, W64] {
        let mut b = Bed::new(size, [size.lanes(), 1, 1]);
        let last = size.lanes() - 1;
        let text = format!(
            "v_sub_nc_u32 v1, 0, v0
            v_lshlrev_b32 v1, 2, v1
            v_lshlrev_b32 v6, 2, v0
            v_add_nc_u32 v2, 100, v0
            v_add_nc_u32 v3, 500, v0
            ds_write_b32 v1, v2 offset:{at}
            ds_write2_b32 v1, v2, v3 offset0:{last} offset1:{twice}
            ds_read_b32 v7, v6
            ds_read_b32 v8, v1 offset:{at}
            ds_read_u16 v9, v1 offset:{at}
            ds_add_rtn_u32 v10, v1, v0 offset:{at}
            ds_read2_b32 v[11:12], v1 offset0:{last} offset1:{twice}
            s_endpgm",
            at = 4 * last,
            twice = 2 * last + 1,
        );
        if !b.text(&text) {
            return;
        }
        for lane in 0..=last {
            let i = lane as usize;
            assert_eq!(b.vgpr(7)[i], 100 + last - lane, "{size:?} {lane}");
            assert_eq!([8, 9, 10].map(|n| b.vgpr(n)[i]), [100 + lane; 3], "{size:?} {lane}");
            assert_eq!([b.vgpr(11)[i], b.vgpr(12)[i]], [100 + 2 * lane, 500 + lane], "{size:?} {lane}");
        }
    }
}
