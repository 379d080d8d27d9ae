//! Layout and encoding: branch distances, the end padding, the constants, the source map.
//!
//! Of the hardware's bugs ([`wavepipe_isa::hazard`]) one depends on layout alone and is worked round here: Offset3fBug, a
//! branch by 0x3f dwords goes astray. The others were kept apart before, by [`super::hazards`]; nothing that is put in here
//! brings one back, which the checker over the bytes sees.

use super::machine::Machine;
use super::machine::print::branch;
use crate::ir::Kernel;
use crate::mir::Term;
use wavepipe_hw::code::{LineRow, PADDING_DWORDS, S_CODE_END};
use wavepipe_isa::insts as i;
use wavepipe_isa::{Gen, Instr, encode};

/// The branch distance in dwords that gfx10 gets wrong.
const BAD_DISTANCE: i64 = 0x3f;

struct Branch {
    /// Index in the words, and in the instructions.
    at: usize,
    instr: usize,
    target: u32,
}

impl Branch {
    /// Dwords from the instruction behind the branch to its target; `end` if that block is not there.
    fn distance(&self, starts: &[Option<usize>], end: usize) -> i64 {
        starts[self.target as usize].unwrap_or(end) as i64 - self.at as i64 - 1
    }
}

pub struct Emitted {
    pub text: Vec<u8>,
    /// Bytes of `text` before the constants.
    pub code_bytes: u32,
    pub lines: Vec<LineRow>,
    /// Every instruction in order, for listings.
    pub instrs: Vec<Instr>,
}

pub fn emit(m: &Machine, kernel: &Kernel) -> Result<Emitted, String> {
    let mut words: Vec<u32> = Vec::new();
    let mut instrs = Vec::new();
    let mut lines: Vec<LineRow> = Vec::new();
    let mut starts = vec![None; m.blocks.len()];
    let mut branches: Vec<Branch> = Vec::new();
    let mut constants: Vec<usize> = Vec::new();
    let mut put = |instr: Instr, words: &mut Vec<u32>| -> Result<usize, String> {
        encode::encode(&instr, Gen::Gfx1010, words).map_err(|e| format!("{e:?}: {instr:?}"))?;
        instrs.push(instr);
        Ok(instrs.len() - 1)
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
            Term::Branch { cond, target } => (branch(cond), target),
        };
        let at = words.len();
        let instr = put(Instr::new(op), &mut words)?;
        branches.push(Branch { at, instr, target });
    }
    // A nop behind such a branch lengthens it, and others around it: until there is none.
    while let Some(b) = branches.iter().find(|b| b.distance(&starts, words.len()) == BAD_DISTANCE) {
        let (at, instr) = (b.at, b.instr);
        let nop = Instr::new(i::S_NOP);
        let mut word = Vec::new();
        encode::encode(&nop, Gen::Gfx1010, &mut word).map_err(|e| format!("{e:?}: {nop:?}"))?;
        words.splice(at + 1..at + 1, word);
        instrs.insert(instr + 1, nop);
        for place in starts.iter_mut().flatten().chain(&mut constants) {
            *place += usize::from(*place > at);
        }
        for b in branches.iter_mut().filter(|b| b.at > at) {
            b.at += 1;
            b.instr += 1;
        }
        for row in lines.iter_mut().filter(|l| l.pc as usize > at * 4) {
            row.pc += 4;
        }
    }
    let end = words.len();
    for b in branches {
        let (at, distance) = (b.at, b.distance(&starts, end));
        let Ok(distance) = i16::try_from(distance) else {
            return Err(format!("a branch over {distance} dwords"));
        };
        words[at] = words[at] & 0xffff_0000 | u32::from(distance as u16);
    }
    while words.len() < end + PADDING_DWORDS || !words.len().is_multiple_of(16) {
        words.push(S_CODE_END);
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
    Ok(Emitted { text, code_bytes: data as u32, lines, instrs })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::back::machine::{Body, Placed};
    use crate::ir::Loc;
    use crate::mir::Cond;

    fn body(moves: usize, term: Term, line: u32) -> Body {
        let mut instr = Instr::new(i::S_MOV_B32);
        instr.src[0] = wavepipe_isa::Src::ZERO;
        instr.dst[0] = wavepipe_isa::Src::s(line);
        let loc = Loc { line, ..Default::default() };
        Body { insts: vec![Placed { instr, loc, constants: false }; moves], term, loc }
    }

    /// Two branches forward over `inner` and `outer` more moves, one back; where each branch lands.
    fn lay(inner: usize, outer: usize) -> Emitted {
        let branch = |target| Term::Branch { cond: Cond::Scc0, target };
        let blocks = vec![
            body(1, branch(3), 1),
            body(1, branch(2), 2),
            // Block 2 is the target of block 1 only after block 4.
            body(outer, Term::Jump(0), 3),
            body(1, Term::End, 5),
            body(inner, Term::Fall, 4),
        ];
        let m = Machine { lanes: 32, blocks, order: vec![0, 1, 4, 2, 3] };
        emit(&m, &Kernel::new("laid", [1; 3])).unwrap()
    }

    #[test]
    fn no_branch_by_0x3f() {
        for (inner, outer) in (0x3a..0x42).flat_map(|i| (0..4).map(move |o| (i, o))).chain([(0, 0x3c), (1, 0x3a)]) {
            let e = lay(inner, outer);
            let words: Vec<u32> = e.text.as_chunks::<4>().0.iter().map(|w| u32::from_le_bytes(*w)).collect();
            let mov = |line: u32| 0xbe80_0380 | line << 16;
            let start = |line| words.iter().position(|&w| w == mov(line));
            let targets: Vec<usize> = (0..e.instrs.len())
                .filter(|&n| [i::S_CBRANCH_SCC0, i::S_BRANCH].contains(&e.instrs[n].op))
                .map(|n| {
                    // Every instruction here is one word.
                    assert_ne!(words[n] & 0xffff, 0x3f, "inner {inner}, outer {outer}");
                    (n as i64 + 1 + i64::from(words[n] as u16 as i16)) as usize
                })
                .collect();
            let back = e.instrs.iter().position(|x| x.op == i::S_BRANCH);
            let third = if outer == 0 { back } else { start(3) };
            assert_eq!(targets, [start(5), third, start(1)].map(Option::unwrap), "inner {inner}, outer {outer}");
            for l in &e.lines {
                assert_eq!(words[l.pc as usize / 4], mov(l.line), "inner {inner}, outer {outer}");
            }
        }
        let nops = |inner, outer| lay(inner, outer).instrs.iter().filter(|x| x.op == i::S_NOP).count();
        assert_eq!(nops(0x3f, 0), 1);
        assert_eq!(nops(0x3e, 0), 0);
    }
}
