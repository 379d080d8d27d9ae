//! Access chains, loads, stores, copies and array lengths.

use super::module::Instr;
use super::translate::{Operand, Pointer, Root, Translator};
use super::types::{Layout, Leaf, Ty};
use crate::error::{CompileError, Result};
use crate::ir::{self, Access, Alu, Builtin, Space, Value, Width};
use spirv::{BuiltIn, MemoryAccess, Op, StorageClass};
use std::rc::Rc;

impl Translator<'_> {
    pub fn pointer(&mut self, i: &Instr<'_>, id: u32) -> Result<Pointer> {
        match self.operand(i, id)? {
            Operand::Pointer(p) => Ok(p),
            Operand::Flat(v) => {
                let ty = self.type_of(i, id)?;
                match (self.types.get(ty), &v[..]) {
                    (Ty::Pointer { class: StorageClass::PhysicalStorageBuffer, pointee }, &[address]) => Ok(Pointer {
                        root: Root::Global(address),
                        dynamic: None,
                        offset: 0,
                        pointee: *pointee,
                        layout: Layout { explicit: true, ..Default::default() },
                        resource_array: false,
                        readonly: false,
                        coherent: false,
                        volatile: false,
                    }),
                    _ => Err(self.malformed(i, format!("%{id} is no pointer"))),
                }
            }
        }
    }

    /// Adds `index · stride` bytes to the pointer.
    fn step(&mut self, p: &mut Pointer, index: Value, signed: bool, stride: u32) {
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
            let base_ty = self.type_of(i, base)?;
            let declared = self.m.decoration(base_ty, spirv::Decoration::ArrayStride).and_then(|a| a.first()).copied();
            let stride = declared.unwrap_or_else(|| self.types.natural(p.pointee).0);
            let index = self.scalar(i, first)?;
            let signed = self.types.is_signed(self.type_of(i, first)?);
            self.step(&mut p, index, signed, stride);
            indexes = rest;
        }
        for &id in indexes {
            let index = self.scalar(i, id)?;
            let known = self.b.known(index);
            if p.resource_array {
                let (Ty::Array { elem, .. } | Ty::RuntimeArray { elem, .. }) = *self.types.get(p.pointee) else {
                    return Err(self.malformed(i, "not an array of resources"));
                };
                let index = self.b.to_u32(index);
                if let Root::Buffer { element, .. } = &mut p.root {
                    *element = Some(index);
                }
                p.resource_array = false;
                p.pointee = elem;
                continue;
            }
            match self.types.get(p.pointee).clone() {
                Ty::Struct(members) => {
                    let n = known.map_or(usize::MAX, |n| n as usize);
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
                    let signed = self.types.is_signed(self.type_of(i, id)?);
                    self.step(&mut p, index, signed, stride);
                    p.layout = self.types.element_layout(p.pointee, p.layout);
                    p.pointee = elem;
                }
                _ => return Err(self.malformed(i, "indexes into a type that has no elements")),
            }
        }
        Ok(p)
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
            Root::Input(_) => return Err(self.unsupported(i, "this access to an input")),
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
        // Only a power of two is an alignment.
        Access { coherent, volatile, readonly, align: if declared.is_power_of_two() { declared } else { align } }
    }

    fn leaves(&self, i: &Instr<'_>, p: &Pointer) -> Result<Vec<Leaf>> {
        match self.types.leaves(p.pointee, p.offset, p.layout) {
            Some(l) if !l.is_empty() => Ok(l),
            _ if self.types.count(p.pointee) > super::types::MAX_SCALARS => {
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
        let p = self.pointer(i, base)?;
        let Ty::Struct(members) = self.types.get(p.pointee).clone() else {
            return Err(self.malformed(i, "not a structure"));
        };
        let (offset, layout) = self.types.member(&members, member, p.layout).ok_or_else(|| self.no_layout(i))?;
        let stride =
            self.types.stride(members[member].ty, layout).filter(|&s| s > 0).ok_or_else(|| self.no_layout(i))?;
        let (Space::Buffer, address) = self.place(i, &p)? else {
            return Err(self.unsupported(i, "the length of an array outside of a buffer"));
        };
        let bytes = self.b.shared(ir::Op::DescriptorSize, vec![address[0]], Width::B32);
        let (offset, stride) = (self.b.u32(offset.wrapping_add(p.offset)), self.b.u32(stride));
        let rest = self.b.alu(Alu::ISub, Width::B32, &[bytes, offset]);
        Ok([self.b.alu(Alu::UDiv, Width::B32, &[rest, stride])].into())
    }

    fn load_input(&mut self, i: &Instr<'_>, input: BuiltIn, p: &Pointer) -> Result<Rc<[Value]>> {
        let all = self.input(i, input)?;
        if self.types.count(p.pointee) as usize == all.len() {
            return Ok(all.into());
        }
        match p.dynamic {
            None => match all.get(p.offset as usize / 4) {
                Some(&v) => Ok([v].into()),
                None => Err(self.malformed(i, "a component outside of the builtin")),
            },
            Some(bytes) => {
                let two = self.b.u32(2);
                let n = self.b.alu(Alu::UShr, Width::B32, &[bytes, two]);
                Ok([self.pick(&all, n)].into())
            }
        }
    }

    /// Element `n` of `values`, by selection.
    pub fn pick(&mut self, values: &[Value], n: Value) -> Value {
        let n = self.b.to_u32(n);
        let mut out = values[values.len() - 1];
        for (k, &v) in values.iter().enumerate().rev().skip(1) {
            let k = self.b.u32(k as u32);
            let hit = self.b.alu(Alu::IEq, Width::B1, &[n, k]);
            out = self.b.select(hit, v, out);
        }
        out
    }

    fn input(&mut self, i: &Instr<'_>, input: BuiltIn) -> Result<Vec<Value>> {
        let size = self.workgroup;
        let each = |t: &mut Self, f: fn(u8) -> Builtin| (0..3).map(|n| t.b.builtin(f(n))).collect::<Vec<_>>();
        Ok(match input {
            BuiltIn::LocalInvocationId => self.local_id(),
            BuiltIn::WorkgroupId => each(self, Builtin::WorkGroupId),
            BuiltIn::NumWorkgroups => each(self, Builtin::NumWorkGroups),
            BuiltIn::WorkgroupSize => size.map(|n| self.b.u32(n)).to_vec(),
            BuiltIn::GlobalInvocationId => {
                let (group, local) = (each(self, Builtin::WorkGroupId), self.local_id());
                (0..3)
                    .map(|n| {
                        let size = self.b.u32(size[n]);
                        let base = self.b.imul(group[n], size);
                        self.b.iadd(base, local[n])
                    })
                    .collect()
            }
            BuiltIn::LocalInvocationIndex => {
                if size[1] == 1 && size[2] == 1 {
                    return Ok(self.local_id()[..1].to_vec());
                }
                vec![self.b.builtin(Builtin::LocalInvocationIndex)]
            }
            BuiltIn::SubgroupSize => vec![self.b.u32(self.wave)],
            BuiltIn::NumSubgroups => {
                let items: u32 = size.iter().product();
                vec![self.b.u32(items.div_ceil(self.wave))]
            }
            BuiltIn::SubgroupId => {
                if size.iter().product::<u32>() <= self.wave {
                    return Ok(vec![self.b.u32(0)]);
                }
                vec![self.b.builtin(Builtin::SubgroupId)]
            }
            BuiltIn::SubgroupLocalInvocationId => vec![self.b.builtin(Builtin::SubgroupInvocationId)],
            BuiltIn::SubgroupEqMask
            | BuiltIn::SubgroupGeMask
            | BuiltIn::SubgroupGtMask
            | BuiltIn::SubgroupLeMask
            | BuiltIn::SubgroupLtMask => self.subgroup_mask(input),
            BuiltIn::DeviceIndex => vec![self.b.u32(0)],
            other => return Err(self.unsupported(i, format!("builtin {other:?}"))),
        })
    }

    /// LocalInvocationId; a dimension of one work-item is zero.
    fn local_id(&mut self) -> Vec<Value> {
        (0..3u8)
            .map(|n| match self.workgroup[usize::from(n)] {
                1 => self.b.u32(0),
                _ => self.b.builtin(Builtin::LocalInvocationId(n)),
            })
            .collect()
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
