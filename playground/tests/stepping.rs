//! A dispatch, step by step.

use super::*;

fn step(bench: &mut Bench, how: &str) -> Value {
    ask_of(bench, json!({ "do": "step", "how": how }))
}

#[test]
fn forwards_and_back_is_where_it_was() {
    let mut bench = Bench::default();
    let begin = ask_of(&mut bench, of_example("begin", "divergence"));
    assert_eq!(begin["position"], 0, "{begin}");
    assert_eq!(begin["waves"][0]["offset"], 0);
    assert_eq!(begin["seen"]["exec"], json!([u32::MAX, 0]));
    let mut seen = vec![begin];
    for _ in 0..40 {
        seen.push(step(&mut bench, "instruction"));
    }
    for expected in seen.iter().rev().skip(1) {
        let back = ask_of(&mut bench, json!({ "do": "step", "how": "instruction", "back": true }));
        for part in ["position", "waves", "seen", "turn"] {
            assert_eq!(back[part], expected[part], "{part} at {}", expected["position"]);
        }
    }
}

#[test]
fn the_cards_order_has_cycles_both_ways() {
    let mut bench = Bench::default();
    let own = ask_of(&mut bench, of_example("begin", "reduction"));
    assert!(own["cycle"].is_null() && own["machine"][0][1].as_str().unwrap().contains("one for each instruction"));
    let mut question = of_example("begin", "reduction");
    question["clock"] = true.into();
    let mut all = vec![ask_of(&mut bench, question)];
    // Work-groups are there together, and each wave says when it goes on.
    let groups = |state: &Value| {
        let of = |w: &Value| w["group"].as_u64().unwrap();
        state["waves"].as_array().unwrap().iter().map(of).collect::<std::collections::BTreeSet<_>>().len()
    };
    for _ in 0..60 {
        all.push(step(&mut bench, "cycle"));
    }
    let cycles: Vec<u64> = all.iter().map(|state| state["cycle"].as_u64().unwrap()).collect();
    assert!(cycles.windows(2).all(|pair| pair[0] < pair[1]), "{cycles:?}");
    let last = &all[60];
    assert!(groups(last) > 1, "{last}");
    let waves = last["waves"].as_array().unwrap();
    let says = |text: &str| waves.iter().any(|w| w["status"].as_str().unwrap().ends_with(text));
    assert!(says("issues") && says("cycles"), "{last}");
    let named = |name: &str| all.iter().any(|s| s["machine"].as_array().unwrap().iter().any(|row| row[0] == name));
    assert!(named("scalar L0") && named("under way") && named("queue 0"));
    for expected in all.iter().rev().skip(1).take(20) {
        let back = ask_of(&mut bench, json!({ "do": "step", "how": "cycle", "back": true }));
        for part in ["position", "cycle", "waves", "seen", "turn", "machine"] {
            assert_eq!(back[part], expected[part], "{part} at {}", expected["position"]);
        }
    }
}

#[test]
fn exec_narrows_where_lanes_part() {
    let mut bench = Bench::default();
    ask_of(&mut bench, of_example("begin", "divergence"));
    let narrowed = (0..400).any(|_| {
        let exec = step(&mut bench, "instruction")["seen"]["exec"][0].as_u64().unwrap_or(0) as u32;
        exec != u32::MAX && exec != 0
    });
    assert!(narrowed);
}

#[test]
fn breakpoints_stop_at_their_line_and_conditions_hold() {
    let mut bench = Bench::default();
    let question = of_example("begin", "divergence");
    let source = question["source"].as_str().unwrap();
    let line = 1 + source.lines().position(|l| l.contains("steps + 1u")).unwrap();
    ask_of(&mut bench, question);
    let at = json!([{ "line": line }]);
    let stop = ask_of(&mut bench, json!({ "do": "step", "how": "run", "breakpoints": at }));
    assert_eq!((&stop["reason"], &stop["breakpoint"]), (&json!("breakpoint"), &json!(line)), "{stop}");
    let never = json!([{ "line": line, "when": "pc == 1" }]);
    let stop = ask_of(&mut bench, json!({ "do": "step", "how": "run", "breakpoints": never }));
    assert_eq!(stop["reason"], "ended", "{stop}");
    let wrong = json!([{ "line": line, "when": "v9999 ==" }]);
    assert!(ask_of(&mut bench, json!({ "do": "step", "how": "run", "breakpoints": wrong }))["error"].is_string());
}

