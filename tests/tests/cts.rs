//! The script that runs the CTS judges rightly: its own tests, on a deqp-vk that is made up.

use std::process::Command;
use wavepipe_tests::{installed, root, run, show, skip};

#[test]
fn the_script_finds_each_kind_of_trouble() {
    if !installed("python3") {
        skip("python3").unwrap();
        return;
    }
    let arguments = ["-B", "-m", "unittest", "discover", "--start-directory", "tests/cts"];
    let output = run(Command::new("python3").args(arguments).current_dir(root())).unwrap();
    assert!(output.status.success(), "{}", show(&output));
}
