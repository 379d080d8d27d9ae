//! COMPUTE_PGM_RSRC1, COMPUTE_PGM_RSRC2 and COMPUTE_TMPRING_SIZE: how a code object's needs look in registers.
//! Field positions: register headers of gfx6 to gfx10.3; granules: LLVM AMDGPU user guide, "Code Object V3 Kernel Descriptor".

use crate::code::{CodeObject, FloatMode, SystemSgprs, WaveSize};
use wavepipe_isa::Gen;
use wavepipe_isa::generation::inherited;

/// What of these registers differs by generation.
#[derive(Clone, Copy, Debug)]
struct Layout {
    /// How RSRC1.SGPRS counts; none: every wave has all of them, and the field is zero.
    sgprs: Option<Sgprs>,
    /// Unit of RSRC2.LDS_SIZE, in bytes.
    lds_granule: u32,
    /// RSRC1 has FP16_OVFL.
    fp16_ovfl: bool,
    /// RSRC1 has WGP_MODE, MEM_ORDERED and FWD_PROGRESS: work-groups may spread over two compute units.
    wgp: bool,
}

/// How scalar registers are allocated.
#[derive(Clone, Copy, Debug)]
struct Sgprs {
    /// VCC, and FLAT_SCRATCH and XNACK_MASK where there are such, which stand behind those that a program names.
    special: u32,
    /// Registers that are allocated at once; RSRC1.SGPRS counts eights.
    granule: u32,
}

const LAYOUTS: &[(Gen, Layout)] = &[
    (
        Gen::Gfx600,
        Layout { sgprs: Some(Sgprs { special: 2, granule: 8 }), lds_granule: 256, fp16_ovfl: false, wgp: false },
    ),
    (
        Gen::Gfx701,
        Layout { sgprs: Some(Sgprs { special: 4, granule: 8 }), lds_granule: 512, fp16_ovfl: false, wgp: false },
    ),
    (
        Gen::Gfx900,
        Layout { sgprs: Some(Sgprs { special: 6, granule: 16 }), lds_granule: 512, fp16_ovfl: true, wgp: false },
    ),
    (Gen::Gfx1010, Layout { sgprs: None, lds_granule: 512, fp16_ovfl: true, wgp: true }),
];

fn layout(isa: Gen) -> Layout {
    inherited(LAYOUTS, isa).expect("a column from the first generation on")
}

/// SGPRs of one granule of RSRC1.SGPRS.
const SGPR_UNIT: u32 = 8;
/// SGPRs that every gfx10 wave has: s0..s105 and VCC, allocated whatever RSRC1.SGPRS says.
const ALL_SGPRS: u32 = 108;

/// Unit of RSRC2.LDS_SIZE, in bytes: LDS is allocated in such blocks.
pub fn lds_granule_bytes(isa: Gen) -> u32 {
    layout(isa).lds_granule
}

/// Unit of COMPUTE_TMPRING_SIZE.WAVESIZE: 256 dwords.
pub const TMPRING_WAVESIZE_BYTES: u32 = 1024;

const FP16_OVFL: u32 = 1 << 26;
/// FP16_OVFL's place in MODE.
const MODE_FP16_OVFL: u32 = 1 << 23;
const WGP_MODE: u32 = 1 << 29;
const MEM_ORDERED: u32 = 1 << 30;
const FWD_PROGRESS: u32 = 1 << 31;

/// Register images of a program's resources.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct PgmRsrc {
    /// Whose registers they are.
    pub isa: Gen,
    /// [5:0] VGPR granules − 1, [9:6] SGPR granules − 1 of GCN, [19:12] FLOAT_MODE, [21] DX10_CLAMP, [23] IEEE_MODE, [26] FP16_OVFL
    /// from gfx9 on, and from gfx10 on [29] WGP_MODE, [30] MEM_ORDERED, [31] FWD_PROGRESS.
    pub rsrc1: u32,
    /// [0] SCRATCH_EN, [5:1] USER_SGPR, [7] TGID_X, [8] TGID_Y, [9] TGID_Z, [10] TG_SIZE, [12:11] TIDIG_COMP_CNT,
    /// [23:15] LDS_SIZE.
    pub rsrc2: u32,
}

/// VGPRs of one granule of RSRC1.VGPRS.
const fn vgpr_granule(wave: WaveSize) -> u32 {
    match wave {
        WaveSize::W32 => 8,
        WaveSize::W64 => 4,
    }
}

impl PgmRsrc {
    /// The images for `code`, in WGP mode where there is one.
    pub fn of(code: &CodeObject) -> PgmRsrc {
        let (mode, s, layout) = (code.mode.0, code.system, layout(code.isa));
        let user: u32 = code.user_data.iter().map(|u| u.dwords()).sum();
        let sgprs = |file: Sgprs| (code.sgprs + file.special).next_multiple_of(file.granule) / SGPR_UNIT - 1;
        PgmRsrc {
            isa: code.isa,
            rsrc1: (code.vgprs.max(1) - 1) / vgpr_granule(code.wave) & 0x3f
                | (mode & 0xff) << 12
                | (mode >> 8 & 1) << 21
                | (mode >> 9 & 1) << 23
                | layout.sgprs.map_or(0, |file| (sgprs(file) & 15) << 6)
                | if layout.fp16_ovfl && mode & MODE_FP16_OVFL != 0 { FP16_OVFL } else { 0 }
                | if layout.wgp { WGP_MODE | MEM_ORDERED | FWD_PROGRESS } else { 0 },
            rsrc2: u32::from(s.scratch_wave_offset)
                | (user & 0x1f) << 1
                | u32::from(s.tgid_x) << 7
                | u32::from(s.tgid_y) << 8
                | u32::from(s.tgid_z) << 9
                | u32::from(s.tg_size) << 10
                | (code.tidig_comp_cnt & 3) << 11
                | (code.lds_bytes.div_ceil(layout.lds_granule) & 0x1ff) << 15,
        }
    }

