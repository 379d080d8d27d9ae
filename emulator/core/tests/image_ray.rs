//! Rays against nodes of bounding volume hierarchies, beside a second implementation in f64 (`image/rays.rs`). Numbers of which
//! f32 makes the same as f64 are compared to the bit, others where they are not within rounding of each other. Then a hierarchy that
//! a kernel walks through, beside a search among all triangles.

use crate::image::lone::{BEFORE, Lone, WAVES};
use crate::image::rays::{
    Child, Form, INFINITY, NONE, ONE, PLAIN, Ray, Through, boxes16, boxes32, compare_boxes, compare_triangle, corners,
    triangles,
};
use crate::image::{self, Rng, from_half, half};
use wavepipe_core::GuestChecks;
use wavepipe_core::wave::Device;
use wavepipe_hw::code::WaveSize;
use wavepipe_hw::descriptor::BvhDescriptor;
use wavepipe_hw::fault::FaultKind;
use wavepipe_hw::finding::FindingKind;
use wavepipe_isa::Gen;

const BYTES: u64 = 1 << 16;

fn result(lone: &Lone, lane: usize) -> [u32; 4] {
    std::array::from_fn(|k| lone.out(40 + k as u32, lane))
}

fn random_exec(rng: &mut Rng) -> u64 {
    if rng.chance(50) { !0 } else { u64::from(rng.next()) << 32 | u64::from(rng.next()) }
}

/// Whole numbers and directions that are powers of two: all f32 does with them is exact, so a ray along an edge counts, too.
#[test]
fn boxes_of_whole_numbers() {
    let mut rng = Rng(0xb0c5);
    let mut hits = [0; 5];
    for (round, form) in Form::all().into_iter().cycle().take(128).enumerate() {
        let mut lone = Lone::new(WAVES[round / 8 % 2], 14, &form.text(), BYTES);
        let bvh = BvhDescriptor { box_sort: round / 16 % 2 == 0, ..BvhDescriptor::new(lone.memory, BYTES) };
        lone.scalars(&bvh.to_words(Gen::Gfx1030));
        let exec = random_exec(&mut rng);
        lone.exec(exec);
        let mut cases = Vec::new();
        for lane in 0..lone.lanes {
            let children: [Child; 4] = std::array::from_fn(|k| {
                let least = std::array::from_fn(|_| rng.below(9) as f32 - 8.0);
                let greatest = least.map(|v| v + rng.below(15) as f32);
                let pointer = if rng.chance(8) { NONE } else { rng.next() & !3 | k as u32 };
                Child { pointer, least, greatest }
            });
            let mut direction = [0.0; 3];
            while direction == [0.0; 3] {
                direction = std::array::from_fn(|_| rng.pick(&[0.0, -0.0, 0.5, 1.0, 2.0, -0.5, -1.0, -4.0]));
            }
            let mut ray = Ray::new(std::array::from_fn(|_| rng.below(13) as f32 - 6.0), direction);
            if rng.chance(40) {
                ray.extent = rng.below(12) as f32;
            }
            let halves = rng.chance(50);
            let number = 2 * lane as u64;
            lone.put(64 * number, &if halves { boxes16(&children) } else { boxes32(&children) });
            ray.set(&lone, form, lane, number << 3 | if halves { 4 } else { 5 });
            cases.push((ray, children));
        }
        lone.run().unwrap();
        for (lane, (ray, children)) in cases.iter().enumerate() {
            let got = result(&lone, lane);
            if exec >> lane & 1 == 0 {
                assert_eq!(got, [BEFORE; 4], "lane {lane} is off");
                continue;
            }
            compare_boxes(ray, children, bvh.box_sort, got)
                .unwrap_or_else(|e| panic!("{form:?}, lane {lane}: {e}\n{ray:?}\n{children:?}"));
            hits[got.iter().filter(|p| **p != NONE).count()] += 1;
        }
    }
    assert!(hits.iter().all(|n| *n > 20), "boxes that were hit: {hits:?}");
}

