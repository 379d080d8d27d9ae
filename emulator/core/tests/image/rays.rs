//! Rays, boxes and triangles in f64: nodes as lists of boxes and triangles, a triangle by its plane and the sides of its edges.

use super::half;
use super::lone::Lone;

pub const NONE: u32 = u32::MAX;
pub const INFINITY: u32 = 0x7f80_0000;
pub const ONE: u32 = 0x3f80_0000;

type V = [f64; 3];

/// A form of the instruction.
#[derive(Clone, Copy, Debug)]
pub struct Form {
    pub wide: bool,
    pub a16: bool,
    /// Registers one by one.
    pub listed: bool,
}

impl Form {
    fn registers(self) -> u32 {
        11 + u32::from(self.wide) - if self.a16 { 3 } else { 0 }
    }

    pub fn name(self) -> &'static str {
        if self.wide { "image_bvh64_intersect_ray" } else { "image_bvh_intersect_ray" }
    }

    /// The register of part `k`: one after another, or a stride through them.
    fn register(self, k: u32) -> u32 {
        if self.listed { 1 + k * 5 % 13 } else { 1 + k }
    }

    pub fn text(self) -> String {
        let n = self.registers();
        let list: Vec<String> = (0..n).map(|k| format!("v{}", self.register(k))).collect();
        let address = if self.listed { format!("[{}]", list.join(", ")) } else { format!("v[1:{n}]") };
        format!("{} v[40:43], {address}, s[8:11]{}", self.name(), if self.a16 { " a16" } else { "" })
    }

    pub fn all() -> [Form; 8] {
        std::array::from_fn(|n| Form { wide: n & 1 != 0, a16: n & 2 != 0, listed: n & 4 != 0 })
    }
}

#[derive(Clone, Copy, Debug)]
pub struct Ray {
    pub extent: f32,
    pub origin: [f32; 3],
    pub direction: [f32; 3],
    pub inverse: [f32; 3],
}

impl Ray {
    pub fn new(origin: [f32; 3], direction: [f32; 3]) -> Ray {
        Ray { extent: f32::INFINITY, origin, direction, inverse: direction.map(|d| 1.0 / d) }
    }

    pub fn set(&self, lone: &Lone, form: Form, lane: usize, pointer: u64) {
        let mut words = vec![pointer as u32];
        words.extend(form.wide.then_some((pointer >> 32) as u32));
        words.push(self.extent.to_bits());
        words.extend(self.origin.map(f32::to_bits));
        match form.a16 {
            false => words.extend(self.direction.iter().chain(&self.inverse).map(|v| v.to_bits())),
            true => {
                let all: Vec<u32> = self.direction.iter().chain(&self.inverse).map(|&v| to_f16(v)).collect();
                words.extend(all.chunks(2).map(|c| c[0] | c[1] << 16));
            }
        }
        (0..).zip(words).for_each(|(k, v)| lone.set(form.register(k), lane, v));
    }
}

/// Bits of an f16 that holds the number, or of the infinity that it is.
fn to_f16(v: f32) -> u32 {
    match v.is_finite() {
        true => half(v),
        false if v.is_nan() => 0x7e00,
        false => {
            if v < 0.0 {
                0xfc00
            } else {
                0x7c00
            }
        }
    }
}

/// A box of a node.
#[derive(Clone, Copy, Debug)]
pub struct Child {
    pub pointer: u32,
    pub least: [f32; 3],
    pub greatest: [f32; 3],
}

pub fn boxes32(children: &[Child; 4]) -> Vec<u32> {
    let mut words: Vec<u32> = children.iter().map(|c| c.pointer).collect();
    words.extend(children.iter().flat_map(|c| c.least.into_iter().chain(c.greatest)).map(f32::to_bits));
    words
}

pub fn boxes16(children: &[Child; 4]) -> Vec<u32> {
    let mut words: Vec<u32> = children.iter().map(|c| c.pointer).collect();
    for c in children {
        let all: Vec<u32> = c.least.into_iter().chain(c.greatest).map(to_f16).collect();
        words.extend(all.chunks(2).map(|c| c[0] | c[1] << 16));
    }
    words
}

/// When a ray is in a box, by the document's intersection of three slabs; `None`: never.
pub fn entry(ray: &Ray, c: &Child) -> Option<(f64, f64)> {
    let (mut enters, mut leaves) = (0f64, f64::from(ray.extent));
    for i in 0..3 {
        let [o, d] = [ray.origin[i], ray.direction[i]].map(f64::from);
        let [low, high] = [c.least[i], c.greatest[i]].map(f64::from);
        if d == 0.0 {
            // Along the slab: inside, its faces included, or never.
            if o < low || o > high {
                return None;
            }
            continue;
        }
        let (a, b) = ((low - o) / d, (high - o) / d);
        (enters, leaves) = (enters.max(a.min(b)), leaves.min(a.max(b)));
    }
    (enters <= leaves).then_some((enters, leaves))
}

