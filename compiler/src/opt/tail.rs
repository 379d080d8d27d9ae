//! Early exits become arms of an `If`.
//!
//! In the body of a block, `if c { a; break B(x) } else { b }; rest; break B(y)` is `r = if c { a; yield x } else { b; rest;
//! yield y }; break B(r)`. What is left has no jump under a condition, and the block can go.

use crate::ir::*;
use std::collections::HashMap;

/// Most exits of a block that become arms, one inside of the other.
const DEPTH: u32 = 128;

pub fn sink(kernel: &mut Kernel) {
    let mut body = std::mem::replace(&mut kernel.body, Region { nodes: Vec::new(), exit: Exit::Unreachable });
    let mut renamed = HashMap::new();
    region(kernel, &mut body, &mut renamed);
    kernel.body = body;
    kernel.named.iter_mut().for_each(|n| n.rename(&renamed));
}

/// Works on every block in the region, inner ones first. `all` = values that are others now.
fn region(kernel: &mut Kernel, r: &mut Region, all: &mut HashMap<Value, Value>) {
    for node in &mut r.nodes {
        node.regions_mut().for_each(|r| region(kernel, r, all));
        if let Node::Block { label, body, results, .. } = node {
            let widths: Vec<Width> = results.iter().map(|&v| kernel.width(v)).collect();
            tail(kernel, *label, &widths, body, DEPTH, all);
        }
    }
}

/// `region` stands in tail position of the block `label`: falling out of its end means leaving the block. Afterwards it
/// ends in a `Break` of the block wherever that was possible.
fn tail(
    kernel: &mut Kernel,
    label: Label,
    widths: &[Width],
    region: &mut Region,
    depth: u32,
    all: &mut HashMap<Value, Value>,
) {
    let leaves = |exit: &Exit| matches!(exit, Exit::Break(l, _) if *l == label);
    if let Exit::Yield(v) = &region.exit {
        region.exit = Exit::Break(label, v.clone());
    }
    both_arms(kernel, label, widths, region, depth, all);
    let found = region.nodes.iter().position(|n| match n {
        Node::If { then, els, .. } => {
            let falls = |r: &Region| matches!(r.exit, Exit::Yield(_));
            leaves(&then.exit) && falls(els) || leaves(&els.exit) && falls(then)
        }
        _ => false,
    });
    let (Some(at), Some(depth)) = (found, depth.checked_sub(1)) else { return };
    // The rest goes where control still falls through; it must end by leaving the block too.
    if !leaves(&region.exit) {
        return;
    }
    let rest = region.nodes.split_off(at + 1);
    let Some(Node::If { then, els, results, loc, .. }) = region.nodes.last_mut() else { return };
    kernel.named.iter_mut().for_each(|n| n.forget_behind(loc.point));
    let (out, on) = if leaves(&then.exit) { (then, els) } else { (els, then) };
    if let Exit::Break(_, v) = &out.exit {
        out.exit = Exit::Yield(v.clone());
    }
    let Exit::Yield(given) = std::mem::replace(&mut on.exit, Exit::Unreachable) else { return };
    let renamed: HashMap<Value, Value> = results.iter().copied().zip(given).collect();
    if kernel.named.is_some() {
        all.extend(&renamed);
    }
    let mut rest = Region { nodes: rest, exit: std::mem::replace(&mut region.exit, Exit::Unreachable) };
    rest.for_each_use_mut(&mut |v| {
        if let Some(new) = renamed.get(v) {
            *v = *new;
        }
    });
    on.nodes.extend(rest.nodes);
    on.exit = rest.exit;
    tail(kernel, label, widths, on, depth, all);
    if let Exit::Break(l, v) = &on.exit
        && *l == label
    {
        on.exit = Exit::Yield(v.clone());
    }
    let new: Vec<Value> = widths.iter().map(|&w| kernel.value(w)).collect();
    *results = new.clone();
    region.exit = Exit::Break(label, new);
}

/// `if c { a; break B(x) } else { b; break B(y) }` at the region's end, after which nothing runs, is
/// `r = if c { a; yield x } else { b; yield y }; break B(r)`.
fn both_arms(
    kernel: &mut Kernel,
    label: Label,
    widths: &[Width],
    region: &mut Region,
    depth: u32,
    all: &mut HashMap<Value, Value>,
) {
    if region.exit != Exit::Unreachable {
        return;
    }
    let Some(Node::If { then, els, results, loc, .. }) = region.nodes.last_mut() else { return };
    kernel.named.iter_mut().for_each(|n| n.forget_behind(loc.point));
    for arm in [&mut *then, &mut *els] {
        // Falling out of the arm would reach what cannot be reached.
        if matches!(arm.exit, Exit::Yield(_)) {
            arm.exit = Exit::Unreachable;
        }
        tail(kernel, label, widths, arm, depth, all);
    }
    let mut leaves = false;
    for arm in [then, els] {
        if let Exit::Break(l, v) = &arm.exit
            && *l == label
        {
            arm.exit = Exit::Yield(v.clone());
            leaves = true;
        }
    }
    if leaves {
        *results = widths.iter().map(|&w| kernel.value(w)).collect();
        region.exit = Exit::Break(label, results.clone());
    }
}
