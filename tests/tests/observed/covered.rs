//! Coverage. Each shader here says behind `//=` how many lanes come to a line and, of each branch there, how many go each way.

use super::{buffer, session};
use std::collections::BTreeMap;
use wavepipe_runtime::covered::{KernelCoverage, LineCoverage, lines};
use wavepipe_runtime::simple::{Bound, Descriptor, Session, Step};
use wavepipe_runtime::{Observe, WaveSize};
use wavepipe_tests::{glslc, installed, skip};

/// 100 invocations of 150: the last work-group of three is there to be left early. Values are such that no branch goes one way in
/// whole waves only.
const CASES: &[(&str, &str)] = &[
    (
        "if and else",
        "void main() {
    uint i = gl_GlobalInvocationID.x;   //= 150
    uint s = 1;                         //= 150
    if (i % 2 == 0)                     //= 150 75/75
        s = 2;                          //= 75
    else
        s = 3;                          //= 75
    if (i > 1000)                       //= 150 0/150
        s = 4;                          //= 0
    b[i] = s;                           //= 150
}",
    ),
    (
        "small ifs that become selects",
        "void main() {
    uint i = gl_GlobalInvocationID.x;   //= 150
    uint s = b[i];                      //= 150
    if (i < 10)                         //= 150 10/140
        s = 0;                          //= 10
    if (s == 77) s = 78;                //= 150 0/150
    b[i] = s;                           //= 150
}",
    ),
    (
        "early return",
        "void main() {
    uint i = gl_GlobalInvocationID.x;   //= 150
    if (i >= 100)                       //= 150 50/100
        return;                         //= 50
    if (i % 10 == 3) {                  //= 100 10/90
        b[i] = 1;                       //= 10
        return;                         //= 10
    }
    b[i] = 2;                           //= 90
}",
    ),
    (
        "loops",
        "void main() {
    uint i = gl_GlobalInvocationID.x;   //= 150
    uint s = 0;                         //= 150
    for (uint k = 0; k < i % 3; k++) {  //= 300 150/150
        s += k;                         //= 150
    }
    for (uint k = 7; k < 7; k++)        //= 150 0/150
        s += 100;                       //= 0
    uint n = i % 4;                     //= 150
    while (true) {                      //= 373
        if (n == 0)                     //= 373 150/223
            break;                      //= 150
        n--;                            //= 223
        if (n == 1)                     //= 223 74/149
            continue;                   //= 74
        s++;                            //= 149
    }
    do {
        s++;                            //= 287
    } while (s % 3 != 0);               //= 287 137/150
    b[i] = s;                           //= 150
}",
    ),
    (
        "switch",
        "void main() {
    uint i = gl_GlobalInvocationID.x;   //= 150
    uint s = 0;                         //= 150
    switch (i % 10) {                   //= 150 15/15/30/0/90
    case 0: s = 1; break;               //= 15
    case 1:
        s = 2;                          //= 15
    case 2: case 3:
        s += 3;                         //= 45
        break;                          //= 45
    case 12:
        s = 4;                          //= 0
        break;                          //= 0
    default:
        s = 5;                          //= 90
    }
    b[i] = s;                           //= 150
}",
    ),
    (
        "functions",
        "uint twice(uint x) {
    if (x < 30)                         //= 300 30/270
        return 1;                       //= 30
    return x;                           //= 270
}
uint never(uint x) { return x + 1; }    //= 0
void main() {
    uint i = gl_GlobalInvocationID.x;   //= 150
    b[i] = twice(i) + twice(i + 1000);  //= 150
    if (i == 5000)                      //= 150 0/150
        b[i] = never(i);                //= 0
}",
    ),
    (
        "a branch on a constant of the pipeline",
        "layout(constant_id = 0) const bool on = false;
void main() {
    uint i = gl_GlobalInvocationID.x;   //= 150 0/150
    if (on) // Is no instruction and has no line of its own.
        b[i] = 1;                       //= 0
    else
        b[i] = 2;                       //= 150
}",
    ),
];

type Line = (u64, Vec<Vec<u64>>);

fn wanted(text: &str) -> BTreeMap<u32, Line> {
    let line = |line: &str| {
        let (_, said) = line.split_once("//= ")?;
        let mut parts = said.split_whitespace();
        let lanes = parts.next()?.parse().ok()?;
        Some((lanes, parts.map(|b| b.split('/').map(|n| n.parse().unwrap()).collect()).collect()))
    };
    text.lines().zip(1..).filter_map(|(l, n)| Some((n, line(l)?))).collect()
}

