//! V#, the buffer resource.

/// V#, the 128-bit buffer resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct BufferDescriptor {
    /// Byte address, 48 bits.
    pub base: u64,
    /// Bytes between records, 14 bits; 0 for a raw buffer.
    pub stride: u32,
    pub swizzle_enable: bool,
    /// In bytes for a raw buffer, in records of `stride` otherwise.
    pub num_records: u32,
    /// DST_SEL_X..W, 3 bits each: 0 = zero, 1 = one, 4..7 = X..W.
    pub dst_sel: [u8; 4],
    /// GFX10 unified buffer format, 7 bits.
    pub format: u8,
    /// 0..3: 8, 16, 32 or 64 lanes.
    pub index_stride: u8,
    pub add_tid_enable: bool,
    /// OOB_SELECT: 0 = structured, 1 = structured with offset ignored, 2 = num_records only, 3 = raw.
    pub oob_select: u8,
    /// 0 = buffer.
    pub kind: u8,
}

impl BufferDescriptor {
    /// A raw storage or uniform buffer of `bytes` at `base`: 32-bit uint format, raw range check.
    pub fn raw(base: u64, bytes: u32) -> Self {
        BufferDescriptor {
            base,
            num_records: bytes,
            dst_sel: [4, 5, 6, 7],
            format: 20, // BUF_FORMAT_32_UINT
            oob_select: 3,
            ..Default::default()
        }
    }

    pub fn to_words(self) -> [u32; 4] {
        let sel = self.dst_sel.iter().enumerate().fold(0u32, |w, (i, &s)| w | u32::from(s & 7) << (3 * i));
        [
            self.base as u32,
            (self.base >> 32) as u32 & 0xffff | (self.stride & 0x3fff) << 16 | u32::from(self.swizzle_enable) << 31,
            self.num_records,
            sel | u32::from(self.format & 0x7f) << 12
                | u32::from(self.index_stride & 3) << 21
                | u32::from(self.add_tid_enable) << 23
                | 1 << 24 // RESOURCE_LEVEL, must be 1 on gfx10
                | u32::from(self.oob_select & 3) << 28
                | u32::from(self.kind & 3) << 30,
        ]
    }

    /// Whether the buffer of these words is bound, not swizzled, adds no thread id and checks its range as a raw buffer.
    #[inline(always)]
    pub fn is_plain(w: [u32; 4]) -> bool {
        const FORMAT: u32 = 0x7f << 12;
        const ADD_TID: u32 = 1 << 23;
        const OOB_SELECT: u32 = 3 << 28;
        w[3] & (ADD_TID | OOB_SELECT) == OOB_SELECT && w[3] & FORMAT != 0 && w[1] >> 31 == 0
    }

    #[inline]
    pub fn from_words(w: [u32; 4]) -> Self {
        let sel = |i: u32| (w[3] >> (3 * i) & 7) as u8;
        BufferDescriptor {
            base: u64::from(w[0]) | u64::from(w[1] & 0xffff) << 32,
            stride: w[1] >> 16 & 0x3fff,
            swizzle_enable: w[1] >> 31 != 0,
            num_records: w[2],
            dst_sel: [sel(0), sel(1), sel(2), sel(3)],
            format: (w[3] >> 12 & 0x7f) as u8,
            index_stride: (w[3] >> 21 & 3) as u8,
            add_tid_enable: w[3] >> 23 & 1 != 0,
            oob_select: (w[3] >> 28 & 3) as u8,
            kind: (w[3] >> 30) as u8,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One field at a time, at the bits where the gfx10 resource tables have it.
    #[test]
    fn every_field_is_at_its_bits() {
        let none = BufferDescriptor::default();
        let fixed = [0, 0, 0, 1 << 24];
        assert_eq!(none.to_words(), fixed);
        let all = |n: u32| u64::from(u32::MAX >> (32 - n));
        type Case = (BufferDescriptor, usize, u32, u64);
        let cases: Vec<Case> = vec![
            (BufferDescriptor { base: all(32), ..none }, 0, 0, all(32)),
            (BufferDescriptor { base: all(16) << 32, ..none }, 1, 0, all(16)),
            (BufferDescriptor { stride: 0x3fff, ..none }, 1, 16, all(14)),
            (BufferDescriptor { swizzle_enable: true, ..none }, 1, 31, 1),
            (BufferDescriptor { num_records: u32::MAX, ..none }, 2, 0, all(32)),
            (BufferDescriptor { dst_sel: [7, 0, 0, 0], ..none }, 3, 0, 7),
            (BufferDescriptor { dst_sel: [0, 7, 0, 0], ..none }, 3, 3, 7),
            (BufferDescriptor { dst_sel: [0, 0, 7, 0], ..none }, 3, 6, 7),
            (BufferDescriptor { dst_sel: [0, 0, 0, 7], ..none }, 3, 9, 7),
            (BufferDescriptor { format: 0x7f, ..none }, 3, 12, all(7)),
            (BufferDescriptor { index_stride: 3, ..none }, 3, 21, 3),
            (BufferDescriptor { add_tid_enable: true, ..none }, 3, 23, 1),
            (BufferDescriptor { oob_select: 3, ..none }, 3, 28, 3),
            (BufferDescriptor { kind: 3, ..none }, 3, 30, 3),
        ];
        for (d, word, shift, value) in cases {
            let mut want = fixed;
            want[word] |= (value << shift) as u32;
            assert_eq!(d.to_words(), want, "{d:?}");
            assert_eq!(BufferDescriptor::from_words(want), d);
        }
    }

    #[test]
    fn plain_buffers() {
        let plain = BufferDescriptor::raw(0x1_0000, 64);
        let is = |d: BufferDescriptor| BufferDescriptor::is_plain(d.to_words());
        assert!(is(plain) && is(BufferDescriptor { format: 1, stride: 5, ..plain }));
        assert!(!is(BufferDescriptor { format: 0, ..plain }));
        assert!(!is(BufferDescriptor { swizzle_enable: true, ..plain }));
        assert!(!is(BufferDescriptor { add_tid_enable: true, ..plain }));
        assert!((0..3).all(|oob_select| !is(BufferDescriptor { oob_select, ..plain })));
    }

    #[test]
    fn a_raw_buffer_by_hand() {
        let d = BufferDescriptor::raw(0x0000_8765_4321_0000, 4096);
        assert_eq!(d.to_words(), [0x4321_0000, 0x8765, 4096, 0x3101_4fac]);
        assert_eq!(BufferDescriptor::from_words(d.to_words()), d);
    }
}
