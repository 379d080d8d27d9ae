//! Loads and stores: undefined bits go to memory and come back.

use super::origin::{Origin, OriginId};
use super::state::LaneBits;
use super::vector::vgpr_of_row;
use super::{Init, global};
use crate::wave::check::Found;
use crate::wave::mem;
use crate::wave::op::MicroOp;
use crate::wave::probe::{Accesses, Issue, WaveView};
use crate::wave::regs::set_bits;
use crate::wave::state::{M0, Wave};
use wavepipe_hw::finding::{Access, AccessKind, AddressSpace, NeverWritten, UsedFor};
use wavepipe_isa::instr::Flags;
use wavepipe_isa::row::{AtomicOp, Format, MemKind, Sem, Space, Ty};

/// Where a lane's bytes are.
#[derive(Clone, Copy)]
enum Spot {
    Lds(u64),
    /// By the address of the byte; dwords that follow each other are `step` bytes apart.
    Private(u64, u64),
    Global(u64),
}

/// Which memory an instruction goes to.
#[derive(Clone, Copy)]
enum Goes {
    Lds,
    /// Dwords of a lane that follow each other are so many bytes apart.
    Private(u64),
    Global,
    /// Wherever each lane's address says.
    Anywhere,
}

impl Goes {
    fn of(w: &Wave, op: &MicroOp, to: &Accesses<'_>) -> Goes {
        let width = 32 * w.halves as u64;
        let apertures = [w.apertures.shared, w.apertures.private];
        let is_aperture = |lane: usize| apertures.contains(&((to.at[lane] >> 32) as u32));
        match to.reach.space {
            Space::Lds => Goes::Lds,
            Space::Flat if to.lanes().any(is_aperture) => Goes::Anywhere,
            Space::Scratch if op.row.format != Format::Smem => Goes::Private(4 * width),
            Space::Buffer => {
                let d = mem::descriptor(w, op.s[0]);
                match d.swizzle_enable && d.add_tid_enable {
                    true => Goes::Private(4 * (8 << d.index_stride)),
                    false => Goes::Global,
                }
            }
            _ => Goes::Global,
        }
    }

    /// Whether the lanes of `mask` access neighbouring dwords, in order: where lane 0's is.
    fn row(self, mask: u64, addresses: &[u64; 64], w: &Wave) -> Option<u64> {
        if mask != w.launched {
            return None;
        }
        let base = addresses[0];
        let mut wrong = 0;
        for (lane, at) in addresses.iter().enumerate().take(32 * w.halves) {
            wrong |= at ^ base.wrapping_add(4 * lane as u64);
        }
        (wrong == 0 && mask.count_ones() == 32 * w.halves as u32).then_some(base)
    }

    /// Where a lane's bytes at `at` are.
    fn place(self, w: &Wave, at: u64, lane: usize) -> Spot {
        let width = 32 * w.halves as u64;
        match (self, (at >> 32) as u32) {
            (Goes::Lds, _) => Spot::Lds(at),
            (Goes::Private(step), _) => Spot::Private(at, step),
            (Goes::Anywhere, high) if high == w.apertures.shared => Spot::Lds(at & 0xffff_ffff),
            (Goes::Anywhere, high) if high == w.apertures.private => {
                let o = at & 0xffff_ffff;
                let at = w.flat_scratch().wrapping_add((o & !3) * width + 4 * lane as u64 + (o & 3));
                Spot::Private(at, 4 * width)
            }
            (Goes::Global | Goes::Anywhere, _) => Spot::Global(at),
        }
    }
}

/// What an instruction moves: pieces at offsets of their own, and in each dwords, or a part of one.
struct Shape {
    /// To be added to the address that the instruction has.
    pieces: [i64; 2],
    count: usize,
    /// Bits of each element; 32 if there are several.
    bits: u32,
    dwords: usize,
    signed: bool,
    /// Of which half of a register: it keeps the other.
    half: Option<bool>,
}

/// Bytes of all lanes together, if they stand one behind the other, so many of each.
pub(super) fn is_run(to: &Accesses<'_>, bytes: u64) -> Option<u64> {
    let (first, all) = (to.reach.first, bytes * u64::from(to.reach.mask.count_ones()));
    let ordered = to.reach.last.wrapping_sub(first).wrapping_add(bytes) == all
        && to.lanes().zip(0..).all(|(lane, n)| to.at[lane] == first.wrapping_add(bytes * n));
    ordered.then_some(all)
}

