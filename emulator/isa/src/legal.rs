//! What a form takes, and which registers an instruction reads and writes.

mod cache;
mod dual;
mod modifiers;

pub use cache::{cache_bits, shared};

use crate::generation::{Dpp, Gen};
use crate::instr::{Extra, Flags, Form, Instr};
use crate::insts::{self as i, Op};
use crate::layout;
use crate::reg::Src;
use crate::row::{Class, Encoding, Format, ImageOp, MemKind, Sem, Space, Traits, Ty, WaveOp};

/// Whether the row has this encoding.
pub fn supports(op: Op, form: Form, generation: Gen) -> bool {
    let row = op.row();
    let Some(Encoding { format, .. }) = row.encoding(generation) else { return false };
    let caps = generation.caps();
    if form == Form::Base {
        return true;
    }
    if format == Format::Vintrp {
        return form == Form::E64 && layout::encodings(generation).any(|l| (l.format, l.form) == (format, form));
    }
    // The one row that has lane permutation and nothing to permute.
    if op == i::V_NOP {
        return match form {
            Form::Dpp16 => matches!(caps.dpp, Dpp::Gfx8 | Dpp::Gfx10),
            Form::Dpp8 => caps.dpp == Dpp::Gfx10,
            _ => false,
        };
    }
    let short = matches!(format, Format::Vop1 | Format::Vop2 | Format::Vopc);
    let three = matches!(format, Format::Vop3 | Format::Vop3p);
    if !short && !three || row.dst.is_empty() || row.src.contains(&Ty::Lit32) {
        return false;
    }
    let has = |traits: Traits| row.traits.intersects(traits);
    let wide = row.dst.iter().chain(row.src).any(|t| matches!(t, Ty::B64 | Ty::U64 | Ty::I64 | Ty::F64 | Ty::PkF32));
    let accumulates = format == Format::Vop2 && row.src.contains(&Ty::Old);
    let permutes = !wide && !has(Traits::NO_DPP);
    match form {
        _ if has(Traits::SHORT_ONLY) => false,
        Form::Base => true,
        Form::E64 => short && !has(Traits::NO_E64),
        Form::Sdwa => caps.sdwa && short && !wide && !accumulates && !has(Traits::NO_SDWA),
        Form::E64Dpp16 | Form::E64Dpp8 => {
            let packed = row.dst.iter().any(|t| matches!(t, Ty::PkF16 | Ty::PkU16)) && format == Format::Vop3p;
            let scalar = row.dst.iter().any(|t| matches!(t, Ty::SF32 | Ty::SF16));
            let other = Traits::NO_E64 | Traits::VGPRS | Traits::ROW_SELECTS | Traits::MATRIX;
            permutes && caps.dpp >= Dpp::Gfx11 && !packed && !scalar && !has(other)
        }
        Form::Dpp16 | Form::Dpp8 => {
            let kind = match form {
                _ if format == Format::Vopc || has(Traits::LATE_DPP) => Dpp::Gfx11,
                Form::Dpp8 => Dpp::Gfx10,
                _ => Dpp::Gfx8,
            };
            short && permutes && caps.dpp >= kind
        }
    }
}

impl Op {
    /// Whether the generation has the instruction.
    pub fn exists(self, generation: Gen) -> bool {
        self.row().encoding(generation).is_some()
    }

    /// Whether the row has this encoding.
    pub fn supports(self, form: Form, generation: Gen) -> bool {
        supports(self, form, generation)
    }
}

/// What an operand slot may hold.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Accepts {
    pub vgpr: bool,
    /// Scalar registers and inline constants.
    pub scalar: bool,
    pub constant: bool,
    pub literal: bool,
}

