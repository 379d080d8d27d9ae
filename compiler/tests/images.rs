//! Storage images and texel buffers: every dimension read, written, counted and asked for its size, beside plain Rust.

use crate::bed::*;
use wavepipe_compiler::{Checks, Options, compile, reflect};
use wavepipe_hw::code::WaveSize;
use wavepipe_hw::descriptor::ImageType;
use wavepipe_hw::launch::{BindingKind, PipelineLayout, Place};

const WAVES: [WaveSize; 2] = [WaveSize::W32, WaveSize::W64];

struct Dimension {
    glsl: &'static str,
    kind: ImageType,
    size: [u32; 3],
    samples: u32,
    /// The shader's coordinate, from ivec3 c, and the sample argument.
    coordinate: &'static str,
    /// imageSize as ivec3, with ones where it has fewer.
    extent: &'static str,
}

const DIMENSIONS: &[Dimension] = &[
    Dimension {
        glsl: "image1D",
        kind: ImageType::D1,
        size: [13, 1, 1],
        samples: 1,
        coordinate: "c.x",
        extent: "ivec3(imageSize(a), 1, 1)",
    },
    Dimension {
        glsl: "image1DArray",
        kind: ImageType::D1Array,
        size: [13, 1, 3],
        samples: 1,
        coordinate: "c.xz",
        extent: "ivec3(imageSize(a), 1).xzy",
    },
    Dimension {
        glsl: "image2D",
        kind: ImageType::D2,
        size: [9, 7, 1],
        samples: 1,
        coordinate: "c.xy",
        extent: "ivec3(imageSize(a), 1)",
    },
    Dimension {
        glsl: "image2DArray",
        kind: ImageType::D2Array,
        size: [5, 4, 3],
        samples: 1,
        coordinate: "c",
        extent: "imageSize(a)",
    },
    Dimension {
        glsl: "image3D",
        kind: ImageType::D3,
        size: [4, 5, 6],
        samples: 1,
        coordinate: "c",
        extent: "imageSize(a)",
    },
    Dimension {
        glsl: "imageCube",
        kind: ImageType::Cube,
        size: [4, 4, 6],
        samples: 1,
        coordinate: "c",
        extent: "ivec3(imageSize(a), 6)",
    },
    Dimension {
        glsl: "imageCubeArray",
        kind: ImageType::D2Array,
        size: [4, 4, 12],
        samples: 1,
        coordinate: "c",
        extent: "imageSize(a) * ivec3(1, 1, 6)",
    },
    Dimension {
        glsl: "image2DMS",
        kind: ImageType::D2Msaa,
        size: [5, 4, 1],
        samples: 4,
        coordinate: "c.xy, s",
        extent: "ivec3(imageSize(a), 1)",
    },
    Dimension {
        glsl: "image2DMSArray",
        kind: ImageType::D2MsaaArray,
        size: [5, 4, 2],
        samples: 2,
        coordinate: "c, s",
        extent: "imageSize(a)",
    },
];

