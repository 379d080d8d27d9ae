//! The ranks of locks.

use wavepipe_runtime::tested::{Mutex, rank};

#[test]
fn downwards_is_a_panic_and_upwards_is_not() {
    let (low, high) = (Mutex::<u32, { rank::RING }>::new(1), Mutex::<u32, { rank::LEAF }>::new(2));
    {
        let (a, b) = (low.lock(), high.lock());
        assert_eq!(*a + *b, 3);
        drop(a);
    }
    let wrong = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        let _held = high.lock();
        *low.lock()
    }));
    assert!(wrong.is_err());
    // Nothing is held after either.
    assert_eq!(*low.lock(), 1);
}
