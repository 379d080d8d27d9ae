//! The tests of this folder as one program, a module for each file: what they link is linked once.

mod amber;
mod cpu;
mod layout;
mod play;
mod source;
mod test_files;
mod vkrunner;
