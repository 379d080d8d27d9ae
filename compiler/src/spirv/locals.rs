//! Places: of variables in private and shared memory, and of values that wait in cells.

use super::module::Instr;
use super::operand::Cells;
use super::translate::Translator;
use super::types::Layout;
use crate::error::{ErrorKind, Result};
use crate::ir::{self, Local, Space, Value, Width};
use std::rc::Rc;

impl Translator<'_> {
    /// The place of a shared variable with an explicit layout: such variables all share their memory.
    pub fn shared_block(&mut self, i: &Instr<'_>, pointee: u32, layout: Layout) -> Result<u32> {
        let size = self.types.extent(pointee, layout).ok_or_else(|| self.malformed(i, "a block without a layout"))?;
        let lds = self.b.kernel.lds_bytes;
        let (at, before) = self.shared_blocks.unwrap_or((lds.next_multiple_of(16), 0));
        if size > before {
            if before > 0 && at + before != lds {
                return Err(self.unsupported(i, "shared variables with and without a layout in turns"));
            }
            let Some(end) = at.checked_add(size).filter(|&e| e <= 1 << 20) else {
                return Err(self.m.error(ErrorKind::Resource, i, format!("{size} bytes of shared memory")));
            };
            self.b.kernel.lds_bytes = end;
        }
        self.shared_blocks = Some((at, size.max(before)));
        Ok(at)
    }

    /// A new local for a variable that pointers may point to; its offset.
    pub fn variable_place(&mut self, i: &Instr<'_>, pointee: u32) -> Result<u32> {
        let at = self.local(i, pointee)?;
        self.tags.variable(at);
        Ok(at)
    }

    /// A new local for a value of type `pointee`; its offset.
    pub fn local(&mut self, i: &Instr<'_>, pointee: u32) -> Result<u32> {
        let (size, align) = self.types.natural(pointee);
        self.allocate(size, align)
            .ok_or_else(|| self.m.error(ErrorKind::Resource, i, format!("{size} bytes of private memory")))
    }

    fn allocate(&mut self, size: u32, align: u32) -> Option<u32> {
        let k = &mut self.b.kernel;
        let offset = k.scratch_bytes.checked_next_multiple_of(align.max(4))?;
        let end = offset.checked_add(size)?;
        if end > 1 << 24 {
            return None;
        }
        k.scratch_bytes = end;
        k.locals.push(Local { offset, size });
        Some(offset)
    }

    /// A cell for each width.
    pub fn cells(&mut self, i: &Instr<'_>, widths: &[Width]) -> Result<Cells> {
        let mut out = Vec::with_capacity(widths.len());
        for &w in widths {
            let size = (w.bits() / 8).max(4);
            let Some(at) = self.allocate(size, size) else {
                return Err(self.m.error(ErrorKind::Resource, i, "too many values"));
            };
            out.push((at, w));
        }
        Ok(out.into())
    }

    pub fn store_cells(&mut self, cells: &Cells, values: &[Value]) {
        let zero = self.b.u32(0);
        for (&(offset, _), &v) in cells.iter().zip(values) {
            let op = ir::Op::Store { space: Space::Scratch, offset, access: Default::default() };
            self.b.inst(op, vec![zero, v], &[]);
        }
    }

    pub fn load_cells(&mut self, cells: &Cells) -> Rc<[Value]> {
        let zero = self.b.u32(0);
        cells
            .iter()
            .map(|&(offset, w)| {
                let op = ir::Op::Load { space: Space::Scratch, offset, access: Default::default() };
                self.b.inst(op, vec![zero], &[w])[0]
            })
            .collect()
    }
}
