//! Calls that are calls: modules whose functions would be too much inlined, in trees and in chains, with what a function can
//! be given; what they compute in every engine, what a fault in one says, and that all calls inlined and none give the same.

use rspirv::spirv::Op;
use wavepipe_runtime::compiler::inspect::Checks;
use wavepipe_runtime::compiler::{CompileError, INLINE_BUDGET, Options, compile};
use wavepipe_runtime::hw::code::CodeObject;
use wavepipe_runtime::simple::{Job, Session, entry_point, layout_of};
use wavepipe_runtime::{Config, Jit, WaveSize, disassembly};
use wavepipe_tests::random::Random;
use wavepipe_tests::{clean, collected, installed, run, scratch, show, skip};

const ITEMS: u32 = 64;

/// GLSL as SPIR-V, with lines; None if the tool is missing. `functions` and `body` see the buffer `data`; the body has the
/// work-item's number `i`.
fn module(name: &str, functions: &str, body: &str) -> Option<Vec<u32>> {
    if !installed("glslangValidator") {
        skip("glslangValidator").unwrap();
        return None;
    }
    let text = format!(
        "#version 460\n#extension GL_EXT_buffer_reference_uvec2 : require\n#extension GL_KHR_shader_subgroup_arithmetic : require\n\
         layout(local_size_x = {ITEMS}) in;\nlayout(set = 0, binding = 0) buffer B {{ uint data[]; }};\n{functions}\n\
         void main() {{\nuint i = gl_LocalInvocationID.x;\n{body}\n}}\n"
    );
    let from = scratch(&format!("{name}.comp"));
    let spv = from.with_extension("spv");
    std::fs::write(&from, &text).unwrap();
    let mut command = clean("glslangValidator".as_ref());
    let output =
        run(command.args(["-V", "-g", "--quiet", "--target-env", "vulkan1.3"]).arg(&from).arg("-o").arg(&spv)).unwrap();
    assert!(output.status.success(), "{name}: {}\n{text}", show(&output));
    let bytes = std::fs::read(spv).unwrap();
    Some(bytes.chunks_exact(4).map(|c| u32::from_le_bytes([c[0], c[1], c[2], c[3]])).collect())
}

fn compiled(words: &[u32], wave: WaveSize, inline_budget: u32) -> Result<CodeObject, CompileError> {
    let entry = entry_point(words, None).unwrap();
    let layout = layout_of(&entry).unwrap();
    let options = Options { wave, inline_budget, checks: Checks::On, ..Options::new(&entry.name, layout.layout()) };
    compile(words, &options)
}

/// `s_swappc_b64` in the code: calls that stayed.
fn calls(code: &CodeObject) -> usize {
    disassembly(code).matches("s_swappc_b64").count()
}

/// The interpreter, which watches the guest's waits; host code; the clock. With calls as by default, and with none inlined.
fn sessions() -> Vec<(Session, String)> {
    let engines = [
        (Config { jit: Jit::Off, ..Config::watched() }, "interpreter"),
        (Config { jit: Jit::Always, ..Config::checked() }, "host code"),
        (Config { timing: true, ..Config::checked() }, "clock"),
    ];
    let ways = engines.into_iter().flat_map(|(config, engine)| {
        let session = || Session::new(&config).unwrap();
        [(session(), format!("{engine}, by default")), (session().inlining(0), format!("{engine}, all called"))]
    });
    ways.collect()
}

/// Compiles and runs in all ways; each work-item's word must be what `want` says. Returns the calls in the code if
/// functions are called by default, and if all are.
fn check(name: &str, functions: &str, body: &str, want: impl Fn(u32) -> u32) -> Option<(usize, usize)> {
    let words = module(name, functions, body)?;
    let sessions = sessions();
    for wave in [WaveSize::W32, WaveSize::W64] {
        for (session, how) in &sessions {
            let buffers = vec![(0, 0, vec![0; 4 * ITEMS as usize])];
            let job = Job { words: words.clone(), wave: Some(wave), groups: [1, 1, 1], buffers, ..Job::default() };
            let out = session.run(&job).unwrap_or_else(|e| panic!("{name} {wave:?} {how}: {e}")).remove(0);
            for (i, word) in (0..).zip(out.chunks_exact(4)) {
                let got = u32::from_le_bytes(word.try_into().unwrap());
                assert_eq!(got, want(i), "{name} {wave:?} {how}: work-item {i}");
            }
        }
    }
    let count = |budget| calls(&compiled(&words, WaveSize::W32, budget).unwrap());
    Some((count(INLINE_BUDGET), count(0)))
}

