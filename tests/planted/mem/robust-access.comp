// With robust accesses a store past the end is dropped without a word; it is a mistake all the same.
// HOST robust
// HOST buffer data 256 iota
// HOST dispatch 2 1 1
#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer Data { uint data[]; };

void main() {
    uint i = gl_GlobalInvocationID.x;
#ifdef MENDED
    if (i < data.length())
#endif
        data[i] = i; // FINDS mem
}
