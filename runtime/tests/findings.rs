//! What a device keeps of what the checks found, and findings in SARIF.

use crate::common::Recorder;
use serde_json::json;
use wavepipe_hw::code::CodeObject;
use wavepipe_hw::finding::{Absent, Finding, FindingKind, Location};
use wavepipe_hw::port::{Interrupt, QueueId};
use wavepipe_runtime::findings::{Found, PartyReport, Report, sarif};
use wavepipe_runtime::*;

fn finding(pc_offset: u64) -> Finding {
    Finding {
        kind: FindingKind::DivergentBarrier(Absent::Elsewhere),
        kernel: "main".into(),
        queue: (0, 0),
        site: Location { pc_offset, ..Location::default() },
        access: None,
        other: None,
        count: 2,
    }
}

/// Has the GPU tell of findings, and of how many others there were.
fn found(gpu: &Recorder, findings: Vec<Finding>, more: u64) {
    gpu.interrupt(Interrupt::Findings { queue: QueueId(0), findings: findings.into(), more });
}

#[test]
fn each_is_told_once_and_counted_always() {
    let (gpu, device) = Recorder::device();
    let code = CodeObject { name: "main".into(), text: vec![0; 16], ..Default::default() };
    let layout = PipelineLayout::new(vec![], 0).unwrap();
    let upload = || ComputePipeline::from_code_object(&device, code.clone(), &layout).unwrap();
    let (one, other) = (upload(), upload());
    let add = |code: &ComputePipeline, offset: u64| {
        let mut finding = finding(offset);
        finding.site.pc = code.address() + offset;
        found(&gpu, vec![finding], 0);
    };
    for _ in 0..3 {
        add(&one, 8);
    }
    // The same name and place in other code.
    add(&other, 8);
    let counts = |found: Found| found.findings.iter().map(|f| f.count).collect::<Vec<_>>();
    assert_eq!(counts(device.take_findings()), [6, 2]);
    add(&one, 8);
    assert!(device.take_findings().is_empty());
    add(&one, 12);
    assert_eq!(counts(device.take_findings()), [2]);
    let all = device.findings();
    assert!(all.findings[0].id() == all.findings[1].id() && all.findings[0].kernel == "main");
    assert_eq!(counts(all), [8, 2, 2]);
}

#[test]
fn what_is_not_kept_is_counted() {
    let (gpu, device) = Recorder::device();
    found(&gpu, (0..1005).map(finding).collect(), 2);
    let kept = device.take_findings();
    assert_eq!((kept.findings.len(), kept.more), (1000, 7));
    assert_eq!(kept.rest().unwrap(), "7 more findings are not shown");
    found(&gpu, vec![], 1);
    let more = || device.take_findings().more;
    assert_eq!((more(), more(), device.findings().more), (1, 0, 8));
}

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
    let list = [report("lanes-absent", Some("a b.comp")), report("other-barrier", None), report("lanes-absent", None)];
    let log = sarif(&list, 5);
    // sarifLog: version, runs. run: tool. tool: driver. toolComponent: name.
    assert_eq!(
        (log["version"].as_str(), log["$schema"].as_str()),
        (Some("2.1.0"), Some("https://json.schemastore.org/sarif-2.1.0.json"))
    );
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
    let uri = |path| {
        let log = sarif(&[report("lanes-absent", Some(path))], 0);
        let location = &log["runs"][0]["results"][0]["locations"][0];
        location["physicalLocation"]["artifactLocation"]["uri"].as_str().unwrap().to_owned()
    };
    assert_eq!(uri("a/b.comp"), "a/b.comp");
    assert_eq!(uri("/usr/b?.comp"), "file:///usr/b%3F.comp");
}

#[test]
fn no_findings_are_a_log_too() {
    assert_eq!(sarif(&[], 0)["runs"][0]["results"], json!([]));
}
