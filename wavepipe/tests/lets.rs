//! Names of the values of WGSL's `let` in compiled code, and that they cost nothing.

use std::path::Path;
use wavepipe::shader;
use wavepipe::tested::wgsl_without_names;
use wavepipe_runtime::compiler::{self, Options};
use wavepipe_runtime::hw::code::CodeObject;
use wavepipe_runtime::{code_lines, simple};

/// Code without the names, and with them; `None` where it asks for what nothing gave.
fn codes(source: &str, path: &Path) -> Option<[CodeObject; 2]> {
    let plain = wgsl_without_names(source, path).unwrap()?;
    Some([plain, shader::wgsl(source, path).unwrap()].map(|words| {
        let entry = compiler::spirv::reflect(&words).unwrap().remove(0);
        let layout = simple::layout_of(&entry).unwrap();
        let options = Options { names: true, ..Options::new(&entry.name, layout.layout()) };
        compiler::compile(&words, &options).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
    }))
}

fn names(code: &CodeObject) -> Vec<&str> {
    code.variables.iter().flat_map(|v| &v.all).map(|v| v.name.as_str()).collect()
}

#[test]
fn values_have_the_names_of_the_source() {
    let source = "
struct Two { a: f32, b: array<f32, 2> }
@group(0) @binding(0) var<storage, read_write> data: array<f32>;
@group(0) @binding(1) var<storage, read_write> count: atomic<u32>;
fn twice(given: f32) -> f32 { return given * 2.0; }
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let at = id.x;
    let fixed = 7u;
    let before = atomicAdd(&count, 1u);
    let doubled = twice(data[at]);
    let both = Two(doubled, array(data[at + 1u], data[at + before]));
    let pointer = &data[at + fixed];
    if (at > 3u) {
        let again = 8u;
        let inner = mat2x2<f32>(data[again], doubled, both.a, both.b[1]);
        *pointer = inner[0].x + inner[1].y * inner[0].y;
    } else {
        let again = 9u;
        data[at] = f32(again);
    }
}";
    let [plain, named] = codes(source, Path::new("names.wgsl")).unwrap();
    assert!(!names(&plain).contains(&"at"), "{:?}", names(&plain));
    for name in ["id", "at", "fixed", "before", "doubled", "both", "inner", "given"] {
        assert!(names(&named).contains(&name), "{name} of {:?}", names(&named));
    }
    for name in ["pointer", "again"] {
        assert!(!names(&named).contains(&name), "{name} of {:?}", names(&named));
    }
}

/// What may come in any order may come in another.
#[test]
fn names_cost_no_instruction() {
    let mut seen = 0;
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut folders =
        ["samples", "wavepipe/puzzles", "playground/examples", "tests/planted"].map(|f| root.join(f)).to_vec();
    while let Some(folder) = folders.pop() {
        for path in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == "wgsl") {
                let source = std::fs::read_to_string(&path).unwrap();
                let Some(codes) = codes(&source, &path) else { continue };
                let [plain, named] = codes.map(|code| {
                    let name = |text: &str| text.split(' ').next().unwrap_or_default().to_owned();
                    let mut names: Vec<String> = code_lines(&code).iter().map(|l| name(&l.text)).collect();
                    names.sort();
                    names
                });
                assert_eq!(plain, named, "{}", path.display());
                seen += 1;
            }
        }
    }
    assert!(seen > 50, "{seen}");
}
