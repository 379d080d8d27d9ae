//! One work-group of 64 work-items; `i` is the work-item, whose word of the buffer is `i` before, and `want(i)` after.

pub const ITEMS: u32 = 64;
/// The push constants, which some cases read as narrower numbers.
pub const PUSHED: u32 = 0x1234_5678;

pub enum Text {
    Glsl {
        extensions: &'static [&'static str],
        globals: &'static str,
        body: &'static str,
    },
    /// `head`: capabilities, extensions, imports. `body` stores %r.
    Asm {
        head: &'static str,
        modes: &'static str,
        globals: &'static str,
        body: &'static str,
    },
}

pub struct Case {
    pub name: &'static str,
    pub text: Text,
    pub want: fn(u32) -> u32,
}

/// The whole shader; the buffer is `w`, and other views of it may be declared at the same binding.
pub fn glsl(extensions: &[&str], globals: &str, body: &str) -> String {
    let extensions: String = extensions.iter().map(|e| format!("#extension {e} : require\n")).collect();
    format!(
        "#version 460\n{extensions}layout(local_size_x = {ITEMS}) in;\n{globals}\n\
         layout(set = 0, binding = 0) buffer Words {{ uint w[]; }};\n\
         void main() {{\nuint i = gl_LocalInvocationIndex;\n{body}\n}}\n"
    )
}

pub fn asm(head: &str, modes: &str, globals: &str, body: &str) -> String {
    let (entries, modes): (Vec<&str>, Vec<&str>) = modes.lines().partition(|line| line.starts_with("OpEntryPoint"));
    let (entries, modes) = (entries.join("\n"), modes.join("\n"));
    let model = if head.contains("VulkanMemoryModel") { "Vulkan" } else { "GLSL450" };
    format!(
        "OpCapability Shader\n{head}\nOpMemoryModel Logical {model}\n\
         OpEntryPoint GLCompute %main \"main\" %lid %w\n{entries}\nOpExecutionMode %main LocalSize {ITEMS} 1 1\n{modes}\n\
         OpDecorate %lid BuiltIn LocalInvocationIndex\nOpDecorate %words ArrayStride 4\nOpDecorate %p_word ArrayStride 4\n\
         OpDecorate %Words Block\nOpMemberDecorate %Words 0 Offset 0\n\
         OpDecorate %w DescriptorSet 0\nOpDecorate %w Binding 0\n\
         %void = OpTypeVoid\n%fn = OpTypeFunction %void\n%bool = OpTypeBool\n%u = OpTypeInt 32 0\n%s = OpTypeInt 32 1\n\
         %f = OpTypeFloat 32\n%p_lid = OpTypePointer Input %u\n%lid = OpVariable %p_lid Input\n\
         %words = OpTypeRuntimeArray %u\n%Words = OpTypeStruct %words\n\
         %p_words = OpTypePointer StorageBuffer %Words\n%w = OpVariable %p_words StorageBuffer\n\
         %p_word = OpTypePointer StorageBuffer %u\n\
         %u0 = OpConstant %u 0\n%u1 = OpConstant %u 1\n%u2 = OpConstant %u 2\n%u3 = OpConstant %u 3\n%u4 = OpConstant %u 4\n\
         {globals}\n%main = OpFunction %void None %fn\n%entry = OpLabel\n%i = OpLoad %u %lid\n\
         %mine = OpAccessChain %p_word %w %u0 %i\n{body}\nOpStore %mine %r\nOpReturn\nOpFunctionEnd\n"
    )
}

/// What some generations have no instructions for: which feature each needs is said where they are run.
pub const MIN_MAX: Case = Case {
    name: "minimum and maximum of floats in buffers",
    text: Text::Glsl {
        extensions: &["GL_EXT_shader_atomic_float", "GL_EXT_shader_atomic_float2"],
        globals: "layout(set = 0, binding = 0) buffer Floats { float f[]; };
layout(set = 0, binding = 0) buffer Doubles { double d[]; };",
        body: "if (i == 0) { f[100] = 0.0; d[100] = 1e9lf; }
memoryBarrierBuffer(); barrier();
atomicMax(f[100], float(i)); atomicMin(d[100], double(i + 3));
memoryBarrierBuffer(); barrier();
w[i] = uint(f[100]) + (uint(d[100]) << 8);",
    },
    want: |_| 63 + (3 << 8),
};
pub const SHARED_ADD: Case = Case {
    name: "floats added in shared memory",
    text: Text::Glsl {
        extensions: &["GL_EXT_shader_atomic_float"],
        globals: "shared float s;",
        body: "if (i == 0) s = 0.0;\nbarrier();\natomicAdd(s, 1.0);\nbarrier();\nw[i] = uint(s);",
    },
    want: |_| ITEMS,
};
pub const DEVICE_CLOCK: Case = Case {
    name: "the device's clock",
    text: Text::Glsl {
        extensions: &["GL_EXT_shader_realtime_clock", "GL_EXT_shader_explicit_arithmetic_types"],
        globals: "",
        body: "uint64_t a = clockRealtimeEXT();\nw[i] = uint(clockRealtimeEXT() >= a && a != 0ul);",
    },
    want: |_| 1,
};

