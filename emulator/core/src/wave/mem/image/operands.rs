//! Which register holds which part of an image instruction's address.
//!
//! ```text
//! { offset } { bias } { reference } { derivatives } { coordinates, then level or least level }
//! ```
//! RDNA 1 ISA document, "VGPR Usage". With A16 coordinates and level are two to a register and the bias is 16 bits wide;
//! with the _G16 opcodes derivatives are two to a register, each screen direction by itself.

use crate::wave::regs::TEMPS;
use crate::wave::state::Wave;
use wavepipe_isa::Gen;
use wavepipe_isa::alu::{Alu, Nearest};
use wavepipe_isa::format::Lanes;
use wavepipe_isa::image::DIMS;
use wavepipe_isa::instr::{Flags, Image, Instr};
use wavepipe_isa::row::{ImageOp, Lod, Sampling};

/// One part: first row of its register, and where in it.
#[derive(Clone, Copy, Default)]
pub(super) struct OperandPart {
    row: usize,
    shift: u8,
    half: bool,
}

impl OperandPart {
    /// Integer value.
    #[inline(always)]
    pub fn int(self, w: &Wave, half: usize, lane: usize) -> u32 {
        let v = w.v.get(self.row + half).0[lane % 32] >> self.shift;
        if self.half { v & 0xffff } else { v }
    }

    /// Integer values of 32 lanes.
    #[inline(always)]
    pub fn lanes(self, w: &Wave, half: usize) -> Lanes {
        let mut out = *w.v.get(self.row + half);
        if self.half {
            out.iter_mut().for_each(|v| *v = *v >> self.shift & 0xffff);
        }
        out
    }

    /// Whether it is 16 bits wide.
    #[inline(always)]
    pub fn is_half(self) -> bool {
        self.half
    }

    /// Float value.
    #[inline(always)]
    pub fn float(self, w: &Wave, half: usize, lane: usize) -> f32 {
        let v = self.int(w, half, lane);
        f32::from_bits(if self.half { Nearest.f32_from_f16(v) } else { v })
    }
}

/// All parts.
#[derive(Default)]
pub(super) struct Operands {
    pub offset: Option<OperandPart>,
    pub bias: Option<OperandPart>,
    pub reference: Option<OperandPart>,
    /// Horizontal, then vertical, three each.
    pub derivatives: Option<[[OperandPart; 3]; 2]>,
    /// As many as DIM has.
    pub coordinates: [OperandPart; 4],
    pub count: usize,
    /// Level, or least level with _CL.
    pub level: Option<OperandPart>,
    /// Registers that a wave has to have, where an encoding does not say.
    pub registers: u32,
}

/// The parts of an image instruction, by DIM where that is not the instruction's.
pub(crate) struct ImageOperands(Box<[Operands]>);

impl ImageOperands {
    /// Of a wave of `halves` · 32 lanes; `None`: the instruction has others.
    pub fn new(i: &Instr, isa: Gen, halves: usize) -> Option<ImageOperands> {
        let (op, image) = i.image().filter(|(op, _)| !matches!(op, ImageOp::IntersectRay { .. }))?;
        let of = |dim: u8| Operands::new(i, op, image, dim, isa, halves);
        Some(ImageOperands(if isa.caps().image_dim { [of(image.dim)].into() } else { (0..8).map(of).collect() }))
    }

    #[inline(always)]
    pub(super) fn of(&self, dim: u8) -> Option<&Operands> {
        self.0.get(if self.0.len() == 1 { 0 } else { usize::from(dim) })
    }
}

impl Operands {
    fn new(i: &Instr, op: ImageOp, image: &Image, number: u8, isa: Gen, halves: usize) -> Operands {
        let dim = &DIMS[usize::from(number & 7)];
        let a16 = i.flags.contains(Flags::A16);
        let parts = op.address(number, a16);
        // Without DIM the instruction's own registers are no more than the first.
        let listed = isa.caps().image_dim;
        let row = |register: usize| {
            let v = match listed {
                true => usize::from(image.vaddr[register.min(Image::MAX_ADDRESSES - 1)]),
                false => usize::from(image.vaddr[0]) + register,
            };
            (TEMPS as usize + v) * halves
        };
        let sampling = match op {
            ImageOp::Sample(s) | ImageOp::Gather4(s) => s,
            _ => Sampling::new(Lod::Zero),
        };
        let mut at = 0;
        let mut whole = |half| {
            at += 1;
            OperandPart { row: row(at - 1), shift: 0, half }
        };
        let mut out = Operands {
            offset: sampling.offset.then(|| whole(false)),
            bias: matches!(sampling.lod, Lod::Bias).then(|| whole(a16)),
            reference: sampling.compare.then(|| whole(false)),
            registers: if listed { 0 } else { u32::from(image.vaddr[0]) + u32::from(parts.registers()) },
            ..Operands::default()
        };
        if matches!(sampling.lod, Lod::Derivative | Lod::CoarseDerivative) {
            let n = usize::from(dim.derivatives / 2);
            let mut d = [[OperandPart::default(); 3]; 2];
            for direction in &mut d {
                for (k, slot) in direction.iter_mut().enumerate().take(n) {
                    *slot = match sampling.g16 {
                        true => OperandPart { row: row(at + k / 2), shift: 16 * (k as u8 & 1), half: true },
                        false => OperandPart { row: row(at + k), shift: 0, half: false },
                    };
                }
                at += if sampling.g16 { n.div_ceil(2) } else { n };
            }
            out.derivatives = Some(d);
        }
        let body = |k: usize| match a16 {
            true => OperandPart { row: row(at + k / 2), shift: 16 * (k as u8 & 1), half: true },
            false => OperandPart { row: row(at + k), shift: 0, half: false },
        };
        let resinfo = matches!(op, ImageOp::Resinfo);
        out.count = if resinfo { 0 } else { usize::from(dim.coordinates) };
        for (k, slot) in out.coordinates.iter_mut().enumerate().take(out.count) {
            *slot = body(k);
        }
        out.level = (usize::from(parts.components) > out.count).then(|| body(out.count));
        out
    }
}
