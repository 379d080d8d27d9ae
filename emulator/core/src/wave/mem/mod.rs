//! Memory operations. Each space turns operands into an address per lane ([`Access`]); moving the data is common.

mod buffer;
mod failed;
mod flat;
pub(crate) mod image;
mod lds;
mod reach;
mod scalar;
mod share;
mod stores;
mod transfer;
mod typed;

pub(crate) use buffer::{descriptor, private_rows, raw};
pub(crate) use flat::flat;
pub(crate) use image::{ImageOperands, Images};
pub use reach::Reach;
pub(crate) use reach::reach;
pub(crate) use scalar::function as smem;
pub(crate) use scalar::{scalar_buffer, scalar_place};
pub use stores::Stored;
pub(crate) use stores::stores;
pub(crate) use transfer::{RETURNS, bytes};
pub(crate) use typed::element;

use super::env::Env;
use super::op::{MicroOp, OpFn};
use super::regs::LaneRow;
use super::state::Wave;
use super::table::Level;
use wavepipe_hw::descriptor::BY_USE;
use wavepipe_hw::finding::OutsideImage;
use wavepipe_isa::instr::Flags;
use wavepipe_isa::row::{Format, MemKind, Space};

/// Where 32 lanes go.
pub(crate) struct Access {
    /// Byte address in the space's own numbering, of the lanes in `live`.
    pub at: [u64; 32],
    /// What of it is in range of its descriptor; the rest reads zero and is not written.
    pub limit: Limit,
    /// Lanes of EXEC.
    pub live: u32,
    pub spacing: Spacing,
}

/// How a lane's dwords lie in memory.
#[derive(Clone, Copy)]
pub(crate) struct Spacing {
    /// Bytes from one to the next: 4, or more in interleaved memory.
    pub step: u64,
    /// So far behind a multiple of four each of them begins, in interleaved memory: what all lanes' addresses count from does.
    pub skew: u64,
}

impl Spacing {
    /// One behind the other.
    pub const NEXT: Spacing = Spacing { step: 4, skew: 0 };

    /// Interleaved behind this address.
    pub fn interleaved(step: u64, base: u64) -> Spacing {
        Spacing { step, skew: base & 3 }
    }

    /// Address of byte `n` of what begins at `at`.
    fn byte(self, at: u64, n: u32) -> u64 {
        let within = self.within(at);
        let o = within + u64::from(n);
        at.wrapping_sub(within).wrapping_add(o / 4 * self.step + o % 4)
    }

    /// Bytes from the beginning of a dword on.
    fn within(self, at: u64) -> u64 {
        at.wrapping_sub(self.skew) & 3
    }

    /// Whether so many bytes are one behind the other.
    #[inline(always)]
    fn holds(self, at: u64, bytes: u32) -> bool {
        self.step == 4 || self.within(at) + u64::from(bytes) <= 4
    }
}

/// How much of each lane's access its descriptor allows.
pub(crate) enum Limit {
    All,
    /// Bytes from the lane's address that are in range.
    Bytes([u32; 32]),
}

impl Access {
    /// Whether `bytes` at `offset` from lane `lane`'s address are in range.
    #[inline(always)]
    pub fn allows(&self, lane: usize, offset: u32, bytes: u32) -> bool {
        match &self.limit {
            Limit::All => true,
            Limit::Bytes(b) => b[lane] >= offset + bytes,
        }
    }
}

pub(crate) fn function(space: Space, kind: MemKind, host: Level) -> Option<OpFn> {
    match (space, kind) {
        (_, MemKind::Invalidate) => Some(super::table::nop),
        (Space::Scalar, _) => scalar::function(space, kind),
        (Space::Image, MemKind::Image(op)) => image::function(op, host),
        (Space::Image, _) => None,
        (Space::Buffer, MemKind::LoadFormat { .. } | MemKind::StoreFormat { .. }) => typed::function(kind),
        (Space::Lds, _) => lds::function(kind, host),
        (Space::Buffer, _) => transfer::function::<buffer::Buffer>(kind, host),
        (Space::Flat, _) => transfer::function::<flat::Flat>(kind, host),
        (Space::Global, _) => transfer::function::<flat::Global>(kind, host),
        (Space::Scratch, _) => {
            transfer::function::<flat::Private<flat::Operand>>(kind, host).map(|_| flat::scratch as OpFn)
        }
    }
}

/// The function of a buffer instruction with ADDR64: [`function`]'s is right, and slower.
pub(crate) fn far(kind: MemKind, host: Level) -> Option<OpFn> {
    match kind {
        MemKind::Load { .. } | MemKind::Store { .. } | MemKind::Atomic { .. } => {
            transfer::function::<buffer::Far>(kind, host)
        }
        _ => function(Space::Buffer, kind, host),
    }
}

