//! What a test says to who makes a mistake that its writer knows.

use crate::outcome::{Problem, ProblemKind};
use crate::place;
use crate::schema::{HintFile, TestFile};
use crate::suite;
use serde::Deserialize as _;
use serde::de::IntoDeserializer as _;
use std::path::{Path, PathBuf};
use wavepipe::failure::{Result, read_text};

fn kind(name: &str) -> std::result::Result<ProblemKind, String> {
    let named = ProblemKind::deserialize(name.into_deserializer());
    named.map_err(|e: serde::de::value::Error| e.to_string())
}

/// A test's hints, each of which says something and asks for something.
pub fn checked(test: &TestFile, path: &Path, text: &str) -> Result<Vec<HintFile>> {
    let one = |hint: &toml::Spanned<HintFile>| {
        let wrong = |message: &str| Err(place::wrong_at(path, text, &hint.span(), message));
        let h = hint.get_ref();
        if h.text.is_empty() {
            return wrong("a [[hint]] has a text");
        }
        match h.problem.as_deref().map(kind) {
            Some(Err(e)) => wrong(&e),
            _ => Ok(h.clone()),
        }
    };
    test.hint.iter().map(one).collect()
}

/// The code of the shaders among a case's files.
pub fn texts(test: &TestFile, files: &[PathBuf]) -> Vec<String> {
    if test.hint.is_empty() {
        return Vec::new();
    }
    let is_shader = |f: &&PathBuf| f.extension().is_some_and(|e| suite::SOURCES.iter().any(|known| e == *known));
    files.iter().filter(is_shader).filter_map(|f| read_text(f).ok()).map(|text| code(&text)).collect()
}

/// Without comments of lines, and without space that means nothing.
fn code(text: &str) -> String {
    let lines = text.lines().map(|line| line.split("//").next().unwrap_or(""));
    lines.flat_map(str::split_whitespace).collect::<Vec<_>>().join(" ")
}

/// The first hint all of whose conditions hold.
pub fn of(hints: &[HintFile], problems: &[Problem], shaders: &[String]) -> Option<String> {
    let holds = |h: &&HintFile| problems.iter().any(|p| is_of(h, p)) && is_in(h, shaders);
    hints.iter().find(holds).map(|h| h.text.trim().to_owned())
}

fn is_of(hint: &HintFile, problem: &Problem) -> bool {
    let first = problem.mismatch.as_ref().and_then(|m| m["shown"].get(0));
    let element = first.and_then(|d| d["spot"]["element"][0].as_u64());
    let got = first.and_then(|d| d["got"].as_str());
    hint.problem.as_ref().is_none_or(|name| kind(name) == Ok(problem.kind))
        && hint.message.as_ref().is_none_or(|text| problem.text.contains(text.as_str()))
        && hint.budget.as_ref().is_none_or(|b| problem.budget.as_ref() == Some(b))
        && hint.check.as_ref().is_none_or(|c| problem.check.as_ref() == Some(c))
        && hint.element.is_none_or(|n| element == Some(n))
        && hint.got.as_ref().is_none_or(|text| got == Some(text))
}

fn is_in(hint: &HintFile, shaders: &[String]) -> bool {
    let there = |text: &String| shaders.iter().any(|s| s.contains(text.as_str()));
    hint.has.as_ref().is_none_or(there) && !hint.lacks.as_ref().is_some_and(there)
}
