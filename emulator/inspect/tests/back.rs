//! Back is exactly where one was: registers, LDS, memory and whose turn it is.

use crate::common::{Bench, inspected, mixed, mixed_dwords};
use wavepipe_core::{Config, Gpu};
use wavepipe_hw::code::WaveSize;
use wavepipe_hw::fault::FaultKind;
use wavepipe_inspect::{Inspector, Reason, Unit};
use wavepipe_timing::lab::{Kernel, packets};

/// What host threads make of the same dispatch, each lane's part of the sum apart: the order of its atomics is theirs.
fn by_itself(groups: u32) -> (u32, Vec<u32>) {
    let mut bench = Bench::on(std::sync::Arc::new(Gpu::new(Config { threads: 1, ..Config::default() })));
    let (kernel, out, _) = mixed(&bench, groups);
    bench.submit(&packets(&kernel));
    bench.wait();
    let words = bench.words(out, mixed_dwords(groups));
    (words[0], words[4..].chunks(2).map(|pair| pair[1]).collect())
}

#[test]
fn stepping_through_computes_what_running_does() {
    for groups in [1, 5] {
        let mut i = inspected(groups);
        let mut steps = 0;
        while let Reason::Stepped = i.session.step(Unit::Instruction).reason {
            steps += 1;
        }
        assert!(steps > 4 * 25 * groups as u64, "{steps}");
        assert!(i.session.turn().is_none() && i.session.next_dispatch().is_none());
        i.bench.wait();
        let words = i.bench.words(i.out, mixed_dwords(groups));
        let sums: Vec<u32> = words[4..].chunks(2).map(|pair| pair[1]).collect();
        let (sum, plain) = by_itself(groups);
        assert_eq!((words[0], sums), (sum, plain));
        assert!(sum != 0);
    }
}

#[test]
fn a_session_that_is_dropped_lets_the_machine_run() {
    let mut i = inspected(3);
    i.session.goto(100);
    drop(i.session);
    i.bench.wait();
    assert_eq!(i.bench.words(i.out, 1)[0], by_itself(3).0);
}

#[test]
fn n_forwards_and_m_back_is_n_less_m_forwards() {
    let mut a = inspected(6);
    a.session.run();
    let end = a.session.position().executed;
    // With atomics, barriers and the loop on both sides.
    let mut seen = Vec::new();
    let mut b = inspected(6);
    for at in (0..end).step_by(37) {
        b.session.goto(at);
        seen.push((at, b.see()));
    }
    for (at, want) in seen.iter().rev() {
        a.session.goto(*at);
        assert_eq!(&a.see(), want, "back at {at} of {end}");
    }
    // A step forwards and one back, all over the place.
    for (at, want) in seen.iter().step_by(5) {
        a.session.goto(*at);
        a.session.step(Unit::Instruction);
        assert!(a.see() != *want);
        a.session.back(Unit::Instruction);
        assert_eq!(&a.see(), want, "at {at}");
    }
}

#[test]
fn many_states_are_kept_and_forgotten_without_a_difference() {
    // More instructions than states can be kept at the first distance.
    let groups = 300;
    let mut i = inspected(groups);
    i.session.goto(50_000);
    let early = i.see();
    i.session.run();
    let end = i.session.position().executed;
    assert!(end > 64 * 4096 / 4, "{end}");
    let last = i.see();
    i.session.goto(50_000);
    assert_eq!(i.see(), early);
    i.session.goto(end);
    assert_eq!(i.see(), last);
    i.session.goto(0);
    assert!(i.bench.words(i.out, mixed_dwords(groups)).iter().all(|w| *w == 0), "memory as at the begin");
}

#[test]
fn units_back_stop_where_units_forwards_did() {
    for unit in [Unit::Line, Unit::Wave, Unit::Barrier, Unit::Group] {
        let mut i = inspected(3);
        let mut stops = vec![0];
        loop {
            let stop = i.session.step(unit);
            match stop.reason {
                Reason::Stepped => stops.push(stop.position.executed),
                Reason::Ended => break,
                other => panic!("{unit:?}: {other:?}"),
            }
        }
        assert!(stops.len() > 2, "{unit:?}: {stops:?}");
        if unit == Unit::Line {
            // A line is of the wave that it begins with.
            continue;
        }
        let mut back = Vec::new();
        loop {
            let stop = i.session.back(unit);
            back.push(stop.position.executed);
            if let Reason::Begin = stop.reason {
                break;
            }
        }
        back.reverse();
        assert_eq!(back, stops, "{unit:?}");
    }
}

