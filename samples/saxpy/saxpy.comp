// y = a x + y
#version 450

layout(local_size_x = 256, local_size_x_id = 0) in;

layout(push_constant) uniform Push {
    float a;
    uint n;
};

layout(std430, binding = 0) readonly buffer X { float x[]; };
layout(std430, binding = 1) buffer Y { float y[]; };

void main() {
    uint i = gl_GlobalInvocationID.x;
    if (i < n)
        y[i] = a * x[i] + y[i];
}