/// The function of a DS instruction with the GDS bit.
pub(crate) fn gds(kind: MemKind) -> Option<OpFn> {
    share::function::<share::Global>(kind)
}

/// The function of a DS instruction, with what M0 cuts off: slower than [`function`]'s.
pub(crate) fn below_limit(kind: MemKind) -> Option<OpFn> {
    share::function::<share::BelowM0>(kind)
}

/// A DS instruction where LDS ends at M0; mostly that is behind its end.
pub(crate) unsafe fn limited(w: &mut Wave, op: &MicroOp, env: &mut Env) -> bool {
    let Some(ext) = op.ext.as_deref() else { return false };
    let whole = share::BelowM0::holds_all(w, env);
    // SAFETY: both functions are of this row, for this host.
    unsafe { if whole { (ext.inner)(w, op, env) } else { (ext.then)(w, op, env) } }
}

/// The function of a store from LDS.
pub(crate) fn from_lds(kind: MemKind) -> Option<OpFn> {
    matches!(kind, MemKind::Store { bits: 32, dwords: 1 }).then_some(typed::store_from_lds::<buffer::Buffer> as OpFn)
}

/// The function of a load with the LDS bit.
pub(crate) fn to_lds(space: Space, kind: MemKind) -> Option<OpFn> {
    match space {
        Space::Buffer => typed::to_lds::<buffer::Buffer>(kind),
        Space::Global => typed::to_lds::<flat::Global>(kind),
        Space::Scratch => typed::to_lds::<flat::Private<flat::Operand>>(kind).map(|_| flat::scratch as OpFn),
        _ => None,
    }
}

/// A load with TFE: the register after its data receives the status, which is zero as every page is resident.
pub(crate) unsafe fn with_status(w: &mut Wave, op: &MicroOp, env: &mut Env) -> bool {
    let wavepipe_isa::row::Sem::Mem(space, kind) = op.row.sem else { return false };
    let Some(f) = function(space, kind, super::table::tables().level) else { return false };
    // SAFETY: the function of this row, for this host.
    let stopped = unsafe { f(w, op, env) };
    let dwords = super::lower::data_dwords(kind).unwrap_or(0) as usize;
    for half in 0..w.halves {
        w.registers.v.put(op.dst as usize + dwords * w.halves + half, &LaneRow::ZERO, w.exec(half));
    }
    stopped
}

/// An address calculation of vector memory.
pub(crate) trait Addressing {
    /// Every lane's address and limit.
    fn access(w: &Wave, op: &MicroOp, half: usize, bytes: u32) -> Access;

    /// The same as one base and 32-bit offsets, if all live lanes are in range of their descriptor and nothing is
    /// swizzled: the fast path.
    fn linear(w: &Wave, op: &MicroOp, half: usize, bytes: u32) -> Option<Linear>;

    /// The same as a register of offsets, without looking at its lanes; `None` if the instruction addresses otherwise.
    #[inline(always)]
    fn near<'w>(_w: &'w Wave, _op: &MicroOp, _half: usize) -> Option<Near<'w>> {
        None
    }

    /// Lanes that go to LDS instead of memory (FLAT's shared aperture).
    fn lds_lanes(_: &Wave, _: &Access) -> u32 {
        0
    }
}

/// A base and a register of byte offsets from it.
pub(crate) struct Near<'w> {
    pub base: u64,
    pub off: &'w LaneRow,
    /// Bytes from `base` that are in range.
    pub room: u64,
}

impl Near<'_> {
    /// Offset of lane 0 if the live lanes touch consecutive dwords in order and all 32 would be in range.
    #[inline(always)]
    pub fn row(&self, live: u32) -> Option<u64> {
        let some = live.trailing_zeros() & 31;
        let first = self.off.0[some as usize].checked_sub(4 * some)?;
        let mut wrong = 0;
        for (i, &o) in self.off.0.iter().enumerate() {
            let d = o.wrapping_sub(first) ^ (4 * i as u32);
            wrong |= if live >> i & 1 != 0 { d } else { 0 };
        }
        (wrong == 0 && first <= u32::MAX - 128 && u64::from(first) + 128 <= self.room).then_some(u64::from(first))
    }
}

/// 32 addresses near each other.
pub(crate) struct Linear {
    pub base: u64,
    /// Dead lanes repeat a live one.
    pub off: [u32; 32],
}

impl Linear {
    /// `off` with dead lanes made harmless; `live` is not zero.
    #[inline(always)]
    pub fn new(base: u64, mut off: [u32; 32], live: u32) -> Linear {
        if live != !0 {
            let some = off[live.trailing_zeros() as usize & 31];
            for (i, o) in off.iter_mut().enumerate() {
                *o = if live >> i & 1 != 0 { *o } else { some };
            }
        }
        Linear { base, off }
    }

