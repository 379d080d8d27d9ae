//! Composites too large for a value a scalar: they stay in memory. Loading one copies it to private memory that nobody
//! writes again, so the copy is a value like any other; constants of that size lie behind the code. Copies are loops.

use super::module::Instr;
use super::operand::{JoinSlot, Operand, Pointer, Root};
use super::translate::Translator;
use super::types::{FOUR_WORDS, Layout, MAX_SCALARS, Ty, WORD};
use crate::error::{ErrorKind, Result};
use crate::ir::{self, Alu, Space, Value, Width};
use spirv::{MemoryAccess, Op, StorageClass};
use std::rc::Rc;

/// What happens to one part of a composite, and of the one that it is copied from.
type Piece<'a, T> = &'a mut dyn FnMut(&mut T, &Pointer, Option<&Pointer>) -> Result<()>;

/// Scalars of a composite beyond which it stays in memory.
const LARGE: u32 = 256;
/// Scalars that one round of a copy moves.
const ROUND: u32 = 16;

/// Pieces of composites with gaps that a kernel copies one by one.
const MAX_PIECES: u32 = 1 << 12;

impl Translator<'_> {
    /// Values of type `ty` stay in memory.
    pub fn large(&self, ty: u32) -> bool {
        self.types.count(ty) > LARGE
    }

    /// Private memory for a value of type `ty`.
    fn place_for(&mut self, i: &Instr<'_>, ty: u32) -> Result<Pointer> {
        let mut p = Pointer::new(Root::Plain(Space::Scratch), ty);
        p.offset = self.local(i, ty)?;
        Ok(p)
    }

    pub fn slot(&mut self, i: &Instr<'_>, ty: u32) -> Result<JoinSlot> {
        if self.large(ty) {
            return self.place_for(i, ty).map(JoinSlot::Memory);
        }
        let widths = self.types.widths(ty);
        self.cells(i, &widths).map(JoinSlot::Cells)
    }

    /// The value of a slot as it is now, whatever is written to the slot later.
    pub fn read_slot(&mut self, i: &Instr<'_>, slot: &JoinSlot) -> Result<Operand> {
        match slot {
            JoinSlot::Cells(cells) => Ok(Operand::Flat(self.load_cells(cells))),
            JoinSlot::Memory(p) => self.load_operand(i, p, &[]),
        }
    }

    pub fn write_slot(&mut self, i: &Instr<'_>, slot: &JoinSlot, value: &Operand, id: u32) -> Result<()> {
        match slot {
            JoinSlot::Memory(p) => self.store_operand(i, p, value, &[]),
            JoinSlot::Cells(cells) => {
                let values = self.flat_of(i, value, id)?;
                if cells.len() != values.len() || cells.iter().zip(&*values).any(|(c, &v)| c.1 != self.b.width(v)) {
                    return Err(self.malformed(i, format!("%{id} is not of the type wanted here")));
                }
                self.store_cells(cells, &values);
                Ok(())
            }
        }
    }

    /// What OpLoad gives.
    pub fn load_operand(&mut self, i: &Instr<'_>, p: &Pointer, operands: &[u32]) -> Result<Operand> {
        if !self.large(p.pointee) {
            return self.load(i, p, operands).map(Operand::Flat);
        }
        let to = self.place_for(i, p.pointee)?;
        self.copy(i, &to, p, &[], operands)?;
        Ok(Operand::Stored(to))
    }

    /// A large value that is loaded only to be stored by the same block, while nothing is written: the store copies it
    /// from where it is. Objects of one type overlap wholly or not at all, but for addresses and what may alias.
    pub fn goes_to_memory(&mut self, load: &Instr<'_>, from: &Pointer) -> bool {
        let m = self.m;
        let plain = matches!(from.root, Root::Buffer { .. } | Root::Plain(_)) && !m.aliases;
        if !plain || load.args.get(1).is_some_and(|&mask| mask & !MemoryAccess::ALIGNED.bits() != 0) {
            return false;
        }
        let Ok(at) = m.instrs.binary_search_by_key(&load.word, |i| i.word) else { return false };
        let mut id = load.id;
        for i in &m.instrs[at + 1..] {
            let uses = |n: usize| i.arg(n) == Some(id) && m.mentions(id) == 1;
            match i.op {
                Op::CopyLogical if uses(0) => id = i.id,
                Op::Store => {
                    let to = i.arg(0).and_then(|p| self.type_of.get(&p)).map(|&ty| self.types.get(ty));
                    let physical = matches!(to, Some(Ty::Pointer { class: StorageClass::PhysicalStorageBuffer, .. }));
                    return uses(1) && !physical;
                }
                Op::Load | Op::AccessChain | Op::InBoundsAccessChain | Op::Line | Op::NoLine | Op::Nop => {}
                Op::IAdd | Op::ISub | Op::IMul | Op::Bitcast | Op::CompositeExtract => {}
                _ => return false,
            }
        }
        false
    }

    pub fn store_operand(&mut self, i: &Instr<'_>, p: &Pointer, value: &Operand, operands: &[u32]) -> Result<()> {
        match value {
            Operand::Flat(v) => self.store(i, p, v, operands),
            Operand::Pointer(q) => {
                let v = self.pointer_value(i, q)?;
                self.store(i, p, &[v], operands)
            }
            Operand::Stored(from) => {
                if self.types.count(from.pointee) != self.types.count(p.pointee) {
                    return Err(self.malformed(i, "the value is not of the pointee's type"));
                }
                self.copy(i, p, from, operands, &[])
            }
            Operand::Null => self.clear(i, p, operands),
            Operand::Opaque(_) => Err(self.malformed(i, "an image or sampler is no data")),
        }
    }

    /// Element `n` of what the pointer points to.
    pub fn child(&mut self, i: &Instr<'_>, p: &Pointer, n: u32) -> Result<Pointer> {
        let n = self.b.u32(n);
        let mut p = p.clone();
        self.descend(i, &mut p, n, false)?;
        Ok(p)
    }

    /// Copies a value from one place to another: the same, or one that does not overlap it.
    pub fn copy(&mut self, i: &Instr<'_>, to: &Pointer, from: &Pointer, store: &[u32], load: &[u32]) -> Result<()> {
        let (store, load) = (&of_parts(store), &of_parts(load));
        self.pieces(i, to, Some(from), &mut |t, to, from| {
            let Some(from) = from else { return Ok(()) };
            let v = t.load(i, from, load)?;
            t.store(i, to, &v, store)
        })
    }

    fn clear(&mut self, i: &Instr<'_>, to: &Pointer, operands: &[u32]) -> Result<()> {
        let operands = &of_parts(operands);
        self.pieces(i, to, None, &mut |t, to, _| {
            let widths = t.types.widths(to.pointee);
            let zeros: Vec<Value> = widths.into_iter().map(|w| t.b.constant(w, 0)).collect();
            t.store(i, to, &zeros, operands)
        })
    }

    /// Calls `piece` for all parts of a composite, in loops over its arrays.
    fn pieces(&mut self, i: &Instr<'_>, to: &Pointer, from: Option<&Pointer>, piece: Piece<'_, Self>) -> Result<()> {
        let count = self.types.count(to.pointee);
        if count <= ROUND {
            return piece(self, to, from);
        }
        let dense = self.types.dense(to.pointee, to.layout);
        if let Some(bytes) = dense
            && from.is_none_or(|f| self.types.dense(f.pointee, f.layout) == dense)
        {
            return self.words(i, bytes / 4, to, from, piece);
        }
        self.moved += 1;
        if self.moved > MAX_PIECES {
            let message = format!(
                "copies of composites that fill no memory without gaps, in more than {MAX_PIECES} pieces: give them a layout without padding, or copy their arrays one by one"
            );
            return Err(self.m.error(ErrorKind::Resource, i, message));
        }
        match self.types.get(to.pointee).clone() {
            Ty::Struct(members) => {
                for n in 0..members.len() as u32 {
                    let inner = self.child(i, to, n)?;
                    let source = from.map(|f| self.child(i, f, n)).transpose()?;
                    self.pieces(i, &inner, source.as_ref(), piece)?;
                }
                Ok(())
            }
            Ty::Array { elem, n, .. } => {
                let together = (ROUND / self.types.count(elem).max(1)).clamp(1, n);
                let rounds = n / together;
                let mut element = |t: &mut Self, at: Value| {
                    let mut inner = to.clone();
                    t.descend(i, &mut inner, at, false)?;
                    let mut source = from.cloned();
                    if let Some(s) = &mut source {
                        t.descend(i, s, at, false)?;
                    }
                    t.pieces(i, &inner, source.as_ref(), piece)
                };
                self.repeat(i, rounds, |t, round| {
                    let step = t.b.u32(together);
                    let first = t.b.imul(round, step);
                    for k in 0..together {
                        let k = t.b.u32(k);
                        let at = t.b.iadd(first, k);
                        element(t, at)?;
                    }
                    Ok(())
                })?;
                for k in rounds * together..n {
                    let k = self.b.u32(k);
                    element(self, k)?;
                }
                Ok(())
            }
            _ => piece(self, to, from),
        }
    }

    /// Calls `piece` for all dwords of a composite without gaps: [`ROUND`] of them in each round of a loop, in fours.
    fn words(
        &mut self,
        i: &Instr<'_>,
        count: u32,
        to: &Pointer,
        from: Option<&Pointer>,
        piece: Piece<'_, Self>,
    ) -> Result<()> {
        let four = |at: &Pointer, offset: u32, ty: u32| {
            let offset = at.offset.wrapping_add(offset);
            Pointer { pointee: ty, layout: Layout::default(), offset, ..at.clone() }
        };
        let rounds = count / ROUND;
        self.repeat(i, rounds, |t, round| {
            let moved = |t: &mut Self, p: &Pointer| {
                let mut p = p.clone();
                t.step(&mut p, round, false, 4 * ROUND);
                p
            };
            let (to, from) = (moved(t, to), from.map(|f| moved(t, f)));
            for k in (0..4 * ROUND).step_by(16) {
                piece(t, &four(&to, k, FOUR_WORDS), from.as_ref().map(|f| four(f, k, FOUR_WORDS)).as_ref())?;
            }
            Ok(())
        })?;
        for k in rounds * ROUND..count {
            piece(self, &four(to, 4 * k, WORD), from.map(|f| four(f, 4 * k, WORD)).as_ref())?;
        }
        Ok(())
    }

    /// Does `body` for 0, 1 … `rounds` − 1.
    pub fn repeat(
        &mut self,
        i: &Instr<'_>,
        rounds: u32,
        mut body: impl FnMut(&mut Self, Value) -> Result<()>,
    ) -> Result<()> {
        if rounds <= 1 {
            let zero = self.b.u32(0);
            return if rounds == 0 { Ok(()) } else { body(self, zero) };
        }
        let label = self.b.kernel.label();
        let round = self.b.value(Width::B32);
        let init = self.b.u32(0);
        self.begin();
        body(self, round)?;
        let (one, end) = (self.b.u32(1), self.b.u32(rounds));
        let next = self.b.iadd(round, one);
        let cond = self.b.alu(Alu::ULt, Width::B1, &[next, end]);
        self.begin();
        let then = self.end(ir::Exit::Continue(label, vec![next]));
        self.begin();
        let els = self.end(ir::Exit::Break(label, Vec::new()));
        self.b.push(ir::Node::If { cond, then, els, results: Vec::new(), loc: i.loc });
        let body = self.end(ir::Exit::Unreachable);
        let (params, init) = (vec![round], vec![init]);
        self.b.push(ir::Node::Loop { label, params, init, body, results: Vec::new(), loc: i.loc });
        Ok(())
    }

    /// OpCompositeExtract from a value in memory.
    pub fn extract(&mut self, i: &Instr<'_>, whole: &Operand, indexes: &[u32]) -> Result<Operand> {
        match whole {
            Operand::Stored(p) => {
                let mut p = p.clone();
                for &n in indexes {
                    p = self.child(i, &p, n)?;
                }
                // Nobody writes it again: a part needs no copy of its own.
                if self.large(p.pointee) { Ok(Operand::Stored(p)) } else { self.load(i, &p, &[]).map(Operand::Flat) }
            }
            _ if self.large(i.ty) => Ok(Operand::Null),
            _ => {
                let widths = self.types.widths(i.ty);
                Ok(Operand::Flat(widths.into_iter().map(|w| self.b.constant(w, 0)).collect()))
            }
        }
    }

    /// OpCompositeInsert into a value in memory.
    pub fn insert(&mut self, i: &Instr<'_>, part: &Operand, whole: &Operand, indexes: &[u32]) -> Result<Operand> {
        let to = self.place_for(i, i.ty)?;
        self.store_operand(i, &to, whole, &[])?;
        let mut p = to.clone();
        for &n in indexes {
            p = self.child(i, &p, n)?;
        }
        self.store_operand(i, &p, part, &[])?;
        Ok(Operand::Stored(to))
    }

    /// OpCompositeConstruct of a value in memory: its elements in order.
    pub fn construct(&mut self, i: &Instr<'_>, parts: &[u32]) -> Result<Operand> {
        let to = self.place_for(i, i.ty)?;
        for (n, &part) in parts.iter().enumerate() {
            let value = self.operand(i, part)?;
            let p = self.child(i, &to, n as u32)?;
            self.store_operand(i, &p, &value, &[])?;
        }
        Ok(Operand::Stored(to))
    }

    /// OpSelect of values in memory, by one condition.
    pub fn select_large(&mut self, i: &Instr<'_>, cond: Value, a: &Operand, b: &Operand) -> Result<Operand> {
        let to = self.place_for(i, i.ty)?;
        self.begin();
        self.store_operand(i, &to, a, &[])?;
        let then = self.end(ir::Exit::Yield(Vec::new()));
        self.begin();
        self.store_operand(i, &to, b, &[])?;
        let els = self.end(ir::Exit::Yield(Vec::new()));
        self.b.push(ir::Node::If { cond, then, els, results: Vec::new(), loc: i.loc });
        Ok(Operand::Stored(to))
    }

    /// A composite constant's bytes in the kernel's read-only data.
    pub fn constant_data(&mut self, i: &Instr<'_>, parts: &[u32]) -> Result<Operand> {
        let (size, _) = self.types.natural(i.ty);
        let data = &mut self.b.kernel.constants;
        data.resize(data.len().next_multiple_of(16), 0);
        let start = data.len();
        if start + size as usize > 1 << 24 {
            return Err(self.m.error(ErrorKind::Resource, i, format!("a constant of {size} bytes")));
        }
        data.resize(start + size as usize, 0);
        let mut whole = Pointer::new(Root::Plain(Space::Constant), i.ty);
        whole.offset = start as u32;
        for (n, &part) in parts.iter().enumerate() {
            let p = self.child(i, &whole, n as u32)?;
            let value = self.operand(i, part)?;
            self.place_constant(i, &p, &value)?;
        }
        Ok(Operand::Stored(whole))
    }

    fn place_constant(&mut self, i: &Instr<'_>, p: &Pointer, value: &Operand) -> Result<()> {
        let at = p.offset as usize;
        match value {
            Operand::Null => Ok(()),
            Operand::Stored(q) => {
                let size = self.types.natural(q.pointee).0 as usize;
                self.b.kernel.constants.copy_within(q.offset as usize..q.offset as usize + size, at);
                Ok(())
            }
            Operand::Pointer(_) | Operand::Opaque(_) => {
                Err(self.unsupported(i, "a pointer in a constant of this size"))
            }
            Operand::Flat(values) => {
                let leaves = self.types.leaves(p.pointee, p.offset, Layout::default());
                let Some(leaves) = leaves.filter(|l| l.len() == values.len()) else {
                    return Err(self.malformed(i, "the constituent is not of the element's type"));
                };
                for (leaf, &v) in leaves.iter().zip(&**values) {
                    let bits = self.b.known(v).unwrap_or(0).to_le_bytes();
                    let size = if leaf.width == Width::B1 { 4 } else { leaf.width.bits() as usize / 8 };
                    let at = leaf.offset as usize;
                    self.b.kernel.constants[at..at + size].copy_from_slice(&bits[..size]);
                }
                Ok(())
            }
        }
    }

    /// The scalars of an operand; `id` is what the module calls it.
    pub fn flat_of(&mut self, i: &Instr<'_>, operand: &Operand, id: u32) -> Result<Rc<[Value]>> {
        match operand {
            Operand::Flat(v) => Ok(v.clone()),
            Operand::Pointer(p) => Ok([self.pointer_value(i, p)?].into()),
            Operand::Stored(p) => self.load(i, p, &[]),
            Operand::Opaque(_) => Err(self.malformed(i, format!("%{id}, an image or sampler, used as a number"))),
            Operand::Null => {
                let ty = self.type_of(i, id)?;
                if self.types.count(ty) > MAX_SCALARS {
                    return Err(self.unsupported(i, format!("%{id}, a composite of so many scalars, here")));
                }
                let widths = self.types.widths(ty);
                Ok(widths.into_iter().map(|w| self.b.constant(w, 0)).collect())
            }
        }
    }
}

/// Memory operands for the parts of a composite: the alignment is that of the whole, and its elements may be dwords apart.
fn of_parts(operands: &[u32]) -> Vec<u32> {
    let mut operands = operands.to_vec();
    if let [mask, align, ..] = &mut operands[..]
        && MemoryAccess::from_bits_truncate(*mask).contains(MemoryAccess::ALIGNED)
    {
        *align = (*align).min(4);
    }
    operands
}
