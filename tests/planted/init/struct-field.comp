// One field of a structure is never set.
// RUN --groups 1 --buffer 0=vec4[32]
#version 450
layout(local_size_x = 32) in;
struct Ray { vec3 from; float reach; };
layout(set = 0, binding = 0) buffer Out { vec4 result[]; };

void main() {
    uint i = gl_GlobalInvocationID.x;
    Ray ray;
    ray.from = vec3(float(i), 1.0, 2.0);
#ifdef MENDED
    ray.reach = 1.0;
#endif
    result[i] = vec4(ray.from, ray.reach); // FINDS init
}
