//! The hazards of gfx10.1, of which gfx10.3 has kept one.
//!
//! Sources: LLVM is llvm-project 19, lib/Target/AMDGPU: GCNHazardRecognizer.cpp by function, AMDGPU.td by feature of
//! FeatureISAVersion10_1_Common. Mesa is src/amd/compiler: README-ISA.md by heading, aco_insert_NOPs.cpp by rule of
//! handle_instruction_gfx10. What only concerns XNACK (restartable groups of memory instructions) is left out: the machines
//! run without it.

use super::rules::{self, BOTH, LLVM, STRICT, any, next};
use super::{Hazard, Kinds, Meet, Reading, Remedy, Rule, Sequence, Trigger};
use crate::generation::Gen;

const GFX10_1: &[Gen] = &[Gen::Gfx1010];
const GFX10_ALL: &[Gen] = &[Gen::Gfx1010, Gen::Gfx1030];

/// A vector instruction waits for what vector memory has still to read; S_WAITCNT_DEPCTR does nothing else.
const OPERANDS_READ: Kinds = any([Kinds::VALU, Kinds::WAIT_VM_VSRC]);
const SCALAR_WRITE: Kinds = any([Kinds::SALU_RESULT, Kinds::SMEM]);

const LATE_READ: Sequence = Sequence {
    first: Kinds::VECTOR_MEMORY,
    between: None,
    then: SCALAR_WRITE,
    clear: any([OPERANDS_READ, Kinds::WAIT_ALL]),
    meet: Meet::NamedSgpr,
    within: None,
};

const LATE_SCALAR_READ: Sequence = Sequence {
    first: Kinds::SMEM,
    between: None,
    then: Kinds::VALU_TO_SGPR,
    clear: any([Kinds::SALU_RESULT, Kinds::WAIT_LGKM]),
    meet: Meet::Sgpr,
    within: None,
};

const VECTOR_THEN_LDS: Sequence = Sequence {
    first: any([Kinds::VMEM, Kinds::SEGMENT]),
    between: Some(any([Kinds::BRANCH, Kinds::PC])),
    then: Kinds::LDS,
    clear: any([Kinds::WAIT_VS, Kinds::LDS]),
    meet: Meet::Nothing,
    within: None,
};

const LDS_THEN_VECTOR: Sequence = Sequence {
    first: Kinds::LDS,
    then: any([Kinds::VMEM, Kinds::SEGMENT]),
    clear: any([Kinds::WAIT_VS, Kinds::VMEM, Kinds::SEGMENT]),
    ..VECTOR_THEN_LDS
};

const fn behind(readings: &'static [Reading], sequence: Sequence) -> Rule {
    rules::behind(GFX10_1, readings, sequence)
}

const fn alone(kinds: Kinds) -> Rule {
    Rule { on: GFX10_1, readings: BOTH, trigger: Trigger::Alone(kinds) }
}

