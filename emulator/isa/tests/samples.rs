//! Each row has a plain instruction in each of its forms, which encodes.

use wavepipe_isa::insts::Op;
use wavepipe_isa::sample::{FORMS, sample};
use wavepipe_isa::{Gen, encode};

#[test]
fn every_row_has_one_in_every_form() {
    let mut bad = Vec::new();
    for (op, generation) in Gen::ALL.into_iter().flat_map(|g| Op::of(g).map(move |op| (op, g))) {
        for form in FORMS.into_iter().filter(|&f| op.supports(f, generation)) {
            let Some(i) = sample(op, form, generation) else {
                bad.push(format!("{} {op:?} {form:?}", generation.name()));
                continue;
            };
            let mut words = Vec::new();
            if let Err(e) = encode::encode(&i, generation, &mut words) {
                bad.push(format!("{} {op:?} {form:?}: {e}", generation.name()));
            }
        }
    }
    assert_eq!(bad, [""; 0]);
}
