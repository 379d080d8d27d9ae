//! The book: what its pages print is what the program prints, what they link to is there, and every page is in it.

use crate::page;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;
use wavepipe_tests::{installed, root, run, scratch, show, skip, wavepipe};

fn read(path: &str) -> String {
    std::fs::read_to_string(root().join(path)).unwrap_or_else(|e| panic!("{path}: {e}"))
}

/// A test for each page with commands, so that they run beside each other.
macro_rules! pages {
    ($($name:ident $path:literal)*) => {
        const PAGES: &[&str] = &[$($path),*];
        $(#[test] fn $name() { page::run($path); })*
    };
}

pages! {
    a_first_hour "docs/course/01-first-hour.md"
    divergence "docs/course/02-divergence.md"
    coalescing "docs/course/03-coalescing.md"
    banks "docs/course/04-banks.md"
    occupancy "docs/course/05-occupancy.md"
    waves "docs/course/06-waves.md"
    barriers "docs/course/07-barriers.md"
    atomics "docs/course/08-atomics.md"
    subgroups "docs/course/09-subgroups.md"
    machine_code "docs/course/11-machine-code.md"
    generations "docs/course/12-generations.md"
    matrices "docs/course/13-matrices.md"
    debugger "docs/debug.md"
    orders "docs/schedules.md"
    testing "docs/testing.md"
}

/// The picture beside the words is the one that the command makes, too.
#[test]
fn asynchronous_compute_and_the_readme() {
    for path in ["docs/course/10-async.md", "README.md"] {
        let made = std::fs::read_to_string(page::run(path).join("tunnel.svg")).unwrap();
        if std::env::var_os("WAVEPIPE_BLESS").is_some() {
            std::fs::write(root().join("docs/tunnel.svg"), &made).unwrap();
        }
        assert!(
            made == read("docs/tunnel.svg"),
            "{path}: docs/tunnel.svg is another picture (WAVEPIPE_BLESS=1 renews it)"
        );
        assert!(made.contains("<path class=\"urgent\"") && made.contains("<path class=\"kept\""), "{made}");
    }
}

#[test]
fn every_page_with_commands_runs() {
    let mut pages: Vec<&str> = PAGES.iter().copied().chain(["docs/course/10-async.md"]).collect();
    pages.sort_unstable();
    let with: Vec<String> =
        documents().into_iter().filter(|(_, text)| text.contains("\n```console\n")).map(|(p, _)| p).collect();
    assert_eq!(with, pages);
}

/// Pages below docs/, and their texts.
fn documents() -> BTreeMap<String, String> {
    let mut out = BTreeMap::new();
    for folder in ["docs", "docs/course", "docs/reference"] {
        for entry in std::fs::read_dir(root().join(folder)).unwrap().flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            if name.ends_with(".md") {
                let path = format!("{folder}/{name}");
                let text = read(&path);
                out.insert(path, text);
            }
        }
    }
    out
}

/// Where a page's links lead, outside of code.
fn links(text: &str) -> Vec<String> {
    let mut out = Vec::new();
    let mut inside = false;
    for line in text.lines() {
        inside ^= line.starts_with("```");
        let spans = line.split('`').step_by(2).collect::<Vec<_>>().join("`");
        if !inside {
            out.extend(spans.split("](").skip(1).filter_map(|rest| Some(rest.split_once(')')?.0.to_owned())));
        }
    }
    out
}

/// What a heading is called in a link, as mdBook and GitHub have it.
fn anchor(heading: &str) -> String {
    let kept = |c: char| c.is_alphanumeric() || c == '_' || c == '-' || c == ' ';
    heading.to_lowercase().chars().filter(|c| kept(*c)).map(|c| if c == ' ' { '-' } else { c }).collect()
}

fn anchors(text: &str) -> BTreeSet<String> {
    text.lines()
        .filter_map(|l| l.trim_start_matches('#').strip_prefix(' ').filter(|_| l.starts_with('#')))
        .map(anchor)
        .collect()
}

fn plain(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for part in path.components() {
        if part.as_os_str() == ".." {
            out.pop();
        } else {
            out.push(part);
        }
    }
    out
}

