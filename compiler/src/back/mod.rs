//! The back end: ir → [`crate::mir`] → machine code. Passes in the order of [`crate::pipeline`].

pub mod calls;
pub mod checker;
pub mod coalesce;
pub mod emit;
pub mod exec;
mod forms;
pub mod hazards;
pub(crate) mod layout;
pub mod liveness;
pub mod m0;
pub mod machine;
pub mod regalloc;
pub mod select;
pub mod spill;
pub mod tidy;
pub mod variables;
pub mod waits;
