//! AmberScript: its words, types, structures and commands, and what is said of a script that is wrong.

use wavepipe::element::Scalar;
use wavepipe::view::Walk;
use wavepipe_check::amber::{Holds, Stop, Tolerance, What, parse};
use wavepipe_check::layout::Kind;
use wavepipe_check::tested::amber::{DataType, Word, Words, layouts, parse_structure};

#[test]
fn words_lines_and_what_is_raw() {
    let mut words = Words::new("#!amber\nSHADER a \\\n  b # no\nvoid main() # yes\n  END # x\nRUN p 0x10");
    assert_eq!(words.next(), Some(Word { text: "SHADER", line: 2 }));
    assert_eq!(words.here().unwrap().text, "a");
    assert_eq!(words.here(), Some(Word { text: "b", line: 3 }));
    assert_eq!(words.peek_here(), None);
    assert_eq!(words.lines_to_end("SHADER").unwrap(), ("void main() # yes\n", 4));
    assert_eq!((words.next().unwrap().line, words.next().unwrap().text), (6, "p"));
    assert_eq!(words.number::<u32>("x").unwrap(), 16);
    assert!(words.need("y").is_err());
}

#[test]
fn types_are_read() {
    let kind = |text: &str| DataType::parse(text).unwrap().0.kind().unwrap();
    assert_eq!(kind("vec3<uint64>"), Kind { scalar: Scalar::U64, rows: 3, columns: 1 });
    assert_eq!(kind("mat2x4<float>"), Kind { scalar: Scalar::F32, rows: 4, columns: 2 });
    assert_eq!(DataType::parse("int8[]").unwrap(), (DataType::Numbers(Kind::scalar(Scalar::I8)), true));
    let texel = |text: &str| DataType::parse(text).unwrap().0.texel().unwrap().to_string();
    assert_eq!(texel("R8G8B8A8_UNORM"), "rgba8");
    assert_eq!(texel("R32G32_SINT"), "rg32i");
    assert_eq!(texel("vec4<int32>"), "rgba32i");
    for none in ["vec5<float>", "B8G8R8A8_UNORM", "mat2<float>", "D32_SFLOAT", "R8G16_UNORM"] {
        assert!(DataType::parse(none).is_err(), "{none}");
    }
}

/// Offsets of all numbers of the last of some structures, and its stride.
fn offsets(text: &str, std140: bool) -> Result<(Vec<usize>, u64), Stop> {
    let mut words = Words::new(text);
    let mut all = Vec::new();
    while words.next().is_some() {
        let next = parse_structure(&mut words, &all)?;
        all.push(next);
    }
    let laid = layouts(&all, std140)?.pop().unwrap();
    let mut walk = Walk::default();
    walk.add(&laid.ty, 0).unwrap();
    Ok((walk.leaves.iter().map(|l| l.offset).collect(), laid.stride))
}

#[test]
fn members_lie_where_shaders_have_them() {
    let mixed = "STRUCT s\n float a\n vec3<float> b\n float c\n mat2x2<float> d\n uint16 e\n float[2] f\nEND";
    let std430 = (vec![0, 16, 20, 24, 28, 32, 36, 40, 44, 48, 52, 56], 64);
    assert_eq!(offsets(mixed, false), Ok(std430));
    let std140 = (vec![0, 16, 20, 24, 28, 32, 36, 48, 52, 64, 80, 96], 112);
    assert_eq!(offsets(mixed, true), Ok(std140));
    let nested = "STRUCT in\n float x\n uint8 y\nEND\nSTRUCT out\n float z\n in all[2] # two\n in one\n double w\nEND";
    assert_eq!(offsets(nested, false), Ok((vec![0, 4, 8, 12, 16, 20, 24, 32], 40)));
    assert_eq!(offsets(nested, true), Ok((vec![0, 16, 20, 32, 36, 48, 52, 64], 80)));
    let said = "STRUCT s STRIDE 100\n int8 a OFFSET 3\n mat2x3<float> m OFFSET 8 MATRIX_STRIDE 20\n int32[] k ARRAY_STRIDE 12\nEND";
    assert_eq!(offsets(said, false), Ok((vec![3, 8, 12, 16, 28, 32, 36, 48], 100)));
    // A structure's own stride counts where it is a member, too.
    let wide = "STRUCT in STRIDE 24\n float x\nEND\nSTRUCT out\n in a\n float b\nEND";
    assert_eq!(offsets(wide, false), Ok((vec![0, 24], 28)));
}

