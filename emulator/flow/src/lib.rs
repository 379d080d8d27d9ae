//! What machine code says of itself, without being run: of any compiler's, by its bytes.
//!
//! - [`graph`]: the instructions that can be reached, and where control goes from each, through calls and returns.
//! - [`live`]: the registers whose values are still wanted, in front of and behind each instruction, by lanes ([`masks`]).
//! - [`awaited`]: the accesses that a wait waits for.
//! - [`listing`]: all of it as lines of text.
//!
//! Nothing here fails: what does not decode, or lies outside, ends its path.

pub mod awaited;
pub mod graph;
pub mod listing;
pub mod live;
pub mod masks;

pub use awaited::{Awaited, awaited};
pub use graph::{Graph, Node};
pub use listing::{CodeLine, Listing};
pub use live::{Counts, Live, Registers};
