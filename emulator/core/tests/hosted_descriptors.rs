//! Descriptors that loops of host code leave alone, and those that are written anywhere in them: what is known of them where a loop is
//! entered holds for its accesses or not.

use crate::bench::host::engine_of;
use crate::hosted_loops::{ISA, ends_as_the_interpreters, rounds};
use std::sync::Arc;
use wavepipe_core::memory::Memory;
use wavepipe_core::wave::{CodeCache, Launch, Outcome, WorkGroup};
use wavepipe_hw::code::WaveSize;
use wavepipe_isa::asm;
use wavepipe_jit::{CODE_BYTES, HostIsa};

/// By two V#s and SOFFSET, and by s[72:75], which is private memory's V# or another one.
const ACCESSES: [&str; 21] = [
    "buffer_load_dword v4, v2, s[8:11], s22 offen offset:4",
    "v_xor_b32 v20, v20, v4",
    "buffer_load_dwordx4 v[7:10], v2, s[12:15], 0 offen offset:8",
    "v_add3_u32 v20, v20, v7, v10",
    "buffer_load_ubyte v5, v2, s[8:11], s22 offen",
    "v_add_nc_u32 v20, v20, v5",
    "s_buffer_load_dword s24, s[8:11], s22",
    "s_buffer_load_dwordx2 s[26:27], s[12:15], 0x40",
    "s_waitcnt lgkmcnt(0)",
    "v_xor_b32 v20, s24, v20",
    "v_xor_b32 v20, s27, v20",
    "global_load_dword v12, v3, s[2:3] offset:64",
    "v_add_nc_u32 v20, v20, v12",
    "v_and_b32 v32, 0x7c, v2",
    "buffer_store_dword v20, v32, s[72:75], s64 offen offset:8",
    "buffer_load_dword v34, v32, s[72:75], s64 offen",
    "v_add_nc_u32 v20, v20, v34",
    "v_and_b32 v25, -4, v2",
    "buffer_atomic_add v20, v25, s[8:11], s22 offen",
    "buffer_store_dword v20, v2, s[12:15], 0 offen offset:12",
    "global_store_dword v3, v20, s[2:3] offset:32",
];

/// What happens in front of the loop of accesses, at its beginning, and at its end; s70 counts its rounds.
const WRITES: [(&str, [&[&str]; 3]); 15] = [
    ("nothing", [&[], &[], &[]]),
    ("SOFFSET", [&[], &[], &["s_xor_b32 s22, s22, 4"]]),
    ("SOFFSET, by a lane", [&[], &["v_readfirstlane_b32 s22, v32"], &[]]),
    ("SOFFSET of private memory", [&[], &["s_xor_b32 s64, s64, 0x1000"], &[]]),
    (
        "a V#, in some rounds",
        [&[], &["s_cmp_lg_u32 s70, 2", "s_cbranch_scc1 kept", "s_mov_b64 s[8:9], s[12:13]", "kept:"], &[]],
    ),
    ("its last word", [&[], &[], &["s_mov_b32 s11, s15", "s_mov_b32 s10, s14"]]),
    ("a V#, by a call", [&[], &["s_mov_b32 m0, 1", "s_movreld_b32 s7, s12", "s_mov_b32 m0, -1"], &[]]),
    (
        "a V#, from memory",
        [
            &[],
            &[
                "s_cmp_eq_u32 s70, 2",
                "s_cbranch_scc0 kept",
                "s_load_dwordx4 s[8:11], s[0:1], 0x110",
                "s_waitcnt lgkmcnt(0)",
                "kept:",
            ],
            &[],
        ],
    ),
    ("a base", [&[], &[], &["s_add_u32 s2, s2, 4", "s_addc_u32 s3, s3, 0"]]),
    (
        "private or not",
        [
            &[],
            &[],
            &[
                "s_cmp_eq_u32 s70, 2",
                "s_cselect_b64 s[72:73], s[12:13], s[60:61]",
                "s_cselect_b64 s[74:75], s[14:15], s[62:63]",
            ],
        ],
    ),
    // Ways in that lead past its beginning, and turns that end in its middle.
    ("by its middle", [&["s_and_b32 s71, s4, 3", "s_cmp_eq_u32 s71, 1", "s_cbranch_scc1 middle"], &["middle:"], &[]]),
    ("by a branch", [&["s_bitcmp1_b32 s4, 2", "s_cbranch_scc1 accesses", "v_add_nc_u32 v20, 1, v20"], &[], &[]]),
    ("a barrier in front", [&["s_barrier"], &[], &[]]),
    // A scalar that has a register of the host for good.
    (
        "SOFFSET, in front",
        [
            &["s_xor_b32 s22, s22, 4"],
            &["s_add_u32 s78, s78, s22"],
            &["s_xor_b32 s78, s78, s22", "v_xor_b32 v20, s78, v20"],
        ],
    ),
    ("a barrier", [&[], &["s_barrier"], &["s_barrier"]]),
];

