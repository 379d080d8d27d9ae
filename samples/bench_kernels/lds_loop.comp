// A ring of 256 cells in shared memory, each made of itself and its neighbours, with two barriers a round.
#version 450

layout(local_size_x = 256) in;

layout(std430, binding = 0) writeonly buffer Result { uint result[]; };

shared uint cells[256];

void main() {
    uint at = gl_LocalInvocationID.x, mine = gl_GlobalInvocationID.x;
    for (uint round = 0; round < 256; ++round) {
        cells[at] = mine;
        barrier();
        uint left = cells[(at + 255) & 255], right = cells[(at + 1) & 255];
        barrier();
        mine = (mine ^ (left + 5 * right)) * 2654435761u + round;
    }
    result[gl_GlobalInvocationID.x] = mine;
}
