//! The tests of this folder as one program, a module for each file: what they link is linked once. Programs of their own have those
//! that share no process with others; Cargo.toml names them.

#[path = "../../tests/src/share.rs"]
mod share;

mod bed;
mod llvm_mir;

mod calls;
mod checker;
mod derivatives;
mod emit;
mod filetests;
mod hazards;
mod images;
mod ir;
mod layout;
mod machine_code;
mod machine_form;
mod mir;
mod modules;
mod offsets;
mod opt;
mod pipeline;
mod promote;
mod sampling;
mod sites;
