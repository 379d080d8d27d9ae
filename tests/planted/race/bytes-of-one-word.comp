// Four invocations pack their bytes into one word by read, or and write.
// RUN --groups 1 --buffer 0=u32[64]
#version 450
layout(local_size_x = 128) in;
layout(set = 0, binding = 0) buffer Packed { uint packed_bytes[]; };

void main() {
    uint i = gl_GlobalInvocationID.x;
    uint bits = (i & 0xff) << (8 * (i & 3));
#ifdef MENDED
    atomicOr(packed_bytes[i / 4], bits);
#else
    packed_bytes[i / 4] |= bits; // FINDS race read-write, PAIR
#endif
}
