// A texture is read that nobody has filled.
// RUN --groups 1 --image 0=rgba8[8x8]:none --buffer 1=vec4[64]
// MENDED RUN --groups 1 --image 0=rgba8[8x8] --buffer 1=vec4[64]
@group(0) @binding(0) var photo: texture_2d<f32>;
@group(0) @binding(1) var<storage, read_write> result: array<vec4f>;

@compute @workgroup_size(8, 8)
fn main(@builtin(local_invocation_id) at: vec3u) {
    let here = textureLoad(photo, at.xy, 0); // PAIR
    result[at.y * 8u + at.x] = here * 2.0;   // FINDS init
}
