//! Machines that are held, in the order of the card's clock: whole samples follow it to their ends, and leave what it leaves.

use std::path::Path;
use wavepipe::held;
use wavepipe::inspect::{Reason, Unit};
use wavepipe::job::Job;
use wavepipe::work::Work;
use wavepipe_runtime::{Config, WaveSize, simple};

#[test]
fn samples_follow_the_clock_to_their_ends() {
    let samples = ["reduction", "histogram", "subgroup_scan", "cas", "fft", "transpose"];
    for (name, wave) in samples.into_iter().flat_map(|name| [(name, WaveSize::W32), (name, WaveSize::W64)]) {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../samples").join(name);
        let shader =
            ["wgsl", "comp"].map(|e| folder.join(format!("{name}.{e}"))).into_iter().find(|p| p.exists()).unwrap();
        let job = Job::of_file(&folder.join(format!("{name}.toml")), &shader).unwrap();
        let work = Work::open(job).unwrap();
        let config = Config { wave: Some(wave), ..Config::default() };
        let clocked = simple::Session::new(&Config { timing: true, ..config.clone() }).unwrap();
        let wanted = work.load(&clocked).unwrap();
        wanted.run(&clocked).unwrap();

        let schedules = held::schedules(&work, &config).unwrap();
        let (session, mut held) = held::machine(&config, false).unwrap();
        held.follow(schedules.clone());
        let loaded = work.load(&session).unwrap();
        let submitted = loaded.begin(&session).unwrap();
        let mut dispatches = 0;
        while held.next_dispatch().is_some() {
            assert!(held.schedule().is_some(), "{name} {wave:?}");
            let before = loop {
                let cycle = held.cycle();
                let followed = held.schedule().is_some();
                match held.step(Unit::Cycle).reason {
                    Reason::Stepped => assert!(held.schedule().is_some() && held.cycle() > cycle, "{name} {wave:?}"),
                    Reason::Ended => break followed,
                    other => panic!("{name}: {other:?}"),
                }
            };
            assert!(before, "{name} {wave:?}: the schedule was left");
            let executed = held.position().executed;
            assert!(schedules[dispatches].at(executed).is_none(), "{name} {wave:?}: the schedule has more");
            assert!(schedules[dispatches].at(executed - 1).is_some());
            dispatches += 1;
        }
        assert_eq!(dispatches, schedules.len());
        drop(held);
        submitted.wait().unwrap();
        let bytes = |all: Vec<Option<wavepipe::contents::Contents>>| {
            all.into_iter().map(|c| c.map(|c| c.bytes)).collect::<Vec<_>>()
        };
        assert_eq!(bytes(loaded.contents().unwrap()), bytes(wanted.contents().unwrap()), "{name} {wave:?}");
    }
}

#[test]
fn a_schedule_is_the_same_each_time() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../samples/reduction");
    let job = Job::of_file(&folder.join("reduction.toml"), &folder.join("reduction.wgsl")).unwrap();
    let work = Work::open(job).unwrap();
    let all = [(); 2].map(|()| held::schedules(&work, &Config::default()).unwrap());
    assert_eq!(all[0], all[1]);
    assert!(!all[0].is_empty());
    let first = &all[0][0];
    let accesses = (0..).map_while(|n| first.at(n)).filter_map(|issue| issue.access.as_ref()).count();
    assert!(accesses > 100);
    let caches = first.caches(u64::MAX);
    assert_eq!(caches.iter().map(|c| c.cache).collect::<Vec<_>>(), ["scalar L0", "L1", "L2", "vector L0"]);
}
