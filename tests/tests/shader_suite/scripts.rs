//! Scripts for Amber and for vkrunner, written for these tests.

use super::Report;

pub const SCRIPTS: &[Report] = &[
    (
        "bad.amber",
        &[(
            "bad.amber",
            r#"#!amber
SHADER compute square GLSL
#version 450
layout(set = 0, binding = 0) buffer Data { int data[]; };
void main() {
    data[gl_WorkGroupID.x] = int(gl_WorkGroupID.x * gl_WorkGroupID.x);
}
END
BUFFER data DATA_TYPE int32 SIZE 4 FILL 0
BUFFER wanted DATA_TYPE int32 DATA 0 1 5 9 END
PIPELINE compute p
  ATTACH square
  BIND BUFFER data AS storage DESCRIPTOR_SET 0 BINDING 0
END
RUN p 4 1 1
EXPECT data IDX 4 EQ 1 4 8
EXPECT data EQ_BUFFER wanted
EXPECT data IDX 12 LT 9
"#,
        )],
        1,
        r#"FAIL  bad.amber
      bad.amber:16: data: 1 of 3 numbers is not as wanted (i32, exactly)
        element 2, byte 12: got 9, wanted 8, 1 ULP apart
        last written by work-group (3, 0, 0), wave 0, lane 0, invocation (3, 0, 0), bad.amber:6, `buffer_store…`
        again: wavepipe test bad.amber
      bad.amber:17: data: 1 of 4 numbers is not as wanted (i32[4], exactly)
        element 2, byte 8: got 4, wanted 5, 1 ULP apart
        last written by work-group (2, 0, 0), wave 0, lane 0, invocation (2, 0, 0), bad.amber:6, `buffer_store…`
        again: wavepipe test bad.amber
      bad.amber:18: data: 1 of 1 numbers is not as wanted (i32, exactly)
        element 0, byte 12: got 9, wanted less than 9
        last written by work-group (3, 0, 0), wave 0, lane 0, invocation (3, 0, 0), bad.amber:6, `buffer_store…`
        again: wavepipe test bad.amber
0 passed, 1 failed
"#,
    ),
    (
        "bad.shader_test",
        &[(
            "bad.shader_test",
            r#"[compute shader]
#version 450
layout(binding = 3) buffer block { vec2 values[]; };
void main() { values[gl_WorkGroupID.x] = vec2(gl_WorkGroupID.x, 0.5); }
[test]
ssbo 3 32
compute 4 1 1
probe ssbo vec2 3 8 == 1 0.5 2 0.75
tolerance 0.1
probe ssbo float 3 28 ~= 0.7
"#,
        )],
        1,
        r#"FAIL  bad.shader_test
      bad.shader_test:8: buffer 3: 1 of 4 numbers is not as wanted (f32, exactly)
        element 3, byte 20: got 0.5, wanted 0.75, 4194304 ULP apart
        last written by work-group (2, 0, 0), wave 0, lane 0, invocation (2, 0, 0), bad.shader_test:4, `buffer_store…`
        again: wavepipe test bad.shader_test
      bad.shader_test:10: buffer 3: 1 of 1 numbers is not as wanted (f32, within 0.1)
        element 0, byte 28: got 0.5, wanted 0.7 ± 0.1, 3355443 ULP apart
        last written by work-group (3, 0, 0), wave 0, lane 0, invocation (3, 0, 0), bad.shader_test:4, `buffer_store…`
        again: wavepipe test bad.shader_test
0 passed, 1 failed
"#,
    ),
    (
        "clear.shader_test",
        &[(
            "clear.shader_test",
            r#"[compute shader]
#version 450
void main() { }
[test]
compute 1 1 1
clear color 0 0 0 0
"#,
        )],
        0,
        r#"skip  clear.shader_test
      clear.shader_test:6: `clear` is for drawing, and wavepipe only computes
0 passed, 1 skipped
"#,
    ),
    (
        "draws.amber",
        &[(
            "draws.amber",
            r#"#!amber
SHADER vertex v PASSTHROUGH
BUFFER frame FORMAT B8G8R8A8_UNORM
PIPELINE graphics p
  ATTACH v
END
CLEAR p
"#,
        )],
        0,
        r#"skip  draws.amber
      draws.amber:4: PIPELINE graphics is for drawing, and wavepipe only computes
0 passed, 1 skipped
"#,
    ),
    (
        "draws.shader_test",
        &[(
            "draws.shader_test",
            r#"[vertex shader passthrough]
[fragment shader]
void main() { }
[test]
draw rect -1 -1 2 2
"#,
        )],
        0,
        r#"skip  draws.shader_test
      draws.shader_test:1: [vertex shader passthrough] is for drawing, and wavepipe only computes
0 passed, 1 skipped
"#,
    ),
    (
        "good.amber",
        &[(
            "good.amber",
            r#"#!amber
# Everything that is read of pipelines that compute.
DEVICE_FEATURE shaderInt64
SET ENGINE_DATA fence_timeout_ms 5000

SHADER compute add GLSL TARGET_ENV spv1.3
#version 450
layout(constant_id = 2) const uint STEP = 1;
layout(push_constant) uniform Push { uint more; };
layout(set = 1, binding = 3) buffer Data { uint data[]; };
void main() {
    data[gl_WorkGroupID.x] += STEP + more;
}
END

VIRTUAL_FILE half.comp
#version 450
layout(set = 0, binding = 0) readonly buffer In { vec2 source[]; };
layout(set = 0, binding = 1) buffer Out { vec2 sink[]; };
void main() {
    sink[gl_WorkGroupID.x] = 0.5 * source[gl_WorkGroupID.x];
}
END
SHADER compute half GLSL VIRTUAL_FILE half.comp

BUFFER numbers DATA_TYPE uint32 SIZE 4 SERIES_FROM 10 INC_BY 10
BUFFER pushed DATA_TYPE uint32 DATA 0x5 END
BUFFER copied DATA_TYPE uint32 SIZE 4 FILL 0
BUFFER wanted DATA_TYPE uint32 DATA
  26 36 # each 8 twice
  46 56
END
BUFFER pairs DATA_TYPE vec2<float> DATA 1.0 2.0 3.0 4.5 END
BUFFER halves DATA_TYPE vec2<float> SIZE 2 FILL 0.0
BUFFER near DATA_TYPE vec2<float> DATA 0.5 1.0 1.5 2.3 END

PIPELINE compute adding
  ATTACH add ENTRY_POINT main \
    SPECIALIZE 2 AS uint32 3
  BIND BUFFER numbers AS storage DESCRIPTOR_SET 1 BINDING 3
  BIND BUFFER pushed AS push_constant
END
PIPELINE compute halving
  ATTACH half
  BIND BUFFER pairs AS storage DESCRIPTOR_SET 0 BINDING 0
  BIND BUFFER halves AS storage DESCRIPTOR_SET 0 BINDING 1
END
DERIVE_PIPELINE again FROM halving
  BIND BUFFER halves AS storage DESCRIPTOR_SET 0 BINDING 0
END

EXPECT numbers IDX 4 EQ 20 30
REPEAT 2
  RUN adding 4 1 1
END
COPY numbers TO copied
EXPECT copied EQ_BUFFER wanted
EXPECT copied IDX 4 GT 35
RUN TIMED_EXECUTION halving 2 1 1
EXPECT halves IDX 8 EQ 1.5 2.25
EXPECT halves RMSE_BUFFER near TOLERANCE 0.1
EXPECT halves IDX 8 TOLERANCE 3% 0.06 EQ 1.53 2.3
"#,
        )],
        0,
        r#"pass  good.amber
1 passed
"#,
    ),
    (
        "good.shader_test",
        &[(
            "good.shader_test",
            r#"[require]
vulkan 1.1

[compute shader]
#version 450
layout(push_constant) uniform Push { layout(offset = 4) float factor; };
layout(binding = 0) uniform In { vec4 a; float b[2]; };
layout(set = 1, binding = 2) buffer Out { float r[4]; mat2 m; };
void main() {
    for (int i = 0; i < 4; i++) r[i] = factor * a[i] + b[i % 2];
    m = 2.0 * m;
}

[test]
# std140: the elements of b are 16 bytes apart
ubo 0 subdata vec4 0  1 2 3 4
ubo 0 subdata float 16  0.5 0.25
ssbo 1:2 subdata mat2 16  1 2 3 4
push float 4 10
compute 1 1 1
probe ssbo float 1:2 0 == 10.5 20.25 \
  30.5 40.25
probe ssbo vec2 1:2 24 >= 6 7
tolerance 1%
probe ssbo float 1:2 0 ~= 10.6
ssbo layout row_major
probe ssbo mat2 1:2 16 == 2 6 4 8
"#,
        )],
        0,
        r#"pass  good.shader_test
1 passed
"#,
    ),
    (
        "image.amber",
        &[(
            "image.amber",
            r#"#!amber
SHADER compute fill GLSL
#version 450
layout(local_size_x = 4, local_size_y = 2) in;
layout(set = 0, binding = 0, rgba8) uniform writeonly image2D picture;
void main() {
    imageStore(picture, ivec2(gl_GlobalInvocationID.xy), vec4(gl_GlobalInvocationID.x == 3 ? 1.0 : 0.2, 0.0, 0.4, 1.0));
}
END
IMAGE picture FORMAT R8G8B8A8_UNORM DIM_2D WIDTH 4 HEIGHT 2 FILL 0
PIPELINE compute p
  ATTACH fill
  BIND BUFFER picture AS storage_image DESCRIPTOR_SET 0 BINDING 0
END
RUN p 1 1 1
EXPECT picture IDX 0 0 SIZE 3 2 EQ_RGBA 51 0 102 255
EXPECT picture IDX 0 0 SIZE 4 1 EQ_RGB 51 0 102
"#,
        )],
        1,
        r#"FAIL  image.amber
      image.amber:17: picture: 1 of 4 pixels is not as wanted (rgba8[4x2], exactly)
        texel (3, 0), byte 12: got [1.0, 0.0, 0.4000000059604645], wanted [0.2, 0.0, 0.4]
        last written by work-group (0, 0, 0), wave 0, lane 3, invocation (3, 0, 0), image.amber:7, `image_store…`
        again: wavepipe test image.amber
0 passed, 1 failed
"#,
    ),
    (
        "old.amber",
        &[(
            "old.amber",
            r#"# A licence may stand here.
[compute shader spirv]
; OpCopyLogical is of SPIR-V 1.4.
OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main" %buffer
OpExecutionMode %main LocalSize 1 1 1
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
OpMemberDecorate %block 1 Offset 32
OpDecorate %wide ArrayStride 16
OpDecorate %dense ArrayStride 4
OpDecorate %buffer DescriptorSet 0
OpDecorate %buffer Binding 0
%void = OpTypeVoid
%fn = OpTypeFunction %void
%uint = OpTypeInt 32 0
%0 = OpConstant %uint 0
%1 = OpConstant %uint 1
%2 = OpConstant %uint 2
%wide = OpTypeArray %uint %2
%dense = OpTypeArray %uint %2
%block = OpTypeStruct %wide %dense
%block_ptr = OpTypePointer StorageBuffer %block
%wide_ptr = OpTypePointer StorageBuffer %wide
%dense_ptr = OpTypePointer StorageBuffer %dense
%buffer = OpVariable %block_ptr StorageBuffer
%main = OpFunction %void None %fn
%begin = OpLabel
%from = OpAccessChain %wide_ptr %buffer %0
%to = OpAccessChain %dense_ptr %buffer %1
%all = OpLoad %wide %from
%copy = OpCopyLogical %dense %all
OpStore %to %copy
OpReturn
OpFunctionEnd

[test]
ssbo 0 40
ssbo 0 subdata uint 0 7
ssbo 0 subdata uint 16 9
compute 1 1 1
probe ssbo uint 0 32 == 7 9
"#,
        )],
        0,
        r#"pass  old.amber
1 passed
"#,
    ),
    (
        "opencl.amber",
        &[(
            "opencl.amber",
            r#"#!amber
SHADER compute k OPENCL-C
kernel void k(global int* out) { *out = 1; }
END
BUFFER out DATA_TYPE int32 DATA 0 END
PIPELINE compute p
  ATTACH k ENTRY_POINT k
  BIND BUFFER out KERNEL ARG_NAME out
END
RUN p 1 1 1
"#,
        )],
        0,
        r#"skip  opencl.amber
      opencl.amber:2: SHADER … OPENCL-C: OpenCL C is compiled by clspv, which is not here: run `clspv` yourself, give what it makes as SPIRV-BIN FILE, and BIND by DESCRIPTOR_SET and BINDING; or run what clang makes of it with `wavepipe launch`
0 passed, 1 skipped
"#,
    ),
    (
        "wrong.amber",
        &[(
            "wrong.amber",
            r#"#!amber
BUFFER data DATA_TYPE int32 SIZE 4 FILL 0
EXPECT data IDX 0 EQUALS 0
"#,
        )],
        2,
        r#"WRONG wrong.amber
      wrong.amber:3: `EQUALS` is no comparison: EQ, NE, LT, LE, GT or GE
0 passed, 1 wrong
"#,
    ),
    (
        "wrong.shader_test",
        &[(
            "wrong.shader_test",
            r#"[compute shader]
#version 450
layout(binding = 0) buffer B { int b; };
void main() { b = 1; }
[test]
ssbo 0 4
computer 1 1 1
"#,
        )],
        2,
        r#"WRONG wrong.shader_test
      wrong.shader_test:7: `computer` is no command of a shader test
0 passed, 1 wrong
"#,
    ),
];
