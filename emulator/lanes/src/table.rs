//! The compiled function of each body.

use crate::host::Level;
use crate::operands::BodyFn;
use crate::shapes;
use std::any::TypeId;
use std::collections::HashMap;
use wavepipe_alu::body::{Visitor, visit_vector_bodies};
use wavepipe_alu::{Carry, Compare, Lane, Wide};

/// The functions of the bodies of vector instructions, for one set of host instructions.
pub struct BodyTable {
    level: Level,
    /// By body, and whether the row has a condition out.
    functions: HashMap<(TypeId, bool), BodyFn>,
}

impl BodyTable {
    /// Makes the table for a set of host instructions. The host must have them by the time that a function is called.
    pub fn new(level: Level) -> BodyTable {
        let mut table = BodyTable { level, functions: HashMap::with_capacity(512) };
        match level {
            Level::Baseline => visit_vector_bodies(&mut Baseline(&mut table)),
            #[cfg(target_arch = "x86_64")]
            Level::Avx2 => visit_vector_bodies(&mut Avx2(&mut table)),
            #[cfg(target_arch = "x86_64")]
            Level::Avx512 => visit_vector_bodies(&mut Avx512(&mut table)),
        }
        table
    }

    /// The set of host instructions that the functions use.
    pub fn level(&self) -> Level {
        self.level
    }

    /// Returns the function of a body; `None` if only scalar instructions have it. `out`: the row has a condition out, which matters
    /// for [`Carry`] bodies only.
    pub fn function_of<K: 'static>(&self, out: bool) -> Option<BodyFn> {
        self.functions.get(&(TypeId::of::<K>(), out)).copied()
    }

    fn insert<K: 'static>(&mut self, function: BodyFn) {
        self.functions.insert((TypeId::of::<K>(), false), function);
    }
}

/// A visitor that takes functions of `shapes::$variant`.
macro_rules! visitor {
    ($name:ident, $variant:ident) => {
        struct $name<'a>(&'a mut BodyTable);
        impl Visitor for $name<'_> {
            fn lane<K: Lane>(&mut self) {
                self.0.insert::<K>(shapes::$variant::lane::<K>());
            }
            fn compare<K: Compare>(&mut self) {
                self.0.insert::<K>(shapes::$variant::compare::<K>());
            }
            fn carry<K: Carry>(&mut self) {
                self.0.insert::<K>(shapes::$variant::carry::<K, false>());
                self.0.functions.insert((TypeId::of::<K>(), true), shapes::$variant::carry::<K, true>());
            }
            fn wide<K: Wide>(&mut self) {
                self.0.insert::<K>(shapes::$variant::wide::<K>());
            }
        }
    };
}
visitor!(Baseline, baseline);
#[cfg(target_arch = "x86_64")]
visitor!(Avx2, avx2);
#[cfg(target_arch = "x86_64")]
visitor!(Avx512, avx512);
