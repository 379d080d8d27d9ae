//! Which files are tests, and which of them a part of a fleet runs.

use std::path::Path;
use wavepipe_cli::tested::test::{Partition, hash, is_test};

#[test]
fn parts_make_the_whole_and_never_change() {
    let names: Vec<String> = (0..1000).map(|n| format!("tests/{n}.test.toml::a[wave={n}]")).collect();
    for by in ["hash", "count"] {
        let parts: Vec<Partition> = (1..=4).map(|p| format!("{by}:{p}/4").parse().unwrap()).collect();
        for (n, name) in names.iter().enumerate() {
            assert_eq!(parts.iter().filter(|p| p.has(n, name)).count(), 1);
        }
        let first = names.iter().enumerate().filter(|(n, name)| parts[0].has(*n, name)).count();
        assert!((200..300).contains(&first), "{by}: {first}");
    }
    // Machines of a fleet agree with each other over versions.
    assert_eq!(hash("a.test.toml"), 0x1c46_4993_ebc0_2413);
    for bad in ["hash:0/4", "hash:5/4", "1/4", "hash:1", "random:1/2"] {
        assert!(bad.parse::<Partition>().is_err(), "{bad}");
    }
}

#[test]
fn endings_tell_tests() {
    assert!(
        is_test(Path::new("a/b.test.toml")) && is_test(Path::new("b.amber")) && is_test(Path::new("x.shader_test"))
    );
    assert!(!is_test(Path::new("b.toml")) && !is_test(Path::new(".test.toml")) && !is_test(Path::new("amber")));
}
