//! Counters: of a dispatch, and of each instruction of its code.

use super::spec::UNITS;
use super::wave::REASONS;
use crate::memory::Sum;
use wavepipe_isa::row::Class;

/// Kinds of instructions that are counted apart: as many as classes.
pub const CLASSES: usize = Class::Export as usize + 1;

/// What waves of one dispatch did.
#[derive(Clone, Debug, Default)]
pub struct Counters {
    pub waves: u64,
    pub workgroups: u64,
    pub instructions: u64,
    /// By [`Class`].
    pub by_class: [u64; CLASSES],
    /// Lanes that were on, summed over vector and vector memory instructions, and how many those were.
    pub lanes: u64,
    pub lane_instructions: u64,
    /// Cycles that units were kept busy, by `Unit`.
    pub busy: [u64; UNITS],
    /// Cycles that waves could not issue, by `Reason`.
    pub stalls: [u64; REASONS],
    /// Cycles that waves were resident, summed.
    pub resident: u64,
    /// What vector memory, scalar memory and LDS met.
    pub vector: Sum,
    pub scalar: Sum,
    pub lds: Sum,
}

/// One instruction of code, over all waves that executed it.
#[derive(Clone, Debug, Default)]
pub struct InstrCounters {
    pub issued: u64,
    /// Lanes that were on, summed.
    pub lanes: u64,
    pub stalls: [u64; REASONS],
    pub met: Sum,
}
