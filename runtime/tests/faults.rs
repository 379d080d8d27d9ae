//! What a fault report tells: one kernel in assembly for each kind, the report's text line by line; and the process
//! lives on.

use crate::host_time::PATIENCE;
use std::sync::Arc;
use std::time::Duration;
use wavepipe_hw::code::{CodeObject, LineRow, S_CODE_END, SystemSgprs};
use wavepipe_hw::fault::GpuFault;
use wavepipe_isa::{Gen, asm};
use wavepipe_runtime::*;

/// Stands for a dword that does not decode.
const BAD: &str = "s_nop 0x7777";

/// Two waves of 32 lanes, eight VGPRs, 64 private bytes a lane, 512 bytes of LDS.
fn kernel(name: &str, text: &str) -> CodeObject {
    let mut words = asm::assemble(text, Gen::Gfx1010, 32).unwrap_or_else(|e| panic!("{name}: {e}"));
    let bad = asm::assemble(BAD, Gen::Gfx1010, 32).unwrap()[0];
    words.iter_mut().filter(|w| **w == bad).for_each(|w| *w = !0);
    words.extend([S_CODE_END; 16]);
    CodeObject {
        name: name.into(),
        text: words.iter().flat_map(|w| w.to_le_bytes()).collect(),
        vgprs: 8,
        sgprs: 16,
        scratch_bytes: 64,
        lds_bytes: 512,
        workgroup: [64, 1, 1],
        system: SystemSgprs { tgid_x: true, scratch_wave_offset: true, ..Default::default() },
        ..Default::default()
    }
}

fn run(code: CodeObject) -> Result<()> {
    limited(PATIENCE, code)
}

fn limited(timeout: Duration, code: CodeObject) -> Result<()> {
    run_on(&Config { timeout: Some(timeout), ..Default::default() }, code)
}

fn run_on(config: &Config, code: CodeObject) -> Result<()> {
    let device = Device::new(config)?;
    let layout = PipelineLayout::new(vec![], 0)?;
    let pipeline = ComputePipeline::from_code_object(&device, code, &layout)?;
    let mut cb = CommandBuffer::new(&device);
    cb.begin();
    cb.bind_pipeline(&pipeline);
    cb.dispatch([1, 1, 1]);
    cb.end()?;
    let queue = device.queue(0, 0)?;
    queue.submit(&SubmitInfo { command_buffers: vec![cb.recording()?], ..Default::default() }, None)?;
    queue.wait_idle()
}

/// The report of a kernel that must fault.
fn fault(name: &str, text: &str) -> Arc<GpuFault> {
    lost(name, run(kernel(name, text)))
}

/// Gives the report of a kernel that must run for too long.
fn overdue(name: &str, text: &str) -> Arc<GpuFault> {
    lost(name, limited(Duration::from_millis(200), kernel(name, text)))
}

fn lost(name: &str, result: Result<()>) -> Arc<GpuFault> {
    match result {
        Err(Error::DeviceLost(fault)) => fault,
        other => panic!("{name}: {other:?}"),
    }
}

/// All of `parts` stand in the report, in this order.
#[track_caller]
fn tells(fault: &GpuFault, parts: &[&str]) {
    let text = fault.to_string();
    let mut rest = text.as_str();
    for part in parts {
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => panic!("`{part}` is not in its place in:\n{text}"),
        }
    }
}

#[test]
fn an_illegal_instruction() {
    let text = format!("s_mov_b32 m0, 7\nv_cmp_gt_u32 vcc_lo, 4, v0\n{BAD}\ns_endpgm");
    tells(
        &fault("illegal", &text),
        &[
            "kernel `illegal`: illegal instruction ffffffff",
            "work-group (0, 0, 0), wave 0, lane 0 (mask 0xffffffff)",
            "(+0x8): .long 0xffffffff",
            "exec 0xffffffff, vcc 0xf, scc 0, m0 0x7",
        ],
    );
    // A register that the wave has not is no register.
    tells(&fault("beyond", "v_mov_b32 v1, v200\ns_endpgm"), &["illegal instruction", "v_mov_b32_e32 v1, v200", "exec"]);
}

#[test]
fn a_wild_address_with_its_lanes_and_registers() {
    let text = "
        v_lshlrev_b32 v2, 4, v0
        v_mov_b32 v3, 0x7abc
        v_mov_b32 v5, 0x55
        v_cmp_lt_u32 vcc_lo, 9, v0
        s_mov_b32 exec_lo, vcc_lo
        s_cmp_eq_u32 0, 0
        global_store_dword v[2:3], v5, off
        s_endpgm";
    tells(
        &fault("wild", text),
        &[
            "kernel `wild`: write of 4 bytes at 0x7abc000000a0, which is in no allocation; nearest is `",
            "wave 0, lane 10 (mask 0xfffffc00)",
            "(+0x20): global_store_dword v[2:3], v5, off",
            "exec 0xfffffc00, vcc 0xfffffc00, scc 1, m0 0x0",
            "v2: lane 10 0xa0, lane 11 0xb0, lane 12 0xc0, lane 13 0xd0",
            "v3: lane 10 0x7abc, lane 11 0x7abc",
            "v5: lane 10 0x55",
        ],
    );
    tells(
        &fault("scalar", "s_mov_b32 s4, 0x1000\ns_mov_b32 s5, 3\ns_load_dwordx2 s[6:7], s[4:5], 0x10\ns_endpgm"),
        &["read of 8 bytes at 0x300001010", "s_load_dwordx2 s[6:7], s[4:5], 0x10", "s4 0x1000, s5 0x3, s6 0x0"],
    );
    tells(
        &fault("jump", "s_mov_b32 s4, 0x1000\ns_mov_b32 s5, 0\ns_setpc_b64 s[4:5]"),
        &["read of 4 bytes at 0x1000, which is in no allocation", "pc 0x1000"],
    );
}

