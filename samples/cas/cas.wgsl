// Contrast-adaptive sharpening without scaling, after AMD FidelityFX CAS's published description: the less contrast
// the 3x3 neighbourhood has, and the farther it is from black and white, the more a pixel is set off from the four
// next to it. Pixels are packed RGBA8; the arithmetic is on values from 0 to 1, approximately linear (gamma 2).

struct Settings {
    width: u32,
    height: u32,
    // 0 sharpens least, 1 most.
    sharpness: f32,
}

@group(0) @binding(0) var<storage, read> picture: array<u32>;
@group(0) @binding(1) var<storage, read_write> sharpened: array<u32>;
@group(0) @binding(2) var<uniform> settings: Settings;

// The pixel at an offset; beyond the picture, its nearest.
fn load(x: i32, y: i32) -> vec3<f32> {
    let at_x = u32(clamp(x, 0, i32(settings.width) - 1));
    let at_y = u32(clamp(y, 0, i32(settings.height) - 1));
    let colour = unpack4x8unorm(picture[at_y * settings.width + at_x]).rgb;
    return colour * colour;
}

@compute @workgroup_size(16, 16)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x >= settings.width || id.y >= settings.height {
        return;
    }
    let x = i32(id.x);
    let y = i32(id.y);
    // a b c
    // d e f
    // g h i
    let a = load(x - 1, y - 1);
    let b = load(x, y - 1);
    let c = load(x + 1, y - 1);
    let d = load(x - 1, y);
    let e = load(x, y);
    let f = load(x + 1, y);
    let g = load(x - 1, y + 1);
    let h = load(x, y + 1);
    let i = load(x + 1, y + 1);

    // The range of the cross and the range of all nine count equally, so each is on a scale of 0 to 2.
    let low_cross = min(min(min(d, e), min(f, b)), h);
    let low = low_cross + min(low_cross, min(min(a, c), min(g, i)));
    let high_cross = max(max(max(d, e), max(f, b)), h);
    let high = high_cross + max(high_cross, max(max(a, c), max(g, i)));

    let room = clamp(min(low, 2.0 - high) / max(high, vec3<f32>(1.0 / 4096.0)), vec3<f32>(0.0), vec3<f32>(1.0));
    let weight = sqrt(room) * (-1.0 / mix(8.0, 5.0, settings.sharpness));
    let colour = clamp((e + weight * (b + d + f + h)) / (1.0 + 4.0 * weight), vec3<f32>(0.0), vec3<f32>(1.0));
    let alpha = unpack4x8unorm(picture[id.y * settings.width + id.x]).a;
    sharpened[id.y * settings.width + id.x] = pack4x8unorm(vec4<f32>(sqrt(colour), alpha));
}
