//! The tests of this folder as one program, a module for each file: what they link is linked once. Programs of their own have those
//! that share no process with others; Cargo.toml names them.

mod bed;
mod llvm_mir;

mod calls;
mod derivatives;
mod filetests;
mod hazards;
mod images;
mod machine_code;
mod modules;
mod opt;
mod sampling;
mod sites;
