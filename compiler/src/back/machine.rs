//! mir with registers assigned → instructions as the encoder takes them: operands become register numbers, forms are
//! chosen, copies become moves in an order that loses nothing.

pub mod parse;
pub mod print;
pub mod validate;

use super::forms;
use super::regalloc::Assignment;
use crate::inspect::{Form, lost, same_text};
use crate::ir::Loc;
use crate::mir::*;
use wavepipe_isa::Gen;
use wavepipe_isa::instr::{Extra, Form as Encoding, Image, Instr, Mods};
use wavepipe_isa::insts as i;
use wavepipe_isa::row::Ty;
use wavepipe_isa::{Op, Src, legal, reference};

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Placed {
    pub instr: Instr,
    pub loc: Loc,
    pub link: Link,
}

/// What the literal of an instruction is, besides itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Link {
    None,
    /// The distance from this instruction to the constants behind the code.
    Constants,
    /// The distance to a function, which lies behind.
    Function(u32),
}

#[derive(Clone, Debug, PartialEq)]
pub struct Body {
    pub insts: Vec<Placed>,
    pub term: Term,
    pub loc: Loc,
}

/// Machine code by blocks, in layout order.
#[derive(Clone, Debug, PartialEq)]
pub struct Machine {
    pub isa: Gen,
    pub lanes: u32,
    pub blocks: Vec<Body>,
    pub order: Vec<BlockId>,
    /// A function, which somebody calls.
    pub called: bool,
    /// First block of each function of the kernel, once they are together (`calls::join`).
    pub functions: Vec<BlockId>,
}

impl Form for Machine {
    const NAME: &'static str = "machine";

    fn validate(&self) -> Result<(), String> {
        validate::validate(self)
    }

    fn reads_back(&self) -> Result<(), String> {
        let text = self.to_string();
        let read = text.parse::<Machine>().map_err(|e| e.to_string())?;
        same_text(&text, &read)?;
        if read == self.as_text() {
            return Ok(());
        }
        lost(&format!("{:?}", self.as_text().blocks), &format!("{:?}", read.blocks))
    }
}

/// `frame` = bytes of private memory of a lane that the function has to itself.
pub fn lower(f: &Func, a: &Assignment, frame: u32) -> Result<Machine, String> {
    let called = f.blocks.iter().any(|b| b.term == Term::Return);
    let lanes = f.wave.lanes();
    let mut m =
        Machine { isa: f.isa, lanes, blocks: Vec::new(), order: f.order.clone(), called, functions: Vec::new() };
    for block in &f.blocks {
        let mut out = Vec::with_capacity(block.insts.len());
        for inst in &block.insts {
            let mut push = |instr: Instr| out.push(Placed { instr, loc: inst.loc, link: Link::None });
            match inst.code {
                InstCode::Isa(op) => {
                    if let Some(instr) = one(f, a, inst, op)? {
                        push(instr);
                    }
                }
                InstCode::Pseudo(Pseudo::Copy) => copies(f, a, inst, &mut push),
                InstCode::Pseudo(Pseudo::ConstAddress) => {
                    let Some(d) = inst.dst.first().and_then(|d| d.part()) else { continue };
                    let (lo, hi) = (a.src(f, d.at(0)), a.src(f, d.at(1)));
                    push(scalar(i::S_GETPC_B64, lo, &[]));
                    let mut add = scalar(i::S_ADD_U32, lo, &[lo, Src::LITERAL]);
                    add.literal = inst.imm as u32;
                    push(add);
                    push(scalar(i::S_ADDC_U32, hi, &[hi, Src::ZERO]));
                    let n = out.len();
                    out[n - 2].link = Link::Constants;
                }
                InstCode::Pseudo(Pseudo::Call) => {
                    super::calls::call(f, a, inst, frame * lanes, &mut |instr, link| {
                        out.push(Placed { instr, loc: inst.loc, link });
                    });
                }
                InstCode::Pseudo(Pseudo::Trace) => {
                    let value = match inst.src.first() {
                        Some(&Arg::Imm(k)) => constant(k, Ty::B32, f.isa)?,
                        Some(&Arg::Reg(part)) => a.src(f, part),
                        _ => return Err("p_trace without a scalar".to_string()),
                    };
                    let mut to_m0 = scalar(i::S_MOV_B32, Src::M0, &[value]);
                    if let (Src::LITERAL, Some(k)) = (value, inst.src[0].imm()) {
                        to_m0.literal = k;
                    }
                    push(to_m0);
                    let mut send = Instr::new(i::S_TTRACEDATA);
                    send.imply();
                    push(send);
                }
                InstCode::Pseudo(Pseudo::Return) => {
                    if let Some(to) = inst.src.first().and_then(|s| s.part()) {
                        push(scalar(i::S_SETPC_B64, Src::NONE, &[a.src(f, to)]));
                    }
                }
                InstCode::Pseudo(Pseudo::Start | Pseudo::Undef | Pseudo::Keep) => {}
            }
        }
        m.blocks.push(Body { insts: out, term: block.term, loc: block.loc });
    }
    Ok(m)
}