impl Shape {
    /// Of each piece.
    fn bytes(&self) -> u64 {
        u64::from(self.bits / 8) * self.dwords as u64
    }

    fn of(op: &MicroOp, kind: MemKind) -> Option<Shape> {
        let one = Shape { pieces: [0; 2], count: 1, bits: 32, dwords: 1, signed: false, half: None };
        Some(match kind {
            MemKind::Load { bits, signed, dwords } => Shape { bits: bits.into(), signed, dwords: dwords.into(), ..one },
            MemKind::Store { bits, dwords } => Shape { bits: bits.into(), dwords: dwords.into(), ..one },
            MemKind::LoadD16 { bits, signed, hi } => Shape { bits: bits.into(), signed, half: Some(hi), ..one },
            MemKind::StoreHi { bits } => Shape { bits: bits.into(), half: Some(true), ..one },
            MemKind::Load2 { dwords, .. } | MemKind::Store2 { dwords, .. } | MemKind::Exchange2 { dwords, .. } => {
                // The addresses have both offsets added as one of bytes.
                let field = op.imm as u32 & 0xffff;
                let pieces = kind.pair_offsets(field)?.map(|offset| i64::from(offset) - i64::from(field));
                Shape { pieces, count: 2, dwords: dwords.into(), ..one }
            }
            MemKind::Atomic { dwords, .. } => Shape { dwords: dwords.into(), ..one },
            _ => return None,
        })
    }
}

/// Whether the addresses of its lanes are shown to observers.
fn is_shown(op: &MicroOp, kind: MemKind) -> bool {
    let plain = matches!(
        kind,
        MemKind::Load { .. }
            | MemKind::Store { .. }
            | MemKind::LoadD16 { .. }
            | MemKind::StoreHi { .. }
            | MemKind::Load2 { .. }
            | MemKind::Store2 { .. }
            | MemKind::Exchange2 { .. }
            | MemKind::Atomic { .. }
    );
    plain && !op.flags.intersects(Flags::GDS | Flags::LDS)
}

/// Where undefined bits stand in the half of a register.
fn extended(undefined: u32, shape: &Shape) -> u32 {
    match shape.bits {
        32 => undefined,
        bits if shape.signed && undefined >> (bits - 1) & 1 != 0 => undefined | !0 << bits,
        _ => undefined,
    }
}

fn is_address(ty: Ty) -> bool {
    matches!(
        ty,
        Ty::Addr32
            | Ty::Addr64
            | Ty::Rsrc
            | Ty::Image
            | Ty::Sampler
            | Ty::ImageAddr
            | Ty::SOffset
            | Ty::SAddr64
            | Ty::SAddr32
    )
}

impl Init {
    /// A memory instruction is about to run: what it goes to, and what observers are shown no addresses of.
    pub(super) fn memory(&mut self, view: &WaveView<'_>, issue: &Issue<'_>, kind: MemKind, found: &mut Vec<Found>) {
        let (index, width, exec) = (view.index() as usize, view.lanes(), view.exec());
        let footprint = issue.footprint(width);
        let op = issue.op;
        let gds = op.flags.contains(Flags::GDS);
        let bits = &self.waves[index].bits;
        if bits.is_tainted(&footprint.reads) && bits.is_undefined(&footprint.reads, exec) {
            self.addresses(view, issue, kind, found);
        }
        if is_shown(op, kind) {
            return;
        }
        match kind {
            MemKind::StoreLane if !gds => self.lane_store(view, op),
            MemKind::LoadLane if !gds => return self.lane_load(view, issue),
            MemKind::Load { .. } | MemKind::LoadFormat { .. } if op.flags.contains(Flags::LDS) => self.lds.define_all(),
            _ => {}
        }
        self.waves[index].bits.define_all(&footprint.writes, exec);
    }

