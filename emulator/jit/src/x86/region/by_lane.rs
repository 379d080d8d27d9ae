//! What is done lane by lane in host code: atomics, and loads and stores of lanes that lie anyhow.
//!
//! ```text
//! stack:   offsets and data of a chunk's lanes to the stack, where what they load comes back
//! lanes:   the live ones in their order; where all live, one behind the other without a loop
//! atomic:  by the host's instruction of that kind; where there is none, by exchanges until one takes place: of LDS, which nobody
//!          else has now, by a load and a store
//! ```

use super::super::emit::{COMPARED_LANES, DATA_LANES, Done, Refused, lanes_at};
use super::super::registers::{Home, Reg};
use super::{Builder, Code, Instruction, Label, PLACE, Register, on_stack};
use crate::x86::X86Isa;
use iced_x86::MemoryOperand;
use wavepipe_core::wave::{Access, Motion, Origin, Part};
use wavepipe_isa::row::AtomicOp;

/// Whether an access is no atomic, or one that is done in place.
pub fn takes(access: &Access) -> bool {
    match access.motion {
        Motion::Atomic { op, returns, .. } => {
            let aligned = access.parts.iter().flatten().all(|part| part.offset.is_multiple_of(4));
            aligned && Each::of(access, op, returns).is_some()
        }
        Motion::Load | Motion::Store => true,
    }
}

