//! Host code from hot blocks: the same meanings as the interpreter, faster.
//!
//! The room is kept so that its contract is: a block is compiled after it ran often, keyed by code address, wave size and
//! MODE; the engine is one more `isa::alu::Engine`, so no meaning is written again; any row the engine does not know runs
//! in the interpreter. `core` runs whole waves without it.
