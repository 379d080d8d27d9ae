//! What is known of source variables while a module is translated; `named` fills it.

use crate::ir::named::PieceOf;
use std::collections::{BTreeMap, HashMap};
use wavepipe_hw::variable::{Scope, Variable};

#[derive(Default)]
pub struct Naming {
    pub on: bool,
    /// The kernel's own code has begun.
    pub begun: bool,
    pub variables: Vec<Variable>,
    pub scopes: Vec<Scope>,
    /// That of the code that is being translated.
    pub scope: u32,
    pub cells: BTreeMap<u32, Vec<PieceOf>>,
    pub private: BTreeMap<u32, u32>,
    pub lds: Vec<(u32, u32)>,
    /// Named values of one name and type are one variable of their scope.
    pub values: HashMap<(u32, String, u32), u32>,
    pub inputs: HashMap<u32, (String, u32)>,
}
