//! The text of a body is the body's: what was recorded for it answers as the body does.

use crate::common::Rng;
use wavepipe_isa::alu::FpMode;
use wavepipe_isa::insts::{self, Op};
use wavepipe_isa::{pseudo, reference};

#[test]
fn a_record_answers_as_its_body() {
    let mut rng = Rng(7);
    let modes = [0x1f0, 0x3ff, 0x200].map(FpMode::from_bits);
    let special = [0, 1, 0x3f80_0000, 0x7f80_0000, 0xff80_0001, 0x8000_0000, u64::MAX, 0x3ff0_0000_0000_0000];
    let mut bodies = 0;
    for op in Op::all() {
        for n in 0..60 {
            let mut source = || if rng.chance(3) { special[rng.below(8) as usize] } else { rng.next() };
            let (s, mode) = ([source(), source(), source()], modes[n % 3]);
            let ours = pseudo::evaluate(op, s, n % 2 == 0, mode);
            assert_eq!(ours, reference::evaluate(op, s, n % 2 == 0, mode), "{op:?} {s:x?}");
            bodies += usize::from(n == 0 && ours.is_some());
        }
    }
    assert!(bodies > 500, "{bodies}");
}

#[test]
fn every_body_has_a_text() {
    for op in Op::all() {
        let Some(lines) = pseudo::statements(op) else { continue };
        let last = lines.last().expect("a statement");
        assert!(last.starts_with("D = ") || last.starts_with("CC = "), "{op:?}: {lines:?}");
        // What is named is named before it is used, and once.
        for (n, line) in lines.iter().enumerate() {
            let (name, term) = line.split_once(" = ").expect("a name and a term");
            assert!(
                !lines[..n].iter().any(|l| l.split_once(" = ").is_some_and(|(other, _)| other == name)),
                "{lines:?}"
            );
            for word in term.split(|c: char| !c.is_alphanumeric()).filter(|w| w.starts_with('t') && w.len() > 1) {
                let Ok(number) = word[1..].parse::<usize>() else { continue };
                assert!(number < n, "{op:?}: {lines:#?}");
            }
        }
    }
}

#[test]
fn texts_of_some_rows() {
    let text = |op| pseudo::statements(op).expect("a body").join("; ");
    let rows: &[(Op, &str)] = &[
        (insts::V_MUL_LO_U32, "D = S0 * S1"),
        (insts::V_ADD_F32, "D = fadd(S0, S1)"),
        (insts::V_CNDMASK_B32, "D = C ? S1 : S0; CC = C"),
        (insts::V_ADD_F64, "D = dadd(S0, S1); CC = false"),
    ];
    for (op, wanted) in rows {
        assert_eq!(text(*op), *wanted);
    }
}
