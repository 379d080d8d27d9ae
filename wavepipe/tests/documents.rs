//! The tests that the documents show are these, and they run.

#[path = "guide/doubles.rs"]
mod doubles;
#[path = "guide/saxpy.rs"]
mod saxpy;

/// The blocks of Rust in a document.
fn blocks(text: &str) -> Vec<&str> {
    text.split("```rust\n").skip(1).filter_map(|rest| rest.split("```").next()).collect()
}

#[test]
fn documents_show_what_runs_here() {
    assert_eq!(blocks(include_str!("../README.md")), [include_str!("guide/doubles.rs")]);
    assert_eq!(blocks(include_str!("../../docs/library.md")), [include_str!("guide/saxpy.rs")]);
}
