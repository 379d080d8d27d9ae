// A guard in two dimensions that asks for the wrong one of both.
// RUN --groups 2,2 --buffer 0=u32[260]
#version 450
layout(local_size_x = 16, local_size_y = 16) in;
layout(set = 0, binding = 0) buffer Out { uint pixels[]; };

void main() {
    uvec2 at = gl_GlobalInvocationID.xy;
#ifdef MENDED
    if (at.x < 20 && at.y < 13)
#else
    if (at.x < 20 || at.y < 13)
#endif
        pixels[at.y * 20 + at.x] = at.x ^ at.y; // FINDS mem
}
