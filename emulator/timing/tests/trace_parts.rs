//! The parts that traces are written with.

use wavepipe_timing::tested::{Folder, INTERVALS, List, Message, States, Traffic, WaveActivity, quoted};

/// The bytes that the encoding's description gives for its examples.
#[test]
fn as_documented() {
    let mut m = Message::default();
    m.uint(1, 150);
    assert_eq!(m.bytes(), [0x08, 0x96, 0x01]);
    m.clear();
    m.text(2, "testing");
    assert_eq!(m.bytes(), b"\x12\x07testing");
    m.clear();
    m.message(3, |m| m.uint(1, 150));
    // 0x83 0x80 0x80 0x00 is 3 in four bytes of seven bits.
    assert_eq!(m.bytes(), [0x1a, 0x83, 0x80, 0x80, 0x00, 0x08, 0x96, 0x01]);
    m.clear();
    m.double(1, 1.0);
    assert_eq!(m.bytes(), [0x09, 0, 0, 0, 0, 0, 0, 0xf0, 0x3f]);
}

/// 10 bytes asked for at once on a memory of 2 bytes a nanosecond: 2, 2, 2, 2, 2, 0.
#[test]
fn memory_moves_no_more_than_it_can() {
    let mut traffic = Traffic::default();
    let rates: Vec<f64> = (0..6).map(|_| traffic.rate(10, 1.0, 2.0)).collect();
    assert_eq!(rates, [2.0, 2.0, 2.0, 2.0, 2.0, 0.0]);
}

/// Beside a plain list of cycles.
#[test]
fn states_are_summed_however_wide_the_intervals() {
    let mut states = States::new(100);
    let mut plain = vec![[0u64; 3]; 200_000];
    let spans = [
        (WaveActivity::Execute, 100, 130),
        (WaveActivity::Wait, 110, 90_000),
        (WaveActivity::Stall, 120, 121),
        (WaveActivity::Idle, 0, 999),
    ];
    for (state, from, to) in spans.into_iter().chain([(WaveActivity::Execute, 70_000, 199_999)]) {
        states.add(state, from, to);
        if state != WaveActivity::Idle {
            (from..to).for_each(|c| plain[c as usize - 100][state as usize - 2] += 1);
        }
    }
    let (width, sums) = states.intervals();
    assert!(sums.len() <= INTERVALS && width.is_power_of_two());
    for (i, sum) in sums.iter().enumerate() {
        let range = i * width as usize..((i + 1) * width as usize).min(plain.len());
        let want: [u64; 3] = std::array::from_fn(|k| plain[range.clone()].iter().map(|p| p[k]).sum());
        assert_eq!(*sum, want, "interval {i}");
    }
}

#[test]
fn strings_are_escaped() {
    assert_eq!(quoted("a \"b\" \\ \n é"), "\"a \\\"b\\\" \\\\ \\u000a é\"");
}

#[test]
fn a_long_list_comes_back_whole() {
    let path = std::env::temp_dir().join(format!("wavepipe-list-{}", std::process::id()));
    let mut list = List::new(path.clone());
    (0..10_000).for_each(|i| list.add(format_args!("{i}")).unwrap());
    assert!(path.exists());
    let mut out = Vec::new();
    list.write(&mut out).unwrap();
    let want: Vec<String> = (0..10_000).map(|i| i.to_string()).collect();
    assert_eq!(String::from_utf8(out).unwrap(), want.join(","));
    assert!(!path.exists() && list.is_empty());
}

/// As the reader joins them: "/" and names by slashes.
#[test]
fn sources_stand_in_a_tree() {
    let mut tree = Folder::default();
    tree.insert("/usr/share/a.comp", "0".into());
    tree.insert("/usr/b.comp", "1".into());
    tree.insert("c/d.comp", "2".into());
    let want = r#"{"/":{"usr":{"share":{"a.comp":"0"},"b.comp":"1"}},"c":{"d.comp":"2"}}"#;
    assert_eq!(tree.text(), want);
}
