//! Work-groups of a dispatch one after the other in the same memory of the host: each begins as if nobody had been there, however the one
//! before it ended, and does what it does alone.

use crate::bench::host::engine_of;
use crate::hosted_loops::ISA;
use std::sync::Arc;
use wavepipe_core::memory::{Memory, MemoryMap};
use wavepipe_core::wave::{CodeCache, Issue, Launch, Outcome, Probe, WaveView, WorkGroup};
use wavepipe_hw::code::WaveSize;
use wavepipe_isa::asm;
use wavepipe_jit::{CODE_BYTES, HostIsa};

/// Work-items of a work-group: the last wave of it is not whole.
const ITEMS: u32 = 150;
const GROUPS: u32 = 9;
/// Bytes that each work-item has, a dword for each register that is looked at, and the shift in the program.
const EACH: u32 = 64;

/// What each work-item finds: scalars that nobody has written or that it is given, MODE where it is looked at, how many lanes live, and
/// vector registers.
fn looks(mode: &str) -> String {
    let begin = format!(
        "s_cselect_b32 s40, 3, 4\n s_bcnt1_i32_b64 s43, exec\n {mode}\n s_mul_i32 s45, s2, {}\n \
         v_lshlrev_b32 v6, 6, v0\n v_add_nc_u32 v6, s45, v6\n",
        ITEMS * EACH
    );
    let scalars =
        ["s40", "s2", "m0", "s43", "s44", "s20", "s95", "vcc_lo", "s3"].map(|s| (format!("v_mov_b32 v7, {s}\n"), 7));
    let vectors = [1, 5].map(|v| (String::new(), v));
    let store =
        |(n, (mov, v)): (usize, (String, u32))| format!("{mov} global_store_dword v6, v{v}, s[0:1] offset:{}\n", 4 * n);
    let stores: String = scalars.into_iter().chain(vectors).enumerate().map(store).collect();
    format!("{begin}{stores} v_readfirstlane_b32 s46, v0\n")
}

/// What happens then, and what is left behind.
const ENDS: [&str; 12] = [
    "",
    "s_mov_b32 s20, 7\n s_mov_b32 s95, 8\n s_mov_b64 vcc, -1\n s_mov_b32 m0, 9\n s_cmp_eq_u32 s2, s2",
    "v_mov_b32 v0, 77\n v_mov_b32 v1, 78\n v_mov_b32 v5, 79\n s_mov_b64 s[0:1], 0\n s_mov_b32 s2, 80\n s_mov_b32 s3, 81",
    "s_mov_b64 exec, 5\n v_mov_b32 v5, 3",
    "v_cmpx_lt_u32 v0, 40\n v_mov_b32 v1, v0\n v_cmp_lt_u32 MASK, v0, 7",
    "s_barrier\n s_mov_b32 s20, 7\n v_mov_b32 v0, 5",
    // The second wave's turn is over before it ends.
    "s_cmp_lt_u32 s46, 32\n s_cbranch_scc1 over\n s_sleep 1\n v_mov_b32 v0, 3\nover:\n s_mov_b32 s95, 1",
    // MODE, by a call; some work-groups only.
    "s_and_b32 s30, s2, 1\n s_cmp_eq_u32 s30, 1\n s_cbranch_scc1 over\n s_denorm_mode 3\nover:\n v_mov_b32 v5, 1",
    "s_setreg_imm32_b32 hwreg(HW_REG_MODE), 0x3f0\n v_mov_b32 v5, 1",
    "s_setprio 2\n s_sendmsg sendmsg(MSG_INTERRUPT)\n s_mov_b32 s20, 3",
    // Waves wait for others that end.
    "s_cmp_lt_u32 s46, 64\n s_cbranch_scc1 over\n s_barrier\nover:\n s_mov_b32 s20, 1",
    // A fault of one wave.
    "s_cmp_eq_u32 s46, 64\n s_cbranch_scc0 over\n s_mov_b64 s[0:1], 0\n global_store_dword v6, v7, s[0:1]\nover:\n s_mov_b32 s20, 1",
];

/// Has the interpreter run all.
struct Look;

impl Probe for Look {
    const ACTIVE: bool = true;

    fn issue(&mut self, _: &WaveView<'_>, _: &Issue<'_>) {}
}

