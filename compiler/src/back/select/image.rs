//! Image operations: MIMG, and MUBUF with a format for texel buffers.
//!
//! | ir | machine |
//! |---|---|
//! | T#, S# | SGPR tuples; indexes that differ between lanes in a waterfall |
//! | addresses | VGPRs where they are, in the NSA form if the target has it and there are at most five, else side by side |
//! | results | only the components that somebody reads |
//!
//! A storage cube is a 2D array of its faces, as the T# that a driver makes for it may be. Where instructions have no DIM, they say
//! of arrays and cubes that they are such, and the T# says the rest.

use super::atomic::machine_atomic;
use super::memory::{atomic, scope};
use super::*;
use crate::ir::{Dim, Image, ImageOp, Level};
use wavepipe_isa::cache::Cache;
use wavepipe_isa::find::Way;
use wavepipe_isa::generation::ImageAddresses;
use wavepipe_isa::instr::{Extra, Image as Fields};
use wavepipe_isa::legal;
use wavepipe_isa::row::{ImageOp as Machine, Lod, MemKind, Sampling};

/// Addresses that one dword of non-sequential addresses allows; gfx1010 reads no second one.
const NSA_ADDRESSES: usize = 5;

/// DIM of the instruction.
fn dim(image: &Image) -> u8 {
    match (image.dim, image.arrayed, image.multisampled) {
        (Dim::D1, false, _) => 0,
        (Dim::D2, false, false) => 1,
        (Dim::D3, ..) => 2,
        (Dim::Cube, ..) if image.samples_texels() => 3,
        (Dim::D1, true, _) => 4,
        (Dim::D2, true, false) | (Dim::Cube, ..) => 5,
        (Dim::D2, false, true) => 6,
        (Dim::D2, true, true) => 7,
        (Dim::Buffer, ..) => 0,
    }
}