/// What source `n` of a row may hold in a form. Slots without bits accept nothing.
pub fn accepts(op: Op, form: Form, n: usize, generation: Gen) -> Accepts {
    let row = op.row();
    let none = Accepts { vgpr: false, scalar: false, constant: false, literal: false };
    let vgpr = Accepts { vgpr: true, ..none };
    let caps = generation.caps();
    let family = row.family(generation);
    let three = form.is_wide() || matches!(family, Format::Vop3 | Format::Vop3p);
    let any = Accepts { vgpr: true, scalar: true, constant: true, literal: !three || caps.vop3_literal };
    let Some(&ty) = row.src.get(n) else { return none };
    if !form.encodes(row, ty) {
        return none;
    }
    let nth = row.src[..n].iter().filter(|&&t| form.encodes(row, t)).count();
    match row.format {
        Format::Sop1 if ty == Ty::Barrier => Accepts { scalar: true, constant: true, ..none },
        // Addresses to jump to, and relative registers.
        Format::Sop1
            if row.dst.is_empty() && (ty == Ty::B64 || row.class == Class::Branch)
                || row.sem == Sem::Wave(WaveOp::MovrelS) =>
        {
            Accepts { scalar: true, ..none }
        }
        Format::Sop2 if row.class == Class::Branch => Accepts { scalar: true, constant: true, ..none },
        Format::Sop1 | Format::Sop2 | Format::Sopc => Accepts { vgpr: false, ..any },
        Format::Sopk => Accepts { scalar: true, ..none },
        Format::Smem => Accepts { scalar: true, literal: ty == Ty::SOffset && caps.smem_literal, ..none },
        Format::Vop3 if layout::interpolates(row) => vgpr,
        Format::Vop1 | Format::Vop2 | Format::Vopc | Format::Vop3 | Format::Vop3p => match form {
            _ if matches!(ty, Ty::Vcc | Ty::Mask) => Accepts { scalar: true, ..none },
            Form::Dpp16 | Form::Dpp8 => vgpr,
            Form::E64Dpp16 | Form::E64Dpp8 if nth == 0 || nth == 1 && !caps.dpp_scalar => vgpr,
            Form::E64Dpp16 | Form::E64Dpp8 => Accepts { literal: false, ..any },
            _ if row.traits.contains(Traits::VGPRS) => vgpr,
            _ if row.traits.contains(Traits::MATRIX) => match ty {
                Ty::Sparse8 | Ty::Sparse16 | Ty::Sparse32 => vgpr,
                _ => Accepts { constant: nth == 2, ..vgpr },
            },
            _ if matches!(row.sem, Sem::Wave(WaveOp::MovrelS | WaveOp::MovrelSD | WaveOp::MovrelSD2)) => vgpr,
            Form::Sdwa => Accepts { literal: false, ..any },
            _ => match (row.sem, nth) {
                (Sem::Wave(WaveOp::SwapB32 | WaveOp::ReadFirstLane | WaveOp::ReadLane), 0) => vgpr,
                (Sem::Wave(WaveOp::Permlane16 | WaveOp::Permlanex16), 0) => vgpr,
                (Sem::Wave(WaveOp::ReadLane | WaveOp::WriteLane), 1) => Accepts { vgpr: false, literal: false, ..any },
                // Four-register and relative sources have no scalar path.
                _ if ty == Ty::B128 || op == i::V_SWAPREL_B32 => vgpr,
                (Sem::Wave(WaveOp::ReadLane | WaveOp::WriteLane | WaveOp::Permlane16 | WaveOp::Permlanex16), _) => {
                    Accepts { vgpr: false, ..any }
                }
                (_, 1) if form == Form::Base && matches!(family, Format::Vop2 | Format::Vopc) => vgpr,
                _ => any,
            },
        },
        Format::Ds => vgpr,
        Format::Flat | Format::Global | Format::Scratch => match ty {
            Ty::SAddr64 | Ty::SAddr32 => Accepts { scalar: true, ..none },
            _ => vgpr,
        },
        Format::Mubuf | Format::Mtbuf | Format::Mimg | Format::Vintrp | Format::Exp | Format::LdsDir => match ty {
            Ty::SOffset => Accepts { scalar: true, constant: true, ..none },
            Ty::Rsrc | Ty::Image | Ty::Sampler => Accepts { scalar: true, ..none },
            Ty::Param => Accepts { constant: true, ..none },
            _ => vgpr,
        },
        Format::Vinterp => vgpr,
        Format::Vopd if nth == 0 => any,
        Format::Vopd => vgpr,
        Format::Sopp => none,
    }
}

