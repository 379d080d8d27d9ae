// A particle's fourth coordinate is its mass.
// RUN --groups 1 --buffer 0:iota --buffer 1=f32[64]
// BYTES 0 1024
#version 450
layout(local_size_x = 64) in;
struct Particle { float position[3]; float mass; };
layout(set = 0, binding = 0) readonly buffer Particles { Particle particles[64]; };
layout(set = 0, binding = 1) buffer Lengths { float lengths[]; };

void main() {
    uint i = gl_GlobalInvocationID.x;
    float sum = 0.0;
#ifdef MENDED
    for (uint d = 0; d < 3; d++)
#else
    for (uint d = 0; d <= 3; d++)
#endif
        sum += particles[i].position[d] * particles[i].position[d]; // FINDS mem
    lengths[i] = sqrt(sum);
}
