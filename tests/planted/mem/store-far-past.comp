// A store 1000 elements past where it should be.
// RUN --groups 1 --buffer 0=u32[64]
#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer Data { uint data[]; };

void main() {
    uint i = gl_GlobalInvocationID.x;
#ifdef MENDED
    data[i] = i;
#else
    data[i + 1000] = i; // FINDS mem
#endif
}
