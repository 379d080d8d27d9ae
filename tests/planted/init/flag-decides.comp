// A flag that may not be set decides a branch.
// RUN --groups 1 --buffer 0=u32[64]:iota
#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer Data { uint data[]; };

void main() {
    uint i = gl_GlobalInvocationID.x;
#ifdef MENDED
    bool found = false;
#else
    bool found;
#endif
    for (uint k = 0; k < 4; k++)
        if (data[i] == k * 5)
            found = true;
    if (found) // FINDS init
        data[i] = 1000;
}
