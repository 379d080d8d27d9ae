//! Files that are given in the place of the host's.

use std::path::{Path, PathBuf};
use wavepipe::failure::read_text;
use wavepipe::files::{Given, instead, is_file, is_there};

#[test]
fn only_what_is_given_is_there() {
    let own = Path::new("Cargo.toml");
    let given = Given::from([(PathBuf::from("a.txt"), b"a".to_vec())]);
    instead(given, || {
        assert!(is_file(Path::new("a.txt")) && !is_there(own) && !is_file(own));
        assert_eq!(read_text(Path::new("a.txt")).unwrap(), "a");
        assert!(read_text(own).unwrap_err().to_string().starts_with("cannot read Cargo.toml: "));
        let inner = std::panic::catch_unwind(|| instead(Given::new(), || panic!("{}", is_there(own))));
        assert!(inner.is_err() && is_there(Path::new("a.txt")), "whatever becomes of it, it is as it was before");
    });
    assert!(is_file(own) && !is_there(Path::new("a.txt")));
    assert!(is_there(Path::new("src")) && !is_file(Path::new("src")));
}