#[test]
fn shared_memory_and_other_waves_are_seen() {
    let mut bench = Bench::default();
    ask_of(&mut bench, of_example("begin", "reduction"));
    // Before the first one it is filled with zeros.
    step(&mut bench, "barrier");
    let stop = step(&mut bench, "barrier");
    assert!(stop["waves"].as_array().unwrap().len() > 1, "{stop}");
    let lds = stop["seen"]["lds"].as_array().unwrap();
    assert!(lds.iter().any(|w| *w != 0), "what was stored before the barrier is there");
    let other = ask_of(&mut bench, json!({ "do": "step", "how": "look", "wave": [0, 1] }));
    assert_eq!(other["seen"]["wave"], 1);
    assert_eq!(other["position"], stop["position"]);
}

#[test]
fn what_is_watched_stops_behind_its_change() {
    let mut bench = Bench::default();
    ask_of(&mut bench, of_example("begin", "reduction"));
    let lds = json!([{ "what": "lds[0x40]" }]);
    let stop = ask_of(&mut bench, json!({ "do": "step", "how": "run", "watches": lds }));
    assert_eq!((&stop["reason"], &stop["watch"]["what"]), (&json!("watchpoint"), &json!("lds[0x40]")), "{stop}");
    assert_ne!(stop["watch"]["old"], stop["watch"]["new"], "{stop}");
    assert!(stop["watch"]["line"].is_number() && stop["watch"]["wave"].is_number(), "{stop}");
    let (old, new) = (stop["watch"]["old"].clone(), stop["watch"]["new"].clone());
    // Backwards it is the same change, seen from behind.
    let on = ask_of(&mut bench, json!({ "do": "step", "how": "run", "watches": lds }));
    let back = ask_of(&mut bench, json!({ "do": "step", "how": "run", "back": true, "watches": lds }));
    assert!(on["position"].as_u64() > back["position"].as_u64(), "{on} {back}");
    assert_eq!((&back["watch"]["old"], &back["watch"]["new"]), (&old, &new), "{back}");
    // Nobody watches any more.
    assert_eq!(step(&mut bench, "run")["reason"], "ended");
}

#[test]
fn buffers_are_watched_by_name_and_mistakes_told() {
    let mut bench = Bench::default();
    ask_of(&mut bench, of_example("begin", "first"));
    let stop = ask_of(&mut bench, json!({ "do": "step", "how": "run", "watches": [{ "what": "y[3]" }] }));
    assert_eq!((&stop["reason"], &stop["watch"]["what"]), (&json!("watchpoint"), &json!("y[3]")), "{stop}");
    for (wrong, why) in [("nobody", "nobody"), ("v3", "is a register"), ("lds[", "no `]`"), ("y[99999999]", "dwords")] {
        let answer = ask_of(&mut bench, json!({ "do": "step", "how": "look", "watches": [{ "what": wrong }] }));
        assert!(answer["error"].as_str().is_some_and(|e| e.contains(why)), "{wrong}: {answer}");
    }
}

