//! How large a function becomes with its calls inlined.
//!
//! Algorithm: bottom-up over the graph of calls, each function once: its own instructions and those of its callees, as often
//! as it calls them. A depth-first walk with a stack of its own; a function that is reached while it is open calls itself.

use super::module::{Instr, Module};
use crate::error::{ErrorKind, Result};
use spirv::Op;
use std::collections::HashMap;

/// Instructions that an entry point may have with all calls inlined. A module of a megabyte has fewer if it calls nothing.
pub const MOST: u64 = 1 << 18;

/// Refuses the entry point at `i` if its calls expand to more than [`MOST`] instructions.
pub fn check(m: &Module<'_>, i: &Instr<'_>, entry: u32) -> Result<()> {
    let sizes = sizes(m, entry);
    let Some(&size) = sizes.get(&entry).filter(|&&size| size > MOST) else { return Ok(()) };
    // The smallest function that is too large names the cause best.
    let (&cause, _) = sizes.iter().filter(|f| *f.1 > MOST).min_by_key(|f| (*f.1, *f.0)).unwrap_or((&entry, &size));
    let name = m.names.get(&cause).filter(|n| !n.is_empty()).map_or(format!("%{cause}"), |n| format!("`{n}`"));
    let message = format!(
        "the calls of function {name} expand to {} instructions, and calls are inlined up to {MOST}: call it less often, or in a loop",
        sizes.get(&cause).copied().unwrap_or(size)
    );
    Err(m.error(ErrorKind::Resource, i, message))
}

/// Instructions of each function that `entry` reaches, with those of its callees; saturates. Functions that call themselves
/// are refused where they are called.
pub fn sizes(m: &Module<'_>, entry: u32) -> HashMap<u32, u64> {
    let mut sizes: HashMap<u32, u64> = HashMap::new();
    let mut work = vec![(entry, false)];
    while let Some((function, called)) = work.pop() {
        let Some(f) = m.functions.get(&function) else { continue };
        let body = || f.blocks.iter().flat_map(|b| &m.instrs[b.body.start..=b.end]);
        let callees = || body().filter(|i| i.op == Op::FunctionCall).filter_map(|i| i.arg(0));
        if called {
            let of = |callee: u32| sizes.get(&callee).copied().unwrap_or(0);
            let size = callees().map(of).fold(body().count() as u64, u64::saturating_add);
            sizes.insert(function, size);
        } else if let std::collections::hash_map::Entry::Vacant(open) = sizes.entry(function) {
            open.insert(0);
            work.push((function, true));
            work.extend(callees().map(|callee| (callee, false)));
        }
    }
    sizes
}
