// Eight words of each item to anywhere, each place once: a sequence of full period.
#version 450

layout(local_size_x = 256) in;

layout(push_constant) uniform Push {
    uint mask;
};

layout(std430, binding = 0) writeonly buffer Places { uint places[]; };

void main() {
    uint items = gl_NumWorkGroups.x * 256;
    for (uint k = 0; k < 8; ++k) {
        uint word = k * items + gl_GlobalInvocationID.x;
        places[(word * 1664525 + 1013904223) & mask] = word;
    }
}
