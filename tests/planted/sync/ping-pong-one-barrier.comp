// Of three steps between two buffers only the first two are parted.
// HOST buffer ping 256 iota
// HOST buffer pong 256
// HOST dispatch 1 1 1
// HOST barrier
// HOST bind 0 pong
// HOST bind 1 ping
// HOST dispatch 1 1 1
// MENDED HOST barrier
// HOST bind 0 ping
// HOST bind 1 pong
// HOST dispatch 1 1 1
#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer From { uint from[]; };
layout(set = 0, binding = 1) buffer To { uint to[]; };

void main() {
    uint i = gl_LocalInvocationIndex;
    uint value = from[(i + 1) % 64] + from[i]; // FINDS sync, PAIR
    to[i] = value; // FINDS sync, PAIR
}
