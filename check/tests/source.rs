//! Shaders inside of scripts keep the script's name and lines.

use wavepipe_check::tested::{padded, renamed};

#[test]
fn lines_are_those_of_the_script() {
    assert_eq!(padded(4, "\n#version 310 es\nvoid main() {\n}\n"), "#version 310 es\n\n\n\n\nvoid main() {\n}\n");
    assert_eq!(padded(4, "void main() {}\n"), "\n\n\nvoid main() {}\n");
}

#[test]
fn the_file_is_the_script() {
    let stdin = [5 << 16 | 7, 1, 0x6474_733c, 0x3e6e_6969, 0];
    let other = [3 << 16 | 7, 2, 0x0000_0041];
    let module = [&[0x0723_0203, 0, 0, 9, 0][..], &stdin, &other].concat();
    // "<std" "iin>" is another name.
    assert_eq!(renamed(module.clone(), "x"), module);
    let mut right = module;
    right[8] = u32::from_le_bytes(*b"in>\0");
    right.remove(9);
    right[5] = 4 << 16 | 7;
    let named = renamed(right, "abcd");
    assert_eq!(named[5..], [&[4 << 16 | 7, 1, u32::from_le_bytes(*b"abcd"), 0][..], &other].concat());
}