pub const CASES: &[Case] = &[
    Case {
        name: "8- and 16-bit storage and integers",
        text: Text::Glsl {
            extensions: &["GL_EXT_shader_explicit_arithmetic_types"],
            globals: "layout(set = 0, binding = 0) buffer Halves { uint16_t h[]; };
layout(set = 0, binding = 0) buffer Bytes { uint8_t b[]; };",
            body: "uint16_t x = h[2 * i] * uint16_t(1000);
uint8_t y = b[4 * i] + uint8_t(250);
barrier();
h[2 * i + 1] = x;
b[4 * i] = y;",
        },
        want: |i| (i * 1000 & 0xffff) << 16 | i + 250 & 255,
    },
    Case {
        name: "8- and 16-bit push constants",
        text: Text::Glsl {
            extensions: &["GL_EXT_shader_explicit_arithmetic_types"],
            globals: "layout(push_constant) uniform Push { uint8_t a; uint8_t b; uint16_t c; };",
            body: "w[i] = uint(a) + (uint(b) << 8) + (uint(c) << 16) + i;",
        },
        want: |i| PUSHED + i,
    },
    Case {
        name: "16-bit floats",
        text: Text::Glsl {
            extensions: &["GL_EXT_shader_explicit_arithmetic_types"],
            globals: "layout(set = 0, binding = 0) buffer Halves { float16_t h[]; };",
            body: "float16_t x = float16_t(i) * 0.5hf + 1.0hf;
h[2 * i] = x;
w[i] = uint(float(h[2 * i]) * 4.0);",
        },
        want: |i| 2 * i + 4,
    },
    Case {
        name: "64-bit integers",
        text: Text::Glsl {
            extensions: &["GL_EXT_shader_explicit_arithmetic_types"],
            globals: "",
            body: "uint64_t x = (uint64_t(i) << 33 | 7ul) * 3ul / 2ul; w[i] = uint(x >> 32) ^ uint(x);",
        },
        want: |i| {
            let x = (u64::from(i) << 33 | 7) * 3 / 2;
            (x >> 32) as u32 ^ x as u32
        },
    },
    Case {
        name: "64-bit floats",
        text: Text::Glsl {
            extensions: &[],
            globals: "",
            body: "double x = double(i) + 1.0lf / 1099511627776.0lf; w[i] = x > double(i) ? 2 * i : 0;",
        },
        want: |i| 2 * i,
    },
    Case {
        name: "64-bit atomics in buffers and shared memory",
        text: Text::Glsl {
            extensions: &["GL_EXT_shader_explicit_arithmetic_types", "GL_EXT_shader_atomic_int64"],
            globals: "layout(set = 0, binding = 0) buffer Long { uint64_t l[]; };\nshared uint64_t s;",
            body: "if (i == 0) { s = 0ul; l[100] = 0ul; }
barrier(); memoryBarrierBuffer();
atomicAdd(s, 0x100000001ul);
atomicMax(l[100], uint64_t(i) << 40 | 5ul);
memoryBarrierBuffer(); barrier();
w[i] = uint(s >> 32) + uint(s) + uint(l[100] >> 32) + uint(l[100]);",
        },
        want: |_| 64 + 64 + (63 << 8) + 5,
    },
    Case {
        name: "atomics on floats",
        text: Text::Glsl {
            extensions: &["GL_EXT_shader_atomic_float", "GL_EXT_shader_atomic_float2"],
            globals: "layout(set = 0, binding = 0) buffer Floats { float f[]; };
layout(set = 0, binding = 0) buffer Doubles { double d[]; };
shared float s;\nshared double t;",
            body: "if (i == 0) { s = 0.0; t = 0.0lf; f[100] = 0.0; d[100] = 67.0lf; }
barrier(); memoryBarrierBuffer();
atomicMax(s, float(i)); atomicMax(t, double(i)); atomicAdd(f[100], 2.0); atomicAdd(d[100], -1.0lf);
memoryBarrierBuffer(); barrier();
w[i] = uint(s) + (uint(t) << 8) + (uint(f[100]) << 16) + (uint(d[100]) << 24);",
        },
        want: |_| 63 + (63 << 8) + (128 << 16) + (3 << 24),
    },
    Case {
        name: "the Vulkan memory model with device scope",
        text: Text::Glsl {
            extensions: &["GL_KHR_memory_scope_semantics"],
            globals: "#pragma use_vulkan_memory_model",
            body: "uint x = atomicAdd(w[i], 5, gl_ScopeDevice, gl_StorageSemanticsBuffer, gl_SemanticsAcquireRelease);
memoryBarrier(gl_ScopeQueueFamily, gl_StorageSemanticsBuffer, gl_SemanticsRelease | gl_SemanticsMakeAvailable);
atomicStore(w[i], x * 2, gl_ScopeDevice, gl_StorageSemanticsBuffer, gl_SemanticsRelease);",
        },
        want: |i| 2 * i,
    },
    Case {
        name: "shared memory that begins as zero",
        text: Text::Glsl {
            extensions: &["GL_EXT_null_initializer"],
            globals: "shared uint z[100] = {};",
            body: "w[i] = z[i] + z[99 - i] + i + 1;",
        },
        want: |i| i + 1,
    },
    Case {
        name: "shared memory with an explicit layout",
        text: Text::Glsl {
            extensions: &[
                "GL_EXT_shader_explicit_arithmetic_types",
                "GL_EXT_shared_memory_block",
                "GL_EXT_scalar_block_layout",
            ],
            globals: "shared Words2 { uint a[64]; };\nshared Halves { uint16_t h[128]; };\nlayout(scalar) shared Bytes { uint8_t b[256]; };",
            body: "a[i] = i << 24 | 0x030200 | i;
barrier();
w[i] = uint(h[2 * i + 1]) + uint(b[4 * i]);",
        },
        want: |i| (i << 8 | 3) + i,
    },
    Case {
        name: "subgroup operations on all types, clustered, in quads",
        text: Text::Glsl {
            extensions: &[
                "GL_EXT_shader_explicit_arithmetic_types",
                "GL_KHR_shader_subgroup_arithmetic",
                "GL_KHR_shader_subgroup_clustered",
                "GL_KHR_shader_subgroup_quad",
                "GL_KHR_shader_subgroup_shuffle",
                "GL_EXT_shader_subgroup_extended_types_int8",
                "GL_EXT_shader_subgroup_extended_types_int16",
                "GL_EXT_shader_subgroup_extended_types_int64",
                "GL_EXT_shader_subgroup_extended_types_float16",
            ],
            globals: "",
            body: "bool all = uint(subgroupAdd(uint8_t(1))) == gl_SubgroupSize;
all = all && uint(subgroupMax(int16_t(gl_SubgroupInvocationID))) == gl_SubgroupSize - 1;
all = all && subgroupMin(uint64_t(i) << 32 | 9ul) == (uint64_t(i / gl_SubgroupSize * gl_SubgroupSize) << 32 | 9ul);
all = all && subgroupShuffle(float16_t(gl_SubgroupInvocationID), 3u) == 3.0hf;
w[i] = (all ? 1000 : 0) + subgroupClusteredAdd(i, 4) + subgroupQuadSwapHorizontal(i);",
        },
        want: |i| 1000 + (i / 4 * 16 + 6) + (i ^ 1),
    },
    Case {
        name: "an invocation chosen by a dynamically uniform number",
        text: Text::Glsl {
            extensions: &["GL_KHR_shader_subgroup_ballot"],
            globals: "",
            body: "uint n = subgroupBroadcastFirst(w[200] - 190); w[i] = subgroupBroadcast(gl_SubgroupInvocationID, n);",
        },
        want: |_| 10,
    },
    Case {
        name: "derivatives in quads of a row of work-items",
        text: Text::Glsl {
            extensions: &["GL_NV_compute_shader_derivatives"],
            globals: "layout(derivative_group_linearNV) in;",
            body: "float x = float(w[i] * w[i]); w[i] = uint(dFdxFine(x)) + (uint(dFdy(x)) << 16);",
        },
        want: |i| {
            let square = |i: u32| i * i;
            (square(i | 1) - square(i & !1)) + ((square(i & !3 | 2) - square(i & !3)) << 16)
        },
    },
    Case {
        name: "the subgroup's clock",
        text: Text::Glsl {
            extensions: &["GL_ARB_shader_clock", "GL_EXT_shader_explicit_arithmetic_types"],
            globals: "",
            body: "uint64_t a = clockARB();
uint x = i;
for (uint n = 0; n < 200 + w[0]; n++) x = x * 1664525u + 1013904223u;
w[255] = x;
memoryBarrierBuffer(); barrier();
w[i] = uint(clockARB() > a);",
        },
        want: |_| 1,
    },
    Case {
        name: "denormals flushed",
        text: Text::Glsl {
            extensions: &["GL_EXT_spirv_intrinsics"],
            globals: "spirv_execution_mode(extensions = [\"SPV_KHR_float_controls\"], capabilities = [4465], 4460, 32);",
            body: "precise float x = uintBitsToFloat(w[i] + 1) * 1.0; w[i] = floatBitsToUint(x);",
        },
        want: |_| 0,
    },
    Case {
        name: "pointers chosen by a value",
        text: Text::Asm {
            head: "OpCapability VariablePointers",
            modes: "",
            globals: "%u100 = OpConstant %u 100\n%u128 = OpConstant %u 128",
            body: "%odd = OpBitwiseAnd %u %i %u1
%c = OpINotEqual %bool %odd %u0
%p1 = OpAccessChain %p_word %w %u0 %u100
%p2 = OpAccessChain %p_word %w %u0 %u128
%p = OpSelect %p_word %c %p1 %p2
%q = OpPtrAccessChain %p_word %p %i
%r = OpLoad %u %q",
        },
        want: |i| i + if i & 1 == 1 { 100 } else { 128 },
    },
    Case {
        name: "integer dot products",
        text: Text::Asm {
            head: "OpCapability DotProduct\nOpCapability DotProductInput4x8BitPacked",
            modes: "",
            globals: "%k = OpConstant %u 0x01020304\n%top = OpConstant %u 0xfffffff0",
            body: "%x = OpUDot %u %i %k PackedVectorFormat4x8Bit
%y = OpUDotAccSat %u %k %k %top PackedVectorFormat4x8Bit
%z = OpIAdd %u %y %u1
%r = OpIAdd %u %x %z",
        },
        want: |i| 4 * i,
    },
    Case {
        name: "fragments ended in the same module",
        text: Text::Asm {
            head: "OpCapability DemoteToHelperInvocation",
            modes: "OpEntryPoint Fragment %frag \"frag\"\nOpExecutionMode %frag OriginUpperLeft\nOpEntryPoint Fragment %frag2 \"frag2\"\nOpExecutionMode %frag2 OriginUpperLeft",
            globals: "%frag = OpFunction %void None %fn
%f1 = OpLabel
OpDemoteToHelperInvocation
OpReturn
OpFunctionEnd
%frag2 = OpFunction %void None %fn
%f2 = OpLabel
OpTerminateInvocation
OpFunctionEnd",
            body: "%r = OpIMul %u %i %u3",
        },
        want: |i| 3 * i,
    },
];

