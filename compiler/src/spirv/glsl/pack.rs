//! Packing and unpacking of normalized integers, halves and doubles.

use super::super::module::Instr;
use super::super::translate::Translator;
use super::GLOp;
use crate::error::Result;
use crate::ir::{Alu, Value, Width};

impl Translator<'_> {
    /// The result of an instruction that packs or unpacks `v`; None if `op` is none.
    pub(super) fn packing(&mut self, i: &Instr<'_>, op: GLOp, v: &[Value]) -> Result<Option<Vec<Value>>> {
        let mut out = Vec::new();
        match op {
            GLOp::PackSnorm4x8 => out.push(self.pack_norm(v, 8, true)),
            GLOp::PackUnorm4x8 => out.push(self.pack_norm(v, 8, false)),
            GLOp::PackSnorm2x16 => out.push(self.pack_norm(v, 16, true)),
            GLOp::PackUnorm2x16 => out.push(self.pack_norm(v, 16, false)),
            GLOp::UnpackSnorm4x8 => out = self.unpack_norm(v[0], 8, true),
            GLOp::UnpackUnorm4x8 => out = self.unpack_norm(v[0], 8, false),
            GLOp::UnpackSnorm2x16 => out = self.unpack_norm(v[0], 16, true),
            GLOp::UnpackUnorm2x16 => out = self.unpack_norm(v[0], 16, false),
            GLOp::PackHalf2x16 if v.len() == 2 => out.push(self.apply(i, Alu::PackHalf2x16, Width::B32, v)?),
            GLOp::UnpackHalf2x16 => {
                out.push(self.apply(i, Alu::UnpackHalfLo, Width::B32, v)?);
                out.push(self.apply(i, Alu::UnpackHalfHi, Width::B32, v)?);
            }
            GLOp::PackDouble2x32 if v.len() == 2 => out.push(self.apply(i, Alu::Pack64, Width::B64, v)?),
            GLOp::UnpackDouble2x32 => {
                out.push(self.apply(i, Alu::Lo32, Width::B32, v)?);
                out.push(self.apply(i, Alu::Hi32, Width::B32, v)?);
            }
            _ => return Ok(None),
        }
        Ok(Some(out))
    }

    /// Clamps, scales, rounds and packs `v` as integers of `bits` bits.
    fn pack_norm(&mut self, v: &[Value], bits: u32, signed: bool) -> Value {
        let top = if signed { (1u32 << (bits - 1)) - 1 } else { ((1u64 << bits) - 1) as u32 };
        let mut word = self.b.u32(0);
        for (n, &x) in v.iter().enumerate() {
            let (one, m1) = (self.b.f32(1.0), self.b.f32(-1.0));
            let x = if signed {
                let x = self.f2(Alu::FMax, x, m1);
                self.f2(Alu::FMin, x, one)
            } else {
                self.f1(Alu::FSat, x)
            };
            let x = self.times(x, f64::from(top));
            let x = self.f1(Alu::FRoundEven, x);
            let i = self.b.alu(if signed { Alu::FToS } else { Alu::FToU }, Width::B32, &[x]);
            let (m, s) = (self.b.u32(((1u64 << bits) - 1) as u32), self.b.u32(n as u32 * bits));
            let i = self.b.alu(Alu::And, Width::B32, &[i, m]);
            let i = self.b.alu(Alu::Shl, Width::B32, &[i, s]);
            word = self.b.alu(Alu::Or, Width::B32, &[word, i]);
        }
        word
    }

    fn unpack_norm(&mut self, word: Value, bits: u32, signed: bool) -> Vec<Value> {
        let top = if signed { (1u32 << (bits - 1)) - 1 } else { ((1u64 << bits) - 1) as u32 };
        (0..32 / bits)
            .map(|n| {
                let (at, len) = (self.b.u32(n * bits), self.b.u32(bits));
                let i = self.b.alu(if signed { Alu::SBfe } else { Alu::UBfe }, Width::B32, &[word, at, len]);
                let f = self.b.alu(if signed { Alu::SToF } else { Alu::UToF }, Width::B32, &[i]);
                let f = self.times(f, 1.0 / f64::from(top));
                if !signed {
                    return f;
                }
                let m1 = self.b.f32(-1.0);
                self.f2(Alu::FMax, f, m1)
            })
            .collect()
    }
}
