// The first candidate is compared with a best that there is not.
// RUN --groups 1 --buffer 0=f32[256]:iota --buffer 1=u32[32]
#version 450
layout(local_size_x = 32) in;
layout(set = 0, binding = 0) readonly buffer In { float scores[]; };
layout(set = 0, binding = 1) buffer Out { uint best_of[]; };

void main() {
    uint i = gl_GlobalInvocationID.x, which = 0;
#ifdef MENDED
    float best = -1e30;
#else
    float best;
#endif
    for (uint k = 0; k < 8; k++) {
        float score = scores[i * 8 + k];
        if (score > best) {
            best = score;
            which = k;
        }
    }
    best_of[i] = which; // FINDS init
}
