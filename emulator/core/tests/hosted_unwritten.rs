//! Vector registers of a dispatch's waves are what the wave before left, but where the program can see that: there they are zero.

use crate::bench::host::engine_of;
use crate::hosted_loops::{ISA, for_wave, run_of};
use std::sync::Arc;
use wavepipe_core::memory::Memory;
use wavepipe_core::wave::{CodeCache, Launch, Outcome, WorkGroup};
use wavepipe_hw::code::WaveSize;
use wavepipe_isa::asm;
use wavepipe_jit::{CODE_BYTES, HostIsa};

/// Programs whose v5 is seen, as zero; and those where it is not, and stays what it was.
const SEEN: [&str; 8] = [
    "v_mov_b32 v6, v5",
    // Lanes of which some have not written it.
    "v_cmp_lt_u32 vcc, v0, 7\n s_and_saveexec_bm MASK_20, vcc\n v_mov_b32 v5, 1\n s_mov_bm LANES, MASK_20\n v_mov_b32 v6, v5",
    "v_cmpx_lt_u32 v0, 7\n v_mov_b32 v5, 1\n v_mov_b32 v6, v5\n s_mov_b64 exec, -1\n v_readlane_b32 s30, v5, 9",
    "s_cmp_eq_u32 s4, 0\n s_cbranch_scc1 over\n v_mov_b32 v5, 1\nover:\n v_mov_b32 v6, v5",
    "s_movk_i32 s30, 2\nround:\n v_add_nc_u32 v6, v5, v0\n v_mov_b32 v5, 1\n s_sub_u32 s30, s30, 1\n s_cmp_lg_u32 s30, 0\n s_cbranch_scc1 round",
    "v_mov_b32_dpp v5, v0 row_shl:1 row_mask:0x5 bank_mask:0xf\n v_mov_b32 v6, v5",
    "buffer_load_short_d16 v5, off, s[8:11], 0\n v_mov_b32 v6, v5",
    "s_barrier\n v_mov_b32 v6, v5",
];
const UNSEEN: [&str; 6] = [
    "v_mov_b32 v6, v0",
    "v_cmp_lt_u32 vcc, v0, 7\n s_and_saveexec_bm MASK_20, vcc\n s_cbranch_execz over\n v_mov_b32 v5, 1\n v_mov_b32 v6, v5\nover:",
    "v_cmpx_lt_u32 v0, 7\n v_mov_b32 v5, 1\n s_barrier\n v_cmpx_lt_u32 v0, 5\n v_mov_b32 v6, v5",
    "s_cmp_eq_u32 s4, 0\n s_cbranch_scc1 other\n s_mov_bm LANES, 15\n v_mov_b32 v5, 1\n s_branch over\nother:\n s_mov_bm LANES, 15\n v_mov_b32 v5, 2\nover:\n s_and_bm LANES, LANES, 3\n v_mov_b32 v6, v5",
    "s_movk_i32 s30, 2\nround:\n s_mov_b64 exec, 3\n v_mov_b32 v5, v0\n v_add_nc_u32 v6, v5, v0\n s_sub_u32 s30, s30, 1\n s_cmp_lg_u32 s30, 0\n s_cbranch_scc1 round",
    "v_cmpx_lt_u32 v0, 7\n global_load_dword v5, v0, s[0:1]\n s_waitcnt vmcnt(0)\n v_mov_b32 v6, v5",
];

/// v5 of the last lane.
fn last(text: &str, wave: WaveSize, target: HostIsa) -> Option<u32> {
    let engine = engine_of(target, &[], CODE_BYTES)?;
    let text = for_wave(&format!("{text}\n s_endpgm\n"), wave);
    let (registers, _) = run_of(&CodeCache::with_host_code(engine), wave, &text, 1, true).unwrap();
    Some(registers[(6 * wave.lanes() - 1) as usize])
}

#[test]
fn what_a_program_can_see_is_zero() {
    const BEFORE: u32 = 0x5eed_0001u32.wrapping_mul(6);
    for target in HostIsa::ALL {
        for wave in [WaveSize::W32, WaveSize::W64] {
            for text in SEEN {
                let found = last(text, wave, target);
                assert!(found != Some(BEFORE), "{}, {wave:?}: {text}", target.name());
            }
            for text in UNSEEN {
                let found = last(text, wave, target);
                assert!(found.is_none_or(|v| v == BEFORE), "{}, {wave:?}: {text}: {found:x?}", target.name());
            }
        }
    }
}

/// A part of the program that is not in the region that it begins with, for a barrier is in front of it.
#[test]
fn code_that_changes_is_looked_through_anew() {
    for target in HostIsa::ALL {
        let Some(engine) = engine_of(target, &[], CODE_BYTES) else { continue };
        let cache = CodeCache::with_host_code(engine);
        let memory = Memory::new(1 << 24);
        let code = memory.allocate(4096, "code").unwrap().va;
        let map = memory.snapshot();
        let launch = Arc::new(Launch { vgprs: 8, ..Launch::of_one_wave(ISA, code, WaveSize::W32) });
        let mut group = WorkGroup::new();
        let mut run = |text: &str, changed: std::ops::Range<u64>| {
            let words = asm::assemble(text, ISA, 32).unwrap_or_else(|e| panic!("{e:?}"));
            map.write(code, bytemuck::cast_slice(&words)).unwrap();
            cache.invalidate(code + changed.start..code + changed.end);
            group.start_unseen(&launch, [0; 3], launch.workgroup, 0);
            assert!(matches!(group.run(&map, &cache, 1 << 20), Outcome::Done));
            let view = group.wave(0).unwrap();
            [5, 6].map(|v| view.vgpr(v, 31))
        };
        run("v_mov_b32 v5, 17\n s_endpgm", 0..4096);
        let unseen = run("s_nop 0\n s_barrier\n v_mov_b32 v6, v0\n s_endpgm", 0..4096);
        assert_eq!(unseen, [17, 31], "{}", target.name());
        let seen = run("s_nop 0\n s_barrier\n v_mov_b32 v6, v5\n s_endpgm", 8..12);
        assert_eq!(seen, [0, 0], "{}", target.name());
    }
}
