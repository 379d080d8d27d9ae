//! `wavepipe test` and `wavepipe init`: every kind of failure planted, every line of the report held.

use crate::shader_suite::{LISTED, MISTAKES, REPORTS, SCRIPTS, SHADERS, STRUCTURES};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};
use wavepipe_tests::host_time::PATIENCE;
use wavepipe_tests::processor::used_by;
use wavepipe_tests::{clean, program, root, run, scratch, show};

/// A folder of its own with the shared shaders and some files.
fn folder(name: &str, files: &[(&str, &str)]) -> PathBuf {
    let folder = scratch(name);
    let _ = std::fs::remove_dir_all(&folder);
    for (file, text) in SHADERS.iter().chain(files) {
        let path = folder.join(file);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    folder
}

fn command(folder: &Path, args: &[&str]) -> Command {
    let mut command = clean(&program("wavepipe").unwrap());
    command.current_dir(folder).args(args);
    command
}

fn start(folder: &Path, args: &[&str]) -> Output {
    run(&mut command(folder, args)).unwrap()
}

fn out(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// What was said, without how long it took.
fn untimed(output: &Output) -> String {
    let line = |l: &str| match l.split_once(" in ").filter(|(_, rest)| rest.ends_with(" s")) {
        Some((counts, _)) => format!("{counts}\n"),
        None => format!("{l}\n"),
    };
    out(output).lines().map(line).collect()
}

/// Holds texts against each other, line by line; `…` in a line stands for what is not held.
#[track_caller]
fn same(got: &str, wanted: &str, of: &str) {
    let is = |g: &str, w: &str| match w.split_once('…') {
        Some((begin, end)) => g.len() >= begin.len() + end.len() && g.starts_with(begin) && g.ends_with(end),
        None => g == w,
    };
    let (mut g, mut w) = (got.lines().peekable(), wanted.lines().peekable());
    loop {
        match (g.peek().copied(), w.peek().copied()) {
            (None, None) => break,
            (line, Some(any)) if any.trim() == "⋮" => {
                w.next();
                // As many lines as there are up to the next one.
                while line.is_some() && g.peek().is_some_and(|g| w.peek().is_none_or(|w| !is(g, w))) {
                    g.next();
                }
            }
            (Some(line), Some(wanted)) if is(line, wanted) => {
                g.next();
                w.next();
            }
            (line, wanted) => panic!("{of}: got\n{line:?}\nwanted\n{wanted:?}\n--- all\n{got}"),
        }
    }
}

#[test]
fn every_failure_is_told_line_by_line() {
    for (name, files, code, report) in REPORTS {
        let folder = folder(&format!("report-{name}"), files);
        let output = start(&folder, &["test", "--pictures", "pictures"]);
        same(&untimed(&output), report, name);
        assert_eq!(output.status.code(), Some(*code), "{name}\n{}", show(&output));
    }
}

#[test]
fn mistakes_say_what_is_expected_and_where() {
    let mut wrong = Vec::new();
    for (n, (text, parts)) in MISTAKES.iter().enumerate() {
        let folder = folder(&format!("mistake-{n}"), &[("double.test.toml", text)]);
        let output = start(&folder, &["test"]);
        let said = out(&output);
        let lacks: Vec<&&str> = parts.iter().filter(|part| !said.contains(**part)).collect();
        if output.status.code() != Some(2) || !lacks.is_empty() || !said.contains("WRONG double.test.toml") {
            wrong.push(format!("{text}\nexpected 2 with {lacks:?}\n{}\n", show(&output)));
        }
    }
    assert!(wrong.is_empty(), "{} of {} mistakes\n{}", wrong.len(), MISTAKES.len(), wrong.join("\n"));
}

#[test]
fn a_wrong_test_does_not_keep_others_from_running() {
    let good = "buffer = [{ name = 'x', values = [1] }, { name = 'y', type = '[1]' }]\nexpect = [{ name = 'y', values = [2] }]\n";
    let folder = folder("beside", &[("double.test.toml", good), ("twice.test.toml", "buffr = 1")]);
    let output = start(&folder, &["test"]);
    let said = "pass  double.test.toml\nWRONG twice.test.toml\n      twice.test.toml:1:1: there is no `buffr` here. Did you mean \
                `buffer`? There are: …\n1 passed, 1 wrong\n";
    same(&untimed(&output), said, "beside");
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn scripts_of_others_run_as_they_are() {
    for (name, files, code, report) in SCRIPTS.iter().chain(STRUCTURES) {
        let folder = folder(&format!("script-{name}"), files);
        let output = start(&folder, &["test"]);
        same(&untimed(&output), report, name);
        assert_eq!(output.status.code(), Some(*code), "{name}\n{}", show(&output));
    }
}

#[test]
fn scripts_load_pictures() {
    let script = "#!amber\nBUFFER grey FORMAT R8G8B8A8_UNORM FILE PNG grey.png\n";
    let sides = "IMAGE tall FORMAT R8G8B8A8_UINT DIM_2D WIDTH 1 HEIGHT 2 FILE PNG grey.png\n";
    let good = "EXPECT grey IDX 0 0 SIZE 1 1 EQ_RGBA 0 0 0 255\nEXPECT grey IDX 1 0 SIZE 1 1 EQ_RGB 255 255 255\n";
    let texts = [
        format!("{script}{good}"),
        format!("{script}{sides}"),
        "#!amber\nBUFFER f FORMAT R32_SFLOAT FILE PNG grey.png\n".into(),
    ];
    let names = ["good.amber", "tall.amber", "float.amber"];
    let files: Vec<(&str, &str)> = names.into_iter().zip(texts.iter().map(String::as_str)).collect();
    let folder = folder("script-pictures", &files);
    let made = start(
        &folder,
        &["run", "double.wgsl", "--buffer", "x:0,0.5", "--buffer", "y=[2]", "-o", "grey.png", "--shape", "2x1"],
    );
    assert_eq!(made.status.code(), Some(0), "{}", show(&made));
    let output = start(&folder, &["test"]);
    let said = "skip  float.amber\n      float.amber:2: f: FILE PNG is for formats R8G8B8A8_…\npass  good.amber\n\
                WRONG tall.amber\n      tall.amber:3: tall: grey.png has 2x1 pixels\n1 passed, 1 skipped, 1 wrong\n";
    same(&untimed(&output), said, "pictures");
}

#[test]
fn cases_are_listed_filtered_and_shared_out() {
    let folder = folder("listed", LISTED);
    let list = |args: &[&str]| {
        let output = start(&folder, &[&["test", "--list"], args].concat());
        assert_eq!(output.status.code(), Some(0), "{}", show(&output));
        out(&output).lines().map(str::to_owned).collect::<Vec<_>>()
    };
    let all = list(&[]);
    let names: Vec<String> =
        ["a[wave=32]", "a[wave=64]", "b[wave=32]", "b[wave=64]"].map(|l| format!("deep/er/many.test.toml::{l}")).into();
    assert_eq!(all, [&["deep/er/add.amber".to_owned()][..], &names, &["double.test.toml".to_owned()]].concat());
    assert_eq!(list(&["--filter", "wave=64"]), [&*names[1], &*names[3]]);
    assert_eq!(list(&["--filter", "::b", "--filter", "amber"]), [&*all[0], &*names[2], &*names[3]]);
    assert_eq!(list(&["--case", "b[wave=32]"]), [&*names[2]]);
    assert_eq!(list(&["deep/er/many.test.toml", "--case", "a[wave=64]"]), [&*names[1]]);
    for by in ["hash", "count"] {
        let mut parts: Vec<String> = (1..=3).flat_map(|p| list(&["--partition", &format!("{by}:{p}/3")])).collect();
        parts.sort();
        assert_eq!(parts, all, "{by}");
    }
    // What was asked for and is not there.
    let none = |args: &[&str], says: &str| {
        let output = start(&folder, &[&["test"], args].concat());
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.code() == Some(2) && said.contains(says), "{}", show(&output));
    };
    none(&["--case", "a[wave=63]"], "there is no case 'a[wave=63]'. Did you mean 'a[wave=64]'?");
    none(&["--filter", "nothing"], "none of 6 cases has nothing in its name");
    none(&["nowhere"], "there is no nowhere");
    none(&["double.wgsl"], "double.wgsl is no test: a test is a .test.toml, .amber, .shader_test file, or a folder");
    std::fs::create_dir(folder.join("empty")).unwrap();
    none(&["empty"], "no test in empty: `wavepipe init` makes a first one");
}

const SNAPSHOT: &str = "buffer = [{ name = 'x', values = [1, 2] }, { name = 'y', type = '[2]' }]\nexpect = [{ name = 'y', file = 'y.csv' }]\n";

#[test]
fn snapshots_are_made_and_mended_by_update_alone() {
    let folder = folder("snapshot", &[("double.test.toml", SNAPSHOT)]);
    let wanted = folder.join("y.csv");
    let missing = start(&folder, &["test"]);
    assert_eq!(missing.status.code(), Some(1));
    assert!(out(&missing).contains("y: there is no y.csv: `wavepipe test --update` makes it"), "{}", show(&missing));
    assert!(!wanted.exists());
    for old in [None, Some("2\n5\n")] {
        old.iter().for_each(|text| std::fs::write(&wanted, text).unwrap());
        let output = start(&folder, &["test", "--update"]);
        same(&untimed(&output), "pass  double.test.toml\n      wrote y.csv\n1 passed\n", "update");
        assert_eq!(std::fs::read_to_string(&wanted).unwrap(), "2\n4\n");
        assert_eq!(start(&folder, &["test"]).status.code(), Some(0));
    }
    // Nothing is written that is as it should be.
    let before = std::fs::metadata(&wanted).unwrap().modified().unwrap();
    same(&untimed(&start(&folder, &["test", "--update"])), "pass  double.test.toml\n1 passed\n", "again");
    assert_eq!(std::fs::metadata(&wanted).unwrap().modified().unwrap(), before);
}

#[test]
fn formats_are_documents_of_the_same_run() {
    let bad = SNAPSHOT.replace("file = 'y.csv'", "values = [2, 5]");
    let folder = folder("formats", &[("double.test.toml", &bad)]);
    let json: serde_json::Value = serde_json::from_str(&out(&start(&folder, &["test", "--format", "json"]))).unwrap();
    let problem = &json["cases"][0]["problems"][0];
    assert_eq!((&problem["file"], &problem["line"]), (&"double.test.toml".into(), &2.into()));
    let shown = &problem["mismatch"]["shown"][0];
    assert_eq!(
        (&shown["byte"], &shown["got"], &shown["wanted"], &shown["ulp"]),
        (&4.into(), &"4".into(), &"5".into(), &2_097_152.into())
    );
    assert!(json["cases"][0]["costs"]["vgprs"].as_u64().is_some_and(|n| n > 0), "{json}");
    let junit = start(&folder, &["test", "--format", "junit", "-o", "out.xml"]);
    // People are told all the same.
    assert!(junit.status.code() == Some(1) && out(&junit).starts_with("FAIL  double.test.toml\n"), "{}", show(&junit));
    let xml = std::fs::read_to_string(folder.join("out.xml")).unwrap();
    assert!(
        xml.contains("<failure type=\"mismatch\" message=\"y: 1 of 2 numbers is not as wanted (f32[2], exactly)\">"),
        "{xml}"
    );
    let sarif: serde_json::Value = serde_json::from_str(&out(&start(&folder, &["test", "--format", "sarif"]))).unwrap();
    assert_eq!(sarif["runs"][0]["results"][0]["ruleId"], "test/mismatch");
    let github = out(&start(&folder, &["test", "--format", "github"]));
    let begin = "::error file=double.test.toml,line=2,title=double.test.toml::y: 1 of 2 numbers is not as wanted (f32[2], exactly)%0A";
    assert!(github.lines().any(|l| l.starts_with(begin)), "{github}");
}

#[test]
fn pictures_of_what_differs_are_written() {
    let (_, files, _, _) = REPORTS.iter().find(|(name, ..)| *name == "pictures").unwrap();
    let folder = folder("pictures-written", files);
    start(&folder, &["test", "--pictures", "seen"]);
    let mut names: Vec<String> = std::fs::read_dir(folder.join("seen"))
        .unwrap()
        .map(|e| e.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    assert_eq!(names, ["grey.test.toml__exact.grey.png", "grey.test.toml__picture.grey.png"]);
}

/// The processes that a process has started.
fn children(of: u32) -> Vec<u32> {
    let all = std::fs::read_dir("/proc").unwrap().flatten();
    let pids = all.filter_map(|e| e.file_name().to_str()?.parse::<u32>().ok());
    let parent = |pid: u32| {
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
        stat.rsplit_once(") ")?.1.split(' ').nth(1)?.parse::<u32>().ok()
    };
    pids.filter(|pid| parent(*pid) == Some(of)).collect()
}

#[test]
fn a_process_that_dies_takes_one_case_with_it() {
    let forever = "timeout = '600s'\ngroups = [1, 1, 1]\nbuffer = [{ name = 'n', values = [0] }]\nexpect = [{ name = 'n', values = [0] }]\n";
    let good = "buffer = [{ name = 'x', values = [1] }, { name = 'y', type = '[1]' }]\nexpect = [{ name = 'y', values = [2] }]\n";
    let folder = folder("dies", &[("forever.test.toml", forever), ("twice.test.toml", good)]);
    let mut command = command(&folder, &["test", "--jobs", "1"]);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let start = Instant::now();
    let worker = loop {
        if let [worker] = children(child.id())[..] {
            break worker;
        }
        assert!(start.elapsed() < PATIENCE, "no worker");
        std::thread::sleep(Duration::from_millis(10));
    };
    // It has begun with the case that never ends: nothing else takes so much of a processor.
    while used_by(worker).is_some_and(|used| used < Duration::from_secs(2)) {
        assert!(start.elapsed() < 2 * PATIENCE, "the case does not run");
        std::thread::sleep(Duration::from_millis(10));
    }
    rustix::process::kill_process(
        rustix::process::Pid::from_raw(worker as i32).unwrap(),
        rustix::process::Signal::KILL,
    )
    .unwrap();
    let output = child.wait_with_output().unwrap();
    let said = "FAIL  forever.test.toml
      forever.test.toml:1: its process ended before its time (signal: 9 (SIGKILL))
        again: wavepipe test forever.test.toml
pass  twice.test.toml
1 passed, 1 failed
";
    same(&untimed(&output), said, "dies");
    assert_eq!(output.status.code(), Some(1));
}

#[test]
fn watch_runs_again_what_changes() {
    use std::io::{BufRead as _, BufReader};
    let good = SNAPSHOT.replace("file = 'y.csv'", "values = [2, 4]");
    let other = good.replace("[2, 4]", "[2, 4.5]");
    let folder = folder("watch", &[("double.test.toml", &good), ("twice.test.toml", &other)]);
    let mut child = command(&folder, &["test", "--watch", "--jobs", "1"]).stdout(Stdio::piped()).spawn().unwrap();
    let (send, lines) = std::sync::mpsc::channel();
    let stdout = child.stdout.take().unwrap();
    std::thread::spawn(move || BufReader::new(stdout).lines().map_while(Result::ok).try_for_each(|l| send.send(l)));
    let round = || {
        let mut seen = Vec::new();
        loop {
            match lines.recv_timeout(PATIENCE).expect("it runs again").as_str() {
                "watching" => return seen,
                line if line.starts_with("pass") || line.starts_with("FAIL") => seen.push(line.to_owned()),
                _ => {}
            }
        }
    };
    assert_eq!(round(), ["pass  double.test.toml", "FAIL  twice.test.toml"]);
    let text = std::fs::read_to_string(folder.join("double.wgsl")).unwrap();
    std::fs::write(folder.join("double.wgsl"), text.replace("2.0 *", "3.0 *")).unwrap();
    assert_eq!(round(), ["FAIL  double.test.toml"]);
    std::fs::write(folder.join("twice.test.toml"), &good).unwrap();
    assert_eq!(round(), ["pass  twice.test.toml"]);
    child.kill().unwrap();
    child.wait().unwrap();
}

/// Work-groups of four, and three elements: the condition on line 4 is false for one lane of each case.
#[test]
fn coverage_counts_lanes_over_all_cases() {
    let good = "buffer = [{ name = 'x', values = [1, 2, 3] }, { name = 'y', type = '[3]' }]\nexpect = [{ name = 'y', values = [2, 4, 6] }]\n";
    let folder = folder("coverage", &[("double.test.toml", &format!("{good}matrix = {{ wave = [32, 64] }}\n"))]);
    let output = start(&folder, &["test", "--coverage", "lcov"]);
    assert_eq!(output.status.code(), Some(0), "{}", show(&output));
    let lcov = std::fs::read_to_string(folder.join("wavepipe.lcov")).unwrap();
    assert_eq!(
        lcov,
        "TN:\nSF:double.wgsl\nBRDA:4,0,0,6\nBRDA:4,0,1,2\nBRF:2\nBRH:2\nDA:4,8\nLF:1\nLH:1\nend_of_record\n"
    );
    start(&folder, &["test", "--coverage", "html", "--coverage-output", "page.html"]);
    let page = std::fs::read_to_string(folder.join("page.html")).unwrap();
    assert!(
        page.contains("<tr class=\"hit\"><td>4</td><td>8</td>") && page.contains("<td>true 6, false 2</td>"),
        "{page}"
    );
}

#[test]
fn parts_merge_to_the_whole() {
    let wrong = "buffer = [{ name = 'x', values = [1] }, { name = 'y', type = '[1]' }]\nexpect = [{ name = 'y', values = [3] }]\n";
    let folder = folder("merged", &[LISTED, &[("bad.test.toml", "buffr = 1"), ("double.test.toml", wrong)]].concat());
    let junit = |part: &[&str], file: &str| {
        let output = start(&folder, &[&["test", "--format", "junit", "-o", file], part].concat());
        assert!(folder.join(file).exists(), "{}", show(&output));
    };
    junit(&[], "whole.xml");
    // What is wrong is told by every part, so parts of folders that are right.
    std::fs::remove_file(folder.join("bad.test.toml")).unwrap();
    junit(&[], "right.xml");
    let parts: Vec<String> = (1..=3).map(|n| format!("part-{n}.xml")).collect();
    for (n, file) in parts.iter().enumerate() {
        junit(&["--partition", &format!("count:{}/3", n + 1)], file);
    }
    let files: Vec<&str> = parts.iter().map(String::as_str).collect();
    let merged = start(&folder, &[&["test", "--merge"], &files[..], &["-o", "all.xml"]].concat());
    let read = |file: &str| std::fs::read_to_string(folder.join(file)).unwrap();
    // The same cases with the same numbers; the order of suites is that of the parts.
    let lines = |text: &str| {
        let mut out: Vec<String> = text.lines().map(|l| l.trim().split(" time=").next().unwrap().to_owned()).collect();
        out.sort();
        out
    };
    assert_eq!(lines(&read("all.xml")), lines(&read("right.xml")));
    assert!(merged.status.code() == Some(1) && out(&merged) == "5 passed, 1 failed\n", "{}", show(&merged));
    // Without -o, of any number of files, also what this has merged.
    let again = start(&folder, &["test", "--merge", "all.xml"]);
    assert!(again.status.code() == Some(1) && out(&again) == read("all.xml"), "{}", show(&again));
    let whole = start(&folder, &["test", "--merge", "whole.xml"]);
    assert!(whole.status.code() == Some(2) && out(&whole).contains("errors=\"1\""), "{}", show(&whole));
    std::fs::write(folder.join("cut.xml"), &read("all.xml")[..400]).unwrap();
    std::fs::write(folder.join("page.xml"), "<html>\n</html>").unwrap();
    std::fs::write(folder.join("empty.xml"), "").unwrap();
    for (args, said) in [
        (&["all.xml", "part-1.xml"][..], "it is in all.xml and in part-1.xml, and parts have no case in common"),
        (&["cut.xml"], "cut.xml:"),
        (&["page.xml"], "page.xml:1: this is no JUnit document: it begins with <html>"),
        (&["empty.xml"], "empty.xml:1: this is no JUnit document: nothing is in it"),
        (&["none.xml"], "none.xml"),
        (&[], "--merge wants the JUnit files"),
        (&["all.xml", "--list"], "cannot be used with"),
    ] {
        let output = start(&folder, &[&["test", "--merge"], args].concat());
        let text = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.code() == Some(2) && text.contains(said), "{said}\n{}", show(&output));
    }
}

/// The script of the last step of the repository's Action, and the names of its inputs.
fn action() -> (String, Vec<String>) {
    let text = std::fs::read_to_string(root().join("action.yml")).unwrap();
    let inputs = text.split("\ninputs:\n").nth(1).unwrap().split("\nruns:").next().unwrap();
    let names = inputs.lines().filter(|l| l.starts_with("  ") && !l.starts_with("   "));
    let script = text.rsplit_once("run: |\n").unwrap().1.lines().map(|l| l.strip_prefix("        ").unwrap_or(l));
    (script.collect::<Vec<_>>().join("\n"), names.map(|l| l.trim().trim_end_matches(':').to_owned()).collect())
}

#[test]
fn what_init_writes_passes() {
    for language in ["wgsl", "glsl"] {
        let folder = scratch(&format!("init-{language}"));
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(&folder).unwrap();
        let made = start(&folder, &["init", "--language", language]);
        assert_eq!(made.status.code(), Some(0), "{}", show(&made));
        // What the workflow runs: the Action, with what it is given there.
        let workflow = std::fs::read_to_string(folder.join(".github/workflows/shaders.yml")).unwrap();
        let uses: Vec<&str> = workflow.lines().filter_map(|l| l.trim().strip_prefix("- uses: ")).collect();
        assert!(uses.len() == 2 && uses[1].contains("/wavepipe@v"), "{workflow}");
        let (script, inputs) = action();
        let given = workflow.split("with:\n").nth(1).unwrap_or_default();
        let given: Vec<(&str, &str)> = given.lines().filter_map(|l| l.trim().split_once(": ")).collect();
        assert!(given.iter().all(|(key, _)| inputs.iter().any(|i| i == key)), "{inputs:?}\n{workflow}");
        let mut step = clean(Path::new("bash"));
        step.current_dir(&folder).args(["-e", "-o", "pipefail", "-c", &script]);
        step.env("PROGRAM", program("wavepipe").unwrap()).env("PATHS", ".").env("RUNNER_TEMP", &folder);
        for input in ["ARGUMENTS", "PARTITION", "JUNIT"] {
            let value = given.iter().find(|(key, _)| key.to_uppercase() == input).map_or("", |(_, value)| *value);
            step.env(input, value);
        }
        let output = run(&mut step).unwrap();
        assert!(output.status.code() == Some(0) && untimed(&output).ends_with("4 passed\n"), "{}", show(&output));
        let junit = std::fs::read_to_string(folder.join("shaders.xml")).unwrap();
        assert!(junit.contains("tests=\"4\" failures=\"0\""), "{junit}");
        // Nothing of the user's is written over.
        let again = start(&folder, &["init"]);
        let said = String::from_utf8_lossy(&again.stderr).into_owned();
        assert!(again.status.code() == Some(2) && said.contains("is there already, and nothing was written"), "{said}");
    }
}

/// Blocks of docs/testing.md: the language and the text.
fn blocks() -> Vec<(String, String)> {
    let text = std::fs::read_to_string(root().join("docs/testing.md")).unwrap();
    let mut out = Vec::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        if let Some(language) = line.strip_prefix("```") {
            let body: Vec<&str> = lines.by_ref().take_while(|l| *l != "```").collect();
            out.push((language.to_owned(), body.join("\n") + "\n"));
        }
    }
    out
}

/// Its files are written, and its commands run in order.
#[test]
fn the_page_about_testing_is_true() {
    let folder = scratch("testing-page");
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    let all = blocks();
    let (mut files, mut commands) = (0, 0);
    for (language, text) in &all {
        if let Some(name) = text
            .lines()
            .next()
            .and_then(|l| l.strip_prefix("// ").or(l.strip_prefix("# ")))
            .filter(|_| language == "toml" || language == "wgsl")
        {
            std::fs::write(folder.join(name), text).unwrap();
            files += 1;
        }
    }
    for (language, text) in &all {
        match language.as_str() {
            "sh" => {
                for line in text.lines() {
                    let line = line.split('#').next().unwrap().trim();
                    // Quotes of a shell.
                    let words: Vec<String> =
                        line.split(' ').skip(1).filter(|w| !w.is_empty()).map(|w| w.replace('\'', "")).collect();
                    let output = start(&folder, &words.iter().map(String::as_str).collect::<Vec<_>>());
                    // double.test.toml and a case of many.test.toml are wrong on purpose.
                    assert!(matches!(output.status.code(), Some(0 | 1)), "{line}\n{}", show(&output));
                    commands += 1;
                }
            }
            // `book.rs` runs these, and looks at what they print.
            "toml" | "wgsl" | "console" => {}
            other => panic!("a block of {other}"),
        }
    }
    assert!(files >= 6 && commands >= 9, "{files} files, {commands} commands");
    // The test of a race passes, as it expects one.
    assert_eq!(start(&folder, &["test", "race.test.toml"]).status.code(), Some(0));
    assert_eq!(start(&folder, &["test", "many.test.toml", "--filter", "all"]).status.code(), Some(0));
}
