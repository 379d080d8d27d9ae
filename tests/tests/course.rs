//! The course's puzzles: what solves them passes, and each mistake that is made often fails, with the hint that is meant for it.

use std::collections::BTreeMap;
use std::path::Path;
use wavepipe_tests::{root, run, scratch, show, wavepipe};

/// Of `tests/course/N.M.toml`.
struct Answers {
    solution: String,
    /// Shaders, and a part of the hint that each is given.
    wrong: Vec<(String, String)>,
}

fn answers(puzzle: &str, start: &str) -> Answers {
    let path = format!("tests/course/{puzzle}.toml");
    let text = std::fs::read_to_string(root().join(&path)).unwrap_or_else(|e| panic!("{path}: {e}"));
    let table: toml::Table = text.parse().unwrap_or_else(|e| panic!("{path}: {e}"));
    let solution = table["solution"].as_str().unwrap().to_owned();
    let wrong = table["wrong"].as_array().unwrap().iter().map(|w| {
        let hint = w["hint"].as_str().unwrap().to_owned();
        // A change of the solution; without one it is the shader that the puzzle begins with.
        let Some(from) = w.get("from").and_then(|v| v.as_str()) else { return (start.to_owned(), hint) };
        let mut text = solution.clone();
        let also = w.get("also").and_then(|v| v.as_array()).map(|a| (a[0].as_str().unwrap(), a[1].as_str().unwrap()));
        for (from, to) in [(from, w["to"].as_str().unwrap())].into_iter().chain(also) {
            assert!(text.contains(from), "{path}: no {from}");
            text = text.replace(from, to);
        }
        (text, hint)
    });
    let wrong = wrong.collect();
    Answers { solution, wrong }
}

fn json(arguments: &[&str], folder: &Path) -> serde_json::Value {
    let output = run(wavepipe(arguments).current_dir(folder)).unwrap();
    serde_json::from_slice(&output.stdout).unwrap_or_else(|e| panic!("{e}: {}", show(&output)))
}

