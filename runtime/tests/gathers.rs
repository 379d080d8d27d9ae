//! Gathers of integers on every generation, beside the texels by Vulkan's equations: some silicon begins at the nearest texel, and
//! the compiler's code is to make up for that. The shaders are compiled by glslangValidator.

use std::process::Command;
use std::sync::Arc;
use wavepipe_runtime::hw::machine::Machine;
use wavepipe_runtime::isa::Gen;
use wavepipe_runtime::simple::{Bound, Descriptor, Session, Step};
use wavepipe_runtime::*;

const POINTS: usize = 64;
const SIZE: i64 = 8;
const LAYERS: i64 = 12;

/// SPIR-V of a shader that gathers at a point of a list for each of its work-items; `None`, said aloud, without the compiler.
fn shader(sampler: &str, read: &str) -> Option<Vec<u32>> {
    let text = format!(
        "#version 450
        layout(local_size_x = {POINTS}) in;
        layout(binding = 0) uniform {sampler} t;
        layout(binding = 1) readonly buffer Points {{ vec4 points[]; }};
        layout(binding = 2) writeonly buffer Texels {{ ivec4 texels[]; }};
        void main() {{
            vec4 p = points[gl_LocalInvocationIndex];
            texels[gl_LocalInvocationIndex] = ivec4({read});
        }}"
    );
    let stem = std::env::temp_dir().join(format!("wavepipe-gathers-{}", std::process::id()));
    let (from, to) = (stem.with_extension("comp"), stem.with_extension("spv"));
    std::fs::write(&from, text).unwrap();
    let Ok(output) = Command::new("glslangValidator").arg("-V").arg(&from).arg("-o").arg(&to).output() else {
        println!("SKIP glslangValidator");
        assert!(std::env::var_os("CI").is_none(), "glslangValidator is missing");
        return None;
    };
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    let words = std::fs::read(&to).unwrap().as_chunks::<4>().0.iter().map(|b| u32::from_le_bytes(*b)).collect();
    let _ = (std::fs::remove_file(&from), std::fs::remove_file(&to));
    Some(words)
}

/// What an image has at a texel: less than a byte has, and another number than its neighbours.
fn number(signed: bool, [x, y, layer]: [i64; 3], component: i64) -> i32 {
    let n = ((x + SIZE * y + SIZE * SIZE * layer) * 4 + component) * 37 % 121;
    (if signed { n - 60 } else { n }) as i32
}

struct Random(u64);

impl Random {
    fn below(&mut self, n: i64) -> i64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) as i64 % n
    }
}

/// Format, whether it has a sign, bytes of a component, components.
const FORMATS: [(Format, bool, usize, i64); 4] = [
    (Format::R8G8B8A8_UINT, false, 1, 4),
    (Format::R8G8B8A8_SINT, true, 1, 4),
    (Format::R16G16_SINT, true, 2, 2),
    (Format::R32G32B32A32_UINT, false, 4, 4),
];

/// What is sampled, how, and with which offsets.
type Gather = (&'static str, ImageViewKind, u32, &'static str, [[i64; 2]; 4]);
const GATHERS: [Gather; 7] = [
    ("2D", ImageViewKind::D2, 1, "textureGather(t, p.xy, 1)", [[0, 0]; 4]),
    ("2D", ImageViewKind::D2, 1, "textureGatherOffset(t, p.xy, ivec2(2, -3), 1)", [[2, -3]; 4]),
    (
        "2D",
        ImageViewKind::D2,
        1,
        "textureGatherOffsets(t, p.xy, ivec2[](ivec2(0, 0), ivec2(3, 1), ivec2(-2, 0), ivec2(1, -3)), 1)",
        [[0, 0], [3, 1], [-2, 0], [1, -3]],
    ),
    ("2DArray", ImageViewKind::D2Array, 12, "textureGather(t, p.xyz, 1)", [[0, 0]; 4]),
    ("2DArray", ImageViewKind::D2Array, 12, "textureGatherOffset(t, p.xyz, ivec2(-1, 1), 1)", [[-1, 1]; 4]),
    ("Cube", ImageViewKind::Cube, 6, "textureGather(t, p.xyz, 1)", [[0, 0]; 4]),
    ("CubeArray", ImageViewKind::CubeArray, 12, "textureGather(t, p, 1)", [[0, 0]; 4]),
];

fn image(device: &Arc<Device>, (format, signed, bytes, components): (Format, bool, usize, i64)) -> Arc<Image> {
    let extent = [SIZE as u32, SIZE as u32, 1];
    let info = ImageInfo { kind: ImageKind::D2, format, extent, levels: 1, layers: LAYERS as u32, samples: 1 };
    let image = Image::new(device, info).unwrap();
    image.bind(Memory::allocate(device, image.requirements().0).unwrap(), 0).unwrap();
    let layers = ImageLayers { aspect: Aspects::COLOR, level: 0, first: 0, count: LAYERS as u32 };
    let region = HostRegion { row_length: 0, image_height: 0, layers, origin: [0; 3], extent };
    let texels = (0..LAYERS * SIZE * SIZE * components).flat_map(|i| {
        let (c, x, y, layer) =
            (i % components, i / components % SIZE, i / components / SIZE % SIZE, i / components / (SIZE * SIZE));
        number(signed, [x, y, layer], c).to_le_bytes().into_iter().take(bytes)
    });
    image.write(&region, &texels.collect::<Vec<u8>>()).unwrap();
    image
}