pub const GFX10: &[Hazard] = &[
    Hazard {
        name: "VMEMtoScalarWriteHazard",
        what: "a scalar write of an SGPR, M0 or EXEC that vector memory or LDS has still to read",
        remedy: Remedy::Depctr(0xffe3),
        source: "LLVM fixVMEMtoScalarWriteHazards: named results, harmless after S_WAITCNT 0. Mesa VMEMtoScalarWriteHazard: \
                 results by implication too, stores only harmless after VSCNT = 0",
        rules: &[
            behind(STRICT, Sequence { first: Kinds::LOAD, meet: Meet::Sgpr, ..LATE_READ }),
            behind(STRICT, Sequence { first: Kinds::STORE, clear: OPERANDS_READ, meet: Meet::Sgpr, ..LATE_READ }),
            behind(LLVM, LATE_READ),
        ],
    },
    Hazard {
        name: "SMEMtoVectorWriteHazard",
        what: "a vector write of an SGPR or VCC that scalar memory has still to read",
        remedy: Remedy::ScalarMove,
        source: "LLVM fixSMEMtoVectorWriteHazards: harmless after any scalar instruction but SOPP, S_VERSION and other waits. \
                 Mesa SMEMtoVectorWriteHazard: it must have a result",
        rules: &[
            behind(STRICT, LATE_SCALAR_READ),
            behind(LLVM, Sequence { clear: any([LATE_SCALAR_READ.clear, Kinds::SALU_PLAIN]), ..LATE_SCALAR_READ }),
        ],
    },
    Hazard {
        name: "VcmpxExecWARHazard",
        what: "a vector write of EXEC (V_CMPX) behind a read of EXEC outside of the vector unit",
        remedy: Remedy::Depctr(0xfffe),
        source: "LLVM fixVcmpxExecWARHazard; Mesa VcmpxExecWARHazard",
        rules: &[behind(
            BOTH,
            Sequence {
                first: Kinds::EXEC_READ,
                between: None,
                then: Kinds::VALU_TO_EXEC,
                clear: any([Kinds::VALU_MASK, Kinds::WAIT_SA_SDST]),
                meet: Meet::Nothing,
                within: None,
            },
        )],
    },
    Hazard {
        name: "VcmpxPermlaneHazard",
        what: "V_PERMLANE(X)16 behind a comparison that writes EXEC",
        remedy: Remedy::VectorMove,
        source: "LLVM fixVcmpxPermlaneHazards; Mesa VcmpxPermlaneHazard",
        rules: &[behind(
            BOTH,
            Sequence {
                first: Kinds::COMPARE_EXEC,
                between: None,
                then: Kinds::PERMLANE,
                clear: Kinds::VALU_DONE,
                meet: Meet::Nothing,
                within: None,
            },
        )],
    },
    Hazard {
        name: "LdsBranchVmemWARHazard",
        what: "LDS behind a branch behind vector memory, or vector memory behind a branch behind LDS",
        remedy: Remedy::Vscnt,
        source: "LLVM fixLdsBranchVmemWARHazard: S_BRANCH, S_CBRANCH_*. Mesa LdsBranchVmemWARHazard: whatever touches the \
                 program counter",
        rules: &[
            behind(STRICT, VECTOR_THEN_LDS),
            behind(STRICT, LDS_THEN_VECTOR),
            behind(LLVM, Sequence { between: Some(Kinds::BRANCH), ..VECTOR_THEN_LDS }),
            behind(LLVM, Sequence { between: Some(Kinds::BRANCH), ..LDS_THEN_VECTOR }),
        ],
    },
    Hazard {
        name: "NSAtoVMEMBug",
        what: "a buffer instruction with offset[2:1] ≠ 0 right behind an image instruction with two dwords of addresses",
        remedy: Remedy::Nops,
        source: "LLVM checkNSAtoVMEMHazard; Mesa NSAToVMEMBug",
        rules: &[behind(BOTH, next(Kinds::NSA_LONG, Kinds::OFFSET_6, 1, Kinds::empty()))],
    },
    Hazard {
        name: "NsaCannotFollowWritelane",
        what: "an image instruction in the NSA form right behind V_WRITELANE",
        remedy: Remedy::Nops,
        source: "Mesa waNsaCannotFollowWritelane; not in LLVM",
        rules: &[behind(STRICT, next(Kinds::WRITELANE, Kinds::NSA, 1, Kinds::empty()))],
    },
    Hazard {
        name: "FPAtomicToDenormModeHazard",
        what: "S_DENORM_MODE less than three wait states behind a float atomic of vector memory",
        remedy: Remedy::Nops,
        source: "LLVM checkFPAtomicToDenormModeHazard, on all of gfx10; not in Mesa, which never changes the mode behind one",
        rules: &[rules::behind(
            GFX10_ALL,
            BOTH,
            next(Kinds::FLOAT_ATOMIC, Kinds::DENORM_MODE, 3, any([Kinds::VALU, Kinds::WAIT])),
        )],
    },
    Hazard {
        name: "SMEMStoreThenLoad",
        what: "a scalar load behind a scalar store or atomic, which may be of the same address",
        remedy: Remedy::Lgkmcnt,
        source: "Mesa README-ISA, \"SMEM store followed by a load with the same address\"; LLVM has no scalar stores",
        rules: &[behind(
            STRICT,
            Sequence {
                first: Kinds::SMEM_STORE,
                between: None,
                then: Kinds::SMEM_LOAD,
                clear: Kinds::WAIT_LGKM,
                meet: Meet::Nothing,
                within: None,
            },
        )],
    },
    Hazard {
        name: "Offset3fBug",
        what: "a branch by 0x3f dwords",
        remedy: Remedy::Avoid("layout puts an S_NOP behind it"),
        source: "LLVM FeatureOffset3fBug, AMDGPUAsmBackend; Mesa Offset3fBug, fix_branches_gfx10 of aco_assembler.cpp",
        rules: &[Rule { on: GFX10_1, readings: BOTH, trigger: Trigger::Distance(0x3f) }],
    },
    Hazard {
        name: "InstFwdPrefetchBug",
        what: "S_INST_PREFETCH may hang",
        remedy: Remedy::Avoid("never emitted"),
        source: "LLVM FeatureInstFwdPrefetchBug; Mesa InstFwdPrefetchBug",
        rules: &[alone(Kinds::PREFETCH)],
    },
    Hazard {
        name: "NSAClauseBug",
        what: "an image instruction in the NSA form inside of an S_CLAUSE",
        remedy: Remedy::Avoid("no clauses are emitted"),
        source: "LLVM FeatureNSAClauseBug, SIInsertHardClauses.cpp; Mesa NSAClauseBug",
        rules: &[Rule { on: GFX10_1, readings: BOTH, trigger: Trigger::InClause(Kinds::NSA) }],
    },
    Hazard {
        name: "NSAMaxSize5",
        what: "an image instruction with two dwords of addresses, which is one with more than five of them",
        remedy: Remedy::Avoid("selection gathers more than five addresses side by side"),
        source: "LLVM getNSAMaxSize (https://reviews.llvm.org/D103348); Mesa NSAMaxSize5",
        rules: &[alone(Kinds::NSA_LONG)],
    },
    Hazard {
        name: "FlatSegmentOffsetBug",
        what: "the offset of a FLAT instruction is not added",
        remedy: Remedy::Avoid("selection uses no FLAT instruction"),
        source: "LLVM FeatureFlatSegmentOffsetBug, SIInstrInfo::isLegalFLATOffset; Mesa FlatSegmentOffsetBug",
        rules: &[alone(Kinds::FLAT_OFFSET)],
    },
    Hazard {
        name: "NegativeUnalignedScratchOffsetBug",
        what: "SCRATCH with a vector address and an offset below zero that is no multiple of four reads elsewhere",
        remedy: Remedy::Avoid("selection uses no SCRATCH instruction"),
        source: "LLVM FeatureNegativeUnalignedScratchOffsetBug, SIInstrInfo::isLegalFLATOffset",
        rules: &[alone(Kinds::SCRATCH_UNALIGNED)],
    },
    Hazard {
        name: "LdsMisalignedBug",
        what: "LDS or FLAT access of several dwords, not aligned to its size, in WGP mode",
        remedy: Remedy::Avoid("selection takes LDS accesses no wider than the alignment it can prove"),
        source: "LLVM FeatureLdsMisalignedBug, SITargetLowering::allowsMisalignedMemoryAccessesImpl; Mesa LdsMisalignedBug",
        rules: &[Rule { on: GFX10_1, readings: BOTH, trigger: Trigger::Unseen }],
    },
];
