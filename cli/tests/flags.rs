//! Flags of a job and of its seeds.

use wavepipe::data::Init;
use wavepipe::job::{BindingSlot, ImageGiven, Named, What};
use wavepipe_cli::tested::flags::{again, buffer_flag, image_flag, quoted, range, sampler_flag};

#[test]
fn flags_parse() {
    let b = buffer_flag("1.3=u32[8]:iota").unwrap();
    assert_eq!(b.key.named, Named::Slot(BindingSlot { set: 1, binding: 3 }));
    assert!(matches!(b.what, What::Buffer { element: Some(_), count: Some(8), init: Init::Iota }));
    let b = buffer_flag("data[2]:1,2,-3.5").unwrap();
    assert_eq!((b.key.named, b.key.element), (Named::Name("data".into()), Some(2)));
    assert!(matches!(b.what, What::Buffer { element: None, count: None, init: Init::Values(v) } if v.len() == 3));
    let b = buffer_flag("out=[64*2]").unwrap();
    assert!(matches!(b.what, What::Buffer { element: None, count: Some(128), init: Init::Zero }));
    assert!(buffer_flag("0=f33[4]").is_err() && buffer_flag("a b=f32[4]").is_err());
    let i = image_flag("photo:a/photo.png").unwrap();
    assert!(matches!(i.what, What::Image(ImageGiven { format: None, size: None, init: Init::File(_) })));
    let i = image_flag("2=rgba8[16x8]").unwrap();
    assert!(matches!(i.what, What::Image(ImageGiven { format: Some(_), size: Some(s), .. }) if s == [16, 8]));
    assert!(image_flag("2=rgba8[16x0]").is_err() && sampler_flag("2=soft").is_err());
}

#[test]
fn ranges() {
    assert_eq!((range("0..4"), range("7..8")), (Ok(0..4), Ok(7..8)));
    for text in ["", "4", "4..4", "5..4", "..4", "0..", "-1..4", "0..=4", "a..b"] {
        assert!(range(text).is_err(), "{text}");
    }
}

#[test]
fn the_command_again() {
    let words = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
    let line = |text: &str| again(words(text), 7).iter().map(|w| quoted(w)).collect::<Vec<_>>().join(" ");
    assert_eq!(line("w run a.comp --many-seeds 0..9 --quiet"), "w run a.comp --seed 7 --quiet");
    assert_eq!(line("w exec --many-seeds=0..9 -- p --many-seeds 3"), "w exec --seed 7 -- p --many-seeds 3");
    assert_eq!(line("w run a --buffer 0=u32[4] --many-seeds 0..9"), "w run a --buffer '0=u32[4]' --seed 7");
}
