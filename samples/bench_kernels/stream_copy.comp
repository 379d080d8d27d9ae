// A copy, four words an item.
#version 450

layout(local_size_x = 256) in;

layout(std430, binding = 0) readonly buffer From { uvec4 from[]; };
layout(std430, binding = 1) writeonly buffer To { uvec4 to[]; };

void main() {
    to[gl_GlobalInvocationID.x] = from[gl_GlobalInvocationID.x];
}
