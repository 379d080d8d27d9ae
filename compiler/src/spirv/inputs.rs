//! What the launch gives a work-item: builtin variables, and the size of its work-group.

use super::module::{Entry, Instr};
use super::operand::Pointer;
use super::translate::{DerivativeGroup, Translator};
use crate::error::{CompileError, ErrorKind, Result};
use crate::ir::{Alu, Builtin, Value, Width};
use spirv::{BuiltIn, ExecutionMode};
use std::rc::Rc;
use wavepipe_hw::machine::most;

impl Translator<'_> {
    /// The work-group size of `entry`, from its execution modes or the WorkgroupSize builtin.
    pub fn workgroup(&mut self, entry: &Entry) -> Result<[u32; 3]> {
        let builtin = self.workgroup;
        let declared = self.m.sized_by_constant;
        let mut size = builtin;
        for n in 0..self.m.modes.len() {
            let (function, mode, args, i) = self.m.modes[n];
            if function != entry.function || declared {
                continue;
            }
            match (mode, args) {
                (ExecutionMode::LocalSize, &[x, y, z]) => size = [x, y, z],
                (ExecutionMode::LocalSizeId, &[x, y, z]) => {
                    for (n, id) in [x, y, z].into_iter().enumerate() {
                        size[n] = self.literal(&i, id)? as u32;
                    }
                }
                _ => {}
            }
        }
        let most = most::WORKGROUP_ITEMS as u32;
        if size.contains(&0) || size.iter().try_fold(1u32, |a, &b| a.checked_mul(b)).is_none_or(|n| n > most) {
            return Err(CompileError {
                kind: ErrorKind::Resource,
                site: None,
                message: format!("a work-group of {size:?} work-items; 1 to {most} in all are possible"),
            });
        }
        self.workgroup = size;
        self.b.kernel.workgroup = size;
        self.derivatives = self.derivative_group(entry, size)?;
        Ok(size)
    }

    pub fn load_input(&mut self, i: &Instr<'_>, input: BuiltIn, p: &Pointer) -> Result<Rc<[Value]>> {
        let all = self.input(i, input)?;
        if self.types.count(p.pointee) as usize == all.len() {
            return Ok(all.into());
        }
        match p.dynamic {
            None => match all.get(p.offset as usize / 4) {
                Some(&v) => Ok([v].into()),
                // Outside of it any value will do.
                None => Ok([self.b.u32(0)].into()),
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
                if self.derivatives == Some(DerivativeGroup::Quads) {
                    // Not the lane's number.
                    let id = self.local_id();
                    let (width, height) = (self.b.u32(size[0]), self.b.u32(size[1]));
                    let rows = self.b.imul(id[2], height);
                    let rows = self.b.iadd(rows, id[1]);
                    let before = self.b.imul(rows, width);
                    return Ok(vec![self.b.iadd(before, id[0])]);
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
        let mut id: Vec<Value> = (0..3u8)
            .map(|n| match self.workgroup[usize::from(n)] {
                1 => self.b.u32(0),
                _ => self.b.builtin(Builtin::LocalInvocationId(n)),
            })
            .collect();
        if self.derivatives == Some(DerivativeGroup::Quads) {
            self.in_quads(&mut id);
        }
        id
    }
}
