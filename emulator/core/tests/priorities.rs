//! Queues of different priority on one machine: who goes first under each policy; that nobody waits for ever; and that
//! results are the same whoever goes first.

use crate::bench::host_time::ample;
use crate::bench::*;
use std::time::{Duration, Instant};
use wavepipe_core::{Config, Policy};
use wavepipe_hw::pipe;
use wavepipe_hw::pm4::*;
use wavepipe_hw::port::*;
use wavepipe_isa::{Gen, asm};

const POLICIES: [Option<Policy>; 4] = [None, Some(Policy::Share), Some(Policy::Limit), Some(Policy::Tunnel)];

fn machine(threads: usize, policy: Option<Policy>) -> Bench {
    Bench::with(Config { threads, policy, timeout: PATIENCE, ..Config::default() })
}

fn code(b: &Bench, text: &str, lanes: u32) -> u64 {
    b.code(&asm::assemble(text, Gen::Gfx1010, lanes).unwrap_or_else(|e| panic!("{e:?}")))
}

fn queue(b: &Bench, pipe: u32, global: GlobalPriority, reserved_cus: u32) -> Ring {
    b.queue_as(QueueDesc { pipe, ring_dwords: 4096, global, reserved_cus, ..QueueDesc::default() })
}

fn wait_for(address: u64) -> Packet {
    Packet::WaitRegMem { address, reference: 1, mask: !0, func: WaitFunc::Equal, wide: false }
}

fn copy(from: u64, to: u64) -> Packet {
    Packet::CopyData { source: CopySource::Memory(from), dest: CopyDest::Memory(to), wide: false }
}

/// Two queues' dispatches that a thread finds at once, and how far the first came by the end of the second. Each work-group
/// of the first counts; that of the second takes less than what others are passed over for.
fn counted_beside(policy: Option<Policy>, global: GlobalPriority, reserved_cus: u32) -> u32 {
    let b = machine(1, policy);
    let m = b.memory(64, "gate, counts, copies");
    let burn = b.code(BURN);
    let mut low = queue(&b, pipe::FIRST_ACE, GlobalPriority::Medium, reserved_cus);
    let mut high = queue(&b, pipe::FIRST_ACE + 1, global, 0);
    let [mut first, mut second] = [vec![wait_for(m)], vec![wait_for(m)]];
    first.extend(launch(burn, m + 8, 10, 1000));
    second.extend(launch(burn, m + 16, 500_000, 1));
    second.extend([Packet::CsPartialFlush, copy(m + 8, m + 24)]);
    b.submit_fenced(&mut low, &first);
    b.submit_fenced(&mut high, &second);
    b.write32(m, 1);
    b.gpu.host_wrote();
    [&low, &high].into_iter().for_each(|q| b.wait(q));
    assert_eq!((b.read32(m + 8), b.read32(m + 16)), (1000, 1));
    b.read32(m + 24)
}

#[test]
fn no_work_group_starts_beside_a_higher_queue_that_limits_or_tunnels() {
    use GlobalPriority::*;
    for (policy, global, counted) in [
        (None, Medium, 1000),
        (None, High, 0),
        (None, Realtime, 0),
        (Some(Policy::Share), Realtime, 1000),
        (Some(Policy::Limit), Realtime, 0),
        (Some(Policy::Tunnel), High, 0),
    ] {
        assert_eq!(counted_beside(policy, global, 0), counted, "{policy:?} {global:?}");
    }
}

#[test]
fn a_queue_runs_on_its_own_compute_units_beside_any_other() {
    for policy in POLICIES {
        assert_eq!(counted_beside(policy, GlobalPriority::Realtime, 4), 1000, "{policy:?}");
    }
}

