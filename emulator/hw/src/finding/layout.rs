//! Images that are in another layout than is said of them, or than what is done with them needs.

use super::{Access, AccessKind, Command};
use std::fmt;

/// What is done with an image, and the layout that it is in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WrongLayout {
    pub command: Command,
    /// The layout that the command says; `None`: a shader accesses the image.
    pub said: Option<&'static str>,
    /// Both as the API names them, without `VK_IMAGE_LAYOUT_`.
    pub is: &'static str,
}

impl WrongLayout {
    pub(super) fn slug(&self) -> &'static str {
        if self.said.is_some() { "layout-said" } else { "layout-used" }
    }

    pub(super) fn advice(&self) -> &'static str {
        match self.said {
            Some(_) => {
                "a command or a barrier says the layout that an image is in, which is the newLayout of the last barrier, or UNDEFINED if \
                 there was none"
            }
            None => {
                "shaders write images in GENERAL, and read them in GENERAL or SHADER_READ_ONLY_OPTIMAL: a barrier with this newLayout comes first"
            }
        }
    }

    pub(super) fn tell(&self, f: &mut fmt::Formatter<'_>, access: Option<&Access>) -> fmt::Result {
        let name = access.and_then(|a| a.name.as_ref()).map_or_else(|| "an image".into(), |name| format!("`{name}`"));
        match self.said {
            Some(said) => write!(f, "{} says that {name} is in layout {said}, and it is in {}", self.command, self.is),
            None => {
                let verb = if self.command.access == AccessKind::Read { "reads" } else { "writes" };
                write!(f, "{} {verb} {name}, which is in layout {}", self.command, self.is)
            }
        }
    }
}
