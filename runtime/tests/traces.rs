//! Where traces go.

use std::path::PathBuf;
use wavepipe_runtime::Trace;
use wavepipe_runtime::tested::next_path;

#[test]
fn names_say_what_is_written() {
    for name in ["x.pftrace", "./x.perfetto", "../x.perfetto-trace"] {
        assert_eq!(Trace::at(name).map(|t| next_path(&t)), Ok(name.into()));
    }
    let why = Trace::at("x.json").unwrap_err();
    assert!(why.contains("x.json") && why.contains(".pftrace"), "{why}");
    let why = Trace::at("no/such/folder/x.pftrace").unwrap_err();
    assert!(why.contains("no/such/folder"), "{why}");
    let trace = Trace::at("../x.pftrace").unwrap();
    assert_eq!([1, 2].map(|_| next_path(&trace)), ["../x.pftrace", "../x-2.pftrace"].map(PathBuf::from));
    let folder = Trace::at("../x/").unwrap();
    assert_eq!([1, 2].map(|_| next_path(&folder)), ["../x/", "../x-2"].map(PathBuf::from));
}
