//! Every shader of the repository becomes a module that spirv-val takes; what is broken is refused, and harms nobody.

use crate::lex::tokens;
use std::path::{Path, PathBuf};
use std::process::Command;
use wavepipe_glsl::compile;

fn gather(folder: &Path, out: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() && !path.ends_with("target") {
            gather(&path, out);
        } else if path.extension().is_some_and(|e| e == "comp") {
            out.push(path);
        }
    }
}

/// None in a package of the crate alone.
fn shaders() -> Vec<(PathBuf, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut out = Vec::new();
    ["samples", "tests", "cli/src"].iter().for_each(|f| gather(&root.join(f), &mut out));
    assert!(!root.join("samples").exists() || out.len() > 140, "{} shaders", out.len());
    out.into_iter().map(|p| (p.clone(), std::fs::read_to_string(p).unwrap())).collect()
}

#[test]
fn modules_are_valid() {
    if Command::new("spirv-val").arg("--version").output().is_err() {
        assert!(std::env::var_os("CI").is_none(), "spirv-val is not here");
        return;
    }
    let module = std::env::temp_dir().join(format!("wavepipe-glsl-{}.spv", std::process::id()));
    for (path, text) in shaders() {
        let words = compile(&text, &path).unwrap_or_else(|e| panic!("{e}"));
        std::fs::write(&module, words.iter().flat_map(|w| w.to_le_bytes()).collect::<Vec<u8>>()).unwrap();
        let mut command = Command::new("spirv-val");
        let said = command.args(["--target-env", "vulkan1.3", "--scalar-block-layout"]).arg(&module).output().unwrap();
        assert!(said.status.success(), "{}: {}", path.display(), String::from_utf8_lossy(&said.stderr));
    }
    _ = std::fs::remove_file(module);
}

#[test]
fn broken_texts_harm_nobody() {
    let all = shaders();
    let mut state = 1u64;
    let mut next = |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below.max(1)
    };
    let words = [
        "(",
        ")",
        "{",
        "}",
        "[",
        "]",
        ";",
        ".",
        "0",
        "-1",
        "4294967295",
        "1e39",
        "vec4",
        "x",
        "#define",
        "struct",
        "if",
    ];
    let mut taken = 0;
    for round in 0..3000 {
        let Some((path, text)) = all.get(next(all.len())) else { return };
        let mut list: Vec<String> = tokens(text, 0)
            .unwrap()
            .iter()
            .map(|t| format!("{}{}", if t.first { "\n" } else { " " }, t.text))
            .collect();
        for _ in 0..=round % 3 {
            let at = next(list.len());
            match next(4) {
                0 => list.remove(at),
                1 => std::mem::replace(&mut list[at], words[next(words.len())].to_owned()),
                2 => {
                    let other = list[next(list.len())].clone();
                    list.insert(at, other);
                    String::new()
                }
                _ => {
                    let other = next(list.len());
                    list.swap(at, other);
                    String::new()
                }
            };
        }
        taken += u32::from(compile(&list.concat(), path).is_ok());
    }
    // Some of what is left is still GLSL.
    assert!(taken > 30, "{taken}");
}

#[test]
fn what_is_nested_deep_is_refused() {
    let main = |inside: &str| format!("#version 450\nvoid main() {{ {inside} }}");
    let deep = 100_000;
    for text in [
        main(&format!("int x = {}1{};", "(".repeat(deep), ")".repeat(deep))),
        main(&format!("int x = {}1;", "-".repeat(deep))),
        main(&format!("{}{}", "{".repeat(deep), "}".repeat(deep))),
        main(&format!("int x = 1{};", " ? 1 : 1".repeat(deep))),
        main(&format!("int x = 1{};", " + 1".repeat(deep))),
        main(&format!("int x[1]; x{} = 1;", "[0]".repeat(deep))),
        main(&format!("int x; {}x = 1;", "x = ".repeat(deep))),
        format!("#version 450\n#if {}1{}\n#endif\nvoid main() {{}}", "(".repeat(deep), ")".repeat(deep)),
        (0..60).fold("#version 450\n#define A0 1\n".to_owned(), |t, n| format!("{t}#define A{} A{n} A{n}\n", n + 1))
            + "A60",
        "#version 450\n#define f(x) f(x) f(x) f(x)\nf(f(f(f(f(f(f(f(f(f(f(f(f(f(f(f(1))))))))))))))))".to_owned(),
        main("int x[1000000][1000000];"),
        main(&format!("int x = {}1{};", "(".repeat(100), format!("{})", "+x".repeat(390)).repeat(100))),
    ] {
        _ = compile(&text, Path::new("deep.comp"));
    }
    let whole = compile(&main(&format!("int x = {}1{};", "(".repeat(deep), ")".repeat(deep))), Path::new("deep.comp"));
    assert!(whole.unwrap_err().what.contains("nested"));
}
