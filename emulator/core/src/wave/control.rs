//! Control flow, waits, barriers, messages and the hardware registers.

use super::env::Env;
use super::hwreg;
use super::op::{MicroOp, OpFn};
use super::state::{LITERAL, SCC, SINK, Status, VCC, Wave};
use wavepipe_isa::row::Control;

pub(crate) fn function(c: Control) -> Option<OpFn> {
    Some(match c {
        // Memory operations complete in order here, so a wait has nothing to wait for.
        Control::Nop
        | Control::Waitcnt
        | Control::WaitcntVscnt
        | Control::WaitcntVmcnt
        | Control::WaitcntExpcnt
        | Control::WaitcntLgkmcnt
        | Control::SetPrio
        | Control::SendMsg
        | Control::InstPrefetch
        | Control::Clause => super::table::nop,
        Control::EndPgm => end,
        Control::Branch => branch::<ALWAYS>,
        Control::BranchScc0 => branch::<SCC0>,
        Control::BranchScc1 => branch::<SCC1>,
        Control::BranchVccz => branch::<VCC_ZERO>,
        Control::BranchVccnz => branch::<VCC_NONZERO>,
        Control::BranchExecz => branch::<EXEC_ZERO>,
        Control::BranchExecnz => branch::<EXEC_NONZERO>,
        Control::Barrier => barrier,
        Control::Sleep => sleep,
        Control::DenormMode => denorm_mode,
        Control::RoundMode => round_mode,
        Control::GetPc => get_pc,
        Control::SetPc => set_pc,
        Control::SwapPc => swap_pc,
        Control::Call => call,
        Control::GetReg => get_reg,
        Control::SetReg => set_reg::<false>,
        Control::SetRegImm32 => set_reg::<true>,
        // There is no trap handler and no code after the end marker.
        Control::Trap
        | Control::CodeEnd
        | Control::SetKill
        | Control::SetHalt
        | Control::SendMsgHalt
        | Control::Wakeup
        | Control::BranchDebug(_)
        | Control::SubvectorBegin
        | Control::SubvectorEnd
        | Control::Rfe
        | Control::EndPgmOrdered
        | Control::GraphicsOnly => return None,
    })
}

/// Whether nothing after this instruction in memory runs unless something jumps there, or it must see a new block.
pub(crate) fn ends_block(c: Control) -> bool {
    matches!(
        c,
        Control::EndPgm
            | Control::Branch
            | Control::SetPc
            | Control::SwapPc
            | Control::Call
            | Control::Barrier
            | Control::Sleep
            | Control::SetReg
            | Control::SetRegImm32
            | Control::DenormMode
            | Control::RoundMode
            | Control::Trap
            | Control::CodeEnd
    )
}

const ALWAYS: u8 = 0;
const SCC0: u8 = 1;
const SCC1: u8 = 2;
const VCC_ZERO: u8 = 3;
const VCC_NONZERO: u8 = 4;
const EXEC_ZERO: u8 = 5;
const EXEC_NONZERO: u8 = 6;

unsafe fn branch<const WHEN: u8>(w: &mut Wave, op: &MicroOp, _: &mut Env) -> bool {
    let taken = match WHEN {
        ALWAYS => true,
        SCC0 => w.s.0[SCC] == 0,
        SCC1 => w.s.0[SCC] != 0,
        VCC_ZERO => w.mask(VCC) == 0,
        VCC_NONZERO => w.mask(VCC) != 0,
        EXEC_ZERO => w.exec64() == 0,
        _ => w.exec64() != 0,
    };
    if taken {
        w.pc = target(op);
    }
    taken
}

#[inline(always)]
fn target(op: &MicroOp) -> u64 {
    op.next.wrapping_add_signed(i64::from(op.imm) * 4)
}

unsafe fn end(w: &mut Wave, op: &MicroOp, _: &mut Env) -> bool {
    w.pc = op.next;
    w.status = Status::Ended;
    true
}

unsafe fn barrier(w: &mut Wave, op: &MicroOp, env: &mut Env) -> bool {
    w.pc = op.next;
    if env.waves > 1 {
        w.status = Status::AtBarrier;
    }
    true
}

/// Lets the other waves run.
unsafe fn sleep(w: &mut Wave, op: &MicroOp, _: &mut Env) -> bool {
    w.pc = op.next;
    w.status = Status::Yielded;
    true
}

unsafe fn round_mode(w: &mut Wave, op: &MicroOp, _: &mut Env) -> bool {
    w.mode = w.mode & !0xf | op.imm as u32 & 0xf;
    w.pc = op.next;
    true
}

unsafe fn denorm_mode(w: &mut Wave, op: &MicroOp, _: &mut Env) -> bool {
    w.mode = w.mode & !0xf0 | (op.imm as u32 & 0xf) << 4;
    w.pc = op.next;
    true
}

/// Writes a 64-bit scalar pair; NULL swallows it.
fn set_pair(w: &mut Wave, i: u32, v: u64) {
    if i as usize != SINK {
        w.s.0[i as usize & 127] = v as u32;
        w.s.0[(i as usize + 1) & 127] = (v >> 32) as u32;
    }
}

unsafe fn get_pc(w: &mut Wave, op: &MicroOp, _: &mut Env) -> bool {
    set_pair(w, op.dst, op.next);
    false
}

unsafe fn set_pc(w: &mut Wave, op: &MicroOp, _: &mut Env) -> bool {
    w.pc = w.scalar64(op.s[0]) & !3;
    true
}

unsafe fn swap_pc(w: &mut Wave, op: &MicroOp, _: &mut Env) -> bool {
    w.pc = w.scalar64(op.s[0]) & !3;
    set_pair(w, op.dst, op.next);
    true
}

unsafe fn call(w: &mut Wave, op: &MicroOp, _: &mut Env) -> bool {
    set_pair(w, op.dst, op.next);
    w.pc = target(op);
    true
}

/// HWREG operand: register in bits 5:0, first bit in 10:6, width − 1 in 15:11.
fn field(imm: i32) -> (u32, u32, u32) {
    let imm = imm as u32;
    let width = (imm >> 11 & 31) + 1;
    let offset = imm >> 6 & 31;
    let mask = if width == 32 { !0 } else { (1 << width) - 1 };
    (imm & 63, offset, mask)
}

unsafe fn get_reg(w: &mut Wave, op: &MicroOp, _: &mut Env) -> bool {
    let (register, offset, mask) = field(op.imm);
    w.s.0[op.dst as usize & 255] = hwreg::get(w, register) >> offset & mask;
    false
}

unsafe fn set_reg<const IMMEDIATE: bool>(w: &mut Wave, op: &MicroOp, _: &mut Env) -> bool {
    let (register, offset, mask) = field(op.imm);
    w.s.0[LITERAL] = op.literal;
    let value = if IMMEDIATE { op.literal } else { w.scalar(op.s[2]) };
    hwreg::set(w, register, mask << offset, value << offset);
    w.pc = op.next;
    true
}
