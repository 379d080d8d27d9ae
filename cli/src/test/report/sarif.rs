//! SARIF: findings as `--findings` writes them, and the other problems as results beside them.

use super::{Ran, is_of, kind};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use wavepipe_check::outcome::{ProblemKind, Status};
use wavepipe_runtime::findings::sarif;

pub fn document(ran: &Ran<'_>) -> String {
    let mut reports = Vec::new();
    let mut results: Vec<Value> = Vec::new();
    let mut rules = BTreeSet::new();
    for (case, outcome) in ran.pairs() {
        if !matches!(outcome.status, Status::Failed | Status::Wrong) {
            continue;
        }
        for f in outcome.findings.iter().filter(|f| outcome.problems.iter().any(|p| is_of(p, &f.id))) {
            // The same one of several cases is one.
            if !reports.iter().any(|known: &wavepipe_runtime::findings::Report| known.id == f.id) {
                reports.push(f.clone());
            }
        }
        let others = outcome.problems.iter().filter(|p| p.kind != ProblemKind::Finding || !p.text.starts_with('['));
        for p in others {
            let rule = format!("test/{}", kind(p.kind));
            let file = p.file.clone().unwrap_or_else(|| case.file.display().to_string());
            let line = p.line.unwrap_or(case.line).max(1);
            results.push(json!({
                "ruleId": rule,
                "level": "error",
                "message": { "text": format!("{}: {}", case.name(), p.text) },
                "locations": [{ "physicalLocation": {
                    "artifactLocation": { "uri": file.replace(' ', "%20") }, "region": { "startLine": line },
                } }],
                "partialFingerprints": { "wavepipeCase/v1": format!("{}#{}", case.name(), kind(p.kind)) },
            }));
            rules.insert(rule);
        }
    }
    let mut log = sarif(&reports, 0);
    let run = &mut log["runs"][0];
    if let Some(list) = run["tool"]["driver"]["rules"].as_array_mut() {
        let about =
            |rule: &String| json!({ "id": rule, "shortDescription": { "text": rule.replace("test/", "A test: ") } });
        list.extend(rules.iter().map(about));
    }
    if let Some(list) = run["results"].as_array_mut() {
        list.extend(results);
    }
    format!("{log:#}\n")
}
