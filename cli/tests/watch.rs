//! `--watch`: what it prints of waves that come to a place, as text and as JSON, and what it says of mistakes.

use crate::common::{line, out, run, said, turned, with_turn};
use serde_json::Value;
use wavepipe::inspect::{Form, What};
use wavepipe_cli::tested::flags::{At, Spec};

const TWO_GROUPS: [&str; 6] = ["run", "turn.wgsl", "--buffer", "y=[128]", "--groups", "2"];

fn watched(folder: &std::path::Path, args: &[&str]) -> Vec<Value> {
    let output = run(folder, &[&TWO_GROUPS, args, &["--json"]].concat());
    assert!(output.status.success(), "{}", said(&output));
    let json: Value = serde_json::from_str(&out(&output)).unwrap();
    let values = json["buffers"][0]["values"].as_array().unwrap();
    assert!(values.iter().enumerate().all(|(n, v)| v.as_u64() == Some(turned(n as u32 % 64).into())), "{values:?}");
    json["watched"].as_array().unwrap().clone()
}

#[test]
fn each_wave_that_comes_there_is_told() {
    let folder = with_turn("watch_each");
    let branch = line("+= 100u");
    let hits = watched(&folder, &["--watch", &format!("{branch}:exec,v0:u32,y[3]")]);
    // Two work-groups of two waves.
    let who: Vec<(u64, u64)> =
        hits.iter().map(|h| (h["group"][0].as_u64().unwrap(), h["wave"].as_u64().unwrap())).collect();
    assert_eq!(who, [(0, 0), (0, 1), (1, 0), (1, 1)]);
    for hit in &hits {
        assert_eq!((hit["file"].as_str(), hit["line"].as_u64()), (Some("turn.wgsl"), Some(branch.into())));
        let exec = hit["values"]["exec"].as_str().unwrap();
        let wave = hit["wave"].as_u64().unwrap() as usize;
        // One lane in three, by its number in the work-group.
        assert!(exec.bytes().enumerate().all(|(n, c)| (c == b'#') == (32 * wave + n).is_multiple_of(3)), "{exec}");
        let lanes = hit["values"]["v0"].as_array().unwrap();
        assert!(lanes.iter().zip(exec.bytes()).all(|(v, c)| v.is_null() == (c != b'#')), "{lanes:?}");
    }
    assert_eq!(hits[0]["values"]["y[3]"], 6);
}

#[test]
fn lanes_waves_groups_and_conditions_choose() {
    let folder = with_turn("watch_choose");
    let branch = line("+= 100u");
    let count = |rest: &str| watched(&folder, &["--watch", &format!("{branch}:v0 {rest}")]).len();
    assert_eq!(count("@group 1,0,0"), 2);
    assert_eq!(count("@wave 1"), 2);
    assert_eq!(count("@wave 1 @group 1"), 1);
    // Lane 3 is live in the first wave's branch, and not in the second's: 35 is no multiple of 3.
    assert_eq!(count("@lane 3"), 2);
    assert_eq!(count("@lane 4"), 2);
    assert_eq!(count("@lane 3 @wave 1"), 0);
    assert_eq!(count("@if exec & 1"), 2);
    let both = watched(&folder, &["--watch", &format!("{branch}:exec"), "--watch", &format!("{branch}:scc")]);
    assert_eq!(both.len(), 8);
    let hit = &watched(&folder, &["--watch", &format!("{branch}:v0:u32 @lane 3 @group 0")])[0];
    assert!(hit["values"]["v0[3]"].is_u64(), "{hit}");
}

#[test]
fn text_is_printed_in_front_of_the_table() {
    let folder = with_turn("watch_text");
    let at = line("y[at] = ");
    let output =
        run(&folder, &[&TWO_GROUPS[..], &["--watch", &format!("turn.wgsl:{at}:exec @wave 0 @group 0")]].concat());
    assert!(output.status.success(), "{}", said(&output));
    let text = out(&output);
    let mut lines = text.lines();
    let first = lines.next().unwrap();
    assert!(first.starts_with(&format!("turn.wgsl:{at} +0x")), "{text}");
    assert!(first.ends_with("work-group 0,0,0 wave 0"), "{text}");
    assert_eq!(lines.next(), Some("  exec  ################################"));
    let limited = run(&folder, &[&TWO_GROUPS[..], &["--quiet", "--watch", "+0x0", "--watch-limit", "3"]].concat());
    assert_eq!(out(&limited).lines().count(), 6);
    assert!(said(&limited).contains("3 are shown, 1 left out"), "{}", said(&limited));
}

