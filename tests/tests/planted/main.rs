//! Bugs planted in programs as people write them (`tests/planted`), run as a user would run them: by `wavepipe run`, `wavepipe
//! launch`, and `wavepipe exec` with a Vulkan program, with the check of the bug, at both wave sizes. All that is planted is
//! found, on its line and with its pair, and nothing besides; and in the mended twin all checks together find nothing. Some run on other
//! generations too.
//!
//! `missing.toml` there lists what is not found yet, with the reason. What is in the list and is found is a failure, too.

mod case;

use case::Case;
use libtest_mimic::{Arguments, Failed, Trial};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Output;
use std::sync::Arc;
use wavepipe_runtime::hw::machine::Machine;
use wavepipe_runtime::isa::Gen;
use wavepipe_tests::share::is_due;
use wavepipe_tests::{clean, installed, matrix, program, root, run, scratch, show, skip, spirv};

fn main() {
    let arguments = Arguments::from_args();
    let (cases, faults) = case::all();
    let missing = Arc::new(Missing::read());
    let mut trials = Vec::new();
    for (name, fault) in faults {
        trials.push(Trial::test(format!("header::{name}"), move || Err(Failed::from(fault))));
    }
    let (names, languages) = (cases.iter().map(|c| c.name.clone()).collect::<Vec<_>>(), counts(&cases));
    let table = table_is_true(&cases, &missing);
    trials.push(Trial::test("the_table_in_docs_is_of_these_cases", || table.map_err(Failed::from)));
    for (number, case) in (0..).zip(cases.into_iter().map(Arc::new)) {
        // Of the default machine's wave sizes one each day; the mended twin at the other.
        let sizes = |(isa, _): &(Gen, u32)| *isa == Gen::default();
        let (own, others): (Vec<_>, Vec<_>) = targets(&case, number).into_iter().partition(sizes);
        let several = own.len() > 1;
        let due = |place: usize| !several || is_due(number as usize + place, 2);
        let own = own.into_iter().enumerate().map(|(place, target)| (target, due(place), due(place + 1)));
        for ((isa, wave), with_bug, with_twin) in own.chain(others.into_iter().map(|target| (target, true, true))) {
            let on = if isa == Gen::default() { format!("wave{wave}") } else { format!("{}::wave{wave}", isa.name()) };
            let (here, list) = (case.clone(), missing.clone());
            let planted = move || list.expect(&here.name, &here.check, wave, is_found(&here, (isa, wave)));
            if with_bug {
                trials.push(Trial::test(format!("planted::{on}::{}", case.name), move || {
                    planted().map_err(Failed::from)
                }));
            }
            let (here, list) = (case.clone(), missing.clone());
            let mended = move || list.expect_quiet(&here.name, wave, is_quiet(&here, (isa, wave)));
            if with_twin {
                trials
                    .push(Trial::test(format!("mended::{on}::{}", case.name), move || mended().map_err(Failed::from)));
            }
        }
    }
    trials.push(Trial::test("there_are_enough_of_each", move || enough(&languages).map_err(Failed::from)));
    trials.push(Trial::test("the_list_of_missing_names_cases", move || missing.check(&names).map_err(Failed::from)));
    trials.push(Trial::test("a_wrong_line_and_a_wrong_pair_are_noticed", || judge_judges().map_err(Failed::from)));
    libtest_mimic::run(&arguments, trials).exit();
}

/// What a case runs on: generations, and sizes of waves. Machine code is of one.
fn targets(case: &Case, number: u64) -> Vec<(Gen, u32)> {
    let machines = match case.language() {
        "s" => vec![Machine::standard()],
        _ => matrix::of_case(number),
    };
    let of = |machine: &Arc<Machine>| matrix::waves(machine).iter().map(|w| w.lanes()).collect::<Vec<_>>();
    let all = machines.iter().flat_map(|m| of(m).into_iter().map(|wave| (m.generation(), wave)));
    all.filter(|(_, wave)| case.waves.contains(wave)).collect()
}

/// What is not found yet.
struct Missing {
    /// By case, or by case and ` wave32` or ` wave64`: why.
    bugs: BTreeMap<String, String>,
    /// False alarms of the mended twin, likewise.
    alarms: BTreeMap<String, String>,
    /// Checks that the program does not know.
    checks: Vec<String>,
}

impl Missing {
    fn read() -> Missing {
        let text = std::fs::read_to_string(case::folder().join("missing.toml")).expect("missing.toml");
        let table: toml::Table = text.parse().expect("missing.toml");
        let list = |name: &str| {
            let entries = table.get(name).and_then(|t| t.as_table()).into_iter().flatten();
            entries.map(|(k, v)| (k.clone(), v.as_str().unwrap_or_default().to_owned())).collect()
        };
        let checks = table.get("unknown_checks").and_then(|a| a.as_array()).into_iter().flatten();
        let checks = checks.filter_map(|v| v.as_str()).map(str::to_owned).collect();
        Missing { bugs: list("bugs"), alarms: list("alarms"), checks }
    }