impl Selector<'_> {
    pub(super) fn image(&mut self, image: &Image, inst: &IrInst) -> Result<()> {
        for &d in &inst.args[..image.descriptors()] {
            if let Val::DivergentDesc { base, offset } = self.vals[d.0 as usize] {
                let (image, inst) = (*image, inst.clone());
                return self.waterfall(base, offset, d, |s| s.image(&image, &inst));
            }
        }
        let Some(rsrc) = self.resource(inst.args[0]) else {
            return Err(self.unsupported("an access through a descriptor that is no value"));
        };
        match image.op {
            ImageOp::Samples => self.samples(rsrc, inst.results[0]),
            _ if image.dim == Dim::Buffer => self.texel_buffer(image, rsrc, inst)?,
            _ => self.texture(image, rsrc, inst)?,
        }
        Ok(())
    }

    /// LAST_LEVEL of a multisampled T# is the logarithm of its samples; no other T# has any.
    fn samples(&mut self, rsrc: Part, r: Value) {
        let word = Arg::from(rsrc.at(3));
        let log = self.s1(i::S_BFE_U32, &[word, Arg::Imm(16 | 4 << 16)]);
        let count = self.s1(i::S_LSHL_B32, &[Arg::Imm(1), log.into()]);
        let kind = self.s1(i::S_LSHR_B32, &[word, Arg::Imm(28)]);
        self.raw(i::S_CMP_GE_U32, &[], &[kind.into(), Arg::Imm(14)]);
        let d = self.new_s(1);
        self.raw(i::S_CSELECT_B32, &[d.into()], &[count.into(), Arg::Imm(0)]);
        let d = self.to_v(d.into());
        self.set_reg(r, d);
    }

    /// Bits of the results that somebody reads, and how many there are; at least one.
    fn wanted(&self, results: &[Value]) -> u8 {
        let mask = results.iter().enumerate().fold(0, |m, (n, &r)| m | u8::from(self.defs.uses(r) > 0) << n);
        mask.max(1)
    }

    /// Words as parts of one VGPR tuple that nobody else shares: an atomic's data, which its result overwrites.
    fn fresh_tuple(&mut self, data: &[Value]) -> Part {
        let words: Vec<Arg> = data.iter().flat_map(|&v| self.dwords(v)).collect();
        let x = self.new_v(words.len() as u32);
        let mut copy = Inst::pseudo(Pseudo::Copy, vec![], vec![]);
        for (k, &w) in words.iter().enumerate() {
            copy.dst.push(x.at(k as u32).into());
            copy.src.push(w);
        }
        self.push(copy);
        x
    }

    /// The result of an atomic, if somebody reads it: where it will be.
    fn returned(&self, inst: &IrInst, x: Part) -> Option<Part> {
        let r = *inst.results.first()?;
        let dwords = self.width(r).bits() / 32;
        (self.defs.uses(r) > 0).then(|| x.slice(0, dwords))
    }

    fn texel_buffer(&mut self, image: &Image, rsrc: Part, inst: &IrInst) -> Result<()> {
        let index = self.src(inst.args[1]);
        let index = self.stored(index);
        let data = &inst.args[1 + image.addresses()..];
        let mut dst = Vec::new();
        let mut src = vec![Arg::from(index), rsrc.into(), Arg::Imm(0)];
        let mut cache = Cache::DEFAULT;
        let op = match image.op {
            ImageOp::Store => {
                let words: Vec<Arg> = data.iter().flat_map(|&v| self.dwords(v)).collect();
                src.push(self.vgprs(&words).into());
                let components = words.len().clamp(1, 4) as u8;
                let op = self.row(Way::Buffer, MemKind::StoreFormat { components, d16: false, hi: false }, false)?;
                cache = legal::shared(op, scope(image.access), self.f.isa);
                op
            }
            ImageOp::Atomic(a) => {
                let x = self.fresh_tuple(data);
                let back = self.returned(inst, x);
                let wide = self.width(data[0]) == Width::B64;
                let Some(op) = self.atomic_row(a, Way::Buffer, wide, back.is_some()) else {
                    return Err(self.unsupported(&format!("atomic {a:?} on texels")));
                };
                src.push(x.into());
                if let Some(d) = back {
                    cache = atomic(true);
                    dst.push(d.into());
                    self.set_reg(inst.results[0], d);
                }
                op
            }
            _ => {
                let count = 8 - self.wanted(&inst.results).leading_zeros();
                let d = self.new_v(count);
                dst.push(d.into());
                for (n, &r) in inst.results.iter().enumerate().take(count as usize) {
                    self.set_reg(r, d.at(n as u32));
                }
                let components = count.min(4) as u8;
                let op = self.row(Way::Buffer, MemKind::LoadFormat { components, d16: false, hi: false }, false)?;
                cache = legal::shared(op, scope(image.access), self.f.isa);
                op
            }
        };
        let inst = self.raw(op, &dst, &src);
        inst.flags = Flags::IDXEN;
        inst.cache = cache;
        Ok(())
    }

    fn texture(&mut self, image: &Image, rsrc: Part, inst: &IrInst) -> Result<()> {
        let sampler = match image.samples_texels() {
            false => None,
            true => match self.resource(inst.args[1]) {
                None => return Err(self.unsupported("a sampler that is no value")),
                s => s,
            },
        };
        let (address, data) = inst.args[image.descriptors()..].split_at(image.addresses());
        let mut address: Vec<Arg> = address.iter().map(|&v| self.src(v)).collect();
        let (mut rsrc, mut scaled) = (rsrc, None);
        if let Some(s) = sampler.filter(|_| image.integer && self.f.isa.caps().integer_gather_bug) {
            (rsrc, scaled) = self.half_texel_back(image, rsrc, s, &mut address)?;
        }
        let mip = image.level == Level::Lod;
        let sampling = Sampling {
            compare: image.compare,
            lod: match image.level {
                Level::Zero => Lod::Zero,
                Level::Lod => Lod::Explicit,
                Level::Gradients => Lod::Derivative,
                Level::Implicit => Lod::Implicit,
                Level::Bias => Lod::Bias,
            },
            clamp: image.min_lod,
            offset: image.offset,
            g16: false,
        };
        // Integer accesses count texels.
        let flags = if image.samples_texels() { Flags::empty() } else { Flags::UNORM };
        let mut returns = false;
        let (mut dst, mut store) = (Vec::new(), Arg::None);
        let (op, dmask) = match image.op {
            ImageOp::Store => {
                let words: Vec<Arg> = data.iter().flat_map(|&v| self.dwords(v)).collect();
                store = self.vgprs(&words).into();
                (Machine::Store { mip, packed: false }, (1 << words.len()) - 1)
            }
            ImageOp::Atomic(a) => {
                let Some(op) = machine_atomic(a) else {
                    return Err(self.unsupported(&format!("atomic {a:?} on texels")));
                };
                let x = self.fresh_tuple(data);
                store = x.into();
                if let Some(d) = self.returned(inst, x) {
                    returns = true;
                    dst.push(Arg::from(d));
                    self.set_reg(inst.results[0], d);
                }
                (Machine::Atomic(op), (1 << x.len) - 1)
            }
            ImageOp::Gather(component) => {
                let d = self.new_v(4);
                dst.push(d.into());
                for (n, &r) in inst.results.iter().enumerate() {
                    self.set_reg(r, d.at(n as u32));
                }
                (Machine::Gather4(sampling), 1 << (component & 3))
            }
            ImageOp::Load | ImageOp::Sample | ImageOp::Detail | ImageOp::Size | ImageOp::Levels | ImageOp::Samples => {
                // Where each result stands among the components of the instruction.
                let component = |n: usize| match (image.op, image.dim) {
                    (ImageOp::Levels, _) => 3,
                    // The layers are the third number even of a 1D image.
                    (ImageOp::Size, Dim::D1) if n == 1 => 2,
                    _ => n,
                };
                let wanted = self.wanted(&inst.results);
                let d = self.new_v(wanted.count_ones());
                dst.push(d.into());
                let (mut dmask, mut next) = (0u8, 0);
                for (n, &r) in inst.results.iter().enumerate().filter(|(n, _)| wanted >> n & 1 != 0) {
                    dmask |= 1 << component(n);
                    self.set_reg(r, d.at(next));
                    next += 1;
                }
                let op = match image.op {
                    ImageOp::Load => Machine::Load { mip, packed: false, signed: false },
                    ImageOp::Sample => Machine::Sample(sampling),
                    ImageOp::Detail => Machine::GetLod,
                    _ => Machine::Resinfo,
                };
                if op == Machine::Resinfo && !mip {
                    address = vec![Arg::Imm(0)];
                }
                (op, dmask)
            }
        };
        let row = self.row(Way::Image, MemKind::Image(op), false)?;
        let dim = dim(image);
        let count = op.address(dim, false).registers();
        if usize::from(count) != address.len() {
            return Err(self.unsupported(&format!("{op:?} with {} addresses", address.len())));
        }
        let cache = match image.op {
            ImageOp::Atomic(_) => atomic(returns),
            _ if image.samples_texels() => Cache::DEFAULT,
            _ => legal::shared(row, scope(image.access), self.f.isa),
        };
        let resources = [rsrc.into(), sampler.map_or(Arg::None, Arg::from), store];
        self.image_inst(image, row, &dst, &address, resources, dmask, flags).cache = cache;
        if let Some(scaled) = scaled {
            self.whole_numbers(&inst.results, scaled);
        }
        Ok(())
    }

    /// The instruction, whose addresses stand as the generation wants them.
    #[allow(clippy::too_many_arguments)] // As many as it has operands.
    fn image_inst(
        &mut self,
        image: &Image,
        row: Op,
        dst: &[Arg],
        address: &[Arg],
        [rsrc, sampler, store]: [Arg; 3],
        dmask: u8,
        mut flags: Flags,
    ) -> &mut Inst {
        let (dim, count) = (dim(image), address.len() as u8);
        let mut src = vec![Arg::None, rsrc, sampler, store];
        let listed = self.f.isa.caps().image_addresses != ImageAddresses::Tuple;
        if address.len() <= if listed { NSA_ADDRESSES } else { 1 } {
            let parts: Vec<Arg> = address.iter().map(|&a| self.stored(a).into()).collect();
            src[0] = parts[0];
            src.extend(&parts[1..]);
        } else {
            src[0] = self.gather(Bank::V, address).into();
        }
        let layered = image.arrayed || image.dim == Dim::Cube;
        let dim = match self.f.isa.caps().image_dim {
            true => dim,
            false => {
                flags.set(Flags::DA, layered);
                0
            }
        };
        let inst = self.raw(row, dst, &src);
        inst.flags = flags;
        // Register numbers and form follow from the allocation.
        inst.extra = Extra::Image(Fields { dmask, dim, nsa: 0, vaddr: [0; Fields::MAX_ADDRESSES], addresses: count });
        inst
    }

    /// Half a texel off the coordinates of a gather of integers, which the texture unit begins at the nearest texel
    /// (`Caps::integer_gather_bug`). As Mesa does it, but for cubes of 8_8_8_8: their T# says that the numbers are scaled, which is a
    /// format that is not nearest. Returns the T#, and the mask of a gather whose results are floats so.
    fn half_texel_back(
        &mut self,
        image: &Image,
        rsrc: Part,
        sampler: Part,
        address: &mut [Arg],
    ) -> Result<(Part, Option<Arg>)> {
        if image.level != Level::Zero {
            return Err(self.unsupported("a gather of integers at a level"));
        }
        let resinfo = self.row(Way::Image, MemKind::Image(Machine::Resinfo), false)?;
        let size = self.new_v(2);
        let resources = [rsrc.into(), Arg::None, Arg::None];
        self.image_inst(image, resinfo, &[size.into()], &[Arg::Imm(0)], resources, 3, Flags::UNORM);
        let minus_half = Arg::Imm((-0.5f32).to_bits());
        // S# FORCE_UNNORMALIZED: only what is neither an array nor a cube may be sampled with coordinates of texels.
        let texels = (image.dim == Dim::D2 && !image.arrayed).then(|| {
            let (a, b) = (Arg::from(sampler.at(0)), Arg::Imm(15));
            self.mask_of(Bool::Compare { op: i::S_BITCMP1_B32, a, b })
        });
        let scaled = (image.dim == Dim::Cube).then(|| {
            // T# DATA_FORMAT and NUM_FORMAT. UINT is 4 and USCALED 2, SINT 5 and SSCALED 3; 8_8_8_8 is 10.
            let word = Arg::from(rsrc.at(1));
            let other = self.s1(i::S_XOR_B32, &[word, Arg::Imm(6 << 26)]);
            let data = self.s1(i::S_BFE_U32, &[word, Arg::Imm(20 | 6 << 16)]);
            let (a, b) = (Arg::from(data), Arg::Imm(10));
            self.raw(i::S_CMP_EQ_U32, &[], &[a, b]);
            let d = self.new_s(1);
            self.raw(i::S_CSELECT_B32, &[d.into()], &[other.into(), word]);
            (d, self.mask_of(Bool::Compare { op: i::S_CMP_EQ_U32, a, b }))
        });
        let first = usize::from(image.offset);
        for (axis, c) in address[first..].iter_mut().take(2).enumerate() {
            let n = self.v1(i::V_CVT_F32_U32, &[size.at(axis as u32).into()]);
            let texel = self.v1(i::V_RCP_F32, &[n.into()]);
            let mut back = self.v1(i::V_MUL_F32, &[minus_half, texel.into()]);
            if let Some(texels) = texels {
                back = self.v1(i::V_CNDMASK_B32, &[back.into(), minus_half, texels]);
            }
            let mut moved = self.v1(i::V_ADD_F32, &[back.into(), *c]);
            if let Some((_, scaled)) = scaled {
                moved = self.v1(i::V_CNDMASK_B32, &[moved.into(), *c, scaled]);
            }
            *c = moved.into();
        }
        let Some((word, mask)) = scaled else { return Ok((rsrc, None)) };
        let words: Vec<Arg> = (0..8).map(|n| if n == 1 { word.into() } else { rsrc.at(n).into() }).collect();
        Ok((self.gather(Bank::S, &words), Some(mask)))
    }

    /// Floats become integers where the mask is set.
    fn whole_numbers(&mut self, results: &[Value], mask: Arg) {
        for &r in results {
            let word = self.src(r);
            let whole = self.v1(i::V_CVT_I32_F32, &[word]);
            let word = self.v1(i::V_CNDMASK_B32, &[word, whole.into(), mask]);
            self.set_reg(r, word);
        }
    }
}
