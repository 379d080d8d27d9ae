//! Derivatives: differences within a quad, which is four lanes in a row.
//!
//! ```text
//! 0 1   d/dx of the quad: 1 − 0 (coarse), of each of its rows (fine)
//! 2 3   d/dy of the quad: 2 − 0 (coarse), of each of its columns (fine)
//! ```
//! What these lanes are in the work-group its derivative group says: four in the order of LocalInvocationIndex, or 2×2 in x
//! and y. As lanes come row by row, the latter gives the places of two rows out anew, quad by quad.

use super::module::{Entry, Instr};
use super::operand::Operand;
use super::translate::{DerivativeGroup, Translator};
use crate::error::{CompileError, ErrorKind, Result};
use crate::ir::{self, Alu, Builtin, Subgroup, Value, Width};
use spirv::{ExecutionMode, Op};

/// The bit of a lane's number that tells neighbours apart.
#[derive(Clone, Copy)]
enum Axis {
    X = 1,
    Y = 2,
}

impl Translator<'_> {
    /// The derivative group of `entry`, whose work-groups have `size` work-items.
    ///
    /// # Errors
    /// Such work-groups are not made of quads.
    pub fn derivative_group(&self, entry: &Entry, size: [u32; 3]) -> Result<Option<DerivativeGroup>> {
        let group = self.m.modes.iter().filter(|(function, ..)| *function == entry.function);
        let group = group.fold(None, |group, (_, mode, ..)| match mode {
            ExecutionMode::DerivativeGroupQuadsKHR => Some(DerivativeGroup::Quads),
            ExecutionMode::DerivativeGroupLinearKHR => Some(DerivativeGroup::Linear),
            _ => group,
        });
        let whole = match group {
            Some(DerivativeGroup::Quads) => size[0].is_multiple_of(2) && size[1].is_multiple_of(2),
            Some(DerivativeGroup::Linear) => size.iter().product::<u32>().is_multiple_of(4),
            None => true,
        };
        if whole {
            return Ok(group);
        }
        let message = format!("a work-group of {size:?} work-items, which has derivatives, is not made of quads");
        Err(CompileError { kind: ErrorKind::Malformed, site: None, message })
    }

    /// LocalInvocationId of a lane whose number says `id`.
    pub fn in_quads(&mut self, id: &mut [Value]) {
        let one = self.b.u32(1);
        let odd = self.b.u32(!1);
        let place = |t: &mut Self, op, a: Value, b| t.b.alu(op, Width::B32, &[a, b]);
        let (x, y) = (id[0], id[1]);
        // In two rows, quads of four are two wide: the pairs of the first row go to the left half, those of the second to the
        // right half of the two rows.
        let width = self.b.u32(self.workgroup[0]);
        let row = place(self, Alu::And, y, one);
        let start = self.b.imul(row, width);
        let lane = self.b.iadd(start, x);
        let half = place(self, Alu::UShr, lane, one);
        let (pair, right) = (place(self, Alu::And, half, odd), place(self, Alu::And, lane, one));
        let (rows, below) = (place(self, Alu::And, y, odd), place(self, Alu::And, half, one));
        id[0] = place(self, Alu::Or, pair, right);
        id[1] = place(self, Alu::Or, rows, below);
    }

    /// True if `i` is a derivative that this shader has.
    pub fn derivative(&mut self, i: &Instr<'_>) -> Result<bool> {
        let axes: &[Axis] = match i.op {
            Op::DPdx | Op::DPdxFine | Op::DPdxCoarse => &[Axis::X],
            Op::DPdy | Op::DPdyFine | Op::DPdyCoarse => &[Axis::Y],
            Op::Fwidth | Op::FwidthFine | Op::FwidthCoarse => &[Axis::X, Axis::Y],
            _ => return Ok(false),
        };
        if self.derivatives.is_none() {
            return Ok(false);
        }
        let fine = matches!(i.op, Op::DPdxFine | Op::DPdyFine | Op::FwidthFine);
        let id = self.arg(i, 0)?;
        if !self.types.is_float(self.type_of(i, id)?) {
            return Err(self.malformed(i, "the operand is no float"));
        }
        let v = self.flat(i, id)?;
        let mut out = Vec::with_capacity(v.len());
        for &v in &*v {
            let changes: Vec<Value> = axes.iter().map(|&axis| self.change(v, axis, fine)).collect();
            out.push(match changes[..] {
                [dx, dy] => {
                    let w = self.b.width(v);
                    let [dx, dy] = [dx, dy].map(|d| self.b.alu(Alu::FAbs, w, &[d]));
                    self.b.alu(Alu::FAdd, w, &[dx, dy])
                }
                _ => changes[0],
            });
        }
        self.define(i, Operand::Flat(out.into()))?;
        Ok(true)
    }

    /// How `v` changes along an axis.
    fn change(&mut self, v: Value, axis: Axis, fine: bool) -> Value {
        let w = self.b.width(v);
        let neighbour = self.across(v, axis);
        let second = self.is_second(axis);
        let (from, to) = (self.b.select(second, neighbour, v), self.b.select(second, v, neighbour));
        let change = self.b.alu(Alu::FSub, w, &[to, from]);
        if fine {
            return change;
        }
        // That of the first row or column holds for both.
        let other = match axis {
            Axis::X => Axis::Y,
            Axis::Y => Axis::X,
        };
        let first = self.across(change, other);
        let second = self.is_second(other);
        self.b.select(second, first, change)
    }

    /// The neighbour's value.
    fn across(&mut self, v: Value, axis: Axis) -> Value {
        let (w, mask) = (self.b.width(v), self.b.u32(axis as u32));
        self.b.inst(ir::Op::Subgroup(Subgroup::ShuffleXor), vec![v, mask], &[w])[0]
    }

    /// Whether this is the right or lower of two neighbours.
    fn is_second(&mut self, axis: Axis) -> Value {
        let (lane, bit, zero) = (self.b.builtin(Builtin::SubgroupInvocationId), self.b.u32(axis as u32), self.b.u32(0));
        let bit = self.b.alu(Alu::And, Width::B32, &[lane, bit]);
        self.b.alu(Alu::INe, Width::B1, &[bit, zero])
    }
}
