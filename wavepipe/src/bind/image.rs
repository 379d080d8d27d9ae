//! An image or a texel buffer as it was given, held against the type that the shader has there.

use crate::data::Input;
use crate::element::{Element, Scalar};
use crate::failure::{Failure, Result};
use crate::job::ImageGiven;
use crate::texel::{Coding, Texel};
use crate::view::{Shape, View, scalar};
use wavepipe_runtime::compiler::ir::Dim;
use wavepipe_runtime::compiler::spirv::{ImageShape, ScalarKind};

/// An image to make.
#[derive(Clone, Debug, PartialEq)]
pub struct ImagePlan {
    pub texel: Texel,
    pub dim: Dim,
    pub arrayed: bool,
    pub extent: [u32; 3],
    pub layers: u32,
}

impl ImagePlan {
    /// Whether it is a buffer that shaders see as texels.
    pub fn is_texels(&self) -> bool {
        self.dim == Dim::Buffer
    }

    pub fn texels(&self) -> usize {
        self.extent.iter().fold(self.layers as usize, |product, n| product.saturating_mul(*n as usize))
    }

    /// Sides as files have them: layers or slices, rows, columns.
    pub fn sides(&self) -> Vec<usize> {
        let [w, h, d] = self.extent.map(|n| n as usize);
        match self.dim {
            Dim::Buffer | Dim::D1 if self.layers == 1 => vec![w],
            Dim::D1 => vec![self.layers as usize, w],
            Dim::D2 if self.layers == 1 => vec![h, w],
            Dim::D3 => vec![d, h, w],
            _ => vec![self.layers as usize, h, w],
        }
    }

    /// `rgba8[256x256]`
    pub fn label(&self) -> String {
        let sides: Vec<String> = self.sides().iter().rev().map(usize::to_string).collect();
        format!("{}[{}]", self.texel, sides.join("x"))
    }

    /// Its texels with what an input gives.
    pub fn fill(&self, input: &Input) -> Result<Vec<u8>> {
        texels(self, input)
    }

    /// What a shader sees of the texels, as numbers.
    pub fn seen(&self, bytes: &[u8]) -> (View, Vec<u8>) {
        let element = self.texel.seen();
        let view = View { label: self.label(), ..View::from(Shape { element, count: self.texels() }) };
        let mut out = Vec::with_capacity(view.bytes);
        for component in bytes.chunks_exact(self.texel.component().bytes()) {
            element.scalar.put(self.texel.decode(component), &mut out);
        }
        (view, out)
    }
}

/// The image's type in words.
fn describe(shape: &ImageShape) -> String {
    let dim = match (shape.dim, shape.arrayed) {
        (Dim::D1, _) => "a 1D image",
        (Dim::D2, _) => "a 2D image",
        (Dim::D3, _) => "a 3D image",
        (Dim::Cube, _) => "a cube",
        (Dim::Buffer, _) => "a texel buffer",
    };
    let layers = if shape.arrayed { " with layers" } else { "" };
    let declared = declared(shape).map_or(String::new(), |t| format!(" of {t}"));
    format!("{dim}{layers}{declared}, seen as {}", scalar(shape.sampled).name())
}

/// The format that the shader says, if it says one.
fn declared(shape: &ImageShape) -> Option<Texel> {
    format!("{:?}", shape.format).to_lowercase().parse().ok()
}

/// The widest format that holds whatever the shader sees.
fn widest(shape: &ImageShape) -> Texel {
    let coding = match shape.sampled.kind {
        ScalarKind::Float => Coding::Float,
        ScalarKind::Signed => Coding::Sint,
        ScalarKind::Unsigned => Coding::Uint,
    };
    Texel { lanes: 4, bits: 32, coding }
}

fn seen_as(shape: &ImageShape, texel: Texel) -> bool {
    let seen = texel.seen().scalar;
    match shape.sampled.kind {
        ScalarKind::Float => seen.is_float(),
        ScalarKind::Signed => seen == Scalar::I32,
        ScalarKind::Unsigned => seen == Scalar::U32,
    }
}

fn texel(shape: &ImageShape, given: &ImageGiven, input: &Input, is: &dyn Fn() -> String) -> Result<Texel> {
    let known = format!("{:?}", shape.format) != "Unknown";
    let texel = match (given.format, declared(shape)) {
        (Some(given), Some(declared)) if shape.storage && given != declared => {
            return Err(Failure::usage(format!("{}, and {given} is given", is())));
        }
        (_, None) if known => {
            let message = format!("{}: images of format {:?} cannot be given here", is(), shape.format);
            return Err(Failure::Unsupported(message));
        }
        (Some(texel), _) | (None, Some(texel)) => texel,
        (None, None) => match input {
            Input::Picture(..) => Texel { bits: 8, coding: picture_coding(shape), lanes: 4 },
            Input::Array(array, _) => of_array(shape, array),
            _ => widest(shape),
        },
    };
    if !seen_as(shape, texel) {
        let message = format!("{}, and {texel} is seen as {}", is(), texel.seen().scalar.name());
        return Err(Failure::usage(message));
    }
    Ok(texel)
}

fn picture_coding(shape: &ImageShape) -> Coding {
    match widest(shape).coding {
        Coding::Float => Coding::Unorm,
        other => other,
    }
}

