//! Inputs of `wavepipe run` that are damaged: pictures, arrays, tables and job files. Each is taken or refused with a word.

use super::{Count, damage, tries};
use wavepipe_tests::random::Random;
use wavepipe_tests::{clean, program, root, run, scratch, show};

const SHADER: &str = "
    @group(0) @binding(0) var<storage, read> x: array<f32>;
    @group(0) @binding(1) var photo: texture_2d<f32>;
    @group(0) @binding(2) var<storage, read_write> y: array<f32>;
    @compute @workgroup_size(1) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
        y[id.x] = x[id.x] + textureLoad(photo, vec2<u32>(0), 0).x;
    }";

const JOB: &str = "groups = [2, 1, 1]
    [[buffer]]
    binding = 0
    values = [1, 2]
    [[image]]
    name = 'photo'
    format = 'rgba8'
    size = '1x1'
    init = '0,0,0,1'
    [[buffer]]
    name = 'y'
    type = 'f32[2]'
    [output]
    name = 'y'
    [[dispatch]]
    entry = 'main'
    repeat = 2";

fn npy() -> Vec<u8> {
    let header = format!("{:<117}\n", "{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }");
    [&b"\x93NUMPY\x01\x00\x76\x00"[..], header.as_bytes(), &[0; 8]].concat()
}

#[test]
fn damaged_inputs_are_taken_or_refused() {
    let mut count = Count::default();
    let folder = scratch("inputs");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("add.wgsl"), SHADER).unwrap();
    let photo = std::fs::read(root().join("samples/cas/photo.png")).unwrap();
    let kinds = [("npy", npy()), ("csv", b"1.5,2\n".to_vec()), ("json", b"[[1], 2.5]".to_vec()), ("png", photo)];
    let kinds = kinds.into_iter().chain([("toml", JOB.into()), ("bin", vec![0; 8])]).collect::<Vec<_>>();
    for seed in tries("inputs", 70) {
        let mut r = Random(seed);
        let (kind, mut bytes) = kinds[r.below(kinds.len())].clone();
        if !r.one_in(8) {
            damage(&mut bytes, &mut r);
        }
        let name = format!("input.{kind}");
        std::fs::write(folder.join(&name), &bytes).unwrap();
        let mut command = clean(&program("wavepipe").unwrap());
        command.current_dir(&folder).args(["run", "add.wgsl", "--quiet"]);
        command.env("WAVEPIPE_THREADS", "1");
        match kind {
            // A job file may ask for as many work-groups as there can be, and may name any file.
            "toml" => command.env("WAVEPIPE_TIMEOUT", "200ms").args(["--job", &name]),
            "png" => command.args(["--buffer", "x:1,2", "--buffer", "y=[2]", "--image", &format!("photo:{name}")]),
            _ => command.args(["--image", "photo=[1x1]", "--buffer", "y=[2]", "--buffer", &format!("x:{name}")]),
        };
        let output = run(&mut command).unwrap();
        let words = show(&output);
        assert!(!words.contains("panicked"), "seed {seed}, {kind}: {words}");
        count.add(match output.status.code() {
            Some(0) => format!("{kind} taken"),
            Some(2 | 4) => format!("{kind} refused"),
            Some(3) if kind == "toml" => "lost".to_owned(),
            _ => panic!("seed {seed}, {kind}: {words}"),
        });
    }
    let all: Vec<String> = kinds.iter().flat_map(|(k, _)| [format!("{k} taken"), format!("{k} refused")]).collect();
    count.done("inputs", &all.iter().map(String::as_str).collect::<Vec<_>>());
}