/// Work that is under way when a higher dispatch comes: how much further it was at that one's end.
fn went_on_beside(policy: Option<Policy>, global: GlobalPriority) -> u32 {
    let b = machine(1, policy);
    let m = b.memory(64, "flag, counts, copies");
    // Counts at +4 for each round of 100, until the dword at +0 is s2.
    let text = "
        v_mov_b32 v1, 1
        v_mov_b32 v2, 0
    again:
        global_atomic_add v2, v1, s[0:1] offset:4
        s_movk_i32 s6, 100
    burn:
        s_sub_u32 s6, s6, 1
        s_cmp_lg_u32 s6, 0
        s_cbranch_scc1 burn
        s_load_dword s4, s[0:1], 0 glc
        s_waitcnt lgkmcnt(0)
        s_cmp_eq_u32 s4, s2
        s_cbranch_scc0 again
        s_endpgm";
    let (count, burn) = (code(&b, text, 32), b.code(BURN));
    let mut low = queue(&b, pipe::FRONT_END, GlobalPriority::Medium, 0);
    let mut high = queue(&b, pipe::FIRST_ACE, global, 0);
    b.submit_fenced(&mut low, &launch(count, m, 1, 3));
    while b.read32(m + 4) == 0 {
        std::thread::yield_now();
    }
    let mut job = vec![copy(m + 4, m + 16)];
    job.extend(launch(burn, m + 8, 500_000, 1));
    job.extend([Packet::CsPartialFlush, copy(m + 4, m + 20)]);
    b.run(&mut high, &job);
    b.write32(m, 1);
    b.wait(&low);
    b.read32(m + 20) - b.read32(m + 16)
}

#[test]
fn resident_work_groups_drain_under_limit_and_stand_still_under_tunnel() {
    use GlobalPriority::*;
    assert_eq!(went_on_beside(None, Realtime), 0);
    assert_eq!(went_on_beside(Some(Policy::Tunnel), High), 0);
    assert!(went_on_beside(None, High) > 0);
    assert!(went_on_beside(Some(Policy::Limit), Realtime) > 0);
    assert!(went_on_beside(Some(Policy::Share), Realtime) > 0);
}

/// Kernels of every priority that spin on one of the lowest, which starts last; on fewer threads than spin.
#[test]
fn who_spins_on_lower_work_gets_what_it_waits_for() {
    use GlobalPriority::*;
    for policy in POLICIES {
        for threads in [1, 2] {
            let b = machine(threads, policy);
            let m = b.memory(64, "flag");
            let (until, set) = (b.code(UNTIL), b.code(SET));
            let mut spinning = [Medium, High, Realtime].map(|g| queue(&b, pipe::FIRST_ACE + g as u32, g, 0));
            let mut low = queue(&b, pipe::FIRST_ACE, Low, 0);
            for q in &mut spinning {
                b.submit_fenced(q, &launch(until, m, 1, 100));
            }
            assert!(!b.reached(&spinning[2], Duration::from_millis(5)));
            b.run(&mut low, &launch(set, m, 1, 1));
            spinning.iter().for_each(|q| b.wait(q));
        }
    }
}

/// A work-group of low priority has a lock when one of high priority comes that wants it.
#[test]
fn a_lock_is_given_back_by_suspended_work() {
    let b = machine(1, Some(Policy::Tunnel));
    let m = b.memory(64, "lock, counts");
    // Takes the lock at +0 (0 is free), works s2 rounds, counts at +4, gives the lock back. One lane.
    let text = "
        v_mov_b32 v1, 1
        v_mov_b32 v2, 0
        v_mov_b32 v3, 0
        v_mov_b32 v4, 1
    take:
        v_mov_b32 v5, 1
        v_mov_b32 v6, 0
        global_atomic_cmpswap v7, v2, v[5:6], s[0:1] glc
        s_waitcnt vmcnt(0)
        v_readfirstlane_b32 s4, v7
        s_cmp_lg_u32 s4, 0
        s_cbranch_scc1 take
    burn:
        s_sub_u32 s2, s2, 1
        s_cmp_lg_u32 s2, 0
        s_cbranch_scc1 burn
        global_atomic_add v2, v4, s[0:1] offset:4
        global_atomic_swap v2, v3, s[0:1]
        s_endpgm";
    let locked = code(&b, text, 32);
    let mut low = queue(&b, pipe::FRONT_END, GlobalPriority::Low, 0);
    let mut high = queue(&b, pipe::FIRST_ACE, GlobalPriority::Realtime, 0);
    b.submit_fenced(&mut low, &launch(locked, m, 100_000, 3));
    while b.read32(m) == 0 && b.read32(m + 4) == 0 {
        std::thread::yield_now();
    }
    b.run(&mut high, &launch(locked, m, 10, 2));
    b.wait(&low);
    assert_eq!((b.read32(m), b.read32(m + 4)), (0, 5));
}

