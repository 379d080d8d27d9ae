//! JUnit's XML, as build servers read it: a suite for each file, so that documents of several machines merge.

use super::{Ran, first_line, kind};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use wavepipe_check::case::Case;
use wavepipe_check::outcome::{Outcome, Status};

/// Text as XML has it; characters that XML has not are left out.
pub fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out += "&amp;",
            '<' => out += "&lt;",
            '>' => out += "&gt;",
            '"' => out += "&quot;",
            '\n' => out += "&#10;",
            '\t' => out += "&#9;",
            c if c < ' ' || matches!(c, '\u{fffe}' | '\u{ffff}') => {}
            c => out.push(c),
        }
    }
    out
}

fn case(case: &Case, outcome: &Outcome) -> String {
    let file = case.file.display().to_string();
    let name = if case.label.is_empty() {
        case.file.file_name().unwrap_or_default().to_string_lossy()
    } else {
        case.label.as_str().into()
    };
    let mut out = format!(
        "    <testcase name=\"{}\" classname=\"{}\" file=\"{}\" line=\"{}\" time=\"{:.3}\">\n",
        escape(&name),
        escape(&file),
        escape(&file),
        case.line,
        outcome.seconds
    );
    for p in &outcome.problems {
        let tag = match outcome.status {
            Status::Wrong => "error",
            Status::Skipped => "skipped",
            _ => "failure",
        };
        let (message, text) = (escape(first_line(&p.text)), escape(&p.text));
        let _ = match tag {
            "skipped" => writeln!(out, "      <skipped message=\"{message}\"/>"),
            tag => writeln!(out, "      <{tag} type=\"{}\" message=\"{message}\">{text}</{tag}>", kind(p.kind)),
        };
    }
    if !outcome.printed.is_empty() {
        let _ = writeln!(out, "      <system-out>{}</system-out>", escape(&outcome.printed.join("\n")));
    }
    out + "    </testcase>\n"
}

pub fn document(ran: &Ran<'_>) -> String {
    let mut suites: BTreeMap<String, Vec<(&Case, &Outcome)>> = BTreeMap::new();
    for (c, o) in ran.pairs() {
        suites.entry(c.file.display().to_string()).or_default().push((c, o));
    }
    let numbers = |all: &[(&Case, &Outcome)]| {
        let of = |status| all.iter().filter(|(_, o)| o.status == status).count();
        let seconds: f64 = all.iter().map(|(_, o)| o.seconds).sum();
        format!(
            "tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\" time=\"{seconds:.3}\"",
            all.len(),
            of(Status::Failed),
            of(Status::Wrong),
            of(Status::Skipped)
        )
    };
    let all: Vec<(&Case, &Outcome)> = ran.pairs().collect();
    let mut out = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    let _ = writeln!(out, "<testsuites name=\"wavepipe\" {}>", numbers(&all));
    for (file, cases) in &suites {
        let _ = writeln!(out, "  <testsuite name=\"{}\" {}>", escape(file), numbers(cases));
        cases.iter().for_each(|(c, o)| out += &case(c, o));
        out += "  </testsuite>\n";
    }
    out + "</testsuites>\n"
}
