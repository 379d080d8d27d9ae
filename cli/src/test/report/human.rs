//! A line for each case, below it what is wrong, and at the end how many.

use super::Ran;
use std::fmt::Write as _;
use wavepipe_check::case::Case;
use wavepipe_check::outcome::{Outcome, Status};

pub fn case(case: &Case, outcome: &Outcome) -> String {
    let word = match outcome.status {
        Status::Passed => "pass",
        Status::Failed => "FAIL",
        Status::Skipped => "skip",
        Status::Wrong => "WRONG",
    };
    let mut out = format!("{word:<5} {}\n", case.name());
    let mut below = |text: &str| {
        for line in text.lines() {
            let _ = writeln!(out, "      {line}");
        }
    };
    for problem in &outcome.problems {
        match (&problem.file, problem.line) {
            // A mistake says where it is.
            (Some(file), Some(line)) if !problem.text.starts_with(file.as_str()) => {
                below(&format!("{file}:{line}: {}", problem.text));
            }
            _ => below(&problem.text),
        }
    }
    outcome.hint.iter().for_each(|hint| below(&format!("hint: {hint}")));
    for file in &outcome.updated {
        below(&format!("wrote {file}"));
    }
    if outcome.status != Status::Passed {
        outcome.printed.iter().for_each(|line| below(&format!("| {line}")));
    }
    out
}

pub fn end(ran: &Ran<'_>) -> String {
    format!("{} in {:.2} s\n", ran.counts(), ran.seconds)
}