impl Builder<'_> {
    pub(super) fn atomic(&mut self, access: &Access, part: &Part, on: Label) -> Done<()> {
        let Motion::Atomic { op, returns, compared } = access.motion else { return Err(Refused) };
        let each = Each::of(access, op, returns).ok_or(Refused)?;
        self.at_one_place(access, part, each, on);
        for chunk in 0..self.e.chunks() {
            self.e.live_lanes(chunk)?;
            let off = self.offsets(access, chunk)?.ok_or(Refused)?;
            let data = self.e.home(Home::Vgpr(part.data, chunk))?;
            let old = self.e.temporary()?;
            if let Some(v) = compared {
                let compared = self.e.home(Home::Vgpr(v, chunk))?;
                self.e.stack_at(compared, COMPARED_LANES)?;
                self.e.registers.unpin(compared);
            }
            self.by_lane(off, data, part.offset, each)?;
            if let Some(v) = returns {
                self.e.unstack(old)?;
                let home = self.e.home(Home::Vgpr(v, chunk))?;
                self.e.merge(home, old)?;
                self.e.registers.soil(home);
                self.e.registers.unpin(home);
            }
            [off, data, old].into_iter().for_each(|r| self.e.registers.unpin(r));
        }
        Ok(())
    }

    /// The live lanes one by one, the lowest first. Where all live, one behind the other without a loop, whose loads of a lane that is not
    /// known yet wait for the stores in front; sixteen locked operations gain nothing by that.
    pub(super) fn by_lane(&mut self, off: Reg, data: Reg, offset: u32, each: Each) -> Done<()> {
        use Register::{ECX, EDI, RCX, RSP};
        let (some, next, done) = (self.label(), self.label(), self.label());
        self.e.stack_at(off, 0)?;
        self.e.stack_at(data, DATA_LANES)?;
        self.e.live_bits(EDI)?;
        if each.is_long() {
            self.e.push(Instruction::with2(Code::Mov_rm64_r64, on_stack(PLACE), Register::RAX))?;
        }
        if !each.is_long() && (self.e.host.target == X86Isa::Avx2 || !each.is_shared()) {
            let lanes = self.e.host.lanes();
            self.e.push(Instruction::with2(Code::Cmp_rm32_imm32, EDI, (1i32 << lanes) - 1))?;
            self.jump(Code::Jne_rel32_64, some)?;
            for n in 0..lanes as i64 {
                self.of_lane(|at| MemoryOperand::with_base_displ(RSP, at + 4 * n), offset, each)?;
            }
            self.jump(Code::Jmp_rel32_64, done)?;
        }
        self.here(some);
        self.e.push(Instruction::with2(Code::Test_rm32_r32, EDI, EDI))?;
        self.jump(Code::Je_rel32_64, done)?;
        self.here(next);
        self.e.push(Instruction::with2(Code::Tzcnt_r32_rm32, ECX, EDI))?;
        let lane = |at| MemoryOperand::with_base_index_scale_displ_size(RSP, RCX, 4, at, 1);
        self.of_lane(lane, offset, each)?;
        self.e.push(Instruction::with2(Code::VEX_Blsr_r32_rm32, EDI, EDI))?;
        self.jump(Code::Jne_rel32_64, next)?;
        self.here(done);
        Ok(())
    }

    /// What a lane does, whose offset and data are on the stack: EDX the offset, ESI the data.
    pub(super) fn of_lane(&mut self, lane: impl Fn(i64) -> MemoryOperand, offset: u32, each: Each) -> Done<()> {
        use Register::{EAX, ECX, EDX, ESI, RDX};
        self.e.push(Instruction::with2(Code::Mov_r32_rm32, EDX, lane(0)))?;
        if !matches!(each, Each::Load { .. }) {
            self.e.push(Instruction::with2(Code::Mov_r32_rm32, ESI, lane(DATA_LANES)))?;
        }
        let at = lanes_at(RDX, offset.into());
        match each {
            Each::Store { bytes } => {
                let (code, from) = match bytes {
                    1 => (Code::Mov_rm8_r8, Register::SIL),
                    2 => (Code::Mov_rm16_r16, Register::SI),
                    _ => (Code::Mov_rm32_r32, ESI),
                };
                self.e.push(Instruction::with2(code, at, from))?;
            }
            Each::Load { code } => {
                self.e.push(Instruction::with2(code, ESI, at))?;
                self.e.push(Instruction::with2(Code::Mov_rm32_r32, lane(DATA_LANES), ESI))?;
            }
            Each::Update { code, shared } => {
                let i = self.e.push(Instruction::with2(code, at, ESI))?;
                i.set_has_lock_prefix(shared);
            }
            Each::Fetch { code, shared } => {
                // An exchange is one for all by itself.
                let i = self.e.push(Instruction::with2(code, at, ESI))?;
                i.set_has_lock_prefix(shared && code != Code::Xchg_rm32_r32);
                self.e.push(Instruction::with2(Code::Mov_rm32_r32, lane(DATA_LANES), ESI))?;
            }
            Each::Choose { code } => {
                self.e.push(Instruction::with2(Code::Mov_r32_rm32, ECX, at))?;
                self.e.push(Instruction::with2(Code::Cmp_r32_rm32, ECX, ESI))?;
                self.e.push(Instruction::with2(code, ECX, ESI))?;
                self.e.push(Instruction::with2(Code::Mov_rm32_r32, at, ECX))?;
            }
            Each::Compare { shared } => {
                self.e.push(Instruction::with2(Code::Lea_r64_m, RDX, at))?;
                self.e.push(Instruction::with2(Code::Mov_r32_rm32, EAX, lane(COMPARED_LANES)))?;
                let there = MemoryOperand::with_base(RDX);
                self.e.push(Instruction::with2(Code::Cmpxchg_rm32_r32, there, ESI))?.set_has_lock_prefix(shared);
                self.e.push(Instruction::with2(Code::Mov_rm32_r32, lane(DATA_LANES), EAX))?;
                self.e.push(Instruction::with2(Code::Mov_r64_rm64, Register::RAX, on_stack(PLACE)))?;
            }
            Each::Replace { op, shared } => self.replace(op, shared, at, lane)?,
        }
        Ok(())
    }

    /// EAX is what was there, ECX what shall be; RAX is the place again.
    fn replace(
        &mut self,
        op: AtomicOp,
        shared: bool,
        at: MemoryOperand,
        lane: impl Fn(i64) -> MemoryOperand,
    ) -> Done<()> {
        use Register::{EAX, ECX, RAX, RDX};
        // Which lane it is.
        self.e.push(Instruction::with1(Code::Push_r64, Register::RCX))?;
        self.e.push(Instruction::with2(Code::Lea_r64_m, RDX, at))?;
        let (there, again) = (MemoryOperand::with_base(RDX), self.label());
        self.e.push(Instruction::with2(Code::Mov_r32_rm32, EAX, there))?;
        self.here(again);
        self.replacement(op)?;
        if shared {
            self.e.push(Instruction::with2(Code::Cmpxchg_rm32_r32, there, ECX))?.set_has_lock_prefix(true);
            self.jump(Code::Jne_rel32_64, again)?;
        } else {
            self.e.push(Instruction::with2(Code::Mov_rm32_r32, there, ECX))?;
        }
        self.e.push(Instruction::with1(Code::Pop_r64, Register::RCX))?;
        self.e.push(Instruction::with2(Code::Mov_rm32_r32, lane(DATA_LANES), EAX))?;
        self.e.push(Instruction::with2(Code::Mov_r64_rm64, RAX, on_stack(PLACE)))?;
        Ok(())
    }

    /// ECX of EAX and ESI.
    fn replacement(&mut self, op: AtomicOp) -> Done<()> {
        use Register::{EAX, ECX, ESI};
        let simple = match op {
            AtomicOp::Sub => Some(Code::Sub_r32_rm32),
            AtomicOp::And => Some(Code::And_r32_rm32),
            AtomicOp::Or => Some(Code::Or_r32_rm32),
            AtomicOp::Xor => Some(Code::Xor_r32_rm32),
            _ => None,
        };
        if let Some(code) = simple {
            self.e.push(Instruction::with2(Code::Mov_r32_rm32, ECX, EAX))?;
            self.e.push(Instruction::with2(code, ECX, ESI))?;
            return Ok(());
        }
        let step = |by| MemoryOperand::with_base_displ(Register::RAX, by);
        match op {
            AtomicOp::Rsub => {
                self.e.push(Instruction::with2(Code::Mov_r32_rm32, ECX, ESI))?;
                self.e.push(Instruction::with2(Code::Sub_r32_rm32, ECX, EAX))?;
            }
            AtomicOp::Inc => {
                let zero = self.e.constants_at(&[0]);
                self.e.push(Instruction::with2(Code::Lea_r32_m, ECX, step(1)))?;
                self.e.push(Instruction::with2(Code::Cmp_r32_rm32, EAX, ESI))?;
                self.e.push(Instruction::with2(Code::Cmovae_r32_rm32, ECX, zero))?;
            }
            AtomicOp::Dec => {
                self.e.push(Instruction::with2(Code::Lea_r32_m, ECX, step(-1)))?;
                self.e.push(Instruction::with2(Code::Cmp_r32_rm32, EAX, ESI))?;
                self.e.push(Instruction::with2(Code::Cmova_r32_rm32, ECX, ESI))?;
                self.e.push(Instruction::with2(Code::Test_rm32_r32, EAX, EAX))?;
                self.e.push(Instruction::with2(Code::Cmove_r32_rm32, ECX, ESI))?;
            }
            _ => {
                let code = chooses(op).ok_or(Refused)?;
                self.e.push(Instruction::with2(Code::Mov_r32_rm32, ECX, EAX))?;
                self.e.push(Instruction::with2(Code::Cmp_r32_rm32, EAX, ESI))?;
                self.e.push(Instruction::with2(code, ECX, ESI))?;
            }
        }
        Ok(())
    }
}

