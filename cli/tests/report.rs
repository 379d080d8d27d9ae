//! Outcomes of tests as people and programs read them, and the lines that they covered.

use std::time::Duration;
use wavepipe_check::case::Case;
use wavepipe_check::coverage::CoveredLine;
use wavepipe_check::outcome::{Outcome, Problem, ProblemKind, Status};
use wavepipe_cli::tested::test::{Coverage, Format, Ran, case as case_text, class};
use wavepipe_runtime::findings::{PartyReport, Report};

fn case(label: &str) -> Case {
    Case { file: "a/b.test.toml".into(), label: label.into(), line: 3, timeout: Duration::from_secs(1), gpu: None }
}

fn finding() -> Report {
    let place = PartyReport {
        file: Some("a/b.wgsl".into()),
        line: Some(12),
        access: None,
        group: [0; 3],
        wave: 1,
        lane: 2,
        lanes: "0x4".into(),
        pc_offset: 8,
        instruction: "ds_read_b32".into(),
        function: None,
    };
    Report {
        check: "race".into(),
        id: "race-lds-0001".into(),
        kind: "lds".into(),
        message: "two at once".into(),
        kernel: "main".into(),
        queue: "front end queue 0".into(),
        count: 1,
        place,
        other: None,
    }
}

fn four() -> (Vec<Case>, Vec<Outcome>) {
    let mismatch = Problem::new(ProblemKind::Mismatch, "y: 1 of 4 numbers is not as <wanted>\n  element 2, 100%")
        .at("a/b.test.toml", Some(7));
    let race = Problem::new(ProblemKind::Finding, "[race-lds-0001] two at once").at("a/b.wgsl", Some(12));
    let mut failed = Outcome::with(Status::Failed, mismatch);
    failed.problems.push(race);
    failed.findings.push(finding());
    failed.printed.push("n is 3".into());
    failed.seconds = 0.25;
    let refused = Problem::new(ProblemKind::Unsupported, "a/c.amber:2: PIPELINE graphics is for drawing");
    let wrong =
        Problem::new(ProblemKind::Input, "a/d.test.toml:1:1: there is no `x` here.").at("a/d.test.toml", Some(1));
    let other = |file: &str| Case { file: file.into(), ..case("") };
    let cases = vec![case("good"), case("bad[wave=64]"), other("a/c.amber"), other("a/d.test.toml")];
    let outcomes = vec![
        Outcome::of(Status::Passed),
        failed,
        Outcome::with(Status::Skipped, refused),
        Outcome::with(Status::Wrong, wrong),
    ];
    (cases, outcomes)
}

#[test]
fn people_read_lines() {
    let (cases, outcomes) = four();
    let text: String = cases.iter().zip(&outcomes).map(|(c, o)| case_text(Format::Human, c, o)).collect();
    let ran = Ran { cases: &cases, outcomes: &outcomes, seconds: 1.5 };
    assert_eq!(
        text + &ran.document(Format::Human),
        "pass  a/b.test.toml::good
FAIL  a/b.test.toml::bad[wave=64]
      a/b.test.toml:7: y: 1 of 4 numbers is not as <wanted>
        element 2, 100%
      a/b.wgsl:12: [race-lds-0001] two at once
      | n is 3
skip  a/c.amber
      a/c.amber:2: PIPELINE graphics is for drawing
WRONG a/d.test.toml
      a/d.test.toml:1:1: there is no `x` here.
1 passed, 1 failed, 1 skipped, 1 wrong in 1.50 s
"
    );
}

#[test]
fn annotations_are_one_line_each() {
    let (cases, outcomes) = four();
    let text = case_text(Format::Github, &cases[1], &outcomes[1]);
    let commands: Vec<&str> = text.lines().filter(|l| l.starts_with("::")).collect();
    assert_eq!(
        commands,
        [
            "::error file=a/b.test.toml,line=7,title=a/b.test.toml%3A%3Abad[wave=64]::y: 1 of 4 numbers is not as <wanted>%0A  element 2, 100%25",
            "::error file=a/b.wgsl,line=12,title=a/b.test.toml%3A%3Abad[wave=64]::[race-lds-0001] two at once",
        ]
    );
    assert!(case_text(Format::Github, &cases[2], &outcomes[2]).contains("::notice file=a/c.amber,line=3,"));
}

