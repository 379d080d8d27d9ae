//! A function being inlined: its values, and what a jump to a block means at a place.

use super::operand::{Cells, JoinSlot, Operand};
use crate::ir;
use std::collections::{HashMap, HashSet};

/// One function being inlined.
#[derive(Default)]
pub struct Frame {
    pub function: u32,
    pub values: HashMap<u32, (Operand, usize)>,
    /// Cells of phis, by the phi's id.
    pub phis: HashMap<u32, JoinSlot>,
    /// Cells of values that escape from their region.
    pub escaped: HashMap<u32, Cells>,
    pub result: Option<JoinSlot>,
    pub targets: Vec<JumpTarget>,
    pub emitted: HashSet<u32>,
    /// Blocks that several others jump to without a merge that declares them, by the block that dominates them.
    pub joins: HashMap<u32, Vec<u32>>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Way {
    /// Falling out of the innermost construct's regions reaches the target; from elsewhere, Break.
    End,
    Break,
    Continue,
}

/// What a jump to `block` means inside of a construct.
#[derive(Clone, Copy, Debug)]
pub struct JumpTarget {
    pub block: u32,
    pub label: ir::Label,
    pub way: Way,
    pub reached: bool,
    /// A Break names the label.
    pub named: bool,
}
