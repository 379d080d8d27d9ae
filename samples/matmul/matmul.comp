// C = A B, row-major. A work-group makes a TILE x TILE tile of C, from tiles of A and B that it stages in shared memory.
#version 450

layout(constant_id = 0) const uint TILE = 16;
layout(local_size_x_id = 0, local_size_y_id = 0) in;

layout(push_constant) uniform Push {
    uint m, n, k;
};

layout(std430, binding = 0) readonly buffer A { float a[]; };
layout(std430, binding = 1) readonly buffer B { float b[]; };
layout(std430, binding = 2) writeonly buffer C { float c[]; };

shared float a_tile[TILE][TILE];
shared float b_tile[TILE][TILE];

void main() {
    uint row = gl_GlobalInvocationID.y, column = gl_GlobalInvocationID.x;
    uint y = gl_LocalInvocationID.y, x = gl_LocalInvocationID.x;
    float sum = 0.0;
    for (uint start = 0; start < k; start += TILE) {
        // Outside of the matrices the tiles are zero, so that any m, n, k will do.
        a_tile[y][x] = row < m && start + x < k ? a[row * k + start + x] : 0.0;
        b_tile[y][x] = start + y < k && column < n ? b[(start + y) * n + column] : 0.0;
        barrier();
        for (uint i = 0; i < TILE; ++i)
            sum += a_tile[y][i] * b_tile[i][x];
        barrier();
    }
    if (row < m && column < n)
        c[row * n + column] = sum;
}