/// A tree of calls `levels` high: each function calls the one below twice.
fn tree(levels: u32) -> String {
    let mut text = "uint f0(uint x) { return x * 1664525u + 1013904223u; }\n".to_string();
    for n in 1..=levels {
        text += &format!("uint f{n}(uint x) {{ return f{0}(f{0}(x) ^ {n}u); }}\n", n - 1);
    }
    text
}

fn tree_value(level: u32, x: u32) -> u32 {
    match level {
        0 => x.wrapping_mul(1_664_525).wrapping_add(1_013_904_223),
        n => tree_value(n - 1, tree_value(n - 1, x) ^ n),
    }
}

#[test]
fn a_tree_that_is_small_is_inlined_and_a_large_one_called() {
    let Some(small) = check("tree-5", &tree(5), "data[i] = f5(i);", |i| tree_value(5, i)) else { return };
    assert!(small.0 == 0 && small.1 >= 6, "{small:?}");
    let Some(large) = check("tree-14", &tree(14), "data[i] = f14(i);", |i| tree_value(14, i)) else { return };
    assert!(large.0 >= 1, "{large:?}");
    // 2^30 calls, of which some hundred instructions are left.
    let Some(words) = module("tree-30", &tree(30), "data[i] = f30(i);") else { return };
    let code = compiled(&words, WaveSize::W64, INLINE_BUDGET).unwrap();
    assert!(code.code_bytes < 32 * 1024 && calls(&code) >= 25, "{} bytes", code.code_bytes);
}

/// Each function has values and a loop around its call that live across it, and a mask.
#[test]
fn a_chain_of_a_thousand_functions() {
    let depth = 1000;
    let mut text = "uint g0(uint x, uint y) { return x ^ y; }\n".to_string();
    for n in 1..=depth {
        text += &format!(
            "uint g{n}(uint x, uint y) {{\nuint a = x * {n}u + y;\nif ((a & 8u) != 0u) {{ a += g{0}(x + 1u, a); }} else {{ a ^= 5u; }}\n\
             return a + x + y;\n}}\n",
            n - 1
        );
    }
    fn value(n: u32, x: u32, y: u32) -> u32 {
        if n == 0 {
            return x ^ y;
        }
        let mut a = x.wrapping_mul(n).wrapping_add(y);
        if a & 8 != 0 {
            a = a.wrapping_add(value(n - 1, x.wrapping_add(1), a));
        } else {
            a ^= 5;
        }
        a.wrapping_add(x).wrapping_add(y)
    }
    let body = format!("data[i] = g{depth}(i, 8u);");
    let Some(words) = module("chain", &text, &body) else { return };
    let code = compiled(&words, WaveSize::W32, INLINE_BUDGET).unwrap();
    assert!(calls(&code) >= 20);
    let session = Session::new(&Config::checked()).unwrap();
    for wave in [WaveSize::W32, WaveSize::W64] {
        let buffers = vec![(0, 0, vec![0; 4 * ITEMS as usize])];
        let job = Job { words: words.clone(), wave: Some(wave), groups: [1, 1, 1], buffers, ..Job::default() };
        let out = session.run(&job).unwrap().remove(0);
        for (i, word) in (0..).zip(out.chunks_exact(4)) {
            assert_eq!(u32::from_le_bytes(word.try_into().unwrap()), value(depth, i, 8), "{wave:?}: work-item {i}");
        }
    }
}

