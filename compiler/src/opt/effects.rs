//! What calls do besides giving results.
//!
//! A function has an effect if an instruction of it has one, if a function that it calls has one, or if it has a loop,
//! which might not end. A function calls only those behind it, so one walk from the last function to the first settles all.

use crate::ir::*;

/// Writes into each call whether its function has an effect.
pub fn note(kernel: &mut Kernel) {
    let mut effects = vec![true; kernel.functions.len()];
    for n in (0..kernel.functions.len()).rev() {
        effects[n] = body(&mut kernel.functions[n].body, &effects);
    }
    body(&mut kernel.body, &effects);
}

/// Writes into each call of `region` what `effects` says of the functions; whether the region itself has an effect.
fn body(region: &mut Region, effects: &[bool]) -> bool {
    let mut any = false;
    region.for_each_inst_mut(&mut |i| {
        if let Op::Call { function, effects: known } = &mut i.op {
            *known = effects.get(*function as usize).copied().unwrap_or(true);
        }
        any |= i.op.has_effect();
    });
    region.for_each_node(&mut |n| any |= matches!(n, Node::Loop { .. }));
    any
}
