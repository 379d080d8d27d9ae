//! Comparisons of numbers.

use wavepipe::element::Number;
use wavepipe_check::play::{Comparison, Near};

#[test]
fn comparisons_have_their_edges() {
    use Comparison::{Is, IsNot, Less, LessOrIs, More, MoreOrIs};
    let (two, three, nan) = (Number::Int(2), Number::Float(3.0), Number::Float(f64::NAN));
    assert!(Is.holds(two, Number::Float(2.0)) && !Is.holds(two, three) && Is.holds(nan, nan) && !Is.holds(nan, two));
    assert!(IsNot.holds(two, three) && !IsNot.holds(three, three));
    assert!(Less.holds(two, three) && !Less.holds(three, three) && LessOrIs.holds(three, three));
    assert!(More.holds(three, two) && !More.holds(two, two) && MoreOrIs.holds(two, two) && !MoreOrIs.holds(nan, two));
    let near = |value, percent| Comparison::Near(Near { value, percent });
    assert!(near(1.0, false).holds(two, three) && !near(0.9, false).holds(two, three));
    assert!(near(34.0, true).holds(two, three) && !near(33.0, true).holds(two, three));
}
