// The first dispatch fills one member of each element; the second one uses both, and copies whole elements.
// HOST buffer data 512 none
// HOST buffer copied 512 none
// HOST buffer result 256
// HOST push 0
// HOST dispatch 1 1 1
// HOST barrier
// HOST push 1
// HOST dispatch 1 1 1
#version 450
layout(local_size_x = 64) in;
struct Item { uint key; uint value; };
layout(push_constant) uniform Push { uint stage; };
layout(set = 0, binding = 0) buffer Data { Item data[]; };
layout(set = 0, binding = 1) buffer Copied { Item copied[]; };
layout(set = 0, binding = 2) buffer Out { uint result[]; };

void main() {
    uint i = gl_LocalInvocationIndex;
    if (stage == 0) {
        data[i].key = i;
        return;
    }
    copied[i] = data[i];
    uint sum = copied[i].key;      // PAIR
#ifndef MENDED
    sum += copied[i].value;
#endif
    result[i] = sum + 1;           // FINDS init
}
