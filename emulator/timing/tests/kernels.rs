//! Golden tests through kernels: what a program can find out about the machine by its clock.

use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::sync::Arc;
use wavepipe_hw::code::WaveSize::{self, W32, W64};
use wavepipe_hw::machine::Machine;
use wavepipe_hw::port::GpuPort;
use wavepipe_isa::row::Class;
use wavepipe_isa::{Gen, asm};
use wavepipe_timing::lab::{Kernel, Lab};
use wavepipe_timing::observe::{Event, Recorder, WaveSlot};
use wavepipe_timing::{Options, sequence};

/// First issue cycle of each instruction of a sequence.
fn issues(text: &str, wave: WaveSize) -> Vec<u64> {
    let timeline =
        sequence::timeline(text, wave, Arc::new(Machine::default())).unwrap_or_else(|e| panic!("{e}\n{text}"));
    timeline.issues.iter().map(|i| i.passes[0]).collect()
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// Cycles from an LDS read to the instruction behind its S_WAITCNT; lanes' addresses are multiples of `bytes`.
fn lds_read(bytes: u64, wave: WaveSize) -> u64 {
    let text = format!("v_mul_u32_u24 v1, 0x{bytes:x}, v0\nds_read_b32 v2, v1\ns_waitcnt lgkmcnt(0)\nv_mov_b32 v3, v2");
    let at = issues(&text, wave);
    at[3] - at[1]
}

/// 32 lanes meet on 32 / gcd(stride, 32) of 32 banks; a wave64 is two passes.
#[test]
fn lds_stride_sweep_is_the_gcd_formula() {
    for (wave, passes) in [(W32, 1), (W64, 2)] {
        let free = lds_read(4, wave);
        for stride in 1..=64 {
            let by_hand = passes * (gcd(stride, 32) - 1);
            assert_eq!(lds_read(4 * stride, wave) - free, by_hand, "{wave:?}, stride {stride}");
        }
        // All lanes read one dword.
        assert_eq!(lds_read(0, wave), free, "{wave:?}, broadcast");
    }
}

/// Loads come back in order: VMCNT 1 is the first of two, whichever is slower.
#[test]
fn vector_loads_return_in_order() {
    let [hit, miss] = ["", " offset:1024"];
    let two = |first: &str, second: &str| {
        let text = format!(
            "v_mov_b32 v1, 0
             global_load_dword v2, v1, s[0:1]
             s_waitcnt vmcnt(0)
             global_load_dword v2, v1, s[0:1]{first}
             global_load_dword v3, v1, s[0:1]{second}
             s_waitcnt vmcnt(1)
             s_nop 0
             s_waitcnt vmcnt(0)
             s_nop 0"
        );
        let at = issues(&text, W32);
        (at[5] - at[3], at[7] - at[3])
    };
    let (first, both) = two(hit, hit);
    assert!(both - first <= 2, "{first} {both}");
    let hit_first = two(hit, miss);
    assert_eq!(hit_first.0, first, "the miss behind does not matter");
    assert!(hit_first.1 > 2 * first, "{hit_first:?}");
    let miss_first = two(miss, hit);
    assert!(miss_first.0 > 2 * first && miss_first.1 - miss_first.0 <= 2, "{miss_first:?}");
}

/// Scalar loads come back in any order: LGKMCNT falls with the first that is there.
#[test]
fn scalar_loads_return_out_of_order() {
    let text = "s_load_dword s8, s[0:1], 0x0
        s_waitcnt lgkmcnt(0)
        s_load_dword s9, s[0:1], 0x1000
        s_load_dword s10, s[0:1], 0x0
        s_waitcnt lgkmcnt(1)
        s_nop 0
        s_waitcnt lgkmcnt(0)
        s_nop 0";
    let at = issues(text, W32);
    let machine = Machine::default();
    let hit = machine.scalar_cache.hit.value;
    assert!(at[4] - at[3] < 2 * hit, "the second load is a hit: {at:?}");
    assert!(at[6] - at[2] > 3 * hit, "the first is not: {at:?}");
}

/// A store counts in VSCNT alone.
#[test]
fn stores_have_a_counter_of_their_own() {
    let text = "v_mov_b32 v1, 0
        global_store_dword v1, v1, s[0:1]
        s_waitcnt vmcnt(0)
        s_waitcnt_vscnt null, 0x0
        s_nop 0";
    let at = issues(text, W32);
    assert!(at[2] - at[1] <= 2 && at[3] - at[1] > 20, "{at:?}");
}

/// S_NOP idles for as long as its operand says. That of S_WAITCNT_DEPCTR, which keeps hazards apart, is no such count.
#[test]
fn only_nops_idle() {
    let at = |text: &str| issues(&format!("s_nop 0\n{text}\ns_nop 0"), W32);
    assert_eq!(at("s_waitcnt_depctr 0xfffe"), at("s_nop 0"));
    assert_eq!(at("s_nop 14")[2], at("s_nop 0")[2] + 14);
}

/// ISA manual: S_SLEEP n takes 64 (n - 1) to 64 n clocks, about.
#[test]
fn sleep_takes_its_clocks() {
    for n in [1, 2, 10, 127] {
        let at = issues(&format!("s_nop 0\ns_sleep {n}\ns_nop 0"), W32);
        let slept = at[2] - at[1];
        assert!((64 * (n - 1)..=64 * n + 2).contains(&slept), "s_sleep {n}: {slept}");
    }
}

/// The line of a cache: the least distance at which a second load is later than one of the same address.
#[test]
fn lines_are_found_by_neighbours() {
    let vector = |bits: &'static str| {
        move |distance: u64| {
            let text = format!(
                "v_mov_b32 v1, 0
                 global_load_dword v2, v1, s[0:1] {bits}
                 s_waitcnt vmcnt(0)
                 global_load_dword v3, v1, s[0:1] offset:{distance} {bits}
                 s_waitcnt vmcnt(0)"
            );
            let at = issues(&text, W32);
            at[4] - at[3]
        }
    };
    let scalar = |distance: u64| {
        let load = |offset: u64| format!("s_load_dword s8, s[0:1], 0x{offset:x}\ns_waitcnt lgkmcnt(0)\n");
        let at = issues(&(load(0) + &load(distance)), W32);
        at[3] - at[2]
    };
    let line = |time: &dyn Fn(u64) -> u64| (4..=512).step_by(4).find(|d| time(*d) > time(0)).unwrap();
    assert_eq!(line(&vector("")), 128, "L0");
    assert_eq!(line(&vector("glc")), 128, "L1, which GLC asks");
    assert_eq!(line(&vector("glc dlc")), 128, "L2, which DLC asks too");
    assert_eq!(line(&scalar), 64, "scalar cache");
}

