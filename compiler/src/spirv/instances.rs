//! What is known of functions that are called: which they are, the shapes of arguments that each has code for, and the
//! private memory that they share. `outline` fills it.

use super::operand::Operand;
use crate::ir::build::Builder;
use crate::ir::{Kernel, Width};
use std::collections::{HashMap, HashSet};

/// Offsets from here on stand for private memory that functions share, until it is known where that begins.
pub const SHARED: u32 = 1 << 28;

/// How one argument gets to the function.
#[derive(Clone, PartialEq, Debug)]
pub enum Shape {
    /// The operand; what is computed of it goes by value.
    Known(Operand, Vec<Width>),
    Values(Vec<Width>),
    /// A value in memory that nobody writes while the function runs; or scalars, loaded from there.
    Memory {
        ty: u32,
        scalars: bool,
    },
    /// A variable of the caller: in registers, or in memory.
    Variable {
        pointee: u32,
        in_memory: bool,
        written: bool,
    },
}

/// A function for one shape of its arguments.
pub struct Instance {
    pub function: u32,
    pub shapes: Vec<Shape>,
    /// Places in shared memory of what goes through it.
    pub places: Vec<Option<u32>>,
    /// Widths of what the function gives, in SPIR-V; or the place of its result.
    pub result: Vec<Width>,
    pub result_place: Option<u32>,
    pub widths: (Vec<Width>, Vec<Width>),
    /// A call of it.
    pub word: usize,
    pub body: Option<Kernel>,
}

#[derive(Default)]
pub struct Outline {
    /// Functions that become calls.
    pub called: HashSet<u32>,
    pub instances: Vec<Instance>,
    pub by_function: HashMap<u32, Vec<usize>>,
    pub written: HashMap<(u32, usize), bool>,
    /// The builder as it was before the first function: all bodies begin with its constants.
    pub base: Option<Builder>,
    /// Bytes of private memory of module-scope variables, and of what goes through memory.
    pub globals: u32,
    pub passed: u32,
    /// Where the locals of the body that is being translated begin.
    pub first_local: u32,
}

impl Outline {
    /// The code that `function` has for arguments of these shapes.
    pub fn find(&self, function: u32, shapes: &[Shape]) -> Option<usize> {
        let of = self.by_function.get(&function)?;
        of.iter().copied().find(|&n| self.instances[n].shapes == shapes)
    }

    /// A variable that the body being translated may point to: its own, or one of all.
    pub fn reaches(&self, offset: u32) -> bool {
        offset < self.globals || offset >= self.first_local
    }
}
