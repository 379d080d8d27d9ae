//! Pointers as values: what OpSelect, OpPhi, calls, variables and comparisons make of logical pointers.
//!
//! A pointer mostly is known while translating: a root and an offset. Where it must be a value, it is 64 bits: the byte
//! offset in the low word; above it the root's tag (0 = null) and, for arrays of resources, the element. An access through
//! such a value tries the roots that a pointer of its type may have, one after the other. A root may become a candidate
//! after an access that could meet it was translated (round a loop); then the translation is run again with all that are
//! known.

use super::module::Instr;
use super::operand::{Cells, Operand, Pointer, Root};
use super::tags::{Candidate, Key};
use super::translate::Translator;
use super::types::Ty;
use crate::error::{ErrorKind, Result};
use crate::ir::{self, Alu, Space, Value, Width};
use spirv::{Decoration, Op, StorageClass};
use std::rc::Rc;

/// An access at one root; what it loads.
type Access<'a, T> = &'a mut dyn FnMut(&mut T, &Pointer) -> Result<Rc<[Value]>>;

/// Bits of a tag word that hold the element of an array of resources.
const ELEMENT_BITS: u32 = 20;

/// Roots that all accesses of a kernel through pointers that are values try together: each is a branch and an access.
const MAX_TRIED: usize = 1 << 13;

