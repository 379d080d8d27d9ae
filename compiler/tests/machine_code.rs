//! Shaders to machine code: LLVM's disassembler reads every byte of it as we do.

use std::io::Write;
use std::process::{Command, Stdio};
use wavepipe_compiler::{Checks, Options, compile, reflect};
use wavepipe_hw::code::{CodeObject, WaveSize};
use wavepipe_hw::launch::{BindingLayout, PipelineLayout, Place, SetLayout};
use wavepipe_isa::{Gen, decode, disasm};

const LLVM: &str = "llvm-mc-19";

fn missing(oracle: &str) -> bool {
    let there = Command::new(oracle).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok();
    if !there {
        println!("SKIP {oracle}");
        assert!(std::env::var_os("CI").is_none(), "{oracle} is missing");
    }
    !there
}

fn pipe(program: &str, args: &[&str], input: &[u8]) -> (Vec<u8>, String) {
    let mut child = Command::new(program)
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let input = input.to_vec();
    let writer = std::thread::spawn(move || stdin.write_all(&input));
    let out = child.wait_with_output().unwrap();
    writer.join().unwrap().unwrap();
    (out.stdout, String::from_utf8_lossy(&out.stderr).into_owned())
}

/// A shader of work-groups of 128.
fn spirv(body: &str) -> Vec<u32> {
    sized(128, body)
}

fn sized(workgroup: u32, body: &str) -> Vec<u32> {
    let source = format!(
        "#version 450\n#extension GL_KHR_shader_subgroup_basic : enable\n#extension GL_KHR_shader_subgroup_arithmetic : enable\n\
         #extension GL_KHR_shader_subgroup_shuffle : enable\n#extension GL_KHR_shader_subgroup_ballot : enable\n\
         layout(local_size_x = {workgroup}) in;\nlayout(set=0, binding=0) buffer A {{ uint a[]; }};\n\
         layout(set=0, binding=1) buffer F {{ float f[]; }};\nlayout(set=0, binding=2, r32ui) uniform uimage2DArray u; layout(set=0, binding=3) uniform sampler3D t;\n\
         layout(set=0, binding=4) uniform samplerBuffer b; layout(set=0, binding=5) uniform samplerCube c;\n\
         layout(push_constant) uniform P {{ uint n; float k; }};\n\
         shared uint s[128];\nvoid main() {{ uint i = gl_GlobalInvocationID.x; {body} }}"
    );
    let args = ["--target-env=vulkan1.2", "-fshader-stage=compute", "-O", "-", "-o", "-"];
    let (bytes, err) = pipe("glslc", &args, source.as_bytes());
    assert!(err.is_empty(), "{err}\n{source}");
    bytes.chunks_exact(4).map(|c| u32::from_le_bytes([c[0], c[1], c[2], c[3]])).collect()
}

fn machine(words: &[u32], wave: WaveSize) -> CodeObject {
    machine_with_set_from(0, words, wave)
}

/// The first descriptor of the set lies at `start`.
fn machine_with_set_from(start: u32, words: &[u32], wave: WaveSize) -> CodeObject {
    machine_of(Gen::default(), start, words, wave)
}

fn machine_of(isa: Gen, start: u32, words: &[u32], wave: WaveSize) -> CodeObject {
    let entry = reflect(words).unwrap().remove(0);
    let mut set = SetLayout { size: start, ..SetLayout::default() };
    for r in &entry.resources {
        let place = Place::Set(set.size);
        set.bindings.push(BindingLayout { binding: r.binding, kind: r.kind, count: r.count, place, stride: 48 });
        set.size += 48;
    }
    let layout = PipelineLayout { sets: vec![set], push_constant_bytes: 8 };
    let options = Options { isa, wave, checks: Checks::On, ..Options::new("main", &layout) };
    compile(words, &options).unwrap_or_else(|e| panic!("{e}"))
}