fn told(lines: &[LineCoverage]) -> BTreeMap<u32, Line> {
    let branches = |l: &LineCoverage| l.branches.iter().map(|b| b.arms.iter().map(|a| a.lanes).collect()).collect();
    lines.iter().map(|l| (l.line, (l.lanes, branches(l)))).collect()
}

fn text(body: &str) -> String {
    format!(
        "#version 450\nlayout(local_size_x = 50) in;\nlayout(set = 0, binding = 0) buffer B {{ uint b[]; }};\n{body}\n"
    )
}

fn cover(session: &Session, words: &[u32], wave: WaveSize) -> Vec<KernelCoverage> {
    let pipeline = session.pipeline(words, None, &[], Some(wave)).unwrap();
    let memory = buffer(session, &[0; 4 * 256]);
    let descriptor = Descriptor::Buffer(memory, 4 * 256);
    let bound = vec![Bound { set: 0, binding: 0, element: 0, descriptor }];
    session.run_steps(&[Step { pipeline, bound, push: Vec::new(), groups: [3, 1, 1], indirect: None }]).unwrap();
    session.device().coverage()
}

#[test]
fn lines_and_branches_are_counted_by_lanes() {
    if !installed("glslc") {
        return skip("glslc").unwrap();
    }
    for (name, body) in CASES {
        let text = text(body);
        let words = glslc(&format!("observed-{}", name.replace(' ', "-")), &text);
        for (wave, threads, timing) in
            [(WaveSize::W32, 1, false), (WaveSize::W32, 4, false), (WaveSize::W64, 4, false), (WaveSize::W64, 1, true)]
        {
            let of = || session(Observe::COVERAGE, threads, timing);
            // Calls that are calls count as those that are inlined.
            for session in [of(), of().inlining(0)] {
                let kernels = cover(&session, &words, wave);
                assert_eq!(told(&lines(&kernels)), wanted(&text), "{name} {wave:?} {threads} {timing}\n{text}");
                // A second run of the same module adds to it.
                let twice = lines(&cover(&session, &words, wave));
                let double = |(n, (lanes, branches)): (u32, Line)| {
                    (n, (2 * lanes, branches.into_iter().map(|b| b.into_iter().map(|l| 2 * l).collect()).collect()))
                };
                assert_eq!(told(&twice), wanted(&text).into_iter().map(double).collect(), "{name} twice");
            }
        }
    }
}

#[test]
fn instructions_are_counted_by_waves_and_lanes() {
    if !installed("glslc") {
        return skip("glslc").unwrap();
    }
    let words = glslc("observed-instructions", &text(CASES[2].1));
    let mut known = None;
    for (threads, timing) in [(1, false), (4, false), (1, true)] {
        let kernels = cover(&session(Observe::COVERAGE, threads, timing), &words, WaveSize::W32);
        let [kernel] = &kernels[..] else { panic!("{kernels:?}") };
        // 50 invocations are two waves.
        let first = &kernel.instructions[0];
        assert_eq!((first.waves, first.lanes), (6, 150), "{first:?}");
        let stores: Vec<_> = kernel.instructions.iter().filter(|i| i.text.contains("store_dword")).collect();
        let lanes: Vec<u64> = stores.iter().map(|i| i.lanes).collect();
        assert_eq!(lanes, [10, 90], "{stores:?}");
        assert!(kernel.instructions.iter().all(|i| i.lanes <= 32 * i.waves));
        assert!(kernel.instructions.iter().any(|i| i.source.as_ref().is_some_and(|s| s.ends_with(":7"))));
        assert_eq!(known.get_or_insert_with(|| kernels.clone()), &kernels, "{threads} {timing}");
    }
}

#[test]
fn nobody_pays_who_does_not_ask() {
    if !installed("glslc") {
        return skip("glslc").unwrap();
    }
    let words = glslc("observed-plain", &text(CASES[0].1));
    let code = |observe| {
        let session = session(observe, 1, false);
        let kernels = cover(&session, &words, WaveSize::W32);
        let pipeline = session.pipeline(&words, None, &[], Some(WaveSize::W32)).unwrap();
        (pipeline.code_object().clone(), kernels)
    };
    let ((plain, none), (watched, _), (counted, some)) =
        (code(Observe::empty()), code(Observe::WRITERS), code(Observe::COVERAGE));
    assert_eq!(none, []);
    assert_eq!((&plain.text, plain.sites.len()), (&watched.text, 0));
    assert!(counted.text.len() > plain.text.len() && !some.is_empty());
}
