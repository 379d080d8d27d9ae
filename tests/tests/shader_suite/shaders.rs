//! The files that the rows share.

pub const SHADERS: &[(&str, &str)] = &[
    (
        "double.wgsl",
        "@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;
@compute @workgroup_size(4) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x < arrayLength(&y) { y[id.x] = 2.0 * x[id.x]; }
}
",
    ),
    (
        "twice.wgsl",
        "@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;
@compute @workgroup_size(1) fn main(@builtin(global_invocation_id) id: vec3<u32>) { y[id.x] = x[id.x] + x[id.x]; }
",
    ),
    (
        "add.wgsl",
        "override step: u32 = 1u;
@group(0) @binding(0) var<storage, read_write> n: array<u32>;
@compute @workgroup_size(4) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x < arrayLength(&n) { n[id.x] += step; }
}
@compute @workgroup_size(1) fn count() { n[0] += 1u; }
",
    ),
    (
        "axpy.comp",
        "#version 450
layout(local_size_x = 4) in;
layout(push_constant) uniform Push { float a; };
layout(std430, binding = 0) readonly buffer X { vec4 x[]; };
layout(std430, binding = 1) buffer Y { vec4 y[]; };
void main() { y[gl_GlobalInvocationID.x] += a * x[gl_GlobalInvocationID.x]; }
",
    ),
    (
        "race.wgsl",
        "@group(0) @binding(0) var<storage, read_write> sum: array<u32>;
var<workgroup> part: array<u32, 64>;
@compute @workgroup_size(64) fn main(@builtin(local_invocation_index) i: u32) {
    part[i] = i;
    sum[i] = part[63u - i];
}
",
    ),
    (
        "forever.wgsl",
        "@group(0) @binding(0) var<storage, read_write> n: array<u32>;
@compute @workgroup_size(1) fn main() {
    loop {
        if n[0] == 1u { break; }
    }
}
",
    ),
    (
        "grey.wgsl",
        "@group(0) @binding(0) var photo: texture_2d<f32>;
@group(0) @binding(1) var near: sampler;
@group(0) @binding(2) var grey: texture_storage_2d<rgba8unorm, write>;
@compute @workgroup_size(2, 2) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let c = textureSampleLevel(photo, near, (vec2<f32>(id.xy) + 0.5) / 2.0, 0.0);
    textureStore(grey, id.xy, vec4(vec3(c.r), 1.0));
}
",
    ),
    (
        "banks.wgsl",
        "@group(0) @binding(0) var<storage, read_write> n: array<u32>;
var<workgroup> tile: array<u32, 2048>;
@compute @workgroup_size(32) fn main(@builtin(local_invocation_index) i: u32) {
    tile[i * 32u] = n[i];
    workgroupBarrier();
    n[i] = tile[(31u - i) * 32u];
}
",
    ),
    (
        "bodies.wgsl",
        "struct Part { place: vec3<f32>, mass: f32 }
struct Body { id: u32, parts: array<Part, 2> }
struct Settings { step: f32, shift: vec2<f32> }
@group(0) @binding(0) var<storage, read_write> bodies: array<Body>;
@group(0) @binding(1) var<uniform> settings: Settings;
@compute @workgroup_size(32) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x >= arrayLength(&bodies) { return; }
    bodies[id.x].id += 100u;
    bodies[id.x].parts[1].mass *= settings.step;
    bodies[id.x].parts[0].place += vec3(settings.shift, 0.0);
}
",
    ),
    (
        "special.wgsl",
        "@id(7) override scale: f32;
@group(0) @binding(0) var<storage, read_write> data: array<f32>;
@compute @workgroup_size(2) fn main(@builtin(global_invocation_id) id: vec3<u32>) { data[id.x] *= scale; }
",
    ),
    (
        "still.wgsl",
        "struct Part { place: vec3<f32>, mass: f32 }
struct Body { id: u32, parts: array<Part, 2> }
@group(0) @binding(0) var<storage, read_write> bodies: array<Body>;
@compute @workgroup_size(1) fn main(@builtin(workgroup_id) id: vec3<u32>) {
    bodies[id.x].id += 100u;
}
",
    ),
];
