// Counts of byte values by atomics in shared memory, sixteen words an item.
#version 450

layout(local_size_x = 256) in;

layout(std430, binding = 0) readonly buffer Words { uint words[]; };
layout(std430, binding = 1) buffer Bins { uint bins[256]; };

shared uint counts[256];

void main() {
    uint at = gl_LocalInvocationID.x;
    counts[at] = 0;
    barrier();
    for (uint k = 0; k < 16; ++k) {
        uint word = words[(gl_WorkGroupID.x * 16 + k) * 256 + at];
        atomicAdd(counts[word & 255], 1);
        atomicAdd(counts[word >> 8 & 255], 1);
        atomicAdd(counts[word >> 16 & 255], 1);
        atomicAdd(counts[word >> 24], 1);
    }
    barrier();
    atomicAdd(bins[at], counts[at]);
}
