// A scene of signed distances, sphere-traced: a torus, a ball and a rounded box on a chequered floor, with soft shadow.

struct View {
    width: u32,
    height: u32,
    // Radians that the camera has gone around the scene.
    turn: f32,
    // How far the camera is from the axis.
    distance: f32,
}

struct Hit {
    distance: f32,
    material: u32,
}

@group(0) @binding(0) var<storage, read_write> pixels: array<u32>;
@group(0) @binding(1) var<uniform> view: View;

const FLOOR: u32 = 0u;
const FAR: f32 = 20.0;

fn ball(p: vec3<f32>) -> f32 {
    return length(p - vec3<f32>(-1.1, 0.0, 0.3)) - 0.8;
}

fn box(p: vec3<f32>) -> f32 {
    let q = abs(p - vec3<f32>(1.2, -0.15, 0.5)) - vec3<f32>(0.5);
    return length(max(q, vec3<f32>(0.0))) + min(max(q.x, max(q.y, q.z)), 0.0) - 0.15;
}

fn torus(p: vec3<f32>) -> f32 {
    let q = p - vec3<f32>(0.1, -0.55, -1.3);
    return length(vec2<f32>(length(q.xz) - 0.7, q.y)) - 0.25;
}

fn scene(p: vec3<f32>) -> Hit {
    var hit = Hit(p.y + 0.8, FLOOR);
    let distances = vec3<f32>(ball(p), box(p), torus(p));
    for (var i = 0u; i < 3u; i++) {
        if distances[i] < hit.distance {
            hit = Hit(distances[i], i + 1u);
        }
    }
    return hit;
}

fn normal(p: vec3<f32>) -> vec3<f32> {
    let e = 0.002;
    let x = vec3<f32>(e, 0.0, 0.0);
    let y = vec3<f32>(0.0, e, 0.0);
    let z = vec3<f32>(0.0, 0.0, e);
    return normalize(vec3<f32>(
        scene(p + x).distance - scene(p - x).distance,
        scene(p + y).distance - scene(p - y).distance,
        scene(p + z).distance - scene(p - z).distance,
    ));
}

// The share of the light that gets past the scene.
fn shadow(start: vec3<f32>, light: vec3<f32>) -> f32 {
    var open = 1.0;
    var t = 0.05;
    for (var i = 0u; i < 32u; i++) {
        let d = scene(start + light * t).distance;
        if d < 0.001 {
            return 0.0;
        }
        open = min(open, 10.0 * d / t);
        t += d;
        if t > 6.0 {
            break;
        }
    }
    return open;
}

fn surface(p: vec3<f32>, material: u32) -> vec3<f32> {
    switch material {
        case FLOOR: {
            let odd = (i32(floor(p.x)) + i32(floor(p.z))) & 1;
            return vec3<f32>(select(0.85, 0.35, odd == 1));
        }
        case 1u: { return vec3<f32>(0.85, 0.25, 0.2); }
        case 2u: { return vec3<f32>(0.25, 0.45, 0.85); }
        default: { return vec3<f32>(0.9, 0.7, 0.2); }
    }
}

@compute @workgroup_size(8, 8)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x >= view.width || id.y >= view.height {
        return;
    }
    let at = (vec2<f32>(id.xy) + 0.5) * 2.0 / f32(view.height) - vec2<f32>(f32(view.width) / f32(view.height), 1.0);
    let eye = vec3<f32>(sin(view.turn) * view.distance, 1.6, -cos(view.turn) * view.distance);
    let forward = normalize(vec3<f32>(0.0, -0.3, 0.0) - eye);
    let right = normalize(cross(vec3<f32>(0.0, 1.0, 0.0), forward));
    let up = cross(forward, right);
    let ray = normalize(forward * 1.8 + right * at.x - up * at.y);
    let light = normalize(vec3<f32>(-0.5, 0.9, -0.6));

    // The sky, until something is hit.
    var colour = mix(vec3<f32>(0.85, 0.9, 0.95), vec3<f32>(0.4, 0.6, 0.9), clamp(2.0 * ray.y + 0.2, 0.0, 1.0));
    var t = 0.0;
    for (var i = 0u; i < 80u && t < FAR; i++) {
        let p = eye + ray * t;
        let hit = scene(p);
        if hit.distance < 0.0005 * t {
            let n = normal(p);
            let base = surface(p, hit.material);
            let diffuse = max(dot(n, light), 0.0) * shadow(p + n * 0.01, light);
            let shine = pow(max(dot(reflect(ray, n), light), 0.0), 32.0) * select(0.4, 0.0, hit.material == FLOOR);
            let lit = base * (0.25 + 0.75 * diffuse) + shine * diffuse;
            colour = mix(lit, colour, smoothstep(6.0, FAR, t));
            break;
        }
        t += hit.distance;
    }
    pixels[id.y * view.width + id.x] = pack4x8unorm(vec4<f32>(sqrt(colour), 1.0));
}
