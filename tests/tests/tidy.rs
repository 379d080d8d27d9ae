//! The house rules that a machine can hold: who imports whom, file length, SAFETY lines, nothing printed by libraries,
//! no paths of one machine. Each rule is a function of text, tested on text that breaks it.

mod imports;

use imports::{circle, first_word, imports_of_rooms, imports_outside};
use std::path::{Path, PathBuf};
use wavepipe_tests::root;

/// Who may import whom among the workspace's crates and `ash`; tests and benchmarks may import more.
const MAY_IMPORT: &[(&str, &[&str])] = &[
    ("emulator/alu", &[]),
    ("emulator/lanes", &["wavepipe-alu"]),
    ("emulator/isa", &["wavepipe-alu"]),
    ("emulator/hw", &["wavepipe-isa"]),
    ("emulator/core", &["wavepipe-isa", "wavepipe-hw", "wavepipe-lanes"]),
    ("emulator/timing", &["wavepipe-core", "wavepipe-flow", "wavepipe-hw", "wavepipe-isa"]),
    ("emulator/inspect", &["wavepipe-core", "wavepipe-hw", "wavepipe-isa"]),
    ("emulator/jit", &["wavepipe-core", "wavepipe-isa"]),
    ("emulator/flow", &["wavepipe-hw", "wavepipe-isa"]),
    ("page", &["wavepipe-core", "wavepipe-flow", "wavepipe-hw", "wavepipe-isa"]),
    ("features", &[]),
    ("compiler", &["wavepipe-isa", "wavepipe-hw", "rspirv"]),
    (
        "runtime",
        &[
            "wavepipe-compiler",
            "wavepipe-core",
            "wavepipe-flow",
            "wavepipe-glsl",
            "wavepipe-timing",
            "wavepipe-jit",
            "wavepipe-hw",
            "wavepipe-isa",
        ],
    ),
    ("icd", &["wavepipe-features", "wavepipe-runtime", "ash"]),
    ("glsl", &[]),
    ("wavepipe", &["wavepipe-glsl", "wavepipe-inspect", "wavepipe-page", "wavepipe-runtime"]),
    ("check", &["wavepipe", "wavepipe-features", "wavepipe-runtime"]),
    // The driver to contain it, ash to try what a Vulkan program meets.
    (
        "cli",
        &[
            "wavepipe",
            "wavepipe-check",
            "wavepipe-features",
            "wavepipe-icd",
            "wavepipe-limits",
            "wavepipe-page",
            "wavepipe-playground",
            "wavepipe-runtime",
            "ash",
        ],
    ),
    ("cli/limits", &["wavepipe-features"]),
    ("python", &["wavepipe", "wavepipe-features"]),
    // The machine that a session holds, beside what the library is made of.
    (
        "playground",
        &[
            "wavepipe",
            "wavepipe-check",
            "wavepipe-core",
            "wavepipe-features",
            "wavepipe-inspect",
            "wavepipe-page",
            "wavepipe-runtime",
        ],
    ),
    ("samples", &["wavepipe-features", "wavepipe-glsl", "wavepipe-runtime", "ash"]),
    (
        "tests",
        &[
            "wavepipe-compiler",
            "wavepipe-core",
            "wavepipe-features",
            "wavepipe-hw",
            "wavepipe-isa",
            "wavepipe-runtime",
            "wavepipe-samples",
            "rspirv",
        ],
    ),
];

/// Source files that are longer than a screenful of screens, each with its reason.
const LONG_FILES: &[(&str, &str)] = &[];
const LONG: usize = 600;

/// Roots of the file system that are the same on every Linux machine.
const SYSTEM_ROOTS: &[&str] = &["bin", "dev", "etc", "lib", "lib64", "proc", "sys", "usr", "var"];

