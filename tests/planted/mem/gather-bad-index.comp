// One of the indices that are gathered by is not one.
// RUN --groups 1 --buffer 0=u32[32]:0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,4294967295 --buffer 1=f32[32]:iota --buffer 2=f32[32]
#version 450
layout(local_size_x = 32) in;
layout(set = 0, binding = 0) readonly buffer Indices { uint indices[]; };
layout(set = 0, binding = 1) readonly buffer Values { float values[]; };
layout(set = 0, binding = 2) buffer Out { float gathered[]; };

void main() {
    uint i = gl_GlobalInvocationID.x;
    uint index = indices[i];
#ifdef MENDED
    if (index == 0xffffffff)
        return;
#endif
    gathered[i] = values[index]; // FINDS mem
}
