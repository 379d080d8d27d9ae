//! Values: conversions and bitcasts of all pairs, extended arithmetic, bit fields, dot products, what extensions add.

use super::{Asm, Case, asm, glsl};

const TYPES: &[&str] = &["GL_EXT_shader_explicit_arithmetic_types"];

/// The f32 value of f16 bits, for normal numbers and zeros.
fn widen(h: u16) -> f32 {
    let (sign, e, m) = (u32::from(h >> 15) << 31, u32::from(h >> 10 & 31), u32::from(h & 0x3ff));
    if e == 0 {
        return f32::from_bits(sign | ((m as f32) * 2f32.powi(-24)).to_bits());
    }
    f32::from_bits(sign | (e + 112) << 23 | m << 13)
}

/// x rounded to f16, to nearest even, as f32; denormals of f16 stay.
fn quantized(x: f32) -> f32 {
    if x.abs() >= 65520.0 {
        return f32::INFINITY.copysign(x);
    }
    let least = if x.abs() < 2f32.powi(-14) {
        2f32.powi(-24)
    } else {
        2f32.powi(((x.to_bits() >> 23 & 255) as i32 - 127) - 10)
    };
    (x / least).round_ties_even() * least
}

pub fn cases() -> Vec<Case> {
    vec![
        asm(
            "a conversion among constants is rounded as the execution mode says",
            Asm {
                capabilities: "OpCapability Float16\nOpCapability Float64\nOpCapability RoundingModeRTZ\nOpCapability Int16",
                modes: "OpExecutionMode %main RoundingModeRTZ 16",
                // Nearer to 0x3ce5.
                globals: "%h = OpTypeFloat 16\n%d = OpTypeFloat 64\n%u16t = OpTypeInt 16 0\n%near = OpConstant %d 1.22334445\n%cut = OpSpecConstantOp %h FConvert %near",
                ..Asm::default()
            },
            "%bits = OpBitcast %u16t %cut
%wide = OpUConvert %u %bits
!0 %wide",
            1,
            |_| vec![0x3ce4],
        ),
        glsl(
            "integer conversions of all pairs of widths",
            TYPES,
            "",
            "int x = int(i) * 0x01020309 - 0x7000000; int8_t a = int8_t(x); int16_t b = int16_t(x); int64_t l = int64_t(x) * 0x100010001l; uint8_t ua = uint8_t(x); uint16_t ub = uint16_t(x); uint64_t ul = uint64_t(l);
outw[o] = uint(int(a)); outw[o + 1u] = uint(int(b)); outw[o + 2u] = uint(ua); outw[o + 3u] = uint(ub); outw[o + 4u] = uint(int(int16_t(a))); outw[o + 5u] = uint(int64_t(a) >> 32); outw[o + 6u] = uint(int8_t(b));
outw[o + 7u] = uint(int16_t(l)); outw[o + 8u] = uint(uint8_t(ul >> 24)); outw[o + 9u] = uint(int64_t(b) >> 20); outw[o + 10u] = uint(uint64_t(ub) << 20 >> 8); outw[o + 11u] = uint(uint16_t(int16_t(ua)));",
            12,
            |i| {
                let x = (i as i32).wrapping_mul(0x0102_0309).wrapping_sub(0x700_0000);
                let (a, b, l) = (x as i8, x as i16, i64::from(x).wrapping_mul(0x1_0001_0001));
                vec![
                    a as u32,
                    b as u32,
                    u32::from(x as u8),
                    u32::from(x as u16),
                    i32::from(i16::from(a)) as u32,
                    (i64::from(a) >> 32) as u32,
                    b as i8 as u32,
                    l as i16 as u32,
                    u32::from((l as u64 >> 24) as u8),
                    (i64::from(b) >> 20) as u32,
                    (u64::from(x as u16) << 20 >> 8) as u32,
                    u32::from(i16::from(x as u8) as u16),
                ]
            },
        ),
        glsl(
            "float conversions of all pairs of widths",
            TYPES,
            "",
            "float x = float(int(i) - 30) * 1.375; float16_t h = float16_t(x); double d = double(x) * 3.0; 
outw[o] = floatBitsToUint(float(h)); outw[o + 1u] = floatBitsToUint(float(d)); outw[o + 2u] = uint(int(h)); outw[o + 3u] = uint(int(d)); outw[o + 4u] = uint(int16_t(x)); outw[o + 5u] = uint(int(d) >> 2); outw[o + 6u] = uint(int8_t(h));
outw[o + 7u] = floatBitsToUint(float(float16_t(int16_t(i)))); outw[o + 8u] = floatBitsToUint(float(double(int64_t(i) << 33))); outw[o + 9u] = floatBitsToUint(float(int8_t(i) - 50)); outw[o + 10u] = floatBitsToUint(float(uint64_t(i) << 40)); outw[o + 11u] = floatBitsToUint(float(double(h)));
outw[o + 12u] = uint(uint8_t(abs(h))); outw[o + 13u] = floatBitsToUint(float(float16_t(d)));",
            14,
            |i| {
                let x = (i as i32 - 30) as f32 * 1.375;
                let d = f64::from(x) * 3.0;
                // All products are exact in f16.
                vec![
                    x.to_bits(),
                    (d as f32).to_bits(),
                    x as i32 as u32,
                    d as i32 as u32,
                    x as i16 as u32,
                    (d as i32 >> 2) as u32,
                    x as i8 as u32,
                    (i as f32).to_bits(),
                    ((u64::from(i) << 33) as f32).to_bits(),
                    (i as f32 - 50.0).to_bits(),
                    ((u64::from(i) << 40) as f32).to_bits(),
                    x.to_bits(),
                    u32::from(x.abs() as u8),
                    quantized(d as f32).to_bits(),
                ]
            },
        ),
        asm(
            "bitcasts between vectors of different counts",
            Asm {
                capabilities: "OpCapability Int64\nOpCapability Int16\nOpCapability Int8\nOpCapability Float16\nOpCapability Float64",
                globals: "%ul = OpTypeInt 64 0
%us = OpTypeInt 16 0
%uc = OpTypeInt 8 0
%h = OpTypeFloat 16
%d = OpTypeFloat 64
%v4c = OpTypeVector %uc 4
%v2s = OpTypeVector %us 2
%v4s = OpTypeVector %us 4
%v2h = OpTypeVector %h 2
%v2l = OpTypeVector %ul 2
%v2f = OpTypeVector %f 2
%k = OpConstant %u 0x01030507",
                ..Asm::default()
            },
            "%x = OpIMul %u %i %k
%c = OpBitcast %v4c %x
%c2 = OpCompositeExtract %uc %c 2
%c2w = OpUConvert %u %c2
!0 %c2w
%s2 = OpBitcast %v2s %x
%s2s = OpVectorShuffle %v2s %s2 %s2 1 0
%y = OpBitcast %u %s2s
!1 %y
%xy = OpCompositeConstruct %v2u %x %y
%l = OpBitcast %ul %xy
%l1 = OpIAdd %ul %l %l
%s4 = OpBitcast %v4s %l1
%s43 = OpCompositeExtract %us %s4 3
%s43w = OpUConvert %u %s43
!2 %s43w
%dd = OpBitcast %d %xy
%lb = OpBitcast %ul %dd
%v4 = OpCompositeConstruct %v2l %lb %l1
%u4v = OpBitcast %v4u %v4
%u43 = OpCompositeExtract %u %u4v 3
!3 %u43
%h2 = OpBitcast %v2h %s2s
%h2c = OpBitcast %u %h2
!4 %h2c
%cs = OpBitcast %v2s %c
%css = OpVectorShuffle %v4s %cs %s2s 3 0 2 1
%csl = OpBitcast %v2f %css
%csl1 = OpCompositeExtract %f %csl 1
%cslb = OpBitcast %u %csl1
!5 %cslb
%back = OpBitcast %v4u %v4
%b0 = OpVectorExtractDynamic %u %back %u1
!6 %b0",
            7,
            |i| {
                let x = i.wrapping_mul(0x0103_0507);
                let y = x.rotate_left(16);
                let l = u64::from(x) | u64::from(y) << 32;
                let l1 = l.wrapping_add(l);
                vec![x >> 16 & 255, y, (l1 >> 48) as u32, (l1 >> 32) as u32, y, (x >> 16) << 16 | y & 0xffff, y]
            },
        ),
        glsl(
            "extended arithmetic and bit fields",
            TYPES,
            "",
            "uint a = i * 0x9e3779b9u, b = ~i * 0x85ebca6bu, c, hi, lo; outw[o] = uaddCarry(a, b, c); outw[o + 1u] = c; outw[o + 2u] = usubBorrow(a, b, c); outw[o + 3u] = c; umulExtended(a, b, hi, lo); outw[o + 4u] = hi; outw[o + 5u] = lo;
int shi, slo; imulExtended(int(a), int(b), shi, slo); outw[o + 6u] = uint(shi); outw[o + 7u] = bitfieldExtract(a, int(i % 20u), 11); outw[o + 8u] = uint(bitfieldExtract(int(a), int(i % 20u), 11)); outw[o + 9u] = bitfieldInsert(a, b, int(i % 20u), 7);
outw[o + 10u] = bitfieldReverse(a); outw[o + 11u] = uint(bitCount(a)); outw[o + 12u] = uint(findLSB(a)); outw[o + 13u] = uint(findMSB(a)); outw[o + 14u] = uint(findMSB(int(a)));
outw[o + 15u] = bitfieldExtract(a, 3, 0); uvec2 uv = bitfieldInsert(uvec2(a, b), uvec2(b, a), 0, 32); outw[o + 16u] = uv.x;",
            17,
            |i| {
                let (a, b) = (i.wrapping_mul(0x9e37_79b9), (!i).wrapping_mul(0x85eb_ca6b));
                let p = u64::from(a) * u64::from(b);
                let s = i64::from(a as i32) * i64::from(b as i32);
                let at = i % 20;
                let field = a >> at & 0x7ff;
                let mask = 0x7f << at;
                let high = |x: u32| 31u32.wrapping_sub(x.leading_zeros());
                vec![
                    a.wrapping_add(b),
                    u32::from(a.checked_add(b).is_none()),
                    a.wrapping_sub(b),
                    u32::from(a < b),
                    (p >> 32) as u32,
                    p as u32,
                    (s >> 32) as u32,
                    field,
                    ((field << 21) as i32 >> 21) as u32,
                    a & !mask | b << at & mask,
                    a.reverse_bits(),
                    a.count_ones(),
                    if a == 0 { u32::MAX } else { a.trailing_zeros() },
                    high(a),
                    high(if (a as i32) < 0 { !a } else { a }),
                    0,
                    b,
                ]
            },
        ),
        asm(
            "integer dot products, with and without saturation",
            Asm {
                capabilities: "OpCapability DotProduct\nOpCapability DotProductInput4x8BitPacked\nOpCapability DotProductInput4x8Bit\nOpCapability DotProductInputAll\nOpCapability Int8\nOpCapability Int16\nOpCapability Int64",
                globals: "%uc = OpTypeInt 8 0
%us = OpTypeInt 16 0
%ss = OpTypeInt 16 1
%sl = OpTypeInt 64 1
%v4c = OpTypeVector %uc 4
%v2s = OpTypeVector %us 2
%k = OpConstant %u 0x81f37f05
%kk = OpConstant %u 0x7f80ff03
%bigs = OpConstant %s 0x7ffff000
%lows = OpConstant %s -2147480000
%bigu = OpConstant %u 0xfffff000",
                ..Asm::default()
            },
            "%a = OpBitwiseXor %u %k %i
%bi = OpIMul %u %i %u3
%bb = OpBitwiseXor %u %kk %bi
%r0 = OpSDot %s %a %bb PackedVectorFormat4x8Bit
?0 %r0
%r1 = OpUDot %u %a %bb PackedVectorFormat4x8Bit
!1 %r1
%r2 = OpSUDot %s %a %bb PackedVectorFormat4x8Bit
?2 %r2
%r3 = OpSDotAccSat %s %a %bb %bigs PackedVectorFormat4x8Bit
?3 %r3
%r4 = OpUDotAccSat %u %a %bb %bigu PackedVectorFormat4x8Bit
!4 %r4
%r5 = OpSUDotAccSat %s %a %bb %lows PackedVectorFormat4x8Bit
?5 %r5
%va = OpBitcast %v4c %a
%vb = OpBitcast %v4c %bb
%r6 = OpSDot %sl %va %vb
%r6n = OpSConvert %s %r6
?6 %r6n
%sa = OpBitcast %v2s %a
%sb = OpBitcast %v2s %bb
%r7 = OpUDot %u %sa %sb
!7 %r7
%r8 = OpSDotAccSat %s %sa %sb %bigs
?8 %r8
%ua = OpCompositeConstruct %v3u %a %bb %i
%r9 = OpUDot %u %ua %ua
!9 %r9",
            10,
            |i| {
                let (a, b) = (0x81f3_7f05 ^ i, 0x7f80_ff03u32 ^ (i * 3));
                let sum = |s: bool, t: bool| -> i64 {
                    a.to_le_bytes()
                        .iter()
                        .zip(b.to_le_bytes())
                        .map(|(&x, y)| {
                            let x = if s { i64::from(x as i8) } else { i64::from(x) };
                            x * if t { i64::from(y as i8) } else { i64::from(y) }
                        })
                        .sum()
                };
                let sat = |x: i64| x.clamp(i64::from(i32::MIN), i64::from(i32::MAX)) as u32;
                let halves = |x: u32| [x as u16, (x >> 16) as u16];
                let u16s: u32 = halves(a)
                    .iter()
                    .zip(halves(b))
                    .fold(0u32, |s, (&x, y)| s.wrapping_add(u32::from(x).wrapping_mul(u32::from(y))));
                let s16s: i64 =
                    halves(a).iter().zip(halves(b)).map(|(&x, y)| i64::from(x as i16) * i64::from(y as i16)).sum();
                let squares = [a, b, i].iter().fold(0u32, |s, &x| s.wrapping_add(x.wrapping_mul(x)));
                vec![
                    sum(true, true) as u32,
                    sum(false, false) as u32,
                    sum(true, false) as u32,
                    sat(sum(true, true) + 0x7fff_f000),
                    (sum(false, false) + 0xffff_f000).min(0xffff_ffff) as u32,
                    sat(sum(true, false) - 2_147_480_000),
                    sum(true, true) as u32,
                    u16s,
                    sat(s16s + 0x7fff_f000),
                    squares,
                ]
            },
        ),
        asm(
            "expectations, assumptions, clocks, debug information and other instructions without effect",
            Asm {
                env: "vulkan1.3",
                capabilities: "OpCapability ExpectAssumeKHR\nOpCapability ShaderClockKHR\nOpCapability Int64\nOpExtension \"SPV_KHR_expect_assume\"\nOpExtension \"SPV_KHR_shader_clock\"\nOpExtension \"SPV_KHR_non_semantic_info\"\n%ns = OpExtInstImport \"NonSemantic.ClspvReflection.5\"\n%glsl = OpExtInstImport \"GLSL.std.450\"",
                globals: "%ul = OpTypeInt 64 0\n%und = OpUndef %v4u",
                ..Asm::default()
            },
            "%c = OpULessThan %b %i %u9
%e = OpExpectKHR %b %c %true
OpAssumeTrueKHR %true
OpNop
%v = OpSelect %u %e %u3 %u4
!0 %v
%t1 = OpReadClockKHR %ul %u3
%t2 = OpReadClockKHR %v2u %u1
%t2l = OpBitcast %ul %t2
%t3 = OpReadClockKHR %ul %u3
%t4 = OpReadClockKHR %ul %u1
OpNop
%on = OpUGreaterThanEqual %b %t3 %t1
%on2 = OpUGreaterThanEqual %b %t4 %t2l
%both = OpLogicalAnd %b %on %on2
%bv = OpSelect %u %both %u1 %u0
!1 %bv
%uu = OpCompositeInsert %v4u %i %und 2
%ux = OpCompositeExtract %u %uu 2
!2 %ux
%name = OpConvertUToF %f %i
%q = OpQuantizeToF16 %f %name
%qb = OpBitcast %u %q
!3 %qb
OpNoLine
%cl = OpExtInst %u %glsl UClamp %i %u3 %u9
!4 %cl",
            5,
            |i| vec![if i < 9 { 3 } else { 4 }, 1, i, (i as f32).to_bits(), i.clamp(3, 9)],
        ),
        glsl(
            "half precision: pack, unpack, quantise",
            TYPES,
            "",
            "uint bits = i * 350u + 0x1c00u; float x = unpackHalf2x16(bits & 0xffffu).x; outw[o] = floatBitsToUint(x); float y = x * 1.0009765 + 0.00013; outw[o + 1u] = packHalf2x16(vec2(y, x)) >> 16; outw[o + 2u] = floatBitsToUint(float(float16_t(y)));
f16vec4 v = f16vec4(x, y, 2.0, -1.0); outw[o + 3u] = floatBitsToUint(float(dot(f16vec2(2.0, 3.0), v.zw))); outw[o + 4u] = packFloat2x16(v.zw);",
            5,
            |i| {
                let bits = (i * 350 + 0x1c00) as u16;
                let x = widen(bits);
                // y is rounded once or twice, as the product is contracted or not; both give the same half but near ties.
                let y = x * 1.000_976_5 + 0.000_13;
                vec![x.to_bits(), u32::from(bits), quantized(y).to_bits(), 1f32.to_bits(), 0xbc00_4000]
            },
        ),
        // What the CTS wants of each.
        asm(
            "too small for a half, the sign and the angle of a NaN, a structure without members",
            Asm {
                capabilities: "%glsl = OpExtInstImport \"GLSL.std.450\"",
                globals: "%tiny = OpConstant %f 0x1p-19\n%one = OpConstant %f 1\n%quiet = OpConstant %u 0x7fc00000\n%nothing = OpTypeStruct\n%p_nothing = OpTypePointer Function %nothing",
                ..Asm::default()
            },
            "%none = OpVariable %p_nothing Function
%count = OpConvertUToF %f %i
%small = OpFMul %f %count %tiny
%minus = OpFNegate %f %small
%half = OpQuantizeToF16 %f %minus
%bits = OpBitcast %u %half
!0 %bits
%some = OpBitwiseOr %u %quiet %i
%nan = OpBitcast %f %some
%sign = OpExtInst %f %glsl FSign %nan
%sign_bits = OpBitcast %u %sign
!1 %sign_bits
%angle = OpExtInst %f %glsl Atan2 %one %nan
%is_nan = OpIsNan %b %angle
%lost = OpSelect %u %is_nan %u0 %u1
!2 %lost
%copy = OpLoad %nothing %none
OpStore %none %copy",
            3,
            // The least normal half is 2⁻¹⁴.
            |i| vec![if i < 32 { 1 << 31 } else { (-(i as f32) * 2f32.powi(-19)).to_bits() }, 1f32.to_bits(), 0],
        ),
        asm(
            "mixed dot products: f16 vectors, f32 and f16 accumulators",
            Asm {
                capabilities: "OpCapability Float16",
                globals: "%h = OpTypeFloat 16\n%v2h = OpTypeVector %h 2\n%three = OpConstant %h 3\n%tenth = OpConstant %h 0.0999755859375\n%big = OpConstant %f 4096.5\n%one = OpConstant %h 1",
                ..Asm::default()
            },
            "%x = OpConvertUToF %h %i
%a = OpCompositeConstruct %v2h %x %three
%c = OpCompositeConstruct %v2h %tenth %x
%r = OpSUDotAccSat %f %a %c %big
%rb = OpBitcast %u %r
!0 %rb
%q = OpSDotAccSat %h %a %c %one
%qf = OpFConvert %f %q
%qb = OpBitcast %u %qf
!1 %qb",
            2,
            |i| {
                let (x, tenth) = (i as f32, 0.099_975_586);
                let sum = |from: f32| 3f32.mul_add(x, x.mul_add(tenth, from));
                vec![sum(4096.5).to_bits(), quantized(sum(1.0)).to_bits()]
            },
        )
        // The assembler knows the extension not yet: instructions of the same shape stand for its own.
        .rename(4455, 6916)
        .rename(4453, 6917),
        asm(
            "comparisons, logic and remainders of all kinds",
            Asm {
                globals: "%v2f = OpTypeVector %f 2\n%v2b = OpTypeVector %b 2\n%v2s = OpTypeVector %s 2\n%nan = OpConstant %f !0x7fc00000\n%inf = OpConstant %f !0x7f800000\n%five = OpConstant %f 5\n%minus = OpConstant %f -2.5\n%sm7 = OpConstant %s -7\n%s3 = OpConstant %s 3\n%sm3 = OpConstant %s -3",
                ..Asm::default()
            },
            "%x = OpConvertUToF %f %i
%third = OpUMod %u %i %u3
%isn = OpIEqual %b %third %u0
%y = OpSelect %f %isn %nan %five
%a0 = OpFOrdEqual %b %x %y
%a1 = OpFUnordEqual %b %x %y
%a2 = OpFOrdNotEqual %b %x %y
%a3 = OpFUnordNotEqual %b %x %y
%a4 = OpFOrdLessThan %b %x %y
%a5 = OpFUnordLessThan %b %x %y
%a6 = OpFOrdGreaterThan %b %x %y
%a7 = OpFUnordGreaterThan %b %x %y
%a8 = OpFOrdLessThanEqual %b %x %y
%a9 = OpFUnordLessThanEqual %b %x %y
%a10 = OpFOrdGreaterThanEqual %b %x %y
%a11 = OpFUnordGreaterThanEqual %b %x %y
%a12 = OpIsNan %b %y
%q = OpFDiv %f %five %x
%a13 = OpIsInf %b %q
%a14 = OpLogicalNotEqual %b %a12 %a13
%a15 = OpLogicalEqual %b %a4 %a8
%bits0 = OpSelect %u %a0 %u1 %u0
FOLD
!0 %bits16
%si = OpISub %s %i %u32
%m0 = OpSRem %s %si %s3
?1 %m0
%m1 = OpSMod %s %si %s3
?2 %m1
%m2 = OpSDiv %s %si %sm3
?3 %m2
%m3 = OpSRem %s %si %sm7
?4 %m3
%f0 = OpFRem %f %x %minus
%f0b = OpBitcast %u %f0
!5 %f0b
%f1 = OpFMod %f %x %minus
%f1b = OpBitcast %u %f1
!6 %f1b
%c0 = OpSGreaterThan %b %si %sm3
%c1 = OpSGreaterThanEqual %b %si %sm3
%c2 = OpSLessThan %b %si %sm3
%c3 = OpSLessThanEqual %b %si %sm3
%c4 = OpUGreaterThan %b %i %u9
%c5 = OpUGreaterThanEqual %b %i %u9
%c6 = OpULessThanEqual %b %i %u9
%cv = OpCompositeConstruct %v2b %c0 %c4
%any = OpAny %b %cv
%all = OpAll %b %cv
%e0 = OpSelect %u %c1 %u1 %u0
%e1 = OpSelect %u %c2 %u2 %u0
%e2 = OpSelect %u %c3 %u4 %u0
%e3 = OpSelect %u %c5 %u8 %u0
%e4 = OpSelect %u %c6 %u16 %u0
%e5 = OpSelect %u %any %u32 %u0
%e6 = OpIMul %u %u2 %u32
%e7 = OpSelect %u %all %e6 %u0
%g0 = OpBitwiseOr %u %e0 %e1
%g1 = OpBitwiseOr %u %g0 %e2
%g2 = OpBitwiseOr %u %g1 %e3
%g3 = OpBitwiseOr %u %g2 %e4
%g4 = OpBitwiseOr %u %g3 %e5
%g5 = OpBitwiseOr %u %g4 %e7
!7 %g5
%v2 = OpCompositeConstruct %v2u %i %u7
%n = OpBitwiseAnd %u %i %u1
%v3 = OpVectorInsertDynamic %v2u %v2 %u9 %n
%w = OpVectorExtractDynamic %u %v3 %n
%w0 = OpCompositeExtract %u %v3 0
%ww = OpIMul %u %w %w0
!8 %ww
%neg = OpSNegate %s %si
%nf = OpFNegate %f %x
%nfi = OpConvertFToS %s %nf
%nn = OpIAdd %s %neg %nfi
?9 %nn"
                .replace("FOLD", &{
                    let mut lines = String::new();
                    for n in 1..16 {
                        lines += &format!("%t{n} = OpSelect %u %a{n} %u1 %u0\n%h{n} = OpShiftLeftLogical %u %t{n} %u{n}\n%bits{0} = OpBitwiseOr %u %bits{1} %h{n}\n", if n == 15 { 16 } else { n }, n - 1);
                    }
                    lines
                })
                .as_str(),
            10,
            |i| {
                let (x, nan) = (i as f32, i % 3 == 0);
                let y = if nan { f32::NAN } else { 5.0 };
                let q = 5.0 / x;
                let bits = [
                    x == y,
                    nan || x == y,
                    !nan && x != y,
                    x != y,
                    x < y,
                    nan || x < y,
                    x > y,
                    nan || x > y,
                    x <= y,
                    nan || x <= y,
                    x >= y,
                    nan || x >= y,
                    nan,
                    q.is_infinite(),
                    nan != q.is_infinite(),
                    (x < y) == (x <= y),
                ];
                let bits = bits.iter().enumerate().map(|(n, &b)| u32::from(b) << n).sum();
                let s = i as i32 - 32;
                let flags = [s >= -3, s < -3, s <= -3, i >= 9, i <= 9, s > -3 || i > 9, s > -3 && i > 9];
                let flags = flags.iter().enumerate().map(|(n, &b)| u32::from(b) << n).sum();
                let modulo = {
                    let r = x % -2.5;
                    if r > 0.0 { r - 2.5 } else { r }
                };
                let v = if i & 1 == 0 { 81 } else { 9 * i };
                vec![
                    bits,
                    (s % 3) as u32,
                    s.rem_euclid(3) as u32,
                    (s / -3) as u32,
                    (s % -7) as u32,
                    (x % -2.5).to_bits(),
                    // Either zero will do for a multiple; here it is that of the remainder.
                    modulo.to_bits(),
                    flags,
                    v,
                    (-s - i as i32) as u32,
                ]
            },
        ),
    ]
}

/// A module whose OpFNegate and OpUnreachable may be renamed to what is refused.
pub fn refused() -> Case {
    let body = "%x = OpConvertUToF %f %i
%c = OpULessThan %b %i %u9
%n = OpFNegate %f %x
%nb = OpBitcast %u %n
!0 %nb
OpSelectionMerge %m None
OpBranchConditional %c %y %m
%y = OpLabel
OpUnreachable
%m = OpLabel";
    asm("refused", Asm::default(), body, 1, |_| vec![0])
}
