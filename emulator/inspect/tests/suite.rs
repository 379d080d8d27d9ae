//! The tests of this folder as one program, a module for each file.

mod common;

mod back;
mod calls;
mod clocked;
mod language;
mod schedule;
mod stops;
mod variables;
