//! COMPUTE_PGM_RSRC1, COMPUTE_PGM_RSRC2 and COMPUTE_TMPRING_SIZE: how a code object's needs look in registers.
//! Where fields stand is [`crate::register`]'s; granules: LLVM AMDGPU user guide, "Code Object V3 Kernel Descriptor".

use crate::code::{CodeObject, FloatMode, SystemSgprs, WaveSize};
use crate::register::{BitField, mode, rsrc1, rsrc2, tmpring_size};
use wavepipe_isa::Gen;
use wavepipe_isa::generation::inherited;

/// What of these registers differs by generation.
#[derive(Clone, Copy, Debug)]
struct Layout {
    /// How RSRC1.SGPRS counts; none: every wave has all of them, and the field is zero.
    sgprs: Option<Sgprs>,
    /// Unit of RSRC2.LDS_SIZE, in bytes.
    lds_granule: u32,
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
    (Gen::Gfx600, Layout { sgprs: Some(Sgprs { special: 2, granule: 8 }), lds_granule: 256 }),
    (Gen::Gfx701, Layout { sgprs: Some(Sgprs { special: 4, granule: 8 }), lds_granule: 512 }),
    (Gen::Gfx900, Layout { sgprs: Some(Sgprs { special: 6, granule: 16 }), lds_granule: 512 }),
    (Gen::Gfx1010, Layout { sgprs: None, lds_granule: 512 }),
];

fn layout(isa: Gen) -> Layout {
    inherited(LAYOUTS, isa).expect("a column from the first generation on")
}

/// SGPRs of one granule of RSRC1.SGPRS.
const SGPR_UNIT: u32 = 8;
/// SGPRs that every gfx10 wave has: s0..s105 and VCC, allocated whatever RSRC1.SGPRS says.
const ALL_SGPRS: u32 = 108;
const NUMBERED_SGPRS: u32 = 106;

/// Unit of RSRC2.LDS_SIZE, in bytes: LDS is allocated in such blocks.
pub fn lds_granule_bytes(isa: Gen) -> u32 {
    layout(isa).lds_granule
}

/// Unit of COMPUTE_TMPRING_SIZE.WAVESIZE: 256 dwords.
pub const TMPRING_WAVESIZE_BYTES: u32 = 1024;

/// Fields of RSRC1 that MODE starts with, and theirs there. FLOAT_MODE holds two of them.
const MODES: [(BitField, BitField); 3] =
    [(rsrc1::DX10_CLAMP, mode::DX10_CLAMP), (rsrc1::IEEE_MODE, mode::IEEE), (rsrc1::FP16_OVFL, mode::FP16_OVFL)];

