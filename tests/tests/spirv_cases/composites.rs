//! Composites: matrices, nested structures, large arrays copied whole, specialization constants.

use super::{Asm, Case, asm, glsl};

fn f(x: f32) -> u32 {
    x.to_bits()
}

/// Column-major n×n product.
fn product<const N: usize>(a: &[[f32; N]; N], b: &[[f32; N]; N]) -> [[f32; N]; N] {
    let mut out = [[0.0; N]; N];
    for c in 0..N {
        for r in 0..N {
            out[c][r] = (0..N).map(|k| a[k][r] * b[c][k]).sum();
        }
    }
    out
}

fn transpose<const N: usize>(a: &[[f32; N]; N]) -> [[f32; N]; N] {
    let mut out = [[0.0; N]; N];
    (0..N).for_each(|c| (0..N).for_each(|r| out[r][c] = a[c][r]));
    out
}

pub fn cases() -> Vec<Case> {
    // Small integers: all sums and products are exact.
    let m = |i: u32| -> [[f32; 3]; 3] {
        let x = (i % 5) as f32;
        [[1.0 + x, 2.0, 0.0], [3.0, x, 1.0], [2.0, -1.0, 4.0]]
    };
    let matrix =
        "mat3 M(uint i) { float x = float(i % 5u); return mat3(1.0 + x, 2.0, 0.0, 3.0, x, 1.0, 2.0, -1.0, 4.0); }\n";
    let mut out = vec![
        glsl(
            "matrix products",
            &[],
            matrix,
            "mat3 a = M(i), b = M(i + 2u); mat3 p = a * transpose(b); vec3 v = vec3(i, 2, 3); vec3 l = v * a, r = a * v; mat3 q = outerProduct(v, l) * 2.0;
for (uint c = 0u; c < 3u; c++) for (uint k = 0u; k < 3u; k++) { outw[o + c * 3u + k] = floatBitsToUint(p[c][k]); outw[o + 9u + c * 3u + k] = floatBitsToUint(q[c][k]); }
for (uint k = 0u; k < 3u; k++) { outw[o + 18u + k] = floatBitsToUint(l[k]); outw[o + 21u + k] = floatBitsToUint(r[k]); }
outw[o + 24u] = floatBitsToUint(determinant(a));",
            25,
            move |i| {
                let (a, b) = (m(i), m(i + 2));
                let v = [i as f32, 2.0, 3.0];
                let p = product(&a, &transpose(&b));
                let l: Vec<f32> = (0..3).map(|c| (0..3).map(|k| v[k] * a[c][k]).sum()).collect();
                let r: Vec<f32> = (0..3).map(|k| (0..3).map(|c| v[c] * a[c][k]).sum()).collect();
                let det = a[0][0] * (a[1][1] * a[2][2] - a[2][1] * a[1][2])
                    - a[1][0] * (a[0][1] * a[2][2] - a[2][1] * a[0][2])
                    + a[2][0] * (a[0][1] * a[1][2] - a[1][1] * a[0][2]);
                let mut out: Vec<u32> = p.iter().flatten().map(|&x| f(x)).collect();
                (0..9).for_each(|n| out.push(f(v[n % 3] * l[n / 3] * 2.0)));
                out.extend(l.iter().chain(&r).map(|&x| f(x)));
                out.push(f(det));
                out
            },
        ),
        // Powers of two: the inverses are exact.
        glsl(
            "inverse and determinant of 2x2 and 4x4",
            &[],
            // Zeros of either sign are as good.
            "uint B(float x) { return x == 0.0 ? 0u : floatBitsToUint(x); }",
            "float x = float(1u << (i % 4u)); mat2 a = mat2(x, 0.0, 2.0, 4.0); mat2 b = inverse(a); mat4 c = mat4(x, 0, 0, 0, 1, 2, 0, 0, 0, 0, 4, 0, 0, 2, 0, 8); mat4 d = inverse(c);
for (uint n = 0u; n < 4u; n++) outw[o + n] = B(b[n / 2u][n % 2u]); for (uint n = 0u; n < 16u; n++) outw[o + 4u + n] = B(d[n / 4u][n % 4u]);
outw[o + 20u] = floatBitsToUint(determinant(a)); outw[o + 21u] = floatBitsToUint(determinant(c));",
            22,
            |i| {
                let x = (1u32 << (i % 4)) as f32;
                let mut out: Vec<f32> = vec![1.0 / x, 0.0, -0.5 / x, 0.25];
                // Columns of the inverse of [x 1 0 0; 0 2 0 2; 0 0 4 0; 0 0 0 8] (rows).
                out.extend([1.0 / x, 0.0, 0.0, 0.0, -0.5 / x, 0.5, 0.0, 0.0, 0.0, 0.0, 0.25, 0.0, 0.125 / x, -0.125, 0.0, 0.125]);
                out.extend([4.0 * x, 64.0 * x]);
                out.into_iter().map(f).collect()
            },
        ),
        glsl(
            "row- and column-major matrices in memory, by element, column and whole",
            &["GL_EXT_scalar_block_layout"],
            "struct S { float pad; mat3x4 r; mat4x3 c; };
layout(set = 0, binding = 1, std430) buffer In { layout(row_major) mat3x4 r[2]; mat2x3 c; layout(row_major) dmat2 d; layout(row_major) S s[2]; float end; };
layout(push_constant, std430) uniform P { layout(row_major) mat2x3 p; mat2 q; };",
            "uint k = i % 3u; mat3x4 whole = r[1]; vec4 column = r[1][k]; float element = r[0][k][i % 4u]; vec3 cc = c[i % 2u];
outw[o] = floatBitsToUint(whole[k][i % 4u]); outw[o + 1u] = floatBitsToUint(column[i % 4u]); outw[o + 2u] = floatBitsToUint(element); outw[o + 3u] = floatBitsToUint(cc[k]);
outw[o + 4u] = floatBitsToUint(float(d[i % 2u][k % 2u])); outw[o + 5u] = floatBitsToUint(p[i % 2u][k]); outw[o + 6u] = floatBitsToUint(q[k % 2u][i % 2u]);
mat2x3 t = p; outw[o + 7u] = floatBitsToUint(t[1][2]); outw[o + 8u] = floatBitsToUint(s[1].r[k][i % 4u]); outw[o + 9u] = floatBitsToUint(s[1].c[i % 4u][k]);
barrier(); if (i == 0u) { r[0][2] = vec4(9, 8, 7, 6); r[0][1][3] = 77.0; c = mat2x3(5); s[0].r = whole; end = 3.5; }
memoryBarrierBuffer(); barrier(); outw[o + 10u] = floatBitsToUint(r[0][k][i % 4u]); outw[o + 11u] = floatBitsToUint(c[i % 2u][k]); outw[o + 12u] = floatBitsToUint(s[0].r[k][i % 4u]);",
            13,
            |i| {
                // Words of binding 1 are the floats 0, 1, 2 …; std430: r[n] has 4 rows of stride 16, c 2 columns of stride 16,
                // d at 176 rounded to its alignment, S of two matrices.
                let (k, e, h) = ((i % 3) as usize, (i % 4) as usize, (i % 2) as usize);
                let r = |n: usize, c: usize, row: usize| (n * 16 + row * 4 + c) as f32;
                let c = |c: usize, row: usize| (32 + c * 4 + row) as f32;
                let s = 48;
                // S: pad, r at 16 (4 rows of 16 bytes), c at 80 (3 rows of 16): 128 bytes.
                let sr = |n: usize, c: usize, row: usize| (s + n * 32 + 4 + row * 4 + c) as f32;
                let sc = |n: usize, c: usize, row: usize| (s + n * 32 + 20 + row * 4 + c) as f32;
                // Push constants: p row-major has 3 rows of two (stride 8), q two columns of two.
                let p = |c: usize, row: usize| (row * 2 + c) as f32;
                let q = |c: usize, row: usize| (6 + c * 2 + row) as f32;
                let changed = match (k, e) {
                    (2, e) => 9.0 - e as f32,
                    (1, 3) => 77.0,
                    _ => r(0, k, e),
                };
                let d = [1.5f32, 2.5, 3.5, 4.5][(k % 2) * 2 + h];
                let diagonal = if h == k { 5.0 } else { 0.0 };
                [r(1, k, e), r(1, k, e), r(0, k, e), c(h, k), d, p(h, k), q(k % 2, h), p(1, 2), sr(1, k, e), sc(1, e, k)]
                    .into_iter()
                    .chain([changed, diagonal, r(1, k, e)])
                    .map(f)
                    .collect()
            },
        )
        .push((0..10).flat_map(|n| (n as f32).to_le_bytes()).collect())
        .with({
            let mut words: Vec<u32> = (0..200).map(|n| f(n as f32)).collect();
            // d at byte 160: two rows of stride 16.
            for (n, x) in [1.5f64, 2.5, 3.5, 4.5].into_iter().enumerate() {
                words[40 + 2 * n] = x.to_bits() as u32;
                words[41 + 2 * n] = (x.to_bits() >> 32) as u32;
            }
            words
        }),
        glsl(
            "structures with large arrays are loaded, stored, passed and returned whole",
            &[],
            "struct Big { uint head; uint a[1000]; vec2 v[30]; };
layout(set = 0, binding = 1, std430) buffer In { Big b[2]; };
Big change(Big x, uint n) { x.a[n] += 5u; x.head = n; if (n == 7u) return x; x.a[999] = 1u; return x; }
shared uint tile[1500]; uint whole[1500];",
            "Big x = b[1]; Big y = change(x, i); Big z; if (i % 2u == 0u) z = x; else z = y;
outw[o] = y.a[i]; outw[o + 1u] = y.a[999]; outw[o + 2u] = x.a[i] + x.head; outw[o + 3u] = z.a[i]; outw[o + 4u] = z.head;
barrier(); if (i == 5u) b[0] = y; memoryBarrierBuffer(); barrier(); outw[o + 5u] = b[0].a[i * 3u]; outw[o + 6u] = uint(b[0].v[i % 30u].y);
for (uint n = 0u; n < 1500u; n++) whole[n] = n * i; if (i == 3u) tile = whole; barrier(); outw[o + 7u] = tile[i * 20u];",
            8,
            |i| {
                // Big: head, a[1000], one word of padding, v: 1062 words.
                let word = |n: u32| 1062 + n;
                let a = |n: u32| word(1 + n);
                let last = if i == 7 { a(999) } else { 1 };
                let even = i % 2 == 0;
                let stored = if i * 3 == 5 { a(5) + 5 } else { a(i * 3) };
                let v = f32::from_bits(word(1002 + (i % 30) * 2 + 1));
                vec![
                    a(i) + 5,
                    last,
                    a(i) + word(0),
                    if even { a(i) } else { a(i) + 5 },
                    if even { word(0) } else { i },
                    stored,
                    v as u32,
                    i * 20 * 3,
                ]
            },
        )
        .with((0..2124).collect()),
        asm(
            "specialization constants: every operation",
            Asm {
                capabilities: "OpCapability Int64\nOpCapability Int16\nOpCapability Float64",
                decorations: "OpDecorate %sa SpecId 0\nOpDecorate %sb SpecId 1\nOpDecorate %sc SpecId 2\nOpDecorate %sl SpecId 3",
                globals: "%ul = OpTypeInt 64 0
%us = OpTypeInt 16 0
%d = OpTypeFloat 64
%sa = OpSpecConstant %u 7
%sb = OpSpecConstant %s -3
%sc = OpSpecConstantTrue %b
%sf = OpSpecConstantFalse %b
%sl = OpSpecConstant %ul 0x123456789
%o_iadd = OpSpecConstantOp %u IAdd %sa %u5
%o_isub = OpSpecConstantOp %u ISub %sa %u9
%o_imul = OpSpecConstantOp %u IMul %sa %sa
%o_udiv = OpSpecConstantOp %u UDiv %o_imul %u10
%o_sdiv = OpSpecConstantOp %s SDiv %sb %u2
%o_umod = OpSpecConstantOp %u UMod %o_imul %u10
%o_srem = OpSpecConstantOp %s SRem %sb %u2
%o_smod = OpSpecConstantOp %s SMod %sb %u2
%o_neg = OpSpecConstantOp %s SNegate %sb
%o_not = OpSpecConstantOp %u Not %sa
%o_shl = OpSpecConstantOp %u ShiftLeftLogical %sa %u3
%o_shr = OpSpecConstantOp %u ShiftRightLogical %sb %u4
%o_sar = OpSpecConstantOp %s ShiftRightArithmetic %sb %u1
%o_or = OpSpecConstantOp %u BitwiseOr %sa %u8
%o_xor = OpSpecConstantOp %u BitwiseXor %sa %u2
%o_and = OpSpecConstantOp %u BitwiseAnd %sa %u3
%o_lt = OpSpecConstantOp %b ULessThan %sa %u8
%o_gt = OpSpecConstantOp %b SGreaterThan %sb %u0
%o_le = OpSpecConstantOp %b SLessThanEqual %sb %u0
%o_ge = OpSpecConstantOp %b UGreaterThanEqual %sa %u8
%o_eq = OpSpecConstantOp %b IEqual %sa %u7
%o_ne = OpSpecConstantOp %b INotEqual %sa %u7
%o_lor0 = OpSpecConstantOp %b LogicalOr %o_gt %o_le
%o_lor = OpSpecConstantOp %b LogicalOr %o_lor0 %sf
%o_land = OpSpecConstantOp %b LogicalAnd %sc %o_lor
%o_leq = OpSpecConstantOp %b LogicalEqual %o_land %sc
%o_lnot = OpSpecConstantOp %b LogicalNot %o_leq
%o_sel = OpSpecConstantOp %u Select %o_lnot %sa %o_shl
%o_wide = OpSpecConstantOp %ul UConvert %sa
%o_wide2 = OpSpecConstantOp %ul IAdd %o_wide %sl
%o_low = OpSpecConstantOp %u UConvert %o_wide2
%o_n16 = OpSpecConstantOp %us UConvert %o_low
%o_back = OpSpecConstantOp %s SConvert %o_n16
%vec = OpSpecConstantComposite %v3u %sa %o_iadd %o_imul
%o_x = OpSpecConstantOp %u CompositeExtract %vec 2
%vec2 = OpSpecConstantOp %v3u CompositeInsert %o_x %vec 0
%vec3 = OpSpecConstantOp %v2u VectorShuffle %vec2 %vec 0 5
%o_y = OpSpecConstantOp %u CompositeExtract %vec3 0
%o_arr = OpTypeArray %u %o_iadd
%p_arr = OpTypePointer Function %o_arr
%pf_u = OpTypePointer Function %u
%bools = OpSpecConstantOp %u Select %o_lt %u1 %u0
%bools2 = OpSpecConstantOp %u Select %o_ge %u2 %bools
%bools3 = OpSpecConstantOp %u Select %o_eq %bools2 %u16
%bools4 = OpSpecConstantOp %u Select %o_ne %u16 %bools3",
                ..Asm::default()
            },
            "%va = OpVariable %p_arr Function
%vp = OpAccessChain %pf_u %va %u11
OpStore %vp %o_y
%vv = OpLoad %u %vp
!0 %o_iadd
!1 %o_isub
!2 %o_imul
!3 %o_udiv
?4 %o_sdiv
!5 %o_umod
?6 %o_srem
?7 %o_smod
?8 %o_neg
!9 %o_not
!10 %o_shl
!11 %o_shr
?12 %o_sar
!13 %o_or
!14 %o_xor
!15 %o_and
!16 %o_sel",
            17,
            |_| {
                let (a, b) = (9u32, -5i32);
                vec![
                    a + 5,
                    a.wrapping_sub(9),
                    a * a,
                    a * a / 10,
                    (b / 2) as u32,
                    a * a % 10,
                    (b % 2) as u32,
                    b.rem_euclid(2) as u32,
                    (-b) as u32,
                    !a,
                    a << 3,
                    (b as u32) >> 4,
                    (b >> 1) as u32,
                    a | 8,
                    a ^ 2,
                    a & 3,
                    // Not (true and (…) equals true): false.
                    a << 3,
                ]
            },
        )
        .spec(0, 9, 4)
        .spec(1, 0xffff_fffb, 4),
    ];
    out.push(asm(
        "logical copies, undefined and null values of many types",
        Asm {
            env: "vulkan1.2",
            capabilities: "OpCapability Int64",
            interface: "%in1",
            decorations: "OpMemberDecorate %T1 0 Offset 0\nOpMemberDecorate %T1 1 Offset 8\nOpMemberDecorate %L1 0 Offset 0\nOpMemberDecorate %L1 1 Offset 64\nOpDecorate %L1 Block\nOpDecorate %in1 DescriptorSet 0\nOpDecorate %in1 Binding 1\nOpDecorate %ta ArrayStride 16",
            globals: "%ul = OpTypeInt 64 0
%T1 = OpTypeStruct %u %v2u
%ta = OpTypeArray %u %u4
%L1 = OpTypeStruct %ta %T1
%p_L1 = OpTypePointer StorageBuffer %L1
%in1 = OpVariable %p_L1 StorageBuffer
%T2 = OpTypeStruct %u %v2u
%tb = OpTypeArray %u %u4
%L2 = OpTypeStruct %tb %T2
%pf = OpTypePointer Function %L2
%pfu = OpTypePointer Function %u
%nl = OpConstantNull %L2
%nul = OpConstantNull %ul
%und = OpUndef %L2
%m = OpTypeMatrix %v4f 2
%nm = OpConstantNull %m",
            ..Asm::default()
        },
        "%va = OpVariable %pf Function %nl
%l1 = OpLoad %L1 %in1
%l2 = OpCopyLogical %L2 %l1
%z = OpVariable %pfu Function
OpStore %va %l2
%n = OpUMod %u %i %u4
%p = OpAccessChain %pfu %va %u0 %n
%v = OpLoad %u %p
!0 %v
%x = OpCompositeExtract %u %l2 1 1 1
!1 %x
%mixed = OpCompositeInsert %L2 %i %und 1 0
%y = OpCompositeExtract %u %mixed 1 0
!2 %y
%lo = OpUConvert %u %nul
%nf = OpCompositeExtract %f %nm 1 2
%nb = OpBitcast %u %nf
%zero = OpBitwiseOr %u %lo %nb
!3 %zero
%cp = OpCopyObject %L2 %l2
%back = OpCopyLogical %L1 %cp
%bx = OpCompositeExtract %u %back 1 1 0
!4 %bx
OpCopyMemory %z %p Aligned 4 Aligned 4
%zv = OpLoad %u %z
!5 %zv",
        6,
        |i| vec![100 + i % 4 * 4, 119, i, 0, 118, 100 + i % 4 * 4],
    ).with((100..140).collect()));
    out
}
