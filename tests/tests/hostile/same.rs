//! The same program gives the same answer each time: on any number of threads, interpreted, as host code and on the clock,
//! in waves of both sizes, beside other work of the host.

use super::*;
use wavepipe_runtime::Jit;

#[test]
fn every_run_has_the_same_answer() {
    let mut count = Count::default();
    let cases = answers();
    // Other work takes the host's threads away at any moment.
    let over = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|scope| {
        let busy = || {
            while !over.load(std::sync::atomic::Ordering::Relaxed) {
                std::hint::spin_loop();
            }
        };
        (0..2).for_each(|_| drop(scope.spawn(busy)));
        for seed in tries("same", 2) {
            let mut r = Random(seed);
            let timing = seed % 6 == 1;
            let config = Config {
                threads: r.pick(&[0, 1, 2, 3, 7, 16]),
                jit: r.pick(&[Jit::Off, Jit::On, Jit::Always]),
                wave: Some(r.pick(&[WaveSize::W32, WaveSize::W64])),
                timing,
                ..Config::default()
            };
            let session = Session::new(&config).unwrap();
            for (case, answer) in &cases {
                let got = run(&session, case);
                assert!(got.as_ref().ok() == Some(answer), "case {} has another answer with {config:?}", case.seed);
                count.add(if timing { "on the clock" } else { "run" });
            }
        }
        over.store(true, std::sync::atomic::Ordering::Relaxed);
    });
    count.done("same", &["run", "on the clock"]);
}
