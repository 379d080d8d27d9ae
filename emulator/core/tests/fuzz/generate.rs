//! Random legal blocks and the states they start from.

use super::accesses;
use super::lockstep::{Block, HEAP_BASE, HEAP_BYTES, Item, LDS_BYTES, RANDOM_VGPRS, Registers};
use super::random::Random;
use std::sync::Arc;
use wavepipe_hw::code::WaveSize;
use wavepipe_isa::generation::Dpp;
use wavepipe_isa::instr::{Dpp16, Extra, Flags, Form, Sdwa};
use wavepipe_isa::insts::{self as i, Op};
use wavepipe_isa::row::{AtomicOp, Control, Format, MemKind, Sem, Space, Ty, WaveOp};
use wavepipe_isa::{Gen, Instr, Src, decode, encode, legal};

/// VGPRs by what they start with: a range of register numbers.
fn home(ty: Ty) -> (u32, u32) {
    match ty {
        Ty::F32 | Ty::Mix => (0, 8),
        Ty::F16 | Ty::PkF16 | Ty::F16Hi => (8, 8),
        Ty::F64 => (16, 8),
        _ => (24, 8),
    }
}

pub fn state(r: &mut Random) -> Registers {
    let lane = |r: &mut Random| {
        let mut v = [0; RANDOM_VGPRS as usize];
        for n in 0..8 {
            v[n] = r.f32();
            v[8 + n] = u32::from(r.f16()) | u32::from(r.f16()) << 16;
            v[24 + n] = r.integer();
        }
        for n in (16..24).step_by(2) {
            let x = r.f64();
            (v[n], v[n + 1]) = (x as u32, (x >> 32) as u32);
        }
        v
    };
    let bytes = |r: &mut Random, n: usize| (0..n / 4).flat_map(|_| r.any().to_le_bytes()).collect();
    Registers {
        v: (0..64).map(|_| lane(r)).collect(),
        s: std::array::from_fn(|_| r.any()),
        vcc: r.next(),
        exec: r.exec(),
        m0: if r.one_in(2) { r.below(8) } else { r.any() },
        scc: r.one_in(2),
        lds: bytes(r, LDS_BYTES),
        heap: bytes(r, HEAP_BYTES),
    }
}

/// Rows that blocks are made of.
pub fn rows(isa: Gen) -> Vec<Op> {
    Op::of(isa).filter(|&op| executable(op, isa)).collect()
}

/// Whether memory is reached through buffers with whole addresses: there is no other way on GCN 1, and GCN 2 has it too.
pub fn by_buffers(isa: Gen) -> bool {
    i::GLOBAL_LOAD_DWORD.row().encoding(isa).is_none()
}

/// Whether random blocks may hold the row.
fn executable(op: Op, isa: Gen) -> bool {
    let row = op.row();
    // Written by hand: addresses to jump to, ends, waits for other waves, hardware registers other than MODE.
    match row.sem {
        Sem::Todo => false,
        Sem::Control(c) => matches!(
            c,
            Control::Nop
                | Control::Branch
                | Control::BranchScc0
                | Control::BranchScc1
                | Control::BranchVccz
                | Control::BranchVccnz
                | Control::BranchExecz
                | Control::BranchExecnz
                | Control::Barrier
                | Control::Waitcnt
                | Control::WaitcntVscnt
                | Control::WaitcntVmcnt
                | Control::WaitcntExpcnt
                | Control::WaitcntLgkmcnt
                | Control::Sleep
                | Control::SetPrio
                | Control::InstPrefetch
                | Control::Clause
                | Control::DenormMode
                | Control::RoundMode
                | Control::GetPc
                | Control::Call
                | Control::GetReg
                | Control::SetReg
                | Control::SetRegImm32
                | Control::SetPc
                | Control::SwapPc
                | Control::Wakeup
                | Control::BranchDebug(_)
                | Control::SubvectorBegin
                | Control::SubvectorEnd
        ),
        Sem::Mem(space, kind) => match (row.format, kind) {
            (_, MemKind::Load2 { .. } | MemKind::Store2 { .. } | MemKind::Exchange2 { .. }) => true,
            (
                Format::Ds | Format::Global | Format::Flat,
                MemKind::Load { .. }
                | MemKind::Store { .. }
                | MemKind::LoadD16 { .. }
                | MemKind::StoreHi { .. }
                | MemKind::Atomic { .. },
            ) => !matches!(kind, MemKind::Atomic { op: AtomicOp::CondSwap, .. }) && row.src[0] != Ty::Unused,
            (Format::Mubuf, MemKind::Load { .. } | MemKind::Store { .. } | MemKind::Atomic { .. }) => {
                by_buffers(isa) && !legal::implied(op, isa).contains(Flags::LDS)
            }
            (Format::Smem, MemKind::Load { .. }) => space == Space::Scalar && row.src[0] == Ty::Addr64,
            _ => false,
        },
        _ => !matches!(row.format, Format::Mimg | Format::Vintrp | Format::Exp),
    }
}