#[test]
fn triangles_of_random_numbers() {
    let mut rng = Rng(0x7419);
    let (mut hit, mut missed) = (0, 0);
    for (round, form) in Form::all().into_iter().cycle().take(64).enumerate() {
        let mut lone = Lone::new(WAVES[round / 8 % 2], 14, &form.text(), BYTES);
        let bvh = BvhDescriptor { barycentrics: round / 16 % 2 == 0, ..BvhDescriptor::new(lone.memory, BYTES) };
        lone.scalars(&bvh.to_words(Gen::Gfx1030));
        let mut cases = Vec::new();
        for lane in 0..lone.lanes {
            let vertices: [[f32; 3]; 5] = std::array::from_fn(|_| std::array::from_fn(|_| rng.range(-8.0, 8.0)));
            let (number, id) = (rng.below(4), rng.next());
            let origin: [f32; 3] = std::array::from_fn(|_| rng.range(-8.0, 8.0));
            // Mostly towards somewhere inside of it.
            let [a, b, c] = corners(number, &vertices);
            let (u, v) = (rng.range(0.0, 0.7), rng.range(0.0, 0.7));
            let towards: [f32; 3] = std::array::from_fn(|i| a[i] + u * (b[i] - a[i]) + v * (c[i] - a[i]) - origin[i]);
            let away = if rng.chance(20) { -1.0 } else { 1.0 };
            let ray = Ray::new(origin, towards.map(|d| from_half(half(image::to_half(away * d)))));
            // What is one over the direction is for boxes alone.
            let ray = Ray { inverse: [f32::NAN; 3], extent: rng.range(0.0, 2.0), ..ray };
            let at = lane as u64;
            lone.put(64 * at, &triangles(&vertices, id));
            ray.set(&lone, form, lane, at << 3 | u64::from(number));
            cases.push((ray, [a, b, c], id, number));
        }
        lone.run().unwrap();
        for (lane, &(ray, v, id, number)) in cases.iter().enumerate() {
            let got = result(&lone, lane);
            match compare_triangle(&ray, v, id, number, bvh.barycentrics, got) {
                Ok(true) => hit += 1,
                Ok(false) => missed += 1,
                Err(e) => panic!("{form:?}, lane {lane}: {e}\n{ray:?}\n{v:?}"),
            }
        }
    }
    assert!(hit > 500 && missed > 500, "{hit} were hit and {missed} missed");
    image::witness::holds("core/tests/image_ray", Form::all().map(Form::name));
}

/// What a plain ray gives in lane 0.
fn one(form: Form, bvh: impl Fn(BvhDescriptor) -> BvhDescriptor, node: &[u32], kind: u64, ray: Ray) -> [u32; 4] {
    let mut lone = Lone::new(WaveSize::W32, 14, &form.text(), BYTES);
    lone.scalars(&bvh(BvhDescriptor::new(lone.memory, BYTES)).to_words(Gen::Gfx1030));
    lone.put(0x100, node);
    lone.exec(1);
    ray.set(&lone, form, 0, 4 << 3 | kind);
    lone.run().unwrap();
    result(&lone, 0)
}

fn a_box(pointer: u32, least: [f32; 3], greatest: [f32; 3]) -> Child {
    Child { pointer, least, greatest }
}

fn in_boxes(bvh: impl Fn(BvhDescriptor) -> BvhDescriptor, children: [Child; 4], ray: Ray) -> [u32; 4] {
    one(PLAIN, bvh, &boxes32(&children), 5, ray)
}

/// By hand: all 24 orders of four boxes along a ray, and of those that are left where some are missed.
#[test]
fn children_come_in_the_order_in_which_the_ray_enters_them() {
    let ray = Ray::new([0.0; 3], [1.0, 0.0, 0.0]);
    for order in 0..24usize {
        let mut left = vec![0, 1, 2, 3];
        let places = [4, 3, 2, 1].map(|n: usize| left.remove(order / [0, 1, 1, 2, 6][n] % n));
        for missed in 0..16u32 {
            let mut lowest = 0.0;
            let children: [Child; 4] = std::array::from_fn(|k| {
                lowest = 10.0 * (1 + places[k]) as f32;
                let y = if missed >> places[k] & 1 != 0 { 5.0 } else { -1.0 };
                a_box(places[k] as u32, [lowest, y, -1.0], [lowest + 1.0, y + 2.0, 1.0])
            });
            let mut want: Vec<u32> = (0..4).filter(|p| missed >> p & 1 == 0).collect();
            want.resize(4, NONE);
            assert_eq!(in_boxes(|d| d, children, ray).to_vec(), want, "{places:?} without {missed:#b}");
            let unsorted = in_boxes(|d| BvhDescriptor { box_sort: false, ..d }, children, ray);
            let want = places.map(|p| if missed >> p & 1 != 0 { NONE } else { p as u32 });
            assert_eq!(unsorted, want, "as they are in the node");
        }
    }
}

