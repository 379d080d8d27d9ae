//! A wave's registers: the one place that reaches into them without a bounds check.
//!
//! A row is 32 lanes of one register; a wave64's register is two rows, low half first. A wave's buffer starts with
//! [`TEMPS`] temporary registers (broadcast SGPRs, modified sources and results), then come its VGPRs, then padding for
//! the high word of a last register read as a pair.
//!
//! Whoever makes [`Rows`] promises that each row that is named is in the buffer: the emulator decodes a block for waves of one size and
//! register count, and an instruction that names a register beyond them becomes a fault there.

/// 32 lanes of one register.
pub use wavepipe_alu::Lanes as LaneRow;

/// Temporary registers before v0: three sources and one destination of up to four dwords.
pub const TEMPS: u32 = 16;
/// Registers after the last VGPR that operands may name as part of a tuple without meaning to.
pub const PAD: u32 = 1;

/// The scalar file, indexed by the hardware's source numbers 0..=255: SGPRs, VCC, TTMPs, M0, EXEC, then the inline
/// constants, so that reading a scalar source is one load whatever it is.
pub type Scalars = [u32; 256];

/// Index of EXEC's low dword in [`Scalars`].
pub const EXEC: usize = 126;

#[derive(Clone)]
pub struct ScalarFile(pub Scalars);

/// What of a wave's state bodies read and write.
#[derive(Clone)]
pub struct Registers {
    pub s: Box<ScalarFile>,
    pub v: Rows,
    /// 1 (wave32) or 2 (wave64).
    pub halves: usize,
    /// The MODE register.
    pub mode: u32,
}

impl Registers {
    /// Makes registers of a wave that has none yet, with these scalars.
    ///
    /// # Safety
    /// As [`Rows::new`].
    pub unsafe fn new(scalars: Scalars) -> Registers {
        // SAFETY: the caller's promise.
        let v = unsafe { Rows::new() };
        Registers { s: Box::new(ScalarFile(scalars)), v, halves: 0, mode: 0 }
    }

    /// Returns the live lanes of a half.
    #[inline(always)]
    pub fn exec(&self, half: usize) -> u32 {
        self.s.0[EXEC + (half & 1)]
    }

    /// Returns the live lanes, bit i for lane i.
    #[inline(always)]
    pub fn exec64(&self) -> u64 {
        self.mask(EXEC)
    }

    /// Returns a lane mask in SGPRs.
    #[inline(always)]
    pub fn mask(&self, i: usize) -> u64 {
        let lo = u64::from(self.s.0[i & 255]);
        if self.halves == 1 { lo } else { lo | u64::from(self.s.0[(i + 1) & 255]) << 32 }
    }

    #[inline(always)]
    pub fn set_mask(&mut self, i: usize, m: u64) {
        self.s.0[i & 255] = m as u32;
        if self.halves == 2 {
            self.s.0[(i + 1) & 255] = (m >> 32) as u32;
        }
    }

    #[inline(always)]
    pub fn scalar(&self, i: u8) -> u32 {
        self.s.0[i as usize]
    }

    #[inline(always)]
    pub fn scalar64(&self, i: u8) -> u64 {
        u64::from(self.s.0[i as usize]) | u64::from(self.s.0[i.wrapping_add(1) as usize]) << 32
    }
}

/// A wave's vector registers.
#[derive(Clone)]
pub struct Rows {
    rows: Vec<LaneRow>,
}

impl Rows {
    /// Makes a buffer without rows.
    ///
    /// # Safety
    /// Each row that is named to the other functions, and to [`source`], is below the number that the last
    /// [`Rows::reset`] made room for. None of them checks.
    pub unsafe fn new() -> Rows {
        Rows { rows: Vec::new() }
    }

    /// Makes room for `vgprs` registers of `halves` rows, which are whatever they were. Keeps its allocation.
    pub fn reset(&mut self, vgprs: u32, halves: u32) {
        self.rows.resize(((TEMPS + vgprs + PAD) * halves) as usize, LaneRow::ZERO);
    }

    /// Makes rows zero.
    #[inline(always)]
    pub fn zero(&mut self, first: usize, rows: usize) {
        let rows = &mut self.rows[first..][..rows];
        // SAFETY: the rows are this wave's, and zeroes are a row. By bytes, for which the host's library has the best loop:
        // it is a good part of what launching a short kernel costs.
        unsafe { rows.as_mut_ptr().write_bytes(0, rows.len()) }
    }

    /// Copies rows to those from `first` on.
    pub fn copy(&mut self, first: usize, rows: &[LaneRow]) {
        self.rows[first..][..rows.len()].copy_from_slice(rows);
    }

    /// Returns where the rows begin, for host code that reaches them by itself.
    pub fn first_row(&mut self) -> *mut u32 {
        self.rows.as_mut_ptr().cast()
    }

    #[inline(always)]
    pub fn get(&self, i: usize) -> &LaneRow {
        debug_assert!(i < self.rows.len(), "row {i}");
        // SAFETY: the promise at `new`.
        unsafe { self.rows.get_unchecked(i) }
    }

    #[inline(always)]
    pub fn get_mut(&mut self, i: usize) -> &mut LaneRow {
        debug_assert!(i < self.rows.len());
        // SAFETY: the promise at `new`.
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

/// A source of a vector operation: a row of the wave, or a constant that the block has broadcast.
#[derive(Clone, Copy, Debug)]
pub struct Loc(usize);

impl Loc {
    /// Names row `i` of the wave.
    pub const fn row(i: usize) -> Loc {
        Loc(i * size_of::<LaneRow>())
    }

    /// Names a constant of the block. It lives as long as the block and so as long as the operation that names it.
    pub fn constant(rows: *const LaneRow) -> Loc {
        Loc(rows.expose_provenance())
    }

    /// Returns the row's index, of a source that is no constant.
    #[inline(always)]
    pub const fn index(self) -> usize {
        self.0 / size_of::<LaneRow>()
    }

    /// Returns the words of a constant, in a wave of `halves` · 32 lanes.
    pub fn words(self, halves: usize) -> [u32; 2] {
        let p = std::ptr::with_exposed_provenance::<LaneRow>(self.0);
        // SAFETY: a constant points at two words of `halves` rows each of the running block's pool.
        [0, halves].map(|row| unsafe { (*p.wrapping_add(row)).0[0] })
    }
}

/// Returns the row `ahead` rows after a source.
#[inline(always)]
pub fn source(rows: &Rows, loc: Loc, constant: bool, ahead: usize) -> &LaneRow {
    let p = if constant {
        std::ptr::with_exposed_provenance::<LaneRow>(loc.0)
    } else {
        rows.rows.as_ptr().wrapping_byte_add(loc.0)
    };
    // SAFETY: a constant points at as many rows of the running block's pool as its type has (the pool ends in padding);
    // a row is inside of the buffer by the promise at `Rows::new`.
    unsafe { &*p.wrapping_add(ahead) }
}
