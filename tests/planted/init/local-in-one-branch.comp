// A local variable gets its value in only one side of a branch.
// RUN --groups 1 --buffer 0=u32[64]:iota
#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer Data { uint data[]; };

void main() {
    uint i = gl_GlobalInvocationID.x;
    uint scale;
    if (data[i] > 20)
        scale = data[i] * 3;
#ifdef MENDED
    else
        scale = 1;
#endif
    data[i] = scale; // FINDS init
}