pub(super) fn scalar(op: Op, dst: Src, src: &[Src]) -> Instr {
    let mut x = Instr::new(op);
    x.dst[0] = dst;
    x.src[..src.len()].copy_from_slice(src);
    x.imply();
    x
}

/// One instruction; none if it moves a register to itself.
fn one(f: &Func, a: &Assignment, inst: &Inst, op: Op) -> Result<Option<Instr>, String> {
    let mut x = Instr::new(op);
    x.imm = inst.imm;
    x.mods = inst.mods;
    x.flags = inst.flags;
    x.cache = inst.cache;
    x.extra = inst.extra;
    let place = |arg: Arg| match arg {
        Arg::None | Arg::Imm(_) => Src::NONE,
        Arg::Phys(s) => s,
        Arg::Reg(p) => a.src(f, p),
    };
    for (n, &d) in inst.dst.iter().take(2).enumerate() {
        x.dst[n] = place(d);
    }
    for (n, &s) in inst.src.iter().take(4).enumerate() {
        x.src[n] = match s {
            Arg::Imm(_) if op.row().src.get(n) == Some(&Ty::Lit32) => Src::LITERAL,
            Arg::Imm(k) => {
                let ty = op.row().src.get(n).copied().unwrap_or(Ty::B32);
                constant(k, ty, f.isa).map_err(|what| format!("{}: {what}", op.row().name))?
            }
            s => place(s),
        };
        if let (Src::LITERAL, Some(k)) = (x.src[n], s.imm()) {
            x.literal = k;
        }
    }
    if let Extra::Image(mut image) = x.extra {
        addresses(&mut image, inst, |p| a.src(f, p));
        x.extra = Extra::Image(image);
    }
    let moves = op == i::V_MOV_B32 || op == i::S_MOV_B32 || op == i::S_MOV_B64;
    if moves && x.dst[0] == x.src[0] && x.extra == Extra::None && x.mods == Mods::default() {
        return Ok(None);
    }
    if let Extra::Dpp16(_) = x.extra {
        x.form = Encoding::Dpp16;
    } else {
        forms::choose(&mut x, f.isa);
    }
    x.imply();
    legal::check(&x, f.isa).map_err(|e| format!("{e}: {}", crate::mir::print::Line(f, inst)))?;
    Ok(Some(x))
}

/// The registers of an image instruction's addresses: the first source, and those behind the four that the row has. They need
/// the non-sequential form unless they follow each other.
fn addresses(image: &mut Image, inst: &Inst, number: impl Fn(Part) -> Src) {
    let mut n = 0;
    for (at, part) in inst.src.iter().enumerate().filter_map(|(at, s)| Some((at, s.part()?))) {
        if at == 0 || at >= 4 {
            for k in 0..part.len.into() {
                if let Some(v) = image.vaddr.get_mut(n) {
                    *v = number(part.at(k)).vgpr() as u8;
                }
                n += 1;
            }
        }
    }
    let listed = &image.vaddr[..usize::from(image.addresses).min(Image::MAX_ADDRESSES)];
    let follow = listed.windows(2).all(|w| w[0].checked_add(1) == Some(w[1]));
    image.nsa = if follow { 0 } else { Image::nsa_dwords(image.addresses) };
}