#[test]
fn what_is_wrong_is_said_with_its_line() {
    for (text, line, said) in [
        ("STRUCT STRIDE 4\n float a\nEND", 1, "the name of a STRUCT is missing"),
        ("STRUCT s\nEND", 1, "STRUCT s has no members"),
        ("STRUCT s\n float a\nEND\nSTRUCT s\n float a\nEND", 4, "there is a STRUCT s already"),
        ("STRUCT s\n float a\n float a\nEND", 3, "s has two members a"),
        ("STRUCT s\n flaot a\nEND", 2, "`flaot` is no type of AmberScript"),
        ("STRUCT s\n float\nEND", 2, "the name of a member of s is missing"),
        ("STRUCT s\n s a\nEND", 2, "s cannot hold itself"),
        ("STRUCT s\n R8_UINT a\nEND", 2, "`R8_UINT` is a format of images, and no member's type"),
        ("STRUCT s\n float a[0]\nEND", 2, "`a[0]`: the number of elements is [N]"),
        ("STRUCT s\n float a ARRAY_STRIDE 4\nEND", 2, "ARRAY_STRIDE is for arrays, and a is none"),
        ("STRUCT s\n float[2] a MATRIX_STRIDE 4\nEND", 2, "MATRIX_STRIDE is for matrices, and a is none"),
        ("STRUCT s\n float[2] a ARRAY_STRIDE 2\nEND", 2, "ARRAY_STRIDE 2: an element of a has 4 bytes"),
        ("STRUCT s\n mat2x2<float> a MATRIX_STRIDE 4\nEND", 2, "MATRIX_STRIDE 4: a column of a has 8 bytes"),
        ("STRUCT s\n float a\n float b OFFSET 2\nEND", 3, "OFFSET 2: the member before b ends at byte 4"),
        ("STRUCT s STRIDE 6\n float a\n float b\nEND", 1, "STRIDE 6: the members of s have 8 bytes"),
        ("STRUCT s\n float a[4294967295]\nEND", 2, "s: a ends past 4 GiB"),
        ("STRUCT s SIZE 6\n float a\nEND", 1, "`SIZE` behind the name of a STRUCT"),
        ("STRUCT s\n float a ALIGN 4\nEND", 2, "`ALIGN` behind a member of a STRUCT"),
        ("STRUCT s\n float a", 2, "END of STRUCT is missing"),
    ] {
        assert_eq!(offsets(text, false), Err(Stop::Wrong(line, said.to_owned())), "{text}");
    }
}

#[test]
fn what_draws_is_refused_by_name_and_what_is_wrong_by_line() {
    let stop = |text: &str| parse(text).unwrap_err();
    let refused = |line, what: &str| Stop::Refused(line, format!("{what} is for drawing, and wavepipe only computes"));
    assert_eq!(stop("#!amber\nPIPELINE graphics p\n"), refused(2, "PIPELINE graphics"));
    assert_eq!(stop("#!amber\n\nRUN p DRAW_RECT POS 0 0 SIZE 1 1"), refused(3, "DRAW_RECT"));
    assert_eq!(stop("RUN p 1 1 1"), Stop::Wrong(1, "an Amber script begins with #!amber".into()));
    let wrong = |line, text: &str| Stop::Wrong(line, text.to_owned());
    assert_eq!(stop("#!amber\nEXPCT a"), wrong(2, "`EXPCT` is no command of AmberScript"));
    assert_eq!(stop("#!amber\nRUN p 1 1"), wrong(2, "the number of work-groups is missing"));
    assert_eq!(stop("#!amber\nBUFFER a DATA_TYPE flaot SIZE 1"), wrong(2, "`flaot` is no type of AmberScript"));
    assert_eq!(stop("#!amber\nSHADER compute c GLSL\nvoid"), wrong(2, "SHADER has no END"));
    let image = "#!amber\nIMAGE i DATA_TYPE float";
    assert_eq!(stop(&format!("{image} DIM_2D WIDTH 4")), wrong(2, "i: an image of that kind has WIDTH, HEIGHT"));
    assert_eq!(stop(image), wrong(2, "i: an image of that kind has WIDTH"));
    assert_eq!(stop(&format!("{image} WIDTH 4 SIZE 3")), wrong(2, "`SIZE` of IMAGE i"));
    assert_eq!(stop("#!amber\nBUFFER b SIZE 3 FILL 0"), wrong(2, "b: its DATA_TYPE or FORMAT is missing"));
    let twice = "#!amber\nSTRUCT s\n float a\nEND\nBUFFER b DATA_TYPE s SIZE 1 FILL 1\n";
    assert_eq!(stop(&format!("{twice}BUFFER b DATA_TYPE s SIZE 1")), wrong(6, "there is a BUFFER or IMAGE b already"));
    let series = "c: SERIES_FROM is for numbers: a structure has DATA or FILL";
    assert_eq!(stop(&format!("{twice}BUFFER c DATA_TYPE s SIZE 1 SERIES_FROM 0 INC_BY 1")), wrong(6, series));
    let texels = "c: an image's texels are no structures";
    assert_eq!(stop(&format!("{twice}IMAGE c DATA_TYPE s DIM_1D WIDTH 1")), wrong(6, texels));
    for (kind, line) in [("SAMPLER p", 3), ("VIRTUAL_FILE p\nEND", 4), ("PIPELINE compute p\nEND", 4)] {
        let word = kind.split(' ').next().unwrap();
        let said = format!("there is a {word} p already");
        assert_eq!(stop(&format!("#!amber\n{kind}\n{kind}")), wrong(line, &said));
    }
}

#[test]
fn commands_are_read() {
    let script = parse(
        "#!amber\nBUFFER b DATA_TYPE vec2<int32>[] STD140 SIZE 0x4 SERIES_FROM 1 INC_BY 2\nREPEAT 3\n  RUN p 1 2 3\nEND\n\
         EXPECT b IDX 8 TOLERANCE 1% 0.5 EQ 1 \\\n 2 # no\nEXPECT b EQ_BUFFER b\nEXPECT i IDX 0 1 SIZE 2 3 EQ_RGB 1 2 3",
    )
    .unwrap();
    assert!(script.buffers[0].rules.std140 && script.buffers[0].count == Some(4));
    assert!(matches!(&script.commands[0].what, What::Repeat { times: 3, commands } if commands.len() == 1));
    let What::Expect { holds: Holds::Values { at: 8, tolerance, values, .. }, .. } = &script.commands[1].what else {
        panic!("{script:?}")
    };
    let percent = Tolerance { value: 1.0, percent: true };
    assert_eq!(tolerance[..], [percent, Tolerance { value: 0.5, percent: false }]);
    assert_eq!(values[..], ["1", "2"]);
    assert!(matches!(&script.commands[3].what, What::Expect { holds: Holds::Colour { size: [2, 3], .. }, .. }));
}