    fn check(&self, names: &[String]) -> Result<(), String> {
        let name = |key: &String| key.trim_end_matches(" wave32").trim_end_matches(" wave64").to_owned();
        let all = self.bugs.iter().chain(&self.alarms);
        let wrong: Vec<_> = all.filter(|(key, why)| !names.contains(&name(key)) || why.is_empty()).collect();
        if wrong.is_empty() { Ok(()) } else { Err(format!("no such case, or no reason: {wrong:?}")) }
    }

    fn listed<'a>(list: &'a BTreeMap<String, String>, name: &str, wave: u32) -> Option<&'a String> {
        list.get(name).or_else(|| list.get(&format!("{name} wave{wave}")))
    }

    fn expect(&self, name: &str, check: &str, wave: u32, found: Result<(), String>) -> Result<(), String> {
        let unknown = self.checks.iter().any(|c| c == check).then(|| "the check is not there".to_owned());
        match (Missing::listed(&self.bugs, name, wave).or(unknown.as_ref()), found) {
            (None, found) => found,
            (Some(why), Ok(())) => {
                Err(format!("this is found now: take it out of missing.toml, where it says `{why}`"))
            }
            (Some(_), Err(_)) => Ok(()),
        }
    }

    fn expect_quiet(&self, name: &str, wave: u32, quiet: Result<(), String>) -> Result<(), String> {
        match (Missing::listed(&self.alarms, name, wave), quiet) {
            (None, quiet) => quiet,
            (Some(why), Ok(())) => {
                Err(format!("no alarm any more: take it out of missing.toml, where it says `{why}`"))
            }
            (Some(_), Err(_)) => Ok(()),
        }
    }
}

/// docs/checks.md says how many bugs there are, of how many other tools were asked, and of no more that they are found than are.
fn table_is_true(cases: &[Case], missing: &Missing) -> Result<(), String> {
    let path = root().join("docs/checks.md");
    let text = std::fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
    let mut wrong = Vec::new();
    for check in ["mem", "race", "init", "sync", "wait", "num"] {
        let of: Vec<_> = cases.iter().filter(|c| c.check == check).collect();
        let lacks = |c: &Case| [32, 64].iter().any(|wave| Missing::listed(&missing.bugs, &c.name, *wave).is_some());
        let unknown = missing.checks.iter().any(|c| c == check);
        let found = of.iter().filter(|c| !unknown && !lacks(c)).count();
        let opencl = of.iter().filter(|c| c.language() == "cl").count();
        let row = text.lines().find(|line| line.starts_with(&format!("| {check} |"))).unwrap_or_default();
        let cells: Vec<&str> = row.split('|').map(str::trim).collect();
        let number = |n: usize| cells.get(n).and_then(|cell| cell.parse::<usize>().ok());
        let oclgrind = if opencl == 0 { "–".to_owned() } else { format!("of {opencl}") };
        let last = cells.iter().rev().find(|cell| !cell.is_empty()).copied().unwrap_or_default();
        if number(2) != Some(of.len()) || number(3).is_none_or(|n| n > found) || !last.ends_with(&oclgrind) {
            wrong.push(format!("{row}: there are {}, {found} are found, and {opencl} are OpenCL", of.len()));
        }
    }
    if wrong.is_empty() { Ok(()) } else { Err(format!("docs/checks.md\n{}", wrong.join("\n"))) }
}

fn counts(cases: &[Case]) -> BTreeMap<String, usize> {
    let mut out = BTreeMap::new();
    for case in cases {
        *out.entry(case.language().to_owned()).or_default() += 1;
        *out.entry(case.check.clone()).or_default() += 1;
    }
    out
}

fn enough(counts: &BTreeMap<String, usize>) -> Result<(), String> {
    let least = [("comp", 60), ("wgsl", 20), ("cl", 25), ("spvasm", 4), ("mem", 40), ("race", 40), ("sync", 12)];
    let few: Vec<_> = least.iter().filter(|(of, n)| counts.get(*of).is_none_or(|has| has < n)).collect();
    if few.is_empty() { Ok(()) } else { Err(format!("fewer than {few:?}: {counts:?}")) }
}

/// A finding as it is compared.
#[derive(Debug, PartialEq)]
struct Told {
    check: String,
    kind: String,
    line: Option<u64>,
    other: Option<u64>,
}

