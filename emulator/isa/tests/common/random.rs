//! Random legal instructions of every row and form.

use super::Rng;
use wavepipe_isa::cache::{Access, Cache};
use wavepipe_isa::instr::{Dpp16, Export, Extra, Flags, Form, Image, Sdwa};
use wavepipe_isa::row::{AtomicOp, Control, Format, ImageOp, MemKind, Sem, Ty, WaveOp};
use wavepipe_isa::{Gen, Instr, Op, Src, insts, legal};

const GEN: Gen = Gen::Gfx1010;

const FORMS: [Form; 5] = [Form::Base, Form::E64, Form::Sdwa, Form::Dpp16, Form::Dpp8];

/// A random register or constant that a source accepts.
fn random_source(rng: &mut Rng, instr: &Instr, i: usize, lanes: u32) -> Src {
    let row = instr.op.row();
    let ty = row.src[i];
    let ok = legal::accepts(instr.op, instr.form, i, GEN);
    let dwords = ty.dwords(lanes).max(if ty == Ty::ImageData { 5 } else { 1 });
    let align = if dwords >= 4 { 4 } else { dwords };
    let mut kinds = Vec::new();
    if ok.vgpr {
        kinds.extend([0, 0, 0]);
    }
    if ok.scalar {
        kinds.extend([1, 1]);
    }
    if ok.constant {
        kinds.push(2);
    }
    if ok.literal {
        kinds.push(3);
    }
    if kinds.is_empty() {
        return Src::NONE;
    }
    match kinds[rng.below(kinds.len() as u32) as usize] {
        0 if ty == Ty::ImageAddr => Src::v(0),
        0 => Src::v(rng.below(257 - dwords.max(2))),
        1 => Src::s(rng.below((106 - dwords) / align) * align),
        2 if ty == Ty::Param => Src(128 + rng.below(3) as u16),
        2 => Src(128 + rng.below(81) as u16),
        _ => Src::LITERAL,
    }
}

