//! Which pipe of the command processor has something new to look at.

use wavepipe_core::tested::{Doorbells, PIPES};

#[test]
fn a_doorbell_is_served_by_a_thread_that_comes_late() {
    let doorbells = Doorbells::default();
    doorbells.want_attention(2);
    let mut passed = [false; PIPES];
    assert_eq!(doorbells.next(&passed), Some(2));
    passed[2] = true;
    assert_eq!(doorbells.next(&passed), None);
    // Whoever passed it leaves it to the next.
    passed[2] = false;
    assert_eq!(doorbells.next(&passed), Some(2));
    doorbells.attended(2);
    assert_eq!(doorbells.next(&passed), None);
}