/// Results of a node of boxes are these: the children that are hit, if sorted by when the ray enters them, the others at the end.
pub fn compare_boxes(ray: &Ray, children: &[Child; 4], sort: bool, got: [u32; 4]) -> Result<(), String> {
    let want = children.map(|c| entry(ray, &c).filter(|_| c.pointer != NONE).map(|(t, _)| (c.pointer, t)));
    if !sort {
        let want = want.map(|c| c.map_or(NONE, |(pointer, _)| pointer));
        return if got == want { Ok(()) } else { Err(format!("{got:x?}, not {want:x?}")) };
    }
    let time = |p: u32| want.iter().flatten().find(|(pointer, _)| *pointer == p).map(|(_, t)| *t);
    let hits = want.iter().flatten().count();
    let mut met: Vec<u32> = got[..hits].to_vec();
    let ordered = met.windows(2).all(|pair| time(pair[0]).zip(time(pair[1])).is_some_and(|(a, b)| a <= b));
    met.sort_unstable();
    let mut wanted: Vec<u32> = want.iter().flatten().map(|(p, _)| *p).collect();
    wanted.sort_unstable();
    match met == wanted && ordered && got[hits..].iter().all(|p| *p == NONE) {
        true => Ok(()),
        false => Err(format!("{got:x?}, not {want:x?} in order")),
    }
}

fn minus(a: V, b: V) -> V {
    std::array::from_fn(|i| a[i] - b[i])
}

fn dot(a: V, b: V) -> f64 {
    (0..3).map(|i| a[i] * b[i]).sum()
}

fn cross(a: V, b: V) -> V {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

/// A ray through a triangle's plane.
pub struct Through {
    pub time: f64,
    /// Of the vertices, sum 1.
    pub weights: V,
    /// How far it is from where hit becomes miss.
    pub margin: f64,
    pub front: bool,
}

impl Through {
    /// The point in the plane, then areas of the three triangles that it makes with the edges. `None`: along the plane.
    pub fn new(ray: &Ray, [a, b, c]: [[f32; 3]; 3]) -> Option<Through> {
        let [a, b, c, o, d] = [a, b, c, ray.origin, ray.direction].map(|v| v.map(f64::from));
        let normal = cross(minus(b, a), minus(c, a));
        let along = dot(normal, d);
        if along == 0.0 {
            return None;
        }
        let time = dot(normal, minus(a, o)) / along;
        let p: V = std::array::from_fn(|i| o[i] + time * d[i]);
        let area = |from: V, to: V| dot(cross(minus(to, from), minus(p, from)), normal) / dot(normal, normal);
        let weights = [area(b, c), area(c, a), area(a, b)];
        let margin = weights.iter().chain([&time]).fold(f64::INFINITY, |m, v| m.min(v.abs()));
        Some(Through { time, weights, margin, front: along < 0.0 })
    }

    pub fn hit(&self) -> bool {
        self.time >= 0.0 && self.weights.iter().all(|w| *w >= 0.0)
    }
}

/// The vertices of a node that a triangle has, as AMD's driver for building hierarchies counts them.
pub fn corners(number: u32, v: &[[f32; 3]; 5]) -> [[f32; 3]; 3] {
    let order = ["012", "132", "234", "240"][number as usize];
    let mut at = order.bytes().map(|b| v[usize::from(b - b'0')]);
    std::array::from_fn(|_| at.next().unwrap())
}

pub fn triangles(v: &[[f32; 3]; 5], id: u32) -> Vec<u32> {
    v.iter().flatten().map(|v| v.to_bits()).chain([id]).collect()
}

/// Results of a triangle, where the ray is not so near to one of its edges that rounding decides.
pub fn compare_triangle(
    ray: &Ray,
    v: [[f32; 3]; 3],
    id: u32,
    number: u32,
    weights: bool,
    got: [u32; 4],
) -> Result<bool, String> {
    let Some(want) = Through::new(ray, v).filter(|t| t.margin > 1e-3) else { return Ok(false) };
    let [t, scale] = [got[0], got[1]].map(|v| f64::from(f32::from_bits(v)));
    let fail = |what: &str| Err(format!("{what}: {got:x?}, t = {} at {:?}", want.time, want.weights));
    let near = |a: f64, b: f64| (a - b).abs() <= 1e-3 * b.abs().max(1.0);
    match want.hit() {
        true if !near(t / scale, want.time) => return fail("the time"),
        // Seen from where its vertices go round counter-clockwise, the divisor is positive.
        true if (scale > 0.0) != want.front => return fail("the side"),
        false if got[..2] != [INFINITY, ONE] => return fail("a miss"),
        _ => {}
    }
    if !weights {
        return if got[2..] == [id, want.hit().into()] { Ok(want.hit()) } else { fail("id and hit") };
    }
    if want.hit() {
        for (k, shift) in [(2, 0), (3, 2)] {
            let source = (id >> (8 * number + shift) & 3) as usize;
            let weight = if source == 3 { 0.0 } else { want.weights[source] };
            if !near(f64::from(f32::from_bits(got[k])) / scale, weight) {
                return fail("a barycentric");
            }
        }
    }
    Ok(want.hit())
}

pub const PLAIN: Form = Form { wide: false, a16: false, listed: false };
