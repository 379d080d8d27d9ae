//! Races planted in small shaders, and the same shaders mended. Of each, the lines with `//FIX` stand in the mended one only,
//! those with `//BUG` only in the other. Lines that race end in `//<`: each finding must name two of them, and together all.
//! Every shader runs with both sizes of waves, with one thread and four, and on the clock; what is found must be the same. Some run on
//! other generations too.

use std::collections::BTreeSet;
use std::sync::Arc;
use wavepipe_runtime::hw::finding::Finding;
use wavepipe_runtime::hw::machine::Machine;
use wavepipe_runtime::simple::{Job, Session};
use wavepipe_runtime::{Config, GuestChecks, WaveSize};
use wavepipe_tests::{glslc, installed, matrix, skip};

/// Name, invocations of a work-group, work-groups, text.
type Case = (&'static str, u32, u32, &'static str);

const CASES: &[Case] = &[
    (
        "a tree without barriers, across waves",
        128,
        2,
        "shared uint s[128];
void main() {
    s[l] = b[g];
    barrier();
    for (uint n = 64; n > 0; n >>= 1) {
        if (l < n)
            s[l] += s[l + n]; //<
        //FIX barrier();
    }
    if (l == 0) o[w] = s[0];
}",
    ),
    (
        "a tree without barriers, in one wave",
        32,
        2,
        "shared uint s[32];
void main() {
    s[l] = b[g];
    barrier();
    for (uint n = 16; n > 0; n >>= 1) {
        if (l < n)
            s[l] += s[l + n]; //<
        //FIX barrier();
    }
    if (l == 0) o[w] = s[0];
}",
    ),
    (
        "a tree of a wave with subgroup barriers",
        32,
        1,
        "shared uint s[32];
void main() {
    s[l] = b[g];
    subgroupBarrier();
    for (uint n = 16; n > 0; n >>= 1) {
        if (l < n)
            s[l] += s[l + n]; //<
        //FIX subgroupBarrier();
    }
    if (l == 0) o[w] = s[0];
}",
    ),
    (
        "all count in one place",
        64,
        2,
        "void main() {
    //BUG b[0] += 1; //<
    //FIX atomicAdd(b[0], 1);
}",
    ),
    (
        "neighbours exchange through LDS",
        64,
        2,
        "shared uint s[64];
void main() {
    s[l] = g; //<
    //FIX barrier();
    o[g] = s[(l + 1) % 64]; //<
}",
    ),
    (
        "neighbours exchange through a buffer",
        64,
        2,
        "void main() {
    b[g] = g; //<
    //FIX memoryBarrierBuffer();
    barrier();
    o[g] = b[g ^ 1]; //<
}",
    ),
    (
        "waves exchange through a buffer, with a barrier of images",
        128,
        1,
        "void main() {
    b[g] = g; //<
    //BUG memoryBarrierImage();
    //FIX memoryBarrierBuffer();
    barrier();
    o[g] = b[g ^ 64]; //<
}",
    ),
    (
        "waves exchange through LDS, with a fence of buffers",
        128,
        1,
        "shared uint s[128];
void main() {
    s[l] = g; //<
    memoryBarrierBuffer();
    //FIX barrier();
    o[g] = s[l ^ 64]; //<
}",
    ),
    (
        "lanes write unequal values",
        32,
        1,
        "void main() {
    //BUG o[0] = l; //<
    //FIX o[0] = 7;
}",
    ),
    (
        "waves write unequal values",
        256,
        1,
        "shared uint s[4];
void main() {
    //BUG s[l % 4] = l; //<
    //FIX if (l < 4) s[l % 4] = l;
    barrier();
    o[g] = s[l % 4];
}",
    ),
    (
        "the last work-group sums what has no fence",
        64,
        5,
        "shared uint last;
void main() {
    if (l == 0) {
        b[8 + w] = w; //<
        //FIX memoryBarrierBuffer();
        last = atomicAdd(b[0], 1);
    }
    barrier();
    if (last != gl_NumWorkGroups.x - 1) return;
    //FIX memoryBarrierBuffer();
    if (l < 5)
        o[l] = b[8 + l]; //<
}",
    ),
    (
        "all of a work-group write what the last work-group sums",
        128,
        4,
        "shared uint last;
void main() {
    b[8 + g] = g; //<
    //FIX memoryBarrierBuffer();
    barrier();
    if (l == 0) last = atomicAdd(b[0], 1);
    barrier();
    //FIX memoryBarrierBuffer();
    if (last == gl_NumWorkGroups.x - 1) {
        uint sum = 0;
        for (uint i = 0; i < 4; i++)
            sum += b[8 + 128 * i + l]; //<
        o[l] = sum;
    }
}",
    ),
    (
        "the last work-group sums, and has no fence of its own",
        64,
        5,
        "shared uint last;
void main() {
    if (l == 0) {
        b[8 + w] = w; //<
        memoryBarrierBuffer();
        last = atomicAdd(b[0], 1);
        //FIX memoryBarrierBuffer();
    }
    //FIX memoryBarrierBuffer();
    barrier();
    if (last != gl_NumWorkGroups.x - 1) return;
    //BUG memoryBarrierShared();
    if (l < 5)
        o[l] = b[8 + l]; //<
}",
    ),
    (
        "work-groups wait for the one before",
        32,
        6,
        "void main() {
    if (l == 0) {
        uint sum = 0;
        if (w > 0) {
            while (atomicAdd(b[w - 1], 0) == 0);
            //FIX memoryBarrierBuffer();
            sum = o[w - 1]; //<
        }
        o[w] = sum + w; //<
        //FIX memoryBarrierBuffer();
        atomicExchange(b[w], 1);
    }
}",
    ),
    (
        "a histogram without atomics",
        64,
        2,
        "void main() {
    //BUG o[g * 7 % 5] += 1; //<
    //FIX atomicAdd(o[g * 7 % 5], 1);
}",
    ),
    (
        "a histogram in LDS that is read at once",
        64,
        2,
        "shared uint s[8];
void main() {
    if (l < 8) atomicExchange(s[l], 0);
    barrier();
    atomicAdd(s[g * 7 % 8], 1); //<
    //FIX barrier();
    if (l < 8)
        o[8 * w + l] = s[l]; //<
}",
    ),
    (
        "a stencil in place",
        64,
        1,
        "void main() {
    //BUG b[l + 1] = b[l] + b[l + 2]; //<
    //FIX o[l + 1] = b[l] + b[l + 2];
}",
    ),
    (
        "a barrier in one of two loops",
        128,
        1,
        "shared uint s[128];
void main() {
    s[l] = l;
    barrier();
    for (uint i = 0; i < 3; i++) {
        uint x = s[(l + 1) % 128];
        barrier();
        s[l] = x;
        barrier();
    }
    for (uint i = 0; i < 3; i++) {
        uint x = s[(l + 5) % 128]; //<
        //FIX barrier();
        s[l] = x; //<
        barrier();
    }
    o[l] = s[l];
}",
    ),
    (
        "an atomic beside a plain read",
        64,
        1,
        "void main() {
    atomicAdd(b[0], l); //<
    //FIX memoryBarrierBuffer();
    barrier();
    o[l] = b[0]; //<
}",
    ),
    (
        "a plain write beside an atomic",
        64,
        2,
        "void main() {
    //BUG if (g == 3) b[0] = 5; //<
    //BUG else atomicAdd(b[0], 1); //<
    //FIX if (g == 3) atomicExchange(b[0], 5);
    //FIX else atomicAdd(b[0], 1);
}",
    ),
    (
        "bytes of a word",
        64,
        1,
        "void main() {
    //BUG c[l / 2] = uint8_t(l); //<
    //FIX c[l] = uint8_t(l);
}",
    ),
    (
        "two buffers in turn, one barrier too few",
        64,
        1,
        "shared uint s[2][64];
void main() {
    s[0][l] = l;
    barrier();
    for (uint i = 0; i < 4; i++) {
        s[i + 1 & 1][l] = s[i & 1][(l + 3) % 64]; //<
        //FIX barrier();
    }
    o[l] = s[0][l];
}",
    ),
    (
        "written again before all have read",
        96,
        1,
        "shared uint s;
void main() {
    for (uint i = 0; i < 3; i++) {
        if (l == 40)
            s = i; //<
        barrier();
        o[3 * l + i] = s; //<
        //FIX barrier();
    }
}",
    ),
    (
        "a flag that is polled plainly",
        32,
        3,
        "void main() {
    if (l == 0) {
        //FIX if (w == 0) atomicExchange(b[0], 1);
        //BUG if (w == 0) b[0] = 1; //<
        //FIX else o[w] = atomicAdd(b[0], 0);
        //BUG else o[w] = b[0]; //<
    }
}",
    ),
];

