//! Shaders translated and run by the plain interpreter of the ir, before and after the passes. The shaders are GLSL or SPIR-V
//! assembly, compiled by glslc and spirv-as; the wanted values are computed here by hand.

use std::process::{Command, Stdio};
use wavepipe_runtime::compiler::INLINE_BUDGET;
use wavepipe_runtime::compiler::inspect::{Checks, Inspector};
use wavepipe_runtime::compiler::ir::Kernel;
use wavepipe_runtime::compiler::opt::optimise;
use wavepipe_runtime::compiler::spirv::{Request, reflect, translate};
use wavepipe_runtime::hw::code::WaveSize;
use wavepipe_runtime::hw::launch::{BindingLayout, PipelineLayout, Place, SetLayout};
use wavepipe_tests::ir_interp::{self, Machine};

/// Runs a tool on `text`; None if it is not installed.
fn tool(program: &str, args: &[&str], extension: &str, text: &str) -> Option<Vec<u32>> {
    use std::sync::atomic::{AtomicU32, Ordering};
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let stem = std::env::temp_dir().join(format!(
        "wavepipe-run-{}-{}",
        std::process::id(),
        NEXT.fetch_add(1, Ordering::Relaxed)
    ));
    let (from, to) = (stem.with_extension(extension), stem.with_extension("spv"));
    std::fs::write(&from, text).unwrap();
    let child = Command::new(program).args(args).arg(&from).arg("-o").arg(&to).stderr(Stdio::piped()).output();
    let Ok(output) = child else {
        println!("SKIP {program}");
        assert!(std::env::var_os("CI").is_none(), "{program} is missing");
        return None;
    };
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let bytes = std::fs::read(&to).unwrap();
    let _ = (std::fs::remove_file(&from), std::fs::remove_file(&to));
    Some(bytes.chunks_exact(4).map(|c| u32::from_le_bytes([c[0], c[1], c[2], c[3]])).collect())
}

/// Runs one work-group on the plain interpreter of the ir.
fn run(k: &Kernel, buffer: &[u32]) -> Vec<u32> {
    let mut m = Machine { groups: [1, 1, 1], wave: 32, ..Machine::default() };
    m.buffers.insert((0, 0), buffer.iter().flat_map(|w| w.to_le_bytes()).collect());
    ir_interp::run(k, &mut m);
    let bytes = &m.buffers[&(0, 0)];
    bytes.chunks_exact(4).map(|c| u32::from_le_bytes([c[0], c[1], c[2], c[3]])).collect()
}

/// The buffer after one work-group of 8, from the kernel as translated and as optimised.
fn results(words: &[u32], buffer: &[u32]) -> Vec<u32> {
    let entry = reflect(words).unwrap().remove(0);
    let bindings = entry.resources.iter().map(|r| BindingLayout {
        binding: r.binding,
        kind: r.kind,
        count: 1,
        place: Place::Set(0),
        stride: 16,
    });
    let layout =
        PipelineLayout { sets: vec![SetLayout { bindings: bindings.collect(), size: 16 }], push_constant_bytes: 0 };
    let mut inspector = Inspector::new(Checks::On, None);
    // With all calls inlined, and with none.
    let [inlined, called] = [INLINE_BUDGET, 0].map(|inline_budget| {
        let request = Request {
            entry: &entry.name,
            wave: WaveSize::W32,
            spec: &[],
            layout: &layout,
            inline_budget,
            instrument: Default::default(),
            names: false,
        };
        let mut k = translate(words, &request, &mut inspector).unwrap_or_else(|e| panic!("{e}"));
        let plain = run(&k, buffer);
        optimise(&mut k, &mut inspector).unwrap();
        assert_eq!(run(&k, buffer), plain, "the passes changed the result\n{k}");
        plain
    });
    assert_eq!(inlined, called, "calls give something else than inlined functions");
    inlined
}