/// A chain in which every call is made by all lanes, so the deepest frame is reached, with all functions called.
#[test]
fn a_chain_to_its_end() {
    let depth = 300;
    let mut text = "uint h0(uint x) { return x + subgroupAdd(1u); }\n".to_string();
    for n in 1..=depth {
        text += &format!(
            "uint h{n}(uint x) {{ uint a = x * 3u; uint b = x ^ {n}u; return h{}(x + 1u) * a + b; }}\n",
            n - 1
        );
    }
    fn value(n: u32, x: u32, lanes: u32) -> u32 {
        match n {
            0 => x.wrapping_add(lanes),
            n => value(n - 1, x.wrapping_add(1), lanes).wrapping_mul(x.wrapping_mul(3)).wrapping_add(x ^ n),
        }
    }
    let Some(words) = module("chain-to-its-end", &text, &format!("data[i] = h{depth}(i);")) else { return };
    let session = Session::new(&Config::checked()).unwrap().inlining(0);
    for (wave, lanes) in [(WaveSize::W32, 32), (WaveSize::W64, 64)] {
        assert_eq!(calls(&compiled(&words, wave, 0).unwrap()), depth as usize + 1);
        let buffers = vec![(0, 0, vec![0; 4 * ITEMS as usize])];
        let job = Job { words: words.clone(), wave: Some(wave), groups: [1, 1, 1], buffers, ..Job::default() };
        let out = session.run(&job).unwrap().remove(0);
        for (i, word) in (0..).zip(out.chunks_exact(4)) {
            assert_eq!(u32::from_le_bytes(word.try_into().unwrap()), value(depth, i, lanes), "{wave:?}: work-item {i}");
        }
    }
}

#[test]
fn what_functions_are_given() {
    let functions = "
shared uint pool[64];
uint state = 7u;
uint table[40];
struct Pair { uint a; bool b; double d; };
void bump(inout uint x, out bool odd) { x += 3u; odd = (x & 1u) == 1u; state += x; }
uint of_array(uint v[48], uint at) { v[at % 48u] += 1u; return v[at % 48u] + v[(at + 7u) % 48u]; }
void fill(inout uint v[48], uint seed) { for (uint n = 0u; n < 48u; n++) { v[n] = seed + n; } table[seed % 40u] = seed; }
uint[48] reversed(uint v[48]) { uint r[48]; for (uint n = 0u; n < 48u; n++) { r[n] = v[47u - n]; } return r; }
Pair pair(Pair p, bool up) { p.a += up ? 1u : 2u; p.b = !p.b; p.d = p.d * 2.0lf; return p; }
uint meet(uint i) { pool[i] = i * i; barrier(); uint v = pool[(i + 1u) % 64u]; barrier(); return v; }
uint sum(uint x) { return subgroupAdd(x & 15u); }
uint early(uint x) { for (uint n = 0u; n < 9u; n++) { if (n == (x & 7u)) { return n * 10u; } } return 1u; }
";
    let body = "
uint x = i; bool odd;
bump(x, odd); bump(x, odd);
uint v[48];
fill(v, i);
uint r[48] = reversed(v);
Pair p = pair(Pair(x, odd, double(i)), odd);
p = pair(p, p.b);
uint m = meet(i);
uint s = 0u;
if ((i & 2u) != 0u) { s = sum(1u) - sum(0u) + early(i); } else { s = early(i + 1u); }
data[i] = x + state + of_array(v, i) * 3u + v[5] + r[i % 48u] + p.a + (p.b ? 100u : 0u) + uint(p.d) + m + s + table[i % 40u];
";
    let want = |i: u32| {
        let early = |x: u32| if x & 7 == 0 { 0 } else { (x & 7) * 10 };
        let x = i + 6;
        let state = 7 + (i + 3) + (i + 6);
        let odd = x & 1 == 1;
        let v = |n: u32| i + n;
        let of_array = v(i % 48) + 1 + v((i + 7) % 48);
        // Half of the lanes of a wave are there, whatever its size: 16 or 32.
        let (mut a, mut b) = (x, odd);
        for _ in 0..2 {
            let up = if a == x { odd } else { b };
            a += if up { 1 } else { 2 };
            b = !b;
        }
        let s = |lanes: u32| if i & 2 != 0 { lanes / 2 + early(i) } else { early(i + 1) };
        (
            32,
            x + state
                + of_array * 3
                + v(5)
                + v(47 - i % 48)
                + a
                + if b { 100 } else { 0 }
                + i * 4
                + ((i + 1) % 64).pow(2)
                + i,
            s(32),
            s(64),
        )
    };
    let Some(words) = module("given", functions, body) else { return };
    for (session, how) in sessions() {
        for wave in [WaveSize::W32, WaveSize::W64] {
            let buffers = vec![(0, 0, vec![0; 4 * ITEMS as usize])];
            let job = Job { words: words.clone(), wave: Some(wave), groups: [1, 1, 1], buffers, ..Job::default() };
            let out = session.run(&job).unwrap_or_else(|e| panic!("{how} {wave:?}: {e}")).remove(0);
            for (i, word) in (0..).zip(out.chunks_exact(4)) {
                let (_, rest, s32, s64) = want(i);
                let s = if wave == WaveSize::W32 { s32 } else { s64 };
                assert_eq!(u32::from_le_bytes(word.try_into().unwrap()), rest + s, "{how} {wave:?}: work-item {i}");
            }
        }
    }
    let code = compiled(&words, WaveSize::W32, 0).unwrap();
    assert!(calls(&code) >= 12, "{} calls", calls(&code));
}

