//! Sampled images: every kind of coordinate, level and offset that a compute shader can give, beside plain Rust. A texel's value
//! says where it is, so that a wrong place, level or layer shows.

use crate::bed::*;
use wavepipe_compiler::{Checks, Options, compile};
use wavepipe_hw::code::WaveSize;
use wavepipe_hw::descriptor::{Clamp, ImageType, MipFilter, SamplerDescriptor, XyFilter};

const WAVES: [WaveSize; 2] = [WaveSize::W32, WaveSize::W64];
const LANES: usize = 64;

fn nearest() -> SamplerDescriptor {
    SamplerDescriptor {
        clamp: [Clamp::LastTexel; 3],
        max_lod: 0xfff,
        mip_filter: MipFilter::Point,
        ..SamplerDescriptor::default()
    }
}

fn linear() -> SamplerDescriptor {
    SamplerDescriptor { xy_mag_filter: XyFilter::Bilinear, xy_min_filter: XyFilter::Bilinear, ..nearest() }
}

/// The first component of a texel; the others are 0.25, 0.5 and 0.75 more.
fn value(level: u32, x: u32, y: u32, z: u32) -> f32 {
    (level * 1000 + z * 100 + y * 10 + x) as f32
}

fn texel(level: u32, [x, y, z]: [u32; 3]) -> [u32; 4] {
    [0.0, 0.25, 0.5, 0.75].map(|c| f(value(level, x, y, z) + c))
}

fn picture(bed: &Bed, binding: u32, n: u32, kind: ImageType, size: [u32; 3], levels: u32) -> Picture {
    let p = Picture::new(bed, "32_32_32_32_FLOAT", kind, size, levels, 1);
    p.fill(bed, |level, at, _| texel(level, at));
    bind_image(bed, binding, n, &p);
    p
}

/// Runs 64 lanes of a shader with `count` results of four floats a lane; they by result and lane. `setup` binds the rest.
fn results(text: &str, wave: WaveSize, count: usize, setup: impl Fn(&Bed)) -> Option<Vec<Vec<[f32; 4]>>> {
    let head = "#extension GL_EXT_nonuniform_qualifier : require
        layout(local_size_x = 64) in;
        layout(set = 0, binding = 0) buffer Out { vec4 o[]; };
        int i = int(gl_LocalInvocationIndex);
        int slot = 0;
        void put(vec4 v) { o[slot * 64 + i] = v; slot++; }\n";
    let mut bed = Bed::new(glsl(&format!("{head}{text}"))?);
    let out = bed.buffer(0, 0, &vec![0; 4 * LANES * count]);
    setup(&bed);
    bed.run(wave, [1; 3]);
    let words = bed.read(out, 4 * LANES * count);
    let all: Vec<[f32; 4]> = words.as_chunks::<4>().0.iter().map(|w| w.map(f32::from_bits)).collect();
    Some(all.chunks(LANES).map(<[_]>::to_vec).collect())
}

fn four(x: f32) -> [f32; 4] {
    [0.0, 0.25, 0.5, 0.75].map(|c| x + c)
}

