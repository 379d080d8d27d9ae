// Both parties of `wavepipe tunnel` run this: each work-group has so much shared memory that few fit on a machine.
#version 450
layout(local_size_x = 64) in;
layout(push_constant) uniform Push { uint rounds; };
layout(std430, binding = 0) writeonly buffer Answer { float answer[]; };
shared float tile[8192];

void main() {
    uint i = gl_LocalInvocationIndex;
    tile[i] = float(gl_GlobalInvocationID.x + 2);
    barrier();
    float x = tile[63 - i];
    for (uint n = 0; n < rounds; n++) {
        x = sqrt(x) + 1.0;
    }
    answer[gl_GlobalInvocationID.x] = x;
}
