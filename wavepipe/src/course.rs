//! The course's puzzles: tests with a goal, each beside a shader that does not reach it yet. They are data, so that whatever shows
//! them (`wavepipe learn`, a page in a browser) has the same ones.

use crate::failure::{Failure, Result};
use serde::Deserialize;

/// A file of the course, by its path in it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PuzzleFile {
    /// `03-coalescing/1-neighbours.wgsl`
    pub path: &'static str,
    /// What is in it.
    pub text: &'static str,
}

macro_rules! files {
    ($($path:literal)*) => {
        /// Every file, in the order of chapters and puzzles.
        pub const FILES: &[PuzzleFile] =
            &[$(PuzzleFile { path: $path, text: include_str!(concat!("../puzzles/", $path)) }),*];
    };
}

include!("../puzzles/files.rs");

/// How the names of tests end.
const TEST: &str = ".test.toml";

/// A shader to write, and the test of it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Puzzle {
    /// Of the chapter, and in it, from 1.
    pub number: (u32, u32),
    /// Its heading.
    pub title: String,
    /// What is to be done.
    pub about: String,
    /// The test, and the shader that it is of.
    pub test: PuzzleFile,
    /// As it is at the start.
    pub shader: PuzzleFile,
}

/// What a puzzle's test says for people; the rest is the test's.
#[derive(Deserialize)]
struct Words {
    title: String,
    about: String,
}

/// The number that a name begins with.
fn leading(name: &str) -> Option<u32> {
    name.split('-').next()?.parse().ok()
}

impl Puzzle {
    fn of(test: PuzzleFile) -> Result<Puzzle> {
        let wrong = |why: String| Failure::usage(format!("{}: {why}", test.path));
        let numbers = test.path.split_once('/').and_then(|(c, p)| Some((leading(c)?, leading(p)?)));
        let number = numbers.ok_or_else(|| wrong("a puzzle is CHAPTER-NAME/PUZZLE-NAME.test.toml".into()))?;
        let stem = test.path.strip_suffix(TEST).unwrap_or(test.path);
        let beside = |f: &&PuzzleFile| f.path != test.path && f.path.rsplit_once('.').is_some_and(|(s, _)| s == stem);
        let shader = *FILES.iter().find(beside).ok_or_else(|| wrong("it has no shader".into()))?;
        let Words { title, about } = toml::from_str(test.text).map_err(|e| wrong(e.to_string()))?;
        Ok(Puzzle { number, title, about: about.trim().to_owned(), test, shader })
    }

    /// `3.1`
    pub fn name(&self) -> String {
        format!("{}.{}", self.number.0, self.number.1)
    }
}

/// All puzzles, in order.
///
/// # Errors
/// A file of the course is no puzzle's, which a test of this crate holds off.
pub fn puzzles() -> Result<Vec<Puzzle>> {
    FILES.iter().filter(|f| f.path.ends_with(TEST)).map(|f| Puzzle::of(*f)).collect()
}