/// Flags that every instruction of the row has, and that its text leaves out.
pub fn implied(op: Op, generation: Gen) -> Flags {
    match op.row().sem {
        // Its data is nowhere else.
        Sem::Mem(Space::Buffer, MemKind::Store { .. }) if op.row().src.len() == 3 => Flags::LDS,
        // Its descriptor is one of four dwords, its coordinates are no texture's.
        Sem::Mem(_, MemKind::Image(ImageOp::IntersectRay { .. })) => {
            (Flags::UNORM | Flags::R128) & layout::flags(op.row(), generation)
        }
        _ => Flags::empty(),
    }
}

/// Flags that the row takes, of those that its family's encoding has.
pub fn flags(op: Op, generation: Gen) -> Flags {
    let row = op.row();
    let of_family = layout::flags(row, generation);
    let refused = match (row.format, row.sem) {
        (Format::Smem, Sem::Mem(_, MemKind::Load { .. } | MemKind::Store { .. } | MemKind::Atomic { .. })) => {
            Flags::empty()
        }
        (Format::Smem, Sem::Mem(_, MemKind::Hint)) => Flags::all() - Flags::IMM,
        (Format::Smem, _) => Flags::all(),
        (Format::Ds, Sem::Wave(WaveOp::DsPermute | WaveOp::DsBpermute) | Sem::Control(_)) => Flags::GDS,
        (Format::Mimg, Sem::Mem(_, MemKind::Image(what))) => match what {
            ImageOp::IntersectRay { .. } => Flags::all() - Flags::A16 - implied(op, generation),
            ImageOp::MsaaLoad { .. } | ImageOp::Load { packed: false, .. } | ImageOp::Store { packed: false, .. } => {
                Flags::empty()
            }
            ImageOp::Sample(_) | ImageOp::Gather4(_) | ImageOp::Gather4h => Flags::empty(),
            _ => Flags::D16,
        },
        (Format::Mubuf, Sem::Mem(_, MemKind::Invalidate)) => Flags::all(),
        (_, Sem::Mem(_, kind)) => {
            let narrow =
                matches!(kind, MemKind::Load { dwords: 1, .. } | MemKind::LoadFormat { components: 1, d16: false, .. });
            let loads = !row.dst.is_empty() && !matches!(kind, MemKind::Atomic { .. });
            let to_lds = narrow && row.format != Format::Flat;
            // BUFFER_STORE_LDS_DWORD has no other source.
            let from_lds = row.format == Format::Mubuf && row.src.len() == 3 && row.dst.is_empty();
            let mut refused = Flags::empty();
            refused.set(Flags::LDS, !(to_lds || from_lds));
            refused.set(Flags::TFE, !loads);
            refused.set(Flags::ADDRESSED, row.src.first() == Some(&Ty::Unused));
            refused
        }
        // Loads into LDS have no register for a status, and a stack in LDS is no GDS's.
        (Format::Mubuf, Sem::Todo) if row.dst.is_empty() => Flags::TFE,
        _ if op == i::DS_BVH_STACK_RTN_B32 => Flags::GDS,
        _ => Flags::empty(),
    };
    of_family - refused
}

/// Ports to the constant bus: literals and scalar registers that a vector instruction may read.
pub fn ports(op: Op, generation: Gen) -> usize {
    let caps = generation.caps();
    match op {
        i::V_LSHLREV_B64 | i::V_LSHRREV_B64 | i::V_ASHRREV_I64 if caps.narrow_wide_shifts => 1,
        _ => caps.constant_bus,
    }
}

