//! The fuzz targets' bodies on stable: random dwords, mutated encodings, mutated text.

use crate::body;
use crate::common::random::every_instance;
use crate::common::{self, Rng};
use wavepipe_isa::{Gen, disasm, encode};

const GEN: Gen = Gen::Gfx1010;

#[test]
fn random_dwords() {
    let mut rng = Rng(13);
    let mut good = 0;
    for _ in 0..150_000 {
        let words: Vec<u32> = (0..1 + rng.below(5)).map(|_| rng.next() as u32).collect();
        good += body::decode(&words);
    }
    assert!(good > 20_000, "{good} of the random dwords are instructions");
}

/// Every row in every form, and the corpus where it lies, with bits flipped.
#[test]
fn mutated_encodings() {
    let mut rng = Rng(11);
    let mut all = Vec::new();
    every_instance(4, 32, |instr| {
        let mut words = Vec::new();
        encode::encode(&instr, GEN, &mut words).expect("legal");
        all.push(words);
    });
    if let Some(corpus) = common::fact("corpus/gfx1010.tsv") {
        all.extend(corpus.lines().filter_map(|l| l.split_once('\t')).map(|(hex, _)| common::words(hex)));
    }
    let (mut good, mut tried) = (0, 0);
    for words in &all {
        for _ in 0..2 {
            let mut words = words.clone();
            for _ in 0..1 + rng.below(3) {
                let at = rng.below(words.len() as u32) as usize;
                match rng.below(4) {
                    0 => words[at] = rng.next() as u32,
                    _ => words[at] ^= 1 << rng.below(32),
                }
            }
            good += body::decode(&words);
            tried += 1;
        }
    }
    assert!(good > tried / 4, "{good} of {tried} mutants are instructions");
}

/// Other generations' corpora with bits flipped.
#[test]
fn mutated_encodings_of_other_generations() {
    let mut rng = Rng(13);
    for generation in Gen::ALL.into_iter().filter(|&g| g != GEN) {
        let name = if generation == Gen::Gfx701 { "gfx700" } else { generation.name() };
        let Some(corpus) = common::fact(&format!("corpus/{name}.tsv")) else { return };
        let (mut good, mut tried) = (0, 0);
        for (hex, _) in corpus.lines().filter_map(|l| l.split_once('\t')) {
            let mut words = common::words(hex);
            for _ in 0..1 + rng.below(3) {
                words[rng.below(hex.len() as u32 / 8) as usize] ^= 1 << rng.below(32);
            }
            good += body::decode_on(&words, generation);
            tried += 1;
        }
        assert!(good > tried / 4, "{good} of {tried} mutants are instructions of {name}");
    }
}

#[test]
fn mutated_text() {
    let mut rng = Rng(13);
    let mut lines = Vec::new();
    every_instance(2, 32, |instr| lines.push(disasm::text(&instr, GEN, 32)));
    let pieces =
        ["0x", "[", "]", ",", " ", "-", "|", ":", "v", "s", "ttmp", "vcc", "off", "/*", "é", "65536", "\n", "."];
    let mut good = 0;
    for line in &lines {
        for _ in 0..4 {
            let mut text: Vec<char> = line.chars().collect();
            let at = rng.below(text.len() as u32) as usize;
            let piece = pieces[rng.below(pieces.len() as u32) as usize].chars();
            match rng.below(5) {
                0 => text.truncate(at),
                1 => drop(text.splice(at..at + 1, piece)),
                2 => drop(text.splice(at..at, piece)),
                3 => drop(text.remove(at)),
                // The tail of another line.
                _ => {
                    let other = &lines[rng.below(lines.len() as u32) as usize];
                    text.truncate(at);
                    text.extend(other.chars().skip(at));
                }
            }
            good += body::assemble(&text.into_iter().collect::<String>());
        }
    }
    assert!(good > lines.len() / 4, "{good} mutants of {} lines assemble", lines.len());
}