#[test]
fn crates_import_only_what_the_design_allows() {
    let workspace = manifest(&root().join("Cargo.toml"));
    let members: Vec<_> =
        workspace["workspace"]["members"].as_array().unwrap().iter().map(|m| m.as_str().unwrap()).collect();
    let mut wrong = Vec::new();
    for member in &members {
        match MAY_IMPORT.iter().find(|(name, _)| name == member) {
            Some((_, allowed)) => {
                let manifest = manifest(&root().join(member).join("Cargo.toml"));
                wrong.extend(imports_outside(&manifest, allowed).map(|name| format!("{member} imports {name}")));
            }
            None => wrong.push(format!("{member} is not in the table of who may import whom")),
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Folders in which a room may import only rooms that do not import it, directly or by others, and nothing from the face.
const ONE_WAY: &[&str] = &[
    "check/src",
    "cli/src",
    "compiler/src/spirv",
    "emulator/core/src",
    "emulator/flow/src",
    "emulator/hw/src",
    "emulator/inspect/src",
    "emulator/isa/src",
    "emulator/timing/src",
    "emulator/timing/src/memory",
    "page/src",
    "samples/src",
    "tests/src",
    "wavepipe/src",
];

#[test]
fn rooms_import_one_way() {
    let all: Vec<(String, String)> = sources().collect();
    let circles = ONE_WAY.iter().filter_map(|folder| {
        let imports = imports_of_rooms(&all, folder);
        assert!(imports.len() > 2, "{folder} has rooms");
        circle(&imports).map(|rooms| format!("{folder}: {}", rooms.join(" → ")))
    });
    report(circles);
}

/// Words of many meanings, each of which may name one type of the workspace: a reader who searches for it finds that one.
const COMMON_WORDS: &[&str] = &["Place", "Row", "Slot", "State", "Target", "Code"];

#[test]
fn common_words_name_one_type_each() {
    let all: Vec<(String, String)> = sources().collect();
    report(COMMON_WORDS.iter().filter_map(|word| {
        let named = all.iter().flat_map(|(path, text)| lines_of(path, types_named(text, word)));
        let named: Vec<String> = named.collect();
        (named.len() > 1).then(|| format!("{word}: {}", named.join(", ")))
    }));
}

#[test]
fn files_are_short_or_have_a_reason() {
    let mut wrong = Vec::new();
    for (path, text) in sources() {
        let listed = LONG_FILES.iter().find(|(name, _)| *name == path);
        match (text.lines().count() > LONG, listed) {
            (true, None) => wrong.push(format!("{path} has {} lines: split it by idea", text.lines().count())),
            (false, Some(_)) => wrong.push(format!("{path} is short again: take it off the list")),
            _ => {}
        }
    }
    for (name, reason) in LONG_FILES {
        assert!(root().join(name).exists() && !reason.is_empty(), "{name} is listed but not there");
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_use_of_unsafe_says_why_it_is_sound() {
    report(sources().flat_map(|(path, text)| lines_of(&path, unexplained_unsafe(&text))));
}

#[test]
fn libraries_print_nothing() {
    let silent = [
        "compiler/src/",
        "emulator/",
        "runtime/src/",
        "icd/src/",
        "glsl/src/",
        "page/src/",
        "wavepipe/src/",
        "check/src/",
        "playground/src/",
    ];
    let libraries = sources()
        .filter(|(path, _)| silent.iter().any(|folder| path.starts_with(folder)))
        .filter(|(path, _)| !path.split('/').any(|part| ["tests", "benches", "examples"].contains(&part)));
    report(libraries.flat_map(|(path, text)| lines_of(&path, printing(&text))));
}

/// A page checks what was typed there: `wavepipe::files` is the door for all that a test names.
#[test]
fn tests_of_shaders_are_read_by_one_door() {
    let own = sources().filter(|(path, _)| path.starts_with("check/src/"));
    report(own.flat_map(|(path, text)| lines_of(&path, reading(&text))));
}

#[test]
fn nothing_is_left_for_later() {
    // This file names what it looks for.
    let others = sources().filter(|(path, _)| path != "tests/tests/tidy.rs");
    report(others.flat_map(|(path, text)| lines_of(&path, unfinished(&text))));
}

#[test]
fn no_path_of_one_machine_is_written_down() {
    report(texts().flat_map(|(path, text)| lines_of(&path, machine_paths(&text))));
}

/// What documents name in the repository is there.
#[test]
fn paths_in_documents_exist() {
    let folders: Vec<String> =
        std::fs::read_dir(root()).unwrap().flatten().map(|e| e.file_name().into_string().unwrap()).collect();
    let documents = texts().filter(|(path, _)| path.ends_with(".md"));
    report(documents.flat_map(|(path, text)| {
        let named = paths_named(&text, &folders);
        assert!(path != "ARCHITECTURE.md" || named.len() > 10, "ARCHITECTURE.md names rooms");
        let missing = named.into_iter().filter(|(_, named)| !root().join(named).exists());
        missing.map(move |(line, named)| format!("{path}:{line}: {named}")).collect::<Vec<_>>()
    }));
}

/// The README says what the gate installs before it does.
#[test]
fn the_readme_lists_what_the_tests_install() {
    let (readme, gate) = (read("README.md"), read("scripts/test"));
    let oracles = gate.split("oracles=(").nth(1).and_then(|rest| rest.split("\n)").next()).unwrap();
    let packages: Vec<&str> =
        oracles.lines().filter_map(|l| l.trim().trim_matches('"').split_whitespace().nth(1)).collect();
    assert!(packages.len() > 10, "{packages:?}");
    report(
        packages.into_iter().filter(|p| !readme.contains(&format!("`{p}`"))).map(|p| format!("README.md lacks {p}")),
    );
}

/// Tests that write SplitMix64 out, which they have in `tests/src/split_mix.rs`.
#[test]
fn tests_have_one_splitmix() {
    let own = |path: &str| path != ONE_SPLITMIX && path.split('/').any(|part| part == "tests");
    report(sources().filter(|(path, _)| own(path)).flat_map(|(path, text)| lines_of(&path, splitmixes(&text))));
    assert_eq!(splitmixes(&read(ONE_SPLITMIX)).len(), 1);
}

const ONE_SPLITMIX: &str = "tests/src/split_mix.rs";

/// Lines with its first multiplier.
fn splitmixes(text: &str) -> Vec<usize> {
    let multiplier = concat!("0x", "bf58476d1ce4e5b9");
    breaking(text, |line| line.replace('_', "").contains(multiplier))
}

/// A crate's tests are one program, `tests/suite.rs`, which names the files beside it, but for those that Cargo.toml makes programs of
/// their own. What no program names is no test.
#[test]
fn every_file_of_tests_is_in_a_program() {
    let all: Vec<(String, String)> = sources().collect();
    let folders: Vec<&str> = all.iter().filter_map(|(path, _)| path.strip_suffix("tests/suite.rs")).collect();
    assert!(folders.len() > 5, "{folders:?}");
    report(folders.into_iter().flat_map(|folder| {
        let manifest = manifest(&root().join(folder).join("Cargo.toml"));
        assert_eq!(manifest["package"]["autotests"].as_bool(), Some(false), "{folder}");
        let programs: Vec<&str> =
            manifest["test"].as_array().unwrap().iter().map(|t| t["path"].as_str().unwrap()).collect();
        let here = |(path, text)| Some((str::strip_prefix(path, folder)?, text));
        let inside = all.iter().filter_map(|(path, text)| here((path.as_str(), text.as_str())));
        let tests: Vec<(&str, &str)> = inside.filter(|(path, _)| path.starts_with("tests/")).collect();
        forgotten(&tests, &programs).into_iter().map(|path| format!("{folder}{path}")).collect::<Vec<_>>()
    }));
}

/// Whether a crate's documentation has programs is asked of rustdoc only where it has some: it reads the whole crate.
#[test]
fn crates_without_programs_in_their_documentation_have_none() {
    let all: Vec<(String, String)> = texts().collect();
    let without =
        all.iter().filter(|(path, text)| path.ends_with("Cargo.toml") && text.contains("\ndoctest = false\n"));
    let folders: Vec<String> = without.map(|(path, _)| path.replace("Cargo.toml", "src/")).collect();
    assert!(folders.len() > 5, "{folders:?}");
    let inside = |path: &String| path.ends_with(".rs") && folders.iter().any(|folder| path.starts_with(folder));
    report(all.iter().filter(|(path, _)| inside(path)).flat_map(|(path, text)| lines_of(path, documented_code(text))));
}

#[test]
fn dependencies_come_from_one_registry() {
    let lock = std::fs::read_to_string(root().join("Cargo.lock")).unwrap();
    let lock: toml::Table = lock.parse().unwrap();
    for package in lock["package"].as_array().unwrap() {
        let source = package.get("source").and_then(|s| s.as_str()).unwrap_or("");
        let usual = source.is_empty() || source == "registry+https://github.com/rust-lang/crates.io-index";
        assert!(usual, "{} comes from {source}", package["name"]);
    }
}

// The rules. Each gives the numbers of the lines that break it, from 1.

/// Where a text declares a type of that name, or, outside of impls and functions, an alias.
fn types_named(text: &str, name: &str) -> Vec<usize> {
    let declares = |line: &str| {
        let begin = line.trim_start();
        let begin = match begin.strip_prefix("pub") {
            Some(rest) => rest.strip_prefix('(').and_then(|r| Some(r.split_once(')')?.1)).unwrap_or(rest).trim_start(),
            None => begin,
        };
        let kinds = ["struct ", "enum ", "union ", "trait ", "unsafe trait ", "type "];
        kinds.iter().any(|kind| {
            let alias_inside = *kind == "type " && line.starts_with(' ');
            !alias_inside && begin.strip_prefix(kind).is_some_and(|rest| first_word(rest) == name)
        })
    };
    breaking(text, declares)
}

/// `unsafe` blocks and impls with no SAFETY line on them or in the six lines above.
fn unexplained_unsafe(text: &str) -> Vec<usize> {
    let lines: Vec<&str> = text.lines().collect();
    let uses = |line: &str| {
        let code = line.split("//").next().unwrap_or("");
        (code.contains("unsafe {") || code.contains("unsafe impl")) && !code.contains('"')
    };
    let explained = |at: usize| lines[at.saturating_sub(6)..=at].iter().any(|line| line.contains("SAFETY:"));
    (0..lines.len()).filter(|&at| uses(lines[at]) && !explained(at)).map(|at| at + 1).collect()
}

/// What asks the host for files by itself.
fn reading(text: &str) -> Vec<usize> {
    let calls = ["fs::read", "File::open", "file::read", ".exists()", ".is_file()"];
    breaking(before_tests(text), |line| calls.iter().any(|call| line.contains(call)))
}

fn printing(text: &str) -> Vec<usize> {
    let macros = ["println!(", "print!(", "eprintln!(", "eprint!(", "dbg!("];
    breaking(before_tests(text), |line| macros.iter().any(|name| line.contains(name)))
}

/// Files of a folder of tests, and folders' first files, that are no program and that no program names.
fn forgotten<'a>(tests: &[(&'a str, &str)], programs: &[&str]) -> Vec<&'a str> {
    let texts: Vec<&str> = tests.iter().filter(|(path, _)| programs.contains(path)).map(|(_, text)| *text).collect();
    let named = |name: &str| texts.iter().flat_map(|t| t.lines()).any(|line| line == format!("mod {name};"));
    let is_forgotten = |path: &str| match path.trim_start_matches("tests/").split_once('/') {
        Some((_, "main.rs")) => true,
        Some((folder, "mod.rs")) => !named(folder),
        Some(_) => false,
        None => !named(path.trim_start_matches("tests/").trim_end_matches(".rs")),
    };
    let paths = tests.iter().map(|(path, _)| *path);
    paths.filter(|path| !programs.contains(path) && is_forgotten(path)).collect()
}

/// Fences that open what rustdoc takes for a program.
fn documented_code(text: &str) -> Vec<usize> {
    let said = |line: &str| {
        let line = line.trim_start();
        let said = line.strip_prefix("//!").or_else(|| line.strip_prefix("///"));
        said.map_or(String::new(), |said| said.trim().to_owned())
    };
    let fences = (1..).zip(text.lines().map(said)).filter(|(_, said)| said.starts_with("```"));
    let is_code = |said: &str| ["```", "```rust", "```no_run", "```should_panic"].contains(&said);
    fences.step_by(2).filter(|(_, said)| is_code(said)).map(|(number, _)| number).collect()
}

fn unfinished(text: &str) -> Vec<usize> {
    let marks = ["todo!(", "unimplemented!(", "TODO", "FIXME", "XXX"];
    breaking(text, |line| marks.iter().any(|mark| line.contains(mark)))
}

/// Absolute paths, but for those that every Linux machine has.
fn machine_paths(text: &str) -> Vec<usize> {
    let is_path = |line: &str| {
        line.match_indices('/').any(|(at, _)| {
            let begins = line[..at].chars().next_back().is_none_or(|before| " \"'`(=:".contains(before));
            let rest = &line[at + 1..];
            let name: String = rest.chars().take_while(|c| c.is_ascii_alphanumeric() || "_.-".contains(*c)).collect();
            let goes_on = rest[name.len()..].starts_with('/') && name.starts_with(|c: char| c.is_ascii_lowercase());
            begins && goes_on && !SYSTEM_ROOTS.contains(&name.as_str())
        })
    };
    breaking(text, is_path)
}

/// Paths from the root in a document's code spans, each with its line; those with a `*` are patterns, and none.
fn paths_named<'a>(text: &'a str, folders: &[String]) -> Vec<(usize, &'a str)> {
    let spans = (1..).zip(text.lines()).flat_map(|(n, line)| line.split('`').skip(1).step_by(2).map(move |s| (n, s)));
    let is_path = |s: &str| s.split_once('/').is_some_and(|(first, _)| folders.iter().any(|f| f == first));
    spans.filter(|(_, s)| is_path(s) && !s.contains(['*', ' ', '…']) && !s.starts_with("target/")).collect()
}

