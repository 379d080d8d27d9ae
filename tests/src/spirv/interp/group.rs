//! Instructions of a subgroup, which all of its work-items that have not ended reach together.

use super::alu::{self, Kind, Scalar};
use super::value::Value;
use super::{Fault, Item, Program, WorkItemState};
use rspirv::spirv::{GlslStd450Op as GLOp, GroupOperation, Op};

pub fn is_group(op: Op) -> bool {
    (Op::GroupNonUniformElect as u32..=Op::GroupNonUniformQuadSwap as u32).contains(&(op as u32))
}

/// Combines two numbers.
fn combine(op: Op, ty: Scalar, x: u64, y: u64) -> Option<u64> {
    let plain = |op| alu::scalar(op, ty, ty, &[x, y]);
    let extended = |op| alu::glsl(op, ty, &[x, y]);
    match op {
        Op::GroupNonUniformIAdd => plain(Op::IAdd),
        Op::GroupNonUniformIMul => plain(Op::IMul),
        Op::GroupNonUniformBitwiseAnd | Op::GroupNonUniformLogicalAnd => plain(Op::BitwiseAnd),
        Op::GroupNonUniformBitwiseOr | Op::GroupNonUniformLogicalOr => plain(Op::BitwiseOr),
        Op::GroupNonUniformBitwiseXor | Op::GroupNonUniformLogicalXor => plain(Op::BitwiseXor),
        Op::GroupNonUniformSMin => extended(GLOp::SMin),
        Op::GroupNonUniformSMax => extended(GLOp::SMax),
        Op::GroupNonUniformUMin => extended(GLOp::UMin),
        Op::GroupNonUniformUMax => extended(GLOp::UMax),
        _ => None,
    }
}

/// What an exclusive scan begins with.
fn identity(op: Op, ty: Scalar) -> u64 {
    let all = alu::cut(ty.bits, u64::MAX);
    match op {
        Op::GroupNonUniformIMul => 1,
        Op::GroupNonUniformBitwiseAnd | Op::GroupNonUniformLogicalAnd | Op::GroupNonUniformUMin => all,
        Op::GroupNonUniformSMin => all >> 1,
        Op::GroupNonUniformSMax => 1 << (ty.bits - 1),
        _ => 0,
    }
}

impl Program<'_> {
    /// Does the instruction that the items of a subgroup wait at, and lets them go on.
    pub(super) fn subgroup(&self, items: &mut [Item], size: u32) -> Result<(), Fault> {
        let mut live: Vec<&mut Item> = items.iter_mut().filter(|i| i.state != WorkItemState::Done).collect();
        let i = live.first().and_then(|item| self.at(item)).ok_or_else(|| Fault::new("no instruction"))?;
        // The same instruction at the same depth: its identity is its address.
        let here =
            |item: &Item| self.at(item).is_some_and(|x| std::ptr::eq(x, i)) && item.state == WorkItemState::Subgroup;
        if !live.iter().all(|item| here(item)) {
            return Err(Fault::new("a subgroup that has diverged"));
        }
        let a = &i.args;
        let get = |id: u32| live.iter().map(|item| self.operand(item, id)).collect::<Result<Vec<Value>, Fault>>();
        let bit = |b: bool| Value::Bits(u64::from(b));
        let n = live.len();
        let results: Vec<Value> = match i.op {
            Op::GroupNonUniformElect => (0..n).map(|k| bit(k == 0)).collect(),
            Op::GroupNonUniformAll => vec![bit(get(a[1])?.iter().all(|v| v.bits() != 0)); n],
            Op::GroupNonUniformAny => vec![bit(get(a[1])?.iter().any(|v| v.bits() != 0)); n],
            Op::GroupNonUniformAllEqual => {
                let v = get(a[1])?;
                vec![bit(v.iter().all(|x| *x == v[0])); n]
            }
            Op::GroupNonUniformBroadcastFirst => vec![get(a[1])?[0].clone(); n],
            Op::GroupNonUniformBroadcast | Op::GroupNonUniformShuffle | Op::GroupNonUniformShuffleXor => {
                let (v, by) = (get(a[1])?, get(a[2])?);
                let from = |k: usize| {
                    let lane = by[k].bits() as u32;
                    let own = live[k].index % size;
                    let lane = if i.op == Op::GroupNonUniformShuffleXor { lane ^ own } else { lane };
                    let source = live.iter().position(|item| item.index % size == lane);
                    source.map(|s| v[s].clone()).ok_or_else(|| Fault::new("a value of a lane that is not there"))
                };
                (0..n).map(from).collect::<Result<_, _>>()?
            }
            Op::GroupNonUniformBallot => {
                let mut words = [0u64; 4];
                for (item, v) in live.iter().zip(get(a[1])?) {
                    let lane = item.index % size;
                    words[lane as usize / 32] |= v.bits() << (lane % 32);
                }
                vec![Value::Many(words.map(Value::Bits).to_vec()); n]
            }
            op => {
                let ty = self.scalar_type(i.ty)?;
                let kind = GroupOperation::from_u32(a[1]);
                if ty.kind == Kind::Float {
                    return Err(Fault::new("a sum of floats in an order that is not told"));
                }
                let v: Vec<Vec<u64>> = get(a[2])?.iter().map(|v| v.parts().iter().map(Value::bits).collect()).collect();
                let components = v[0].len();
                let mut out = vec![vec![0; components]; n];
                for c in 0..components {
                    let mut sum = identity(op, ty);
                    for k in 0..n {
                        let before = sum;
                        sum = combine(op, ty, sum, v[k][c]).ok_or_else(|| Fault::new(format!("Op{op:?}")))?;
                        out[k][c] = if kind == Some(GroupOperation::ExclusiveScan) { before } else { sum };
                    }
                    match kind {
                        Some(GroupOperation::Reduce) => out.iter_mut().for_each(|o| o[c] = sum),
                        Some(GroupOperation::InclusiveScan | GroupOperation::ExclusiveScan) => {}
                        _ => return Err(Fault::new("this group operation")),
                    }
                }
                let value = |o: Vec<u64>| match o.as_slice() {
                    [one] => Value::Bits(*one),
                    all => Value::Many(all.iter().map(|&b| Value::Bits(b)).collect()),
                };
                out.into_iter().map(value).collect()
            }
        };
        let id = i.id;
        for (item, v) in live.iter_mut().zip(results) {
            self.set(item, id, v)?;
            item.state = WorkItemState::Ready;
        }
        Ok(())
    }
}
