//! Indexes outside, planted: «wrong|right» in a source, `//@` on the line where the finding is to be. The twin with all that
//! is right has none.

use super::{glsl, wgsl};
use wavepipe_runtime::hw::finding::{Finding, FindingKind};
use wavepipe_runtime::simple::{Job, Session, entry_point};
use wavepipe_runtime::{Config, GuestChecks, OutOfLds, WaveSize};
use wavepipe_tests::{installed, skip};

const GLSL: &[(&str, &str)] = &[
    ("index 64 of `part`, an array of 64", "part[i] = i; barrier();\ndata[i] = part[«i + 1|i ^ 1»]; //@"),
    (
        "index 64 of `part`, an array of 64",
        "part[i] = i; barrier(); uint s = 0;\nif (i == 0)\nfor (uint k = 0; k «<=|<» 64; k++)\ns += part[k]; //@\ndata[i] = s;",
    ),
    (
        "index -1 of `part`, an array of 64",
        "part[i] = i; barrier(); int at = int(i);\ndata[i] = part[«at - 1|at & 63»]; //@",
    ),
    ("index 4294967295 (-1) of `part`, an array of 64", "part[i] = i; barrier();\ndata[i] = part[«i - 1|i»]; //@"),
    ("index 1000 of `data`, an array of 64", "data[i «+ 1000|& 63»] = i; //@"),
    ("index 65 of `data`, an array of 64", "uint x = 0; if (i == 7)\nx = data[«65|63»]; //@\ndata[i] = x;"),
    (
        "index 8 of `a`, an array of 8",
        "uint a[8]; for (uint k = 0; k < 8; k++) a[k] = k * i;\ndata[i] = a[i & «15|7»]; //@",
    ),
    (
        "index 8 of `a`, an array of 8",
        "uint a[8]; for (uint k = 0; k < 8; k++) a[k] = k * i;\na[i & «15|7»] = 3; //@\ndata[i] = a[i & 3];",
    ),
    (
        "index 4 of `indexable`, an array of 4",
        "const uint pick[4] = uint[](5, 6, 7, 8);\ndata[i] = pick[i & «7|3»]; //@",
    ),
    (
        "index 9 of `grid`, an array of 9",
        "if (i < «10|9»)\ngrid[i][i & 3] = i; //@\nbarrier(); data[i] = grid[i & 7][1];",
    ),
    (
        "index 4 of `grid[…]`, an array of 4",
        "if (i < 9)\ngrid[i][«i & 7|i & 3»] = i; //@\nbarrier(); data[i] = grid[i & 7][1];",
    ),
    ("index 3 of `table.item[2].y`, an array of 3", "if (i == 3)\ndata[i] = uint(table.item[2].y[«i|i - 1»]); //@"),
    ("index 5 of `table.item`, an array of 5", "if (i < «6|5»)\ndata[i] = uint(table.item[i].y[1]); //@"),
    ("index 3 of `push.of`, an array of 3", "data[i] = push.of[«push.at|push.at - 1u»]; //@"),
    ("index 4 of a vector of 4", "vec4 v = vec4(1, 2, 3, 4) * float(i);\ndata[i] = uint((v * 2)[i & «7|3»]); //@"),
    ("index 3 of `m`, a matrix of 3 columns", "mat3 m = mat3(float(i));\ndata[i] = uint(m[«i & 3|i % 3»].x); //@"),
    (
        "index 64 of `part`, an array of 64",
        "if (i == 9)\natomicAdd(part[«64|0» + i - 9], 1u); //@\nbarrier(); data[i] = part[0];",
    ),
    ("index 7 of `all`, an array of 7", "data[i] = sum(i, «7|6»);"),
    ("index 64 of `data`, an array of 64", "if (i == 1)\ndata[«data.length()|data.length() - 1»] = 1; //@"),
    (
        "index 70 of `part`, an array of 64",
        "part[i] = i; barrier(); switch (i) { case 3:\ndata[i] = part[i + «67|7»]; //@\nbreak; default: data[i] = 0; }",
    ),
    (
        "index 64 of `flags`, an array of 64",
        "flags[i] = i > 3u; barrier();\ndata[i] = flags[«64 - (i & 1)|i»] ? 1 : 0; //@",
    ),
    (
        "index 12 of `deep[…].inner[…].z`, an array of 2",
        "if (i == 12)\ndeep[i & 1].inner[i & 2].z[«i|i & 1»] = i; //@\nbarrier(); data[i] = deep[i & 1].inner[0].z[1];",
    ),
];

