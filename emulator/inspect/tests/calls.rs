//! Functions: the call stack, steps over a call and out of it, and back.

use crate::common::Bench;
use wavepipe_core::Config;
use wavepipe_hw::code::{LineRow, WaveSize};
use wavepipe_inspect::{Inspector, Program, Reason, Session, Unit};
use wavepipe_timing::lab::{Kernel, packets};

/// An instruction a line, of four bytes each.
const CALLS: &str = "
    s_mov_b32 s6, 1
    s_call_b64 s[4:5], outer
    s_mov_b32 s6, 2
    s_endpgm
outer:
    s_mov_b64 s[8:9], s[4:5]
    s_call_b64 s[4:5], inner
    s_setpc_b64 s[8:9]
inner:
    s_mov_b32 s7, 3
    s_setpc_b64 s[4:5]";

fn kernel(code: u64, groups: u32) -> Kernel {
    Kernel {
        code,
        wave: WaveSize::W32,
        vgprs: 8,
        lds_bytes: 0,
        user_data: vec![0; 8],
        workgroup: 32,
        groups,
        wgp_mode: true,
    }
}

/// In front of the first instruction, and the code's address.
fn held(bench: &mut Bench, inspector: &Inspector) -> (Session, u64) {
    let (code, bytes) = bench.code(CALLS, WaveSize::W32);
    assert_eq!(bytes, 4 * 9);
    let mut session = inspector.session().unwrap();
    bench.submit(&packets(&kernel(code, 1)));
    let mut program = Program::plain("calls", code, bytes);
    program.files = vec!["calls.s".into()];
    program.lines = (0..9).map(|n| LineRow { pc: 4 * n, file: 0, line: n + 1 }).collect();
    session.add_program(program);
    assert!(session.next_dispatch().is_some());
    (session, code)
}

#[test]
fn calls_are_stepped_into_over_and_out_of() {
    let inspector = Inspector::new(Config::default());
    let mut bench = Bench::on(inspector.gpu().clone());
    let (mut session, code) = held(&mut bench, &inspector);
    let turn = session.turn().unwrap();
    let line = |session: &Session| session.waves()[0].line.unwrap().line;
    let frames = |session: &Session| -> Vec<(u64, u64)> {
        session.frames(turn).iter().map(|f| ((f.entry - code) / 4, (f.pc - code) / 4)).collect()
    };
    assert_eq!(frames(&session), [(0, 0)]);
    session.step(Unit::Line);
    assert_eq!(line(&session), 2);
    // Over both functions, and back over them.
    session.step(Unit::Over);
    assert_eq!((line(&session), frames(&session)), (3, vec![(0, 2)]));
    session.back(Unit::Over);
    assert_eq!(line(&session), 2);
    // Into the one, and into the other.
    session.step(Unit::Line);
    assert_eq!((line(&session), frames(&session)), (5, vec![(4, 4), (0, 1)]));
    session.step(Unit::Line);
    session.step(Unit::Line);
    assert_eq!((line(&session), frames(&session)), (8, vec![(7, 7), (4, 5), (0, 1)]));
    assert_eq!(session.frames(turn)[1].line.unwrap().line, 6);
    // Out of each.
    session.step(Unit::Out);
    assert_eq!((line(&session), frames(&session)), (7, vec![(4, 6), (0, 1)]));
    session.step(Unit::Out);
    assert_eq!((line(&session), frames(&session)), (3, vec![(0, 2)]));
    // The stack is what it was, wherever one goes back to.
    session.goto(5);
    assert_eq!(frames(&session), [(7, 8), (4, 5), (0, 1)]);
    assert!(matches!(session.back(Unit::Run).reason, Reason::Begin));
    assert_eq!(frames(&session), [(0, 0)]);
    assert!(matches!(session.run().reason, Reason::Ended));
    assert!(session.frames(turn).is_empty());
}

#[test]
fn what_runs_without_end_is_interrupted_and_given_up() {
    let inspector = Inspector::new(Config { timeout: std::time::Duration::ZERO, ..Config::default() });
    let mut bench = Bench::on(inspector.gpu().clone());
    let (code, _) = bench.code("again:\n s_branch again", WaveSize::W32);
    let mut session = inspector.session().unwrap();
    bench.submit(&packets(&kernel(code, 2)));
    assert!(session.next_dispatch().is_some());
    session.interrupt().store(true, std::sync::atomic::Ordering::SeqCst);
    assert!(matches!(session.run().reason, Reason::Interrupted));
    // On a busy machine the flag may be there before the run has begun.
    for pause in (0..12).map(|n| std::time::Duration::from_millis(50 << n)) {
        let flag = session.interrupt();
        let other = std::thread::spawn(move || {
            std::thread::sleep(pause);
            flag.store(true, std::sync::atomic::Ordering::SeqCst);
        });
        assert!(matches!(session.run().reason, Reason::Interrupted));
        other.join().unwrap();
        if session.position().executed > 0 {
            break;
        }
    }
    assert!(session.position().executed > 0);
    session.give_up();
    assert!(session.turn().is_none() && session.next_dispatch().is_none());
    // The driver hears of it.
    assert!(bench.faults.try_recv().is_ok());
}