/// Work that only waits in its ring is no work: what it waits for is not held.
#[test]
fn a_queue_that_waits_in_its_ring_holds_nobody() {
    let b = machine(1, Some(Policy::Tunnel));
    let m = b.memory(64, "semaphore, counts");
    let burn = b.code(BURN);
    let mut low = queue(&b, pipe::FRONT_END, GlobalPriority::Low, 0);
    let mut high = queue(&b, pipe::FIRST_ACE, GlobalPriority::Realtime, 0);
    let mut job = launch(burn, m + 4, 10, 5);
    job.push(wait_for(m));
    job.extend(launch(burn, m + 4, 10, 5));
    b.submit_fenced(&mut high, &job);
    let mut first = launch(burn, m + 8, 100_000, 5);
    first.push(Packet::ReleaseMem { address: m, data: ReleaseData::Value32(1), interrupt: false });
    b.run(&mut low, &first);
    b.wait(&high);
    assert_eq!((b.read32(m + 4), b.read32(m + 8)), (10, 5));
}

/// Long after the time that a dispatch may take, but it stood still for most of that.
#[test]
fn a_suspended_dispatch_is_not_overdue() {
    // Enough for what runs without a pause, whatever else the host does.
    let timeout = ample(Duration::from_secs(1), 10, || {
        let b = machine(1, Some(Policy::Tunnel));
        let m = b.memory(64, "counts");
        b.run(&mut b.queue(0, 0), &launch(b.code(BURN), m, 20_000, 100));
    });
    let b = Bench::with(Config { threads: 1, timeout, ..Config::default() });
    let m = b.memory(64, "counts");
    let burn = b.code(BURN);
    let mut low = queue(&b, pipe::FRONT_END, GlobalPriority::Low, 0);
    let mut high = queue(&b, pipe::FIRST_ACE, GlobalPriority::Realtime, 0);
    b.submit_fenced(&mut low, &launch(burn, m, 20_000, 100));
    while b.read32(m) == 0 {
        std::thread::yield_now();
    }
    // Short dispatches, one after the other, and always more of them behind.
    let mut job = launch(burn, m + 4, 100_000, 1);
    job.push(Packet::CsPartialFlush);
    let begin = Instant::now();
    while begin.elapsed() < 2 * timeout {
        b.submit_fenced(&mut high, &vec![job.clone(); 10].concat());
        while b.read64(high.fence) + 1 < high.fence_value {
            assert!(begin.elapsed() < PATIENCE && !b.has_fault());
            std::thread::yield_now();
        }
    }
    b.wait(&high);
    b.wait(&low);
    assert_eq!((b.read32(m), u64::from(b.read32(m + 4))), (100, 10 * high.fence_value));
}

/// Rounds of: everyone shows its value in LDS, meets, reads another's, meets, and mixes; with a condition in VCC and one in
/// SCC kept over the barriers. s[0:1]: results; s2: rounds; s3: the work-group.
fn mix(lanes: u32) -> String {
    let vcc = if lanes == 32 { "vcc_lo" } else { "vcc" };
    format!(
        "
        v_lshlrev_b32 v1, 2, v0
        v_add_nc_u32 v2, 37, v0
        v_and_b32 v2, 0xff, v2
        v_lshlrev_b32 v2, 2, v2
        v_mul_lo_u32 v3, v0, 0x9e3779b1
        v_add_nc_u32 v3, s3, v3
        s_lshl_b32 s3, s3, 10
        v_add_nc_u32 v6, s3, v1
    again:
        ds_write_b32 v1, v3
        v_cmp_gt_u32 {vcc}, 0x80000000, v3
        s_bitcmp1_b32 s2, 1
        s_waitcnt lgkmcnt(0)
        s_barrier
        ds_read_b32 v4, v2
        s_waitcnt lgkmcnt(0)
        s_barrier
        s_cselect_b32 s5, 3, 7
        v_cndmask_b32 v5, v3, v4, {vcc}
        v_mul_lo_u32 v3, v3, s5
        v_xor_b32 v3, v3, v5
        v_add_nc_u32 v3, s2, v3
        s_sub_u32 s2, s2, 1
        s_cmp_lg_u32 s2, 0
        s_cbranch_scc1 again
        global_store_dword v6, v3, s[0:1]
        s_endpgm"
    )
}

