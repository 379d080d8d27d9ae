// What is not a number is made an index.
// RUN --groups 1 --buffer 0=u32[4]:1065353216,2143289344,1073741824,0 --buffer 1=i32[4]
// MENDED RUN --groups 1 --buffer 0=u32[4]:1065353216,1077936128,1073741824,0 --buffer 1=i32[4]
#version 450
layout(local_size_x = 4) in;
layout(set = 0, binding = 0) readonly buffer In { uint bits[4]; };
layout(set = 0, binding = 1) buffer Out { int y[4]; };

void main() {
    uint i = gl_GlobalInvocationID.x;
    y[i] = int(uintBitsToFloat(bits[i])); // FINDS num
}
