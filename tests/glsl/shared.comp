// run: --buffer a=u32[64]:iota --buffer o=u32[80] --spec N=16 --spec 7=64
#version 460
layout(constant_id = 3) const uint N = 8u;
layout(constant_id = 4) const bool UP = true;
const uint M = N * 2u + 1u;
layout(local_size_x_id = 7) in;
layout(std430, binding = 0) readonly restrict buffer A { uint a[]; };
layout(std430, binding = 1) coherent buffer O { uint o[]; };
shared uint sums[N][2];
shared uint wide[gl_WorkGroupSize.x];
shared uint most, all;
// Sizes that are specialized, atomics of both memories, and every kind of barrier.
void main() {
    uint i = gl_LocalInvocationIndex;
    if (i == 0u) { most = 0u; all = 0xffffffffu; }
    if (i < N) sums[i][0] = sums[i][1] = 0u;
    memoryBarrierShared();
    barrier();
    atomicAdd(sums[i % N][i & 1u], a[i]);
    atomicMax(most, a[i]);
    atomicAnd(all, ~(1u << (i & 7u)));
    wide[i] = i;
    groupMemoryBarrier();
    barrier();
    o[i] = sums[i % N][0] + sums[i % N][1] * 1000u + wide[gl_WorkGroupSize.x - 1u - i];
    if (i == 0u) {
        o[64] = most; o[65] = all; o[66] = M; o[67] = sums.length(); o[68] = UP ? 1u : 2u; o[69] = gl_WorkGroupSize.x;
        o[70] = atomicCompSwap(o[71], 0u, 5u) + atomicExchange(o[71], 9u) + atomicXor(o[71], 3u);
        uint local[N + 1u];
        local[N] = 4u;
        o[72] = local[N] + local.length();
    }
}
