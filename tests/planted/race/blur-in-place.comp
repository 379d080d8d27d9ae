// A blur reads neighbours in the buffer that it writes.
// RUN --groups 4 --buffer 0=f32[258]:iota --buffer 1=f32[258]
#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer Samples { float samples[]; };
layout(set = 0, binding = 1) buffer Blurred { float blurred[]; };

void main() {
    uint i = gl_GlobalInvocationID.x + 1;
    float left = samples[i - 1];  // FINDS race read-write
    float right = samples[i + 1]; // FINDS race read-write
    float mean = (left + samples[i] + right) / 3.0;
#ifdef MENDED
    blurred[i] = mean;
#else
    samples[i] = mean; // PAIR
    blurred[i] = 0.0;
#endif
}
