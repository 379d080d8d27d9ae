//! Register rows: the one place that reaches into a wave's registers without a bounds check.
//!
//! A row is 32 lanes of one register; a wave64's register is two rows, low half first. A wave's buffer starts with
//! [`TEMPS`] temporary registers (broadcast SGPRs, modified sources and results), then come its VGPRs, then padding for
//! the high word of a last register read as a pair.
//!
//! A block is decoded for waves of one size and register count ([`super::block::Key`]); an instruction that names a
//! register beyond them becomes a fault there. That is what the accessors below rely on.

/// Set bits of a mask, of lanes mostly; lowest first.
#[inline(always)]
pub(crate) fn set_bits(mask: impl Into<u64>) -> impl Iterator<Item = usize> {
    let mut left: u64 = mask.into();
    std::iter::from_fn(move || {
        let bit = left.trailing_zeros();
        left &= left.wrapping_sub(1);
        (bit < 64).then_some(bit as usize)
    })
}

/// 32 lanes of one register.
pub(crate) use wavepipe_isa::format::Lanes as LaneRow;

/// Temporary registers in front of v0: three sources and one destination of up to four dwords.
pub(crate) const TEMPS: u32 = 16;
/// Registers after the last VGPR that operands may name as part of a tuple without meaning to.
pub(crate) const PAD: u32 = 1;

/// A wave's vector registers.
#[derive(Clone, Default)]
pub(crate) struct Rows {
    rows: Vec<LaneRow>,
}

impl Rows {
    /// Makes room for `vgprs` registers of `halves` rows, which are whatever they were. Keeps its allocation.
    pub fn reset(&mut self, vgprs: u32, halves: u32) {
        self.rows.resize(((TEMPS + vgprs + PAD) * halves) as usize, LaneRow::ZERO);
    }

    /// Makes rows zero.
    #[inline(always)]
    pub fn zero(&mut self, first: usize, rows: usize) {
        let rows = &mut self.rows[first..][..rows];
        // SAFETY: the rows are this wave's, and zeroes are a row. By bytes, for which the host's library has the best loop, and
        // launching short kernels is to a good part this.
        unsafe { rows.as_mut_ptr().write_bytes(0, rows.len()) }
    }

    /// Rows from `first` on.
    pub fn copy(&mut self, first: usize, rows: &[LaneRow]) {
        self.rows[first..][..rows.len()].copy_from_slice(rows);
    }

    /// Where the rows begin, for code that reaches them by itself.
    pub fn first_row(&mut self) -> *mut u32 {
        self.rows.as_mut_ptr().cast()
    }

    #[inline(always)]
    pub fn get(&self, i: usize) -> &LaneRow {
        debug_assert!(i < self.rows.len(), "row {i}");
        // SAFETY: `i` comes from an operation of a block that fits in this buffer (module comment).
        unsafe { self.rows.get_unchecked(i) }
    }

    #[inline(always)]
    pub fn get_mut(&mut self, i: usize) -> &mut LaneRow {
        debug_assert!(i < self.rows.len());
        // SAFETY: as in `get`.
        unsafe { self.rows.get_unchecked_mut(i) }
    }

    /// Writes the lanes of `mask`.
    #[inline(always)]
    pub fn put(&mut self, i: usize, value: &LaneRow, mask: u32) {
        let d = self.get_mut(i);
        if mask == !0 {
            *d = *value;
        } else {
            for lane in 0..32 {
                d.0[lane] = if mask >> lane & 1 != 0 { value.0[lane] } else { d.0[lane] };
            }
        }
    }
}

/// A source of a vector operation: a row of the wave, or a constant broadcast in the block.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Loc(usize);

impl Loc {
    /// Row `i` of the wave.
    pub const fn row(i: usize) -> Loc {
        Loc(i * size_of::<LaneRow>())
    }

    /// A constant of the block; lives as long as the block and so as long as the operation that names it.
    pub fn constant(rows: *const LaneRow) -> Loc {
        Loc(rows.expose_provenance())
    }

    /// The row index again, for a source that is no constant.
    #[inline(always)]
    pub const fn index(self) -> usize {
        self.0 / size_of::<LaneRow>()
    }

    /// The words of a constant of the block, of a wave of `halves` · 32 lanes.
    pub fn words(self, halves: usize) -> [u32; 2] {
        let p = std::ptr::with_exposed_provenance::<LaneRow>(self.0);
        // SAFETY: a constant points at two words of `halves` rows each of the running block's pool.
        [0, halves].map(|row| unsafe { (*p.wrapping_add(row)).0[0] })
    }
}

/// The row `ahead` rows after a source, by value: 32 lanes.
#[inline(always)]
pub(crate) fn source(rows: &Rows, loc: Loc, constant: bool, ahead: usize) -> &LaneRow {
    let p = if constant {
        std::ptr::with_exposed_provenance::<LaneRow>(loc.0)
    } else {
        rows.rows.as_ptr().wrapping_byte_add(loc.0)
    };
    // SAFETY: a constant points at as many rows of the running block's pool as its type has (the pool ends in padding);
    // a row offset is inside of the buffer because the block fits in it (module comment).
    unsafe { &*p.wrapping_add(ahead) }
}