#[test]
fn a_fault_in_a_function_names_its_line() {
    let functions = "layout(buffer_reference, std430) buffer Wild { uint w; };
uint wild(uvec2 at) {
    return Wild(at).w;
}
uint outer(uint x) { return x + wild(uvec2(64u, 0u)); }";
    let Some(words) = module("wild", functions, "data[i] = outer(i);") else { return };
    let session = Session::new(&Config::checked()).unwrap().inlining(0);
    let buffers = vec![(0, 0, vec![0; 4 * ITEMS as usize])];
    let job = Job { words, groups: [1, 1, 1], buffers, ..Job::default() };
    let text = session.run(&job).unwrap_err().to_string();
    assert!(text.contains("wild.comp:8") && text.contains("load"), "{text}");
}

/// A kernel's private memory is that of the deepest chain of calls, of what each function has itself: not of the variables of
/// functions that are not called there, nor of those of others.
#[test]
fn private_memory_is_what_the_calls_reach() {
    let functions = "
        uint kept[1000];
        uint plain(uint x) { return (x * 2654435761u) ^ (x >> 7); }
        uint array(uint x) { uint a[64]; for (uint n = 0; n < 64; n++) a[n] = n * x; a[x % 64] = 1; return plain(a[(x >> 3) % 64]); }
        uint never(uint x) { uint a[3000]; for (uint n = 0; n < 3000; n++) kept[n % 1000] = a[x % 3000] = n; return a[x]; }";
    let body = "uint a[100]; for (uint n = 0; n < 100; n++) a[n] = n + i;
        a[data[i] % 100] = 7;
        data[i] = plain(array(a[i % 100]) + plain(i));";
    let Some(words) = module("reached", functions, body) else { return };
    let code = compiled(&words, WaveSize::W64, 0).unwrap();
    assert!(calls(&code) >= 3, "{}", disassembly(&code));
    // Both arrays, and what calls keep of registers.
    assert!((656..=800).contains(&code.scratch_bytes), "{} bytes", code.scratch_bytes);
    let body = "data[i] = plain(data[i]) + plain(i);";
    let code = compiled(&module("unkept", functions, body).unwrap(), WaveSize::W64, 0).unwrap();
    assert!(calls(&code) == 2 && code.scratch_bytes <= 16, "{} bytes", code.scratch_bytes);
    let value = |x: u32| x.wrapping_mul(2654435761) ^ (x >> 7);
    check("unkept", functions, body, value);
}

#[test]
fn recursion_is_refused_by_name() {
    // Assembled by hand: no compiler of GLSL lets it pass.
    let text = "OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main \"main\"
OpExecutionMode %main LocalSize 1 1 1
%void = OpTypeVoid
%fn = OpTypeFunction %void
%main = OpFunction %void None %fn
%l = OpLabel
%c = OpFunctionCall %void %a
OpReturn
OpFunctionEnd
%a = OpFunction %void None %fn
%la = OpLabel
%ca = OpFunctionCall %void %b
OpReturn
OpFunctionEnd
%b = OpFunction %void None %fn
%lb = OpLabel
%cb = OpFunctionCall %void %a
OpReturn
OpFunctionEnd
";
    let Some(words) = wavepipe_tests::spirv::assembled(text) else { return skip("spirv-as").unwrap() };
    let words = words.unwrap();
    for budget in [INLINE_BUDGET, 0] {
        let e = compiled(&words, WaveSize::W32, budget).unwrap_err().to_string();
        assert!(e.contains("recursion"), "{budget}: {e}");
    }
}

