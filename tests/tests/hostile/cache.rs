//! The cache on disk: damaged files, things that are no files, and processes that are killed while they write. Answers stay
//! right, and what is there is whole.
//!
//! The process's own memory answers before the disk does, so whoever reads or writes here is a process of its own: this
//! binary again, whose test `cache::child` does what `WAVEPIPE_HOSTILE_CACHE` says with the folder that it names.

use super::*;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use wavepipe_runtime::Origin;

const CHILD: &str = "WAVEPIPE_HOSTILE_CACHE";
const CASES: std::ops::Range<u64> = 1..25;

fn start(what: &str, folder: &Path) -> Child {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command
        .args(["--exact", "hostile::cache::child", "--nocapture"])
        .env(CHILD, format!("{what}:{}", folder.display()));
    command.stdout(Stdio::piped()).stderr(Stdio::inherit()).spawn().unwrap()
}

/// Entries of a folder that have their final names.
fn entries(folder: &Path) -> Vec<PathBuf> {
    let folders = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let files = folders.flat_map(|f| std::fs::read_dir(f.path()).into_iter().flatten().flatten());
    let mut files: Vec<_> = files.map(|f| f.path()).filter(|p| p.extension().is_some_and(|e| e == "wpc")).collect();
    files.sort();
    files
}

/// Makes all pipelines and runs them; how many came out of the cache, by the number of right answers.
#[test]
fn child() {
    let Ok(told) = std::env::var(CHILD) else { return };
    let (what, folder) = told.split_once(':').unwrap();
    let config = Config { threads: 1, cache: Some(folder.into()), ..Config::default() };
    let session = Session::new(&config).unwrap();
    let plain = Session::new(&Config { threads: 1, ..Config::default() }).unwrap();
    let (mut found, mut right) = (0, 0);
    for seed in CASES {
        let case = case(seed, 12);
        let words = case.module.words();
        let Ok(job) = job(&case, &words) else { continue };
        let Ok(pipeline) = session.pipeline(&words, None, &[], None) else { continue };
        found += u32::from(pipeline.origin() == Origin::Cache);
        if what == "read" {
            // The compiler's own, not what was read.
            let compiled = wavepipe_runtime::compiler::compile(
                &words,
                &wavepipe_runtime::compiler::Options::new("main", pipeline.layout().layout()),
            );
            let again = wavepipe_runtime::ComputePipeline::from_code_object(
                plain.device(),
                compiled.unwrap(),
                pipeline.layout(),
            );
            let expected = plain.run_pipeline(&again.unwrap(), &job).unwrap();
            assert_eq!(session.run_pipeline(&pipeline, &job).unwrap(), expected, "case {seed}");
        }
        right += 1;
    }
    println!("\nfound {found} right {right}");
}

/// What a reader found, and how many answers were right.
fn read(folder: &Path) -> (usize, usize) {
    let output = start("read", folder).wait_with_output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "a reader of {}: {}\n{text}", folder.display(), output.status);
    let line = text.lines().find_map(|l| l.strip_prefix("found ")).unwrap_or_else(|| panic!("{text}"));
    let (found, right) = line.split_once(" right ").unwrap();
    (found.parse().unwrap(), right.parse().unwrap())
}

#[test]
fn a_writer_that_is_killed_leaves_whole_entries() {
    let mut count = Count::default();
    let whole = folder("whole");
    let begin = Instant::now();
    let (_, all) = read(&whole);
    let most = begin.elapsed();
    assert_eq!(read(&whole), (all, all), "all come from the cache the second time");
    for seed in tries("kills", 4) {
        let mut r = Random(seed);
        let folder = folder("killed");
        // Between the start of the process and the end of its writing, by what the whole took here and now.
        for _ in 0..1 + r.below(4) {
            let mut writer = start("write", &folder);
            std::thread::sleep(most.mul_f64(r.below(1000) as f64 / 1000.0));
            let _ = writer.kill();
            count.add(if writer.wait().unwrap().success() { "ended" } else { "killed" });
        }
        let there = entries(&folder).len();
        assert_eq!(read(&folder), (there, all), "kill {seed}: what is there is whole");
        count.add(if there == 0 {
            "empty"
        } else if there < all {
            "in part"
        } else {
            "whole"
        });
    }
    count.done("kills", &["killed"]);
}

#[test]
fn damaged_cache_files_give_right_answers() {
    let mut count = Count::default();
    let folder = folder("damaged");
    let (_, all) = read(&folder);
    let files = entries(&folder);
    assert_eq!(files.len(), all);
    let contents: Vec<_> = files.iter().map(|f| std::fs::read(f).unwrap()).collect();
    for seed in tries("cache files", 1) {
        let mut r = Random(seed);
        let (mut good, mut large) = (0, false);
        for (file, bytes) in files.iter().zip(&contents) {
            let _ = std::fs::remove_file(file);
            let _ = std::fs::remove_dir(file);
            match r.below(8) {
                0 => std::fs::create_dir(file).unwrap(),
                1 => {
                    let made = Command::new("mkfifo").arg(file).status().unwrap();
                    assert!(made.success());
                }
                2 => std::os::unix::fs::symlink("/dev/zero", file).unwrap(),
                // More than an entry may have; one of them, as all files together are bounded, and the oldest go.
                3 if !large => {
                    std::fs::File::create(file).unwrap().set_len((64 << 20) + 1).unwrap();
                    large = true;
                }
                4 => {
                    std::fs::write(file, bytes).unwrap();
                    good += 1;
                }
                // Another's contents under this name.
                5 => std::fs::write(file, &contents[r.below(contents.len())]).unwrap(),
                _ => {
                    let mut damaged = bytes.clone();
                    damage(&mut damaged, &mut r);
                    std::fs::write(file, damaged).unwrap();
                }
            }
        }
        let (found, right) = read(&folder);
        // Damage may undo itself, and another's contents may be its own.
        assert!(found >= good && right == all, "{seed}: {found} of {good} found, {right} of {all} right");
        count.add("read");
    }
    count.done("cache files", &["read"]);
}
