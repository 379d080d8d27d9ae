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
    let lds = json!(["lds[0x40]"]);
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
    let stop = ask_of(&mut bench, json!({ "do": "step", "how": "run", "watches": ["y[3]"] }));
    assert_eq!((&stop["reason"], &stop["watch"]["what"]), (&json!("watchpoint"), &json!("y[3]")), "{stop}");
    assert_eq!(stop["watch"]["new"].as_array().unwrap().len(), 1);
    for (wrong, why) in [("nobody", "nobody"), ("v3", "is a register"), ("lds[", "no `]`"), ("y[99999999]", "dwords")] {
        let answer = ask_of(&mut bench, json!({ "do": "step", "how": "look", "watches": [wrong] }));
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

/// A dispatch of millions of instructions is left without being run to its end.
#[test]
fn it_ends_at_once() {
    let mut bench = Bench::default();
    let before = std::time::Instant::now();
    ask_of(&mut bench, of_example("begin", "mandelbrot"));
    step(&mut bench, "line");
    assert_eq!(ask_of(&mut bench, json!({ "do": "end" })), json!({}));
    assert!(before.elapsed().as_secs() < 20, "{:?}", before.elapsed());
}