/// All that is planted is found, and nothing besides.
fn is_found(case: &Case, on: (Gen, u32)) -> Result<(), String> {
    let Some((told, command)) = tell(case, on, false, &case.check)? else { return Ok(()) };
    judge(case, &told).map_err(|wrong| format!("{wrong}\n{told:#?}\n{command}"))
}

fn is_quiet(case: &Case, on: (Gen, u32)) -> Result<(), String> {
    let Some((told, command)) = tell(case, on, true, "all")? else { return Ok(()) };
    if told.is_empty() { Ok(()) } else { Err(format!("the mended twin is right, and has\n{told:#?}\n{command}")) }
}

fn judge(case: &Case, told: &[Told]) -> Result<(), String> {
    let marked = |line: Option<u64>| line.is_some_and(|l| case.finds.contains_key(&l) || case.pairs.contains(&l));
    let mut wrong = Vec::new();
    for (line, (check, kind)) in &case.finds {
        let paired = |other: Option<u64>| case.pairs.is_empty() || other.is_some_and(|o| case.pairs.contains(&o));
        let here = |t: &Told| {
            t.check == *check
                && kind.as_ref().is_none_or(|k| *k == t.kind)
                && (t.line == Some(*line) && paired(t.other)
                    || t.other == Some(*line) && paired(t.line)
                    || t.line.is_none() && t.other.is_none() && case.commands.contains(line))
        };
        if !told.iter().any(here) {
            wrong.push(format!("line {line}: {check} {} is not found", kind.as_deref().unwrap_or_default()));
        }
    }
    for t in told {
        // A command that is at odds with what a shader does has no line.
        let command = t.other.is_none() && case.finds.keys().any(|line| case.commands.contains(line));
        let here = marked(t.line) || t.line.is_none() && (marked(t.other) || command);
        if t.check != case.check || !here || t.other.is_some() && !marked(t.other) {
            wrong.push(format!("nothing is planted there: {t:?}"));
        }
    }
    if wrong.is_empty() { Ok(()) } else { Err(wrong.join("\n")) }
}

/// What a run tells, and its command; `None` where a compiler is missing.
fn tell(
    case: &Case,
    (isa, wave): (Gen, u32),
    mended: bool,
    checks: &str,
) -> Result<Option<(Vec<Told>, String)>, String> {
    let twin = if mended { "mended" } else { "planted" };
    let folder = scratch(&format!("planted/{}-{}-{wave}-{twin}", case.name.replace('/', "-"), isa.name()));
    std::fs::create_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let file = folder.join(case.path.file_name().unwrap_or_default());
    write(&file, case.text(mended).as_bytes())?;
    let Some(code) = built(case, &file, (isa, wave))? else { return Ok(None) };
    let (launched, findings) = (matches!(case.language(), "cl" | "s"), folder.join("findings.json"));
    let mut command = clean(&program("wavepipe")?);
    command.current_dir(&folder);
    if isa != Gen::default() {
        command.env("WAVEPIPE_MACHINE", matrix::name(isa));
    }
    match case.script(mended) {
        Some(script) => {
            let input = folder.join("script");
            write(&input, script.as_bytes())?;
            command
                .stdin(std::fs::File::open(&input).map_err(|e| e.to_string())?)
                .env("WAVEPIPE_WAVE", wave.to_string());
            command.arg("exec").args(["--check", checks, "--findings"]).arg(&findings).arg("--");
            command.arg(program("examples/planted_host")?).arg(&code);
        }
        None => {
            command.arg(if launched { "launch" } else { "run" }).arg(&code).args(case.run(mended));
            command.args(["--quiet", "--check", checks, "--findings"]).arg(&findings);
            if !launched {
                command.args(["--wave", &wave.to_string()]);
            }
        }
    }
    let output = run(&mut command)?;
    let text = format!("{command:?}\n{}", String::from_utf8_lossy(&output.stderr));
    if output.status.code() == Some(4) && text.contains("glslc") {
        return skip("glslc").map(|()| None);
    }
    Ok(Some((told(&output, &findings, &file)?, text)))
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), String> {
    std::fs::write(path, bytes).map_err(|e| format!("{}: {e}", path.display()))
}

