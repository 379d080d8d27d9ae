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

#[cfg(test)]
mod tests {
    use super::*;

    fn report(kind: &str, file: Option<&str>) -> Report {
        let place = PartyReport {
            file: file.map(Into::into),
            line: file.map(|_| 7),
            access: None,
            group: [1, 0, 0],
            wave: 2,
            lane: 3,
            lanes: "0x8".into(),
            pc_offset: 16,
            instruction: "s_barrier".into(),
            function: None,
        };
        Report {
            check: "sync".into(),
            id: format!("sync-{kind}-00000001"),
            kind: kind.into(),
            message: "a barrier".into(),
            kernel: "main".into(),
            queue: "front end queue 0".into(),
            count: 4,
            other: (kind == "other-barrier").then(|| place.clone()),
            place,
        }
    }

    /// The schema's required properties of every object that is made here, and the types of what they hold.
    #[test]
    fn the_log_has_what_the_schema_requires() {
        let list =
            [report("lanes-absent", Some("a b.comp")), report("other-barrier", None), report("lanes-absent", None)];
        let log = sarif(&list, 5);
        // sarifLog: version, runs. run: tool. tool: driver. toolComponent: name.
        assert_eq!((log["version"].as_str(), log["$schema"].as_str()), (Some("2.1.0"), Some(SCHEMA)));
        let [run] = &log["runs"].as_array().unwrap()[..] else { panic!("{log}") };
        assert_eq!(run["tool"]["driver"]["name"], "wavepipe");
        assert_eq!(run["properties"]["more"], 5);
        // reportingDescriptor: id, which is unique.
        let rules = run["tool"]["driver"]["rules"].as_array().unwrap();
        let ids: Vec<&str> = rules.iter().map(|r| r["id"].as_str().unwrap()).collect();
        assert_eq!(ids, ["sync/lanes-absent", "sync/other-barrier"]);
        assert!(rules.iter().all(|r| r["shortDescription"]["text"].as_str().unwrap().contains("barrier")));
        let results = run["results"].as_array().unwrap();
        assert_eq!(results.len(), list.len());
        for (result, f) in results.iter().zip(&list) {
            // result: message. message: text. level is of an enumeration, occurrenceCount at least 1.
            assert_eq!(result["message"]["text"], f.message);
            assert_eq!((result["level"].as_str(), result["occurrenceCount"].as_u64()), (Some("warning"), Some(4)));
            assert_eq!(ids[result["ruleIndex"].as_u64().unwrap() as usize], result["ruleId"].as_str().unwrap());
            assert_eq!(result["partialFingerprints"]["wavepipeId/v1"], f.id);
            assert_eq!(result["locations"][0]["logicalLocations"][0]["name"], "main");
            assert_eq!(result["properties"]["lane"], 3);
        }
        let physical = &results[0]["locations"][0]["physicalLocation"];
        assert_eq!(
            (physical["artifactLocation"]["uri"].as_str(), &physical["region"]["startLine"]),
            (Some("a%20b.comp"), &json!(7))
        );
        assert!(results[1]["locations"][0].get("physicalLocation").is_none());
        // A location in relatedLocations says what it is.
        let words = results[1]["relatedLocations"][0]["message"]["text"].as_str().unwrap();
        assert_eq!(words, "work-group (1, 0, 0), wave 2, lane 3: s_barrier");
        assert!(results[0].get("relatedLocations").is_none());
    }

    #[test]
    fn paths_are_references() {
        assert_eq!(uri("a/b.comp"), "a/b.comp");
        assert_eq!(uri("/usr/b?.comp"), "file:///usr/b%3F.comp");
    }

    #[test]
    fn no_findings_are_a_log_too() {
        assert_eq!(sarif(&[], 0)["runs"][0]["results"], json!([]));
    }
}