fn breaking(text: &str, breaks: impl Fn(&str) -> bool) -> Vec<usize> {
    (1..).zip(text.lines()).filter(|(_, line)| breaks(line)).map(|(number, _)| number).collect()
}

/// A source file without the unit tests at its end, or at the end of a module in it.
fn before_tests(text: &str) -> &str {
    let tests = ["#[cfg(test)]", "#[cfg(all(test,"].into_iter().flat_map(|mark| text.match_indices(mark));
    let tests = tests.map(|(at, _)| at).filter(|at| {
        let behind = text[*at..].split_once('\n').map_or("", |(_, behind)| behind);
        behind.trim_start().starts_with("mod ")
    });
    tests.min().map_or(text, |at| &text[..at])
}

fn lines_of(path: &str, numbers: Vec<usize>) -> Vec<String> {
    numbers.into_iter().map(|number| format!("{path}:{number}")).collect()
}

fn read(path: &str) -> String {
    std::fs::read_to_string(root().join(path)).unwrap()
}

#[track_caller]
fn report(found: impl Iterator<Item = String>) {
    let found: Vec<_> = found.collect();
    assert!(found.is_empty(), "{}", found.join("\n"));
}

fn manifest(path: &Path) -> toml::Table {
    std::fs::read_to_string(path).unwrap().parse().unwrap()
}

