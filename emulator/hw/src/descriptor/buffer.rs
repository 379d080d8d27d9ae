//! V#, the buffer resource.

use super::{Column, Field, by_generation, fields, get, mask, on, pieces, put};
use wavepipe_isa::Gen;
use wavepipe_isa::format::Format;

/// V#, the 128-bit buffer resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BufferDescriptor {
    /// Byte address, 48 bits.
    pub base: u64,
    /// Bytes between records; 0 for a raw buffer. 14 bits, or 18 of a buffer with [`Self::long_stride`].
    pub stride: u32,
    pub swizzle_enable: bool,
    /// In bytes for a raw buffer, in records of `stride` otherwise.
    pub num_records: u32,
    /// DST_SEL_X..W, 3 bits each: 0 = zero, 1 = one, 4..7 = X..W.
    pub dst_sel: [u8; 4],
    /// [`Format::number`], 7 bits; 0 = no buffer, but for [`Self::long_stride`].
    pub format: u8,
    /// Bytes of a record that lie together in a swizzled buffer, 0..3: 2, 4, 8 or 16. 4 where a generation has no choice.
    pub element_size: u8,
    /// 0..3: 8, 16, 32 or 64 lanes.
    pub index_stride: u8,
    pub add_tid_enable: bool,
    /// OOB_SELECT: 0 = structured, 1 = structured with offset ignored, 2 = num_records only, 3 = raw; or [`BY_USE`].
    pub oob_select: u8,
    /// 0 = buffer.
    pub kind: u8,
    /// The data format's bits are the stride's bits 17:14, for all but typed accesses. Read, and written as the generation has it.
    pub long_stride: bool,
}

/// In place of OOB_SELECT, where a generation has no such field: the range check is that of the instruction's use of the buffer.
/// None of a lane's own memory (ADD_TID without an index), of records' number where there are records and an index, else of bytes.
pub const BY_USE: u8 = 4;

impl Default for BufferDescriptor {
    fn default() -> Self {
        BufferDescriptor {
            base: 0,
            stride: 0,
            swizzle_enable: false,
            num_records: 0,
            dst_sel: [0; 4],
            format: 0,
            element_size: 1,
            index_stride: 0,
            add_tid_enable: false,
            oob_select: 0,
            kind: 0,
            long_stride: false,
        }
    }
}

/// From gfx11 on an element's size, 0 = off.
const SWIZZLE_ENABLE: Column = on![Gfx600(1, 31, 1), Gfx1100(1, 30, 1)];
const ADD_TID_ENABLE: Column = on![Gfx600(3, 23, 1)];
const OOB_SELECT: Column = on![Gfx600, Gfx1010(3, 28, 2)];
/// GCN: the data format, and above it the number format.
const FORMAT: Column = on![Gfx600(3, 15, 4)(3, 12, 3), Gfx1010(3, 12, 7), Gfx1100(3, 12, 6)];
/// STRIDE[17:14] with ADD_TID.
const LONG_STRIDE: Column = on![Gfx600, Gfx900(3, 15, 4), Gfx1010];
const STRIDE_BITS: u32 = 14;

/// RESOURCE_LEVEL.
const ONES: Column = on![Gfx600, Gfx1010(3, 24, 1), Gfx1100];

fields! { BufferDescriptor, 4, ones ONES;
    base => on![Gfx600 (0, 0, 32) (1, 0, 16)];
    stride => on![Gfx600 (1, 16, 14)];
    swizzle_enable => SWIZZLE_ENABLE;
    num_records => on![Gfx600 (2, 0, 32)];
    dst_sel.0 => on![Gfx600 (3, 0, 3)];
    dst_sel.1 => on![Gfx600 (3, 3, 3)];
    dst_sel.2 => on![Gfx600 (3, 6, 3)];
    dst_sel.3 => on![Gfx600 (3, 9, 3)];
    format => FORMAT;
    element_size => on![Gfx600 (3, 19, 2), Gfx900, Gfx1100 (1, 30, 2)];
    index_stride => on![Gfx600 (3, 21, 2)];
    add_tid_enable => ADD_TID_ENABLE;
    oob_select => OOB_SELECT;
    kind => on![Gfx600 (3, 30, 2)];
}

/// What tells a plain buffer from its words.
#[derive(Clone, Copy)]
struct Plain {
    /// Of word 3: this is so.
    mask: u32,
    value: u32,
    /// Of word 3: this is not zero. Of GCN's formats the data format.
    bound: u32,
    /// Of word 1: this is zero.
    swizzled: u32,
}

