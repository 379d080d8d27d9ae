//! Visitors over regions, nodes and values that the passes share.

use super::types::*;

impl Exit {
    /// The values that flow out here.
    pub fn values(&self) -> &[Value] {
        match self {
            Exit::Yield(v) | Exit::Break(_, v) | Exit::Continue(_, v) => v,
            Exit::Unreachable => &[],
        }
    }

    pub fn values_mut(&mut self) -> &mut [Value] {
        match self {
            Exit::Yield(v) | Exit::Break(_, v) | Exit::Continue(_, v) => v,
            Exit::Unreachable => &mut [],
        }
    }
}

impl Node {
    /// Values that the node defines for the region it stands in.
    pub fn results(&self) -> &[Value] {
        match self {
            Node::Inst(i) => &i.results,
            Node::If { results, .. }
            | Node::Loop { results, .. }
            | Node::Block { results, .. }
            | Node::Switch { results, .. } => results,
        }
    }

    /// Values that the node defines for its own regions: parameters.
    pub fn params(&self) -> impl Iterator<Item = &Value> {
        let (params, cases): (&[Value], &[Case]) = match self {
            Node::Loop { params, .. } => (params, &[]),
            Node::Switch { cases, .. } => (&[], cases),
            _ => (&[], &[]),
        };
        params.iter().chain(cases.iter().flat_map(|c| &c.params))
    }

    /// Values that the node itself reads (not those inside of its regions).
    pub fn args(&self) -> impl Iterator<Item = &Value> {
        let (args, cases): (&[Value], &[Case]) = match self {
            Node::Inst(i) => (&i.args, &[]),
            Node::If { cond, .. } => (std::slice::from_ref(cond), &[]),
            Node::Loop { init, .. } => (init, &[]),
            Node::Block { .. } => (&[], &[]),
            Node::Switch { selector, cases, .. } => (std::slice::from_ref(selector), cases),
        };
        args.iter().chain(cases.iter().flat_map(|c| &c.init))
    }

    pub fn args_mut(&mut self) -> impl Iterator<Item = &mut Value> {
        let (args, cases): (&mut [Value], &mut [Case]) = match self {
            Node::Inst(i) => (&mut i.args, &mut []),
            Node::If { cond, .. } => (std::slice::from_mut(cond), &mut []),
            Node::Loop { init, .. } => (init, &mut []),
            Node::Block { .. } => (&mut [], &mut []),
            Node::Switch { selector, cases, .. } => (std::slice::from_mut(selector), cases),
        };
        args.iter_mut().chain(cases.iter_mut().flat_map(|c| &mut c.init))
    }

    /// The regions nested directly in the node.
    pub fn regions(&self) -> impl Iterator<Item = &Region> {
        let (a, b, cases): (_, _, &[Case]) = match self {
            Node::Inst(_) => (None, None, &[]),
            Node::If { then, els, .. } => (Some(then), Some(els), &[]),
            Node::Loop { body, .. } | Node::Block { body, .. } => (Some(body), None, &[]),
            Node::Switch { cases, .. } => (None, None, cases),
        };
        a.into_iter().chain(b).chain(cases.iter().map(|c| &c.body))
    }

    pub fn regions_mut(&mut self) -> impl Iterator<Item = &mut Region> {
        let (a, b, cases): (_, _, &mut [Case]) = match self {
            Node::Inst(_) => (None, None, &mut []),
            Node::If { then, els, .. } => (Some(then), Some(els), &mut []),
            Node::Loop { body, .. } | Node::Block { body, .. } => (Some(body), None, &mut []),
            Node::Switch { cases, .. } => (None, None, cases),
        };
        a.into_iter().chain(b).chain(cases.iter_mut().map(|c| &mut c.body))
    }
}

impl Node {
    pub fn loc(&self) -> Loc {
        match self {
            Node::Inst(i) => i.loc,
            Node::If { loc, .. } | Node::Loop { loc, .. } | Node::Block { loc, .. } | Node::Switch { loc, .. } => *loc,
        }
    }

