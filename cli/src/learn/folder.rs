//! The course in a folder: the puzzles' files, and which are solved.

use crate::failure::{Failure, Result, read_text, write_file};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use wavepipe::course::{FILES, PuzzleFile};

/// What makes a folder the course's.
const PROGRESS: &str = "learn.toml";

#[derive(Serialize, Deserialize, Default)]
#[serde(deny_unknown_fields)]
struct Progress {
    solved: BTreeSet<String>,
}

pub struct Folder {
    path: PathBuf,
    progress: Progress,
}

/// The text of a file.
pub fn text(path: &Path) -> Result<String> {
    read_text(path)
}

/// A path as it is shown from here.
pub fn shown(path: &Path) -> PathBuf {
    let here = std::env::current_dir().unwrap_or_default();
    path.strip_prefix(here).unwrap_or(path).to_owned()
}

impl Folder {
    /// Unpacks the course; nothing is written over.
    pub fn start(path: &Path) -> Result<Folder> {
        let all = || FILES.iter().map(|f| path.join(f.path)).chain([path.join(PROGRESS)]);
        if let Some(there) = all().find(|p| p.exists()) {
            return Err(Failure::usage(format!("{} is there already, and nothing was written", there.display())));
        }
        for file in FILES {
            let to = path.join(file.path);
            let folder = to.parent().unwrap_or(path);
            let made = std::fs::create_dir_all(folder);
            made.map_err(|source| Failure::File { verb: "make", path: folder.to_owned(), source })?;
            write_file(&to, file.text.as_bytes())?;
        }
        let folder = Folder { path: path.to_owned(), progress: Progress::default() };
        folder.save()?;
        Ok(folder)
    }

    /// The course that is given, or around this folder.
    pub fn find(given: Option<&Path>) -> Result<Option<Folder>> {
        let here = std::env::current_dir().unwrap_or_default();
        let path = match given {
            Some(path) if path.join(PROGRESS).is_file() => Some(path.to_owned()),
            Some(path) => {
                let message = format!("{} is no folder of the course: it has no {PROGRESS}", path.display());
                return Err(Failure::usage(message));
            }
            None => here.ancestors().find(|p| p.join(PROGRESS).is_file()).map(Path::to_owned),
        };
        let Some(path) = path else { return Ok(None) };
        let file = path.join(PROGRESS);
        let progress = toml::from_str(&read_text(&file)?);
        let progress = progress.map_err(|e| Failure::usage(format!("{}: {}", file.display(), e.message())))?;
        Ok(Some(Folder { path, progress }))
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    pub fn file(&self, file: PuzzleFile) -> PathBuf {
        self.path.join(file.path)
    }

    pub fn is_solved(&self, puzzle: &str) -> bool {
        self.progress.solved.contains(puzzle)
    }

    pub fn solve(&mut self, puzzle: &str) -> Result<()> {
        if self.progress.solved.insert(puzzle.to_owned()) { self.save() } else { Ok(()) }
    }

    fn save(&self) -> Result<()> {
        let text = toml::to_string(&self.progress).map_err(|e| Failure::usage(e.to_string()))?;
        write_file(&self.path.join(PROGRESS), text.as_bytes())
    }
}
