//! Machine code as it is typed.

use super::*;

#[test]
fn every_example_has_code_lines_and_a_job_that_fits() {
    for example in examples::all() {
        let answer = ask(of_example("code", example.name));
        assert_eq!(answer["mistakes"], json!([]), "{}", example.name);
        assert_eq!(answer["job"], Value::Null, "{}", example.name);
        let code = answer["code"].as_array().unwrap();
        let lined = code.iter().filter(|row| row["line"].is_u64()).count();
        assert!(lined * 2 > code.len(), "{}: {lined} of {} rows have lines", example.name, code.len());
        assert!(code.iter().any(|row| row["text"] == "s_endpgm"), "{}", example.name);
        assert!(!answer["entry"]["resources"].as_array().unwrap().is_empty());
    }
}

#[test]
fn mistakes_are_where_they_are() {
    let wgsl = "@group(0) @binding(0) var<storage, read_write> y: array<f32>;\n@compute @workgroup_size(64)\nfn main(@builtin(global_invocation_id) id: vec3u) {\n    y[id.x] = z;\n}\n";
    let mistake = &ask(of_wgsl("code", wgsl, ""))["mistakes"][0];
    assert_eq!((mistake["line"].as_u64(), mistake["column"].as_u64()), (Some(4), Some(15)), "{mistake}");
    assert!(mistake["message"].as_str().unwrap().contains("`z`"), "{mistake}");

    let types = wgsl.replace("= z", "= 1u");
    let mistake = &ask(of_wgsl("code", &types, ""))["mistakes"][0];
    assert_eq!(mistake["line"], 4, "{mistake}");

    let glsl = "#version 450\nlayout(local_size_x = 64) in;\nlayout(std430, binding = 0) buffer Y { float y[]; };\nvoid main() {\n    y[gl_GlobalInvocationID.x] = z;\n}\n";
    let mistake = &ask(json!({ "do": "code", "language": "glsl", "source": glsl }))["mistakes"][0];
    assert_eq!(mistake["line"], 5, "{mistake}");
}

#[test]
fn a_job_is_drafted_where_there_is_none() {
    let source = "
        struct View { size: vec2u, scale: f32 }
        @group(0) @binding(0) var<uniform> view: View;
        @group(0) @binding(1) var<storage, read> x: array<vec4f>;
        @group(0) @binding(2) var<storage, read_write> y: array<f32>;
        @group(1) @binding(0) var picture: texture_storage_2d<rgba8unorm, write>;
        @compute @workgroup_size(8, 8)
        fn main(@builtin(global_invocation_id) id: vec3u) {
            y[id.x + id.y * view.size.x] = x[id.x].y * view.scale;
            textureStore(picture, id.xy, vec4f(1));
        }";
    let answer = ask(of_wgsl("code", source, ""));
    assert_eq!((&answer["mistakes"], &answer["job"]), (&json!([]), &Value::Null), "{answer}");
    let draft = answer["draft"].as_str().unwrap();
    let again = ask(of_wgsl("run", source, draft));
    assert_eq!(again["failure"], Value::Null, "{draft}\n{again}");
    assert!(again["outputs"].as_array().unwrap().iter().any(|o| o["picture"].is_string()));
}

#[test]
fn a_job_that_does_not_fit_is_told_beside_the_code() {
    let mut question = of_example("code", "first");
    question["job"] = "groups = [4, 1, 1]\n".into();
    let answer = ask(question.clone());
    assert!(!answer["code"].as_array().unwrap().is_empty());
    assert!(answer["job"].as_str().unwrap().contains("[[buffer]]"), "{}", answer["job"]);
    question["job"] = "groups = [4,\n".into();
    assert!(ask(question)["job"].as_str().unwrap().contains("line 1"));
}

#[test]
fn machines_and_wave_sizes() {
    let about = ask(json!({ "do": "about" }));
    let machines = about["machines"].as_array().unwrap();
    let mut texts = Vec::new();
    for machine in machines {
        for wave in machine["waves"].as_array().unwrap() {
            let mut question = of_example("code", "divergence");
            (question["gpu"], question["wave"]) = (machine["name"].clone(), wave.clone());
            let answer = ask(question);
            assert_eq!(answer["wave"], *wave, "{machine}");
            texts.push(answer["code"].to_string());
        }
    }
    assert!(texts.len() > machines.len(), "some machines have both sizes");
    let mut question = of_example("code", "divergence");
    (question["gpu"], question["wave"]) = ("gfx900".into(), 32.into());
    assert!(ask(question)["mistakes"][0]["message"].as_str().unwrap().contains("32"));
}

#[test]
fn questions_that_are_none() {
    let mut bench = Bench::default();
    for question in ["", "{}", "{\"do\": \"dance\"}", "{\"do\": \"code\"}"] {
        assert!(bench.answer(question).starts_with("{\"error\":"), "{question}");
    }
    assert_eq!(ask(json!({ "do": "step", "how": "line" }))["error"], "nothing is being stepped");
    let mut question = of_example("code", "first");
    question["gpu"] = "/etc/passwd.toml".into();
    assert!(ask(question)["mistakes"][0]["message"].as_str().unwrap().contains("no machine that the page offers"));
}
