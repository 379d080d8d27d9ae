//! What `wavepipe run` takes and what it refuses: a row each, run by the program in a folder of its own.

use crate::run_rows::{GOOD, REFUSED, SHADERS};
use std::path::{Path, PathBuf};
use std::process::Output;
use wavepipe_tests::{clean, program, run, scratch, show};

/// An input that a row names.
fn write_inputs(folder: &Path) {
    for (name, text) in SHADERS {
        std::fs::write(folder.join(name), text).unwrap();
    }
    let write = |name: &str, bytes: &[u8]| std::fs::write(folder.join(name), bytes).unwrap();
    let floats = |n: &[f32]| n.iter().flat_map(|f| f.to_le_bytes()).collect::<Vec<u8>>();
    write("four.bin", &floats(&[1.0, 2.0, 3.0, 4.0]));
    write("three.bin", &floats(&[1.0, 2.0, 3.0]));
    write("four.csv", b"1,2\n3,4\n");
    write("bad.csv", b"1,2\n3,x\n");
    write("one.csv", b"137\n");
    write("four.json", b"[[1, 2], [3, 4]]");
    write("one.txt", b"137\n");
    write("four.npy", &npy("<f4", "(4,)", &floats(&[1.0, 2.0, 3.0, 4.0])));
    write("big.npy", &npy(">f4", "(4,)", &floats(&[1.0, 2.0, 3.0, 4.0])));
    write("bytes.npy", &npy("|u1", "(2, 2, 4)", &(0..16).collect::<Vec<u8>>()));
    write("grey.png", GREY);
}

/// 2x2 pixels of grey: 0, 85, 170, 255; no compression.
const GREY: &[u8] = &[
    137, 80, 78, 71, 13, 10, 26, 10, 0, 0, 0, 13, 73, 72, 68, 82, 0, 0, 0, 2, 0, 0, 0, 2, 8, 0, 0, 0, 0, 87, 221, 82,
    248, 0, 0, 0, 17, 73, 68, 65, 84, 120, 1, 1, 6, 0, 249, 255, 0, 0, 85, 0, 170, 255, 3, 173, 1, 255, 71, 119, 174,
    105, 0, 0, 0, 0, 73, 69, 78, 68, 174, 66, 96, 130,
];

fn npy(descr: &str, shape: &str, data: &[u8]) -> Vec<u8> {
    let header = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}");
    let header = format!("{header:<117}\n");
    [&b"\x93NUMPY\x01\x00"[..], &(header.len() as u16).to_le_bytes(), header.as_bytes(), data].concat()
}

/// An empty folder with the inputs.
fn folder(name: &str) -> PathBuf {
    let folder = scratch(name);
    std::fs::create_dir_all(&folder).unwrap();
    write_inputs(&folder);
    folder
}

/// `VARIABLE=VALUE` words, then the arguments behind `run`; the PATH has no program.
fn start(folder: &Path, line: &str) -> Output {
    let mut command = clean(&program("wavepipe").unwrap());
    command.current_dir(folder).env("PATH", folder).arg("run");
    let words = line.split_whitespace();
    for word in words {
        match word.split_once('=').filter(|(name, _)| name.starts_with("WAVEPIPE_")) {
            Some((name, value)) => command.env(name, value),
            None => command.arg(word),
        };
    }
    run(&mut command).unwrap()
}

#[test]
fn what_is_wrong_is_refused_with_what_is_expected() {
    let folder = folder("refused");
    let mut wrong = Vec::new();
    for (line, code, parts) in REFUSED {
        let output = start(&folder, line);
        let said = String::from_utf8_lossy(&output.stderr);
        let lacks: Vec<&&str> = parts.iter().filter(|part| !said.contains(**part)).collect();
        let quiet = output.stdout.is_empty();
        if output.status.code() != Some(*code) || !lacks.is_empty() || !quiet || !said.starts_with("error: ") {
            wrong.push(format!("run {line}\nexpected {code} with {lacks:?}\n{}\n", show(&output)));
        }
    }
    assert!(wrong.is_empty(), "{} of {} rows\n{}", wrong.len(), REFUSED.len(), wrong.join("\n"));
}

#[test]
fn what_is_right_gives_the_numbers() {
    let folder = folder("right");
    let mut wrong = Vec::new();
    for (line, parts) in GOOD {
        let output = start(&folder, line);
        let said = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
        let lacks: Vec<&&str> = parts.iter().filter(|part| !said.contains(**part)).collect();
        if output.status.code() != Some(0) || !lacks.is_empty() {
            wrong.push(format!("run {line}\nexpected {lacks:?}\n{}\n", show(&output)));
        }
    }
    assert!(wrong.is_empty(), "{} of {} rows\n{}", wrong.len(), GOOD.len(), wrong.join("\n"));
}
