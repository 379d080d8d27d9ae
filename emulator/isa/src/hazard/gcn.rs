//! What GCN leaves to the code: wait states, and two flags that go stale.
//!
//! Sources: Vega is AMD's Vega ISA document, table 8 of section 4.5, "Manually Inserted Wait States". LLVM is llvm-project 19,
//! lib/Target/AMDGPU: GCNHazardRecognizer.cpp and SIInsertWaitcnts.cpp by function, GCNSubtarget.h by generation. Mesa is src/amd/compiler:
//! aco_insert_NOPs.cpp by member of NOP_ctx_gfx6, README-ISA.md by heading; it holds GCN 1 and 2 to Vega's table, which LLVM does in part.
//! What only concerns XNACK (groups of memory instructions that are issued again) is left out: the machines run without it.

use super::rules::{BOTH, LLVM, STRICT, any, behind, next, sharing};
use super::{Hazard, Kinds, Meet, Remedy, Rule, Sequence, Trigger};
use crate::generation::Gen;

const GFX6: &[Gen] = &[Gen::Gfx600];
const GFX6_7: &[Gen] = &[Gen::Gfx600, Gen::Gfx701];
const GFX7_9: &[Gen] = &[Gen::Gfx701, Gen::Gfx900];
const GFX9: &[Gen] = &[Gen::Gfx900];
const ALL: &[Gen] = &[Gen::Gfx600, Gen::Gfx701, Gen::Gfx900];

const NONE: Kinds = Kinds::empty();
/// What reads descriptors, addresses and offsets out of SGPRs.
const MEMORY: Kinds = any([Kinds::VMEM, Kinds::SEGMENT, Kinds::FLAT]);
const VECTOR_RESULT: Kinds = any([Kinds::VALU, Kinds::INTERP]);

const SGPR_THEN_MEMORY: Sequence = sharing(Meet::SgprResult, Kinds::VALU_TO_SGPR, MEMORY, 5);
const FLAT_SCRATCH_THEN_MEMORY: Sequence = next(Kinds::VALU_TO_FLAT_SCRATCH, Kinds::FLAT_SCRATCH_READ, 5, NONE);
const SETREG_TWICE: Sequence = sharing(Meet::Hardware, Kinds::SETREG, Kinds::SETREG, 2);
const STORE_THEN_RESULT: Sequence = sharing(Meet::StoredVgpr, Kinds::WIDE_STORE, VECTOR_RESULT, 1);
const M0_THEN_MESSAGE: Sequence = next(Kinds::SALU_TO_M0, Kinds::MESSAGE, 1, NONE);

/// A branch on VCCZ that nothing has made right.
const fn stale(first: Kinds, between: Option<Kinds>) -> Sequence {
    Sequence { first, between, then: Kinds::VCCZ_BRANCH, clear: Kinds::VCC_RESULT, meet: Meet::Nothing, within: None }
}

