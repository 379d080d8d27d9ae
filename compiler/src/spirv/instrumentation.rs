//! What instrumented code is made of: what is asked for, an index that is noted in a pointer, to be checked where the pointer comes
//! to be used, and the sites and checks made so far.

use crate::ir::Value;
use bitflags::bitflags;
use std::collections::HashMap;
use std::rc::Rc;
use wavepipe_hw::site::{Indexed, Site};

/// Elements that an index chooses from.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Bound {
    Known(u32),
    /// 32 bits.
    Computed(Value),
}

/// An index in a pointer, not yet checked.
#[derive(Clone, PartialEq, Eq, Debug, Hash)]
pub struct IndexCheck {
    /// 32 or 64 bits.
    pub index: Value,
    pub signed: bool,
    pub bound: Bound,
    /// The pointer is the one with this index only where this holds.
    pub guard: Option<Value>,
    pub of: Indexed,
    pub name: Rc<str>,
}

impl IndexCheck {
    /// The IR values that it consists of.
    pub fn values(&mut self) -> impl Iterator<Item = &mut Value> {
        let length = match &mut self.bound {
            Bound::Computed(n) => Some(n),
            Bound::Known(_) => None,
        };
        std::iter::once(&mut self.index).chain(length).chain(self.guard.as_mut())
    }
}

bitflags! {
    /// What code is instrumented for, besides what the program asks for itself.
    #[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Hash)]
    pub struct Instrument: u32 {
        /// Indexes outside of arrays, vectors, matrices and arrays of descriptors.
        const INDEX = 1 << 0;
        /// Barriers are marked ([`wavepipe_hw::order`]), and atomics of LDS stay what they are: for a check of races.
        const ORDER = 1 << 1;
        /// Blocks and branches count the lanes that come to them.
        const COVERAGE = 1 << 2;
        /// Values that were never assigned, or are of lanes that take no part in a subgroup operation, come from trap temporaries, which
        /// no program writes; otherwise the former are zero.
        const UNDEFINED = 1 << 3;
        /// Operations on numbers that have no meaningful result.
        const NUM = 1 << 4;
        /// The kernel copies for a program, and says so ([`wavepipe_hw::order::COPIES`]).
        const COPIES = 1 << 5;
    }
}

/// Sites, and the checks made so far with the region that each is in.
#[derive(Default)]
pub struct Instrumentation {
    pub flags: Instrument,
    pub sites: Vec<Site>,
    pub numbers: HashMap<Site, u32>,
    pub checked: HashMap<IndexCheck, Vec<usize>>,
}

impl Instrumentation {
    pub fn new(flags: Instrument) -> Instrumentation {
        Instrumentation { flags, ..Instrumentation::default() }
    }

    /// A body begins, with values of its own.
    pub fn forget(&mut self) {
        self.checked.clear();
    }
}