impl Translator<'_> {
    /// The pointer as a 64-bit value: an address, or tag and offset.
    pub fn pointer_value(&mut self, i: &Instr<'_>, p: &Pointer) -> Result<Value> {
        if !p.checks.is_empty() {
            self.check_indexes(i, &mut p.clone())?;
        }
        if let Some(address) = self.address(p) {
            return Ok(address);
        }
        if p.resource_array {
            return Err(self.malformed(i, "an array of resources used as a value"));
        }
        let mut base = 0;
        let (word, keys) = match p.root {
            Root::Tagged { word, pointee } => {
                let keys = self.tags.candidates.iter().filter(|c| c.pointee == pointee).map(|c| c.key).collect();
                self.tags.used = true;
                (word, keys)
            }
            root => {
                let (key, element) = match root {
                    Root::Buffer { set, binding, kind, element, readonly } => {
                        (Key::Buffer { set, binding, kind, readonly }, element)
                    }
                    Root::Plain(Space::Scratch) => match self.tags.numbers.range(..=p.offset).next_back() {
                        Some((&at, &n)) => {
                            base = at;
                            (Key::Local(n), None)
                        }
                        None => return Err(self.malformed(i, "a pointer to no variable")),
                    },
                    Root::Plain(space) => (Key::Space(space), None),
                    _ => return Err(self.unsupported(i, "a pointer to an input, used as a value")),
                };
                let key = self.tags.tag(key);
                let tag = self.b.u32((key as u32 + 1) << ELEMENT_BITS);
                let word = match element {
                    None => tag,
                    Some(e) => {
                        let most = self.b.u32((1 << ELEMENT_BITS) - 1);
                        let e = self.b.alu(Alu::UMin, Width::B32, &[e, most]);
                        self.b.alu(Alu::Or, Width::B32, &[e, tag])
                    }
                };
                (word, vec![key])
            }
        };
        for key in keys {
            let Pointer { pointee, layout, readonly, coherent, volatile, .. } = *p;
            let c = Candidate { pointee, key, layout, readonly, coherent, volatile };
            if !self.tags.candidates.contains(&c) {
                self.tags.candidates.push(c);
            }
        }
        let offset = self.b.u32(p.offset.wrapping_sub(base));
        let low = match p.dynamic {
            Some(d) => self.b.iadd(d, offset),
            None => offset,
        };
        Ok(self.b.alu(Alu::Pack64, Width::B64, &[low, word]))
    }

    /// The pointer that a 64-bit value of pointer type `ty` is.
    pub fn pointer_from(&mut self, i: &Instr<'_>, ty: u32, value: Value) -> Result<Pointer> {
        let Ty::Pointer { class, pointee } = *self.types.get(ty) else {
            return Err(self.malformed(i, "no pointer"));
        };
        let mut p = Pointer::new(Root::Global(value), pointee);
        if class == StorageClass::PhysicalStorageBuffer {
            p.layout.explicit = true;
            return Ok(p);
        }
        self.tags.used = true;
        let of_type: Vec<Candidate> = self.tags.candidates.iter().filter(|c| c.pointee == pointee).cloned().collect();
        if let Some(first) = of_type.first() {
            p.layout = first.layout;
            if of_type.iter().any(|c| c.layout != first.layout) {
                return Err(self.unsupported(i, "a choice between pointers to differently laid out matrices"));
            }
        }
        p.readonly = !of_type.is_empty() && of_type.iter().all(|c| c.readonly);
        p.coherent = of_type.iter().any(|c| c.coherent);
        p.volatile = of_type.iter().any(|c| c.volatile);
        let word = self.b.alu(Alu::Hi32, Width::B32, &[value]);
        p.root = Root::Tagged { word, pointee };
        p.dynamic = Some(self.b.alu(Alu::Lo32, Width::B32, &[value]));
        Ok(p)
    }

    /// Does `access` for the root that the pointer has: chosen while the kernel runs if it is a value.
    pub fn each_root(
        &mut self,
        i: &Instr<'_>,
        p: &Pointer,
        widths: &[Width],
        access: Access<'_, Self>,
    ) -> Result<Rc<[Value]>> {
        let Root::Tagged { word, pointee } = p.root else { return access(self, p) };
        self.tags.used = true;
        let mut roots: Vec<(u32, Pointer)> = Vec::new();
        for c in self.tags.candidates.clone() {
            let tag = c.key as u32 + 1;
            if c.pointee != pointee || roots.iter().any(|r| r.0 == tag) {
                continue;
            }
            let mut q = p.clone();
            q.root = match self.tags.keys[c.key] {
                Key::Buffer { set, binding, kind, readonly } => {
                    let most = self.b.u32((1 << ELEMENT_BITS) - 1);
                    let element = self.b.alu(Alu::And, Width::B32, &[word, most]);
                    Root::Buffer { set, binding, kind, element: Some(element), readonly }
                }
                Key::Space(space) => Root::Plain(space),
                Key::Local(n) => {
                    // A variable that has no place yet cannot be pointed to here, and none of another function.
                    let Some(&at) = self.tags.places.get(&n).filter(|&&at| self.outline.reaches(at)) else { continue };
                    q.offset = q.offset.wrapping_add(at);
                    Root::Plain(Space::Scratch)
                }
            };
            roots.push((tag, q));
        }
        let shift = self.b.u32(ELEMENT_BITS);
        let tag = self.b.alu(Alu::UShr, Width::B32, &[word, shift]);
        if let Some(known) = self.b.known(tag) {
            roots.retain(|r| u64::from(r.0) == known);
        }
        self.tried += roots.len();
        if self.tried > MAX_TRIED {
            let message = format!(
                "accesses through pointers that are chosen while the kernel runs, to more than {MAX_TRIED} variables in all: choose indexes into fewer variables"
            );
            return Err(self.m.error(ErrorKind::Resource, i, message));
        }
        match roots.as_slice() {
            // Null, or not yet known to this run: nobody may depend on the result.
            [] => Ok(widths.iter().map(|&w| self.b.undef(w)).collect()),
            [(_, only)] => access(self, only),
            _ => {
                let cells = self.cells(i, widths)?;
                self.try_roots(i, tag, &roots, &cells, access)?;
                Ok(self.load_cells(&cells))
            }
        }
    }

    fn try_roots(
        &mut self,
        i: &Instr<'_>,
        tag: Value,
        roots: &[(u32, Pointer)],
        cells: &Cells,
        access: Access<'_, Self>,
    ) -> Result<()> {
        let Some(((number, p), rest)) = roots.split_first() else { return Ok(()) };
        if rest.is_empty() {
            let v = access(self, p)?;
            self.store_cells(cells, &v);
            return Ok(());
        }
        let number = self.b.u32(*number);
        let cond = self.b.alu(Alu::IEq, Width::B1, &[tag, number]);
        self.begin();
        let v = access(self, p)?;
        self.store_cells(cells, &v);
        let then = self.end(ir::Exit::Yield(Vec::new()));
        self.begin();
        self.try_roots(i, tag, rest, cells, access)?;
        let els = self.end(ir::Exit::Yield(Vec::new()));
        self.b.push(ir::Node::If { cond, then, els, results: Vec::new(), loc: i.loc });
        Ok(())
    }

    /// OpSelect of two pointers into one root: a choice of offsets. None: they are chosen as values.
    pub fn select_pointer(&mut self, i: &Instr<'_>, c: Value, p: &Pointer, q: &Pointer) -> Result<Option<Pointer>> {
        let shares = p.root == q.root && p.layout == q.layout && p.pointee == q.pointee && !p.resource_array;
        if !shares || matches!(p.root, Root::Global(_) | Root::Plain(Space::Scratch) | Root::Tagged { .. }) {
            return Ok(None);
        }
        let whole = |t: &mut Self, p: &Pointer| {
            let k = t.b.u32(p.offset);
            match p.dynamic {
                Some(d) => t.b.iadd(d, k),
                None => k,
            }
        };
        let (a, b) = (whole(self, p), whole(self, q));
        let dynamic = self.apply(i, Alu::Select, Width::B32, &[c, a, b])?;
        let checks = self.either_checks(c, p, q);
        Ok(Some(Pointer {
            dynamic: Some(dynamic),
            offset: 0,
            readonly: p.readonly && q.readonly,
            coherent: p.coherent || q.coherent,
            volatile: p.volatile || q.volatile,
            checks,
            ..p.clone()
        }))
    }

    /// OpPtrEqual, OpPtrNotEqual, OpPtrDiff.
    pub fn compare_pointers(&mut self, i: &Instr<'_>) -> Result<Operand> {
        let (a, b) = (self.arg(i, 0)?, self.arg(i, 1)?);
        let (x, y) = (self.scalar(i, a)?, self.scalar(i, b)?);
        let v = match i.op {
            Op::PtrEqual => self.apply(i, Alu::IEq, Width::B1, &[x, y])?,
            Op::PtrNotEqual => self.apply(i, Alu::INe, Width::B1, &[x, y])?,
            _ => {
                let ty = self.type_of(i, a)?;
                let Ty::Pointer { class, pointee } = *self.types.get(ty) else {
                    return Err(self.malformed(i, "no pointer"));
                };
                let stride = self.pointer_stride(ty, pointee);
                let width = self.types.scalar_width(i.ty).unwrap_or(Width::B32);
                let at = if class == StorageClass::PhysicalStorageBuffer {
                    [x, y]
                } else {
                    // Offsets are 32 bits; their difference has a sign.
                    [x, y].map(|v| self.b.alu(Alu::Lo32, Width::B32, &[v]))
                };
                let w = self.b.width(at[0]);
                let bytes = self.apply(i, Alu::ISub, w, &at)?;
                let stride = self.b.constant(w, u64::from(stride.max(1)));
                let n = self.b.alu(Alu::SDiv, w, &[bytes, stride]);
                self.apply(i, Alu::SConvert, width, &[n])?
            }
        };
        Ok(Operand::Flat([v].into()))
    }

    /// Bytes from a pointer of type `ty` to its next element: ArrayStride of the type, else the natural size. Strides say
    /// nothing about shared memory that the module did not lay out.
    pub fn pointer_stride(&self, ty: u32, pointee: u32) -> u32 {
        let shared = matches!(self.types.get(ty), Ty::Pointer { class: StorageClass::Workgroup, .. });
        let declared = self.m.decoration(ty, Decoration::ArrayStride).and_then(|a| a.first()).copied();
        let declared = declared.filter(|_| !shared || self.shared_blocks.is_some());
        let (size, align) = self.types.natural(pointee);
        declared.unwrap_or_else(|| size.checked_next_multiple_of(align).unwrap_or(size))
    }
}
