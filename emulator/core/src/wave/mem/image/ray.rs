//! A ray against a node of a bounding volume hierarchy. `isa/READINGS.md` has what is read of it, and where.
//!
//! ```text
//! pointer = { number of the node in units of 64 bytes, type: 3 bits }
//! type 0..3  a triangle of a node    64 bytes: 5 vertices; triangle id at 60
//! type 4     four boxes of f16       64 bytes: 4 children; least and greatest corner of each
//! type 5     four boxes of f32      128 bytes: the same
//! ```

use super::super::failed::Failed;
use super::super::{Cut, CutOff};
use crate::memory::Region;
use crate::wave::env::{Env, TexelTouch};
use crate::wave::op::MicroOp;
use crate::wave::regs::{LaneRow, TEMPS, set_bits};
use crate::wave::state::Wave;
use wavepipe_hw::descriptor::{BVH, BVH_NODE_BITS, BvhDescriptor};
use wavepipe_hw::fault::FaultKind;
use wavepipe_isa::alu::{Alu, Nearest};
use wavepipe_isa::instr::{Flags, Image};
use wavepipe_isa::row::ImageOp;

/// What is no child, and each dword of what a pointer of another type gives.
const NONE: u32 = u32::MAX;
/// A ray that meets no triangle does so never, divided by one.
const MISS: [u32; 4] = [f32::INFINITY.to_bits(), 1f32.to_bits(), 0, 0];
const NODE_BYTES: u32 = 1 << BVH_NODE_BITS;
/// Bytes that are noted of a node at once.
const TOUCH: u32 = 32;
/// The vertices of the triangles of types 0 to 3.
const VERTICES: [[u64; 3]; 4] = [[0, 1, 2], [1, 3, 2], [2, 3, 4], [2, 4, 0]];
const VERTEX_BYTES: u64 = 12;
const TRIANGLE_ID: u64 = 60;

type Vec3 = [f32; 3];

/// What a lane asks.
struct Ray {
    extent: f32,
    origin: Vec3,
    direction: Vec3,
    inverse: Vec3,
}

/// What a pointer's type says.
#[derive(Clone, Copy)]
enum Kind {
    Triangle(u32),
    Boxes { halves: bool },
    Other,
}

impl Kind {
    fn of(pointer: u64) -> Kind {
        match pointer & 7 {
            n @ 0..=3 => Kind::Triangle(n as u32),
            4 => Kind::Boxes { halves: true },
            5 => Kind::Boxes { halves: false },
            _ => Kind::Other,
        }
    }

    /// What comes of a node that is not there.
    fn nothing(self) -> [u32; 4] {
        match self {
            Kind::Triangle(_) => MISS,
            Kind::Boxes { .. } | Kind::Other => [NONE; 4],
        }
    }

    /// Nodes of 64 bytes.
    fn nodes(self) -> u64 {
        if matches!(self, Kind::Boxes { halves: false }) { 2 } else { 1 }
    }
}

/// An instruction's operands.
struct Operands<'o> {
    image: &'o Image,
    wide: bool,
    a16: bool,
    bvh: BvhDescriptor,
}

impl<'o> Operands<'o> {
    fn new(w: &Wave, op: &'o MicroOp) -> Option<Operands<'o>> {
        let instr = &op.ext.as_ref()?.instr;
        let (ImageOp::IntersectRay { wide }, image) = instr.image()? else { return None };
        let s = |i: usize| w.s.0[(usize::from(op.s[0]) + i) & 127];
        let bvh = BvhDescriptor::from_words(std::array::from_fn(s), w.isa);
        Some(Operands { image, wide, a16: instr.flags.contains(Flags::A16), bvh })
    }

    /// Register `k` of the address.
    fn register(&self, w: &Wave, k: usize, half: usize, lane: usize) -> u32 {
        let v = usize::from(self.image.vaddr[k.min(Image::MAX_ADDRESSES - 1)]);
        w.v.get((TEMPS as usize + v) * w.halves + half).0[lane % 32]
    }

    fn pointer(&self, w: &Wave, half: usize, lane: usize) -> u64 {
        let r = |k| u64::from(self.register(w, k, half, lane));
        if self.wide { r(0) | r(1) << 32 } else { r(0) }
    }

    /// The address of the node that a pointer names, if it is in the hierarchy as a whole.
    fn node(&self, pointer: u64) -> Option<u64> {
        let first = pointer >> 3;
        self.bvh.node(first + Kind::of(pointer).nodes() - 1)?;
        self.bvh.node(first)
    }

    fn ray(&self, w: &Wave, half: usize, lane: usize) -> Ray {
        let at = 1 + usize::from(self.wide);
        let r = |k| self.register(w, at + k, half, lane);
        let three = |k| std::array::from_fn(|i| f32::from_bits(r(k + i)));
        let (direction, inverse) = match self.a16 {
            false => (three(4), three(7)),
            true => {
                let f16 = |k: usize| f32::from_bits(Nearest.f32_from_f16(r(4 + k / 2) >> (16 * (k & 1)) & 0xffff));
                (std::array::from_fn(f16), std::array::from_fn(|i| f16(3 + i)))
            }
        };
        Ray { extent: f32::from_bits(r(0)), origin: three(1), direction, inverse }
    }
}

/// A node in guest memory.
struct Node<'n, 'e> {
    env: &'n mut Env<'e>,
    at: u64,
    region: &'e Region,
    offset: u64,
    lane: u8,
}

impl Node<'_, '_> {
    fn word(&self, byte: u64) -> u32 {
        self.region.backing.load32(self.offset + byte).unwrap_or(0)
    }

