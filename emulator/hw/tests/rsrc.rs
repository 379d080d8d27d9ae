//! What a code object needs, in registers.

use wavepipe_hw::code::*;
use wavepipe_hw::launch::UserData;
use wavepipe_hw::rsrc::*;
use wavepipe_isa::Gen;

#[test]
fn images_by_hand() {
    let code = CodeObject {
        vgprs: 25,
        lds_bytes: 513,
        scratch_bytes: 20,
        tidig_comp_cnt: 2,
        user_data: vec![UserData::PushConstants, UserData::NumWorkGroups],
        system: SystemSgprs { tgid_x: true, tgid_z: true, scratch_wave_offset: true, ..Default::default() },
        ..Default::default()
    };
    let r = PgmRsrc::of(&code);
    // 25 VGPRs: 4 granules of 8. FLOAT_MODE 0xf0 at bit 12, DX10_CLAMP at 21, IEEE clear.
    assert_eq!(r.rsrc1, 3 | 0xf0 << 12 | 1 << 21 | 7 << 29);
    assert_eq!(r.rsrc2, 1 | 5 << 1 | 1 << 7 | 1 << 9 | 2 << 11 | 2 << 15);
    assert_eq!(code.tmpring_size(32), 32 | 1 << 12);
    assert_eq!(tmpring_fields(Gen::Gfx1010, 32 | 1 << 12), (32, 1024));
}

#[test]
fn fields_read_back() {
    for (wave, vgprs, allocated) in
        [(WaveSize::W32, 1, 8), (WaveSize::W32, 256, 256), (WaveSize::W64, 5, 8), (WaveSize::W64, 256, 256)]
    {
        let code = CodeObject {
            wave,
            vgprs,
            lds_bytes: 65536,
            mode: FloatMode(0x2c3),
            user_data: vec![UserData::DescriptorSet(0); 8],
            system: SystemSgprs { tgid_y: true, tg_size: true, ..Default::default() },
            ..Default::default()
        };
        let r = PgmRsrc::of(&code);
        assert_eq!((r.vgprs(wave), r.lds_bytes(), r.user_sgprs()), (allocated, 65536, 16));
        assert_eq!((r.mode(), r.system(), r.tidig_comp_cnt()), (code.mode, code.system, 0));
        assert!(r.wgp_mode() && !r.scratch_en());
    }
}

/// By hand from the register headers and LLVM's user guide: 70 SGPRs and what a generation has besides, in its granules; LDS
/// in 64 or 128 dwords.
#[test]
fn generations_count_each_in_their_own_units() {
    let mode = FloatMode(0x1f0 | 1 << 23);
    for (isa, sgprs, allocated, lds, rest, shown) in [
        (Gen::Gfx600, 8, 72, 5, 0, 0x1f0),
        (Gen::Gfx701, 9, 80, 3, 0, 0x1f0),
        (Gen::Gfx900, 9, 80, 3, 1 << 26, 0x80_01f0),
        (Gen::Gfx1010, 0, 108, 3, 1 << 26 | 7 << 29, 0x80_01f0),
        (Gen::Gfx1030, 0, 108, 3, 1 << 26 | 7 << 29, 0x80_01f0),
    ] {
        let code =
            CodeObject { isa, wave: WaveSize::W64, vgprs: 84, sgprs: 70, lds_bytes: 1100, mode, ..Default::default() };
        let r = PgmRsrc::of(&code);
        assert_eq!(r.rsrc1, 20 | sgprs << 6 | 0xf0 << 12 | 1 << 21 | rest, "{isa:?}");
        assert_eq!((r.rsrc2 >> 15, r.lds_bytes()), (lds, lds * lds_granule_bytes(isa)), "{isa:?}");
        assert_eq!((r.vgprs(WaveSize::W64), r.sgprs(), r.mode().0), (84, allocated, shown), "{isa:?}");
        assert_eq!(r.wgp_mode(), isa >= Gen::Gfx1010, "{isa:?}");
        // What a generation lacks reads as nothing.
        let all = PgmRsrc { rsrc1: r.rsrc1 | 1 << 26 | 7 << 29, ..r };
        assert_eq!((all.mode().0, all.wgp_mode()), (shown, isa >= Gen::Gfx1010), "{isa:?}");
    }
    // What is left for numbers is what a kernel that asks for it gets again.
    for (isa, numbered) in [(Gen::Gfx600, 70), (Gen::Gfx701, 76), (Gen::Gfx900, 74), (Gen::Gfx1010, 106)] {
        let r = PgmRsrc::of(&CodeObject { isa, sgprs: 70, ..Default::default() });
        assert_eq!(r.numbered_sgprs(), numbered, "{isa:?}");
        assert_eq!(PgmRsrc::of(&CodeObject { isa, sgprs: numbered, ..Default::default() }), r, "{isa:?}");
    }
    assert_eq!(PgmRsrc::of(&CodeObject { isa: Gen::Gfx900, sgprs: 96, ..Default::default() }).sgprs(), 112);
}
