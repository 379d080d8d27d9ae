//! Machine-independent passes over [`crate::ir`]. Each pass is one file and one function; [`OPTIMISE`] is their order.

mod contract;
mod dead;
mod divisors;
mod effects;
mod hoist;
mod lower;
mod merge;
mod offsets;
pub mod promote;
mod rebuild;
mod tail;
mod unroll;

use crate::error::{CompileError, ErrorKind, Result};
use crate::inspect::{Inspector, Pass};
use crate::ir::Kernel;

/// Makes the kernel and its functions smaller and faster without changing what they compute.
pub const OPTIMISE: &[Pass<Kernel>] = &[
    // Early returns become plain ifs, so that less of the kernel runs under the mask of a block.
    Pass { name: "sink", run: |k| k.each(&mut tail::sink) },
    // Fold, share, drop decided branches, unroll short loops, turn small ifs into selects.
    Pass { name: "rebuild", run: |k| k.each(&mut rebuild::rebuild) },
    Pass { name: "dead", run: |k| k.each(&mut dead::remove) },
    // Unrolled loops index private arrays by constants.
    Pass { name: "promote", run: |k| k.each(&mut promote::promote) },
    // Unrolled and flattened code shows what more is equal.
    Pass { name: "rebuild promoted", run: |k| k.each(&mut rebuild::rebuild) },
    Pass { name: "hoist", run: |k| k.each(&mut hoist::hoist) },
    // What was moved out of a loop may already be there.
    Pass { name: "rebuild hoisted", run: |k| k.each(&mut rebuild::rebuild) },
    // Addresses that differ by a constant become one address, and their accesses neighbours.
    Pass { name: "offsets", run: |k| k.each(&mut offsets::offsets) },
    Pass { name: "merge", run: |k| k.each(&mut merge::merge) },
    Pass { name: "contract", run: |k| k.each(&mut contract::contract) },
    // Calls that do nothing can go, now that it shows what they do.
    Pass { name: "effects", run: effects::note },
    Pass { name: "dead contracted", run: |k| k.each(&mut dead::remove) },
];

/// Rewrites what the machine has no instructions for.
const LOWER: &[Pass<Kernel>] = &[
    // What all divisions by a value share stands before them, and before the loops that they are in.
    Pass { name: "divisors", run: |k| k.each(&mut divisors::place) },
    Pass { name: "lower", run: |k| k.each(&mut rebuild::lower) },
    Pass { name: "dead lowered", run: |k| k.each(&mut dead::remove) },
];

/// Runs [`OPTIMISE`].
///
/// # Errors
/// A pass broke a rule of the ir, and `inspector` checks.
pub fn optimise(kernel: &mut Kernel, inspector: &mut Inspector<'_>) -> Result<()> {
    inspector.run(OPTIMISE, kernel)
}

/// Operations that a kernel may have after [`lower`].
const MAX_INSTRUCTIONS: usize = 1 << 20;

/// Rewrites what the machine has no instructions for, if there is anything.
///
/// # Errors
/// As of [`optimise`]; the kernel becomes too large.
pub fn lower(kernel: &mut Kernel, inspector: &mut Inspector<'_>) -> Result<()> {
    let (mut all, mut wanted, mut grown) = (0, 0, 0);
    kernel.each(&mut |k| {
        k.body.for_each_inst(&mut |i| {
            all += 1;
            if let Some(most) = lower::growth(k, i) {
                wanted += 1;
                grown += most;
            }
        })
    });
    if all + grown > MAX_INSTRUCTIONS {
        let message = format!(
            "{wanted} operations that the machine does by many others (divisions …) make the kernel larger than {MAX_INSTRUCTIONS} operations: put what repeats into loops"
        );
        return Err(CompileError { kind: ErrorKind::Resource, site: None, message });
    }
    if wanted > 0 { inspector.run(LOWER, kernel) } else { Ok(()) }
}