    /// Looks at the operands that say where; and at those that say what, if that goes out of sight.
    #[cold]
    fn addresses(&mut self, view: &WaveView<'_>, issue: &Issue<'_>, kind: MemKind, found: &mut Vec<Found>) {
        let index = view.index() as usize;
        let bits = &self.waves[index].bits;
        let image = matches!(kind, MemKind::Image(_) | MemKind::StoreFormat { .. });
        let unseen =
            image && (kind.writes() || matches!(kind, MemKind::StoreFormat { .. })) && !self.waves[index].copies
                || issue.op.flags.contains(Flags::GDS);
        let mut told: Vec<(UsedFor, u64, OriginId)> = Vec::new();
        for used in issue.instr.uses(view.lanes()) {
            let why = match () {
                () if is_address(used.ty) => UsedFor::Address,
                () if unseen && used.reg.is_vgpr() && used.ty != Ty::Old => UsedFor::Output,
                () => continue,
            };
            for n in 0..used.dwords {
                let (mask, origin) = if used.reg.is_vgpr() {
                    let n = used.reg.vgpr() + n;
                    let mask = bits.undefined_lanes(n, view.exec());
                    (mask, bits.vgpr_origin(n, mask.trailing_zeros() as usize & 63))
                } else {
                    let n = usize::from(used.reg.0) + n as usize;
                    let undefined = bits.s.get(n).is_some_and(|u| *u != 0);
                    (if undefined { view.exec() } else { 0 }, bits.scalar_origin(n))
                };
                if mask != 0 {
                    told.push((why, mask, origin));
                }
            }
        }
        for why in [UsedFor::Address, UsedFor::Output] {
            let mask = told.iter().filter(|t| t.0 == why).fold(0, |m, t| m | t.1);
            if let Some((_, first, origin)) = told.iter().filter(|t| t.0 == why).min_by_key(|t| t.1.trailing_zeros()) {
                debug_assert!(mask & first != 0);
                self.tell(view, issue, (why, mask, *origin), None, found);
            }
        }
    }

    /// M0[15:0] + offset + 4 · lane.
    fn lane_address(view: &WaveView<'_>, op: &MicroOp, lane: usize) -> u64 {
        u64::from(view.0.s.0[M0] & 0xffff) + u64::from(op.imm as u32 & 0xffff) + 4 * lane as u64
    }

    fn lane_store(&mut self, view: &WaveView<'_>, op: &MicroOp) {
        let data = vgpr_of_row(op.src[1].index() as u32, view.0.halves);
        let bits = &self.waves[view.index() as usize].bits;
        for lane in set_bits(view.exec()) {
            self.lds.write(Self::lane_address(view, op, lane), 4, bits.vgpr(data, lane), bits.vgpr_origin(data, lane));
        }
    }

    fn lane_load(&mut self, view: &WaveView<'_>, issue: &Issue<'_>) {
        let mut out: LaneBits = [0; 64];
        let mut from = [OriginId::default(); 64];
        for lane in set_bits(view.exec()) {
            let place = Spot::Lds(Self::lane_address(view, issue.op, lane));
            (out[lane], from[lane]) = self.read(view, issue, place, 4, lane);
        }
        let dst = vgpr_of_row(issue.op.dst, view.0.halves);
        self.waves[view.index() as usize].bits.put(dst, view.exec(), &out, &from);
    }

    /// Undefined bits of `n` bytes at the place, and what they come from.
    fn read(&mut self, view: &WaveView<'_>, issue: &Issue<'_>, place: Spot, n: usize, lane: usize) -> (u32, OriginId) {
        let wave = view.index();
        let (undefined, stored, never) = match place {
            Spot::Lds(at) => {
                let undefined = self.lds.read(at, n);
                if undefined == 0 {
                    return (0, OriginId::default());
                }
                (undefined, self.lds.origin(at), NeverWritten::Lds(at as u32 + undefined.trailing_zeros() / 8))
            }
            Spot::Private(at, _) => {
                let private = &mut self.waves[wave as usize].private;
                let undefined = private.read(at, n);
                if undefined == 0 {
                    return (0, OriginId::default());
                }
                (undefined, private.origin(at), NeverWritten::Private)
            }
            Spot::Global(at) => {
                let undefined = self.extent(at).map_or(0, |e| e.read(at, n));
                if undefined == 0 {
                    return (0, OriginId::default());
                }
                (undefined, None, NeverWritten::Memory(at + u64::from(undefined.trailing_zeros() / 8)))
            }
        };
        let origin = stored.unwrap_or_else(|| {
            let origin = Origin { what: never, pc: issue.pc, wave, lane: lane as u32, copied: n == 4 };
            self.origins.id(origin, Some(issue.instr))
        });
        let origin = if n == 4 { origin } else { self.origins.computed(origin) };
        (undefined, origin)
    }

