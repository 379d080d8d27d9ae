// One number less another, by one invocation.
#version 450
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
layout(local_size_x = 1) in;

layout(std430, binding = 0) writeonly buffer Difference { uint64_t difference; };
layout(std430, binding = 1) readonly buffer Subtrahend { uint64_t subtrahend; };
layout(std430, binding = 2) readonly buffer Minuend { uint64_t minuend; };

void main() { difference = minuend - subtrahend; }
