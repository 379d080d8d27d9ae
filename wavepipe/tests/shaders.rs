//! Shaders under test, as a user of the library writes them; and how each kind of failure reads.

use bytemuck::{Pod, Zeroable};
use std::time::Duration;
use wavepipe::{Checks, Result, Shader, Tolerance};

const SAXPY: &str = "#version 450
layout(local_size_x = 64) in;
layout(push_constant) uniform Push { float a; uint n; };
layout(binding = 0) readonly buffer X { float x[]; };
layout(binding = 1) buffer Y { float y[]; };
void main() {
    uint i = gl_GlobalInvocationID.x;
    if (i < n) y[i] = a * x[i] + y[i];
}";

#[test]
fn saxpy_in_glsl() -> Result<()> {
    let x: Vec<f32> = (0..1000).map(|i| i as f32 * 0.1).collect();
    let wanted: Vec<f32> = x.iter().map(|x| 2.5 * x + 1.0).collect();
    for wave in [32, 64] {
        let test = Shader::glsl(SAXPY)?.test().buffer("x", &x).buffer("y", &[1f32; 1000]);
        let ran = test.push("a", 2.5f32).push("n", 1000u32).wave(wave).check(Checks::ALL).run()?;
        ran.expect("y", &wanted).ulp(1)?.expect("x", &x).exactly()?;
        assert_eq!((ran.kernels().len(), ran.kernels()[0].wave), (1, wave));
        assert!(ran.kernels()[0].vgprs > 0 && ran.instructions() > 0 && ran.cycles().is_none());
    }
    Ok(())
}

#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
struct Particle {
    place: [f32; 3],
    mass: f32,
}

#[test]
fn structures_are_memory_and_vectors_are_numbers() -> Result<()> {
    let shader = Shader::wgsl(
        "struct Particle { place: vec3f, mass: f32 }
        @group(0) @binding(0) var<storage> all: array<Particle>;
        @group(1) @binding(3) var<storage, read_write> weighed: array<vec3f>;
        @compute @workgroup_size(4) fn main(@builtin(global_invocation_id) i: vec3u) {
            weighed[i.x] = all[i.x].place * all[i.x].mass;
        }",
    )?;
    let particle = |n: f32| Particle { place: [n, 2. * n, 3. * n], mass: n };
    let all: Vec<Particle> = (0..8).map(|n| particle(n as f32)).collect();
    // vec3f lies at multiples of 16 bytes; what is read and wanted has no padding.
    let ran = shader.test().buffer("all", &all).zeroed("1.3", 8).run()?;
    let wanted: Vec<[f32; 3]> = all.iter().map(|p| p.place.map(|c| c * p.mass)).collect();
    ran.expect("weighed", &wanted).exactly()?;
    assert_eq!(ran.read::<[f32; 3]>("weighed")?, wanted);
    assert_eq!(ran.contents("weighed")?.bytes.len(), 128);
    let mut moved = all.clone();
    (moved[1].mass, moved[2].place[1]) = (7.0, 9.0);
    let found = ran.expect("all", &moved).mismatch(Tolerance::Exact)?.unwrap();
    assert!(found.to_string().contains("\n  element 1.mass, byte 28: got 1, wanted 7, "), "{found}");
    assert!(found.to_string().contains("\n  element 2.place.y, byte 36: got 4, wanted 9, "), "{found}");
    assert_eq!(found.shown[0].member.as_deref(), Some("mass"));
    let mut other = wanted;
    other[2][1] += 1.0;
    let found = ran.expect("weighed", &other).mismatch(Tolerance::Exact)?.unwrap();
    assert!(found.to_string().contains("element 2.y, byte 36: got 8, wanted 9"), "{found}");
    let by = found.writer.unwrap();
    assert_eq!((by.workgroup, by.wave, by.lane, by.invocation), ([0, 0, 0], 0, 2, [2, 0, 0]));
    assert_eq!(by.source.as_deref(), Some("shader.wgsl:5"));
    assert!(by.instruction.contains("store"), "{}", by.instruction);
    Ok(())
}

#[test]
fn dispatches_in_order_with_names_of_their_own() -> Result<()> {
    let shader = Shader::wgsl(
        "@group(0) @binding(0) var<storage> source: array<u32>;
        @group(0) @binding(1) var<storage, read_write> sink: array<u32>;
        override step: u32 = 1;
        @compute @workgroup_size(8) fn add(@builtin(global_invocation_id) i: vec3u) { sink[i.x] = source[i.x] + step; }
        @compute @workgroup_size(8) fn double(@builtin(global_invocation_id) i: vec3u) { sink[i.x] = source[i.x] * 2; }",
    )?;
    let test = shader.test().buffer("a", &[0u32, 1, 2, 3, 4, 5, 6, 7]).zeroed("b", 8);
    let test = test.entry("add").spec("step", 10u32).bind("source", "a").bind("sink", "b");
    let ran = test.then(&shader).entry("double").bind("source", "b").bind("sink", "a").run()?;
    ran.expect("a", &[20u32, 22, 24, 26, 28, 30, 32, 34]).exactly()?;
    assert_eq!(ran.kernels().iter().map(|k| k.entry.as_str()).collect::<Vec<_>>(), ["add", "double"]);
    Ok(())
}

