// run: --buffer b[0]:1,2 --buffer b[1]:10,20 --buffer b[2]:100,200 --buffer b[3]:1000,2000 --buffer o=f32[16] --buffer U:1,2,3,4,5,6 --push u32=2
#version 450
layout(local_size_x = 4) in;
layout(std430, binding = 0) buffer B { float head; float rest[]; } b[4];
layout(std430, binding = 1) buffer O { float o[]; };
layout(binding = 2, row_major) uniform U { mat3x2 m; } u;
layout(push_constant) uniform P { uint which; } p;
// Arrays of blocks, their lengths, and a matrix by rows.
void main() {
    uint i = gl_LocalInvocationIndex;
    o[i] = b[i].head + b[p.which].rest[0];
    o[4 + i] = float(b[i].rest.length() + b.length());
    vec2 v = u.m * vec3(1.0, 10.0, 100.0);
    o[8 + i] = i < 2u ? v[i] : u.m[i - 2u].y;
    memoryBarrierBuffer();
    barrier();
    b[i].rest[0] += 0.5;
    o[12 + i] = b[i].rest[0];
}