    /// Notes bytes that are read.
    fn touch(&mut self, from: u64, bytes: u32) {
        if let Some(touches) = &mut self.env.texels {
            let at = self.at + from;
            touches.push(TexelTouch { at, value: [0; 4], lane: self.lane, bytes: bytes as u8 });
        }
    }

    /// Component `n` of the boxes' corners.
    fn corner(&self, n: u64, halves: bool) -> f32 {
        f32::from_bits(match halves {
            true => Nearest.f32_from_f16(self.word(16 + n / 2 * 4) >> (16 * (n & 1)) & 0xffff),
            false => self.word(16 + 4 * n),
        })
    }

    /// The children that the ray meets.
    fn boxes(&mut self, ray: &Ray, bvh: &BvhDescriptor, halves: bool) -> [u32; 4] {
        let bytes = if halves { NODE_BYTES } else { 16 + 4 * 24 };
        (0..bytes).step_by(TOUCH as usize).for_each(|from| self.touch(from.into(), TOUCH.min(bytes - from)));
        let grown = 1.0 + f32::from(bvh.box_grow) * 2f32.powi(-24);
        let mut children = [(NONE, 0.0); 4];
        for (k, child) in (0..).zip(&mut children) {
            let corner = |n: u64| std::array::from_fn(|i| self.corner(6 * k + 3 * n + i as u64, halves));
            let (near, far) = interval(ray, corner(0), corner(1));
            let hit = near <= far * grown;
            *child = (if hit { self.word(4 * k) } else { NONE }, near);
        }
        if bvh.box_sort {
            sort(&mut children);
        }
        children.map(|(child, _)| child)
    }