    fn write(&mut self, wave: usize, place: Spot, n: usize, bits: u32, origin: OriginId) {
        match place {
            Spot::Lds(at) => self.lds.write(at, n, bits, origin),
            Spot::Private(at, _) => self.waves[wave].private.write(at, n, bits, origin),
            // What is told of counts as written, and padding stays what it was.
            Spot::Global(at) if bits == 0 || !self.origins.is_copied(origin) => self.global_written_at(at, n as u64),
            Spot::Global(_) => {}
        }
    }

    /// The lanes of `mask` access memory at `addresses`.
    pub(super) fn transfer(
        &mut self,
        view: &WaveView<'_>,
        issue: &Issue<'_>,
        to: &Accesses<'_>,
        found: &mut Vec<Found>,
    ) {
        let (space, mask, addresses) = (to.reach.space, to.reach.mask, to.at);
        let (op, w) = (issue.op, view.0);
        let Sem::Mem(_, kind) = op.row.sem else { return };
        if !is_shown(op, kind) {
            return self.typed(view, issue, kind, to);
        }
        let index = view.index() as usize;
        let writes = &issue.footprint(view.lanes()).writes;
        let Some(shape) = Shape::of(op, kind) else {
            return self.waves[index].bits.define_all(writes, view.exec());
        };
        if space == Space::Scalar {
            self.waves[index].bits.define_all(writes, view.exec());
            return self.scalar(view, issue, kind, addresses[0], shape.dwords);
        }
        let reads = &issue.footprint(view.lanes()).reads;
        let bits = &mut self.waves[index].bits;
        if mask == 0 {
            return bits.define_all(writes, view.exec());
        }
        let goes = Goes::of(w, op, to);
        let clean = !bits.is_tainted(reads) || !bits.is_undefined(reads, view.exec());
        let loads = matches!(kind, MemKind::Load { .. } | MemKind::LoadD16 { .. } | MemKind::Load2 { .. });
        let stores = matches!(kind, MemKind::Store { .. } | MemKind::StoreHi { .. } | MemKind::Store2 { .. });
        // Nearly always all is defined, and halves of registers are not kept.
        if (clean || loads) && (stores || shape.half.is_none() || !bits.is_tainted(writes)) {
            let done = match (goes, stores) {
                (Goes::Global, true) => self.global_written(to, shape.bytes()),
                (Goes::Global, false) => self.is_global_written(to, shape.bytes()),
                (Goes::Lds, true) => self.lds_written(to, &shape),
                (Goes::Lds, false) => self.is_lds_defined(to, &shape),
                (Goes::Private(_), _) => self.whole_rows(w, to, goes, &shape, loads),
                (Goes::Anywhere, _) => false,
            };
            if done {
                return self.waves[index].bits.define_all(writes, view.exec());
            }
        }
        match loads {
            true => self.load(view, issue, &shape, (goes, mask, addresses)),
            false => self.store(view, issue, &shape, (goes, mask, addresses), found),
        }
    }

    /// Whether what lanes read in LDS is defined: nearly always everything from the first to the last byte is.
    fn is_lds_defined(&self, to: &Accesses<'_>, shape: &Shape) -> bool {
        let bytes = shape.bytes();
        shape.pieces[..shape.count].iter().all(|piece| {
            let defined = |first: u64, last: u64| {
                self.lds
                    .is_defined(first.wrapping_add_signed(*piece), last.wrapping_add_signed(*piece).wrapping_add(bytes))
            };
            defined(to.reach.first, to.reach.last) || to.lanes().all(|lane| defined(to.at[lane], to.at[lane]))
        })
    }

    /// What lanes write in LDS becomes defined.
    fn lds_written(&mut self, to: &Accesses<'_>, shape: &Shape) -> bool {
        let bytes = shape.bytes();
        let run = is_run(to, bytes);
        for piece in &shape.pieces[..shape.count] {
            let at = |address: u64| address.wrapping_add_signed(*piece);
            match run {
                _ if self.lds.is_defined(at(to.reach.first), at(to.reach.last).wrapping_add(bytes)) => {}
                Some(all) => self.lds.define(at(to.reach.first), all),
                None => to.lanes().for_each(|lane| self.lds.define(at(to.at[lane]), bytes)),
            }
        }
        true
    }

