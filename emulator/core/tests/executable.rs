//! What a compute wave can hold executes, and everything that executes has a witness.

use wavepipe_core::wave::{Execution, execution};
use wavepipe_hw::code::WaveSize;
use wavepipe_isa::Gen;
use wavepipe_isa::coverage::evidence;
use wavepipe_isa::insts::Op;
use wavepipe_isa::row::{Control, Sem};
use wavepipe_isa::sample::{FORMS, sample};

/// A plain instruction of every row, form and wave size executes, unless its row says that no compute wave runs it.
#[test]
fn every_row_in_every_form() {
    let mut wrong = Vec::new();
    for op in Op::of(Gen::Gfx1010) {
        let foreign = matches!(
            op.row().sem,
            Sem::Control(Control::GraphicsOnly | Control::CodeEnd | Control::Rfe | Control::Illegal)
        );
        let want = if foreign { Execution::Illegal } else { Execution::Executes };
        for form in FORMS.into_iter().filter(|&form| op.supports(form, Gen::Gfx1010)) {
            let Some(i) = sample(op, form, Gen::Gfx1010) else { panic!("no sample of {op:?} in the {form:?} form") };
            for wave in [WaveSize::W32, WaveSize::W64] {
                let got = execution(&i, wave);
                if got != want {
                    wrong.push(format!("{op:?} {form:?} {wave:?}: {got:?}"));
                }
            }
        }
    }
    assert_eq!(wrong, [""; 0]);
}

#[test]
fn every_row_has_a_witness() {
    let bare: Vec<&str> = Op::of(Gen::Gfx1010).filter(|&op| evidence(op).is_empty()).map(|op| op.row().name).collect();
    assert_eq!(bare, [""; 0], "rows that no record, no second implementation and no reading covers");
}
