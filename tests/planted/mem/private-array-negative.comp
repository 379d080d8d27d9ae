// Insertion sort looks at index -1 of a private array.
// RUN --groups 1 --buffer 0=i32[256]:rand
#version 450
layout(local_size_x = 32) in;
layout(set = 0, binding = 0) buffer Data { int data[]; };

void main() {
    int base = int(gl_GlobalInvocationID.x) * 8;
    int keys[8];
    for (int k = 0; k < 8; k++)
        keys[k] = data[base + k];
    for (int k = 1; k < 8; k++) {
        int key = keys[k], at = k - 1;
#ifdef MENDED
        while (at >= 0) {
#else
        while (at >= -1) {
#endif
            int before = keys[at]; // FINDS mem
            if (before <= key)
                break;
            keys[at + 1] = before;
            at--;
        }
        keys[max(at, -1) + 1] = key;
    }
    for (int k = 0; k < 8; k++)
        data[base + k] = keys[k];
}
