//! Instrumented code: what it says when it runs, and that code without instruments is what it was.

use crate::bed::{self, Bed, Said, assembly, glsl, tool};
use wavepipe_compiler::{Instrument, Options, compile, reflect};
use wavepipe_hw::code::WaveSize;
use wavepipe_hw::site::{Indexed, SiteKind};

const WAVES: [WaveSize; 2] = [WaveSize::W32, WaveSize::W64];

/// Runs one work-group with a buffer of `words` at each binding that there is; what was said.
fn said(spirv: &[u32], words: usize, wave: WaveSize) -> Vec<Said> {
    let mut bed = Bed::new(spirv.to_vec());
    bed.instrument = Instrument::INDEX;
    let resources = reflect(spirv).unwrap().remove(0).resources;
    for r in &resources {
        for n in 0..r.count.min(8) {
            bed.buffer(r.binding, n, &vec![0; words]);
        }
    }
    bed.push(&[1000, 2, 3, 4]);
    bed.run(wave, [1, 1, 1]);
    bed.said
}

/// A finding as the tests write it: line, name, what is indexed, index, elements.
fn index(s: &Said) -> (u32, String, Indexed, i64, u32) {
    let SiteKind::Index { name, of, bound, signed } = &s.kind else { panic!("{s:?}") };
    let value = u64::from(s.payload[0]) | u64::from(s.payload[1]) << 32;
    assert!(*signed || s.payload[1] == 0);
    (s.line, name.clone(), *of, value as i64, bound.unwrap_or_else(|| s.payload[2]))
}

const HEAD: &str = "layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer Out { uint data[]; };
";

