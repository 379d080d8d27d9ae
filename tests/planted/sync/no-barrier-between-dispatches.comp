// The second dispatch reads what the first one has written, and no barrier stands between them.
// HOST buffer data 1024 iota
// HOST buffer sums 1024
// HOST push 0
// HOST dispatch 4 1 1
// MENDED HOST barrier
// HOST push 1
// HOST dispatch 4 1 1
#version 450
layout(local_size_x = 64) in;
layout(push_constant) uniform Push { uint stage; };
layout(set = 0, binding = 0) buffer Data { uint data[]; };
layout(set = 0, binding = 1) buffer Sums { uint sums[]; };

void main() {
    uint i = gl_GlobalInvocationID.x;
    if (stage == 0)
        data[i] = i * i; // PAIR
    else
        sums[i] = data[255 - i]; // FINDS sync
}
