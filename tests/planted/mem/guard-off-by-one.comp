// The guard lets one invocation too many through.
// RUN --groups 2 --push count=100 --buffer 0=f32[100]:iota
#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer X { float x[]; };
layout(push_constant) uniform Push { uint count; };

void main() {
    uint i = gl_GlobalInvocationID.x;
#ifdef MENDED
    if (i >= count)
        return;
#else
    if (i > count)
        return;
#endif
    x[i] *= 0.5; // FINDS mem
}