/// Checks forms, operand kinds, the constant bus and modifiers. The message says what is wrong.
pub fn check(instr: &Instr, generation: Gen) -> Result<(), String> {
    let row = instr.op.row();
    let fail = |what: String| Err(format!("{}: {what}", row.name));
    if !instr.flags.contains(implied(instr.op, generation)) {
        return fail(format!("always has {:?}", implied(instr.op, generation)));
    }
    let caps = generation.caps();
    if !supports(instr.op, instr.form, generation) {
        return fail(format!("has no {:?} form", instr.form));
    }
    for (n, &ty) in row.src.iter().enumerate().take(4) {
        if !instr.form.encodes(row, ty) {
            continue;
        }
        let src = instr.src[n];
        let ok = accepts(instr.op, instr.form, n, generation);
        let optional = matches!(ty, Ty::SAddr64 | Ty::SAddr32)
            || ty == Ty::SOffset && row.format == Format::Smem
            || ty == Ty::Addr32 && row.format == Format::Scratch
            || row.format == Format::Exp
            || ty == Ty::Addr32
                && !instr.flags.intersects(Flags::ADDRESSED)
                && matches!(row.format, Format::Mubuf | Format::Mtbuf);
        let fits = match src {
            _ if ty == Ty::Barrier => src == Src::M0 || matches!(src.0, 128..=208 | 240..=248),
            Src::NONE => optional,
            Src::LITERAL => ok.literal,
            s if s.is_vgpr() => ok.vgpr,
            // LDS direct reads like a VGPR.
            Src::LDS_DIRECT => {
                let first = !row.src[..n].iter().any(|t| instr.form.encodes(row, *t));
                let reads = first && ty.dwords(64) == 1 && instr.form != Form::Sdwa;
                let file = ok.vgpr || ok.scalar && !row.format.is_salu();
                reads && !row.traits.contains(Traits::REVERSED) && file
            }
            Src(128..=208 | 240..=248) => ok.constant,
            // What reads as a constant is one.
            s if row.traits.contains(Traits::MATRIX) && (s == Src::NULL || layout::read_only(s)) => ok.constant,
            _ => ok.scalar,
        };
        if !fits {
            return fail(format!("source {n} cannot be {src:?} in the {:?} form", instr.form));
        }
    }
    let stray = instr.dst[row.dst.len().min(2)..].iter().chain(&instr.src[row.src.len().min(4)..]);
    if let Some(src) = stray.into_iter().find(|s| **s != Src::NONE) {
        return fail(format!("{src:?} stands where it has no operand"));
    }
    if let Some(data) = layout::atomic_data(row) {
        let returned = if instr.cache.returns { instr.src[data] } else { Src::NONE };
        if instr.dst[0] != returned {
            return fail(format!("returns into its data or nothing, not into {:?}", instr.dst[0]));
        }
    }
    tuples(instr, generation)?;
    lower_halves(instr, generation)?;
    if matches!(row.format, Format::Vop1 | Format::Vop2 | Format::Vopc | Format::Vop3 | Format::Vop3p) {
        // What operands of two widths read is carried twice.
        let mut bus: Vec<(Src, u32)> = Vec::new();
        for (n, &ty) in row.src.iter().enumerate().take(4) {
            let implied = matches!(ty, Ty::Vcc | Ty::Lit32 | Ty::M0);
            if !implied && !instr.form.encodes(row, ty) {
                continue;
            }
            let src = match ty {
                Ty::Lit32 => Src::LITERAL,
                Ty::M0 => Src::M0,
                Ty::Vcc if !instr.form.encodes(row, ty) => Src::VCC_LO,
                _ => instr.src[n],
            };
            // M0 as the lane to write takes no port.
            let lane = src == Src::M0 && n == 1 && row.sem == Sem::Wave(WaveOp::WriteLane);
            let uses = !lane && on_bus(src);
            let width = match src {
                Src::LITERAL => ty.dwords(32).max(1),
                // A condition that is implied is VCC, whatever its width.
                Src::VCC_LO if caps.wave32 => 0,
                _ if src.is_sgpr() => ty.dwords(if caps.wave32 { 32 } else { 64 }),
                _ => 0,
            };
            let value = (src, width);
            if uses && !bus.contains(&value) {
                bus.push(value);
            }
        }
        let ports = ports(instr.op, generation);
        if bus.len() > ports {
            return fail(format!("reads {} scalar values, of {ports} that the constant bus carries", bus.len()));
        }
    }
    if let Err(what) = instr.cache_word(generation) {
        return fail(what);
    }
    if row.src.first() == Some(&Ty::Rsrc) && row.format == Format::Smem && instr.imm < 0 && !caps.smem_offset24 {
        return fail("a buffer's offset is unsigned".into());
    }
    if matches!(row.format, Format::Flat | Format::Global | Format::Scratch | Format::Mubuf)
        && layout::atomic_data(row).is_none()
        && may_lack_dst(instr)
        && instr.dst[0] != Src::NONE
    {
        return fail("returns nothing".into());
    }
    if row.format == Format::Scratch && instr.src[0] != Src::NONE && instr.src[1] != Src::NONE && !caps.scratch_sum {
        return fail("takes a vector or a scalar address, not both".into());
    }
    if let Some((ImageOp::IntersectRay { .. }, image)) = instr.image()
        && (image.dmask, image.dim) != (0xf, 0)
    {
        return fail("has four components and no dimension".into());
    }
    if let Some((ImageOp::Atomic(_), image)) = instr.image()
        && !matches!((instr.compares_and_swaps(), image.dmask), (_, 0x1 | 0x3) | (true, 0xf))
    {
        return fail(format!("an atomic of 32 or 64 bits has no dmask {:#x}", image.dmask));
    }
    // Only P1 passes and moves have an output multiplier.
    if instr.op == i::V_INTERP_P2_F16 && instr.mods.omod != 0 {
        return fail("takes no output multiplier".into());
    }
    if let Some((ImageOp::Gather4(_) | ImageOp::Gather4h, image)) = instr.image()
        && image.dmask.count_ones() != 1
    {
        return fail(format!("gathers one component, not those of dmask {:#x}", image.dmask));
    }
    if let Extra::Interp { attribute: 33.., .. } = instr.extra {
        return fail("an attribute's number is at most 32".into());
    }
    if indexes(instr.op) && !matches!(instr.imm, 0..=15) {
        return fail("indexes four operands, one bit each".into());
    }
    if instr.flags.contains(Flags::ADDR64) && instr.flags.intersects(Flags::OFFEN | Flags::IDXEN) {
        return fail("a 64-bit address has neither offset nor index beside it".into());
    }
    if let Extra::Export(e) = instr.extra
        && e.compressed
        && !matches!(e.enable, 0 | 0x3 | 0xc | 0xf)
    {
        return fail("a compressed export enables components by pairs".into());
    }
    if matches!(row.format, Format::Mubuf | Format::Mtbuf)
        && row.src.first() == Some(&Ty::Addr32)
        && (instr.src[0] != Src::NONE) != instr.flags.intersects(Flags::ADDRESSED)
    {
        return fail("a vector address stands if and only if offen, idxen or addr64 does".into());
    }
    if let Some(second) = instr.second() {
        dual::check(instr, &second, generation)?;
    }
    modifiers::check(instr, generation)
}

