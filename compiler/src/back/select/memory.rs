//! Memory: which instruction reads or writes which space, how its address is put together, atomics and barriers.
//!
//! | space | uniform address | divergent address |
//! |---|---|---|
//! | Buffer | s_buffer_load if read-only; else buffer_* with soffset | buffer_* offen |
//! | Global | s_load if read-only; else global_* | global_* |
//! | Push, Constant | s_load | global_load with scalar base |
//! | Lds | ds_* | ds_* |
//! | Scratch | buffer_* offen on the swizzled scratch ring | the same |

use super::*;
use crate::back::waits;
use crate::ir::{Access, Atomic, Scope, Space};
use wavepipe_hw::order::{Among, BarrierMark};

/// Where a vector memory instruction goes.
#[derive(Clone, Copy)]
pub(super) enum MemoryOperands {
    /// vaddr (NONE without offen), srsrc, soffset
    Buffer {
        vaddr: Arg,
        rsrc: Part,
        soffset: Arg,
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

const MUBUF_MAX_OFFSET: u32 = 4095;
const GLOBAL_MAX_OFFSET: u32 = 2047;
const DS_MAX_OFFSET: u32 = 65535;

impl Selector<'_> {
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
        let glc = if access.coherent || access.volatile { GLC } else { Flags::empty() };
        let (place, offset) = self.place(space, offset, bytes * count, &inst.args)?;
        if bytes < 4 {
            for (n, &r) in inst.results.iter().enumerate() {
                let d = self.new_v(1);
                let op = match (place, bytes) {
                    (MemoryOperands::Buffer { .. }, 1) => i::BUFFER_LOAD_UBYTE,
                    (MemoryOperands::Buffer { .. }, _) => i::BUFFER_LOAD_USHORT,
                    (MemoryOperands::Global { .. }, 1) => i::GLOBAL_LOAD_UBYTE,
                    (MemoryOperands::Global { .. }, _) => i::GLOBAL_LOAD_USHORT,
                    (MemoryOperands::Lds { .. }, 1) => i::DS_READ_U8,
                    (MemoryOperands::Lds { .. }, _) => i::DS_READ_U16,
                };
                self.access(op, place, offset + n as u32 * bytes, Some(d), None, glc);
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
                MemoryOperands::Lds { .. } => self.lds_load(place, at, d, access.align),
                _ => {
                    let op = match (place, n) {
                        (MemoryOperands::Buffer { .. }, 1) => i::BUFFER_LOAD_DWORD,
                        (MemoryOperands::Buffer { .. }, 2) => i::BUFFER_LOAD_DWORDX2,
                        (MemoryOperands::Buffer { .. }, 3) => i::BUFFER_LOAD_DWORDX3,
                        (MemoryOperands::Buffer { .. }, _) => i::BUFFER_LOAD_DWORDX4,
                        (_, 1) => i::GLOBAL_LOAD_DWORD,
                        (_, 2) => i::GLOBAL_LOAD_DWORDX2,
                        (_, 3) => i::GLOBAL_LOAD_DWORDX3,
                        (_, _) => i::GLOBAL_LOAD_DWORDX4,
                    };
                    self.access(op, place, at, Some(d), None, glc);
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
        match place {
            MemoryOperands::Lds { .. } => match align {
                16.. if left >= 4 && at.is_multiple_of(16) => 4,
                _ if left >= 2 && at.is_multiple_of(4) && at / 4 < 255 => 2,
                8.. if left >= 2 && at.is_multiple_of(8) => 2,
                _ => 1,
            },
            _ => left.min(4),
        }
    }

    fn lds_load(&mut self, place: MemoryOperands, at: u32, d: Part, align: u32) {
        match d.len {
            1 => self.access(i::DS_READ_B32, place, at, Some(d), None, Flags::empty()),
            4 => self.access(i::DS_READ_B128, place, at, Some(d), None, Flags::empty()),
            _ if align >= 8 && at.is_multiple_of(8) => {
                self.access(i::DS_READ_B64, place, at, Some(d), None, Flags::empty());
            }
            _ => self.access(i::DS_READ2_B32, place, at / 4 | (at / 4 + 1) << 8, Some(d), None, Flags::empty()),
        }
    }

    pub(super) fn store(&mut self, space: Space, offset: u32, access: Access, inst: &IrInst) -> Result<()> {
        if let Val::DivergentDesc { base, offset: at } = self.vals[inst.args[0].0 as usize] {
            let inst = inst.clone();
            return self.waterfall(base, at, inst.args[0], |s| s.store(space, offset, access, &inst));
        }
        let data = &inst.args[space.address_operands()..];
        let bytes = self.width(data[0]).bits().max(8) / 8;
        let (place, offset) = self.place(space, offset, bytes * data.len() as u32, &inst.args)?;
        let glc = if (access.coherent || access.volatile) && space != Space::Lds { GLC } else { Flags::empty() };
        if bytes < 4 {
            for (n, &v) in data.iter().enumerate() {
                let x = self.src(v);
                let x = self.to_v(x);
                let op = match (place, bytes) {
                    (MemoryOperands::Buffer { .. }, 1) => i::BUFFER_STORE_BYTE,
                    (MemoryOperands::Buffer { .. }, _) => i::BUFFER_STORE_SHORT,
                    (MemoryOperands::Global { .. }, 1) => i::GLOBAL_STORE_BYTE,
                    (MemoryOperands::Global { .. }, _) => i::GLOBAL_STORE_SHORT,
                    (MemoryOperands::Lds { .. }, 1) => i::DS_WRITE_B8,
                    (MemoryOperands::Lds { .. }, _) => i::DS_WRITE_B16,
                };
                self.access(op, place, offset + n as u32 * bytes, None, Some(x), glc);
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
            let op = match (place, n) {
                (MemoryOperands::Buffer { .. }, 1) => i::BUFFER_STORE_DWORD,
                (MemoryOperands::Buffer { .. }, 2) => i::BUFFER_STORE_DWORDX2,
                (MemoryOperands::Buffer { .. }, 3) => i::BUFFER_STORE_DWORDX3,
                (MemoryOperands::Buffer { .. }, _) => i::BUFFER_STORE_DWORDX4,
                (MemoryOperands::Global { .. }, 1) => i::GLOBAL_STORE_DWORD,
                (MemoryOperands::Global { .. }, 2) => i::GLOBAL_STORE_DWORDX2,
                (MemoryOperands::Global { .. }, 3) => i::GLOBAL_STORE_DWORDX3,
                (MemoryOperands::Global { .. }, _) => i::GLOBAL_STORE_DWORDX4,
                (MemoryOperands::Lds { .. }, 1) => i::DS_WRITE_B32,
                (MemoryOperands::Lds { .. }, 2) => i::DS_WRITE_B64,
                (MemoryOperands::Lds { .. }, _) => i::DS_WRITE_B128,
            };
            self.access(op, place, at, None, Some(x), glc);
        }
        Ok(())
    }

    /// One vector memory instruction with its operands in the slots of its family. `imm` fits already.
    fn access(&mut self, op: Op, place: MemoryOperands, imm: u32, dst: Option<Part>, data: Option<Part>, flags: Flags) {
        let dst: Vec<Arg> = dst.into_iter().map(Arg::from).collect();
        let data = data.map_or(Arg::None, Arg::from);
        let (src, more) = match place {
            MemoryOperands::Buffer { vaddr, rsrc, soffset } => {
                let offen = if vaddr == Arg::None { Flags::empty() } else { Flags::OFFEN };
                (vec![vaddr, rsrc.into(), soffset, data], offen)
            }
            MemoryOperands::Global { vaddr, saddr } => (vec![vaddr.into(), saddr, data], Flags::empty()),
            MemoryOperands::Lds { addr } => (vec![addr.into(), data], Flags::empty()),
        };
        let inst = self.raw(op, &dst, &src);
        inst.imm = imm as i32;
        inst.flags = flags | more;
    }

    /// Puts the address together; what is left of the constant offset fits the instruction for all `bytes`.
    fn place(&mut self, space: Space, offset: u32, bytes: u32, args: &[Value]) -> Result<(MemoryOperands, u32)> {
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
                if imm.checked_add(bytes).is_none_or(|end| end > MUBUF_MAX_OFFSET + 1) {
                    // The multiple of 4096 goes to the scalar offset; it is free unless the address is scalar.
                    let (high, low) = (imm & !MUBUF_MAX_OFFSET, imm & MUBUF_MAX_OFFSET);
                    let (high, low) = if low + bytes > MUBUF_MAX_OFFSET + 1 { (imm, 0) } else { (high, low) };
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
                let (x, imm) = if imm.saturating_add(bytes) <= MUBUF_MAX_OFFSET + 1 {
                    (x, imm)
                } else {
                    (self.v1(i::V_ADD_NC_U32, &[Arg::Imm(imm), x]).into(), 0)
                };
                let vaddr = if x == Arg::Imm(0) { Arg::None } else { self.to_v(x).into() };
                Ok((MemoryOperands::Buffer { vaddr, rsrc, soffset: wave.into() }, imm))
            }
            Space::Lds => {
                let (x, imm) = match self.src(args[0]) {
                    Arg::Imm(n) => (Arg::Imm(0), n.wrapping_add(offset)),
                    x => (x, offset),
                };
                let (x, imm) = if imm.saturating_add(bytes) <= DS_MAX_OFFSET + 1 {
                    (x, imm)
                } else {
                    (self.v1(i::V_ADD_NC_U32, &[Arg::Imm(imm), x]).into(), 0)
                };
                let addr = self.stored(x);
                Ok((MemoryOperands::Lds { addr }, imm))
            }
            Space::Global => {
                let (lo, hi) = self.src64(args[0]);
                if fits(GLOBAL_MAX_OFFSET) {
                    let vaddr = self.gather(Bank::V, &[lo, hi]);
                    return Ok((MemoryOperands::Global { vaddr, saddr: Arg::None }, offset));
                }
                let vaddr = self.add_wide((lo, hi), (Arg::Imm(offset), Arg::Imm(0)), false, false);
                Ok((MemoryOperands::Global { vaddr, saddr: Arg::None }, 0))
            }
            Space::Push | Space::Constant => {
                let base = if space == Space::Push { self.push_address() } else { self.constant_address() };
                let x = self.src(args[0]);
                let (x, imm) = if fits(GLOBAL_MAX_OFFSET) {
                    (x, offset)
                } else {
                    (self.v1(i::V_ADD_NC_U32, &[Arg::Imm(offset), x]).into(), 0)
                };
                let vaddr = self.to_v(x);
                Ok((MemoryOperands::Global { vaddr, saddr: base.into() }, imm))
            }
        }
    }

    fn constant_address(&mut self) -> Part {
        let d = self.new_s(2);
        self.push(Inst::pseudo(Pseudo::ConstAddress, vec![d.into()], vec![]));
        d
    }

    /// The register and the immediate of scalar loads of `bytes` at `at` plus `offset`: an immediate has 20 bits.
    pub(super) fn scalar_offset(&mut self, at: Arg, offset: u32, bytes: u32) -> (Arg, u32) {
        match at {
            _ if offset.checked_add(bytes).is_some_and(|end| end <= 1 << 20) => (at, offset),
            Arg::None => (self.literal(offset).into(), 0),
            at => (self.s1(i::S_ADD_I32, &[at, Arg::Imm(offset)]).into(), 0),
        }
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
        let (at, imm) = self.scalar_offset(at, imm, dwords * 4);
        let buffer = space == Space::Buffer;
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
            let op = match (buffer, n) {
                (false, 1) => i::S_LOAD_DWORD,
                (false, 2) => i::S_LOAD_DWORDX2,
                (false, 4) => i::S_LOAD_DWORDX4,
                (false, _) => i::S_LOAD_DWORDX8,
                (true, 1) => i::S_BUFFER_LOAD_DWORD,
                (true, 2) => i::S_BUFFER_LOAD_DWORDX2,
                (true, 4) => i::S_BUFFER_LOAD_DWORDX4,
                (true, _) => i::S_BUFFER_LOAD_DWORDX8,
            };
            let d = self.new_s(n);
            self.raw(op, &[d.into()], &[base.into(), at]).imm = (imm + done * 4) as i32;
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
                let (at, imm) = self.scalar_offset(Arg::None, offset + 8, 4);
                self.raw(i::S_LOAD_DWORD, &[d.into()], &[base.into(), at]).imm = imm as i32;
                self.set_reg(inst.results[0], d);
            }
            Val::DivergentDesc { base, offset } => {
                let d = self.new_v(1);
                let inst2 = self.raw(i::GLOBAL_LOAD_DWORD, &[d.into()], &[offset.into(), base.into(), Arg::None]);
                inst2.imm = 8;
                self.set_reg(inst.results[0], d);
            }
            _ => return Err(self.unsupported("the size of a descriptor that is no value")),
        }
        Ok(())
    }

    // ---- atomics ----

    pub(super) fn atomic(&mut self, op: Atomic, space: Space, offset: u32, inst: &IrInst) -> Result<()> {
        if let Val::DivergentDesc { base, offset: at } = self.vals[inst.args[0].0 as usize] {
            let inst = inst.clone();
            return self.waterfall(base, at, inst.args[0], |s| s.atomic(op, space, offset, &inst));
        }
        let coherent = Access { coherent: true, ..Access::default() };
        // Among plain accesses to LDS these would not be told from others.
        let told = self.order_marks && space == Space::Lds;
        let data = &inst.args[space.address_operands()..];
        let (op, value) = match op {
            Atomic::Load if told => (Atomic::Or, inst.results[0]),
            Atomic::Load => return self.load(space, offset, coherent, inst),
            Atomic::Store if !told => return self.store(space, offset, coherent, inst),
            Atomic::Store => (Atomic::Exchange, data[0]),
            _ => (op, data[0]),
        };
        let wide = match self.width(value) {
            Width::B32 => false,
            Width::B64 => true,
            w => return Err(self.unsupported(&format!("{}-bit atomic {op:?}", w.bits()))),
        };
        let result = inst.results.first().copied().filter(|&r| self.defs.uses(r) > 0);
        let (place, imm) = self.place(space, offset, if wide { 8 } else { 4 }, &inst.args)?;
        let returns = result.is_some() || told && op == Atomic::Exchange;
        let Some((m32, m64)) = atomic_rows(op, place, returns) else {
            return Err(self.unsupported(&format!("atomic {op:?} on {space:?}")));
        };
        let row = if wide { m64 } else { m32 };
        let Some(row) = row else {
            return Err(self.unsupported(&format!("64-bit atomic {op:?} on {space:?}")));
        };
        let mut words: Vec<Vec<Arg>> = data.iter().map(|&v| self.dwords(v)).collect();
        if words.is_empty() {
            words.push(vec![Arg::Imm(0); if wide { 2 } else { 1 }]);
        }
        if let MemoryOperands::Lds { addr } = place {
            // ds_cmpst takes the comparator first.
            let order: &[usize] = if op == Atomic::CompareExchange { &[1, 0] } else { &[0] };
            let mut src = vec![Arg::from(addr)];
            for &n in order {
                let words = words[n].clone();
                src.push(self.vgprs(&words).into());
            }
            let dst = returns.then(|| self.new_v(if wide { 2 } else { 1 }));
            let dst_args: Vec<Arg> = dst.into_iter().map(Arg::from).collect();
            self.raw(row, &dst_args, &src).imm = imm as i32;
            if let (Some(r), Some(d)) = (result, dst) {
                self.set_reg(r, d);
            }
            return Ok(());
        }
        // The data register is the result register too; compare-and-swap holds new value, comparator.
        let flat: Vec<Arg> = words.concat();
        let n = flat.len() as u32;
        let x = self.new_v(n);
        let mut copy = Inst::pseudo(Pseudo::Copy, vec![], vec![]);
        for (k, &a) in flat.iter().enumerate() {
            copy.dst.push(x.at(k as u32).into());
            copy.src.push(a);
        }
        self.push(copy);
        let flags = if result.is_some() { GLC } else { Flags::empty() };
        let back = result.map(|_| x.slice(0, if wide { 2 } else { 1 }));
        self.access(row, place, imm, back, Some(x), flags);
        if let (Some(r), Some(d)) = (result, back) {
            self.set_reg(r, d);
        }
        Ok(())
    }

    pub(super) fn vgprs(&mut self, words: &[Arg]) -> Part {
        match words {
            [one] => self.to_v(*one),
            _ => self.gather(Bank::V, words),
        }
    }

    // ---- barriers ----

    /// Memory order: earlier accesses are complete (their counters are waited for) before later ones start; caches that
    /// other work-groups do not share are emptied for device scope. Then the execution barrier.
    pub(super) fn barrier(&mut self, execution: Scope, memory: Scope, [lds, buffers, images]: [bool; 3]) {
        let several_waves = self.k.workgroup.iter().product::<u32>() > self.f.wave.lanes();
        if self.order_marks {
            let mark = BarrierMark { execution: among(execution), memory: among(memory), lds, buffers, images };
            self.raw(i::S_TTRACEDATA_IMM, &[], &[]).imm = mark.to_bits().into();
        }
        let buffer = buffers || images;
        if memory >= Scope::WorkGroup && (lds || buffer) && (several_waves || memory == Scope::Device) {
            if buffer {
                self.raw(i::S_WAITCNT, &[], &[]).imm = waits::ALL_ZERO_MEMORY.imm(self.f.isa);
                if self.has(i::S_WAITCNT_VSCNT) {
                    self.raw(i::S_WAITCNT_VSCNT, &[], &[Arg::Phys(Src::NULL)]);
                }
            } else {
                self.raw(i::S_WAITCNT, &[], &[]).imm = waits::LGKM_ZERO.imm(self.f.isa);
            }
        }
        if execution >= Scope::WorkGroup && several_waves {
            self.raw(i::S_BARRIER, &[], &[]);
        }
        if buffer && memory >= Scope::WorkGroup && (several_waves || memory == Scope::Device) {
            if memory == Scope::Device {
                self.raw(i::BUFFER_GL1_INV, &[], &[]);
            }
            self.raw(i::BUFFER_GL0_INV, &[], &[]);
        }
    }
}

fn among(scope: Scope) -> Among {
    match scope {
        Scope::Invocation => Among::Nobody,
        Scope::Subgroup => Among::Subgroup,
        Scope::WorkGroup => Among::WorkGroup,
        Scope::Device => Among::Device,
    }
}

/// The 32- and 64-bit instructions of an atomic.
pub(super) fn atomic_rows(op: Atomic, place: MemoryOperands, result: bool) -> Option<(Option<Op>, Option<Op>)> {
    use Atomic::*;
    let (a, b) = match place {
        MemoryOperands::Buffer { .. } => match op {
            Add => (i::BUFFER_ATOMIC_ADD, i::BUFFER_ATOMIC_ADD_X2),
            Sub => (i::BUFFER_ATOMIC_SUB, i::BUFFER_ATOMIC_SUB_X2),
            SMin => (i::BUFFER_ATOMIC_SMIN, i::BUFFER_ATOMIC_SMIN_X2),
            SMax => (i::BUFFER_ATOMIC_SMAX, i::BUFFER_ATOMIC_SMAX_X2),
            UMin => (i::BUFFER_ATOMIC_UMIN, i::BUFFER_ATOMIC_UMIN_X2),
            UMax => (i::BUFFER_ATOMIC_UMAX, i::BUFFER_ATOMIC_UMAX_X2),
            And => (i::BUFFER_ATOMIC_AND, i::BUFFER_ATOMIC_AND_X2),
            Or => (i::BUFFER_ATOMIC_OR, i::BUFFER_ATOMIC_OR_X2),
            Xor => (i::BUFFER_ATOMIC_XOR, i::BUFFER_ATOMIC_XOR_X2),
            Exchange => (i::BUFFER_ATOMIC_SWAP, i::BUFFER_ATOMIC_SWAP_X2),
            CompareExchange => (i::BUFFER_ATOMIC_CMPSWAP, i::BUFFER_ATOMIC_CMPSWAP_X2),
            FMin => (i::BUFFER_ATOMIC_FMIN, i::BUFFER_ATOMIC_FMIN_X2),
            FMax => (i::BUFFER_ATOMIC_FMAX, i::BUFFER_ATOMIC_FMAX_X2),
            FAdd | Load | Store => return None,
        },
        MemoryOperands::Global { .. } => match op {
            Add => (i::GLOBAL_ATOMIC_ADD, i::GLOBAL_ATOMIC_ADD_X2),
            Sub => (i::GLOBAL_ATOMIC_SUB, i::GLOBAL_ATOMIC_SUB_X2),
            SMin => (i::GLOBAL_ATOMIC_SMIN, i::GLOBAL_ATOMIC_SMIN_X2),
            SMax => (i::GLOBAL_ATOMIC_SMAX, i::GLOBAL_ATOMIC_SMAX_X2),
            UMin => (i::GLOBAL_ATOMIC_UMIN, i::GLOBAL_ATOMIC_UMIN_X2),
            UMax => (i::GLOBAL_ATOMIC_UMAX, i::GLOBAL_ATOMIC_UMAX_X2),
            And => (i::GLOBAL_ATOMIC_AND, i::GLOBAL_ATOMIC_AND_X2),
            Or => (i::GLOBAL_ATOMIC_OR, i::GLOBAL_ATOMIC_OR_X2),
            Xor => (i::GLOBAL_ATOMIC_XOR, i::GLOBAL_ATOMIC_XOR_X2),
            Exchange => (i::GLOBAL_ATOMIC_SWAP, i::GLOBAL_ATOMIC_SWAP_X2),
            CompareExchange => (i::GLOBAL_ATOMIC_CMPSWAP, i::GLOBAL_ATOMIC_CMPSWAP_X2),
            FMin => (i::GLOBAL_ATOMIC_FMIN, i::GLOBAL_ATOMIC_FMIN_X2),
            FMax => (i::GLOBAL_ATOMIC_FMAX, i::GLOBAL_ATOMIC_FMAX_X2),
            FAdd | Load | Store => return None,
        },
        MemoryOperands::Lds { .. } => {
            let (plain, returning) = match op {
                Add => ((i::DS_ADD_U32, i::DS_ADD_U64), (i::DS_ADD_RTN_U32, i::DS_ADD_RTN_U64)),
                Sub => ((i::DS_SUB_U32, i::DS_SUB_U64), (i::DS_SUB_RTN_U32, i::DS_SUB_RTN_U64)),
                SMin => ((i::DS_MIN_I32, i::DS_MIN_I64), (i::DS_MIN_RTN_I32, i::DS_MIN_RTN_I64)),
                SMax => ((i::DS_MAX_I32, i::DS_MAX_I64), (i::DS_MAX_RTN_I32, i::DS_MAX_RTN_I64)),
                UMin => ((i::DS_MIN_U32, i::DS_MIN_U64), (i::DS_MIN_RTN_U32, i::DS_MIN_RTN_U64)),
                UMax => ((i::DS_MAX_U32, i::DS_MAX_U64), (i::DS_MAX_RTN_U32, i::DS_MAX_RTN_U64)),
                And => ((i::DS_AND_B32, i::DS_AND_B64), (i::DS_AND_RTN_B32, i::DS_AND_RTN_B64)),
                Or => ((i::DS_OR_B32, i::DS_OR_B64), (i::DS_OR_RTN_B32, i::DS_OR_RTN_B64)),
                Xor => ((i::DS_XOR_B32, i::DS_XOR_B64), (i::DS_XOR_RTN_B32, i::DS_XOR_RTN_B64)),
                // An exchange nobody reads is a store.
                Exchange => ((i::DS_WRITE_B32, i::DS_WRITE_B64), (i::DS_WRXCHG_RTN_B32, i::DS_WRXCHG_RTN_B64)),
                CompareExchange => ((i::DS_CMPST_B32, i::DS_CMPST_B64), (i::DS_CMPST_RTN_B32, i::DS_CMPST_RTN_B64)),
                FAdd => return Some((Some(if result { i::DS_ADD_RTN_F32 } else { i::DS_ADD_F32 }), None)),
                FMin => ((i::DS_MIN_F32, i::DS_MIN_F64), (i::DS_MIN_RTN_F32, i::DS_MIN_RTN_F64)),
                FMax => ((i::DS_MAX_F32, i::DS_MAX_F64), (i::DS_MAX_RTN_F32, i::DS_MAX_RTN_F64)),
                Load | Store => return None,
            };
            if result { returning } else { plain }
        }
    };
    Some((Some(a), Some(b)))
}
