//! What fits on a machine, by its description.

use wavepipe_core::dispatch::waves_per_simd;
use wavepipe_core::tested::{WHOLE_MACHINE, share};
use wavepipe_core::wave::Launch;
use wavepipe_hw::code::{CodeObject, WaveSize};
use wavepipe_hw::machine::Machine;
use wavepipe_hw::rsrc::PgmRsrc;

fn launch(wave: WaveSize, vgprs: u32, lds_bytes: u32, workgroup: [u32; 3]) -> Launch {
    Launch {
        isa: wavepipe_isa::Gen::default(),
        code_va: 0,
        wave,
        vgprs,
        sgprs: 106,
        lds_bytes,
        mode: 0,
        user_data: [0; 16],
        user_sgprs: 0,
        system: Default::default(),
        tidig_comp_cnt: 0,
        workgroup,
        scratch_bytes_per_wave: 0,
        border_colors: 0,
        private_base: 0,
    }
}

#[test]
fn occupancy_by_hand() {
    let navi10 = Machine::standard();
    let groups = |l: &Launch, wgp| WHOLE_MACHINE / share(&navi10, l, wgp).unwrap();
    // Wave slots alone: 32 work-groups a work-group processor.
    assert_eq!(groups(&launch(WaveSize::W32, 24, 0, [32, 1, 1]), true), 20 * 32);
    // 64 VGPRs: 16 waves a SIMD, 64 a WGP: two work-groups of 32 waves.
    assert_eq!(groups(&launch(WaveSize::W32, 64, 0, [1024, 1, 1]), true), 20 * 2);
    // 128 KiB of LDS hold three of 40 KiB; a compute unit's 64 KiB hold one.
    assert_eq!(groups(&launch(WaveSize::W32, 24, 40 << 10, [64, 1, 1]), true), 20 * 3);
    assert_eq!(groups(&launch(WaveSize::W32, 24, 40 << 10, [64, 1, 1]), false), 40);
    // Wave64 takes two rows a register: 1024 / (2 × 128) = 4 waves a SIMD.
    assert_eq!(groups(&launch(WaveSize::W64, 128, 0, [256, 1, 1]), true), 20 * 4);
    // The same on eleven work-group processors.
    let navi14 = Machine::builtin("rx5500xt").unwrap();
    let share = share(&navi14, &launch(WaveSize::W64, 128, 0, [256, 1, 1]), true).unwrap();
    assert_eq!(WHOLE_MACHINE / share, 11 * 4);
}

#[test]
fn waves_of_a_simd_by_hand() {
    let waves = |vgprs, lds_bytes, workgroup| {
        waves_per_simd(&Machine::default(), &CodeObject { vgprs, lds_bytes, workgroup, ..Default::default() })
    };
    assert_eq!(waves(24, 0, [64, 1, 1]), 16, "32 work-groups of two waves on four SIMDs");
    assert_eq!(waves(24, 0, [256, 1, 1]), 20);
    assert_eq!(waves(128, 0, [256, 1, 1]), 8);
    assert_eq!(waves(24, 40 << 10, [64, 1, 1]), 2, "three work-groups of two waves");
}

