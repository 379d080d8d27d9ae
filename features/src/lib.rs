//! A manifest without code: it enables the features of third-party crates on which the members of the workspace differ.
//!
//! Cargo compiles a crate with the features that the selected members enable. With fewer members selected there are fewer features,
//! so `cargo build -p wavepipe-cli` after `cargo build --workspace` would compile `memchr`, and all that depends on it, once more.
//! As every member with dependencies depends on this one, these features are enabled whichever members are selected. Published crates
//! have it as a dev-dependency without a version, which cargo leaves out of their packages: there, the features are their own.
