//! Operations across the subgroup.

use super::instrumentation::Instrument;
use super::module::Instr;
use super::operand::Operand;
use super::translate::Translator;
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
        let value = if let Some(op) = reduce_op(i.op) {
            self.reduction(i, op)?
        } else if let Some(value) = self.vote(i)? {
            value
        } else if let Some(value) = self.ballot(i)? {
            value
        } else if let Some(value) = self.lane_move(i)? {
            value
        } else {
            return Ok(false);
        };
        self.define(i, value)?;
        Ok(true)
    }

    /// Arithmetic over the subgroup, or over clusters of it.
    fn reduction(&mut self, i: &Instr<'_>, op: ReduceOp) -> Result<Operand> {
        let kind = self.arg(i, 1)?;
        let mut cluster = 0;
        let kind = match GroupOperation::from_u32(kind) {
            Some(GroupOperation::Reduce) => ReduceKind::Reduce,
            Some(GroupOperation::InclusiveScan) => ReduceKind::InclusiveScan,
            Some(GroupOperation::ExclusiveScan) => ReduceKind::ExclusiveScan,
            Some(GroupOperation::ClusteredReduce) => {
                let id = self.arg(i, 3)?;
                let size = self.literal(i, id)? as u32;
                cluster = self.cluster_size(i, size)?;
                // A cluster as large as the subgroup is the subgroup.
                if cluster >= self.wave {
                    cluster = 0;
                }
                ReduceKind::Reduce
            }
            _ => return Err(self.unsupported(i, "this group operation")),
        };
        let v = self.operand_flat(i, 2)?;
        Ok(self.each(&v, |t, v| {
            let w = t.b.width(v);
            t.subgroup(Subgroup::Reduce { op, kind, cluster }, vec![v], w)
        }))
    }

    fn cluster_size(&self, i: &Instr<'_>, size: u32) -> Result<u32> {
        if size.is_power_of_two() { Ok(size) } else { Err(self.malformed(i, "the cluster size is no power of two")) }
    }

    /// Operations whose result is one boolean about the active lanes.
    fn vote(&mut self, i: &Instr<'_>) -> Result<Option<Operand>> {
        let v = match i.op {
            Op::GroupNonUniformElect => self.subgroup(Subgroup::Elect, vec![], Width::B1),
            Op::GroupNonUniformAll | Op::SubgroupAllKHR => {
                let v = self.predicate(i)?;
                self.subgroup(Subgroup::All, vec![v], Width::B1)
            }
            Op::GroupNonUniformAny | Op::SubgroupAnyKHR => {
                let v = self.predicate(i)?;
                self.subgroup(Subgroup::Any, vec![v], Width::B1)
            }
            Op::GroupNonUniformQuadAllKHR => self.quad_vote(i, ReduceOp::And)?,
            Op::GroupNonUniformQuadAnyKHR => self.quad_vote(i, ReduceOp::Or)?,
            Op::GroupNonUniformAllEqual | Op::SubgroupAllEqualKHR => {
                let v = self.operand_flat(i, operands_at(i.op))?;
                let mut all = self.b.bool(true);
                for &v in &*v {
                    let v = if self.b.width(v) == Width::B1 { self.b.to_u32(v) } else { v };
                    let eq = self.subgroup(Subgroup::AllEqual, vec![v], Width::B1);
                    all = self.b.alu(Alu::And, Width::B1, &[all, eq]);
                }
                all
            }
            _ => return Ok(None),
        };
        Ok(Some(Operand::Flat([v].into())))
    }

    /// The boolean that an instruction asks of each lane.
    fn predicate(&mut self, i: &Instr<'_>) -> Result<Value> {
        let id = self.arg(i, operands_at(i.op))?;
        let v = self.scalar(i, id)?;
        if self.b.width(v) == Width::B1 { Ok(v) } else { Err(self.malformed(i, "the operand is no boolean")) }
    }

    fn quad_vote(&mut self, i: &Instr<'_>, op: ReduceOp) -> Result<Value> {
        let v = self.operand_flat(i, operands_at(i.op))?;
        if v.len() != 1 || self.b.width(v[0]) != Width::B1 {
            return Err(self.malformed(i, "the operand is no boolean"));
        }
        let reduce = Subgroup::Reduce { op, kind: ReduceKind::Reduce, cluster: 4 };
        Ok(self.subgroup(reduce, vec![v[0]], Width::B1))
    }

    /// Operations that make or read a ballot: a bit for each lane, in four words.
    fn ballot(&mut self, i: &Instr<'_>) -> Result<Option<Operand>> {
        let v = match i.op {
            Op::GroupNonUniformBallot | Op::SubgroupBallotKHR => {
                let v = self.predicate(i)?;
                let v = self.b.inst(ir::Op::Subgroup(Subgroup::Ballot), vec![v], &[Width::B32; 4]);
                return Ok(Some(Operand::Flat(v.into())));
            }
            Op::GroupNonUniformInverseBallot => {
                let v = self.ballot_operand(i, 1)?;
                self.subgroup(Subgroup::InverseBallot, v, Width::B1)
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
                self.b.alu(Alu::INe, Width::B1, &[bit, zero])
            }
            Op::GroupNonUniformBallotBitCount => {
                let kind = self.arg(i, 1)?;
                let v = self.ballot_operand(i, 2)?;
                self.count_ballot(kind, &v)
            }
            Op::GroupNonUniformBallotFindLSB | Op::GroupNonUniformBallotFindMSB => {
                let v = self.ballot_operand(i, 1)?;
                self.find_in_ballot(i.op == Op::GroupNonUniformBallotFindLSB, &v)
            }
            _ => return Ok(None),
        };
        Ok(Some(Operand::Flat([v].into())))
    }

    /// Bits of a ballot: all, those below the own lane, or those up to it.
    fn count_ballot(&mut self, kind: u32, v: &[Value]) -> Value {
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
        if self.wave == 32 { count[0] } else { self.b.iadd(count[0], count[1]) }
    }

    /// The number of a ballot's lowest bit, or of its highest.
    fn find_in_ballot(&mut self, lowest: bool, v: &[Value]) -> Value {
        let alu = if lowest { Alu::FindLsb } else { Alu::FindUMsb };
        let low = self.b.alu(alu, Width::B32, &[v[0]]);
        if self.wave == 32 {
            return low;
        }
        let high = self.b.alu(alu, Width::B32, &[v[1]]);
        let (n32, zero) = (self.b.u32(32), self.b.u32(0));
        let high = self.b.iadd(high, n32);
        let prefer = self.b.alu(Alu::INe, Width::B1, &[v[if lowest { 0 } else { 1 }], zero]);
        if lowest { self.b.select(prefer, low, high) } else { self.b.select(prefer, high, low) }
    }

    /// Operations that give a lane the value of another.
    fn lane_move(&mut self, i: &Instr<'_>) -> Result<Option<Operand>> {
        let Some(op) = cross_lane_op(i.op) else { return Ok(None) };
        let at = operands_at(i.op);
        let v = self.operand_flat(i, at)?;
        let n = match i.op {
            Op::GroupNonUniformBroadcastFirst | Op::SubgroupFirstInvocationKHR => None,
            Op::GroupNonUniformQuadSwap => {
                let id = self.arg(i, 2)?;
                // 0 horizontal, 1 vertical, 2 diagonal.
                let n = self.literal(i, id)? as u32 + 1;
                Some(self.b.u32(n & 3))
            }
            _ => {
                let id = self.arg(i, at + 1)?;
                let n = self.scalar(i, id)?;
                let n = self.b.to_u32(n);
                Some(match i.op {
                    Op::GroupNonUniformQuadBroadcast => {
                        let lane = self.b.builtin(Builtin::SubgroupInvocationId);
                        self.mask_between(lane, n, 4)
                    }
                    Op::GroupNonUniformRotateKHR => self.rotation(i, n)?,
                    _ => n,
                })
            }
        };
        let nobody = n.and_then(|n| self.reads_nobody(op, n));
        Ok(Some(self.each(&v, |t, v| t.cross_lane(op, v, n, nobody))))
    }

    /// What to exclusive-or a lane's number with, to rotate by `n` within the cluster that the instruction names.
    fn rotation(&mut self, i: &Instr<'_>, n: Value) -> Result<Value> {
        let size = match i.arg(3) {
            Some(id) => self.literal(i, id)?.min(u64::from(self.wave)) as u32,
            None => self.wave,
        };
        let size = self.cluster_size(i, size)?;
        // lane ^ mask is (lane + delta) within the cluster: the mask has no bits above it.
        let lane = self.b.builtin(Builtin::SubgroupInvocationId);
        let to = self.b.iadd(lane, n);
        Ok(self.mask_between(to, lane, size))
    }

    /// Bits in which `x` and `y` differ within a cluster of `size` lanes.
    fn mask_between(&mut self, x: Value, y: Value, size: u32) -> Value {
        let mask = self.b.alu(Alu::Xor, Width::B32, &[x, y]);
        let within = self.b.u32(size - 1);
        self.b.alu(Alu::And, Width::B32, &[mask, within])
    }

    fn ballot_operand(&mut self, i: &Instr<'_>, n: usize) -> Result<Vec<Value>> {
        let v = self.operand_flat(i, n)?;
        if v.len() == 4 && v.iter().all(|&v| self.b.width(v) == Width::B32) {
            Ok(v.to_vec())
        } else {
            Err(self.malformed(i, "a ballot is four 32-bit words"))
        }
    }

    /// Where the lane that is read takes no part, or is none of the subgroup's: what is read of it is undefined, for the check of
    /// what was never written to follow.
    fn reads_nobody(&mut self, op: Subgroup, n: Value) -> Option<Value> {
        if !self.instrumentation.flags.contains(Instrument::UNDEFINED) {
            return None;
        }
        let lane = self.b.builtin(Builtin::SubgroupInvocationId);
        let from = match op {
            Subgroup::ShuffleXor => self.b.alu(Alu::Xor, Width::B32, &[lane, n]),
            Subgroup::ShuffleUp => self.b.alu(Alu::ISub, Width::B32, &[lane, n]),
            Subgroup::ShuffleDown => self.b.iadd(lane, n),
            _ => n,
        };
        let (yes, five, one, zero) = (self.b.bool(true), self.b.u32(5), self.b.u32(1), self.b.u32(0));
        let active = self.b.inst(ir::Op::Subgroup(Subgroup::Ballot), vec![yes], &[Width::B32; 4]);
        let word = self.b.alu(Alu::UShr, Width::B32, &[from, five]);
        let word = self.pick(&active, word);
        let bit = self.b.alu(Alu::UShr, Width::B32, &[word, from]);
        let bit = self.b.alu(Alu::And, Width::B32, &[bit, one]);
        let idle = self.b.alu(Alu::IEq, Width::B1, &[bit, zero]);
        let lanes = self.b.u32(self.wave);
        let past = self.b.alu(Alu::ULe, Width::B1, &[lanes, from]);
        Some(self.b.alu(Alu::Or, Width::B1, &[idle, past]))
    }

    fn cross_lane(&mut self, op: Subgroup, v: Value, n: Option<Value>, nobody: Option<Value>) -> Value {
        let w = self.b.width(v);
        let word = if w == Width::B1 { self.b.to_u32(v) } else { v };
        let mut r = self.subgroup(op, [word].into_iter().chain(n).collect(), self.b.width(word));
        if let Some(nobody) = nobody {
            let undefined = self.subgroup(Subgroup::Nobody, vec![], self.b.width(word));
            r = self.b.select(nobody, undefined, r);
        }
        if w != Width::B1 {
            return r;
        }
        let zero = self.b.u32(0);
        self.b.alu(Alu::INe, w, &[r, zero])
    }

    /// `f` of each component.
    fn each(&mut self, v: &[Value], mut f: impl FnMut(&mut Self, Value) -> Value) -> Operand {
        let out: Vec<Value> = v.iter().map(|&v| f(self, v)).collect();
        Operand::Flat(out.into())
    }
}

