#version 450
layout(local_size_x = 64) in;
layout(constant_id = 0) const float factor = 2.0;
layout(std430, binding = 0) readonly buffer X { float x[]; };
layout(std430, binding = 1) buffer Y { float y[]; };

void main() {
    uint i = gl_GlobalInvocationID.x;
    if (i < y.length()) {
        y[i] = factor * x[i] + 1.0;
    }
}