    pub fn loc_mut(&mut self) -> &mut Loc {
        match self {
            Node::Inst(i) => &mut i.loc,
            Node::If { loc, .. } | Node::Loop { loc, .. } | Node::Block { loc, .. } | Node::Switch { loc, .. } => loc,
        }
    }
}

impl Region {
    /// Every node, in program order, a structured node before what it holds.
    pub fn for_each_node<'a>(&'a self, f: &mut dyn FnMut(&'a Node)) {
        for n in &self.nodes {
            f(n);
            n.regions().for_each(|r| r.for_each_node(f));
        }
    }

    /// Every instruction, in program order.
    pub fn for_each_inst<'a>(&'a self, f: &mut dyn FnMut(&'a Inst)) {
        self.for_each_node(&mut |n| {
            if let Node::Inst(i) = n {
                f(i);
            }
        });
    }

    pub fn for_each_inst_mut(&mut self, f: &mut dyn FnMut(&mut Inst)) {
        for n in &mut self.nodes {
            match n {
                Node::Inst(i) => f(i),
                n => n.regions_mut().for_each(|r| r.for_each_inst_mut(f)),
            }
        }
    }

    /// Every region, this one first.
    pub fn for_each_region<'a>(&'a self, f: &mut dyn FnMut(&'a Region)) {
        f(self);
        self.nodes.iter().flat_map(Node::regions).for_each(|r| r.for_each_region(f));
    }

    /// Every read of a value: operands, conditions, initial and exit values.
    pub fn for_each_use(&self, f: &mut dyn FnMut(Value)) {
        for n in &self.nodes {
            n.args().for_each(|&v| f(v));
            n.regions().for_each(|r| r.for_each_use(f));
        }
        self.exit.values().iter().for_each(|&v| f(v));
    }

    pub fn for_each_use_mut(&mut self, f: &mut dyn FnMut(&mut Value)) {
        for n in &mut self.nodes {
            n.args_mut().for_each(&mut *f);
            n.regions_mut().for_each(|r| r.for_each_use_mut(f));
        }
        self.exit.values_mut().iter_mut().for_each(f);
    }

    /// Instructions in the region and all that it holds.
    pub fn size(&self) -> usize {
        let mut n = 0;
        self.for_each_inst(&mut |_| n += 1);
        n
    }
}

impl Op {
    /// Something besides the results: memory, another work-item, or time. Such an instruction is never removed,
    /// doubled or moved over another one with an effect.
    pub const fn has_effect(&self) -> bool {
        match self {
            Op::Store { .. } | Op::Atomic { .. } | Op::Barrier { .. } | Op::Clock { .. } => true,
            Op::Trace { .. } | Op::Count { .. } | Op::Mark(_) => true,
            Op::Image(image) => image.writes(),
            Op::Call { effects, .. } => *effects,
            _ => false,
        }
    }

    /// Depends on which lanes are active, so that it may not move into or out of a region.
    pub const fn is_cross_lane(&self) -> bool {
        match self {
            Op::Subgroup(_) | Op::Call { .. } | Op::Trace { .. } | Op::Count { .. } => true,
            Op::Image(image) => image.is_cross_lane(),
            _ => false,
        }
    }

    /// A function of its operands alone: may be moved, doubled and removed.
    pub const fn is_pure(&self) -> bool {
        match self {
            Op::Const(_) | Op::Undef | Op::Alu(_) | Op::Builtin(_) | Op::Descriptor { .. } | Op::DescriptorSize => true,
            Op::Load { space, access, .. } => {
                matches!(space, Space::Constant | Space::Push) || access.readonly && !access.volatile
            }
            Op::Image(image) if image.is_cross_lane() => false,
            Op::Image(image) => !image.writes() && (image.queries() || image.access.readonly && !image.access.volatile),
            _ => false,
        }
    }
}
