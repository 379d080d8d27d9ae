//! Arithmetic, comparisons, conversions: what works on each component alone, and the way to all that is a function of its
//! operands.

use super::module::{ExtSet, Instr};
use super::operand::{Operand, Pointer};
use super::translate::Translator;
use super::types::Ty;
use crate::error::Result;
use crate::ir::{Alu, Value, Width};
use spirv::Op;
use std::rc::Rc;

/// The operation that works on each component alone, with operands in order.
fn componentwise(op: Op) -> Option<Alu> {
    Some(match op {
        Op::IAdd => Alu::IAdd,
        Op::ISub => Alu::ISub,
        Op::IMul => Alu::IMul,
        Op::UDiv => Alu::UDiv,
        Op::SDiv => Alu::SDiv,
        Op::UMod => Alu::UMod,
        Op::SRem => Alu::SRem,
        Op::SMod => Alu::SMod,
        Op::SNegate => Alu::INeg,
        Op::FAdd => Alu::FAdd,
        Op::FSub => Alu::FSub,
        Op::FMul => Alu::FMul,
        Op::FDiv => Alu::FDiv,
        Op::FRem => Alu::FRem,
        Op::FMod => Alu::FMod,
        Op::FNegate => Alu::FNeg,
        Op::BitwiseAnd | Op::LogicalAnd => Alu::And,
        Op::BitwiseOr | Op::LogicalOr => Alu::Or,
        Op::BitwiseXor => Alu::Xor,
        Op::Not | Op::LogicalNot => Alu::Not,
        Op::BitReverse => Alu::BitReverse,
        Op::IEqual | Op::LogicalEqual => Alu::IEq,
        Op::INotEqual | Op::LogicalNotEqual => Alu::INe,
        Op::ULessThan => Alu::ULt,
        Op::ULessThanEqual => Alu::ULe,
        Op::SLessThan => Alu::SLt,
        Op::SLessThanEqual => Alu::SLe,
        Op::FOrdEqual => Alu::FOrdEq,
        Op::FOrdNotEqual => Alu::FOrdNe,
        Op::FOrdLessThan => Alu::FOrdLt,
        Op::FOrdLessThanEqual => Alu::FOrdLe,
        Op::FOrdGreaterThan => Alu::FOrdGt,
        Op::FOrdGreaterThanEqual => Alu::FOrdGe,
        Op::FUnordEqual => Alu::FUnordEq,
        Op::FUnordNotEqual => Alu::FUnordNe,
        Op::FUnordLessThan => Alu::FUnordLt,
        Op::FUnordLessThanEqual => Alu::FUnordLe,
        Op::FUnordGreaterThan => Alu::FUnordGt,
        Op::FUnordGreaterThanEqual => Alu::FUnordGe,
        Op::IsNan => Alu::FIsNan,
        Op::IsInf => Alu::FIsInf,
        Op::ConvertFToU => Alu::FToU,
        Op::ConvertFToS => Alu::FToS,
        Op::ConvertSToF => Alu::SToF,
        Op::ConvertUToF => Alu::UToF,
        Op::UConvert => Alu::UConvert,
        Op::SConvert => Alu::SConvert,
        Op::FConvert => Alu::FConvert,
        _ => return None,
    })
}

