//! Code objects.

use wavepipe_hw::code::*;
use wavepipe_isa::{Gen, Instr, encode, insts};

#[test]
fn the_padding_is_the_rows() {
    let mut words = Vec::new();
    encode::encode(&Instr::new(insts::S_CODE_END), Gen::Gfx1010, &mut words).unwrap();
    assert_eq!(words, [S_CODE_END]);
}

#[test]
fn last_row_at_or_before_pc() {
    let row = |pc, line| LineRow { pc, file: 0, line };
    let lines = vec![row(8, 3), row(16, 5), row(24, 0), row(28, 7)];
    let code = CodeObject { files: vec!["a.comp".into()], lines, ..Default::default() };
    assert_eq!(code.source_at(4), None);
    assert_eq!(code.source_at(8).as_deref(), Some("a.comp:3"));
    assert_eq!(code.source_at(15).as_deref(), Some("a.comp:3"));
    assert_eq!(code.source_at(24), None);
    assert_eq!(code.source_at(400).as_deref(), Some("a.comp:7"));
}
