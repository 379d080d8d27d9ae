//! What the suite tests beyond the public interface. It is no interface: it changes without notice.

use crate::layout::Kind;
use crate::{source, vkrunner};
use std::path::Path;

/// The parts that AmberScript is read with.
pub mod amber {
    pub use crate::amber::structure::{Laid, Structure, layouts, parse as parse_structure};
    pub use crate::amber::types::DataType;
    pub use crate::amber::words::{Word, Words};
}

/// Puts a shader's text that begins on a line of a script on its lines of the script.
pub fn padded(line: u32, text: &str) -> String {
    source::At { path: Path::new(""), line }.padded(text)
}

/// Gives a module the script's name for the file that the compiler has read.
pub fn renamed(words: Vec<u32>, name: &str) -> Vec<u32> {
    source::renamed(words, name)
}

/// Reads the name of one of vkrunner's types.
pub fn vkrunner_type(name: &str) -> Option<Kind> {
    vkrunner::kind(name)
}
