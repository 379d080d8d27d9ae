//! The puzzles that the library contains are those of its folder, and each is whole.

use std::collections::BTreeSet;
use std::path::Path;
use wavepipe::course::{CHAPTERS, FILES, puzzles};

#[test]
fn every_file_of_the_course_is_contained() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("puzzles");
    let mut there = BTreeSet::new();
    for chapter in std::fs::read_dir(&folder).unwrap().flatten().filter(|e| e.path().is_dir()) {
        for file in std::fs::read_dir(chapter.path()).unwrap().flatten() {
            let name = |e: &std::fs::DirEntry| e.file_name().into_string().unwrap();
            there.insert(format!("{}/{}", name(&chapter), name(&file)));
        }
    }
    assert_eq!(FILES.iter().map(|f| f.path.to_owned()).collect::<BTreeSet<_>>(), there);
}

#[test]
fn puzzles_count_up_and_chapters_have_two_or_three() {
    let all = puzzles().unwrap();
    let numbers: Vec<_> = all.iter().map(|p| p.number).collect();
    assert!(numbers.windows(2).all(|w| w[1] == (w[0].0, w[0].1 + 1) || w[1] == (w[0].0 + 1, 1)), "{numbers:?}");
    for (chapter, title) in (1..).zip(CHAPTERS) {
        let count = numbers.iter().filter(|n| n.0 == chapter).count();
        assert!((2..=3).contains(&count), "{title} has {count}");
    }
    assert_eq!(numbers.last().map(|n| n.0 as usize), Some(CHAPTERS.len()));
    for p in &all {
        assert!(!p.title.is_empty() && p.about.len() > 60 && p.test.text.contains("[[hint]]"), "{}", p.name());
        assert_ne!(p.test.path, p.shader.path);
    }
}
