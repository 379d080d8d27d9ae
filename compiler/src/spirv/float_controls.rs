//! Execution modes and decorations that say how floats behave (SPV_KHR_float_controls, SPV_KHR_float_controls2).
//!
//! What a driver may report of it, and what it comes to:
//!
//! | property | value | by |
//! |---|---|---|
//! | denormBehaviorIndependence, roundingModeIndependence | 32_BIT_ONLY | MODE has one field for f32 and one that f16 and f64 share |
//! | shaderSignedZeroInfNanPreserve{16,32,64} | true | always: no pass assumes anything else |
//! | shaderDenormPreserve{16,32,64} | true | MODE.FP_DENORM = 3, which is also what kernels get that ask for nothing |
//! | shaderDenormFlushToZero{16,32,64} | true | MODE.FP_DENORM = 0; negation and absolute value become multiplications |
//! | shaderRoundingModeRTE{16,32,64} | true | MODE.FP_ROUND = 0, which is also the default |
//! | shaderRoundingModeRTZ{16,32,64} | true | MODE.FP_ROUND = 3 |
//! | shaderFloatControls2 | true | AllowContract decides about fused multiply-add; nothing else is ever relaxed |
//!
//! FPRoundingMode on a narrowing conversion is that conversion's own, whatever the mode: [`Alu::FConvertRte`] and
//! [`Alu::FConvertRtz`].

use super::module::{Entry, Instr};
use super::translate::Translator;
use super::types::Ty;
use crate::error::Result;
use crate::ir::{Alu, Width};
use spirv::{Decoration, ExecutionMode, FPFastMathMode, FPRoundingMode, Op};
use wavepipe_hw::code::FloatMode;

impl Translator<'_> {
    /// The kernel's float mode from the execution modes of `entry`; constant expressions are in it, too.
    pub fn float_mode(&mut self, entry: &Entry) -> Result<()> {
        let mut mode = FloatMode::VULKAN;
        // What was asked of each field so far: [round, denormals] of f32 and of the others.
        let mut asked: [[Option<u32>; 2]; 2] = Default::default();
        for n in 0..self.m.modes.len() {
            let (function, execution, args, i) = self.m.modes[n];
            if function != entry.function {
                continue;
            }
            let (field, value) = match execution {
                ExecutionMode::RoundingModeRTE => (0, 0),
                ExecutionMode::RoundingModeRTZ => (0, 3),
                ExecutionMode::DenormFlushToZero => (1, 0),
                ExecutionMode::DenormPreserve => (1, 3),
                _ => continue,
            };
            let single = match args.first() {
                Some(32) => true,
                Some(16 | 64) => false,
                _ => return Err(self.malformed(&i, "a float is 16, 32 or 64 bits wide")),
            };
            let before = asked[usize::from(single)][field].replace(value);
            if before.is_some_and(|b| b != value) {
                return Err(self.unsupported(&i, format!("{execution:?}: one mode for 16 bits, another for 64")));
            }
            mode = if field == 0 { mode.with_round(single, value) } else { mode.with_denormals(single, value) };
        }
        self.b.kernel.mode = mode;
        Ok(())
    }

    /// The fast-math defaults of `entry`; their flags are constants.
    pub fn fast_math_defaults(&mut self, entry: &Entry) -> Result<()> {
        for n in 0..self.m.modes.len() {
            let (function, execution, args, i) = self.m.modes[n];
            if function == entry.function && execution == ExecutionMode::FPFastMathDefault {
                let &[ty, flags] = args else { return Err(self.malformed(&i, "operands missing")) };
                let flags = self.literal(&i, flags)? as u32;
                self.fast_math.insert(ty, FPFastMathMode::from_bits_retain(flags));
            }
        }
        Ok(())
    }

    /// Whether the arithmetic of `i` must not be contracted: NoContraction, or fast-math flags without AllowContract.
    pub fn exact(&self, i: &Instr<'_>) -> bool {
        if i.id == 0 {
            return false;
        }
        if self.m.decoration(i.id, Decoration::NoContraction).is_some() {
            return true;
        }
        let contracts = |flags: FPFastMathMode| flags.intersects(FPFastMathMode::ALLOW_CONTRACT | FPFastMathMode::FAST);
        if let Some(&[flags, ..]) = self.m.decoration(i.id, Decoration::FPFastMathMode) {
            return !contracts(FPFastMathMode::from_bits_retain(flags));
        }
        if self.fast_math.is_empty() {
            return false;
        }
        let mut ty = i.ty;
        loop {
            if let Some(&flags) = self.fast_math.get(&ty) {
                return !contracts(flags);
            }
            match *self.types.get(ty) {
                Ty::Vector { elem, .. } => ty = elem,
                Ty::Matrix { column, .. } => ty = column,
                _ => return false,
            }
        }
    }

    /// The operation of an OpFConvert: rounded by the mode, or as FPRoundingMode says.
    pub fn rounded_conversion(&self, i: &Instr<'_>, from: Width, to: Width) -> Result<Alu> {
        let Some(&[rounding, ..]) = self.m.decoration(i.id, Decoration::FPRoundingMode) else {
            return Ok(Alu::FConvert);
        };
        if i.op != Op::FConvert || to.bits() >= from.bits() {
            return Ok(Alu::FConvert);
        }
        let (wanted, alu) = match FPRoundingMode::from_u32(rounding) {
            Some(FPRoundingMode::RTE) => (0, Alu::FConvertRte),
            Some(FPRoundingMode::RTZ) => (3, Alu::FConvertRtz),
            _ => return Err(self.unsupported(i, "rounding towards an infinity")),
        };
        let mode = self.b.kernel.mode;
        let same = mode.round(true) == wanted && mode.round(false) == wanted;
        Ok(if same { Alu::FConvert } else { alu })
    }
}
