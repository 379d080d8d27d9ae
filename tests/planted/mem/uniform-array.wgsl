// An index that comes from data is one more than a uniform array has.
// RUN --groups 1 --buffer 0:iota --buffer 1=u32[64]:iota --buffer 2=vec4[64]
// BYTES 0 128
@group(0) @binding(0) var<uniform> palette: array<vec4f, 8>;
@group(0) @binding(1) var<storage, read> pixels: array<u32>;
@group(0) @binding(2) var<storage, read_write> colours: array<vec4f>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) at: vec3u) {
    let pixel = pixels[at.x] % 9u; // BUG
    // MENDED: let pixel = pixels[at.x] % 8u;
    colours[at.x] = palette[pixel]; // FINDS mem
}
