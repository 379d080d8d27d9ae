// 512 steps of each item through one ring that visits 2^22 words in an order that nobody foresees.
#version 450

layout(local_size_x = 64) in;

layout(std430, binding = 0) readonly buffer Ring { uint next[]; };
layout(std430, binding = 1) writeonly buffer Ends { uint ends[]; };

void main() {
    uint at = gl_GlobalInvocationID.x * 1021;
    for (uint i = 0; i < 512; ++i)
        at = next[at];
    ends[gl_GlobalInvocationID.x] = at;
}