/// A block: random rows in random forms.
pub fn block(seed: u64, rows: &[Op], isa: Gen) -> Block {
    let mut r = Random(seed.wrapping_mul(0x2545_f491_4f6c_dd1d) ^ 0x5eed);
    let narrow = r.one_in(2) && isa.caps().wave32;
    let wave = if narrow { WaveSize::W32 } else { WaveSize::W64 };
    let state = Arc::new(state(&mut r));
    let mode = match r.below(4) {
        0 | 1 => 0x1f0,
        2 => r.pick(&[0x100, 0x1ff, 0x3f0, 0x3c0, 0xf0, 0x1c0, 0x130]),
        _ => r.word() & 0x3ff,
    };
    let most = if r.one_in(3) { 64 } else { 16 };
    let length = 1 + r.below(most);
    let mut items: Vec<Item> = Vec::new();
    while (items.len() as u32) < length {
        let op = r.pick(rows);
        let made = match op.row().sem {
            Sem::Mem(..) => accesses::memory(op, (wave, isa), &mut r),
            Sem::Control(Control::SetPc | Control::SwapPc) => accesses::jump(op, &mut r, isa),
            Sem::Wave(_) if op.row().format == Format::Sop1 => accesses::scalar_relative(op, &mut r, isa),
            _ => instance(op, wave, &mut r, isa).map(|i| vec![i]),
        };
        items.extend(made.unwrap_or_default().into_iter().map(|instr| Item { instr, target: None }));
    }
    let end = items.len();
    for n in 0..end {
        let jumps =
            |at: usize| items.get(at).is_some_and(|i: &Item| matches!(i.instr.op, i::S_SETPC_B64 | i::S_SWAPPC_B64));
        // The instruction that jumps: this one, or the jump whose distance is added here.
        let from = match items[n].instr.op.row().sem {
            Sem::Control(c) if c.has_target() => n,
            _ if items[n].instr.op == i::S_ADD_U32 && jumps(n + 2) => n + 2,
            _ => continue,
        };
        // Forward and not far, and never between an address and its use: there only the next instruction.
        let far = from + 1 + r.below(3) as usize;
        let open = |t: usize| t == from + 1 || t == end || !needs_setup(&items[t].instr);
        let lands = (from + 1..=far.min(end)).rev().find(|&t| open(t));
        items[n].target = lands;
    }
    let uses_lds = items.iter().any(|i| i.instr.op.row().format == Format::Ds);
    Block { isa, wave, mode, items, state, uses_lds }
}

/// Whether the instruction before made its address.
fn needs_setup(instr: &Instr) -> bool {
    let makers = [
        i::V_OR_B32,
        i::V_MOV_B32,
        i::V_XOR_B32,
        i::S_ADD_U32,
        i::S_ADDC_U32,
        i::S_SETPC_B64,
        i::S_SWAPPC_B64,
        i::V_MBCNT_HI_U32_B32,
        i::V_LSHLREV_B32,
    ];
    instr.is_memory() || makers.contains(&instr.op)
}

fn vgpr(r: &mut Random, ty: Ty, dwords: u32) -> Src {
    let (first, count) = if r.one_in(4) { (0, RANDOM_VGPRS) } else { home(ty) };
    let at = first + r.below(count);
    let at = if dwords == 2 && !r.one_in(4) { at & !1 } else { at };
    Src::v(at.min(RANDOM_VGPRS - dwords.max(1)))
}

pub fn sgpr(r: &mut Random, dwords: u32) -> Src {
    let align = dwords.clamp(1, 4).next_power_of_two();
    match r.below(12) {
        0 if dwords <= 2 => Src::VCC_LO,
        1 if dwords == 1 => Src::VCC_HI,
        _ => Src::s(r.below((60 - dwords.min(16)) / align) * align),
    }
}

/// A scalar source that is no constant.
fn scalar_source(r: &mut Random, dwords: u32) -> Src {
    match r.below(16) {
        0 if dwords <= 2 => Src::EXEC_LO,
        1 if dwords == 1 => Src::M0,
        2 if dwords <= 2 => Src::NULL,
        3 if dwords == 1 => r.pick(&[Src::VCCZ, Src::EXECZ, Src::SCC, Src::EXEC_HI]),
        _ => sgpr(r, dwords),
    }
}

