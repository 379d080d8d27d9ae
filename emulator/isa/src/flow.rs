//! Where control goes behind each instruction, as far as the bytes say.

use crate::decode::decode;
use crate::generation::Gen;
use crate::instr::Instr;
use crate::insts as i;
use crate::reg::Src;
use crate::row::{Control, Sem};

/// Where control may go behind an instruction.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ways {
    /// In dwords; of a call the called code first, then what is behind the call.
    pub next: Vec<usize>,
    /// It may go where no constant says, as a return does.
    pub unknown: bool,
}

/// The ways from the instruction at dword `at` of `words`, which is `size` dwords long.
pub fn ways(words: &[u32], at: usize, size: usize, instr: &Instr, generation: Gen) -> Ways {
    let behind = at + size;
    let to = |next| Ways { next, unknown: false };
    let target = || behind.wrapping_add_signed(instr.imm as isize);
    let Sem::Control(control) = instr.op.row().sem else { return to(vec![behind]) };
    match control {
        Control::EndPgm | Control::EndPgmOrdered | Control::CodeEnd => to(vec![]),
        Control::Branch => to(vec![target()]),
        Control::SetPc | Control::SwapPc => {
            let known = computed(words, at, instr.src[0], generation);
            let returns = (control == Control::SwapPc).then_some(behind);
            Ways { next: known.into_iter().chain(returns).collect(), unknown: known.is_none() }
        }
        Control::Rfe => Ways { next: vec![], unknown: true },
        // To where a fork kept.
        Control::Fork | Control::Join => Ways { next: vec![behind], unknown: true },
        c if c.has_target() => to(vec![target(), behind]),
        _ => to(vec![behind]),
    }
}

/// How many instructions S_GETPC may stand in front of the jump.
const REACH: usize = 16;

/// The dword that `S_GETPC_B64 pc; S_ADD_U32 pc, pc, constant; S_ADDC_U32 pc+1, pc+1, constant` in front of `at` leads to,
/// other instructions that leave the pair alone in between.
fn computed(words: &[u32], at: usize, pc: Src, generation: Gen) -> Option<usize> {
    let mut line = Vec::new();
    // Backwards through variable-length code: the last start from which decoding arrives here.
    for start in (at.saturating_sub(3 * REACH)..at).rev() {
        if let Ok((instr, _)) = decode(&words[start..], generation)
            && instr.op == i::S_GETPC_B64
            && instr.dst[0] == pc
        {
            line = decoded(words, start, at, generation)?;
            break;
        }
    }
    let base = line.first()?.0 + 1;
    let mut offset = None;
    for (_, x) in line.iter().skip(1) {
        let constant = |s: Src| if s == Src::LITERAL { Some(x.literal) } else { s.inline_value() };
        let adds = x.src[0] == x.dst[0];
        if x.op == i::S_ADD_U32 && x.dst[0] == pc && adds && offset.is_none() {
            offset = Some(constant(x.src[1])?);
        } else if x.op == i::S_ADDC_U32 && x.dst[0] == Src(pc.0 + 1) && adds {
            constant(x.src[1])?;
        } else if leaves(x)
            || x.defs(64).any(|d| d.reg.is_sgpr() && d.reg.0 <= pc.0 + 1 && pc.0 < d.reg.0 + d.dwords as u16)
        {
            return None;
        }
    }
    let offset = offset? as i32;
    (offset % 4 == 0).then(|| base.checked_add_signed(offset as isize / 4)).flatten()
}

/// Whether control does not go on behind it, so that what stands there is reached from elsewhere.
fn leaves(instr: &Instr) -> bool {
    use Control::{Branch, CodeEnd, EndPgm, EndPgmOrdered, Rfe, SetPc, SwapPc};
    let control = |c| matches!(c, Branch | CodeEnd | EndPgm | EndPgmOrdered | Rfe | SetPc | SwapPc);
    matches!(instr.op.row().sem, Sem::Control(c) if control(c))
}

/// The instructions from one dword to another, if they fill the room.
fn decoded(words: &[u32], mut from: usize, to: usize, generation: Gen) -> Option<Vec<(usize, Instr)>> {
    let mut out = Vec::new();
    while from < to {
        let (instr, size) = decode(&words[from..to], generation).ok()?;
        out.push((from, instr));
        from += size;
    }
    (from == to).then_some(out)
}
