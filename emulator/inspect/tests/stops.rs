//! What stops a run: breakpoints by line, address and condition, watchpoints on memory and LDS, both ways.

use crate::common::{MIXED, inspected};
use wavepipe_inspect::program::Space;
use wavepipe_inspect::{Breakpoint, Form, Reason, Stop, Thing, Unit, Value, Watched, What, Where};

/// The line of [`MIXED`] that has this text.
fn line(text: &str) -> u32 {
    MIXED.lines().position(|l| l.contains(text)).unwrap() as u32 + 1
}

fn is_hit(stop: &Stop, id: u32) -> bool {
    matches!(stop.reason, Reason::Breakpoint(hit) if hit == id)
}

#[test]
fn a_line_stops_every_wave_and_every_round() {
    let mut i = inspected(2);
    let store = line("global_store_dwordx2");
    let id = i.session.add_breakpoint(Breakpoint::line(store)).unwrap();
    let mut hits = Vec::new();
    loop {
        let stop = i.session.run();
        if !is_hit(&stop, id) {
            assert!(matches!(stop.reason, Reason::Ended));
            break;
        }
        assert_eq!(stop.line.unwrap().line, store);
        hits.push((stop.position, stop.turn));
    }
    // Two work-groups of four waves.
    let turns: std::collections::HashSet<_> = hits.iter().map(|h| h.1).collect();
    assert_eq!((hits.len(), turns.len()), (8, 8));
    let mut back = Vec::new();
    loop {
        let stop = i.session.back(Unit::Run);
        if !is_hit(&stop, id) {
            assert!(matches!(stop.reason, Reason::Begin));
            break;
        }
        back.push((stop.position, stop.turn));
    }
    back.reverse();
    assert_eq!(back, hits);

    i.session.remove(id);
    // Lanes have up to eight rounds, of which the last leaves the loop.
    let id = i.session.add_breakpoint(Breakpoint::line(line("v_add_nc_u32 v6"))).unwrap();
    let mut rounds = 0;
    while is_hit(&i.session.run(), id) {
        rounds += 1;
    }
    assert_eq!(rounds, 8 * 8);
}

#[test]
fn a_line_is_of_its_file() {
    for (file, stops) in [("mixed.s", true), ("kernels/mixed.s", true), ("ixed.s", false), ("other.s", false)] {
        let mut i = inspected(1);
        let at = Where::Line { file: file.into(), line: line("s_barrier") };
        let id = i.session.add_breakpoint(Breakpoint::at(at)).unwrap();
        assert_eq!(is_hit(&i.session.run(), id), stops, "{file}");
    }
}

#[test]
fn an_address_stops_one_wave_of_one_group() {
    let mut i = inspected(3);
    let pc = i.session.waves()[0].pc + 4;
    let only = Breakpoint { group: Some([1, 0, 0]), wave: Some(2), ..Breakpoint::at(Where::Pc(pc)) };
    let id = i.session.add_breakpoint(only).unwrap();
    let stop = i.session.run();
    assert!(is_hit(&stop, id) && stop.pc == pc);
    assert_eq!(stop.turn.map(|t| (t.group, t.wave)), Some((1, 2)));
    assert!(matches!(i.session.run().reason, Reason::Ended));
}

#[test]
fn conditions_decide() {
    let at = line("v_add_nc_u32 v5, -1");
    // v5 of lane 5 begins with 5 and is counted down; v4 is what the lane across wrote.
    let cases: &[(&str, usize)] = &[
        ("v5[5] == 2 && exec != 0", 4),
        ("v5[7] < 3", 12),
        ("v5 > 6", 4),
        ("lane == 40 || exec == 0xffffffff", 4),
        ("lds[0] == 0 && lds[4] == 1 && v5[0] == 0 && exec == 0xffffffff", 4),
        ("v4[0]:i32 - 127 == 0 && exec & 1 != 0", 1),
        ("!(exec & 1)", 28),
        ("s8 == 1", 0),
        ("v99 == 0", 0),
        ("total == 0 && exec == 0xffffffff", 1),
    ];
    for (text, want) in cases {
        let mut i = inspected(1);
        i.session.add_name("total", Thing { space: Space::Memory, at: i.out, bytes: 4, form: Form::U32 });
        let id = i.session.add_breakpoint(Breakpoint::line(at).when(text.parse().unwrap())).unwrap();
        let mut hits = 0;
        while is_hit(&i.session.run(), id) {
            hits += 1;
        }
        assert_eq!(hits, *want, "{text}");
    }
}

#[test]
fn memory_and_lds_are_watched() {
    let mut i = inspected(2);
    i.session.add_name("total", Thing { space: Space::Memory, at: i.out, bytes: 4, form: Form::U32 });
    let total = i.session.watch(&What::Named("total".into(), None), None, None).unwrap();
    let lds = i.session.add_watchpoint(Watched::Lds { group: Some(1), at: 8, bytes: 4 }, None).unwrap();
    let (mut sums, mut writes, mut at) = (vec![0u32], 0, Vec::new());
    loop {
        let stop = i.session.run();
        match &stop.reason {
            Reason::Watchpoint { id, old, new, by, pc } if *id == total => {
                let word = |b: &[u8]| u32::from_le_bytes(b.try_into().unwrap());
                assert_eq!(word(old), *sums.last().unwrap());
                sums.push(word(new));
                let by_line = i.session.line_at(*pc).unwrap().line;
                assert_eq!(by_line, line("global_atomic_add"), "{by:?}");
            }
            Reason::Watchpoint { id, by, .. } if *id == lds => {
                assert_eq!((by.group, by.wave), (1, 0));
                writes += 1;
            }
            Reason::Ended => break,
            other => panic!("{other:?}"),
        }
        at.push(stop.position);
    }
    // One atomic of each wave; LDS before the barrier and behind the other.
    assert_eq!((sums.len(), writes), (1 + 8, 2));
    assert_eq!(i.bench.words(i.out, 1)[0], sums[8]);
    // Backwards the same, the last first.
    let mut back = Vec::new();
    while let Reason::Watchpoint { .. } = {
        let stop = i.session.back(Unit::Run);
        back.push(stop.position);
        stop.reason
    } {}
    back.pop();
    back.reverse();
    assert_eq!(back, at);
}

