//! What a kernel and its functions have in common.

use super::{kernel::*, types::*};

impl Kernel {
    /// A function of this kernel, yet without a body.
    pub fn shell(&self, name: &str) -> Kernel {
        Kernel {
            lds_bytes: self.lds_bytes,
            scratch_bytes: self.shared_scratch,
            shared_scratch: self.shared_scratch,
            require_full_subgroups: self.require_full_subgroups,
            mode: self.mode,
            watched: self.watched,
            isa: self.isa,
            files: self.files.clone(),
            ..Kernel::new(name, self.workgroup)
        }
    }

    /// Dwords that values of these widths have as parameters or results.
    pub fn call_dwords(widths: impl IntoIterator<Item = Width>) -> u32 {
        widths.into_iter().map(|w| w.bits().div_ceil(32)).sum()
    }

    /// Drops the constants that nobody reads: a function begins with those of the whole module.
    pub fn drop_unread_constants(&mut self) {
        let mut read = vec![false; self.values.len()];
        self.body.for_each_use(&mut |v| read[v.0 as usize] = true);
        let nodes = std::mem::take(&mut self.body.nodes);
        let wanted = |n: &Node| match n {
            Node::Inst(i) if matches!(i.op, Op::Const(_)) => i.results.iter().any(|r| read[r.0 as usize]),
            _ => true,
        };
        self.body.nodes = nodes.into_iter().filter(wanted).collect();
        self.body.nodes.shrink_to_fit();
    }

    /// The kernel and its functions, each alone.
    pub fn each(&mut self, f: &mut dyn FnMut(&mut Kernel)) {
        f(self);
        self.functions.iter_mut().for_each(f);
    }
}
