// The bound of a loop is in a uniform buffer that nobody has filled.
// BUG HOST uniform settings 16 none
// MENDED HOST uniform settings 16 3 4 5 6
// HOST buffer result 256
// HOST dispatch 1 1 1
#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) uniform Settings { uint rounds; };
layout(set = 0, binding = 1) buffer Out { uint result[]; };

void main() {
    uint sum = 0;
    for (uint i = 0; i < rounds; i++) // FINDS init
        sum += i * i;
    result[gl_LocalInvocationIndex] = sum;
}
