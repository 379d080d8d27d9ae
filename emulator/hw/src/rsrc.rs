//! COMPUTE_PGM_RSRC1, COMPUTE_PGM_RSRC2 and COMPUTE_TMPRING_SIZE: how a code object's needs look in registers.
//! Field positions: gfx10 register headers; granules: LLVM AMDGPU user guide, "Code Object V3 Kernel Descriptor".

use crate::code::{CodeObject, FloatMode, SystemSgprs, WaveSize};

/// SGPRs that every gfx10 wave has: s0..s105 and VCC, allocated whatever RSRC1.SGPRS says.
pub const SGPRS_PER_WAVE: u32 = 108;
/// LDS is allocated in blocks of 128 dwords.
pub const LDS_GRANULE_BYTES: u32 = 512;
/// Unit of COMPUTE_TMPRING_SIZE.WAVESIZE: 256 dwords.
pub const TMPRING_WAVESIZE_BYTES: u32 = 1024;

const WGP_MODE: u32 = 1 << 29;
const MEM_ORDERED: u32 = 1 << 30;
const FWD_PROGRESS: u32 = 1 << 31;

/// Register images of a program's resources.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct PgmRsrc {
    /// [5:0] VGPR granules − 1, [19:12] FLOAT_MODE, [21] DX10_CLAMP, [23] IEEE_MODE, [29] WGP_MODE,
    /// [30] MEM_ORDERED, [31] FWD_PROGRESS.
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
    /// The images for `code`, in WGP mode.
    pub fn of(code: &CodeObject) -> PgmRsrc {
        let (mode, s) = (code.mode.0, code.system);
        let user: u32 = code.user_data.iter().map(|u| u.dwords()).sum();
        PgmRsrc {
            rsrc1: (code.vgprs.max(1) - 1) / vgpr_granule(code.wave) & 0x3f
                | (mode & 0xff) << 12
                | (mode >> 8 & 1) << 21
                | (mode >> 9 & 1) << 23
                | WGP_MODE
                | MEM_ORDERED
                | FWD_PROGRESS,
            rsrc2: u32::from(s.scratch_wave_offset)
                | (user & 0x1f) << 1
                | u32::from(s.tgid_x) << 7
                | u32::from(s.tgid_y) << 8
                | u32::from(s.tgid_z) << 9
                | u32::from(s.tg_size) << 10
                | (code.tidig_comp_cnt & 3) << 11
                | (code.lds_bytes.div_ceil(LDS_GRANULE_BYTES) & 0x1ff) << 15,
        }
    }

    /// VGPRs allocated to a wave: the count asked for, rounded up to the granule.
    pub fn vgprs(self, wave: WaveSize) -> u32 {
        ((self.rsrc1 & 0x3f) + 1) * vgpr_granule(wave)
    }

    pub fn mode(self) -> FloatMode {
        FloatMode(self.rsrc1 >> 12 & 0xff | (self.rsrc1 >> 21 & 1) << 8 | (self.rsrc1 >> 23 & 1) << 9)
    }

    /// Whether a work-group may spread over both compute units of a work-group processor.
    pub fn wgp_mode(self) -> bool {
        self.rsrc1 & WGP_MODE != 0
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
        (self.rsrc2 >> 15 & 0x1ff) * LDS_GRANULE_BYTES
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
}
