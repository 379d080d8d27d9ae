//! Which process this is.

use wavepipe_core::tested::current_process;

#[test]
fn a_process_is_the_same_all_the_time() {
    let here = current_process();
    assert!(here != 0 && std::thread::spawn(current_process).join().unwrap() == here);
}
