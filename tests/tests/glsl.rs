//! The built-in GLSL front end beside glslc: each shader of `tests/glsl` gives the same numbers with both, with either wave size, and
//! what is refused says where and why.

use std::path::{Path, PathBuf};
use wavepipe_tests::{clean, installed, program, root, run, scratch, show, skip};

fn shaders() -> Vec<PathBuf> {
    let all = std::fs::read_dir(root().join("tests/glsl")).unwrap().map(|e| e.unwrap().path());
    let mut all: Vec<PathBuf> = all.filter(|p| p.extension().is_some_and(|e| e == "comp")).collect();
    all.sort();
    assert!(all.len() > 8, "tests/glsl has {} shaders", all.len());
    all
}

/// A folder with an input of 64 floats, and no program.
fn folder(name: &str) -> PathBuf {
    let folder = scratch(name);
    std::fs::create_dir_all(&folder).unwrap();
    let ramp: Vec<u8> = (1..=64u8).flat_map(|n| f32::from(n).to_le_bytes()).collect();
    std::fs::write(folder.join("ramp.bin"), ramp).unwrap();
    folder
}

/// What a shader writes to `o`, with the arguments of its first line; nothing is found on the PATH.
fn written(shader: &Path, arguments: &str, wave: u32, folder: &Path) -> String {
    let mut command = clean(&program("wavepipe").unwrap());
    command.current_dir(folder).env("PATH", folder).arg("run").arg(shader).args(arguments.split_whitespace());
    command.args([
        "--wave",
        &wave.to_string(),
        "--groups",
        "1",
        "--out",
        "o=-",
        "--quiet",
        "--check",
        "mem,race,init,sync",
    ]);
    let output = run(&mut command).unwrap();
    assert!(output.status.success(), "{} wave{wave}\n{}", shader.display(), show(&output));
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn numbers_are_those_of_glslc() {
    if !installed("glslc") {
        return skip("glslc").unwrap();
    }
    let folder = folder("glsl-numbers");
    for shader in shaders() {
        let text = std::fs::read_to_string(&shader).unwrap();
        let arguments = text.lines().next().unwrap().strip_prefix("// run: ").expect("its arguments come first");
        let module = folder.join(shader.file_name().unwrap()).with_extension("spv");
        let mut glslc = clean(Path::new("glslc"));
        glslc.args(["-fshader-stage=compute", "--target-env=vulkan1.2", "-g", "-o"]).arg(&module).arg(&shader);
        let output = run(&mut glslc).unwrap();
        assert!(output.status.success(), "{}", show(&output));
        for wave in [32, 64] {
            let ours = written(&shader, arguments, wave, &folder);
            assert_eq!(ours, written(&module, arguments, wave, &folder), "{} wave{wave}", shader.display());
            assert!(ours.split_whitespace().any(|n| n != "0"), "{} writes nothing", shader.display());
        }
    }
}

/// What stands in `main` or, with a `;;`, in front of it; what is said, and the line.
const REFUSED: &[(&str, &str)] = &[
    ("uint x = 1.0;", "3: a uint is wanted, and this is a float"),
    ("y = 1;", "3: `y` is not declared"),
    ("int x = 1\n int y;", "4: `;` is wanted in front of `int`"),
    ("vec3 v; v.w = 1.0;", "3: a vector of 3 has no `w`"),
    ("int x[4]; x[4] = 1;", "3: index 4 is outside of a int[4]"),
    ("float f = sinn(1.0);", "3: no function `sinn` that takes (float) is known"),
    ("int f(int x) { return x; };; f(1.0);", "3: no `f` takes (float)"),
    ("gl_LocalInvocationIndex = 1u;", "3: this writes what cannot be written"),
    ("bool b = true + 1;", "3: there is no `+` of a bool and a int"),
    ("#extension GL_EXT_ray_query : require\n;;", "2: the extension GL_EXT_ray_query is not known"),
    ("#pragma use_vulkan_memory_model\n;;", "2: `#pragma use_vulkan_memory_model` is not known"),
    ("uniform float f;;;", "2: `f` stands in no block: Vulkan knows no such uniforms"),
    ("#include \"nowhere.glsl\"\n;;", "2: #include"),
    ("#if 1\n;;", "an #if has no #endif"),
    ("#error no\n;;", "2: #error no"),
    ("#define A(x) x\n;; A(1, 2);", "4: A takes 1 arguments, not 2"),
];

#[test]
fn refusals_say_where_and_why() {
    let folder = folder("glsl-refused");
    let mut wrong = Vec::new();
    for (text, wanted) in REFUSED {
        let (before, inside) = text.rsplit_once(";;").unwrap_or(("", text));
        let shader = format!("#version 450\n{before}\nvoid main() {{ {inside} }}\n");
        std::fs::write(folder.join("s.comp"), &shader).unwrap();
        let mut command = clean(&program("wavepipe").unwrap());
        let output = run(command.current_dir(&folder).env("PATH", &folder).args(["compile", "s.comp"])).unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        let next = said.contains("apt-get install glslc");
        if output.status.code() != Some(4) || !said.contains(wanted) || !said.contains("s.comp:") || !next {
            wrong.push(format!("{shader}wanted {wanted}\n{}", show(&output)));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