/// The loop of accesses, around which another one exchanges both V#s.
fn program(number: usize, [before, begin, end]: [&[&str]; 3], exchanged: bool) -> String {
    let mut lines = vec![
        "s_load_dwordx4 s[60:63], s[0:1], 0x140",
        "s_load_dword s64, s[0:1], 0x150",
        "s_waitcnt lgkmcnt(0)",
        "s_bitcmp1_b32 s4, 1",
        "s_cselect_b64 s[72:73], s[8:9], s[60:61]",
        "s_cselect_b64 s[74:75], s[10:11], s[62:63]",
        "s_mov_b32 s76, 2",
        "others:",
        "s_mov_b32 s70, 3",
    ];
    lines.extend(before);
    // A way into the middle leads past those.
    let (past, held) = if begin == ["middle:"] { ACCESSES.split_at(6) } else { ACCESSES.split_at(0) };
    lines.push("accesses:");
    lines.extend(past);
    lines.extend(begin);
    lines.extend(held);
    lines.extend(end);
    lines.extend(["s_sub_u32 s70, s70, 1", "s_cmp_lg_u32 s70, 0", "s_cbranch_scc1 accesses"]);
    if exchanged {
        lines.extend(EXCHANGE.iter().flatten());
        lines.extend(["s_sub_u32 s76, s76, 1", "s_cmp_lg_u32 s76, 0", "s_cbranch_scc1 others"]);
    }
    // Behind, where nothing is held back.
    lines.extend(&ACCESSES[..number % 6]);
    rounds(&lines)
}

const EXCHANGE: [[&str; 3]; 4] = [
    ["s_mov_b32 s77, s8", "s_mov_b32 s8, s12", "s_mov_b32 s12, s77"],
    ["s_mov_b32 s77, s9", "s_mov_b32 s9, s13", "s_mov_b32 s13, s77"],
    ["s_mov_b32 s77, s10", "s_mov_b32 s10, s14", "s_mov_b32 s14, s77"],
    ["s_mov_b32 s77, s11", "s_mov_b32 s11, s15", "s_mov_b32 s15, s77"],
];

#[test]
fn descriptors_are_the_interpreters() {
    for (number, (what, lines)) in WRITES.into_iter().enumerate() {
        for exchanged in [false, true] {
            let text = program(number, lines, exchanged);
            println!("{what}, {exchanged}");
            HostIsa::ALL.into_iter().for_each(|target| ends_as_the_interpreters(target, &text, 4, 9));
        }
    }
}

/// Waves have V#s of their own, and each comes back to the loop's middle where the other one was.
#[test]
fn waves_that_wait_for_one_another_have_their_own() {
    const ROUNDS: u32 = 40;
    for (wave, shift) in [(WaveSize::W32, 5), (WaveSize::W64, 6)] {
        let text = format!(
            "v_readfirstlane_b32 s5, v0\n s_lshl_b32 s6, s5, 2\n s_add_u32 s8, s0, s6\n s_addc_u32 s9, s1, 0\n s_movk_i32 s10, 0x100\n \
             s_mov_b32 s11, 0x31016fac\n v_and_b32 v1, {}, v0\n v_lshlrev_b32 v1, 2, v1\n s_movk_i32 s4, {ROUNDS}\n s_lshr_b32 s5, s5, {shift}\n \
             s_add_u32 s5, s5, 1\nround:\n buffer_load_dword v4, v1, s[8:11], 0 offen\n s_barrier\n s_waitcnt vmcnt(0)\n \
             v_add_nc_u32 v4, s5, v4\n buffer_store_dword v4, v1, s[8:11], 0 offen\n s_sub_u32 s4, s4, 1\n s_cmp_lg_u32 s4, 0\n \
             s_cbranch_scc1 round\n s_endpgm\n",
            (1 << shift) - 1
        );
        for target in HostIsa::ALL {
            let Some(engine) = engine_of(target, &[], CODE_BYTES) else { continue };
            let cache = CodeCache::with_host_code(engine);
            for waves in [1, 3, 4] {
                let memory = Memory::new(1 << 20);
                let bytes = 4 * waves << shift;
                let data = memory.allocate(bytes.into(), "data").unwrap().va;
                let code = memory.allocate(4096, "code").unwrap().va;
                let map = memory.snapshot();
                let words = asm::assemble(&text, ISA, wave.lanes()).unwrap_or_else(|e| panic!("{e:?}"));
                map.write(code, bytemuck::cast_slice(&words)).unwrap();
                let mut user_data = [0; 16];
                user_data[..2].copy_from_slice(&[data as u32, (data >> 32) as u32]);
                let launch = Launch {
                    vgprs: 8,
                    user_data,
                    user_sgprs: 2,
                    workgroup: [waves << shift, 1, 1],
                    ..Launch::of_one_wave(ISA, code, wave)
                };
                let mut group = WorkGroup::new();
                for times in 1..=3 {
                    group.start(&Arc::new(launch.clone()), [0; 3], 0);
                    assert!(matches!(group.run(&map, &cache, 1 << 20), Outcome::Done));
                    let mut found = vec![0; bytes as usize];
                    map.read(data, &mut found).unwrap();
                    for (i, word) in bytemuck::cast_slice::<u8, u32>(&found).iter().enumerate() {
                        let own = (i as u32 >> shift) + 1;
                        assert_eq!(*word, times * own * ROUNDS, "{}, {wave:?}, {waves} waves, item {i}", target.name());
                    }
                }
            }
        }
    }
}
