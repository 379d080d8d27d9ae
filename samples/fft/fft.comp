// Fourier transforms of 1024 complex numbers, one per work-group: five radix-4 passes of Stockham's algorithm, which
// leaves its output in order, with the passes' exchange in shared memory.
#version 450

const uint SIZE = 1024;
const uint ITEMS = SIZE / 4;
layout(local_size_x = ITEMS) in;

layout(std430, binding = 0) buffer Signal { vec2 signal[]; };

shared vec2 exchange[SIZE];

vec2 multiply(vec2 a, vec2 b) {
    return vec2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}

// Transforms four numbers in place.
void fourier4(inout vec2 v[4]) {
    vec2 a = v[0] + v[2], b = v[0] - v[2];
    vec2 c = v[1] + v[3], d = v[1] - v[3];
    d = vec2(d.y, -d.x);  // times -i
    v[0] = a + c;
    v[1] = b + d;
    v[2] = a - c;
    v[3] = b - d;
}

void main() {
    uint item = gl_LocalInvocationID.x;
    uint first = gl_WorkGroupID.x * SIZE;
    vec2 v[4];
    for (uint r = 0; r < 4; ++r)
        v[r] = signal[first + item + r * ITEMS];

    // `done` numbers are already transforms of their own.
    for (uint done = 1; done < SIZE; done *= 4) {
        uint within = item & (done - 1);
        float angle = -6.283185307 * float(within) / float(4 * done);
        for (uint r = 1; r < 4; ++r)
            v[r] = multiply(v[r], vec2(cos(angle * float(r)), sin(angle * float(r))));
        fourier4(v);
        uint to = (item - within) * 4 + within;
        for (uint r = 0; r < 4; ++r)
            exchange[to + r * done] = v[r];
        barrier();
        for (uint r = 0; r < 4; ++r)
            v[r] = exchange[item + r * ITEMS];
        barrier();
    }

    for (uint r = 0; r < 4; ++r)
        signal[first + item + r * ITEMS] = v[r];
}
