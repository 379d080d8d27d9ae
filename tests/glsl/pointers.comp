// run: --buffer o=u32[4]
#version 450
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
layout(local_size_x = 1) in;
layout(buffer_reference) buffer Node;
layout(buffer_reference, std430, buffer_reference_align = 8) buffer Node { Node next; uint value; };
layout(std430, binding = 0) buffer O { uint o[]; };
// Pointers that are compared and converted; nothing is behind them here.
void main() {
    Node none = Node(uint64_t(0)), some = Node(0x1000ul);
    o[0] = uint64_t(none) == 0ul ? 1u : 2u;
    o[1] = uint(uint64_t(some) >> 4);
    if (o[0] == 2u) o[2] = some.next.value;
    o[3] = uint(uint64_t(some) + 8ul);
}
