// Elements are scattered to where no element is.
// RUN --groups 1 --buffer 0=u32[64]:iota --buffer 1=u32[64]
@group(0) @binding(0) var<storage, read> keys: array<u32>;
@group(0) @binding(1) var<storage, read_write> slots: array<u32>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) at: vec3u) {
    let slot = keys[at.x] + 1u; // BUG
    // MENDED: let slot = keys[at.x];
    slots[slot] = at.x; // FINDS mem
}
