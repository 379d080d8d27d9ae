//! From a decoded instruction to a resolved operation.
//!
//! Operand kinds are decided here, once: a VGPR becomes a row number, a constant a broadcast row of the block's pool, an
//! SGPR an index to broadcast; a scalar operand an index into the scalar file, where the inline constants live too.

use super::indexed::{self, Vectors};
use super::op::{CrossLane, Ext, Known, MicroOp};
use super::regs::{LaneRow, Loc, TEMPS};
use super::state::{EXECZ, F64_HIGH, F64_INV_2PI_LOW, LDS_DIRECT, LITERAL, M0, NAMED, SCC, SINK, VCC, VCCZ};
use super::table::{self, Tables};
use wavepipe_isa::instr::{Extra, Flags, Form};
use wavepipe_isa::row::{AtomicOp, Control, Format, ImageOp, MemKind, Sem, Space, Ty, WaveOp};
use wavepipe_isa::watch::{ModeParts, mode_parts};
use wavepipe_isa::{Gen, Instr, Src, reference, saturate};
use wavepipe_lanes::Operands;

/// Constants of one block, broadcast to rows.
#[derive(Default)]
pub(crate) struct Pool {
    rows: Vec<([u32; 2], Box<[LaneRow]>)>,
}

impl Pool {
    /// 4 · lane.
    fn lanes(&mut self, halves: usize) -> Loc {
        let rows: Box<[LaneRow]> =
            (0..2 * halves as u32).map(|half| LaneRow(std::array::from_fn(|i| 4 * (32 * half + i as u32)))).collect();
        // No constant has this value: a high word that its type lacks.
        let at = Loc::constant(rows.as_ptr());
        self.rows.push(([u32::MAX, u32::MAX - 1], rows));
        at
    }

    /// Low word in `halves` rows, high word in the next `halves`.
    fn constant(&mut self, value: [u32; 2], halves: usize) -> Loc {
        let at = self.rows.iter().position(|(v, _)| *v == value).unwrap_or_else(|| {
            let rows = (0..2 * halves).map(|i| LaneRow::splat(value[i / halves])).collect();
            self.rows.push((value, rows));
            self.rows.len() - 1
        });
        Loc::constant(self.rows[at].1.as_ptr())
    }
}

/// Why an instruction cannot become an operation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Refused {
    /// An operand that no hardware would accept.
    Illegal,
    /// Known, not executed.
    Unimplemented,
}

pub(crate) struct Lower<'t> {
    pub tables: &'t Tables,
    pub isa: Gen,
    pub halves: usize,
    /// What MODE says of vector instructions.
    pub vectors: Vectors,
    /// What of MODE is not as [`wavepipe_isa::alu::Nearest`] computes.
    pub unusual: ModeParts,
    pub pool: Pool,
    /// VGPRs named so far.
    pub vgprs: u32,
}

/// The value of a constant operand as its type reads it: low and high word.
fn constant(ty: Ty, s: Src, literal: u32) -> Option<[u32; 2]> {
    let v = reference::constant(s, ty, literal)?;
    Some([v as u32, (v >> 32) as u32])
}

/// Index pair of a scalar source in the scalar file.
fn scalar_source(s: Src, ty: Ty) -> Option<(u8, u8)> {
    let wide = matches!(ty, Ty::B64 | Ty::U64 | Ty::I64 | Ty::F64 | Ty::Addr64 | Ty::SAddr64);
    if let Some(n) = named(s) {
        return Some((n, if NAMED.contains(&usize::from(n + 1)) { n + 1 } else { SINK as u8 }));
    }
    let n = u8::try_from(s.0).ok()?;
    Some(match s.0 {
        125 => (n, n),
        0..=127 => (n, (n + 1) & 127),
        254 => (LDS_DIRECT as u8, 128),
        128..=192 => (n, 128),
        193..=208 => (n, 193),
        248 if wide => (F64_INV_2PI_LOW as u8, F64_HIGH as u8 + 8),
        240..=247 if wide => (128, F64_HIGH as u8 + (n - 240)),
        235..=238 if wide => (128, n),
        235..=253 => (n, 128),
        255 => (LITERAL as u8, 128),
        _ => return None,
    })
}