/// 16-bit operands of short encodings name halves of v0 … v127 where halves have names, which LLVM calls true16; only
/// `Ty::Half` is one here, the others are lower halves.
fn lower_halves(instr: &Instr, generation: Gen) -> Result<(), String> {
    let row = instr.op.row();
    let short = matches!(row.format, Format::Vop1 | Format::Vop2 | Format::Vopc) && !instr.form.is_wide();
    if !short || !generation.caps().true16 {
        return Ok(());
    }
    // A class is as wide as what is classified.
    let all = row.format == Format::Vopc && row.src.first() == Some(&Ty::F16);
    let half = |ty: Ty| all || matches!(ty, Ty::F16 | Ty::U16 | Ty::I16 | Ty::B16);
    let operands = row.dst.iter().zip(&instr.dst).chain(row.src.iter().zip(&instr.src));
    match operands.into_iter().find(|(ty, src)| half(**ty) && src.is_vgpr() && src.vgpr() >= 128) {
        Some((_, src)) => Err(format!("{}: {src:?} has no half with a name; VOP3 takes it", row.name)),
        None => Ok(()),
    }
}

/// Checks that every register tuple begins where the hardware can name it and ends inside of its file.
pub fn tuples(instr: &Instr, generation: Gen) -> Result<(), String> {
    let row = instr.op.row();
    let encoded = |ty: Ty| instr.form.encodes(row, ty);
    for (n, &ty) in row.src.iter().enumerate().take(4).filter(|(_, ty)| encoded(**ty)) {
        if let Err(what) = tuple(instr.src[n], ty, dwords(instr, ty, 64), generation) {
            return Err(format!("{}: source {n} {what}", row.name));
        }
    }
    let compared = |ty: Ty| ty == Ty::Vcc && instr.form == Form::Sdwa && row.format == Format::Vopc;
    for (n, &ty) in row.dst.iter().enumerate().take(2).filter(|(_, ty)| encoded(**ty) || compared(**ty)) {
        if let Err(what) = tuple(instr.dst[n], ty, dst_dwords(instr, n, 64), generation) {
            return Err(format!("{}: destination {n} {what}", row.name));
        }
    }
    Ok(())
}

