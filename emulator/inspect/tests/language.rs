//! What can be written to be read, and as a condition.

use wavepipe_inspect::{Condition, Names, What};

#[test]
fn whats_are_read_and_written_alike() {
    let all = [
        "v0",
        "v255",
        "s127",
        "s[4:5]",
        "exec",
        "vcc",
        "scc",
        "m0",
        "mode",
        "pc",
        "lds[0x40]",
        "lds[0x0;4]",
        "mem[0x100000000;2]",
        "total",
        "total[3]",
        "params.scale",
    ];
    for text in all {
        assert_eq!(text.parse::<What>().unwrap().to_string(), text);
    }
    let wrong = ["", "s128", "s[4:6]", "lds", "mem", "lds[x]", "lds[0;0]", "total[", "total[x]", "a b", "3", "v0[3]x"];
    for text in wrong {
        assert!(text.parse::<What>().is_err(), "{text}");
    }
}

#[test]
fn conditions_say_what_is_wrong() {
    let good = [
        "1",
        "v0[5] > 3",
        "s4 == 0x10",
        "exec != 0",
        "scc",
        "lds[0x40]",
        "!scc && (s1 + 2*s2 < 7 || v1:f32 >= 0.5)",
        "-v3[1]:i32 == 4",
    ];
    for text in good {
        let condition: Condition = text.parse().unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(condition.to_string(), text);
        condition.check(&Names::default()).unwrap();
    }
    let wrong = [
        ("", "expected at its end"),
        ("v0[64] > 1", "no lane"),
        ("v0 >", "at its end"),
        ("(scc", "`)` is expected"),
        ("scc scc", "an operator"),
        ("1 < 2 < 3", "an operator"),
        ("v0:u8 == 1", "no type"),
        ("0x == 1", "no number"),
        ("s200 == 1", "s0 to s127"),
        ("lds == 1", "lds[0x40]"),
        ("v0 = 1", "an operator"),
    ];
    for (text, why) in wrong {
        let error = text.parse::<Condition>().unwrap_err().to_string();
        assert!(error.contains(why), "{text}: {error}");
    }
    let unknown: Condition = "total == 1".parse().unwrap();
    assert!(unknown.check(&Names::default()).unwrap_err().to_string().contains("nothing is called total"));
    for deep in ["(".repeat(100_000), "!".repeat(100_000), "1+".repeat(100_000)] {
        assert!(deep.parse::<Condition>().is_err());
    }
}