fn scalar_target(r: &mut Random, dwords: u32) -> Src {
    match r.below(24) {
        0 if dwords <= 2 => Src::EXEC_LO,
        1 if dwords == 1 => Src::M0,
        2 if dwords <= 2 => Src::NULL,
        _ => sgpr(r, dwords),
    }
}

fn is_float(ty: Ty) -> bool {
    matches!(ty, Ty::F16 | Ty::F32 | Ty::F64 | Ty::PkF16 | Ty::F16Hi | Ty::Mix)
}

fn is_sixteen(ty: Ty) -> bool {
    matches!(ty, Ty::F16 | Ty::U16 | Ty::I16 | Ty::B16)
}

/// A constant that an operand of the type reads alike everywhere.
fn constant(r: &mut Random, ty: Ty) -> Src {
    // Inline floats in 16-bit integer operands are nobody's.
    let floats = !matches!(ty, Ty::U16 | Ty::I16 | Ty::B16 | Ty::PkU16);
    if floats && r.one_in(2) { Src(240 + r.below(9) as u16) } else { Src(128 + r.below(81) as u16) }
}

/// The operations that saturate when the clamp bit is set.
fn saturates(op: Op) -> bool {
    let s = [0; 3];
    super::integer::wide_integer(op, s, false).is_some()
        || matches!(
            op,
            i::V_PK_MAD_I16
                | i::V_PK_MAD_U16
                | i::V_PK_ADD_I16
                | i::V_PK_ADD_U16
                | i::V_PK_SUB_I16
                | i::V_PK_SUB_U16
                | i::V_PK_MUL_LO_U16
                | i::V_QSAD_PK_U16_U8
                | i::V_MQSAD_PK_U16_U8
        )
}

/// A random legal instruction of the row in a random form, if one is found.
pub fn instance(op: Op, wave: WaveSize, r: &mut Random, isa: Gen) -> Option<Instr> {
    (0..60).find_map(|_| {
        let i = attempt(op, wave, r, isa);
        let mut words = Vec::new();
        let sound = legal::check(&i, isa).is_ok()
            && encode::encode(&i, isa, &mut words).is_ok()
            && decode::decode(&words, isa).is_ok_and(|(d, n)| d == i && n == words.len());
        (sound && allowed(&i, wave)).then_some(i)
    })
}

