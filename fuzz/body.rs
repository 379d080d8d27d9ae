//! What must hold of any dwords and of any text. A violation panics.
#![allow(dead_code)]

use wavepipe_isa::row::{Format, Ty};
use wavepipe_isa::wait::Counter;
use wavepipe_isa::{Gen, Instr, Src, asm, decode, disasm, encode, insts, reference};

const GEN: Gen = Gen::Gfx1010;

fn encoded(instr: &Instr, generation: Gen) -> Option<Vec<u32>> {
    let mut words = Vec::new();
    encode::encode(instr, generation, &mut words).ok().map(|()| words)
}

/// Decoding ends, and what it gives encodes to the same dwords, prints, and is read back from its text. The number of
/// instructions found at the front.
pub fn decode(words: &[u32]) -> usize {
    decode_on(words, GEN)
}

/// The same on any generation.
pub fn decode_on(words: &[u32], generation: Gen) -> usize {
    let Ok((instr, size)) = decode::decode(words, generation) else { return 0 };
    assert!(size <= words.len());
    let words = &words[..size];
    assert_eq!(encoded(&instr, generation).as_deref(), Some(words), "{instr:?}");
    for cut in 0..size {
        assert!(decode::decode(&words[..cut], generation).is_err(), "{instr:?} in {cut} dwords");
    }
    for lanes in [32, 64].into_iter().filter(|&n| n == 64 || generation.caps().wave32) {
        // A matrix of wave64 at the end of the registers would run past it in wave32.
        let past =
            |n: u32| instr.defs(n).chain(instr.uses(n)).any(|a| a.reg.is_vgpr() && u32::from(a.reg.0) + a.dwords > 512);
        if lanes == 32 && past(32) && !past(64) {
            continue;
        }
        for access in instr.defs(lanes).chain(instr.uses(lanes)) {
            let end = u32::from(access.reg.0) + access.dwords;
            // Past the VGPRs stand registers that only some generations name.
            let last = match access.reg {
                reg if reg.is_vgpr() => 512,
                // However wide its operand, it is one bit.
                Src::SCC => continue,
                reg if reg < Src::FLAT_SCRATCH_LO => 256,
                _ => u32::from(Src::TMA_HI.0) + 1,
            };
            assert!(end <= last, "{instr:?}: {access:?}");
        }
        let text = disasm::text(&instr, generation, lanes);
        match asm::parse_line(&text, generation, lanes) {
            Ok(parsed) => {
                let again =
                    encoded(&parsed, generation).unwrap_or_else(|| panic!("{text}: {parsed:?} does not encode"));
                // Of a pair, constants of both may be inline or the literal.
                let pair = instr.op.row().format == Format::Vopd && disasm::text(&parsed, generation, lanes) == text;
                let same = again == words || pair || alike(&instr, &parsed, generation);
                assert!(same, "{text}: {words:08x?} became {again:08x?}");
            }
            // In wave64 text has lane masks in pairs, and no pairs of instructions; in wave32 fewer indexes of sparse matrices.
            Err(e) => {
                let row = instr.op.row();
                let sparse = row.src.iter().any(|t| matches!(t, Ty::Sparse8 | Ty::Sparse16 | Ty::Sparse32));
                let other = if lanes == 64 { row.format == Format::Vopd || has_odd_mask(&instr) } else { sparse };
                assert!(other, "{text}: {e}");
            }
        }
    }
    1
}

/// Whether two instructions differ only in what their text does not say: whether a constant is inline or a literal, bits of
/// the literal that no operand reads, bits of S_WAITCNT that belong to no counter, masks of DS_SWIZZLE that permute alike.
fn alike(a: &Instr, b: &Instr, generation: Gen) -> bool {
    let row = a.op.row();
    let value = |i: &Instr, n: usize| {
        let read = match row.src[n] {
            Ty::F16 | Ty::U16 | Ty::I16 | Ty::B16 | Ty::Bf16 | Ty::Half => 0xffff,
            _ => u64::MAX,
        };
        reference::constant(i.src[n], row.src[n], i.literal).map(|v| v & read)
    };
    let mut c = Instr { literal: a.literal, ..*b };
    // So too an offset of scalar memory.
    if row.format == Format::Smem && a.src[1] == Src::LITERAL && b.imm as u32 == a.literal {
        (c.src[1], c.imm) = (a.src[1], a.imm);
        return c == *a;
    }
    for n in 0..row.src.len().min(4) {
        if a.src[n] != b.src[n] || a.src[n] == Src::LITERAL {
            if value(a, n).is_none() || value(a, n) != value(b, n) {
                return false;
            }
            c.src[n] = a.src[n];
        }
    }
    if a.op == insts::S_WAITCNT {
        let counted = Counter::all_bits(generation) as i32;
        c.imm = (c.imm & counted | a.imm & !counted) as i16 as i32;
    }
    if a.op == insts::DS_SWIZZLE_B32 {
        c.imm = if (0..32).all(|lane| swizzled(a.imm, lane) == swizzled(b.imm, lane)) { a.imm } else { c.imm };
    }
    c == *a
}

/// The lane that `lane` reads: BROADCAST, REVERSE and SWAP are some of the masks that and, or and xor make.
fn swizzled(offset: i32, lane: i32) -> i32 {
    match offset & 0x8000 {
        0 => (lane & offset & 31 | offset >> 5 & 31) ^ offset >> 10 & 31,
        _ => offset,
    }
}

fn has_odd_mask(instr: &Instr) -> bool {
    let row = instr.op.row();
    let slots = row.dst.iter().zip(&instr.dst).chain(row.src.iter().zip(&instr.src));
    slots.into_iter().any(|(ty, src)| matches!(ty, Ty::Mask | Ty::Vcc) && src.0 % 2 != 0)
}

/// Assembling ends; a line that is read and encoded decodes to the same text. The number of lines that were.
pub fn assemble(text: &str) -> usize {
    let _ = asm::assemble(text, GEN, 32);
    let mut good = 0;
    for line in text.lines() {
        for lanes in [32, 64] {
            let Ok(instr) = asm::parse_line(line, GEN, lanes) else { continue };
            let Some(words) = encoded(&instr, GEN) else { continue };
            let (back, size) =
                decode::decode(&words, GEN).unwrap_or_else(|e| panic!("{line}: {words:08x?} is {e}, from {instr:?}"));
            assert_eq!(size, words.len(), "{line}");
            assert_eq!(disasm::text(&back, GEN, lanes), disasm::text(&instr, GEN, lanes), "{line}: {words:08x?}");
            good += 1;
        }
    }
    good
}