/// By hand: rays along faces, from within, against NaNs, infinities and reversed boxes, to the end of the extent.
#[test]
fn boxes_at_their_edges() {
    let unit = |k| a_box(k, [0.0; 3], [1.0; 3]);
    let never = a_box(9, [f32::NAN; 3], [f32::NAN; 3]);
    let [inf, nan] = [f32::INFINITY, f32::NAN];
    let all = |k| a_box(k, [-inf; 3], [inf; 3]);
    let hit = |child: Child, ray: Ray| in_boxes(|d| d, [child, never, never, never], ray)[0] != NONE;
    let from = Ray::new;
    for (what, child, ray, want) in [
        ("from within", unit(1), from([0.5; 3], [0.0, 1.0, 0.0]), true),
        ("away from it", unit(1), from([2.0, 0.5, 0.5], [1.0, 0.0, 0.0]), false),
        ("along its lower face", unit(1), from([-1.0, 0.0, 0.5], [1.0, 0.0, 0.0]), true),
        ("along its upper face", unit(1), from([-1.0, 1.0, 0.5], [1.0, 0.0, 0.0]), true),
        ("along its edge", unit(1), from([-1.0, 1.0, 0.0], [1.0, -0.0, 0.0]), true),
        ("beside its face", unit(1), from([-1.0, 1.5, 0.5], [1.0, 0.0, 0.0]), false),
        ("ends at it", unit(1), Ray { extent: 1.0, ..from([-1.0, 0.5, 0.5], [1.0, 0.0, 0.0]) }, true),
        ("ends before it", unit(1), Ray { extent: 0.75, ..from([-1.0, 0.5, 0.5], [1.0, 0.0, 0.0]) }, false),
        ("an extent of NaN is none", unit(1), Ray { extent: nan, ..from([-1.0, 0.5, 0.5], [1.0, 0.0, 0.0]) }, true),
        ("a negative extent", unit(1), Ray { extent: -1.0, ..from([0.5; 3], [1.0, 0.0, 0.0]) }, false),
        ("a box without end", all(1), from([3.0, 4.0, 5.0], [1.0, 0.5, -2.0]), true),
        ("a box of NaNs", never, from([0.0; 3], [1.0, 1.0, 1.0]), false),
        ("an origin of NaNs", unit(1), from([nan; 3], [1.0, 1.0, 1.0]), false),
        ("a direction of NaNs", unit(1), from([0.5; 3], [nan; 3]), false),
        ("no direction, within", unit(1), from([0.5; 3], [0.0; 3]), true),
        ("no direction, before it: infinity is no later than itself", unit(1), from([-1.5; 3], [0.0; 3]), true),
        ("no direction, behind it", unit(1), from([1.5; 3], [0.0; 3]), false),
        ("a reversed box", a_box(1, [1.0; 3], [0.0; 3]), from([-1.0, 0.5, 0.5], [1.0, 0.0, 0.0]), false),
        ("a flat box", a_box(1, [0.0; 3], [1.0, 0.0, 1.0]), from([0.5, 3.0, 0.5], [0.0, -1.0, 0.0]), true),
        (
            "an infinite origin: infinity is no later than itself",
            unit(1),
            from([-inf, 0.5, 0.5], [1.0, 0.0, 0.0]),
            true,
        ),
    ] {
        assert_eq!(hit(child, ray), want, "{what}");
    }
}

/// BOX_GROW_VALUE moves where the ray leaves the box by half a unit in the last place each, rounded: here it enters four units later.
#[test]
fn boxes_grow() {
    let late = 1.0 + 4.0 * f32::EPSILON;
    let child = a_box(7, [late, -5.0, -1.0], [3.0, 1.0, 1.0]);
    let ray = Ray::new([0.0; 3], [1.0, 1.0, 0.0]);
    let never = Child { pointer: NONE, ..child };
    for (box_grow, hit) in [(0, false), (1, false), (6, false), (8, true), (9, true), (255, true)] {
        let got = in_boxes(|d| BvhDescriptor { box_grow, ..d }, [child, never, never, never], ray)[0];
        assert_eq!(got != NONE, hit, "{box_grow}");
    }
}

