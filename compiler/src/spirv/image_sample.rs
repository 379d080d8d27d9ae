//! Sampling and gathering: coordinates as the texture unit takes them.
//!
//! A compute shader without a derivative group has no neighbours to take derivatives from: an implicit level is level 0, plus
//! the bias.
//! Cube maps: v_cube* find face, place and major axis of a direction; the place goes to 1..2 and the face takes the layer in
//! its upper bits. With s = sc / 2|m| for the major axis m, ds = (dsc / 2 − s · d|m|) / |m|.

use super::image::Operands;
use super::module::Instr;
use super::operand::Operand;
use super::translate::Translator;
use crate::error::Result;
use crate::ir::{self, Alu, Dim, Image, ImageOp, Level, Value, Width};
use spirv::Op;

/// What an instruction is besides its operands.
#[derive(Clone, Copy)]
struct Shape {
    compare: bool,
    project: bool,
    gather: bool,
    /// Asks for the level of detail alone.
    detail: bool,
}

fn shape(op: Op) -> Option<Shape> {
    let (compare, project, gather) = match op {
        Op::ImageQueryLod => return Some(Shape { compare: false, project: false, gather: false, detail: true }),
        Op::ImageSampleImplicitLod | Op::ImageSampleExplicitLod => (false, false, false),
        Op::ImageSampleDrefImplicitLod | Op::ImageSampleDrefExplicitLod => (true, false, false),
        Op::ImageSampleProjImplicitLod | Op::ImageSampleProjExplicitLod => (false, true, false),
        Op::ImageSampleProjDrefImplicitLod | Op::ImageSampleProjDrefExplicitLod => (true, true, false),
        Op::ImageGather => (false, false, true),
        Op::ImageDrefGather => (true, false, true),
        _ => return None,
    };
    Some(Shape { compare, project, gather, detail: false })
}

/// The parts of an address, before they are put in order.
struct Address {
    coordinates: Vec<Value>,
    bias: Option<Value>,
    reference: Option<Value>,
    /// Horizontal, then vertical.
    gradients: Vec<Value>,
    level: Option<Value>,
    min_lod: Option<Value>,
}

