//! Steps to be compiled.

use wavepipe_core::wave::{Finish, Operand, Shape, Step};
use wavepipe_isa::Src;
use wavepipe_isa::insts::Op;

const VCC: u8 = Src::VCC_LO.0 as u8;

/// A row's step, of registers that have nothing to do with one another.
pub fn step_of(op: Op) -> Step {
    let scalar = op.row().format.is_salu();
    let source = [0, 2, 4].map(|r| if scalar { Operand::Scalar([r, r + 1]) } else { Operand::Vgpr(r.into()) });
    let shape = [Shape::AS_IS; 3];
    Step { op, source, shape, movement: None, wide: 0, condition: Some(VCC), dst: 6, dst2: 8, finish: Finish::Direct }
}