/// What a lane does to its dword.
#[derive(Clone, Copy)]
pub enum Each {
    /// Of its low bytes.
    Store { bytes: u32 },
    /// What is there, by an instruction that extends it.
    Load { code: Code },
    /// By one instruction; `shared`: other threads may do so, too.
    Update { code: Code, shared: bool },
    /// The same, and ESI is what was there before.
    Fetch { code: Code, shared: bool },
    /// The data if it compares so with what is there; in LDS.
    Choose { code: Code },
    /// The data if what is there is what it is compared with, and what was there.
    Compare { shared: bool },
    /// What the operation makes of it, and what was there.
    Replace { op: AtomicOp, shared: bool },
}

/// The second operand of a comparison of what is there with the data takes the place of the first.
fn chooses(op: AtomicOp) -> Option<Code> {
    Some(match op {
        AtomicOp::SMin => Code::Cmovg_r32_rm32,
        AtomicOp::SMax => Code::Cmovl_r32_rm32,
        AtomicOp::UMin => Code::Cmova_r32_rm32,
        AtomicOp::UMax => Code::Cmovb_r32_rm32,
        _ => return None,
    })
}

impl Each {
    pub const DWORD: Each = Each::Store { bytes: 4 };

    /// Whether other threads may do so, too.
    fn is_shared(self) -> bool {
        matches!(self, Each::Update { shared: true, .. } | Each::Fetch { shared: true, .. })
    }

    /// Whether it takes many instructions, and RAX.
    pub fn is_long(self) -> bool {
        matches!(self, Each::Compare { .. } | Each::Replace { .. })
    }

    /// `None`: by a call.
    fn of(access: &Access, op: AtomicOp, returns: Option<u32>) -> Option<Each> {
        use AtomicOp::{Add, And, CmpSwap, Dec, Inc, Or, Rsub, SMax, SMin, Sub, Swap, UMax, UMin, Xor};
        let shared = access.place != Origin::Lds;
        let update = |code| Some(Each::Update { code, shared });
        match (op, returns) {
            (Add, Some(_)) => Some(Each::Fetch { code: Code::Xadd_rm32_r32, shared }),
            (Swap, _) => Some(Each::Fetch { code: Code::Xchg_rm32_r32, shared }),
            (Add, None) => update(Code::Add_rm32_r32),
            (Sub, None) => update(Code::Sub_rm32_r32),
            (And, None) => update(Code::And_rm32_r32),
            (Or, None) => update(Code::Or_rm32_r32),
            (Xor, None) => update(Code::Xor_rm32_r32),
            (SMin | SMax | UMin | UMax, None) if !shared => Some(Each::Choose { code: chooses(op)? }),
            (CmpSwap, _) => Some(Each::Compare { shared }),
            (SMin | SMax | UMin | UMax | Sub | Rsub | And | Or | Xor | Inc | Dec, _) => {
                Some(Each::Replace { op, shared })
            }
            _ => None,
        }
    }
}