#[test]
fn other_machines_and_waves() {
    let folder = with_turn("watch_machines");
    let branch = line("+= 100u");
    for (args, waves) in [
        (&["--wave", "64"][..], 2),
        (&["--gpu", "vega64"], 2),
        (&["--gpu", "rx6900xt"], 4),
        (&["--gpu", "hd7950", "--wave", "64"], 2),
    ] {
        let hits = watched(&folder, &[args, &["--watch", &format!("{branch}:exec")]].concat());
        assert_eq!(hits.len(), waves, "{args:?}");
        let strip = hits[0]["values"]["exec"].as_str().unwrap();
        assert_eq!(strip.len(), 128 / waves, "{args:?}");
        assert!(strip.starts_with("#..#..#"), "{strip}");
    }
}

#[test]
fn mistakes_are_told() {
    let folder = with_turn("watch_mistakes");
    let wrong = |args: &[&str]| {
        let output = run(&folder, &[&TWO_GROUPS[..], args].concat());
        assert_eq!(output.status.code(), Some(2), "{}", said(&output));
        said(&output)
    };
    assert!(wrong(&["--watch", "3:exec"]).contains("line 3 has no code; lines that have some: "));
    assert!(wrong(&["--watch", "other.wgsl:6:exec"]).contains("no code is known to come from a file other.wgsl"));
    assert!(wrong(&["--watch", "+0x9000:exec"]).contains("no code is 0x9000 bytes long"));
    assert!(wrong(&["--watch", "6:sun"]).contains("nothing is called sun"));
    assert!(wrong(&["--watch", "6:v200"]).contains("no v200"));
    assert!(wrong(&["--watch", "6:v0 @lanes 3"]).contains("there are @lane N"));
    assert!(wrong(&["--watch", "6:v0", "--timing"]).contains("leave out --timing"));
    assert!(wrong(&["--watch", "6:v0", "--many-seeds", "0..2"]).contains("leave out --many-seeds"));
    let never = run(&folder, &[&TWO_GROUPS[..], &["--watch", "6:v0 @if exec == 0"]].concat());
    assert!(never.status.success() && said(&never).contains("no wave came there"), "{}", said(&never));
}

/// A kernel that clang has made for the card, with a function that it calls.
#[test]
fn other_compilers_code_is_watched() {
    let folder = crate::common::folder("watch_launch");
    let text = "\
__attribute__((noinline)) float twice(float a) { return a * 2.0f; }
kernel void saxpy(global const float *x, global float *y, float a) {
    uint i = __builtin_amdgcn_workitem_id_x();
    y[i] = twice(a) * x[i] + y[i];
}
";
    std::fs::write(folder.join("saxpy.cl"), text).unwrap();
    let mut clang = std::process::Command::new("clang-19");
    clang.args([
        "-x",
        "cl",
        "-cl-std=CL2.0",
        "-target",
        "amdgcn-amd-amdhsa",
        "-mcpu=gfx1010",
        "-nogpulib",
        "-O1",
        "-g",
    ]);
    clang.args(["-cl-kernel-arg-info", "-o", "saxpy.co", "saxpy.cl"]).current_dir(&folder);
    if !clang.output().is_ok_and(|o| o.status.success()) {
        println!("SKIP clang-19");
        assert!(std::env::var_os("CI").is_none(), "no clang-19, or no linker for it");
        return;
    }
    let launch = ["launch", "saxpy.co", "--grid", "64", "--arg", "f32[64]:iota", "--arg", "f32[64]", "--arg", "f32=2"];
    let output =
        run(&folder, &[&launch[..], &["--json", "--watch", "1:exec,x[3] @wave 1", "--watch", "+0x0:pc"]].concat());
    assert!(output.status.success(), "{}", said(&output));
    let json: Value = serde_json::from_str(&out(&output)).unwrap();
    let hits = json["watched"].as_array().unwrap();
    let twice: Vec<&Value> = hits.iter().filter(|h| h["watch"] == "1:exec,x[3] @wave 1").collect();
    assert_eq!((&twice[0]["kernel"], &twice[0]["line"]), (&Value::from("twice"), &Value::from(1)));
    assert_eq!(twice[0]["values"]["x[3]"], 3.0);
    // Two waves, in kernel and function.
    assert_eq!(hits.iter().filter(|h| h["watch"] == "+0x0:pc").count(), 4);
    assert_eq!(json["buffers"][1]["values"][5], 20.0);
    let debug = run(&folder, &[&launch[..], &["--debug"]].concat());
    assert!(debug.status.success() && out(&debug).starts_with("saxpy.cl:2 +0x0: in front of"), "{}", out(&debug));
    // On the card's clock it is some cycles until the first instruction issues.
    let clocked = run(&folder, &[&launch[..], &["--debug", "--timing"]].concat());
    let text = out(&clocked);
    assert!(clocked.status.success() && text.contains(", of the card's clock\n  wave       issues\n"), "{text}");
    assert!(!text.contains("cycle      0,") && text.contains("queue 0"), "{text}");
    let alone = run(&folder, &[&launch[..], &["--timing"]].concat());
    assert!(!alone.status.success() && said(&alone).contains("--debug"), "{}", said(&alone));
}

