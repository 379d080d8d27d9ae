//! What a misspelled name may have been.

use wavepipe_hw::spelling::*;

#[test]
fn near_names() {
    let names = ["values", "file", "cpu", "relative"];
    assert_eq!(nearest("valeus", names), Some("values"));
    assert_eq!(nearest("relativ", names), Some("relative"));
    assert_eq!(nearest("cup", names), Some("cpu"));
    assert_eq!(nearest("buffer", names), None);
}