/// `body` is GLSL with `i` the work-item and `data` the buffer; each work-item's result goes to `data[i]`. Checked without and with
/// spirv-opt's optimisation, which moves values out of their blocks and makes phis.
fn glsl(functions: &str, body: &str, buffer: &[u32], wanted: impl Fn(u32) -> u32) {
    let text = format!(
        "#version 450\nlayout(local_size_x = 8) in;\nlayout(set = 0, binding = 0) buffer B {{ uint data[]; }};\n{functions}\nvoid main() {{\nuint i = gl_GlobalInvocationID.x;\n{body}\n}}\n"
    );
    for level in ["-O0", "-O"] {
        let Some(words) = tool("glslc", &[level], "comp", &text) else { return };
        let out = results(&words, buffer);
        for i in 0..8 {
            assert_eq!(out[i as usize], wanted(i), "work-item {i} with {level}");
        }
    }
}

#[test]
fn branches_and_early_return() {
    glsl(
        "",
        "data[i] = 7; if (i > 5) return; if (i < 2) data[i] = i; else if (i == 3) data[i] = 100; else { data[i] += 1; }",
        &[0; 8],
        |i| match i {
            6.. => 7,
            0 | 1 => i,
            3 => 100,
            _ => 8,
        },
    );
}

#[test]
fn loops_with_break_and_continue() {
    let wanted = |i: u32| {
        let mut s = 0;
        for j in 0..20 {
            if j % 3 == i % 3 {
                continue;
            }
            if j > 10 + i {
                break;
            }
            s += j * i + 1;
        }
        s
    };
    glsl(
        "",
        "uint s = 0; for (uint j = 0; j < 20; j++) { if (j % 3 == i % 3) continue; if (j > 10 + i) break; s += j * i + 1; } data[i] = s;",
        &[0; 8],
        wanted,
    );
}

#[test]
fn nested_loops_and_do_while() {
    let wanted = |i: u32| {
        let (mut s, mut a) = (0u32, 0);
        loop {
            let mut b = a;
            while b < i {
                if b == 4 {
                    break;
                }
                s = s * 3 + b;
                b += 1;
            }
            a += 1;
            if a >= i {
                break;
            }
        }
        s
    };
    glsl(
        "",
        "uint s = 0, a = 0; do { uint b = a; while (b < i) { if (b == 4) break; s = s * 3 + b; b++; } a++; } while (a < i); data[i] = s;",
        &[0; 8],
        wanted,
    );
}

#[test]
fn switch_with_fallthrough_and_default() {
    let wanted = |i: u32| match i {
        0 => 10,
        1 => 20 + 30,
        2 => 30,
        3 | 4 => 40,
        5 => 999 + 7,
        6 => 7,
        _ => 999 + 7,
    };
    glsl(
        "",
        "uint r = 0; switch (i) { case 0: r = 10; break; case 1: r += 20; case 2: r += 30; break; case 3: case 4: r = 40; break; default: r = 999; case 6: r += 7; } data[i] = r;",
        &[0; 8],
        wanted,
    );
}

#[test]
fn switch_in_a_loop_that_continues_and_returns() {
    let wanted = |i: u32| {
        let mut s = 0;
        for j in 0..10 {
            match (j + i) % 4 {
                0 => continue,
                1 => s += 5,
                2 => {
                    if j == 7 {
                        return 1234;
                    }
                    s += 1;
                }
                _ => {}
            }
            s += 100;
        }
        s
    };
    glsl(
        "",
        "uint s = 0; for (uint j = 0; j < 10; j++) { switch ((j + i) % 4) { case 0: continue; case 1: s += 5; break; case 2: if (j == 7) { data[i] = 1234; return; } s += 1; break; default: break; } s += 100; } data[i] = s;",
        &[0; 8],
        wanted,
    );
}

