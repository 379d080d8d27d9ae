// The write position of a ring is not wrapped.
// RUN --groups 1 --push head=60 --buffer 0=u32[64]
#version 450
layout(local_size_x = 16) in;
layout(push_constant) uniform Push { uint head; };
layout(set = 0, binding = 0) buffer Ring { uint ring[]; };

void main() {
#ifdef MENDED
    uint at = (head + gl_LocalInvocationIndex) % 64;
#else
    uint at = head + gl_LocalInvocationIndex;
#endif
    ring[at] = gl_LocalInvocationIndex; // FINDS mem
}