/// A function that no branch reaches over, calls in an arm of it that is as long, and a call over it from either side.
#[test]
fn functions_that_lie_far_apart() {
    let mut r = Random(7);
    let steps: Vec<(u32, u32)> = (0..7000).map(|_| (r.bits() as u32 | 1, r.bits() as u32)).collect();
    let text: String = steps.iter().map(|(a, c)| format!("x = x * {a}u + {c}u;\n")).collect();
    let functions = format!(
        "uint mix(uint x, uint y) {{ return (x << 3) ^ y; }}
         uint far(uint x) {{ if ((x & 1u) != 0u) {{ x ^= mix(x, 1u); {text} x ^= mix(x, 2u); }} else {{ x += mix(x, 3u); }} return x; }}
         uint near(uint x) {{ return mix(x, far(x)); }}
"
    );
    let Some(words) = module("far", &functions, "data[i] = near(i) ^ mix(i, 4u);") else { return };
    let mix = |x: u32, y: u32| x << 3 ^ y;
    let far = |x: u32| match x & 1 {
        0 => x.wrapping_add(mix(x, 3)),
        _ => {
            let x = steps.iter().fold(x ^ mix(x, 1), |x, &(a, c)| x.wrapping_mul(a).wrapping_add(c));
            x ^ mix(x, 2)
        }
    };
    for (wave, jit) in [(WaveSize::W32, Jit::Off), (WaveSize::W64, Jit::Always)] {
        let session = Session::new(&Config { jit, ..Config::checked() }).unwrap().inlining(0);
        let pipeline = session.pipeline(&words, None, &[], Some(wave)).unwrap();
        let code = pipeline.code_object();
        assert_eq!(calls(code), 7);
        // A branch reaches 32,768 dwords.
        let starts: Vec<u32> = code.functions.iter().map(|f| f.0).chain([code.code_bytes]).collect();
        assert!(starts.windows(2).any(|f| f[1] - f[0] > 4 * 32_768), "{:?}", code.functions);
        let buffers = vec![(0, 0, vec![0; 4 * ITEMS as usize])];
        let job = Job { words: words.clone(), wave: Some(wave), groups: [1, 1, 1], buffers, ..Job::default() };
        let out = session.run_pipeline(&pipeline, &job).unwrap().remove(0);
        for (i, word) in (0..).zip(out.as_chunks::<4>().0) {
            assert_eq!(u32::from_le_bytes(*word), mix(i, far(i)) ^ mix(i, 4), "{wave:?}: work-item {i}");
        }
    }
}

/// Modules of the collection that call functions.
const WITH_CALLS: usize = 32;

/// Shaders of real programs leave the same bits with all functions called as with none. Data are whole numbers: of others,
/// products and sums that fuse inlined, and do not across a call, may differ.
#[test]
fn collected_modules_do_the_same_with_calls() {
    let files = collected::files();
    if files.is_empty() {
        return;
    }
    let session = || Session::new(&Config::checked()).unwrap();
    let (plain, calling) = (session().inlining(u32::MAX), session().inlining(0));
    let (mut seen, mut wrote) = (0, 0);
    for file in &files {
        let bytes = std::fs::read(file).unwrap();
        let words: Vec<u32> = bytes.as_chunks::<4>().0.iter().map(|w| u32::from_le_bytes(*w)).collect();
        if !operations(&words).any(|op| op == Op::FunctionCall as u32) {
            continue;
        }
        seen += 1;
        let entry = entry_point(&words, None).unwrap();
        for floats in [false, true] {
            let job = collected::job(&words, &entry, floats);
            if floats && collected::COUNTS.iter().any(|name| file.to_string_lossy().contains(name)) {
                continue;
            }
            let run = |session: &Session, how: &str| {
                session.run(&job).unwrap_or_else(|e| panic!("{}, floats {floats}, {how}: {e}", file.display()))
            };
            let (a, b) = (run(&plain, "inlined"), run(&calling, "called"));
            assert!(a == b, "{}, floats {floats}", file.display());
            wrote += usize::from(a.iter().zip(&job.buffers).any(|(a, b)| *a != b.2));
        }
    }
    assert!(seen >= WITH_CALLS && wrote >= seen, "{wrote} runs of {seen} modules write");
}

fn operations(words: &[u32]) -> impl Iterator<Item = u32> {
    let mut rest = words.get(5..).unwrap_or_default();
    std::iter::from_fn(move || {
        let first = *rest.first()?;
        rest = rest.get(first as usize >> 16..)?;
        Some(first & 0xffff)
    })
}