impl Translator<'_> {
    /// The i-th operand's scalars.
    pub fn operand_flat(&mut self, i: &Instr<'_>, n: usize) -> Result<Rc<[Value]>> {
        let id = self.arg(i, n)?;
        self.flat(i, id)
    }

    /// The checked application of `alu`: widths that do not fit are the module's fault, not ours.
    pub fn apply(&mut self, i: &Instr<'_>, alu: Alu, width: Width, args: &[Value]) -> Result<Value> {
        let widths: Vec<Width> = args.iter().map(|&v| self.b.width(v)).collect();
        if crate::ir::validate::alu(alu, &widths, &[width]).is_err() {
            return Err(self.malformed(i, format!("operand types do not fit ({widths:?} to {width:?})")));
        }
        Ok(self.b.alu(alu, width, args))
    }

    /// The value of a pure instruction; None if `i` is none of them.
    pub fn value(&mut self, i: &Instr<'_>) -> Result<Option<Operand>> {
        if matches!(self.types.get(i.ty), Ty::Opaque) {
            return Err(self.unsupported(i, "a value of an image, sampler, cooperative matrix or other opaque type"));
        }
        if let Some(alu) = componentwise(i.op) {
            return Ok(Some(Operand::Flat(self.componentwise(i, alu)?)));
        }
        if let Some(flat) = self.product(i)? {
            return self.flat_result(i, flat).map(Some);
        }
        if let Some(value) = self.composite(i)? {
            return Ok(Some(value));
        }
        let flat: Rc<[Value]> = match i.op {
            Op::ShiftLeftLogical => self.shift(i, Alu::Shl)?,
            Op::ShiftRightLogical => self.shift(i, Alu::UShr)?,
            Op::ShiftRightArithmetic => self.shift(i, Alu::SShr)?,
            Op::BitFieldInsert => self.bit_field(i, Alu::Bfi, 2)?,
            Op::BitFieldSExtract => self.bit_field(i, Alu::SBfe, 1)?,
            Op::BitFieldUExtract => self.bit_field(i, Alu::UBfe, 1)?,
            Op::BitCount => {
                let w = self.result_width(i)?;
                self.map_operand(i, |t, a| {
                    let n = t.apply(i, Alu::BitCount, Width::B32, &[a])?;
                    Ok(t.b.alu(Alu::UConvert, w, &[n]))
                })?
            }
            Op::Ordered | Op::Unordered | Op::LessOrGreater => self.ordered(i)?,
            // The operands are exchanged: IR has the less-than forms only.
            Op::UGreaterThan => self.map_operands(i, |t, a, b| t.apply(i, Alu::ULt, Width::B1, &[b, a]))?,
            Op::UGreaterThanEqual => self.map_operands(i, |t, a, b| t.apply(i, Alu::ULe, Width::B1, &[b, a]))?,
            Op::SGreaterThan => self.map_operands(i, |t, a, b| t.apply(i, Alu::SLt, Width::B1, &[b, a]))?,
            Op::SGreaterThanEqual => self.map_operands(i, |t, a, b| t.apply(i, Alu::SLe, Width::B1, &[b, a]))?,
            Op::IAddCarry => self.two_results(i, Alu::IAdd, Alu::UAddCarry)?,
            Op::ISubBorrow => self.two_results(i, Alu::ISub, Alu::USubBorrow)?,
            Op::UMulExtended => self.two_results(i, Alu::IMul, Alu::UMulHi)?,
            Op::SMulExtended => self.two_results(i, Alu::IMul, Alu::SMulHi)?,
            Op::Any => [self.all_of(i, Alu::Or)?].into(),
            Op::All => [self.all_of(i, Alu::And)?].into(),
            Op::Select => return self.select_operand(i).map(Some),
            Op::QuantizeToF16 => self.map_operand(i, |t, x| {
                let h = t.apply(i, Alu::FConvert, Width::B16, &[x])?;
                let x = t.b.alu(Alu::FConvert, Width::B32, &[h]);
                // What is too small for a normal half is a zero of its sign.
                let (rest, top, least) = (t.b.u32(0x7fff_ffff), t.b.u32(0x8000_0000), t.b.u32(0x3880_0000));
                let magnitude = t.b.alu(Alu::And, Width::B32, &[x, rest]);
                let small = t.b.alu(Alu::ULt, Width::B1, &[magnitude, least]);
                let zero = t.b.alu(Alu::And, Width::B32, &[x, top]);
                Ok(t.b.select(small, zero, x))
            })?,
            Op::Bitcast => self.bitcast(i)?,
            Op::ConvertPtrToU | Op::ConvertUToPtr => {
                let v = self.operand_flat(i, 0)?;
                let w = self.result_width(i)?;
                [self.apply(i, Alu::UConvert, w, &[v[0]])?].into()
            }
            Op::CopyObject | Op::CopyLogical | Op::ExpectKHR => {
                let id = self.arg(i, 0)?;
                return Ok(Some(match self.operand(i, id)? {
                    // Still where it was loaded from, in the layout that its own type says.
                    Operand::Stored(p) if p.layout.explicit => Operand::Stored(p),
                    // The same scalars in the same order and, in private memory, at the same places.
                    Operand::Stored(p) => Operand::Stored(Pointer { pointee: i.ty, ..p }),
                    other => other,
                }));
            }
            Op::PtrEqual | Op::PtrNotEqual | Op::PtrDiff => return self.compare_pointers(i).map(Some),
            Op::Undef if self.large(i.ty) => return Ok(Some(Operand::Null)),
            Op::Undef => {
                let widths = self.types.widths(i.ty);
                widths.into_iter().map(|w| self.b.undef(w)).collect()
            }
            Op::ExtInst => match self.m.ext_sets.get(&self.arg(i, 0)?) {
                Some(ExtSet::Glsl) => self.glsl(i)?,
                _ => return Err(self.unsupported(i, "this extended instruction set")),
            },
            Op::AccessChain | Op::InBoundsAccessChain | Op::PtrAccessChain | Op::InBoundsPtrAccessChain => {
                return self.access_chain(i).map(|p| Some(Operand::Pointer(p)));
            }
            _ => return Ok(None),
        };
        self.flat_result(i, flat).map(Some)
    }

    /// `flat` as the result, if it has as many scalars as the type says.
    pub fn flat_result(&self, i: &Instr<'_>, flat: Rc<[Value]>) -> Result<Operand> {
        if flat.len() != self.types.count(i.ty) as usize {
            return Err(self.malformed(i, format!("{} scalars for a result of {}", flat.len(), self.types.count(i.ty))));
        }
        Ok(Operand::Flat(flat))
    }

    /// The width of the result's components.
    fn result_width(&self, i: &Instr<'_>) -> Result<Width> {
        self.types.scalar_width(i.ty).ok_or_else(|| self.malformed(i, "the result is no scalar or vector"))
    }

    /// `f` of each component of the one operand.
    fn map_operand(
        &mut self,
        i: &Instr<'_>,
        mut f: impl FnMut(&mut Self, Value) -> Result<Value>,
    ) -> Result<Rc<[Value]>> {
        let v = self.operand_flat(i, 0)?;
        v.iter().map(|&x| f(self, x)).collect()
    }

    /// `f` of each component of the first two operands.
    fn map_operands(
        &mut self,
        i: &Instr<'_>,
        mut f: impl FnMut(&mut Self, Value, Value) -> Result<Value>,
    ) -> Result<Rc<[Value]>> {
        let (a, b) = (self.operand_flat(i, 0)?, self.operand_flat(i, 1)?);
        self.same_length(i, &a, &b)?;
        a.iter().zip(&*b).map(|(&a, &b)| f(self, a, b)).collect()
    }

    /// `alu` of each component of all operands.
    fn componentwise(&mut self, i: &Instr<'_>, alu: Alu) -> Result<Rc<[Value]>> {
        let w = self.result_width(i)?;
        let mut operands = Vec::new();
        for n in 0..alu.arity() {
            operands.push(self.operand_flat(i, n)?);
        }
        let len = self.types.count(i.ty) as usize;
        if operands.iter().any(|o| o.len() != len) {
            return Err(self.malformed(i, "operands and result have different numbers of components"));
        }
        let alu = match operands.first().and_then(|o| o.first()) {
            Some(&v) if alu == Alu::FConvert => self.rounded_conversion(i, self.b.width(v), w)?,
            _ => alu,
        };
        let mut out = Vec::with_capacity(len);
        for c in 0..len {
            let args: Vec<Value> = operands.iter().map(|o| o[c]).collect();
            out.push(self.apply(i, alu, w, &args)?);
        }
        Ok(out.into())
    }

    /// A shift: the distance may have a width of its own.
    fn shift(&mut self, i: &Instr<'_>, alu: Alu) -> Result<Rc<[Value]>> {
        let w = self.result_width(i)?;
        self.map_operands(i, |t, a, n| {
            let n = t.b.to_u32(n);
            t.apply(i, alu, w, &[a, n])
        })
    }

    /// A bit field of each component of the first `vectors` operands; offset and size are scalars.
    fn bit_field(&mut self, i: &Instr<'_>, alu: Alu, vectors: usize) -> Result<Rc<[Value]>> {
        let w = self.result_width(i)?;
        let mut operands = Vec::new();
        for n in 0..vectors {
            operands.push(self.operand_flat(i, n)?);
        }
        let (offset, count) = (self.arg(i, vectors)?, self.arg(i, vectors + 1)?);
        let (offset, count) = (self.scalar(i, offset)?, self.scalar(i, count)?);
        let (offset, count) = (self.b.to_u32(offset), self.b.to_u32(count));
        let mut out = Vec::new();
        for c in 0..operands[0].len() {
            let mut args: Vec<Value> = operands.iter().filter_map(|o| o.get(c)).copied().collect();
            args.extend([offset, count]);
            out.push(self.apply(i, alu, w, &args)?);
        }
        Ok(out.into())
    }

    /// Ordered: neither is NaN; x == x says that of one.
    fn ordered(&mut self, i: &Instr<'_>) -> Result<Rc<[Value]>> {
        self.map_operands(i, |t, a, b| {
            if i.op == Op::LessOrGreater {
                return t.apply(i, Alu::FOrdNe, Width::B1, &[a, b]);
            }
            let x = t.apply(i, Alu::FIsNan, Width::B1, &[a])?;
            let y = t.apply(i, Alu::FIsNan, Width::B1, &[b])?;
            let any = t.b.alu(Alu::Or, Width::B1, &[x, y]);
            Ok(if i.op == Op::Ordered { t.b.alu(Alu::Not, Width::B1, &[any]) } else { any })
        })
    }

    /// A structure of the low and the high part, each a vector.
    fn two_results(&mut self, i: &Instr<'_>, low: Alu, high: Alu) -> Result<Rc<[Value]>> {
        let (a, b) = (self.operand_flat(i, 0)?, self.operand_flat(i, 1)?);
        self.same_length(i, &a, &b)?;
        let mut out = Vec::new();
        for alu in [low, high] {
            for (&a, &b) in a.iter().zip(&*b) {
                let w = self.b.width(a);
                out.push(self.apply(i, alu, w, &[a, b])?);
            }
        }
        Ok(out.into())
    }

    /// `alu` over the components of a vector of booleans.
    fn all_of(&mut self, i: &Instr<'_>, alu: Alu) -> Result<Value> {
        let v = self.operand_flat(i, 0)?;
        let mut x = v[0];
        for &y in &v[1..] {
            x = self.apply(i, alu, Width::B1, &[x, y])?;
        }
        Ok(x)
    }

    /// One of two values, pointers and composites in memory included.
    fn select_operand(&mut self, i: &Instr<'_>) -> Result<Operand> {
        let (c, a, b) = (self.operand_flat(i, 0)?, self.arg(i, 1)?, self.arg(i, 2)?);
        let (x, y) = (self.operand(i, a)?, self.operand(i, b)?);
        if let (Operand::Pointer(p), Operand::Pointer(q)) = (&x, &y)
            && let Some(p) = self.select_pointer(i, c[0], p, q)?
        {
            return Ok(Operand::Pointer(p));
        }
        if self.large(i.ty) {
            return self.select_large(i, c[0], &x, &y);
        }
        let (a, b) = (self.flat(i, a)?, self.flat(i, b)?);
        self.same_length(i, &a, &b)?;
        if c.len() != 1 {
            self.same_length(i, &a, &c)?;
        }
        let mut out = Vec::new();
        for n in 0..a.len() {
            let w = self.b.width(a[n]);
            out.push(self.apply(i, Alu::Select, w, &[c[if c.len() == 1 { 0 } else { n }], a[n], b[n]])?);
        }
        self.flat_result(i, out.into())
    }

    pub fn same_length(&self, i: &Instr<'_>, a: &[Value], b: &[Value]) -> Result<()> {
        if a.len() == b.len() {
            Ok(())
        } else {
            Err(self.malformed(i, "operands have different numbers of components"))
        }
    }

    fn bitcast(&mut self, i: &Instr<'_>) -> Result<Rc<[Value]>> {
        let v = self.operand_flat(i, 0)?;
        let to = self.types.scalar_width(i.ty).ok_or_else(|| self.malformed(i, "the result is no scalar or vector"))?;
        let from = self.b.width(v[0]);
        if from == to {
            return Ok(v);
        }
        if from == Width::B1 || from.is_descriptor() || to == Width::B1 {
            return Err(self.malformed(i, "a boolean has no bits"));
        }
        let mut out = Vec::new();
        if from.bits() > to.bits() {
            for &x in &*v {
                for part in 0..from.bits() / to.bits() {
                    let n = self.b.u32(part * to.bits());
                    out.push(match (from, to, part) {
                        (Width::B64, Width::B32, 0) => self.b.alu(Alu::Lo32, to, &[x]),
                        (Width::B64, Width::B32, _) => self.b.alu(Alu::Hi32, to, &[x]),
                        _ => {
                            let y = self.b.alu(Alu::UShr, from, &[x, n]);
                            self.b.alu(Alu::UConvert, to, &[y])
                        }
                    });
                }
            }
        } else {
            for group in v.chunks((to.bits() / from.bits()) as usize) {
                let mut whole = self.b.constant(to, 0);
                if let (Width::B32, Width::B64, &[lo, hi]) = (from, to, group) {
                    out.push(self.b.alu(Alu::Pack64, to, &[lo, hi]));
                    continue;
                }
                for (part, &x) in group.iter().enumerate() {
                    let n = self.b.u32(part as u32 * from.bits());
                    let wide = self.b.alu(Alu::UConvert, to, &[x]);
                    let placed = self.b.alu(Alu::Shl, to, &[wide, n]);
                    whole = self.b.alu(Alu::Or, to, &[whole, placed]);
                }
                out.push(whole);
            }
        }
        Ok(out.into())
    }
}