/// The place of a register whose name is past the file's end.
fn named(s: Src) -> Option<u8> {
    let n = s.0.checked_sub(Src::FLAT_SCRATCH_LO.0).filter(|n| usize::from(*n) < NAMED.len())?;
    Some(NAMED.start as u8 + n as u8)
}

/// A scalar destination of `dwords`.
fn scalar_target(s: Src, dwords: u32) -> Result<u32, Refused> {
    match s {
        Src::NULL | Src::NONE => Ok(SINK as u32),
        // Tuples end inside of their range: SGPRs with VCC, trap temporaries, EXEC.
        Src(n @ 0..=107) if u32::from(n) + dwords <= 108 => Ok(u32::from(n)),
        // Without privilege, writes to the trap temporaries are dropped.
        Src(n @ 108..=123) if u32::from(n) + dwords <= 124 => Ok(SINK as u32),
        Src::M0 if dwords <= 1 => Ok(M0 as u32),
        Src::TBA_LO | Src::TBA_HI | Src::TMA_LO | Src::TMA_HI if dwords <= 2 => Ok(SINK as u32),
        Src::FLAT_SCRATCH_LO | Src::XNACK_MASK_LO if dwords <= 2 => named(s).map(u32::from).ok_or(Refused::Illegal),
        Src::FLAT_SCRATCH_HI | Src::XNACK_MASK_HI if dwords <= 1 => named(s).map(u32::from).ok_or(Refused::Illegal),
        Src(n @ 126..=127) if u32::from(n) + dwords <= 128 => Ok(u32::from(n)),
        _ => Err(Refused::Illegal),
    }
}

/// Whether a row's source is a word (or two) per lane.
pub(crate) fn is_vector_source(ty: Ty) -> bool {
    !matches!(ty, Ty::Mask | Ty::Vcc | Ty::Exec | Ty::Scc | Ty::M0 | Ty::Imm16 | Ty::Unused)
}

pub(crate) fn is_mask(ty: Ty) -> bool {
    matches!(ty, Ty::Mask | Ty::Vcc | Ty::Exec | Ty::Scc)
}