/// Each work-item reads a texel, also ones outside, and writes what it makes of it to another place.
#[test]
fn every_dimension_reads_and_writes() {
    for d in DIMENSIONS {
        let Dimension { glsl: ty, coordinate, extent, .. } = d;
        let samples = if d.samples > 1 { "imageSamples(a)" } else { "1" };
        let text = format!(
            "layout(local_size_x = 4, local_size_y = 4, local_size_z = 4) in;
            layout(set = 0, binding = 0, rgba32ui) uniform u{ty} a;
            layout(set = 0, binding = 1, rgba32ui) uniform u{ty} b;
            layout(set = 0, binding = 2) buffer Out {{ ivec4 size; }};
            void main() {{
                ivec3 c = ivec3(gl_GlobalInvocationID) - 1;
                size = ivec4({extent}, {samples});
                for (int s = 0; s < {samples}; s++) {{
                    uvec4 t = imageLoad(a, {coordinate});
                    imageStore(b, {coordinate}, t + uvec4(c, s + 100));
                }}
            }}"
        );
        let Some(words) = glsl(&text) else { return };
        for wave in WAVES {
            let mut bed = Bed::new(words.clone());
            let make = |bed: &Bed| Picture::new(bed, "32_32_32_32_UINT", d.kind, d.size, 1, d.samples);
            let (a, b) = (make(&bed), make(&bed));
            let texel = |[x, y, z]: [u32; 3], s: u32| [x * 7 + 1, y * 5 + 2, z * 3 + s, x ^ y ^ z];
            a.fill(&bed, |_, at, s| texel(at, s));
            b.fill(&bed, |_, _, _| [77; 4]);
            bind_image(&bed, 0, 0, &a);
            bind_image(&bed, 1, 0, &b);
            let out = bed.buffer(2, 0, &[0; 4]);
            bed.run(wave, [4, 3, 4]);
            let size = [d.size[0], d.size[1], d.size[2], d.samples];
            assert_eq!(bed.read(out, 4), size, "{ty} {wave:?}");
            for z in 0..d.size[2] {
                for y in 0..d.size[1] {
                    for x in 0..d.size[0] {
                        for s in 0..d.samples {
                            let old = texel([x, y, z], s);
                            // c of the dimensions that the image has not is what the last work-item wrote.
                            let got = b.get(&bed, 0, [x, y, z], s);
                            let mut want = [old[0] + x, old[1] + y, old[2] + z, old[3] + s + 100];
                            for (axis, n) in [(1, d.size[1]), (2, d.size[2])] {
                                if n == 1 {
                                    want[axis] = got[axis];
                                }
                            }
                            assert_eq!(got, want, "{ty} {wave:?} at {x} {y} {z}, sample {s}");
                        }
                    }
                }
            }
        }
    }
}

/// What reads outside give: zeros, and one where the format has no fourth component.
#[test]
fn outside_is_zero() {
    let Some(words) = glsl(
        "layout(local_size_x = 8) in;
        layout(set = 0, binding = 0, rg32f) uniform readonly image2D a;
        layout(set = 0, binding = 1, rgba8) uniform image2D b;
        layout(set = 0, binding = 2) buffer Out { vec4 o[]; };
        void main() {
            int i = int(gl_LocalInvocationIndex) - 2;
            o[2 * (i + 2)] = imageLoad(a, ivec2(i, 1));
            imageStore(b, ivec2(i, 2), vec4(0.5, 1.0, -3.0, 0.25));
            o[2 * (i + 2) + 1] = imageLoad(b, ivec2(i, 2));
        }",
    ) else {
        return;
    };
    let mut bed = Bed::new(words);
    let a = Picture::new(&bed, "32_32_FLOAT", ImageType::D2, [4, 3, 1], 1, 1);
    let b = Picture::new(&bed, "8_8_8_8_UNORM", ImageType::D2, [4, 3, 1], 1, 1);
    a.fill(&bed, |_, [x, y, _], _| [f(x as f32), f(y as f32 + 0.5), 0, 0]);
    bind_image(&bed, 0, 0, &a);
    bind_image(&bed, 1, 0, &b);
    let out = bed.buffer(2, 0, &[9; 64]);
    bed.run(WaveSize::W32, [1; 3]);
    let got = bed.read(out, 64);
    for n in 0..8usize {
        let x = n as f32 - 2.0;
        let inside = (0.0..4.0).contains(&x);
        let first = if inside { [x, 1.5, 0.0, 1.0] } else { [0.0, 0.0, 0.0, 1.0] };
        let second = if inside { [128.0 / 255.0, 1.0, 0.0, 64.0 / 255.0] } else { [0.0; 4] };
        let want: Vec<u32> = first.into_iter().chain(second).map(f).collect();
        assert_eq!(got[8 * n..8 * n + 8], want, "{n}");
    }
}

