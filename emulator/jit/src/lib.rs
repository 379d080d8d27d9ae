//! Host code from hot blocks
