//! `wavepipe explain`, as a user sees it.

use std::process::{Command, Output};
use wavepipe_tests::{run, show, wavepipe};

fn explain(arguments: &[&str]) -> Command {
    let mut command = wavepipe(&["explain"]);
    command.args(arguments);
    command
}

fn good(command: &mut Command) -> Output {
    let output = run(command).unwrap();
    assert!(output.status.success(), "{}", show(&output));
    output
}

fn text(arguments: &[&str]) -> String {
    String::from_utf8(good(&mut explain(arguments)).stdout).unwrap()
}

/// Lines that stand in the answer, in this order.
const GOLDEN: &[(&[&str], &[&str])] = &[
    (
        &["v_mul_lo_u32"],
        &[
            "v_mul_lo_u32 (wide multiply instruction), on gfx1010",
            "  D: U32, S0: U32, S1: U32",
            "  D = S0 * S1",
            "  gfx600   v_mul_lo_u32, VOP3 opcode 0x169",
            "  v_mul_lo_u32 v32, v0, v8",
            "  before  v0         0 1000 2000 3000 4000 5000 6000 7000 …",
            "  before  v8         0 3 6 9 12 15 18 21 …",
            "  after   v32        0 3000 12000 27000 48000 75000 108000 147000 …",
        ],
    ),
    (
        &["s_branch", "--gpu", "gfx1030"],
        &[
            "s_branch (branch instruction), on gfx1030",
            "  none: it decides when or where its wave goes on, and changes no register that could be shown",
        ],
    ),
    (&["v_add_f32_e64"], &["  D = fadd(S0, S1)"]),
    (&["ds_read_b32"], &["  Lds counts on lgkmcnt, done in the order of issue"]),
    (&["V_LSHR_B32", "--gpu", "gfx600"], &["v_lshr_b32 (vector instruction), on gfx600", "  D = S0 >> S1"]),
];

#[test]
fn answers_as_written_down() {
    for (arguments, wanted) in GOLDEN {
        let text = text(arguments);
        let mut lines = text.lines();
        for line in *wanted {
            assert!(lines.any(|l| l == *line), "no `{line}` in its place: {text}");
        }
    }
}

#[test]
fn without_a_name_all_are_listed_and_wrong_ones_have_neighbours() {
    let all = text(&[]);
    assert!(all.starts_with("Instructions of gfx1010, by family. `wavepipe explain NAME` tells of one."), "{all}");
    assert!(all.contains("VOP3 (") && all.split_whitespace().any(|w| w == "v_mul_lo_u32"), "{all}");
    let output = run(&mut explain(&["v_mul_low_u32"])).unwrap();
    assert_eq!(output.status.code(), Some(2), "{}", show(&output));
    assert!(show(&output).contains("there is no instruction v_mul_low_u32; near: v_mul_lo_u32,"), "{}", show(&output));
}

#[test]
fn the_same_for_machines() {
    let value: serde_json::Value =
        serde_json::from_str(&text(&["v_mul_lo_u32", "--gpu", "rx5500xt", "--json"])).unwrap();
    assert_eq!((&value["generation"], &value["statements"][0]), (&"gfx1010".into(), &"D = S0 * S1".into()));
    assert_eq!(value["cost"]["machine"], "rx5500xt");
    assert_eq!(value["example"]["after"][0]["dwords"][2][0], 12000);
}

/// Each command line under "Examples" of the help is one that works.
#[test]
fn the_examples_of_the_help_run() {
    let help = text(&["--help"]);
    let examples = help.split_once("Examples:\n").expect("examples").1;
    let lines: Vec<&str> = examples.lines().map_while(|l| l.trim().strip_prefix("wavepipe explain")).collect();
    assert!(lines.len() >= 4, "{help}");
    for line in lines {
        let words: Vec<&str> = line.split("   ").next().unwrap_or("").split_whitespace().collect();
        good(&mut explain(&words));
    }
}
