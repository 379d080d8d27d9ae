//! What the host's flags say still of a register that an instruction has just made.

use Register::{AL, EBX, ECX, EDX, R9D};
use iced_x86::{Code, Instruction, Register};
use wavepipe_jit::tested::x86::jumps_behind;

fn with(code: Code, d: Register, s: Register) -> Instruction {
    Instruction::with2(code, d, s).unwrap()
}

#[test]
fn flags_are_asked_once() {
    use Code::*;
    let and = with(And_r32_rm32, ECX, EDX);
    let below = [with(Cmp_r32_rm32, ECX, EDX), Instruction::with1(Setb_rm8, AL).unwrap(), with(Movzx_r32_rm8, EBX, AL)];
    let set = |r: Register| Instruction::with2(Mov_r32_imm32, r, 5).unwrap();
    let not_zero = [Jne_rel32_64, Je_rel32_64];
    for (code, r, jumps, asks) in [
        (vec![and], ECX, not_zero, false),
        (vec![and], EDX, not_zero, true),
        // Moved on, or over; and something else is moved.
        (vec![and, with(Mov_r32_rm32, R9D, ECX)], R9D, not_zero, false),
        (vec![and, with(Mov_r32_rm32, ECX, R9D)], ECX, not_zero, true),
        (vec![and, set(ECX)], ECX, not_zero, true),
        (vec![and, set(R9D)], ECX, not_zero, false),
        // Flags of something else.
        (vec![and, with(Add_r32_rm32, R9D, EDX)], ECX, not_zero, true),
        (below.to_vec(), EBX, [Jb_rel32_64, Jae_rel32_64], false),
        ([below.to_vec(), vec![set(Register::EAX)]].concat(), EBX, [Jb_rel32_64, Jae_rel32_64], false),
        ([below.to_vec(), vec![and]].concat(), EBX, not_zero, true),
        (below[..2].to_vec(), ECX, not_zero, true),
    ] {
        let (by, more) = jumps_behind(&code, 0, r).unwrap();
        assert_eq!(by, jumps, "{code:?}");
        assert_eq!(more > 0, asks, "{code:?}");
    }
    // Who jumps there has made it otherwise.
    assert_eq!(jumps_behind(&[and], 1, ECX).unwrap(), (not_zero, 1));
}
