//! Damaged descriptions of machines: refused by name, or a machine on whose clock a kernel runs to the right answer.

use super::*;
use std::sync::Arc;
use wavepipe_runtime::hw::machine::Machine;
use wavepipe_tests::root;

/// Damages a description: figures become others, lines go, come twice, or trade places; now and then any byte.
fn damaged(text: &str, r: &mut Random) -> String {
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    for _ in 0..1 + r.below(3) {
        let (at, other) = (r.below(lines.len()), r.below(lines.len()));
        match r.below(10) {
            0 => drop(lines.remove(at)),
            1 => lines.insert(other, lines[at].clone()),
            2 => lines.swap(at, other),
            3 => {
                let mut bytes = lines[at].clone().into_bytes();
                damage(&mut bytes, r);
                lines[at] = String::from_utf8_lossy(&bytes).into_owned();
            }
            _ => {
                let figure = lines[at].find(|c: char| c.is_ascii_digit());
                let Some(from) = figure else { continue };
                let digits = lines[at][from..].bytes().take_while(u8::is_ascii_digit).count();
                let number: u64 = lines[at][from..from + digits].parse().unwrap_or(0);
                let new = match r.below(7) {
                    0 => 0,
                    1 => 1,
                    2 => number.wrapping_mul(2),
                    3 => number / 2,
                    4 => number + 1,
                    5 => u64::MAX >> r.below(64),
                    _ => 1 << r.below(63),
                };
                lines[at].replace_range(from..from + digits, &new.to_string());
            }
        }
    }
    lines.join("\n")
}

#[test]
fn damaged_machines_are_refused_or_run() {
    let mut count = Count::default();
    let texts = ["rx5700xt", "rx5600xt", "rx5500xt"].map(|name| {
        std::fs::read_to_string(root().join("emulator/hw/machines").join(name).with_extension("toml")).unwrap()
    });
    let (case, answer) = answers().remove(0);
    for seed in tries("machines", 8) {
        let mut r = Random(seed);
        let text = damaged(&texts[r.below(3)], &mut r);
        let machine = match Machine::parse(&text) {
            Ok(machine) => machine,
            Err(e) => {
                assert!(!e.to_string().is_empty());
                count.add("refused");
                continue;
            }
        };
        for timing in [false, true] {
            let config = Config { machine: Arc::new(machine.clone()), timing, threads: 1, ..Config::default() };
            match Session::new(&config).and_then(|session| run(&session, &case)) {
                Ok(got) => {
                    assert_eq!(got, answer, "machine {seed}, timing {timing}:\n{text}");
                    count.add(if timing { "run on the clock" } else { "run" });
                }
                Err(e) => panic!("machine {seed} is accepted, and then: {e}\n{text}"),
            }
        }
    }
    count.done("machines", &["refused", "run", "run on the clock"]);
}