struct Bench {
    launch: Arc<Launch>,
    map: Arc<MemoryMap>,
    data: u64,
}

impl Bench {
    fn of(text: &str, wave: WaveSize) -> Bench {
        let memory = Memory::new(1 << 24);
        let data = memory.allocate((GROUPS * ITEMS * EACH).into(), "found").unwrap().va;
        let code = memory.allocate(4096, "code").unwrap().va;
        let map = memory.snapshot();
        let words = asm::assemble(text, ISA, wave.lanes()).unwrap_or_else(|e| panic!("{text}: {e:?}"));
        map.write(code, bytemuck::cast_slice(&words)).unwrap();
        map.write(data, &vec![0xcc; (GROUPS * ITEMS * EACH) as usize]).unwrap();
        let mut user_data = [0; 16];
        user_data[..2].copy_from_slice(&[data as u32, (data >> 32) as u32]);
        let workgroup = [ITEMS, 1, 1];
        let mut launch =
            Launch { vgprs: 8, user_data, user_sgprs: 2, workgroup, ..Launch::of_one_wave(ISA, code, wave) };
        launch.system.tgid_x = true;
        Bench { launch: launch.into(), map, data }
    }

    /// What each work-group wrote, and how it ended. `unseen`: as those of a dispatch, all in the same memory of the host, and some of them
    /// by the interpreter.
    fn run(&self, cache: &CodeCache, unseen: bool, budget: u64) -> Vec<(String, Vec<u8>)> {
        let mut group = WorkGroup::new();
        (0..GROUPS)
            .map(|n| {
                if unseen {
                    group.start_unseen(&self.launch, [n, 0, 0], self.launch.workgroup, 0);
                } else {
                    group = WorkGroup::new();
                    group.start(&self.launch, [n, 0, 0], 0);
                }
                let ended = loop {
                    let outcome = match unseen && n % 4 == 2 {
                        true => group.run_with(&self.map, cache, budget, &mut Look),
                        false => group.run(&self.map, cache, budget),
                    };
                    match outcome {
                        Outcome::Done => break String::new(),
                        Outcome::Fault(fault) => break format!("{fault:?}"),
                        Outcome::Budget => {}
                    }
                };
                let mut found = vec![0; (ITEMS * EACH) as usize];
                let at = self.data + u64::from(n * ITEMS * EACH);
                self.map.read(at, &mut found).unwrap();
                self.map.write(at, &vec![0xcc; found.len()]).unwrap();
                (ended, found)
            })
            .collect()
    }
}

#[test]
fn each_work_group_begins_as_if_nobody_had_been_there() {
    for wave in [WaveSize::W32, WaveSize::W64] {
        for end in ENDS {
            let mask = if wave == WaveSize::W32 { "s20" } else { "s[20:21]" };
            // That is a call, behind which a wave has everything anew.
            let mode =
                if end.contains("mode") || end.contains("MODE") { "s_getreg_b32 s44, hwreg(HW_REG_MODE)" } else { "" };
            let text = format!("{}\n{end}\n s_endpgm\n", looks(mode)).replace("MASK", mask);
            let bench = Bench::of(&text, wave);
            let want = bench.run(&CodeCache::new(), false, 1 << 20);
            assert!(want[0].1.chunks(4).any(|word| word != [0xcc; 4]), "something is written");
            for target in HostIsa::ALL {
                let Some(engine) = engine_of(target, &[], CODE_BYTES) else { continue };
                let cache = CodeCache::with_host_code(engine);
                // Until all code is hot, then with turns that are over anywhere, behind which waves behind one with a fault may run.
                let faults = want.iter().any(|(ended, _)| !ended.is_empty());
                for budget in [1 << 20, 1 << 20, 1 << 20, 100, 40].into_iter().filter(|b| !faults || *b > 100) {
                    let found = bench.run(&cache, true, budget);
                    for (n, (found, want)) in found.iter().zip(&want).enumerate() {
                        assert_eq!(found.0, want.0, "{}, {wave:?}, work-group {n}: {end}", target.name());
                        let at = found.1.iter().zip(&want.1).position(|(a, b)| a != b).map(|at| (at / 64, at % 64));
                        assert_eq!(at, None, "{}, {wave:?}, work-group {n}, item and byte: {end}", target.name());
                    }
                }
            }
        }
    }
}