/// By hand: a triangle at z = 2 that a ray goes through at x = 1, y = 1/2.
#[test]
fn a_triangle_by_hand() {
    let v = [[0.0, 0.0, 2.0], [4.0, 0.0, 2.0], [0.0, 4.0, 2.0], [9.0; 3], [9.0; 3]];
    let ray = Ray::new([1.0, 0.5, 0.0], [0.0, 0.0, 1.0]);
    let floats = |v: [f32; 4]| v.map(f32::to_bits);
    let weights = |d: BvhDescriptor| BvhDescriptor { barycentrics: true, ..d };
    // I and J are those of the second vertex and the third.
    let node = triangles(&v, 0b1001);
    assert_eq!(one(PLAIN, weights, &node, 0, ray), floats([-32.0, -16.0, -4.0, -2.0]));
    assert_eq!(one(PLAIN, |d| d, &node, 0, ray), [(-32f32).to_bits(), (-16f32).to_bits(), 0b1001, 1]);
    // Of the first, and of the third.
    assert_eq!(one(PLAIN, weights, &triangles(&v, 0b1000), 0, ray), floats([-32.0, -16.0, -10.0, -2.0]));
    // From behind.
    let behind = Ray::new([1.0, 0.5, 4.0], [0.0, 0.0, -2.0]);
    assert_eq!(one(PLAIN, weights, &node, 0, behind), floats([32.0, 32.0, 8.0, 4.0]));
    // The extent is for boxes: a shader compares the time itself.
    let short = Ray { extent: 0.5, ..ray };
    assert_eq!(one(PLAIN, |d| d, &node, 0, short)[3], 1);
    // Corners and edges belong to it.
    for (x, y, hit) in [
        (0.0, 0.0, 1),
        (4.0, 0.0, 1),
        (0.0, 4.0, 1),
        (2.0, 2.0, 1),
        (2.0, 0.0, 1),
        (-1.0, 0.0, 0),
        (3.0, 2.0, 0),
        (0.0, -1.0, 0),
    ] {
        let ray = Ray::new([x, y, 0.0], [0.0, 0.0, 1.0]);
        let got = one(PLAIN, |d| d, &node, 0, ray);
        assert_eq!((got[2], got[3]), (0b1001, hit), "({x}, {y})");
        assert_eq!(got[..2] == [INFINITY, ONE], hit == 0, "({x}, {y}): {got:x?}");
    }
    // Behind the origin.
    assert_eq!(one(PLAIN, |d| d, &node, 0, Ray::new([1.0, 0.5, 3.0], [0.0, 0.0, 1.0])), [INFINITY, ONE, 0b1001, 0]);
    // A NaN is before no edge, and has one pattern.
    let nowhere = Ray::new([1.0, -f32::NAN, 0.0], [0.0, 0.0, 1.0]);
    assert_eq!(one(PLAIN, |d| d, &node, 0, nowhere), [0x7fc0_0000, (-16f32).to_bits(), 0b1001, 1]);
    // Of a triangle without an area, and of NaNs, the time is none that is less than another: a divisor that is zero or NaN.
    let line = [[0.0, 0.0, 2.0], [4.0, 0.0, 2.0], [8.0, 0.0, 2.0], [9.0; 3], [9.0; 3]];
    for (node, ray) in [(triangles(&line, 9), ray), (node.clone(), Ray::new([f32::NAN; 3], [0.0, 0.0, 1.0]))] {
        let [t, scale, ..] = one(PLAIN, weights, &node, 0, ray).map(f32::from_bits);
        assert!((t / scale).is_nan() || t == f32::INFINITY, "{t} / {scale}");
    }
}

