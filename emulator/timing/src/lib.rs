//! Cycles: consumes the execution's event stream, never changes a result.
