//! Control flow: what structured SPIR-V allows beyond what shading languages write.

use super::{Asm, Case, Source, asm, glsl};

pub fn cases() -> Vec<Case> {
    // Every id's number is a case of this switch.
    let numbers: String = (1..400).map(|n| format!(" {n} %c")).collect();
    let mut out = vec![
        asm(
            "numbers like the id of a resource that is nowhere bound",
            Asm { globals: "%unbound = OpVariable %p_buf StorageBuffer", ..Asm::default() },
            &format!(
                "OpSelectionMerge %m None
OpSwitch %i %m{numbers}
%c = OpLabel
OpBranch %m
%m = OpLabel
%v = OpPhi %u %u7 %entry %u3 %c
!0 %v"
            ),
            1,
            |i| vec![if i == 0 { 7 } else { 3 }],
        ),
        asm(
            "a component that a builtin has not",
            Asm { globals: "%p_in = OpTypePointer Input %u\n%u69 = OpConstant %u 69", ..Asm::default() },
            "%at = OpAccessChain %p_in %lid %u69
%any = OpLoad %u %at
%same = OpIEqual %b %any %any
%one = OpSelect %u %same %u1 %u0
!0 %one",
            1,
            |_| vec![1],
        ),
        asm(
            "both sides of a branch meet before the merge",
            Asm::default(),
            "%c = OpULessThan %b %i %u9
OpSelectionMerge %m None
OpBranchConditional %c %t %e
%t = OpLabel
%tv = OpIMul %u %i %u3
OpBranch %j
%e = OpLabel
%c2 = OpULessThan %b %i %u16
OpSelectionMerge %e2 None
OpBranchConditional %c2 %e1 %e2
%e1 = OpLabel
OpBranch %e2
%e2 = OpLabel
%ev = OpPhi %u %u5 %e %u6 %e1
OpBranch %j
%j = OpLabel
%jv = OpPhi %u %tv %t %ev %e2
%jw = OpIAdd %u %jv %u10
OpBranch %m
%m = OpLabel
!0 %jw",
            1,
            |i| {
                vec![if i < 9 {
                    i * 3 + 10
                } else if i < 16 {
                    16
                } else {
                    15
                }]
            },
        ),
        asm(
            "one target for both sides; a merge that nothing reaches",
            Asm { env: "vulkan1.2", ..Asm::default() },
            "%c = OpULessThan %b %i %u9
OpSelectionMerge %m None
OpBranchConditional %c %x %x
%x = OpLabel
OpBranch %m
%m = OpLabel
OpSelectionMerge %dead None
OpBranchConditional %c %p %q
%p = OpLabel
!0 %u1
OpReturn
%q = OpLabel
!0 %u2
OpReturn
%dead = OpLabel",
            1,
            |i| vec![if i < 9 { 1 } else { 2 }],
        ),
        asm(
            "a loop whose header branches without a merge of its own",
            Asm::default(),
            "OpBranch %head
%head = OpLabel
%k = OpPhi %u %u0 %entry %k2 %cont
%s0 = OpPhi %u %u0 %entry %s1 %cont
%odd = OpBitwiseAnd %u %k %u1
%c = OpINotEqual %b %odd %u0
OpLoopMerge %merge %cont None
OpBranch %test
%test = OpLabel
%done = OpUGreaterThanEqual %b %k %i
OpBranchConditional %done %merge %go
%go = OpLabel
OpSelectionMerge %sel None
OpBranchConditional %c %o %e
%o = OpLabel
%so = OpIAdd %u %s0 %u7
OpBranch %sel
%e = OpLabel
%big = OpUGreaterThan %b %s0 %u16
OpSelectionMerge %e2 None
OpBranchConditional %big %brk %e2
%brk = OpLabel
OpBranch %cont
%e2 = OpLabel
%se = OpIAdd %u %s0 %u1
OpBranch %sel
%sel = OpLabel
%s2 = OpPhi %u %so %o %se %e2
OpBranch %cont
%cont = OpLabel
%s1 = OpPhi %u %s2 %sel %s0 %brk
%k2 = OpIAdd %u %k %u1
OpBranch %head
%merge = OpLabel
!0 %s0",
            1,
            |i| {
                let mut s = 0;
                for k in 0..i {
                    if k & 1 == 1 {
                        s += 7;
                    } else if s <= 16 {
                        s += 1;
                    }
                }
                vec![s]
            },
        ),
        asm(
            "switches on 64, 16 and 8 bits",
            Asm {
                capabilities: "OpCapability Int64\nOpCapability Int16\nOpCapability Int8",
                globals: "%ul = OpTypeInt 64 0\n%us = OpTypeInt 16 0\n%sc = OpTypeInt 8 1\n%big = OpConstant %ul 0x100000000",
                ..Asm::default()
            },
            "%wide = OpUConvert %ul %i
%three = OpUMod %u %i %u3
%w3 = OpUConvert %ul %three
%sel = OpIMul %ul %w3 %big
%sel1 = OpIAdd %ul %sel %wide
OpSelectionMerge %m None
OpSwitch %sel1 %d 0x100000001 %a 0x200000005 %bb 3 %cc 6 %cc
%a = OpLabel
OpBranch %m
%bb = OpLabel
OpBranch %m
%cc = OpLabel
OpBranch %d
%d = OpLabel
%dv = OpPhi %u %u4 %entry %u9 %cc
OpBranch %m
%m = OpLabel
%v = OpPhi %u %u1 %a %u2 %bb %dv %d
!0 %v
%n16 = OpUConvert %us %i
OpSelectionMerge %m16 None
OpSwitch %n16 %m16 7 %a16 9 %a16
%a16 = OpLabel
OpBranch %m16
%m16 = OpLabel
%v16 = OpPhi %u %u0 %m %u1 %a16
!1 %v16
%neg = OpISub %u %u3 %i
%n8 = OpSConvert %sc %neg
OpSelectionMerge %m8 None
OpSwitch %n8 %d8 -2 %a8 -4 %b8
%d8 = OpLabel
OpBranch %m8
%a8 = OpLabel
OpBranch %m8
%b8 = OpLabel
OpBranch %m8
%m8 = OpLabel
%v8 = OpPhi %u %u0 %d8 %u1 %a8 %u2 %b8
!2 %v8",
            3,
            |i| {
                let first = match (i % 3, i) {
                    (1, 1) => 1,
                    (2, 5) => 2,
                    (0, 3 | 6) => 9,
                    _ => 4,
                };
                vec![
                    first,
                    u32::from(i == 7 || i == 9),
                    match i {
                        5 => 1,
                        7 => 2,
                        _ => 0,
                    },
                ]
            },
        ),
        asm(
            "a function's value is composed of composites through phis and selects",
            Asm {
                globals: "%S = OpTypeStruct %u %v2u %f\n%Sc0 = OpConstantComposite %v2u %u3 %u4\n%f1 = OpConstant %f 1.5\n%f2 = OpConstant %f 2.5\n%S1 = OpConstantComposite %S %u1 %Sc0 %f1\n%S0 = OpConstantNull %S\n%v2b = OpTypeVector %b 2",
                ..Asm::default()
            },
            "%c = OpULessThan %b %i %u9
OpSelectionMerge %m None
OpBranchConditional %c %t %m
%t = OpLabel
%x = OpCompositeInsert %S %i %S1 1 1
OpBranch %m
%m = OpLabel
%p = OpPhi %S %S0 %entry %x %t
%q = OpSelect %S %c %p %S1
%odd = OpBitwiseAnd %u %i %u1
%o = OpINotEqual %b %odd %u0
%v1 = OpCompositeExtract %v2u %q 1
%v2 = OpCompositeConstruct %v2u %u8 %u9
%cv = OpCompositeConstruct %v2b %o %c
%r = OpSelect %v2u %cv %v1 %v2
%r0 = OpCompositeExtract %u %r 0
%r1 = OpCompositeExtract %u %r 1
%fq = OpCompositeExtract %f %q 2
%fb = OpBitcast %u %fq
!0 %r0
!1 %r1
!2 %fb",
            3,
            |i| {
                let (a, b) = if i < 9 { (3, i) } else { (3, 4) };
                vec![if i & 1 == 1 { a } else { 8 }, if i < 9 { b } else { 9 }, 1.5f32.to_bits()]
            },
        ),
    ];
    // Many cases: more than constructs may nest.
    let mut text = String::from("uint r = 7u; switch (i * 37u % 301u) {\n");
    for n in 0..300 {
        text += &format!("case {n}u: r = {}u; break;\n", n * n % 1009);
    }
    text += "default: r = 5000u; break; }\noutw[o] = r;";
    out.push(glsl("a switch of 300 cases", &[], "", &text, 1, |i| {
        let n = i * 37 % 301;
        vec![if n < 300 { n * n % 1009 } else { 5000 }]
    }));
    out.push(glsl(
        "calls nested deeply, with early returns and pointers as arguments",
        &[],
        "uint f1(inout uint a, uint b) { if (a > b) { a -= b; return 1u; } for (uint k = 0u; k < 4u; k++) { a += k; if (a > 30u) return k; } return 9u; }
uint f2(inout uint a[3], uint n) { uint r = f1(a[n % 3u], n); return r + f1(a[1], 5u); }
uint f3(inout uint a[3]) { uint s = 0u; for (uint k = 0u; k < 3u; k++) { uint r = f2(a, k); if (r == 10u) return s + 100u; s += r; } return s; }",
        "uint a[3] = uint[](i, i * 2u, 40u); uint r = f3(a); outw[o] = r; outw[o + 1u] = a[0] + 1000u * a[1] + 1000000u * a[2];",
        2,
        |i| {
            fn f1(a: &mut u32, b: u32) -> u32 {
                if *a > b {
                    *a -= b;
                    return 1;
                }
                for k in 0..4 {
                    *a += k;
                    if *a > 30 {
                        return k;
                    }
                }
                9
            }
            fn f2(a: &mut [u32; 3], n: u32) -> u32 {
                let r = f1(&mut a[n as usize % 3], n);
                r + f1(&mut a[1], 5)
            }
            fn f3(a: &mut [u32; 3]) -> u32 {
                let mut s = 0;
                for k in 0..3 {
                    let r = f2(a, k);
                    if r == 10 {
                        return s + 100;
                    }
                    s += r;
                }
                s
            }
            let mut a = [i, i * 2, 40];
            let r = f3(&mut a);
            vec![r, a[0].wrapping_add(1000u32.wrapping_mul(a[1])).wrapping_add(1_000_000u32.wrapping_mul(a[2]))]
        },
    ));
    out.push(glsl(
        "invocations that left a loop are together again behind it",
        &["GL_KHR_shader_subgroup_ballot", "GL_KHR_shader_subgroup_arithmetic"],
        "",
        "uint k = 0u; for (;;) { if (k == i % 5u) break; if (k == 3u && i % 7u == 2u) { k += 100u; break; } k++; }
uvec4 all = subgroupBallot(true); outw[o] = subgroupBallotBitCount(all) == gl_SubgroupSize ? 1u : 0u; outw[o + 1u] = k;",
        2,
        |i| {
            let n = if i % 5 > 3 && i % 7 == 2 { 103 } else { i % 5 };
            vec![1, n]
        },
    ));
    out.extend(modules());
    out
}

