// A texture is smoothed in place: the neighbour may have been written already.
// RUN --groups 4 --image 0=r32ui[256x1]
@group(0) @binding(0) var picture: texture_storage_2d<r32uint, read_write>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u) {
    var sum = textureLoad(picture, vec2u(id.x, 0u)).x + id.x;
    sum += textureLoad(picture, vec2u((id.x + 255u) % 256u, 0u)).x; // BUG, FINDS race read-write
    textureStore(picture, vec2u(id.x, 0u), vec4u(sum, 0u, 0u, 1u)); // PAIR
}
