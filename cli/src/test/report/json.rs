//! One JSON object. `version` counts up when a field changes its meaning or goes.

use super::Ran;
use serde_json::{Value, json};

pub fn document(ran: &Ran<'_>) -> String {
    let counts = ran.counts();
    let cases: Vec<Value> = ran
        .pairs()
        .map(|(case, outcome)| {
            let mut value = serde_json::to_value(outcome).unwrap_or_default();
            value["name"] = case.name().into();
            value["file"] = case.file.display().to_string().into();
            value["line"] = case.line.into();
            value["again"] = case.again().into();
            value
        })
        .collect();
    let value = json!({
        "version": 1,
        "passed": counts.passed, "failed": counts.failed, "skipped": counts.skipped, "wrong": counts.wrong,
        "seconds": ran.seconds, "cases": cases,
    });
    format!("{value:#}\n")
}
