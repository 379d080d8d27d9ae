//! Every body, compiled for each set of instructions that this host has, beside the same body evaluated one lane at a time.

mod bodies;
