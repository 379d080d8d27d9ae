// Every invocation that finds something stores where; they find it in different places.
// RUN --groups 1 --buffer 0=u32[64]:iota --buffer 1=u32[2]
@group(0) @binding(0) var<storage, read> numbers: array<u32>;
@group(0) @binding(1) var<storage, read_write> found: array<u32>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) at: vec3u) {
    let even = numbers[at.x] % 2u == 0u; // BUG
    // MENDED: let even = numbers[at.x] == 18u;
    if even {
        found[1] = at.x; // FINDS race write-write, PAIR
    }
}
