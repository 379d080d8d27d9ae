//! Panics of odd input are nobody's business; those of others still are.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Barrier};
use wavepipe::quietly;

/// A hook is the whole process's, so this is the only test of its file.
#[test]
fn only_the_thread_that_asks_is_quiet() {
    let told = Arc::new(AtomicU32::new(0));
    let count = told.clone();
    std::panic::set_hook(Box::new(move |_| {
        count.fetch_add(1, Ordering::Relaxed);
    }));
    assert_eq!(quietly(|| 3), Some(3));
    assert_eq!(quietly(|| -> u32 { panic!("odd input") }), None);
    assert_eq!(quietly(|| quietly(|| -> u32 { panic!("within") }).is_none() && panic!("behind")), None::<bool>);
    assert_eq!(told.load(Ordering::Relaxed), 0);
    // While some threads are quiet, the panics of others are told, each one.
    let (threads, rounds) = (8, 200);
    let start = Barrier::new(threads);
    std::thread::scope(|scope| {
        for n in 0..threads {
            let start = &start;
            scope.spawn(move || {
                start.wait();
                for _ in 0..rounds {
                    let panics = || -> () { panic!("of thread {n}") };
                    match n % 2 {
                        0 => assert_eq!(quietly(panics), None),
                        _ => assert!(std::panic::catch_unwind(panics).is_err()),
                    }
                }
            });
        }
    });
    assert_eq!(told.load(Ordering::Relaxed), (threads / 2 * rounds) as u32);
}
