//! What GCN's functions are made of.

use wavepipe_isa::Gen;

pub fn is(isa: Gen) -> bool {
    !isa.caps().wave32
}

pub fn templates(isa: Gen) -> Vec<&'static str> {
    let own: &[&[&str]] = match isa {
        Gen::Gfx600 => &[EARLY],
        Gen::Gfx701 => &[EARLY, FLAT],
        _ => &[FLAT, VEGA],
    };
    [ALL].iter().chain(own).flat_map(|t| t.iter().copied()).collect()
}

const ALL: &[&str] = &[
    "{v} = BUFFER_LOAD_DWORD_OFFEN {v}, {q}, {a}, {n}, 0, 0, implicit $exec",
    "BUFFER_STORE_DWORD_OFFEN {v}, {v}, {q}, {a}, {n}, 0, 0, implicit $exec",
    "BUFFER_STORE_DWORDX2_OFFEN {V}, {v}, {q}, {a}, {n}, 0, 0, implicit $exec",
    "BUFFER_STORE_DWORDX4_OFFEN {W}, {v}, {q}, {a}, {n}, 0, 0, implicit $exec",
    "BUFFER_STORE_FORMAT_XYZW_OFFSET {W}, {q}, 0, {n}, 0, 0, implicit $exec",
    "TBUFFER_STORE_FORMAT_XYZW_OFFSET {W}, {q}, 0, {n}, 125, 0, 0, implicit $exec",
    "BUFFER_ATOMIC_CMPSWAP_X2_OFFEN {W}, {v}, {q}, 0, {n}, 0, implicit $exec",
    "IMAGE_STORE_V4_V2 {W}, {V}, {o}, 15, 1, 0, 0, 0, 0, 0, 0, implicit $exec :: (store (s128), addrspace 8)",
    "{v} = IMAGE_LOAD_V1_V2 {V}, {o}, 1, 1, 0, 0, 0, 0, 0, 0, implicit $exec :: (load (s32), addrspace 8)",
    "{s} = S_LOAD_DWORD_IMM {p}, 0, 0",
    "{p} = S_LOAD_DWORDX2_IMM {p}, 0, 0",
    "{s} = S_BUFFER_LOAD_DWORD_IMM {q}, 0, 0",
    "{s} = S_BUFFER_LOAD_DWORD_SGPR {q}, {s}, 0",
    "S_DCACHE_INV",
    "{s} = S_MOV_B32 0",
    "{p} = S_MOV_B64 0",
    "{exec} = S_MOV_B64 -1",
    "{vcc} = S_MOV_B64 0",
    "$m0 = S_MOV_B32 {s}",
    "$m0 = S_ADD_U32 {s}, 1, implicit-def $scc",
    "{m} = S_AND_SAVEEXEC_B64 {m}, implicit-def $exec, implicit-def $scc, implicit $exec",
    "{s} = S_ADD_U32 {s}, {s}, implicit-def $scc",
    "S_CMP_EQ_U32 {s}, 0, implicit-def $scc",
    "S_SETREG_IMM32_B32 3, 2177, implicit-def $mode, implicit $mode",
    "S_SETREG_B32 {s}, 2053, implicit-def $mode, implicit $mode",
    "{s} = S_GETREG_B32 2177, implicit $mode",
    "{s} = S_GETREG_B32 2053, implicit $mode",
    "S_NOP 0",
    "S_NOP 1",
    "S_NOP 3",
    "S_WAITCNT 0",
    "S_SENDMSG 1, implicit $exec, implicit $m0",
    "S_TTRACEDATA implicit $m0",
    "{s} = S_MOVRELS_B32 {s}, implicit $m0",
    "{v} = V_MOV_B32_e32 {v}, implicit $exec",
    "{v} = V_MOV_B32_e32 {s}, implicit $exec",
    "V_NOP_e32 implicit $exec",
    "{s} = V_READFIRSTLANE_B32 {v}, implicit $exec",
    "{s} = V_READLANE_B32 {v}, 3",
    "{s} = V_READLANE_B32 {v}, {s}",
    "{d} = V_WRITELANE_B32 {s}, 3, {d}",
    "{d} = V_WRITELANE_B32 1, {s}, {d}",
    "V_CMP_EQ_U32_e32 {v}, {v}, implicit-def $vcc, implicit $exec",
    "{m} = V_CMP_EQ_U32_e64 {v}, {v}, implicit $exec",
    "V_CMPX_EQ_U32_e32 {v}, {v}, implicit-def $exec, implicit-def $vcc, implicit $exec",
    "{m} = V_CMPX_LT_F32_e64 0, {v}, 0, {v}, 0, implicit-def $exec, implicit $mode, implicit $exec",
    "{v}, {m} = V_ADD_CO_U32_e64 {v}, {v}, 0, implicit $exec",
    "{v}, $vcc = V_DIV_SCALE_F32_e64 0, {d}, 0, {d}, 0, {v}, 0, 0, implicit $mode, implicit $exec",
    "{v} = V_DIV_FMAS_F32_e64 0, {v}, 0, {v}, 0, {v}, 0, 0, implicit $mode, implicit $vcc, implicit $exec",
    "{V} = V_DIV_FMAS_F64_e64 0, {V}, 0, {V}, 0, {V}, 0, 0, implicit $mode, implicit $vcc, implicit $exec",
];

