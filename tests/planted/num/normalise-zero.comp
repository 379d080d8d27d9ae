// A vector of length zero is normalised.
// RUN --groups 1 --buffer 0=vec4[8]
// MENDED RUN --groups 1 --buffer 0=vec4[8]:rand
#version 450
layout(local_size_x = 8) in;
layout(set = 0, binding = 0) buffer Data { vec4 data[]; };

void main() {
    uint i = gl_GlobalInvocationID.x;
    data[i] = data[i] / sqrt(dot(data[i], data[i])); // FINDS num
}
