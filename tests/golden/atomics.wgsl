// An atomic without a result counts among the stores, one with a result among the loads.
@group(0) @binding(0) var<storage, read_write> bins: array<atomic<u32>>;
@group(0) @binding(1) var<storage, read_write> b: array<u32>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    let i = id.x;
    atomicAdd(&bins[i & 7u], 1u);
    b[i] = atomicMax(&bins[8], i);
}
