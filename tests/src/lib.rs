//! Cross-crate, differential, conformance, fuzz and tidy tests
