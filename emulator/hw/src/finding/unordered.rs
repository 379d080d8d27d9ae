//! Commands that access the same memory with nothing between them that orders the accesses.

use super::{Access, AccessKind};
use std::fmt;

/// Two commands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unordered {
    /// The one that was submitted first, and the other.
    pub first: Command,
    pub second: Command,
    pub lacks: Lack,
}

/// A command of a queue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Command {
    /// The API's name, or what it is: `vkCmdCopyBuffer`.
    pub name: String,
    /// Of a dispatch.
    pub kernel: Option<String>,
    /// Its number among the commands of its command buffer that access memory.
    pub number: u32,
    pub access: AccessKind,
}

/// What there is between two commands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lack {
    /// No barrier that the first has a part in.
    Barrier,
    /// Barriers, but for other stages or accesses, or other memory.
    Scope,
    /// They are on different queues, with no semaphore and no wait of the host.
    Semaphore,
}

impl Unordered {
    pub(super) fn slug(&self) -> &'static str {
        match (self.first.access, self.second.access) {
            (AccessKind::Read, _) => "write-after-read",
            (_, AccessKind::Read) => "read-after-write",
            _ => "write-after-write",
        }
    }

    pub(super) fn advice(&self) -> &'static str {
        match self.lacks {
            Lack::Barrier => {
                "commands of a queue run beside each other, also from one submission to the next: vkCmdPipelineBarrier \
                 orders them"
            }
            Lack::Scope => {
                "a barrier orders the stages and accesses that it names, for the memory that it names: those of both commands"
            }
            Lack::Semaphore => {
                "queues run beside each other: a semaphore orders them, or the host, by waiting in between"
            }
        }
    }

    pub(super) fn tell(&self, f: &mut fmt::Formatter<'_>, access: Option<&Access>) -> fmt::Result {
        let verb = |access| if access == AccessKind::Read { "reads" } else { "writes" };
        let done = |access| if access == AccessKind::Read { "read" } else { "written" };
        write!(
            f,
            "{} {} what is {} by {}",
            self.second,
            verb(self.second.access),
            done(self.first.access),
            self.first
        )?;
        if let Some(Access { bytes, name: Some(name), .. }) = access {
            write!(f, ", {bytes} bytes of `{name}`")?;
        }
        match self.lacks {
            Lack::Barrier => write!(f, ", with no barrier in between"),
            Lack::Scope => write!(f, ", and no barrier in between is for both"),
            Lack::Semaphore => write!(f, " on another queue, with nothing to order them"),
        }
    }
}

impl fmt::Display for Command {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.kernel {
            Some(kernel) => write!(f, "{} of `{kernel}`", self.name),
            None => write!(f, "{}", self.name),
        }
    }
}
