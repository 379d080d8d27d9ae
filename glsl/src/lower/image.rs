//! Images: read, written, sampled, asked for their size.

use super::{Lower, Lvalue, Val};
use crate::Result;
use crate::syntax::{At, Expr};
use crate::types::{Dim, FLOAT, INT, Image, Scalar, Ty, vector};
use spirv::{Capability, Op};

/// Image operands, by SPIR-V's numbers, in the order in which they are written.
const BIAS: u32 = 1;
const LOD: u32 = 2;
const GRAD: u32 = 4;
const CONST_OFFSET: u32 = 8;
const OFFSET: u32 = 0x10;
const CONST_OFFSETS: u32 = 0x20;
const SAMPLE: u32 = 0x40;

impl Lower<'_> {
    /// `sampler2D(image, sampler)`
    pub(super) fn combined(&mut self, ty: &Ty, image: &Expr, sampler: &Expr) -> Result<Val> {
        let (image, sampler) = (self.must_place(image)?, self.must_place(sampler)?);
        let (image, sampler) = (self.load(&image)?, self.load(&sampler)?);
        let (Ty::Sampled(wanted), Ty::Image(own), Ty::Sampler(_)) = (ty, &image.ty, &sampler.ty) else {
            return Err(self.refuse("it is made of a texture and a sampler"));
        };
        let ty = Ty::Sampled(Image { shadow: wanted.shadow, ..*own });
        // Whether it compares is the sampler's; the type of the image says it as well.
        let own = Ty::Sampled(*own);
        let value = self.value(Op::SampledImage, &own, &[image.id, sampler.id])?;
        Ok(Val { ty, ..value })
    }

    /// The value and the shape of what is sampled or read.
    fn handle(&mut self, e: &Expr) -> Result<(Val, Image, bool)> {
        let value = match self.place_of(e)? {
            Some(place) => self.opaque(&place)?,
            None => self.expr(e)?,
        };
        match value.ty {
            Ty::Sampled(image) => Ok((value, image, true)),
            Ty::Image(image) => Ok((value, image, false)),
            _ => Err(self.refuse("an image or a sampler is wanted")),
        }
    }

    fn opaque(&mut self, place: &Lvalue) -> Result<Val> {
        self.load(place)
    }

    /// The image of what may have a sampler.
    fn bare(&mut self, value: &Val, image: &Image) -> Result<Val> {
        match value.ty {
            Ty::Sampled(_) => self.value(Op::Image, &Ty::Image(*image), &[value.id]),
            _ => Ok(value.clone()),
        }
    }

    pub(super) fn image_call(&mut self, name: &str, arguments: &[Expr], at: At) -> Result<Option<Val>> {
        let [of, rest @ ..] = arguments else { return Ok(None) };
        let known = [
            "imageLoad",
            "imageStore",
            "imageSize",
            "imageSamples",
            "textureSize",
            "textureSamples",
            "textureQueryLevels",
            "textureQueryLod",
        ];
        if !known.contains(&name) && !name.starts_with("texture") && !name.starts_with("texelFetch") {
            return Ok(None);
        }
        let (value, image, sampled) = self.handle(of)?;
        let whole = |l: &mut Self, e: &Expr, n: u8| -> Result<Val> {
            let value = l.expr(e)?;
            l.becoming(&value, &vector(INT, n))
        };
        let four = Ty::Vector(image.scalar, 4);
        let out = match (name, rest) {
            ("imageLoad", [place, sample @ ..]) => {
                let place = whole(self, place, image.coordinates())?;
                let mut words = vec![value.id, place.id];
                self.sample(&image, sample, &mut words)?;
                self.go(at);
                self.value(Op::ImageRead, &four, &words)?
            }
            ("imageStore", [place, sample @ .., texel]) => {
                let place = whole(self, place, image.coordinates())?;
                let texel = self.expr(texel)?;
                let texel = self.becoming(&texel, &four)?;
                let mut words = vec![value.id, place.id, texel.id];
                self.sample(&image, sample, &mut words)?;
                self.go(at);
                self.b.effect(Op::ImageWrite, &words);
                self.void()
            }
            ("imageSize" | "textureSize", rest) => {
                self.b.capability(Capability::ImageQuery);
                let bare = self.bare(&value, &image)?;
                let ty = vector(INT, image.size());
                let levels = !image.storage && !image.samples && !matches!(image.dim, Dim::Buffer | Dim::Rect);
                match (levels, rest) {
                    (true, [lod]) => {
                        let lod = whole(self, lod, 1)?;
                        self.go(at);
                        self.value(Op::ImageQuerySizeLod, &ty, &[bare.id, lod.id])?
                    }
                    (false, []) => self.value(Op::ImageQuerySize, &ty, &[bare.id])?,
                    _ => return Err(self.refuse(format!("`{name}` does not take that here"))),
                }
            }
            ("imageSamples" | "textureSamples" | "textureQueryLevels", []) => {
                self.b.capability(Capability::ImageQuery);
                let bare = self.bare(&value, &image)?;
                let op = if name == "textureQueryLevels" { Op::ImageQueryLevels } else { Op::ImageQuerySamples };
                self.value(op, &Ty::Scalar(INT), &[bare.id])?
            }
            ("texelFetch" | "texelFetchOffset", [place, rest @ ..]) => {
                let place = whole(self, place, image.coordinates())?;
                let bare = self.bare(&value, &image)?;
                let mut words = vec![bare.id, place.id];
                let offset = name == "texelFetchOffset";
                let levels = !image.samples && !matches!(image.dim, Dim::Buffer | Dim::Rect);
                let (level, rest) = match (levels || image.samples, rest) {
                    (true, [level, rest @ ..]) => (Some(whole(self, level, 1)?), rest),
                    (_, rest) => (None, rest),
                };
                let mut operands = Vec::new();
                if let Some(level) = level.filter(|_| levels) {
                    operands.push((LOD, level.id));
                } else if let Some(sample) = rest.first().filter(|_| false) {
                    operands.push((SAMPLE, whole(self, sample, 1)?.id));
                }
                if let (true, Some(by)) = (offset, rest.first()) {
                    operands.push(self.offset(by)?);
                }
                if image.samples
                    && let [_, sample, ..] = arguments.get(1..).unwrap_or_default()
                {
                    let sample = whole(self, sample, 1)?;
                    operands.push((SAMPLE, sample.id));
                }
                extend(&mut words, &operands);
                self.go(at);
                self.value(Op::ImageFetch, &four, &words)?
            }
            _ if sampled && name.starts_with("texture") => {
                return self.sampled(name, &value, &image, rest, at).map(Some);
            }
            _ => return Ok(None),
        };
        Ok(Some(out))
    }

    fn sample(&mut self, image: &Image, rest: &[Expr], words: &mut Vec<u32>) -> Result<()> {
        match (image.samples, rest) {
            (false, []) => Ok(()),
            (true, [sample]) => {
                let sample = self.expr(sample)?;
                let sample = self.becoming(&sample, &Ty::Scalar(INT))?;
                words.extend([SAMPLE, sample.id]);
                Ok(())
            }
            _ => Err(self.refuse("the image wants other arguments")),
        }
    }

    fn offset(&mut self, e: &Expr) -> Result<(u32, u32)> {
        if let Some(value) = self.constant_expr(e)? {
            return Ok((CONST_OFFSET, value.id));
        }
        self.b.capability(Capability::ImageGatherExtended);
        Ok((OFFSET, self.expr(e)?.id))
    }

    /// `texture`, with `Proj`, `Lod`, `Grad`, `Gather` and `Offset` in its name.
    fn sampled(&mut self, name: &str, value: &Val, image: &Image, rest: &[Expr], at: At) -> Result<Val> {
        let mut words_of = name.strip_prefix("texture").unwrap_or_default();
        let mut has = |part: &str| match words_of.strip_prefix(part) {
            Some(rest) => {
                words_of = rest;
                true
            }
            None => false,
        };
        let (gather, proj) = (has("Gather"), has("Proj"));
        let (lod, grad) = (has("Lod"), has("Grad"));
        let (offsets, offset) = (has("Offsets"), has("Offset"));
        if !words_of.is_empty() {
            return Err(self.refuse(format!("no function `{name}` is known")));
        }
        let mut rest = rest.iter();
        let mut next = |l: &mut Self| -> Result<Val> {
            let e = rest.next().ok_or_else(|| l.refuse(format!("`{name}` wants more arguments")))?;
            l.expr(e)
        };
        let mut place = next(self)?;
        if place.ty.scalar().is_some_and(|s| s.is_int()) {
            place = self.convert(&place, FLOAT)?;
        }
        // What is compared with stands behind the coordinates, or by itself where these have four.
        let coordinates = image.coordinates();
        let mut compared = None;
        if image.shadow {
            compared = Some(if gather || coordinates == 4 {
                next(self)?
            } else {
                let index = usize::from(coordinates.max(2));
                self.extract(&place, index)?
            });
        }
        let lanes = place.ty.lanes().unwrap_or(0);
        if proj {
            if lanes < coordinates + 1 {
                return Err(self.refuse(format!("`{name}` wants coordinates with a divisor")));
            }
            let mut pick: Vec<u8> = (0..coordinates).collect();
            pick.push(lanes - 1);
            place = self.picked(&place, &pick)?;
        } else if lanes > coordinates {
            let pick: Vec<u8> = (0..coordinates).collect();
            place = self.picked(&place, &pick)?;
        } else if lanes < coordinates {
            return Err(self.refuse(format!("`{name}` wants {coordinates} coordinates here")));
        }
        let mut operands = Vec::new();
        if lod {
            let level = next(self)?;
            operands.push((LOD, self.convert(&level, FLOAT)?.id));
        } else if grad {
            let (x, y) = (next(self)?, next(self)?);
            operands.push((GRAD, x.id));
            operands.push((0, y.id));
        }
        if offset || offsets {
            let e = rest.next().ok_or_else(|| self.refuse(format!("`{name}` wants an offset")))?;
            if offsets {
                self.b.capability(Capability::ImageGatherExtended);
                let value = self.constant_expr(e)?.ok_or_else(|| self.refuse("these offsets are to be constant"))?;
                operands.push((CONST_OFFSETS, value.id));
            } else {
                operands.push(self.offset(e)?);
            }
        }
        let mut component = None;
        if let Some(e) = rest.next() {
            let more = self.expr(e)?;
            if gather {
                component = Some(more.id);
            } else if !lod && !grad {
                operands.push((BIAS, more.id));
            }
        }
        operands.sort_by_key(|(mask, _)| match mask {
            0 => GRAD,
            mask => *mask,
        });
        // Without neighbours there are no derivatives: what asks for no level gets the first.
        if !gather && !operands.iter().any(|(m, _)| matches!(*m, LOD | GRAD)) {
            operands.retain(|(m, _)| *m != BIAS);
            let zero = self.konst(&Ty::Scalar(FLOAT), crate::fold::Konst::Float(0.0))?;
            operands.insert(0, (LOD, zero.id));
        }
        self.go(at);
        let four = Ty::Vector(image.scalar, 4);
        let mut words = vec![value.id, place.id];
        let (op, ty) = match (gather, compared, proj) {
            (true, Some(compared), _) => {
                words.push(compared.id);
                (Op::ImageDrefGather, four)
            }
            (true, None, _) => {
                words.push(match component {
                    Some(component) => component,
                    None => self.int(0),
                });
                (Op::ImageGather, four)
            }
            (false, Some(compared), proj) => {
                words.push(compared.id);
                let op = if proj { Op::ImageSampleProjDrefExplicitLod } else { Op::ImageSampleDrefExplicitLod };
                (op, Ty::Scalar(image.scalar))
            }
            (false, None, true) => (Op::ImageSampleProjExplicitLod, four),
            (false, None, false) => (Op::ImageSampleExplicitLod, four),
        };
        extend(&mut words, &operands);
        if image.scalar == Scalar::Float(16) {
            return Err(self.refuse("images of float16_t are not known"));
        }
        self.value(op, &ty, &words)
    }
}

fn extend(words: &mut Vec<u32>, operands: &[(u32, u32)]) {
    if !operands.is_empty() {
        words.push(operands.iter().fold(0, |mask, (m, _)| mask | m));
        words.extend(operands.iter().map(|(_, id)| id));
    }
}