/// Formats that the shader leaves open, narrow ones, and images of 64-bit texels.
#[test]
fn formats_and_widths() {
    let Some(words) = glsl(
        "#extension GL_EXT_shader_image_load_formatted : require
        #extension GL_EXT_shader_image_int64 : require
        #extension GL_EXT_shader_explicit_arithmetic_types : require
        layout(local_size_x = 4) in;
        layout(set = 0, binding = 0) uniform image2D a;
        layout(set = 0, binding = 1) uniform iimage2D b;
        layout(set = 0, binding = 2, r64ui) uniform u64image2D c;
        layout(set = 0, binding = 3, r64i) uniform i64imageBuffer d;
        void main() {
            ivec2 p = ivec2(gl_LocalInvocationIndex, 0);
            imageStore(a, p, imageLoad(a, p).wzyx);
            imageStore(b, p, imageLoad(b, p) - ivec4(1, 2, 3, 4));
            imageStore(c, p, imageLoad(c, p) * 3ul + u64vec4(imageLoad(d, p.x).w));
            imageStore(d, p.x, -imageLoad(d, p.x));
        }",
    ) else {
        return;
    };
    for wave in WAVES {
        let mut bed = Bed::new(words.clone());
        let size = [4, 1, 1];
        let a = Picture::new(&bed, "16_16_16_16_FLOAT", ImageType::D2, size, 1, 1);
        let b = Picture::new(&bed, "8_8_8_8_SINT", ImageType::D2, size, 1, 1);
        let c = Picture::new(&bed, "32_32_UINT", ImageType::D2, size, 1, 1);
        a.fill(&bed, |_, [x, ..], _| [1.0, 2.5, -0.125, x as f32].map(f));
        b.fill(&bed, |_, [x, ..], _| [x, 10, 0x7f, (-5i32) as u32]);
        let wide = |x: u32| u64::from(x) << 40 | 0xffff_fff0 + u64::from(x);
        c.fill(&bed, |_, [x, ..], _| [wide(x) as u32, (wide(x) >> 32) as u32, 0, 0]);
        [&a, &b, &c].iter().zip(0..).for_each(|(p, n)| bind_image(&bed, n, 0, p));
        let d = bed.texels(3, 0, "32_32_UINT", 4, &[1, 0, 2, 1, 3, 0, 0, 0x8000_0000]);
        bed.run(wave, [1; 3]);
        for x in 0..4u32 {
            let at = [x, 0, 0];
            assert_eq!(a.get(&bed, 0, at, 0), [x as f32, -0.125, 2.5, 1.0].map(f));
            let signed = |v: i32| v as u32;
            assert_eq!(b.get(&bed, 0, at, 0), [signed(x as i32 - 1), 8, 0x7c, signed(-9)]);
            let want = wide(x).wrapping_mul(3) + 1;
            assert_eq!(c.get(&bed, 0, at, 0)[..2], [want as u32, (want >> 32) as u32]);
        }
        assert_eq!(
            bed.read(d, 8),
            [u32::MAX, u32::MAX, -2i32 as u32, -2i32 as u32, -3i32 as u32, u32::MAX, 0, 0x8000_0000]
        );
    }
}

/// Texels of 64 bits have 1 for alpha, as others have; what is read through a null descriptor is 0, alpha too.
#[test]
fn null_images_of_wide_texels() {
    let Some(words) = glsl(
        "#extension GL_EXT_shader_image_load_formatted : require
        #extension GL_EXT_shader_image_int64 : require
        #extension GL_EXT_shader_explicit_arithmetic_types : require
        layout(set = 0, binding = 0) uniform u64image2D a[2];
        layout(set = 0, binding = 1) uniform i64imageBuffer b[2];
        layout(set = 0, binding = 2) buffer Out { u64vec4 image, null_image; i64vec4 buffer_, null_buffer; };
        void main() {
            image = imageLoad(a[0], ivec2(1, 0)), null_image = imageLoad(a[1], ivec2(1, 0));
            buffer_ = imageLoad(b[0], 1), null_buffer = imageLoad(b[1], 1);
        }",
    ) else {
        return;
    };
    for wave in WAVES {
        let mut bed = Bed::new(words.clone());
        let a = Picture::new(&bed, "32_32_UINT", ImageType::D2, [4, 1, 1], 1, 1);
        a.fill(&bed, |_, [x, ..], _| [x, 6, 0, 0]);
        bind_image(&bed, 0, 0, &a);
        bed.bind(0, 1, 0, &[0; 8]);
        bed.texels(1, 0, "32_32_UINT", 2, &[0, 0, 7, 8]);
        bed.bind(1, 1, 0, &[0; 4]);
        let out = bed.buffer(2, 0, &[9; 32]);
        bed.run(wave, [1; 3]);
        let texel = |low, high| [low, high, 0, 0, 0, 0, 1, 0];
        assert_eq!(bed.read(out, 32), [texel(1, 6), [0; 8], texel(7, 8), [0; 8]].concat(), "{wave:?}");
    }
}

