//! The scene of raymarch.wgsl, traced on the CPU.

type V = [f32; 3];

fn map(a: V, b: V, f: impl Fn(f32, f32) -> f32) -> V {
    [f(a[0], b[0]), f(a[1], b[1]), f(a[2], b[2])]
}

fn add(a: V, b: V) -> V {
    map(a, b, |a, b| a + b)
}

fn sub(a: V, b: V) -> V {
    map(a, b, |a, b| a - b)
}

fn scale(a: V, s: f32) -> V {
    a.map(|a| a * s)
}

fn dot(a: V, b: V) -> f32 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn cross(a: V, b: V) -> V {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

fn length(a: V) -> f32 {
    dot(a, a).sqrt()
}

fn normalize(a: V) -> V {
    scale(a, 1.0 / length(a))
}

fn mix(a: V, b: V, t: f32) -> V {
    map(a, b, |a, b| a * (1.0 - t) + b * t)
}

/// Distance to the scene, and the material: 0 the floor, 1 ball, 2 box, 3 torus.
fn scene(p: V) -> (f32, u32) {
    let ball = length(sub(p, [-1.1, 0.0, 0.3])) - 0.8;
    let q = sub(p, [1.2, -0.15, 0.5]).map(|x| x.abs() - 0.5);
    let cuboid = length(q.map(|x| x.max(0.0))) + q[0].max(q[1].max(q[2])).min(0.0) - 0.15;
    let q = sub(p, [0.1, -0.55, -1.3]);
    let torus = ((q[0] * q[0] + q[2] * q[2]).sqrt() - 0.7).hypot(q[1]) - 0.25;
    let mut hit = (p[1] + 0.8, 0);
    for (distance, material) in [(ball, 1), (cuboid, 2), (torus, 3)] {
        if distance < hit.0 {
            hit = (distance, material);
        }
    }
    hit
}

fn normal(p: V) -> V {
    let slope = |axis: usize| {
        let mut e = [0.0; 3];
        e[axis] = 0.002;
        scene(add(p, e)).0 - scene(sub(p, e)).0
    };
    normalize([slope(0), slope(1), slope(2)])
}

fn shadow(start: V, light: V) -> f32 {
    let (mut open, mut t) = (1.0f32, 0.05);
    for _ in 0..32 {
        let d = scene(add(start, scale(light, t))).0;
        if d < 0.001 {
            return 0.0;
        }
        open = open.min(10.0 * d / t);
        t += d;
        if t > 6.0 {
            break;
        }
    }
    open
}

fn surface(p: V, material: u32) -> V {
    match material {
        0 if (p[0].floor() as i32 + p[2].floor() as i32) & 1 == 1 => [0.35; 3],
        0 => [0.85; 3],
        1 => [0.85, 0.25, 0.2],
        2 => [0.25, 0.45, 0.85],
        _ => [0.9, 0.7, 0.2],
    }
}

/// Pixel (x, y) of a `width` by `height` picture, packed RGBA8.
pub fn pixel(x: u32, y: u32, width: u32, height: u32, turn: f32, distance: f32) -> u32 {
    let (w, h) = (width as f32, height as f32);
    let at = [(x as f32 + 0.5) * 2.0 / h - w / h, (y as f32 + 0.5) * 2.0 / h - 1.0];
    let eye = [turn.sin() * distance, 1.6, -turn.cos() * distance];
    let forward = normalize(sub([0.0, -0.3, 0.0], eye));
    let right = normalize(cross([0.0, 1.0, 0.0], forward));
    let up = cross(forward, right);
    let ray = normalize(sub(add(scale(forward, 1.8), scale(right, at[0])), scale(up, at[1])));
    let light = normalize([-0.5, 0.9, -0.6]);

    let far = 20.0;
    let mut colour = mix([0.85, 0.9, 0.95], [0.4, 0.6, 0.9], (2.0 * ray[1] + 0.2).clamp(0.0, 1.0));
    let mut t = 0.0;
    for _ in 0..80 {
        if t >= far {
            break;
        }
        let p = add(eye, scale(ray, t));
        let (distance, material) = scene(p);
        if distance < 0.0005 * t {
            let n = normal(p);
            let base = surface(p, material);
            let diffuse = dot(n, light).max(0.0) * shadow(add(p, scale(n, 0.01)), light);
            let mirrored = sub(ray, scale(n, 2.0 * dot(n, ray)));
            let shine = dot(mirrored, light).max(0.0).powf(32.0) * if material == 0 { 0.0 } else { 0.4 };
            let lit = base.map(|b| b * (0.25 + 0.75 * diffuse) + shine * diffuse);
            let fog = ((t - 6.0) / (far - 6.0)).clamp(0.0, 1.0);
            colour = mix(lit, colour, fog * fog * (3.0 - 2.0 * fog));
            break;
        }
        t += distance;
    }
    let [r, g, b] = colour.map(|c| (c.sqrt().clamp(0.0, 1.0) * 255.0 + 0.5).floor() as u32);
    r | g << 8 | b << 16 | 0xff00_0000
}
