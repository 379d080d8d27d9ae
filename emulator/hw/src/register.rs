//! Registers as fields: those of a wave that S_GETREG and S_SETREG know, and those of a dispatch, with where each field stands by
//! generation. What a generation lacks reads as zero there, and is not written.
//!
//! Source: the register database (SQ_WAVE_*, COMPUTE_*), against which a test holds every row; the database has no SH_MEM_BASES
//! of a wave, whose halves are Linux's.

use wavepipe_isa::Gen;
use wavepipe_isa::generation::inherited;

/// Lowest bit and number of bits; none where there is no such field.
type Bits = Option<(u8, u8)>;

/// A field of a register.
#[derive(Clone, Copy, Debug)]
pub struct BitField {
    pub name: &'static str,
    column: &'static [(Gen, Bits)],
}

impl BitField {
    /// Where a generation has it: lowest bit, number of bits.
    pub const fn bits(self, isa: Gen) -> Bits {
        match inherited(self.column, isa) {
            Some(bits) => bits,
            None => None,
        }
    }

    pub const fn is_of(self, isa: Gen) -> bool {
        self.bits(isa).is_some()
    }

    /// Its bits, all set.
    pub const fn mask(self, isa: Gen) -> u32 {
        match self.bits(isa) {
            Some((low, bits)) => (u32::MAX >> (32 - bits as u32)) << low,
            None => 0,
        }
    }

    pub const fn get(self, isa: Gen, register: u32) -> u32 {
        match self.bits(isa) {
            Some((low, _)) => (register & self.mask(isa)) >> low,
            None => 0,
        }
    }

    /// A register of this field alone; higher bits of `value` are dropped.
    pub const fn put(self, isa: Gen, value: u32) -> u32 {
        match self.bits(isa) {
            Some((low, _)) => value << low & self.mask(isa),
            None => 0,
        }
    }

    pub const fn set(self, isa: Gen, register: u32, value: u32) -> u32 {
        register & !self.mask(isa) | self.put(isa, value)
    }
}

/// All fields of a register that a generation has, as a mask.
pub fn mask(fields: &[BitField], isa: Gen) -> u32 {
    fields.iter().fold(0, |mask, field| mask | field.mask(isa))
}

macro_rules! bits {
    () => {
        None
    };
    ($low:literal $bits:literal) => {
        Some(($low, $bits))
    };
}

