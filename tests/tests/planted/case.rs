//! A file of `tests/planted`: a program with a bug, what it says of it, and its mended twin.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use wavepipe_tests::root;

pub struct Case {
    /// Folder and file, such as `race/tree-reduction.comp`.
    pub name: String,
    pub path: PathBuf,
    /// The check that is to find it: the folder's name.
    pub check: String,
    text: String,
    /// How it is run, and its twin: flags of `wavepipe run` or `launch`.
    run: [Vec<String>; 2],
    /// Commands of `planted_host`, where that runs it.
    host: [Vec<String>; 2],
    pub waves: Vec<u32>,
    /// By line: check and, where it is given, kind of a finding that is to be there.
    pub finds: BTreeMap<u64, (String, Option<String>)>,
    /// Lines where the other party of a finding stands.
    pub pairs: BTreeSet<u64>,
    /// Lines that are commands of the host, in which findings have no line.
    pub commands: BTreeSet<u64>,
}

/// What stands behind a comment's sign at the begin of a line.
fn said<'a>(line: &'a str, word: &str) -> Option<&'a str> {
    let comment = line.strip_prefix("// ").or_else(|| line.strip_prefix("; "))?;
    comment.strip_prefix(word)?.strip_prefix(' ')
}

/// What a line's last comment says of it.
fn remark(line: &str) -> &str {
    let sign = line.rfind("// ").or_else(|| line.rfind("; "));
    sign.map_or("", |at| line[at..].trim_start_matches("// ").trim_start_matches("; "))
}

fn words(text: &str) -> Vec<String> {
    text.split_whitespace().map(str::to_owned).collect()
}

impl Case {
    pub fn read(path: PathBuf) -> Result<Case, String> {
        let text = std::fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
        let name = path.strip_prefix(folder()).map_err(|e| e.to_string())?.to_string_lossy().into_owned();
        let check = name.split('/').next().unwrap_or_default().to_owned();
        let mut case = Case {
            run: [Vec::new(), Vec::new()],
            host: [Vec::new(), Vec::new()],
            waves: vec![32, 64],
            finds: BTreeMap::new(),
            pairs: BTreeSet::new(),
            commands: BTreeSet::new(),
            name,
            path,
            check,
            text: String::new(),
        };
        for (line, number) in text.lines().zip(1..) {
            if let Some(flags) = said(line, "RUN") {
                case.run[0].extend(words(flags));
            } else if let Some(flags) = said(line, "MENDED RUN") {
                case.run[1].extend(words(flags));
            } else if let Some(command) = said(line, "HOST") {
                case.host.iter_mut().for_each(|twin| twin.push(command.to_owned()));
            } else if let Some(command) = said(line, "BUG HOST") {
                let command = command.split(" // ").next().unwrap_or_default();
                case.host[0].push(command.to_owned());
                case.commands.insert(number);
            } else if let Some(command) = said(line, "MENDED HOST") {
                case.host[1].push(command.to_owned());
            } else if let Some(wave) = said(line, "WAVE") {
                case.waves = vec![wave.parse().map_err(|_| format!("line {number}: no wave"))?];
            }
            for mark in remark(line).split(", ") {
                match mark.split(' ').collect::<Vec<_>>()[..] {
                    ["FINDS", check] => drop(case.finds.insert(number, (check.to_owned(), None))),
                    ["FINDS", check, kind] => {
                        case.finds.insert(number, (check.to_owned(), Some(kind.to_owned())));
                    }
                    ["PAIR"] => drop(case.pairs.insert(number)),
                    _ => {}
                }
            }
        }
        if case.run[1].is_empty() {
            case.run[1] = case.run[0].clone();
        }
        case.text = text;
        if case.finds.is_empty() || case.run[0].is_empty() == case.host[0].is_empty() {
            return Err(
                "it needs lines `// RUN …` or `// HOST …`, and `// FINDS check` on the line of the bug".to_owned()
            );
        }
        if let Some((check, _)) = case.finds.values().find(|(check, _)| *check != case.check) {
            return Err(format!("it finds {check}, and stands among those of {}", case.check));
        }
        if case.mended() == case.text && case.run[0] == case.run[1] && case.host[0] == case.host[1] {
            return Err("its mended twin is the same".to_owned());
        }
        Ok(case)
    }

    pub fn language(&self) -> &str {
        self.name.rsplit('.').next().unwrap_or_default()
    }

    pub fn run(&self, mended: bool) -> &[String] {
        &self.run[usize::from(mended)]
    }

    /// What `planted_host` reads, if that runs it.
    pub fn script(&self, mended: bool) -> Option<String> {
        let lines = &self.host[usize::from(mended)];
        (!lines.is_empty()).then(|| lines.join("\n"))
    }

    pub fn text(&self, mended: bool) -> String {
        if mended { self.mended() } else { self.text.clone() }
    }

    /// Lines stay where they are. What has a preprocessor uses it; elsewhere a line that ends in `BUG` is not in the twin, and
    /// one that begins with `MENDED:` is.
    fn mended(&self) -> String {
        let line = |line: &str| {
            if remark(line).split(", ").any(|mark| mark == "BUG") {
                return String::new();
            }
            let line = line.replace("#ifdef MENDED", "#if 1").replace("#ifndef MENDED", "#if 0");
            let line = line.replace(".ifdef MENDED", ".if 1").replace(".ifndef MENDED", ".if 0");
            line.replace("// MENDED: ", "").replace("; MENDED: ", "")
        };
        self.text.lines().map(|l| line(l) + "\n").collect()
    }

    /// Lines of OpLine that are not the number of the line behind them.
    pub fn misplaced(&self) -> Vec<u64> {
        let said = |line: &str| line.trim_start().strip_prefix("OpLine %text ")?.split(' ').next()?.parse::<u64>().ok();
        let lines = self.text.lines().zip(1u64..);
        lines.filter(|(line, number)| said(line).is_some_and(|n| n != number + 1)).map(|(_, n)| n).collect()
    }
}

pub fn folder() -> PathBuf {
    root().join("tests/planted")
}

/// All cases in order, and what is wrong with those that are none.
pub fn all() -> (Vec<Case>, Vec<(String, String)>) {
    let mut paths = Vec::new();
    for check in std::fs::read_dir(folder()).expect("tests/planted").flatten().map(|f| f.path()) {
        paths.extend(std::fs::read_dir(check).into_iter().flatten().flatten().map(|f| f.path()));
    }
    paths.sort();
    let (mut good, mut bad) = (Vec::new(), Vec::new());
    for path in paths {
        match Case::read(path.clone()) {
            Ok(case) => good.push(case),
            Err(why) => bad.push((path.display().to_string(), why)),
        }
    }
    (good, bad)
}