/// A random legal instruction of the row in the form.
pub fn random_instr(rng: &mut Rng, op: Op, form: Form, lanes: u32) -> Instr {
    let row = op.row();
    loop {
        let mut instr = Instr::new(op);
        instr.form = form;
        instr.literal = 0x1234_5678 + rng.below(0x1000);
        if matches!(row.format, Format::Vop3 | Format::Vop1 | Format::Vop2 | Format::Vopc | Format::Vop3p) {
            // 16-bit operands read a literal's low half; text shows no more.
            let half = |t: &Ty| matches!(t, Ty::F16 | Ty::U16 | Ty::I16 | Ty::B16);
            let mixed = row.src.contains(&Ty::Mix);
            instr.literal &= if row.src.iter().any(half) || mixed { 0x7fff } else { !0 };
        }
        // LDS and TFE change what registers there are: they get a chance of their own below.
        let told = legal::cache_bits(op, GEN);
        let word = (0..8).map(|n| 1 << n).filter(|bit| told & bit != 0 && rng.chance(2)).sum();
        instr.cache = Cache::of(Access::of(row), word, GEN);
        for flag in legal::flags(op, GEN).difference(Flags::LDS | Flags::TFE).iter() {
            instr.flags.set(flag, rng.chance(2));
        }
        instr.flags.set(Flags::TFE, legal::flags(op, GEN).contains(Flags::TFE) && rng.chance(4));
        let needs_gds = matches!(row.sem, Sem::Mem(_, MemKind::Gws(_) | MemKind::OrderedCount));
        instr.flags.set(Flags::GDS, instr.flags.contains(Flags::GDS) || needs_gds);
        if row.src.is_empty() && row.format == Format::Mubuf {
            instr.flags = Flags::empty();
        }
        let atomic = matches!(row.sem, Sem::Mem(_, MemKind::Atomic { .. } | MemKind::Image(ImageOp::Atomic(_))));
        let returns = !atomic || instr.cache.returns || row.format == Format::Ds;
        let scalar_dst = matches!(row.format, Format::Sop1 | Format::Sop2 | Format::Sopk | Format::Smem)
            || row.name.starts_with("v_read");
        for (i, &ty) in row.dst.iter().enumerate().take(2) {
            let status = u32::from(instr.flags.contains(Flags::TFE));
            let dwords = if ty == Ty::ImageData { 5 } else { ty.dwords(lanes).max(1) + status };
            let align = if dwords >= 4 { 4 } else { dwords };
            instr.dst[i] = match ty {
                Ty::Scc | Ty::Exec => Src::NONE,
                Ty::Vcc | Ty::Mask
                    if form == Form::E64
                        || row.format == Format::Vop3
                        || form == Form::Sdwa && row.format == Format::Vopc =>
                {
                    Src::s(rng.below(100) & !(lanes / 32 - 1))
                }
                Ty::Vcc => Src::VCC_LO,
                _ if scalar_dst => Src::s(rng.below((106 - dwords) / align) * align),
                _ if returns => Src::v(rng.below(257 - dwords)),
                _ => Src::NONE,
            };
        }
        for i in 0..row.src.len().min(4) {
            instr.src[i] = match row.src[i] {
                Ty::Addr32
                    if matches!(row.format, Format::Mubuf | Format::Mtbuf)
                        && !instr.flags.intersects(Flags::OFFEN | Flags::IDXEN) =>
                {
                    Src::NONE
                }
                Ty::SAddr64 | Ty::SAddr32 if rng.chance(2) => Src::NONE,
                Ty::SOffset if row.format == Format::Smem && rng.chance(2) => Src::NONE,
                _ => random_source(rng, &instr, i, lanes),
            };
        }
        if row.format == Format::Scratch && instr.src[1] != Src::NONE {
            instr.src[0] = Src::NONE;
        }
        // The data of these atomics comes back where it came from.
        let data = match row.format {
            Format::Mubuf | Format::Mimg if atomic => Some(3),
            Format::Smem if atomic => Some(2),
            _ => None,
        };
        if let Some(data) = data {
            instr.dst[0] = if returns { instr.src[data] } else { Src::NONE };
        }
        instr.imm = match row.format {
            Format::Ds if !row.dst.is_empty() || !row.src.is_empty() => rng.below(0x1_0000) as i32,
            Format::Flat => rng.below(0x800) as i32,
            Format::Global | Format::Scratch => rng.below(0x1000) as i32 - 0x800,
            Format::Mubuf | Format::Mtbuf if !row.src.is_empty() => rng.below(0x1000) as i32,
            Format::Smem if row.src.len() >= 2 => rng.below(0x20_0000) as i32 - 0x10_0000,
            _ if row.src.contains(&Ty::Imm16) => rng.below(0x1_0000) as i16 as i32,
            _ => 0,
        };
        // Counters and depctr keep only their own bits in text.
        if matches!(op, insts::S_WAITCNT | insts::S_WAITCNT_DEPCTR) {
            instr.imm = if op == insts::S_WAITCNT { instr.imm & !0x80 } else { 0x12 };
        }
        // One text, many masks: quad permutations have one code each.
        if row.sem == Sem::Wave(WaveOp::DsSwizzle) {
            instr.imm = 0x8000 | rng.below(256) as i32;
        }
        let float = row.src.iter().take(2).all(|t| matches!(t, Ty::F16 | Ty::F32 | Ty::F64));
        if float
            && !row.src.is_empty()
            && (matches!(form, Form::E64 | Form::Sdwa | Form::Dpp16) || row.format == Format::Vop3)
        {
            let n = row
                .src
                .iter()
                .filter(|t| matches!(t, Ty::F16 | Ty::F32 | Ty::F64))
                .count()
                .min(if form == Form::Sdwa || form == Form::Dpp16 { 2 } else { 3 });
            instr.mods.neg = rng.below(1 << n) as u8;
            // LLVM cannot read back a modified 64-bit literal.
            if instr.src.contains(&Src::LITERAL) && row.src.contains(&Ty::F64) {
                instr.mods.neg = 0;
            } else if !row.dst.iter().any(|t| matches!(t, Ty::Mask)) {
                instr.mods.abs = rng.below(1 << n) as u8;
            }
        }
        if row.format == Format::Vop3p && row.src[0] != Ty::Mix {
            instr.mods.op_sel = rng.below(1 << row.src.len()) as u8;
            instr.mods.op_sel_hi = rng.below(1 << row.src.len()) as u8;
        }
        instr.extra = match form {
            Form::Sdwa => Extra::Sdwa(Sdwa {
                dst_sel: if row.format == Format::Vopc { 6 } else { rng.below(7) as u8 },
                dst_unused: if row.format == Format::Vopc { 0 } else { rng.below(3) as u8 },
                src0_sel: rng.below(7) as u8,
                src1_sel: if row.format == Format::Vop1 { 6 } else { rng.below(7) as u8 },
                sext: 0,
            }),
            Form::Dpp16 => Extra::Dpp16(Dpp16 {
                ctrl: [rng.below(256) as u16, 0x101 + rng.below(15) as u16, 0x140, 0x141, 0x150 + rng.below(16) as u16]
                    [rng.below(5) as usize],
                row_mask: rng.below(16) as u8,
                bank_mask: rng.below(16) as u8,
                bound_ctrl: rng.chance(2),
                fetch_inactive: rng.chance(2),
            }),
            Form::Dpp8 => Extra::Dpp8 { selects: rng.below(1 << 24), fetch_inactive: rng.chance(2) },
            _ => random_extra(rng, &mut instr),
        };
        if form == Form::Sdwa && row.format == Format::Vopc && row.dst[0] == Ty::Exec {
            instr.dst[0] = Src::EXEC_LO;
        }
        instr.imply();
        if !encode_has_literal(&instr) {
            instr.literal = 0;
        }
        if lanes == 64 && row.src.iter().zip(&instr.src).any(|(t, s)| *t == Ty::Vcc && s.0 < 106 && s.0 % 2 != 0) {
            continue;
        }
        if legal::check(&instr, GEN).is_ok() {
            return instr;
        }
    }
}