#[test]
fn functions_with_returns_and_out_arguments() {
    let functions = "uint f(uint x, out uint y) { y = x * 2; for (uint k = 0; k < 8; k++) { if (k * k > x) { y += k; return k; } } return 77; }\nuint g(inout uint z) { uint q; uint r = f(z, q); z += q; return r; }";
    let f = |x: u32| {
        for k in 0..8 {
            if k * k > x {
                return (k, x * 2 + k);
            }
        }
        (77, x * 2)
    };
    glsl(functions, "uint z = i * 9; uint r = g(z); data[i] = r * 1000 + z;", &[0; 8], |i| {
        let (r, q) = f(i * 9);
        r * 1000 + i * 9 + q
    });
}

#[test]
fn private_arrays_by_dynamic_index() {
    glsl(
        "",
        "uint a[16]; for (uint k = 0; k < 16; k++) a[k] = k * k + i; a[(i * 5) & 15] += 1000; uint s = 0; for (uint k = 0; k < 16; k += 3) s += a[k]; data[i] = s + a[i];",
        &[0; 8],
        |i| {
            let mut a: Vec<u32> = (0..16).map(|k| k * k + i).collect();
            a[(i as usize * 5) & 15] += 1000;
            a.iter().step_by(3).sum::<u32>() + a[i as usize]
        },
    );
}

#[test]
fn constant_tables_and_vectors() {
    let table = [3u32, 1, 4, 1, 5, 9, 2, 6];
    glsl(
        "const uint T[8] = uint[](3, 1, 4, 1, 5, 9, 2, 6);",
        "uvec4 v = uvec4(1, 2, 3, 4); v[i & 3] = 50 + i; data[i] = T[i] * 1000 + v.x + v.y * 2 + v.zw.x + v.w + uvec4(v.wzyx)[i & 3];",
        &[0; 8],
        |i| {
            let mut v = [1, 2, 3, 4];
            v[i as usize & 3] = 50 + i;
            table[i as usize] * 1000 + v[0] + v[1] * 2 + v[2] + v[3] + v[3 - (i as usize & 3)]
        },
    );
}

#[test]
fn structures_matrices_and_logic() {
    let functions = "struct S { vec3 a; mat3 m; bool b; }; bool odd(uint x) { return (x & 1) == 1; }";
    let body = "S s; s.a = vec3(i, 2, 3); s.m = mat3(1, 2, 3, 4, 5, 6, 7, 8, 9); s.b = odd(i) && i > 2 || i == 0; vec3 r = s.m * s.a; vec3 q = s.a * s.m; S t = s; t.a.yx = r.xz; data[i] = uint(r.x + 10 * q.y + 100 * t.a.x + t.a.y) * 2 + uint(t.b);";
    glsl(functions, body, &[0; 8], |i| {
        let a = [i, 2, 3];
        let r: Vec<u32> = (0..3).map(|row| (0..3).map(|c| (c * 3 + row + 1) * a[c as usize]).sum()).collect();
        let q: Vec<u32> = (0..3).map(|c| (0..3).map(|row| (c * 3 + row + 1) * a[row as usize]).sum()).collect();
        let b = u32::from(i % 2 == 1 && i > 2 || i == 0);
        (r[0] + 10 * q[1] + 100 * r[2] + r[0]) * 2 + b
    });
}

#[test]
fn array_length_and_atomics() {
    let mut start = vec![0; 20];
    start[15] = 5;
    glsl("", "uint old = atomicAdd(data[15], 2); data[i] = old * 100 + data.length();", &start, |i| {
        (5 + 2 * i) * 100 + 20
    });
}

#[test]
fn floats_fold_and_run_alike() {
    glsl(
        "",
        "float x = float(i) * 0.5; float y = mix(x, 8.0, 0.25) + step(2.0, x) + clamp(x, 1.0, 2.0) + floor(x) + abs(-x); data[i] = uint(y * 1000.0);",
        &[0; 8],
        |i| {
            let x = i as f32 * 0.5;
            let y = (8.0f32.mul_add(0.25, (-0.25f32).mul_add(x, x)))
                + if x < 2.0 { 0.0 } else { 1.0 }
                + x.clamp(1.0, 2.0)
                + x.floor()
                + x;
            (y * 1000.0) as u32
        },
    );
}

