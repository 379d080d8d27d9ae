//! What the suite tests beyond the public interface. It is no interface: it changes without notice.

pub use crate::machine::check::{BOUNDS, CACHE_BOUNDS, CACHES, POWERS};

use crate::finding::Number;
use crate::site::{Argument, Numeric};

/// Reads what a message of a site means.
pub fn number(what: Numeric, name: &str, bits: u32, values: &[Argument], payload: &[u32]) -> Option<Number> {
    Number::of(what, name, bits, values, payload)
}