/// Rust sources of the repository: path from the root, and text.
fn sources() -> impl Iterator<Item = (String, String)> {
    texts().filter(|(path, _)| path.ends_with(".rs"))
}

/// Text files of the repository but for Cargo.lock.
fn texts() -> impl Iterator<Item = (String, String)> {
    let mut files = Vec::new();
    walk(root(), &mut files);
    assert!(files.len() > 50, "the repository is here");
    files.into_iter().filter_map(|path| {
        let name = path.strip_prefix(root()).ok()?.to_string_lossy().into_owned();
        let text = std::fs::read_to_string(&path).ok()?;
        (name != "Cargo.lock").then_some((name, text))
    })
}

fn walk(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap().flatten() {
        let (path, name) = (entry.path(), entry.file_name().to_string_lossy().into_owned());
        if path.is_dir() {
            if !name.starts_with("target") && (!name.starts_with('.') || name == ".ci") {
                walk(&path, files);
            }
        } else if name != ".git" {
            // A second work tree has a file of that name.
            files.push(path);
        }
    }
}

#[test]
fn the_rules_find_what_breaks_them() {
    assert_eq!(unexplained_unsafe("fn f() {\n    unsafe { g() }\n}"), [2]);
    assert!(unexplained_unsafe("// SAFETY: g is fine.\nunsafe { g() }").is_empty());
    assert_eq!(printing("fn f() {\n    eprintln!(\"x\");\n}"), [2]);
    assert_eq!(reading("let a = read_text(p);\nlet b = std::fs::read(p);\nif p.is_file() {}"), [2, 3]);
    assert!(printing("#[cfg(test)]\nmod tests { fn f() { println!(); } }").is_empty());
    assert!(printing("#[cfg(all(test, unix))]\nmod tests { fn f() { println!(); } }").is_empty());
    assert!(printing("mod m {\n    #[cfg(test)]\n    mod tests { fn f() { println!(); } }\n}").is_empty());
    assert_eq!(printing("#[cfg(test)]\nuse x;\nfn f() {\n    println!();\n}"), [4]);
    assert_eq!(unfinished("fn f() {\n todo!()\n}"), [2]);
    assert_eq!(documented_code("//! ```text\n//! ```\n\n/// ```\n/// f();\n/// ```"), [4]);
    let mut tests = vec![("tests/suite.rs", "mod a;\nmod b;\nmod g;"), ("tests/e/main.rs", "mod d;\nmod x;")];
    tests.extend(["tests/a.rs", "tests/b/mod.rs", "tests/b/c.rs", "tests/d.rs", "tests/x/mod.rs"].map(|f| (f, "")));
    tests.extend(["tests/f.rs", "tests/g/main.rs", "tests/h/mod.rs"].map(|forgotten| (forgotten, "")));
    assert_eq!(
        forgotten(&tests, &["tests/suite.rs", "tests/e/main.rs"]),
        ["tests/f.rs", "tests/g/main.rs", "tests/h/mod.rs"]
    );
    let folders = ["cli".to_owned()];
    assert_eq!(paths_named("see `cli/x`\nand `a/b`, `cli/*.rs`", &folders), [(1, "cli/x")]);
    let types = "pub(crate) struct Row;\nstruct Rows(u32);\nimpl Deref for X {\n    type Row = u8;\n}\nmod m {\n    pub enum Row<T> {}\n}\n// struct Row";
    assert_eq!(types_named(types, "Row"), [1, 7]);
    assert_eq!(types_named("pub type Code = u8;\ntype Codes = u8;", "Code"), [1]);
    let own = ["home", "me"].join("/");
    assert_eq!(machine_paths(&format!("a\nsee \"/{own}/x\"\n/usr/share/vulkan and/or a/b")), [2]);
}
