//! A page of the documentation as something to run: its files, its commands, and what they print.
//!
//! A fenced block whose first line is `// NAME`, `# NAME` or `; NAME` is a file of that name. In a block of `console` a line with `$ ` is a
//! command, and what follows it is what it prints, on both streams; `…` stands for any text in a line, and alone for any lines.

use std::path::{Path, PathBuf};
use wavepipe_tests::{built, clean, root, scratch};

/// What stands in a page, in its order.
enum Part {
    /// Lines of text, fences among them.
    Text(String),
    File(PathBuf, String),
    /// A command, and what is said that it prints.
    Command(String, Vec<String>),
}

fn file_name(first: &str) -> Option<&str> {
    let name = ["// ", "# ", "; "].iter().find_map(|sign| first.strip_prefix(sign))?;
    let plain = |c: char| c.is_ascii_alphanumeric() || "._-/".contains(c);
    (name.contains('.') && name.chars().all(plain)).then_some(name)
}

fn parts(text: &str) -> Vec<Part> {
    let mut out = Vec::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        out.push(Part::Text(line.to_owned()));
        let Some(language) = line.strip_prefix("```").filter(|l| !l.is_empty()) else { continue };
        let body: Vec<&str> = lines.by_ref().take_while(|l| *l != "```").collect();
        if language == "console" {
            for line in body {
                match (line.strip_prefix("$ "), out.last_mut()) {
                    (Some(command), _) => out.push(Part::Command(command.to_owned(), Vec::new())),
                    (None, Some(Part::Command(_, prints))) => prints.push(line.to_owned()),
                    _ => panic!("a block of console begins with a command: {line}"),
                }
            }
        } else {
            if let Some(name) = body.first().and_then(|l| file_name(l)) {
                out.push(Part::File(name.into(), body.join("\n") + "\n"));
            }
            out.extend(body.into_iter().map(|l| Part::Text(l.to_owned())));
        }
        out.push(Part::Text("```".to_owned()));
    }
    out
}

/// Whether a line is as it was said to be.
fn is_like(said: &str, line: &str) -> bool {
    let mut pieces = said.split('…');
    let Some(mut rest) = pieces.next().and_then(|begin| line.strip_prefix(begin)) else { return false };
    let pieces: Vec<&str> = pieces.collect();
    let Some((end, middle)) = pieces.split_last() else { return rest.is_empty() };
    for piece in middle {
        let Some(at) = rest.find(piece) else { return false };
        rest = &rest[at + piece.len()..];
    }
    rest.ends_with(end)
}

/// Whether lines are as they were said to be; a `…` alone is any number of them.
fn are_like(said: &[String], lines: &[&str]) -> bool {
    match said.split_first() {
        None => lines.is_empty(),
        Some((first, rest)) if first == "…" => (0..=lines.len()).any(|n| are_like(rest, &lines[n..])),
        Some((first, rest)) => {
            lines.split_first().is_some_and(|(line, others)| is_like(first, line) && are_like(rest, others))
        }
    }
}

/// What was said, with the numbers of now: of each line the one that begins most like it, and is behind the one before.
fn renewed(said: &[String], lines: &[&str]) -> Vec<String> {
    let alike = |a: &str, b: &str| a.chars().zip(b.chars()).take_while(|(a, b)| a == b).count();
    let mut at = 0;
    let mut out = Vec::new();
    for line in said {
        let like = lines[at.min(lines.len())..].iter().position(|l| line != "…" && is_like(line, l));
        let near = || (at..lines.len()).max_by_key(|n| (alike(line, lines[*n]), usize::MAX - n));
        match like {
            _ if line == "…" => out.push(line.clone()),
            Some(n) => {
                out.push(line.clone());
                at += n + 1;
            }
            None => {
                if let Some(n) = near() {
                    out.push(lines[n].to_owned());
                    at = n + 1;
                }
            }
        }
    }
    // What is new in every line is told in full.
    if are_like(&out, lines) { out } else { lines.iter().map(|l| (*l).to_owned()).collect() }
}

