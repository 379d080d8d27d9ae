//! `wavepipe exec`: what it learns of the processes that it starts, and what it says of them.

use wavepipe_cli::tested::exec::{Reached, Seen, Witness, complaint, family, findings, parent, reached};

#[test]
fn lines_of_a_mark() {
    assert_eq!(reached(""), Reached::default());
    let all = reached("opened\ninstance Dawn\nopened\ninstance \nunheard of\n");
    assert_eq!(all, Reached { opened: true, instance: Some(String::new()), device: false });
    assert!(reached("opened\ninstance x\ndevice\n").device);
}

#[test]
fn findings_of_a_mark() {
    assert!(findings("opened\ninstance finding\ndevice\n").is_empty());
    let line = |id: &str| {
        let place = r#""group":[1,2,3],"wave":1,"lane":2,"lanes":"0x4","pc_offset":8,"instruction":"s_barrier""#;
        let what = r#""check":"sync","kind":"k","message":"m","kernel":"main","queue":"q","count":3"#;
        format!("finding {{\"id\":\"{id}\",{what},{place}}}\n")
    };
    let found = findings(&[line("a"), line("b"), line("a"), "more 4\nfinding {\"id\":".into()].concat());
    let counts: Vec<_> = found.reports.iter().map(|r| (r.id.as_str(), r.count)).collect();
    assert_eq!((counts, found.more, found.count().as_str()), (vec![("a", 6), ("b", 3)], 5, "7 findings"));
}

#[test]
fn what_is_said_of_a_program() {
    let says = |reached: Reached, seen: &Seen| complaint("p", &reached, seen);
    let device = || Reached { opened: true, instance: Some("wgpu-hal".into()), device: true };
    let looked = || Reached { device: false, ..device() };
    let mut seen = Seen::default();
    assert_eq!((says(device(), &seen), says(looked(), &seen)), (None, None));
    assert!(says(Reached::default(), &seen).unwrap().contains("ended before"));
    seen.anything = true;
    assert!(says(Reached::default(), &seen).unwrap().contains("does not use Vulkan"));
    seen.loader = true;
    assert!(says(Reached::default(), &seen).unwrap().contains("did not open the driver"));
    let library = "/lib/libvulkan_lvp.so".to_owned();
    let witness = Witness { pid: 7, program: "python3".into(), library, stripped: false };
    seen.others.insert("lavapipe (llvmpipe)", witness.clone());
    assert_eq!(says(device(), &seen), None);
    let words = says(looked(), &seen).unwrap();
    assert!(words.contains("computed nothing") && words.contains("as wgpu-hal"), "{words}");
    assert!(words.contains("ran on lavapipe (llvmpipe): process 7 (python3) has /lib/libvulkan_lvp.so"), "{words}");
    seen.others.insert("lavapipe (llvmpipe)", Witness { stripped: true, ..witness });
    let words = says(Reached::default(), &seen).unwrap();
    assert!(words.contains("never opened") && words.contains("without VK_DRIVER_FILES"), "{words}");
}

#[test]
fn families() {
    assert_eq!(parent("12 (a) b) 9) S 34 12 12 0"), Some(34));
    let mut child = std::process::Command::new("sleep").arg("10").spawn().unwrap();
    let all = family(std::process::id());
    assert!(all.contains(&child.id()) && all.contains(&std::process::id()), "{all:?}");
    assert_eq!(family(child.id()), [child.id()]);
    child.kill().unwrap();
    child.wait().unwrap();
}
