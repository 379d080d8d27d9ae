// run: --buffer a=u32[64]:iota --buffer o=u32[768]
#version 450
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_vote : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_shuffle : require
#extension GL_KHR_shader_subgroup_shuffle_relative : require
#extension GL_KHR_shader_subgroup_clustered : require
#extension GL_KHR_shader_subgroup_quad : require
layout(local_size_x = 64) in;
layout(std430, binding = 0) buffer A { uint a[]; };
layout(std430, binding = 1) buffer O { uint o[]; };
void main() {
    uint i = gl_LocalInvocationIndex, lane = gl_SubgroupInvocationID, v = a[i] * a[i] + 1u;
    o[i] = subgroupAdd(v) + subgroupMax(lane);
    o[64 + i] = subgroupInclusiveAdd(v) ^ subgroupExclusiveAdd(v);
    o[128 + i] = subgroupClusteredMin(v, 8) + subgroupClusteredXor(lane, 4u);
    o[192 + i] = subgroupShuffle(v, 5u) + subgroupShuffleXor(v, 3u);
    uint up = subgroupShuffleUp(v, 2u);
    o[256 + i] = lane > 1u ? up : 7u;
    o[320 + i] = subgroupBroadcast(v, 9u) + subgroupBroadcastFirst(v);
    uvec4 odd = subgroupBallot((v & 2u) != 0u);
    o[384 + i] = subgroupBallotBitCount(odd) + subgroupBallotExclusiveBitCount(odd) * 100u;
    o[448 + i] = odd.x + odd.y + uint(subgroupInverseBallot(odd));
    o[512 + i] = uint(subgroupAll(v > 0u)) + 2u * uint(subgroupAny(v == 5u)) + 4u * uint(subgroupAllEqual(v));
    o[576 + i] = subgroupQuadSwapHorizontal(v) + subgroupQuadBroadcast(v, 2u);
    o[640 + i] = 0u;
    if ((i & 3u) != 0u && subgroupElect()) o[640 + i] = subgroupBallotFindLSB(subgroupBallot(true));
    o[704 + i] = floatBitsToUint(subgroupMul(1.0 + float(lane) / 1024.0)) + gl_SubgroupLtMask.x;
}
