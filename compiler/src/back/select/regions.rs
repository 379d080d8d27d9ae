//! What selection asks of a region before it translates it.

use crate::ir::{self, Exit, Label, Node, Region, Space};

pub(super) fn is_empty(r: &Region) -> bool {
    r.nodes.is_empty() && matches!(&r.exit, Exit::Yield(v) if v.is_empty())
}

/// A jump in the region leaves it.
pub(super) fn jumps_out(r: &Region) -> bool {
    fn walk(r: &Region, inside: &mut Vec<Label>) -> bool {
        let nested = r.nodes.iter().any(|n| match n {
            Node::Inst(_) => false,
            Node::If { then, els, .. } => walk(then, inside) || walk(els, inside),
            Node::Loop { label, body, .. } | Node::Block { label, body, .. } => {
                inside.push(*label);
                let out = walk(body, inside);
                inside.pop();
                out
            }
            Node::Switch { label, cases, .. } => {
                inside.push(*label);
                let out = cases.iter().any(|c| walk(&c.body, inside));
                inside.pop();
                out
            }
        });
        nested
            || match &r.exit {
                Exit::Break(l, _) | Exit::Continue(l, _) => !inside.contains(l),
                Exit::Yield(_) => false,
                Exit::Unreachable => false,
            }
    }
    walk(r, &mut Vec::new()) || r.exit == Exit::Unreachable
}

/// Short, and harmless without lanes: not worth a branch around it.
pub(super) fn cheap(r: &Region) -> bool {
    let mut weight = 0;
    r.nodes.iter().all(|n| {
        let Node::Inst(inst) = n else { return false };
        weight += match inst.op {
            ir::Op::Const(_) | ir::Op::Undef => 0,
            ir::Op::Alu(_) => 1,
            ir::Op::Store { space: Space::Buffer | Space::Lds, .. } => 3,
            ir::Op::Load { space: Space::Buffer | Space::Lds, .. } => 4,
            _ => return false,
        };
        weight <= 8
    })
}