#[test]
fn texel_buffers() {
    let Some(words) = glsl(
        "layout(local_size_x = 16) in;
        layout(set = 0, binding = 0) uniform samplerBuffer a;
        layout(set = 0, binding = 1, rgba8ui) uniform uimageBuffer b[3];
        layout(set = 0, binding = 2, r32i) uniform iimageBuffer c;
        layout(set = 0, binding = 3) uniform utextureBuffer e;
        layout(set = 0, binding = 4) buffer Out { vec4 o[16]; ivec4 sizes; int before[16]; };
        void main() {
            int i = int(gl_LocalInvocationIndex);
            o[i] = texelFetch(a, i - 1) + vec4(texelFetch(e, i));
            imageStore(b[1], i, imageLoad(b[2], i) + 1u);
            before[i] = imageAtomicAdd(c, i & 3, i);
            imageAtomicMax(c, 4, i * 3 - 20);
            sizes = ivec4(textureSize(a), imageSize(b[1]), imageSize(c), textureSize(e));
        }",
    ) else {
        return;
    };
    for wave in WAVES {
        let mut bed = Bed::new(words.clone());
        let kinds: Vec<BindingKind> = bed.layout.sets[0].bindings.iter().map(|b| b.kind).collect();
        use BindingKind::*;
        let want = [UniformTexelBuffer, StorageTexelBuffer, StorageTexelBuffer, UniformTexelBuffer, StorageBuffer];
        assert_eq!(kinds, want);
        let a: Vec<u32> = (0..22).map(|n| f(n as f32)).collect();
        bed.texels(0, 0, "32_32_FLOAT", 11, &a);
        let to = bed.texels(1, 1, "8_8_8_8_UINT", 9, &[0; 9]);
        let from: Vec<u32> = (0..20).map(|n| n * 0x0102_0408).collect();
        bed.texels(1, 2, "8_8_8_8_UINT", 20, &from);
        let c = bed.texels(2, 0, "32_SINT", 5, &[10, 20, 30, 40, -7i32 as u32]);
        bed.texels(3, 0, "32_UINT", 3, &[5, 6, 7]);
        let out = bed.buffer(4, 0, &[0; 84]);
        bed.run(wave, [1; 3]);
        let got = bed.read(out, 84);
        for i in 0..16usize {
            let (x, y) = if (1..12).contains(&i) { (2.0 * (i as f32 - 1.0), 2.0 * i as f32 - 1.0) } else { (0.0, 0.0) };
            let e = if i < 3 { 5.0 + i as f32 } else { 0.0 };
            assert_eq!(got[4 * i..4 * i + 4], [x + e, y, 0.0, 2.0].map(f), "{i}");
        }
        assert_eq!(got[64..68], [11, 9, 5, 3]);
        for i in 0..9usize {
            let want = from[i].to_le_bytes().map(|b| b.wrapping_add(1));
            assert_eq!(bed.read(to, 9)[i], u32::from_le_bytes(want), "{i}");
        }
        // Lanes add in order.
        let mut sums = [10, 20, 30, 40];
        for i in 0..16usize {
            assert_eq!(got[68 + i], sums[i & 3]);
            sums[i & 3] += i as u32;
        }
        assert_eq!(bed.read(c, 5), [sums[0], sums[1], sums[2], sums[3], 25]);
    }
}