/// A value of the loop used after it, and a conditional branch without a merge.
#[test]
fn values_that_escape_and_branches_without_merge() {
    let text = "OpCapability Shader\nOpMemoryModel Logical GLSL450\nOpEntryPoint GLCompute %main \"main\" %gid\nOpExecutionMode %main LocalSize 8 1 1
OpDecorate %gid BuiltIn GlobalInvocationId\nOpDecorate %arr ArrayStride 4\nOpMemberDecorate %blk 0 Offset 0\nOpDecorate %blk BufferBlock
OpDecorate %buf DescriptorSet 0\nOpDecorate %buf Binding 0
%void = OpTypeVoid\n%fn = OpTypeFunction %void\n%u = OpTypeInt 32 0\n%b = OpTypeBool\n%v3 = OpTypeVector %u 3\n%pv3 = OpTypePointer Input %v3\n%gid = OpVariable %pv3 Input
%arr = OpTypeRuntimeArray %u\n%blk = OpTypeStruct %arr\n%pblk = OpTypePointer Uniform %blk\n%pu = OpTypePointer Uniform %u\n%buf = OpVariable %pblk Uniform
%c0 = OpConstant %u 0\n%c1 = OpConstant %u 1\n%c3 = OpConstant %u 3\n%c10 = OpConstant %u 10
%main = OpFunction %void None %fn\n%entry = OpLabel\n%g = OpLoad %v3 %gid\n%i = OpCompositeExtract %u %g 0\n%p = OpAccessChain %pu %buf %c0 %i\nOpBranch %head
%head = OpLabel\n%k = OpPhi %u %c0 %entry %k2 %cont\n%s = OpPhi %u %c1 %entry %s2 %cont\n%sq = OpIMul %u %k %k\n%q = OpAccessChain %pu %buf %c0 %k
OpLoopMerge %merge %cont None\n%t = OpUGreaterThan %b %sq %i\nOpBranchConditional %t %merge %body
%body = OpLabel\n%s2 = OpIAdd %u %s %sq\n%t2 = OpUGreaterThan %b %s2 %c10\nOpBranchConditional %t2 %merge %cont
%cont = OpLabel\n%k2 = OpIAdd %u %k %c1\nOpBranch %head
%merge = OpLabel\n%r = OpPhi %u %s %head %s2 %body\n%r2 = OpIMul %u %r %c10\n%r3 = OpIAdd %u %r2 %k\nOpStore %p %r3\n%z = OpLoad %u %q\nOpReturn\nOpFunctionEnd\n";
    let Some(words) = tool("spirv-as", &["--target-env", "spv1.0"], "spvasm", text) else { return };
    let out = results(&words, &[0; 16]);
    for i in 0..8u32 {
        let (mut k, mut s) = (0, 1);
        let r = loop {
            if k * k > i {
                break s;
            }
            s += k * k;
            if s > 10 {
                break s;
            }
            k += 1;
        };
        assert_eq!(out[i as usize], r * 10 + k, "work-item {i}");
    }
}

/// Random programs of nested ifs, loops, switches, breaks, continues, returns, functions and private arrays.
struct Generator {
    seed: u64,
    loops: u32,
}

