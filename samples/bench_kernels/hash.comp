// MurmurHash3's finaliser, 512 times over.
#version 450

layout(local_size_x = 256) in;

layout(std430, binding = 0) writeonly buffer Result { uint result[]; };

void main() {
    uint h = gl_GlobalInvocationID.x;
    for (uint i = 0; i < 512; ++i) {
        h ^= h >> 16;
        h *= 0x85ebca6bu;
        h ^= h >> 13;
        h *= 0xc2b2ae35u;
        h ^= h >> 16;
        h += i;
    }
    result[gl_GlobalInvocationID.x] = h;
}
