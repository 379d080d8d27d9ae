// One case of a switch has a barrier.
// RUN --groups 1 --buffer 0=u32[96]:iota
#version 450
layout(local_size_x = 96) in;
layout(set = 0, binding = 0) buffer Data { uint data[]; };

void main() {
    uint lane = gl_LocalInvocationIndex, value = data[lane];
#ifdef MENDED
    barrier();
#endif
    switch (lane / 32) {
    case 0:
        value += 1;
        break;
    case 1:
#ifndef MENDED
        barrier(); // FINDS sync
#endif
        value *= 2;
        break;
    default:
        value = 0;
    }
    data[lane] = value;
}
