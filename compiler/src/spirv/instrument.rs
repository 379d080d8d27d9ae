//! Instrumented code: what the source means is checked beside what the machine does, and told in messages to the thread
//! trace (`wavepipe_hw::site`).
//!
//! An index is checked where it comes to be used: an access chain notes its indexes in the pointer, and the load, store,
//! atomic or call that takes the pointer checks them. So a chain that nobody follows finds nothing, and control flow between
//! the two is respected. An index that was checked for the same thing before, where control came from, is not checked again.

use super::instrumentation::{Bound, IndexCheck, Instrument};
use super::module::Instr;
use super::operand::{Operand, Pointer, Root};
use super::translate::Translator;
use super::types::Ty;
use crate::error::{ErrorKind, Result};
use crate::ir::{self, Alu, Exit, Node, Subgroup, Value, Width};
use spirv::MemoryAccess;
use std::rc::Rc;
use wavepipe_hw::site::{Indexed, SITE_BITS, Site, SiteKind};

impl Translator<'_> {
    fn checks_indexes(&self) -> bool {
        self.instrumentation.flags.contains(Instrument::INDEX)
    }

    /// What the module calls an id.
    pub fn name_of(&self, id: u32) -> Option<Rc<str>> {
        let name = self.m.names.get(&id).map_or("", String::as_str);
        self.checks_indexes().then(|| name.into())
    }

    /// One index of an access chain.
    pub fn step_into(&mut self, i: &Instr<'_>, p: &mut Pointer, index: Value, signed: bool) -> Result<()> {
        if !self.checks_indexes() {
            return self.descend(i, p, index, signed);
        }
        self.note_index(i, p, index, signed);
        let base = p.name.clone().unwrap_or_default();
        let inner = match (self.types.get(p.pointee), self.b.known(index)) {
            (Ty::Struct(_), Some(n)) => {
                let member = self.m.member_names.get(&(p.pointee, n as u32)).map_or("", String::as_str);
                match (base.is_empty(), member.is_empty()) {
                    (_, true) => base.to_string(),
                    (true, false) => member.to_string(),
                    (false, false) => format!("{base}.{member}"),
                }
            }
            (_, Some(n)) => format!("{base}[{}]", ir::fold::signed(n, self.b.width(index))),
            (_, None) => format!("{base}[…]"),
        };
        p.name = Some(inner.into());
        self.descend(i, p, index, signed)
    }

    /// Notes an index that may be outside of what it chooses from.
    fn note_index(&mut self, i: &Instr<'_>, p: &mut Pointer, index: Value, signed: bool) {
        let (bound, of) = match *self.types.get(p.pointee) {
            Ty::Array { n, .. } if p.resource_array => (Bound::Known(n), Indexed::Descriptors),
            Ty::RuntimeArray { .. } if p.resource_array => match self.descriptors(p) {
                Some(n) => (Bound::Known(n), Indexed::Descriptors),
                None => return,
            },
            Ty::Array { n, .. } => (Bound::Known(n), Indexed::Array),
            Ty::Vector { n, .. } => (Bound::Known(n), Indexed::Vector),
            Ty::Matrix { n, .. } => (Bound::Known(n), Indexed::Matrix),
            Ty::RuntimeArray { .. } => match self.elements_of(i, p) {
                Some(n) => (Bound::Computed(n), Indexed::Array),
                None => return,
            },
            _ => return,
        };
        let name = p.name.clone().unwrap_or_default();
        p.checks.extend(self.index_check(index, signed, bound, of, name));
    }

    /// The check of an index; `None`: it cannot be outside.
    fn index_check(
        &mut self,
        index: Value,
        signed: bool,
        bound: Bound,
        of: Indexed,
        name: Rc<str>,
    ) -> Option<IndexCheck> {
        let index = match self.b.width(index) {
            Width::B32 | Width::B64 => index,
            _ => self.b.alu(if signed { Alu::SConvert } else { Alu::UConvert }, Width::B32, &[index]),
        };
        let check = IndexCheck { index, signed, bound, guard: None, of, name };
        let outside = self.outside(&check);
        (self.b.known(outside) != Some(0)).then_some(check)
    }

    /// Descriptors of an array of them that has no size in the shader.
    fn descriptors(&self, p: &Pointer) -> Option<u32> {
        let (set, binding) = match p.root {
            Root::Buffer { set, binding, .. } => (set, binding),
            Root::Opaque(v) => (v.set, v.binding),
            _ => return None,
        };
        self.layout.and_then(|l| l.find(set, binding)).map(|b| b.count)
    }

    /// Elements of a runtime array in a buffer, as OpArrayLength counts them.
    fn elements_of(&mut self, i: &Instr<'_>, p: &Pointer) -> Option<Value> {
        if !matches!(p.root, Root::Buffer { .. }) || p.dynamic.is_some() {
            return None;
        }
        let stride = self.types.stride(p.pointee, p.layout).filter(|&s| s > 0)?;
        self.elements_behind(i, p, p.offset, stride).ok().flatten()
    }

    /// True where the index is outside.
    fn outside(&mut self, c: &IndexCheck) -> Value {
        let width = self.b.width(c.index);
        let bound = match c.bound {
            Bound::Known(n) => self.b.constant(width, u64::from(n)),
            Bound::Computed(n) if width == Width::B64 => self.b.alu(Alu::UConvert, width, &[n]),
            Bound::Computed(n) => n,
        };
        // A negative one is large.
        let outside = self.b.alu(Alu::ULe, Width::B1, &[bound, c.index]);
        match c.guard {
            Some(guard) => self.b.alu(Alu::And, Width::B1, &[guard, outside]),
            None => outside,
        }
    }

    /// Checks the indexes of a pointer that is about to be used.
    pub fn check_indexes(&mut self, i: &Instr<'_>, p: &mut Pointer) -> Result<()> {
        for check in std::mem::take(&mut p.checks) {
            self.check_index(i, check)?;
        }
        Ok(())
    }

    /// Checks the index of a vector's component.
    pub fn check_component(&mut self, i: &Instr<'_>, vector: u32, index: u32) -> Result<()> {
        if !self.checks_indexes() {
            return Ok(());
        }
        let n = self.types.elements(self.type_of(i, vector)?);
        let signed = self.types.is_signed(self.type_of(i, index)?);
        let index = self.scalar(i, index)?;
        let name = self.name_of(vector).unwrap_or_default();
        match self.index_check(index, signed, Bound::Known(n), Indexed::Vector, name) {
            Some(check) => self.check_index(i, check),
            None => Ok(()),
        }
    }

    fn check_index(&mut self, i: &Instr<'_>, check: IndexCheck) -> Result<()> {
        let here = self.open_scopes.last().copied().unwrap_or(0);
        let made = self.instrumentation.checked.entry(check.clone()).or_default();
        // A region that is open encloses this place, and the check stands before it.
        if made.iter().any(|&scope| self.scopes[scope]) {
            return Ok(());
        }
        made.push(here);
        let outside = self.outside(&check);
        let bound = match check.bound {
            Bound::Known(n) => Some(n),
            Bound::Computed(_) => None,
        };
        let kind = SiteKind::Index { name: check.name.to_string(), of: check.of, bound, signed: check.signed };
        let site = self.site(i, kind)?;
        self.only_where(i, outside, Exit::Yield(Vec::new()), |t| {
            let (low, high) = if t.b.width(check.index) == Width::B64 {
                let mut half = |half| t.b.alu(half, Width::B32, &[check.index]);
                (half(Alu::Lo32), half(Alu::Hi32))
            } else if check.signed {
                let sign = t.b.u32(31);
                (check.index, t.b.alu(Alu::SShr, Width::B32, &[check.index, sign]))
            } else {
                (check.index, t.b.u32(0))
            };
            let mut payload = vec![low, high];
            if let Bound::Computed(n) = check.bound {
                payload.push(n);
            }
            t.b.inst(ir::Op::Trace { site, finding: true }, payload, &[]);
        });
        Ok(())
    }

    /// Checks the address of an access through a physical pointer against what its memory operands say.
    pub fn check_alignment(&mut self, i: &Instr<'_>, p: &Pointer, operands: &[u32]) -> Result<()> {
        let mask = MemoryAccess::from_bits_truncate(operands.first().copied().unwrap_or(0));
        let align = operands.get(1).copied().filter(|n| mask.contains(MemoryAccess::ALIGNED) && n.is_power_of_two());
        let Some(align) = align.filter(|n| *n > 1 && self.checks_indexes()) else { return Ok(()) };
        let Some(address) = self.address(p) else { return Ok(()) };
        let low = self.b.alu(Alu::Lo32, Width::B32, &[address]);
        let (rest, zero) = (self.b.u32(align - 1), self.b.u32(0));
        let rest = self.b.alu(Alu::And, Width::B32, &[low, rest]);
        let off = self.b.alu(Alu::INe, Width::B1, &[rest, zero]);
        if self.b.known(off) == Some(0) {
            return Ok(());
        }
        let name = p.name.clone().unwrap_or_default().to_string();
        let site = self.site(i, SiteKind::Misaligned { name, align })?;
        self.only_where(i, off, Exit::Yield(Vec::new()), |t| {
            let high = t.b.alu(Alu::Hi32, Width::B32, &[address]);
            t.b.inst(ir::Op::Trace { site, finding: true }, vec![low, high], &[]);
        });
        Ok(())
    }

    /// The number of a site at the instruction.
    pub fn site(&mut self, i: &Instr<'_>, kind: SiteKind) -> Result<u32> {
        let site = Site { kind, file: i.loc.file, line: i.loc.line };
        let it = &mut self.instrumentation;
        if let Some(&known) = it.numbers.get(&site) {
            return Ok(known);
        }
        let number = it.sites.len() as u32;
        if number >> SITE_BITS != 0 {
            return Err(self.m.error(ErrorKind::Resource, i, "more messages than have numbers"));
        }
        it.numbers.insert(site.clone(), number);
        it.sites.push(site);
        Ok(number)
    }

    /// Does `work` in one active lane after the other, the lowest first.
    pub fn by_lanes(&mut self, i: &Instr<'_>, work: impl FnOnce(&mut Self)) {
        let label = self.b.kernel.label();
        let lane = self.b.builtin(ir::Builtin::SubgroupInvocationId);
        self.begin();
        let first = self.b.inst(ir::Op::Subgroup(Subgroup::BroadcastFirst), vec![lane], &[Width::B32])[0];
        let turn = self.b.alu(Alu::IEq, Width::B1, &[lane, first]);
        self.only_where(i, turn, Exit::Break(label, Vec::new()), work);
        let body = self.end(Exit::Continue(label, Vec::new()));
        let (params, init) = (Vec::new(), Vec::new());
        self.b.push(Node::Loop { label, params, init, body, results: Vec::new(), loc: i.loc });
    }

    /// Checks of a pointer that is `p` where `c` holds, and `q` elsewhere.
    pub fn either_checks(&mut self, c: Value, p: &Pointer, q: &Pointer) -> Vec<IndexCheck> {
        let mut all = Vec::new();
        for (checks, holds) in [(&p.checks, true), (&q.checks, false)] {
            for check in checks {
                let side = if holds { c } else { self.b.alu(Alu::Not, Width::B1, &[c]) };
                let guard = match check.guard {
                    Some(g) => self.b.alu(Alu::And, Width::B1, &[g, side]),
                    None => side,
                };
                all.push(IndexCheck { guard: Some(guard), ..check.clone() });
            }
        }
        all
    }

    /// Arguments for code that several callers share: what was noted is checked here, and names are those of the callee.
    pub fn settle_arguments(&mut self, i: &Instr<'_>, args: &mut [Operand]) -> Result<()> {
        for arg in args {
            if let Operand::Pointer(p) = arg {
                self.check_indexes(i, p)?;
            }
        }
        Ok(())
    }
}
