//! What the suite tests beyond the public interface. It is no interface: it changes without notice.

use crate::failure::{Failure, Result};
use crate::shader::{parse_wgsl, write};
use naga::valid::{Capabilities, ValidationFlags, Validator};
use std::path::Path;

/// Translates WGSL to SPIR-V in which only variables have names; `None` where it has overrides.
pub fn wgsl_without_names(source: &str, path: &Path) -> Result<Option<Vec<u32>>> {
    let module = parse_wgsl(source, path)?;
    if !module.overrides.is_empty() {
        return Ok(None);
    }
    let info = Validator::new(ValidationFlags::all(), Capabilities::all())
        .validate(&module)
        .map_err(|e| Failure::usage(e.emit_to_string(source)))?;
    write(&module, &info, source, &path.display().to_string()).map(Some).map_err(Failure::usage)
}