/// The inline constant of a generation that has these bits.
fn inline(n: u32, isa: Gen) -> Option<Src> {
    Src::inline(n).filter(|&src| src != Src::INV_2PI || isa.caps().inv_2pi)
}

/// The operand that gives an instruction the number `n` where it reads `ty`, as [`Arg::Imm`] says; a literal's value is `n`
/// itself. An inline constant is a value and not bits, so the same one is many numbers to operands of other types.
pub fn constant(n: u32, ty: Ty, isa: Gen) -> Result<Src, String> {
    let (read, meant) = match ty {
        Ty::F16 | Ty::F16Hi | Ty::U16 | Ty::I16 | Ty::B16 => (0xffff, u64::from(n & 0xffff)),
        Ty::F64 => (u64::MAX, u64::from(n)),
        _ if ty.dwords(32) == 2 => (u64::MAX, i64::from(n as i32) as u64),
        _ => (u64::MAX, u64::from(n)),
    };
    // ½, 1, 2, 4 and their negatives are the same numbers at every width of float.
    let widened = (ty == Ty::F64).then(|| f64::from(f32::from_bits(n)).to_bits());
    let reads = |src: &Src| {
        reference::constant(*src, ty, n)
            .is_some_and(|v| v & read == meant || (240..=247).contains(&src.0) && Some(v) == widened)
    };
    let found = [inline(n, isa), Some(Src::LITERAL)].into_iter().flatten().find(reads);
    found.ok_or_else(|| format!("no constant of {ty:?} is {n:#x}"))
}

#[derive(Clone, Copy)]
struct Move {
    dst: Src,
    src: Src,
    literal: u32,
}

/// Parallel moves one after the other: first those whose destination nobody still reads; what remains are cycles, which
/// exchanges resolve.
fn copies(f: &Func, a: &Assignment, inst: &Inst, push: &mut impl FnMut(Instr)) {
    let mut todo: Vec<Move> = Vec::new();
    for (d, s) in inst.dst.iter().zip(&inst.src) {
        let Some(d) = d.part() else { continue };
        for n in 0..d.len.into() {
            let dst = a.src(f, d.at(n));
            let mut literal = 0;
            let src = match *s {
                Arg::Reg(p) => a.src(f, p.at(n)),
                Arg::Phys(s) => Src(s.0 + n as u16),
                Arg::Imm(v) => inline(v, f.isa).unwrap_or_else(|| {
                    literal = v;
                    Src::LITERAL
                }),
                Arg::None => continue,
            };
            if dst != src {
                todo.push(Move { dst, src, literal });
            }
        }
    }
    in_turn(todo, f.isa, push);
}

/// Sequential code for parallel moves; touches no register but theirs and, for a scalar cycle, M0.
fn in_turn(mut todo: Vec<Move>, isa: Gen, push: &mut impl FnMut(Instr)) {
    while !todo.is_empty() {
        let ready = todo.iter().position(|m| todo.iter().all(|o| o.src != m.dst));
        match ready {
            Some(n) => {
                let m = todo.swap_remove(n);
                let op = if m.dst.is_vgpr() { i::V_MOV_B32 } else { i::S_MOV_B32 };
                let mut x = scalar(op, m.dst, &[m.src]);
                x.literal = m.literal;
                push(x);
            }
            None => {
                let m = todo.swap_remove(0);
                if m.dst.is_vgpr() && i::V_SWAP_B32.exists(isa) {
                    push(scalar(i::V_SWAP_B32, m.dst, &[m.src]));
                } else if m.dst.is_vgpr() {
                    for (d, s) in [(m.dst, m.src), (m.src, m.dst), (m.dst, m.src)] {
                        push(scalar(i::V_XOR_B32, d, &[d, s]));
                    }
                } else {
                    // Through M0, which no value lives in here; an exclusive-or swap would clobber SCC.
                    for (d, s) in [(Src::M0, m.dst), (m.dst, m.src), (m.src, Src::M0)] {
                        push(scalar(i::S_MOV_B32, d, &[s]));
                    }
                }
                // What was to be read from `dst` now stands in `src`.
                for o in &mut todo {
                    if o.src == m.dst {
                        o.src = m.src;
                    }
                }
                todo.retain(|o| o.dst != o.src);
            }
        }
    }
}