    /// VGPRs allocated to a wave: the count asked for, rounded up to the granule.
    pub fn vgprs(self, wave: WaveSize) -> u32 {
        ((self.rsrc1 & 0x3f) + 1) * vgpr_granule(wave)
    }

    /// SGPRs allocated to a wave, VCC and what else is named apart among them.
    pub fn sgprs(self) -> u32 {
        let counted = |file: Sgprs| (((self.rsrc1 >> 6 & 15) + 1) * SGPR_UNIT).next_multiple_of(file.granule);
        layout(self.isa).sgprs.map_or(ALL_SGPRS, counted)
    }

    pub fn mode(self) -> FloatMode {
        let overflow = layout(self.isa).fp16_ovfl && self.rsrc1 & FP16_OVFL != 0;
        FloatMode(
            self.rsrc1 >> 12 & 0xff
                | (self.rsrc1 >> 21 & 1) << 8
                | (self.rsrc1 >> 23 & 1) << 9
                | if overflow { MODE_FP16_OVFL } else { 0 },
        )
    }

    /// Whether a work-group may spread over both compute units of a work-group processor.
    pub fn wgp_mode(self) -> bool {
        layout(self.isa).wgp && self.rsrc1 & WGP_MODE != 0
    }

    pub fn scratch_en(self) -> bool {
        self.rsrc2 & 1 != 0
    }

    pub fn user_sgprs(self) -> u32 {
        self.rsrc2 >> 1 & 0x1f
    }

    pub fn system(self) -> SystemSgprs {
        let bit = |n: u32| self.rsrc2 >> n & 1 != 0;
        SystemSgprs { tgid_x: bit(7), tgid_y: bit(8), tgid_z: bit(9), tg_size: bit(10), scratch_wave_offset: bit(0) }
    }

    pub fn tidig_comp_cnt(self) -> u32 {
        self.rsrc2 >> 11 & 3
    }

    /// LDS bytes allocated to a work-group.
    pub fn lds_bytes(self) -> u32 {
        (self.rsrc2 >> 15 & 0x1ff) * layout(self.isa).lds_granule
    }
}

impl CodeObject {
    /// Scratch bytes of one wave, in whole units of COMPUTE_TMPRING_SIZE.WAVESIZE.
    pub fn scratch_bytes_per_wave(&self) -> u32 {
        (self.scratch_bytes * self.wave.lanes()).next_multiple_of(TMPRING_WAVESIZE_BYTES)
    }

    /// COMPUTE_TMPRING_SIZE for a ring that holds `waves` waves at once (12 bits); zero without scratch.
    pub fn tmpring_size(&self, waves: u32) -> u32 {
        match self.scratch_bytes {
            0 => 0,
            _ => waves.min(0xfff) | (self.scratch_bytes_per_wave() / TMPRING_WAVESIZE_BYTES & 0x1fff) << 12,
        }
    }
}

/// COMPUTE_TMPRING_SIZE taken apart: (waves that the ring holds, bytes of each).
pub fn tmpring_fields(value: u32) -> (u32, u32) {
    (value & 0xfff, (value >> 12 & 0x1fff) * TMPRING_WAVESIZE_BYTES)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::launch::UserData;

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
        assert_eq!(tmpring_fields(32 | 1 << 12), (32, 1024));
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
            let code = CodeObject {
                isa,
                wave: WaveSize::W64,
                vgprs: 84,
                sgprs: 70,
                lds_bytes: 1100,
                mode,
                ..Default::default()
            };
            let r = PgmRsrc::of(&code);
            assert_eq!(r.rsrc1, 20 | sgprs << 6 | 0xf0 << 12 | 1 << 21 | rest, "{isa:?}");
            assert_eq!((r.rsrc2 >> 15, r.lds_bytes()), (lds, lds * lds_granule_bytes(isa)), "{isa:?}");
            assert_eq!((r.vgprs(WaveSize::W64), r.sgprs(), r.mode().0), (84, allocated, shown), "{isa:?}");
            assert_eq!(r.wgp_mode(), isa >= Gen::Gfx1010, "{isa:?}");
            // What a generation lacks reads as nothing.
            let all = PgmRsrc { rsrc1: r.rsrc1 | 1 << 26 | 7 << 29, ..r };
            assert_eq!((all.mode().0, all.wgp_mode()), (shown, isa >= Gen::Gfx1010), "{isa:?}");
        }
        assert_eq!(PgmRsrc::of(&CodeObject { isa: Gen::Gfx900, sgprs: 96, ..Default::default() }).sgprs(), 112);
    }
}
