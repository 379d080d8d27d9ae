//! What a dispatch has accessed of programs' memory, for a driver that checks whether commands are ordered
//! (`port::Interrupt::Touched`).

use crate::finding::{AccessKind, Location};

/// Of one dispatch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Touched {
    /// DISPATCH packets that its queue had come to before it.
    pub number: u64,
    /// By begin; those of one kind are apart from each other. What is written by an atomic is read by it too.
    pub spans: Vec<TouchedSpan>,
    /// The instructions that did it, each with the first in the order of work-groups, waves and lanes that ran it.
    pub sites: Vec<Location>,
    /// Of each: whether it is an image instruction.
    pub images: Vec<bool>,
}

/// Bytes that were accessed in one way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TouchedSpan {
    pub start: u64,
    pub end: u64,
    pub kind: AccessKind,
    /// Index into the sites: one of the instructions that did.
    pub site: u32,
}