    /// Rows of private memory, a dword a lane: whether all that is loaded is defined; what is stored becomes so.
    fn whole_rows(&mut self, w: &Wave, to: &Accesses<'_>, goes: Goes, shape: &Shape, loads: bool) -> bool {
        let (Goes::Private(step), 32) = (goes, shape.bits) else { return false };
        let Some(base) = goes.row(to.reach.mask, to.at, w) else { return false };
        let private = &mut self.waves[w.index as usize].private;
        let bytes = 4 * 32 * w.halves;
        (0..shape.dwords as u64).all(|n| match loads {
            true => private.is_defined(base + step * n, bytes),
            false => private.define(base + step * n, bytes),
        })
    }

    fn element(place: Spot, n: usize, piece: i64) -> Spot {
        let n = n as u64;
        match place {
            Spot::Lds(at) => Spot::Lds(at.wrapping_add_signed(piece) + 4 * n),
            Spot::Private(at, step) => Spot::Private(at.wrapping_add(step * n), step),
            Spot::Global(at) => Spot::Global(at.wrapping_add(4 * n)),
        }
    }

    fn load(
        &mut self,
        view: &WaveView<'_>,
        issue: &Issue<'_>,
        shape: &Shape,
        (goes, mask, addresses): (Goes, u64, &[u64; 64]),
    ) {
        let (op, w) = (issue.op, view.0);
        let (index, exec) = (view.index() as usize, view.exec());
        let dst = vgpr_of_row(op.dst, w.halves);
        let bytes = (shape.bits / 8) as usize;
        let end = global::end(w, op);
        let writes = &issue.footprint(view.lanes()).writes;
        if shape.half.is_none() {
            self.waves[index].bits.define_all(writes, exec);
        }
        for piece in 0..shape.count {
            for n in 0..shape.dwords {
                let mut out: LaneBits = [0; 64];
                let mut from = [OriginId::default(); 64];
                let register = dst + (piece * shape.dwords + n) as u32;
                let mut any = 0;
                for lane in set_bits(exec & mask) {
                    let place = goes.place(w, addresses[lane], lane);
                    let place = Self::element(place, n, shape.pieces[piece]);
                    let (undefined, origin) = match place {
                        // What a descriptor cuts off is zero.
                        Spot::Global(at) if at.saturating_add(bytes as u64) > end => continue,
                        _ => self.read(view, issue, place, bytes, lane),
                    };
                    out[lane] = extended(undefined, shape);
                    from[lane] = origin;
                    any |= undefined;
                }
                let bits = &mut self.waves[index].bits;
                if let Some(high) = shape.half {
                    for lane in set_bits(exec) {
                        let old = bits.vgpr(register, lane);
                        let new = out[lane] & 0xffff;
                        out[lane] = if high { old & 0xffff | new << 16 } else { old & 0xffff_0000 | new };
                        if new == 0 {
                            from[lane] = bits.vgpr_origin(register, lane);
                        }
                        any |= out[lane];
                    }
                }
                if any != 0 {
                    bits.put(register, exec, &out, &from);
                } else {
                    bits.define(register, exec);
                }
            }
        }
    }

