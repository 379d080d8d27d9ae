//! What is told of the process's memory before it becomes the GPU's.

use wavepipe_runtime::tested::{check_mappings as check, problem_of_mappings};

const LINES: &str = "\
1000-3000 rw-p 00000000 00:00 0
3000-4000 rw-s 00000000 00:01 77   /memfd:x (deleted)
4000-5000 r--p 00001000 08:01 9    /usr/lib/x.so
7000-9000 rw-p 00000000 00:00 0    [heap]
";

#[test]
fn every_page_counts() {
    let problem = |start, size| problem_of_mappings(LINES.as_bytes(), start, size);
    for (start, size) in [(0x1000, 0x3000), (0x2000, 0x2000), (0x3fff, 1), (0x7000, 0x2000), (0x8000, 0)] {
        assert_eq!(problem(start, size), None, "{size:#x} bytes at {start:#x}");
    }
    for (start, size, word) in [
        (0, 0x1000, "not mapped at 0x0"),
        (0x3000, 0x1001, "not to be read and written at 0x4000 (r--p)"),
        (0x4000, 1, "(r--p)"),
        (0x5000, 1, "not mapped at 0x5000"),
        (0x8000, 0x1001, "not mapped at 0x9000"),
        (0x9000, 1, "not mapped at 0x9000"),
        (u64::MAX - 1, 2, "the last address"),
    ] {
        let why = problem(start, size).unwrap_or_default();
        assert!(why.contains(word), "{size:#x} bytes at {start:#x}: {why}");
    }
}

#[test]
fn the_process_itself() {
    static CONSTANT: [u8; 1 << 16] = [1; 1 << 16];
    let heap = vec![0u8; 1 << 16];
    check(heap.as_ptr() as usize, 1 << 16).unwrap();
    assert!(check(CONSTANT.as_ptr() as usize, 1 << 16).is_err());
    assert!(check(4096, 4096).is_err());
}