#[test]
fn two_dimensions() {
    let text = "
        layout(set = 0, binding = 1) uniform sampler2D t;
        layout(set = 0, binding = 2) uniform texture2DArray a;
        layout(set = 0, binding = 3) uniform sampler n;
        layout(set = 0, binding = 4) uniform sampler l;
        layout(set = 0, binding = 5) uniform utexture2D u;
        vec4 through(sampler2D s, vec2 at) { return textureLod(s, at, 0.0); }
        void main() {
            ivec2 p = ivec2(i & 7, i >> 3);
            vec2 uv = (vec2(p) + 0.5) / 8.0, corner = (vec2(p) + 1.0) / 8.0;
            put(through(t, uv));
            put(textureLod(t, uv, 1.0));
            put(texelFetch(t, p >> 1, 1));
            put(texelFetchOffset(t, p, 0, ivec2(1, -1)));
            put(textureLodOffset(t, uv, 0.0, ivec2(2, -3)));
            put(textureProjLod(t, vec3(uv * 2.0, 2.0), 0.0));
            put(textureGather(t, corner, 1));
            put(textureGatherOffsets(t, corner, ivec2[](ivec2(0, 0), ivec2(1, 0), ivec2(-2, 1), ivec2(3, 3)), 2));
            put(textureGrad(t, uv, vec2(0.25, 0.0), vec2(0.0, 0.25)));
            put(textureLod(sampler2DArray(a, l), vec3(corner, 1.0), 0.0));
            put(textureLod(sampler2DArray(a, n), vec3(uv, float(i) * 0.4 - 2.0), 0.0));
            put(vec4(textureSize(t, 1), textureQueryLevels(t), textureSize(a, 0).z));
            put(vec4(textureLod(usampler2D(u, n), uv, 0.0)));
            put(textureGather(sampler2DArray(a, n), vec3(corner, 2.0), 0));
            put(textureGatherOffset(t, corner, ivec2(i & 3, -1), 3));
            put(texture(t, uv));
            put(texelFetch(a, ivec3(p, i & 3), 0));
        }";
    for wave in WAVES {
        let Some(got) = results(text, wave, 17, |bed| {
            picture(bed, 1, 0, ImageType::D2, [8, 8, 1], 4);
            bind_sampler(bed, 1, 0, nearest());
            picture(bed, 2, 0, ImageType::D2Array, [8, 8, 3], 1);
            bind_sampler(bed, 3, 0, nearest());
            bind_sampler(bed, 4, 0, linear());
            let u = Picture::new(bed, "32_UINT", ImageType::D2, [8, 8, 1], 1, 1);
            u.fill(bed, |_, [x, y, _], _| [x * 100 + y, 0, 0, 0]);
            bind_image(bed, 5, 0, &u);
        }) else {
            return;
        };
        for i in 0..LANES {
            let (x, y) = (i as u32 & 7, i as u32 >> 3);
            let at =
                |dx: i32, dy: i32| value(0, (x as i32 + dx).clamp(0, 7) as u32, (y as i32 + dy).clamp(0, 7) as u32, 0);
            let gathered = |dx, dy, c: f32| [(0, 1), (1, 1), (1, 0), (0, 0)].map(|(i, j)| at(i + dx, j + dy) + c);
            let mean = (at(0, 0) + at(1, 0) + at(0, 1) + at(1, 1)) / 4.0 + 100.0;
            let layer = (i as f32 * 0.4 - 2.0).round_ties_even().clamp(0.0, 2.0) as u32;
            let half = four(value(1, x / 2, y / 2, 0));
            let offset = if x < 7 && y > 0 { four(at(1, -1)) } else { [0.0; 4] };
            let fetched = if i & 3 < 3 { four(value(0, x, y, i as u32 & 3)) } else { [0.0; 4] };
            let offsets = [(0, 0), (1, 0), (-2, 1), (3, 3)].map(|(dx, dy)| at(dx, dy) + 0.5);
            let want = [
                four(at(0, 0)),
                half,
                half,
                offset,
                four(at(2, -3)),
                four(at(0, 0)),
                gathered(0, 0, 0.25),
                offsets,
                half,
                four(mean),
                four(value(0, x, y, layer)),
                [4.0, 4.0, 4.0, 3.0],
                [(x * 100 + y) as f32, 0.0, 0.0, 1.0],
                gathered(0, 0, 200.0),
                gathered(i as i32 & 3, -1, 0.75),
                four(at(0, 0)),
                fetched,
            ];
            for (n, want) in want.iter().enumerate() {
                assert_eq!(got[n][i], *want, "{wave:?} result {n} lane {i}");
            }
        }
    }
}

