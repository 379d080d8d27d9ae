//! The sample that needs deadlines: what it says of each policy, in emulated time, the same on any number of threads.

use wavepipe_tests::{clean, program, run, scratch, show};

fn told(threads: &str, wav: &std::path::Path) -> serde_json::Value {
    let mut command = clean(&program("examples/reverb").unwrap());
    command.args(["--blocks", "3", "--json", "--out"]).arg(wav).env("WAVEPIPE_THREADS", threads);
    let output = run(&mut command).unwrap();
    assert!(output.status.success(), "{}", show(&output));
    serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{}", show(&output)))
}

#[test]
fn deadlines_are_met_where_realtime_queues_tunnel() {
    let wav = scratch("reverb.wav");
    let told = [told("1", &wav), told("3", &wav)];
    assert_eq!(told[0], told[1], "cycles depend on the host");
    let told = &told[0];
    assert_eq!(told["good"], true, "{told}");
    let of = |name: &str| {
        let all = told["policies"].as_array().unwrap();
        all.iter().find(|p| p["policy"] == name).unwrap_or_else(|| panic!("no {name} in {told}")).clone()
    };
    let most = |name: &str| of(name)["latency_ns"]["max"].as_u64().unwrap();
    for name in ["alone", "share", "limit", "tunnel"] {
        assert_eq!(of(name)["met"].as_u64().unwrap() + of(name)["missed"].as_u64().unwrap(), 6, "{told}");
    }
    assert_eq!((of("alone")["missed"].as_u64(), of("tunnel")["missed"].as_u64()), (Some(0), Some(0)), "{told}");
    assert!(of("share")["missed"].as_u64() > Some(0), "{told}");
    // Suspending and resuming is all that tunneling adds.
    assert!(most("tunnel") < most("alone") * 5 / 4, "{told}");
    assert!(most("share") > 2 * most("tunnel") && most("limit") > 2 * most("tunnel"), "{told}");

    // Three blocks of stereo, each number four bytes, behind the header.
    let bytes = std::fs::read(&wav).unwrap();
    assert!(bytes.starts_with(b"RIFF") && bytes[8..].starts_with(b"WAVE"));
    assert!(bytes.len() > 3 * 512 * 2 * 4, "{} bytes", bytes.len());
    std::fs::remove_file(&wav).unwrap();
}
