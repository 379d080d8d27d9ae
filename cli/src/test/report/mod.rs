//! Outcomes as people and programs read them.

mod github;
mod human;
mod json;
pub mod junit;
mod sarif;

use wavepipe_check::case::Case;
use wavepipe_check::outcome::{Outcome, Problem, ProblemKind, Status};

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, clap::ValueEnum)]
pub enum Format {
    #[default]
    Human,
    Json,
    Junit,
    Sarif,
    Github,
}

/// All that ran.
pub struct Ran<'a> {
    pub cases: &'a [Case],
    /// One for each case.
    pub outcomes: &'a [Outcome],
    pub seconds: f64,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Counts {
    pub passed: usize,
    pub failed: usize,
    pub skipped: usize,
    pub wrong: usize,
}

impl std::fmt::Display for Counts {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} passed", self.passed)?;
        let more = [(self.failed, "failed"), (self.skipped, "skipped"), (self.wrong, "wrong")];
        more.iter().filter(|(n, _)| *n > 0).try_for_each(|(n, what)| write!(f, ", {n} {what}"))
    }
}

impl Ran<'_> {
    pub fn pairs(&self) -> impl Iterator<Item = (&Case, &Outcome)> {
        self.cases.iter().zip(self.outcomes)
    }

    pub fn counts(&self) -> Counts {
        let of = |status| self.outcomes.iter().filter(|o| o.status == status).count();
        Counts {
            passed: of(Status::Passed),
            failed: of(Status::Failed),
            skipped: of(Status::Skipped),
            wrong: of(Status::Wrong),
        }
    }

    /// A document of all, or, of what is told case by case, the end.
    pub fn document(&self, format: Format) -> String {
        match format {
            Format::Human => human::end(self),
            Format::Json => json::document(self),
            Format::Junit => junit::document(self),
            Format::Sarif => sarif::document(self),
            Format::Github => human::end(self),
        }
    }
}

/// What is said of a case when it has ended; nothing by formats that are one document.
pub fn case(format: Format, case: &Case, outcome: &Outcome) -> String {
    match format {
        Format::Human => human::case(case, outcome),
        Format::Github => github::case(case, outcome),
        Format::Json | Format::Junit | Format::Sarif => String::new(),
    }
}

fn first_line(text: &str) -> &str {
    text.lines().next().unwrap_or("")
}

/// A problem's kind, as programs know it.
fn kind(kind: ProblemKind) -> String {
    serde_json::to_value(kind).ok().and_then(|v| v.as_str().map(str::to_owned)).unwrap_or_default()
}

/// Whether it is about a finding that nobody expected.
fn is_of(problem: &Problem, id: &str) -> bool {
    problem.kind == ProblemKind::Finding && problem.text.starts_with(&format!("[{id}]"))
}
