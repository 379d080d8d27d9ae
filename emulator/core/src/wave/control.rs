//! Control flow, waits, barriers, messages and the hardware registers.

use super::env::Env;
use super::hwreg;
use super::indexed;
use super::op::{Known, MicroOp, OpFn};
use super::region::Halt;
use super::state::{EXEC, LITERAL, M0, SCC, SINK, Status, VCC, Wave};
use super::thread_trace;
use wavepipe_hw::fault::FaultKind;
use wavepipe_hw::register::mode;
use wavepipe_isa::Gen;
use wavepipe_isa::row::{Control, Sem};
use wavepipe_isa::wait::Counter;

/// What executes it, and what may be done in its place.
pub(crate) fn function(c: Control) -> Option<(OpFn, Known)> {
    let f: OpFn = match c {
        // Memory operations complete in order here, so a wait has nothing to wait for.
        Control::Nop
        | Control::Waitcnt
        | Control::WaitcntVscnt
        | Control::WaitcntVmcnt
        | Control::WaitcntExpcnt
        | Control::WaitcntLgkmcnt
        | Control::InstPrefetch
        | Control::Clause
        // Sleeping waves are ready at the work-group's next round anyway.
        | Control::Wakeup
        // No debugger sets STATUS.COND_DBG_SYS or COND_DBG_USER, so none of these branches is ever taken.
        | Control::BranchDebug(_) => return Some((super::table::nop, Known::Nothing)),
        Control::SetPrio => set_prio,
        Control::SendMsg => send_msg::<false>,
        Control::SendMsgHalt => send_msg::<true>,
        Control::TraceData => trace_data,
        Control::SetHalt => set_halt,
        Control::SetKill => set_kill,
        Control::Trap => trap,
        Control::SubvectorBegin => subvector_begin,
        Control::SubvectorEnd => subvector_end,
        // A compute wave has no ordered section of pixels to leave.
        Control::EndPgm | Control::EndPgmOrdered => end,
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
        Control::ForkTo => fork::<true>,
        Control::Fork => fork::<false>,
        Control::Join => join,
        Control::SetVskip => set_vskip,
        Control::IndexOn => index_on,
        Control::IndexOff => index_off,
        Control::IndexMode => index_mode,
        Control::IndexValue => index_value,
        Control::GetReg => get_reg,
        Control::SetReg => set_reg::<false>,
        Control::SetRegImm32 => set_reg::<true>,
        // Illegal: the marker behind a program, the trap handler's return without a trap handler, the graphics stages' own.
        Control::CodeEnd | Control::Rfe | Control::GraphicsOnly | Control::Illegal => return None,
    };
    Some((f, Known::No))
}

/// Whether an instruction may wait for stores: of a generation with a counter of theirs only by that.
pub(super) fn waits_for_stores(op: &MicroOp, generation: Gen) -> bool {
    match op.row.sem {
        Sem::Control(Control::WaitcntVscnt) => true,
        Sem::Control(Control::Waitcnt | Control::WaitcntVmcnt) => Counter::Vs.max(generation) == 0,
        _ => false,
    }
}