const INVERT: &str = "
    @group(0) @binding(0) var photo: texture_2d<f32>;
    @group(0) @binding(1) var negative: texture_storage_2d<rgba8unorm, write>;
    @compute @workgroup_size(8, 8) fn main(@builtin(global_invocation_id) i: vec3u) {
        let c = textureLoad(photo, i.xy, 0);
        textureStore(negative, i.xy, vec4(1 - c.rgb, c.a));
    }";

#[test]
fn images_and_the_picture_of_what_differs() -> Result<()> {
    let photo: Vec<u8> = (0..16 * 16).flat_map(|n| [n as u8, 255 - n as u8, 7, 255]).collect();
    let folder = std::env::temp_dir().join(format!("wavepipe-shaders-{}", std::process::id()));
    let test = Shader::wgsl(INVERT)?.test().texels("photo", &[16, 16], &photo).image("negative", &[16, 16]);
    let ran = test.artifacts(&folder).run()?;
    let mut wanted: Vec<u8> = photo.chunks_exact(4).flat_map(|p| [255 - p[0], 255 - p[1], 255 - p[2], 255]).collect();
    ran.expect("negative", &wanted).exactly()?;
    ran.expect("negative", &wanted).picture(0, 0)?;
    // Texel (3, 2).
    wanted[4 * (2 * 16 + 3)] ^= 64;
    ran.expect("negative", &wanted).picture(0, 1)?;
    let failure = ran.expect("negative", &wanted).picture(0, 0).err().unwrap().to_string();
    assert!(failure.contains("1 of 256 pixels is not as wanted") && failure.contains("texel (3, 2)"), "{failure}");
    let file = folder.join("shaders--images_and_the_picture_of_what_differs-negative.png");
    assert!(failure.contains(&format!("what differs, in red: {}", file.display())), "{failure}");
    let drawn = wavepipe::picture::read(&file)?;
    let red = drawn.rgba.chunks_exact(4).position(|p| p[0] == 255);
    assert_eq!((drawn.width, drawn.height, red), (16, 16, Some(2 * 16 + 3)));
    std::fs::remove_dir_all(folder).unwrap();
    Ok(())
}

/// A reduction without its barriers.
const RACY: &str = "#version 450
layout(local_size_x = 64) in;
layout(binding = 0) buffer Sum { uint sum[]; };
shared uint part[64];
void main() {
    uint i = gl_LocalInvocationIndex;
    part[i] = i;
    if (i == 0) { uint all = 0; for (int k = 0; k < 64; k++) all += part[k]; sum[0] = all; }
}";

#[test]
fn findings_fail_a_run_and_say_where() -> Result<()> {
    let test = Shader::glsl(RACY)?.test().zeroed("sum", 1).groups([1, 1, 1]);
    let failure = test.run().err().unwrap().to_string();
    assert!(failure.contains("race") && failure.contains("shader.comp:8"), "{failure}");
    assert!(
        failure.contains("again: ") && failure.ends_with("findings_fail_a_run_and_say_where -- --exact"),
        "{failure}"
    );
    let ran = test.keep_findings().run()?;
    assert!(ran.findings().reports.iter().any(|f| f.check == "race"), "{:?}", ran.findings());
    // Nothing is looked for where nothing is to be looked for.
    Shader::glsl(RACY)?.test().zeroed("sum", 1).groups([1, 1, 1]).check(Checks::empty()).run()?;
    Ok(())
}

#[test]
fn cycles_are_those_of_the_card() -> Result<()> {
    let test = Shader::glsl(SAXPY)?.test().buffer("x", &[1f32; 4096]).zeroed("y", 4096).check(Checks::empty());
    let test = test.push("a", 2).push("n", 4096).timing();
    let cycles = |test: &wavepipe::Test| Ok::<u64, wavepipe::Failure>(test.run()?.cycles().unwrap());
    assert_eq!(cycles(&test)?, cycles(&test)?);
    let other = test.clone().machine("rx5500xt").wave(64);
    assert_ne!(cycles(&test)?, cycles(&other)?);
    Ok(())
}

