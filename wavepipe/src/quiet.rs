//! Parsers of others that may panic on odd input, asked without a word on stderr.

use std::cell::Cell;
use std::panic::{self, UnwindSafe};
use std::sync::Once;

thread_local! {
    static QUIET: Cell<bool> = const { Cell::new(false) };
}

/// Gives back what it was when dropped, also by a panic.
struct Restore(bool);

impl Drop for Restore {
    fn drop(&mut self) {
        QUIET.set(self.0);
    }
}

/// What `f` gives, or `None` if it panics, of which nothing is printed. The hook that sees to this is installed once and asks whose
/// panic it is: those of other threads are told as ever.
pub fn quietly<T>(f: impl FnOnce() -> T + UnwindSafe) -> Option<T> {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let others = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            // A thread that ends has no flag any more.
            if !QUIET.try_with(Cell::get).unwrap_or(false) {
                others(info);
            }
        }));
    });
    let restore = Restore(QUIET.replace(true));
    let result = panic::catch_unwind(f);
    drop(restore);
    result.ok()
}
