// SHA-256 (FIPS 180-4) of 32-byte messages, one work-item each. Words are big-endian numbers, in and out.

@group(0) @binding(0) var<storage, read> messages: array<array<u32, 8>>;
@group(0) @binding(1) var<storage, read_write> digests: array<array<u32, 8>>;

// The round constants, four to a vector as uniform buffers lay them out.
@group(0) @binding(2) var<uniform> constants: array<vec4<u32>, 16>;

fn rotate_right(x: u32, n: u32) -> u32 {
    return (x >> n) | (x << (32u - n));
}

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x >= arrayLength(&messages) {
        return;
    }
    // The last 16 words of the message schedule. The message, its end mark, and its length of 256 bits make one block.
    var w: array<u32, 16>;
    for (var i = 0u; i < 8u; i++) {
        w[i] = messages[id.x][i];
    }
    w[8] = 0x80000000u;
    w[15] = 256u;

    var initial = array<u32, 8>(
        0x6a09e667u, 0xbb67ae85u, 0x3c6ef372u, 0xa54ff53au, 0x510e527fu, 0x9b05688cu, 0x1f83d9abu, 0x5be0cd19u
    );
    var a = initial[0];
    var b = initial[1];
    var c = initial[2];
    var d = initial[3];
    var e = initial[4];
    var f = initial[5];
    var g = initial[6];
    var h = initial[7];
    for (var round = 0u; round < 64u; round++) {
        let slot = round & 15u;
        if round >= 16u {
            let w1 = w[(round + 1u) & 15u];
            let w14 = w[(round + 14u) & 15u];
            let sigma0 = rotate_right(w1, 7u) ^ rotate_right(w1, 18u) ^ (w1 >> 3u);
            let sigma1 = rotate_right(w14, 17u) ^ rotate_right(w14, 19u) ^ (w14 >> 10u);
            w[slot] += sigma0 + w[(round + 9u) & 15u] + sigma1;
        }
        let sum1 = rotate_right(e, 6u) ^ rotate_right(e, 11u) ^ rotate_right(e, 25u);
        let choice = (e & f) ^ (~e & g);
        let t1 = h + sum1 + choice + constants[round / 4u][round % 4u] + w[slot];
        let sum0 = rotate_right(a, 2u) ^ rotate_right(a, 13u) ^ rotate_right(a, 22u);
        let majority = (a & b) ^ (a & c) ^ (b & c);
        let t2 = sum0 + majority;
        h = g;
        g = f;
        f = e;
        e = d + t1;
        d = c;
        c = b;
        b = a;
        a = t1 + t2;
    }
    let state = array<u32, 8>(a, b, c, d, e, f, g, h);
    digests[id.x] = state;
    for (var i = 0u; i < 8u; i++) {
        digests[id.x][i] += initial[i];
    }
}
