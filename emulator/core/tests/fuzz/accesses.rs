//! Instructions that need others before them: memory accesses after their addresses, indexed moves after M0.

use super::generate::{allowed, sgpr};
use super::lockstep::{HEAP_BASE, HEAP_BYTES, LDS_BYTES, NO_BASE, RANDOM_VGPRS};
use super::random::Random;
use wavepipe_hw::code::WaveSize;
use wavepipe_isa::instr::{Flags, Form};
use wavepipe_isa::insts::{self as i, Op};
use wavepipe_isa::row::{Format, MemKind, Sem, Space, Ty};
use wavepipe_isa::{Gen, Instr, Src, decode, encode, legal};

/// S_MOVREL* with M0 set first, so that the registers stay among those that blocks may use.
pub fn scalar_relative(op: Op, r: &mut Random, isa: Gen) -> Option<Vec<Instr>> {
    let dwords = op.row().src[0].dwords(32);
    let (low, high) = (2 * r.below(8), 2 * r.below(8));
    let mut set = Instr::new(i::S_MOV_B32);
    (set.dst[0], set.src[0]) = (Src::M0, Src::LITERAL);
    set.literal = if op == i::S_MOVRELSD_2_B32 { low | high << 16 } else { low };
    let mut moves = Instr::new(op);
    let register = |r: &mut Random| Src::s(r.below(40 / dwords) * dwords);
    moves.dst[0] = register(r);
    let relative_source = !matches!(op, i::S_MOVRELD_B32 | i::S_MOVRELD_B64);
    moves.src[0] = if relative_source || r.one_in(2) { register(r) } else { Src(128 + r.below(81) as u16) };
    Some(vec![instance_of(set, isa)?, instance_of(moves, isa)?])
}

/// S_SETPC and S_SWAPPC: to the address of the next instruction and a distance, which the block fills in.
pub fn jump(op: Op, r: &mut Random, isa: Gen) -> Option<Vec<Instr>> {
    let base = 2 * r.below(20);
    let pair = Src::s(base);
    let mut here = Instr::new(i::S_GETPC_B64);
    here.dst[0] = pair;
    let mut low = Instr::new(i::S_ADD_U32);
    (low.dst[0], low.src[0], low.src[1]) = (pair, pair, Src::LITERAL);
    let mut high = Instr::new(i::S_ADDC_U32);
    (high.dst[0], high.src[0], high.src[1]) = (Src::s(base + 1), Src::s(base + 1), Src::ZERO);
    let mut to = Instr::new(op);
    to.src[0] = pair;
    if op == i::S_SWAPPC_B64 {
        to.dst[0] = if r.one_in(3) { pair } else { Src::s(2 * r.below(20)) };
    }
    [here, low, high, to].into_iter().map(|i| instance_of(i, isa)).collect()
}

