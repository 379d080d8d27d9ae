// A counter in a buffer is counted up from whatever it holds.
// HOST buffer counter 4 none
// MENDED HOST update counter 0
// MENDED HOST barrier
// HOST dispatch 2 1 1
#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer Counter { uint counter; };

void main() {
    atomicAdd(counter, 1); // FINDS init
}
