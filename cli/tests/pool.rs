//! A process that runs cases and has ended ends no other: what a broken pipe does is the whole process's.

use std::process::Command;
use wavepipe_cli::tested::test::Worker;

#[test]
fn a_process_that_has_ended_takes_nobody_along() {
    // As the program does.
    sigpipe::reset();
    let mut worker = Worker::of(Command::new("true")).unwrap();
    worker.child.wait().unwrap();
    worker.tell("a case");
    assert!(worker.answers.recv().is_err());
    assert!(worker.stop().contains("exit status: 0"));
}