    /// Where the ray meets a triangle.
    fn triangle(&mut self, ray: &Ray, bvh: &BvhDescriptor, number: u32) -> [u32; 4] {
        let vertices = VERTICES[number as usize & 3];
        vertices.iter().for_each(|v| self.touch(v * VERTEX_BYTES, VERTEX_BYTES as u32));
        self.touch(TRIANGLE_ID, 4);
        let id = self.word(TRIANGLE_ID);
        let vertex = |v: u64| std::array::from_fn(|i| f32::from_bits(self.word(v * VERTEX_BYTES + 4 * i as u64)));
        let met = Met::new(ray, vertices.map(vertex));
        let time = match met.hit {
            true => [bits(met.time), bits(met.scale)],
            false => [MISS[0], MISS[1]],
        };
        if !bvh.barycentrics {
            return [time[0], time[1], id, met.hit.into()];
        }
        // Which vertices of the triangle I and J belong to.
        let scale = f32::from_bits(time[1]);
        let weights = [scale - met.u - met.v, met.u, met.v, 0.0];
        let source = |field: u32| bits(weights[(id >> (8 * number + 2 * field) & 3) as usize]);
        [time[0], time[1], source(0), source(1)]
    }
}

/// A float's bits, of which a NaN has one pattern.
fn bits(v: f32) -> u32 {
    if v.is_nan() { 0x7fc0_0000 } else { v.to_bits() }
}

/// When the ray enters a box and leaves it, from 0 on and within its extent; reversed if it misses it. A direction along a
/// plane of the box that holds the origin gives a NaN, which says nothing of the interval.
fn interval(ray: &Ray, least: Vec3, greatest: Vec3) -> (f32, f32) {
    let plane = |corner: Vec3, i: usize| (corner[i] - ray.origin[i]) * ray.inverse[i];
    let (mut near, mut far) = (f32::NAN, f32::NAN);
    for i in 0..3 {
        let planes = [plane(least, i), plane(greatest, i)];
        let forward = ray.inverse[i] >= 0.0;
        near = near.max(planes[usize::from(!forward)]);
        far = far.min(planes[usize::from(forward)]);
    }
    match near.is_nan() || far.is_nan() {
        true => (f32::INFINITY, f32::NEG_INFINITY),
        false => (near.max(0.0), far.min(ray.extent)),
    }
}

/// By a network of five comparators; what is missed goes to the end.
fn sort(children: &mut [(u32, f32); 4]) {
    for (a, b) in [(0, 2), (1, 3), (0, 1), (2, 3), (1, 2)] {
        let ((first, near), (second, nearer)) = (children[a], children[b]);
        if second != NONE && nearer < near || first == NONE {
            children.swap(a, b);
        }
    }
}

/// A ray in the plane of a triangle: all of it times `scale`.
struct Met {
    time: f32,
    scale: f32,
    u: f32,
    v: f32,
    hit: bool,
}

impl Met {
    /// Möller and Trumbore's, each operation rounded by itself.
    fn new(ray: &Ray, [a, b, c]: [Vec3; 3]) -> Met {
        let (e1, e2, from) = (minus(b, a), minus(c, a), minus(ray.origin, a));
        let (s1, s2) = (cross(ray.direction, e2), cross(from, e1));
        let (time, scale, u, v) = (dot(e2, s2), dot(s1, e1), dot(from, s1), dot(ray.direction, s2));
        let [t, i, j] = [time, u, v].map(|n| n / scale);
        // A NaN misses nothing.
        let missed = [i, j, t].iter().any(|n| *n < 0.0) || i > 1.0 || i + j > 1.0;
        Met { time, scale, u, v, hit: !missed }
    }
}

fn minus(a: Vec3, b: Vec3) -> Vec3 {
    std::array::from_fn(|i| a[i] - b[i])
}

fn cross(a: Vec3, b: Vec3) -> Vec3 {
    [[1, 2], [2, 0], [0, 1]].map(|[i, j]| a[i] * b[j] - a[j] * b[i])
}

fn dot(a: Vec3, b: Vec3) -> f32 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

pub(super) unsafe fn intersect(w: &mut Wave, op: &MicroOp, env: &mut Env) -> bool {
    if w.exec64() == 0 {
        return false;
    }
    let Some(o) = Operands::new(w, op) else {
        let lanes = w.exec64();
        return w.fail(FaultKind::Internal { why: "a ray without its instruction".into() }, lanes);
    };
    let mut failed = Failed::default();
    for half in 0..w.halves {
        let live = w.exec(half);
        let mut rows = [LaneRow::ZERO; 4];
        for lane in set_bits(live) {
            let pointer = o.pointer(w, half, lane);
            let kind = Kind::of(pointer);
            let mut out = kind.nothing();
            if let Some(at) = o.node(pointer).filter(|_| !matches!(kind, Kind::Other)) {
                let number = 32 * half + lane;
                match env.region(at, kind.nodes() * u64::from(NODE_BYTES)) {
                    None => failed.wild(number, at),
                    Some((region, offset)) => {
                        let ray = o.ray(w, half, lane);
                        let mut node = Node { env, at, region, offset, lane: number as u8 };
                        out = match kind {
                            Kind::Triangle(n) => node.triangle(&ray, &o.bvh, n),
                            Kind::Boxes { halves } => node.boxes(&ray, &o.bvh, halves),
                            Kind::Other => out,
                        };
                    }
                }
            }
            rows.iter_mut().zip(out).for_each(|(row, v)| row.0[lane] = v);
        }
        for (k, row) in rows.iter().enumerate().filter(|_| failed.lanes == 0) {
            w.registers.v.put(op.dst as usize + k * w.halves + half, row, live);
        }
    }
    failed.report(w, NODE_BYTES, false)
}

/// What the T# cuts off: nodes behind its last.
#[cold]
pub(super) fn cut_off(w: &Wave, op: &MicroOp) -> Option<CutOff> {
    let o = Operands::new(w, op)?;
    let (base, size) = (o.bvh.base, (o.bvh.last_node + 1) << BVH_NODE_BITS);
    let (written, bytes) = (o.bvh.kind == BVH, NODE_BYTES);
    let mut cut: Option<CutOff> = None;
    for half in 0..w.halves {
        for lane in set_bits(w.exec(half)) {
            let pointer = o.pointer(w, half, lane);
            if matches!(Kind::of(pointer), Kind::Other) || o.node(pointer).is_some() {
                continue;
            }
            let why = if written { Cut::Buffer { base, size } } else { Cut::Unwritten };
            let address = if written { base.wrapping_add(pointer >> 3 << BVH_NODE_BITS) } else { 0 };
            cut.get_or_insert(CutOff { lanes: 0, address, bytes, why }).lanes |= 1 << (32 * half + lane);
        }
    }
    cut
}
