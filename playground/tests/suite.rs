//! What the page asks, and what it is answered.

mod code;
#[path = "../../tests/src/host_time.rs"]
mod host_time;
mod puzzles;
mod run;
mod server;
mod stepping;

use serde_json::{Value, json};
use wavepipe_playground::{Bench, examples};

/// The answer to a question.
fn ask(question: Value) -> Value {
    ask_of(&mut Bench::default(), question)
}

fn ask_of(bench: &mut Bench, question: Value) -> Value {
    serde_json::from_str(&bench.answer(&question.to_string())).unwrap()
}

/// What is asked of an example's shader.
fn of_example(what: &str, name: &str) -> Value {
    let example = examples::all().find(|e| e.name == name).unwrap_or_else(|| panic!("no example {name}")).json();
    json!({ "do": what, "language": example["language"], "source": example["source"], "job": example["job"] })
}

/// What is asked of a text in WGSL.
fn of_wgsl(what: &str, source: &str, job: &str) -> Value {
    json!({ "do": what, "language": "wgsl", "source": source, "job": job })
}
