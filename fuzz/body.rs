//! What must hold of any dwords and of any text. A violation panics.

use wavepipe_isa::{Gen, Instr, Src, asm, decode, disasm, encode, insts, legal};

const GEN: Gen = Gen::Gfx1010;

fn encoded(instr: &Instr) -> Option<Vec<u32>> {
    let mut words = Vec::new();
    encode::encode(instr, GEN, &mut words).ok().map(|()| words)
}

/// Decoding ends, and what it gives encodes to the same dwords, prints, and is read back from its text. The number of
/// instructions found at the front.
pub fn decode(words: &[u32]) -> usize {
    let Ok((instr, size)) = decode::decode(words, GEN) else { return 0 };
    assert!(size <= words.len());
    let words = &words[..size];
    assert_eq!(encoded(&instr).as_deref(), Some(words), "{instr:?}");
    for cut in 0..size {
        assert!(decode::decode(&words[..cut], GEN).is_err(), "{instr:?} in {cut} dwords");
    }
    for lanes in [32, 64] {
        for access in instr.defs(lanes).chain(instr.uses(lanes)) {
            let end = u32::from(access.reg.0) + access.dwords;
            assert!(if access.reg.is_vgpr() { end <= 512 } else { end <= 256 }, "{instr:?}: {access:?}");
        }
        let text = disasm::text(&instr, GEN, lanes);
        let parsed = asm::parse_line(&text, GEN, lanes);
        match parsed {
            Ok(parsed) => {
                let again = encoded(&parsed).unwrap_or_else(|| panic!("{text}: {parsed:?} does not encode"));
                assert!(again == words || alias(&instr), "{text}: {words:08x?} became {again:08x?}");
            }
            // Text is checked for more than bytes are: the constant bus, and masks of wave64 in pairs.
            Err(e) => assert!(legal::check(&instr).is_err() || lanes == 64, "{text}: {e}"),
        }
    }
    1
}

/// Whether the text says less than the dwords: a literal that an inline constant could be, or has more bits than its operand;
/// the bit of S_WAITCNT that belongs to no counter; masks of DS_SWIZZLE that permute alike.
fn alias(instr: &Instr) -> bool {
    instr.src.contains(&Src::LITERAL)
        || instr.op == insts::S_WAITCNT && instr.imm & 0x80 != 0
        || instr.op == insts::DS_SWIZZLE_B32
}

/// Assembling ends; a line that is read and encoded decodes to the same text. The number of lines that were.
pub fn assemble(text: &str) -> usize {
    let _ = asm::assemble(text, GEN, 32);
    let mut good = 0;
    for line in text.lines() {
        for lanes in [32, 64] {
            let Ok(instr) = asm::parse_line(line, GEN, lanes) else { continue };
            let Some(words) = encoded(&instr) else { continue };
            let (back, size) =
                decode::decode(&words, GEN).unwrap_or_else(|e| panic!("{line}: {words:08x?} is {e}, from {instr:?}"));
            assert_eq!(size, words.len(), "{line}");
            assert_eq!(disasm::text(&back, GEN, lanes), disasm::text(&instr, GEN, lanes), "{line}: {words:08x?}");
            good += 1;
        }
    }
    good
}
