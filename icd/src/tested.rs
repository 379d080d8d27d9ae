//! What the suite tests beyond the public interface. It is no interface: it changes without notice.

use ash::vk;

pub use crate::extensions::Extension;
pub use crate::mark::open as open_mark;
pub use crate::procs::{Level, PROCS, Proc, Since};
pub use crate::scopes::{dependency, dependency1};

/// Lists the features' rows: of each the type and the bytes of the structure that it is in.
pub fn feature_rows() -> impl Iterator<Item = (vk::StructureType, usize)> {
    crate::features::rows().map(|feature| feature.flag.structure())
}
