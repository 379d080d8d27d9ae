//! Encoding: bytes in the order of [`super::layout`], the end padding, the constants, the source map.
//!
//! Of the hardware's bugs ([`wavepipe_isa::hazard`]) one depends on layout alone, where it is worked round: Offset3fBug, a
//! branch by 0x3f dwords goes astray. The others were kept apart before, by [`super::hazards`]; nothing that the layout puts in
//! brings one back, which the checker over the bytes sees.

use super::checker::held::Views;
use super::layout::{self, Flow, Laid, Piece, Quirks};
use super::machine::print::branch as branch_op;
use super::machine::{Link, Machine};
use super::variables::Table;
use crate::ir::{Kernel, Loc};
use crate::mir::{BlockId, Term};
use wavepipe_hw::code::{LineRow, PADDING_DWORDS, padding};
use wavepipe_hw::variable::Variables;
use wavepipe_isa::hazard::Hazard;
use wavepipe_isa::insts as i;
use wavepipe_isa::{Gen, Instr, Src, encode};

pub struct Emitted {
    pub text: Vec<u8>,
    /// Bytes of `text` before the constants.
    pub code_bytes: u32,
    pub lines: Vec<LineRow>,
    /// Where each function begins.
    pub functions: Vec<u32>,
    /// Every instruction in order, for listings.
    pub instrs: Vec<Instr>,
    pub variables: Option<Variables>,
}

/// One instruction with its encoding.
struct Encoded {
    instr: Instr,
    /// Where its words begin in the buffer of all.
    words: usize,
    loc: Loc,
    link: Link,
}

/// The instructions of all blocks, in layout order.
#[derive(Default)]
struct Encoder {
    isa: Gen,
    words: Vec<u32>,
    all: Vec<Encoded>,
    pieces: Vec<Piece>,
    /// The piece that each function begins with.
    functions: Vec<usize>,
    /// Instructions of an s_clause that are still to come.
    clause: i32,
}

impl Encoder {
    fn put(&mut self, instr: Instr, loc: Loc, link: Link, flow: Flow) -> Result<(), String> {
        let words = self.words.len();
        encode(instr, self.isa, &mut self.words)?;
        // Nothing comes between s_getpc and what adds to it, nor into a clause.
        let glued = link != Link::None || self.clause > 0;
        self.clause = if instr.op == i::S_CLAUSE { instr.imm + 1 } else { (self.clause - 1).max(0) };
        self.pieces.push(Piece { words: (self.words.len() - words) as u32, flow, glued });
        self.all.push(Encoded { instr, words, loc, link });
        Ok(())
    }
}

fn encode(instr: Instr, isa: Gen, words: &mut Vec<u32>) -> Result<(), String> {
    encode::encode(&instr, isa, words).map_err(|e| format!("{e:?}: {instr:?}")).map(|_| ())
}

/// Every instruction by itself; branches name the piece that their block begins with.
fn pieces(m: &Machine) -> Result<Encoder, String> {
    let mut starts = vec![None; m.blocks.len()];
    let mut count = 0;
    for &b in &m.order {
        starts[b as usize] = Some(count);
        let body = &m.blocks[b as usize];
        count += body.insts.len() + usize::from(!matches!(body.term, Term::Fall | Term::Return));
    }
    let start = |b: BlockId| starts[b as usize].unwrap_or(count);
    let mut e = Encoder { isa: m.isa, ..Encoder::default() };
    for &b in &m.order {
        let body = &m.blocks[b as usize];
        for p in &body.insts {
            // A return goes where no piece says.
            let flow = if p.instr.op == i::S_SETPC_B64 { Flow::Stop } else { Flow::Next };
            e.put(p.instr, p.loc, p.link, flow)?;
        }
        let branch = |target, always| Flow::Branch { target: start(target), always };
        let (op, flow) = match body.term {
            Term::Fall | Term::Return => continue,
            Term::End => (i::S_ENDPGM, Flow::Stop),
            Term::Jump(t) => (i::S_BRANCH, branch(t, true)),
            Term::Branch { cond, target } => (branch_op(cond), branch(target, false)),
        };
        let point = body.insts.last().map_or(0, |p| p.loc.point);
        e.put(Instr::new(op), Loc { point, ..Loc::default() }, Link::None, flow)?;
    }
    e.functions = m.functions.iter().map(|&b| start(b)).collect();
    Ok(e)
}

