//! Machine-independent passes over [`crate::ir`]. Each pass is one file and one function; this list is their order.

mod contract;
mod dead;
mod hoist;
mod lower;
mod merge;
mod offsets;
pub mod promote;
mod rebuild;
mod tail;

use crate::ir::Kernel;

/// Rewrites what the machine has no instructions for; true if there was anything.
pub fn lower(kernel: &mut Kernel) -> bool {
    let mut any = false;
    kernel.body.for_each_inst(&mut |i| any |= lower::wanted(kernel, i));
    if any {
        rebuild::lower(kernel);
        dead::remove(kernel);
    }
    any
}

/// Makes the kernel smaller and faster without changing what it computes.
pub fn optimise(kernel: &mut Kernel) {
    // Early returns become plain ifs, so that less of the kernel runs under the mask of a block.
    tail::sink(kernel);
    // Fold, share, drop decided branches, unroll short loops, turn small ifs into selects.
    rebuild::rebuild(kernel);
    dead::remove(kernel);
    // Unrolled loops index private arrays by constants.
    promote::promote(kernel);
    // Unrolled and flattened code shows what more is equal.
    rebuild::rebuild(kernel);
    hoist::hoist(kernel);
    // What was moved out of a loop may already be there.
    rebuild::rebuild(kernel);
    // Addresses that differ by a constant become one address, and their accesses neighbours.
    offsets::offsets(kernel);
    merge::merge(kernel);
    contract::contract(kernel);
    dead::remove(kernel);
}