fn tuple(first: Src, ty: Ty, dwords: u32, generation: Gen) -> Result<(), String> {
    if first.is_vgpr() && first.vgpr() + dwords > 256 {
        return Err("runs past v255".into());
    }
    let align = match dwords {
        0 | 1 => 1,
        2 => 2,
        _ => 4,
    };
    // A mask is one register in wave32, and there may be one.
    let dwords = if matches!(ty, Ty::Mask | Ty::Vcc) && generation.caps().wave32 { 1 } else { dwords };
    let (first, end) = match first.0 {
        n @ 0..=105 => (u32::from(n), generation.caps().sgprs.into()),
        n @ 106..=107 => (u32::from(n), 108),
        n @ 108..=123 => (u32::from(n), 108 + u32::from(generation.caps().ttmp.1)),
        124 => (124, 125),
        n @ 126..=127 => (u32::from(n), 128),
        n @ 512..=519 => (u32::from(n), u32::from(n & !1) + 2),
        _ => return Ok(()),
    };
    if dwords > 1 && !first.is_multiple_of(align) {
        return Err(format!("must begin at a multiple of {align} SGPRs"));
    }
    if first + dwords > end {
        return Err(format!("of {dwords} dwords runs past its registers"));
    }
    Ok(())
}

/// Dwords of an operand as text shows it, where addresses depend on the instruction.
pub(crate) fn dwords(instr: &Instr, ty: Ty, lanes: u32) -> u32 {
    let row = instr.op.row();
    match ty {
        Ty::Addr64 if row.format == Format::Global && instr.src[1] != Src::NONE => 1,
        Ty::Addr32 if matches!(row.format, Format::Mubuf | Format::Mtbuf) => {
            if instr.flags.contains(Flags::OFFEN | Flags::IDXEN) || instr.flags.contains(Flags::ADDR64) { 2 } else { 1 }
        }
        Ty::ImageAddr => instr.image().map_or(1, |(_, image)| if image.nsa == 0 { image.addresses.into() } else { 1 }),
        Ty::ImageData => instr.image_data(),
        _ => ty.dwords(lanes),
    }
}

/// Dwords of destination `n` as text shows it; TFE adds a status dword to what a buffer or image access returns.
pub(crate) fn dst_dwords(instr: &Instr, n: usize, lanes: u32) -> u32 {
    let ty = instr.op.row().dst[n];
    let status = instr.flags.contains(Flags::TFE) && ty != Ty::ImageData;
    dwords(instr, ty, lanes) + u32::from(status)
}

/// A register range that an instruction reads or writes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Access {
    /// First register; [`Src::SCC`] for SCC.
    pub reg: Src,
    /// Dwords; 0 for SCC.
    pub dwords: u32,
    pub ty: Ty,
}

