//! What the suite tests beyond the public interface. It is no interface: it changes without notice.

pub use crate::spirv::interp::float::{nearest, value};
