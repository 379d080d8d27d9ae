//! Rows that host code stores past the host's caches: other threads see them in the order that the program's waits make.

use crate::bench::host::engine_of;
use crate::bench::{Bench, PATIENCE, dispatch, kernel};
use wavepipe_core::{Config, Gpu};
use wavepipe_hw::pm4::{Packet, reg};
use wavepipe_isa::{Gen, asm};
use wavepipe_jit::{CODE_BYTES, Feature, HostIsa};

const ISA: Gen = Gen::Gfx1010;
const ROUNDS: u32 = 3000;
/// Behind eight rows of the wave's dwords: what the writer has written, what the reader has read, and whether it was all there.
const WRITTEN: u32 = 0x1000;
const READ: u32 = 0x1100;
const WRONG: u32 = 0x1200;

/// Spins until the dword there is s4.
fn until(label: &str, at: u32) -> String {
    format!(
        "{label}:\n s_load_dword s5, s[0:1], {at:#x} glc\n s_waitcnt lgkmcnt(0)\n s_cmp_eq_u32 s5, s4\n s_cbranch_scc0 {label}\n"
    )
}

/// Half of each line that the wave's dwords fill: it waits for the rest, where stores are put together on the way to memory.
const HALVES: u32 = 0x00ff_00ff;

/// s4 counts rounds. The rows go by another pair of registers than what is loaded: stores to what a loop loads stay in the caches.
fn writer(dwords: u32, lanes: u32) -> String {
    let mut text = format!(
        "s_mov_b32 exec_lo, {lanes:#x}\n s_mov_b64 s[8:9], s[0:1]\n v_lshlrev_b32 v0, {}, v0\n v_mov_b32 v9, {WRITTEN:#x}\n s_mov_b32 s4, 0\nround:\n s_add_u32 s4, s4, 1\n",
        1 + dwords.ilog2() + 1
    );
    (1..=dwords).for_each(|v| text += &format!(" v_mov_b32 v{v}, s4\n"));
    for row in 0..8 / dwords {
        let (wide, data) = match dwords {
            1 => ("dword".to_string(), "v1".to_string()),
            n => (format!("dwordx{n}"), format!("v[1:{n}]")),
        };
        text += &format!(" global_store_{wide} v0, {data}, s[8:9] offset:{}\n", row * 128 * dwords);
    }
    text += " s_waitcnt_vscnt null, 0x0\n s_mov_b64 s[10:11], exec\n s_mov_b64 exec, 1\n global_store_dword v9, v1, s[0:1]\n";
    text += " s_mov_b64 exec, s[10:11]\n";
    text + &until("read", READ) + " s_cmp_eq_u32 s4, s2\n s_cbranch_scc0 round\n s_endpgm\n"
}

fn reader(lanes: u32) -> String {
    let mut text = format!(
        "s_mov_b32 exec_lo, {lanes:#x}\n v_lshlrev_b32 v0, 2, v0\n v_mov_b32 v9, {READ:#x}\n v_mov_b32 v10, 0\n s_mov_b32 s4, 0\nround:\n s_add_u32 s4, s4, 1\n"
    ) + &until("written", WRITTEN);
    for row in 0..8 {
        text += &format!(" global_load_dword v{}, v0, s[0:1] offset:{} glc dlc\n", row + 1, row * 128);
    }
    text += " s_waitcnt vmcnt(0)\n";
    for row in 0..8 {
        text += &format!(" v_xor_b32 v{0}, s4, v{0}\n v_or_b32 v10, v10, v{0}\n", row + 1);
    }
    text += " v_mov_b32 v1, s4\n s_mov_b64 s[10:11], exec\n s_mov_b64 exec, 1\n global_store_dword v9, v1, s[0:1]\n";
    text += " s_mov_b64 exec, s[10:11]\n s_cmp_eq_u32 s4, s2\n s_cbranch_scc0 round\n";
    text + &format!(" v_mov_b32 v11, {WRONG:#x}\n global_atomic_or v11, v10, s[0:1]\n s_endpgm\n")
}

#[test]
fn who_sees_a_flag_sees_the_rows_before_it() {
    for target in HostIsa::ALL {
        let Some(engine) = engine_of(target, &[Feature::Caches], CODE_BYTES) else { continue };
        for (dwords, lanes) in [(1, !0), (2, !0), (4, !0), (1, HALVES)] {
            let gpu =
                Gpu::with_host_code(Config { threads: 2, timeout: PATIENCE, ..Config::default() }, engine.clone());
            let b = Bench::over(gpu, ISA);
            let m = b.memory(0x2000, "rows and flags");
            let code = |text: &str| b.code(&asm::assemble(text, ISA, 32).unwrap_or_else(|e| panic!("{e:?}")));
            let (mut x, mut y) = (b.queue(0, 0), b.queue(3, 0));
            for (q, text) in [(&mut x, writer(dwords, lanes)), (&mut y, reader(lanes))] {
                let mut packets = kernel(code(&text), m, ROUNDS, 32, false);
                // Sixteen VGPRs, and DX10_CLAMP, without which all is the interpreter's.
                let rsrc1 = 0x202f_0000 | 0xf0 << 12 | 1;
                packets.push(Packet::SetShReg { reg: reg::COMPUTE_PGM_RSRC1, values: vec![rsrc1] });
                packets.push(dispatch(1));
                b.submit_fenced(q, &packets);
            }
            b.wait(&x);
            b.wait(&y);
            assert_eq!(b.read32(m + u64::from(READ)), ROUNDS);
            assert_eq!(
                b.read32(m + u64::from(WRONG)),
                0,
                "{}, rows of {dwords}: what was stored before a flag",
                target.name()
            );
        }
    }
}