/// An access with its address made first: V_AND cuts a random register to the space, or the lane's own stripe is taken.
pub fn memory(op: Op, (wave, isa): (WaveSize, Gen), r: &mut Random) -> Option<Vec<Instr>> {
    let row = op.row();
    let Sem::Mem(space, kind) = row.sem else { return None };
    let mut out = Vec::new();
    let mut i = Instr::new(op);
    let words = |ty: Ty| ty.dwords(wave.lanes()).max(1);
    if space == Space::Scalar {
        i.src[0] = Src::s(HEAP_BASE);
        // An offset is in bytes, or in dwords of eight bits.
        let most = if isa.caps().smem_dwords { 256 } else { HEAP_BYTES as u32 / 2 - 64 };
        i.imm = r.below(most) as i32;
        i.src[1] = Src::NONE;
        i.dst[0] = sgpr(r, words(row.dst[0]));
        return instance_of(i, isa).filter(|i| allowed(i, wave)).map(|i| vec![i]);
    }
    let bytes = match kind {
        MemKind::Load { bits, dwords, .. } | MemKind::Store { bits, dwords } => {
            if dwords > 1 {
                4 * u32::from(dwords)
            } else {
                u32::from(bits) / 8
            }
        }
        MemKind::LoadD16 { bits, .. } | MemKind::StoreHi { bits } => u32::from(bits) / 8,
        MemKind::Atomic { dwords, .. }
        | MemKind::Load2 { dwords, .. }
        | MemKind::Store2 { dwords, .. }
        | MemKind::Exchange2 { dwords, .. } => 4 * u32::from(dwords),
        _ => return None,
    };
    let loads = matches!(kind, MemKind::Load { .. } | MemKind::LoadD16 { .. } | MemKind::Load2 { .. });
    // Lanes of one instruction that write the same bytes have no order; each has 32 bytes of its own.
    let anywhere = loads || matches!(kind, MemKind::Atomic { .. }) && r.one_in(2);
    let align = bytes.next_power_of_two();
    let two = matches!(kind, MemKind::Load2 { .. } | MemKind::Store2 { .. } | MemKind::Exchange2 { .. });
    let far = match kind {
        MemKind::Load2 { st64, .. } | MemKind::Store2 { st64, .. } | MemKind::Exchange2 { st64, .. } => {
            if st64 {
                64 * bytes
            } else {
                bytes
            }
        }
        _ => 0,
    };
    let size = if space == Space::Lds { LDS_BYTES as u32 } else { HEAP_BYTES as u32 };
    let address = Src::v(24 + 2 * r.below(4));
    if !anywhere {
        // 32 · lane, made anew each time: M0 may have led a move into any register.
        let ones = Src(193);
        let mut below = Instr::new(i::V_MBCNT_LO_U32_B32);
        (below.dst[0], below.src[0], below.src[1]) = (address, ones, Src::ZERO);
        let mut lane = Instr::new(i::V_MBCNT_HI_U32_B32);
        (lane.dst[0], lane.src[0], lane.src[1]) = (address, ones, address);
        let mut stripe = Instr::new(i::V_LSHLREV_B32);
        (stripe.dst[0], stripe.src[0], stripe.src[1]) = (address, Src(128 + 5), address);
        for i in [below, lane, stripe] {
            out.push(instance_of(i, isa)?);
        }
    }
    let mut make = Instr::new(if anywhere { i::V_AND_B32 } else { i::V_XOR_B32 });
    make.dst[0] = address;
    make.src[0] = Src::LITERAL;
    if anywhere {
        make.literal = (size / 4 - 1) & !(align - 1);
        make.src[1] = Src::v(r.below(RANDOM_VGPRS));
    } else {
        make.literal = 32 * r.below(32);
        make.src[1] = address;
    }
    out.push(instance_of(make, isa)?);
    // The rest of the way: offsets that stay inside, and inside of the stripe where lanes must not meet.
    if two {
        let limit = if anywhere { 255.min((size / 2) / far) } else { (32 / far.max(1)).clamp(1, 255) };
        let o0 = r.below(limit.max(1));
        let mut o1 = r.below(limit.max(1));
        if !loads && o0 == o1 {
            o1 = o0 + 1;
        }
        // 64 · bytes apart: whole stripes; the same for all lanes, so they never meet if it is beyond all of them.
        let (o0, o1) = if !loads && far > 32 { (0, 2048u32.div_ceil(far)) } else { (o0, o1) };
        if o0.max(o1) > 255
            || size / 4 + 2048 + o0.max(o1) * far > size && !anywhere && far > 32 && o1 * far + 2048 > size
        {
            return None;
        }
        i.imm = (o0 | o1 << 8) as i32;
    } else if space == Space::Lds {
        i.imm = if anywhere { r.below(size / 2 / align) * align } else { r.below(32 / align) * align } as i32;
    } else {
        i.imm = if anywhere { r.below(2048 / align) * align } else { r.below(32 / align) * align } as i32;
    }
    if !anywhere && !two && i.imm as u32 + bytes > 32 {
        i.imm = 0;
    }
    let data = |r: &mut Random, ty: Ty| {
        let n = words(ty);
        Src::v(r.below(24 - n))
    };
    match space {
        Space::Lds => {
            i.src[0] = address;
            for (k, &ty) in row.src.iter().enumerate().skip(1).take(2) {
                if ty != Ty::Old {
                    i.src[k] = data(r, ty);
                }
                // Sums of integers' bits are seldom NaN.
                if ty == Ty::F32 {
                    i.src[k] = Src::v(24 + r.below(8));
                }
            }
        }
        Space::Buffer => {
            // A whole address, through a V# of no base.
            let mut low = Instr::new(i::V_OR_B32);
            (low.dst[0], low.src[0], low.src[1]) = (address, Src::s(HEAP_BASE), address);
            let mut high = Instr::new(i::V_MOV_B32);
            (high.dst[0], high.src[0]) = (Src::v(address.vgpr() + 1), Src::s(HEAP_BASE + 1));
            out.push(instance_of(low, isa)?);
            out.push(instance_of(high, isa)?);
            i.flags |= Flags::ADDR64;
            (i.src[0], i.src[1], i.src[2]) = (address, Src::s(NO_BASE), Src::ZERO);
            if row.src.get(3).is_some_and(|ty| *ty != Ty::Old) {
                i.src[3] = data(r, row.src[3]);
            }
            if matches!(kind, MemKind::Atomic { .. }) && r.one_in(2) {
                i.cache.returns = true;
            }
        }
        _ => {
            let with_base = row.format == Format::Global && r.one_in(2);
            i.src[0] = address;
            if with_base {
                i.src[1] = Src::s(HEAP_BASE);
            } else {
                let mut low = Instr::new(i::V_OR_B32);
                (low.dst[0], low.src[0], low.src[1]) = (address, Src::s(HEAP_BASE), address);
                let mut high = Instr::new(i::V_MOV_B32);
                (high.dst[0], high.src[0]) = (Src::v(address.vgpr() + 1), Src::s(HEAP_BASE + 1));
                out.push(instance_of(low, isa)?);
                out.push(instance_of(high, isa)?);
            }
            if row.src.get(2).is_some_and(|ty| *ty != Ty::Old) {
                i.src[2] = data(r, row.src[2]);
            }
            if matches!(kind, MemKind::Atomic { .. }) && r.one_in(2) {
                i.cache.returns = true;
            }
        }
    }
    if let Some(&ty) = row.dst.first() {
        let returns = space == Space::Lds || !matches!(kind, MemKind::Atomic { .. }) || i.cache.returns;
        if returns {
            i.dst[0] = Src::v(r.below(RANDOM_VGPRS - words(ty) + 1));
        }
    }
    out.push(instance_of(i, isa)?);
    Some(out)
}

/// With the implied operands filled in, if it can be encoded.
fn instance_of(mut i: Instr, isa: Gen) -> Option<Instr> {
    // At home in VOP2, as some are on GCN 1 and 2, they take constants as second sources in VOP3 only.
    if legal::check(&i, isa).is_err() && legal::supports(i.op, Form::E64, isa) {
        i.form = Form::E64;
    }
    i.imply();
    let mut words = Vec::new();
    encode::encode(&i, isa, &mut words).ok()?;
    let (d, n) = decode::decode(&words, isa).ok()?;
    (n == words.len() && legal::check(&d, isa).is_ok()).then_some(d)
}
