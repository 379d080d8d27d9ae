//! Block-compressed texels. The bits are decoded by bcdec_rs; here stands which channels a format has and what they mean.

use wavepipe_isa::format::{Block, Format, Num, TEXEL};

/// 16 texels of a 4 × 4 block, row by row, as (X, Y, Z, W) in f32 bits. `skip_degamma`: sRGB formats as UNORM.
pub(super) fn decode(kind: Block, bytes: &[u8; TEXEL], skip_degamma: bool) -> [[u32; 4]; 16] {
    const ONE: u32 = 1f32.to_bits();
    let mut rgba = [0u8; 64];
    match kind {
        Block::Bc1 | Block::Bc1Srgb => bcdec_rs::bc1(bytes, &mut rgba, 16),
        Block::Bc2 | Block::Bc2Srgb => bcdec_rs::bc2(bytes, &mut rgba, 16),
        Block::Bc3 | Block::Bc3Srgb => bcdec_rs::bc3(bytes, &mut rgba, 16),
        Block::Bc7 | Block::Bc7Srgb => bcdec_rs::bc7(bytes, &mut rgba, 16),
        Block::Bc4 | Block::Bc4Snorm => {
            let mut x = [0f32; 16];
            bcdec_rs::bc4_float(bytes, &mut x, 4, kind == Block::Bc4Snorm);
            return x.map(|x| [x.to_bits(), 0, 0, ONE]);
        }
        Block::Bc5 | Block::Bc5Snorm => {
            let mut xy = [0f32; 32];
            bcdec_rs::bc5_float(bytes, &mut xy, 8, kind == Block::Bc5Snorm);
            return std::array::from_fn(|i| [xy[2 * i].to_bits(), xy[2 * i + 1].to_bits(), 0, ONE]);
        }
        Block::Bc6Ufloat | Block::Bc6Sfloat => {
            let mut xyz = [0f32; 48];
            bcdec_rs::bc6h_float(bytes, &mut xyz, 12, kind == Block::Bc6Sfloat);
            return std::array::from_fn(|i| {
                [xyz[3 * i].to_bits(), xyz[3 * i + 1].to_bits(), xyz[3 * i + 2].to_bits(), ONE]
            });
        }
    }
    let srgb = matches!(kind, Block::Bc1Srgb | Block::Bc2Srgb | Block::Bc3Srgb | Block::Bc7Srgb) && !skip_degamma;
    let texel = Format { number: 0, name: "", bits: [8; 4], num: if srgb { Num::Srgb } else { Num::Unorm } };
    std::array::from_fn(|i| {
        let mut one = [0; TEXEL];
        one[..4].copy_from_slice(&rgba[4 * i..4 * i + 4]);
        texel.decode(&one)
    })
}
