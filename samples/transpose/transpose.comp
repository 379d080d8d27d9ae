// The transpose of a matrix of words, through 32x32 tiles in shared memory so that reads and writes both run along rows.
#version 450

const uint TILE = 32;
const uint ROWS = 8;  // rows of the tile that the work-group handles at once
layout(local_size_x = TILE, local_size_y = ROWS) in;

layout(push_constant) uniform Push {
    uint width, height;
};

layout(std430, binding = 0) readonly buffer From { uint from[]; };
layout(std430, binding = 1) writeonly buffer To { uint to[]; };

// One word more per row keeps a column's words in different LDS banks.
shared uint tile[TILE][TILE + 1];

void main() {
    uint x = gl_LocalInvocationID.x, y = gl_LocalInvocationID.y;
    uvec2 corner = gl_WorkGroupID.xy * TILE;
    for (uint row = y; row < TILE; row += ROWS)
        if (corner.x + x < width && corner.y + row < height)
            tile[row][x] = from[(corner.y + row) * width + corner.x + x];
    barrier();
    for (uint row = y; row < TILE; row += ROWS)
        if (corner.y + x < height && corner.x + row < width)
            to[(corner.x + row) * height + corner.y + x] = tile[x][row];
}