impl Lower<'_> {
    fn lanes(&self) -> u32 {
        32 * self.halves as u32
    }

    /// Row number of a VGPR tuple.
    fn vgpr(&mut self, s: Src, dwords: u32) -> Result<usize, Refused> {
        if !s.is_vgpr() {
            return Err(Refused::Illegal);
        }
        self.vgprs = self.vgprs.max(s.vgpr() + dwords);
        Ok((TEMPS + s.vgpr()) as usize * self.halves)
    }

    /// Source `k` of a vector operation.
    fn vector_source(&mut self, op: &mut MicroOp, k: usize, s: Src, ty: Ty, literal: u32) -> Result<(), Refused> {
        let dwords = ty.dwords(self.lanes()).max(1);
        if dwords == 2 {
            op.wide |= 1 << k;
        }
        if s.is_vgpr() {
            op.src[k] = Loc::row(self.vgpr(s, dwords)?);
        } else if let Some(value) = constant(ty, s, literal) {
            op.constant |= 1 << k;
            op.src[k] = self.pool.constant(value, self.halves);
        } else {
            if s == Src::LDS_DIRECT && k != 0 {
                return Err(Refused::Illegal);
            }
            let (lo, hi) = scalar_source(s, ty).ok_or(Refused::Illegal)?;
            (op.s[2 * k], op.s[2 * k + 1]) = (lo, hi);
            op.splat |= 1 << k;
            op.src[k] = Loc::row(4 * k * self.halves);
        }
        Ok(())
    }

    pub fn lower(&mut self, i: &Instr, next: u64) -> Result<MicroOp, Refused> {
        let row = i.op.row();
        let mut op = MicroOp {
            operands: Operands {
                src: [Loc::row(0); 3],
                dst: SINK as u32,
                dst2: SINK as u32,
                s: [125; 8],
                constant: 0,
                splat: 0,
                wide: 0,
            },
            f: table::nop,
            flags: i.flags,
            cross: CrossLane::default(),
            next,
            literal: i.literal,
            imm: i.imm,
            op: i.op,
            row,
            known: Known::No,
            ext: None,
        };
        let scalar = row.format.is_salu();
        if self.vectors == Vectors::Skipped && indexed::is_vector(row.format) {
            return Ok(op);
        }
        match row.sem {
            Sem::Todo => return Err(Refused::Unimplemented),
            Sem::Mem(_, MemKind::Atomic { op, .. } | MemKind::Image(ImageOp::Atomic(op))) if op.todo() => {
                return Err(Refused::Unimplemented);
            }
            Sem::Control(c) => self.control(&mut op, i, c)?,
            Sem::Mem(space, kind) => self.memory(&mut op, i, space, kind)?,
            Sem::Wave(what) => self.cross(&mut op, i, what)?,
            Sem::SaveExec | Sem::WriteExec => {
                self.scalar_operands(&mut op, i)?;
                (op.f, op.known) = (self.tables.of(i.op).scalar, Known::Body);
            }
            _ if scalar => {
                self.scalar_operands(&mut op, i)?;
                (op.f, op.known) = (self.tables.of(i.op).scalar, Known::Body);
            }
            _ => self.vector(&mut op, i)?,
        }
        if self.vectors == Vectors::Indexed && indexed::applies(row) {
            indexed::wrap(&mut op, i);
        }
        if op.s.iter().any(|&x| [VCCZ, EXECZ, LDS_DIRECT].contains(&usize::from(x))) {
            // Read as a value: computed in front of the operation.
            let then = std::mem::replace(&mut op.f, table::refresh);
            op.known = Known::No;
            match &mut op.ext {
                Some(ext) => ext.then = then,
                None => op.ext = Some(Ext::new(then, then, *i)),
            }
        }
        Ok(op)
    }

    fn scalar_operands(&mut self, op: &mut MicroOp, i: &Instr) -> Result<(), Refused> {
        let row = op.row;
        for (k, &ty) in row.src.iter().enumerate().take(3) {
            let at = 2 * k;
            (op.s[at], op.s[at + 1]) = match ty {
                // A body takes SCC as a word, a carry body as its condition.
                Ty::Scc => {
                    op.s[6] = SCC as u8;
                    (SCC as u8, 128)
                }
                Ty::Exec | Ty::M0 | Ty::Vcc | Ty::Unused => continue,
                // SIMM16 stands where a register could: it is this operation's literal.
                Ty::Imm16 => {
                    op.literal = i.imm as u32;
                    (LITERAL as u8, 128)
                }
                Ty::Lit32 => (LITERAL as u8, 128),
                // A literal of a signed 64-bit integer is sign-extended.
                Ty::I64 if i.src[k] == Src::LITERAL && i.literal >> 31 != 0 => (LITERAL as u8, 193),
                _ => scalar_source(i.src[k], ty).ok_or(Refused::Illegal)?,
            };
            if ty.dwords(64) == 2 {
                op.wide |= 1 << k;
            }
        }
        if let Some(&ty) = row.dst.first() {
            if !ty.implicit() {
                op.dst = scalar_target(i.dst[0], ty.dwords(self.lanes()))?;
                if ty.dwords(self.lanes()) == 2 {
                    op.wide |= 8;
                }
            } else if ty == Ty::Exec {
                op.dst = Src::EXEC_LO.0.into();
            }
        }
        Ok(())
    }

    fn vector(&mut self, op: &mut MicroOp, i: &Instr) -> Result<(), Refused> {
        let row = op.row;
        let lanes = self.lanes();
        let mut k = 0;
        for (slot, &ty) in row.src.iter().enumerate() {
            if is_mask(ty) {
                let s = if ty.implicit() && i.src.get(slot).is_none_or(|&s| s == Src::NONE) {
                    Src(VCC as u16)
                } else {
                    i.src[slot]
                };
                (op.s[6], op.s[7]) = scalar_source(s, Ty::B32).ok_or(Refused::Illegal)?;
                continue;
            }
            if !is_vector_source(ty) || k == 3 {
                continue;
            }
            let s = match ty {
                Ty::Old => i.dst[0],
                Ty::Lit32 => Src::LITERAL,
                _ => i.src[slot],
            };
            self.vector_source(op, k, s, ty, i.literal)?;
            k += 1;
        }
        for (slot, &ty) in row.dst.iter().enumerate().take(2) {
            let s = i.dst[slot];
            if is_mask(ty) {
                let default = if ty == Ty::Exec { Src::EXEC_LO } else { Src(VCC as u16) };
                let s = if s == Src::NONE { default } else { s };
                let index = scalar_target(s, lanes / 32)?;
                if slot == 0 { op.dst = index } else { op.dst2 = index }
            } else if slot == 0 && !ty.implicit() {
                let dwords = ty.dwords(lanes);
                if dwords == 2 {
                    op.wide |= 8;
                }
                op.dst = self.vgpr(s, dwords)? as u32;
            }
        }
        let fns = self.tables.of(i.op);
        let nearest = !mode_parts(i.op).intersects(self.unusual);
        op.known = if nearest { Known::Body } else { Known::No };
        let mut inner = if nearest { fns.fast } else { fns.exact };
        let mut m = i.mods;
        let packed = row.format == Format::Vop3p;
        let float = matches!(row.dst.first(), Some(Ty::F32 | Ty::F16 | Ty::F16Hi | Ty::PkF16 | Ty::F64));
        if m.clamp && !float {
            m.clamp = false;
            if saturate::applies(i.op) {
                inner = super::exact::run::<true>;
                op.known = Known::No;
            }
        }
        let default_sel = if packed { m.op_sel == 0 && m.op_sel_hi & 7 == 7 >> (3 - k.min(3)) } else { m.op_sel == 0 };
        let plain = m.neg == 0 && m.abs == 0 && m.omod == 0 && !m.clamp && m.neg_hi == 0 && default_sel;
        // A 16-bit result leaves the other half of its register alone, or clears it.
        let narrow = matches!(row.dst.first(), Some(Ty::F16 | Ty::B16 | Ty::U16 | Ty::I16 | Ty::F16Hi));
        let mixed = row.src.contains(&Ty::Mix);
        if plain && !narrow && !mixed && matches!(i.extra, Extra::None) && matches!(i.form, Form::Base | Form::E64) {
            op.f = inner;
        } else {
            op.f = super::modify::modified;
            let mut instr = Instr { mods: m, ..*i };
            // Otherwise `reference::finish` asks MODE itself.
            let part = if row.dst.first() == Some(&Ty::F32) { ModeParts::F32 } else { ModeParts::F16_F64 };
            if !self.unusual.contains(part) || self.unusual.contains(ModeParts::IEEE) {
                instr.mods.omod = 0;
            }
            let planned = super::prepare::plan(op, inner, &instr, self);
            if let Some((_, f)) = planned {
                op.f = f;
            }
            let plan = planned.map(|(plan, _)| plan);
            op.ext = Some(Box::new(Ext { plan, ..*Ext::new(inner, op.f, instr) }));
        }
        Ok(())
    }

    fn cross(&mut self, op: &mut MicroOp, i: &Instr, what: WaveOp) -> Result<(), Refused> {
        let row = op.row;
        let lanes = self.lanes();
        if row.format == Format::Sop1 {
            self.scalar_operands(op, i)?;
            op.f = super::scalar::relative(what).ok_or(Refused::Illegal)?;
            return Ok(());
        }
        for (k, &ty) in row.src.iter().enumerate().filter(|(_, ty)| !ty.implicit()).take(3) {
            let s = i.src[k];
            self.vector_source(op, k, s, ty, i.literal)?;
            // Lane selects are scalars, constants too.
            if !s.is_vgpr() {
                (op.s[2 * k], op.s[2 * k + 1]) = scalar_source(s, ty).ok_or(Refused::Illegal)?;
            }
        }
        let scalar_dst = matches!(what, WaveOp::ReadFirstLane | WaveOp::ReadLane);
        if let Some(&ty) = row.dst.first() {
            op.dst =
                if scalar_dst { scalar_target(i.dst[0], 1)? } else { self.vgpr(i.dst[0], ty.dwords(lanes))? as u32 };
        }
        if matches!(what, WaveOp::SwapB32 | WaveOp::SwapRel) {
            op.dst2 = self.vgpr(i.src[0], 1)? as u32;
        }
        // An indexed source is a register.
        if matches!(what, WaveOp::MovrelS | WaveOp::MovrelSD | WaveOp::MovrelSD2) && !i.src[0].is_vgpr() {
            return Err(Refused::Illegal);
        }
        op.cross = CrossLane {
            fetch_inactive: i.mods.op_sel & 1 != 0,
            bound_control: i.mods.op_sel & 2 != 0,
            clamp: i.mods.clamp,
        };
        let counts = matches!(what, WaveOp::MbcntLo | WaveOp::MbcntHi);
        (op.f, op.known) = (super::cross::function(what), if counts { Known::Body } else { Known::Lanes });
        if !matches!(i.extra, Extra::None) {
            if !matches!(what, WaveOp::MovrelD | WaveOp::MovrelS | WaveOp::MovrelSD | WaveOp::MovrelSD2) {
                return Err(Refused::Illegal);
            }
            op.ext = Some(Ext::new(super::cross::copy, op.f, *i));
        }
        Ok(())
    }

    fn control(&mut self, op: &mut MicroOp, i: &Instr, c: Control) -> Result<(), Refused> {
        self.scalar_operands(op, i)?;
        op.literal = i.literal;
        (op.f, op.known) = super::control::function(c).ok_or(Refused::Illegal)?;
        Ok(())
    }

    fn memory(&mut self, op: &mut MicroOp, i: &Instr, space: Space, kind: MemKind) -> Result<(), Refused> {
        let lanes = self.lanes();
        if let MemKind::Image(_) = kind {
            return self.image(op, i, space, kind);
        }
        if space == Space::Image || data_dwords(kind).is_none() {
            return Err(Refused::Unimplemented);
        }
        if op.row.format == Format::Smem {
            return self.scalar_memory(op, i, space, kind);
        }
        let from_lds = i.op == wavepipe_isa::insts::BUFFER_STORE_LDS_DWORD;
        let to_lds = i.flags.contains(Flags::LDS) && !from_lds;
        // What loads to LDS has no data register for a status to follow.
        if to_lds && i.flags.contains(Flags::TFE) {
            return Err(Refused::Illegal);
        }
        let pair = |op: &mut MicroOp, at: usize, s: Src, ty: Ty| -> Result<(), Refused> {
            (op.s[at], op.s[at + 1]) = scalar_source(s, ty).ok_or(Refused::Illegal)?;
            Ok(())
        };
        // DS rows that return say so; elsewhere an instruction may ask for the value before.
        let returns = i.dst[0] != Src::NONE
            && (space == Space::Lds || !matches!(kind, MemKind::Atomic { .. }) || i.cache.returns);
        match (space, kind) {
            (_, MemKind::Invalidate) | (Space::Image | Space::Scalar, _) => {}
            (Space::Buffer, _) => {
                if i.flags.intersects(Flags::ADDRESSED) {
                    let both = i.flags.contains(Flags::OFFEN | Flags::IDXEN) || i.flags.contains(Flags::ADDR64);
                    op.src[0] = Loc::row(self.vgpr(i.src[0], 1 + u32::from(both))?);
                }
                if i.src[1].0 > 124 {
                    return Err(Refused::Illegal);
                }
                op.s[0] = i.src[1].0 as u8;
                pair(op, 2, i.src[2], Ty::B32)?;
                if let Extra::Format(number) = i.extra {
                    op.literal = number.into();
                }
                self.data(op, i, kind, i.src[3], returns)?;
            }
            (Space::Flat | Space::Global | Space::Scratch, _) => {
                let saddr = i.src[1];
                let has_saddr = saddr != Src::NONE && saddr != Src::NULL && space != Space::Flat;
                if has_saddr {
                    pair(op, 0, saddr, Ty::B64)?;
                    op.splat = 1;
                }
                if op.row.src.first() == Some(&Ty::Unused) {
                    // The scalar address, none being zero, and 4 · lane.
                    if !has_saddr {
                        pair(op, 0, Src::ZERO, Ty::B64)?;
                    }
                    (op.splat, op.constant) = (1, 1);
                    op.src[0] = self.pool.lanes(self.halves);
                } else if i.src[0] != Src::NONE {
                    let wide = space != Space::Scratch && !has_saddr;
                    op.src[0] = Loc::row(self.vgpr(i.src[0], 1 + u32::from(wide))?);
                    op.splat |= 2;
                }
                self.data(op, i, kind, i.src[2], returns)?;
            }
            (Space::Lds, _) => {
                // The address, then the data, in the row's order; M0 and the old destination are no slots of their own.
                let mut k = 1;
                for (slot, &ty) in op.row.src.iter().enumerate() {
                    match ty {
                        Ty::Addr32 => op.src[0] = Loc::row(self.vgpr(i.src[slot], 1)?),
                        Ty::M0 | Ty::Old => {}
                        _ => {
                            op.src[k] = Loc::row(self.vgpr(i.src[slot], ty.dwords(lanes))?);
                            k += 1;
                        }
                    }
                }
                self.data(op, i, kind, Src::NONE, returns)?;
            }
        }
        op.f = match space {
            Space::Lds if i.flags.contains(Flags::GDS) => super::mem::gds(kind),
            Space::Lds if matches!(kind, MemKind::Gws(_) | MemKind::OrderedCount) => return Err(Refused::Illegal),
            _ if to_lds => super::mem::to_lds(space, kind),
            Space::Buffer if from_lds => super::mem::from_lds(kind),
            Space::Buffer if i.flags.contains(Flags::ADDR64) => super::mem::far(kind, self.tables.level),
            _ => {
                op.known = Known::Access;
                super::mem::function(space, kind, self.tables.level)
            }
        }
        .ok_or(Refused::Unimplemented)?;
        let loads = matches!(kind, MemKind::Load { .. } | MemKind::LoadD16 { .. } | MemKind::LoadFormat { .. });
        if i.flags.contains(Flags::TFE) && space == Space::Buffer && (loads || returns) {
            self.vgpr(i.dst[0], data_dwords(kind).unwrap_or(1) + 1)?;
            (op.f, op.known) = (super::mem::with_status, Known::No);
        }
        if space == Space::Lds && !i.flags.contains(Flags::GDS) && self.isa.caps().lds_needs_m0 {
            let inner = std::mem::replace(&mut op.f, super::mem::limited);
            let then = super::mem::below_limit(kind).ok_or(Refused::Unimplemented)?;
            op.ext = Some(Ext::new(inner, then, *i));
        }
        if space == Space::Flat {
            let inner = std::mem::replace(&mut op.f, super::mem::flat);
            op.ext = Some(Ext::new(inner, op.f, *i));
        }
        Ok(())
    }

    fn scalar_memory(&mut self, op: &mut MicroOp, i: &Instr, space: Space, kind: MemKind) -> Result<(), Refused> {
        let dwords = |ty: Option<&Ty>| ty.map_or(0, |t| t.dwords(32));
        let returns = !matches!(kind, MemKind::Atomic { .. }) || i.cache.returns;
        if returns && i.dst[0] != Src::NONE {
            op.dst = scalar_target(i.dst[0], dwords(op.row.dst.first()))?;
        }
        for (slot, &ty) in op.row.src.iter().enumerate() {
            let s = i.src[slot];
            match ty {
                // The base is an aligned tuple of SGPRs.
                Ty::Addr64 | Ty::Rsrc if s.is_sgpr() => {
                    (op.s[0], op.s[1]) = scalar_source(s, Ty::B64).ok_or(Refused::Illegal)?;
                }
                Ty::Addr64 | Ty::Rsrc => return Err(Refused::Illegal),
                Ty::SOffset => {
                    let s = if s == Src::NONE { Src::ZERO } else { s };
                    (op.s[2], op.s[3]) = scalar_source(s, Ty::B32).ok_or(Refused::Illegal)?;
                }
                _ if matches!(kind, MemKind::Store { .. } | MemKind::Atomic { .. }) => {
                    op.s[4] = scalar_target(s, ty.dwords(32))? as u8;
                }
                _ => {}
            }
        }
        if self.isa.caps().smem_dwords {
            (op.imm, op.literal) = (4 * op.imm, op.literal.wrapping_mul(4));
        }
        op.f = super::mem::smem(space, kind).ok_or(Refused::Unimplemented)?;
        op.known = match kind {
            MemKind::Invalidate | MemKind::Hint => Known::Nothing,
            _ => Known::Access,
        };
        Ok(())
    }

    /// An image operation keeps its instruction: `dst` is the first row of its data, coming or going, `s` the SGPRs of T#
    /// (0) and S# (2).
    fn image(&mut self, op: &mut MicroOp, i: &Instr, space: Space, kind: MemKind) -> Result<(), Refused> {
        let (_, image) = i.image().ok_or(Refused::Illegal)?;
        let addresses = image.vaddr.iter().take(image.addresses.into());
        self.vgprs = addresses.fold(self.vgprs, |n, &v| n.max(u32::from(v) + 1));
        let data = if i.dst[0] == Src::NONE { i.src[3] } else { i.dst[0] };
        op.dst = self.vgpr(data, i.image_data())? as u32;
        for (slot, s) in [(0, i.src[1]), (2, i.src[2])] {
            if s == Src::NONE {
                continue;
            }
            op.s[slot] = u8::try_from(s.0).ok().filter(|&n| n <= 124 && n % 4 == 0).ok_or(Refused::Illegal)?;
        }
        let image = super::mem::ImageOperands::new(i, self.isa, self.halves);
        op.ext = Some(Box::new(Ext { image, ..*Ext::new(table::nop, table::nop, *i) }));
        op.f = super::mem::function(space, kind, self.tables.level).ok_or(Refused::Unimplemented)?;
        Ok(())
    }

    /// Data registers of a vector memory operation: `src[1]` what goes out, `dst` what comes back.
    fn data(&mut self, op: &mut MicroOp, i: &Instr, kind: MemKind, from: Src, returns: bool) -> Result<(), Refused> {
        let dwords = data_dwords(kind).unwrap_or(1);
        if from.is_vgpr() {
            let both = matches!(kind, MemKind::Atomic { op: AtomicOp::CmpSwap | AtomicOp::FCmpSwap, .. })
                && op.row.format != Format::Ds;
            op.src[1] = Loc::row(self.vgpr(from, dwords * (1 + u32::from(both)))?);
        }
        if returns {
            let twice = matches!(kind, MemKind::Load2 { .. } | MemKind::Exchange2 { .. });
            op.dst2 = super::mem::RETURNS;
            op.dst = self.vgpr(i.dst[0], dwords * (1 + u32::from(twice)))? as u32;
        }
        Ok(())
    }
}

/// VGPRs of one data operand; `None` for what this lowering does not know.
pub(crate) fn data_dwords(kind: MemKind) -> Option<u32> {
    Some(match kind {
        MemKind::Load { dwords, .. }
        | MemKind::Store { dwords, .. }
        | MemKind::Atomic { dwords, .. }
        | MemKind::Load2 { dwords, .. }
        | MemKind::Store2 { dwords, .. }
        | MemKind::Exchange2 { dwords, .. } => u32::from(dwords),
        MemKind::LoadFormat { components, d16, .. } | MemKind::StoreFormat { components, d16, .. } => {
            if d16 {
                u32::from(components).div_ceil(2)
            } else {
                components.into()
            }
        }
        MemKind::LoadD16 { .. } | MemKind::StoreHi { .. } => 1,
        MemKind::Count { .. } | MemKind::LoadLane | MemKind::StoreLane | MemKind::OrderedCount => 1,
        MemKind::Src2 { .. } | MemKind::Gws(_) => 0,
        MemKind::Invalidate | MemKind::Clock { .. } | MemKind::WaveId | MemKind::Hint => 0,
        _ => return None,
    })
}
