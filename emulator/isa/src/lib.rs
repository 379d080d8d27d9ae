//! RDNA instruction vocabulary: one row per instruction; encode, decode, assemble, disassemble, meaning