impl Translator<'_> {
    /// True if `i` samples or gathers.
    pub fn sampling(&mut self, i: &Instr<'_>) -> Result<bool> {
        let Some(shape) = shape(i.op) else { return Ok(false) };
        let handle = self.opaque(i, 0)?;
        let (Some(image), Some(sampler)) = (handle.image, handle.sampler) else {
            return Err(self.malformed(i, "an image and a sampler are needed"));
        };
        let ty = image.1;
        if ty.dim == Dim::Buffer || ty.multisampled || ty.storage {
            return Err(self.malformed(i, "an image of this type is not sampled"));
        }
        let mut third = None;
        if shape.compare || shape.gather {
            third = Some(self.arg(i, 2)?);
        }
        let operands = self.image_operands(i, if third.is_some() { 3 } else { 2 })?;
        let component = match third {
            Some(id) if !shape.compare => self.literal(i, id)? as u8 & 3,
            _ => 0,
        };
        let reference = third.filter(|_| shape.compare);
        let op = match shape {
            Shape { gather: true, .. } => ImageOp::Gather(component),
            Shape { detail: true, .. } => ImageOp::Detail,
            _ => ImageOp::Sample,
        };
        let mut op = Image::new(op, ty.dim, ty.arrayed, false);
        op.access = image.0.sampled_access();
        op.compare = shape.compare;
        op.integer = shape.gather && !shape.compare && !self.types.is_float(i.ty);
        let address = self.sample_address(i, &mut op, shape, &operands, reference)?;
        let descriptors = [self.image_descriptor(i, &image)?, self.descriptor(i, &sampler, Width::Sampler)?];
        let words = match operands.offsets {
            _ if shape.detail => {
                let words = self.sample(op, descriptors, None, &address);
                self.define(i, Operand::Flat(words.into()))?;
                return Ok(true);
            }
            // The texel of each offset is the last of the four that lie around it.
            Some(offsets) if shape.gather => {
                let offsets = self.flat(i, offsets)?;
                if offsets.len() != 8 {
                    return Err(self.malformed(i, "four offsets of two numbers are needed"));
                }
                let mut words = Vec::new();
                for pair in offsets.chunks_exact(2) {
                    let packed = self.pack_offset(i, pair)?;
                    words.push(self.sample(op, descriptors, Some(packed), &address)[3]);
                }
                words
            }
            _ => {
                let offset = match operands.offset {
                    Some(id) => {
                        let numbers = self.flat(i, id)?;
                        let packed = self.pack_offset(i, &numbers)?;
                        Some(packed).filter(|&p| self.b.known(p) != Some(0))
                    }
                    None => None,
                };
                self.sample(op, descriptors, offset, &address)
            }
        };
        let texel = self.from_words(i, &words)?;
        self.define(i, Operand::Flat(texel))?;
        Ok(true)
    }

    fn sample(
        &mut self,
        mut op: Image,
        descriptors: [Value; 2],
        offset: Option<Value>,
        address: &Address,
    ) -> Vec<Value> {
        op.offset = offset.is_some();
        let mut args = descriptors.to_vec();
        args.extend(offset);
        args.extend(address.bias);
        args.extend(address.reference);
        args.extend(&address.gradients);
        args.extend(&address.coordinates);
        args.extend(address.level.or(address.min_lod));
        self.b.inst(ir::Op::Image(op), args, &vec![Width::B32; op.words()])
    }

    fn sample_address(
        &mut self,
        i: &Instr<'_>,
        op: &mut Image,
        shape: Shape,
        operands: &Operands,
        reference: Option<u32>,
    ) -> Result<Address> {
        let id = self.arg(i, 1)?;
        let (dims, layer) = match op.dim {
            Dim::D1 | Dim::Buffer => (1, op.arrayed),
            Dim::D2 => (2, op.arrayed),
            Dim::D3 | Dim::Cube => (3, op.arrayed),
        };
        let given = self.floats(i, id)?;
        // A level of detail is the same in all layers.
        let wanted = dims + usize::from(layer && !shape.detail || shape.project);
        if given.len() < wanted || shape.project && layer {
            return Err(self.malformed(i, format!("{} coordinates where {wanted} are needed", given.len())));
        }
        let mut coordinates = given[..dims].to_vec();
        let mut reference = match reference {
            Some(id) => Some(self.floats(i, id)?[0]),
            None => None,
        };
        if shape.project {
            for c in coordinates.iter_mut().chain(&mut reference) {
                *c = self.b.alu(Alu::FDiv, Width::B32, &[*c, given[dims]]);
            }
        }
        let mut gradients = Vec::new();
        if let Some((horizontal, vertical)) = operands.gradients {
            op.level = Level::Gradients;
            for id in [horizontal, vertical] {
                let d = self.floats(i, id)?;
                let Some(d) = d.get(..dims) else { return Err(self.malformed(i, "too few derivatives")) };
                gradients.extend(d);
            }
        }
        // The machine wants a layer even so.
        let first = self.b.f32(0.0);
        let layer_at = |n: usize| if shape.detail { Some(first) } else { given.get(n).copied() }.filter(|_| layer);
        if op.dim == Dim::Cube {
            (coordinates, gradients) = self.cube(&coordinates, &gradients, layer_at(3));
        } else {
            coordinates.extend(layer_at(dims));
        }
        let implicit = self.derivatives.is_some() && !shape.gather && operands.lod.is_none();
        let mut bias = None;
        if implicit && op.level == Level::Zero {
            op.level = Level::Implicit;
            if let Some(id) = operands.bias {
                op.level = Level::Bias;
                bias = Some(self.floats(i, id)?[0]);
            }
        }
        // Without derivatives a bias stands where no level is given, and is one then.
        let mut level = match operands.lod.or(operands.bias) {
            Some(id) if op.level == Level::Zero => Some(self.floats(i, id)?[0]),
            _ => None,
        };
        let mut min_lod = match operands.min_lod {
            Some(id) => Some(self.floats(i, id)?[0]),
            None => None,
        };
        if op.level == Level::Zero {
            if let Some(least) = min_lod.take() {
                let zero = self.b.f32(0.0);
                level = Some(self.b.alu(Alu::FMax, Width::B32, &[level.unwrap_or(zero), least]));
            }
            level = level.filter(|&l| self.b.known(l).is_none_or(|bits| bits & 0x7fff_ffff != 0));
            if level.is_some() {
                op.level = Level::Lod;
            }
        }
        op.min_lod = min_lod.is_some();
        Ok(Address { coordinates, bias, reference, gradients, level, min_lod })
    }

    /// A scalar's or vector's components as 32-bit floats.
    fn floats(&mut self, i: &Instr<'_>, id: u32) -> Result<Vec<Value>> {
        let ty = self.type_of(i, id)?;
        let float = self.types.is_float(ty);
        let flat = self.flat(i, id)?;
        if flat.is_empty() || !float {
            return Err(self.malformed(i, format!("%{id} is no float or vector of floats")));
        }
        let widen = |t: &mut Self, &v: &Value| match t.b.width(v) {
            Width::B32 => v,
            _ => t.b.alu(Alu::FConvert, Width::B32, &[v]),
        };
        Ok(flat.iter().map(|v| widen(self, v)).collect())
    }

    /// Signed 6-bit offsets at bits 0, 8 and 16.
    fn pack_offset(&mut self, i: &Instr<'_>, numbers: &[Value]) -> Result<Value> {
        let mut packed = self.b.u32(0);
        for (n, &v) in numbers.iter().enumerate().take(3) {
            if self.b.width(v) != Width::B32 {
                return Err(self.malformed(i, "offsets are 32-bit integers"));
            }
            let (mask, shift) = (self.b.u32(0x3f), self.b.u32(8 * n as u32));
            let field = self.b.alu(Alu::And, Width::B32, &[v, mask]);
            let field = self.b.alu(Alu::Shl, Width::B32, &[field, shift]);
            packed = self.b.alu(Alu::Or, Width::B32, &[packed, field]);
        }
        Ok(packed)
    }

    /// Coordinates and derivatives of a direction and its derivatives.
    fn cube(&mut self, direction: &[Value], gradients: &[Value], layer: Option<Value>) -> (Vec<Value>, Vec<Value>) {
        let f = Width::B32;
        let [face, sc, tc, ma] =
            [Alu::CubeId, Alu::CubeSc, Alu::CubeTc, Alu::CubeMa].map(|a| self.b.alu(a, f, direction));
        let twice = self.b.alu(Alu::FAbs, f, &[ma]);
        let inverse = self.b.alu(Alu::FRcp, f, &[twice]);
        let [s, t] = [sc, tc].map(|c| self.b.alu(Alu::FMul, f, &[c, inverse]));
        let middle = self.b.f32(1.5);
        let mut place = [s, t].map(|c| self.b.alu(Alu::FAdd, f, &[c, middle])).to_vec();
        let eight = self.b.f32(8.0);
        place.push(match layer {
            Some(layer) => {
                let zero = self.b.f32(0.0);
                let layer = self.b.alu(Alu::FRoundEven, f, &[layer]);
                let layer = self.b.alu(Alu::FMax, f, &[layer, zero]);
                self.b.alu(Alu::FFma, f, &[layer, eight, face])
            }
            None => face,
        });
        let mut out = Vec::new();
        for d in gradients.chunks_exact(3) {
            let [dsc, dtc, dm] = self.on_face(face, [d[0], d[1], d[2]]);
            let two = self.b.f32(2.0);
            // 1 / |m| = 2 / 2|m|.
            let scale = self.b.alu(Alu::FMul, f, &[inverse, two]);
            let half = self.b.f32(0.5);
            for (c, dc) in [(s, dsc), (t, dtc)] {
                let dc = self.b.alu(Alu::FMul, f, &[dc, half]);
                let turn = self.b.alu(Alu::FMul, f, &[c, dm]);
                let change = self.b.alu(Alu::FSub, f, &[dc, turn]);
                out.push(self.b.alu(Alu::FMul, f, &[change, scale]));
            }
        }
        (place, out)
    }

    /// Change of sc, tc and |m| on a face, from the change of a direction. The faces' axes are Vulkan's table of cube map faces.
    fn on_face(&mut self, face: Value, [x, y, z]: [Value; 3]) -> [Value; 3] {
        let f = Width::B32;
        let neg = |t: &mut Self, v| t.b.alu(Alu::FNeg, f, &[v]);
        let (nx, ny, nz) = (neg(self, x), neg(self, y), neg(self, z));
        // sc, tc, |m| of +X, −X, +Y, −Y, +Z, −Z.
        let faces = [[nz, ny, x], [z, ny, nx], [x, z, y], [x, nz, ny], [x, ny, z], [nx, ny, nz]];
        let mut out = faces[5];
        for (n, values) in faces.into_iter().enumerate().rev().skip(1) {
            let k = self.b.f32(n as f32);
            let hit = self.b.alu(Alu::FOrdEq, Width::B1, &[face, k]);
            for (o, v) in out.iter_mut().zip(values) {
                *o = self.b.select(hit, v, *o);
            }
        }
        out
    }
}
