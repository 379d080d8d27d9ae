//! What GCN refuses, each line for one reason, beside a line that differs by that alone and is taken. LLVM refuses and takes the
//! same lines where it is there.

use crate::common;
use std::io::Write;
use std::process::{Command, Stdio};

use wavepipe_isa::{Gen, asm, encode};

/// Generation, what it refuses, what it takes.
const LINES: &[(Gen, &str, &str)] = &[
    // A lane mask has 64 bits, from an even register on.
    (Gen::Gfx900, "v_cmp_lt_f32_e64 s[3:4], v0, v1", "v_cmp_lt_f32_e64 s[4:5], v0, v1"),
    (Gen::Gfx900, "v_cmp_lt_f32_sdwa s[3:4], v0, v1", "v_cmp_lt_f32_sdwa s[4:5], v0, v1"),
    // One scalar value, and M0 is one where it is read beside the operands; a lane that M0 names is none.
    (Gen::Gfx900, "v_add_f32_e64 v0, s0, s1", "v_add_f32_e64 v0, s0, s0"),
    (Gen::Gfx900, "v_add_f32_sdwa v0, s0, s1", "v_add_f32_sdwa v0, s0, v1"),
    (Gen::Gfx900, "v_madak_f32 v0, s0, v1, 0x12345678", "v_madak_f32 v0, 0x12345678, v1, 0x12345678"),
    (Gen::Gfx900, "v_cndmask_b32_e64 v0, s0, v1, s[0:1]", "v_cndmask_b32_e64 v0, v0, v1, s[0:1]"),
    (Gen::Gfx900, "v_writelane_b32 v0, s0, s1", "v_writelane_b32 v0, s0, m0"),
    (Gen::Gfx600, "v_movreld_b32_e32 v0, s0", "v_movreld_b32_e32 v0, v1"),
    (Gen::Gfx701, "v_writelane_b32 v0, s0, s1", "v_writelane_b32 v0, s0, m0"),
    // No literal in VOP3, no NULL, no 1/(2π) before GCN 3.
    (Gen::Gfx900, "v_add_f32_e64 v0, 0x12345678, v1", "v_add_f32_e32 v0, 0x12345678, v1"),
    (Gen::Gfx900, "s_load_dword s0, s[2:3], null", "s_load_dword s0, s[2:3], 0x0"),
    (Gen::Gfx900, "s_mov_b32 null, s0", "s_mov_b32 s1, s0"),
    (Gen::Gfx600, "s_bitcmp1_b64 0.15915494309189532, s9", "s_bitcmp1_b64 0.5, s9"),
    (Gen::Gfx600, "v_add_f32_e64 v0, 0.15915494, v1", "v_add_f32_e32 v0, 0.15915494, v1"),
    // Forms that the row has elsewhere.
    (Gen::Gfx900, "v_cvt_pkrtz_f16_f32_e32 v0, v1, v2", "v_cvt_pkrtz_f16_f32_e64 v0, v1, v2"),
    (Gen::Gfx900, "v_mac_f32_sdwa v0, v1, v2", "v_add_f32_sdwa v0, v1, v2"),
    (Gen::Gfx900, "v_add_u16_dpp v0, sext(v1), v2 row_mirror", "v_add_u16_dpp v0, v1, v2 row_mirror"),
    (Gen::Gfx900, "v_mov_b32_dpp v0, v1 row_share:1", "v_mov_b32_dpp v0, v1 row_bcast:15"),
    (Gen::Gfx900, "v_mad_legacy_f16 v0, v1, v2, v3 op_sel:[1,0,0,0]", "v_mad_f16 v0, v1, v2, v3 op_sel:[1,0,0,0]"),
    (Gen::Gfx701, "v_mul_i32_i24_e64 v0, v1, v2 clamp", "v_mul_f32_e64 v0, v1, v2 clamp"),
    (Gen::Gfx900, "v_bfm_b32_e32 v0, v1, v2", "v_bfm_b32_e64 v0, v1, v2"),
    // LDS direct is a first source of 32 bits.
    (Gen::Gfx900, "v_add_f32_e64 v0, v1, src_lds_direct", "v_add_f32_e64 v0, src_lds_direct, v1"),
    (Gen::Gfx900, "v_subrev_f32_e32 v0, src_lds_direct, v1", "v_sub_f32_e32 v0, src_lds_direct, v1"),
    (Gen::Gfx701, "v_cmp_lt_f64_e32 vcc, src_lds_direct, v[0:1]", "v_cmp_lt_f32_e32 vcc, src_lds_direct, v0"),
    (Gen::Gfx900, "s_max_i32 s0, src_lds_direct, s1", "s_max_i32 s0, src_scc, s1"),
    // Forks know registers, and constants as lane masks.
    (Gen::Gfx900, "s_cbranch_join 59", "s_cbranch_join s59"),
    (Gen::Gfx600, "s_cbranch_g_fork s[0:1], 0x12345678", "s_cbranch_g_fork s[0:1], -1"),
    // Addresses and offsets.
    (Gen::Gfx900, "scratch_load_dword v0, off, off", "scratch_load_dword v0, v1, off"),
    (Gen::Gfx900, "global_load_dword v0, v[1:2], off offset:4096", "global_load_dword v0, v[1:2], off offset:4095"),
    (Gen::Gfx900, "flat_load_dword v0, v[1:2] offset:-1", "global_load_dword v0, v[1:2], off offset:-4096"),
    (Gen::Gfx900, "buffer_load_dword v0, v[1:2], s[4:7], s0 addr64", "buffer_load_dword v0, v1, s[4:7], s0 offen"),
    (Gen::Gfx701, "flat_load_dword v0, v[1:2] offset:1", "flat_load_dword v0, v[1:2] glc"),
    (Gen::Gfx600, "s_load_dword s0, s[2:3], 0x100", "s_load_dword s0, s[2:3], 0xff"),
    (Gen::Gfx701, "s_load_dword s0, s[2:3], s4 offset:0x0", "s_load_dword s0, s[2:3], s4"),
    (Gen::Gfx701, "s_load_dword s0, s[2:3], 0x100000000", "s_load_dword s0, s[2:3], 0x100"),
    // Images have no DIM, and at least the addresses that the mnemonic names.
    (Gen::Gfx900, "image_sample_c_d v0, v[0:1], s[0:7], s[8:11]", "image_sample_c_d v0, v[0:2], s[0:7], s[8:11]"),
    (Gen::Gfx900, "image_load v0, v1, s[0:7] dim:SQ_RSRC_IMG_1D", "image_load v0, v1, s[0:7] da"),
    (
        Gen::Gfx900,
        "image_gather4 v[0:3], v0, s[0:7], s[8:11] dmask:0x3",
        "image_gather4 v[0:3], v0, s[0:7], s[8:11] dmask:0x4",
    ),
    (Gen::Gfx701, "s_load_dwordx8 ttmp[8:15], s[2:3], s0", "s_load_dwordx8 ttmp[4:11], s[2:3], s0"),
    (
        Gen::Gfx600,
        "buffer_load_dword v0, v[1:2], s[4:7], s0 offen addr64",
        "buffer_load_dword v0, v[1:2], s[4:7], s0 addr64",
    ),
    (Gen::Gfx701, "v_interp_p1_f32 v0, v1, attr33.x", "v_interp_p1_f32 v0, v1, attr32.x"),
    // Waits, messages, formats.
    (Gen::Gfx900, "s_waitcnt lgkmcnt(16)", "s_waitcnt lgkmcnt(15)"),
    (Gen::Gfx701, "s_waitcnt vmcnt(16)", "s_waitcnt vmcnt(15)"),
    (
        Gen::Gfx900,
        "s_sendmsg sendmsg(MSG_SYSMSG, SYSMSG_OP_HOST_TRAP_ACK)",
        "s_sendmsg sendmsg(MSG_SYSMSG, SYSMSG_OP_TTRACE_PC)",
    ),
    (Gen::Gfx900, "exp pos4 v0, v0, v0, v0", "exp pos3 v0, v0, v0, v0"),
    (
        Gen::Gfx900,
        "tbuffer_load_format_x v0, off, s[4:7], 0 format:[BUF_NUM_FORMAT_SNORM_OGL]",
        "tbuffer_load_format_x v0, off, s[4:7], 0 format:[BUF_NUM_FORMAT_FLOAT,BUF_DATA_FORMAT_32]",
    ),
];