/// The machine has no such atomic: a loop adds, and one lane for all where they add to one texel.
#[test]
fn floats_are_added_to_texels() {
    let Some(words) = glsl(
        "#extension GL_EXT_shader_atomic_float : require
        layout(local_size_x = 64) in;
        layout(set = 0, binding = 0, r32f) uniform image2D plane;
        layout(set = 0, binding = 1, r32f) uniform image2DArray layers;
        layout(set = 0, binding = 2, r32f) uniform imageBuffer line;
        layout(set = 0, binding = 3) buffer Out { float before[64]; };
        void main() {
            uint i = gl_LocalInvocationIndex;
            imageAtomicAdd(plane, ivec2(1, 2), float(i));
            imageAtomicAdd(plane, ivec2(i & 3, 3), 0.25);
            if (i % 5 == 0) imageAtomicAdd(layers, ivec3(0, 1, i & 1), 2.0 * float(i));
            before[i] = imageAtomicAdd(line, int(i & 7), 1.0);
        }",
    ) else {
        return;
    };
    for wave in WAVES {
        let mut bed = Bed::new(words.clone());
        let plane = Picture::new(&bed, "32_FLOAT", ImageType::D2, [4, 4, 1], 1, 1);
        let layers = Picture::new(&bed, "32_FLOAT", ImageType::D2Array, [1, 2, 2], 1, 1);
        plane.fill(&bed, |_, [x, y, _], _| [f((x * y) as f32), 0, 0, 0]);
        layers.fill(&bed, |_, _, _| [f(0.5), 0, 0, 0]);
        [&plane, &layers].iter().zip(0..).for_each(|(p, n)| bind_image(&bed, n, 0, p));
        let line = bed.texels(2, 0, "32_FLOAT", 8, &(0..8).map(|n| f(n as f32 * 100.0)).collect::<Vec<_>>());
        let out = bed.buffer(3, 0, &[0; 64]);
        bed.run(wave, [1; 3]);
        for x in 0..4 {
            assert_eq!(plane.get(&bed, 0, [x, 3, 0], 0)[0], f((x * 3) as f32 + 4.0), "{wave:?}");
        }
        assert_eq!(plane.get(&bed, 0, [1, 2, 0], 0)[0], f(2.0 + 63.0 * 32.0), "{wave:?}");
        for layer in 0..2 {
            let sum: u32 = (0..64).filter(|i| i % 5 == 0 && i & 1 == layer).sum();
            assert_eq!(layers.get(&bed, 0, [0, 1, layer], 0)[0], f(0.5 + 2.0 * sum as f32), "{wave:?}");
        }
        assert_eq!(bed.read(line, 8), (0..8).map(|n| f(n as f32 * 100.0 + 8.0)).collect::<Vec<_>>(), "{wave:?}");
        // Each of the eight that add to a texel has seen another number of additions.
        let before = bed.read(out, 64);
        for n in 0..8 {
            let mut seen: Vec<f32> = (n..64).step_by(8).map(|i| f32::from_bits(before[i])).collect();
            seen.sort_by(f32::total_cmp);
            assert_eq!(seen, (0..8).map(|k| (n * 100 + k) as f32).collect::<Vec<_>>(), "{wave:?}");
        }
    }
}

