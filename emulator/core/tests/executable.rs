//! What a compute wave can hold executes, and everything that executes has a witness, on each generation whose code runs.

use wavepipe_core::wave::{Execution, execution};
use wavepipe_hw::code::WaveSize;
use wavepipe_isa::Gen;
use wavepipe_isa::coverage::evidence;
use wavepipe_isa::insts::Op;
use wavepipe_isa::row::{Control, Sem};
use wavepipe_isa::sample::{FORMS, sample};

const GENERATIONS: [Gen; 5] = [Gen::Gfx600, Gen::Gfx701, Gen::Gfx900, Gen::Gfx1010, Gen::Gfx1030];

/// A plain instruction of every row, form and wave size executes, unless its row says that no compute wave runs it.
#[test]
fn every_row_in_every_form() {
    let mut wrong = Vec::new();
    for isa in GENERATIONS {
        let waves: &[WaveSize] = if isa.caps().wave32 { &[WaveSize::W32, WaveSize::W64] } else { &[WaveSize::W64] };
        for op in Op::of(isa) {
            let foreign = matches!(
                op.row().sem,
                Sem::Control(Control::GraphicsOnly | Control::CodeEnd | Control::Rfe | Control::Illegal)
            );
            let want = match foreign {
                true => Execution::Illegal,
                false => Execution::Executes,
            };
            for form in FORMS.into_iter().filter(|&form| op.supports(form, isa)) {
                let Some(i) = sample(op, form, isa) else {
                    panic!("no sample of {op:?} in the {form:?} form on {isa:?}")
                };
                for &wave in waves {
                    let got = execution(&i, isa, wave);
                    if got != want {
                        wrong.push(format!("{isa:?} {op:?} {form:?} {wave:?}: {got:?}"));
                    }
                }
            }
        }
    }
    assert_eq!(wrong, [""; 0]);
}

#[test]
fn every_row_has_a_witness() {
    for isa in GENERATIONS {
        let bare: Vec<&str> = Op::of(isa).filter(|op| evidence(*op).is_empty()).map(|op| op.row().name).collect();
        assert_eq!(bare, [""; 0], "rows of {isa:?} that no record, no second implementation and no reading covers");
    }
}
