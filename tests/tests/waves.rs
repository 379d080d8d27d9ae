//! Which kernels have waves of 64 lanes where nobody says how many.

use std::sync::Arc;
use wavepipe_runtime::hw::machine::Machine;
use wavepipe_runtime::simple::{Session, entry_point, layout_of};
use wavepipe_runtime::{
    ComputePipeline, Config, GuestChecks, Observe, PipelineCache, PipelineInfo, ShaderModule, Trace, WaveSize,
};
use wavepipe_tests::{glslc, installed, skip};

/// With words that are written, and others that nobody writes here.
fn kernel(size: &str, outside: &str, body: &str) -> String {
    format!(
        "#version 450\n#extension GL_KHR_shader_subgroup_arithmetic : enable\n#extension GL_KHR_shader_subgroup_basic : enable\n\
         layout({size}) in;\nlayout(std430, set = 0, binding = 0) buffer O {{ uint o[]; }};\n\
         layout(std430, set = 0, binding = 1) buffer A {{ uint a[]; }};\n\
         layout(std430, set = 0, binding = 2) readonly buffer B {{ uint b[]; }};\n\
         layout(push_constant) uniform P {{ uint n; }};\n#define X v = v * n ^ i;\n{outside}\n\
         void main() {{\n uint i = gl_GlobalInvocationID.x, t = gl_LocalInvocationIndex, v = i;\n {body}\n o[i] = v;\n}}\n"
    )
}

const EIGHT: &str =
    "uint w[8]; for (int k = 0; k < 8; ++k) w[k] = a[i + k]; for (int k = 0; k < 8; ++k) v ^= w[7 - k];";
const EIGHTEEN: &str =
    "uint w[18]; for (int k = 0; k < 18; ++k) w[k] = a[i + k]; for (int k = 0; k < 18; ++k) v ^= w[17 - k];";

/// Sizes of work-groups, what stands in front of main and in it, and the lanes of its waves.
const KERNELS: [(&str, &str, &str, u32); 31] = [
    ("local_size_x = 64", "", "v = a[i] * 3;", 64),
    ("local_size_x = 256", "", "v = a[i] * 3;", 64),
    ("local_size_x = 8, local_size_y = 8", "", "v = a[i] * 3;", 64),
    // Lanes of waves of 64 would do nothing.
    ("local_size_x = 32", "", "v = a[i] * 3;", 32),
    ("local_size_x = 96", "", "v = a[i] * 3;", 32),
    ("local_size_x = 1", "", "v = a[i] * 3;", 32),
    // Subgroups are looked at.
    ("local_size_x = 64", "", "v = subgroupAdd(v);", 32),
    ("local_size_x = 64", "", "v = gl_SubgroupSize;", 32),
    ("local_size_x = 64", "", "v = gl_SubgroupID;", 32),
    ("local_size_x = 64", "", "v = gl_SubgroupInvocationID;", 32),
    ("local_size_x = 64", "", "if (subgroupElect()) v = 1;", 32),
    // Loops that all lanes leave together, with memory and barriers.
    ("local_size_x = 64", "", "for (uint k = 0; k < 100; ++k) v = v * 5 + k;", 64),
    ("local_size_x = 64", "", "for (uint k = 0; k < n; ++k) v += a[k + t];", 64),
    (
        "local_size_x = 64",
        "shared uint s[64];",
        "for (uint k = 0; k < n; ++k) { s[t] = v; barrier(); v += s[t ^ 1]; barrier(); }",
        64,
    ),
    ("local_size_x = 64", "", "for (uint k = 0; k < n; ++k) { if (v % 3 == k) v += a[i]; }", 64),
    ("local_size_x = 64", "", "for (uint k = 0; k < n; ++k) atomicAdd(o[k], v);", 64),
    // And at different times.
    ("local_size_x = 64", "", "for (uint k = 0; k < i; ++k) v = v * 5 + k;", 32),
    ("local_size_x = 64", "", "while (v != 1) v = v % 2 == 0 ? v / 2 : 3 * v + 1;", 32),
    ("local_size_x = 64", "", "for (uint k = 0; k < n; ++k) { if (v % 7 == k) break; v += 2; }", 32),
    ("local_size_x = 64", "", "for (uint k = 0; k < n; ++k) { if (v % 7 == k) return; v += 2; }", 32),
    ("local_size_x = 64", "", "for (uint k = 0; k < n; ++k) { for (uint j = 0; j < i; ++j) v = v * 5 + j; }", 32),
    // Loops that only some lanes enter: they could wait for others.
    ("local_size_x = 64", "", "if (i >= n) return; for (uint k = 0; k < n; ++k) v = v * 5 + k;", 64),
    ("local_size_x = 64", "", "if (i >= n) return; for (uint k = 0; k < n; ++k) v += a[k] + b[k];", 64),
    ("local_size_x = 64", "", "if (i >= n) return; for (uint k = 0; k < n; ++k) v += o[k + 64];", 32),
    ("local_size_x = 64", "", "if (t < 32) { for (uint k = 0; k < n; ++k) v += atomicAdd(a[k], 1); }", 32),
    (
        "local_size_x = 64",
        "",
        "switch (t) { case 1: for (uint k = 0; k < n; ++k) v += o[k + 64]; break; default: v = 2; }",
        32,
    ),
    (
        "local_size_x = 64",
        "layout(std430, set = 0, binding = 1) coherent volatile buffer F { uint flag; };",
        "if (t == 0) { while (flag == 0) {} } else if (t == 40) flag = 1;",
        32,
    ),
    // Few registers, and many; few instructions, and many.
    ("local_size_x = 64", "", EIGHT, 64),
    ("local_size_x = 64", "", EIGHTEEN, 32),
    ("local_size_x = 64", "", "X X X X X X X X", 64),
    ("local_size_x = 64", "", "X X X X X X X X X X X X X X X X X X X X X X X X X X X X X X X X X X", 32),
];