/// One lane goes round through a region of lines of 128 bytes: once to fill the caches, then for the time.
const ROUND: &str = "
    s_mov_b32 exec_lo, 1
    s_mov_b32 s9, 2
round:
    s_mov_b32 s8, s6
    v_mov_b32 v0, s2
    v_mov_b32 v1, s3
    s_memtime s[10:11]
    s_waitcnt lgkmcnt(0)
step:
    global_load_dwordx2 v[0:1], v[0:1], off
    s_sub_i32 s8, s8, 1
    s_cmp_lg_u32 s8, 0
    s_waitcnt vmcnt(0)
    s_cbranch_scc1 step
    s_sub_i32 s9, s9, 1
    s_cmp_lg_u32 s9, 0
    s_cbranch_scc1 round
    s_memtime s[12:13]
    s_waitcnt lgkmcnt(0)
    s_sub_u32 s10, s12, s10
    v_mov_b32 v2, s10
    v_mov_b32 v3, 0
    global_store_dword v3, v2, s[0:1]
    s_endpgm";

/// Cycles of a step through `bytes`.
fn round(bytes: u64) -> f64 {
    const LINE: u64 = 128;
    let mut lab = Lab::new(Arc::new(Machine::default()), Options::default(), None).unwrap();
    let code = lab.code(&asm::assemble(ROUND, Gen::Gfx1010, 32).unwrap()).unwrap();
    let (out, base) = (lab.memory(64).unwrap(), lab.memory(bytes).unwrap());
    let lines = bytes / LINE;
    let mut cells = vec![0; bytes as usize];
    for i in 0..lines {
        let next = base + (i + 1) % lines * LINE;
        cells[(i * LINE) as usize..][..8].copy_from_slice(&next.to_le_bytes());
    }
    lab.gpu().write(base, &cells).unwrap();
    let halves = |at: u64| [at as u32, (at >> 32) as u32];
    let user_data = [halves(out), halves(base), [0, 0], [lines as u32, 0]].concat();
    let kernel =
        Kernel { code, wave: W32, vgprs: 8, lds_bytes: 0, user_data, workgroup: 32, groups: 1, wgp_mode: true };
    lab.run(&kernel).unwrap();
    let mut cycles = [0; 4];
    lab.gpu().read(out, &mut cycles).unwrap();
    f64::from(u32::from_le_bytes(cycles)) / lines as f64
}

