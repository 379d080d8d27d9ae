//! Which instructions the cases exercise: the grammar of SPIR-V, cut to the capabilities that the driver's features bring.

use super::{Case, Source, glsl};
use rspirv::grammar::{INSTRUCTION_TABLE, Instruction};
use spirv::{Capability, Op};
use std::collections::BTreeMap;

/// The capabilities that reported features and extensions allow, those that others imply included.
const CAPABILITIES: &[Capability] = &[
    Capability::Matrix,
    Capability::Shader,
    Capability::Int8,
    Capability::Int16,
    Capability::Int64,
    Capability::Float16,
    Capability::Float64,
    Capability::Int64Atomics,
    Capability::ImageQuery,
    Capability::ImageGatherExtended,
    Capability::SampledBuffer,
    Capability::ImageBuffer,
    Capability::StorageImageExtendedFormats,
    Capability::GroupNonUniform,
    Capability::GroupNonUniformVote,
    Capability::GroupNonUniformArithmetic,
    Capability::GroupNonUniformBallot,
    Capability::GroupNonUniformShuffle,
    Capability::GroupNonUniformShuffleRelative,
    Capability::GroupNonUniformClustered,
    Capability::GroupNonUniformQuad,
    Capability::GroupNonUniformRotateKHR,
    Capability::SubgroupBallotKHR,
    Capability::SubgroupVoteKHR,
    Capability::VariablePointers,
    Capability::VariablePointersStorageBuffer,
    Capability::PhysicalStorageBufferAddresses,
    Capability::VulkanMemoryModel,
    Capability::VulkanMemoryModelDeviceScope,
    Capability::DotProduct,
    Capability::DotProductInputAll,
    Capability::DotProductInput4x8Bit,
    Capability::DotProductInput4x8BitPacked,
    Capability::ExpectAssumeKHR,
    Capability::ShaderClockKHR,
    Capability::AtomicFloat32AddEXT,
    Capability::AtomicFloat64AddEXT,
    Capability::AtomicFloat32MinMaxEXT,
    Capability::AtomicFloat64MinMaxEXT,
    Capability::ReplicatedCompositesEXT,
    Capability::QuadControlKHR,
    Capability::FloatControls2,
    Capability::MinLod,
    Capability::DemoteToHelperInvocation,
    Capability::WorkgroupMemoryExplicitLayoutKHR,
];

/// Instructions whose cases are in a test of their own.
pub fn elsewhere(op: Op) -> Option<&'static str> {
    Some(match op {
        Op::TypeImage
        | Op::TypeSampler
        | Op::TypeSampledImage
        | Op::SampledImage
        | Op::Image
        | Op::ImageTexelPointer
        | Op::ImageSampleImplicitLod
        | Op::ImageSampleExplicitLod
        | Op::ImageSampleDrefImplicitLod
        | Op::ImageSampleDrefExplicitLod
        | Op::ImageSampleProjImplicitLod
        | Op::ImageSampleProjExplicitLod
        | Op::ImageSampleProjDrefImplicitLod
        | Op::ImageSampleProjDrefExplicitLod
        | Op::ImageFetch
        | Op::ImageGather
        | Op::ImageDrefGather
        | Op::ImageRead
        | Op::ImageWrite
        | Op::ImageQuerySizeLod
        | Op::ImageQuerySize
        | Op::ImageQueryLod
        | Op::ImageQueryLevels
        | Op::ImageQuerySamples => "images",
        Op::GroupNonUniformRotateKHR | Op::GroupNonUniformQuadAllKHR | Op::GroupNonUniformQuadAnyKHR => "subgroups",
        _ => return None,
    })
}

/// The grammar's instructions that a module with those capabilities may have.
pub fn instructions() -> impl Iterator<Item = &'static Instruction<'static>> {
    INSTRUCTION_TABLE
        .iter()
        .filter(|i| i.capabilities.is_empty() || i.capabilities.iter().any(|c| CAPABILITIES.contains(c)))
}

/// Adds a module's opcodes.
pub fn count(words: &[u32], into: &mut BTreeMap<u32, u32>) {
    let mut at = 5;
    while at < words.len() {
        *into.entry(words[at] & 0xffff).or_default() += 1;
        at += (words[at] >> 16).max(1) as usize;
    }
}

/// Subgroup operations: translated and compiled here; what they compute is the business of another test.
pub fn subgroups() -> Vec<Case> {
    let all = &[
        "GL_KHR_shader_subgroup_basic",
        "GL_KHR_shader_subgroup_vote",
        "GL_KHR_shader_subgroup_arithmetic",
        "GL_KHR_shader_subgroup_ballot",
        "GL_KHR_shader_subgroup_shuffle",
        "GL_KHR_shader_subgroup_shuffle_relative",
        "GL_KHR_shader_subgroup_clustered",
        "GL_KHR_shader_subgroup_quad",
    ];
    let mut body = String::from("int s = int(i); float f = float(i); bool b = i > 3u; uint r = 0u;\n");
    for kind in ["subgroup", "subgroupInclusive", "subgroupExclusive"] {
        for op in ["Add", "Mul", "Min", "Max"] {
            body += &format!("r += {kind}{op}(i) + uint({kind}{op}(s)) + uint({kind}{op}(f));\n");
        }
        for op in ["And", "Or", "Xor"] {
            body += &format!("r += {kind}{op}(i) + uint({kind}{op}(b));\n");
        }
    }
    body += "uvec4 m = subgroupBallot(b); r += subgroupClusteredAdd(i, 4u) + subgroupBroadcast(i, 3u) + subgroupBroadcastFirst(i) + subgroupBallotBitCount(m) + subgroupBallotFindLSB(m) + subgroupBallotFindMSB(m);
if (subgroupElect() || subgroupAll(b) || subgroupAny(b) || subgroupAllEqual(i) || subgroupInverseBallot(m) || subgroupBallotBitExtract(m, 3u)) r++;
r += subgroupShuffle(i, 2u) + subgroupShuffleXor(i, 1u) + subgroupShuffleUp(i, 1u) + subgroupShuffleDown(i, 1u) + subgroupQuadBroadcast(i, 1u) + subgroupQuadSwapHorizontal(i);
subgroupBarrier(); outw[o] = r;";
    let old = "outw[o] = uint(ballotARB(i > 3u)) + readFirstInvocationARB(i) + readInvocationARB(i, 2u) + (anyInvocationARB(i > 4u) || allInvocationsARB(i > 5u) || allInvocationsEqualARB(i > 6u) ? 1u : 0u);";
    let extensions = &["GL_ARB_shader_ballot", "GL_ARB_gpu_shader_int64", "GL_ARB_shader_group_vote"];
    let mut old = glsl("the subgroup operations of before Vulkan 1.1", extensions, "", old, 1, |_| vec![0]);
    if let Source::Glsl(text) = &mut old.source {
        *text = text.replace("#version 460", "#version 450");
    }
    old.glsl_env = "vulkan1.0";
    vec![glsl("subgroup operations", all, "", &body, 1, |_| vec![0]), old]
}
