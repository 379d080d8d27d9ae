// The third column of a matrix that has two.
// RUN --groups 1 --buffer 0=u32[32]:iota --buffer 1=vec2[32]
@group(0) @binding(0) var<storage, read> which: array<u32>;
@group(0) @binding(1) var<storage, read_write> columns: array<vec2f>;

@compute @workgroup_size(32)
fn main(@builtin(global_invocation_id) at: vec3u) {
    var m = mat2x2f(1.0, f32(at.x), 3.0, 4.0);
    let column = which[at.x] % 3u; // BUG
    // MENDED: let column = which[at.x] % 2u;
    columns[at.x] = m[column]; // FINDS mem
}