/// Whole modules: of versions 1.0 and 1.6, with decorations in groups, several entry points, sizes by id.
fn modules() -> Vec<Case> {
    let old = "OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %one \"one\" %lid
OpEntryPoint GLCompute %two \"two\" %lid
OpExecutionMode %one LocalSize 64 1 1
OpExecutionMode %two LocalSize 64 1 1
%file = OpString \"a.comp\"
OpSource GLSL 450 %file \"text\"
OpSourceContinued \"more\"
OpSourceExtension \"E\"
OpDecorate %lid BuiltIn LocalInvocationId
OpDecorate %at Offset 0
%at = OpDecorationGroup
OpGroupMemberDecorate %at %Buf 0
OpDecorate %place DescriptorSet 0
OpDecorate %place Binding 0
%place = OpDecorationGroup
OpGroupDecorate %place %out
OpDecorate %Buf BufferBlock
OpDecorate %arr ArrayStride 4
%void = OpTypeVoid
%fn = OpTypeFunction %void
%u = OpTypeInt 32 0
%v3u = OpTypeVector %u 3
%p_v3u = OpTypePointer Input %v3u
%lid = OpVariable %p_v3u Input
%arr = OpTypeRuntimeArray %u
%Buf = OpTypeStruct %arr
%p_Buf = OpTypePointer Uniform %Buf
%p_u = OpTypePointer Uniform %u
%out = OpVariable %p_Buf Uniform
%u0 = OpConstant %u 0
%u5 = OpConstant %u 5
%n = OpConstant %u 12000
%big = OpTypeArray %u %n
%p_big = OpTypePointer Workgroup %big
%p_su = OpTypePointer Workgroup %u
%s1 = OpVariable %p_big Workgroup
%s2 = OpVariable %p_big Workgroup
%one = OpFunction %void None %fn
%a0 = OpLabel
OpLine %file 7 1
%a1 = OpLoad %v3u %lid
%a2 = OpCompositeExtract %u %a1 0
%a3 = OpAccessChain %p_su %s1 %a2
OpStore %a3 %a2
%a4 = OpInBoundsAccessChain %p_u %out %u0 %a2
%a5 = OpLoad %u %a3
OpNoLine
OpStore %a4 %a5
OpReturn
OpFunctionEnd
%two = OpFunction %void None %fn
%b0 = OpLabel
%b1 = OpLoad %v3u %lid
%b2 = OpCompositeExtract %u %b1 0
%b3 = OpAccessChain %p_su %s2 %b2
OpStore %b3 %u5
%b4 = OpAccessChain %p_u %out %u0 %b2
%b5 = OpLoad %u %b3
OpStore %b4 %b5
OpReturn
OpFunctionEnd
";
    let by_id = "OpCapability Shader
OpCapability GroupNonUniform
OpExtension \"SPV_KHR_non_semantic_info\"
%ns = OpExtInstImport \"NonSemantic.Some.Set\"
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main \"main\" %lid %out
OpExecutionModeId %main LocalSizeId %size %u1 %u1
%text = OpString \"text\"
OpName %main \"main\"
OpMemberName %Buf 0 \"words\"
OpModuleProcessed \"a test\"
OpDecorateString %out UserSemantic \"words\"
OpMemberDecorateString %Buf 0 UserSemantic \"x\"
OpDecorate %lid BuiltIn LocalInvocationId
OpDecorate %size SpecId 4
OpDecorate %small SpecId 5
OpDecorate %byte SpecId 6
OpDecorate %out DescriptorSet 0
OpDecorate %out Binding 0
OpMemberDecorate %Buf 0 Offset 0
OpDecorate %Buf Block
OpDecorate %arr ArrayStride 4
OpDecorateId %val UniformId %u3
%void = OpTypeVoid
%fn = OpTypeFunction %void
%u = OpTypeInt 32 0
%us = OpTypeInt 16 0
%sc = OpTypeInt 8 1
%v3u = OpTypeVector %u 3
%p_v3u = OpTypePointer Input %v3u
%lid = OpVariable %p_v3u Input
%arr = OpTypeRuntimeArray %u
%Buf = OpTypeStruct %arr
%p_Buf = OpTypePointer StorageBuffer %Buf
%p_u = OpTypePointer StorageBuffer %u
%out = OpVariable %p_Buf StorageBuffer
%u0 = OpConstant %u 0
%u1 = OpConstant %u 1
%u3 = OpConstant %u 3
%u7 = OpConstant %u 7
%size = OpSpecConstant %u 8
%small = OpSpecConstant %us 3
%byte = OpSpecConstant %sc -3
%all = OpCopyObject %v3u %u7
%spec = OpSNegate %v3u %size
%info = OpExtInst %void %ns 1 %text
%main = OpFunction %void None %fn
%a0 = OpLabel
%a1 = OpLoad %v3u %lid
%i = OpCompositeExtract %u %a1 0
%w = OpUConvert %u %small
%x = OpSConvert %u %byte
%y = OpIMul %u %w %i
%val = OpIAdd %u %y %x
%v = OpTranspose %v3u %val
%vw = OpCompositeExtract %u %v 2
%av = OpCompositeExtract %u %all 1
%sv = OpCompositeExtract %u %spec 2
%z0 = OpIAdd %u %vw %av
%z1 = OpIAdd %u %z0 %sv
%a4 = OpAccessChain %p_u %out %u0 %i
OpStore %a4 %z1
OpReturn
OpFunctionEnd
";
    let by_id = by_id.replacen("OpCapability Shader", "OpCapability Shader\nOpCapability Int16\nOpCapability Int8", 1);
    let old = |name| Source::Asm(old.to_string(), name);
    vec![
        Case::new("SPIR-V 1.0: the first of two entry points", old("vulkan1.0"), 1, |i| vec![i]).entry("one"),
        Case::new("SPIR-V 1.0: the second of two entry points", old("vulkan1.0"), 1, |_| vec![5]).entry("two"),
        // The assembler does not know replicated composites and forward references yet.
        Case::new("sizes by id, replicated composites, strings", Source::Asm(by_id, "vulkan1.3"), 1, |i| {
            vec![(40_000 * i).wrapping_sub(100).wrapping_add(7 + 64)]
        })
        .spec(4, 64, 4)
        .spec(5, 40_000, 2)
        .spec(6, 0x9c, 1)
        .rename(83, 4461)
        .rename(126, 4462)
        .rename(84, 4463)
        .rename(12, 4433),
    ]
}