fn attempt(op: Op, wave: WaveSize, r: &mut Random, isa: Gen) -> Instr {
    let row = op.row();
    let lanes = wave.lanes();
    let mut i = Instr::new(op);
    let vector = matches!(row.format, Format::Vop1 | Format::Vop2 | Format::Vopc | Format::Vop3 | Format::Vop3p);
    i.form = match r.below(8) {
        0..=2 => Form::Base,
        3 | 4 => Form::E64,
        5 => Form::Sdwa,
        6 => Form::Dpp16,
        _ => Form::Dpp8,
    };
    if !legal::supports(op, i.form, isa) {
        i.form = if r.one_in(2) && legal::supports(op, Form::E64, isa) { Form::E64 } else { Form::Base };
    }
    i.literal = match row.src.first() {
        Some(Ty::F32) => r.f32(),
        Some(Ty::F64) => (r.f64() >> 32) as u32,
        Some(Ty::F16) => r.f16().into(),
        _ => r.any(),
    };
    if row.src.contains(&Ty::Imm16) {
        i.imm = match row.sem {
            Sem::Control(Control::GetReg | Control::SetReg | Control::SetRegImm32) => {
                // MODE, any field of its low ten bits.
                let offset = r.below(10);
                (1 | offset << 6 | r.below(10 - offset) << 11) as i32
            }
            Sem::Control(Control::Clause | Control::RoundMode | Control::DenormMode | Control::Sleep) => {
                r.below(16) as i32
            }
            Sem::Control(_) => r.below(4) as i32,
            _ if r.one_in(3) => i32::from(r.below(40) as i16 - 20),
            _ => i32::from(r.word() as i16),
        };
    }
    for (n, &ty) in row.src.iter().enumerate().take(4) {
        let dwords = ty.dwords(lanes).max(1);
        let ok = legal::accepts(op, i.form, n, isa);
        i.src[n] = match ty {
            Ty::Imm16 | Ty::Scc | Ty::Exec | Ty::M0 | Ty::Old | Ty::Lit32 => Src::NONE,
            Ty::Mask | Ty::Vcc => sgpr(r, dwords),
            _ if ok.vgpr && !(r.one_in(3) && (ok.scalar || ok.constant)) => vgpr(r, ty, dwords),
            _ if ok.literal && r.one_in(4) => Src::LITERAL,
            _ if ok.constant && r.one_in(3) => constant(r, ty),
            _ => scalar_source(r, dwords),
        };
    }
    for (n, &ty) in row.dst.iter().enumerate().take(2) {
        let dwords = ty.dwords(lanes);
        let scalar = !vector && row.format != Format::Ds
            || matches!(row.sem, Sem::Wave(WaveOp::ReadFirstLane | WaveOp::ReadLane))
            || matches!(ty, Ty::Mask | Ty::Vcc | Ty::Exec);
        i.dst[n] = match ty {
            Ty::Mask | Ty::Vcc => sgpr(r, dwords),
            Ty::Scc | Ty::Exec => Src::NONE,
            _ if scalar => scalar_target(r, dwords),
            _ => vgpr(r, ty, dwords),
        };
    }
    if op == i::DS_SWIZZLE_B32 || op == i::DS_PERMUTE_B32 || op == i::DS_BPERMUTE_B32 {
        i.imm = (r.word() & 0xffff) as i32;
    }
    let float_result = row.dst.first().is_some_and(|&ty| is_float(ty));
    let floats = row.src.iter().enumerate().filter(|(_, ty)| is_float(**ty)).fold(0u8, |m, (n, _)| m | 1 << n);
    let sixteens = row.src.iter().enumerate().filter(|(_, ty)| is_sixteen(**ty)).fold(0u8, |m, (n, _)| m | 1 << n);
    let signs = |r: &mut Random, mask: u8| if r.one_in(2) { r.word() as u8 & mask } else { 0 };
    match i.form {
        Form::Sdwa => {
            let integers = !floats & 3;
            let mut s = Sdwa {
                dst_sel: r.below(7) as u8,
                dst_unused: r.below(3) as u8,
                src0_sel: r.below(7) as u8,
                src1_sel: r.below(7) as u8,
                sext: r.word() as u8 & integers,
            };
            if row.format == Format::Vopc {
                (s.dst_sel, s.dst_unused) = (6, 0);
            } else if float_result {
                // A NaN's bits are free, so they may not be spread by signs or cut.
                s.dst_sel = if row.dst[0] == Ty::F16 { 4 + r.below(3) as u8 } else { 6 };
                s.dst_unused = 2 * r.below(2) as u8;
            }
            if s.dst_sel == 6 {
                s.dst_unused = 0;
            }
            if row.src.len() < 2 || matches!(row.src[1], Ty::Old) {
                (s.src1_sel, s.sext) = (6, s.sext & 1);
            }
            i.extra = Extra::Sdwa(s);
            (i.mods.neg, i.mods.abs) = (signs(r, floats & 3), signs(r, floats & 3));
            if float_result && row.format != Format::Vopc {
                i.mods.clamp = r.one_in(4);
                i.mods.omod = if r.one_in(4) { r.below(4) as u8 } else { 0 };
            }
        }
        Form::Dpp16 => {
            let n = 1 + r.below(15) as u16;
            i.extra = Extra::Dpp16(Dpp16 {
                ctrl: match r.below(8) {
                    0 => r.below(256) as u16,
                    1 => 0x100 + n,
                    2 => 0x110 + n,
                    3 => 0x120 + n,
                    4 => 0x140,
                    5 => 0x141,
                    // GCN's, which cross rows.
                    6 | 7 if isa.caps().dpp == Dpp::Gfx8 => r.pick(&[0x130, 0x134, 0x138, 0x13c, 0x142, 0x143]),
                    6 => 0x150 + r.below(16) as u16,
                    _ => 0x160 + r.below(16) as u16,
                },
                row_mask: if r.one_in(2) { 15 } else { r.below(16) as u8 },
                bank_mask: if r.one_in(2) { 15 } else { r.below(16) as u8 },
                bound_ctrl: r.one_in(2),
                fetch_inactive: r.one_in(2) && isa.caps().dpp != Dpp::Gfx8,
            });
            (i.mods.neg, i.mods.abs) = (signs(r, floats & 3), signs(r, floats & 3));
        }
        Form::Dpp8 => i.extra = Extra::Dpp8 { selects: r.word() & 0xff_ffff, fetch_inactive: r.one_in(2) },
        _ if row.format == Format::Vop3p => {
            let n = row.src.len() as u32;
            let all = (1u8 << n) - 1;
            i.mods.op_sel = signs(r, all);
            i.mods.op_sel_hi = if r.one_in(2) { all } else { r.word() as u8 & all };
            if n == 2 && r.one_in(2) {
                i.mods.op_sel_hi |= 4;
            }
            (i.mods.neg, i.mods.neg_hi) = (signs(r, floats), signs(r, floats));
            // Constants are whole words: their upper half is nobody's, and a mixed f16 constant too.
            for k in 0..n as usize {
                if !i.src[k].is_vgpr() && !i.src[k].is_sgpr() {
                    i.mods.op_sel &= !(1 << k);
                    if row.src[k] == Ty::Mix {
                        i.mods.op_sel_hi &= !(1 << k);
                    }
                }
            }
            i.mods.clamp = (float_result || saturates(op)) && r.one_in(4);
        }
        _ if i.form == Form::E64 || row.format == Format::Vop3 => {
            let permlane = matches!(row.sem, Sem::Wave(WaveOp::Permlane16 | WaveOp::Permlanex16));
            if permlane {
                i.mods.op_sel = r.below(4) as u8;
            } else if !matches!(row.sem, Sem::Wave(_)) {
                (i.mods.neg, i.mods.abs) = (signs(r, floats), signs(r, floats));
                let compares = row.format == Format::Vopc;
                i.mods.clamp = !compares && (float_result || saturates(op)) && r.one_in(4);
                if float_result && !matches!(row.dst[0], Ty::PkF16) && r.one_in(4) {
                    i.mods.omod = r.below(4) as u8;
                }
                if row.format == Format::Vop3 && sixteens != 0 {
                    let high = if row.dst.first().is_some_and(|&ty| is_sixteen(ty)) { 8 } else { 0 };
                    i.mods.op_sel = signs(r, sixteens | high);
                    for k in 0..3 {
                        if !i.src[k].is_vgpr() && !i.src[k].is_sgpr() {
                            i.mods.op_sel &= !(1 << k);
                        }
                    }
                }
            }
        }
        _ => {}
    }
    i.imply();
    if !i.src.contains(&Src::LITERAL) {
        i.literal = 0;
    }
    i
}

