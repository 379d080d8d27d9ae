//! Lines and branches of shaders, by lanes: what all cases of a run came to, as LCOV or as a page.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;
use wavepipe::failure::{Failure, Result, write_file};
use wavepipe_check::coverage::CoveredLine;
use wavepipe_check::outcome::Outcome;

/// Where it goes if nothing is said.
pub const LCOV: &str = "wavepipe.lcov";
pub const HTML: &str = "wavepipe-coverage.html";

#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
pub enum Form {
    /// For genhtml, editors and code hosts
    Lcov,
    /// A page with the sources
    Html,
}

type Lines = BTreeMap<u32, CoveredLine>;

/// The lines of all cases, by file.
#[derive(Default)]
pub struct Coverage(BTreeMap<String, Lines>);

impl Coverage {
    pub fn of(outcomes: &[Outcome]) -> Coverage {
        let mut all = Coverage::default();
        outcomes.iter().flat_map(|o| &o.coverage).for_each(|line| all.add(line));
        all
    }

    pub fn add(&mut self, line: &CoveredLine) {
        let known = self.0.entry(line.file.clone()).or_default();
        let Some(sum) = known.get_mut(&line.line) else {
            known.insert(line.line, line.clone());
            return;
        };
        sum.lanes += line.lanes;
        for (n, arms) in line.branches.iter().enumerate() {
            let same = |b: &&mut Vec<(String, u64)>| b.iter().map(|a| &a.0).eq(arms.iter().map(|a| &a.0));
            match sum.branches.get_mut(n).filter(same) {
                Some(b) => b.iter_mut().zip(arms).for_each(|(a, other)| a.1 += other.1),
                None => sum.branches.push(arms.clone()),
            }
        }
    }

    pub fn write(&self, form: Form, path: &Path) -> Result<()> {
        let text = match form {
            Form::Lcov => self.lcov(),
            Form::Html => self.html(),
        };
        if self.0.is_empty() {
            return Err(Failure::usage("nothing was counted: the shaders have no debug information, or no case ran"));
        }
        write_file(path, text.as_bytes())
    }

    /// As geninfo writes it: executed is counted in lanes.
    pub fn lcov(&self) -> String {
        let mut out = String::new();
        for (file, lines) in &self.0 {
            let _ = writeln!(out, "TN:\nSF:{file}");
            let (mut found, mut hit) = (0, 0);
            for l in lines.values() {
                for (block, arms) in l.branches.iter().enumerate() {
                    for (arm, (_, lanes)) in arms.iter().enumerate() {
                        let taken = if l.lanes == 0 { "-".to_owned() } else { lanes.to_string() };
                        let _ = writeln!(out, "BRDA:{},{block},{arm},{taken}", l.line);
                        found += 1;
                        hit += u32::from(*lanes > 0);
                    }
                }
            }
            let _ = writeln!(out, "BRF:{found}\nBRH:{hit}");
            for l in lines.values() {
                let _ = writeln!(out, "DA:{},{}", l.line, l.lanes);
            }
            let hit = lines.values().filter(|l| l.lanes > 0).count();
            let _ = writeln!(out, "LF:{}\nLH:{hit}\nend_of_record", lines.len());
        }
        out
    }

    pub fn html(&self) -> String {
        let mut out = String::from(HEAD);
        for (file, lines) in &self.0 {
            let hit = lines.values().filter(|l| l.lanes > 0).count();
            let _ = writeln!(out, "<h2>{}</h2>\n<p>{hit} of {} lines</p>\n<table>", escape(file), lines.len());
            let source = std::fs::read_to_string(file).unwrap_or_default();
            let last = lines.keys().last().copied().unwrap_or(0) as usize;
            let mut texts: Vec<&str> = source.lines().collect();
            texts.resize(texts.len().max(last), "");
            for (n, text) in (1..).zip(texts) {
                let (class, lanes, note) = match lines.get(&n) {
                    None => ("", String::new(), String::new()),
                    Some(l) => (class(l), l.lanes.to_string(), notes(l)),
                };
                let text = escape(text);
                let _ = writeln!(
                    out,
                    "<tr class=\"{class}\"><td>{n}</td><td>{lanes}</td><td><pre>{text}</pre></td><td>{note}</td></tr>"
                );
            }
            out += "</table>\n";
        }
        out + "</body></html>\n"
    }
}

const HEAD: &str = "<!DOCTYPE html>
<html lang=\"en\"><head><meta charset=\"utf-8\"><title>Coverage of shaders</title><style>
body { font-family: sans-serif } table { border-collapse: collapse } td { padding: 0 0.6em; vertical-align: top }
td:nth-child(-n+2) { text-align: right; color: #666 } pre { margin: 0 } .hit { background: #e6f4e6 } .part { background: #fff4d6 } .no { background: #fde4e4 }
</style></head><body>
<h1>Coverage of shaders</h1>
<p>Line, lanes that came to it, source, and for each branch the lanes that went each way.</p>
";

/// Whether all went well: some lanes went each way of each branch.
pub fn class(line: &CoveredLine) -> &'static str {
    match line {
        CoveredLine { lanes: 0, .. } => "no",
        l if l.branches.iter().flatten().any(|(_, lanes)| *lanes == 0) => "part",
        _ => "hit",
    }
}

fn notes(line: &CoveredLine) -> String {
    let branch = |arms: &Vec<(String, u64)>| {
        let words: Vec<String> = arms.iter().map(|(what, lanes)| format!("{} {lanes}", escape(what))).collect();
        words.join(", ")
    };
    line.branches.iter().map(branch).collect::<Vec<_>>().join("; ")
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
