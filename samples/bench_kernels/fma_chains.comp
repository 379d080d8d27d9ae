// A long loop of fused multiply-adds in eight independent chains. Every number is whole and below 2^24, so fused or not the sums are exact.
#version 450

layout(local_size_x = 256) in;

// The factor is 1, which the compiler cannot know.
layout(push_constant) uniform Push {
    float factor;
};

layout(std430, binding = 0) writeonly buffer Result { float result[]; };

void main() {
    float lane = float(gl_GlobalInvocationID.x & 63);
    vec4 a = vec4(lane) + vec4(0.0, 1.0, 2.0, 3.0), b = a + 4.0;
    vec4 m = vec4(factor), c = vec4(1.0 + float(gl_GlobalInvocationID.x & 7));
    for (uint i = 0; i < 1024; ++i) {
        a = fma(a, m, c);
        b = fma(b, m, c);
        a = fma(a, m, c);
        b = fma(b, m, c);
        a = fma(a, m, c);
        b = fma(b, m, c);
        a = fma(a, m, c);
        b = fma(b, m, c);
    }
    result[gl_GlobalInvocationID.x] = a.x + a.y + a.z + a.w + b.x + b.y + b.z + b.w;
}