/// What the architecture leaves undefined is not generated.
pub fn allowed(i: &Instr, wave: WaveSize) -> bool {
    let row = i.op.row();
    let lanes = wave.lanes();
    let vector = matches!(row.format, Format::Vop1 | Format::Vop2 | Format::Vopc | Format::Vop3 | Format::Vop3p);
    // The frame's registers stay as they are.
    let kept = |a: &legal::Access| {
        a.reg.0 < 106 && u32::from(a.reg.0) + a.dwords > HEAP_BASE
            || a.reg.is_vgpr() && a.reg.vgpr() + a.dwords > RANDOM_VGPRS
    };
    if i.defs(lanes).any(|a| kept(&a)) {
        return false;
    }
    let masks = |ty: Ty| matches!(ty, Ty::Mask | Ty::Vcc | Ty::Exec);
    if vector && lanes == 64 {
        // A wave64 instruction that writes an SGPR which its second half reads.
        for d in i.defs(lanes).filter(|a| masks(a.ty)) {
            let overlaps = |s: Src, dwords: u32| {
                s.0 < 128
                    && u32::from(s.0) < u32::from(d.reg.0) + d.dwords
                    && u32::from(d.reg.0) < u32::from(s.0) + dwords
            };
            for (k, &ty) in row.src.iter().enumerate().take(4) {
                let same_mask = masks(ty) && i.src[k] == d.reg;
                let watched = match i.src[k] {
                    Src::VCCZ => d.reg == Src::VCC_LO || d.reg == Src::VCC_HI,
                    Src::EXECZ => d.reg == Src::EXEC_LO,
                    s => overlaps(s, ty.dwords(lanes).max(1)),
                };
                if !same_mask && watched {
                    return false;
                }
            }
        }
    }
    // Pairs that straddle register files.
    let straddles = |s: Src, dwords: u32| matches!(s, Src::M0 | Src::EXEC_HI | Src::VCC_HI) && dwords > 1;
    let operands = row.src.iter().zip(i.src).chain(row.dst.iter().zip(i.dst));
    let mut pairs = operands.map(|(ty, s)| (s, ty.dwords(lanes)));
    if pairs.any(|(s, dwords)| straddles(s, dwords)) {
        return false;
    }
    // A mask in VCC_HI or an odd register is whole only in wave32; NULL masks have no lanes.
    for (ty, s) in row.src.iter().zip(i.src).chain(row.dst.iter().zip(i.dst)) {
        if masks(*ty) && s.0 < 128 && lanes == 64 && s.0 % 2 == 1 {
            return false;
        }
    }
    true
}
