//! Uses of what was never written, planted in small shaders, and the same shaders mended. Of each, the lines with `//FIX` stand in the
//! mended one only, those with `//BUG` only in the other. What decides something by it ends in `//<`: each of these lines has a
//! finding, and no other. Every shader runs with both sizes of waves, with one thread and four, and on the clock; what is
//! found must be the same. Some run on other generations too.

use std::collections::BTreeSet;
use std::sync::Arc;
use wavepipe_runtime::hw::finding::{Finding, FindingKind, UsedFor};
use wavepipe_runtime::hw::machine::Machine;
use wavepipe_runtime::simple::{Job, Session};
use wavepipe_runtime::{Config, GuestChecks, WaveSize};
use wavepipe_tests::{glslc, installed, matrix, skip};

/// Name, how it is used, text. Work-groups have 128 invocations, and there are two; `g` and `l` number an invocation.
type Case = (&'static str, UsedFor, &'static str);

use UsedFor::{Address, Branch, Output};

const CASES: &[Case] = &[
    (
        "a shared array that half of the work-group fills",
        Output,
        "shared uint s[128];
void main() {
    //BUG if (l < 64) s[l] = g;
    //FIX s[l] = g;
    barrier();
    o[g] = s[l]; //<
}",
    ),
    (
        "a shared sum that nobody clears",
        Output,
        "shared uint sum;
void main() {
    //FIX if (l == 0) sum = 0;
    barrier();
    atomicAdd(sum, b[g]);
    barrier();
    o[g] = sum; //<
}",
    ),
    (
        "the border of a tile",
        Output,
        "shared float s[130];
void main() {
    s[l + 1] = float(b[g]);
    //FIX if (l == 0) { s[0] = 0; s[129] = 0; }
    barrier();
    o[g] = uint(s[l] + s[l + 1] + s[l + 2]); //<
}",
    ),
    (
        "a flag in shared memory",
        Branch,
        "shared uint found;
void main() {
    //FIX if (l == 0) found = 0;
    barrier();
    if (b[g] == 77) found = 1;
    barrier();
    if (found != 0) //<
        o[g] = 1;
}",
    ),
    (
        "a variable with a value on one path",
        Output,
        "void main() {
    uint x;
    //FIX x = 3;
    if (b[g] == 1) x = 5;
    o[g] = x; //<
}",
    ),
    (
        "a variable that is compared",
        Branch,
        "void main() {
    float x;
    if (b[g] == 1) x = 0.5;
    //FIX else x = 2;
    if (x < 1) //<
        o[g] = 7;
}",
    ),
    (
        "a maximum that begins with nothing",
        Output,
        "void main() {
    int most;
    //FIX most = 0;
    for (int i = 0; i < 4; i++)
        most = max(most, int(b[g * 4 + i]));
    o[g] = uint(most); //<
}",
    ),
    (
        "a private array that is written in part",
        Output,
        "void main() {
    uint a[40];
    //BUG for (uint i = 0; i < 39; i++) a[(i * 7 + b[0]) % 39] = i;
    //FIX for (uint i = 0; i < 40; i++) a[(i * 7 + b[0]) % 40] = i;
    o[g] = a[(l + b[g]) % 40]; //<
}",
    ),
    (
        "a small private array that is written in part",
        Output,
        "void main() {
    uint a[4];
    a[0] = 1; a[1] = g;
    //FIX a[2] = 2; a[3] = 3;
    o[g] = a[(l + b[g]) % 4]; //<
}",
    ),
    (
        "an index that has no value",
        Address,
        "void main() {
    uint i;
    if (g % 5 == 1) i = g;
    //FIX else i = 0;
    uint v = b[i & 255]; //<
    o[g] = v;
}",
    ),
    (
        "a component of a vector",
        Output,
        "void main() {
    vec4 v;
    v.x = 1; v.y = float(g); v.w = 4;
    //FIX v.z = 3;
    o[g] = uint(dot(v, vec4(1))); //<
}",
    ),
    (
        "a member of a structure",
        Output,
        "struct S { uint x; uint y; };
void fill(out S s) {
    s.x = g;
    //FIX s.y = g;
}
void main() {
    S s;
    fill(s);
    o[g] = s.x;
    o[g + 256] = s.y; //<
}",
    ),
    (
        "a length of a loop",
        Branch,
        "void main() {
    uint n;
    if (b[g] == 1) n = 2;
    //FIX else n = 3;
    uint x = 0;
    for (uint i = 0; i < (n & 7); i++) x += b[i]; //<
    o[g] = x & 0;
}",
    ),
    (
        "a value that a subgroup shares",
        Output,
        "void main() {
    uint x;
    //BUG if (l % 2 == 0) x = g;
    //FIX x = g;
    o[g] = subgroupAdd(x); //<
}",
    ),
    (
        "a value that a lane takes from its neighbour",
        Output,
        "void main() {
    uint x;
    //BUG if (l % 2 == 0) x = g;
    //FIX x = g;
    o[g] = subgroupShuffleXor(x, 1); //<
}",
    ),
    (
        "a double",
        Output,
        "void main() {
    double d;
    if (b[g] == 1) d = 2.5;
    //FIX else d = 1;
    o[g] = uint(d * 2); //<
}",
    ),
];

