// The lanes of a wave share one program counter. Where they
// disagree about a branch, the wave goes both ways, one after the
// other, and EXEC says which lanes take part.

@group(0) @binding(0) var<storage, read_write> out: array<u32>;

// How often n is halved or tripled until it is 1.
fn collatz(start: u32) -> u32 {
    var n = start;
    var steps = 0u;
    while n > 1u {
        if n % 2u == 0u {
            n = n / 2u;
        } else {
            n = 3u * n + 1u;
        }
        steps = steps + 1u;
    }
    return steps;
}

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u) {
    out[id.x] = collatz(id.x + 1u);
}
