//! Atomics of a wave's lanes at one place in host code: beside the interpreter's, and of several threads.

use crate::bench::host::engine_of;
use crate::hosted_loops::{ISA, end, ends_as_the_interpreters, for_wave, rounds, went};
use std::sync::{Arc, Barrier};
use wavepipe_core::memory::Memory;
use wavepipe_core::wave::{CodeCache, HostCode, Launch, Outcome, WorkGroup};
use wavepipe_hw::code::WaveSize;
use wavepipe_isa::asm;
use wavepipe_jit::{CODE_BYTES, HostIsa};

/// LDS's and memory's names of operations.
const OPERATIONS: [[&str; 2]; 11] = [
    ["add_u32", "add"],
    ["sub_u32", "sub"],
    ["rsub_u32", "sub"],
    ["and_b32", "and"],
    ["or_b32", "or"],
    ["xor_b32", "xor"],
    ["min_i32", "smin"],
    ["max_i32", "smax"],
    ["min_u32", "umin"],
    ["max_u32", "umax"],
    ["inc_u32", "inc"],
];

/// In each round one place for all live lanes, or all but some, and what lanes that do not live have there is another one.
fn program() -> String {
    let mut lines: Vec<String> = [
        "v_readfirstlane_b32 s65, v3",
        "v_mov_b32 v30, v2",
        "v_mov_b32 v30, s65",
        // Of some rounds' lanes from some lane on the next place.
        "s_and_b32 s60, s65, 0x30",
        "s_cselect_b32 s60, 0, 4",
        "v_cmp_lt_u32 vcc, 37, v0",
        "v_mov_b32 v31, s60",
        "v_cndmask_b32 v31, 0, v31, vcc",
        "v_add_nc_u32 v30, v30, v31",
        "v_mov_b32 v17, s3",
        "v_add_co_u32 v16, vcc, s2, v30",
        "v_add_co_ci_u32 v17, vcc, 0, v17, vcc",
    ]
    .map(String::from)
    .into();
    for (n, [lds, memory]) in OPERATIONS.into_iter().enumerate() {
        let offset = 4 * (n % 4);
        let (name, of) = lds.split_once('_').expect("a type behind the name");
        let value = if n % 2 == 0 { "v20" } else { "v2" };
        lines.extend([
            format!("ds_{lds} v30, {value} offset:{offset}"),
            format!("ds_{name}_rtn_{of} v26, v30, {value} offset:{offset}"),
            format!("buffer_atomic_{memory} {value}, v30, s[8:11], 0 offen offset:{offset}"),
            format!("global_atomic_{memory} v27, v30, {value}, s[2:3] offset:{offset} glc"),
            format!("global_atomic_{memory} v[16:17], {value}, off offset:{offset}"),
            format!("v_mov_b32 v28, {value}"),
            // The result's register is the data's.
            format!("global_atomic_{memory} v28, v[16:17], v28, off offset:{offset} glc"),
            "v_add3_u32 v20, v20, v26, v27".into(),
            "v_xor_b32 v20, v20, v28".into(),
        ]);
        if n % 4 == 3 {
            // And its address's.
            lines.extend([
                "v_mov_b32 v29, v30".into(),
                format!("ds_{name}_rtn_{of} v29, v29, v20"),
                "v_add_nc_u32 v20, v20, v29".into(),
            ]);
        }
    }
    rounds(&lines.iter().map(String::as_str).collect::<Vec<_>>())
}

#[test]
fn counters_are_the_interpreters() {
    HostIsa::ALL.into_iter().for_each(|target| ends_as_the_interpreters(target, &program(), 40, 60));
}

/// Loops of few registers, which have host registers for good: lanes from another one on in each round have the next place.
#[test]
fn few_registers_are_left_beside_those_of_loops() {
    for line in [
        "global_atomic_add v2, v1, s[2:3]",
        "global_atomic_umax v3, v2, v0, s[2:3] glc",
        "ds_add_rtn_u32 v3, v2, v0",
        "global_atomic_add v3, v2, v3, s[2:3] glc",
    ] {
        let text = format!(
            "v_mov_b32 v1, 4\n v_mov_b32 v3, v0\n s_mov_b32 m0, -1\nround:\n s_and_b32 s5, s4, 63\n v_cmp_lt_u32 vcc, s5, v0\n \
             v_cndmask_b32 v2, 0, v1, vcc\n {line}\n v_xor_b32 v3, v3, v2\n \
             v_add_nc_u32 v3, 7, v3\n s_nop 0\n v_mul_lo_u32 v3, v3, 5\n v_xor_b32 v3, v3, v0\n s_sub_u32 s4, s4, 1\n s_cmp_lg_u32 s4, 0\n \
             s_cbranch_scc1 round\n s_endpgm\n"
        );
        for wave in [WaveSize::W32, WaveSize::W64] {
            let text = for_wave(&text, wave);
            let want = end(&CodeCache::new(), wave, &text, 1);
            for target in HostIsa::ALL {
                let Some(engine) = engine_of(target, &[], CODE_BYTES) else { continue };
                let got = end(&CodeCache::with_host_code(engine), wave, &text, 1);
                assert!(got == want, "{}, {wave:?}: {line}", target.name());
            }
        }
    }
}

