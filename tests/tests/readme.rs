//! What the README shows of a wrong shader is what the program says.

use std::process::Command;
use wavepipe_tests::{clean, program, root, run, scratch, show};

/// The README's blocks under a heading: the language and the text.
fn blocks(heading: &str) -> Vec<(String, String)> {
    let text = std::fs::read_to_string(root().join("README.md")).unwrap();
    let section = text.split("\n## ").find(|s| s.starts_with(heading)).expect("the heading").to_owned();
    let mut lines = section.lines();
    let mut out = Vec::new();
    while let Some(line) = lines.next() {
        if let Some(language) = line.strip_prefix("```") {
            let body: Vec<&str> = lines.by_ref().take_while(|l| *l != "```").collect();
            out.push((language.to_owned(), body.join("\n") + "\n"));
        }
    }
    out
}

/// Which registers an instruction has, and with them a finding's id, are the compiler's choice.
fn of_the_source(line: &str) -> String {
    let cut = |line: &str, at: &str| line.split_once(at).map_or(line.to_owned(), |(begin, _)| begin.to_owned());
    match line.split_once(" [race-") {
        Some((begin, id)) => format!("{begin} {}", id.split_once("] ").expect("an id").1),
        None => cut(&cut(line, ", `"), ": ds_"),
    }
}

#[test]
fn the_first_screen_is_true() {
    let folder = scratch("readme");
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    let blocks = blocks("What it says of a wrong shader");
    let [wgsl, toml, text] = &blocks[..] else { panic!("{} blocks", blocks.len()) };
    for ((_, body), sign) in [(wgsl, "// "), (toml, "# ")] {
        let name = body.lines().next().and_then(|l| l.strip_prefix(sign)).expect("a name");
        std::fs::write(folder.join(name), body).unwrap();
    }
    let test = |folder| {
        let mut command: Command = clean(&program("wavepipe").unwrap());
        run(command.arg("test").current_dir(folder)).unwrap()
    };
    let output = test(&folder);
    assert_eq!(output.status.code(), Some(1), "{}", show(&output));
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let (said, total) = said.trim_end().rsplit_once('\n').expect("lines");
    assert!(total.starts_with("0 passed, 1 failed"), "{total}");
    let lines = |text: &str| text.trim_end().lines().map(of_the_source).collect::<Vec<_>>();
    assert_eq!(lines(said), lines(&text.1));
    // With the barrier all is well.
    let mended = wgsl.1.replace("tile[i] = x[i];", "tile[i] = x[i]; workgroupBarrier();");
    std::fs::write(folder.join("reverse.wgsl"), mended).unwrap();
    let output = test(&folder);
    assert_eq!(output.status.code(), Some(0), "{}", show(&output));
}
