//! Operations across the subgroup.

use super::module::Instr;
use super::translate::{Operand, Translator};
use crate::error::Result;
use crate::ir::{self, Alu, Builtin, ReduceKind, ReduceOp, Subgroup, Value, Width};
use spirv::{BuiltIn, GroupOperation, Op};

impl Translator<'_> {
    fn subgroup(&mut self, op: Subgroup, args: Vec<Value>, width: Width) -> Value {
        self.b.inst(ir::Op::Subgroup(op), args, &[width])[0]
    }

    /// The lanes below the own one: (1 << lane) − 1 as (low, high) words.
    fn lanes_below(&mut self) -> [Value; 2] {
        let lane = self.b.builtin(Builtin::SubgroupInvocationId);
        let one = self.b.u32(1);
        if self.wave == 32 {
            let bit = self.b.alu(Alu::Shl, Width::B32, &[one, lane]);
            let below = self.b.alu(Alu::ISub, Width::B32, &[bit, one]);
            return [below, self.b.u32(0)];
        }
        let (zero, ones, n32) = (self.b.u32(0), self.b.u32(u32::MAX), self.b.u32(32));
        let bit = self.b.alu(Alu::Shl, Width::B32, &[one, lane]);
        let below = self.b.alu(Alu::ISub, Width::B32, &[bit, one]);
        let low = self.b.alu(Alu::ULt, Width::B1, &[lane, n32]);
        [self.b.select(low, below, ones), self.b.select(low, zero, below)]
    }

    /// A SubgroupEqMask and its kin: four words.
    pub fn subgroup_mask(&mut self, mask: BuiltIn) -> Vec<Value> {
        let below = self.lanes_below();
        let all = if self.wave == 32 { [u32::MAX, 0] } else { [u32::MAX; 2] };
        let lane = self.b.builtin(Builtin::SubgroupInvocationId);
        let one = self.b.u32(1);
        let bit = self.b.alu(Alu::Shl, Width::B32, &[one, lane]);
        let n32 = self.b.u32(32);
        let zero = self.b.u32(0);
        let low = if self.wave == 32 { self.b.bool(true) } else { self.b.alu(Alu::ULt, Width::B1, &[lane, n32]) };
        let own = [self.b.select(low, bit, zero), self.b.select(low, zero, bit)];
        let mut out: Vec<Value> = (0..2)
            .map(|n| {
                let all = self.b.u32(all[n]);
                let upto = self.b.alu(Alu::Or, Width::B32, &[below[n], own[n]]);
                match mask {
                    BuiltIn::SubgroupEqMask => own[n],
                    BuiltIn::SubgroupLtMask => below[n],
                    BuiltIn::SubgroupLeMask => upto,
                    _ => {
                        let part = if mask == BuiltIn::SubgroupGeMask { below[n] } else { upto };
                        let not = self.b.alu(Alu::Not, Width::B32, &[part]);
                        self.b.alu(Alu::And, Width::B32, &[not, all])
                    }
                }
            })
            .collect();
        out.extend([zero, zero]);
        out
    }

    /// True if `i` is a subgroup operation.
    pub fn group(&mut self, i: &Instr<'_>) -> Result<bool> {
        let reduce = match i.op {
            Op::GroupNonUniformIAdd => Some(ReduceOp::IAdd),
            Op::GroupNonUniformFAdd => Some(ReduceOp::FAdd),
            Op::GroupNonUniformIMul => Some(ReduceOp::IMul),
            Op::GroupNonUniformFMul => Some(ReduceOp::FMul),
            Op::GroupNonUniformSMin => Some(ReduceOp::SMin),
            Op::GroupNonUniformUMin => Some(ReduceOp::UMin),
            Op::GroupNonUniformFMin => Some(ReduceOp::FMin),
            Op::GroupNonUniformSMax => Some(ReduceOp::SMax),
            Op::GroupNonUniformUMax => Some(ReduceOp::UMax),
            Op::GroupNonUniformFMax => Some(ReduceOp::FMax),
            Op::GroupNonUniformBitwiseAnd | Op::GroupNonUniformLogicalAnd => Some(ReduceOp::And),
            Op::GroupNonUniformBitwiseOr | Op::GroupNonUniformLogicalOr => Some(ReduceOp::Or),
            Op::GroupNonUniformBitwiseXor | Op::GroupNonUniformLogicalXor => Some(ReduceOp::Xor),
            _ => None,
        };
        if let Some(op) = reduce {
            let kind = self.arg(i, 1)?;
            let mut cluster = 0;
            let kind = match GroupOperation::from_u32(kind) {
                Some(GroupOperation::Reduce) => ReduceKind::Reduce,
                Some(GroupOperation::InclusiveScan) => ReduceKind::InclusiveScan,
                Some(GroupOperation::ExclusiveScan) => ReduceKind::ExclusiveScan,
                Some(GroupOperation::ClusteredReduce) => {
                    let id = self.arg(i, 3)?;
                    cluster = self.literal(i, id)? as u32;
                    if !cluster.is_power_of_two() {
                        return Err(self.malformed(i, "the cluster size is no power of two"));
                    }
                    // A cluster as large as the subgroup is the subgroup.
                    if cluster >= self.wave {
                        cluster = 0;
                    }
                    ReduceKind::Reduce
                }
                _ => return Err(self.unsupported(i, "this group operation")),
            };
            let v = self.operand_flat(i, 2)?;
            return self.each(i, &v, |t, v| {
                let w = t.b.width(v);
                t.subgroup(Subgroup::Reduce { op, kind, cluster }, vec![v], w)
            });
        }
        match i.op {
            Op::GroupNonUniformElect => {
                let v = self.subgroup(Subgroup::Elect, vec![], Width::B1);
                self.define(i, Operand::Flat([v].into()))?;
            }
            Op::GroupNonUniformAll | Op::GroupNonUniformAny | Op::SubgroupAllKHR | Op::SubgroupAnyKHR => {
                let n = usize::from(matches!(i.op, Op::GroupNonUniformAll | Op::GroupNonUniformAny));
                let id = self.arg(i, n)?;
                let v = self.scalar(i, id)?;
                if self.b.width(v) != Width::B1 {
                    return Err(self.malformed(i, "the operand is no boolean"));
                }
                let op = if matches!(i.op, Op::GroupNonUniformAll | Op::SubgroupAllKHR) {
                    Subgroup::All
                } else {
                    Subgroup::Any
                };
                let v = self.subgroup(op, vec![v], Width::B1);
                self.define(i, Operand::Flat([v].into()))?;
            }
            Op::GroupNonUniformAllEqual | Op::SubgroupAllEqualKHR => {
                let v = self.operand_flat(i, usize::from(i.op == Op::GroupNonUniformAllEqual))?;
                let mut all = self.b.bool(true);
                for &v in &*v {
                    let v = if self.b.width(v) == Width::B1 { self.b.to_u32(v) } else { v };
                    let eq = self.subgroup(Subgroup::AllEqual, vec![v], Width::B1);
                    all = self.b.alu(Alu::And, Width::B1, &[all, eq]);
                }
                self.define(i, Operand::Flat([all].into()))?;
            }
            Op::GroupNonUniformBallot | Op::SubgroupBallotKHR => {
                let id = self.arg(i, usize::from(i.op == Op::GroupNonUniformBallot))?;
                let v = self.scalar(i, id)?;
                if self.b.width(v) != Width::B1 {
                    return Err(self.malformed(i, "the operand is no boolean"));
                }
                let v = self.b.inst(ir::Op::Subgroup(Subgroup::Ballot), vec![v], &[Width::B32; 4]);
                self.define(i, Operand::Flat(v.into()))?;
            }
            Op::GroupNonUniformInverseBallot => {
                let v = self.ballot_operand(i, 1)?;
                let v = self.subgroup(Subgroup::InverseBallot, v, Width::B1);
                self.define(i, Operand::Flat([v].into()))?;
            }
            Op::GroupNonUniformBallotBitExtract => {
                let v = self.ballot_operand(i, 1)?;
                let id = self.arg(i, 2)?;
                let n = self.scalar(i, id)?;
                let (five, one, zero) = (self.b.u32(5), self.b.u32(1), self.b.u32(0));
                let word = self.b.alu(Alu::UShr, Width::B32, &[n, five]);
                let word = self.pick(&v, word);
                let bit = self.b.alu(Alu::UShr, Width::B32, &[word, n]);
                let bit = self.b.alu(Alu::And, Width::B32, &[bit, one]);
                let v = self.b.alu(Alu::INe, Width::B1, &[bit, zero]);
                self.define(i, Operand::Flat([v].into()))?;
            }
            Op::GroupNonUniformBallotBitCount => {
                let kind = self.arg(i, 1)?;
                let v = self.ballot_operand(i, 2)?;
                let mut words = [v[0], v[1]];
                let below = self.lanes_below();
                if kind != GroupOperation::Reduce as u32 {
                    for n in 0..2 {
                        let mut mask = below[n];
                        if kind == GroupOperation::InclusiveScan as u32 {
                            // Up to and with the own lane: below · 2 + 1, with the carry into the high word.
                            let (one, n31) = (self.b.u32(1), self.b.u32(31));
                            let up = self.b.alu(Alu::Shl, Width::B32, &[mask, one]);
                            let carry = if n == 0 { one } else { self.b.alu(Alu::UShr, Width::B32, &[below[0], n31]) };
                            mask = self.b.alu(Alu::Or, Width::B32, &[up, carry]);
                        }
                        words[n] = self.b.alu(Alu::And, Width::B32, &[words[n], mask]);
                    }
                }
                let count = words.map(|w| self.b.alu(Alu::BitCount, Width::B32, &[w]));
                let v = if self.wave == 32 { count[0] } else { self.b.iadd(count[0], count[1]) };
                self.define(i, Operand::Flat([v].into()))?;
            }
            Op::GroupNonUniformBallotFindLSB | Op::GroupNonUniformBallotFindMSB => {
                let v = self.ballot_operand(i, 1)?;
                let lsb = i.op == Op::GroupNonUniformBallotFindLSB;
                let alu = if lsb { Alu::FindLsb } else { Alu::FindUMsb };
                let low = self.b.alu(alu, Width::B32, &[v[0]]);
                let out = if self.wave == 32 {
                    low
                } else {
                    let high = self.b.alu(alu, Width::B32, &[v[1]]);
                    let (n32, zero) = (self.b.u32(32), self.b.u32(0));
                    let high = self.b.iadd(high, n32);
                    let prefer = self.b.alu(Alu::INe, Width::B1, &[v[if lsb { 0 } else { 1 }], zero]);
                    if lsb { self.b.select(prefer, low, high) } else { self.b.select(prefer, high, low) }
                };
                self.define(i, Operand::Flat([out].into()))?;
            }
            Op::GroupNonUniformBroadcastFirst | Op::SubgroupFirstInvocationKHR => {
                let v = self.operand_flat(i, usize::from(i.op == Op::GroupNonUniformBroadcastFirst))?;
                return self.each(i, &v, |t, v| t.cross_lane(Subgroup::BroadcastFirst, v, None));
            }
            Op::GroupNonUniformBroadcast
            | Op::GroupNonUniformShuffle
            | Op::GroupNonUniformShuffleXor
            | Op::GroupNonUniformShuffleUp
            | Op::GroupNonUniformShuffleDown
            | Op::SubgroupReadInvocationKHR => {
                let at = usize::from(i.op != Op::SubgroupReadInvocationKHR);
                let v = self.operand_flat(i, at)?;
                let id = self.arg(i, at + 1)?;
                let n = self.scalar(i, id)?;
                let n = self.b.to_u32(n);
                let op = match i.op {
                    Op::GroupNonUniformShuffle => Subgroup::Shuffle,
                    Op::GroupNonUniformShuffleXor => Subgroup::ShuffleXor,
                    Op::GroupNonUniformShuffleUp => Subgroup::ShuffleUp,
                    Op::GroupNonUniformShuffleDown => Subgroup::ShuffleDown,
                    _ => Subgroup::Broadcast,
                };
                return self.each(i, &v, |t, v| t.cross_lane(op, v, Some(n)));
            }
            Op::GroupNonUniformQuadBroadcast => {
                let v = self.operand_flat(i, 1)?;
                let id = self.arg(i, 2)?;
                let n = self.scalar(i, id)?;
                let n = self.b.to_u32(n);
                let lane = self.b.builtin(Builtin::SubgroupInvocationId);
                let delta = self.b.alu(Alu::Xor, Width::B32, &[lane, n]);
                let three = self.b.u32(3);
                let delta = self.b.alu(Alu::And, Width::B32, &[delta, three]);
                return self.each(i, &v, |t, v| t.cross_lane(Subgroup::ShuffleXor, v, Some(delta)));
            }
            Op::GroupNonUniformRotateKHR => {
                let v = self.operand_flat(i, 1)?;
                let id = self.arg(i, 2)?;
                let n = self.scalar(i, id)?;
                let n = self.b.to_u32(n);
                let size = match i.arg(3) {
                    Some(id) => self.literal(i, id)?.min(u64::from(self.wave)) as u32,
                    None => self.wave,
                };
                if !size.is_power_of_two() {
                    return Err(self.malformed(i, "the cluster size is no power of two"));
                }
                // lane ^ mask is (lane + delta) within the cluster: the mask has no bits above it.
                let lane = self.b.builtin(Builtin::SubgroupInvocationId);
                let to = self.b.iadd(lane, n);
                let mask = self.b.alu(Alu::Xor, Width::B32, &[to, lane]);
                let within = self.b.u32(size - 1);
                let mask = self.b.alu(Alu::And, Width::B32, &[mask, within]);
                return self.each(i, &v, |t, v| t.cross_lane(Subgroup::ShuffleXor, v, Some(mask)));
            }
            Op::GroupNonUniformQuadAllKHR | Op::GroupNonUniformQuadAnyKHR => {
                let v = self.operand_flat(i, 0)?;
                if v.len() != 1 || self.b.width(v[0]) != Width::B1 {
                    return Err(self.malformed(i, "the operand is no boolean"));
                }
                let op = if i.op == Op::GroupNonUniformQuadAllKHR { ReduceOp::And } else { ReduceOp::Or };
                let reduce = Subgroup::Reduce { op, kind: ReduceKind::Reduce, cluster: 4 };
                let v = self.subgroup(reduce, vec![v[0]], Width::B1);
                self.define(i, Operand::Flat([v].into()))?;
            }
            Op::GroupNonUniformQuadSwap => {
                let v = self.operand_flat(i, 1)?;
                let id = self.arg(i, 2)?;
                // 0 horizontal, 1 vertical, 2 diagonal.
                let n = self.literal(i, id)? as u32 + 1;
                let n = self.b.u32(n & 3);
                return self.each(i, &v, |t, v| t.cross_lane(Subgroup::ShuffleXor, v, Some(n)));
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn ballot_operand(&mut self, i: &Instr<'_>, n: usize) -> Result<Vec<Value>> {
        let v = self.operand_flat(i, n)?;
        if v.len() == 4 && v.iter().all(|&v| self.b.width(v) == Width::B32) {
            Ok(v.to_vec())
        } else {
            Err(self.malformed(i, "a ballot is four 32-bit words"))
        }
    }

    fn cross_lane(&mut self, op: Subgroup, v: Value, n: Option<Value>) -> Value {
        let w = self.b.width(v);
        let word = if w == Width::B1 { self.b.to_u32(v) } else { v };
        let r = self.subgroup(op, [word].into_iter().chain(n).collect(), self.b.width(word));
        if w != Width::B1 {
            return r;
        }
        let zero = self.b.u32(0);
        self.b.alu(Alu::INe, w, &[r, zero])
    }

    fn each(&mut self, i: &Instr<'_>, v: &[Value], mut f: impl FnMut(&mut Self, Value) -> Value) -> Result<bool> {
        let out: Vec<Value> = v.iter().map(|&v| f(self, v)).collect();
        self.define(i, Operand::Flat(out.into()))?;
        Ok(true)
    }
}
