//! What atomics leave in memory: one body for both widths, used by global memory, LDS, GDS and scalar memory alike.

pub use wavepipe_isa::row::AtomicOp;

/// Writes a width's body: `data` is the first operand and `second` the second. Of a compare-and-swap these are the new value
/// and the comparand, of MaskOr the mask and the bits, of Wrap what is subtracted and what is added.
macro_rules! result {
    ($name:ident, $unsigned:ty, $signed:ty, $float:ty) => {
        #[inline(always)]
        pub fn $name(op: AtomicOp, old: $unsigned, data: $unsigned, second: $unsigned) -> $unsigned {
            let float = <$float>::from_bits;
            let choose = |condition: bool| if condition { data } else { old };
            match op {
                AtomicOp::Swap => data,
                AtomicOp::CmpSwap => choose(old == second),
                AtomicOp::Add => old.wrapping_add(data),
                AtomicOp::Sub => old.wrapping_sub(data),
                AtomicOp::Rsub => data.wrapping_sub(old),
                AtomicOp::SMin => choose((data as $signed) < old as $signed),
                AtomicOp::UMin => choose(data < old),
                AtomicOp::SMax => choose(data as $signed > old as $signed),
                AtomicOp::UMax => choose(data > old),
                AtomicOp::And => old & data,
                AtomicOp::Or => old | data,
                AtomicOp::Xor => old ^ data,
                AtomicOp::Inc if old >= data => 0,
                AtomicOp::Inc => old + 1,
                AtomicOp::Dec if old == 0 || old > data => data,
                AtomicOp::Dec => old - 1,
                AtomicOp::FAdd => (float(old) + float(data)).to_bits(),
                // A number takes the place of a NaN.
                AtomicOp::FMin => choose(float(data) < float(old) || float(old).is_nan()),
                AtomicOp::FMax => choose(float(data) > float(old) || float(old).is_nan()),
                // Equality as floats: −0 = +0, and a NaN equals nothing.
                AtomicOp::FCmpSwap => choose(float(old) == float(second)),
                AtomicOp::MaskOr => old & !data | second,
                AtomicOp::Wrap if old >= data => old - data,
                AtomicOp::Wrap => old.wrapping_add(second),
                AtomicOp::SubClamp => old.saturating_sub(data),
                AtomicOp::CondSub if old >= data => old - data,
                AtomicOp::CondSub => old,
                // Refused where instructions are lowered.
                AtomicOp::PkAddF16 | AtomicOp::PkAddBf16 | AtomicOp::OrderedAdd => old,
                AtomicOp::CondSwap => exchange(old.into(), data.into()) as $unsigned,
            }
        }
    };
}
result!(atomic_result32, u32, i32, f32);
result!(atomic_result64, u64, i64, f64);

/// Each dword of `data` whose bit 31 is set replaces memory's, without that bit.
fn exchange(old: u64, data: u64) -> u64 {
    let taken = (data >> 31 & 0x1_0000_0001).wrapping_mul(0xffff_ffff);
    old & !taken | data & taken & 0x7fff_ffff_7fff_ffff
}
