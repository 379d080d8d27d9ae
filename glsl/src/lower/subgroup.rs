//! Functions of subgroups.

use super::{Lower, Val};
use crate::Result;
use crate::types::{Scalar, Ty, UINT};
use spirv::{Capability as C, GroupOperation, Op};

impl Lower<'_> {
    pub(super) fn subgroup(&mut self, name: &str, values: &[Val]) -> Result<Option<Val>> {
        let Some(what) = name.strip_prefix("subgroup") else { return Ok(None) };
        let (flag, mask) = (self.flag_ty(), Ty::Vector(UINT, 4));
        let scope = self.scope_subgroup();
        let own = values.first().map(|v| v.ty.clone()).unwrap_or(Ty::Void);
        // A function's instruction, what it makes, what it takes behind the scope.
        let (capability, op, ty, words) = match (what, values) {
            ("Elect", []) => (C::GroupNonUniform, Op::GroupNonUniformElect, flag, vec![]),
            ("All", [a]) => (C::GroupNonUniformVote, Op::GroupNonUniformAll, flag, vec![a.id]),
            ("Any", [a]) => (C::GroupNonUniformVote, Op::GroupNonUniformAny, flag, vec![a.id]),
            ("AllEqual", [a]) => (C::GroupNonUniformVote, Op::GroupNonUniformAllEqual, flag, vec![a.id]),
            ("Broadcast", [a, lane]) => {
                let lane = self.as_uint(lane)?;
                // Before SPIR-V 1.5 a lane that is broadcast from is a constant.
                let constant = !matches!(lane.known, super::Known::No);
                let (capability, op) = match constant {
                    true => (C::GroupNonUniformBallot, Op::GroupNonUniformBroadcast),
                    false => (C::GroupNonUniformShuffle, Op::GroupNonUniformShuffle),
                };
                (capability, op, own, vec![a.id, lane.id])
            }
            ("BroadcastFirst", [a]) => (C::GroupNonUniformBallot, Op::GroupNonUniformBroadcastFirst, own, vec![a.id]),
            ("Ballot", [a]) => (C::GroupNonUniformBallot, Op::GroupNonUniformBallot, mask, vec![a.id]),
            ("InverseBallot", [a]) => (C::GroupNonUniformBallot, Op::GroupNonUniformInverseBallot, flag, vec![a.id]),
            ("BallotBitExtract", [a, lane]) => {
                let lane = self.as_uint(lane)?;
                (C::GroupNonUniformBallot, Op::GroupNonUniformBallotBitExtract, flag, vec![a.id, lane.id])
            }
            ("BallotBitCount" | "BallotInclusiveBitCount" | "BallotExclusiveBitCount", [a]) => {
                let operation = if what.contains("In") { 1 } else { 2 * u32::from(what.contains("Ex")) };
                (C::GroupNonUniformBallot, Op::GroupNonUniformBallotBitCount, Ty::Scalar(UINT), vec![operation, a.id])
            }
            ("BallotFindLSB", [a]) => {
                (C::GroupNonUniformBallot, Op::GroupNonUniformBallotFindLSB, Ty::Scalar(UINT), vec![a.id])
            }
            ("BallotFindMSB", [a]) => {
                (C::GroupNonUniformBallot, Op::GroupNonUniformBallotFindMSB, Ty::Scalar(UINT), vec![a.id])
            }
            ("Shuffle" | "ShuffleXor" | "ShuffleUp" | "ShuffleDown" | "Rotate", [a, by]) => {
                let by = self.as_uint(by)?;
                let (capability, op) = match what {
                    "Shuffle" => (C::GroupNonUniformShuffle, Op::GroupNonUniformShuffle),
                    "ShuffleXor" => (C::GroupNonUniformShuffle, Op::GroupNonUniformShuffleXor),
                    "ShuffleUp" => (C::GroupNonUniformShuffleRelative, Op::GroupNonUniformShuffleUp),
                    "ShuffleDown" => (C::GroupNonUniformShuffleRelative, Op::GroupNonUniformShuffleDown),
                    _ => {
                        self.b.extension("SPV_KHR_subgroup_rotate");
                        (C::GroupNonUniformRotateKHR, Op::GroupNonUniformRotateKHR)
                    }
                };
                (capability, op, own, vec![a.id, by.id])
            }
            ("ClusteredRotate", [a, by, size]) => {
                self.b.extension("SPV_KHR_subgroup_rotate");
                let (by, size) = (self.as_uint(by)?, self.as_uint(size)?);
                (C::GroupNonUniformRotateKHR, Op::GroupNonUniformRotateKHR, own, vec![a.id, by.id, size.id])
            }
            ("QuadBroadcast", [a, lane]) => {
                let lane = self.as_uint(lane)?;
                (C::GroupNonUniformQuad, Op::GroupNonUniformQuadBroadcast, own, vec![a.id, lane.id])
            }
            ("QuadSwapHorizontal" | "QuadSwapVertical" | "QuadSwapDiagonal", [a]) => {
                let way = match what {
                    "QuadSwapHorizontal" => 0,
                    "QuadSwapVertical" => 1,
                    _ => 2,
                };
                let way = self.uint(way);
                (C::GroupNonUniformQuad, Op::GroupNonUniformQuadSwap, own, vec![a.id, way])
            }
            (_, [value, more @ ..]) => return self.reduced(what, value, more),
            _ => return Ok(None),
        };
        self.b.capability(C::GroupNonUniform);
        self.b.capability(capability);
        self.value(op, &ty, &[&[scope], &words[..]].concat()).map(Some)
    }

    /// `subgroupAdd`, `subgroupInclusiveMax`, `subgroupClusteredOr`, …
    fn reduced(&mut self, what: &str, value: &Val, more: &[Val]) -> Result<Option<Val>> {
        let (operation, what) = if let Some(rest) = what.strip_prefix("Inclusive") {
            (GroupOperation::InclusiveScan, rest)
        } else if let Some(rest) = what.strip_prefix("Exclusive") {
            (GroupOperation::ExclusiveScan, rest)
        } else if let Some(rest) = what.strip_prefix("Clustered") {
            (GroupOperation::ClusteredReduce, rest)
        } else {
            (GroupOperation::Reduce, what)
        };
        let Some(scalar) = value.ty.scalar() else { return Ok(None) };
        let op = match (what, scalar) {
            ("Add", Scalar::Float(_)) => Op::GroupNonUniformFAdd,
            ("Add", _) => Op::GroupNonUniformIAdd,
            ("Mul", Scalar::Float(_)) => Op::GroupNonUniformFMul,
            ("Mul", _) => Op::GroupNonUniformIMul,
            ("Min", Scalar::Float(_)) => Op::GroupNonUniformFMin,
            ("Min", Scalar::Int(_)) => Op::GroupNonUniformSMin,
            ("Min", _) => Op::GroupNonUniformUMin,
            ("Max", Scalar::Float(_)) => Op::GroupNonUniformFMax,
            ("Max", Scalar::Int(_)) => Op::GroupNonUniformSMax,
            ("Max", _) => Op::GroupNonUniformUMax,
            ("And", Scalar::Bool) => Op::GroupNonUniformLogicalAnd,
            ("Or", Scalar::Bool) => Op::GroupNonUniformLogicalOr,
            ("Xor", Scalar::Bool) => Op::GroupNonUniformLogicalXor,
            ("And", _) => Op::GroupNonUniformBitwiseAnd,
            ("Or", _) => Op::GroupNonUniformBitwiseOr,
            ("Xor", _) => Op::GroupNonUniformBitwiseXor,
            _ => return Ok(None),
        };
        let clustered = operation == GroupOperation::ClusteredReduce;
        let mut words = vec![self.scope_subgroup(), operation as u32, value.id];
        match (clustered, more) {
            (true, [size]) => {
                let size = match &size.known {
                    super::Known::Const(konst) => {
                        let konst = konst.clone();
                        self.konst(&Ty::Scalar(UINT), konst)?
                    }
                    _ => self.as_uint(size)?,
                };
                words.push(size.id);
            }
            (false, []) => {}
            _ => return Ok(None),
        }
        self.b.capability(C::GroupNonUniform);
        self.b.capability(if clustered { C::GroupNonUniformClustered } else { C::GroupNonUniformArithmetic });
        self.value(op, &value.ty.clone(), &words).map(Some)
    }
}