/// Pointers of types that hold no boxes and no triangles, nodes behind the last, a T# of another type, unmapped memory.
#[test]
fn pointers_to_nothing() {
    let ray = Ray::new([0.5; 3], [1.0, 0.5, 0.5]);
    let everything = a_box(3, [-9.0; 3], [9.0; 3]);
    let at = |form: Form, bvh: &dyn Fn(BvhDescriptor) -> BvhDescriptor, pointer: u64| {
        let mut lone = Lone::new(WaveSize::W64, 14, &form.text(), BYTES);
        lone.scalars(&bvh(BvhDescriptor::new(lone.memory, 256)).to_words(Gen::Gfx1030));
        for node in [0, 2, 4] {
            lone.put(64 * node, &boxes32(&[everything; 4]));
        }
        (0..64).for_each(|lane| ray.set(&lone, form, lane, pointer));
        lone.run().map(|()| result(&lone, 63))
    };
    for form in Form::all() {
        let same = |d| d;
        for kind in [6, 7] {
            assert_eq!(at(form, &same, kind).unwrap(), [NONE; 4], "type {kind}");
        }
        assert_eq!(at(form, &same, NONE.into()).unwrap(), [NONE; 4]);
        // Four nodes of 64 bytes: a node of twice as many is not there as a whole.
        assert_eq!(at(form, &same, 2 << 3 | 5).unwrap(), [3; 4]);
        assert_eq!(at(form, &same, 3 << 3 | 5).unwrap(), [NONE; 4]);
        assert_eq!(at(form, &same, 4 << 3 | 4).unwrap(), [NONE; 4]);
        assert_eq!(at(form, &same, 4 << 3).unwrap(), [INFINITY, ONE, 0, 0]);
        for kind in [0, 9] {
            let no_bvh = |d| BvhDescriptor { kind, ..d };
            assert_eq!(at(form, &no_bvh, 5).unwrap(), [NONE; 4]);
            assert_eq!(at(form, &no_bvh, 1).unwrap(), [INFINITY, ONE, 0, 0]);
        }
        // In the hierarchy, and in no memory.
        let large = |d| BvhDescriptor { last_node: 1 << 30, ..d };
        let fault = at(form, &large, (1 << 26) << 3 | 5).unwrap_err();
        assert!(matches!(fault.kind, FaultKind::WildAddress { bytes: 64, write: false, .. }), "{fault:?}");
    }
    // The last node that 42 bits name, and a pointer of which no bit is zero but the type's.
    let wide = Form { wide: true, ..PLAIN };
    let largest = |d| BvhDescriptor { last_node: (1 << 42) - 1, ..d };
    assert!(at(wide, &largest, ((1 << 42) - 1) << 3).is_err());
    assert_eq!(at(wide, &largest, !0 - 2).unwrap(), [NONE; 4]);
}

/// The `mem` check tells of nodes behind the last, and of no others.
#[test]
fn nodes_behind_the_last_are_found() {
    for (pointer, found) in
        [(3 << 3, false), (3 << 3 | 5, true), (4 << 3, true), (4 << 3 | 7, false), (NONE.into(), false)]
    {
        for kind in [8, 0] {
            let mut lone = Lone::new(WaveSize::W32, 14, &PLAIN.text(), BYTES);
            lone.on(Device { checks: GuestChecks::MEM, ..Device::default() });
            let bvh = BvhDescriptor { kind, ..BvhDescriptor::new(lone.memory, 256) };
            lone.scalars(&bvh.to_words(Gen::Gfx1030));
            lone.exec(1 << 5);
            (0..32).for_each(|lane| Ray::new([0.0; 3], [1.0; 3]).set(&lone, PLAIN, lane, pointer));
            lone.run().unwrap();
            let all = lone.bed.group.take_findings().0;
            let unknown = kind == 0 && !matches!(pointer & 7, 6 | 7);
            assert_eq!(all.len(), usize::from(found || unknown), "{pointer:#x}: {all:?}");
            for f in all {
                let right = match f.kind {
                    FindingKind::OutOfBounds { base, size: 256, offset } => {
                        base == bvh.base && offset == pointer >> 3 << 6
                    }
                    FindingKind::UnwrittenDescriptor => unknown,
                    _ => false,
                };
                assert!(right && f.site.lanes == 1 << 5, "{f}");
            }
        }
    }
}