/// Shaders that use nothing that was never written, though they read or move it.
const CLEAN: &[(&str, &str)] = &[
    (
        "masked bits",
        "shared uint s[128];
void main() {
    o[g] = s[l] & 0;
}",
    ),
    (
        "a copy that nobody looks at",
        "shared uint s[256];
void main() {
    s[l] = s[l + 128];
    barrier();
    s[l] = g;
    barrier();
    o[g] = s[(l + 1) & 127];
}",
    ),
    (
        "a variable that has its value where it is used",
        "void main() {
    uint x;
    if (b[g] < 10) x = g;
    uint y = 3;
    if (b[g] < 10) y = x;
    o[g] = y;
}",
    ),
    (
        "short cuts",
        "void main() {
    uint x; bool has = b[g] == 1;
    if (has) x = b[g + 1];
    if (has && x > 3) o[g] = 1; else o[g] = 2;
}",
    ),
    (
        "an array written in a loop, read in another",
        "void main() {
    float a[64];
    uint n = 8 + b[g] % 8;
    for (uint i = 0; i < n; i++) a[i] = float(i);
    float x = 0;
    for (uint i = 0; i < n; i++) x += a[i];
    o[g] = uint(x);
}",
    ),
    (
        "early returns",
        "void main() {
    uint x;
    if (g < 10) { o[g] = 0; return; }
    if (g < 100) { x = 1; } else { x = 2; }
    o[g] = x;
}",
    ),
    (
        "a reduction of a part",
        "shared uint s[128];
void main() {
    uint n = 100;
    if (l < n) s[l] = g;
    barrier();
    for (uint d = 64; d > 0; d >>= 1) {
        if (l < d && l + d < n) s[l] += s[l + d];
        barrier();
        n = min(n, d);
    }
    if (l == 0) o[g] = s[0];
}",
    ),
    (
        "structures with padding",
        "struct S { float x; vec3 y; };
layout(std430, binding = 2) buffer C { S c[]; };
void main() {
    S s;
    s.x = 1; s.y = vec3(g);
    S t[2];
    t[l & 1] = s;
    c[g] = t[l & 1];
}",
    ),
    (
        "a scan of a subgroup in a branch",
        "void main() {
    if (l % 3 == 0) o[g] = subgroupExclusiveAdd(g) + subgroupMin(g) + subgroupBroadcastFirst(g);
}",
    ),
];

fn text(body: &str, mended: bool) -> String {
    let (kept, dropped) = if mended { ("//FIX ", "//BUG") } else { ("//BUG ", "//FIX") };
    let head = "#version 450
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_shuffle : require
layout(local_size_x = 128) in;
layout(std430, binding = 0) buffer B { uint b[]; };
layout(std430, binding = 1) buffer O { uint o[]; };
uint l = gl_LocalInvocationIndex;
uint g = gl_GlobalInvocationID.x;
";
    let body = body.lines().map(|line| match line.contains(dropped) {
        true => "\n".into(),
        false => format!("{}\n", line.replace(kept, "")),
    });
    body.fold(head.into(), |all, line| all + &line)
}

fn compile(name: &str, text: &str) -> Vec<u32> {
    let name: String = name.chars().map(|c| if c.is_alphanumeric() { c } else { '-' }).collect();
    glslc(&format!("init-{name}"), text)
}

/// What a shader runs on.
type On<'a> = (&'a Arc<Machine>, WaveSize);

fn run(words: &[u32], (machine, wave): On<'_>, threads: usize, timing: bool) -> Vec<Finding> {
    let machine = machine.clone();
    let config = Config { machine, guest_checks: GuestChecks::INIT, threads, timing, ..Config::checked() };
    let session = Session::new(&config).unwrap();
    let info = wavepipe_runtime::simple::entry_point(words, None).unwrap();
    // So that what is read is not zero alone.
    let contents: Vec<u8> = (0..2048u32).flat_map(|n| (n % 3).to_le_bytes()).collect();
    let mut job = Job {
        words: words.to_vec(),
        entry: None,
        wave: Some(wave),
        spec: Vec::new(),
        push: Vec::new(),
        groups: [2, 1, 1],
        buffers: (0..3).map(|binding| (0, binding, contents.clone())).collect(),
    };
    job.buffers.retain(|(_, binding, _)| info.resources.iter().any(|r| r.binding == *binding));
    session.run(&job).unwrap_or_else(|e| panic!("{e}"));
    let found = session.device().take_findings();
    assert_eq!(found.more, 0);
    found.findings.iter().map(|f| (**f).clone()).collect()
}

fn show(all: &[Finding]) -> String {
    all.iter().map(|f| format!("{f}\n")).collect()
}