/// The text that is compiled: lines for the other one are comments, so that all lines keep their numbers.
fn text(case: &Case, mended: bool) -> String {
    let (_, local, _, body) = case;
    let (kept, dropped) = if mended { ("//FIX ", "//BUG ") } else { ("//BUG ", "//FIX ") };
    let body: Vec<String> =
        body.lines().map(|line| if line.contains(dropped) { String::new() } else { line.replace(kept, "") }).collect();
    format!(
        "#version 450
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_EXT_shader_8bit_storage : require
#extension GL_EXT_shader_explicit_arithmetic_types_int8 : require
layout(local_size_x = {local}) in;
layout(set = 0, binding = 0) buffer B {{ uint b[]; }};
layout(set = 0, binding = 1) buffer O {{ uint o[]; }};
layout(set = 0, binding = 2) buffer C {{ uint8_t c[]; }};
uint l = gl_LocalInvocationIndex, g = gl_GlobalInvocationID.x, w = gl_WorkGroupID.x;
{}
",
        body.join("\n")
    )
}

fn compile(number: usize, text: &str, mended: bool) -> Vec<u32> {
    glslc(&format!("race-{number}-{mended}"), text)
}

fn run(words: &[u32], case: &Case, on: (&Arc<Machine>, WaveSize), threads: usize, timing: bool) -> Vec<Finding> {
    let (machine, wave) = (on.0.clone(), on.1);
    let config = Config { machine, guest_checks: GuestChecks::RACE, threads, timing, ..Config::checked() };
    let session = Session::new(&config).unwrap();
    let info = wavepipe_runtime::simple::entry_point(words, None).unwrap();
    let mut job = Job {
        words: words.to_vec(),
        entry: None,
        wave: Some(wave),
        spec: Vec::new(),
        push: Vec::new(),
        groups: [case.2, 1, 1],
        buffers: (0..3).map(|binding| (0, binding, vec![0; 4096])).collect(),
    };
    job.buffers.retain(|(_, binding, _)| info.resources.iter().any(|r| r.binding == *binding));
    session.run(&job).unwrap_or_else(|e| panic!("{}: {e}", case.0));
    let found = session.device().take_findings();
    assert_eq!(found.more, 0);
    found.findings.iter().map(|f| (**f).clone()).collect()
}

