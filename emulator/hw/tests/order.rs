//! Marks of order in code.

use wavepipe_hw::order::*;
use wavepipe_isa::{Gen, Instr, insts};

#[test]
fn every_generation_has_marks() {
    for isa in Gen::ALL {
        let (op, imm) = mark(BEGIN, isa);
        let mut words = Vec::new();
        let instr = Instr { imm, ..Instr::new(op) };
        wavepipe_isa::encode::encode(&instr, isa, &mut words).unwrap();
        let (read, _) = wavepipe_isa::decode::decode(&words, isa).unwrap();
        assert_eq!(bits(&read), Some(BEGIN), "{isa:?}");
        assert_eq!(bits(&Instr { imm: 7, ..Instr::new(insts::S_NOP) }), None);
    }
}

#[test]
fn marks_come_back_as_they_were() {
    let mut seen = std::collections::BTreeSet::from([BEGIN, COPIES]);
    assert!(seen.iter().all(|bits| BarrierMark::from_bits(*bits).is_none()));
    for (execution, memory) in Among::ALL.into_iter().flat_map(|e| Among::ALL.map(|m| (e, m))) {
        for memories in 0..8 {
            let [lds, buffers, images] = [1, 2, 4].map(|bit| memories & bit != 0);
            let mark = BarrierMark { execution, memory, lds, buffers, images };
            assert_eq!(BarrierMark::from_bits(mark.to_bits()), Some(mark));
            assert!(seen.insert(mark.to_bits()), "{mark:?}");
        }
    }
}
