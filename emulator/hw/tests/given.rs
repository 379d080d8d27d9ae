//! What a launch gives its kernel, in the body of a NOP.

use wavepipe_hw::given::*;

#[test]
fn what_is_given_comes_back_whole_or_not_at_all() {
    let part = |begin, bytes, name: &str| GivenPart { begin, bytes, name: name.into() };
    let given = Given {
        lds: vec![part(0, 240, ""), part(4352, 128, "words"), part(8448, 1, "größe")],
        private: vec![part(0, 404, "frame")],
        memory: vec![0x1_0000_0000..0x1_0000_0040, 7..9],
    };
    let words = given.to_words();
    assert_eq!(Given::from_words(&words).as_ref(), Some(&given));
    assert_eq!(Given::from_words(&Given::default().to_words()), Some(Given::default()));
    for n in 0..words.len() {
        assert_eq!(Given::from_words(&words[..n]), None, "{n} of {} words", words.len());
    }
    assert_eq!(Given::from_words(&[&words[..], &[0]].concat()), None);
    assert_eq!(Given::from_words(&[&[words[0] + 1], &words[1..]].concat()), None);
}