/// How a kernel is asked for.
#[derive(Clone, Copy)]
struct Ask<'a> {
    wave: Option<WaveSize>,
    widen: bool,
    cache: Option<&'a PipelineCache>,
    may_compile: bool,
}

const WIDE: Ask<'static> = Ask { wave: None, widen: true, cache: None, may_compile: true };

/// The lanes of a kernel's waves.
fn lanes(config: &Config, words: &[u32], ask: Ask<'_>) -> u32 {
    let session = Session::new(config).unwrap();
    let entry = entry_point(words, None).unwrap();
    let (module, layout) = (ShaderModule::new(words), layout_of(&entry).unwrap());
    let Ask { wave, widen, cache, may_compile } = ask;
    let info = PipelineInfo {
        module: &module,
        entry: &entry.name,
        spec: &[],
        layout: &layout,
        wave,
        widen,
        cache,
        may_compile,
        capture: false,
    };
    ComputePipeline::create(session.device(), &info).unwrap().code_object().wave.lanes()
}

#[test]
fn wide_where_it_cannot_be_told() {
    if !installed("glslc") {
        return skip("glslc").unwrap();
    }
    for (n, (size, outside, body, wanted)) in KERNELS.into_iter().enumerate() {
        let text = kernel(size, outside, body);
        let words = glslc(&format!("waves_{n}"), &text);
        assert_eq!(lanes(&Config::checked(), &words, WIDE), wanted, "{text}");
    }
}

#[test]
fn who_says_how_many_or_looks_has_that() {
    if !installed("glslc") {
        return skip("glslc").unwrap();
    }
    let words = glslc("waves_asked", &kernel("local_size_x = 64", "", "v = a[i] * 3;"));
    let plain = Config::default;
    let narrow = [
        Config { wave: Some(WaveSize::W32), ..plain() },
        Config { timing: true, ..plain() },
        Config { seed: Some(1), ..plain() },
        Config { trace: Some(Trace::at("waves.pftrace").unwrap()), ..plain() },
        Config { guest_checks: GuestChecks::MEM, ..plain() },
        Config { observe: Observe::COVERAGE, ..plain() },
        Config { names: true, ..plain() },
    ];
    assert_eq!(lanes(&plain(), &words, WIDE), 64);
    for config in narrow {
        assert_eq!(lanes(&config, &words, WIDE), 32, "{config:?}");
    }
    assert_eq!(lanes(&plain(), &words, Ask { wave: Some(WaveSize::W32), ..WIDE }), 32);
    assert_eq!(lanes(&plain(), &words, Ask { widen: false, ..WIDE }), 32);
    // A card that has no others.
    let vega = Config { machine: Arc::new(Machine::open("vega64").unwrap()), ..plain() };
    assert_eq!([WIDE, Ask { widen: false, ..WIDE }].map(|ask| lanes(&vega, &words, ask)), [64; 2]);
    // One cache has both, and gives each to who asks for it, by the module's name too.
    let cache = PipelineCache::default();
    let subgroups = glslc("waves_subgroups", &kernel("local_size_x = 64", "", "v = subgroupAdd(v);"));
    for (words, widen, wanted) in [(&words, true, 64), (&words, false, 32), (&subgroups, true, 32), (&words, true, 64)]
    {
        let ask = Ask { widen, cache: Some(&cache), ..WIDE };
        let all = [true, false].map(|may_compile| lanes(&plain(), words, Ask { may_compile, ..ask }));
        assert_eq!(all, [wanted; 2]);
    }
    assert_eq!(cache.len(), 3);
}
