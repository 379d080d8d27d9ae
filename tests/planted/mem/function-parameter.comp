// A function that takes an array reads one more of it.
// RUN --groups 1 --buffer 0=f32[64]:iota
#version 450
layout(local_size_x = 16) in;
layout(set = 0, binding = 0) buffer Data { float data[]; };

float horner(float c[4], int degree, float x) {
    float y = 0.0;
    for (int k = degree; k >= 0; k--)
        y = y * x + c[k]; // FINDS mem
    return y;
}

void main() {
    uint i = gl_GlobalInvocationID.x;
    float c[4];
    for (uint k = 0; k < 4; k++)
        c[k] = data[4 * i + k];
#ifdef MENDED
    int degree = int(min(i, 3));
#else
    int degree = int(min(i, 4));
#endif
    data[4 * i] = horner(c, degree, 0.5);
}
