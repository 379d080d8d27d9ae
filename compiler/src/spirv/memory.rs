//! Access chains, loads, stores, copies and array lengths.

use super::handle::OpaqueVariable;
use super::module::Instr;
use super::operand::{Operand, Pointer, Root};
use super::translate::Translator;
use super::types::{Leaf, MAX_SCALARS, Ty};
use crate::error::{CompileError, Result};
use crate::ir::{self, Access, Alu, Space, Value, Width};
use spirv::{MemoryAccess, Op};
use std::rc::Rc;

impl Translator<'_> {
    pub fn pointer(&mut self, i: &Instr<'_>, id: u32) -> Result<Pointer> {
        match self.operand(i, id)? {
            Operand::Pointer(p) => Ok(p),
            Operand::Opaque(_) => Err(self.malformed(i, format!("%{id} is no pointer"))),
            Operand::Flat(v) if v.len() == 1 => {
                let ty = self.type_of(i, id)?;
                self.pointer_from(i, ty, v[0])
            }
            _ => Err(self.malformed(i, format!("%{id} is no pointer"))),
        }
    }

    /// Adds `index · stride` bytes to the pointer.
    pub fn step(&mut self, p: &mut Pointer, index: Value, signed: bool, stride: u32) {
        if let Some(c) = self.b.known(index) {
            let c = ir::fold::signed(c, self.b.width(index));
            if matches!(p.root, Root::Global(_))
                && (c < 0 || c.checked_mul(i64::from(stride)).is_none_or(|x| x + i64::from(p.offset) > 1 << 30))
            {
                let bytes = self.b.constant(Width::B64, c.wrapping_mul(i64::from(stride)) as u64);
                self.add_dynamic(p, bytes);
            } else {
                p.offset = p.offset.wrapping_add((c as u32).wrapping_mul(stride));
            }
            return;
        }
        let wide = if matches!(p.root, Root::Global(_)) { Width::B64 } else { Width::B32 };
        // Access chain indexes are signed, whatever their type; an unsigned one is widened as it is written.
        let alu = if signed { Alu::SConvert } else { Alu::UConvert };
        let index = if self.b.width(index) == wide { index } else { self.b.alu(alu, wide, &[index]) };
        let stride = self.b.constant(wide, u64::from(stride));
        let bytes = self.b.imul(index, stride);
        self.add_dynamic(p, bytes);
    }

    fn add_dynamic(&mut self, p: &mut Pointer, bytes: Value) {
        p.dynamic = Some(match p.dynamic {
            Some(d) => self.b.iadd(d, bytes),
            None => bytes,
        });
    }

    fn no_layout(&self, i: &Instr<'_>) -> CompileError {
        self.malformed(i, "the type has no layout: Offset, ArrayStride or MatrixStride is missing")
    }

    pub fn access_chain(&mut self, i: &Instr<'_>) -> Result<Pointer> {
        let base = self.arg(i, 0)?;
        let mut p = self.pointer(i, base)?;
        let mut indexes = &i.args[1..];
        if matches!(i.op, Op::PtrAccessChain | Op::InBoundsPtrAccessChain) {
            let Some((&first, rest)) = indexes.split_first() else { return Err(self.malformed(i, "operands missing")) };
            let stride = self.pointer_stride(self.type_of(i, base)?, p.pointee);
            let index = self.scalar(i, first)?;
            let signed = self.types.is_signed(self.type_of(i, first)?);
            self.step(&mut p, index, signed, stride);
            indexes = rest;
        }
        for &id in indexes {
            let index = self.scalar(i, id)?;
            let signed = self.types.is_signed(self.type_of(i, id)?);
            self.step_into(i, &mut p, index, signed)?;
        }
        Ok(p)
    }

    /// One index of an access chain.
    pub fn descend(&mut self, i: &Instr<'_>, p: &mut Pointer, index: Value, signed: bool) -> Result<()> {
        if p.resource_array {
            let (elem, n) = match *self.types.get(p.pointee) {
                Ty::Array { elem, n, .. } => (elem, n),
                Ty::RuntimeArray { elem, .. } => (elem, 1),
                _ => return Err(self.malformed(i, "not an array of resources")),
            };
            let index = self.b.to_u32(index);
            if let Root::Buffer { element, .. } | Root::Opaque(OpaqueVariable { element, .. }) = &mut p.root {
                // Arrays of arrays count their resources row by row.
                *element = Some(match *element {
                    Some(before) => {
                        let n = self.b.u32(n);
                        let before = self.b.imul(before, n);
                        self.b.iadd(before, index)
                    }
                    None => index,
                });
            }
            p.resource_array = matches!(self.types.get(elem), Ty::Array { .. });
            p.pointee = elem;
            return Ok(());
        }
        match self.types.get(p.pointee).clone() {
            Ty::Struct(members) => {
                let n = self.b.known(index).map_or(usize::MAX, |n| n as usize);
                let Some(member) = members.get(n) else { return Err(self.malformed(i, "no such member")) };
                let (offset, layout) = self.types.member(&members, n, p.layout).ok_or_else(|| self.no_layout(i))?;
                // A matrix' layout is declared on the member that holds it, through arrays of it.
                p.offset = p.offset.wrapping_add(offset);
                p.layout = layout;
                p.readonly |= member.readonly;
                p.coherent |= member.coherent;
                p.volatile |= member.volatile;
                p.pointee = member.ty;
            }
            Ty::Vector { elem, .. }
            | Ty::Array { elem, .. }
            | Ty::RuntimeArray { elem, .. }
            | Ty::Matrix { column: elem, .. } => {
                let stride = self.types.stride(p.pointee, p.layout).ok_or_else(|| self.no_layout(i))?;
                self.step(p, index, signed, stride);
                p.layout = self.types.element_layout(p.pointee, p.layout);
                p.pointee = elem;
            }
            _ => return Err(self.malformed(i, "indexes into a type that has no elements")),
        }
        Ok(())
    }

    /// The address operands of an access.
    pub fn place(&mut self, i: &Instr<'_>, p: &Pointer) -> Result<(Space, Vec<Value>)> {
        if p.resource_array {
            return Err(self.malformed(i, "an array of resources accessed as memory"));
        }
        let zero = self.b.u32(0);
        Ok(match p.root {
            Root::Buffer { set, binding, kind, element, .. } => {
                if let Some(layout) = self.layout
                    && layout.find(set, binding).is_none()
                {
                    let message = format!("set {set} binding {binding} is not in the pipeline layout");
                    return Err(self.m.error(crate::error::ErrorKind::Request, i, message));
                }
                let op = ir::Op::Descriptor { set, binding, kind };
                let desc = self.b.shared(op, vec![element.unwrap_or(zero)], Width::Desc);
                (Space::Buffer, vec![desc, p.dynamic.unwrap_or(zero)])
            }
            Root::Global(base) => {
                let a = match p.dynamic {
                    Some(d) => self.b.iadd(base, d),
                    None => base,
                };
                (Space::Global, vec![a])
            }
            Root::Plain(space) => (space, vec![p.dynamic.unwrap_or(zero)]),
            Root::Input(_) | Root::Tagged { .. } => return Err(self.unsupported(i, "this access to an input")),
            Root::Opaque(_) => return Err(self.malformed(i, "images and samplers are no memory")),
        })
    }

    fn access(&self, p: &Pointer, operands: &[u32], align: u32) -> Access {
        let mask = MemoryAccess::from_bits_truncate(operands.first().copied().unwrap_or(0));
        let readonly = match p.root {
            Root::Buffer { readonly, .. } => readonly,
            Root::Plain(Space::Push | Space::Constant) => true,
            _ => false,
        };
        let declared = if mask.contains(MemoryAccess::ALIGNED) { operands.get(1).copied().unwrap_or(0) } else { 0 };
        let volatile = p.volatile || mask.contains(MemoryAccess::VOLATILE);
        let shared = matches!(p.root, Root::Buffer { .. } | Root::Global(_));
        let coherent = shared
            && (p.coherent
                || mask.intersects(MemoryAccess::MAKE_POINTER_AVAILABLE | MemoryAccess::MAKE_POINTER_VISIBLE));
        // Only a power of two is an alignment. It is that of the whole address; the IR's is that without the offset.
        // No access is wider than 16 bytes, and parts of a composite are known to be aligned no better.
        let declared = if declared.is_power_of_two() { declared.min(16) } else { align };
        let align = if p.offset == 0 { declared } else { declared.min(1 << p.offset.trailing_zeros()) };
        Access { coherent, volatile, readonly, align }
    }

    fn leaves(&self, i: &Instr<'_>, p: &Pointer) -> Result<Vec<Leaf>> {
        match self.types.leaves(p.pointee, p.offset, p.layout) {
            // A structure may have no members; then nothing is loaded, and nothing stored.
            Some(l) if !l.is_empty() || matches!(self.types.get(p.pointee), Ty::Struct(_)) => Ok(l),
            _ if self.types.count(p.pointee) > MAX_SCALARS => {
                Err(self.unsupported(i, "a composite of so many scalars in one access"))
            }
            Some(_) => Err(self.unsupported(i, "an access to a type without scalars")),
            None => Err(self.no_layout(i)),
        }
    }

    pub fn load(&mut self, i: &Instr<'_>, p: &Pointer, operands: &[u32]) -> Result<Rc<[Value]>> {
        if let Root::Input(b) = p.root {
            return self.load_input(i, b, p);
        }
        if let Root::Tagged { .. } = p.root {
            let widths = self.types.widths(p.pointee);
            return self.each_root(i, p, &widths, &mut |t, q| t.load(i, q, operands));
        }
        let leaves = self.leaves(i, p)?;
        let (space, address) = self.place(i, p)?;
        let mut out = Vec::with_capacity(leaves.len());
        for run in runs(&leaves, space) {
            // Booleans have no bits in memory that others share; they are words here.
            let memory = memory_width(run[0].width, space);
            let op = ir::Op::Load { space, offset: run[0].offset, access: self.access(p, operands, 0) };
            let values = self.b.inst(op, address.clone(), &vec![memory; run.len()]);
            for v in values {
                out.push(if memory == run[0].width { v } else { self.word_to_bool(v) });
            }
        }
        Ok(out.into())
    }

    fn word_to_bool(&mut self, v: Value) -> Value {
        let zero = self.b.u32(0);
        self.b.alu(Alu::INe, Width::B1, &[v, zero])
    }

    pub fn store(&mut self, i: &Instr<'_>, p: &Pointer, values: &[Value], operands: &[u32]) -> Result<()> {
        if matches!(p.root, Root::Plain(Space::Push | Space::Constant) | Root::Input(_)) {
            return Err(self.malformed(i, "a store to read-only memory"));
        }
        if let Root::Tagged { .. } = p.root {
            self.each_root(i, p, &[], &mut |t, q| {
                t.store(i, q, values, operands)?;
                Ok([].into())
            })?;
            return Ok(());
        }
        let leaves = self.leaves(i, p)?;
        if leaves.len() != values.len() {
            return Err(self.malformed(i, format!("{} scalars stored to a type of {}", values.len(), leaves.len())));
        }
        let (space, address) = self.place(i, p)?;
        let mut at = 0;
        for run in runs(&leaves, space) {
            let op = ir::Op::Store {
                space,
                offset: run[0].offset,
                access: Access { readonly: false, ..self.access(p, operands, 0) },
            };
            let mut args = address.clone();
            for (leaf, &v) in run.iter().zip(&values[at..]) {
                if self.b.width(v) != leaf.width {
                    return Err(self.malformed(i, "the value is not of the pointee's type"));
                }
                let word = memory_width(leaf.width, space) != leaf.width;
                args.push(if word { self.b.alu(Alu::BoolToInt, Width::B32, &[v]) } else { v });
            }
            self.b.inst(op, args, &[]);
            at += run.len();
        }
        Ok(())
    }

    pub fn array_length(&mut self, i: &Instr<'_>) -> Result<Rc<[Value]>> {
        let (base, member) = (self.arg(i, 0)?, self.arg(i, 1)? as usize);
        let mut p = self.pointer(i, base)?;
        self.check_indexes(i, &mut p)?;
        self.each_root(i, &p, &[Width::B32], &mut |t, q| t.length_of(i, q, member))
    }

    fn length_of(&mut self, i: &Instr<'_>, p: &Pointer, member: usize) -> Result<Rc<[Value]>> {
        let Ty::Struct(members) = self.types.get(p.pointee).clone() else {
            return Err(self.malformed(i, "not a structure"));
        };
        let (offset, layout) = self.types.member(&members, member, p.layout).ok_or_else(|| self.no_layout(i))?;
        let stride =
            self.types.stride(members[member].ty, layout).filter(|&s| s > 0).ok_or_else(|| self.no_layout(i))?;
        let length = self.elements_behind(i, p, offset.wrapping_add(p.offset), stride)?;
        let length = length.ok_or_else(|| self.unsupported(i, "the length of an array outside of a buffer"))?;
        Ok([length].into())
    }

    /// Elements of `stride` bytes from `offset` to the end of a buffer.
    pub fn elements_behind(&mut self, i: &Instr<'_>, p: &Pointer, offset: u32, stride: u32) -> Result<Option<Value>> {
        let (Space::Buffer, address) = self.place(i, p)? else { return Ok(None) };
        let bytes = self.b.shared(ir::Op::DescriptorSize, vec![address[0]], Width::B32);
        let (offset, stride) = (self.b.u32(offset), self.b.u32(stride));
        // A range that ends before the array has no elements.
        let bytes = self.b.alu(Alu::UMax, Width::B32, &[bytes, offset]);
        let rest = self.b.alu(Alu::ISub, Width::B32, &[bytes, offset]);
        Ok(Some(self.b.alu(Alu::UDiv, Width::B32, &[rest, stride])))
    }
}

fn memory_width(w: Width, space: Space) -> Width {
    if w == Width::B1 && space != Space::Scratch { Width::B32 } else { w }
}

/// Scalars at consecutive addresses, of one width and at most 16 bytes together. Private memory goes scalar by scalar, as
/// promotion wants it.
fn runs(leaves: &[Leaf], space: Space) -> Vec<&[Leaf]> {
    let mut out = Vec::new();
    let mut start = 0;
    for n in 1..=leaves.len() {
        let size = (leaves[start].width.bits() / 8).max(4).min(if leaves[start].width == Width::B1 {
            4
        } else {
            leaves[start].width.bits() / 8
        });
        let joins = n < leaves.len()
            && space != Space::Scratch
            && leaves[n].width == leaves[start].width
            && leaves[n].offset == leaves[n - 1].offset.wrapping_add(size)
            && (n - start) < 4
            && (n - start + 1) as u32 * size <= 16;
        if !joins {
            out.push(&leaves[start..n]);
            start = n;
        }
    }
    out
}