#[test]
fn other_dimensions() {
    let text = "
        layout(set = 0, binding = 1) uniform sampler1D a;
        layout(set = 0, binding = 2) uniform sampler1DArray b;
        layout(set = 0, binding = 3) uniform sampler3D c;
        layout(set = 0, binding = 4) uniform texture2DMS d;
        layout(set = 0, binding = 5) uniform texture2DMSArray e;
        void main() {
            float x = (float(i & 15) + 0.5) / 16.0;
            put(textureLod(a, x, 1.0));
            put(textureLodOffset(b, vec2(x, float(i >> 4)), 0.0, -2));
            vec3 p = (vec3(i & 3, i >> 2 & 3, i >> 4) + 0.5) / 4.0;
            put(textureLod(c, p, 0.0));
            put(textureGradOffset(c, p, vec3(0.5, 0.0, 0.0), vec3(0.0, 0.5, 0.0), ivec3(1, 0, -1)));
            put(texelFetch(c, ivec3(i & 3, i >> 2 & 3, i >> 4), 0));
            put(vec4(textureSize(a, 0), textureSize(b, 1), 0));
            put(vec4(textureSize(c, 1), textureQueryLevels(c)));
            put(texelFetch(d, ivec2(i & 3, 1), i >> 4));
            put(texelFetch(e, ivec3(i & 3, i >> 2 & 3, 1), i >> 4 & 1));
            put(vec4(textureSamples(d), textureSamples(e), textureSize(e).zy));
            put(texelFetchOffset(a, i & 7, 0, 3));
        }";
    for wave in WAVES {
        let Some(got) = results(text, wave, 11, |bed| {
            let p = picture(bed, 1, 0, ImageType::D1, [16, 1, 1], 2);
            assert_eq!(p.extent(1), [8, 1, 1]);
            picture(bed, 2, 0, ImageType::D1Array, [16, 1, 3], 2);
            picture(bed, 3, 0, ImageType::D3, [4, 4, 4], 3);
            (1..4).for_each(|n| bind_sampler(bed, n, 0, nearest()));
            for (binding, kind, layers, samples) in [(4, ImageType::D2Msaa, 1, 4), (5, ImageType::D2MsaaArray, 2, 2)] {
                let p = Picture::new(bed, "32_32_32_32_FLOAT", kind, [4, 4, layers], 1, samples);
                p.fill(bed, |_, at, sample| texel(sample, at));
                bind_image(bed, binding, 0, &p);
            }
        }) else {
            return;
        };
        for i in 0..LANES as u32 {
            let (x, [a, b, c]) = (i & 15, [i & 3, i >> 2 & 3, i >> 4]);
            let want = [
                four(value(1, x / 2, 0, 0)),
                four(value(0, x.saturating_sub(2), 0, (i >> 4).min(2))),
                four(value(0, a, b, c)),
                four(value(1, (a / 2 + 1).min(1), b / 2, (c / 2).saturating_sub(1))),
                four(value(0, a, b, c)),
                [16.0, 8.0, 3.0, 0.0],
                [2.0, 2.0, 2.0, 3.0],
                four(value(i >> 4, a, 1, 0)),
                four(value(i >> 4 & 1, a, b, 1)),
                [4.0, 2.0, 2.0, 4.0],
                four(value(0, (i & 7) + 3, 0, 0)),
            ];
            for (n, want) in want.iter().enumerate() {
                assert_eq!(got[n][i as usize], *want, "{wave:?} result {n} lane {i}");
            }
        }
    }
}

/// Vulkan's table of cube map faces, as the axes along which s and t grow and the face's own.
const FACES: [[[f32; 3]; 3]; 6] = [
    [[0.0, 0.0, -1.0], [0.0, -1.0, 0.0], [1.0, 0.0, 0.0]],
    [[0.0, 0.0, 1.0], [0.0, -1.0, 0.0], [-1.0, 0.0, 0.0]],
    [[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, 1.0, 0.0]],
    [[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, -1.0, 0.0]],
    [[1.0, 0.0, 0.0], [0.0, -1.0, 0.0], [0.0, 0.0, 1.0]],
    [[-1.0, 0.0, 0.0], [0.0, -1.0, 0.0], [0.0, 0.0, -1.0]],
];

