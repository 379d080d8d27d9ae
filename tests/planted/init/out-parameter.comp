// A function gives its out parameter no value where it fails.
// RUN --groups 1 --buffer 0=f32[64]:iota
#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer Data { float data[]; };

bool hit(float from, out float distance) {
#ifdef MENDED
    distance = 0.0;
#endif
    if (from < 32.0)
        return false;
    distance = from - 32.0;
    return true;
}

void main() {
    uint i = gl_GlobalInvocationID.x;
    float distance;
    hit(data[i], distance);
    data[i] = distance; // FINDS init
}
