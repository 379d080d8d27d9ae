//! OpTypeImage: what a type says of an image.

use super::module::{Instr, Module};
use crate::error::Result;
use crate::ir::Dim;
use spirv::ImageFormat;

/// OpTypeImage.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ImageTy {
    pub dim: Dim,
    pub arrayed: bool,
    pub multisampled: bool,
    /// Read and written texel by texel, never sampled.
    pub storage: bool,
    pub format: ImageFormat,
    /// Components of the format; None if it is Unknown.
    pub components: Option<u8>,
    /// The type of what is read and written.
    pub sampled: u32,
}

/// Reads OpTypeImage.
pub fn image_type(m: &Module<'_>, i: &Instr<'_>) -> Result<ImageTy> {
    let arg = |n: usize| i.arg(n).ok_or_else(|| m.malformed(i, "operands missing"));
    let dim = match spirv::Dim::from_u32(arg(1)?) {
        Some(spirv::Dim::Dim1D) => Dim::D1,
        Some(spirv::Dim::Dim2D) => Dim::D2,
        Some(spirv::Dim::Dim3D) => Dim::D3,
        Some(spirv::Dim::DimCube) => Dim::Cube,
        Some(spirv::Dim::DimBuffer) => Dim::Buffer,
        other => return Err(m.unsupported(i, format!("images of {other:?}"))),
    };
    let format = ImageFormat::from_u32(arg(6)?).ok_or_else(|| m.malformed(i, "no such image format"))?;
    let ty = ImageTy {
        dim,
        arrayed: arg(3)? != 0,
        multisampled: arg(4)? != 0,
        storage: arg(5)? == 2,
        format,
        components: components(format),
        sampled: arg(0)?,
    };
    if ty.arrayed && matches!(dim, Dim::D3 | Dim::Buffer) || ty.multisampled && dim != Dim::D2 {
        return Err(m.malformed(i, "no image has this Dim, Arrayed and MS together"));
    }
    Ok(ty)
}

/// Components of a format, 64-bit ones counted as one; None: Unknown.
fn components(format: ImageFormat) -> Option<u8> {
    use ImageFormat::*;
    Some(match format {
        Unknown => return None,
        R32f | R16f | R32i | R16i | R8i | R32ui | R16ui | R8ui | R16 | R8 | R16Snorm | R8Snorm | R64ui | R64i => 1,
        Rg32f | Rg16f | Rg16 | Rg8 | Rg16Snorm | Rg8Snorm | Rg32i | Rg16i | Rg8i | Rg32ui | Rg16ui | Rg8ui => 2,
        R11fG11fB10f => 3,
        _ => 4,
    })
}
