// run: --buffer o=i32[12]
#version 450 core
#extension GL_GOOGLE_include_directive : require
#include "macros.glsl"
#define CAT(a, b) a ## b
#define TWICE(x) ((x) * 2)
#define SUM(a, b) (TWICE(a) + b)
#define LONG 1 + \
    2
#if defined(TWICE) && !defined NOTHING && (3 * 4 == 12) && __VERSION__ >= 450
#define CHOSEN 1
#elif 1
#error not here
#else
#define CHOSEN 3
#endif
#ifdef NOTHING
this is not looked at, and "neither is this"
#endif
layout(local_size_x = 1) in;
layout(std430, binding = 0) buffer O { int o[]; };
int CAT(va, lue) = 3;
#undef TWICE
#define TWICE(x) ((x) * 20)
int same = 5;
#define same same + 1
void main() {
    o[9] = same * 2;
    o[0] = value; o[1] = SUM(1, 2); o[2] = (LONG) * 2; o[3] = CHOSEN; o[4] = __LINE__;
    o[5] = INCLUDED(4); /* a comment
    of two lines */ o[6] = __LINE__; // and one of one
    o[7] = TWICE(SUM(1, (2, 3))); o[8] = 0x1F + 017 + int(1e2) + int(.5f * 4.);
}
