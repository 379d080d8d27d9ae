// A list in memory whose last element leads to where nothing is.
// HOST buffer out 256
// BUG HOST buffer list 64 0 0 5 0 0x12345670 0 7 0
// MENDED HOST buffer list 64 0 0 5 0 0 0 7 0
// HOST push &list
// HOST bind 0 out
// HOST dispatch 1 1 1
#version 460
#extension GL_EXT_buffer_reference : require
layout(local_size_x = 1) in;
layout(buffer_reference) buffer Node;
layout(buffer_reference, std430, buffer_reference_align = 8) buffer Node { uvec2 next; uint value; uint pad; };
#extension GL_EXT_buffer_reference_uvec2 : require
layout(push_constant) uniform Push { uvec2 first; };
layout(set = 0, binding = 0) buffer Out { uint sum; };

void main() {
    Node node = Node(uvec2(first.x + 16, first.y));
    uint total = 0;
    for (uint i = 0; i < 4; i++) {
        total += node.value; // FINDS mem
        uvec2 next = node.next;
        if (next == uvec2(0))
            break;
        node = Node(next);
    }
    sum = total;
}