/// A region that a cache holds is read in its time; one with a line more in each set is not, for the line to be dropped is
/// always the next.
#[test]
fn cache_sizes_are_where_the_time_of_a_round_rises() {
    const KB: u64 = 1024;
    for (name, size, set) in [("L0", 16 * KB, 4 * KB), ("L1", 128 * KB, 8 * KB), ("L2", 4096 * KB, 256 * KB)] {
        let [below, full, over] = [size - set, size, size + set].map(round);
        assert!((full / below - 1.0).abs() < 0.03, "{name}: {below} {full} {over}");
        assert!(over > 1.15 * full, "{name}: {below} {full} {over}");
    }
}

/// What happened, by cycle: waves that came and went, and instructions by slot and class.
#[derive(Default)]
struct Log {
    resident: BTreeMap<u32, (i64, i64)>,
    issued: Vec<(u64, WaveSlot, Class, u64)>,
}

struct Logger(Arc<Mutex<Log>>);

impl Recorder for Logger {
    fn instructions(&self) -> bool {
        true
    }

    fn event(&mut self, cycle: u64, event: &Event<'_>) {
        let mut log = self.0.lock();
        match event {
            Event::WaveStarted { at, .. } => {
                let (now, most) = log.resident.entry(at.simd).or_default();
                *now += 1;
                *most = (*most).max(*now);
            }
            Event::WaveEnded { at, .. } => log.resident.entry(at.simd).or_default().0 -= 1,
            Event::Issued { at, class, pc, .. } => log.issued.push((cycle, *at, *class, *pc)),
            _ => {}
        }
    }
}

fn logged(text: &str, kernel: Kernel) -> Log {
    let log = Arc::new(Mutex::new(Log::default()));
    let mut lab = Lab::new(
        Arc::new(Machine::default()),
        Options { warm_fetch: true, ..Options::default() },
        Some(Box::new(Logger(log.clone()))),
    )
    .unwrap();
    let code = lab.code(&asm::assemble(text, Gen::Gfx1010, kernel.wave.lanes()).unwrap()).unwrap();
    lab.run(&Kernel { code, ..kernel }).unwrap();
    std::mem::take(&mut *log.lock())
}

const KERNEL: Kernel = Kernel {
    code: 0,
    wave: W32,
    vgprs: 8,
    lds_bytes: 0,
    user_data: Vec::new(),
    workgroup: 256,
    groups: 1,
    wgp_mode: true,
};

/// Most waves that were on a SIMD at once, where every SIMD had as many.
fn occupancy(wave: WaveSize, vgprs: u32, lds_bytes: u32) -> i64 {
    let groups = 20 * 25;
    let kernel = Kernel { wave, vgprs, lds_bytes, workgroup: 4 * wave.lanes(), groups, ..KERNEL };
    let log = logged("s_sleep 127\ns_endpgm", kernel);
    let most: Vec<i64> = log.resident.values().map(|r| r.1).collect();
    assert!(most.len() == 80 && most.iter().all(|m| *m == most[0]), "{most:?}");
    most[0]
}