const GLSL_HEAD: &str = "#version 460
layout(local_size_x = 64) in;
struct Item { vec2 x; float y[3]; };
struct Inner { uint z[2]; };
struct Deep { uint w; Inner inner[3]; };
layout(set = 0, binding = 0) buffer Data { uint data[]; };
layout(set = 0, binding = 1) uniform Table { Item item[5]; } table;
layout(push_constant) uniform Push { uint at; uint of[3]; } push;
shared uint part[64];
shared uint grid[9][4];
shared bool flags[64];
shared Deep deep[2];
uint sum(uint seed, uint last) { uint all[7]; for (uint k = 0; k < 7; k++) all[k] = seed + k;
uint s = 0; for (uint k = 0; k <= last; k++)
s += all[k]; //@
return s; }
void main() { uint i = gl_LocalInvocationIndex; uint t = uint(table.item[0].x.x) + push.at;
if (t == 99) { part[i] = 0; grid[i & 7][0] = 0; flags[i] = true; deep[0].w = 0; data[0] = sum(t, 3); }
";

const WGSL: &[(&str, &str)] = &[
    ("index 64 of `part`, an array of 64", "part[i] = i; workgroupBarrier();\ndata[i] = part[«i + 1u|i ^ 1u»]; //@"),
    ("index 1063 of `data`, an array of 64", "if i == 63u {\ndata[i «+ 1000u|- 1u»] = i; //@\n}"),
    (
        "index -1 of `part`, an array of 64",
        "let at = i32(i) - «1|0»; part[i] = i; workgroupBarrier();\nif i == 0u { data[i] = part[at]; } //@",
    ),
    (
        "index 8 of `a`, an array of 8",
        "var a = array<u32, 8>(); for (var k = 0u; k < 8u; k++) { a[k] = k * i; }\ndata[i] = a[i & «15u|7u»]; //@",
    ),
    (
        "index 3 of `v`, a vector of 3",
        "var v = vec3u(i, 2u, 3u);\nv[i & «3u|1u»] += 1u; //@\ndata[i] = v.x + v.y + v.z;",
    ),
    ("index 5 of `kept`, an array of 5", "kept[i % 5u] = i;\ndata[i] = kept[i % «6u|5u»]; //@"),
    (
        "index 2 of `m`, a matrix of 2 columns",
        "var m = mat2x2f(1.0, 2.0, 3.0, f32(i));\ndata[i] = u32(m[i & «2u|1u»].x); //@",
    ),
    (
        "index 64 of `counts`, an array of 64",
        "atomicAdd(&counts[i + «1u|0u»], 1u); //@\nworkgroupBarrier(); data[i] = atomicLoad(&counts[i]);",
    ),
];

const WGSL_HEAD: &str = "@group(0) @binding(0) var<storage, read_write> data: array<u32>;
var<workgroup> part: array<u32, 64>;
var<workgroup> counts: array<atomic<u32>, 64>;
var<private> kept: array<u32, 5>;
@compute @workgroup_size(64) fn main(@builtin(local_invocation_index) i: u32) {
";

/// The first or the second of all alternatives.
fn chosen(text: &str, second: bool) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, behind)) = rest.split_once('«') {
        let (alternatives, behind) = behind.split_once('»').unwrap();
        let (wrong, right) = alternatives.split_once('|').unwrap();
        out.push_str(before);
        out.push_str(if second { right } else { wrong });
        rest = behind;
    }
    out + rest
}

/// What is found in a run of one work-group.
fn findings(session: &Session, words: Vec<u32>, wave: WaveSize) -> Vec<Finding> {
    let mut buffers = vec![(0, 0, vec![0; 256])];
    if entry_point(&words, None).unwrap().resources.iter().any(|r| r.binding == 1) {
        buffers.push((0, 1, vec![0; 512]));
    }
    let push = [3u32, 4, 5, 6].iter().flat_map(|w| w.to_le_bytes()).collect();
    let push = if buffers.len() > 1 { push } else { Vec::new() };
    let job = Job { words, wave: Some(wave), groups: [1; 3], buffers, push, ..Job::default() };
    session.run(&job).unwrap();
    session.device().take_findings().findings.iter().map(|f| Finding::clone(f)).collect()
}

