//! `--watch`: after a first run of all, runs again what belongs to files that change.

use super::{Chosen, TestArgs, perform, say};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};
use wavepipe::failure::Result;
use wavepipe_check::outcome::Outcome;

/// How often it is looked at the files.
const LOOK: Duration = Duration::from_millis(200);

/// Files of a folder that are looked at, at most.
const BESIDE: usize = 1000;

/// When a file was written last, and how large it is; nothing if it is not there.
type Stamp = Option<(SystemTime, u64)>;

fn stamp(path: &Path) -> Stamp {
    let data = std::fs::metadata(path).ok()?;
    Some((data.modified().ok()?, data.len()))
}

/// Which test files read a file.
#[derive(Default)]
struct Uses {
    readers: BTreeMap<PathBuf, BTreeSet<PathBuf>>,
    stamps: BTreeMap<PathBuf, Stamp>,
}

impl Uses {
    /// Of a case that ran from `start` on.
    fn add(&mut self, test: &Path, outcome: &Outcome, start: SystemTime) {
        let mut files: Vec<PathBuf> = outcome.files.iter().map(PathBuf::from).chain([test.to_owned()]).collect();
        if outcome.files.is_empty() {
            // What it would have read nobody knows: something beside it.
            let folder = test.parent().filter(|f| *f != Path::new("")).unwrap_or(Path::new("."));
            let beside = std::fs::read_dir(folder).into_iter().flatten().flatten().take(BESIDE);
            files.extend(beside.map(|e| e.path()).filter(|p| p.is_file()));
        }
        for file in files {
            let written = outcome.updated.iter().any(|u| Path::new(u) == file);
            let now = stamp(&file);
            // What has changed while it ran may have come too late.
            let late = !written && now.is_some_and(|(when, _)| when >= start);
            self.stamps.insert(file.clone(), if late { Some((SystemTime::UNIX_EPOCH, 0)) } else { now });
            self.readers.entry(file).or_default().insert(test.to_owned());
        }
    }

    /// The test files whose files have changed.
    fn changed(&self) -> BTreeSet<PathBuf> {
        let changed = self.stamps.iter().filter(|(path, known)| stamp(path) != **known);
        changed.filter_map(|(path, _)| self.readers.get(path)).flatten().cloned().collect()
    }
}

/// Runs until the process is ended.
pub fn run(args: &TestArgs) -> Result<()> {
    let mut uses = Uses::default();
    let mut only: Option<BTreeSet<PathBuf>> = None;
    loop {
        let Chosen { mut cases, mut wrong } = args.chosen()?;
        if let Some(files) = &only {
            cases.retain(|c| files.contains(&c.file));
            wrong.retain(|(c, _)| files.contains(&c.file));
        }
        let start = SystemTime::now();
        let (cases, outcomes) = perform(args, Chosen { cases, wrong })?;
        cases.iter().zip(&outcomes).for_each(|(case, outcome)| uses.add(&case.file, outcome, start));
        say("watching\n");
        only = Some(loop {
            std::thread::sleep(LOOK);
            let mut changed = uses.changed();
            let new = super::find::files(&args.paths()).unwrap_or_default();
            changed.extend(new.into_iter().filter(|file| !uses.readers.contains_key(file)));
            if !changed.is_empty() {
                // Who writes several files has a moment for all.
                std::thread::sleep(LOOK);
                changed.extend(uses.changed());
                break changed;
            }
        });
    }
}
