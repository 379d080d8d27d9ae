//! Annotations of GitHub's workflows: a command on standard output for each problem, at its line.

use super::human;
use wavepipe_check::case::Case;
use wavepipe_check::outcome::{Outcome, Status};

/// A property's value, and, without `:` and `,`, a message.
fn escape(text: &str, property: bool) -> String {
    let text = text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A");
    if property { text.replace(':', "%3A").replace(',', "%2C") } else { text }
}

pub fn case(case: &Case, outcome: &Outcome) -> String {
    let mut out = human::case(case, outcome);
    let level = match outcome.status {
        Status::Passed => return out,
        Status::Skipped => "notice",
        Status::Failed | Status::Wrong => "error",
    };
    for p in &outcome.problems {
        let file = p.file.clone().unwrap_or_else(|| case.file.display().to_string());
        let line = p.line.unwrap_or(case.line);
        out += &format!(
            "::{level} file={},line={line},title={}::{}\n",
            escape(&file, true),
            escape(&case.name(), true),
            escape(&p.text, false)
        );
    }
    out
}
