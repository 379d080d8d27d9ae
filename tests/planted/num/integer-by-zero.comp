// A mean over a count that is zero for the first invocation.
// RUN --groups 1 --buffer 0=u32[64]:iota
#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer Data { uint data[]; };

void main() {
    uint i = gl_GlobalInvocationID.x, count = data[i];
#ifdef MENDED
    data[i] = count == 0 ? 0 : 1000 / max(count, 1);
#else
    data[i] = 1000 / count; // FINDS num
#endif
}
