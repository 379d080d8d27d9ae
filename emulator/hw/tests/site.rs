//! Messages of instrumented code.

use wavepipe_hw::site::*;

#[test]
fn a_message_comes_back_as_it_was_sent() {
    let mut messages = Messages::of([1, 2, 3]);
    messages.push(4, 0xf0, 0x1000, &[first_dword(7, false, 2), 10, 11]);
    messages.push(5, 1, 0x1008, &[first_dword(0x7f_fffe, true, 0)]);
    let all: Vec<Message> = messages.iter().collect();
    let first = Message { workgroup: [1, 2, 3], wave: 4, lanes: 0xf0, pc: 0x1000, site: 7, payload: &[10, 11] };
    let second = Message { wave: 5, lanes: 1, pc: 0x1008, site: 0x7f_fffe, payload: &[], ..first };
    assert_eq!(all, [first, second]);
}

#[test]
fn a_message_that_is_counted_is_one_dword() {
    let first = counted_dword(0x7f_fffe);
    assert_eq!((is_counted(first), site_of(first), payload_dwords(first), first & FINDING), (true, 0x7f_fffe, 0, 0));
    assert!(!is_counted(first_dword(7, true, MAX_PAYLOAD)));
    let mut messages = Messages::of([0; 3]);
    assert!(messages.is_empty());
    messages.count(7, 0x1000, 0xf0);
    messages.count(7, 0x1010, 1);
    messages.count(2, 0x1020, !0);
    let seven = Counted { site: 7, pc: 0x1000, lanes: 5 };
    let all: Vec<Counted> = messages.counted().collect();
    assert_eq!(all, [Counted { site: 2, pc: 0x1020, lanes: 64 }, seven]);
    assert_eq!((messages.is_empty(), messages.len()), (false, 0));
}
