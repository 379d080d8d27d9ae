//! The share of repeated work that a day's gate takes. Suites that do not have the crate `wavepipe-tests` include this file.
//!
//! `./scripts/test` sets `WAVEPIPE_TEST_DAY` to a day's number. Without it, as in a run by hand, in `./scripts/test all` and where tests are
//! named, everything is due.
#![allow(dead_code)]

/// Returns the number of the day whose share is taken, if a share is.
pub fn day() -> Option<usize> {
    std::env::var("WAVEPIPE_TEST_DAY").ok()?.trim().parse().ok()
}

/// Returns true if case `number` of work that is shared out over `days` is due.
pub fn is_due(number: usize, days: usize) -> bool {
    day().is_none_or(|day| is_due_on(day, number, days))
}

/// As [`is_due`], on that day: each case is due on one of `days` days.
pub fn is_due_on(day: usize, number: usize, days: usize) -> bool {
    number % days.max(1) == day % days.max(1)
}

/// Returns the cases that are due, and prints how many are left to other days, which the gate counts.
pub fn due<T>(what: &str, cases: impl IntoIterator<Item = T>, days: usize) -> Vec<T> {
    let all: Vec<T> = cases.into_iter().collect();
    let count = all.len();
    let due: Vec<T> = all.into_iter().enumerate().filter(|(n, _)| is_due(*n, days)).map(|(_, case)| case).collect();
    if due.len() < count {
        println!("OTHER DAYS {what}: {} of {count}", count - due.len());
    }
    due
}