fn check(number: u64, (name, used, body): &Case) {
    let planted = text(body, false);
    let marked: BTreeSet<u32> =
        planted.lines().enumerate().filter(|(_, line)| line.ends_with("//<")).map(|(n, _)| n as u32 + 1).collect();
    assert!(!marked.is_empty(), "{name}");
    let (words, mended) = (compile(name, &planted), compile(&format!("{name} mended"), &text(body, true)));
    let machines = matrix::of_case(number);
    for on in machines.iter().flat_map(|m| matrix::waves(m).iter().map(move |wave| (m, *wave))) {
        let (of, wave) = (&on.0.name, on.1);
        let mut known: Option<Vec<Finding>> = None;
        for (threads, timing) in [(1, false), (4, false), (1, true), (4, true)] {
            let all = run(&words, on, threads, timing);
            let told =
                || format!("{name} {of} {wave:?}, {threads} threads, clock {timing}:\n{planted}\n{}", show(&all));
            let named: BTreeSet<u32> = all.iter().map(|f| f.site.source.as_ref().map_or(0, |s| s.line)).collect();
            assert_eq!(named, marked, "{}", told());
            let right = |f: &Finding| matches!(&f.kind, FindingKind::NeverWritten(never) if never.used == *used);
            assert!(all.iter().any(right), "{}", told());
            let plain = |f: &Finding| (f.id(), f.site.order(), f.site.lanes, f.count);
            let before = known.get_or_insert_with(|| all.clone());
            assert!(all.iter().map(plain).eq(before.iter().map(plain)), "{}\nbefore:\n{}", told(), show(before));
            clean(&format!("{name}, mended"), &text(body, true), &mended, on, threads, timing);
        }
    }
}

fn clean(name: &str, text: &str, words: &[u32], on: On<'_>, threads: usize, timing: bool) {
    let none = run(words, on, threads, timing);
    let (of, wave) = (&on.0.name, on.1);
    assert!(none.is_empty(), "{name} {of} {wave:?}, {threads} threads, clock {timing}:\n{text}\n{}", show(&none));
}

/// Runs each by itself, so that one failure does not hide the others.
fn each<T: std::panic::RefUnwindSafe>(
    all: &[T],
    name: impl Fn(&T) -> &str,
    f: impl Fn(u64, &T) + std::panic::RefUnwindSafe,
) {
    if !installed("glslc") {
        return skip("glslc").unwrap();
    }
    let only = std::env::var("INIT").ok();
    let mut wrong = Vec::new();
    for (number, case) in (0..).zip(all).filter(|(_, c)| only.as_ref().is_none_or(|o| name(c).contains(o))) {
        if let Err(panic) = std::panic::catch_unwind(|| f(number, case)) {
            wrong.push(panic.downcast_ref::<String>().cloned().unwrap_or_default());
        }
    }
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), all.len(), wrong.join("\n"));
}

#[test]
fn planted_uses_are_found_and_mended_shaders_have_none() {
    each(CASES, |case| case.0, check);
}

#[test]
fn what_decides_nothing_is_not_told() {
    each(
        CLEAN,
        |case| case.0,
        |number, (name, body)| {
            let text = text(body, true);
            let words = compile(name, &text);
            for machine in &matrix::of_case(number) {
                let waves = matrix::waves(machine);
                for (at, threads, timing) in [(0, 1, false), (1, 4, false), (0, 4, true)] {
                    clean(name, &text, &words, (machine, waves[at % waves.len()]), threads, timing);
                }
            }
        },
    );
}

/// A null value of shared memory clears each word of it, in blocks and behind the last of them, wherever it begins.
#[test]
fn shared_memory_with_a_null_value_is_cleared_to_its_last_word() {
    if !installed("glslc") {
        return skip("glslc").unwrap();
    }
    let shader = |first: u32, words: u32, null: &str| {
        let body = format!(
            "shared uint first[{first}] = {{}};
shared uint s[{words}]{null};
void main() {{
    uint sum = first[l % {first}];
    for (uint n = l; n < {words}; n += 128) sum += s[n];
    o[g] = sum;
}}"
        );
        let text =
            text(&body, true).replace("#version 450\n", "#version 450\n#extension GL_EXT_null_initializer : require\n");
        (compile(&format!("null-{first}-{words}-{}", null.len()), &text), text)
    };
    // 128 work-items clear 512 words in a round of blocks.
    let sizes =
        [(1, 512), (4, 511), (4, 512), (8, 513), (4, 1024 + 128 + 5), (12, 1536 + 384), (3, 640), (516, 2048 + 1)];
    for (number, (first, words)) in (0..).zip(sizes) {
        let (cleared, text) = shader(first, words, " = {}");
        for machine in &matrix::of_case(number) {
            for wave in matrix::waves(machine) {
                clean(&format!("{words} words behind {first}"), &text, &cleared, (machine, *wave), 1, false);
                let found = run(&shader(first, words, "").0, (machine, *wave), 1, false);
                assert!(!found.is_empty(), "{words} words that nobody clears, on {} {wave:?}", machine.name);
            }
        }
    }
}