/// LLVM's text of the code, one instruction a line, up to the end of the kernel.
fn disassembled(code: &CodeObject) -> Vec<String> {
    let lanes = code.wave.lanes();
    let features = if lanes == 64 {
        "-mattr=-wavefrontsize32,+wavefrontsize64"
    } else {
        "-mattr=+wavefrontsize32,-wavefrontsize64"
    };
    let hex: String = code.text.iter().map(|b| format!("0x{b:02x} ")).collect();
    let (out, err) = pipe(LLVM, &["-triple=amdgcn", "-mcpu=gfx1010", features, "-disassemble"], hex.as_bytes());
    assert!(err.is_empty(), "{err}");
    let text = String::from_utf8(out).unwrap();
    let lines = text.lines().map(str::trim).filter(|l| !l.is_empty() && !l.starts_with('.') && *l != "s_code_end");
    // An image instruction in the NSA form has two blanks.
    lines.map(|l| l.split_whitespace().collect::<Vec<_>>().join(" ")).collect()
}

/// Our text of the same.
fn own_text(code: &CodeObject) -> Vec<String> {
    let (words, lanes, mut at, mut lines) = (code.code_words(), code.wave.lanes(), 0, Vec::new());
    while at < words.len() {
        let (instr, size) = decode::decode(&words[at..], code.isa).unwrap_or_else(|e| panic!("at {at}: {e}"));
        lines.push(disasm::text(&instr, code.isa, lanes));
        at += size;
    }
    lines.retain(|l| l != "s_code_end");
    lines
}

const BODIES: &[(&str, &str)] = &[
    ("store", "a[i] = n;"),
    ("divergent if", "if (a[i] > 5u) { a[i] = a[i] * 3u; } else { f[i] = sin(f[i]) * exp2(k); }"),
    ("uniform loop", "uint t = 0u; for (uint j = 0u; j < n; j++) { t += a[i + j]; } a[i] = t;"),
    (
        "divergent loop",
        "uint t = i; while (t > 1u) { if ((t & 3u) == 2u) break; t = (t & 1u) != 0u ? t * 3u + 1u : t / 2u; } a[i] = t;",
    ),
    (
        "continue",
        "uint t = 0u; for (uint j = 0u; j < a[i]; j++) { if (a[j] == i) continue; t += a[j]; if (t > 1000u) break; } a[i] = t;",
    ),
    ("early return", "if (i >= n) return; if (a[i] == 0u) return; f[i] = f[i] / k;"),
    (
        "shared",
        "s[gl_LocalInvocationIndex] = a[i]; barrier(); a[i] = s[gl_LocalInvocationIndex ^ 1u] + atomicAdd(s[0], 1u);",
    ),
    ("atomics", "atomicAdd(a[0], i); a[i] = atomicCompSwap(a[1], i, 7u);"),
    ("division", "a[i] = a[i] / n + uint(int(a[i]) % int(n + 1u)); f[i] = mod(f[i], k);"),
    (
        "switch",
        "switch (a[i] & 3u) { case 0u: a[i] = 5u; break; case 1u: f[i] = 1.0; case 2u: a[i] += 2u; break; default: f[i] = k; }",
    ),
    (
        "subgroup",
        "a[i] = subgroupAdd(a[i]) + subgroupExclusiveMax(i) + subgroupShuffle(i, a[i] & 31u); if (subgroupElect()) f[i] = subgroupMin(f[i]);",
    ),
    ("ballot", "uvec4 b = subgroupBallot(a[i] > 3u); a[i] = subgroupBallotBitCount(b) + b.x;"),
    ("private", "float t[40]; for (uint j = 0u; j < 40u; j++) t[(j * n) % 40u] = f[j]; f[i] = t[a[i] % 40u];"),
    (
        "images",
        "a[i] = imageLoad(u, ivec3(i)).x + imageAtomicCompSwap(u, ivec3(i, 0, 1), n, i) + uint(imageSize(u).z); \
         imageStore(u, ivec3(i + 1u), uvec4(a[i])); f[i] = texelFetch(b, int(i)).w + float(textureSize(b));",
    ),
    (
        "samples",
        "f[i] = textureGradOffset(t, vec3(f[i]), vec3(k), vec3(f[i + 1u]), ivec3(1)).y + textureLod(t, vec3(f[i], k, 0), 1.0).x \
         + textureGrad(c, vec3(f[i], k, 1), vec3(k), vec3(f[i + 1u])).z + textureGather(c, vec3(f[i], k, 1), 2).w;",
    ),
];

