// A work-group's list of candidates is filled beyond its eight places.
// RUN --groups 1 --buffer 0=f32[64]:iota --buffer 1=f32[8]
#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) readonly buffer In { float scores[]; };
layout(set = 0, binding = 1) buffer Out { float best[]; };
struct Candidate { uint index; float score; };
shared Candidate candidates[8];
shared uint count;

void main() {
    uint i = gl_LocalInvocationIndex;
    if (i == 0)
        count = 0;
    barrier();
    if (scores[i] > 50.0) {
        uint slot = atomicAdd(count, 1);
#ifdef MENDED
        if (slot < 8)
#endif
            candidates[slot] = Candidate(i, scores[i]); // FINDS mem
    }
    barrier();
    if (i < min(count, 8))
        best[i] = candidates[i].score;
}