#[test]
fn variables_have_their_names_types_and_lanes() {
    let mut bench = Bench::default();
    let question = of_example("begin", "divergence");
    let source = question["source"].as_str().unwrap();
    let line = 1 + source.lines().position(|l| l.contains("steps + 1u")).unwrap();
    ask_of(&mut bench, question);
    let stop = ask_of(&mut bench, json!({ "do": "step", "how": "run", "breakpoints": [{ "line": line }] }));
    let all = stop["seen"]["variables"].as_array().unwrap();
    let steps = all.iter().find(|v| v["name"] == "steps").unwrap_or_else(|| panic!("{all:?}"));
    assert_eq!(steps["type"], "u32", "{steps}");
    let lanes = steps["parts"][0]["lanes"].as_array().unwrap_or_else(|| panic!("{steps}"));
    let exec = stop["seen"]["exec"][0].as_u64().unwrap();
    for (lane, value) in lanes.iter().enumerate() {
        let value = value.as_str().unwrap();
        assert_eq!(value == "-", exec >> lane & 1 == 0, "lane {lane}: {value}");
        assert!(value == "-" || value.parse::<u32>().is_ok(), "lane {lane}: {value}");
    }
}

/// A variable of the wave that is looked at.
fn variable<'a>(state: &'a Value, name: &str) -> Option<&'a Value> {
    state["seen"]["variables"].as_array().unwrap().iter().find(|v| v["name"] == name)
}

/// Each lane counts as far as its own number says: what the variable holds in each lane is known without the machine.
const COUNTS: &str = "
@group(0) @binding(0) var<storage, read_write> y: array<vec2u>;
@compute @workgroup_size(32)
fn main(@builtin(local_invocation_index) lane: u32) {
    var sum = vec2u(7u, lane);
    for (var n = 0u; n < lane % 4u; n++) {
        sum.x += n * lane;
    }
    y[lane] = sum;
}";

#[test]
fn variables_have_names_types_and_a_value_in_each_lane() {
    let mut bench = Bench::default();
    ask_of(&mut bench, of_wgsl("begin", COUNTS, ""));
    let line = 1 + COUNTS.lines().position(|l| l.contains("y[lane] = sum")).unwrap();
    let stop = ask_of(&mut bench, json!({ "do": "step", "how": "run", "breakpoints": [{ "line": line }] }));
    assert_eq!(stop["reason"], "breakpoint", "{stop}");
    let sum = variable(&stop, "sum").unwrap_or_else(|| panic!("{}", stop["seen"]["variables"]));
    assert_eq!((&sum["function"], &sum["more_parts"]), (&json!("main"), &json!(0)), "{sum}");
    assert!(sum["type"].as_str().unwrap().contains('2'), "{sum}");
    let want = |of: fn(u32) -> u32| (0..32).map(|lane| of(lane).to_string()).collect::<Vec<_>>();
    let added = |lane: u32| 7 + (0..lane % 4).map(|n| n * lane).sum::<u32>();
    assert_eq!(sum["parts"][0], json!({ "path": ".x", "lanes": want(added) }));
    assert_eq!(sum["parts"][1], json!({ "path": ".y", "lanes": want(|lane| lane) }));
}

#[test]
fn what_is_kept_nowhere_is_said_to_be() {
    let mut bench = Bench::default();
    ask_of(&mut bench, of_wgsl("begin", COUNTS, ""));
    let (mut there, mut gone) = (false, false);
    loop {
        let state = step(&mut bench, "instruction");
        if state["reason"] == "ended" {
            break;
        }
        let parts = state["seen"]["variables"].as_array().unwrap().iter().flat_map(|v| v["parts"].as_array().unwrap());
        for part in parts {
            match part["lanes"].as_array() {
                // Lanes that are off have no value, and of 32 lanes all are told.
                Some(lanes) => {
                    there = true;
                    assert_eq!(lanes.len(), 32);
                    let exec = state["seen"]["exec"][0].as_u64().unwrap();
                    for (lane, value) in lanes.iter().enumerate() {
                        assert_eq!(value == "-", exec >> lane & 1 == 0, "{part}");
                    }
                }
                None => gone = true,
            }
        }
    }
    assert!(there && gone, "{there} {gone}");
}