#[test]
fn cubes() {
    let text = "
        layout(set = 0, binding = 1) uniform samplerCube c;
        layout(set = 0, binding = 2) uniform samplerCubeArray a;
        layout(set = 0, binding = 3) buffer In { vec4 v[]; };
        layout(set = 0, binding = 4, rgba32f) uniform imageCube s;
        void main() {
            vec3 d = v[4 * i].xyz, dx = v[4 * i + 1].xyz, dy = v[4 * i + 2].xyz, corner = v[4 * i + 3].xyz;
            put(textureLod(c, d, 0.0));
            put(textureLod(c, d, 1.0));
            put(textureGrad(c, d, dx, dy));
            put(textureLod(a, vec4(d, float(i & 3) * 0.75), 0.0));
            put(textureGrad(a, vec4(d, 1.0), dx, dy));
            put(textureGather(c, corner, 0));
            put(vec4(textureSize(c, 0), textureSize(a, 0).z, imageSize(s).x));
            put(imageLoad(s, ivec3(i & 3, i >> 2 & 3, i % 6)));
        }";
    // Lane i looks at texel (i mod 4, i / 4 mod 4) of face i mod 6, from 3 times as far; a step of the gradients is two texels,
    // and a turn of the direction's length that changes nothing.
    let mut vectors = Vec::new();
    for i in 0..LANES {
        let [s, t, m] = FACES[i % 6];
        let place = |n: usize| (n as f32 + 0.5) / 4.0 * 2.0 - 1.0;
        let (x, y) = (place(i & 3), place(i >> 2 & 3));
        let d: [f32; 3] = std::array::from_fn(|k| 3.0 * (x * s[k] + y * t[k] + m[k]));
        let dx: [f32; 3] = std::array::from_fn(|k| 3.0 * s[k] + 0.75 * d[k]);
        let dy: [f32; 3] = std::array::from_fn(|k| 3.0 * t[k] - 0.5 * d[k]);
        let corner: [f32; 3] = std::array::from_fn(|k| d[k] + 0.75 * (s[k] + t[k]));
        vectors.extend([d, dx, dy, corner].into_iter().flat_map(|v| [f(v[0]), f(v[1]), f(v[2]), 0]));
    }
    for wave in WAVES {
        let Some(got) = results(text, wave, 8, |bed| {
            picture(bed, 1, 0, ImageType::Cube, [4, 4, 6], 3);
            picture(bed, 2, 0, ImageType::Cube, [4, 4, 18], 3);
            (1..3).for_each(|n| bind_sampler(bed, n, 0, nearest()));
            bed.buffer(3, 0, &vectors);
            picture(bed, 4, 0, ImageType::D2Array, [4, 4, 6], 1);
        }) else {
            return;
        };
        for i in 0..LANES as u32 {
            let (x, y, face) = (i & 3, i >> 2 & 3, i % 6);
            let layer = ((i & 3) as f32 * 0.75).round_ties_even() as u32;
            let want = [
                four(value(0, x, y, face)),
                four(value(1, x / 2, y / 2, face)),
                four(value(1, x / 2, y / 2, face)),
                four(value(0, x, y, layer * 6 + face)),
                four(value(1, x / 2, y / 2, 6 + face)),
            ];
            for (n, want) in want.iter().enumerate() {
                assert_eq!(got[n][i as usize], *want, "{wave:?} result {n} lane {i}");
            }
            // The corner that four texels share, where they are all on the face.
            if x < 3 && y < 3 {
                let four = [(0, 1), (1, 1), (1, 0), (0, 0)].map(|(dx, dy)| value(0, x + dx, y + dy, face));
                assert_eq!(got[5][i as usize], four, "{wave:?} lane {i}");
            }
            assert_eq!(got[6][i as usize], [4.0, 4.0, 3.0, 4.0]);
            assert_eq!(got[7][i as usize], want[0]);
        }
    }
}