#[test]
fn llvm_reads_every_kernel() {
    if missing(LLVM) || missing("glslc") {
        return;
    }
    for (name, body) in BODIES {
        let words = spirv(body);
        for wave in [WaveSize::W32, WaveSize::W64] {
            let code = machine(&words, wave);
            let (theirs, ours) = (disassembled(&code), own_text(&code));
            assert_eq!(theirs, ours, "{name} {wave:?}");
            assert!(ours.len() > 5 && ours.iter().any(|l| l == "s_endpgm"), "{name} {wave:?}: {ours:#?}");
        }
    }
}

/// Generations that code is made for besides the default machine's.
const OTHERS: [Gen; 4] = [Gen::Gfx600, Gen::Gfx701, Gen::Gfx900, Gen::Gfx1030];

/// LLVM's assembler makes the same bytes of our text; it has no disassembler for the oldest generations.
#[test]
fn llvm_assembles_every_kernel() {
    if missing(LLVM) || missing("glslc") {
        return;
    }
    for (name, body) in BODIES {
        let words = spirv(body);
        for isa in OTHERS {
            let code = machine_of(isa, 0, &words, WaveSize::least(isa));
            let text = own_text(&code).join("\n");
            let target = format!("-mcpu={}", isa.name());
            let (out, err) = pipe(LLVM, &["-triple=amdgcn", &target, "-show-encoding"], text.as_bytes());
            assert!(err.is_empty(), "{name} {isa:?}: {err}");
            let out = String::from_utf8(out).unwrap();
            let encodings = out.lines().filter_map(|l| l.split("encoding: [").nth(1)?.strip_suffix(']'));
            let byte = |b: &str| u8::from_str_radix(b.trim_start_matches("0x"), 16).unwrap();
            let theirs: Vec<u8> = encodings.flat_map(|bytes| bytes.split(',').map(byte)).collect();
            assert!(!theirs.is_empty() && code.text.starts_with(&theirs), "{name} {isa:?}\n{text}");
        }
    }
}

#[test]
fn uniform_work_is_scalar() {
    if missing(LLVM) || missing("glslc") {
        return;
    }
    let code = machine(&spirv("uint t = n * 3u + gl_WorkGroupID.x; if (t > 7u) { a[t] = t; }"), WaveSize::W32);
    let lines = disassembled(&code);
    let count = |p: &str| lines.iter().filter(|l| l.starts_with(p)).count();
    assert_eq!(count("v_add") + count("v_mul") + count("v_cmp"), 0, "{lines:#?}");
    assert_eq!(count("s_cbranch_scc"), 1, "{lines:#?}");
    assert_eq!(count("s_and_saveexec"), 0, "{lines:#?}");
}

/// The immediate of a scalar load has 20 bits; a set of 65,535 images is larger.
#[test]
fn descriptors_lie_past_a_mebibyte() {
    if missing("glslc") {
        return;
    }
    let words = spirv("a[i] = i;");
    for start in [0, (1 << 20) - 8, 1 << 20, 3 << 20] {
        let text = own_text(&machine_with_set_from(start, &words, WaveSize::W32));
        assert!(text.iter().any(|line| line.starts_with("s_load_dwordx4")), "{text:?}");
        let literal = format!(", {start:#x}");
        let moved = text.iter().any(|line| line.starts_with("s_mov_b32") && line.ends_with(&literal));
        assert_eq!(moved, start != 0, "{start:#x}: {text:?}");
    }
}