/// The watch, a dword, what it was and is, of all its stops.
fn watched(source: &str, watch: Value) -> Vec<[String; 4]> {
    let mut bench = Bench::default();
    let begin = ask_of(&mut bench, of_wgsl("begin", source, ONE_GROUP));
    assert_eq!(begin["position"], 0, "{begin}");
    let mut stops = Vec::new();
    loop {
        let stop = ask_of(&mut bench, json!({ "do": "step", "how": "run", "watches": [watch] }));
        if stop["reason"] == "ended" {
            return stops;
        }
        assert_eq!(stop["reason"], "watchpoint", "{stop}");
        let line = stop["watch"]["line"].as_u64().unwrap() as usize;
        assert!(source.lines().nth(line - 1).unwrap().contains('='), "line {line}");
        stops.push(["what", "dword", "old", "new"].map(|key| stop["watch"][key].as_str().unwrap().to_owned()));
    }
}

const SHARES: &str = "
@group(0) @binding(0) var<storage, read_write> y: array<u32, 64>;
var<workgroup> shared_word: array<u32, 64>;
@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) lane: u32) {
    shared_word[lane] = 5u + lane;
    workgroupBarrier();
    y[lane] = shared_word[63u - lane] + 1u;
    if lane == 3u {
        y[3] = 9u;
    }
}";

const ONE_GROUP: &str = "
groups = [1, 1, 1]
[[buffer]]
name = \"y\"
type = \"u32[64]\"";

#[test]
fn watches_stop_where_memory_and_lds_change() {
    let stops = |what: &str| watched(SHARES, json!({ "what": what }));
    let text = |words: [&str; 4]| words.map(str::to_owned);
    assert_eq!(stops("y[3]"), [text(["y[3]", "y[3]", "0", "66"]), text(["y[3]", "y[3]", "66", "9"])]);
    // Each wave stores 32 dwords at once: the first that is another names the change, however far in.
    let whole = [["y", "y[0]", "0", "69"], ["y", "y[3]", "66", "9"], ["y", "y[32]", "0", "37"]];
    assert_eq!(stops("y"), whole.map(text));
    let lds = stops("lds[0xc;2]");
    assert_eq!(lds.last(), Some(&text(["lds[0xc;2]", "lds[0xc]", "0x0", "0x8"])), "{lds:?}");
}

#[test]
fn watches_have_conditions() {
    let stops = |when: &str| watched(SHARES, json!({ "what": "y[3]", "when": when }));
    assert_eq!(stops("y[3] == 9").len(), 1);
    assert_eq!(stops("y[3] > 5").len(), 2);
    assert_eq!(stops("y[3] > 66").len(), 0);
}

#[test]
fn a_watch_says_what_is_wrong_with_it() {
    let mut bench = Bench::default();
    ask_of(&mut bench, of_wgsl("begin", COUNTS, ""));
    let mut told = |what: &str, when: &str| {
        let watches = json!([{ "what": what, "when": when }]);
        let answer = ask_of(&mut bench, json!({ "do": "step", "how": "look", "watches": watches }));
        answer["error"].as_str().unwrap_or_default().to_owned()
    };
    assert!(told("sum", "").contains("watch sum: sum is a variable of the shader"));
    assert!(told("y[3]", "y[3] ==").contains("watch y[3]: condition `y[3] ==`"));
    assert!(told("y[3]", "nobody == 1").contains("nobody"));
    // What was wrong is forgotten.
    assert_eq!(told("y[3]", "y[3] == 1"), "");
}

/// A dispatch of millions of instructions is left without being run to its end.
#[test]
fn it_ends_at_once() {
    let mut bench = Bench::default();
    let before = host_time::thread_time();
    ask_of(&mut bench, of_example("begin", "mandelbrot"));
    step(&mut bench, "line");
    assert_eq!(ask_of(&mut bench, json!({ "do": "end" })), json!({}));
    let took = host_time::thread_time() - before;
    assert!(took.as_secs() < 20, "{took:?}");
}
