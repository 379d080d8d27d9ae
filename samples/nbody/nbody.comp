// One step of an all-pairs n-body simulation. Positions (xyz, mass in w) pass through shared memory a tile at a time.
#version 450

layout(local_size_x = 256) in;

layout(push_constant) uniform Push {
    uint count;
    float step;
    float softening;
};

layout(std430, binding = 0) readonly buffer Now { vec4 now[]; };
layout(std430, binding = 1) writeonly buffer Next { vec4 next[]; };
layout(std430, binding = 2) buffer Velocities { vec4 velocities[]; };

shared vec4 tile[256];

void main() {
    uint i = gl_GlobalInvocationID.x;
    vec4 body = i < count ? now[i] : vec4(0.0);
    vec3 pull = vec3(0.0);
    for (uint start = 0; start < count; start += 256) {
        uint at = start + gl_LocalInvocationID.x;
        tile[gl_LocalInvocationID.x] = at < count ? now[at] : vec4(0.0);
        barrier();
        for (uint k = 0; k < 256; ++k) {
            vec3 away = tile[k].xyz - body.xyz;
            float inverse = inversesqrt(dot(away, away) + softening);
            pull += away * (tile[k].w * inverse * inverse * inverse);
        }
        barrier();
    }
    if (i < count) {
        vec3 velocity = velocities[i].xyz + step * pull;
        velocities[i] = vec4(velocity, 0.0);
        next[i] = vec4(body.xyz + step * velocity, body.w);
    }
}