impl Generator {
    fn pick(&mut self, n: u64) -> u64 {
        self.seed = self.seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.seed >> 33) % n
    }

    fn expression(&mut self, depth: u32) -> String {
        if depth == 0 {
            return match self.pick(6) {
                0 => format!("{}u", self.pick(20)),
                1 => "i".into(),
                2 => format!("p[{}]", self.pick(6)),
                n => ["a", "b", "c"][n as usize - 3].into(),
            };
        }
        let (x, y) = (self.expression(depth - 1), self.expression(depth - 1));
        match self.pick(9) {
            0 => format!("({x} + {y})"),
            1 => format!("({x} - {y})"),
            2 => format!("({x} * {y})"),
            3 => format!("({x} ^ {y})"),
            4 => format!("({x} >> ({y} & 7u))"),
            5 => format!("(({x} < {y}) ? {y} : {x})"),
            6 => format!("({x} / {}u)", self.pick(9) + 1),
            7 => format!("min({x}, {y})"),
            _ => format!("p[{x} % 6u]"),
        }
    }

    fn statements(&mut self, depth: u32, in_loop: bool, in_switch: bool) -> String {
        let mut out = String::new();
        for _ in 0..self.pick(3) + 1 {
            let e = self.expression(2);
            let target = ["a", "b", "c", "p[a % 6u]", "p[1]", "p[4]"][self.pick(6) as usize];
            let choice = if depth == 0 { self.pick(3) } else { self.pick(9) };
            out += &match choice {
                0..=2 => format!("{target} = {e};\n"),
                3 | 4 => {
                    let (t, f) = (
                        self.statements(depth - 1, in_loop, in_switch),
                        self.statements(depth - 1, in_loop, in_switch),
                    );
                    format!("if ((({e}) & 3u) > 1u) {{\n{t}}} else {{\n{f}}}\n")
                }
                5 => {
                    self.loops += 1;
                    let (n, count) = (self.loops, self.pick(5) + 1);
                    let body = self.statements(depth - 1, true, false);
                    format!("for (uint k{n} = 0; k{n} < {count}u; k{n}++) {{\n{body}}}\n")
                }
                6 => {
                    self.loops += 1;
                    let n = self.loops;
                    let body = self.statements(depth - 1, true, false);
                    format!("uint k{n} = 0; do {{ k{n}++;\n{body}}} while (k{n} < (({e}) & 3u));\n")
                }
                7 => {
                    let cases: Vec<String> = (0..3)
                        .map(|n| {
                            let body = self.statements(depth - 1, in_loop, true);
                            let end = if self.pick(3) == 0 { "" } else { "break;" };
                            format!("case {n}u:\n{body}{end}\n")
                        })
                        .collect();
                    let rest = self.statements(depth - 1, in_loop, true);
                    format!("switch (({e}) & 3u) {{\n{}default:\n{rest}break;\n}}\n", cases.concat())
                }
                _ => {
                    let jump = match self.pick(4) {
                        0 if in_loop && !in_switch => "break;",
                        1 if in_loop => "continue;",
                        2 => "data[i] = a + b * 7u; return;",
                        _ => "a = f(b, c);",
                    };
                    format!("if ((({e}) & 7u) == 3u) {{ {jump} }}\n")
                }
            };
        }
        out
    }
}

#[test]
fn random_programs_agree_however_they_are_compiled() {
    for seed in 0..12 {
        let mut g = Generator { seed: seed * 7919 + 1, loops: 0 };
        let body: String = (0..3).map(|_| g.statements(3, false, false)).collect();
        let text = format!(
            "#version 450\nlayout(local_size_x = 8) in;\nlayout(set = 0, binding = 0) buffer B {{ uint data[]; }};\nuint f(uint x, inout uint y) {{ for (uint k = 0; k < 5; k++) {{ if ((x & k) == 2u) return y + k; y += x; }} return x; }}\nvoid main() {{\nuint i = gl_GlobalInvocationID.x, a = i * 3, b = data[i + 8], c = 5;\nuint p[6];\nfor (uint n = 0; n < 6; n++) p[n] = n * i;\n{body}\ndata[i] = a ^ b * 3u ^ c * 5u ^ p[2] ^ p[5];\n}}\n"
        );
        let buffer: Vec<u32> = (0..16).map(|n| n * n + 1).collect();
        let Some(plain) = tool("glslc", &["-O0"], "comp", &text) else { return };
        let Some(moved) = tool("glslc", &["-O"], "comp", &text) else { return };
        assert_eq!(results(&plain, &buffer), results(&moved, &buffer), "seed {seed}\n{text}");
    }
}
