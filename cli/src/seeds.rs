//! `--seed` and `--many-seeds`, of `run`, `launch` and `exec`: one order of execution, or a job in many of them, compared.

use crate::compare::{Part, differing};
use crate::failure::{Failure, Result};
use crate::findings::Findings;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::ops::Range;
use wavepipe_runtime::Config;

/// The flags that all three have.
#[derive(clap::Args, Clone, Debug, Default)]
pub struct SeedArgs {
    /// Waves, work-groups and queues go in the order of this seed, an instruction at a time; the same seed, the same order
    #[arg(long, value_name = "N", conflicts_with = "many_seeds")]
    pub seed: Option<u64>,
    /// Run once with each seed from A to B-1, and compare what comes out and what is found
    #[arg(long, value_name = "A..B", value_parser = range)]
    pub many_seeds: Option<Range<u64>>,
}

/// The variable that `--seed` stands for.
pub const VARIABLE: &str = "WAVEPIPE_SEED";

/// Parses `A..B`.
pub fn range(text: &str) -> std::result::Result<Range<u64>, String> {
    let ends = text.split_once("..").and_then(|(a, b)| Some(a.parse().ok()?..b.parse().ok()?));
    ends.filter(|r: &Range<u64>| r.start < r.end).ok_or_else(|| "write A..B, two numbers of which B is larger".into())
}

impl SeedArgs {
    /// The flag wins over the variable.
    pub fn apply(&self, config: &mut Config) {
        config.seed = self.seed.or(config.seed);
    }
}

/// A run with one seed.
#[derive(Debug, Default)]
pub struct Outcome {
    pub parts: Vec<Part>,
    pub findings: Findings,
    pub failure: Option<Failure>,
}

impl Outcome {
    /// What a seed decides: not the count of a finding, nor where a wave stood when the time was over.
    fn same(&self, other: &Outcome) -> bool {
        let ids = |o: &Outcome| o.findings.reports.iter().map(|r| r.id.clone()).collect::<BTreeSet<_>>();
        self.parts == other.parts && self.headline() == other.headline() && ids(self) == ids(other)
    }

    fn headline(&self) -> Option<String> {
        self.failure.as_ref().map(|f| f.to_string().lines().next().unwrap_or_default().to_owned())
    }

    fn is_good(&self) -> bool {
        self.failure.is_none() && self.findings.is_empty()
    }

    /// In a line: what failed, what was found, what differs.
    fn text(&self, usual: Option<&Outcome>) -> String {
        let mut words = Vec::new();
        words.extend(self.headline());
        if !self.findings.is_empty() {
            let first = self.findings.reports.first().map(|r| format!(": {}", r.message)).unwrap_or_default();
            words.push(format!("{}{first}", self.findings.count()));
        }
        words.extend(usual.into_iter().flat_map(|usual| differing(&self.parts, &usual.parts)).map(|d| d.to_string()));
        if words.is_empty() { "the same output, no findings".into() } else { words.join("; ") }
    }

    fn json(&self, usual: Option<&Outcome>) -> Value {
        let differing = usual.into_iter().flat_map(|usual| differing(&self.parts, &usual.parts));
        let differs: Vec<Value> = differing.map(|d| d.json()).collect();
        json!({
            "failure": self.failure.as_ref().map(ToString::to_string), "findings": self.findings.reports,
            "more_findings": self.findings.more, "differs": differs,
        })
    }
}

/// Seeds whose runs came out alike.
struct Class {
    seeds: Vec<u64>,
    outcome: Outcome,
}

/// Runs `once` with each seed, and tells which differ. An error of `once` itself is one of all seeds.
pub fn many(seeds: Range<u64>, as_json: bool, once: impl Fn(u64) -> Result<Outcome>) -> Result<()> {
    let mut classes: Vec<Class> = Vec::new();
    for seed in seeds.clone() {
        let outcome = once(seed)?;
        match classes.iter_mut().find(|c| c.outcome.same(&outcome)) {
            Some(class) => class.seeds.push(seed),
            None => classes.push(Class { seeds: vec![seed], outcome }),
        }
    }
    // Most seeds are right about what is usual; the first of equals.
    let Some(usual) = (0..classes.len()).max_by_key(|c| (classes[*c].seeds.len(), std::cmp::Reverse(*c))) else {
        return Ok(());
    };
    let bad = classes.iter().find(|c| !c.outcome.is_good());
    let odd = classes.iter().enumerate().find(|(n, _)| *n != usual).map(|(_, c)| c);
    let replay = bad.or(odd).map(|c| again(std::env::args().collect(), c.seeds[0]));
    let than = |n: usize| (n != usual).then(|| &classes[usual].outcome);
    if as_json {
        let outcomes: Vec<Value> = (0..)
            .zip(&classes)
            .map(|(n, c)| {
                let mut value = c.outcome.json(than(n));
                value["seeds"] = c.seeds.clone().into();
                value["usual"] = (n == usual).into();
                value
            })
            .collect();
        println!("{}", json!({ "first": seeds.start, "end": seeds.end, "outcomes": outcomes, "replay": replay }));
    } else {
        println!("{}, {}", plural(seeds.end - seeds.start, "seed"), plural(classes.len() as u64, "outcome"));
        for (n, class) in classes.iter().enumerate() {
            println!("  {}: {}", listed(&class.seeds), class.outcome.text(than(n)));
        }
        if let Some(words) = &replay {
            println!("again: {}", words.iter().map(|w| quoted(w)).collect::<Vec<_>>().join(" "));
        }
    }
    match (bad, classes.len()) {
        (None, 1) => Ok(()),
        // All alike: as one run would have ended.
        (Some(_), 1) => classes.remove(0).outcome.failure.map_or_else(|| Err(Failure::Check("findings".into())), Err),
        _ => Err(Failure::Check("seeds differ".into())),
    }
}

fn plural(n: u64, what: &str) -> String {
    if n == 1 { format!("1 {what}") } else { format!("{n} {what}s") }
}

/// `12 seeds (0, 3, 4, 5, 7, …)`.
fn listed(seeds: &[u64]) -> String {
    const SHOWN: usize = 8;
    let mut words: Vec<String> = seeds.iter().take(SHOWN).map(u64::to_string).collect();
    if seeds.len() > SHOWN {
        words.push("…".into());
    }
    format!("{} ({})", plural(seeds.len() as u64, "seed"), words.join(", "))
}

/// This command line with one seed for the many.
pub fn again(words: Vec<String>, seed: u64) -> Vec<String> {
    let mut out = Vec::new();
    let (mut words, mut done) = (words.into_iter(), false);
    while let Some(word) = words.next() {
        let whole = !done && word == "--many-seeds";
        if whole || !done && word.starts_with("--many-seeds=") {
            out.extend(["--seed".to_owned(), seed.to_string()]);
            done = true;
            if whole {
                words.next();
            }
        } else {
            out.push(word);
        }
    }
    out
}

/// A word for a shell.
pub fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_=./,:+@%^".contains(c);
    if !word.is_empty() && word.chars().all(plain) { word.into() } else { format!("'{}'", word.replace('\'', r"'\''")) }
}
