// The dispatch of the second half has an offset that is an element too far.
// RUN --groups 1 --push from=65 --buffer 0=u32[128]:iota
// MENDED RUN --groups 1 --push from=64 --buffer 0=u32[128]:iota
#version 450
layout(local_size_x = 64) in;
layout(push_constant) uniform Push { uint from; };
layout(set = 0, binding = 0) buffer Data { uint data[]; };

void main() {
    uint i = from + gl_LocalInvocationIndex;
    data[i] = data[i] * data[i]; // FINDS mem
}
