// More invocations than elements, and no guard against it.
// RUN --groups 2 --buffer 0=f32[100]:iota --buffer 1=f32[100]
#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) readonly buffer X { float x[]; };
layout(set = 0, binding = 1) buffer Y { float y[]; };

void main() {
    uint i = gl_GlobalInvocationID.x;
#ifdef MENDED
    if (i >= 100)
        return;
#endif
    float value = x[i]; // FINDS mem
    y[i] = 2.5 * value; // FINDS mem
}