fn mem() -> Config {
    Config { guest_checks: GuestChecks::MEM, out_of_lds: OutOfLds::Ignore, ..Config::checked() }
}

/// The line of the finding: the last that is marked, or that of the function, which is marked first.
fn marked(source: &str, first: bool) -> u32 {
    let mut lines = source.lines();
    let marked = |l: &str| l.contains("//@");
    let at =
        if first { lines.position(marked) } else { source.lines().collect::<Vec<_>>().iter().rposition(|l| marked(l)) };
    at.unwrap() as u32 + 1
}

/// glslc drops the name of a variable of a function that it inlines.
fn unnamed(message: String) -> String {
    message.replace("`all`, ", "")
}

/// One planted index is found, once, at its line; its twin is clean. Sessions are fresh: one finding of a kernel is told once.
fn check(text: &str, message: &str, compile: &dyn Fn(&str) -> Vec<u32>, calls: bool, wrong: &mut Vec<String>) {
    for (second, want) in [(false, Some(message)), (true, None)] {
        let source = chosen(text, second);
        let words = compile(&source);
        let line = marked(&source, message.contains("`all`"));
        let want: Vec<_> = want.iter().map(|w| (unnamed(w.to_string()), line)).collect();
        let ways = [(WaveSize::W32, None), (WaveSize::W64, None), (WaveSize::W32, Some(0))];
        for (wave, inlining) in ways.into_iter().filter(|w| calls || w.1.is_none()) {
            let session = Session::new(&mem()).unwrap();
            let session = inlining.into_iter().fold(session, |s, budget| s.inlining(budget));
            let found = findings(&session, words.clone(), wave);
            let got: Vec<_> =
                found.iter().map(|f| (unnamed(f.message()), f.site.source.as_ref().map_or(0, |s| s.line))).collect();
            if got != want {
                wrong.push(format!("{wave:?} {inlining:?}: {got:?} instead of {want:?}\n{source}"));
            }
        }
    }
}

#[test]
fn glsl_indexes_are_found_and_their_twins_are_clean() {
    let mut wrong = Vec::new();
    for (message, body) in GLSL {
        let text = format!("{GLSL_HEAD}{body}\n}}\n");
        for level in ["-O0", "-O"] {
            if !installed("glslc") {
                return skip("glslc").unwrap();
            }
            check(&text, message, &|source| glsl(source, level).unwrap(), level == "-O0", &mut wrong);
        }
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n\n"));
}

#[test]
fn wgsl_indexes_are_found_and_their_twins_are_clean() {
    let mut wrong = Vec::new();
    for (message, body) in WGSL {
        check(&format!("{WGSL_HEAD}{body}\n}}\n"), message, &wgsl, false, &mut wrong);
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n\n"));
}

/// What each finding is of is a value, and with `stop` it is the fault.
#[test]
fn a_finding_has_its_parts_and_stops_if_it_is_to() {
    let text = format!("{WGSL_HEAD}data[i + 60u] = i; }}\n");
    let session = Session::new(&mem()).unwrap();
    let found = findings(&session, wgsl(&text), WaveSize::W32);
    let [finding] = &found[..] else { panic!("{found:?}") };
    let FindingKind::Index(index) = &finding.kind else { panic!("{finding}") };
    assert_eq!((index.index, index.bound, finding.count), (64, 64, 2));
    assert_eq!((finding.site.workgroup, finding.site.wave, finding.site.lane), ([0; 3], 0, 4));
    assert_eq!((finding.site.lanes, finding.check().name()), (0xffff_fff0, "mem"));
    assert!(finding.id().starts_with("mem-index-"), "{}", finding.id());
    let stops = Config { guest_checks: GuestChecks::MEM | GuestChecks::STOP, ..mem() };
    let session = Session::new(&stops).unwrap();
    let job = Job { words: wgsl(&text), groups: [1; 3], buffers: vec![(0, 0, vec![0; 256])], ..Job::default() };
    let fault = session.run(&job).unwrap_err().to_string();
    assert!(fault.contains("index 64 of `data`, an array of 64") && fault.contains("planted.wgsl:6"), "{fault}");
}
