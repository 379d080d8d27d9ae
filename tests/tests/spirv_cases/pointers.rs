//! Pointers that are chosen, passed, stored, compared.

use super::{Asm, Case, asm};

const VARIABLE_POINTERS: &str = "OpCapability VariablePointers";
const IN_1: &str = "%in1 = OpVariable %p_buf StorageBuffer\n";
const PLACE_1: &str = "OpDecorate %in1 DescriptorSet 0\nOpDecorate %in1 Binding 1\n";
const PLACE_2: &str = "OpDecorate %in1 DescriptorSet 0\nOpDecorate %in1 Binding 1\nOpDecorate %in2 DescriptorSet 0\nOpDecorate %in2 Binding 2\nOpDecorate %p_u ArrayStride 4\n";
const IN_2: &str = "%in1 = OpVariable %p_buf StorageBuffer\n%in2 = OpVariable %p_buf StorageBuffer\n";

fn ramp(from: u32, step: u32) -> Vec<u32> {
    (0..256).map(|n| from + n * step).collect()
}

pub fn cases() -> Vec<Case> {
    let a = |n: u32| 1000 + n * 3;
    let b = |n: u32| 9000 + n * 7;
    let two = |c: Case| c.with(ramp(1000, 3)).with(ramp(9000, 7));
    vec![
        two(asm(
            "select between buffers",
            Asm {
                capabilities: VARIABLE_POINTERS,
                interface: "%in1 %in2",
                decorations: PLACE_2,
                globals: "%in1 = OpVariable %p_buf StorageBuffer\n%in2 = OpVariable %p_buf StorageBuffer\n%u100 = OpConstant %u 100",
                ..Asm::default()
            },
            "%odd = OpBitwiseAnd %u %i %u1
%c = OpINotEqual %b %odd %u0
%p1 = OpAccessChain %p_u %in1 %u0 %i
%p2 = OpAccessChain %p_u %in2 %u0 %i
%p = OpSelect %p_u %c %p1 %p2
%v = OpLoad %u %p
!0 %v
%q = OpPtrAccessChain %p_u %p %u100
%w = OpLoad %u %q
!1 %w
%old = OpAtomicIAdd %u %p %u1 %u0 %u5
%again = OpLoad %u %p
!2 %again",
            3,
            move |i| {
                let f = |n: u32| if i & 1 == 1 { a(n) } else { b(n) };
                vec![f(i), f(i + 100), f(i) + 5]
            },
        )),
        two(asm(
            "a pointer walks through a loop and changes its buffer",
            Asm {
                capabilities: VARIABLE_POINTERS,
                interface: "%in1 %in2",
                decorations: PLACE_2,
                globals: IN_2,
                ..Asm::default()
            },
            "%start = OpAccessChain %p_u %in1 %u0 %i
OpBranch %head
%head = OpLabel
%p = OpPhi %p_u %start %entry %p3 %cont
%k = OpPhi %u %u0 %entry %k2 %cont
%sum = OpPhi %u %u0 %entry %sum2 %cont
%v = OpLoad %u %p
OpLoopMerge %merge %cont None
OpBranch %body
%body = OpLabel
%sum2 = OpIAdd %u %sum %v
%p2 = OpPtrAccessChain %p_u %p %u1
%half = OpIEqual %b %k %u3
%other = OpAccessChain %p_u %in2 %u0 %i
%p3 = OpSelect %p_u %half %other %p2
OpBranch %cont
%cont = OpLabel
%k2 = OpIAdd %u %k %u1
%more = OpULessThan %b %k2 %u8
OpBranchConditional %more %head %merge
%merge = OpLabel
!0 %sum2",
            1,
            move |i| vec![(0..4).map(|k| a(i + k) + b(i + k)).sum()],
        )),
        two(asm(
            "functions give and take pointers; variables hold them",
            Asm {
                capabilities: VARIABLE_POINTERS,
                interface: "%in1 %in2 %held",
                decorations: PLACE_2,
                globals: "%in1 = OpVariable %p_buf StorageBuffer
%in2 = OpVariable %p_buf StorageBuffer
%choose_t = OpTypeFunction %p_u %u
%read_t = OpTypeFunction %u %p_u
%pp_u = OpTypePointer Private %p_u
%held = OpVariable %pp_u Private
%two_p = OpTypeArray %p_u %u2
%fp_two = OpTypePointer Function %two_p
%fp_u = OpTypePointer Function %p_u
%null = OpConstantNull %p_u",
                functions: "%choose = OpFunction %p_u None %choose_t
%cn = OpFunctionParameter %u
%c0 = OpLabel
%cb = OpUGreaterThan %b %cn %u10
OpSelectionMerge %c3 None
OpBranchConditional %cb %c1 %c2
%c1 = OpLabel
%cp1 = OpAccessChain %p_u %in1 %u0 %cn
OpReturnValue %cp1
%c2 = OpLabel
%cp2 = OpAccessChain %p_u %in2 %u0 %cn
OpReturnValue %cp2
%c3 = OpLabel
OpUnreachable
OpFunctionEnd
%read = OpFunction %u None %read_t
%rp = OpFunctionParameter %p_u
%r0 = OpLabel
%rv = OpLoad %u %rp
OpReturnValue %rv
OpFunctionEnd",
                ..Asm::default()
            },
            "%table = OpVariable %fp_two Function
%p = OpFunctionCall %p_u %choose %i
%v = OpFunctionCall %u %read %p
!0 %v
OpStore %held %p
%h = OpLoad %p_u %held
%w = OpFunctionCall %u %read %h
!1 %w
%j = OpIAdd %u %i %u1
%q = OpFunctionCall %p_u %choose %j
%t0 = OpAccessChain %fp_u %table %u0
%t1 = OpAccessChain %fp_u %table %u1
OpStore %t0 %p
OpStore %t1 %q
%odd = OpBitwiseAnd %u %i %u1
%tn = OpAccessChain %fp_u %table %odd
%tp = OpLoad %p_u %tn
%tv = OpLoad %u %tp
!2 %tv
%same = OpPtrEqual %b %p %tp
%differ = OpPtrNotEqual %b %p %tp
%isnull = OpPtrEqual %b %p %null
%s1 = OpSelect %u %same %u1 %u0
%s2 = OpSelect %u %differ %u2 %u0
%s4 = OpSelect %u %isnull %u4 %u0
%s3 = OpBitwiseOr %u %s1 %s2
%s5 = OpBitwiseOr %u %s3 %s4
!3 %s5",
            4,
            move |i| {
                let f = |n: u32| if n > 10 { a(n) } else { b(n) };
                let t = if i & 1 == 1 { i + 1 } else { i };
                vec![f(i), f(i), f(t), if i & 1 == 1 { 2 } else { 1 }]
            },
        )),
        asm(
            "pointers into shared memory",
            Asm {
                capabilities: VARIABLE_POINTERS,
                interface: "%sa %sb",
                globals: "%u64_ = OpConstant %u 64
%sarr = OpTypeArray %u %u64_
%p_sarr = OpTypePointer Workgroup %sarr
%p_su = OpTypePointer Workgroup %u
%sa = OpVariable %p_sarr Workgroup
%sb = OpVariable %p_sarr Workgroup
%u63 = OpConstant %u 63
%sem = OpConstant %u 264
%null = OpConstantNull %p_su",
                ..Asm::default()
            },
            "%pa = OpAccessChain %p_su %sa %i
%pb = OpAccessChain %p_su %sb %i
%sq = OpIMul %u %i %i
OpStore %pa %sq
%cube = OpIMul %u %sq %i
OpStore %pb %cube
OpControlBarrier %u2 %u2 %sem
%j = OpISub %u %u63 %i
%qa = OpAccessChain %p_su %sa %j
%qb = OpAccessChain %p_su %sb %j
%third = OpUMod %u %i %u3
%is0 = OpIEqual %b %third %u0
%is1 = OpIEqual %b %third %u1
%p1 = OpSelect %p_su %is0 %qa %qb
%p2 = OpSelect %p_su %is1 %null %p1
%n = OpPtrEqual %b %p2 %null
OpSelectionMerge %m None
OpBranchConditional %n %m %y
%y = OpLabel
%v = OpLoad %u %p2
OpBranch %m
%m = OpLabel
%r = OpPhi %u %u7 %entry %v %y
!0 %r
%d = OpPtrDiff %s %qa %pa
%du = OpBitcast %u %d
!1 %du",
            2,
            |i| {
                let j = 63 - i;
                vec![[j * j, 7, j * j * j][i as usize % 3], j.wrapping_sub(i)]
            },
        ),
        two(asm(
            "pointers to whole buffers: lengths and chains of chosen ones",
            Asm {
                capabilities: VARIABLE_POINTERS,
                interface: "%in1 %in2",
                decorations: PLACE_2,
                globals: IN_2,
                ..Asm::default()
            },
            "%c = OpULessThan %b %i %u9
%p = OpSelect %p_buf %c %in1 %in2
%q = OpAccessChain %p_u %p %u0 %i
%v = OpLoad %u %q
!0 %v
%o = OpSelect %p_buf %c %out %in2
%n = OpArrayLength %u %o 0
!1 %n",
            2,
            move |i| vec![if i < 9 { a(i) } else { b(i) }, if i < 9 { 128 } else { 256 }],
        )),
        asm(
            "a chosen pointer is stored through",
            Asm {
                capabilities: "OpCapability VariablePointersStorageBuffer",
                interface: "%in1",
                decorations: PLACE_1,
                globals: IN_1,
                ..Asm::default()
            },
            "%at = OpIAdd %u %i %i
%p1 = OpAccessChain %p_u %out %u0 %at
%at1 = OpIAdd %u %at %u1
%p2 = OpAccessChain %p_u %out %u0 %at1
%p3 = OpAccessChain %p_u %in1 %u0 %i
%c = OpULessThan %b %i %u8
%p12 = OpSelect %p_u %c %p1 %p2
!0 %u0
!1 %u0
OpStore %p12 %u9
%p13 = OpSelect %p_u %c %p1 %p3
OpStore %p13 %u11
%v3 = OpLoad %u %p3
%p4 = OpAccessChain %p_u %out %u0 %at
%o4 = OpLoad %u %p4
%sum = OpIAdd %u %v3 %o4
OpStore %p4 %sum",
            2,
            |i| if i < 8 { vec![1000 + i * 3 + 11, 0] } else { vec![11, 9] },
        )
        .with(ramp(1000, 3)),
        asm(
            "strides on pointers say nothing about shared memory without a layout",
            Asm {
                capabilities: VARIABLE_POINTERS,
                interface: "%shared",
                decorations: "OpDecorate %pw_u ArrayStride 16\n",
                globals: "%u65 = OpConstant %u 65
%semantics = OpConstant %u 264
%words = OpTypeArray %u %u65
%pw_words = OpTypePointer Workgroup %words
%pw_u = OpTypePointer Workgroup %u
%shared = OpVariable %pw_words Workgroup",
                ..Asm::default()
            },
            "%own = OpAccessChain %pw_u %shared %i
%square = OpIMul %u %i %i
OpStore %own %square
OpControlBarrier %u2 %u2 %semantics
%back = OpISub %u %u0 %i
%first = OpPtrAccessChain %pw_u %own %back
%third = OpPtrAccessChain %pw_u %first %u3
%v = OpLoad %u %third
!0 %v
%n = OpPtrDiff %u %own %first
!1 %n",
            2,
            |i| vec![9, i],
        ),
    ]
}
