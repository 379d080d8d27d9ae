// The rows of a picture that is not square are as long as it is high.
// RUN --groups 4,2 --buffer 0=u32[512]:iota --buffer 1=u32[512]
#version 450
layout(local_size_x = 8, local_size_y = 8) in;
layout(set = 0, binding = 0) readonly buffer From { uint from[]; };
layout(set = 0, binding = 1) buffer To { uint to[]; };
const uint WIDTH = 32, HEIGHT = 16;

void main() {
    uvec2 at = gl_GlobalInvocationID.xy;
#ifdef MENDED
    uint index = at.y * WIDTH + at.x;
#else
    uint index = at.x * WIDTH + at.y;
#endif
    uint value = from[index]; // FINDS mem
    to[at.y * WIDTH + at.x] = value;
}
