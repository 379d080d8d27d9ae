// run: --buffer S=u8[256]:ramp.bin --buffer T=u8[256]:ramp.bin --buffer U=u8[256]:ramp.bin --buffer o=f32[24]
#version 450
#extension GL_EXT_scalar_block_layout : require
layout(local_size_x = 1) in;
struct Inner { vec3 v; float w; mat2x3 m; bool flag; };
layout(std430, binding = 0) buffer S { float a; vec3 b; Inner c[2]; float d[3]; layout(offset = 224) vec2 e; } s;
layout(std140, binding = 1) uniform T { float a; float b[3]; Inner c; mat2 m; } t;
layout(scalar, binding = 2) buffer U { float a; vec3 b; Inner c[2]; layout(row_major) mat3x2 m; } u;
layout(std430, binding = 3) buffer O { float o[]; };
// Where each rule puts what: values tell the offset in words, but for booleans.
void main() {
    Inner all = s.c[1];
    o[0] = s.b.z + all.w;
    o[1] = all.m[1][2];
    o[2] = all.flag ? 1.0 : 0.0;
    o[3] = s.d[2];
    o[4] = s.e.y;
    o[5] = t.b[2];
    o[6] = t.c.v.y + t.c.m[1].z;
    o[7] = t.m[1].x;
    o[8] = u.b.x;
    o[9] = u.c[1].v.x + u.c[1].m[1][0];
    o[10] = u.m[2].y;
    o[11] = u.m[0].x;
    u.c[0] = all;
    u.c[1].m[1].zx = vec2(-1.0, -2.0);
    o[12] = u.c[0].m[0][1];
    o[13] = u.c[1].m[1].x + u.c[1].m[1].y;
    Inner two[2] = u.c;
    two[1].flag = !two[0].flag;
    s.c = two;
    o[14] = s.c[1].flag ? 3.0 : 4.0;
    o[15] = s.c[0].v.z;
    u.m = mat3x2(9.0);
    o[16] = u.m[1].y + u.m[1].x;
}
