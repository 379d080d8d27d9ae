//! Composites as lists of scalars: put together, taken apart and shuffled. Those too large for that go to
//! [`super::composite`].

use super::module::Instr;
use super::operand::Operand;
use super::translate::Translator;
use crate::error::Result;
use crate::ir::{Alu, Value, Width};
use spirv::Op;
use std::rc::Rc;

impl Translator<'_> {
    /// The result of an instruction on composites; None if `i` is none.
    pub fn composite(&mut self, i: &Instr<'_>) -> Result<Option<Operand>> {
        let flat: Rc<[Value]> = match i.op {
            Op::CompositeConstruct if self.large(i.ty) => return self.construct(i, i.args).map(Some),
            Op::CompositeConstructReplicateEXT => {
                let parts = vec![self.arg(i, 0)?; self.types.elements(i.ty) as usize];
                if self.large(i.ty) {
                    return self.construct(i, &parts).map(Some);
                }
                let v = self.operand_flat(i, 0)?;
                parts.iter().flat_map(|_| v.iter().copied()).collect()
            }
            Op::CompositeConstruct => {
                let mut out = Vec::new();
                for &part in i.args {
                    out.extend(self.flat(i, part)?.iter());
                }
                out.into()
            }
            Op::CompositeExtract => {
                let whole = self.arg(i, 0)?;
                let whole = self.operand(i, whole)?;
                if matches!(whole, Operand::Stored(_) | Operand::Null) {
                    return self.extract(i, &whole, &i.args[1..]).map(Some);
                }
                let (v, ty) = (self.operand_flat(i, 0)?, self.type_of(i, self.arg(i, 0)?)?);
                let (at, ty) = self.path(i, ty, &i.args[1..])?;
                let count = self.types.count(ty) as usize;
                v.get(at..at + count).ok_or_else(|| self.malformed(i, "no such component"))?.into()
            }
            Op::CompositeInsert if self.large(i.ty) => {
                let (part, whole) = (self.arg(i, 0)?, self.arg(i, 1)?);
                let (part, whole) = (self.operand(i, part)?, self.operand(i, whole)?);
                return self.insert(i, &part, &whole, i.args.get(2..).unwrap_or(&[])).map(Some);
            }
            Op::CompositeInsert => {
                let (part, whole, ty) =
                    (self.operand_flat(i, 0)?, self.operand_flat(i, 1)?, self.type_of(i, self.arg(i, 1)?)?);
                let (at, _) = self.path(i, ty, &i.args[2..])?;
                let mut out = whole.to_vec();
                match out.get_mut(at..at + part.len()) {
                    Some(slot) => slot.copy_from_slice(&part),
                    None => return Err(self.malformed(i, "no such component")),
                }
                out.into()
            }
            Op::VectorExtractDynamic => {
                self.check_component(i, self.arg(i, 0)?, self.arg(i, 1)?)?;
                let (v, n) = (self.operand_flat(i, 0)?, self.operand_flat(i, 1)?);
                [self.pick(&v, n[0])].into()
            }
            Op::VectorInsertDynamic => {
                self.check_component(i, self.arg(i, 0)?, self.arg(i, 2)?)?;
                let (v, x, n) = (self.operand_flat(i, 0)?, self.operand_flat(i, 1)?, self.operand_flat(i, 2)?);
                let n = self.b.to_u32(n[0]);
                let mut out = Vec::new();
                for (k, &old) in v.iter().enumerate() {
                    let k = self.b.u32(k as u32);
                    let hit = self.b.alu(Alu::IEq, Width::B1, &[n, k]);
                    let w = self.b.width(old);
                    out.push(self.apply(i, Alu::Select, w, &[hit, x[0], old])?);
                }
                out.into()
            }
            Op::VectorShuffle => {
                let (a, b) = (self.operand_flat(i, 0)?, self.operand_flat(i, 1)?);
                let mut out = Vec::new();
                for &n in &i.args[2..] {
                    let n = if n == u32::MAX { 0 } else { n as usize };
                    match a.iter().chain(b.iter()).nth(n) {
                        Some(&v) => out.push(v),
                        None => return Err(self.malformed(i, "no such component")),
                    }
                }
                out.into()
            }
            _ => return Ok(None),
        };
        self.flat_result(i, flat).map(Some)
    }

    /// Flat position and type of the component that literal indexes name.
    fn path(&self, i: &Instr<'_>, mut ty: u32, indexes: &[u32]) -> Result<(usize, u32)> {
        let mut at = 0;
        for &n in indexes {
            let Some(elem) = self.types.element(ty, n) else {
                return Err(self.malformed(i, format!("no component {n}")));
            };
            at += self.types.flat_index(ty, n) as usize;
            ty = elem;
        }
        Ok((at, ty))
    }
}