/// Register images of a program's resources.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct PgmRsrc {
    /// Whose registers they are.
    pub isa: Gen,
    /// Fields of [`rsrc1`].
    pub rsrc1: u32,
    /// Fields of [`rsrc2`].
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
        let (isa, mode, s, layout) = (code.isa, code.mode.0, code.system, layout(code.isa));
        let user: u32 = code.user_data.iter().map(|u| u.dwords()).sum();
        let sgprs = |file: Sgprs| (code.sgprs + file.special).next_multiple_of(file.granule) / SGPR_UNIT - 1;
        let image = |fields: &[(BitField, u32)]| fields.iter().fold(0, |image, (f, value)| image | f.put(isa, *value));
        let modes = MODES.map(|(to, from)| (to, from.get(isa, mode)));
        let floats = mode::FP_ROUND.mask(isa) | mode::FP_DENORM.mask(isa);
        PgmRsrc {
            isa,
            rsrc1: image(&modes)
                | image(&[
                    (rsrc1::VGPRS, (code.vgprs.max(1) - 1) / vgpr_granule(code.wave)),
                    (rsrc1::SGPRS, layout.sgprs.map_or(0, sgprs)),
                    (rsrc1::FLOAT_MODE, mode & floats),
                    (rsrc1::WGP_MODE, 1),
                    (rsrc1::MEM_ORDERED, 1),
                    (rsrc1::FWD_PROGRESS, 1),
                ]),
            rsrc2: image(&[
                (rsrc2::SCRATCH_EN, s.scratch_wave_offset.into()),
                (rsrc2::USER_SGPR, user),
                (rsrc2::TGID_X_EN, s.tgid_x.into()),
                (rsrc2::TGID_Y_EN, s.tgid_y.into()),
                (rsrc2::TGID_Z_EN, s.tgid_z.into()),
                (rsrc2::TG_SIZE_EN, s.tg_size.into()),
                (rsrc2::TIDIG_COMP_CNT, code.tidig_comp_cnt),
                (rsrc2::LDS_SIZE, code.lds_bytes.div_ceil(layout.lds_granule)),
            ]),
        }
    }

    fn first(self, field: BitField) -> u32 {
        field.get(self.isa, self.rsrc1)
    }

    fn second(self, field: BitField) -> u32 {
        field.get(self.isa, self.rsrc2)
    }

    /// VGPRs allocated to a wave: the count asked for, rounded up to the granule.
    pub fn vgprs(self, wave: WaveSize) -> u32 {
        (self.first(rsrc1::VGPRS) + 1) * vgpr_granule(wave)
    }

    /// SGPRs allocated to a wave, VCC and what else is named apart among them.
    pub fn sgprs(self) -> u32 {
        let counted = |file: Sgprs| ((self.first(rsrc1::SGPRS) + 1) * SGPR_UNIT).next_multiple_of(file.granule);
        layout(self.isa).sgprs.map_or(ALL_SGPRS, counted)
    }

    /// Those of them that a program names by numbers.
    pub fn numbered_sgprs(self) -> u32 {
        let special = layout(self.isa).sgprs.map_or(ALL_SGPRS - NUMBERED_SGPRS, |file| file.special);
        self.sgprs() - special
    }

    pub fn mode(self) -> FloatMode {
        let floats = self.first(rsrc1::FLOAT_MODE);
        FloatMode(MODES.iter().fold(floats, |mode, (from, to)| mode | to.put(self.isa, self.first(*from))))
    }

    /// Whether a work-group may spread over both compute units of a work-group processor.
    pub fn wgp_mode(self) -> bool {
        self.first(rsrc1::WGP_MODE) != 0
    }

    /// As it is, in WGP mode or not.
    pub fn with_wgp_mode(self, on: bool) -> PgmRsrc {
        PgmRsrc { rsrc1: rsrc1::WGP_MODE.set(self.isa, self.rsrc1, on.into()), ..self }
    }

    pub fn scratch_en(self) -> bool {
        self.second(rsrc2::SCRATCH_EN) != 0
    }

    pub fn user_sgprs(self) -> u32 {
        self.second(rsrc2::USER_SGPR)
    }

    /// As it is, with so many user SGPRs.
    pub fn with_user_sgprs(self, count: u32) -> PgmRsrc {
        PgmRsrc { rsrc2: rsrc2::USER_SGPR.set(self.isa, self.rsrc2, count), ..self }
    }

    pub fn system(self) -> SystemSgprs {
        let on = |field| self.second(field) != 0;
        SystemSgprs {
            tgid_x: on(rsrc2::TGID_X_EN),
            tgid_y: on(rsrc2::TGID_Y_EN),
            tgid_z: on(rsrc2::TGID_Z_EN),
            tg_size: on(rsrc2::TG_SIZE_EN),
            scratch_wave_offset: self.scratch_en(),
        }
    }

    pub fn tidig_comp_cnt(self) -> u32 {
        self.second(rsrc2::TIDIG_COMP_CNT)
    }

    /// LDS bytes allocated to a work-group.
    pub fn lds_bytes(self) -> u32 {
        self.second(rsrc2::LDS_SIZE) * layout(self.isa).lds_granule
    }

    /// As it is, with `bytes` of LDS; `None`: more than the field counts.
    pub fn with_lds_bytes(self, bytes: u32) -> Option<PgmRsrc> {
        let with = PgmRsrc {
            rsrc2: rsrc2::LDS_SIZE.set(self.isa, self.rsrc2, bytes.div_ceil(layout(self.isa).lds_granule)),
            ..self
        };
        (with.lds_bytes() >= bytes).then_some(with)
    }
}

impl CodeObject {
    /// Scratch bytes of one wave, in whole units of COMPUTE_TMPRING_SIZE.WAVESIZE.
    pub fn scratch_bytes_per_wave(&self) -> u32 {
        (self.scratch_bytes * self.wave.lanes()).next_multiple_of(TMPRING_WAVESIZE_BYTES)
    }

    /// COMPUTE_TMPRING_SIZE for a ring that holds `waves` waves at once; zero without scratch.
    pub fn tmpring_size(&self, waves: u32) -> u32 {
        match self.scratch_bytes {
            0 => 0,
            _ => tmpring(self.isa, waves, self.scratch_bytes_per_wave()),
        }
    }
}

/// COMPUTE_TMPRING_SIZE of a ring that holds `waves` waves, or as many as the field can say, with whole units of bytes for each.
pub fn tmpring(isa: Gen, waves: u32, wave_bytes: u32) -> u32 {
    let most = tmpring_size::WAVES.get(isa, u32::MAX);
    let units = wave_bytes / TMPRING_WAVESIZE_BYTES;
    tmpring_size::WAVES.put(isa, waves.min(most)) | tmpring_size::WAVESIZE.put(isa, units)
}

/// The most bytes of a wave that COMPUTE_TMPRING_SIZE can say.
pub fn most_wave_bytes(isa: Gen) -> u64 {
    u64::from(tmpring_size::WAVESIZE.get(isa, u32::MAX)) * u64::from(TMPRING_WAVESIZE_BYTES)
}

/// COMPUTE_TMPRING_SIZE taken apart: (waves that the ring holds, bytes of each).
pub fn tmpring_fields(isa: Gen, value: u32) -> (u32, u32) {
    (tmpring_size::WAVES.get(isa, value), tmpring_size::WAVESIZE.get(isa, value) * TMPRING_WAVESIZE_BYTES)
}
