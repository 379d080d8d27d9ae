//! What the host's flags say still of a register that an instruction has just made, so that nobody asks it again.
//!
//! ```text
//! back from the last instruction, to the last label at most: one that leaves the flags and the register alone is passed over, one that moves
//! another register there names that instead; who made the register and the zero flag by it answers, and so does who made it a
//! flag of the flags
//! ```

use super::{Done, Emitter};
use iced_x86::{Code, ConditionCode, FlowControl, Register};

/// Instructions that one looks back at most.
const BACK: usize = 16;

/// Instructions that go, set a byte, or move, by a condition.
struct By {
    jump: Code,
    set: Code,
    mov: Code,
}

fn by(condition: ConditionCode) -> By {
    use ConditionCode::*;
    let (jump, set, mov) = match condition {
        e => (Code::Je_rel32_64, Code::Sete_rm8, Code::Cmove_r32_rm32),
        b => (Code::Jb_rel32_64, Code::Setb_rm8, Code::Cmovb_r32_rm32),
        ae => (Code::Jae_rel32_64, Code::Setae_rm8, Code::Cmovae_r32_rm32),
        l => (Code::Jl_rel32_64, Code::Setl_rm8, Code::Cmovl_r32_rm32),
        ge => (Code::Jge_rel32_64, Code::Setge_rm8, Code::Cmovge_r32_rm32),
        _ => (Code::Jne_rel32_64, Code::Setne_rm8, Code::Cmovne_r32_rm32),
    };
    By { jump, set, mov }
}

impl Emitter {
    /// The condition of the flags under which a word is not zero, if they have one.
    fn said(&self, r: Register) -> Option<ConditionCode> {
        use Code::*;
        let (mut of, mut is_flag) = (r, false);
        let first = self.joined.max(self.code.len().saturating_sub(BACK));
        for i in self.code.get(first..)?.iter().rev() {
            let goes_on = matches!(i.flow_control(), FlowControl::Next | FlowControl::ConditionalBranch);
            let makes = i.op_count() > 0 && i.op0_register().full_register() == of.full_register();
            match i.code() {
                _ if !goes_on => return None,
                And_r32_rm32 | And_rm32_imm32 | Or_r32_rm32 | Or_rm32_imm32 | Xor_r32_rm32 | Xor_rm32_imm32
                | Add_r32_rm32 | Add_rm32_imm32 | Sub_r32_rm32 | Sub_rm32_imm32
                    if makes && !is_flag =>
                {
                    return Some(ConditionCode::ne);
                }
                Test_rm32_r32 if makes && !is_flag && i.op1_register() == i.op0_register() => {
                    return Some(ConditionCode::ne);
                }
                Sete_rm8 | Setne_rm8 | Setb_rm8 | Setae_rm8 | Setl_rm8 | Setge_rm8 if makes && is_flag => {
                    return Some(i.condition_code());
                }
                _ if i.rflags_modified() != 0 => return None,
                Mov_r32_rm32 if makes && i.op1_register() != Register::None => of = i.op1_register(),
                Movzx_r32_rm8 if makes && i.op1_register() != Register::None => {
                    (of, is_flag) = (i.op1_register(), true);
                }
                _ if makes => return None,
                _ => {}
            }
        }
        None
    }

    /// The condition under which a word is not zero, of the flags as they are or become.
    fn asked(&mut self, r: Register) -> Done<ConditionCode> {
        if let Some(condition) = self.said(r) {
            return Ok(condition);
        }
        self.op2(Code::Test_rm32_r32, r, r)?;
        Ok(ConditionCode::ne)
    }

    /// A jump if a word is not zero, and one if it is.
    pub fn jumps_by(&mut self, r: Register) -> Done<[Code; 2]> {
        let jump = by(self.asked(r)?).jump;
        Ok([jump, jump.negate_condition_code()])
    }

    /// What sets a byte if a word is not zero.
    pub(super) fn sets_by(&mut self, r: Register) -> Done<Code> {
        Ok(by(self.asked(r)?).set)
    }

    /// What moves a word if another one is not zero.
    pub(super) fn moves_by(&mut self, r: Register) -> Done<Code> {
        Ok(by(self.asked(r)?).mov)
    }
}