    /// As `new`, from whole addresses; `None` if they are 4 GiB apart.
    #[inline(always)]
    pub fn from_wide(mut at: [u64; 32], live: u32) -> Option<Linear> {
        if live != !0 {
            let some = at[live.trailing_zeros() as usize & 31];
            for (i, a) in at.iter_mut().enumerate() {
                *a = if live >> i & 1 != 0 { *a } else { some };
            }
        }
        let base = at.iter().fold(!0, |m: u64, &a| m.min(a));
        let last = at.iter().fold(0, |m: u64, &a| m.max(a));
        (last - base < 1 << 32).then(|| Linear { base, off: std::array::from_fn(|i| (at[i] - base) as u32) })
    }

    /// Whether the lanes touch consecutive dwords, in order.
    #[inline(always)]
    pub fn consecutive(&self) -> bool {
        let first = self.off[0];
        let mut wrong = 0;
        for (i, &o) in self.off.iter().enumerate() {
            wrong |= o.wrapping_sub(first) ^ (4 * i as u32);
        }
        wrong == 0
    }

    /// `base + off[0]`.
    #[inline(always)]
    pub fn first(&self) -> u64 {
        self.base.wrapping_add(u64::from(self.off[0]))
    }
}

/// What a descriptor cuts off of an access that is about to run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CutOff {
    /// Lanes of which it cuts something off; the rest is of the first of them.
    pub lanes: u64,
    pub address: u64,
    pub bytes: u32,
    pub why: Cut,
}

/// Why something is cut off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cut {
    /// It is outside of the buffer.
    Buffer { base: u64, size: u64 },
    /// It is behind what a work-item has of private memory; the address is an offset in that.
    Private { size: u32 },
    /// The image has no such texel.
    Texel(OutsideImage),
    /// Nobody has written the descriptor.
    Unwritten,
}

/// What the descriptor of an operation cuts off, unless it is a null descriptor, or one of private memory that says nothing of
/// a work-item's share.
#[cold]
pub(crate) fn cut_off(w: &mut Wave, op: &MicroOp) -> Option<CutOff> {
    let wavepipe_isa::row::Sem::Mem(space, kind) = op.row.sem else { return None };
    let live = w.exec64();
    if live == 0 {
        return None;
    }
    if space == Space::Image {
        return image::cut_off(w, op);
    }
    let scalar = op.row.format == Format::Smem;
    let moves = !matches!(kind, MemKind::Invalidate | MemKind::Hint | MemKind::Clock { .. } | MemKind::WaveId);
    if !moves || !(space == Space::Buffer || scalar && op.row.src.first() == Some(&wavepipe_isa::row::Ty::Rsrc)) {
        return None;
    }
    if op.flags.contains(Flags::ADDR64) {
        return None;
    }
    let d = buffer::descriptor(w, op.s[0]);
    let unwritten = !d.is_bound(typed::is_typed(op));
    let null = d.base == 0 && d.num_records == 0 && !unwritten;
    let private = d.add_tid_enable;
    if null || private && (d.stride == 0 || !matches!(d.oob_select, 0 | BY_USE)) {
        return None;
    }
    let size = if d.stride == 0 { d.num_records.into() } else { u64::from(d.stride) * u64::from(d.num_records) };
    let why = match () {
        _ if unwritten => Cut::Unwritten,
        _ if private => Cut::Private { size: d.stride },
        _ => Cut::Buffer { base: d.base, size },
    };
    if scalar {
        let (address, room) = scalar::range(w, op);
        return (room < 4).then_some(CutOff { lanes: live, address, bytes: transfer::bytes(kind), why });
    }
    let bytes = typed::element(w, op).unwrap_or(transfer::bytes(kind));
    let mut cut = CutOff { lanes: 0, address: 0, bytes, why };
    for half in 0..w.halves {
        let a = buffer::Buffer::access(w, op, half, bytes);
        let mut beyond = 0;
        for lane in 0..32 {
            // What the hardware does not check has its size all the same.
            let allowed = match private && d.oob_select == BY_USE {
                true => buffer::offset(w, op, half, lane).checked_add(bytes).is_some_and(|end| end <= d.stride),
                false => a.allows(lane, 0, bytes),
            };
            beyond |= u32::from(!allowed) << lane;
        }
        beyond &= a.live;
        if beyond != 0 && cut.lanes == 0 {
            let lane = beyond.trailing_zeros() as usize;
            cut.address = if private { buffer::offset(w, op, half, lane).into() } else { a.at[lane] };
        }
        cut.lanes |= u64::from(beyond) << (32 * half);
    }
    (cut.lanes != 0).then_some(cut)
}