#[test]
fn links_lead_somewhere() {
    let all = documents();
    let mut wrong = Vec::new();
    let mut count = 0;
    for (path, text) in all.iter().chain([(&"README.md".to_owned(), &read("README.md"))]) {
        for link in links(text) {
            if link.contains("://") {
                continue;
            }
            count += 1;
            let (file, part) = link.split_once('#').unwrap_or((&link, ""));
            let folder = Path::new(path).parent().unwrap();
            let to = if file.is_empty() { PathBuf::from(path) } else { plain(&folder.join(file)) };
            let there = root().join(&to).exists();
            let named = part.is_empty() || anchors(&read(&to.display().to_string())).contains(part);
            if !there || !named {
                wrong.push(format!("{path}: {link}"));
            }
        }
    }
    assert!(count > 60, "{count} links");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_page_is_in_the_summary() {
    let summary = read("docs/SUMMARY.md");
    let listed: BTreeSet<String> = links(&summary).into_iter().map(|l| format!("docs/{l}")).collect();
    let there: BTreeSet<String> = documents().into_keys().filter(|p| p != "docs/SUMMARY.md").collect();
    assert_eq!(listed, there);
}

/// The chapters of the book are those of the puzzles, by number and title.
#[test]
fn chapters_have_their_puzzles() {
    let output = run(wavepipe(&["learn"]).current_dir(scratch("nothing").parent().unwrap())).unwrap();
    let said = String::from_utf8(output.stdout.clone()).unwrap();
    let chapters: Vec<(String, String)> = said
        .lines()
        .filter_map(|l| l.trim_start().split_once("  "))
        .filter(|(n, _)| n.parse::<u32>().is_ok())
        .map(|(n, title)| (format!("{n:0>2}"), title.to_owned()))
        .collect();
    assert_eq!(chapters.len(), 13, "{}", show(&output));
    let documents = documents();
    for (number, title) in &chapters {
        let begin = format!("docs/course/{number}-");
        let (path, text) =
            documents.iter().find(|(p, _)| p.starts_with(&begin)).unwrap_or_else(|| panic!("no {begin}"));
        assert!(text.starts_with(&format!("# {title}\n")), "{path} is called {title}");
        assert!(read("docs/SUMMARY.md").contains(&format!("[{title}]({})", &path["docs/".len()..])), "{title}");
        let number: u32 = number.parse().unwrap();
        let named = said.lines().filter_map(|l| l.split_once("] ")).filter_map(|(_, l)| l.split_whitespace().next());
        let puzzles: Vec<&str> = named.filter(|p| p.starts_with(&format!("{number}."))).collect();
        assert!(
            !puzzles.is_empty() && puzzles.iter().all(|p| text.contains(*p)),
            "{path} names its puzzles {puzzles:?}"
        );
    }
}

/// Pages of tables are those that the program writes.
#[test]
fn reference_pages_are_made_of_the_tables() {
    let folder = scratch("reference");
    let output = run(wavepipe(&["book"]).arg(&folder)).unwrap();
    assert!(output.status.success(), "{}", show(&output));
    for name in ["instructions.md", "machines.md"] {
        let made = std::fs::read_to_string(folder.join(name)).unwrap();
        let path = format!("docs/reference/{name}");
        if std::env::var_os("WAVEPIPE_BLESS").is_some() {
            std::fs::write(root().join(&path), &made).unwrap();
        }
        assert!(made == read(&path), "{path} is not what `wavepipe book docs/reference` writes");
        assert!(made.lines().count() > 400, "{path}");
    }
}

/// mdBook makes it, and every link of the pages that it makes, and every part that one leads to, is there.
#[test]
fn mdbook_builds_it() {
    let ours = root().join("target/mdbook/bin/mdbook");
    let program = if ours.exists() { ours } else { PathBuf::from("mdbook") };
    if !installed(&program.display().to_string()) {
        skip("mdbook").unwrap();
        return;
    }
    let folder = scratch("book");
    let output =
        run(Command::new(program).arg("build").arg(root().join("docs")).arg("--dest-dir").arg(&folder)).unwrap();
    let said = show(&output);
    assert!(output.status.success() && !said.contains("WARN") && !said.contains("ERROR"), "{said}");
    let mut pages = BTreeMap::new();
    for part in ["", "course", "reference"] {
        for entry in std::fs::read_dir(folder.join(part)).unwrap().flatten() {
            let path = entry.path();
            if path.extension().is_some_and(|e| e == "html") {
                let text = std::fs::read_to_string(&path).unwrap();
                pages.insert(path, text);
            }
        }
    }
    assert!(pages.len() > 30, "{} pages", pages.len());
    let mut wrong = Vec::new();
    for (path, text) in &pages {
        let body =
            text.split_once("<main>").and_then(|(_, rest)| rest.split_once("</main>")).map_or("", |(main, _)| main);
        let quoted = |key: &'static str| body.split(key).skip(1).filter_map(|rest| Some(rest.split_once('"')?.0));
        for link in ["href=\"", "src=\""].into_iter().flat_map(quoted) {
            let (file, part) = link.split_once('#').unwrap_or((link, ""));
            let to = if file.is_empty() { path.clone() } else { plain(&path.parent().unwrap().join(file)) };
            // What leaves the book leads into the repository, which another test follows.
            if link.contains("://") || !to.starts_with(&folder) {
                continue;
            }
            let named = part.is_empty() || pages.get(&to).is_some_and(|page| page.contains(&format!("id=\"{part}\"")));
            if !to.exists() || !named {
                wrong.push(format!("{}: {link}", path.strip_prefix(&folder).unwrap().display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn headings_and_links_are_read_as_they_are() {
    assert_eq!(anchor("Where the waves' time went, in `ns`"), "where-the-waves-time-went-in-ns");
    assert_eq!(links("see [a](b.md#c) and `[x](y)`\n```\n[d](e)\n```\n[f](g)"), ["b.md#c", "g"]);
}