/// Whether nothing after this instruction in memory runs unless something jumps there, or it must see a new block.
pub(crate) fn ends_block(c: Control) -> bool {
    matches!(
        c,
        Control::EndPgm
            | Control::EndPgmOrdered
            | Control::SetHalt
            | Control::SetKill
            | Control::SendMsgHalt
            | Control::Rfe
            | Control::Branch
            | Control::SetPc
            | Control::SwapPc
            | Control::Call
            | Control::ForkTo
            | Control::Fork
            | Control::SetVskip
            | Control::IndexOn
            | Control::IndexOff
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
pub(crate) fn target(op: &MicroOp) -> u64 {
    op.next.wrapping_add_signed(i64::from(op.imm) * 4)
}

/// What ends the turn of every wave.
pub(super) fn halt(c: Control) -> Option<Halt> {
    match c {
        Control::EndPgm | Control::EndPgmOrdered => Some(Halt::End),
        Control::Barrier => Some(Halt::Barrier),
        _ => None,
    }
}

/// Its pc is the next instruction's then; its work-group has so many waves.
#[inline(always)]
pub(super) fn stop_at(w: &mut Wave, halt: Halt, pc: u64, waves: u32) {
    w.pc = pc;
    match halt {
        Halt::End => w.status = Status::Ended,
        // Alone, it has nobody to wait for.
        Halt::Barrier if waves > 1 => w.status = Status::AtBarrier,
        Halt::Barrier => {}
    }
}

unsafe fn end(w: &mut Wave, op: &MicroOp, env: &mut Env) -> bool {
    stop_at(w, Halt::End, op.next, env.waves);
    true
}

unsafe fn barrier(w: &mut Wave, op: &MicroOp, env: &mut Env) -> bool {
    stop_at(w, Halt::Barrier, op.next, env.waves);
    true
}

/// Lets the other waves run; S_SLEEP 0 does not sleep.
unsafe fn sleep(w: &mut Wave, op: &MicroOp, _: &mut Env) -> bool {
    w.pc = op.next;
    if op.imm & 0x7f != 0 {
        w.status = Status::Yielded;
    }
    true
}

/// STATUS.USER_PRIO; the order of turns does not depend on it.
unsafe fn set_prio(w: &mut Wave, op: &MicroOp, _: &mut Env) -> bool {
    w.user_prio = op.imm as u32 & 3;
    false
}

/// Messages, by SIMM16[3:0]. What a compute wave can have to say is MSG_INTERRUPT; the others speak to stages and handlers
/// that it does not have.
unsafe fn send_msg<const HALT: bool>(w: &mut Wave, op: &MicroOp, _: &mut Env) -> bool {
    const MSG_INTERRUPT: i32 = 1;
    let lanes = w.exec64();
    match op.imm & 15 {
        0 => return w.fail(FaultKind::IllegalInstruction { words: [0xbf90_0000 | op.imm as u32 & 0xffff, 0] }, lanes),
        MSG_INTERRUPT => w.interrupts += 1,
        _ => {}
    }
    if HALT { w.fail(FaultKind::Halted, lanes) } else { false }
}

/// User data of the thread trace, if anybody reads that.
unsafe fn trace_data(w: &mut Wave, op: &MicroOp, env: &mut Env) -> bool {
    // The instruction is one dword.
    env.trace.is_some() && thread_trace::send(w, env, op.next.wrapping_sub(4), w.s.0[M0])
}

/// SIMM16[2] chooses HALT or FATAL_HALT, SIMM16[0] is its value. Nobody outside resumes a halted wave, so halting is a fault.
unsafe fn set_halt(w: &mut Wave, op: &MicroOp, _: &mut Env) -> bool {
    w.pc = op.next;
    if op.imm & 1 != 0 {
        let lanes = w.exec64();
        w.fail(FaultKind::Halted, lanes);
    }
    true
}

/// With its KILL bit set the wave ends.
unsafe fn set_kill(w: &mut Wave, op: &MicroOp, _: &mut Env) -> bool {
    w.pc = op.next;
    if op.imm & 1 != 0 {
        w.status = Status::Ended;
    }
    true
}

/// As Linux's trap handler for compute answers without a debugger: breakpoints (3) go on, every other number is reported.
unsafe fn trap(w: &mut Wave, op: &MicroOp, _: &mut Env) -> bool {
    const DEBUG_TRAP: u8 = 3;
    w.pc = op.next;
    let id = op.imm as u8;
    if id != DEBUG_TRAP {
        let lanes = w.exec64();
        w.fail(FaultKind::Trap { id }, lanes);
    }
    true
}

/// Leaves one half of EXEC live for a pass over the loop's body, the other half in D; jumps over the loop if no lane lives.
unsafe fn subvector_begin(w: &mut Wave, op: &MicroOp, _: &mut Env) -> bool {
    let [low, high] = [w.s.0[EXEC], w.s.0[EXEC + 1]];
    if low | high == 0 {
        w.pc = target(op);
        return true;
    }
    if low == 0 {
        w.s.0[op.dst as usize & 255] = low;
    } else {
        w.s.0[op.dst as usize & 255] = high;
        w.s.0[EXEC + 1] = 0;
    }
    false
}

/// After the low half's pass starts the high half's, if it has live lanes; after the high half's restores the low half.
unsafe fn subvector_end(w: &mut Wave, op: &MicroOp, _: &mut Env) -> bool {
    let saved = if op.dst as usize == SINK { 0 } else { w.s.0[op.dst as usize & 255] };
    if w.s.0[EXEC + 1] != 0 {
        w.s.0[EXEC] = saved;
        return false;
    }
    if saved == 0 {
        return false;
    }
    w.s.0[EXEC + 1] = saved;
    w.s.0[op.dst as usize & 255] = w.s.0[EXEC];
    w.s.0[EXEC] = 0;
    w.pc = target(op);
    true
}

unsafe fn round_mode(w: &mut Wave, op: &MicroOp, _: &mut Env) -> bool {
    w.mode = mode::FP_ROUND.set(w.isa, w.mode, op.imm as u32);
    w.pc = op.next;
    true
}

unsafe fn denorm_mode(w: &mut Wave, op: &MicroOp, _: &mut Env) -> bool {
    w.mode = mode::FP_DENORM.set(w.isa, w.mode, op.imm as u32);
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

/// Lowest bit of MODE.CSP: entries of the stack of forks, four SGPRs each from s0 on: a mask and where its lanes go on.
const CSP: u32 = mode::CSP.mask(Gen::FIRST).trailing_zeros();

/// S_CBRANCH_I_FORK (`NEAR`: its target is a distance) and S_CBRANCH_G_FORK: lanes of the mask go to the target, the others on. Where
/// both are some, the fewer go first.
unsafe fn fork<const NEAR: bool>(w: &mut Wave, op: &MicroOp, _: &mut Env) -> bool {
    w.s.0[LITERAL] = op.literal;
    let (exec, mask) = (w.exec64(), w.scalar64(op.s[0]));
    let there = if NEAR { target(op) } else { w.scalar64(op.s[2]) & !3 };
    let (pass, stay) = (exec & mask, exec & !mask);
    w.pc = if pass == exec { there } else { op.next };
    if pass != exec && stay != exec {
        let near = stay.count_ones() < pass.count_ones();
        let (first, then, at) = if near { (stay, pass, there) } else { (pass, stay, op.next) };
        w.pc = if near { op.next } else { there };
        let csp = w.mode >> CSP;
        for (word, v) in [then as u32, (then >> 32) as u32, at as u32, (at >> 32) as u32].into_iter().enumerate() {
            w.s.0[4 * csp as usize + word] = v;
        }
        set_csp(w, csp + 1);
        w.set_mask(EXEC, first);
    }
    true
}

fn set_csp(w: &mut Wave, csp: u32) {
    w.mode = mode::CSP.set(Gen::FIRST, w.mode, csp);
}

/// Behind the second of a fork's parts all go on; the first gives way to the other.
unsafe fn join(w: &mut Wave, op: &MicroOp, _: &mut Env) -> bool {
    w.s.0[LITERAL] = op.literal;
    let csp = w.mode >> CSP;
    if csp == w.scalar(op.s[0]) {
        return false;
    }
    let csp = csp.wrapping_sub(1) & 7;
    set_csp(w, csp);
    let first = 4 * csp as u8;
    let (mask, at) = (w.scalar64(first), w.scalar64(first + 2) & !3);
    w.set_mask(EXEC, mask);
    w.pc = at;
    true
}

fn set_mode(w: &mut Wave, bit: u32, on: bool) {
    w.mode = w.mode & !bit | if on { bit } else { 0 };
}

/// Bit S1[4:0] of S0.
unsafe fn set_vskip(w: &mut Wave, op: &MicroOp, _: &mut Env) -> bool {
    w.s.0[LITERAL] = op.literal;
    let on = w.scalar(op.s[0]) >> (w.scalar(op.s[2]) & 31) & 1 != 0;
    set_mode(w, indexed::VSKIP, on);
    w.pc = op.next;
    true
}

/// M0[7:0] = S0[7:0], M0[15:12] = the four bits of the instruction.
unsafe fn index_on(w: &mut Wave, op: &MicroOp, _: &mut Env) -> bool {
    w.s.0[LITERAL] = op.literal;
    let value = w.scalar(op.s[0]);
    w.s.0[M0] = w.s.0[M0] & !0xf0ff | value & 0xff | (op.imm as u32 & 15) << 12;
    set_mode(w, indexed::GPR_IDX_EN, true);
    w.pc = op.next;
    true
}

unsafe fn index_off(w: &mut Wave, op: &MicroOp, _: &mut Env) -> bool {
    set_mode(w, indexed::GPR_IDX_EN, false);
    w.pc = op.next;
    true
}

unsafe fn index_mode(w: &mut Wave, op: &MicroOp, _: &mut Env) -> bool {
    w.s.0[M0] = w.s.0[M0] & !0xf000 | (op.imm as u32 & 15) << 12;
    false
}

unsafe fn index_value(w: &mut Wave, op: &MicroOp, _: &mut Env) -> bool {
    w.s.0[LITERAL] = op.literal;
    let value = w.scalar(op.s[0]);
    w.s.0[M0] = w.s.0[M0] & !0xff | value & 0xff;
    false
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