/// What the program takes: the text itself, a module, or a code object.
fn built(case: &Case, file: &Path, (isa, wave): (Gen, u32)) -> Result<Option<PathBuf>, String> {
    let code = file.with_extension("co");
    let target = ["-target", "amdgcn-amd-amdhsa", &format!("-mcpu={}", isa.name()), "-g"];
    let wide: &[&str] = if wave == 64 && isa.caps().wave32 { &["-mwavefrontsize64"] } else { &[] };
    let mut clang = clean(Path::new("clang-19"));
    clang.args(target).args(wide);
    match case.language() {
        "spvasm" => {
            let misplaced = case.misplaced();
            if !misplaced.is_empty() {
                return Err(format!("OpLine names another line than the next one in lines {misplaced:?}"));
            }
            let text = std::fs::read_to_string(file).map_err(|e| e.to_string())?;
            let Some(words) = spirv::assembled(&text) else { return skip("spirv-as").map(|()| None) };
            let words = words?;
            let module = file.with_extension("spv");
            write(&module, &words.iter().flat_map(|w| w.to_le_bytes()).collect::<Vec<_>>())?;
            return Ok(Some(module));
        }
        "cl" => {
            clang.args(["-x", "cl", "-cl-std=CL2.0", "-cl-no-stdinc", "-nogpulib", "-O1", "-Wno-unused-value"]);
            clang.arg("-include").arg(case::folder().join("opencl.h"));
        }
        "s" => {
            clang.args(["-x", "assembler", "-I"]).arg(case::folder());
            clang.args((wave == 64).then_some("-Wa,-defsym,WAVE64=1"));
        }
        "comp" if case.script(false).is_some() => {
            if !installed("glslc") {
                return skip("glslc").map(|()| None);
            }
            let module = file.with_extension("spv");
            let mut glslc = clean(Path::new("glslc"));
            glslc.args(["-fshader-stage=compute", "--target-env=vulkan1.2", "-g", "-o"]).arg(&module).arg(file);
            let output = run(&mut glslc)?;
            return if output.status.success() { Ok(Some(module)) } else { Err(show(&output)) };
        }
        _ => return Ok(Some(file.to_owned())),
    }
    if !installed("clang-19") {
        return skip("clang-19").map(|()| None);
    }
    let output = run(clang.arg("-o").arg(&code).arg(file))?;
    if output.status.success() { Ok(Some(code)) } else { Err(format!("{clang:?}\n{}", show(&output))) }
}

/// The findings of a run, or its fault: accesses outside of all memory end it, whatever is checked. Lines are those of the
/// program's own text.
fn told(output: &Output, findings: &Path, file: &Path) -> Result<Vec<Told>, String> {
    let stderr = String::from_utf8_lossy(&output.stderr);
    let own = file.file_name().unwrap_or_default().to_string_lossy();
    if let Some((_, fault)) = stderr.split_once("GPU fault") {
        let place = |l: &str| {
            let (file, line) = l.trim_start().strip_prefix("at ")?.rsplit_once(':')?;
            line.parse().ok().filter(|_| file.ends_with(&*own))
        };
        let line = fault.lines().find_map(place);
        return Ok(vec![Told { check: "mem".to_owned(), kind: "fault".to_owned(), line, other: None }]);
    }
    let json = std::fs::read(findings).map_err(|e| format!("no findings: {e}\n{stderr}"))?;
    let json: Value = serde_json::from_slice(&json).map_err(|e| format!("{e}\n{stderr}"))?;
    let findings = json["findings"].as_array().ok_or("no findings in the JSON")?;
    let line =
        |place: &Value| place["line"].as_u64().filter(|_| place["file"].as_str().is_some_and(|f| f.ends_with(&*own)));
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let one =
        |f: &Value| Told { check: text(&f["check"]), kind: text(&f["kind"]), line: line(f), other: line(&f["other"]) };
    Ok(findings.iter().map(one).collect())
}

/// What is compared, on findings made up for a case.
fn judge_judges() -> Result<(), String> {
    let name = "race/scan-in-place.comp";
    let case = Case::read(case::folder().join(name))?;
    let (Some((&bug, _)), Some(&pair)) = (case.finds.iter().next(), case.pairs.first()) else {
        return Err(format!("{name} has a bug and a pair"));
    };
    let told = |kind: &str, line, other| {
        vec![Told { check: "race".to_owned(), kind: kind.to_owned(), line: Some(line), other: Some(other) }]
    };
    for (told, good) in [
        (told("read-write", bug, pair), true),
        (told("read-write", pair, bug), true),
        (told("write-write", bug, pair), false),
        (told("read-write", bug, bug), false),
        (told("read-write", bug + 1, pair), false),
        (Vec::new(), false),
    ] {
        if judge(&case, &told).is_ok() != good {
            return Err(format!("{told:?}: {:?}", judge(&case, &told)));
        }
    }
    let besides = [told("read-write", bug, pair), told("read-write", bug, pair + 100)];
    match judge(&case, &besides.into_iter().flatten().collect::<Vec<_>>()) {
        Ok(()) => Err("what is found besides is not noticed".to_owned()),
        Err(_) => Ok(()),
    }
}
