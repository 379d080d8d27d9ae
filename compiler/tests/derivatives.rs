//! Derivatives in compute shaders: which work-items are a quad, differences within it, and levels of detail that follow from
//! them, beside plain Rust.

use crate::bed::*;
use wavepipe_compiler::{Checks, Options, compile};
use wavepipe_hw::code::WaveSize;
use wavepipe_hw::descriptor::{Clamp, ImageType, MipFilter, SamplerDescriptor};
use wavepipe_hw::launch::PipelineLayout;

const WAVES: [WaveSize; 2] = [WaveSize::W32, WaveSize::W64];

/// Size of the work-group, and whether its quads are 2×2 in x and y.
const GROUPS: &[([u32; 3], bool)] = &[
    ([8, 8, 1], true),
    ([6, 4, 3], true),
    ([2, 2, 5], true),
    ([10, 2, 1], true),
    ([2, 34, 1], true),
    ([64, 1, 1], false),
    ([6, 2, 3], false),
    ([3, 4, 1], false),
    ([1, 12, 7], false),
];

fn head([x, y, z]: [u32; 3], quads: bool) -> String {
    let group = if quads { "quads" } else { "linear" };
    format!(
        "#extension GL_NV_compute_shader_derivatives : require
        layout(local_size_x = {x}, local_size_y = {y}, local_size_z = {z}, derivative_group_{group}NV) in;\n"
    )
}

/// Work-items of the quad of `id`, by LocalInvocationIndex: left, right, below left, below right; and which `id` is.
fn quad(size: [u32; 3], quads: bool, [x, y, z]: [u32; 3]) -> ([u32; 4], usize) {
    let index = |x: u32, y: u32| (z * size[1] + y) * size[0] + x;
    if quads {
        let (left, top) = (x & !1, y & !1);
        let all = [index(left, top), index(left + 1, top), index(left, top + 1), index(left + 1, top + 1)];
        return (all, (x & 1 | (y & 1) << 1) as usize);
    }
    let first = index(x, y) & !3;
    ([0, 1, 2, 3].map(|n| first + n), (index(x, y) & 3) as usize)
}

fn ids(size: [u32; 3]) -> impl Iterator<Item = [u32; 3]> {
    (0..size.iter().product()).map(move |n| [n % size[0], n / size[0] % size[1], n / size[0] / size[1]])
}

#[test]
fn work_items_of_a_quad_differ_as_they_say() {
    for &(size, quads) in GROUPS {
        let items: u32 = size.iter().product();
        let text = head(size, quads)
            + "struct Item { uvec4 id; vec4 coarse; vec4 fine; vec4 width; uvec4 swapped; };
            layout(set = 0, binding = 0) buffer Out { Item o[]; };
            layout(set = 0, binding = 1) buffer In { float f[]; };
            void main() {
                uint i = gl_LocalInvocationIndex;
                float x = f[i];
                vec2 two = vec2(x, 1.0 - x * 2.0);
                o[i].id = uvec4(gl_LocalInvocationID, gl_GlobalInvocationID.x);
                o[i].coarse = vec4(dFdx(x), dFdy(x), dFdxCoarse(x), dFdyCoarse(x));
                o[i].fine = vec4(dFdxFine(x), dFdyFine(x), dFdxFine(two).y, dFdyFine(two).y);
                o[i].width = vec4(fwidth(x), fwidthCoarse(x), fwidthFine(x), fwidthFine(two).y);
                o[i].swapped = uvec4(subgroupQuadSwapHorizontal(i), subgroupQuadSwapVertical(i),
                                     subgroupQuadSwapDiagonal(i), subgroupQuadBroadcast(i, 2));
            }";
        let text = text.replacen("#extension", "#extension GL_KHR_shader_subgroup_quad : require\n#extension", 1);
        let Some(words) = glsl(&text) else { return };
        // Small numbers, whose differences are exact.
        let f = |n: u32| ((n * n * 7 + n * 3) % 1021) as f32;
        for wave in WAVES {
            let mut bed = Bed::new(words.clone());
            let out = bed.buffer(0, 0, &vec![0; 20 * items as usize]);
            bed.buffer(1, 0, &(0..items).map(|n| f(n).to_bits()).collect::<Vec<_>>());
            bed.run(wave, [1; 3]);
            let got = bed.read(out, 20 * items as usize);
            for (i, id) in ids(size).enumerate() {
                let (quad, own) = quad(size, quads, id);
                let v = quad.map(f);
                let (dx, dy) = (v[1] - v[0], v[2] - v[0]);
                let (row, column) = (own & 2, own & 1);
                let (fx, fy) = (v[row + 1] - v[row], v[column + 2] - v[column]);
                let mut want = vec![id[0], id[1], id[2], id[0]];
                let floats = [dx, dy, dx, dy, fx, fy, -2.0 * fx, -2.0 * fy];
                let widths =
                    [dx.abs() + dy.abs(), dx.abs() + dy.abs(), fx.abs() + fy.abs(), 2.0 * (fx.abs() + fy.abs())];
                want.extend(floats.iter().chain(&widths).map(|x| (x + 0.0).to_bits()));
                want.extend([quad[own ^ 1], quad[own ^ 2], quad[own ^ 3], quad[2]]);
                // Zeros have a sign that nobody asks for.
                let mut item = got[20 * i..20 * i + 20].to_vec();
                item.iter_mut().filter(|w| **w == 0x8000_0000).for_each(|w| *w = 0);
                assert_eq!(item, want, "{size:?}, quads: {quads}, {id:?}, {wave:?}");
            }
        }
    }
}

