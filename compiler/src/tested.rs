//! What the suite tests beyond the public interface. It is no interface: it changes without notice.

pub use crate::back::layout::{Flow, Laid, Piece, Quirks, REACH, lay};
pub use crate::ir::names::ALUS;
