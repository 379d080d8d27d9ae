//! Every command of docs/debug.md is executed, and prints what the page shows. WAVEPIPE_BLESS=1 writes what it prints.

use crate::common::folder;
use serde_json::Value;
use std::path::Path;
use std::process::Command;

const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/debug.md");

/// Text and blocks in turn: the language of a block, none for text.
fn parts(page: &str) -> Vec<(Option<String>, String)> {
    let mut out: Vec<(Option<String>, String)> = vec![(None, String::new())];
    for line in page.lines() {
        match (line.strip_prefix("```"), &out.last().unwrap().0) {
            (Some(language), None) => out.push((Some(language.to_owned()), String::new())),
            (Some(_), Some(_)) => out.push((None, String::new())),
            (None, _) => {
                let text = &mut out.last_mut().unwrap().1;
                text.push_str(line);
                text.push('\n');
            }
        }
    }
    out
}

#[test]
fn what_the_page_shows_is_what_is_printed() {
    let folder = folder("documents");
    let page = std::fs::read_to_string(PAGE).unwrap();
    let path = Path::new(env!("CARGO_BIN_EXE_wavepipe")).parent().unwrap();
    let path = format!("{}:{}", path.display(), std::env::var("PATH").unwrap_or_default());
    let (mut commands, mut made) = (0, String::new());
    for (language, text) in parts(&page) {
        let Some(language) = language else {
            made.push_str(&text);
            continue;
        };
        let mut shown = text.clone();
        match language.as_str() {
            "wgsl" => {
                let name = text.lines().next().unwrap().strip_prefix("// ").expect("a name");
                std::fs::write(folder.join(name), &text).unwrap();
            }
            "json" => {
                serde_json::from_str::<Value>(&text).unwrap_or_else(|e| panic!("{e}\n{text}"));
            }
            "console" => {
                let command = text.lines().next().unwrap().strip_prefix("$ ").expect("a command");
                let mut shell = Command::new("sh");
                shell.args(["-c", &format!("({command}) 2>&1")]).env("PATH", &path).current_dir(&folder);
                for (name, _) in std::env::vars_os().filter(|(n, _)| n.to_string_lossy().starts_with("WAVEPIPE_")) {
                    shell.env_remove(name);
                }
                let output = shell.output().unwrap();
                shown = format!("$ {command}\n{}", String::from_utf8_lossy(&output.stdout));
                commands += 1;
            }
            "text" => shown = text.clone(),
            other => panic!("a block of {other}, which nothing holds"),
        }
        made.push_str(&format!("```{language}\n{shown}```\n"));
    }
    assert!(commands > 4);
    if std::env::var_os("WAVEPIPE_BLESS").is_some() {
        std::fs::write(PAGE, made).unwrap();
    } else {
        assert_eq!(made, page, "docs/debug.md; WAVEPIPE_BLESS=1 writes it");
    }
}
