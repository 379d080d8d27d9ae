// A switch leaves a variable as it was in the cases that it does not have.
// RUN --groups 1 --buffer 0=u32[64]:iota
#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer Data { uint data[]; };

void main() {
    uint i = gl_GlobalInvocationID.x;
    uint colour;
    switch (data[i] % 4) {
    case 0: colour = 10; break;
    case 1: colour = 20; break;
    case 2: colour = 30; break;
#ifdef MENDED
    default: colour = 40;
#endif
    }
    data[i] = colour; // FINDS init
}