    fn store(
        &mut self,
        view: &WaveView<'_>,
        issue: &Issue<'_>,
        shape: &Shape,
        (goes, mask, addresses): (Goes, u64, &[u64; 64]),
        found: &mut Vec<Found>,
    ) {
        let (op, w) = (issue.op, view.0);
        let (index, exec) = (view.index() as usize, view.exec());
        let bytes = (shape.bits / 8) as usize;
        let Sem::Mem(_, kind) = op.row.sem else { return };
        let data = |piece: usize| vgpr_of_row(op.src[1 + piece].index() as u32, w.halves);
        let shift = if shape.half == Some(true) { 16 } else { 0 };
        let keep = if shape.bits == 32 { !0 } else { (1u32 << shape.bits) - 1 };
        let atomic = matches!(kind, MemKind::Atomic { .. } | MemKind::Exchange2 { .. });
        // A compare-and-swap has its comparand behind its data; in LDS in front of it.
        let operands = match (kind, op.row.format) {
            (
                MemKind::Atomic {
                    op: AtomicOp::CmpSwap | AtomicOp::FCmpSwap | AtomicOp::MaskOr | AtomicOp::Wrap, ..
                },
                _,
            ) => 2,
            _ => 1,
        };
        let mut returned: [LaneBits; 4] = [[0; 64]; 4];
        let mut returned_from = [OriginId::default(); 64];
        let mut out: Option<(u64, OriginId, u64)> = None;
        for lane in set_bits(exec & mask) {
            let mut dwords = [(0u32, OriginId::default()); 4];
            for piece in 0..shape.count {
                let place = goes.place(w, addresses[lane], lane);
                for n in 0..shape.dwords {
                    let bits = &self.waves[index].bits;
                    let mut registers = [data(piece) + n as u32; 2];
                    if operands == 2 {
                        registers[1] = match goes {
                            Goes::Lds => data(1) + n as u32,
                            _ => data(0) + (shape.dwords + n) as u32,
                        };
                    }
                    let mut undefined = bits.vgpr(registers[0], lane) >> shift & keep;
                    let mut origin = bits.vgpr_origin(registers[0], lane);
                    if operands == 2 && undefined == 0 {
                        undefined = bits.vgpr(registers[1], lane);
                        origin = bits.vgpr_origin(registers[1], lane);
                    }
                    let place = Self::element(place, n, shape.pieces[piece]);
                    if atomic {
                        let (old, from) = self.read(view, issue, place, bytes, lane);
                        returned[(piece * shape.dwords + n) & 3][lane] = old;
                        if old != 0 {
                            returned_from[lane] = from;
                        }
                        let swap =
                            matches!(kind, MemKind::Exchange2 { .. } | MemKind::Atomic { op: AtomicOp::Swap, .. });
                        if !swap && (old | undefined) != 0 {
                            origin = self.origins.computed(if undefined != 0 { origin } else { from });
                            undefined = !0;
                        }
                    }
                    dwords[(piece * shape.dwords + n) & 3] = (undefined, origin);
                    self.write(index, place, bytes, undefined, origin);
                }
            }
            let dwords = &dwords[..(shape.count * shape.dwords).min(4)];
            if !matches!(goes.place(w, addresses[lane], lane), Spot::Global(_)) {
                continue;
            }
            if let Some(origin) = self.is_output(dwords, keep) {
                let (lanes, ..) = out.get_or_insert((0, origin, addresses[lane]));
                *lanes |= 1 << lane;
            }
        }
        let writes = &issue.footprint(view.lanes()).writes;
        if atomic {
            let bits = &mut self.waves[index].bits;
            bits.define_all(writes, exec);
            if op.dst2 == crate::wave::mem::RETURNS {
                let dst = vgpr_of_row(op.dst, w.halves);
                for (n, row) in returned.iter().enumerate().take(shape.count * shape.dwords) {
                    bits.put(dst + n as u32, exec, row, &returned_from);
                }
            }
        }
        if let Some((mask, origin, address)) = out {
            let access = Access {
                kind: if atomic { AccessKind::Atomic } else { AccessKind::Write },
                space: AddressSpace::Global,
                address,
                bytes: bytes as u32 * shape.dwords as u32,
                name: None,
            };
            self.tell(view, issue, (UsedFor::Output, mask, origin), Some(access), found);
        }
    }

    /// Whether what a lane stores tells: a value that is undefined, and not the padding between others. Bytes that were copied
    /// as they were in memory, beside others that are defined, may be that.
    fn is_output(&self, dwords: &[(u32, OriginId)], whole: u32) -> Option<OriginId> {
        let some = dwords.iter().any(|(undefined, _)| undefined & whole != whole);
        let whole_bytes = |u: u32| [0, 8, 16, 24].iter().all(|s| matches!(u >> s & 255, 0 | 255));
        let told = |(undefined, origin): &&(u32, OriginId)| {
            let padding = some && self.origins.is_copied(*origin) && whole_bytes(*undefined);
            *undefined != 0 && !padding
        };
        dwords.iter().find(told).map(|(_, origin)| *origin)
    }
}
