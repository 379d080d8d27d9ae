//! The constant part of an address moves into the access.
//!
//! Algorithm: an upper bound for each 32-bit value, from its definition, in program order (ids of the launch, masks, shifts,
//! sums and products that stay below 2³²). An access whose address is `x + c` becomes an access to `x` at `offset + c` if the
//! bound shows that the sum does not wrap: the machine adds the offset without wrapping. Private memory is left alone: its
//! offset says which variable is meant.

use crate::ir::*;
use std::collections::HashMap;

/// Largest number of work-groups that a dispatch may have in each direction.
const MAX_GROUPS: [u64; 3] = [u32::MAX as u64, 65535, 65535];
/// Larger offsets would have to be added by an instruction again.
const MAX_OFFSET: u64 = 4095;
/// LDS has more, but not in instructions that access two elements, of which wide data is made whose alignment is not known.
const MAX_LDS_OFFSET: u64 = 65535;

#[derive(Default)]
struct Bounds {
    /// Largest value, where it is less than 2³² − 1.
    most: HashMap<Value, u64>,
    constants: HashMap<Value, u64>,
    sums: HashMap<Value, (Value, u64)>,
}

pub fn offsets(kernel: &mut Kernel) {
    let mut b = Bounds::default();
    let group = kernel.workgroup.map(u64::from);
    let widths = &kernel.values;
    kernel.body.for_each_inst_mut(&mut |i| {
        b.define(i, group, widths);
        b.access(i, widths);
    });
}

impl Bounds {
    fn most(&self, v: Value) -> u64 {
        self.most.get(&v).copied().unwrap_or(u64::from(u32::MAX))
    }

    fn define(&mut self, i: &Inst, group: [u64; 3], widths: &[ValueInfo]) {
        let Some(&r) = i.results.first() else { return };
        if widths[r.0 as usize].width != Width::B32 {
            return;
        }
        let top = u64::from(u32::MAX);
        match &i.op {
            Op::Const(c) => {
                self.constants.insert(r, *c);
            }
            Op::Alu(Alu::IAdd) => {
                if let Some(&c) = self.constants.get(&i.args[1]) {
                    self.sums.insert(r, (i.args[0], c));
                }
            }
            _ => {}
        }
        let arg = |n: usize| i.args.get(n).map_or(top, |&v| self.most(v));
        let known = |n: usize| i.args.get(n).and_then(|v| self.constants.get(v)).copied();
        let most = match &i.op {
            Op::Const(c) => *c,
            Op::Builtin(b) => match b {
                Builtin::LocalInvocationId(n) => group[usize::from(*n).min(2)] - 1,
                Builtin::LocalInvocationIndex | Builtin::SubgroupId => group.iter().product::<u64>() - 1,
                Builtin::WorkGroupId(n) => MAX_GROUPS[usize::from(*n).min(2)] - 1,
                Builtin::NumWorkGroups(n) => MAX_GROUPS[usize::from(*n).min(2)],
                Builtin::NumSubgroups => group.iter().product(),
                Builtin::SubgroupInvocationId => 63,
                Builtin::SubgroupSize => 64,
            },
            Op::Alu(a) => match a {
                Alu::IAdd => arg(0) + arg(1),
                Alu::IMul => arg(0).saturating_mul(arg(1)),
                Alu::Shl => known(1).map_or(top, |n| arg(0) << (n & 31)),
                Alu::UShr => known(1).map_or(arg(0), |n| arg(0) >> (n & 31)),
                Alu::And => arg(0).min(arg(1)),
                // No bit above the highest of either.
                Alu::Or | Alu::Xor => (arg(0) | arg(1)).checked_add(1).map_or(top, |x| x.next_power_of_two() - 1),
                Alu::UMin => arg(0).min(arg(1)),
                Alu::UMax => arg(0).max(arg(1)),
                Alu::UMod => known(1).filter(|&n| n > 0).map_or(arg(0), |n| arg(0).min(n - 1)),
                Alu::UDiv => known(1).filter(|&n| n > 0).map_or(arg(0), |n| arg(0) / n),
                Alu::UMulHi => (arg(0) * arg(1)) >> 32,
                Alu::UBfe => known(2).filter(|&n| n < 32).map_or(top, |n| (1 << n) - 1),
                Alu::Select => arg(1).max(arg(2)),
                Alu::BoolToInt => 1,
                Alu::BitCount => 64,
                Alu::UConvert => {
                    i.args.first().map_or(top, |&v| fold::mask(widths[v.0 as usize].width).min(self.most(v)))
                }
                Alu::Copy => arg(0),
                _ => top,
            },
            _ => top,
        };
        if most < top {
            self.most.insert(r, most);
        }
    }

    /// `x + c`, split, if the sum cannot wrap.
    fn split(&self, v: Value) -> Option<(Value, u64)> {
        let &(x, c) = self.sums.get(&v)?;
        (self.most(x) + c <= u64::from(u32::MAX) && self.most(x) < u64::from(u32::MAX)).then_some((x, c))
    }

    fn access(&self, i: &mut Inst, widths: &[ValueInfo]) {
        let bits = |v: &Value| widths[v.0 as usize].width.bits();
        let wide = |i: &Inst| i.results.iter().chain(i.args.iter().skip(1)).map(bits).sum::<u32>() > 32;
        let far = matches!(i.op, Op::Load { space: Space::Lds, .. } | Op::Store { space: Space::Lds, .. }) && !wide(i);
        let most = if far { MAX_LDS_OFFSET } else { MAX_OFFSET };
        let (Op::Load { space, offset, .. } | Op::Store { space, offset, .. } | Op::Atomic { space, offset, .. }) =
            &mut i.op
        else {
            return;
        };
        let operand = match space {
            Space::Buffer => 1,
            Space::Lds | Space::Push | Space::Constant => 0,
            Space::Global | Space::Scratch => return,
        };
        while let Some((x, c)) = i.args.get(operand).and_then(|&v| self.split(v))
            && u64::from(*offset) + c <= most
        {
            i.args[operand] = x;
            *offset += c as u32;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constants_move_only_where_nothing_wraps() {
        let mut k: Kernel = "kernel \"t\" workgroup 64 1 1 lds 64 scratch 0 {
            %0:b32 = const 2
            %1:b32 = const 16
            %2:b32 = const 0xfffffffc
            %3:b32 = builtin local_invocation_id.x
            %4:b32 = shl %3 %0
            %5:b32 = iadd %4 %1
            %6:b32 = iadd %4 %2
            %7:b32 = load.lds %5
            %8:b32 = load.lds %6
            %9:b32 = iadd %7 %1
            %10:b32 = load.lds offset=4 %9
            yield
        }"
        .parse()
        .unwrap();
        offsets(&mut k);
        let text = k.to_string();
        assert!(text.contains("%7:b32 = load.lds offset=16 %4"), "{text}");
        assert!(text.contains("%8:b32 = load.lds %6"), "{text}");
        assert!(text.contains("%10:b32 = load.lds offset=4 %9"), "{text}");
    }
}