fn assembles(line: &str, generation: Gen) -> Result<Vec<u32>, String> {
    let instr = asm::parse_line(line, generation, 64).map_err(|e| e.what)?;
    let mut words = Vec::new();
    encode::encode(&instr, generation, &mut words).map(|()| words).map_err(|e| e.to_string())
}

/// Whether llvm-mc takes a line without a word.
fn llvm_takes(tool: &str, line: &str, generation: Gen) -> bool {
    let mut child = Command::new(tool)
        .args(["-triple=amdgcn", &format!("-mcpu={}", generation.name()), "-show-encoding"])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("llvm-mc starts");
    writeln!(child.stdin.take().expect("piped"), "{line}").expect("llvm-mc reads");
    child.wait_with_output().expect("llvm-mc ends").stderr.is_empty()
}

#[test]
fn llvm_agrees() {
    let Some(tool) = common::llvm::llvm_mc() else { return };
    for &(generation, refused, taken) in LINES {
        let name = generation.name();
        assert!(!llvm_takes(&tool, refused, generation), "llvm-mc takes {refused} on {name}");
        assert!(llvm_takes(&tool, taken, generation), "llvm-mc refuses {taken} on {name}");
    }
}

#[test]
fn refuses_what_it_lacks() {
    for &(generation, refused, taken) in LINES {
        let name = generation.name();
        if let Ok(words) = assembles(refused, generation) {
            panic!("{name} takes {refused} as {words:08x?}");
        }
        if let Err(what) = assembles(taken, generation) {
            panic!("{name} refuses {taken}: {what}");
        }
    }
}
