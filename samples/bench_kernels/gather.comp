// Sums of sixteen words from anywhere in a table of 2^20.
#version 450

layout(local_size_x = 256) in;

layout(std430, binding = 0) readonly buffer Table { uint table[]; };
layout(std430, binding = 1) writeonly buffer Sums { uint sums[]; };

void main() {
    uint sum = 0;
    for (uint k = 0; k < 16; ++k)
        sum += table[((gl_GlobalInvocationID.x * 16 + k) * 2654435761u) >> 12];
    sums[gl_GlobalInvocationID.x] = sum;
}