/// Line, name, what is indexed, index and bound.
type Wanted = (u32, &'static str, Indexed, i64, u32);

/// Lines are those of the text, which starts at line 4; `glsl` puts two in front, and HEAD has two.
const PLANTED: &[(&str, &str, &[Wanted])] = &[
    (
        "shared uint part[64];\nvoid main() { uint i = gl_LocalInvocationIndex;\nif (i == 63) part[i + 1] = i;\nbarrier(); data[i] = part[i]; }",
        "shared uint part[65];\nvoid main() { uint i = gl_LocalInvocationIndex;\nif (i == 63) part[i + 1] = i;\nbarrier(); data[i] = part[i]; }",
        &[(7, "part", Indexed::Array, 64, 64)],
    ),
    (
        "void main() { uint i = gl_LocalInvocationIndex;\nif (i == 5)\ndata[i + 1000] = i; }",
        "void main() { uint i = gl_LocalInvocationIndex;\nif (i == 5)\ndata[i + 10] = i; }",
        &[(7, "data", Indexed::Array, 1005, 64)],
    ),
    (
        "shared int part[64];\nvoid main() { int i = int(gl_LocalInvocationIndex);\npart[i] = i; barrier();\nif (i == 0) data[i] = part[i - 1]; }",
        "shared int part[64];\nvoid main() { int i = int(gl_LocalInvocationIndex);\npart[i] = i; barrier();\nif (i == 0) data[i] = part[i + 1]; }",
        &[(8, "part", Indexed::Array, -1, 64)],
    ),
    (
        "layout(push_constant) uniform Push { uint at; uint of[3]; } push;\nvoid main() { if (gl_LocalInvocationIndex == 0)\ndata[0] = push.of[push.at & 15]; }",
        "layout(push_constant) uniform Push { uint at; uint of[3]; } push;\nvoid main() { if (gl_LocalInvocationIndex == 0)\ndata[0] = push.of[push.at & 2]; }",
        &[(7, "push.of", Indexed::Array, 8, 3)],
    ),
    (
        "struct Item { vec4 x; float y[3]; };\nlayout(set = 0, binding = 1) buffer Items { Item items[]; } all;\nvoid main() { uint i = gl_LocalInvocationIndex;\nif (i == 3) all.items[i - 2].y[i] = 1;\nif (i == 2) all.items[i].y[i] = 1; }",
        "struct Item { vec4 x; float y[3]; };\nlayout(set = 0, binding = 1) buffer Items { Item items[]; } all;\nvoid main() { uint i = gl_LocalInvocationIndex;\nif (i == 3) all.items[i - 2].y[i - 1] = 1;\nif (i == 1) all.items[i].y[i] = 1; }",
        // 64 dwords are two items of 32 bytes: no, eight of them.
        &[(8, "all.items[…].y", Indexed::Array, 3, 3)],
    ),
    (
        "layout(set = 0, binding = 1) buffer One { uint x; } many[4];\nvoid main() { uint i = gl_LocalInvocationIndex;\nif (i == 6) many[i].x = 1; }",
        "layout(set = 0, binding = 1) buffer One { uint x; } many[7];\nvoid main() { uint i = gl_LocalInvocationIndex;\nif (i == 6) many[i].x = 1; }",
        &[(7, "many", Indexed::Descriptors, 6, 4)],
    ),
    (
        "layout(set = 0, binding = 1) buffer V { vec3 v; mat3 m; };\nvoid main() { uint i = gl_LocalInvocationIndex;\nif (i == 3) v[i] = 1;\nif (i == 4) m[i][0] = 1; }",
        "layout(set = 0, binding = 1) buffer V { vec4 v; mat4 m; };\nvoid main() { uint i = gl_LocalInvocationIndex;\nif (i == 3) v[i] = 1;\nif (i == 2) m[i][0] = 1; }",
        &[(7, "v", Indexed::Vector, 3, 3), (8, "m", Indexed::Matrix, 4, 3)],
    ),
    (
        "uint of(uint a[4], uint n) { return a[n & 3]; }\nshared uint part[8][4];\nvoid main() { uint i = gl_LocalInvocationIndex;\nif (i < 9)\ndata[i] = part[i][i & 3]; }",
        "uint of(uint a[4], uint n) { return a[n & 3]; }\nshared uint part[8][4];\nvoid main() { uint i = gl_LocalInvocationIndex;\nif (i < 8)\ndata[i] = part[i][i & 3]; }",
        &[(9, "part", Indexed::Array, 8, 8)],
    ),
    (
        "shared uint part[64];\nvoid main() { uint i = gl_LocalInvocationIndex;\nif (i == 9) atomicAdd(part[i * 8], 1u); }",
        "shared uint part[64];\nvoid main() { uint i = gl_LocalInvocationIndex;\nif (i == 9) atomicAdd(part[i * 7], 1u); }",
        &[(7, "part", Indexed::Array, 72, 64)],
    ),
];

#[test]
fn an_index_outside_is_said_where_it_is_used() {
    for &(planted, mended, want) in PLANTED {
        for wave in WAVES {
            let Some(spirv) = glsl_with_lines(planted) else { return };
            let found: Vec<_> = said(&spirv, 64, wave).iter().map(index).collect();
            let want: Vec<_> = want.iter().map(|&(l, n, of, i, b)| (l, n.to_string(), of, i, b)).collect();
            assert_eq!(found, want, "{planted}");
            let Some(spirv) = glsl_with_lines(mended) else { return };
            assert_eq!(said(&spirv, 64, wave), [], "{mended}");
        }
    }
}

fn glsl_with_lines(text: &str) -> Option<Vec<u32>> {
    let args = ["-V", "-g", "--target-env", "vulkan1.2"];
    tool("glslangValidator", &args, "comp", &format!("#version 460\n\n{HEAD}{text}"))
}

/// The lanes that a message holds for are those whose index is outside, and the payload is the lowest one's.
#[test]
fn lanes_are_told() {
    let text = "shared uint part[64];\nvoid main() { uint i = gl_LocalInvocationIndex; part[i * 2] = i; }";
    let Some(spirv) = glsl_with_lines(text) else { return };
    let all = said(&spirv, 64, WaveSize::W64);
    assert_eq!(all.len(), 1);
    assert_eq!((all[0].lanes, all[0].payload[0]), (0xffff_ffff << 32, 64));
    let all = said(&spirv, 64, WaveSize::W32);
    assert_eq!(all.iter().map(|s| (s.wave, s.lanes, s.payload[0])).collect::<Vec<_>>(), [(1, 0xffff_ffff, 64)]);
}

/// An access chain that nobody follows is no access; one that is followed twice is told once.
#[test]
fn a_chain_is_checked_where_it_is_followed() {
    let module = |body: &str| {
        assembly(&format!(
            "OpCapability Shader
            OpMemoryModel Logical GLSL450
            OpEntryPoint GLCompute %main \"main\" %id
            OpExecutionMode %main LocalSize 64 1 1
            OpName %part \"part\"
            OpDecorate %id BuiltIn LocalInvocationIndex
            %void = OpTypeVoid
            %fn = OpTypeFunction %void
            %bool = OpTypeBool
            %u32 = OpTypeInt 32 0
            %n = OpConstant %u32 64
            %zero = OpConstant %u32 0
            %array = OpTypeArray %u32 %n
            %pa = OpTypePointer Workgroup %array
            %pu = OpTypePointer Workgroup %u32
            %pi = OpTypePointer Input %u32
            %part = OpVariable %pa Workgroup
            %id = OpVariable %pi Input
            %main = OpFunction %void None %fn
            %entry = OpLabel
            %i = OpLoad %u32 %id
            %at = OpIAdd %u32 %i %n
            %p = OpAccessChain %pu %part %at
            {body}
            OpReturn
            OpFunctionEnd"
        ))
    };
    let branch = "%c = OpULessThan %bool %i %zero\nOpSelectionMerge %end None\nOpBranchConditional %c %then %end\n%then = OpLabel\nOpStore %p %i\nOpBranch %end\n%end = OpLabel";
    let Some(spirv) = module(branch) else { return };
    assert_eq!(said(&spirv, 0, WaveSize::W32), []);
    let spirv = module("OpStore %p %i\n%x = OpLoad %u32 %p\nOpStore %p %x").unwrap();
    let found: Vec<_> = said(&spirv, 0, WaveSize::W64).iter().map(index).collect();
    assert_eq!(found, [(0, "part".to_string(), Indexed::Array, 64, 64)]);
    // A constant outside needs no branch.
    let constant = "%q = OpAccessChain %pu %part %n\nOpStore %q %zero";
    let found: Vec<_> = said(&module(constant).unwrap(), 0, WaveSize::W64).iter().map(index).collect();
    assert_eq!(found, [(0, "part".to_string(), Indexed::Array, 64, 64)]);
}

/// Functions that are called say what inlined ones do.
#[test]
fn functions_have_sites() {
    let text = "shared uint part[64];\nuint f(uint at) {\nreturn part[at]; }\nvoid main() { uint i = gl_LocalInvocationIndex; data[i] = f(i + 1) + f(i); }";
    let Some(spirv) = glsl_with_lines(text) else { return };
    let layout = bed::layout(&spirv, 1);
    let options = Options { instrument: Instrument::INDEX, inline_budget: 0, ..Options::new("main", &layout) };
    let code = compile(&spirv, &options).unwrap();
    assert_eq!(code.functions.len(), 1);
    let names: Vec<_> = code.sites.iter().map(|s| (s.line, &s.kind)).collect();
    assert!(matches!(names[..], [(_, SiteKind::Index { .. }), .., (7, SiteKind::Index { .. })]), "{names:?}");
}

/// Without instruments there is no trace of them in the code.
#[test]
fn code_without_instruments_says_nothing() {
    for (text, ..) in PLANTED {
        let Some(spirv) = glsl(&format!("{HEAD}{text}")) else { return };
        let layout = bed::layout(&spirv, 8);
        let code = |instrument| compile(&spirv, &Options { instrument, ..Options::new("main", &layout) }).unwrap();
        let (plain, instrumented) = (code(Instrument::empty()), code(Instrument::INDEX));
        const S_TTRACEDATA: u32 = 0xbf96_0000;
        assert!(plain.sites.is_empty() && !plain.code_words().contains(&S_TTRACEDATA));
        assert!(!instrumented.sites.is_empty() && instrumented.code_words().contains(&S_TTRACEDATA));
    }
}
