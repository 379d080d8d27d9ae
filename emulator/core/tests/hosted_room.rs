//! Host code where there is room for a few regions only: kernels run in turn on several threads, so that each is dropped, while
//! others may run it, and is compiled again; what they compute stays what a plain computation says. Nothing is ever writable and
//! executable at once.

use crate::bench::host::engine_of;
use crate::hosted_loops::ISA;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use wavepipe_core::memory::Memory;
use wavepipe_core::wave::{CodeCache, HostCode, HostRun, Launch, NoCode, Outcome, Region, WorkGroup};
use wavepipe_hw::code::WaveSize;
use wavepipe_isa::asm;
use wavepipe_jit::HostIsa;

const KERNELS: u32 = 40;
/// Pages of the smallest size; a kernel takes one.
const ROOM: usize = 8 * 4096;
const THREADS: u32 = 3;
const TURNS: u32 = 20;

/// What a kernel computes of a lane.
fn wanted(kernel: u32, lane: u32) -> u32 {
    (0..16).fold(lane, |v, _| v.wrapping_mul(kernel * 2 + 3) ^ kernel)
}

fn text(kernel: u32) -> String {
    format!(
        "v_mov_b32 v1, v0\n s_movk_i32 s4, 16\nround:\n v_mul_lo_u32 v1, v1, {:#x}\n v_xor_b32 v1, {kernel}, v1\n\
         s_sub_u32 s4, s4, 1\n s_cmp_lg_u32 s4, 0\n s_cbranch_scc1 round\n s_endpgm\n",
        kernel * 2 + 3
    )
}

/// Counts what an engine makes, and what it has no room for.
struct Counted {
    engine: Arc<dyn HostCode>,
    made: AtomicUsize,
    full: AtomicUsize,
}

impl HostCode for Counted {
    fn patience(&self) -> u32 {
        self.engine.patience()
    }
    fn compile(&self, region: &Region) -> Result<Box<dyn HostRun>, NoCode> {
        let run = self.engine.compile(region);
        match &run {
            Ok(_) => self.made.fetch_add(1, Relaxed),
            Err(NoCode::Full) => self.full.fetch_add(1, Relaxed),
            Err(NoCode::Never) => panic!("host code"),
        };
        run
    }
    fn publish(&self) {
        self.engine.publish();
    }
}

#[cfg(target_os = "linux")]
fn nothing_is_writable_and_executable() {
    let maps = std::fs::read_to_string("/proc/self/maps").unwrap();
    let both = |line: &&str| line.split_whitespace().nth(1).is_some_and(|p| p.contains('w') && p.contains('x'));
    assert_eq!(maps.lines().find(both), None);
}
#[cfg(not(target_os = "linux"))]
fn nothing_is_writable_and_executable() {}

#[test]
fn regions_give_way_and_come_back() {
    for target in HostIsa::ALL {
        let Some(engine) = engine_of(target, &[], ROOM) else { continue };
        let counted = Arc::new(Counted { engine, made: AtomicUsize::new(0), full: AtomicUsize::new(0) });
        let cache = CodeCache::with_host_code(counted.clone());
        let memory = Memory::new(1 << 26);
        let code = memory.allocate(u64::from(KERNELS) * 4096, "code").unwrap().va;
        let map = memory.snapshot();
        for kernel in 0..KERNELS {
            let words = asm::assemble(&text(kernel), ISA, 32).unwrap();
            map.write(code + u64::from(kernel) * 4096, bytemuck::cast_slice(&words)).unwrap();
        }
        let run = |group: &mut WorkGroup, kernel: u32| {
            let launch = Launch::of_one_wave(ISA, code + u64::from(kernel) * 4096, WaveSize::W32);
            group.start(&Arc::new(launch), [0; 3], 0);
            assert!(matches!(group.run(&map, &cache, 1 << 16), Outcome::Done));
            let view = group.wave(0).unwrap();
            (0..32)
                .for_each(|lane| assert_eq!(view.vgpr(1, lane), wanted(kernel, lane), "kernel {kernel}, lane {lane}"));
        };
        std::thread::scope(|scope| {
            for thread in 0..THREADS {
                let run = &run;
                scope.spawn(move || {
                    // What one group keeps of kernels, another does not.
                    let mut groups = [WorkGroup::new(), WorkGroup::new()];
                    for turn in 0..TURNS {
                        for k in 0..KERNELS {
                            let kernel = (k * (2 * thread + 3) + turn) % KERNELS;
                            run(&mut groups[(turn % 2) as usize], kernel);
                        }
                        nothing_is_writable_and_executable();
                    }
                });
            }
        });
        let (made, full) = (counted.made.load(Relaxed), counted.full.load(Relaxed));
        assert!(full > 0, "{}: there was always room", target.name());
        assert!(made > 2 * KERNELS as usize, "{}: {made} regions were made, {full} had no room", target.name());
    }
}

#[test]
fn a_region_larger_than_all_room_is_the_interpreters() {
    for target in HostIsa::ALL {
        let Some(engine) = engine_of(target, &[], 4096) else { continue };
        let steps: String = (0..300).map(|n| format!("v_mul_lo_u32 v1, v1, {:#x}\n", 2 * n + 1)).collect();
        let cache = CodeCache::with_host_code(engine);
        let text = format!("v_mov_b32 v1, v0\n{steps}s_endpgm\n");
        let (registers, _) = crate::hosted_loops::end(&cache, WaveSize::W32, &text, 0);
        let factor = (0..300u32).fold(1u32, |f, n| f.wrapping_mul(2 * n + 1));
        (0..32).for_each(|lane| assert_eq!(registers[32 + lane as usize], factor.wrapping_mul(lane)));
    }
}
