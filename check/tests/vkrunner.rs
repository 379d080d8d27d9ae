//! vkrunner's scripts: what is written when, the types of their numbers, and what is said of one that is wrong.

use std::path::Path;
use wavepipe::bind::Prepared;
use wavepipe::element::Scalar;
use wavepipe_check::layout::Kind;
use wavepipe_check::play::{Act, Do};
use wavepipe_check::tested::vkrunner_type as kind;
use wavepipe_check::vkrunner::{Stop, stage};

const SHADER: &str = "[compute shader]\n#version 450\nlayout(binding = 1) buffer B { float b[]; };\n\
                      void main() { b[0] += 1.0; }\n[test]\n";

fn stop(test: &str) -> Stop {
    match stage(&format!("{SHADER}{test}"), Path::new("x.shader_test"), false) {
        Err(stop) => stop,
        Ok(_) => panic!("{test}"),
    }
}

#[test]
fn what_is_written_between_dispatches_is_there_for_all_up_to_the_probe() {
    let text = format!(
        "{SHADER}ssbo 1 subdata float 0 1 2 # no\ncompute 1 1 1\nssbo 1 subdata vec2 \\\n 8 3 4\ncompute 2 1 1\n\
         probe ssbo float 1 0 ~= 3 2"
    );
    let play = stage(&text, Path::new("x.shader_test"), false).unwrap();
    let kinds: String = play
        .acts
        .iter()
        .map(|a| match &a.what {
            Do::Write { at, .. } => at.to_string(),
            Do::Dispatch(d) => format!("d{}", d.bound.len()),
            Do::Expect(_) => format!("e{}", a.line),
            Do::Copy { .. } => "c".into(),
        })
        .collect::<Vec<_>>()
        .join(" ");
    assert_eq!(kinds, "0 4 8 12 d1 d1 e11");
    assert!(matches!(&play.resources[0].prepared, Prepared::Buffer { bytes, .. } if bytes.len() == 16));
}

#[test]
fn numbers_of_uniform_blocks_follow_each_other_in_ambers_dialect() {
    let text = format!("{SHADER}uniform ubo 1 uint 16 7 8 9\n");
    let places = |dense| {
        let play = stage(&text, Path::new("x"), dense).unwrap();
        let at = |a: &Act| if let Do::Write { at, .. } = &a.what { Some(*at) } else { None };
        play.acts.iter().filter_map(at).collect::<Vec<usize>>()
    };
    assert_eq!((places(false), places(true)), (vec![16, 32, 48], vec![16, 20, 24]));
}

#[test]
fn what_is_wrong_is_told_by_line() {
    let wrong = |line, text: &str| Stop::Wrong(line, text.to_owned());
    assert_eq!(stop("compute 1 1"), wrong(6, "the number of work-groups is missing"));
    assert_eq!(stop("\nssbo 1 subdata flaot 0 1"), wrong(7, "`flaot` is no type"));
    assert_eq!(stop("ssbo 1 subdata vec2 0 1 2 3"), wrong(6, "3 values, and each takes 2"));
    assert_eq!(stop("probe ssbo float 1 0 == 1"), wrong(6, "there is no buffer at 0:1"));
    assert_eq!(stop("ssbo 1 4\nprobe ssbo float 1 4 == 1"), wrong(7, "byte 4 is past the 4 bytes of the buffer"));
    assert!(matches!(stop("draw rect -1 -1 2 2"), Stop::Refused(6, _)));
    assert!(matches!(stop("probe all rgba 0 0 0 0"), Stop::Refused(6, _)));
}

#[test]
fn types_are_read() {
    assert_eq!(kind("u16vec3"), Some(Kind { scalar: Scalar::U16, rows: 3, columns: 1 }));
    assert_eq!(kind("dmat3x2"), Some(Kind { scalar: Scalar::F64, rows: 2, columns: 3 }));
    assert_eq!(kind("mat4"), Some(Kind { scalar: Scalar::F32, rows: 4, columns: 4 }));
    assert_eq!((kind("vec5"), kind("half")), (None, None));
}
