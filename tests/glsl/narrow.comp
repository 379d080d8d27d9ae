// run: --buffer c:1,-2,127,-128 --buffer s:1,300,65535,40000 --buffer h:0.5,-1.25,3,4 --buffer o=i32[20]
#version 450
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_8bit_storage : require
#extension GL_EXT_shader_16bit_storage : require
layout(local_size_x = 4) in;
layout(std430, binding = 0) buffer C { int8_t c[]; };
layout(std430, binding = 1) buffer S { uint16_t s[]; };
layout(std430, binding = 2) buffer H { float16_t h[]; };
layout(std430, binding = 3) buffer O { int o[]; };
shared i16vec2 pairs[4];
// Numbers of 8 and 16 bits: from memory, in arithmetic that wraps, in vectors, as bits, and back.
void main() {
    uint i = gl_LocalInvocationIndex;
    int8_t narrow = c[i] + int8_t(3);
    uint16_t wide = s[i] * 3us;
    f16vec2 both = f16vec2(h[i], h[3 - i]) * float16_t(2.0);
    pairs[i] = i16vec2(int16_t(wide), int16_t(narrow));
    barrier();
    i16vec2 other = pairs[3 - i];
    o[i] = int(narrow) + (int(wide) << 8);
    o[4 + i] = int(other.x) * 1000 + int(other.y);
    o[8 + i] = int(both.x * 100.0hf) + int(both.y);
    o[12 + i] = int(packFloat2x16(both));
    c[i] = int8_t(both.x);
    s[i] = uint16_t(narrow);
    o[16 + i] = int(pack32(u16vec2(s[i], uint16_t(c[i]))));
}
