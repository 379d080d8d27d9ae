// One part of a bitonic sort of 2^n words, ascending. A bitonic merge of size k compares words at distance k/2, k/4, … 1;
// distances below a block (1024 words) are done in shared memory, larger ones a dispatch each.
#version 450

const uint SORT_BLOCKS = 0;  // all merges up to the block's size
const uint FAR_STEP = 1;     // one distance j of the merge of size k
const uint NEAR_STEPS = 2;   // all distances within a block of the merge of size k
layout(constant_id = 0) const uint PART = SORT_BLOCKS;

const uint BLOCK = 1024;
layout(local_size_x = 512) in;

layout(push_constant) uniform Push {
    uint k, j;
};

layout(std430, binding = 0) buffer Keys { uint keys[]; };

shared uint block[BLOCK];

// The lower word of the pair that work-item i compares at distance j.
uint lower(uint i, uint distance) {
    return 2 * i - (i & (distance - 1));
}

void near_step(uint first, uint size, uint distance) {
    uint low = lower(gl_LocalInvocationID.x, distance), high = low + distance;
    bool ascending = ((first + low) & size) == 0;
    uint a = block[low], b = block[high];
    if ((a > b) == ascending) {
        block[low] = b;
        block[high] = a;
    }
    barrier();
}

void main() {
    if (PART == FAR_STEP) {
        uint low = lower(gl_GlobalInvocationID.x, j), high = low + j;
        bool ascending = (low & k) == 0;
        uint a = keys[low], b = keys[high];
        if ((a > b) == ascending) {
            keys[low] = b;
            keys[high] = a;
        }
        return;
    }

    uint lane = gl_LocalInvocationID.x;
    uint first = gl_WorkGroupID.x * BLOCK;
    block[lane] = keys[first + lane];
    block[lane + 512] = keys[first + lane + 512];
    barrier();
    if (PART == SORT_BLOCKS) {
        for (uint size = 2; size <= BLOCK; size *= 2)
            for (uint distance = size / 2; distance > 0; distance /= 2)
                near_step(first, size, distance);
    } else {
        for (uint distance = BLOCK / 2; distance > 0; distance /= 2)
            near_step(first, k, distance);
    }
    keys[first + lane] = block[lane];
    keys[first + lane + 512] = block[lane + 512];
}
