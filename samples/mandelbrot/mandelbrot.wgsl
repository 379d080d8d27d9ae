// The Mandelbrot set with smooth colours. One work-item makes one pixel, packed RGBA8.

const WIDTH: u32 = 640u;
const HEIGHT: u32 = 480u;
const STEPS: u32 = 256u;

@group(0) @binding(0) var<storage, read_write> pixels: array<u32>;

// A cosine palette: one phase per channel.
fn palette(t: f32) -> vec3<f32> {
    return 0.5 + 0.5 * cos(6.2831853 * (t + vec3<f32>(0.55, 0.65, 0.78)));
}

@compute @workgroup_size(16, 16)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x >= WIDTH || id.y >= HEIGHT {
        return;
    }
    // The view is three units high around (-0.65, 0).
    let at = (vec2<f32>(id.xy) + 0.5) / f32(HEIGHT);
    let c = vec2<f32>((at.x - 0.5 * f32(WIDTH) / f32(HEIGHT)) * 2.6 - 0.65, (0.5 - at.y) * 2.6);

    var z = vec2<f32>(0.0);
    var steps = 0u;
    loop {
        let square = z * z;
        if steps >= STEPS || square.x + square.y > 64.0 {
            break;
        }
        z = vec2<f32>(square.x - square.y + c.x, 2.0 * z.x * z.y + c.y);
        steps += 1u;
    }

    var colour = vec3<f32>(0.0);
    if steps < STEPS {
        let smooth_steps = f32(steps) + 1.0 - log2(0.5 * log2(dot(z, z)));
        colour = palette(sqrt(smooth_steps) * 0.125);
    }
    pixels[id.y * WIDTH + id.x] = pack4x8unorm(vec4<f32>(colour, 1.0));
}