/// x and y in eighths of a texel, odd ones, so that no texel is near to being another; and a layer or face. On cubes within a face.
fn places(random: &mut Random, cube: bool, layers: u32) -> Vec<[i64; 3]> {
    let mut at = |n, from| 2 * (random.below(n) + from) + 1;
    (0..POINTS)
        .map(|_| {
            let [x, y] = if cube { [at(22, 5), at(22, 5)] } else { [at(50, -9), at(50, -9)] };
            [x, y, at(i64::from(layers), 0) / 2]
        })
        .collect()
}

/// The coordinates of a place: on the image from 0 to 1, or a direction by Vulkan's table of cube map faces.
fn coordinates([x, y, layer]: [i64; 3], cube: bool) -> [f32; 4] {
    let [s, t] = [x, y].map(|v| v as f32 / (8 * SIZE) as f32);
    let (a, b) = (2.0 * s - 1.0, 2.0 * t - 1.0);
    let faces = [[1.0, -b, -a], [-1.0, -b, a], [a, 1.0, b], [a, -1.0, -b], [a, -b, 1.0], [-a, -b, -1.0]];
    match faces[layer as usize % 6] {
        [x, y, z] if cube => [x, y, z, (layer / 6) as f32],
        _ => [s, t, layer as f32, 0.0],
    }
}

/// Four texels around a point, half a texel before it and the next, or the first of each offset's four.
fn expected(signed: bool, [x, y, layer]: [i64; 3], offsets: [[i64; 2]; 4]) -> [i32; 4] {
    let first = [x, y].map(|v| (v - 4).div_euclid(8));
    let one = offsets == [offsets[0]; 4];
    std::array::from_fn(|k| {
        let step = if one { [[0, 1], [1, 1], [1, 0], [0, 0]][k] } else { [0, 0] };
        let [x, y] = [0, 1].map(|a| (first[a] + step[a] + offsets[k][a]).clamp(0, SIZE - 1));
        number(signed, [x, y, layer], 1)
    })
}

#[test]
fn integers_are_gathered_around_the_point() {
    let mut shaders = Vec::new();
    for signed in [false, true] {
        for (kind, _, _, read, _) in GATHERS {
            let Some(words) = shader(&format!("{}sampler{kind}", if signed { "i" } else { "u" }), read) else { return };
            shaders.push(words);
        }
    }
    let mut random = Random(7);
    for isa in Gen::ALL.into_iter().filter(|isa| Machine::executes(*isa)) {
        let machine = Arc::new(Machine::open(isa.name()).unwrap());
        let session = Session::new(&Config { machine, ..Config::checked() }).unwrap();
        let device = session.device();
        for format in FORMATS {
            let (name, signed, ..) = format;
            let texels = image(device, format);
            for (n, (_, kind, layers, read, offsets)) in GATHERS.into_iter().enumerate() {
                let words = &shaders[n + usize::from(signed) * GATHERS.len()];
                let pipeline = session.pipeline(words, None, &[], None).unwrap();
                let whole = *ImageView::whole(&texels).unwrap().info();
                let view = ImageView::new(&texels, ImageViewInfo { kind, layers, ..whole }).unwrap();
                let cube = matches!(kind, ImageViewKind::Cube | ImageViewKind::CubeArray);
                // Coordinates of texels are for what is neither an array nor a cube.
                for unnormalized in [false, true].into_iter().take(1 + usize::from(kind == ImageViewKind::D2)) {
                    let address = [AddressMode::ClampToEdge; 3];
                    let sampler = Sampler::new(device, &SamplerInfo { address, unnormalized, ..Default::default() });
                    let places = places(&mut random, cube, layers);
                    let scale = if unnormalized { SIZE as f32 } else { 1.0 };
                    let points = places.iter().flat_map(|p| coordinates(*p, cube).map(|v| (scale * v).to_le_bytes()));
                    let buffers = [(); 2].map(|()| Buffer::with_memory(device, 16 * POINTS as u64).unwrap());
                    buffers[0].write(0, &points.flatten().collect::<Vec<u8>>()).unwrap();
                    let bytes = 16 * POINTS as u64;
                    let descriptors = [
                        Descriptor::Combined(view.clone(), sampler.unwrap()),
                        Descriptor::Buffer(buffers[0].clone(), bytes),
                        Descriptor::Buffer(buffers[1].clone(), bytes),
                    ];
                    let bound = descriptors.into_iter().zip(0..);
                    let bound = bound.map(|(descriptor, binding)| Bound { set: 0, binding, element: 0, descriptor });
                    let pipeline = pipeline.clone();
                    let (push, groups) = (Vec::new(), [1; 3]);
                    let step = Step { pipeline, bound: bound.collect(), push, groups, indirect: None };
                    session.run_steps(&[step]).unwrap();
                    let mut got = vec![0; bytes as usize];
                    buffers[1].read(0, &mut got).unwrap();
                    let words: Vec<i32> = got.as_chunks::<4>().0.iter().map(|b| i32::from_le_bytes(*b)).collect();
                    for (got, place) in words.as_chunks::<4>().0.iter().zip(&places) {
                        let what =
                            format!("{isa:?} {name:?} {read} at {place:?}, coordinates of texels: {unnormalized}");
                        assert_eq!(*got, expected(signed, *place, offsets), "{what}");
                    }
                }
            }
        }
    }
}