#[test]
fn atomics_on_images() {
    let Some(words) = glsl(
        "#extension GL_EXT_shader_image_int64 : require
        #extension GL_EXT_shader_explicit_arithmetic_types : require
        layout(local_size_x = 8) in;
        layout(set = 0, binding = 0, r32ui) uniform uimage2D u;
        layout(set = 0, binding = 1, r32i) uniform iimage3D s;
        layout(set = 0, binding = 2, r32f) uniform image2DArray e;
        layout(set = 0, binding = 3, r64ui) uniform u64image2D w;
        layout(set = 0, binding = 4) buffer Out { uvec4 o[8]; };
        void main() {
            uint i = gl_LocalInvocationIndex;
            ivec2 p = ivec2(1, i & 1u);
            uvec4 r;
            r.x = imageAtomicAdd(u, p, i + 1u);
            r.y = imageAtomicExchange(u, ivec2(2, i), i * 3u);
            r.z = imageAtomicCompSwap(u, ivec2(3, i), i & 1u, 99u);
            imageAtomicAnd(u, ivec2(4, 0), ~(1u << i));
            imageAtomicOr(u, ivec2(4, 1), 1u << i);
            imageAtomicXor(u, ivec2(4, 2), 3u << i);
            imageAtomicMin(s, ivec3(0, 0, 1), 3 - int(i));
            imageAtomicMax(s, ivec3(1, 0, 1), int(i) - 3);
            imageAtomicMin(u, ivec2(5, 0), 9u - i);
            r.w = floatBitsToUint(imageAtomicExchange(e, ivec3(i, 0, 1), float(i) * 0.5));
            imageAtomicAdd(w, ivec2(0, 0), 0x80000001ul);
            r.w += uint(imageAtomicCompSwap(w, ivec2(1, i & 1u), 5ul, 0x700000000ul + i) >> 32);
            o[i] = r;
        }",
    ) else {
        return;
    };
    for wave in WAVES {
        let mut bed = Bed::new(words.clone());
        let u = Picture::new(&bed, "32_UINT", ImageType::D2, [6, 8, 1], 1, 1);
        let s = Picture::new(&bed, "32_SINT", ImageType::D3, [2, 1, 2], 1, 1);
        let e = Picture::new(&bed, "32_FLOAT", ImageType::D2Array, [8, 1, 2], 1, 1);
        let w = Picture::new(&bed, "32_32_UINT", ImageType::D2, [2, 2, 1], 1, 1);
        u.fill(&bed, |_, [x, ..], _| [if x == 5 { 100 } else { u32::from(x == 4) * 0xff }, 0, 0, 0]);
        w.fill(&bed, |_, [x, y, _], _| if x == 1 { [5, y, 0, 0] } else { [0; 4] });
        e.fill(&bed, |_, [x, ..], _| [f(x as f32), 0, 0, 0]);
        [&u, &s, &e, &w].iter().zip(0..).for_each(|(p, n)| bind_image(&bed, n, 0, p));
        let out = bed.buffer(4, 0, &[0; 32]);
        bed.run(wave, [1; 3]);
        let got = bed.read(out, 32);
        let mut sums = [0; 2];
        for i in 0..8u32 {
            let (n, at) = (i as usize & 1, 4 * i as usize);
            // The first even lane finds a 5; the others, and texel 1, do not match.
            let high = if n == 1 {
                1
            } else if i == 0 {
                0
            } else {
                7
            };
            let float = f(i as f32).wrapping_add(high);
            assert_eq!(got[at..at + 4], [sums[n], 0, 0, float], "{i}");
            sums[n] += i + 1;
            assert_eq!(u.get(&bed, 0, [2, i, 0], 0)[0], i * 3);
            assert_eq!(u.get(&bed, 0, [3, i, 0], 0)[0], if n == 0 { 99 } else { 0 });
            assert_eq!(e.get(&bed, 0, [i, 0, 1], 0)[0], f(i as f32 * 0.5));
        }
        let word = |p: &Picture, at| p.get(&bed, 0, at, 0)[0];
        assert_eq!([0, 1].map(|y| word(&u, [1, y, 0])), sums);
        let xor = (0..8).fold(0xff, |x, i| x ^ 3 << i);
        assert_eq!([0, 1, 2].map(|y| word(&u, [4, y, 0])), [0, 0xff, xor]);
        assert_eq!(word(&u, [5, 0, 0]), 2);
        assert_eq!([0, 1].map(|x| word(&s, [x, 0, 1]) as i32), [-4, 4]);
        assert_eq!(w.get(&bed, 0, [0; 3], 0)[..2], [8, 4]);
        assert_eq!(w.get(&bed, 0, [1, 0, 0], 0)[..2], [0, 7]);
        assert_eq!(w.get(&bed, 0, [1, 1, 0], 0)[..2], [5, 1]);
    }
}