#[test]
fn junit_is_whole_and_escaped() {
    let (cases, outcomes) = four();
    let ran = Ran { cases: &cases, outcomes: &outcomes, seconds: 1.5 };
    let text = ran.document(Format::Junit);
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    assert_eq!(
        lines[1],
        "<testsuites name=\"wavepipe\" tests=\"4\" failures=\"1\" errors=\"1\" skipped=\"1\" time=\"0.250\">"
    );
    assert_eq!(
        lines[2],
        "<testsuite name=\"a/b.test.toml\" tests=\"2\" failures=\"1\" errors=\"0\" skipped=\"0\" time=\"0.250\">"
    );
    let failure = "<failure type=\"mismatch\" message=\"y: 1 of 4 numbers is not as &lt;wanted&gt;\">y: 1 of 4 numbers is not as \
                   &lt;wanted&gt;&#10;  element 2, 100%</failure>";
    assert!(lines.contains(&failure), "{text}");
    assert!(lines.contains(&"<system-out>n is 3</system-out>"), "{text}");
    assert!(lines.iter().any(|l| l.starts_with("<skipped message=\"a/c.amber:2: PIPELINE graphics")), "{text}");
    assert!(lines.iter().any(|l| l.starts_with("<error type=\"input\"")), "{text}");
    // Every tag that opens closes, in order.
    let mut open = Vec::new();
    for tag in text.split('<').skip(2).map(|t| t.split('>').next().unwrap()) {
        match tag.strip_prefix('/') {
            Some(name) => assert_eq!(open.pop(), Some(name), "{text}"),
            None if tag.ends_with('/') => {}
            None => open.push(tag.split(' ').next().unwrap()),
        }
    }
    assert!(open.is_empty());
}

#[test]
fn sarif_has_findings_once_and_the_rest() {
    let (mut cases, mut outcomes) = four();
    // Another case has the same.
    cases.push(case("too"));
    outcomes.push(outcomes[1].clone());
    let text = Ran { cases: &cases, outcomes: &outcomes, seconds: 0.0 }.document(Format::Sarif);
    let log: serde_json::Value = serde_json::from_str(&text).unwrap();
    let results = log["runs"][0]["results"].as_array().unwrap();
    let told: Vec<(&str, &str)> = results
        .iter()
        .map(|r| {
            (
                r["ruleId"].as_str().unwrap(),
                r["locations"][0]["physicalLocation"]["artifactLocation"]["uri"].as_str().unwrap(),
            )
        })
        .collect();
    assert_eq!(
        told,
        [
            ("race/lds", "a/b.wgsl"),
            ("test/mismatch", "a/b.test.toml"),
            ("test/input", "a/d.test.toml"),
            ("test/mismatch", "a/b.test.toml")
        ]
    );
    let rules = log["runs"][0]["tool"]["driver"]["rules"].as_array().unwrap();
    assert!(results.iter().all(|r| rules.iter().any(|rule| rule["id"] == r["ruleId"])));
}

#[test]
fn json_has_all_of_it() {
    let (cases, outcomes) = four();
    let text = Ran { cases: &cases, outcomes: &outcomes, seconds: 1.5 }.document(Format::Json);
    let value: serde_json::Value = serde_json::from_str(&text).unwrap();
    let counts = ["passed", "failed", "skipped", "wrong"].map(|key| value[key].as_u64().unwrap());
    assert_eq!((counts, value["version"].as_u64()), ([1; 4], Some(1)));
    let bad = &value["cases"][1];
    assert_eq!(bad["again"], "wavepipe test a/b.test.toml --case 'bad[wave=64]'");
    assert_eq!(
        (&bad["status"], &bad["problems"][0]["kind"], &bad["problems"][0]["line"]),
        (&"failed".into(), &"mismatch".into(), &7.into())
    );
    assert_eq!(bad["findings"][0]["id"], "race-lds-0001");
}

fn line(line: u32, lanes: u64, branches: &[&[(&str, u64)]]) -> CoveredLine {
    let arms = |b: &&[(&str, u64)]| b.iter().map(|(what, n)| ((*what).to_owned(), *n)).collect();
    CoveredLine { file: "a.wgsl".into(), line, lanes, branches: branches.iter().map(arms).collect() }
}

#[test]
fn cases_add_up() {
    let mut all = Coverage::default();
    for l in [
        line(3, 64, &[&[("true", 0), ("false", 64)]]),
        line(4, 0, &[]),
        line(3, 32, &[&[("true", 2), ("false", 30)]]),
        line(9, 0, &[&[("case 1", 0), ("default", 0)]]),
    ] {
        all.add(&l);
    }
    assert_eq!(
        all.lcov(),
        "TN:\nSF:a.wgsl\nBRDA:3,0,0,2\nBRDA:3,0,1,94\nBRDA:9,0,0,-\nBRDA:9,0,1,-\nBRF:4\nBRH:2\nDA:3,96\nDA:4,0\nDA:9,0\nLF:3\n\
         LH:1\nend_of_record\n"
    );
    let page = all.html();
    assert!(page.contains("<p>1 of 3 lines</p>") && page.contains("<td>true 2, false 94</td>"), "{page}");
    assert_eq!(["hit", "no"], [class(&line(1, 3, &[&[("true", 1)]])), class(&line(1, 0, &[]))]);
    assert_eq!(class(&line(1, 3, &[&[("true", 0), ("false", 3)]])), "part");
}
