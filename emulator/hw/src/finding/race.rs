//! Accesses that nothing orders.

use super::{AccessKind, AddressSpace};
use std::fmt;

/// What races.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Race {
    pub one: AccessKind,
    pub other: AccessKind,
    pub between: Between,
}

/// Whom a race is between, by what they have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Between {
    /// A wave.
    Lanes,
    /// A work-group.
    Waves,
    /// A dispatch.
    WorkGroups,
}

impl Race {
    /// The two kinds of access in an order of their own.
    pub(super) fn accesses(&self) -> (AccessKind, AccessKind) {
        (self.one.min(self.other), self.one.max(self.other))
    }

    pub(super) fn advice(&self) -> &'static str {
        match self.between {
            Between::Lanes => {
                "that the lanes of a wave go in step orders nothing: a barrier() or subgroupBarrier() does, or atomics"
            }
            Between::Waves => {
                "a barrier() that all of the work-group come to orders shared variables, and with memoryBarrier() in front of it \
                 buffers and images; or atomics do"
            }
            Between::WorkGroups => {
                "no barrier reaches across work-groups: atomics with memoryBarrier() on both sides do, or another dispatch"
            }
        }
    }

    /// The message.
    pub(super) fn tell(&self, f: &mut fmt::Formatter<'_>, space: Option<AddressSpace>) -> fmt::Result {
        let (one, other) = (self.one.name(), self.other.name());
        let bytes = if space == Some(AddressSpace::Lds) { "bytes of LDS" } else { "bytes" };
        let whose = match self.between {
            Between::Lanes => "two lanes of a wave",
            Between::Waves => "two waves of a work-group",
            Between::WorkGroups => "two work-groups",
        };
        write!(f, "{} {one} and {} {other} of the same {bytes} by {whose}, in no order", article(one), article(other))
    }
}

fn article(word: &str) -> &'static str {
    if word.starts_with('a') { "an" } else { "a" }
}