/// Images and buffers that each lane chooses for itself, also as function arguments, and more of them than SGPRs hold.
#[test]
fn arrays_of_resources() {
    let Some(words) = glsl(
        "#extension GL_EXT_nonuniform_qualifier : require
        #extension GL_EXT_shader_image_load_formatted : require
        layout(local_size_x = 64) in;
        layout(set = 0, binding = 0, r32ui) uniform uimage2D a[5];
        layout(set = 0, binding = 1) buffer B { uint b[]; } bs[3];
        layout(set = 0, binding = 2) uniform usamplerBuffer t[];
        layout(set = 0, binding = 3) uniform uimage2D many[24];
        layout(set = 0, binding = 4) buffer Out { uint o[]; };
        layout(push_constant) uniform P { uint k; };
        uint look(uimage2D image, int x) { return imageLoad(image, ivec2(x, 0)).x; }
        void main() {
            uint i = gl_GlobalInvocationID.x;
            uint n = (i * 7u) % 5u;
            uint v = imageLoad(a[nonuniformEXT(n)], ivec2(i & 3u, 0)).x;
            imageStore(a[nonuniformEXT(n)], ivec2(4 + i / 5u, 0), uvec4(v + i));
            v += bs[nonuniformEXT(i % 3u)].b[i & 7u] + imageLoad(a[k], ivec2(2, 0)).x;
            v += texelFetch(t[nonuniformEXT(i & 7u)], int(i >> 3)).x + uint(textureSize(t[nonuniformEXT(i & 7u)]));
            atomicAdd(bs[nonuniformEXT(i % 3u)].b[8], 1u);
            if ((i & 1u) == 1u) v += imageAtomicAdd(a[nonuniformEXT(n)], ivec2(30, 0), 2u) & 0x1000u;
            for (int round = 0; round < 2; round++) {
                v = v * 3u + look(many[0], 0) + look(many[1], 0) + look(many[2], 0) + look(many[3], 0)
                  + look(many[4], 0) + look(many[5], 0) + look(many[6], 0) + look(many[7], 0)
                  + look(many[8], 0) + look(many[9], 0) + look(many[10], 0) + look(many[11], 0)
                  + look(many[12], 0) + look(many[13], 0) + look(many[14], 0) + look(many[15], 0)
                  + look(many[16], 0) + look(many[17], 0) + look(many[18], 0) + look(many[19], 0)
                  + look(many[20], 0) + look(many[21], 0) + look(many[22], 0) + look(many[k + 20], 0);
            }
            o[i] = v;
        }",
    ) else {
        return;
    };
    for wave in WAVES {
        let mut bed = Bed::new(words.clone());
        bed.push(&[3]);
        let a: Vec<Picture> = (0..5).map(|_| Picture::new(&bed, "32_UINT", ImageType::D2, [31, 1, 1], 1, 1)).collect();
        for (n, p) in a.iter().enumerate() {
            p.fill(&bed, |_, [x, ..], _| [1000 * (n as u32 + 1) + x, 0, 0, 0]);
            bind_image(&bed, 0, n as u32, p);
        }
        let buffers: Vec<u64> =
            (0..3u32).map(|n| bed.buffer(1, n, &(0..9).map(|x| 100_000 * n + x).collect::<Vec<u32>>())).collect();
        for n in 0..8 {
            let data: Vec<u32> = (0..=n).map(|x| 50 * n + x).collect();
            bed.texels(2, n, "32_UINT", n + 1, &data);
        }
        let mut many = 0u32;
        for n in 0..24 {
            let p = Picture::new(&bed, "32_UINT", ImageType::D2, [1, 1, 1], 1, 1);
            p.fill(&bed, |_, _, _| [1 << n, 0, 0, 0]);
            bind_image(&bed, 3, n, &p);
            many |= 1 << n;
        }
        let out = bed.buffer(4, 0, &[0; 64]);
        bed.run(wave, [1; 3]);
        let got = bed.read(out, 64);
        for i in 0..64u32 {
            let n = (i * 7) % 5;
            let mut v = 1000 * (n + 1) + (i & 3);
            let stored = v + i;
            v += 100_000 * (i % 3) + (i & 7) + 4002;
            let (t, x) = (i & 7, i >> 3);
            v += if x <= t { 50 * t + x } else { 0 } + t + 1;
            if i & 1 == 1 {
                // Bits 12 of the sums before: the texels begin at 1030 to 5030 and grow by less than 64.
                v += (1000 * (n + 1) + 30) & 0x1000;
            }
            for _ in 0..2 {
                v = v.wrapping_mul(3).wrapping_add(many);
            }
            assert_eq!(got[i as usize], v, "{wave:?} lane {i}");
            assert_eq!(a[n as usize].get(&bed, 0, [4 + i / 5, 0, 0], 0)[0], stored);
        }
        for (n, p) in a.iter().enumerate() {
            let odd = (0..64u32).filter(|i| i & 1 == 1 && (i * 7) % 5 == n as u32).count() as u32;
            assert_eq!(p.get(&bed, 0, [30, 0, 0], 0)[0], 1000 * (n as u32 + 1) + 30 + 2 * odd);
        }
        for (n, &b) in buffers.iter().enumerate() {
            let lanes = (0..64).filter(|i| i % 3 == n).count() as u32;
            assert_eq!(bed.read(b, 9)[8], 100_000 * n as u32 + 8 + lanes);
        }
    }
}

