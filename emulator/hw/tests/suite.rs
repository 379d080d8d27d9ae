//! The tests of this folder as one program, a module for each file: what they link is linked once. Programs of their own have those
//! that share no process with others; Cargo.toml names them.

#[path = "../../../tests/src/split_mix.rs"]
mod split_mix;

mod code;
mod descriptor;
mod file;
mod finding;
mod given;
mod hsa;
mod machine;
mod observe;
mod order;
mod perf;
mod pm4;
mod pm4_generations;
mod registers;
mod rsrc;
mod site;
mod spelling;
mod surface;