/// What the target's hardware wants of branches.
fn quirks(isa: Gen) -> Quirks {
    Quirks {
        bad_distance: Hazard::find("Offset3fBug").is_some_and(|h| h.is_on(isa)),
        wait: i::S_WAITCNT_VSCNT.row().encoding(isa).is_some(),
    }
}

/// `views` = what [`Loc::point`] means: where source variables are.
pub fn emit(m: &Machine, kernel: &Kernel, views: &Views) -> Result<Emitted, String> {
    let code = pieces(m)?;
    let mut words: Vec<u32> = Vec::with_capacity(code.words.len());
    let mut instrs = Vec::with_capacity(code.all.len());
    let mut lines: Vec<LineRow> = Vec::new();
    let mut constants: Vec<usize> = Vec::new();
    let mut calls: Vec<(usize, u32)> = Vec::new();
    let mut places = vec![0; code.pieces.len()];
    let mut table = kernel.named.as_ref().map(|named| Table::new(views, named, m.lanes));
    for laid in layout::lay(&code.pieces, &quirks(m.isa))? {
        let mut added = |op, src: Src, imm| -> Result<(), String> {
            let mut instr = Instr::new(op);
            (instr.src[0], instr.imm) = (src, imm);
            instrs.push(instr);
            encode(instr, m.isa, &mut words)
        };
        match laid {
            Laid::Nop => added(i::S_NOP, Src::NONE, 0)?,
            Laid::Branch(distance) => added(i::S_BRANCH, Src::NONE, distance.into())?,
            Laid::Wait => added(i::S_WAITCNT_VSCNT, Src::NULL, 0)?,
            Laid::Piece(n, distance) => {
                let p = &code.all[n];
                let pc = words.len() as u32 * 4;
                places[n] = pc;
                if p.loc.line != 0 && lines.last().is_none_or(|l| (l.file, l.line) != (p.loc.file, p.loc.line)) {
                    lines.push(LineRow { pc, file: p.loc.file, line: p.loc.line });
                }
                table.iter_mut().for_each(|t| t.step(pc, p.loc.point, &p.instr));
                let mut instr = p.instr;
                words.extend_from_slice(&code.words[p.words..][..code.pieces[n].words as usize]);
                if matches!(code.pieces[n].flow, Flow::Branch { .. }) {
                    instr.imm = distance.into();
                    if let Some(word) = words.last_mut() {
                        *word = *word & 0xffff_0000 | u32::from(distance as u16);
                    }
                }
                instrs.push(instr);
                match p.link {
                    Link::None => {}
                    Link::Constants => constants.push(words.len() - 1),
                    Link::Function(f) => calls.push((words.len() - 1, f)),
                }
            }
        }
    }
    let end = words.len();
    while words.len() < end + PADDING_DWORDS || !words.len().is_multiple_of(16) {
        words.push(padding(m.isa));
    }
    let data = words.len() * 4;
    for at in constants {
        // The literal is the last word of the s_add after s_getpc: it adds to the address of the s_add.
        words[at] = words[at].wrapping_add((data - (at - 1) * 4) as u32);
    }
    let functions: Vec<u32> = code.functions.iter().map(|&n| places.get(n).copied().unwrap_or(0)).collect();
    for (at, function) in calls {
        let start = functions.get(function as usize).ok_or("a call of a function that is not there")?;
        words[at] = words[at].wrapping_add(start.wrapping_sub((at as u32 - 1) * 4));
    }
    let mut text: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
    text.extend_from_slice(&kernel.constants);
    while !text.len().is_multiple_of(64) {
        text.push(0);
    }
    let variables = table.map(|t| t.finish(end as u32 * 4));
    Ok(Emitted { text, code_bytes: data as u32, lines, functions, instrs, variables })
}
