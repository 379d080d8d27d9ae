//! Memory: every storage class and width, resources by index, initial values, shared memory with a layout, atomics, barriers.

use super::{Asm, Case, ITEMS, asm, glsl};

const NARROW: &[&str] = &[
    "GL_EXT_shader_explicit_arithmetic_types",
    "GL_EXT_shader_8bit_storage",
    "GL_EXT_shader_16bit_storage",
    "GL_EXT_scalar_block_layout",
];

pub fn cases() -> Vec<Case> {
    let mut out = vec![
        glsl(
            "an array in scratch memory beside the number of work-groups",
            &[],
            "",
            "uint a[200]; for (uint n = 0u; n < 200u; n++) a[n] = n * gl_NumWorkGroups.x + i; outw[o] = a[i * 7u % 200u]; outw[o + 1u] = gl_NumWorkGroups.y;",
            2,
            |i| vec![i * 7 % 200 + i, 1],
        ),
        glsl(
            "8, 16, 32 and 64 bits in buffers, push constants, private, function and shared memory",
            NARROW,
            "struct S { uint8_t a; u8vec3 b; int16_t c; u16vec3 d; f16vec3 h; uint64_t e; double g; i64vec2 l; };
layout(set = 0, binding = 1, scalar) buffer In { S s[64]; };
layout(push_constant, scalar) uniform P { uint8_t pa; i8vec3 pb; uint16_t pc; float16_t ph; uint64_t pd; f16vec2 pe; };
shared S sh[64]; S pr[2];",
            "S f[3]; f[i % 3u] = s[i]; f[i % 3u].b.y += uint8_t(200); pr[i & 1u] = f[i % 3u]; sh[i] = pr[i & 1u]; barrier(); S x = sh[63u - i];
outw[o] = uint(x.a); outw[o + 1u] = uint(x.b.x) + 256u * uint(x.b.y) + 65536u * uint(x.b.z); outw[o + 2u] = uint(int(x.c)); outw[o + 3u] = uint(x.d.z) + 65536u * uint(x.d.x);
outw[o + 4u] = floatBitsToUint(float(x.h.y) + float(x.h.z) * 4.0); outw[o + 5u] = uint(x.e >> 32); outw[o + 6u] = floatBitsToUint(float(x.g)); outw[o + 7u] = uint(x.l.y >> 16);
outw[o + 8u] = uint(pa) + uint(int(pb.z)); outw[o + 9u] = uint(pc); outw[o + 10u] = floatBitsToUint(float(ph) + float(pe.y)); outw[o + 11u] = uint(pd >> 24);
s[i].d = x.d; s[i].b = x.b; s[i].h.y = float16_t(0.5); memoryBarrierBuffer(); barrier(); outw[o + 12u] = uint(s[i].d.y) + uint(s[i].b.x) * 65536u; outw[o + 13u] = uint(int(s[i].c)) + uint(s[i].a);",
            14,
            |i| {
                let n = 63 - i;
                let s = |n: u32| (n, [n + 1, (n + 2 + 200) & 255, n + 3], -(n as i32) * 3, [n * 5, n * 6, n * 7]);
                let (a, b, c, d) = s(n);
                let own = s(i);
                vec![
                    a,
                    b[0] + 256 * b[1] + 65536 * b[2],
                    c as u32,
                    d[2] + 65536 * d[0],
                    (n as f32 * 0.5 + 4.0 * n as f32).to_bits(),
                    n * 3,
                    (n as f32 * 0.25).to_bits(),
                    ((-(i64::from(n)) * 0x10_0001) >> 16) as u32,
                    200u32.wrapping_add(-5i32 as u32),
                    60000,
                    (1.5f32 + 0.25).to_bits(),
                    0x0123_4567_89ab_cdefu64.wrapping_shr(24) as u32,
                    d[1] + b[0] * 65536,
                    (own.2 as u32).wrapping_add(own.0),
                ]
            },
        )
        .push({
            let mut p = vec![200u8, 1, 2, 0xfb];
            p.extend(60000u16.to_le_bytes());
            p.extend(0x3e00u16.to_le_bytes());
            p.extend(0x0123_4567_89ab_cdefu64.to_le_bytes());
            p.extend([0, 0, 0x00, 0x34]);
            p
        })
        .with({
            // a, b: 4 bytes; c at 4; d at 6; h at 12; 6 bytes to 24; e; g; l.
            let mut bytes = Vec::new();
            for n in 0..64u32 {
                bytes.extend([n as u8, n as u8 + 1, n as u8 + 2, n as u8 + 3]);
                bytes.extend((-(n as i32) as i16 * 3).to_le_bytes());
                (5..8).for_each(|k| bytes.extend((n as u16 * k).to_le_bytes()));
                [n as f32 * 2.0, n as f32 * 0.5, n as f32].into_iter().for_each(|x| bytes.extend(half(x).to_le_bytes()));
                bytes.extend([0; 6]);
                bytes.extend((u64::from(n) * 3 << 32).to_le_bytes());
                bytes.extend((f64::from(n) * 0.25).to_le_bytes());
                bytes.extend([0; 8]);
                bytes.extend((-(i64::from(n)) * 0x10_0001).to_le_bytes());
            }
            bytes.chunks_exact(4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect()
        }),
        glsl(
            "shared variables with a layout share their memory",
            &["GL_EXT_shared_memory_block", "GL_EXT_shader_explicit_arithmetic_types", "GL_EXT_scalar_block_layout"],
            "layout(scalar) shared A { uint a[64]; }; layout(scalar) shared B { u16vec2 b[64]; }; layout(scalar) shared C { layout(offset = 8) float c[16]; uint8_t d[200]; };",
            "a[i] = i * 0x10003u; barrier(); outw[o] = uint(b[63u - i].x) + 7u * uint(b[63u - i].y); outw[o + 1u] = floatBitsToUint(c[i % 16u]); outw[o + 2u] = uint(d[i]);",
            3,
            |i| {
                let word = |n: u32| n * 0x10003;
                let w = word(63 - i);
                vec![
                    (w & 0xffff) + 7 * (w >> 16),
                    word(2 + i % 16),
                    // d follows c at byte 72.
                    word((72 + i) / 4) >> ((72 + i) % 4 * 8) & 255,
                ]
            },
        ),
        glsl(
            "atomics on every class",
            &["GL_EXT_shader_atomic_int64", "GL_EXT_shader_explicit_arithmetic_types_int64", "GL_KHR_memory_scope_semantics"],
            "layout(set = 0, binding = 1) buffer In { uint n; int lo; uint64_t big; uint pad[4]; uint64_t most; uint more; }; shared uint64_t s64; shared uint s32; shared int least;",
            "if (i == 0u) { s64 = 0ul; s32 = 5u; least = 100; } barrier();
atomicAdd(s64, uint64_t(i) << 30); atomicMax(s32, i * 3u); atomicMin(least, -int(i)); atomicXor(n, i); atomicMin(lo, -int(i)); atomicAdd(big, 0x100000001ul); atomicMax(most, uint64_t(i) << 33);
atomicStore(pad[i % 4u], i % 4u + 9u, gl_ScopeDevice, gl_StorageSemanticsBuffer, gl_SemanticsRelease);
memoryBarrier(gl_ScopeDevice, gl_StorageSemanticsBuffer | gl_StorageSemanticsShared, gl_SemanticsAcquireRelease); controlBarrier(gl_ScopeWorkgroup, gl_ScopeDevice, gl_StorageSemanticsBuffer | gl_StorageSemanticsShared, gl_SemanticsAcquireRelease);
outw[o] = uint(s64 >> 30); outw[o + 1u] = s32; outw[o + 2u] = uint(least); outw[o + 3u] = n; outw[o + 4u] = uint(lo); outw[o + 5u] = uint(big >> 32); outw[o + 6u] = uint(most >> 33);
outw[o + 7u] = atomicLoad(pad[i % 4u], gl_ScopeDevice, gl_StorageSemanticsBuffer, gl_SemanticsAcquire);
uint old = atomicCompSwap(more, 12u, 50u + i); outw[o + 8u] = old >= 50u && old < 114u || old == 12u ? 1u : 0u;",
            9,
            |i| vec![2016, 189, -63i32 as u32, 0, -63i32 as u32, 64, 63, [9, 10, 11][i as usize % 4 % 3], 1]
                .into_iter()
                .enumerate()
                .map(|(k, v)| if k == 7 { i % 4 + 9 } else { v })
                .collect(),
        )
        .with((0..16).map(|n| if n == 10 { 12 } else { 0 }).collect()),
        asm(
            "initial values of private and shared variables",
            Asm {
                env: "vulkan1.3",
                interface: "%pv %sn %so",
                globals: "%n400 = OpConstant %u 400
%big = OpTypeArray %u %n400
%p_big = OpTypePointer Workgroup %big
%nbig = OpConstantNull %big
%sn = OpVariable %p_big Workgroup %nbig
%v = OpConstantComposite %v3u %u3 %u5 %u9
%p_v = OpTypePointer Private %v3u
%pv = OpVariable %p_v Private %v
%p_s = OpTypePointer Workgroup %u
%nu = OpConstantNull %u
%so = OpVariable %p_s Workgroup %nu",
                ..Asm::default()
            },
            "%at = OpIMul %u %i %u6
%p = OpAccessChain %p_s %sn %at
%x = OpLoad %u %p
!0 %x
%w = OpLoad %v3u %pv
%y = OpCompositeExtract %u %w 1
!1 %y
%z = OpLoad %u %so
!2 %z",
            3,
            |_| vec![0, 5, 0],
        ),
    ];
    out.push(asm(
        "every atomic, on buffers, shared and (as nobody else sees it) private memory",
        Asm {
            env: "vulkan1.2",
            capabilities: "OpCapability AtomicFloat32AddEXT\nOpCapability AtomicFloat32MinMaxEXT\nOpExtension \"SPV_EXT_shader_atomic_float_add\"\nOpExtension \"SPV_EXT_shader_atomic_float_min_max\"",
            interface: "%in1 %sh %in2",
            decorations: "OpDecorate %in1 DescriptorSet 0\nOpDecorate %in1 Binding 1\nOpDecorate %in2 DescriptorSet 0\nOpDecorate %in2 Binding 2\nOpDecorate %farr ArrayStride 4\nOpMemberDecorate %fblk 0 Offset 0\nOpDecorate %fblk Block",
            globals: "%in1 = OpVariable %p_buf StorageBuffer
%farr = OpTypeRuntimeArray %f
%fblk = OpTypeStruct %farr
%p_fblk = OpTypePointer StorageBuffer %fblk
%p_f = OpTypePointer StorageBuffer %f
%in2 = OpVariable %p_fblk StorageBuffer
%sa = OpTypeArray %u %u16
%p_sa = OpTypePointer Workgroup %sa
%p_su = OpTypePointer Workgroup %u
%sh = OpVariable %p_sa Workgroup
%sem = OpConstant %u 0x148
%half = OpConstant %f 0.5",
            ..Asm::default()
        },
        "%first = OpIEqual %b %i %u0
OpSelectionMerge %go None
OpBranchConditional %first %clear %go
%clear = OpLabel
CLEAR
OpBranch %go
%go = OpLabel
OpControlBarrier %u2 %u2 %sem
%signed = OpISub %u %i %u32
BUFFER
%fi = OpConvertUToF %f %i
%fp0 = OpAccessChain %p_f %in2 %u0 %u0
%fp1 = OpAccessChain %p_f %in2 %u0 %u1
%fp2 = OpAccessChain %p_f %in2 %u0 %u2
%fo0 = OpAtomicFAddEXT %f %fp0 %u1 %u0 %half
%fo1 = OpAtomicFMinEXT %f %fp1 %u1 %u0 %fi
%fo2 = OpAtomicFMaxEXT %f %fp2 %u1 %u0 %fi
OpControlBarrier %u2 %u1 %sem
RESULTS"
            .replace("CLEAR", &(0..11).map(|n| format!("%s{n}p = OpAccessChain %p_su %sh %u{n}\nOpStore %s{n}p %u7\n")).collect::<String>())
            .replace("BUFFER", &{
                let ops = ["IAdd", "ISub", "SMin", "UMin", "SMax", "UMax", "And", "Or", "Xor"];
                let mut text = String::new();
                for (n, op) in ops.into_iter().enumerate() {
                    for (place, chain, pre) in [("b", "%p_u %in1 %u0", "B"), ("s", "%p_su %sh", "S")] {
                        text += &format!("%{place}{pre}{n} = OpAccessChain {chain} %u{n}\n%{place}o{n} = OpAtomic{op} %u %{place}{pre}{n} %u1 %u0 %signed\n");
                    }
                }
                for (place, chain) in [("b", "%p_u %in1 %u0"), ("s", "%p_su %sh")] {
                    text += &format!("%{place}X9 = OpAccessChain {chain} %u9\n%{place}o9 = OpAtomicIIncrement %u %{place}X9 %u1 %u0\n");
                    text += &format!("%{place}X10 = OpAccessChain {chain} %u10\n%{place}o10 = OpAtomicIDecrement %u %{place}X10 %u1 %u0\n");
                }
                text
            })
            .replace("RESULTS", &{
                let mut text = String::new();
                for n in 0..11 {
                    text += &format!("%rb{n}p = OpAccessChain %p_u %in1 %u0 %u{n}\n%rb{n} = OpLoad %u %rb{n}p\n%rs{n}p = OpAccessChain %p_su %sh %u{n}\n%rs{n} = OpLoad %u %rs{n}p\n%rx{n} = OpIMul %u %rs{n} %u3\n%ry{n} = OpIAdd %u %rx{n} %rb{n}\n!{n} %ry{n}\n");
                }
                for n in 0..3 {
                    text += &format!("%rf{n} = OpLoad %f %fp{n}\n%rg{n} = OpBitcast %u %rf{n}\n!{} %rg{n}\n", n + 11);
                }
                text
            })
            .as_str(),
        14,
        |_| {
            let all: Vec<u32> = (0..64u32).map(|i| i.wrapping_sub(32)).collect();
            let sum = all.iter().fold(0u32, |a, &b| a.wrapping_add(b));
            let start = 7u32;
            let results = [
                start.wrapping_add(sum),
                start.wrapping_sub(sum),
                -32i32 as u32,
                0,
                31,
                u32::MAX,
                0,
                u32::MAX,
                all.iter().fold(start, |a, &b| a ^ b),
                start + 64,
                start.wrapping_sub(64),
            ];
            let mut out: Vec<u32> = results.iter().map(|&r| r.wrapping_mul(4)).collect();
            out.extend([(1.0f32 + 32.0).to_bits(), 0f32.to_bits(), 63f32.to_bits()]);
            out
        },
    ).with(vec![7; 16]).with(vec![1f32.to_bits(); 4]));
    // Arrays of buffers: the index differs between the lanes of a wave.
    let mut arrays = glsl(
        "an array of buffers by an index that is not uniform",
        &["GL_EXT_nonuniform_qualifier"],
        "layout(set = 0, binding = 1) buffer In { uint n; uint a[]; } b[4];",
        "uint k = i * 7u % 4u; outw[o] = b[nonuniformEXT(k)].a[i]; outw[o + 1u] = uint(b[nonuniformEXT(k)].a.length()); atomicAdd(b[nonuniformEXT(k)].n, 1u); b[nonuniformEXT(3u - k)].a[i] = 5u;",
        2,
        |i| vec![i + 2, 127],
    );
    arrays.elements = (0..4).map(|_| (1..129).collect()).collect();
    out.push(arrays);
    let mut forward = asm(
        "a list by forward pointer; addresses as numbers",
        Asm {
            capabilities: "OpCapability PhysicalStorageBufferAddresses\nOpCapability Int64",
            interface: "%push",
            decorations: "OpDecorate %P Block\nOpMemberDecorate %P 0 Offset 0\nOpMemberDecorate %Node 0 Offset 0\nOpMemberDecorate %Node 1 Offset 8\nOpMemberDecorate %Node 1 Coherent\nOpDecorate %Node Block\nOpDecorate %start RestrictPointer\nOpDecorate %pn ArrayStride 16",
            globals: "OpTypeForwardPointer %pn PhysicalStorageBuffer
%ul = OpTypeInt 64 0
%l16 = OpConstant %ul 16
%v2f = OpTypeVector %f 2
%f1 = OpConstant %f 1.5
%semantics = OpConstant %u 0x148
%Node = OpTypeStruct %pn %u
%pn = OpTypePointer PhysicalStorageBuffer %Node
%ppn = OpTypePointer PhysicalStorageBuffer %pn
%pnu = OpTypePointer PhysicalStorageBuffer %u
%P = OpTypeStruct %pn
%pP = OpTypePointer PushConstant %P
%pPn = OpTypePointer PushConstant %pn
%pFn = OpTypePointer Function %pn
%push = OpVariable %pP PushConstant",
            ..Asm::default()
        },
        "%start = OpVariable %pFn Function
%pp = OpAccessChain %pPn %push %u0
%base = OpLoad %pn %pp
OpStore %start %base
%b1 = OpLoad %pn %start
%n = OpConvertPtrToU %ul %b1
%wide = OpUConvert %ul %i
%off = OpIMul %ul %wide %l16
%own = OpIAdd %ul %n %off
%mine = OpConvertUToPtr %pn %own
%nextp = OpAccessChain %ppn %mine %u0
%three = OpPtrAccessChain %pn %b1 %u3
%odd = OpBitwiseAnd %u %i %u1
%c = OpIEqual %b %odd %u0
%to = OpSelect %pn %c %three %mine
OpStore %nextp %to Aligned 8
%valp = OpAccessChain %pnu %mine %u1
OpStore %valp %i Aligned 4
OpControlBarrier %u2 %u1 %semantics
%nx = OpLoad %pn %nextp Aligned 16
%vp = OpAccessChain %pnu %nx %u1
%v = OpLoad %u %vp Aligned 8
!0 %v
%x = OpConvertUToF %f %i
%fv = OpCompositeConstruct %v2f %x %f1
%fs = OpVectorTimesScalar %v2f %fv %f1
%fa = OpCompositeExtract %f %fs 0
%fd = OpFSub %f %fa %f1
%fb = OpBitcast %u %fd
!1 %fb",
        2,
        |i| vec![if i % 2 == 0 { 3 } else { i }, (i as f32 * 1.5 - 1.5).to_bits()],
    );
    forward.address_of = Some(1024);
    out.push(forward);
    out.push(
        asm(
            "barriers and accesses of the Vulkan memory model",
            Asm {
                capabilities: "OpCapability VulkanMemoryModel\nOpCapability VulkanMemoryModelDeviceScope",
                interface: "%in1 %sh",
                decorations: "OpDecorate %in1 DescriptorSet 0\nOpDecorate %in1 Binding 1",
                globals: "%in1 = OpVariable %p_buf StorageBuffer
%c64 = OpConstant %u 64
%c63 = OpConstant %u 63
%sa = OpTypeArray %u %c64
%p_sa = OpTypePointer Workgroup %sa
%p_su = OpTypePointer Workgroup %u
%sh = OpVariable %p_sa Workgroup
%qf = OpConstant %u 5
%acqrel = OpConstant %u 0x6148
%acq = OpConstant %u 0x4042
%rel = OpConstant %u 0x2044",
                ..Asm::default()
            },
            "%p = OpAccessChain %p_su %sh %i
OpStore %p %i MakePointerAvailable|NonPrivatePointer %u2
%j = OpISub %u %c63 %i
OpControlBarrier %u2 %u2 %acqrel
%q = OpAccessChain %p_su %sh %j
%v = OpLoad %u %q Aligned|MakePointerVisible|NonPrivatePointer 4 %u2
!0 %v
%bp = OpAccessChain %p_u %in1 %u0 %i
OpStore %bp %v Volatile|Aligned 4
OpMemoryBarrier %u1 %acqrel
OpControlBarrier %u2 %qf %acqrel
%bq = OpAccessChain %p_u %in1 %u0 %j
%w = OpLoad %u %bq Nontemporal
!1 %w
%x = OpAtomicLoad %u %bq %u1 %acq
!2 %x
OpAtomicStore %bq %u1 %rel %x
%far = OpIAdd %u %i %c64
%fp = OpAccessChain %p_u %in1 %u0 %far
%y = OpAtomicExchange %u %fp %u3 %u0 %x
OpControlBarrier %u3 %u3 %acqrel
OpMemoryBarrier %u3 %acqrel
!3 %u1",
            4,
            |i| vec![63 - i, i, i, 1],
        )
        .with(vec![0; 2 * ITEMS as usize]),
    );
    out
}

/// The f16 nearest to a small multiple of ½.
fn half(x: f32) -> u16 {
    if x == 0.0 {
        return 0;
    }
    let bits = x.to_bits();
    (((bits >> 23) - 112) << 10 | (bits >> 13 & 0x3ff)) as u16
}