#[test]
fn a_line_back_is_the_line_before_of_the_same_wave() {
    let mut i = inspected(2);
    let first = i.session.turn();
    let entered = i.session.step(Unit::Instruction);
    let mut lines = vec![entered.line.unwrap().line];
    for _ in 0..20 {
        let stop = i.session.step(Unit::Line);
        assert_eq!(stop.turn, first);
        lines.push(stop.line.unwrap().line);
    }
    // Through the barrier, and rounds of the loop.
    assert!(lines.windows(2).any(|l| l[1] < l[0]), "{lines:?}");
    let mut back = vec![lines[20]];
    for _ in 0..20 {
        let stop = i.session.back(Unit::Line);
        assert_eq!(stop.turn, first);
        back.push(stop.line.unwrap().line);
    }
    back.reverse();
    assert_eq!(back, lines);
}

#[test]
fn a_work_group_that_waits_for_a_later_one_goes_on() {
    let inspector = Inspector::new(Config::default());
    let mut bench = Bench::on(inspector.gpu().clone());
    let out = bench.memory(64);
    let text = "
        v_mov_b32 v1, 0
        s_cmp_eq_u32 s8, 0
        s_cbranch_scc0 second
    wait:
        global_load_dword v2, v1, s[0:1] glc dlc
        s_waitcnt vmcnt(0)
        v_readfirstlane_b32 s9, v2
        s_cmp_eq_u32 s9, 0
        s_cbranch_scc1 wait
        v_mov_b32 v3, 7
        global_store_dword v1, v3, s[0:1] offset:4
        s_endpgm
    second:
        v_mov_b32 v3, 1
        global_store_dword v1, v3, s[0:1]
        s_endpgm";
    let (code, _) = bench.code(text, WaveSize::W32);
    let user_data = vec![out as u32, (out >> 32) as u32, 0, 0, 0, 0, 0, 0];
    let kernel = Kernel {
        code,
        wave: WaveSize::W32,
        vgprs: 8,
        lds_bytes: 0,
        user_data,
        workgroup: 32,
        groups: 2,
        wgp_mode: true,
    };
    let mut session = inspector.session().unwrap();
    bench.submit(&packets(&kernel));
    session.next_dispatch().unwrap();
    assert!(matches!(session.run().reason, Reason::Ended));
    let end = session.position().executed;
    session.goto(10);
    assert_eq!(bench.words(out, 2), [0, 0]);
    session.goto(end);
    assert_eq!(bench.words(out, 2), [1, 7]);
}

#[test]
fn from_a_fault_there_is_a_way_back() {
    let inspector = Inspector::new(Config::default());
    let mut bench = Bench::on(inspector.gpu().clone());
    let out = bench.memory(64);
    let text = "v_mov_b32 v1, 0\nv_mov_b32 v3, 7\nglobal_store_dword v1, v3, s[0:1]\nv_mov_b32 v4, 0\nv_mov_b32 v5, 0\n\
                global_store_dword v[4:5], v3, off\ns_endpgm";
    let (code, _) = bench.code(text, WaveSize::W32);
    let user_data = vec![out as u32, (out >> 32) as u32, 0, 0, 0, 0, 0, 0];
    let kernel = Kernel {
        code,
        wave: WaveSize::W32,
        vgprs: 8,
        lds_bytes: 0,
        user_data,
        workgroup: 32,
        groups: 1,
        wgp_mode: true,
    };
    let mut session = inspector.session().unwrap();
    bench.submit(&packets(&kernel));
    session.next_dispatch().unwrap();
    for _ in 0..2 {
        let stop = session.run();
        let Reason::Fault(fault) = &stop.reason else { panic!("{stop:?}") };
        assert!(matches!(fault.kind, FaultKind::WildAddress { address: 0, .. }), "{fault:?}");
        assert_eq!(bench.words(out, 1), [7]);
        session.goto(2);
        assert_eq!(bench.words(out, 1), [0]);
    }
    assert!(bench.faults.try_recv().is_err(), "the driver hears of it when the session goes on");
    session.run();
    assert!(session.next_dispatch().is_none());
    assert!(bench.faults.try_recv().is_ok());
}