/// The `init` check tells of what is made of a node of which something is not written, but for what the instruction does not read.
#[test]
fn nodes_that_nobody_wrote_are_found() {
    let text = format!("{}\ns_waitcnt vmcnt(0)\nglobal_store_dword v60, v40, s[0:1]", PLAIN.text());
    // Kind, the dwords that are written, found.
    for (kind, written, found) in [
        (0, 0..16, false),
        (0, 0..9, true),
        (0, 3..16, true),
        (1, 3..16, false),
        (4, 0..16, false),
        (4, 0..15, true),
        (5, 0..28, false),
        (5, 0..27, true),
        (7, 0..0, false),
    ] {
        let mut lone = Lone::new(WaveSize::W32, 14, &text, BYTES);
        let device = Device { checks: GuestChecks::INIT, ..Device::default() };
        device.contents.unwritten(lone.memory, BYTES);
        device.contents.write(lone.memory + 4 * written.start, 4 * (written.end - written.start));
        lone.on(device);
        lone.scalars(&BvhDescriptor::new(lone.memory, BYTES).to_words(Gen::Gfx1030));
        lone.exec(2);
        (0..32).for_each(|lane| Ray::new([0.0; 3], [1.0; 3]).set(&lone, PLAIN, lane, kind));
        lone.run().unwrap();
        let all = lone.bed.group.take_findings().0;
        assert_eq!(all.iter().filter(|f| f.site.lanes == 2).count(), usize::from(found), "type {kind}: {all:?}");
    }
}

/// Walks from the pointer in v1 with a stack in LDS: v50 becomes the nearest triangle's pointer, v51 its time.
const WALK: &str = "
    v_lshlrev_b32 v20, 7, v0
    v_mov_b32 v26, v20
    v_mov_b32 v50, -1
    v_mov_b32 v51, v2
loop:
    image_bvh_intersect_ray v[40:43], v[1:11], s[8:11]
    s_waitcnt vmcnt(0)
    v_and_b32 v24, 7, v1
    v_cmp_lt_u32 VCC, 3, v24
    s_and_saveexec_BITS SAVED, VCC
    PUSH
    s_andn2_BITS EXEC, SAVED, EXEC
    v_rcp_f32 v25, v41
    v_mul_f32 v25, v40, v25
    v_cmp_lt_f32 VCC, v25, v51
    s_and_BITS EXEC, EXEC, VCC
    v_mov_b32 v51, v25
    v_mov_b32 v2, v25
    v_mov_b32 v50, v1
    s_mov_BITS EXEC, SAVED
    v_cmp_lt_u32 VCC, v26, v20
    s_and_BITS EXEC, EXEC, VCC
    s_cbranch_execz done
    v_add_nc_u32 v20, -4, v20
    s_waitcnt lgkmcnt(0)
    ds_read_b32 v1, v20
    s_waitcnt lgkmcnt(0)
    s_branch loop
done:
    s_mov_BITS EXEC, -1";

fn walk(wave: WaveSize) -> String {
    let push: String = [43, 42, 41, 40]
        .map(|v| {
            format!(
                "v_cmp_ne_u32 VCC, -1, v{v}\ns_and_saveexec_BITS INNER, VCC\nds_write_b32 v20, v{v}\n\
                 v_add_nc_u32 v20, 4, v20\ns_mov_BITS EXEC, INNER\n"
            )
        })
        .concat();
    let text = WALK.replace("PUSH", &push);
    let names = match wave {
        WaveSize::W32 => ["vcc_lo", "b32", "s28", "s30", "exec_lo"],
        WaveSize::W64 => ["vcc", "b64", "s[28:29]", "s[30:31]", "exec"],
    };
    ["VCC", "BITS", "SAVED", "INNER", "EXEC"].into_iter().zip(names).fold(text, |t, (from, to)| t.replace(from, to))
}