#[test]
fn what_makes_no_sense_is_said_before_anything_runs() -> Result<()> {
    let saxpy = Shader::glsl(SAXPY)?;
    let good = || saxpy.test().buffer("x", &[1f32; 8]).buffer("y", &[1f32; 8]).push("a", 1).push("n", 8);
    good().run()?;
    let rows: [(wavepipe::Test, &str); 11] = [
        (good().wave(48), "wave(48): a wave has 32 or 64 lanes"),
        (good().groups([0, 1, 1]), "groups([0, 1, 1]) is nothing to run"),
        (good().buffer("x", &[1f32]), "a buffer `x` is given twice"),
        (good().buffer("z", &[1f32]), "the shader has no resource `z`"),
        (good().spec("TILE", 3), "no specialization constant TILE"),
        (good().push("b", 3), "there is no b"),
        (saxpy.test().zeroed("x", 8).push("a", 1).push("n", 8), "nothing is given for it"),
        (saxpy.test().buffer("x", &[1u8; 7]).zeroed("y", 8).push("a", 1).push("n", 8), "7 bytes"),
        (saxpy.test().buffer("x", &[1; 8]).zeroed("y", 8).push("a", 1).push("n", 8), "type f32, and i32 is given"),
        (good().machine("rx9999"), "rx9999"),
        (good().entry("other"), "no compute entry point `other`"),
    ];
    for (test, why) in rows {
        let failure = test.run().err().unwrap().to_string();
        assert!(failure.contains(why), "{why}: {failure}");
    }
    let ran = good().run()?;
    let told = |r: Result<&wavepipe::Ran>| r.err().unwrap().to_string();
    assert!(told(ran.expect("y", &[1f32; 7]).exactly()).contains("has 7 numbers, f32[8] takes 8"));
    assert!(told(ran.expect("y", &[1; 8]).exactly()).contains("type f32, and i32 is given"));
    assert!(told(ran.expect("q", &[1f32; 7]).exactly()).contains("no resource `q`"));
    assert!(ran.read::<u32>("y").err().unwrap().to_string().contains("cannot be read as u32"));
    assert!(Shader::wgsl("fn main(").err().unwrap().to_string().contains("shader.wgsl:1"));
    Ok(())
}

#[test]
fn a_hang_ends_and_names_the_line() -> Result<()> {
    let shader = Shader::wgsl(
        "@group(0) @binding(0) var<storage, read_write> y: array<u32>;
        @compute @workgroup_size(1) fn main() {
            while y[0] == 0 { y[1] += 1; }
        }",
    )?;
    let failure = shader.test().zeroed("y", 2).timeout(Duration::from_millis(300)).run().err().unwrap();
    assert!(matches!(failure, wavepipe::Failure::Driver(_)), "{failure}");
    assert!(failure.to_string().contains("shader.wgsl:3"), "{failure}");
    Ok(())
}

#[test]
fn a_seed_is_an_order_that_comes_again() -> Result<()> {
    // Which work-group comes last says the order.
    let shader = Shader::wgsl(
        "@group(0) @binding(0) var<storage, read_write> order: array<u32>;
        @group(0) @binding(1) var<storage, read_write> turn: atomic<u32>;
        @compute @workgroup_size(1) fn main(@builtin(workgroup_id) g: vec3u) { order[atomicAdd(&turn, 1)] = g.x; }",
    )?;
    let order = |seed| {
        let ran = shader.test().zeroed("order", 64).buffer("turn", &[0u32]).groups([64, 1, 1]).seed(seed).run()?;
        ran.read::<u32>("order")
    };
    assert_eq!(order(1)?, order(1)?);
    let orders: std::collections::BTreeSet<Vec<u32>> = (0..8).map(order).collect::<Result<_>>()?;
    assert!(orders.len() > 1, "{orders:?}");
    Ok(())
}

#[test]
fn advice_names_methods() {
    let test = Shader::glsl(SAXPY).unwrap().test();
    let x = test.clone().zeroed("x", 4);
    let whole = x.clone().zeroed("y", 4);
    let special = Shader::wgsl(
        "override size: u32; @group(0) @binding(0) var<storage, read_write> n: array<u32>;
        @compute @workgroup_size(1) fn main() { n[0] = size; }",
    );
    for (test, said) in [
        (special.unwrap().test().zeroed("n", 1), "override `size` has no value: add .spec(\"size\", VALUE), of u32"),
        (test, "add .zeroed(\"x\", N), or .buffer(\"x\", &NUMBERS)"),
        (x, "add .zeroed(\"y\", N)"),
        (whole.clone(), "no value for push constant a (f32 at byte 0): add .push(\"a\", VALUE)"),
        (whole.push("a", 1f32), "add .push(\"n\", VALUE)"),
    ] {
        let failure = test.run().err().map_or(String::new(), |e| e.to_string());
        assert!(failure.contains(said) && !failure.contains("--"), "{failure}");
    }
}