/// The operation of an arithmetic instruction.
fn reduce_op(op: Op) -> Option<ReduceOp> {
    Some(match op {
        Op::GroupNonUniformIAdd => ReduceOp::IAdd,
        Op::GroupNonUniformFAdd => ReduceOp::FAdd,
        Op::GroupNonUniformIMul => ReduceOp::IMul,
        Op::GroupNonUniformFMul => ReduceOp::FMul,
        Op::GroupNonUniformSMin => ReduceOp::SMin,
        Op::GroupNonUniformUMin => ReduceOp::UMin,
        Op::GroupNonUniformFMin => ReduceOp::FMin,
        Op::GroupNonUniformSMax => ReduceOp::SMax,
        Op::GroupNonUniformUMax => ReduceOp::UMax,
        Op::GroupNonUniformFMax => ReduceOp::FMax,
        Op::GroupNonUniformBitwiseAnd | Op::GroupNonUniformLogicalAnd => ReduceOp::And,
        Op::GroupNonUniformBitwiseOr | Op::GroupNonUniformLogicalOr => ReduceOp::Or,
        Op::GroupNonUniformBitwiseXor | Op::GroupNonUniformLogicalXor => ReduceOp::Xor,
        _ => return None,
    })
}

/// How an instruction moves values between lanes; moves within quads and clusters are exclusive-ors of lane numbers.
fn cross_lane_op(op: Op) -> Option<Subgroup> {
    Some(match op {
        Op::GroupNonUniformBroadcastFirst | Op::SubgroupFirstInvocationKHR => Subgroup::BroadcastFirst,
        Op::GroupNonUniformBroadcast | Op::SubgroupReadInvocationKHR => Subgroup::Broadcast,
        Op::GroupNonUniformShuffle => Subgroup::Shuffle,
        Op::GroupNonUniformShuffleUp => Subgroup::ShuffleUp,
        Op::GroupNonUniformShuffleDown => Subgroup::ShuffleDown,
        Op::GroupNonUniformShuffleXor
        | Op::GroupNonUniformQuadBroadcast
        | Op::GroupNonUniformQuadSwap
        | Op::GroupNonUniformRotateKHR => Subgroup::ShuffleXor,
        _ => return None,
    })
}

/// The number of the first operand: some instructions of extensions name no scope before it.
fn operands_at(op: Op) -> usize {
    let without_scope = matches!(
        op,
        Op::SubgroupAllKHR
            | Op::SubgroupAnyKHR
            | Op::SubgroupAllEqualKHR
            | Op::SubgroupBallotKHR
            | Op::SubgroupFirstInvocationKHR
            | Op::SubgroupReadInvocationKHR
            | Op::GroupNonUniformQuadAllKHR
            | Op::GroupNonUniformQuadAnyKHR
    );
    usize::from(!without_scope)
}
