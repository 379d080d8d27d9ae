//! Calls that are calls: modules whose functions would be too much inlined, in trees and in chains, with what a function can
//! be given; what they compute, what a fault in one says, and that all calls inlined and none give the same.

use wavepipe_runtime::compiler::inspect::Checks;
use wavepipe_runtime::compiler::{CompileError, INLINE_BUDGET, Options, compile};
use wavepipe_runtime::hw::code::CodeObject;
use wavepipe_runtime::simple::{Job, Session, entry_point, layout_of};
use wavepipe_runtime::{Config, WaveSize, disassembly};
use wavepipe_tests::{clean, installed, run, scratch, show, skip};

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

/// Compiles and runs in all ways; each work-item's word must be what `want` says. Returns the calls in the code if
/// functions are called by default, and if all are.
fn check(name: &str, functions: &str, body: &str, want: impl Fn(u32) -> u32) -> Option<(usize, usize)> {
    let words = module(name, functions, body)?;
    let session = || Session::new(&Config::checked()).unwrap();
    let (plain, calling) = (session(), session().inlining(0));
    for wave in [WaveSize::W32, WaveSize::W64] {
        for (session, how) in [(&plain, "as by default"), (&calling, "all called")] {
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
    let session = || Session::new(&Config::checked()).unwrap();
    for (session, how) in [(session(), "inlined"), (session().inlining(0), "called")] {
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
    let e = compiled(&words.unwrap(), WaveSize::W32, INLINE_BUDGET).unwrap_err().to_string();
    assert!(e.contains("recursion"), "{e}");
}