impl Instr {
    /// Registers that the instruction writes, implicit ones too. VALU instructions also depend on EXEC, which is not listed.
    pub fn defs(&self, lanes: u32) -> impl Iterator<Item = Access> + '_ {
        let row = self.op.row();
        let swap = (row.sem == Sem::Wave(WaveOp::SwapB32)).then_some((self.src[0], Ty::B32, 1));
        row.dst
            .iter()
            .enumerate()
            .map(move |(n, &ty)| {
                let dwords = match ty {
                    // A compare-and-swap takes two values and gives one back.
                    Ty::ImageData if self.compares_and_swaps() => {
                        (self.image_values() / 2).max(1) + self.image_status()
                    }
                    // A mask that S_*_SAVEEXEC_B64 writes is 64 bits wide whatever the wave.
                    Ty::Exec => self.exec_dwords(lanes),
                    _ => dst_dwords(self, n, lanes),
                };
                (self.resolved(self.dst.get(n).copied().unwrap_or(Src::NONE), ty), ty, dwords)
            })
            .chain(swap)
            .filter_map(|(reg, ty, dwords)| access(reg, ty, dwords))
    }

    /// Registers that the instruction reads, implicit ones too; constants are left out.
    pub fn uses(&self, lanes: u32) -> impl Iterator<Item = Access> + '_ {
        let row = self.op.row();
        let swap = (row.sem == Sem::Wave(WaveOp::SwapB32)).then_some((self.dst[0], Ty::B32, 1));
        let scattered = match self.image() {
            Some((_, image)) if image.nsa != 0 => &image.vaddr[1..usize::from(image.addresses).clamp(1, 13)],
            _ => &[],
        };
        row.src
            .iter()
            .enumerate()
            .map(move |(n, &ty)| {
                let dwords = match ty {
                    Ty::Old => row.dst.first().map_or(1, |t| t.dwords(lanes)),
                    Ty::Exec => self.exec_dwords(lanes),
                    Ty::ImageData => self.image_values(),
                    Ty::Image if self.flags.contains(Flags::R128) => 4,
                    _ => dwords(self, ty, lanes),
                };
                (self.resolved(self.src[n], ty), ty, dwords)
            })
            .chain(swap)
            .chain(scattered.iter().map(|&v| (Src::v(v.into()), Ty::ImageAddr, 1)))
            .filter_map(|(reg, ty, dwords)| access(reg, ty, dwords))
    }

    fn exec_dwords(&self, lanes: u32) -> u32 {
        let row = self.op.row();
        match row.sem {
            Sem::SaveExec | Sem::WriteExec => row.src[0].dwords(lanes),
            _ => Ty::Exec.dwords(lanes),
        }
    }

    fn compares_and_swaps(&self) -> bool {
        use crate::row::AtomicOp;
        matches!(self.image(), Some((ImageOp::Atomic(AtomicOp::CmpSwap | AtomicOp::FCmpSwap), _)))
    }

    fn image_status(&self) -> u32 {
        u32::from(self.flags.contains(Flags::TFE))
    }

    /// Registers of data without the status.
    fn image_values(&self) -> u32 {
        self.image_data() - self.image_status()
    }

    fn resolved(&self, reg: Src, ty: Ty) -> Src {
        match ty {
            Ty::Scc => Src::SCC,
            Ty::Exec => Src::EXEC_LO,
            Ty::M0 => Src::M0,
            Ty::Vcc if reg == Src::NONE => Src::VCC_LO,
            Ty::Old => self.dst[0],
            _ => reg,
        }
    }

    /// Whether the instruction reads or writes memory, LDS included.
    pub fn is_memory(&self) -> bool {
        matches!(self.op.row().sem, Sem::Mem(_, k) if !matches!(k, MemKind::Clock { .. } | MemKind::Invalidate | MemKind::Hint))
    }
}

fn access(reg: Src, ty: Ty, dwords: u32) -> Option<Access> {
    let register = reg.is_vgpr() || reg.is_sgpr() || reg == Src::SCC;
    (register && !matches!(ty, Ty::Imm16 | Ty::Lit32 | Ty::Probe | Ty::Length | Ty::Unused)).then_some(Access {
        reg,
        dwords,
        ty,
    })
}

/// Whether a vector operation reads it through the constant bus: scalar registers, what is read like one, and literals.
fn on_bus(src: Src) -> bool {
    src.is_sgpr() || layout::read_only(src) || src == Src::LITERAL
}

/// Whether a row is an operation of the global data share alone.
pub(crate) fn of_gds(op: Op) -> bool {
    matches!(op, i::DS_ADD_GS_REG_RTN | i::DS_SUB_GS_REG_RTN)
        || matches!(op.row().sem, Sem::Mem(_, MemKind::Gws(_) | MemKind::OrderedCount))
}

/// Whether the constant says which operands are indexed.
pub(crate) fn indexes(op: Op) -> bool {
    matches!(op, i::S_SET_GPR_IDX_ON | i::S_SET_GPR_IDX_MODE)
}

/// Whether a memory instruction's destination may be absent.
pub(crate) fn may_lack_dst(instr: &Instr) -> bool {
    match instr.op.row().sem {
        Sem::Mem(_, MemKind::Atomic { .. }) => !instr.cache.returns,
        _ => instr.flags.contains(Flags::LDS),
    }
}
