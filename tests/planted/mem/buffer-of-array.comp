// Which of three buffers is read comes from data, and it is the fourth.
// RUN --groups 1 --buffer 0[0]=u32[64]:iota --buffer 0[1]=u32[64]:iota --buffer 0[2]=u32[64]:iota --buffer 1=u32[1]:3 --buffer 2=u32[64]
// MENDED RUN --groups 1 --buffer 0[0]=u32[64]:iota --buffer 0[1]=u32[64]:iota --buffer 0[2]=u32[64]:iota --buffer 1=u32[1]:2 --buffer 2=u32[64]
#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) readonly buffer Parts { uint words[]; } parts[3];
layout(set = 0, binding = 1) readonly buffer Which { uint which; };
layout(set = 0, binding = 2) writeonly buffer Out { uint result[]; };

void main() {
    uint i = gl_LocalInvocationIndex;
    result[i] = parts[which].words[i]; // FINDS mem
}
