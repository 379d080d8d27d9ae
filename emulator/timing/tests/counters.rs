//! What the clock counted, against counts by hand: of a dispatch, of a kernel, of each instruction.

use crate::common::*;
use wavepipe_core::Config;
use wavepipe_hw::code::WaveSize;
use wavepipe_hw::port::{GpuPort, QueueDesc};
use wavepipe_isa::row::Class;
use wavepipe_timing::engine::Counters;
use wavepipe_timing::lab::{Kernel, packets};
use wavepipe_timing::reason::Reason;

/// Work-items write LDS with a stride of 32 dwords, all on one bank, read it without, store a dword each, and compute.
const COUNTED: &str = "
    v_lshlrev_b32 v1, 7, v0
    ds_write_b32 v1, v0
    s_waitcnt lgkmcnt(0)
    v_lshlrev_b32 v2, 2, v0
    ds_read_b32 v3, v2
    s_waitcnt lgkmcnt(0)
    s_lshl_b32 s9, s8, 8
    v_add_nc_u32 v4, s9, v2
    global_store_dword v4, v3, s[0:1]
    v_fma_f32 v5, v2, v2, v2
    v_rcp_f32 v5, v5
    v_pk_fma_f16 v5, v5, v5, v5
    s_endpgm";

fn counted(code: u64, out: u64, wave: WaveSize) -> Kernel {
    let user_data = vec![out as u32, (out >> 32) as u32, 0, 0, 0, 0, 0, 0];
    Kernel { code, wave, vgprs: 8, lds_bytes: 8192, user_data, workgroup: 64, groups: 3, wgp_mode: false }
}

/// Each cycle of a wave on the machine is an issue or a stall.
fn no_cycle_is_lost(c: &Counters) {
    assert_eq!(c.resident, c.passes + c.stalls.iter().sum::<u64>(), "{c:?}");
}

#[test]
fn a_dispatch_counts_what_its_waves_do() {
    for wave in [WaveSize::W32, WaveSize::W64] {
        let mut bench = Bench::with(Config::default());
        let mut queue = bench.queue(QueueDesc::default());
        let out = bench.memory(4096);
        let kernel = counted(bench.code(COUNTED, wave), out, wave);
        bench.submit(&mut queue, &packets(&kernel));
        bench.wait(&queue);
        let report = bench.reports().pop().unwrap();
        let c = &report.counters;
        let lanes = u64::from(wave.lanes());
        let (items, halves) = (3 * 64, lanes / 32);
        let waves = items / lanes;
        assert_eq!((c.workgroups, c.waves, c.instructions), (3, waves, 13 * waves));
        let kinds = [(Class::Valu, 5), (Class::Trans, 1), (Class::Lds, 2), (Class::Vmem, 1), (Class::Salu, 1)];
        for (class, n) in kinds.into_iter().chain([(Class::Wait, 2), (Class::Message, 1)]) {
            assert_eq!(c.by_class[class as usize], n * waves, "{}", class.name());
        }
        // Six vector instructions issue for each half.
        assert_eq!(c.passes, (7 + 6 * halves) * waves);
        assert_eq!((c.lanes, c.lane_instructions), (9 * items, 9 * waves));
        // Two halves fused; a reciprocal and a fused one of f32.
        assert_eq!(c.float_ops, [4 * items, 3 * items, 0]);
        // 32 lanes on one bank take 32 cycles where one would do.
        assert_eq!((c.lds.conflicts, c.lds.requests), (31 * items / 32, 2 * waves));
        assert_eq!(c.lds.service, (32 + 1) * items / 32);
        assert_eq!(c.lds.bytes[0], 2 * 4 * items);
        // 32 lanes store 128 consecutive bytes: one line.
        assert_eq!((c.vector.requests, c.vector.lanes, c.vector.lines), (waves, items, items / 32));
        assert_eq!((c.vector.bytes[0], c.vector_stores), (4 * items, waves));
        no_cycle_is_lost(c);
        assert!(c.stalls[Reason::WaitLgkm as usize] > 0 && c.fetch.requests > 0);
        assert_eq!(report.occupancy.resident.iter().sum::<u64>(), c.resident);

        // What each instruction counted is what the dispatch did.
        let profile = bench.engine.lock().profile();
        assert_eq!(profile.len(), 13);
        assert!(profile.values().all(|i| i.issued == waves));
        let mut sum = Counters::default();
        for i in profile.values() {
            sum.instructions += i.issued;
            sum.passes += i.passes;
            sum.lanes += i.lanes;
            sum.stalls.iter_mut().zip(i.stalls).for_each(|(all, n)| *all += n);
            sum.lds.conflicts += i.met.conflicts;
            sum.lds.requests += i.met.requests;
        }
        assert_eq!((sum.instructions, sum.passes, sum.lanes), (c.instructions, c.passes, c.lanes));
        assert_eq!(sum.stalls, c.stalls);
        assert_eq!((sum.lds.conflicts, sum.lds.requests), (c.lds.conflicts, c.lds.requests + c.vector.requests));
        assert_eq!(profile.values().map(|i| i.float_ops).sum::<u64>(), c.float_ops.iter().sum::<u64>());

        // Once more: the kernel's sums are two dispatches', and so is the machine's total.
        bench.submit(&mut queue, &packets(&kernel));
        bench.wait(&queue);
        let second = bench.reports().pop().unwrap();
        let mut both = report.counters.clone();
        both.add(&second.counters);
        let engine = bench.engine.lock();
        let (va, known) = engine.kernels().next().unwrap();
        assert_eq!((va, known.dispatches, engine.kernels().count()), (Some(kernel.code), 2, 1));
        assert_eq!(known.counters, both);
        assert_eq!(engine.totals(), both);
        assert_eq!(known.cycles, report.ended - report.launched + second.ended - second.launched);
    }
}

/// Code that is gone takes its counters along: what is kept does not grow with what ran.
#[test]
fn counters_of_code_are_bounded_by_the_code_there_is() {
    let mut bench = Bench::with(Config::default());
    let mut queue = bench.queue(QueueDesc::default());
    let out = bench.memory(4096);
    let mut most = 0;
    for i in 0..40 {
        let code = bench.code(&format!("v_mov_b32 v7, {i}\n{COUNTED}"), WaveSize::W32);
        bench.submit(&mut queue, &packets(&counted(code, out, WaveSize::W32)));
        bench.wait(&queue);
        let profile = bench.engine.lock().profile();
        assert_eq!(profile.range(code..code + 256).count(), 14);
        assert!(profile.range(code..).take(14).all(|(_, c)| c.issued == 6));
        most = most.max(profile.len());
        bench.gpu.free(code);
    }
    assert!(most < 14 * 40 / 2, "{most} instructions are kept");
    assert_eq!(bench.reports().len(), 40);
}
