//! Whatever prints code names the places that branches go to: no listing has a branch with a bare distance.

use std::process::Command;
use wavepipe_tests::{run, scratch, show, wavepipe};

/// A loop around a branch that lanes take one by one.
pub const SHADER: &str = "
    @group(0) @binding(0) var<storage, read_write> data: array<u32>;
    @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
        var sum = 0u;
        for (var n = 0u; n < data[3]; n++) {
            if (data[n] > id.x) { sum += data[n + id.x] * n; }
        }
        data[id.x + 64u] = sum;
    }";

/// A loop by its own label, and one by a distance alone.
const ASSEMBLY: &str = "\
s_mov_b32 s8, 2
again:
s_nop 0
s_sub_u32 s8, s8, 1
s_cmp_lg_u32 s8, 0
s_cbranch_scc1 again
s_mov_b32 s8, 2
s_sub_u32 s8, s8, 1
s_cmp_lg_u32 s8, 0
s_cbranch_scc1 65533
s_nop 0
";

fn said(command: &mut Command) -> String {
    let output = run(command).unwrap();
    assert!(output.status.success(), "{}", show(&output));
    String::from_utf8(output.stdout).unwrap()
}

/// Branches in a text: what they go to.
pub fn targets(text: &str) -> Vec<&str> {
    let is_branch = |word: &str| word.starts_with("s_branch") || word.starts_with("s_cbranch_");
    let words: Vec<&str> = text.split(|c: char| c.is_whitespace() || "\"',<>|()\\".contains(c)).collect();
    let at = words.iter().enumerate().filter(|(_, word)| is_branch(word));
    at.map(|(n, _)| words[n + 1..].iter().find(|w| !w.is_empty()).copied().unwrap_or("")).collect()
}

/// All branches of a listing have labels, and each of these stands in it.
fn labelled(what: &str, text: &str) {
    let found = targets(text);
    assert!(!found.is_empty(), "{what} has no branch\n{text}");
    for target in found {
        let name = target.trim_end_matches(|c: char| !c.is_alphanumeric());
        assert!(name.starts_with(|c: char| c.is_alphabetic()), "{what}: a branch to `{target}`\n{text}");
        let stands = [format!("{name}:"), format!("\"label\":\"{name}\""), format!("\"label\": \"{name}\"")];
        assert!(stands.iter().any(|s| text.contains(s)), "{what}: no label {name}\n{text}");
    }
}

#[test]
fn a_bare_distance_is_noticed() {
    for text in
        ["  s_branch 65525\n", "s_cbranch_scc1 3 // 000004", "[\"s_cbranch_execz 65525\",0]", "BB0: s_branch BB1"]
    {
        assert!(std::panic::catch_unwind(|| labelled("this", text)).is_err(), "{text}");
    }
    labelled("this", "BB0:\n  s_cbranch_scc1 BB0 // 000000: bf85ffff");
}

#[test]
fn no_listing_prints_a_branch_without_a_label() {
    let (shader, source, folder) = (scratch("listed.wgsl"), scratch("listed.s"), scratch("listed.att"));
    std::fs::write(&shader, SHADER).unwrap();
    std::fs::write(&source, ASSEMBLY).unwrap();
    let (shader, assembly) = (shader.to_str().unwrap(), source.to_str().unwrap());
    let words = said(&mut wavepipe(&["asm", assembly]));
    let bytes = scratch("listed.hex");
    let line = |w: &str| format!("{:08x}\n", u32::from_str_radix(w, 16).unwrap().swap_bytes());
    std::fs::write(&bytes, words.lines().map(line).collect::<String>()).unwrap();
    let bytes = bytes.to_str().unwrap();
    let raw = scratch("listed.bin");
    said(wavepipe(&["asm", assembly, "-o"]).arg(&raw));
    let raw = raw.to_str().unwrap();
    let words: Vec<&str> = words.lines().collect();
    let given = ["--groups", "1", "--buffer", "data=[256]:iota"];
    let trace = format!("{}/", folder.display());
    let listings: &[&[&str]] = &[
        &[&["disasm"], &words[..]].concat(),
        &["disasm", raw],
        &["disasm", "--labels", "--lines", bytes],
        &["compile", shader],
        &["isa", shader],
        &["isa", shader, "--json"],
        &["isa", assembly],
        &["isa", shader, "--wave", "32", "--diff", "wave=64"],
        &["view", shader, "--no-run", "--json"],
        &["timing", assembly],
        &["timing", assembly, "--json"],
        &[&["run", shader, "--timing=isa"], &given[..]].concat(),
        &[&["run", shader, "--json", "--timing"], &given[..]].concat(),
    ];
    for arguments in listings {
        labelled(&arguments.join(" "), &said(&mut wavepipe(arguments)));
    }
    // The text's own names stay, and where it has none one is made up.
    let text = said(&mut wavepipe(&["timing", assembly]));
    assert!(text.contains("s_cbranch_scc1 again") && text.contains("s_cbranch_scc1 BB0"), "{text}");
    said(&mut wavepipe(&[&["run", shader, "--quiet", "--trace", &trace], &given[..]].concat()));
    let code = folder.join("ui_output_agent_1_dispatch_1/code.json");
    labelled("rocprof's code.json", &std::fs::read_to_string(&code).unwrap());
    // The lines as one program, which assembles as it stands.
    let program = scratch("listed.again.s");
    std::fs::write(&program, said(&mut wavepipe(&["disasm", "--labels", "--lines", bytes]))).unwrap();
    let again = said(&mut wavepipe(&["asm", program.to_str().unwrap()]));
    assert_eq!(again.lines().collect::<Vec<_>>(), words);
}