/// A texel is its level.
fn picture(bed: &Bed, binding: u32, kind: ImageType, size: [u32; 3], levels: u32) {
    let p = Picture::new(bed, "32_FLOAT", kind, size, levels, 1);
    p.fill(bed, |level, _, _| [f(level as f32), 0, 0, 0]);
    bind_image(bed, binding, 0, &p);
    let sampler = SamplerDescriptor {
        clamp: [Clamp::Wrap; 3],
        max_lod: 0xfff,
        mip_filter: MipFilter::Point,
        depth_compare_func: 3,
        ..SamplerDescriptor::default()
    };
    bind_sampler(bed, binding, 0, sampler);
}

/// Coordinates that go on by 2ⁿ texels from work-item to work-item.
#[test]
fn levels_follow_from_neighbours() {
    let text = head([8, 8, 1], true)
        + "layout(set = 0, binding = 0) buffer Out { vec4 o[64][6]; };
        layout(set = 0, binding = 1) uniform sampler2D plane;
        layout(set = 0, binding = 2) uniform sampler1DArray lines;
        layout(set = 0, binding = 3) uniform sampler3D solid;
        layout(set = 0, binding = 4) uniform samplerCube cube;
        layout(set = 0, binding = 5) uniform sampler2DArrayShadow shadow;
        layout(set = 0, binding = 6) uniform sampler2DArray pile;
        void main() {
            uint i = gl_LocalInvocationIndex;
            vec2 p = (vec2(gl_LocalInvocationID.xy) + 0.25) / 64.0;
            vec4 a, b;
            for (int n = 0; n < 4; n++) {
                vec2 q = p * exp2(float(n));
                a[n] = texture(plane, q).x;
                b[n] = texture(plane, q, 1.5).x;
            }
            o[i][0] = a;
            o[i][1] = b;
            o[i][2] = vec4(texture(plane, p * vec2(1.0, 4.0)).x, texture(plane, p * vec2(0.5, 0.25)).x,
                           textureOffset(plane, p * 8.0, ivec2(3, -2)).x, textureProj(plane, vec3(p * 4.0, 2.0)).x);
            o[i][3] = vec4(texture(lines, vec2(p.x * 4.0, 1.0)).x, texture(solid, vec3(p, p.x * 2.0)).x,
                           texture(cube, vec3(1.0, p * 4.0 - 0.25)).x, texture(shadow, vec4(p * 2.0, 1.0, 0.5)));
            o[i][4] = vec4(textureQueryLod(plane, p * 2.0), textureQueryLod(plane, p * 512.0));
            o[i][5] = vec4(textureQueryLod(pile, p * 0.25), textureQueryLod(lines, p.y * 16.0));
        }";
    let Some(words) = glsl(&text) else { return };
    for wave in WAVES {
        let mut bed = Bed::new(words.clone());
        let out = bed.buffer(0, 0, &[0; 64 * 24]);
        picture(&bed, 1, ImageType::D2, [64, 64, 1], 7);
        picture(&bed, 2, ImageType::D1Array, [64, 1, 3], 7);
        picture(&bed, 3, ImageType::D3, [64, 64, 64], 7);
        picture(&bed, 4, ImageType::Cube, [64, 64, 6], 7);
        picture(&bed, 5, ImageType::D2Array, [64, 64, 2], 7);
        picture(&bed, 6, ImageType::D2Array, [64, 64, 2], 3);
        bed.run(wave, [1; 3]);
        let got: Vec<f32> = bed.read(out, 64 * 24).into_iter().map(f32::from_bits).collect();
        // A face is two wide: a step of 4/64 is two texels. With LESS_OR_EQUAL, 0.5 passes on level 1.
        #[rustfmt::skip]
        let want = [
            0.0, 1.0, 2.0, 3.0,
            2.0, 3.0, 4.0, 5.0,
            2.0, 0.0, 3.0, 1.0,
            2.0, 1.0, 1.0, 1.0,
            1.0, 1.0, 6.0, 9.0,
            0.0, -2.0, 4.0, 4.0,
        ];
        for i in 0..64 {
            let item = &got[24 * i..24 * i + 24];
            for (n, (&g, w)) in item.iter().zip(want).enumerate() {
                // Along y only in the last two.
                assert!((g - w).abs() < 0.01, "{wave:?}, work-item {i}, number {n}: {g}, not {w}");
            }
        }
    }
}

#[test]
fn other_work_groups_are_refused_by_name() {
    for ([x, y, z], group) in [([3, 2, 1], "Quads"), ([4, 1, 4], "Quads"), ([3, 3, 1], "Linear")] {
        let text = format!(
            "OpCapability Shader\nOpCapability ComputeDerivativeGroup{group}NV
            OpExtension \"SPV_NV_compute_shader_derivatives\"\nOpMemoryModel Logical GLSL450
            OpEntryPoint GLCompute %main \"main\"\nOpExecutionMode %main LocalSize {x} {y} {z}
            OpExecutionMode %main DerivativeGroup{group}NV
            %void = OpTypeVoid\n%fn = OpTypeFunction %void\n%main = OpFunction %void None %fn
            %entry = OpLabel\nOpReturn\nOpFunctionEnd"
        );
        let Some(words) = assembly(&text) else { return };
        let layout = PipelineLayout::default();
        let error = compile(&words, &Options { checks: Checks::On, ..Options::new("main", &layout) }).unwrap_err();
        assert!(error.to_string().contains("not made of quads"), "{error}");
    }
}