/// LDS and 64-bit shifts as they were before GCN 5.
const EARLY: &[&str] = &[
    "{V} = V_LSHL_B64_e64 {V}, {v}, implicit $exec",
    "{v} = DS_READ_B32 {v}, 0, 0, implicit $m0, implicit $exec",
    "DS_ADD_U32 {v}, {v}, 0, 1, implicit $m0, implicit $exec",
];

const FLAT: &[&str] = &[
    "{v} = FLAT_LOAD_DWORD {V}, 0, 0, implicit $exec, implicit $flat_scr",
    "FLAT_STORE_DWORDX2 {V}, {V}, 0, 0, implicit $exec, implicit $flat_scr",
    "FLAT_STORE_DWORDX4 {V}, {W}, 0, 0, implicit $exec, implicit $flat_scr",
    "FLAT_ATOMIC_CMPSWAP_X2 {V}, {W}, 0, 0, implicit $exec, implicit $flat_scr",
    "$flat_scr_lo = V_READFIRSTLANE_B32 {v}, implicit $exec",
];

const VEGA: &[&str] = &[
    "{v} = DS_READ_B32_gfx9 {v}, 0, 0, implicit $exec",
    "DS_ADD_U32_gfx9 {v}, {v}, 0, 1, implicit $exec",
    "{v} = DS_READ_ADDTID_B32 0, 0, implicit $m0, implicit $exec",
    "{v} = GLOBAL_LOAD_DWORD_SADDR {p}, {v}, 0, 0, implicit $exec",
    "GLOBAL_STORE_DWORDX4 {V}, {W}, 0, 0, implicit $exec",
    "GLOBAL_STORE_DWORDX4_SADDR {v}, {W}, {p}, 0, 0, implicit $exec",
    "{v} = SCRATCH_LOAD_DWORD_SADDR {s}, 0, 0, implicit $exec, implicit $flat_scr",
    "BUFFER_LOAD_DWORD_LDS_OFFEN {v}, {q}, {a}, {n}, 0, 0, implicit $exec, implicit $m0",
    "{v} = V_MOV_B32_e32 $lds_direct, implicit $exec, implicit $m0",
    "{d} = V_MOV_B32_dpp {d}, {v}, 273, 15, 15, 0, implicit $exec",
    "{d} = V_ADD_F32_dpp {d}, 0, {v}, 0, {v}, 273, 15, 15, 0, implicit $mode, implicit $exec",
];
