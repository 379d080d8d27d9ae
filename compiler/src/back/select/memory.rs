//! Memory: which instruction reads or writes which space, how its address is put together.
//!
//! | space | uniform address | divergent address |
//! |---|---|---|
//! | Buffer | s_buffer_load if read-only; else buffer_* with soffset | buffer_* offen |
//! | Global | s_load if read-only; else global_* | global_* |
//! | Push, Constant | s_load | global_load with scalar base |
//! | Lds | ds_* | ds_* |
//! | Scratch | buffer_* offen on the swizzled scratch ring | the same |
//!
//! Where there is no global_*, an address is a buffer_* with addr64 through a V# of all memory, and one with a scalar base a
//! buffer_* offen through a V# that begins there. Rows and the reach of offsets are the target's ([`wavepipe_isa::find`]).

use super::*;
use crate::ir::{Access, Space};
use wavepipe_hw::descriptor::BufferDescriptor;
use wavepipe_isa::cache::{Cache, Scope};
use wavepipe_isa::find::{self, Way};
use wavepipe_isa::legal;
use wavepipe_isa::row::{Format, MemKind};

/// Where a vector memory instruction goes.
#[derive(Clone, Copy)]
pub(super) enum MemoryOperands {
    /// vaddr (NONE without offen), srsrc, soffset
    Buffer {
        vaddr: Arg,
        rsrc: Part,
        soffset: Arg,
    },
    /// vaddr, a 64-bit address; srsrc, of all memory
    Address {
        vaddr: Part,
        rsrc: Part,
    },
    /// vaddr, saddr
    Global {
        vaddr: Part,
        saddr: Arg,
    },
    Lds {
        addr: Part,
    },
}

impl MemoryOperands {
    pub(super) fn way(self) -> Way {
        match self {
            MemoryOperands::Buffer { .. } | MemoryOperands::Address { .. } => Way::Buffer,
            MemoryOperands::Global { .. } => Way::Global,
            MemoryOperands::Lds { .. } => Way::Lds,
        }
    }
}

/// Elements that a load extends with zeros, or registers of 32 bits.
fn load_kind(bytes: u32, dwords: u32) -> MemKind {
    MemKind::Load { bits: 8 * bytes.min(4) as u8, signed: false, dwords: dwords as u8 }
}

pub(super) fn store_kind(bytes: u32, dwords: u32) -> MemKind {
    MemKind::Store { bits: 8 * bytes.min(4) as u8, dwords: dwords as u8 }
}

/// Who sees an access: the whole device if others are to see it at once, or it is volatile.
pub(super) fn scope(access: Access) -> Scope {
    if access.coherent || access.volatile { Scope::Device } else { Scope::Unit }
}

/// What an atomic tells the caches, which have no part in it but to give back the value before.
pub(super) fn atomic(returns: bool) -> Cache {
    Cache { returns, ..Cache::DEFAULT }
}