pub const GCN: &[Hazard] = &[
    Hazard {
        name: "VMEMReadSGPRVALUDefHazard",
        what: "vector memory less than five wait states behind the vector instruction that writes an SGPR, VCC, EXEC or FLAT_SCRATCH it reads",
        remedy: Remedy::Nops,
        source: "Vega; LLVM checkVMEMHazards, from GCN 3 on; Mesa, on all of GCN",
        rules: &[
            behind(GFX9, LLVM, SGPR_THEN_MEMORY),
            behind(ALL, STRICT, SGPR_THEN_MEMORY),
            behind(GFX9, LLVM, FLAT_SCRATCH_THEN_MEMORY),
            behind(GFX7_9, STRICT, FLAT_SCRATCH_THEN_MEMORY),
        ],
    },
    Hazard {
        name: "SMRDReadVALUDefHazard",
        what: "scalar memory less than four wait states behind the vector instruction that writes an SGPR it reads, a buffer's behind a scalar one too",
        remedy: Remedy::Nops,
        source: "LLVM checkSMRDHazards, Mesa handle_instruction_gfx6: GCN 1. Of a scalar write before a buffer's load neither knows more than that four are enough; Mesa asks for them of the V# alone",
        rules: &[
            behind(GFX6, BOTH, sharing(Meet::SgprResult, Kinds::VALU_TO_SGPR, Kinds::SMEM, 4)),
            behind(GFX6, BOTH, sharing(Meet::SgprResult, Kinds::SALU_RESULT, Kinds::SMEM_BUFFER, 4)),
        ],
    },
    Hazard {
        name: "RWLaneHazard",
        what: "V_READLANE or V_WRITELANE less than four wait states behind the vector instruction that writes the number of its lane",
        remedy: Remedy::Nops,
        source: "Vega; LLVM checkRWLaneHazards; Mesa",
        rules: &[behind(ALL, BOTH, sharing(Meet::LaneSelect, Kinds::VALU_TO_SGPR, Kinds::LANE_SELECT, 4))],
    },
    Hazard {
        name: "DivFMasHazard",
        what: "V_DIV_FMAS less than four wait states behind a vector instruction that writes VCC",
        remedy: Remedy::Nops,
        source: "Vega; LLVM checkDivFMasHazards; Mesa valu_wr_vcc_then_div_fmas",
        rules: &[behind(ALL, BOTH, next(Kinds::VALU_TO_VCC, Kinds::DIV_FMAS, 4, NONE))],
    },
    Hazard {
        name: "DPPHazard",
        what: "DPP less than two wait states behind the write of a VGPR that it reads or keeps, or less than five behind a vector write of EXEC",
        remedy: Remedy::Nops,
        source: "Vega; LLVM checkDPPHazards: any write, and of any VGPR that it names; Mesa: vector writes of its first source, valu_wr_exec_then_dpp",
        rules: &[
            behind(GFX9, BOTH, sharing(Meet::VgprResult, Kinds::VGPR_RESULT, Kinds::PERMUTED, 2)),
            behind(GFX9, BOTH, next(Kinds::VALU_TO_EXEC, Kinds::PERMUTED, 5, NONE)),
        ],
    },
    Hazard {
        name: "ZeroFlagHazard",
        what: "a vector instruction with VCCZ or EXECZ as a source less than five wait states behind one that writes VCC or EXEC",
        remedy: Remedy::Nops,
        source: "Vega alone: neither compiler reads the flags so",
        rules: &[behind(ALL, STRICT, next(any([Kinds::VALU_TO_VCC, Kinds::VALU_TO_EXEC]), Kinds::ZERO_FLAG, 5, NONE))],
    },
    Hazard {
        name: "SetRegHazard",
        what: "S_GETREG or S_SETREG less than two wait states behind S_SETREG or S_SETVSKIP of the same register",
        remedy: Remedy::Nops,
        source: "Vega; LLVM checkGetRegHazards, checkSetRegHazards: one between S_SETREG and S_SETREG on GCN 1 and 2; Mesa setreg_then_getsetreg: of any two registers",
        rules: &[
            behind(ALL, LLVM, sharing(Meet::Hardware, Kinds::SETREG, Kinds::GETREG, 2)),
            behind(ALL, STRICT, sharing(Meet::Hardware, any([Kinds::SETREG, Kinds::SETVSKIP]), Kinds::GETREG, 2)),
            behind(GFX6_7, LLVM, Sequence { within: Some(1), ..SETREG_TWICE }),
            behind(GFX9, LLVM, SETREG_TWICE),
            behind(ALL, STRICT, SETREG_TWICE),
        ],
    },
    Hazard {
        name: "VskipHazard",
        what: "a vector instruction less than two wait states behind S_SETREG of MODE.vskip",
        remedy: Remedy::Nops,
        source: "Vega; Mesa set_vskip_mode_then_vector; not in LLVM, which never sets it",
        rules: &[behind(ALL, STRICT, next(Kinds::VSKIP, Kinds::VECTOR, 2, NONE))],
    },
    Hazard {
        name: "RFEHazard",
        what: "S_RFE right behind S_SETREG of TRAPSTS",
        remedy: Remedy::Nops,
        source: "Vega; LLVM checkRFEHazards, from GCN 3 on; not in Mesa",
        rules: &[behind(GFX9, BOTH, sharing(Meet::Hardware, Kinds::SETREG, Kinds::RFE, 1))],
    },
    Hazard {
        name: "12DWordStoreHazard",
        what: "a vector instruction that writes data of more than 64 bits right behind its store",
        remedy: Remedy::Nops,
        source: "Vega; LLVM createsVALUHazard, from GCN 2 on; Mesa vmem_store_then_wr_data, on all of GCN",
        rules: &[behind(GFX7_9, LLVM, STORE_THEN_RESULT), behind(ALL, STRICT, STORE_THEN_RESULT)],
    },
    Hazard {
        name: "ReadM0SendMsgHazard",
        what: "GDS, S_SENDMSG or S_TTRACEDATA right behind a scalar write of M0",
        remedy: Remedy::Nops,
        source: "Vega; LLVM hasReadM0SendMsgHazard, from GCN 3 on; Mesa salu_wr_m0_then_gds_msg_ttrace, on all of GCN",
        rules: &[behind(GFX9, LLVM, M0_THEN_MESSAGE), behind(ALL, STRICT, M0_THEN_MESSAGE)],
    },
    Hazard {
        name: "ReadM0Hazard",
        what: "S_MOVREL, interpolation, LDS addressed by lane, loads into LDS or LDS as a source right behind a scalar write of M0",
        remedy: Remedy::Nops,
        source: "Vega; LLVM hasReadM0MovRelInterpHazard, hasReadM0LdsDmaHazard, hasReadM0LdsDirectHazard; Mesa salu_wr_m0_then_lds, salu_wr_m0_then_moverel: GCN 5",
        rules: &[behind(GFX9, BOTH, next(Kinds::SALU_TO_M0, Kinds::INDEX, 1, NONE))],
    },
    Hazard {
        name: "InterpReadLaneHazard",
        what: "V_READLANE or V_READFIRSTLANE right behind the interpolation that writes the VGPR it reads",
        remedy: Remedy::Nops,
        source: "Mesa README-ISA, \"VINTRP followed by a read with v_readfirstlane or v_readlane\": GCN 1; not in LLVM",
        rules: &[behind(GFX6, STRICT, sharing(Meet::VgprResult, Kinds::INTERP, Kinds::LANE_READ, 1))],
    },
    Hazard {
        name: "SMEMStoreClause",
        what: "a scalar store or atomic and another scalar memory instruction right behind each other, which may be of the same address",
        remedy: Remedy::Nops,
        source: "Mesa handle_smem_clause_hazards, from GCN 3 on; LLVM has no scalar stores",
        rules: &[
            behind(GFX9, STRICT, next(Kinds::SMEM, Kinds::SMEM_STORE, 1, NONE)),
            behind(GFX9, STRICT, next(Kinds::SMEM_STORE, Kinds::SMEM, 1, NONE)),
        ],
    },
    Hazard {
        name: "ReadVCCZBug",
        what: "a branch on VCCZ while scalar memory is outstanding, whose return damages the flag",
        remedy: Remedy::Lgkmcnt,
        source: "LLVM hasReadVCCZBug, GCN 1 and 2: SIInsertWaitcnts.cpp waits, and writes VCC again; Mesa README-ISA, \"SMEM corrupts VCCZ on \
                 SI/CI\"",
        rules: &[behind(
            GFX6_7,
            BOTH,
            Sequence { first: Kinds::SMEM, clear: Kinds::WAIT_LGKM, ..stale(Kinds::SMEM, None) },
        )],
    },
    Hazard {
        name: "StaleVCCZ",
        what: "a branch on VCCZ with no write of VCC since scalar memory came back",
        remedy: Remedy::VccMove,
        source: "the other half of ReadVCCZBug. What was outstanding before a wait the strict reading does not ask",
        rules: &[
            behind(GFX6_7, STRICT, stale(Kinds::WAIT_LGKM, None)),
            behind(GFX6_7, LLVM, stale(Kinds::SMEM, Some(Kinds::WAIT_LGKM))),
        ],
    },
    Hazard {
        name: "PartialVCCWrite",
        what: "a branch on VCCZ behind a write of one half of VCC, which leaves the flag as it was",
        remedy: Remedy::VccMove,
        source: "LLVM partialVCCWritesUpdateVCCZ, SIInsertWaitcnts.cpp: up to GCN 5; not in Mesa",
        rules: &[behind(ALL, BOTH, stale(Kinds::VCC_HALF_RESULT, None))],
    },
    Hazard {
        name: "VCCAlias",
        what: "a vector instruction that reads VCC right behind one that wrote it as the SGPR that it lies in, or the other way round",
        remedy: Remedy::Avoid("VCC has one name; programs' SGPRs end below it"),
        source: "Vega, \"Mixed use of VCC\": which SGPRs hold VCC, the number of them decides, and bytes do not show it",
        rules: &[Rule { on: ALL, readings: STRICT, trigger: Trigger::Unseen }],
    },
];
