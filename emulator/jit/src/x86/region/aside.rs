//! Code that is seldom run stands behind all that is run often, so that what follows one another in time does so in memory, too: a
//! host's caches of instructions are small beside a long kernel.

use super::{Builder, Code, Done, Instruction, Label};

/// Code to be put behind the nodes, and the labels that stand in it.
pub struct Aside {
    code: Vec<Instruction>,
    labels: Vec<(Label, usize)>,
}

impl Builder<'_> {
    /// What `emit` makes stands elsewhere and goes on at `on`; who jumps there does so to labels that it places.
    pub(super) fn aside(&mut self, on: Label, emit: impl FnOnce(&mut Self) -> Done<()>) -> Done<()> {
        let (at, placed) = (self.e.code.len(), self.placed.len());
        emit(self)?;
        self.jump(Code::Jmp_rel32_64, on)?;
        let code = self.e.code.split_off(at);
        let placed = self.placed.split_off(placed);
        self.e.joined = at;
        let labels = placed.into_iter().filter_map(|label| Some((label, self.labels[label].take()? - at))).collect();
        self.asides.push(Aside { code, labels });
        Ok(())
    }

    /// Behind everything else.
    pub(super) fn put_asides(&mut self) {
        for Aside { code, labels } in std::mem::take(&mut self.asides) {
            let at = self.e.code.len();
            labels.into_iter().for_each(|(label, offset)| self.labels[label] = Some(at + offset));
            self.e.code.extend(code);
        }
    }
}
