// C = A B of square matrices whose side is a multiple of 64. A work-group makes 64 x 64 of C, an item 4 x 4 of them.
#version 450

layout(local_size_x = 16, local_size_y = 16) in;

layout(push_constant) uniform Push {
    uint side;
};

layout(std430, binding = 0) readonly buffer A { float a[]; };
layout(std430, binding = 1) readonly buffer B { float b[]; };
layout(std430, binding = 2) writeonly buffer C { float c[]; };

// Of A turned, so that four rows of a column are neighbours.
shared float a_tile[16][64];
shared float b_tile[16][64];

void main() {
    uint x = gl_LocalInvocationID.x, y = gl_LocalInvocationID.y, item = gl_LocalInvocationIndex;
    uint row = gl_WorkGroupID.y * 64, column = gl_WorkGroupID.x * 64;
    vec4 sums[4] = vec4[4](vec4(0.0), vec4(0.0), vec4(0.0), vec4(0.0));
    for (uint start = 0; start < side; start += 16) {
        for (uint k = 0; k < 4; ++k) {
            uint n = k * 256 + item;
            a_tile[n & 15][n >> 4] = a[(row + (n >> 4)) * side + start + (n & 15)];
            b_tile[n >> 6][n & 63] = b[(start + (n >> 6)) * side + column + (n & 63)];
        }
        barrier();
        for (uint k = 0; k < 16; ++k) {
            vec4 right = vec4(b_tile[k][4 * x], b_tile[k][4 * x + 1], b_tile[k][4 * x + 2], b_tile[k][4 * x + 3]);
            for (uint i = 0; i < 4; ++i)
                sums[i] += a_tile[k][4 * y + i] * right;
        }
        barrier();
    }
    for (uint i = 0; i < 4; ++i) {
        uint to = (row + 4 * y + i) * side + column + 4 * x;
        c[to] = sums[i].x;
        c[to + 1] = sums[i].y;
        c[to + 2] = sums[i].z;
        c[to + 3] = sums[i].w;
    }
}
