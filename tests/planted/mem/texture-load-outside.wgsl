// The texel right of the last one is read.
// RUN --groups 2,2 --image 0=rgba8[16x16] --buffer 1=vec4[256]
@group(0) @binding(0) var photo: texture_2d<f32>;
@group(0) @binding(1) var<storage, read_write> result: array<vec4f>;

@compute @workgroup_size(8, 8)
fn main(@builtin(global_invocation_id) at: vec3u) {
    let beside = at.xy + vec2u(1u, 0u); // BUG
    // MENDED: let beside = min(at.xy + vec2u(1u, 0u), vec2u(15u));
    let right = textureLoad(photo, beside, 0); // FINDS mem
    result[at.y * 16u + at.x] = right;
}
