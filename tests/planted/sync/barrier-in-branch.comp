// Half of the work-group comes to a barrier.
// RUN --groups 1 --buffer 0=u32[128]:iota
#version 450
layout(local_size_x = 128) in;
layout(set = 0, binding = 0) buffer Data { uint data[]; };
shared uint words[128];

void main() {
    uint lane = gl_LocalInvocationIndex;
    words[lane] = data[lane];
#ifdef MENDED
    barrier();
    if (lane < 64)
        data[lane] = words[lane + 64];
#else
    if (lane < 64) {
        barrier(); // FINDS sync
        data[lane] = words[lane];
    }
#endif
}