fn lines(finding: &Finding) -> [u32; 2] {
    let line = |site: &wavepipe_runtime::hw::finding::Location| site.source.as_ref().map_or(0, |s| s.line);
    [line(&finding.site), line(&finding.other.as_ref().unwrap().site)]
}

/// On the clock waves go in another order, so that other invocations meet, with other values; but what is found by both is the same.
fn ids(all: &[Finding]) -> BTreeSet<String> {
    all.iter().map(Finding::id).collect()
}

fn check(number: usize, case: &Case) {
    let racy = text(case, false);
    let marked: BTreeSet<u32> =
        racy.lines().enumerate().filter(|(_, line)| line.ends_with("//<")).map(|(n, _)| n as u32 + 1).collect();
    assert!(!marked.is_empty(), "{}", case.0);
    let (words, mended) = (compile(number, &racy, false), compile(number, &text(case, true), true));
    let machines = matrix::of_case(number as u64);
    for (machine, &wave) in machines.iter().flat_map(|m| matrix::waves(m).iter().map(move |wave| (m, wave))) {
        let on = (machine, wave);
        let mut known = None;
        for timing in [false, true] {
            let one = run(&words, case, on, 1, timing);
            let told = || format!("{} {} {wave:?}, clock {timing}:\n{racy}\n{}", case.0, machine.name, show(&one));
            let named: BTreeSet<u32> = one.iter().flat_map(lines).collect();
            assert_eq!(named, marked, "{}", told());
            assert!(one.iter().any(|f| BTreeSet::from(lines(f)) == marked), "{}", told());
            let four = run(&words, case, on, 4, timing);
            assert_eq!(one, four, "{}", told());
            let later = |f: &Finding| f.site.pc_offset >= f.other.as_ref().unwrap().site.pc_offset;
            assert!(one.iter().all(later), "{}", told());
            assert!(!known.get_or_insert_with(|| ids(&one)).is_disjoint(&ids(&one)), "{}", told());
            let none = run(&mended, case, on, 4, timing);
            assert!(
                none.is_empty(),
                "{} {} {wave:?}, clock {timing}, mended:\n{}\n{}",
                case.0,
                machine.name,
                text(case, true),
                show(&none)
            );
        }
    }
}

fn show(all: &[Finding]) -> String {
    all.iter().map(|f| format!("{f}\n")).collect()
}

#[test]
fn planted_races_are_found_and_mended_shaders_have_none() {
    if !installed("glslc") {
        return skip("glslc").unwrap();
    }
    let only = std::env::var("RACE").ok();
    let mut wrong = Vec::new();
    for (number, case) in CASES.iter().enumerate().filter(|(_, c)| only.as_ref().is_none_or(|o| c.0.contains(o))) {
        if let Err(panic) = std::panic::catch_unwind(|| check(number, case)) {
            wrong.push(panic.downcast_ref::<String>().cloned().unwrap_or_default());
        }
    }
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), CASES.len(), wrong.join("\n"));
}
