//! Tests of shaders, as files: `.test.toml` beside the shaders, Amber scripts and vkrunner's.
//!
//! ```text
//! file ── suite, amber, vkrunner ──► Case ── ready(): schema, plan, place ──► Play
//! Play ── act, on a device ──► contents, findings, costs ── judge, cpu, cost ──► Outcome, with a hint
//! ```
//!
//! - [`case`]: what is found in a file, and what it takes to run. [`suite`]: a test file and its variants, [`schema`] its keys.
//! - [`play`]: resources, dispatches and expectations, whatever language they were written in. [`plan`], [`amber`], [`vkrunner`] make
//!   it; [`layout`] and [`source`] are what the scripts share.
//! - [`act`]: plays it. [`judge`]: probes. [`cpu`]: expressions evaluated beside. [`cost`]: budgets. [`coverage`]: lines.
//! - [`outcome`]: what became of it. [`hint`]: the test's own words on that. [`place`]: messages at their places. [`puzzle`]: one of
//!   the course's, tried.
//!
//! Invariant: nothing is printed here, and files are read by [`wavepipe::failure::read_file`], but for descriptions of machines, so
//! that a page in a browser can check what was typed there.

pub mod act;
pub mod amber;
pub mod case;
pub mod cost;
pub mod coverage;
pub mod cpu;
pub mod ending;
pub mod hint;
pub mod judge;
pub mod layout;
pub mod outcome;
pub mod place;
pub mod plan;
pub mod play;
pub mod puzzle;
pub mod schema;
pub mod source;
pub mod suite;
#[doc(hidden)]
pub mod tested;
pub mod vkrunner;

pub use act::{How, run};
pub use case::{Case, cases};
pub use outcome::{Outcome, Status};