#[test]
fn the_barrier_of_one_wave_is_free() {
    if missing(LLVM) || missing("glslc") {
        return;
    }
    let words = |workgroup| sized(workgroup, "s[i & 127u] = a[i]; barrier(); a[i] = s[(i + 1u) & 127u];");
    let barriers = |c: &CodeObject| disassembled(c).iter().filter(|l| *l == "s_barrier").count();
    for (workgroup, wave, wanted) in [
        (32, WaveSize::W32, 0),
        (33, WaveSize::W32, 1),
        (64, WaveSize::W32, 1),
        (64, WaveSize::W64, 0),
        (65, WaveSize::W64, 1),
        (128, WaveSize::W64, 1),
    ] {
        assert_eq!(barriers(&machine(&words(workgroup), wave)), wanted, "{workgroup} work-items, {wave:?}");
    }
}

/// `count` values of `value(k)` that live across a loop whose stores may change every load, added up behind it as well.
fn pressure(count: u32, value: impl Fn(u32) -> String) -> String {
    let mut body = String::new();
    for k in 0..count {
        body += &format!("uint v{k} = {};\n", value(k));
    }
    body += "for (uint j = 0u; j < (a[i] & 3u); j++) {\n";
    for k in (0..count).rev() {
        body += &format!("a[i * 7u + j * {k}u] = v{k};\n");
    }
    body += "if ((i & 1u) == 0u) { uint t = v0; v0 = v1; v1 = t; }\n}\nuint t = 0u;\n";
    for k in 0..count {
        body += &format!("t = t * 3u + v{k};\n");
    }
    body + "a[i] = t;"
}

/// Checks are on, so the allocation's checker looks at every one of these; here the allocator has to spill.
#[test]
fn spilled_kernels_are_allocated_right() {
    if missing(LLVM) || missing("glslc") {
        return;
    }
    let vector = |k: u32| format!("a[i * 512u + {k}u]");
    let scalar = |k: u32| format!("(n * {}u) ^ (n >> {}u)", 2 * k + 3, k % 31);
    let mixed = |k: u32| if k.is_multiple_of(3) { scalar(k) } else { vector(k) };
    let private = |k: u32| format!("{} + uint(p[(n + {k}u) % 40u])", vector(k));
    let array = "float p[40]; for (uint j = 0u; j < 40u; j++) p[(j * n) % 40u] = f[j];\n";
    let texels = |k: u32| format!("floatBitsToUint(dot(texelFetch(t, ivec3(i, {k}, n), 0), vec4(1)))");
    // Texels that all live until the last is there.
    let mut wide = String::new();
    (0..80).for_each(|k| wide += &format!("vec4 w{k} = texelFetch(t, ivec3(i, {k}, n), 0);\n"));
    wide += "vec4 sum = vec4(k);\n";
    (0..80).rev().for_each(|k| wide += &format!("sum = sum * w{k} + w{k}.wzyx;\n"));
    wide += "f[i] = dot(sum, vec4(1));";
    let kernels = [
        ("wide texels", wide, (true, false)),
        ("texels", pressure(300, texels), (true, false)),
        ("vector", pressure(300, vector), (true, false)),
        ("scalar", pressure(130, scalar), (false, true)),
        ("both", pressure(420, mixed), (true, true)),
        ("private", array.to_string() + &pressure(280, private), (true, false)),
    ];
    for (name, body, (vgprs, sgprs)) in &kernels {
        let words = spirv(body);
        for wave in [WaveSize::W32, WaveSize::W64] {
            let code = machine(&words, wave);
            let stats = &code.stats;
            assert!(!vgprs || stats.spilled_vgprs > 0, "{name} {wave:?}");
            assert!(!sgprs || stats.spilled_sgprs > 0, "{name} {wave:?}");
            assert!(disassembled(&code).iter().any(|l| l == "s_endpgm"), "{name} {wave:?}");
        }
    }
}