/// The same, one work-group at a time.
fn mixed(rounds: u32, group: u32) -> Vec<u32> {
    let mut values: Vec<u32> = (0..256u32).map(|i| i.wrapping_mul(0x9e37_79b1).wrapping_add(group)).collect();
    for round in (1..=rounds).rev() {
        let factor = if round & 2 != 0 { 3 } else { 7 };
        let next = |i: usize| {
            let (own, other) = (values[i], values[(i + 37) & 255]);
            let chosen = if own < 0x8000_0000 { other } else { own };
            (own.wrapping_mul(factor) ^ chosen).wrapping_add(round)
        };
        values = (0..256).map(next).collect();
    }
    values
}

#[test]
fn results_are_the_same_under_every_policy() {
    // Long enough that high-priority work comes many times meanwhile.
    const ROUNDS: u32 = 3000;
    const GROUPS: u32 = 24;
    let want: Vec<u32> = (0..GROUPS).flat_map(|g| mixed(ROUNDS, g)).collect();
    for (seed, policy) in (1..).zip(POLICIES) {
        for (threads, lanes) in [(1, 32), (2, 64), (3, 32)] {
            let b = machine(threads, policy);
            let (out, m) = (b.memory(4 << 20, "results"), b.memory(64, "count"));
            let (mix, burn) = (code(&b, &mix(lanes), lanes), b.code(BURN));
            let mut low = queue(&b, pipe::FRONT_END, GlobalPriority::Low, 0);
            let mut high = queue(&b, pipe::FIRST_ACE, GlobalPriority::Realtime, 0);
            let wave32 = if lanes == 32 { initiator::CS_W32_EN } else { 0 };
            // Eight or more VGPRs, four user SGPRs of which the last is the work-group's id, 1 KiB of LDS.
            let [rsrc1, rsrc2] = [0x200f_0001 | 0xf0 << 12, 3 << 1 | 1 << 7 | 2 << 15];
            let job = [
                Packet::SetShReg { reg: reg::COMPUTE_NUM_THREAD_X, values: vec![256, 1, 1] },
                Packet::SetShReg { reg: reg::COMPUTE_PGM_LO, values: vec![(mix >> 8) as u32, (mix >> 40) as u32] },
                Packet::SetShReg { reg: reg::COMPUTE_PGM_RSRC1, values: vec![rsrc1, rsrc2] },
                Packet::SetShReg {
                    reg: reg::COMPUTE_USER_DATA_0,
                    values: vec![out as u32, (out >> 32) as u32, ROUNDS],
                },
                Packet::DispatchDirect {
                    groups: [GROUPS, 1, 1],
                    initiator: initiator::COMPUTE_SHADER_EN | wave32 | initiator::FORCE_START_AT_000,
                },
            ];
            b.submit_fenced(&mut low, &job);
            let (mut x, mut jobs) = (0x9e37_79b9_u32.wrapping_mul(seed), 0);
            let begin = Instant::now();
            let tunnels = matches!(policy, None | Some(Policy::Tunnel));
            loop {
                if b.reached(&low, Duration::ZERO) {
                    if !tunnels || b.gpu.statistics().preemptions > 0 {
                        break;
                    }
                    // On a busy machine it may be through before the other comes even once.
                    b.submit_fenced(&mut low, &job);
                }
                assert!(begin.elapsed() < PATIENCE && !b.has_fault(), "{policy:?}, {threads} threads, wave{lanes}");
                // xorshift32
                x ^= x << 13;
                x ^= x >> 17;
                x ^= x << 5;
                b.run(&mut high, &launch(burn, m, 1 + x % 2000, 1 + x / 7 % 4));
                jobs += 1 + x / 7 % 4;
                (0..x / 64 % 2000).for_each(|_| std::hint::spin_loop());
            }
            assert_eq!(b.read32(m), jobs);
            let got: Vec<u32> = (0..256 * GROUPS).map(|i| b.read32(out + 4 * u64::from(i))).collect();
            assert!(got == want, "{policy:?}, {threads} threads, wave{lanes}");
            let suspended = b.gpu.statistics().preemptions;
            assert_eq!(suspended > 0, tunnels, "{suspended} suspended, {policy:?}, {threads} threads, wave{lanes}");
        }
    }
}
