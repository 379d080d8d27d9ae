//! Random programs: integer arithmetic under random structured control flow (if, switch, bounded loops with break and
//! continue, early return, calls, arrays indexed at run time), each lane on a path of its own. The program is generated
//! as a tree, printed as WGSL for the driver, and evaluated here, lane by lane; the words must be equal.

use crate::random_program::{Program, evaluate, wgsl};
use wavepipe_runtime::simple::{Job, Session, entry_point};
use wavepipe_runtime::{Config, WaveSize};

const GROUPS: u32 = 3;
const GROUP: u32 = 96;
const INPUTS: u32 = 16;

#[test]
fn random_programs_compute_what_their_trees_say() {
    let session = Session::new(&Config::watched()).unwrap();
    let mut failures = Vec::new();
    for seed in 0..120 {
        let program = Program::random(seed);
        let source = wgsl(&program, GROUP);
        let words = spirv(&source);
        let inputs: Vec<u32> = (0..INPUTS).map(|i| (i + 1).wrapping_mul(0x9e37_79b9) >> (i % 5 * 7)).collect();
        let expected: Vec<u32> = (0..GROUPS * GROUP).map(|lane| evaluate(&program, lane, &inputs)).collect();
        for wave in [WaveSize::W32, WaveSize::W64] {
            let bytes = |words: &[u32]| words.iter().flat_map(|w| w.to_le_bytes()).collect::<Vec<u8>>();
            // A program that reads no input has no such binding.
            let mut buffers = vec![(0, 0, bytes(&inputs)), (0, 1, vec![0xaa; expected.len() * 4])];
            let used = entry_point(&words, None).expect("one entry point").resources;
            buffers.retain(|(set, binding, _)| used.iter().any(|r| (r.set, r.binding) == (*set, *binding)));
            let job = Job { words: words.clone(), wave: Some(wave), groups: [GROUPS, 1, 1], buffers, ..Job::default() };
            let why = match session.run(&job) {
                Err(error) => error.to_string(),
                Ok(buffers) => {
                    let results = buffers.last().expect("the results' buffer");
                    let got = results.chunks_exact(4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]]));
                    match got.zip(&expected).enumerate().find(|(_, (got, want))| got != *want) {
                        None => continue,
                        Some((lane, (got, want))) => format!("lane {lane}: {got:#x}, expected {want:#x}"),
                    }
                }
            };
            failures.push(format!("seed {seed}, {wave:?}: {why}"));
        }
    }
    if let Some(first) = failures.first() {
        let seed = first[5..].split(',').next().unwrap().parse().unwrap();
        panic!("{}\n{}", failures.join("\n"), wgsl(&Program::random(seed), GROUP));
    }
}

/// The trees are worth running: lanes differ, and so do programs.
#[test]
fn programs_diverge() {
    let inputs = [7; INPUTS as usize];
    let diverging = (0..120).filter(|&seed| {
        let program = Program::random(seed);
        let first = evaluate(&program, 0, &inputs);
        (1..GROUP).any(|lane| evaluate(&program, lane, &inputs) != first)
    });
    assert!(diverging.count() > 100);
    assert_ne!(wgsl(&Program::random(1), GROUP), wgsl(&Program::random(2), GROUP));
}

fn spirv(source: &str) -> Vec<u32> {
    let module = naga::front::wgsl::parse_str(source).unwrap_or_else(|e| panic!("{}", e.emit_to_string(source)));
    let mut validator =
        naga::valid::Validator::new(naga::valid::ValidationFlags::all(), naga::valid::Capabilities::default());
    let info = validator.validate(&module).unwrap_or_else(|e| panic!("{}", e.emit_to_string(source)));
    let options = naga::back::spv::Options { lang_version: (1, 3), ..Default::default() };
    naga::back::spv::write_vec(&module, &info, &options, None).unwrap()
}
