#version 450
// Each work-item reads a dword of shared memory eight times a round, a wave consecutive ones: no bank has two of them. Rounds read
// either half in turn, so that no read is one of the round before. With 16 KB as many work-groups are in either array of a pair.
layout(local_size_x = 256) in;
layout(push_constant) uniform Parameters { uint rounds; };
layout(set = 0, binding = 0) buffer Result { uint result[]; };
shared uint tile[4096];

void main() {
    uint item = gl_LocalInvocationIndex;
    // Nobody looks at the sums: the other dwords stay what they are.
    tile[item] = item;
    uint sum = 0;
    for (uint i = 0; i < rounds; i++) {
        uint at = item + 2048 * (i & 1);
        uint a = tile[at];
        uint b = tile[at + 64];
        uint c = tile[at + 128];
        uint d = tile[at + 192];
        uint e = tile[at + 256];
        uint f = tile[at + 320];
        uint g = tile[at + 384];
        uint h = tile[at + 448];
        sum += a ^ b ^ c ^ d ^ e ^ f ^ g ^ h;
    }
    result[gl_GlobalInvocationID.x] = sum;
}
