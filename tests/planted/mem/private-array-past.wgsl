// A stack of private memory grows over its end.
// RUN --groups 1 --buffer 0=u32[64]:iota --buffer 1=u32[64]
@group(0) @binding(0) var<storage, read> depth: array<u32>;
@group(0) @binding(1) var<storage, read_write> result: array<u32>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) at: vec3u) {
    var stack: array<u32, 48>;
    var top = 0u;
    for (var i = 0u; i < depth[at.x]; i++) {
        // MENDED: if top == 48u { break; }
        stack[top] = i * i; // FINDS mem
        top++;
    }
    var sum = 0u;
    while top > 0u {
        top--;
        sum += stack[top]; // FINDS mem
    }
    result[at.x] = sum;
}