/// Numbers stand for what the assembler does not know yet.
pub const NEWER: &[Case] = &[
    Case {
        name: "rotation in the subgroup and in clusters",
        text: Text::Asm {
            head: "OpCapability GroupNonUniformRotateKHR\nOpExtension \"SPV_KHR_subgroup_rotate\"",
            modes: "",
            globals: "",
            body: "%x = OpGroupNonUniformRotateKHR %u %u3 %i %u1 %u4
%r = OpBitwiseXor %u %x %i",
        },
        want: |i| (i & !3 | (i + 1) & 3) ^ i,
    },
    Case {
        name: "expectations and assumptions",
        text: Text::Asm {
            head: "OpCapability ExpectAssumeKHR\nOpExtension \"SPV_KHR_expect_assume\"",
            modes: "",
            globals: "",
            body: "%x = OpExpectKHR %u %i %u2
%c = OpULessThanEqual %bool %u0 %x
OpAssumeTrueKHR %c
%r = OpIAdd %u %x %u4",
        },
        want: |i| i + 4,
    },
    Case {
        // FloatControls2, and FPFastMathDefault for f32 with no flags: the product is rounded before the sum.
        name: "float controls by type",
        text: Text::Asm {
            head: "OpCapability !6029\nOpExtension \"SPV_KHR_float_controls2\"",
            modes: "OpExecutionModeId %main !6028 %f %u0",
            globals: "%a = OpConstant %f 1.00048828125\n%minus = OpConstant %f -1.0009765625",
            body: "%fi = OpConvertUToF %f %i
%zero = OpFSub %f %fi %fi
%x = OpFAdd %f %a %zero
%square = OpFMul %f %x %x
%d = OpFAdd %f %square %minus
%bits = OpBitcast %u %d
%r = OpIAdd %u %bits %i",
        },
        want: |i| {
            let x = 1.000_488_3_f32;
            (x * x - 1.000_976_6).to_bits() + i
        },
    },
    Case {
        // MaximallyReconvergesKHR: those that leave the loop meet again behind it.
        name: "maximal reconvergence",
        text: Text::Asm {
            head: "OpCapability GroupNonUniformArithmetic\nOpCapability GroupNonUniformVote\nOpExtension \"SPV_KHR_maximal_reconvergence\"",
            modes: "OpExecutionMode %main !6023",
            globals: "%u16 = OpConstant %u 16",
            body: "%start = OpUMod %u %i %u4
%quarter = OpUDiv %u %i %u16
OpBranch %head
%head = OpLabel
%n = OpPhi %u %start %entry %next %more
OpLoopMerge %after %more None
OpBranch %test
%test = OpLabel
%go = OpULessThan %bool %n %u4
OpBranchConditional %go %more %after
%more = OpLabel
%next = OpIAdd %u %n %u1
OpBranch %head
%after = OpLabel
%one = OpGroupNonUniformIAdd %u %u3 ClusteredReduce %u1 %u16
%r = OpIAdd %u %one %n",
        },
        want: |_| 16 + 4,
    },
    Case {
        // QuadControlKHR: OpGroupNonUniformQuadAnyKHR.
        name: "votes in quads",
        text: Text::Asm {
            head: "OpCapability !5087\nOpExtension \"SPV_KHR_quad_control\"",
            modes: "",
            globals: "%u9 = OpConstant %u 9",
            body: "%c = OpIEqual %bool %i %u9
!0x000413f7 %bool %q %c
%r = OpSelect %u %q %u2 %i",
        },
        want: |i| if i / 4 == 2 { 2 } else { i },
    },
    Case {
        // OpExtInstWithForwardRefsKHR, whose operand comes later.
        name: "extended instructions with forward references",
        text: Text::Asm {
            head: "OpExtension \"SPV_KHR_non_semantic_info\"\nOpExtension \"SPV_KHR_relaxed_extended_instruction\"\n%ns = OpExtInstImport \"NonSemantic.DebugPrintf\"",
            modes: "%text = OpString \"%u\"",
            globals: "",
            body: "%x = OpCopyObject %u %i
!0x00071151 %void %said %ns !1 %text %r
%r = OpIAdd %u %x %u4",
        },
        want: |i| i + 4,
    },
    Case {
        // ReplicatedCompositesEXT: OpConstantCompositeReplicateEXT.
        name: "composites of one value",
        text: Text::Asm {
            head: "OpCapability !6024\nOpExtension \"SPV_EXT_replicated_composites\"",
            modes: "",
            globals: "%v4u = OpTypeVector %u 4\n!0x0004116d %v4u %all %u3",
            body: "%x = OpCompositeExtract %u %all 2
%r = OpIMul %u %x %i",
        },
        want: |i| 3 * i,
    },
    Case {
        name: "strings and semantics as HLSL compilers write them",
        text: Text::Asm {
            head: "OpExtension \"SPV_GOOGLE_decorate_string\"\nOpExtension \"SPV_GOOGLE_hlsl_functionality1\"\n\
                   OpExtension \"SPV_GOOGLE_user_type\"",
            modes: "OpDecorateString %w UserTypeGOOGLE \"rwstructuredbuffer\"\n\
                    OpMemberDecorateString %Words 0 UserSemantic \"WORDS\"\nOpDecorateId %w CounterBuffer %w",
            globals: "",
            body: "%r = OpIAdd %u %i %u3",
        },
        want: |i| i + 3,
    },
];
