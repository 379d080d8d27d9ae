// One step of all-pairs n-body simulations in double precision, one for each z of work-groups. A work-group is one wave,
// and keeps all bodies in shared memory, which it fills: a compute unit holds one of them, and nothing else that has some.
#version 450

const uint ITEMS = 32;
const uint MOST = 2048;
layout(local_size_x = ITEMS) in;

layout(push_constant) uniform Push {
    uint count;
    float step;
    float softening;
};

layout(std430, binding = 0) readonly buffer Now { dvec4 now[]; };  // position, mass
layout(std430, binding = 1) writeonly buffer Next { dvec4 next[]; };
layout(std430, binding = 2) buffer Velocities { dvec4 velocities[]; };

shared dvec4 bodies[MOST];

void main() {
    uint first = gl_WorkGroupID.z * count;
    for (uint at = gl_LocalInvocationID.x; at < count; at += ITEMS)
        bodies[at] = now[first + at];
    barrier();
    uint i = gl_GlobalInvocationID.x;
    dvec4 body = bodies[min(i, count - 1)];
    dvec3 pull = dvec3(0.0);
    for (uint k = 0; k < count; ++k) {
        dvec3 away = bodies[k].xyz - body.xyz;
        double square = dot(away, away) + double(softening);
        // Newton's step doubles the digits of the single-precision root.
        double inverse = double(inversesqrt(float(square)));
        inverse *= 1.5 - 0.5 * square * inverse * inverse;
        pull += away * (bodies[k].w * inverse * inverse * inverse);
    }
    if (i < count) {
        dvec3 velocity = velocities[first + i].xyz + double(step) * pull;
        velocities[first + i] = dvec4(velocity, 0.0);
        next[first + i] = dvec4(body.xyz + double(step) * velocity, body.w);
    }
}
