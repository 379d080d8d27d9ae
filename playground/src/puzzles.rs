//! The course's puzzles: what there is to solve, and whether a text solves it.

use crate::asked::Checking;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use toml::Table;
use wavepipe::course::{CHAPTERS, Puzzle, puzzles};
use wavepipe::files::{self, Given};
use wavepipe::{Failure, Result};
use wavepipe_check::puzzle::Tried;
use wavepipe_check::{How, cases};

/// Chapters, and the puzzles of each as they begin.
pub fn list() -> Result<Value> {
    let all = puzzles()?;
    let chapter = |(number, title): (u32, &&str)| {
        let own = all.iter().filter(|p| p.number.0 == number).map(begin);
        json!({ "number": number, "title": title, "puzzles": own.collect::<Vec<_>>() })
    };
    Ok(Value::from_iter((1..).zip(CHAPTERS).map(chapter)))
}

fn begin(puzzle: &Puzzle) -> Value {
    let language = if puzzle.shader.path.ends_with(".wgsl") { "wgsl" } else { "glsl" };
    json!({
        "puzzle": puzzle.name(), "title": puzzle.title, "about": puzzle.about,
        "language": language, "source": puzzle.shader.text, "job": job(puzzle.test.text),
    })
}

/// What of a test a job has, too: for who runs or steps what is tested. Empty where each of several cases has its own.
fn job(test: &str) -> String {
    let mut table: Table = test.parse().unwrap_or_default();
    table.retain(|key, _| ["groups", "push", "spec", "buffer", "image", "sampler", "dispatch"].contains(&key));
    if table.contains_key("buffer") { table.to_string() } else { String::new() }
}

/// Tests a shader as the puzzle's, as `wavepipe learn` does.
pub fn check(asked: &Checking) -> Result<Value> {
    let all = puzzles()?;
    let puzzle = all.iter().find(|p| p.name() == asked.puzzle);
    let puzzle = puzzle.ok_or_else(|| Failure::usage(format!("there is no puzzle {}", asked.puzzle)))?;
    let file = |path: &str, text: &str| (PathBuf::from(path), text.as_bytes().to_vec());
    let given = Given::from([file(puzzle.test.path, puzzle.test.text), file(puzzle.shader.path, &asked.source)]);
    // A browser has no threads for the machine.
    let how = How { clocked: cfg!(target_family = "wasm"), ..How::default() };
    let tried = files::instead(given, || -> Result<Tried> {
        let cases = cases(Path::new(puzzle.test.path), &[])?;
        Ok(Tried(cases.iter().map(|case| wavepipe_check::run(case, &how)).collect()))
    })?;
    let mut value = tried.json(puzzle);
    value["figures"] = tried.figures().into();
    Ok(value)
}