/// A format for an array of NumPy: its last side may be the components.
fn of_array(shape: &ImageShape, array: &crate::npy::Array) -> Texel {
    let sides = if shape.dim == Dim::D3 || shape.arrayed { 3 } else { 2 };
    let lanes = match array.shape.last() {
        Some(n @ (1 | 2 | 4)) if array.shape.len() > sides => *n,
        _ => 1,
    };
    let wide = widest(shape).coding;
    let (bits, coding) = match (array.scalar, wide) {
        (Scalar::U8, Coding::Float) => (8, Coding::Unorm),
        (Scalar::U8 | Scalar::I8, coding) => (8, coding),
        (Scalar::U16 | Scalar::I16 | Scalar::F16, Coding::Float) => (16, Coding::Float),
        (Scalar::U16 | Scalar::I16, coding) => (16, coding),
        (_, coding) => (32, coding),
    };
    Texel { lanes, bits, coding }
}

/// Width, height and depth or layers.
fn sides(
    shape: &ImageShape,
    given: &ImageGiven,
    input: &Input,
    lanes: usize,
    is: &dyn Fn() -> String,
) -> Result<[u32; 3]> {
    let wanted = match (shape.dim, shape.arrayed) {
        (Dim::Buffer | Dim::D1, false) => 1,
        (Dim::D1, true) | (Dim::D2, false) => 2,
        _ => 3,
    };
    let from_input = match input {
        Input::Picture(p, _) => Some(vec![p.width, p.height]),
        Input::Array(a, _) => {
            let sides: Vec<u32> = a.shape.iter().take(wanted).map(|n| *n as u32).collect();
            Some(sides.into_iter().rev().collect())
        }
        // A list is as long as it is.
        Input::Numbers(texts, _) if wanted == 1 && texts.len().is_multiple_of(lanes) => {
            Some(vec![(texts.len() / lanes) as u32])
        }
        _ => None,
    };
    let size = match (&given.size, from_input) {
        (Some(given), Some(has)) if matches!(input, Input::Picture(..)) && *given != has => {
            let text = |s: &[u32]| s.iter().map(u32::to_string).collect::<Vec<_>>().join("x");
            let message = format!("{}: {} is given, the picture has {}", is(), text(given), text(&has));
            return Err(Failure::usage(message));
        }
        (Some(size), _) => size.clone(),
        (None, Some(size)) => size,
        (None, None) => {
            let example = ["64", "64x64", "64x64x4"][wanted - 1];
            let message = format!("{}: how large is it? Give the size in brackets, as in KEY=[{example}]", is());
            return Err(Failure::usage(message));
        }
    };
    if size.len() != wanted || size.contains(&0) {
        let message = format!("{}: it has {wanted} sides, {} are given", is(), size.len());
        return Err(Failure::usage(message));
    }
    let mut out = [1; 3];
    out[..wanted].copy_from_slice(&size);
    Ok(out)
}

/// The image, and its texels before the run. `who` is the resource, for messages.
pub fn image(shape: &ImageShape, given: &ImageGiven, input: &Input, who: &str) -> Result<(ImagePlan, Vec<u8>)> {
    let is = || format!("{who} is {} in the shader", describe(shape));
    if shape.multisampled {
        return Err(Failure::Unsupported(format!("{}: images of several samples cannot be given here", is())));
    }
    let texel = texel(shape, given, input, &is)?;
    let [w, h, d] = sides(shape, given, input, texel.lanes, &is)?;
    let (extent, layers) = match (shape.dim, shape.arrayed) {
        (Dim::Buffer | Dim::D1, false) => ([w, 1, 1], 1),
        (Dim::D1, true) => ([w, 1, 1], h),
        (Dim::D3, _) => ([w, h, d], 1),
        (Dim::D2, false) => ([w, h, 1], 1),
        _ => ([w, h, 1], d),
    };
    let plan = ImagePlan { texel, dim: shape.dim, arrayed: shape.arrayed, extent, layers };
    if plan.dim == Dim::Cube && (w != h || layers % 6 != 0 || !shape.arrayed && layers != 6) {
        return Err(Failure::usage(format!("{}: a cube has six square layers: KEY=[{w}x{w}x6]", is())));
    }
    if plan.texels().saturating_mul(texel.bytes()) > u32::MAX as usize {
        return Err(Failure::usage(format!("{}: {} is over 4 GiB", is(), plan.label())));
    }
    let bytes = plan.fill(input)?;
    Ok((plan, bytes))
}

fn texels(plan: &ImagePlan, input: &Input) -> Result<Vec<u8>> {
    let texel = plan.texel;
    let mut out = Vec::with_capacity(plan.texels() * texel.bytes());
    match input {
        Input::Zero | Input::None => out.resize(plan.texels() * texel.bytes(), 0),
        Input::Picture(picture, from) => {
            if picture.rgba.len() / 4 != plan.texels() {
                return Err(Failure::usage(format!("{from} is one picture, {} has several", plan.label())));
            }
            for pixel in picture.rgba.chunks_exact(4) {
                pixel[..texel.lanes].iter().try_for_each(|c| texel.encode(texel.channel(*c), &mut out))?;
            }
        }
        // Arrays of the components themselves, such as bytes for rgba8.
        Input::Array(array, _) if array.scalar == texel.component() => {
            let element = Element { scalar: texel.component(), lanes: texel.lanes };
            out = input.fill(&named(plan, element))?;
        }
        Input::Bytes(..) => {
            let element = Element { scalar: texel.component(), lanes: texel.lanes };
            out = input.fill(&named(plan, element))?;
        }
        _ => {
            let element = texel.seen();
            let seen = input.fill(&named(plan, element))?;
            for number in seen.chunks_exact(element.scalar.bytes()) {
                texel.encode(element.scalar.get(number), &mut out)?;
            }
        }
    }
    Ok(out)
}

fn named(plan: &ImagePlan, element: Element) -> View {
    View { label: plan.label(), ..View::from(Shape { element, count: plan.texels() }) }
}
