//! The tests of this folder as one program, a module for each file: what they link is linked once.

mod answer;
