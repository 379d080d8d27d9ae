//! The program, from outside and by its parts: one program of tests, whose modules are the files beside it. A program of its own
//! has what shares no process with others; Cargo.toml names it.

mod common;

mod bench;
mod dap;
mod driver;
mod exec;
mod find;
mod flags;
mod kernels;
mod machine;
mod replay;
mod report;
mod timing;
mod tui;
mod tunnel;
mod watch;
