//! The tests of this folder as one program, a module for each file.

mod common;

mod back;
mod language;
mod stops;
mod variables;