/// 1,024 rows of 32 registers and 20 slots a SIMD; registers are given in eights, to a wave64 in fours of two rows; LDS of
/// 128 KB a work-group processor, in 512 bytes. Work-groups of four waves have one on each SIMD.
#[test]
fn waves_per_simd_follow_from_registers_and_lds() {
    for vgprs in [1u32, 24, 32, 48, 49, 56, 64, 65, 84, 100, 128, 129, 168, 169, 256] {
        let eights = i64::from(vgprs.div_ceil(8) * 8);
        assert_eq!(occupancy(W32, vgprs, 0), (1024 / eights).min(20), "wave32, {vgprs} VGPRs");
        let fours = i64::from(vgprs.div_ceil(4) * 4);
        assert_eq!(occupancy(W64, vgprs, 0), (512 / fours).min(20), "wave64, {vgprs} VGPRs");
    }
    for lds in [512u32, 8192, 8193, 16384, 20000, 32768, 33000, 65536] {
        let blocks = i64::from(lds + 511) / 512 * 512;
        assert_eq!(occupancy(W32, 8, lds), (131_072 / blocks).min(20), "{lds} bytes of LDS");
    }
}

/// Of each SIMD, the slots of its LDS instructions in the order of their issue, as runs: slot and how many.
fn runs(log: &Log) -> Vec<Vec<(u32, usize)>> {
    let mut by_simd: BTreeMap<u32, Vec<(u32, usize)>> = BTreeMap::new();
    for (_, at, class, _) in &log.issued {
        let runs = by_simd.entry(at.simd).or_default();
        match runs.last_mut() {
            _ if *class != Class::Lds => {}
            Some((slot, n)) if *slot == at.slot => *n += 1,
            _ => runs.push((at.slot, 1)),
        }
    }
    by_simd.into_values().collect()
}

/// Eight waves, two on each SIMD. The younger one begins eight LDS reads that each take 32 cycles; meanwhile the older one
/// wakes, which would go first.
fn clause(clause: &str) -> Vec<Vec<(u32, usize)>> {
    let reads = "ds_read_b32 v2, v1\n".repeat(8);
    let text = format!(
        "v_readfirstlane_b32 s9, v0
         v_and_b32 v1, 31, v0
         v_lshlrev_b32 v1, 7, v1
         s_cmp_ge_u32 s9, 0x80
         s_cbranch_scc1 go
         s_sleep 2
         go:
         {clause}
         {reads}
         s_waitcnt lgkmcnt(0)
         s_endpgm"
    );
    runs(&logged(&text, Kernel { lds_bytes: 8192, ..KERNEL }))
}

#[test]
fn a_clause_is_issued_in_one_piece() {
    let whole = clause("s_clause 0x7");
    assert_eq!(whole.len(), 4);
    assert!(whole.iter().all(|simd| simd.iter().map(|run| run.1).eq([8, 8])), "{whole:?}");
    let broken = clause("s_clause 0x207");
    for simd in &broken {
        let young = simd[0].1;
        assert!(simd.len() == 3 && young < 8 && young % 2 == 0, "another wave goes between after twos: {broken:?}");
    }
    let none = clause("");
    assert!(none.iter().all(|simd| simd.len() == 3 && simd[1].1 == 8), "the oldest goes first: {none:?}");
    assert!(none.iter().any(|simd| simd[0].1 % 2 == 1), "{none:?}");
}

/// When the older and the younger wave of SIMD 0 issued the last of 64 independent vector instructions each.
fn race(priority: &str) -> (u64, u64) {
    let work: String = (0..64).map(|i| format!("v_add_f32 v{}, v1, v2\n", 3 + i % 8)).collect();
    let text = format!(
        "v_readfirstlane_b32 s9, v0
         s_cmp_ge_u32 s9, 0x80
         s_cbranch_scc0 go
         {priority}
         go:
         s_sleep 5
         {work}
         s_endpgm"
    );
    let log = logged(&text, Kernel { vgprs: 16, ..KERNEL });
    let last = |slot| {
        let of = log.issued.iter().filter(|i| i.1 == WaveSlot { simd: 0, slot } && i.2 == Class::Valu);
        of.map(|i| i.0).max().unwrap()
    };
    (last(0), last(1))
}

#[test]
fn the_oldest_goes_first_and_priority_before_age() {
    let (older, younger) = race("s_nop 0");
    assert!(older + 32 < younger, "{older} {younger}");
    let (older, younger) = race("s_setprio 3");
    assert!(younger + 32 < older, "{older} {younger}");
}
