// One block of a sound in a room, by uniformly partitioned convolution: the block and the one before it are transformed,
// multiplied by the first part of the room's response, the spectra of earlier blocks by its later parts, and the second half
// of the sum's inverse transform is what is heard. One work-group a channel; a work-item has the same four frequencies in
// every block, so nothing but the transforms crosses work-items.
#version 450

const uint BLOCK = 512;
const uint SIZE = 2 * BLOCK;
const uint ITEMS = SIZE / 4;
layout(local_size_x = ITEMS) in;

layout(push_constant) uniform Push {
    uint block;
    uint blocks;
    uint parts;
};

// By channel: a silent block, then the sound's.
layout(std430, binding = 0) readonly buffer Sound { float sound[]; };
// By channel and part: the response's spectrum.
layout(std430, binding = 1) readonly buffer Response { vec2 response[]; };
// By channel: the spectra of as many blocks, block b in place b mod parts.
layout(std430, binding = 2) buffer Past { vec2 past[]; };
// By channel and block.
layout(std430, binding = 3) writeonly buffer Heard { float heard[]; };

shared vec2 exchange[SIZE];

vec2 multiply(vec2 a, vec2 b) {
    return vec2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}

// Five radix-4 passes of Stockham's algorithm; item i has the numbers i, i + ITEMS, … before and after.
void fourier(inout vec2 v[4]) {
    uint item = gl_LocalInvocationID.x;
    for (uint done = 1; done < SIZE; done *= 4) {
        uint within = item & (done - 1);
        float angle = -6.283185307 * float(within) / float(4 * done);
        for (uint r = 1; r < 4; ++r)
            v[r] = multiply(v[r], vec2(cos(angle * float(r)), sin(angle * float(r))));
        vec2 a = v[0] + v[2], b = v[0] - v[2];
        vec2 c = v[1] + v[3], d = v[1] - v[3];
        d = vec2(d.y, -d.x);  // times -i
        uint to = (item - within) * 4 + within;
        exchange[to] = a + c;
        exchange[to + done] = b + d;
        exchange[to + 2 * done] = a - c;
        exchange[to + 3 * done] = b - d;
        barrier();
        for (uint r = 0; r < 4; ++r)
            v[r] = exchange[item + r * ITEMS];
        barrier();
    }
}

void main() {
    uint item = gl_LocalInvocationID.x;
    uint channel = gl_WorkGroupID.x;
    uint first = (channel * (blocks + 1) + block) * BLOCK;
    vec2 v[4];
    for (uint r = 0; r < 4; ++r)
        v[r] = vec2(sound[first + item + r * ITEMS], 0.0);
    fourier(v);

    uint all = channel * parts * SIZE;
    uint now = block % parts;
    vec2 sum[4];
    for (uint r = 0; r < 4; ++r) {
        uint at = item + r * ITEMS;
        past[all + now * SIZE + at] = v[r];
        sum[r] = multiply(v[r], response[all + at]);
    }
    for (uint part = 1; part < parts; ++part) {
        uint then = now >= part ? now - part : now + parts - part;
        for (uint r = 0; r < 4; ++r) {
            uint at = item + r * ITEMS;
            sum[r] += multiply(past[all + then * SIZE + at], response[all + part * SIZE + at]);
        }
    }

    // The inverse transform is the transform between two conjugations; of the result only the real part is there.
    for (uint r = 0; r < 4; ++r)
        v[r] = vec2(sum[r].x, -sum[r].y);
    fourier(v);
    uint to = (channel * blocks + block) * BLOCK;
    for (uint r = 2; r < 4; ++r)
        heard[to + item + (r - 2) * ITEMS] = v[r].x / float(SIZE);
}