/// In the last round the offsets of one lane, or of all, are no multiple of four.
#[test]
fn offsets_between_dwords_are_what_the_interpreter_says() {
    for line in
        ["ds_add_u32 v2, v3", "buffer_atomic_umax v3, v2, s[8:11], 0 offen glc", "global_atomic_add v2, v3, s[0:1]"]
    {
        for (place, lanes) in [(0, 1u32 << 5), (0, !0), (4, 1), (4, !0)] {
            let text = format!(
                "v_mul_lo_u32 v2, {place}, v0\n v_mov_b32 v3, 5\n v_lshlrev_b32 v5, v0, 1\n s_mov_b32 m0, -1\n s_mov_b32 s8, s0\n \
                 s_mov_b32 s9, s1\n s_movk_i32 s10, 0x1000\n s_mov_b32 s11, 0x31016fac\nround:\n s_cmp_eq_u32 s4, 1\n \
                 s_cselect_b32 s5, {lanes:#x}, 0\n v_and_b32 v4, s5, v5\n v_cmp_ne_u32 vcc, 0, v4\n v_cndmask_b32 v4, 0, 2, vcc\n \
                 v_add_nc_u32 v2, v2, v4\n {line}\n s_sub_u32 s4, s4, 1\n s_cmp_lg_u32 s4, 0\n s_cbranch_scc1 round\n s_endpgm\n"
            );
            for wave in [WaveSize::W32, WaveSize::W64] {
                let text = for_wave(&text, wave);
                let want = went(&CodeCache::new(), wave, &text);
                for target in HostIsa::ALL {
                    let Some(engine) = engine_of(target, &[], CODE_BYTES) else { continue };
                    let got = went(&CodeCache::with_host_code(engine), wave, &text);
                    let what = format!("{}, {wave:?}, lanes {lanes:x} of {place}: {line}", target.name());
                    assert!(got == want, "{what}: {:?}, host code {:?}", want.err(), got.err());
                }
            }
        }
    }
}

const WAVES: u32 = 4096;
const THREADS: u32 = 4;

/// What waves' lanes were given by one counter, 64 dwords a wave, of which those of EXEC count: what others have there is another place.
fn counted(engine: &Arc<dyn HostCode>, wave: WaveSize, exec: u64) -> Vec<u32> {
    let text = "v_mov_b32 v2, 0x2000\n v_mov_b32 v1, 1\n v_mov_b32 v3, -1\n s_mov_b64 exec, s[4:5]\n v_mov_b32 v2, 0\n \
                global_atomic_add v3, v2, v1, s[0:1] glc\n s_waitcnt vmcnt(0)\n s_mov_b64 exec, -1\n \
                s_lshl_b32 s7, s6, 8\n v_lshlrev_b32 v0, 2, v0\n v_add_nc_u32 v0, s7, v0\n \
                global_store_dword v0, v3, s[2:3]\n s_endpgm\n";
    let memory = Memory::new(1 << 26);
    let counter = memory.allocate(4096, "counter").unwrap().va;
    let found = memory.allocate(u64::from(256 * WAVES), "found").unwrap().va;
    let code = memory.allocate(4096, "code").unwrap().va;
    let map = memory.snapshot();
    let words = asm::assemble(&for_wave(text, wave), ISA, wave.lanes()).unwrap_or_else(|e| panic!("{e:?}"));
    map.write(code, bytemuck::cast_slice(&words)).unwrap();
    let mut user_data = [0; 16];
    for (n, word) in [counter, found, exec].into_iter().enumerate() {
        (user_data[2 * n], user_data[2 * n + 1]) = (word as u32, (word >> 32) as u32);
    }
    let mut launch = Launch { vgprs: 8, user_data, user_sgprs: 6, ..Launch::of_one_wave(ISA, code, wave) };
    launch.system.tgid_x = true;
    let (launch, cache) = (Arc::new(launch), CodeCache::with_host_code(engine.clone()));
    let count = |group: &mut WorkGroup, n: u32| {
        group.start_unseen(&launch, [n, 0, 0], launch.workgroup, 0);
        assert!(matches!(group.run(&map, &cache, 1 << 20), Outcome::Done));
    };
    // A work-group's first one is by a call, while nothing is known of its place.
    let groups = (0..THREADS).map(|n| {
        let mut group = WorkGroup::new();
        count(&mut group, n);
        group
    });
    let groups: Vec<WorkGroup> = groups.collect();
    let begin = Barrier::new(THREADS as usize);
    std::thread::scope(|threads| {
        for (thread, mut group) in (0..).zip(groups) {
            let (count, begin) = (&count, &begin);
            threads.spawn(move || {
                begin.wait();
                (THREADS + thread..WAVES).step_by(THREADS as usize).for_each(|n| count(&mut group, n));
            });
        }
    });
    let mut words = vec![0u32; 64 * WAVES as usize];
    map.read(found, bytemuck::cast_slice_mut(&mut words)).unwrap();
    words
}

#[test]
fn a_wave_counts_as_one_among_threads() {
    for target in HostIsa::ALL {
        let Some(engine) = engine_of(target, &[], CODE_BYTES) else { continue };
        for (wave, exec) in
            [WaveSize::W32, WaveSize::W64].into_iter().flat_map(|w| [(w, !0u64), (w, 0x5555_5555_0f0f_00fe)])
        {
            let what = format!("{}, {wave:?}, EXEC {exec:x}", target.name());
            let mut firsts = Vec::new();
            let mut lanes = 0;
            for words in counted(&engine, wave, exec).chunks(64) {
                let live = words.iter().take(wave.lanes() as usize).enumerate().filter(|(i, _)| exec >> i & 1 != 0);
                let given: Vec<u32> = live.map(|(_, word)| *word).collect();
                // Nobody comes in between.
                assert!(given.windows(2).all(|pair| pair[1] == pair[0] + 1), "{what}: {given:x?}");
                lanes = given.len() as u32;
                firsts.push(given[0]);
            }
            firsts.sort_unstable();
            assert!(firsts.into_iter().eq((0..WAVES).map(|n| n * lanes)), "{what}");
        }
    }
}
