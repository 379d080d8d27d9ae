//! What the work-groups of a device share in GDS: its memory, barriers and semaphores of GWS, and DS_ORDERED_COUNT's order.

use crate::bench::host_time::ample;
use crate::bench::{Bench, PATIENCE, dispatch, kernel};
use std::time::Duration;
use wavepipe_core::Config;
use wavepipe_core::gds::Gds;
use wavepipe_core::tested::gws;
use wavepipe_hw::fault::FaultKind;
use wavepipe_hw::pm4::Packet;
use wavepipe_isa::row::GwsOp;
use wavepipe_isa::{Gen, asm};

/// A kernel of one or more waves, its address in s[0:1], with `s2` after it: the work-group's number.
fn work_groups(b: &Bench, text: &str, lanes: u32, out: u64, groups: u32) -> Vec<Packet> {
    let words = asm::assemble(text, Gen::Gfx1010, 32).unwrap_or_else(|e| panic!("{e:?}"));
    let mut p = kernel(b.code(&words), out, 0, lanes, true);
    p.push(dispatch(groups));
    p
}

#[test]
fn work_groups_meet_at_a_barrier_of_gws() {
    for threads in [1, 3] {
        let b = Bench::with(Config { threads, timeout: PATIENCE, ..Config::default() });
        let mut q = b.queue(0, 0);
        let out = b.memory(4096, "out");
        // Resource 5, by base and offset; 12 work-groups of 2 waves: 24 arrive, 23 of them wait.
        let init = "s_mov_b32 m0, 0x30000
            v_mov_b32 v1, 23
            ds_gws_init v1 offset:2 gds
            s_endpgm";
        b.run(&mut q, &work_groups(&b, init, 1, out, 1));
        // Everyone counts, meets, and notes what the count was; twice.
        let meet = "s_mov_b32 m0, 0x30000
            v_mov_b32 v1, 23
            v_mov_b32 v2, 0
            v_mov_b32 v3, 1
            v_mbcnt_lo_u32_b32 v4, -1, 0
            v_cmp_eq_u32 vcc_lo, 0, v4
            s_and_b32 exec_lo, exec_lo, vcc_lo
            global_atomic_add v2, v3, s[0:1]
            ds_gws_barrier v1 offset:2 gds
            global_load_dword v5, v2, s[0:1]
            ds_gws_barrier v1 offset:2 gds
            global_atomic_add v2, v3, s[0:1]
            ds_gws_barrier v1 offset:2 gds
            global_load_dword v6, v2, s[0:1]
            v_lshlrev_b32 v7, 3, s2
            global_store_dwordx2 v7, v[5:6], s[0:1] offset:64
            s_endpgm";
        b.run(&mut q, &work_groups(&b, meet, 64, out, 12));
        assert!(!b.has_fault());
        for group in 0..12 {
            let at = out + 64 + 8 * group;
            assert_eq!((b.read32(at), b.read32(at + 4)), (24, 48), "{threads} threads, work-group {group}");
        }
    }
}

#[test]
fn a_barrier_that_nobody_completes_is_a_timeout() {
    let others = |b: &Bench| {
        let (mut other, out) = (b.queue(1, 0), b.memory(64, "out"));
        b.run(&mut other, &work_groups(b, "s_endpgm", 1, out, 50));
    };
    // The other queue's dispatch has that limit too.
    let limit = ample(Duration::from_secs(1), 50, || {
        others(&Bench::with(Config { threads: 2, timeout: PATIENCE, ..Config::default() }));
    });
    let b = Bench::with(Config { threads: 2, timeout: limit, ..Config::default() });
    let mut q = b.queue(0, 0);
    let out = b.memory(4096, "out");
    let wait = "s_mov_b32 m0, 0
        v_mov_b32 v1, 7
        ds_gws_init v1 gds
        ds_gws_barrier v1 gds
        s_endpgm";
    b.submit_fenced(&mut q, &work_groups(&b, wait, 1, out, 3));
    // Other queues carry on meanwhile.
    others(&b);
    let (_, fault) = b.fault();
    assert_eq!(fault.kind, FaultKind::Timeout { limit_ms: limit.as_millis() as u64 });
}

#[test]
fn semaphores_of_gws_admit_as_many_as_they_hold() {
    let b = Bench::with(Config { threads: 3, timeout: PATIENCE, ..Config::default() });
    let mut q = b.queue(0, 0);
    let out = b.memory(4096, "out");
    let init = "s_mov_b32 m0, 0
        v_mov_b32 v1, 2
        ds_gws_init v1 offset:7 gds
        s_endpgm";
    b.run(&mut q, &work_groups(&b, init, 1, out, 1));
    // Dword 0 counts who is inside, dword 1 the most that ever were.
    let inside = "s_mov_b32 m0, 0
        v_mov_b32 v1, 0
        v_mov_b32 v2, 1
        ds_gws_sema_p offset:7 gds
        global_atomic_add v3, v1, v2, s[0:1] glc
        v_add_nc_u32 v3, 1, v3
        global_atomic_umax v1, v3, s[0:1] offset:4
        s_sleep 1
        s_sleep 1
        s_sleep 1
        global_atomic_sub v1, v2, s[0:1]
        global_atomic_add v1, v2, s[0:1] offset:8
        ds_gws_sema_v offset:7 gds
        s_endpgm";
    b.run(&mut q, &work_groups(&b, inside, 1, out, 40));
    assert!(!b.has_fault());
    let most = b.read32(out + 4);
    assert_eq!((b.read32(out), b.read32(out + 8)), (0, 40));
    assert!((1..=2).contains(&most), "{most} inside");
}

