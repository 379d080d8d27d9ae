// A texel fetched, a texel sampled, a texel stored.
@group(0) @binding(0) var source: texture_2d<f32>;
@group(0) @binding(1) var linear: sampler;
@group(0) @binding(2) var target_image: texture_storage_2d<rgba8unorm, write>;

@compute @workgroup_size(8, 8)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let at = vec2<i32>(id.xy);
    let texel = textureLoad(source, at, 0);
    let smooth_texel = textureSampleLevel(source, linear, vec2<f32>(id.xy) / 64.0, 0.0);
    textureStore(target_image, at, texel * smooth_texel.w);
}