/// References, and handles that each lane chooses for itself.
#[test]
fn comparisons_and_divergent_handles() {
    let text = "
        layout(set = 0, binding = 1) uniform sampler2DShadow c;
        layout(set = 0, binding = 2) uniform texture2D t[4];
        layout(set = 0, binding = 3) uniform sampler s[2];
        layout(set = 0, binding = 4) uniform sampler2DArrayShadow a;
        layout(set = 0, binding = 5) uniform sampler2D pairs[3];
        void main() {
            vec2 uv = (vec2(i & 7, i >> 3) + 0.5) / 8.0, corner = uv + 0.5 / 8.0;
            put(vec4(textureLod(c, vec3(uv, 33.0), 0.0)));
            put(textureGather(c, corner, 33.0));
            put(vec4(textureGrad(a, vec4(uv, 1.0, 133.0), vec2(0.0), vec2(0.0))));
            put(vec4(textureProjLod(c, vec4(uv * 4.0, 33.0 * 4.0, 4.0), 0.0)));
            put(textureLod(sampler2D(t[nonuniformEXT(i % 4)], s[nonuniformEXT(i / 4 % 2)]), corner, 0.0));
            put(textureGather(sampler2D(t[nonuniformEXT(i & 3)], s[0]), corner, 0));
            if ((i & 1) == 1) put(textureLod(pairs[nonuniformEXT(i % 3)], uv, 0.0)); else put(vec4(i));
            put(vec4(textureSize(t[nonuniformEXT(i % 4)], 0), textureQueryLevels(t[nonuniformEXT(i % 4)]), 0));
        }";
    for wave in WAVES {
        let Some(got) = results(text, wave, 8, |bed| {
            // 4 = the reference is greater than the texel.
            let compare = SamplerDescriptor { depth_compare_func: 4, ..nearest() };
            for (binding, kind, layers) in [(1, ImageType::D2, 1), (4, ImageType::D2Array, 2)] {
                let p = Picture::new(bed, "32_FLOAT", kind, [8, 8, layers], 1, 1);
                p.fill(bed, |_, at, _| texel(0, at));
                bind_image(bed, binding, 0, &p);
                bind_sampler(bed, binding, 0, compare);
            }
            for n in 0..4 {
                let p = Picture::new(bed, "32_32_32_32_FLOAT", ImageType::D2, [8, 8, 1], n + 1, 1);
                p.fill(bed, |_, [x, y, _], _| texel(0, [x, y, n]));
                bind_image(bed, 2, n, &p);
                if n < 3 {
                    bind_image(bed, 5, n, &p);
                    bind_sampler(bed, 5, n, nearest());
                }
            }
            bind_sampler(bed, 3, 0, linear());
            bind_sampler(bed, 3, 1, SamplerDescriptor { trunc_coord: true, ..nearest() });
        }) else {
            return;
        };
        for i in 0..LANES as u32 {
            let (x, y) = (i & 7, i >> 3);
            let at = |dx: u32, dy: u32, z: u32| value(0, (x + dx).min(7), (y + dy).min(7), z);
            let lit = |v: f32| if v < 33.0 { 1.0 } else { 0.0 };
            let order = [(0, 1), (1, 1), (1, 0), (0, 0)];
            let n = i % 4;
            let mean = order.iter().map(|&(dx, dy)| at(dx, dy, n)).sum::<f32>() / 4.0;
            let mixed = if i / 4 % 2 == 0 { four(mean) } else { four(at(1, 1, n)) };
            let want = [
                [lit(at(0, 0, 0)); 4],
                order.map(|(dx, dy)| lit(at(dx, dy, 0))),
                [lit(at(0, 0, 0)); 4],
                [lit(at(0, 0, 0)); 4],
                mixed,
                order.map(|(dx, dy)| at(dx, dy, n)),
                if i & 1 == 1 { four(at(0, 0, i % 3)) } else { [i as f32; 4] },
                [8.0, 8.0, n as f32 + 1.0, 0.0],
            ];
            for (k, want) in want.iter().enumerate() {
                assert_eq!(got[k][i as usize], *want, "{wave:?} result {k} lane {i}");
            }
        }
    }
}

