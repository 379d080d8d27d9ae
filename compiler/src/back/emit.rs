//! Layout and encoding: branch distances, the end padding, the constants, the source map.

use super::machine::Machine;
use crate::ir::Kernel;
use crate::mir::{Cond, Term};
use wavepipe_hw::code::LineRow;
use wavepipe_isa::insts as i;
use wavepipe_isa::{Gen, Instr, encode};

/// Dwords of `s_code_end` after the last instruction at least: the prefetcher reads three cache lines of 64 bytes ahead.
const PADDING: usize = 48;

pub struct Emitted {
    pub text: Vec<u8>,
    pub lines: Vec<LineRow>,
    /// Every instruction in order, for listings.
    pub instrs: Vec<Instr>,
}

pub fn emit(m: &Machine, kernel: &Kernel) -> Result<Emitted, String> {
    let mut words: Vec<u32> = Vec::new();
    let mut instrs = Vec::new();
    let mut lines: Vec<LineRow> = Vec::new();
    let mut starts = vec![None; m.blocks.len()];
    let mut fixups: Vec<(usize, u32)> = Vec::new();
    let mut constants: Vec<usize> = Vec::new();
    let mut put = |instr: Instr, words: &mut Vec<u32>| -> Result<(), String> {
        encode::encode(&instr, Gen::Gfx1010, words).map_err(|e| format!("{e:?}: {instr:?}"))?;
        instrs.push(instr);
        Ok(())
    };
    for &b in &m.order {
        let body = &m.blocks[b as usize];
        starts[b as usize] = Some(words.len());
        for p in &body.insts {
            let pc = words.len() as u32 * 4;
            if p.loc.line != 0 && lines.last().is_none_or(|l| (l.file, l.line) != (p.loc.file, p.loc.line)) {
                lines.push(LineRow { pc, file: p.loc.file, line: p.loc.line });
            }
            put(p.instr, &mut words)?;
            if p.constants {
                constants.push(words.len() - 1);
            }
        }
        let (op, target) = match body.term {
            Term::Fall => continue,
            Term::End => {
                put(Instr::new(i::S_ENDPGM), &mut words)?;
                continue;
            }
            Term::Jump(t) => (i::S_BRANCH, t),
            Term::Branch { cond, target } => {
                let op = match cond {
                    Cond::Scc0 => i::S_CBRANCH_SCC0,
                    Cond::Scc1 => i::S_CBRANCH_SCC1,
                    Cond::Vccz => i::S_CBRANCH_VCCZ,
                    Cond::Vccnz => i::S_CBRANCH_VCCNZ,
                    Cond::Execz => i::S_CBRANCH_EXECZ,
                    Cond::Execnz => i::S_CBRANCH_EXECNZ,
                };
                (op, target)
            }
        };
        fixups.push((words.len(), target));
        put(Instr::new(op), &mut words)?;
    }
    let end = words.len();
    for (at, target) in fixups {
        let to = starts[target as usize].unwrap_or(end);
        let distance = to as i64 - at as i64 - 1;
        let Ok(distance) = i16::try_from(distance) else {
            return Err(format!("a branch over {distance} dwords"));
        };
        words[at] = words[at] & 0xffff_0000 | u32::from(distance as u16);
    }
    while words.len() < end + PADDING || !words.len().is_multiple_of(16) {
        encode::encode(&Instr::new(i::S_CODE_END), Gen::Gfx1010, &mut words).map_err(|e| format!("{e:?}"))?;
    }
    let data = words.len() * 4;
    for at in constants {
        // The literal is the last word of the s_add after s_getpc: it adds to the address of the s_add.
        words[at] = words[at].wrapping_add((data - (at - 1) * 4) as u32);
    }
    let mut text: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
    text.extend_from_slice(&kernel.constants);
    while !text.len().is_multiple_of(64) {
        text.push(0);
    }
    Ok(Emitted { text, lines, instrs })
}
