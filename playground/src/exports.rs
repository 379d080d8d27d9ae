//! What the page's worker calls. A question lies in memory that [`room`] gave; an answer stays until the next question.
//!
//! Three functions with numbers for arguments need no generated glue: the worker's side is thirty lines.

use crate::Bench;
use std::cell::RefCell;

struct Desk {
    bench: Bench,
    question: Vec<u8>,
    answer: String,
}

thread_local! {
    static DESK: RefCell<Desk> = RefCell::new(Desk { bench: Bench::default(), question: Vec::new(), answer: String::new() });
}

/// Where a question of so many bytes is to be written.
// SAFETY: no other symbol of the module has this name.
#[unsafe(no_mangle)]
pub extern "C" fn room(bytes: usize) -> *mut u8 {
    DESK.with_borrow_mut(|desk| {
        desk.question.clear();
        desk.question.resize(bytes, 0);
        desk.question.as_mut_ptr()
    })
}

/// Answers the question; how many bytes the answer has.
// SAFETY: no other symbol of the module has this name.
#[unsafe(no_mangle)]
pub extern "C" fn ask() -> usize {
    DESK.with_borrow_mut(|desk| {
        let question = String::from_utf8_lossy(&desk.question).into_owned();
        desk.answer = desk.bench.answer(&question);
        desk.answer.len()
    })
}

/// Where the answer lies.
// SAFETY: no other symbol of the module has this name.
#[unsafe(no_mangle)]
pub extern "C" fn answer() -> *const u8 {
    DESK.with_borrow(|desk| desk.answer.as_ptr())
}