#[test]
fn work_groups_pass_an_ordered_count_in_dispatch_order() {
    for threads in [1, 4] {
        let b = Bench::with(Config { threads, timeout: PATIENCE, ..Config::default() });
        let mut q = b.queue(0, 0);
        let out = b.memory(1 << 16, "out");
        let clear = "s_mov_b32 m0, 0x1000ffff
            v_mov_b32 v1, 0x0
            v_mov_b32 v2, 100
            ds_write_b32 v1, v2 offset:8 gds
            s_endpgm";
        b.run(&mut q, &work_groups(&b, clear, 1, out, 1));
        // Early work-groups take longer. Two waves each: the slot is 2 · group + wave.
        let pass = "s_mov_b32 m0, 0x10000000
            s_sub_u32 s4, 0x200, s2
            loop:
            s_sub_u32 s4, s4, 1
            s_cmp_lg_u32 s4, 0
            s_cbranch_scc1 loop
            v_mov_b32 v1, 3
            ds_ordered_count v2, v1 offset:264 gds
            v_lshrrev_b32 v3, 5, v0
            v_lshlrev_b32 v4, 1, s2
            v_add_nc_u32 v3, v3, v4
            v_lshlrev_b32 v3, 2, v3
            global_store_dword v3, v2, s[0:1]
            s_endpgm";
        b.run(&mut q, &work_groups(&b, pass, 64, out, 300));
        assert!(!b.has_fault());
        for wave in 0..600 {
            let want = 100 + 3 * wave;
            assert_eq!(b.read32(out + 4 * u64::from(wave)), want, "{threads} threads, wave {wave}");
        }
    }
}

/// Every device has a GDS of its own, and all of its work-groups add to it.
#[test]
fn atomics_of_gds_are_the_devices() {
    let b = Bench::with(Config { threads: 3, timeout: PATIENCE, ..Config::default() });
    let mut q = b.queue(0, 0);
    let out = b.memory(4096, "out");
    let add = "s_mov_b32 m0, 0xffff
        v_mov_b32 v1, 0
        v_mov_b32 v2, 1
        ds_add_u32 v1, v2 offset:16 gds
        ds_append v3 offset:32 gds
        s_endpgm";
    b.run(&mut q, &work_groups(&b, add, 96, out, 200));
    let read = "s_mov_b32 m0, 0xffff
        v_mov_b32 v1, 0
        ds_read_b32 v2, v1 offset:16 gds
        ds_read_b32 v3, v1 offset:32 gds
        global_store_dwordx2 v1, v[2:3], s[0:1]
        s_endpgm";
    b.run(&mut q, &work_groups(&b, read, 1, out, 1));
    assert_eq!((b.read32(out), b.read32(out + 4)), (96 * 200, 96 * 200));
}
#[test]
fn a_barrier_opens_for_the_last() {
    let g = Gds::default();
    assert_eq!(gws(&g, GwsOp::Init, 3, 2, None), None);
    for _ in 0..3 {
        let a = gws(&g, GwsOp::Barrier, 3, 2, None).unwrap();
        let b = gws(&g, GwsOp::Barrier, 3, 2, None).unwrap();
        assert_eq!(gws(&g, GwsOp::Barrier, 3, 2, Some(a)), Some(a));
        assert_eq!(gws(&g, GwsOp::Barrier, 3 + 64, 2, None), None);
        assert_eq!(gws(&g, GwsOp::Barrier, 3, 2, Some(a)), None);
        assert_eq!(gws(&g, GwsOp::Barrier, 3, 2, Some(b)), None);
    }
}

#[test]
fn a_semaphore_serves_in_order() {
    let g = Gds::default();
    gws(&g, GwsOp::Init, 0, 1, None);
    let p = |ticket| gws(&g, GwsOp::SemaphoreP, 0, 0, ticket);
    assert_eq!(p(None), None);
    let (a, b) = (p(None), p(None));
    gws(&g, GwsOp::SemaphoreV, 0, 0, None);
    assert_eq!((p(b), p(a)), (b, None));
    assert_eq!(p(b), b);
    let c = p(None);
    gws(&g, GwsOp::SemaphoreReleaseAll, 0, 0, None);
    assert_eq!((p(b), p(c)), (None, None));
    // Nobody waits: nothing is released.
    gws(&g, GwsOp::SemaphoreReleaseAll, 0, 0, None);
    let d = p(None);
    assert!(d.is_some());
    gws(&g, GwsOp::SemaphoreBroadcast, 0, 2, None);
    assert_eq!((p(d), p(None)), (None, None));
    assert!(p(None).is_some());
}
