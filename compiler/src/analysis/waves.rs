//! Whether a program can tell in waves of how many lanes it runs.
//!
//! ```text
//! subgroups: it declares that it knows of them, or asks for a lane's number: it can
//! items:     waves of 64 that are not whole have lanes that do nothing: it may as well
//! loops:     lanes that leave one at different times wait for the last of 64: it may as well. In one that only some lanes enter, one
//!            could wait for what a lane beside it will store, and never see it: none of those that read what may change
//! ```

use super::divergence::Divergence;
use crate::ir::{Access, Builtin, Kernel, Node, Op, Region, Space};
use wavepipe_hw::code::WaveSize;

/// Whether waves of 64 lanes do what those of 32 do, and lose nothing by it.
pub fn alike(kernel: &Kernel, divergence: &Divergence) -> bool {
    let items: u32 = kernel.workgroup.iter().product();
    !kernel.knows_subgroups
        && kernel.functions.is_empty()
        && items > 0
        && items.is_multiple_of(WaveSize::W64.lanes())
        && Walk { divergence }.region(&kernel.body, Flow::default())
}

/// How control came to a place.
#[derive(Clone, Copy, Default)]
struct Flow {
    /// Some lanes may be elsewhere.
    divergent: bool,
    /// Within a loop that only some lanes have entered.
    waits: bool,
}

struct Walk<'d> {
    divergence: &'d Divergence,
}

impl Walk<'_> {
    fn region(&self, region: &Region, flow: Flow) -> bool {
        region.nodes.iter().all(|node| self.node(node, flow))
    }

    fn node(&self, node: &Node, flow: Flow) -> bool {
        let within = |divergent: bool| Flow { divergent: flow.divergent || divergent, ..flow };
        match node {
            Node::Inst(i) => may_be(&i.op, flow.waits),
            Node::If { cond, then, els, .. } => {
                let flow = within(self.divergence.divergent(*cond));
                self.region(then, flow) && self.region(els, flow)
            }
            Node::Loop { label, body, .. } => {
                let together = !self.divergence.label(*label).divergent;
                together && self.region(body, Flow { waits: flow.divergent, ..flow })
            }
            // Behind a jump out of it that some lanes take, others are alone.
            Node::Block { label, body, .. } => self.region(body, within(self.divergence.label(*label).divergent)),
            Node::Switch { label, cases, .. } => {
                let flow = within(self.divergence.label(*label).divergent);
                cases.iter().all(|case| self.region(&case.body, flow))
            }
        }
    }
}

/// Whether an operation is none that knows of waves; and, where lanes may wait for others, none by which they could.
fn may_be(op: &Op, waits: bool) -> bool {
    match op {
        Op::Builtin(b) => !matches!(
            b,
            Builtin::SubgroupInvocationId | Builtin::SubgroupId | Builtin::NumSubgroups | Builtin::SubgroupSize
        ),
        Op::Load { space: Space::Push | Space::Constant | Space::Scratch, .. } => true,
        Op::Load { access: Access { readonly, .. }, .. } => *readonly || !waits,
        Op::Atomic { .. } | Op::Image(_) | Op::Barrier { .. } | Op::Clock { .. } => !waits,
        Op::Subgroup(_) | Op::Call { .. } | Op::Trace { .. } | Op::Count { .. } => false,
        Op::Const(_)
        | Op::Undef
        | Op::Alu(_)
        | Op::Descriptor { .. }
        | Op::DescriptorSize
        | Op::Store { .. }
        | Op::Mark(_) => true,
    }
}