/// What `lds[8]` is at each stop of a watch on it.
fn changes(group: Option<u64>, when: Option<&str>) -> Vec<u32> {
    let mut i = inspected(2);
    let lds = i.session.watch(&"lds[8]".parse().unwrap(), group, when.map(|text| text.parse().unwrap())).unwrap();
    let mut words = Vec::new();
    while let Reason::Watchpoint { id, new, .. } = i.session.run().reason {
        assert_eq!(id, lds);
        words.push(u32::from_le_bytes(new.try_into().unwrap()));
    }
    words
}

#[test]
fn a_watch_stops_where_its_condition_holds() {
    let all = changes(None, None);
    let [first, second] = changes(Some(1), None)[..] else { panic!("{all:?}") };
    assert!(first != second && all.len() == 4, "{all:?}");
    for word in [first, second, first ^ second ^ 1] {
        let wanted: Vec<u32> = all.iter().copied().filter(|w| *w == word).collect();
        assert_eq!(changes(None, Some(&format!("lds[8] == {word}"))), wanted, "{all:?}");
        let others: Vec<u32> = all.iter().copied().filter(|w| *w != word).collect();
        assert_eq!(changes(None, Some(&format!("lds[8] != {word}"))), others, "{all:?}");
    }
}

#[test]
fn a_stop_says_all_that_stops_it() {
    let mut i = inspected(1);
    i.session.add_name("total", Thing { space: Space::Memory, at: i.out, bytes: 4, form: Form::U32 });
    let what: What = "total".parse().unwrap();
    let watched = i.session.watched(&what, None).unwrap();
    let all = [None, Some("total == 0"), Some("total != 0")]
        .map(|when| i.session.add_watchpoint(watched, when.map(|text| text.parse().unwrap())).unwrap());
    let place = i.session.add_breakpoint(Breakpoint::at(Where::Anywhere).when("total != 0".parse().unwrap())).unwrap();
    let stop = i.session.step(Unit::Barrier);
    assert!(matches!(stop.reason, Reason::Stepped) && stop.also.is_empty(), "{stop:?}");
    let stop = i.session.run();
    let points: Vec<_> = [&stop.reason].into_iter().chain(&stop.also).map(Reason::point).collect();
    assert_eq!(points, [all[0], all[2], place].map(Some));
    // The end of a step is last.
    let stop = i.session.step(Unit::Instruction);
    assert_eq!(stop.reason.point(), Some(place));
    assert!(matches!(stop.also[..], [Reason::Stepped]), "{stop:?}");
}

#[test]
fn what_cannot_be_watched_is_refused() {
    let mut i = inspected(1);
    i.session.add_name("total", Thing { space: Space::Memory, at: i.out, bytes: 4, form: Form::U32 });
    let mut refused = |text: &str, when: Option<&str>| {
        let what: What = text.parse().unwrap();
        i.session.watch(&what, None, when.map(|text| text.parse().unwrap())).unwrap_err().to_string()
    };
    assert!(refused("v0", None).contains("v0 is a register"));
    assert!(refused("total[1]", None).contains("total has 1 dwords, no total[1]"));
    assert!(refused("sum", None).contains("nothing is called sum: names are total"));
    assert!(refused("total", Some("sum == 1")).contains("sum"));
}

#[test]
fn values_are_typed() {
    let mut i = inspected(1);
    let id = i.session.add_breakpoint(Breakpoint::line(line("s_and_b32 exec_lo"))).unwrap();
    i.session.run();
    let stop = i.session.run();
    assert!(is_hit(&stop, id));
    let read = |text: &str| i.session.read(&text.parse().unwrap()).unwrap();
    let Value::Mask { bits, lanes: 32 } = read("exec") else { panic!() };
    // The lanes that began with 0 have left.
    assert_eq!(bits, 0xfefe_fefe);
    assert_eq!(read("exec").text(Form::Hex), ".#######".repeat(4));
    let v5 = read("v5");
    let Value::Lanes { words, live } = &v5 else { panic!() };
    assert_eq!((words.len(), *live, words[1] as i32, words[7]), (32, bits, -1, 5));
    assert!(v5.text(Form::I32).starts_with("- -1 0 1 2 3 4 5 - -1"), "{}", v5.text(Form::I32));
    assert_eq!(read("lds[4;2]"), Value::Words(vec![1, 2]));
    assert_eq!(read("s[0:1]"), Value::Long(i.out));
    assert_eq!(read("pc"), Value::Long(stop.pc));
    let wrong = |text: &str| i.session.read(&text.parse().unwrap()).unwrap_err().0;
    assert!(wrong("v16").contains("v0 to v15"), "{}", wrong("v16"));
    assert!(wrong("lds[512]").contains("512"), "{}", wrong("lds[512]"));
    assert!(wrong("sum").contains("nothing is called sum"), "{}", wrong("sum"));
}
