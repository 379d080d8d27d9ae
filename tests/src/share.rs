//! The share of repeated work that a day's gate takes. Suites that do not have the crate `wavepipe-tests` include this file.

/// Returns true if case `number` of work that is shared out over `days` is to run: always, unless `WAVEPIPE_TEST_DAY` has a day's number,
/// as `./scripts/test` sets it (`./scripts/test all` does not).
pub fn is_due(number: usize, days: usize) -> bool {
    let day = std::env::var("WAVEPIPE_TEST_DAY").ok().and_then(|day| day.trim().parse::<usize>().ok());
    day.is_none_or(|day| is_due_on(day, number, days))
}

/// As [`is_due`], on that day: each case on one of `days` days.
pub fn is_due_on(day: usize, number: usize, days: usize) -> bool {
    number % days.max(1) == day % days.max(1)
}
