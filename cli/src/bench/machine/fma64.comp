#version 450
// Fused multiply-adds of double precision in four independent chains, sixteen of them a round.
layout(local_size_x = 256) in;
layout(push_constant) uniform Parameters { uint rounds; };
layout(set = 0, binding = 0) buffer Result { double result[]; };

void main() {
    double a = double(gl_LocalInvocationIndex), b = a + 1.0, c = a + 2.0, d = a + 3.0;
    // In registers: constants may be made anew for each use.
    double m = double(gl_LocalInvocationIndex & 1), n = m + 0.5;
    for (uint i = 0; i < rounds; i++) {
        a = fma(a, m, n);
        b = fma(b, m, n);
        c = fma(c, m, n);
        d = fma(d, m, n);
        a = fma(a, m, n);
        b = fma(b, m, n);
        c = fma(c, m, n);
        d = fma(d, m, n);
        a = fma(a, m, n);
        b = fma(b, m, n);
        c = fma(c, m, n);
        d = fma(d, m, n);
        a = fma(a, m, n);
        b = fma(b, m, n);
        c = fma(c, m, n);
        d = fma(d, m, n);
    }
    result[gl_GlobalInvocationID.x] = a + b + c + d;
}
