//! An image's memory: texels of 32 lanes at their bytes from the surface's start.

use crate::memory::Region;
use crate::memory::rows::Host;
use crate::wave::env::Env;
use crate::wave::mem::image::view::View;
use wavepipe_isa::format::{Format, Lanes, Num};

/// A view all of whose texels are in one allocation.
pub(super) struct Surface<'m, H> {
    region: &'m Region,
    /// Where the surface starts in it.
    start: u64,
    bytes: u32,
    /// What texels are read as.
    format: Format,
    host: H,
}

impl<'m, H: Host> Surface<'m, H> {
    /// `None`: lanes have to be served one by one. `skip_degamma`: sRGB texels stay as they are.
    #[inline(always)]
    pub fn new(view: &View, env: &mut Env<'m>, skip_degamma: bool, host: H) -> Option<Self> {
        let mut format = *view.format?;
        let (base, extent) = view.span();
        // Offsets are signed for the host's gathers.
        if env.texels.is_some() || matches!(format.num, Num::Block(_)) || extent > 1 << 31 {
            return None;
        }
        if format.num == Num::Srgb && skip_degamma {
            format.num = Num::Unorm;
        }
        let (region, start) = env.region(base, extent)?;
        Some(Surface { region, start, bytes: view.element_bytes(), format, host })
    }

    #[inline(always)]
    pub fn is_writable(&self) -> bool {
        self.region.is_writable()
    }

    /// Components of the texels at these offsets, before DST_SEL, those that are wanted.
    #[inline(always)]
    pub fn read(&self, off: &Lanes, wanted: u8, rgba: &mut [Lanes; 4]) -> Option<()> {
        let mut dwords = [Lanes::ZERO; 4];
        let from = &self.region.backing;
        match self.bytes {
            1 => {
                for (out, &off) in dwords[0].iter_mut().zip(off.iter()) {
                    *out = from.load8(self.start + u64::from(off))?.into();
                }
            }
            2 => {
                for (out, &off) in dwords[0].iter_mut().zip(off.iter()) {
                    *out = from.load16(self.start + u64::from(off))?.into();
                }
            }
            4 if are_consecutive(off) && self.row(off, &mut dwords[0]).is_some() => {}
            4 => self.gather::<1>(off, &mut dwords)?,
            8 => self.gather::<2>(off, &mut dwords)?,
            12 => self.gather::<3>(off, &mut dwords)?,
            _ => self.gather::<4>(off, &mut dwords)?,
        }
        self.format.decode_lanes(&dwords, wanted, rgba);
        Some(())
    }

    #[inline(always)]
    fn gather<const N: usize>(&self, off: &Lanes, dwords: &mut [Lanes; 4]) -> Option<()> {
        let rows = self.region.backing.gather::<N>(self.host, self.start, off)?;
        dwords.iter_mut().zip(rows).for_each(|(to, row)| to.0 = row);
        Some(())
    }

    /// Dwords that follow each other.
    #[inline(always)]
    fn row(&self, off: &Lanes, out: &mut Lanes) -> Option<()> {
        self.region.backing.load_row(self.start + u64::from(off[0]), out)
    }

    /// Writes components to the texels of the lanes in `mask`; of equal texels the highest lane wins. `None`: nothing is written.
    #[inline(always)]
    pub fn write(&self, off: &Lanes, components: &[Lanes; 4], mask: u32) -> Option<()> {
        let [x, y, z, w] = &self.format.encode_lanes(components);
        let (to, start) = (&self.region.backing, self.start);
        let lanes = || (0..32).filter(|lane| mask >> lane & 1 != 0);
        match self.bytes {
            1 => lanes().try_for_each(|l| to.store8(start + u64::from(off[l]), x[l] as u8)),
            2 => lanes().try_for_each(|l| to.store16(start + u64::from(off[l]), x[l] as u16)),
            4 if mask == !0 && are_consecutive(off) => to.store_row(start + u64::from(off[0]), x),
            4 => to.scatter(self.host, start, off, [x], mask),
            8 => to.scatter(self.host, start, off, [x, y], mask),
            12 => to.scatter(self.host, start, off, [x, y, z], mask),
            _ => to.scatter(self.host, start, off, [x, y, z, w], mask),
        }
    }
}

/// Whether these are dwords one after the other.
#[inline(always)]
fn are_consecutive(off: &Lanes) -> bool {
    let mut wrong = 0;
    for (lane, &at) in off.iter().enumerate() {
        wrong |= at.wrapping_sub(off[0]) ^ (4 * lane as u32);
    }
    wrong == 0
}