/// The fields beside operands and flags; image addresses and export data are chosen here.
fn random_extra(rng: &mut Rng, instr: &mut Instr) -> Extra {
    let row = instr.op.row();
    match (row.format, row.sem) {
        (Format::Mtbuf, _) => Extra::Format(rng.below(128) as u8),
        (Format::Mimg, Sem::Mem(_, MemKind::Image(op))) => {
            let dmask = match op {
                ImageOp::Gather4(_) | ImageOp::Gather4h => 1 << rng.below(4),
                ImageOp::Atomic(AtomicOp::CmpSwap | AtomicOp::FCmpSwap) => [0x3, 0xf][rng.below(2) as usize],
                ImageOp::Atomic(_) => [0x1, 0x3][rng.below(2) as usize],
                _ => 1 + rng.below(15) as u8,
            };
            // A multisampled image has no levels and no filter.
            let mip = matches!(op, ImageOp::Load { mip: true, .. } | ImageOp::Store { mip: true, .. });
            let gathers = matches!(op, ImageOp::Gather4(_) | ImageOp::Gather4h);
            let single = mip || gathers || matches!(op, ImageOp::Sample(_) | ImageOp::GetLod);
            let dim = rng.below(if single { 6 } else { 8 }) as u8;
            // LLVM has no operand of three registers for these.
            if gathers && instr.flags.contains(Flags::D16) || matches!(op, ImageOp::Atomic(_)) {
                instr.flags -= Flags::TFE;
            }
            let addresses = op.address(dim, instr.flags.contains(Flags::A16)).registers();
            let mut vaddr = [0; Image::MAX_ADDRESSES];
            let nsa = if addresses > 1 && rng.chance(2) { Image::nsa_dwords(addresses) } else { 0 };
            let first = rng.below(257 - u32::from(addresses)) as u8;
            for (i, v) in vaddr.iter_mut().take(addresses.into()).enumerate() {
                *v = if nsa == 0 { first + i as u8 } else { rng.below(256) as u8 };
            }
            instr.src[0] = Src::v(vaddr[0].into());
            Extra::Image(Image { dmask, dim, nsa, vaddr, addresses })
        }
        (Format::Exp, _) => {
            let targets = [0, 7, 8, 9, 12, 16, 20, 32, 63];
            let compressed = rng.chance(2);
            let enable = if compressed { [0, 3, 12, 15][rng.below(4) as usize] } else { rng.below(16) as u8 };
            for (i, src) in instr.src.iter_mut().enumerate() {
                let on = if compressed { i < 2 && enable >> (2 * i) & 3 != 0 } else { enable >> i & 1 != 0 };
                *src = if on { *src } else { Src::NONE };
            }
            Extra::Export(Export {
                target: targets[rng.below(9) as usize],
                enable,
                done: rng.chance(2),
                compressed,
                valid_mask: rng.chance(2),
                row: false,
            })
        }
        (_, Sem::Control(Control::GraphicsOnly)) => Extra::Interp {
            attribute: rng.below(33) as u8,
            channel: rng.below(4) as u8,
            high: row.format == Format::Vop3 && rng.chance(2),
        },
        _ if row.src.contains(&Ty::Probe) => Extra::Probe(rng.below(128) as u8),
        _ => Extra::None,
    }
}

fn encode_has_literal(instr: &Instr) -> bool {
    instr.src.contains(&Src::LITERAL)
}

/// `count` instances of every row in every form, as a wave of `lanes` would write them.
pub fn every_instance(count: u32, lanes: u32, mut f: impl FnMut(Instr)) {
    let mut rng = Rng(42);
    for op in Op::of(GEN) {
        for form in FORMS.into_iter().filter(|&f| op.supports(f, GEN)) {
            for _ in 0..count {
                f(random_instr(&mut rng, op, form, lanes));
            }
        }
    }
}
