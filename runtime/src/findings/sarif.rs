//! Findings in SARIF 2.1.0 (Static Analysis Results Interchange Format), as editors and code hosts read it.

use serde_json::{Value, json};
use std::collections::BTreeMap;
use wavepipe_hw::finding::Check;
use wavepipe_hw::finding::report::{PartyReport, Report};

const SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";

/// The findings as one run of one tool; `more` were found and are not among them.
pub fn sarif(findings: &[Report], more: u64) -> Value {
    let rules: BTreeMap<String, &Report> = findings.iter().map(|f| (rule(f), f)).collect();
    let numbers: Vec<&String> = rules.keys().collect();
    let results: Vec<Value> = findings
        .iter()
        .map(|f| {
            let name = rule(f);
            let mut result = json!({
                "ruleId": name,
                "ruleIndex": numbers.binary_search(&&name).unwrap_or_default(),
                "level": level(f),
                "message": { "text": f.message },
                "locations": [location(f, &f.place)],
                "partialFingerprints": { "wavepipeId/v1": f.id },
                "occurrenceCount": f.count,
                "properties": f,
            });
            if let Some(other) = &f.other {
                let mut related = location(f, other);
                related["message"] = json!({ "text": place(other) });
                result["relatedLocations"] = json!([related]);
            }
            result
        })
        .collect();
    let described = rules.iter().map(|(name, f)| {
        let about = check(f).map_or("", Check::about);
        json!({ "id": name, "shortDescription": { "text": about }, "defaultConfiguration": { "level": level(f) } })
    });
    let described: Vec<Value> = described.collect();
    let driver = json!({ "name": "wavepipe", "version": env!("CARGO_PKG_VERSION"), "rules": described });
    json!({
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{ "tool": { "driver": driver }, "results": results, "properties": { "more": more } }],
    })
}

fn check(f: &Report) -> Option<Check> {
    Check::ALL.into_iter().find(|c| c.name() == f.check)
}

fn rule(f: &Report) -> String {
    format!("{}/{}", f.check, f.kind)
}

fn level(f: &Report) -> &'static str {
    if check(f).is_none_or(Check::is_error) { "error" } else { "warning" }
}

/// Who and what, in words.
fn place(party: &PartyReport) -> String {
    let [x, y, z] = party.group;
    format!("work-group ({x}, {y}, {z}), wave {}, lane {}: {}", party.wave, party.lane, party.instruction)
}

fn location(f: &Report, party: &PartyReport) -> Value {
    let function = party.function.as_ref().unwrap_or(&f.kernel);
    let mut out = json!({ "logicalLocations": [{ "name": function, "kind": "function" }] });
    if let Some(file) = &party.file {
        out["physicalLocation"] = json!({ "artifactLocation": { "uri": uri(file) } });
        if let Some(line) = party.line.filter(|line| *line > 0) {
            out["physicalLocation"]["region"] = json!({ "startLine": line });
        }
    }
    out
}

/// A path as the reference that it is: relative, or of the scheme `file`.
fn uri(path: &str) -> String {
    let mut out = String::from(if path.starts_with('/') { "file://" } else { "" });
    for byte in path.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'-' | b'.' | b'_' | b'~' => out.push(byte.into()),
            _ => out.push_str(&format!("%{byte:02X}")),
        }
    }
    out
}