/// A binding is what its layout says; mutable bindings are what the shader says.
#[test]
fn kinds_are_the_layouts() {
    let Some(words) = glsl(
        "layout(local_size_x = 1) in;
        layout(set = 0, binding = 0) uniform texture2D a[4];
        layout(set = 0, binding = 1) uniform sampler s;
        layout(set = 0, binding = 2) uniform sampler2D c;
        layout(set = 0, binding = 3, r32f) uniform writeonly image2D d;
        layout(set = 0, binding = 4, r32f) uniform readonly imageBuffer e;
        void main() {
            vec4 v = textureLod(sampler2D(a[1], s), vec2(0), 0) + textureLod(c, vec2(0), 0) + imageLoad(e, 0);
            imageStore(d, ivec2(0), v);
        }",
    ) else {
        return;
    };
    let resources = reflect(&words).unwrap().remove(0).resources;
    use BindingKind::*;
    let kinds: Vec<_> = resources.iter().map(|r| (r.kind, r.count, r.readonly)).collect();
    let want = [
        (SampledImage, 4, false),
        (Sampler, 1, false),
        (CombinedImageSampler, 1, false),
        (StorageImage, 1, false),
        (StorageTexelBuffer, 1, true),
    ];
    assert_eq!(kinds, want);
    let compiled = |layout: &PipelineLayout| {
        compile(&words, &Options { checks: Checks::On, ..Options::new("main", layout) }).map(|_| ())
    };
    let good = layout(&words, 1);
    assert_eq!(compiled(&good), Ok(()));
    let with = |binding: usize, kind: BindingKind| {
        let mut layout = good.clone();
        let b = &mut layout.sets[0].bindings[binding];
        b.kind = kind;
        b.place = Place::Set(4096);
        b.stride = 48;
        layout
    };
    for binding in 0..5 {
        assert_eq!(compiled(&with(binding, Mutable)), Ok(()), "{binding}");
    }
    assert_eq!(compiled(&with(0, CombinedImageSampler)), Ok(()));
    assert_eq!(compiled(&with(1, CombinedImageSampler)), Ok(()));
    for (binding, kind, named) in [
        (0, StorageImage, "SampledImage"),
        (1, SampledImage, "Sampler"),
        (2, SampledImage, "CombinedImageSampler"),
        (3, StorageTexelBuffer, "StorageImage"),
        (4, UniformTexelBuffer, "StorageTexelBuffer"),
        (4, StorageBuffer, "StorageTexelBuffer"),
    ] {
        let error = compiled(&with(binding, kind)).unwrap_err().to_string();
        for part in [format!("binding {binding}"), format!("{kind:?}"), named.to_string()] {
            assert!(error.contains(&part), "{error}");
        }
    }
}
