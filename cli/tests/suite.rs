//! The program, from outside: one program of tests, whose modules are the files beside it.

mod common;

mod dap;
mod replay;
mod watch;
