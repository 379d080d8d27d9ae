// Which of four factors is used is a push constant, and it is 4.
// RUN --groups 1 --push which=4 --push factors=1,2,3,4 --buffer 0=f32[64]:iota
// MENDED RUN --groups 1 --push which=3 --push factors=1,2,3,4 --buffer 0=f32[64]:iota
#version 450
layout(local_size_x = 64) in;
layout(push_constant) uniform Push { uint which; float factors[4]; } push;
layout(set = 0, binding = 0) buffer Data { float data[]; };

void main() {
    data[gl_GlobalInvocationID.x] *= push.factors[push.which]; // FINDS mem
}