macro_rules! registers {
    ($($(#[$doc:meta])* $module:ident $register:literal {
        $($(#[$note:meta])* $field:ident: $($gen:ident $(($low:literal, $bits:literal))?),+;)+
    })+) => {
        $($(#[$doc])* pub mod $module {
            use crate::register::BitField;
            use wavepipe_isa::Gen;
            $($(#[$note])* pub const $field: BitField =
                BitField { name: stringify!($field), column: &[$((Gen::$gen, bits!($($low $bits)?))),+] };)+
            pub const ALL: &[BitField] = &[$($field),+];
        })+
        /// Every register here, by the database's name.
        pub const REGISTERS: &[(&str, &[BitField])] = &[$(($register, $module::ALL)),+];
    };
}

registers! {
    mode "SQ_WAVE_MODE" {
        FP_ROUND: Gfx600 (0, 4);
        FP_DENORM: Gfx600 (4, 4);
        DX10_CLAMP: Gfx600 (8, 1), Gfx1201;
        IEEE: Gfx600 (9, 1), Gfx1201;
        LOD_CLAMPED: Gfx600 (10, 1), Gfx1201;
        DEBUG_EN: Gfx600 (11, 1), Gfx1010;
        TRAP_AFTER_INST_EN: Gfx1100 (11, 1), Gfx1201;
        EXCP_EN: Gfx600 (12, 7), Gfx701 (12, 9), Gfx1201;
        WAVE_END: Gfx1100 (21, 1), Gfx1201;
        FP16_OVFL: Gfx900 (23, 1);
        POPS_PACKER0: Gfx900 (24, 1), Gfx1010;
        SCALAR_PREFETCH_EN: Gfx1201 (24, 1);
        POPS_PACKER1: Gfx900 (25, 1), Gfx1010;
        DISABLE_PERF: Gfx900 (26, 1), Gfx1010 (27, 1);
        GPR_IDX_EN: Gfx900 (27, 1), Gfx1010;
        VSKIP: Gfx600 (28, 1), Gfx1030;
        CSP: Gfx600 (29, 3), Gfx1030;
    }
    status "SQ_WAVE_STATUS" {
        SCC: Gfx600 (0, 1), Gfx1201;
        SPI_PRIO: Gfx600 (1, 2), Gfx1201;
        /// The database has it as WAVE_PRIO until gfx9.
        USER_PRIO: Gfx600 (3, 2), Gfx1201;
        PRIV: Gfx600 (5, 1);
        TRAP_EN: Gfx600 (6, 1);
        EXPORT_RDY: Gfx600 (8, 1);
        EXECZ: Gfx600 (9, 1);
        VCCZ: Gfx600 (10, 1);
        /// IN_WG of gfx12.
        IN_TG: Gfx600 (11, 1);
        IN_BARRIER: Gfx600 (12, 1), Gfx1201;
        HALT: Gfx600 (13, 1), Gfx1201;
        TRAP: Gfx600 (14, 1);
        VALID: Gfx600 (16, 1);
        COND_DBG_USER: Gfx600 (20, 1), Gfx1010;
        COND_DBG_SYS: Gfx600 (21, 1), Gfx1010;
        FATAL_HALT: Gfx900 (23, 1);
        SCRATCH_EN: Gfx1100 (29, 1), Gfx1201;
        WAVE64: Gfx1201 (29, 1);
    }
    state_priv "SQ_WAVE_STATE_PRIV" {
        SCC: Gfx1201 (9, 1);
        USER_PRIO: Gfx1201 (12, 2);
        HALT: Gfx1201 (14, 1);
        SCRATCH_EN: Gfx1201 (18, 1);
    }
    trapsts "SQ_WAVE_TRAPSTS" {
        EXCP: Gfx600 (0, 7), Gfx701 (0, 9), Gfx1201;
        SAVECTX: Gfx900 (10, 1), Gfx1201;
        ILLEGAL_INST: Gfx900 (11, 1), Gfx1201;
        EXCP_HI: Gfx900 (12, 3), Gfx1201;
        BUFFER_OOB: Gfx1010 (15, 1), Gfx1201;
        EXCP_CYCLE: Gfx600 (16, 6), Gfx1010 (16, 4), Gfx1100;
        HOST_TRAP: Gfx1100 (16, 1), Gfx1201;
        WAVESTART: Gfx1100 (17, 1), Gfx1201;
        WAVE_END: Gfx1100 (18, 1), Gfx1201;
        PERF_SNAPSHOT: Gfx1100 (19, 1), Gfx1201;
        EXCP_GROUP_MASK: Gfx1010 (20, 4), Gfx1100;
        TRAP_AFTER_INST: Gfx1100 (20, 1), Gfx1201;
        EXCP_WAVE64HI: Gfx1010 (24, 1), Gfx1100;
        XNACK_ERROR: Gfx900 (28, 1), Gfx1030;
        UTC_ERROR: Gfx1030 (28, 1), Gfx1201;
        DP_RATE: Gfx600 (29, 3), Gfx1100;
    }
    hw_id "SQ_WAVE_HW_ID" {
        WAVE_ID: Gfx600 (0, 4), Gfx1010;
        SIMD_ID: Gfx600 (4, 2), Gfx1010;
        PIPE_ID: Gfx600 (6, 2), Gfx1010;
        CU_ID: Gfx600 (8, 4), Gfx1010;
        SH_ID: Gfx600 (12, 1), Gfx1010;
        SE_ID: Gfx600 (13, 1), Gfx701 (13, 2), Gfx1010;
        TG_ID: Gfx600 (16, 4), Gfx1010;
        VM_ID: Gfx600 (20, 4), Gfx1010;
        QUEUE_ID: Gfx600 (24, 3), Gfx1010;
        STATE_ID: Gfx600 (27, 3), Gfx1010;
        ME_ID: Gfx600 (30, 2), Gfx1010;
    }
    hw_id1 "SQ_WAVE_HW_ID1" {
        WAVE_ID: Gfx1010 (0, 5);
        SIMD_ID: Gfx1010 (8, 2);
        WGP_ID: Gfx1010 (10, 4);
        SA_ID: Gfx1010 (16, 1);
        SE_ID: Gfx1010 (18, 2), Gfx1100 (18, 3);
        DP_RATE: Gfx1100 (29, 3);
    }
    hw_id2 "SQ_WAVE_HW_ID2" {
        QUEUE_ID: Gfx1010 (0, 4);
        PIPE_ID: Gfx1010 (4, 2);
        ME_ID: Gfx1010 (8, 2);
        STATE_ID: Gfx1010 (12, 3);
        WG_ID: Gfx1010 (16, 5);
        VM_ID: Gfx1010 (24, 4);
        COMPAT_LEVEL: Gfx1010 (29, 2), Gfx1030;
    }
    gpr_alloc "SQ_WAVE_GPR_ALLOC" {
        VGPR_BASE: Gfx600 (0, 6), Gfx1010 (0, 8), Gfx1100 (0, 9);
        VGPR_SIZE: Gfx600 (8, 6), Gfx1010 (8, 8), Gfx1100 (12, 8);
        SGPR_BASE: Gfx600 (16, 6), Gfx1010 (16, 8), Gfx1100;
        SGPR_SIZE: Gfx600 (24, 4), Gfx1100;
    }
    lds_alloc "SQ_WAVE_LDS_ALLOC" {
        LDS_BASE: Gfx600 (0, 8), Gfx1010 (0, 9), Gfx1201 (0, 8);
        LDS_SIZE: Gfx600 (12, 9);
        VGPR_SHARED_SIZE: Gfx1010 (24, 4);
    }
    shader_cycles "SQ_WAVE_SHADER_CYCLES" {
        CYCLES: Gfx1030 (0, 20), Gfx1201;
    }
    sh_mem_bases "SH_MEM_BASES" {
        PRIVATE_BASE: Gfx900 (0, 16);
        SHARED_BASE: Gfx900 (16, 16);
    }
    rsrc1 "COMPUTE_PGM_RSRC1" {
        VGPRS: Gfx600 (0, 6);
        /// Zero from gfx10 on, where every wave has all.
        SGPRS: Gfx600 (6, 4);
        PRIORITY: Gfx600 (10, 2);
        FLOAT_MODE: Gfx600 (12, 8);
        PRIV: Gfx600 (20, 1);
        DX10_CLAMP: Gfx600 (21, 1), Gfx1201;
        WG_RR_EN: Gfx1201 (21, 1);
        IEEE_MODE: Gfx600 (23, 1), Gfx1201;
        DISABLE_PERF: Gfx1201 (23, 1);
        FP16_OVFL: Gfx900 (26, 1);
        WGP_MODE: Gfx1010 (29, 1);
        MEM_ORDERED: Gfx1010 (30, 1);
        FWD_PROGRESS: Gfx1010 (31, 1);
    }
    rsrc2 "COMPUTE_PGM_RSRC2" {
        SCRATCH_EN: Gfx600 (0, 1);
        USER_SGPR: Gfx600 (1, 5);
        TRAP_PRESENT: Gfx600 (6, 1), Gfx1201;
        DYNAMIC_VGPR: Gfx1201 (6, 1);
        TGID_X_EN: Gfx600 (7, 1);
        TGID_Y_EN: Gfx600 (8, 1);
        TGID_Z_EN: Gfx600 (9, 1);
        TG_SIZE_EN: Gfx600 (10, 1);
        TIDIG_COMP_CNT: Gfx600 (11, 2);
        EXCP_EN_MSB: Gfx600 (13, 2);
        LDS_SIZE: Gfx600 (15, 9);
        EXCP_EN: Gfx600 (24, 7);
        SKIP_USGPR0: Gfx900 (31, 1), Gfx1010;
        WGP_TAKEOVER: Gfx1201 (31, 1);
    }
    rsrc3 "COMPUTE_PGM_RSRC3" {
        SHARED_VGPR_CNT: Gfx1010 (0, 4);
        INST_PREF_SIZE: Gfx1100 (4, 6), Gfx1201 (4, 8);
        TRAP_ON_START: Gfx1100 (10, 1), Gfx1201;
        TRAP_ON_END: Gfx1100 (11, 1), Gfx1201;
        GLG_EN: Gfx1201 (13, 1);
        IMAGE_OP: Gfx1100 (31, 1);
    }
    tmpring_size "COMPUTE_TMPRING_SIZE" {
        WAVES: Gfx600 (0, 12);
        WAVESIZE: Gfx600 (12, 13), Gfx1100 (12, 15), Gfx1201 (12, 18);
    }
    dispatch_initiator "COMPUTE_DISPATCH_INITIATOR" {
        COMPUTE_SHADER_EN: Gfx600 (0, 1);
        PARTIAL_TG_EN: Gfx600 (1, 1);
        FORCE_START_AT_000: Gfx600 (2, 1);
        ORDERED_APPEND_ENBL: Gfx600 (3, 1);
        ORDERED_APPEND_MODE: Gfx600 (4, 1);
        USE_THREAD_DIMENSIONS: Gfx600 (5, 1);
        ORDER_MODE: Gfx600 (6, 1);
        DISPATCH_CACHE_CNTL: Gfx600 (7, 3), Gfx900;
        SCALAR_L1_INV_VOL: Gfx600 (10, 1);
        VECTOR_L1_INV_VOL: Gfx600 (11, 1);
        DATA_ATC: Gfx600 (12, 1), Gfx900;
        TUNNEL_ENABLE: Gfx1010 (13, 1);
        RESTORE: Gfx600 (14, 1);
        CS_W32_EN: Gfx1010 (15, 1);
    }
}
