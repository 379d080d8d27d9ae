//! Which generations tests run on, and how often.

use wavepipe_runtime::hw::machine::Machine;
use wavepipe_runtime::isa::Gen;
use wavepipe_tests::matrix::{Run, case_of, machines, of, read};

#[test]
fn the_gate_has_a_share_of_each_and_all_has_all() {
    let machines = ["default", "a", "b", "c"];
    let mut counts = [0; 4];
    for seed in 0..300 {
        let [one] = of(seed, &machines, Run::Gate)[..] else { panic!("one machine") };
        counts[machines.iter().position(|m| m == one).unwrap()] += 1;
        assert_eq!(of(seed, &machines, Run::All).len(), 4);
        assert_eq!(of(seed, &machines, Run::Named), [&"a", &"b", &"c"]);
    }
    assert_eq!(counts, [240, 20, 20, 20]);
    assert_eq!(of(4, &["default"], Run::Gate), [&"default"]);
    let cases = |run| (0..10).map(|n| case_of(n, &machines, run)).collect::<Vec<_>>();
    assert!(cases(Run::Gate).iter().all(|of| of[0] == &"default"));
    assert_eq!(cases(Run::Gate).iter().filter_map(|of| of.get(1)).collect::<Vec<_>>(), [&&"a", &&"b"]);
    assert!(cases(Run::Named).iter().all(|of| *of == [&"a", &"b", &"c"]));
    assert!(cases(Run::All).iter().all(|of| of.len() == 4));
}

#[test]
fn every_generation_that_executes_is_one_of_all() {
    let (run, others) = read(Some("all"));
    let all = machines(&others);
    let has = |g: &Gen| all.iter().filter(|m| m.generation() == *g).count();
    assert!(run == Run::All && Gen::ALL.iter().all(|g| has(g) == usize::from(Machine::executes(*g))));
    assert_eq!(all[0], Machine::standard());
    assert_eq!(read(Some("gfx900, gfx600")), (Run::Named, vec![Gen::Gfx900, Gen::Gfx600]));
    assert_eq!(read(None).0, Run::Gate);
}

/// Work that is shared out over days is done on one of them, and on each of them some is.
#[test]
fn each_case_is_due_on_one_of_its_days() {
    for days in 1..5 {
        for number in 0..20 {
            let due = (100..100 + days).filter(|&day| wavepipe_tests::share::is_due_on(day, number, days)).count();
            assert_eq!(due, 1, "case {number} of {days} days");
        }
    }
}
