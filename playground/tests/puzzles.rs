//! The course's puzzles, as the page asks about them.

use super::*;

fn all() -> Vec<Value> {
    let chapters = ask(json!({ "do": "puzzles" }));
    let chapters = chapters.as_array().unwrap().iter();
    chapters.flat_map(|c| c["puzzles"].as_array().unwrap().clone()).collect()
}

fn check(puzzle: &Value, source: &str) -> Value {
    ask(json!({ "do": "check", "puzzle": puzzle["puzzle"], "source": source }))
}

/// What solves it: `tests/course`.
fn solution(puzzle: &Value) -> String {
    let path = format!("{}/../tests/course/{}.toml", env!("CARGO_MANIFEST_DIR"), puzzle["puzzle"].as_str().unwrap());
    let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{path}: {e}"));
    text.parse::<toml::Table>().unwrap()["solution"].as_str().unwrap().to_owned()
}

#[test]
fn each_is_solved_by_its_solution_and_not_as_it_begins() {
    let all = all();
    assert!(all.len() >= 26, "{}", all.len());
    let jobs = all.iter().filter(|p| p["job"] != "").count();
    assert!(jobs > all.len() / 2, "{jobs}");
    for puzzle in &all {
        let begin = check(puzzle, puzzle["source"].as_str().unwrap());
        assert_eq!(begin["solved"], false, "{begin}");
        let failed = begin["cases"].as_array().unwrap().iter().find(|c| c["status"] != "passed").unwrap();
        assert!(!failed["problems"].as_array().unwrap().is_empty() && failed["hint"].is_string(), "{failed}");
        assert!(!failed["problems"].to_string().contains("again: "), "a page has no commands: {failed}");
        let end = check(puzzle, &solution(puzzle));
        assert_eq!(end["solved"], true, "{end}");
        // Its job runs, and is stepped, where all cases have the same.
        let job = puzzle["job"].as_str().unwrap();
        if !job.is_empty() {
            let ran = ask(of_wgsl("run", puzzle["source"].as_str().unwrap(), job));
            assert!(ran["failure"].is_null() && !ran["outputs"].as_array().unwrap().is_empty(), "{ran}");
        }
        assert!(!end["figures"].as_array().unwrap().is_empty(), "{end}");
    }
}

#[test]
fn mistakes_are_told_with_their_lines() {
    let all = all();
    let first = &all[0];
    let broken = check(first, "fn nothing(");
    assert_eq!((&broken["solved"], &broken["cases"][0]["status"]), (&json!(false), &json!("wrong")), "{broken}");
    assert!(broken["cases"][0]["problems"][0]["text"].as_str().unwrap().contains(".wgsl:1:"), "{broken}");
    let none = ask(json!({ "do": "check", "puzzle": "99.1", "source": "" }));
    assert_eq!(none["error"], "there is no puzzle 99.1");
}
