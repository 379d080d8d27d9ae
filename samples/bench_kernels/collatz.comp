// Steps of the Collatz sequence down to 1: each lane's loop ends when it likes.
#version 450

layout(local_size_x = 256) in;

layout(std430, binding = 0) writeonly buffer Steps { uint steps[]; };

void main() {
    uint n = gl_GlobalInvocationID.x + 1, count = 0;
    while (n != 1) {
        if ((n & 1) == 0)
            n /= 2;
        else
            n = 3 * n + 1;
        ++count;
    }
    steps[gl_GlobalInvocationID.x] = count;
}
