//! Numbers of work-groups and sizes of pictures, as job files and flags write them.

use wavepipe::job::{size, triple};

#[test]
fn sides_parse() {
    assert_eq!(triple("4,2").unwrap(), [4, 2, 1]);
    assert!(triple("4,2,1,1").is_err() && triple("0").is_err());
    assert!(size("0x4").is_err());
}
