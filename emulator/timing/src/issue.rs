//! In-order issue of one wave on one SIMD.
//!
//! Algorithm: keep, for every register and every half of a wave64, the cycle from which it may be read, and for every unit
//! the cycle from which it is free. Walk the sequence in order:
//! 1. the earliest cycle is the one after the previous instruction's last pass;
//! 2. a pass waits until each register that it reads is ready (VGPRs by half, scalar registers as a whole) and until its
//!    unit is free;
//! 3. a vector instruction of a wave64 issues two passes, low half first; all others issue one;
//! 4. a pass's results are ready `latency` cycles after its issue; a scalar result of a vector instruction with the last
//!    pass.
//!
//! Units are the main VALU, the transcendental unit, the double unit, the scalar unit, memory and branches: a pass that
//! keeps the transcendental unit busy holds up no main-VALU instruction behind it.

use crate::figures::cost;
use std::collections::HashMap;
use wavepipe_isa::legal::Access;
use wavepipe_isa::row::Class;
use wavepipe_isa::{Instr, Src};

/// When one instruction issued: one cycle a pass.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Issue {
    pub passes: Vec<u64>,
}

/// The whole sequence.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Timeline {
    pub issues: Vec<Issue>,
    /// One more than the last issue cycle.
    pub cycles: u64,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Unit {
    Main,
    Trans,
    Double,
    Scalar,
    Memory,
    Control,
}

const fn unit(class: Class) -> Unit {
    match class {
        Class::Valu | Class::MulWide => Unit::Main,
        Class::Trans => Unit::Trans,
        Class::Double => Unit::Double,
        Class::Salu => Unit::Scalar,
        Class::Smem | Class::Vmem | Class::Flat | Class::Lds | Class::Image => Unit::Memory,
        Class::Branch | Class::Wait | Class::Message | Class::Export => Unit::Control,
    }
}

/// One dword that can be waited for: a VGPR of one half, or a scalar register (half 0). SCC has its source number.
type Cell = (Src, usize);

/// Cells of an operand for the pass over `half`.
fn cells(access: Access, half: usize) -> impl Iterator<Item = Cell> {
    let count = if access.reg == Src::SCC { 1 } else { access.dwords };
    let half = if access.reg.is_vgpr() { half } else { 0 };
    (0..count as u16).map(move |i| (Src(access.reg.0 + i), half))
}

/// Issue cycles of `code` for a wave of `lanes` (32 or 64) lanes, from an idle SIMD with every register ready.
pub fn issue(code: &[Instr], lanes: u32) -> Timeline {
    let mut ready: HashMap<Cell, u64> = HashMap::new();
    let mut free: HashMap<Unit, u64> = HashMap::new();
    let mut next = 0;
    let mut issues = Vec::with_capacity(code.len());
    for instr in code {
        let class = instr.op.row().class;
        let cost = cost(class);
        let vector = matches!(class, Class::Valu | Class::Trans | Class::MulWide | Class::Double);
        let halves = if vector { lanes as usize / 32 } else { 1 };
        let mut passes = Vec::with_capacity(halves);
        for half in 0..halves {
            let mut at: u64 = next.max(free.get(&unit(class)).copied().unwrap_or(0));
            for cell in instr.uses(lanes).flat_map(|a| cells(a, half)) {
                at = at.max(ready.get(&cell).copied().unwrap_or(0));
            }
            for cell in instr.defs(lanes).flat_map(|a| cells(a, half)) {
                ready.insert(cell, at + cost.latency);
            }
            free.insert(unit(class), at + cost.busy);
            passes.push(at);
            next = at + 1;
        }
        issues.push(Issue { passes });
    }
    Timeline { issues, cycles: next }
}

#[cfg(test)]
mod tests {
    use super::*;
    use wavepipe_isa::{Gen, asm};

    fn cycles(text: &str, lanes: u32) -> (Vec<Vec<u64>>, u64) {
        let code: Vec<Instr> = text.lines().map(|l| asm::parse_line(l.trim(), Gen::Gfx1010, lanes).unwrap()).collect();
        let timeline = issue(&code, lanes);
        (timeline.issues.into_iter().map(|i| i.passes).collect(), timeline.cycles)
    }

    /// The RDNA whitepaper's Figure 3.
    const FIGURE_3: &str = "s_add_i32 s0, s1, s2\nv_mul_f32 v0, v1, s0\nv_add_f32 v5, v4, v3\nv_sub_f32 v6, v7, v0";

    #[test]
    fn figure_3_wave32() {
        assert_eq!(cycles(FIGURE_3, 32), (vec![vec![0], vec![2], vec![3], vec![7]], 8));
    }

    #[test]
    fn figure_3_wave64() {
        assert_eq!(cycles(FIGURE_3, 64), (vec![vec![0], vec![2, 3], vec![4, 5], vec![7, 8]], 9));
    }

    #[test]
    fn a_transcendental_hides_behind_independent_work() {
        let text = "v_rcp_f32 v0, v1\nv_fma_f32 v2, v3, v4, v5\nv_fma_f32 v6, v7, v8, v9\nv_rcp_f32 v10, v11";
        assert_eq!(cycles(text, 32).0, vec![vec![0], vec![1], vec![2], vec![4]]);
    }
}