#[test]
fn a_misaligned_atomic() {
    let text = "
        s_getpc_b64 s[4:5]
        v_mov_b32 v1, 2
        v_mov_b32 v2, 1
        global_atomic_add v3, v1, v2, s[4:5] glc
        s_endpgm";
    tells(
        &fault("misaligned", text),
        &[
            "is not 4-byte aligned",
            "global_atomic_add v3, v1, v2, s[4:5] glc",
            "s4 0x",
            "v1: lane 0 0x2",
            "v2: lane 0 0x1",
        ],
    );
}

#[test]
fn private_memory_has_an_end() {
    tells(
        &fault("private", "s_movk_i32 s4, 0x3d\nscratch_load_dword v1, off, s4\ns_endpgm"),
        &[
            "read of 4 bytes at 0x3d of private memory, of which a lane has 0x40",
            "scratch_load_dword v1, off, s4",
            "s4 0x3d",
        ],
    );
}

#[test]
fn lds_has_an_end() {
    let text = "
        v_lshlrev_b32 v1, 4, v0
        v_mov_b32 v2, 0x77
        ds_write_b32 v1, v2 offset:8
        s_endpgm";
    // 512 bytes: the lanes from the second wave's first on are beyond.
    tells(
        &fault("shared", text),
        &[
            "kernel `shared`: ",
            "0x208",
            "LDS",
            "wave 1, lane 0 (mask 0xffffffff)",
            "ds_write_b32 v1, v2 offset:8",
            "v1: lane 0 0x200, lane 1 0x210",
            "v2: lane 0 0x77",
        ],
    );
}

#[test]
fn a_trap() {
    tells(&fault("trapped", "s_trap 2\ns_endpgm"), &["kernel `trapped`: ", "trap 2", "s_trap 2", "exec 0xffffffff"]);
}

/// Without a clock, and on it.
#[test]
fn a_missing_wait() {
    let text =
        "s_getpc_b64 s[4:5]\nv_mov_b32 v1, 0\nglobal_load_dword v2, v1, s[4:5]\nv_add_nc_u32 v3, v2, v2\ns_endpgm";
    let row = |pc, line| LineRow { pc, file: 0, line };
    let lines = vec![row(0, 3), row(8, 5), row(16, 6)];
    let code = CodeObject { files: vec!["late.comp".into()], lines, ..kernel("late", text) };
    for timing in [false, true] {
        let config = Config { timing, ..Config::watched() };
        let Err(Error::DeviceLost(fault)) = run_on(&config, code.clone()) else {
            panic!("timing {timing}: no finding")
        };
        tells(
            &fault,
            &[
                "kernel `late`: v2 is read before it is loaded: vmcnt(0) was to be waited for",
                "(+0x8): global_load_dword v2, v1, s[4:5]",
                "at late.comp:5",
                "work-group (0, 0, 0), wave 0, lane 0 (mask 0xffffffff)",
                "(+0x10): v_add_nc_u32_e32 v3, v2, v2",
                "at late.comp:6",
            ],
        );
        run_on(&Config { timing, ..Config::checked() }, code.clone()).unwrap();
    }
}

#[test]
fn an_endless_loop_and_where_each_wave_stands() {
    let text = "
        v_readfirstlane_b32 s4, v0
        s_cmp_eq_u32 s4, 0
        s_cbranch_scc1 again
        s_barrier
        s_endpgm
    again:
        s_add_u32 s5, s5, 1
        s_branch again";
    tells(
        &overdue("endless", text),
        &[
            "kernel `endless`: still running after 200 ms",
            "wave 0, lane 0 (mask 0xffffffff)",
            "(+0x14): s_add_u32 s5, s5, 1",
            "s5 0x",
            "wave 1 waits at the barrier before",
            "(+0x10), exec 0xffffffff: s_endpgm",
        ],
    );
}

/// As listings have it: `s_branch 65535` tells nobody where it goes.
#[test]
fn branches_name_their_labels() {
    let text = "
        s_cbranch_execz behind
    own:
        s_branch own
    behind:
        s_endpgm";
    tells(&overdue("own", text), &["wave 0", "(+0x4): s_branch BB0", "wave 1 at", "exec 0xffffffff: s_branch BB0"]);
}

#[test]
fn the_process_survives_them_all() {
    for text in [BAD, "s_trap 2", "v_mov_b32 v1, -1\nglobal_load_dword v1, v[0:1], off\ns_endpgm"] {
        fault("bad", text);
        run(kernel("good", "s_endpgm")).unwrap();
    }
}