const fn plain<const G: usize>() -> Plain {
    let oob = mask(pieces::<G>(OOB_SELECT), 3);
    Plain {
        mask: oob | mask(pieces::<G>(ADD_TID_ENABLE), 3),
        value: oob,
        bound: mask(pieces::<G>(FORMAT).split_at(1).0, 3),
        swizzled: mask(pieces::<G>(SWIZZLE_ENABLE), 1),
    }
}

static PLAIN: [Plain; Gen::COUNT] =
    [plain::<0>(), plain::<1>(), plain::<2>(), plain::<3>(), plain::<4>(), plain::<5>(), plain::<6>(), plain::<7>()];

/// The generation whose V# is read in line, and known to be plain by constants.
const COMMON: usize = Gen::Gfx1010 as usize;

static READ: [fn([u32; 4]) -> BufferDescriptor; Gen::COUNT] = by_generation!(BufferDescriptor::read);
static WRITE: [fn(BufferDescriptor) -> [u32; 4]; Gen::COUNT] = by_generation!(BufferDescriptor::write);

impl BufferDescriptor {
    /// A raw storage or uniform buffer of `bytes` at `base`: 32-bit uint format, raw range check.
    pub fn raw(base: u64, bytes: u32) -> Self {
        BufferDescriptor {
            base,
            num_records: bytes,
            dst_sel: [4, 5, 6, 7],
            format: 20, // 32_UINT
            oob_select: 3,
            ..Default::default()
        }
    }

    /// A lane's own memory in a ring of `bytes` at `base`: dwords of a wave's lanes next to each other, not checked by the hardware.
    pub fn private(base: u64, bytes: u32, lanes: u32) -> Self {
        BufferDescriptor {
            swizzle_enable: true,
            element_size: 1,
            // 2 = 32 lanes, 3 = 64.
            index_stride: if lanes == 64 { 3 } else { 2 },
            add_tid_enable: true,
            ..BufferDescriptor::raw(base, bytes)
        }
    }

    fn write<const G: usize>(self) -> [u32; 4] {
        let isa = Gen::ALL[G];
        let long = const { pieces::<G>(LONG_STRIDE) };
        let in_format = self.add_tid_enable && !long.is_empty();
        let code = if in_format { 0 } else { Format::buffer_code(self.format.into(), isa).unwrap_or(0) };
        let element_size = if self.swizzle_enable { self.element_size } else { 0 };
        let mut w = BufferDescriptor { format: code as u8, element_size, ..self }.words::<G>();
        if in_format {
            put(&mut w, long, u64::from(self.stride >> STRIDE_BITS));
        }
        w
    }

    #[inline(always)]
    fn read<const G: usize>(w: [u32; 4]) -> Self {
        let mut d = BufferDescriptor::fields::<G>(w);
        d.format = Format::of_buffer_code(d.format.into(), Gen::ALL[G]) as u8;
        let long = const { pieces::<G>(LONG_STRIDE) };
        if !long.is_empty() && d.add_tid_enable {
            d.stride |= (get(&w, long).0 as u32) << STRIDE_BITS;
            d.long_stride = true;
        }
        if const { pieces::<G>(OOB_SELECT).is_empty() } {
            d.oob_select = BY_USE;
        }
        d
    }

    pub fn to_words(self, isa: Gen) -> [u32; 4] {
        WRITE[isa as usize](self)
    }

    #[inline(always)]
    pub fn from_words(w: [u32; 4], isa: Gen) -> Self {
        if isa as usize == COMMON { Self::read::<COMMON>(w) } else { READ[isa as usize](w) }
    }

    /// Whether the buffer of these words is bound, not swizzled, adds no thread id and checks its range as a raw buffer, if no index
    /// is used with it.
    #[inline(always)]
    pub fn is_plain(w: [u32; 4], isa: Gen) -> bool {
        let is = |p: &Plain| w[3] & p.mask == p.value && w[3] & p.bound != 0 && w[1] & p.swizzled == 0;
        if isa as usize == COMMON { is(const { &plain::<COMMON>() }) } else { is(&PLAIN[isa as usize]) }
    }

    /// BASE and NUM_RECORDS, which stand where they stand on all generations.
    #[inline(always)]
    pub fn range(w: [u32; 4]) -> (u64, u32) {
        (u64::from(w[0]) | u64::from(w[1] & 0xffff) << 32, w[2])
    }

    /// Bytes between records, for an access that is typed or not.
    #[inline(always)]
    pub fn record(&self, typed: bool) -> u32 {
        if typed { self.stride & ((1 << STRIDE_BITS) - 1) } else { self.stride }
    }

    /// Whether there is a buffer, for an access that is typed or not; else everything is out of range.
    #[inline(always)]
    pub fn is_bound(&self, typed: bool) -> bool {
        self.format != 0 || self.long_stride && !typed
    }
}