/// By hand, from what LLVM and Mesa say of granules: registers that a kernel does not name are allocated with those that it does.
#[test]
fn occupancy_is_the_launchs() {
    let on = |machine: &str, wave, vgprs, sgprs, lds_bytes, items| {
        let machine = Machine::builtin(machine).unwrap();
        let workgroup = [items, 1, 1];
        let isa = machine.generation();
        waves_per_simd(&machine, &CodeObject { isa, wave, vgprs, sgprs, lds_bytes, workgroup, ..Default::default() })
    };
    let w64 = WaveSize::W64;
    // Vega: VCC, FLAT_SCRATCH and XNACK_MASK besides, in sixteens, of 800.
    assert_eq!((on("vega64", w64, 24, 74, 0, 64), on("vega64", w64, 24, 75, 0, 64)), (10, 8));
    // Hawaii: VCC and FLAT_SCRATCH besides, in eights, of 512. Tahiti: VCC.
    assert_eq!((on("r9390", w64, 24, 44, 0, 64), on("r9390", w64, 24, 45, 0, 64)), (10, 9));
    assert_eq!((on("hd7950", w64, 24, 46, 0, 64), on("hd7950", w64, 24, 47, 0, 64)), (10, 9));
    // RDNA: as many for each, whatever it names.
    assert_eq!((on("rx5700xt", w64, 24, 1, 0, 256), on("rx5700xt", w64, 24, 106, 0, 256)), (20, 20));
    // VGPRs in eights and fours; on RDNA 2 in sixteens and eights.
    let w32 = WaveSize::W32;
    assert_eq!((on("rx5700xt", w32, 64, 8, 0, 1024), on("rx5700xt", w32, 65, 8, 0, 1024)), (16, 14));
    assert_eq!((on("rx6900xt", w32, 64, 8, 0, 1024), on("rx6900xt", w32, 65, 8, 0, 1024)), (16, 12));
    assert_eq!((on("rx5700xt", w64, 32, 8, 0, 1024), on("rx5700xt", w64, 33, 8, 0, 1024)), (16, 14));
    assert_eq!((on("rx6900xt", w64, 32, 8, 0, 1024), on("rx6900xt", w64, 33, 8, 0, 1024)), (16, 12));
    // LDS in blocks of 512 bytes, on RDNA 2 of 1024, on Tahiti of 256: work-groups of a wave for each SIMD.
    assert_eq!((on("rx5700xt", w32, 8, 8, 21_504, 128), on("rx5700xt", w32, 8, 8, 21_505, 128)), (6, 5));
    assert_eq!((on("rx6900xt", w32, 8, 8, 10_240, 128), on("rx6900xt", w32, 8, 8, 10_241, 128)), (12, 11));
    assert_eq!((on("hd7950", w64, 8, 8, 9_216, 256), on("hd7950", w64, 8, 8, 9_300, 256)), (7, 6));
}

/// For work-groups of one wave, which fill a SIMD to the last.
#[test]
fn a_launch_takes_its_share_of_what_a_simd_holds() {
    let mut seen = 0;
    for name in Machine::names() {
        let machine = Machine::builtin(name).unwrap();
        let isa = machine.generation();
        for (wave, vgprs, sgprs, lds_bytes) in (0..2000u32).map(|n| {
            let wave = if n % 2 == 0 { WaveSize::W64 } else { WaveSize::least(isa) };
            (wave, 1 + n * 31 % 256, n * 17 % 103, if n % 3 == 0 { 0 } else { 1 + n * 9973 % 32_768 })
        }) {
            let workgroup = [wave.lanes(), 1, 1];
            let code = CodeObject { isa, wave, vgprs, sgprs, lds_bytes, workgroup, ..Default::default() };
            let pgm = PgmRsrc::of(&code);
            let (vgprs, sgprs, lds_bytes) = (pgm.vgprs(wave), pgm.sgprs(), pgm.lds_bytes());
            let launch = Launch { isa, sgprs, ..launch(wave, vgprs, lds_bytes, workgroup) };
            let groups = WHOLE_MACHINE / share(&machine, &launch, true).unwrap();
            let of_simd = (groups / machine.wgps()).div_ceil(machine.simds_per_wgp());
            assert_eq!(of_simd, u64::from(waves_per_simd(&machine, &code)), "{name}: {code:?}");
            seen += 1;
        }
    }
    assert!(seen > 10_000);
}

#[test]
fn what_never_fits_is_named() {
    let navi10 = Machine::standard();
    let why = |l: &Launch, wgp| share(&navi10, l, wgp).unwrap_err();
    assert!(why(&launch(WaveSize::W32, 8, 65537, [1; 3]), true).contains("LDS"));
    assert!(why(&launch(WaveSize::W32, 8, 0, [1025, 1, 1]), true).contains("work-items"));
    assert!(why(&launch(WaveSize::W32, 8, 0, [0, 1, 1]), true).contains("work-items"));
    assert!(why(&launch(WaveSize::W32, 8, 0, [u32::MAX; 3]), true).contains("work-items"));
    assert!(why(&launch(WaveSize::W32, 136, 0, [1024, 1, 1]), true).contains("VGPRs"));
    assert!(why(&launch(WaveSize::W32, 128, 0, [1024, 1, 1]), false).contains("VGPRs"));
    assert!(share(&navi10, &launch(WaveSize::W32, 128, 0, [1024, 1, 1]), true).is_ok());
}