impl Selector<'_> {
    /// The target's row for this.
    pub(super) fn row(&self, way: Way, kind: MemKind, returns: bool) -> Result<Op> {
        let found = find::find(way, kind, returns, self.f.isa);
        found.ok_or_else(|| self.unsupported(&format!("{kind:?} by {way:?}")))
    }

    fn has_row(&self, way: Way, kind: MemKind) -> bool {
        find::find(way, kind, false, self.f.isa).is_some()
    }

    /// The greatest constant offset of a family's instructions on the target, in its units.
    fn reach(&self, format: Format) -> u32 {
        find::offsets(format, self.f.isa).map_or(0, |r| *r.end() as u32)
    }

    pub(super) fn load(&mut self, space: Space, offset: u32, access: Access, inst: &IrInst) -> Result<()> {
        let width = self.width(inst.results[0]);
        if self.home(inst.results[0]) == Home::Scalar && matches!(width, Width::B32 | Width::B64) {
            return self.scalar_load(space, offset, inst);
        }
        if let Val::DivergentDesc { base, offset: at } = self.vals[inst.args[0].0 as usize] {
            let inst = inst.clone();
            return self.waterfall(base, at, inst.args[0], |s| s.load(space, offset, access, &inst));
        }
        let bytes = width.bits().max(8) / 8;
        let count = inst.results.len() as u32;
        let scope = scope(access);
        let (place, offset) = self.place(space, offset, bytes * count, &inst.args)?;
        if bytes < 4 {
            let op = self.row(place.way(), load_kind(bytes, 1), false)?;
            for (n, &r) in inst.results.iter().enumerate() {
                let d = self.new_v(1);
                self.access(op, place, offset + n as u32 * bytes, Some(d), None, legal::shared(op, scope, self.f.isa));
                self.set_reg(r, d);
            }
            return Ok(());
        }
        let dwords = count * bytes / 4;
        let mut parts: Vec<Part> = Vec::new();
        let mut done = 0;
        while done < dwords {
            let n = self.chunk(place, dwords - done, offset + done * 4, access.align);
            let d = self.new_v(n);
            let at = offset + done * 4;
            match place {
                MemoryOperands::Lds { .. } => self.lds_load(place, at, d, access.align)?,
                _ => {
                    let op = self.row(place.way(), load_kind(4, n), false)?;
                    self.access(op, place, at, Some(d), None, legal::shared(op, scope, self.f.isa));
                }
            }
            parts.extend((0..n).map(|k| d.at(k)));
            done += n;
        }
        for (n, &r) in inst.results.iter().enumerate() {
            match bytes {
                4 => self.set_reg(r, parts[n]),
                _ => self.set(r, Val::Pair(parts[2 * n].into(), parts[2 * n + 1].into())),
            }
        }
        Ok(())
    }

    /// Dwords that one instruction moves from here.
    fn chunk(&self, place: MemoryOperands, left: u32, at: u32, align: u32) -> u32 {
        let most = (1..=left.min(4)).rev().find(|&n| self.has_row(place.way(), load_kind(4, n))).unwrap_or(1);
        match place {
            MemoryOperands::Lds { .. } => match align {
                16.. if most == 4 && at.is_multiple_of(16) => 4,
                _ if left >= 2 && at.is_multiple_of(4) && at / 4 < 255 => 2,
                8.. if left >= 2 && at.is_multiple_of(8) => 2,
                _ => 1,
            },
            _ => most,
        }
    }

    fn lds_load(&mut self, place: MemoryOperands, at: u32, d: Part, align: u32) -> Result<()> {
        let pair = d.len == 2 && !(align >= 8 && at.is_multiple_of(8));
        let (op, imm) = match pair {
            true => (i::DS_READ2_B32, at / 4 | (at / 4 + 1) << 8),
            false => (self.row(Way::Lds, load_kind(4, d.len.into()), false)?, at),
        };
        self.access(op, place, imm, Some(d), None, Cache::DEFAULT);
        Ok(())
    }

    pub(super) fn store(&mut self, space: Space, offset: u32, access: Access, inst: &IrInst) -> Result<()> {
        if let Val::DivergentDesc { base, offset: at } = self.vals[inst.args[0].0 as usize] {
            let inst = inst.clone();
            return self.waterfall(base, at, inst.args[0], |s| s.store(space, offset, access, &inst));
        }
        let data = &inst.args[space.address_operands()..];
        let bytes = self.width(data[0]).bits().max(8) / 8;
        let (place, offset) = self.place(space, offset, bytes * data.len() as u32, &inst.args)?;
        let scope = scope(access);
        if bytes < 4 {
            let op = self.row(place.way(), store_kind(bytes, 1), false)?;
            for (n, &v) in data.iter().enumerate() {
                let x = self.src(v);
                let x = self.to_v(x);
                self.access(op, place, offset + n as u32 * bytes, None, Some(x), legal::shared(op, scope, self.f.isa));
            }
            return Ok(());
        }
        let dwords: Vec<Arg> = data.iter().flat_map(|&v| self.dwords(v)).collect();
        let mut done = 0;
        while done < dwords.len() {
            let at = offset + done as u32 * 4;
            let n = self.chunk(place, (dwords.len() - done) as u32, at, access.align) as usize;
            let parts = &dwords[done..done + n];
            done += n;
            if let (MemoryOperands::Lds { addr }, 2) = (place, n)
                && !(access.align >= 8 && at.is_multiple_of(8))
            {
                let (x, y) = (self.stored(parts[0]), self.stored(parts[1]));
                let inst = self.raw(i::DS_WRITE2_B32, &[], &[addr.into(), x.into(), y.into()]);
                inst.imm = (at / 4 | (at / 4 + 1) << 8) as i32;
                continue;
            }
            let x = self.gather(Bank::V, parts);
            let op = self.row(place.way(), store_kind(4, n as u32), false)?;
            self.access(op, place, at, None, Some(x), legal::shared(op, scope, self.f.isa));
        }
        Ok(())
    }

    /// One vector memory instruction with its operands in the slots of its family. `imm` fits already.
    pub(super) fn access(
        &mut self,
        op: Op,
        place: MemoryOperands,
        imm: u32,
        dst: Option<Part>,
        data: Option<Part>,
        cache: Cache,
    ) {
        let dst: Vec<Arg> = dst.into_iter().map(Arg::from).collect();
        let data = data.map_or(Arg::None, Arg::from);
        let (src, flags) = match place {
            MemoryOperands::Buffer { vaddr, rsrc, soffset } => {
                let offen = if vaddr == Arg::None { Flags::empty() } else { Flags::OFFEN };
                (vec![vaddr, rsrc.into(), soffset, data], offen)
            }
            MemoryOperands::Address { vaddr, rsrc } => {
                (vec![vaddr.into(), rsrc.into(), Arg::Imm(0), data], Flags::ADDR64)
            }
            MemoryOperands::Global { vaddr, saddr } => (vec![vaddr.into(), saddr, data], Flags::empty()),
            MemoryOperands::Lds { addr } => (vec![addr.into(), data], Flags::empty()),
        };
        let inst = self.raw(op, &dst, &src);
        inst.imm = imm as i32;
        inst.flags = flags;
        inst.cache = cache;
    }

    /// Puts the address together; what is left of the constant offset fits the instruction for all `bytes`.
    pub(super) fn place(
        &mut self,
        space: Space,
        offset: u32,
        bytes: u32,
        args: &[Value],
    ) -> Result<(MemoryOperands, u32)> {
        let fits = |max: u32| offset.checked_add(bytes).is_some_and(|end| end <= max + 1);
        match space {
            Space::Buffer => {
                let Some(rsrc) = self.resource(args[0]) else {
                    return Err(self.unsupported("an access through a descriptor that is no value"));
                };
                let x = self.src(args[1]);
                let zero = Arg::Imm(0);
                let (mut vaddr, mut soffset, mut imm) = match x {
                    Arg::Imm(n) => match n.checked_add(offset) {
                        Some(all) => (Arg::None, zero, all),
                        None => (Arg::None, self.literal(n).into(), offset),
                    },
                    x if self.is_s(x) => (Arg::None, x, offset),
                    x => (x, zero, offset),
                };
                let most = self.reach(Format::Mubuf);
                if imm.checked_add(bytes).is_none_or(|end| end > most + 1) {
                    // The multiple of 4096 goes to the scalar offset; it is free unless the address is scalar.
                    let (high, low) = (imm & !most, imm & most);
                    let (high, low) = if low + bytes > most + 1 { (imm, 0) } else { (high, low) };
                    imm = low;
                    if soffset == zero {
                        soffset = self.literal(high).into();
                    } else {
                        soffset = self.s1(i::S_ADD_I32, &[soffset, Arg::Imm(high)]).into();
                    }
                }
                if let Arg::Reg(p) = vaddr {
                    vaddr = self.to_v(p.into()).into();
                }
                Ok((MemoryOperands::Buffer { vaddr, rsrc, soffset }, imm))
            }
            Space::Scratch => {
                let (rsrc, wave, offset) = self.private(offset);
                let x = self.src(args[0]);
                let (x, imm) = match x {
                    Arg::Imm(n) => (Arg::Imm(0), n.wrapping_add(offset)),
                    x => (x, offset),
                };
                let fits = imm.saturating_add(bytes) <= self.reach(Format::Mubuf) + 1;
                // The same dword of all lanes is a row, and the scalar offset is where it begins.
                if self.is_s(x) && bytes.is_multiple_of(4) && imm.is_multiple_of(4) {
                    let x = if fits { x } else { self.s1(i::S_ADD_I32, &[x, Arg::Imm(imm)]).into() };
                    let rows = self.s1(i::S_LSHL_B32, &[x, Arg::Imm(self.f.wave.lanes().ilog2())]);
                    let soffset = self.s1(i::S_ADD_I32, &[wave.into(), rows.into()]).into();
                    return Ok((
                        MemoryOperands::Buffer { vaddr: Arg::None, rsrc, soffset },
                        if fits { imm } else { 0 },
                    ));
                }
                let (x, imm) = match fits {
                    true => (x, imm),
                    false => (self.v1(i::V_ADD_NC_U32, &[Arg::Imm(imm), x]).into(), 0),
                };
                let vaddr = if x == Arg::Imm(0) { Arg::None } else { self.to_v(x).into() };
                Ok((MemoryOperands::Buffer { vaddr, rsrc, soffset: wave.into() }, imm))
            }
            Space::Lds => {
                let (x, imm) = match self.src(args[0]) {
                    Arg::Imm(n) => (Arg::Imm(0), n.wrapping_add(offset)),
                    x => (x, offset),
                };
                let (x, imm) = if imm.saturating_add(bytes) <= self.reach(Format::Ds) + 1 {
                    (x, imm)
                } else {
                    (self.v1(i::V_ADD_NC_U32, &[Arg::Imm(imm), x]).into(), 0)
                };
                let addr = self.stored(x);
                Ok((MemoryOperands::Lds { addr }, imm))
            }
            Space::Global => {
                let (lo, hi) = self.src64(args[0]);
                if fits(self.reach_of_addresses()) {
                    let vaddr = self.gather(Bank::V, &[lo, hi]);
                    return Ok((self.at_address(vaddr), offset));
                }
                let vaddr = self.add_wide((lo, hi), (Arg::Imm(offset), Arg::Imm(0)), false, false);
                Ok((self.at_address(vaddr), 0))
            }
            Space::Push | Space::Constant => {
                let base = if space == Space::Push { self.push_address() } else { self.constant_address() };
                let x = self.src(args[0]);
                let (x, imm) = if fits(self.reach_of_addresses()) {
                    (x, offset)
                } else {
                    (self.v1(i::V_ADD_NC_U32, &[Arg::Imm(offset), x]).into(), 0)
                };
                let vaddr = self.to_v(x);
                Ok((self.based(base, vaddr), imm))
            }
        }
    }

    /// Whether there are instructions that take addresses of memory alone.
    fn has_global(&self) -> bool {
        self.has_row(Way::Global, load_kind(4, 1))
    }

    /// The greatest constant offset beside an address.
    fn reach_of_addresses(&self) -> u32 {
        self.reach(if self.has_global() { Format::Global } else { Format::Mubuf })
    }

    /// At a 64-bit address.
    fn at_address(&mut self, vaddr: Part) -> MemoryOperands {
        match self.has_global() {
            true => MemoryOperands::Global { vaddr, saddr: Arg::None },
            false => MemoryOperands::Address { vaddr, rsrc: self.all_memory() },
        }
    }

    /// At a scalar address and 32 bits that each lane adds.
    fn based(&mut self, base: Part, vaddr: Part) -> MemoryOperands {
        if self.has_global() {
            return MemoryOperands::Global { vaddr, saddr: base.into() };
        }
        let [.., records, format] = BufferDescriptor::raw(0, u32::MAX).to_words(self.f.isa);
        let words = [base.at(0).into(), base.at(1).into(), Arg::Imm(records), Arg::Imm(format)];
        let rsrc = self.gather(Bank::S, &words);
        MemoryOperands::Buffer { vaddr: vaddr.into(), rsrc, soffset: Arg::Imm(0) }
    }

    fn constant_address(&mut self) -> Part {
        let d = self.new_s(2);
        self.push(Inst::pseudo(Pseudo::ConstAddress, vec![d.into()], vec![]));
        d
    }

    /// The register and the constant, in bytes, of scalar loads of `bytes` at `at` plus `offset`. Where the target adds no register to a
    /// constant, they hold for one load.
    pub(super) fn scalar_offset(&mut self, at: Arg, offset: u32, bytes: u32) -> (Arg, u32) {
        let (caps, unit) = (self.f.isa.caps(), self.scalar_unit());
        let last = if self.adds_scalar_offsets() { offset.checked_add(bytes - 1) } else { Some(offset) };
        let held = offset.is_multiple_of(unit) && last.is_some_and(|last| last / unit <= self.reach(Format::Smem));
        match at {
            Arg::None if held => (at, offset),
            Arg::None if caps.smem_literal && offset.is_multiple_of(unit) => (Arg::Imm(offset / unit), 0),
            Arg::None => (self.literal(offset).into(), 0),
            _ if offset == 0 || held && self.adds_scalar_offsets() => (at, offset),
            at => (self.s1(i::S_ADD_I32, &[at, Arg::Imm(offset)]).into(), 0),
        }
    }

    /// Bytes that a step of scalar memory's constant offset is.
    fn scalar_unit(&self) -> u32 {
        if self.f.isa.caps().smem_dwords { 4 } else { 1 }
    }

    fn adds_scalar_offsets(&self) -> bool {
        find::adds_scalar_offsets(self.f.isa)
    }

    /// One scalar load, with what [`Selector::scalar_offset`] has made of its offset.
    pub(super) fn scalar_read(&mut self, op: Op, d: Part, base: Part, (at, imm): (Arg, u32)) {
        let both = at != Arg::None && imm != 0 && legal::flags(op, self.f.isa).contains(Flags::IMM);
        let imm = (imm / self.scalar_unit()) as i32;
        let inst = self.raw(op, &[d.into()], &[base.into(), at]);
        inst.imm = imm;
        inst.flags = if both { Flags::IMM } else { Flags::empty() };
    }

    /// Scalar loads of 1, 2, 4, 8 or 16 dwords.
    fn scalar_load(&mut self, space: Space, offset: u32, inst: &IrInst) -> Result<()> {
        let (base, at) = match space {
            Space::Buffer => {
                let Some(rsrc) = self.resource(inst.args[0]) else {
                    return Err(self.unsupported("a scalar load through a divergent descriptor"));
                };
                (rsrc, self.src(inst.args[1]))
            }
            Space::Global => (self.pair(inst.args[0], Bank::S), Arg::Imm(0)),
            Space::Push => (self.push_address(), self.src(inst.args[0])),
            Space::Constant => (self.constant_address(), self.src(inst.args[0])),
            Space::Lds | Space::Scratch => return Err(self.unsupported("a scalar load of shared or private memory")),
        };
        let wide = self.width(inst.results[0]) == Width::B64;
        let dwords = inst.results.len() as u32 * if wide { 2 } else { 1 };
        let (at, imm) = match at {
            Arg::Imm(n) => (Arg::None, n.wrapping_add(offset)),
            at => (self.to_s(at), offset),
        };
        let all = self.adds_scalar_offsets().then(|| self.scalar_offset(at, imm, dwords * 4));
        let buffer = space == Space::Buffer;
        let way = if buffer { Way::ScalarBuffer } else { Way::Scalar };
        let mut parts = Vec::new();
        let mut done = 0;
        while done < dwords {
            let left = dwords - done;
            let n = match left {
                1 | 2 | 4 => left,
                3 if buffer => 4,
                8.. => 8,
                5..8 => 4,
                _ => 2,
            };
            let op = self.row(way, load_kind(4, n), false)?;
            let place = match all {
                Some((at, imm)) => (at, imm + done * 4),
                None => self.scalar_offset(at, imm + done * 4, n * 4),
            };
            let d = self.new_s(n);
            self.scalar_read(op, d, base, place);
            parts.extend((0..n).map(|k| d.at(k)));
            done += n;
        }
        for (n, &r) in inst.results.iter().enumerate() {
            if wide {
                self.set(r, Val::Pair(parts[2 * n].into(), parts[2 * n + 1].into()));
            } else {
                self.set_reg(r, parts[n]);
            }
        }
        Ok(())
    }

    /// Runs `body` once for each different descriptor among the lanes: takes the first lane's index, keeps the lanes that share
    /// it, and repeats with the rest.
    pub(super) fn waterfall(
        &mut self,
        base: Part,
        at: Part,
        desc: Value,
        body: impl FnOnce(&mut Self) -> Result<()>,
    ) -> Result<()> {
        let all = self.mask_op(i::S_MOV_B32, i::S_MOV_B64, &[EXEC]);
        self.depth += 1;
        let (head, done) = (self.new_block(), self.f.block(self.depth - 1));
        self.f.blocks[self.cur as usize].logical = vec![head];
        self.begin(head);
        let first = self.in_s(at.into());
        let same = self.vcmp(i::V_CMP_EQ_U32, &[first.into(), at.into()], Mods::default());
        let saved = self.mask_op(i::S_AND_SAVEEXEC_B32, i::S_AND_SAVEEXEC_B64, &[same.into()]);
        let d = self.load_descriptor(base, first.into(), 0, self.width(desc).bits() / 32);
        let kept = self.vals[desc.0 as usize];
        self.set_reg(desc, d);
        body(self)?;
        self.set(desc, kept);
        self.mask_into(i::S_ANDN2_B32, i::S_ANDN2_B64, EXEC, &[saved.into(), EXEC]);
        let cur = self.cur as usize;
        self.f.blocks[cur].logical = vec![head, done];
        self.f.blocks[cur].term = Term::Branch { cond: Cond::Execnz, target: head };
        self.depth -= 1;
        self.begin(done);
        self.mask_into(i::S_MOV_B32, i::S_MOV_B64, EXEC, &[all.into()]);
        Ok(())
    }

    pub(super) fn descriptor_size(&mut self, inst: &IrInst) -> Result<()> {
        // Word 2 of a V# is NUM_RECORDS.
        match self.vals[inst.args[0].0 as usize] {
            Val::Reg(d) => self.set_reg(inst.results[0], d.at(2)),
            Val::FarDesc { base, offset } => {
                let d = self.new_s(1);
                let place = self.scalar_offset(Arg::None, offset + 8, 4);
                self.scalar_read(i::S_LOAD_DWORD, d, base, place);
                self.set_reg(inst.results[0], d);
            }
            Val::DivergentDesc { base, offset } => {
                let d = self.new_v(1);
                let place = self.based(base, offset);
                let op = self.row(place.way(), load_kind(4, 1), false)?;
                self.access(op, place, 8, Some(d), None, Cache::DEFAULT);
                self.set_reg(inst.results[0], d);
            }
            _ => return Err(self.unsupported("the size of a descriptor that is no value")),
        }
        Ok(())
    }
}