const HEAD: &str = "OpCapability Shader\nOpCapability MinLod\nOpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main \"main\"\nOpExecutionMode %main LocalSize 1 1 1
OpDecorate %t DescriptorSet 0\nOpDecorate %t Binding 1\nOpDecorate %buf DescriptorSet 0\nOpDecorate %buf Binding 0
OpDecorate %arr ArrayStride 16\nOpMemberDecorate %blk 0 Offset 0\nOpDecorate %blk BufferBlock
%void = OpTypeVoid\n%fn = OpTypeFunction %void\n%f = OpTypeFloat 32\n%u = OpTypeInt 32 0\n%v4 = OpTypeVector %f 4\n%v2 = OpTypeVector %f 2
%img = OpTypeImage %f 2D 0 0 0 1 Unknown\n%si = OpTypeSampledImage %img\n%psi = OpTypePointer UniformConstant %si
%t = OpVariable %psi UniformConstant\n%n = OpConstant %u 5\n%arr = OpTypeArray %v4 %n\n%blk = OpTypeStruct %arr
%pblk = OpTypePointer Uniform %blk\n%pv4 = OpTypePointer Uniform %v4\n%buf = OpVariable %pblk Uniform
%f0 = OpConstant %f 0\n%f1 = OpConstant %f 1\n%f2 = OpConstant %f 2\n%fc = OpConstant %f 0.3125\n%at = OpConstantComposite %v2 %fc %fc
%zero = OpConstantComposite %v2 %f0 %f0
%u0 = OpConstant %u 0\n%u1 = OpConstant %u 1\n%u2 = OpConstant %u 2\n%u3 = OpConstant %u 3\n%u4 = OpConstant %u 4
%main = OpFunction %void None %fn\n%entry = OpLabel\n%s = OpLoad %si %t\n";

/// What GLSL does not write for compute shaders: implicit levels are level 0 plus the bias, and at least MinLod.
#[test]
fn implicit_levels_and_least_levels() {
    let mut text = HEAD.to_string();
    for (n, sample) in [
        "OpImageSampleImplicitLod %v4 %s %at",
        "OpImageSampleImplicitLod %v4 %s %at Bias %f1",
        "OpImageSampleImplicitLod %v4 %s %at MinLod %f2",
        "OpImageSampleImplicitLod %v4 %s %at Bias|MinLod %f1 %f2",
        "OpImageSampleExplicitLod %v4 %s %at Grad|MinLod %zero %zero %f1",
    ]
    .iter()
    .enumerate()
    {
        text += &format!("%r{n} = {sample}\n%p{n} = OpAccessChain %pv4 %buf %u0 %u{n}\nOpStore %p{n} %r{n}\n");
    }
    text += "OpReturn\nOpFunctionEnd\n";
    let Some(words) = assembly(&text) else { return };
    let mut bed = Bed::new(words);
    let out = bed.buffer(0, 0, &[0; 20]);
    picture(&bed, 1, 0, ImageType::D2, [8, 8, 1], 4);
    bind_sampler(&bed, 1, 0, nearest());
    bed.run(WaveSize::W32, [1; 3]);
    let got = bed.read(out, 20);
    for (n, level) in [0, 1, 2, 2, 1].into_iter().enumerate() {
        let place = 2 >> level;
        assert_eq!(got[4 * n..4 * n + 4], texel(level, [place, place, 0]), "{n}");
    }
    // Derivatives are refused by name.
    let query = format!("{HEAD}%r = OpImageQueryLod %v2 %s %at\nOpReturn\nOpFunctionEnd\n")
        .replace("OpCapability MinLod", "OpCapability MinLod\nOpCapability ImageQuery");
    let Some(words) = assembly(&query) else { return };
    let error = compile(&words, &Options { checks: Checks::On, ..Options::new("main", &layout(&words, 1)) })
        .unwrap_err()
        .to_string();
    assert!(error.contains("OpImageQueryLod") && error.contains("derivatives"), "{error}");
}
