//! Listings with labels give the same bytes again, by our assembler and by LLVM's.

use crate::common::llvm::{llvm_mc, object_text};
use wavepipe_isa::disasm::{self, Labels};
use wavepipe_isa::generation::Gen;
use wavepipe_isa::instr::Form;
use wavepipe_isa::insts::Op;
use wavepipe_isa::row::Sem;
use wavepipe_isa::sample::sample;
use wavepipe_isa::{asm, encode};

const NOP: u32 = 0xbf80_0000;

/// Every branch of a generation, forward, backward, to itself, out of the program, into the middle of a literal, and by the distance
/// that LLVM changes.
fn program(generation: Gen) -> (Vec<u32>, usize) {
    let mut words = vec![NOP; 2];
    let mut branches = 0;
    for op in Op::of(generation) {
        let Sem::Control(control) = op.row().sem else { continue };
        let Some(mut instr) = sample(op, Form::Base, generation).filter(|_| control.has_target()) else { continue };
        for distance in [1i16, -3, -1, 0x3f, 1000, 2] {
            instr.imm = if distance < 0 && op.row().format != wavepipe_isa::row::Format::Sopk {
                i32::from(distance as u16)
            } else {
                i32::from(distance)
            };
            if encode::encode(&instr, generation, &mut words).is_ok() {
                branches += 1;
            }
            // s_mov_b32 s0, 0x1234567
            words.extend([NOP, 0xbe80_00ff | if generation.caps().wave32 { 0x300 } else { 0 }, 0x0123_4567]);
        }
    }
    words.extend([NOP; 80]);
    (words, branches)
}

#[test]
fn listings_assemble_to_the_same_words() {
    for &generation in Gen::ALL.iter() {
        let lanes = if generation.caps().wave32 { 32 } else { 64 };
        let (words, branches) = program(generation);
        let text = disasm::listing(&words, generation, lanes);
        assert!(branches > 20, "{generation:?}: {branches}");
        assert!(2 * text.lines().filter(|l| l.contains(" BB")).count() + 2 > branches, "{text}");
        assert!(text.lines().any(|l| l.starts_with("BB0:")), "{text}");
        assert_eq!(asm::assemble(&text, generation, lanes).as_ref(), Ok(&words), "{generation:?}\n{text}");
        let Some(tool) = llvm_mc() else { continue };
        let theirs = object_text(&tool, generation, lanes, &text);
        assert_eq!(theirs, words, "{generation:?}\n{text}");
    }
}

#[test]
fn a_label_stands_where_a_branch_goes() {
    // s_nop; s_cbranch_scc1 −2; s_branch +0; s_endpgm
    let words = [NOP, 0xbf85_fffe, 0xbf82_0000, 0xbf81_0000];
    let labels = Labels::of(&words, Gen::Gfx1010);
    assert_eq!((labels.at(0), labels.at(1), labels.at(3)), (Some("BB0"), None, Some("BB1")));
    let listing = disasm::listing(&words, Gen::Gfx1010, 32);
    let lines: Vec<&str> = listing.lines().map(|l| l.split("//").next().unwrap().trim()).collect();
    assert_eq!(lines, ["BB0:", "s_nop 0", "s_cbranch_scc1 BB0", "s_branch BB1", "BB1:", "s_endpgm"]);
}