/// Runs the commands of a page, by its path in the repository, in an empty folder; the folder. With WAVEPIPE_BLESS=1 the page becomes what they print.
///
/// # Panics
/// Something prints something else than the page says.
pub fn run(page: &str) -> PathBuf {
    let path = root().join(page);
    let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{page}: {e}"));
    let folder = scratch(&format!("page-{}", page.replace('/', "-")));
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("the build's folder is writable");
    let bless = std::env::var_os("WAVEPIPE_BLESS").is_some();
    let (mut out, mut wrong, mut commands) = (String::new(), Vec::new(), 0);
    for part in parts(&text) {
        match part {
            Part::Text(line) => out += &(line + "\n"),
            Part::File(name, text) => std::fs::write(folder.join(name), text).expect("the folder is writable"),
            Part::Command(command, said) => {
                commands += 1;
                let prints = prints(&command, &folder);
                let lines: Vec<&str> = prints.lines().collect();
                let good = are_like(&said, &lines);
                if !good {
                    wrong.push(format!("$ {command}\n--- said\n{}\n--- printed\n{prints}", said.join("\n")));
                }
                out += &format!("$ {command}\n");
                let now = if good { said } else { renewed(&said, &lines) };
                now.iter().for_each(|line| out += &format!("{line}\n"));
            }
        }
    }
    assert!(commands > 0, "{page} has no commands");
    if bless && !wrong.is_empty() {
        std::fs::write(&path, out).expect("the page is writable");
        return folder;
    }
    assert!(wrong.is_empty(), "{page} (WAVEPIPE_BLESS=1 renews it):\n{}", wrong.join("\n\n"));
    folder
}

/// What a command prints, on both streams in their order.
fn prints(command: &str, folder: &Path) -> String {
    let path = std::env::var("PATH").unwrap_or_default();
    let mut shell = clean(Path::new("bash"));
    shell.args(["-c", &format!("exec 2>&1; {command}")]).current_dir(folder);
    shell.env("PATH", format!("{}:{path}", built().display()));
    // As a reader has it, who has set nothing; what this compiler made before is in a cache of this folder.
    shell.env_remove("WAVEPIPE_CACHE").env_remove("WAVEPIPE_DEBUG").env("XDG_CACHE_HOME", folder.join(".cache"));
    let output = wavepipe_tests::run(&mut shell).expect("bash is there");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str) -> Vec<String> {
        text.split('|').map(str::to_owned).collect()
    }

    #[test]
    fn what_is_left_out_may_be_anything() {
        assert!(is_like("ran in … ms", "ran in 1.5 ms") && !is_like("ran in … ms", "ran in 1.5 s"));
        assert!(is_like("a … b …", "a 1 b 2") && !is_like("a … b …", "a 1 c 2") && !is_like("a", "ab"));
        assert!(are_like(&lines("a|…|d"), &["a", "b", "c", "d"]) && !are_like(&lines("a|…|d"), &["a", "d", "e"]));
        assert!(!are_like(&lines("a"), &[]) && are_like(&lines("…"), &[]) && !are_like(&[], &["a"]));
    }

    #[test]
    fn a_page_is_renewed_where_it_is_wrong() {
        let said = lines("cycles: 10|…|in … ms");
        assert_eq!(renewed(&said, &["cycles: 12", "x", "in 3 ms"]), lines("cycles: 12|…|in … ms"));
        assert_eq!(renewed(&lines("?"), &["a", "b"]), lines("a|b"));
    }

    #[test]
    fn files_have_names_in_their_first_lines() {
        assert_eq!(
            ["// a.wgsl", "# b.test.toml", "// a comment", "x"].map(file_name),
            [Some("a.wgsl"), Some("b.test.toml"), None, None]
        );
    }
}