#[test]
fn solutions_pass_and_mistakes_are_hinted_at() {
    let folder = scratch("course");
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    let puzzles = json(&["learn", "--json"], &folder);
    let puzzles = puzzles.as_array().unwrap();
    assert!(puzzles.len() >= 26, "{}", puzzles.len());
    // What is wanted of each file's cases: nothing wrong, or a hint.
    let mut wanted: BTreeMap<String, Option<String>> = BTreeMap::new();
    for puzzle in puzzles {
        let (name, shader) = (puzzle["puzzle"].as_str().unwrap(), puzzle["shader"].as_str().unwrap());
        let read = |path: &str| std::fs::read_to_string(root().join("wavepipe/puzzles").join(path)).unwrap();
        let (start, test) = (read(shader), read(&shader.replace(".wgsl", ".test.toml")));
        let Answers { solution, wrong } = answers(name, &start);
        assert!(wrong.len() >= 3, "{name} has {} mistakes", wrong.len());
        let all = [(solution, None)].into_iter().chain(wrong.into_iter().map(|(text, hint)| (text, Some(hint))));
        for (n, (text, hint)) in all.enumerate() {
            let stem = format!("{name}-{n}");
            std::fs::write(folder.join(format!("{stem}.wgsl")), text).unwrap();
            std::fs::write(folder.join(format!("{stem}.test.toml")), &test).unwrap();
            wanted.insert(format!("{stem}.test.toml"), hint);
        }
    }
    let ran = json(&["test", ".", "--format", "json"], &folder);
    let mut failures = Vec::new();
    for (file, hint) in &wanted {
        let of: Vec<_> = ran["cases"].as_array().unwrap().iter().filter(|c| c["file"] == **file).collect();
        assert!(!of.is_empty(), "{file} ran");
        let failed = of.iter().find(|c| c["status"] != "passed");
        match (hint, failed) {
            (None, None) => {}
            (None, Some(case)) => failures.push(format!("{file}, a solution, fails: {}", case["problems"])),
            (Some(hint), None) => failures.push(format!("{file} passes, and should be told: {hint}")),
            (Some(hint), Some(case)) if case["hint"].as_str().is_some_and(|h| h.contains(hint.as_str())) => {}
            (Some(hint), Some(case)) => {
                failures.push(format!("{file}: not told {hint}, but {}: {}", case["hint"], case["problems"]));
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// From an empty folder to a puzzle that is solved, as a student does it.
#[test]
fn a_student_solves_one() {
    let folder = scratch("student");
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    let learn = |arguments: &[&str], at: &Path| {
        let output = run(wavepipe(&[&["learn"], arguments].concat()).current_dir(at)).unwrap();
        (output.status.code(), show(&output))
    };
    let has = |(code, said): (Option<i32>, String), wanted: i32, parts: &[&str]| {
        assert_eq!(code, Some(wanted), "{said}");
        parts.iter().for_each(|part| assert!(said.contains(part), "no `{part}` in {said}"));
    };
    has(learn(&["4.1"], &folder), 2, &["wavepipe learn --start FOLDER"]);
    has(learn(&["--start", "gpu"], &folder), 0, &["now: cd gpu && wavepipe learn 1.1"]);
    has(learn(&["--start", "gpu"], &folder), 2, &["is there already"]);
    let course = folder.join("gpu");
    let inside = course.join("04-banks");
    has(learn(&["14.1"], &course), 2, &["there is no puzzle 14.1"]);
    has(
        learn(&["4.1"], &inside),
        1,
        &["A work-group turns a tile", "992 cycles of LDS bank conflicts", "hint: A dword's bank", "1-pad.wgsl"],
    );
    let shader = inside.join("1-pad.wgsl");
    let start = std::fs::read_to_string(&shader).unwrap();
    std::fs::write(&shader, start.replace("32u +", "32u -+")).unwrap();
    has(learn(&["4.1"], &course), 2, &["does not compile"]);
    std::fs::write(&shader, answers("4.1", &start).solution).unwrap();
    has(learn(&["4.1"], &course), 0, &["solved: ", "waves per SIMD"]);
    has(learn(&[], &inside), 0, &["[x] 4.1", "[ ] 4.2", "1 of "]);
    has(learn(&["4.1", "--reset"], &course), 0, &["is as it was"]);
    assert_eq!(std::fs::read_to_string(&shader).unwrap(), start);
    std::fs::write(course.join("learn.toml"), "solved = 3").unwrap();
    has(learn(&[], &course), 2, &["learn.toml"]);
}

/// What is told of the parties under each policy holds together.
#[test]
fn tunneling_is_told_as_it_is() {
    let folder = scratch("tunnel");
    std::fs::create_dir_all(&folder).unwrap();
    let told = json(&["tunnel", "--json"], &folder);
    let row = |policy: &str| told["cycles"].as_array().unwrap().iter().find(|r| r["policy"] == policy).unwrap().clone();
    let after =
        |policy: &str| row(policy)["urgent"]["ended"].as_u64().unwrap() - row(policy)["arrived"].as_u64().unwrap();
    assert!(told["same"] == true && after("tunnel") < after("limit") && after("limit") < after("share"), "{told}");
    assert!(row("tunnel")["suspended"].as_u64() > Some(0) && row("share")["suspended"] == 0, "{told}");
    assert!(row("alone")["long"].is_null() && after("alone") < after("tunnel"), "{told}");
    for (arguments, says) in [
        (&["--policy", "queue"][..], "share, limit and tunnel"),
        (&["-o", "x.png"], "FILE.svg"),
        (&["--at", "0"], "--at 0"),
    ] {
        let output = run(wavepipe(&[&["tunnel"], arguments].concat()).current_dir(&folder)).unwrap();
        assert!(output.status.code() == Some(2) && show(&output).contains(says), "{}", show(&output));
    }
}