#[test]
fn each_dispatch_of_a_job_file_is_watched() {
    let folder = with_turn("watch_dispatches");
    let job = "\
[[buffer]]
name = \"y\"
type = \"u32[64]\"
[[dispatch]]
groups = [1, 1, 1]
[[dispatch]]
groups = [1, 1, 1]
";
    std::fs::write(folder.join("turn.toml"), job).unwrap();
    let at = format!("{}:y[0] @wave 0", line("+= 100u"));
    let output = run(&folder, &["run", "turn.wgsl", "--json", "--watch", &at]);
    assert!(output.status.success(), "{}", said(&output));
    let json: Value = serde_json::from_str(&out(&output)).unwrap();
    let hits = json["watched"].as_array().unwrap();
    let seen: Vec<(&Value, &Value)> = hits.iter().map(|h| (&h["dispatch"], &h["values"]["y[0]"])).collect();
    assert_eq!(seen, [(&Value::from(0), &Value::from(3)), (&Value::from(1), &Value::from(3))]);
}

#[test]
fn specs_parse() {
    let s: Spec = "12:exec,v0:f32,s[4:5],x[3] @lane 5 @group 1,0,0 @if v0[2] > 3".parse().unwrap();
    assert_eq!(s.at, At::Line { file: String::new(), line: 12 });
    let items: Vec<String> = s.items.iter().map(|i| i.what.to_string()).collect();
    assert_eq!(items, ["exec", "v0", "s[4:5]", "x[3]"]);
    assert_eq!((s.items[1].form, s.items[2].form), (Some(Form::F32), None));
    assert_eq!((s.lane, s.wave, s.group), (Some(5), None, Some([1, 0, 0])));
    assert_eq!(s.when.unwrap().to_string(), "(exec & 0x20) != 0 && (v0[2] > 3)");
    assert_eq!("a/b.wgsl:7:scc".parse::<Spec>().unwrap().at, At::Line { file: "a/b.wgsl".into(), line: 7 });
    assert_eq!("+0x40:scc".parse::<Spec>().unwrap().at, At::Offset(0x40));
    assert_eq!("3".parse::<Spec>().unwrap().items[0].what, What::Exec);
}

#[test]
fn what_is_wrong_is_said() {
    let wrong = |text: &str| text.parse::<Spec>().unwrap_err();
    for (text, said) in [
        ("", "write LINE:WHAT"),
        ("x", "write LINE:WHAT"),
        ("0:exec", "is no place"),
        ("+zz:exec", "is no offset"),
        ("4:v0:f31", "is no form"),
        ("4:v0[", "has no `]`"),
        ("4:v0 @lan 3", "there are @lane N, @wave N"),
        ("4:v0 @lane 64", "0 to 63"),
        ("4:v0 @wave x", "write a number"),
        ("4:v0 @group 1,2,3,4", "at most three"),
        ("4:v0 @if v0 >", "condition `v0 >`"),
    ] {
        assert!(wrong(text).contains(said), "{text}: {}", wrong(text));
    }
}