/// 64 triangles in 16 nodes, four nodes of boxes over them of both kinds, and a root: each ray's nearest triangle is what a search
/// among all of them finds.
#[test]
fn a_hierarchy_that_a_kernel_walks_through() {
    let mut rng = Rng(0xb47);
    let (mut met, mut asked) = (0, 0);
    for wave in WAVES.into_iter().cycle().take(8) {
        let mut lone = Lone::new(wave, 11, &walk(wave), BYTES);
        lone.bed.launch.lds_bytes = 1 << 14;
        let bvh = BvhDescriptor { box_grow: 6, barycentrics: rng.chance(50), ..BvhDescriptor::new(lone.memory, BYTES) };
        lone.scalars(&bvh.to_words(Gen::Gfx1030));
        let mut all: Vec<(u32, [[f32; 3]; 3])> = Vec::new();
        // Boxes of what lies below are on the f16 grid, rounded outwards.
        let around = |pointer: u32, of: &[[f32; 3]]| {
            let side = |i: usize, most: bool| {
                of.iter().map(|v| v[i]).fold(f32::NAN, |m, v| if most { m.max(v) } else { m.min(v) })
            };
            let grid = |v: f32| v / 64.0;
            let least = std::array::from_fn(|i| grid((side(i, false) * 64.0).floor()));
            a_box(pointer, least, std::array::from_fn(|i| grid((side(i, true) * 64.0).ceil())))
        };
        // Node 0 and 1 are the root, 2 to 9 the middle, 16 to 31 hold triangles.
        let (mut top, nobody) = (Vec::new(), a_box(NONE, [f32::NAN; 3], [f32::NAN; 3]));
        for middle in 0..4u32 {
            let (mut below, mut points) = (Vec::new(), Vec::new());
            let centre: [f32; 3] = std::array::from_fn(|_| rng.range(-6.0, 6.0));
            for leaf in 0..4u32 {
                let node = 16 + 4 * middle + leaf;
                let vertices: [[f32; 3]; 5] = std::array::from_fn(|_| centre.map(|c| c + rng.range(-2.5, 2.5)));
                lone.put(64 * u64::from(node), &triangles(&vertices, 0b1001 * 0x0101_0101));
                // Each leaf's box leads to one of its triangles: a box has one child.
                let number = (middle + leaf) % 4;
                let v = corners(number, &vertices);
                all.push((node << 3 | number, v));
                below.push(around(node << 3 | number, &v));
                points.extend(v);
            }
            let below: [Child; 4] = below.try_into().unwrap();
            let at = 2 + 2 * middle;
            let halves = middle % 2 == 0;
            lone.put(64 * u64::from(at), &if halves { boxes16(&below) } else { boxes32(&below) });
            top.push(around(at << 3 | if halves { 4 } else { 5 }, &points));
        }
        top.reverse();
        top[1] = if rng.chance(25) { nobody } else { top[1] };
        let top: [Child; 4] = top.try_into().unwrap();
        let gone = if top[1].pointer == NONE { 2 } else { 9 };
        lone.put(0, &boxes32(&top));
        let mut rays = Vec::new();
        for lane in 0..lone.lanes {
            let origin: [f32; 3] = std::array::from_fn(|_| rng.range(-9.0, 9.0));
            let (_, [a, b, c]) = all[rng.below(16) as usize];
            let towards = std::array::from_fn(|i| (a[i] + b[i] + c[i]) / 3.0 + rng.range(-1.0, 1.0) - origin[i]);
            let ray = Ray { extent: rng.pick(&[1.0, 4.0, f32::INFINITY]), ..Ray::new(origin, towards) };
            ray.set(&lone, PLAIN, lane, 5);
            rays.push(ray);
        }
        lone.run().unwrap();
        for (lane, ray) in rays.iter().enumerate() {
            let left = all.iter().enumerate().filter(|(n, _)| n / 4 != gone).map(|(_, t)| t);
            let through: Vec<(u32, Through)> = left.filter_map(|(p, v)| Some((*p, Through::new(ray, *v)?))).collect();
            let times = through.iter().filter(|(_, t)| t.hit() && t.time < ray.extent.into());
            let nearest = times.min_by(|(_, a), (_, b)| a.time.total_cmp(&b.time));
            // Rounding decides nothing: no edge is near, and the extent's end is not.
            let clear = through.iter().all(|(_, t)| t.margin > 1e-3 && (t.time - f64::from(ray.extent)).abs() > 1e-3);
            if !clear {
                continue;
            }
            asked += 1;
            let want = nearest.map_or(NONE, |(p, _)| *p);
            assert_eq!(lone.out(50, lane), want, "lane {lane} of {wave:?}: {ray:?}");
            if let Some((_, t)) = nearest {
                met += 1;
                let time = f64::from(f32::from_bits(lone.out(51, lane)));
                assert!((time - t.time).abs() < 1e-3 * t.time.max(1.0), "{time}, not {}", t.time);
            }
        }
    }
    assert!(asked > 250 && met > 100, "{met} of {asked} rays met something");
}
