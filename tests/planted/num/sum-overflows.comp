// Two numbers near the highest are added.
// RUN --groups 1 --buffer 0=f32[2]:3e38,2e38 --buffer 1=f32[1]
// MENDED RUN --groups 1 --buffer 0=f32[2]:3e37,2e37 --buffer 1=f32[1]
#version 450
layout(local_size_x = 1) in;
layout(set = 0, binding = 0) readonly buffer In { float x[2]; };
layout(set = 0, binding = 1) buffer Out { float y; };

void main() {
    y = x[0] + x[1]; // FINDS num
}
