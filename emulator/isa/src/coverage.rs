//! What each row's meaning has been held against.
//!
//! | witness | table | who keeps it true |
//! |---|---|---|
//! | recorded vectors | `coverage/vectors.txt`, `mnemonic: record files` | core/tests/recorded.rs counts the rows that they confirm |
//! | a second implementation of memory instructions | `coverage/memory.txt`, `mnemonic: tests` | core/tests/memory_*.rs compare the rows that they run |
//! | a layout of private memory written down | `coverage/private.txt`, `mnemonic: test` | core/tests/private.rs compares the rows that it runs |
//! | a second implementation | `coverage/second.txt`, `mnemonic: tests` | those tests compare the rows that they implement independently |
//! | a written reading of the manual | `READINGS.md` | a person: the first column names rows, the second says what is read |

use crate::insts::{COUNT, Op};
use std::sync::LazyLock;

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Hash)]
pub enum Witness {
    Vectors,
    Second,
    Reading,
}

/// One thing that speaks for a row.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Evidence {
    pub witness: Witness,
    /// The record files, the tests, or the reading.
    pub what: &'static str,
}

const VECTORS: &str = include_str!("coverage/vectors.txt");
const SECOND: &str = include_str!("coverage/second.txt");
const MEMORY: &str = include_str!("coverage/memory.txt");
const PRIVATE: &str = include_str!("coverage/private.txt");
const IMAGES: &str = include_str!("coverage/images.txt");
const READINGS: &str = include_str!("../READINGS.md");

/// What speaks for a row, the strongest first; empty if nothing does.
pub fn evidence(op: Op) -> &'static [Evidence] {
    static ALL: LazyLock<Vec<Vec<Evidence>>> = LazyLock::new(|| {
        let mut all = vec![Vec::new(); COUNT];
        for (witness, name, what) in entries() {
            if let Some(op) = Op::named(name) {
                all[usize::from(op.0)].push(Evidence { witness, what });
            }
        }
        all
    });
    &ALL[usize::from(op.0)]
}

/// Names in the tables that are no row's: mistakes.
pub fn strangers() -> Vec<&'static str> {
    entries().map(|(_, name, _)| name).filter(|name| Op::named(name).is_none()).collect()
}

/// Witness, row's name, what it is.
fn entries() -> impl Iterator<Item = (Witness, &'static str, &'static str)> {
    let of = |witness| move |(name, what)| (witness, name, what);
    let vectors = list(VECTORS).map(of(Witness::Vectors));
    let second = list(SECOND).chain(list(MEMORY)).chain(list(PRIVATE)).chain(list(IMAGES)).map(of(Witness::Second));
    vectors.chain(second).chain(readings().map(of(Witness::Reading)))
}

fn list(text: &'static str) -> impl Iterator<Item = (&'static str, &'static str)> {
    text.lines().filter_map(|line| line.split_once(": "))
}

/// Rows of the table's lines `| names, separated by commas | reading |`.
fn readings() -> impl Iterator<Item = (&'static str, &'static str)> {
    let lines = READINGS.lines().filter_map(|line| {
        let (names, reading) = line.strip_prefix("| ")?.strip_suffix(" |")?.split_once(" | ")?;
        Some((names, reading.trim()))
    });
    let of_rows = lines.filter(|(names, _)| *names != "rows");
    of_rows.flat_map(|(names, reading)| names.split(',').map(move |name| (name.trim(), reading)))
}
