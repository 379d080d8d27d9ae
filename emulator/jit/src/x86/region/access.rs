//! Loads and stores of dwords in host code.
//!
//! ```text
//! place:   the host's address of offset 0 into RAX, the last offset in range into a vector register; scalars that are not the
//!          slot's, if no loop has compared them: slow
//! check:   all live lanes of all chunks in range, before anything is written; else slow
//! load:    chunk by chunk: lanes one behind the other by moves, lanes at one place by a broadcast, others by a gather
//! store:   lanes one behind the other by moves, other dwords by a scatter or lane by lane, the highest lane last; where several
//!          dwords of lanes could overlap in parts, for lanes are not all as far from one another, slow: the whole is then done again
//! atomic:  lane by lane, or one for all lanes at one place; aligned lanes only, else slow
//! slow:    the interpreter's operation, by a call, with everything in memory
//! ```

use super::super::emit::rows::TEMPORARIES as ROWS;
use super::super::emit::{Done, Refused, SCALARS, Stores, avx2, lanes_at, scalar_at};
use super::super::registers::{Home, Reg};
use super::by_lane::Each;
use super::{Builder, Code, Instruction, LINE, Label, Register, in_frame, in_slot};
use crate::x86::X86Isa;
use iced_x86::MemoryOperand;
use std::mem::offset_of;
use wavepipe_core::wave::{Access, Act, HostFrame, Motion, Node, Origin, Slot};

/// How far ahead of a load what comes next is fetched, in bytes: some waves, as each takes no longer than memory does.
const AHEAD: u32 = 2048;

impl Builder<'_> {
    pub(super) fn access(&mut self, act: &Act, access: &Access, node: &Node, streams: Option<u32>) -> Done<()> {
        let scalars = match access.place {
            Origin::Scratch { .. } => return self.scratch(act, access, node),
            Origin::Lds | Origin::Region { .. } => [0..0, 0..0],
            Origin::Slot { first, words, soffset, .. } => {
                [first..first + words, soffset.map_or(0..0, |i| i..i.saturating_add(1))]
            }
        };
        let (slow, on) = self.with_slow_way(act, node, &scalars)?;
        let (before, private) = (self.e.mark(), self.label());
        let last = self.place(access, slow, private)?;
        if let Some(address) = access.address {
            let aligned = matches!(access.motion, Motion::Atomic { .. });
            match access.place {
                Origin::Region { slot } => self.check_addresses(aligned, (slot, address), last, slow)?,
                _ => self.check(aligned, address, last, slow)?,
            }
        }
        self.e.registers.unpin(last);
        let parts = || access.parts.iter().flatten();
        match (access.motion, access.element) {
            (Motion::Load, Some(e)) => parts().try_for_each(|part| self.load_elements(access, e, part))?,
            (Motion::Store, Some(e)) => parts().try_for_each(|part| self.store_elements(access, e, part))?,
            (Motion::Load, None) => self.load(access)?,
            (Motion::Store, None) => self.stores(access, slow, streams)?,
            (Motion::Atomic { .. }, _) => parts().try_for_each(|part| self.atomic(access, part, on))?,
        }
        self.e.settle()?;
        if let Some((slot, soffset)) = access.may_be_private() {
            let after = self.e.mark();
            self.aside(on, |b| {
                b.here(private);
                b.e.know(before);
                b.is_private(slot, slow)?;
                b.private(access, slot, soffset, slow)?;
                b.e.settle()
            })?;
            self.e.know(after);
        }
        self.here(on);
        Ok(())
    }

    pub(super) fn mov(&mut self, r: Register, from: MemoryOperand) -> Done<()> {
        self.e.push(Instruction::with2(Code::Mov_r64_rm64, r, from)).map(|_| ())
    }

    /// Elsewhere, if scalars are not the slot's, which RDX is at.
    pub(super) fn same_words(&mut self, slot: u32, first: u8, words: u8, elsewhere: Label) -> Done<()> {
        for pair in (0..words).step_by(2) {
            let word = in_slot(slot, offset_of!(Slot, words) + 4 * usize::from(pair));
            self.same(true, scalar_at(SCALARS, first + pair), word, elsewhere)?;
        }
        Ok(())
    }

    /// Slow, if a word of memory and one of the slot differ.
    pub(super) fn same(&mut self, wide: bool, a: MemoryOperand, b: MemoryOperand, slow: Label) -> Done<()> {
        let (load, compare, r) = match wide {
            true => (Code::Mov_r64_rm64, Code::Cmp_r64_rm64, Register::RCX),
            false => (Code::Mov_r32_rm32, Code::Cmp_r32_rm32, Register::ECX),
        };
        self.e.push(Instruction::with2(load, r, a))?;
        self.e.push(Instruction::with2(compare, r, b))?;
        self.jump(Code::Jne_rel32_64, slow)
    }

    /// RAX, and the last offset in every lane of a register, pinned.
    fn place(&mut self, access: &Access, slow: Label, private: Label) -> Done<Reg> {
        let last = self.e.temporary()?;
        match access.place {
            Origin::Lds => {
                self.lds(access, slow)?;
                self.e.splat(last, Register::ECX)?;
            }
            Origin::Slot { slot, first, words, soffset } => {
                let of = |at| in_slot(slot, at);
                self.mov(Register::RDX, in_frame(offset_of!(HostFrame, slots)))?;
                let left = self.hoisted.left(slot);
                if left.words {
                    self.same_words(slot, first, words, slow)?;
                }
                // Private memory has no place of this kind, and is what is asked for then.
                let elsewhere = if access.may_be_private().is_some() { private } else { slow };
                self.place_of(access, slot, elsewhere, slow)?;
                if let Some(soffset) = soffset.filter(|_| left.soffset) {
                    self.same(false, scalar_at(SCALARS, soffset), of(offset_of!(Slot, soffset)), slow)?;
                }
                self.e.broadcast(last, of(offset_of!(Slot, last)))?;
            }
            Origin::Region { slot } => {
                self.mov(Register::RDX, in_frame(offset_of!(HostFrame, slots)))?;
                self.place_of(access, slot, slow, slow)?;
                self.e.broadcast(last, in_slot(slot, offset_of!(Slot, last)))?;
            }
            Origin::Scratch { .. } => return Err(Refused),
        }
        Ok(last)
    }

    /// LDS into RAX, and the last offset in range into RCX.
    pub(super) fn lds(&mut self, access: &Access, slow: Label) -> Done<()> {
        self.mov(Register::RAX, in_frame(offset_of!(HostFrame, lds)))?;
        self.mov(Register::RCX, in_frame(offset_of!(HostFrame, lds_bytes)))?;
        self.e.push(Instruction::with2(Code::Sub_rm64_imm32, Register::RCX, lds_bytes(access)))?;
        self.jump(Code::Jb_rel32_64, slow)
    }

    /// The slot's place into RAX, RDX being at the slots: elsewhere, if it has none; slow, if it is not aligned as an atomic's has to be.
    fn place_of(&mut self, access: &Access, slot: u32, elsewhere: Label, slow: Label) -> Done<()> {
        self.mov(Register::RAX, in_slot(slot, offset_of!(Slot, host)))?;
        self.e.push(Instruction::with2(Code::Test_rm64_r64, Register::RAX, Register::RAX))?;
        self.jump(Code::Je_rel32_64, elsewhere)?;
        if matches!(access.motion, Motion::Atomic { .. }) {
            self.e.push(Instruction::with2(Code::Test_rm8_imm8, Register::AL, 3))?;
            self.jump(Code::Jne_rel32_64, slow)?;
        }
        Ok(())
    }

    /// The chunk's offsets, pinned: those of a register, or of addresses from the region's beginning on.
    pub(super) fn offsets(&mut self, access: &Access, chunk: u8) -> Done<Option<Reg>> {
        let Some(address) = access.address else { return Ok(None) };
        let low = self.e.home(Home::Vgpr(address, chunk))?;
        let Origin::Region { slot } = access.place else { return Ok(Some(low)) };
        let off = self.e.temporary()?;
        self.mov(Register::RDX, in_frame(offset_of!(HostFrame, slots)))?;
        self.e.less_word(off, low, in_slot(slot, offset_of!(Slot, words)))?;
        self.e.registers.unpin(low);
        Ok(Some(off))
    }

    /// As [`Builder::check`], of addresses in two registers; RDX is at the slots.
    fn check_addresses(&mut self, aligned: bool, (slot, address): (u32, u32), last: Reg, slow: Label) -> Done<()> {
        let base = |word: usize| in_slot(slot, offset_of!(Slot, words) + 4 * word);
        let bad = self.e.no_bad_lanes()?;
        for chunk in 0..self.e.chunks() {
            self.e.live_lanes(chunk)?;
            let low = self.e.home(Home::Vgpr(address, chunk))?;
            let high = self.e.home(Home::Vgpr(address + 1, chunk))?;
            let off = self.e.temporary()?;
            self.e.less_word(off, low, base(0))?;
            self.e.bad_lanes(bad, off, last)?;
            if aligned {
                self.e.uneven_lanes(bad, off, 4)?;
            }
            self.e.far_lanes(bad, [low, high], [base(0), base(1)], off)?;
            [low, high, off].into_iter().for_each(|r| self.e.registers.unpin(r));
        }
        self.e.any_bad_lane(bad)?;
        self.jump(Code::Jne_rel32_64, slow)
    }

    /// Slow, if a live lane's offset is above the last, or no multiple of four where it has to be `aligned`.
    pub(super) fn check(&mut self, aligned: bool, address: u32, last: Reg, slow: Label) -> Done<()> {
        let bad = self.e.no_bad_lanes()?;
        for chunk in 0..self.e.chunks() {
            self.e.live_lanes(chunk)?;
            let off = self.e.home(Home::Vgpr(address, chunk))?;
            self.e.bad_lanes(bad, off, last)?;
            if aligned {
                self.e.uneven_lanes(bad, off, 4)?;
            }
            self.e.registers.unpin(off);
        }
        self.e.any_bad_lane(bad)?;
        self.jump(Code::Jne_rel32_64, slow)
    }

    fn load(&mut self, access: &Access) -> Done<()> {
        let dwords = || {
            let parts = access.parts.iter().flatten();
            parts.flat_map(|p| (0..access.dwords).map(|j| (p.offset + 4 * j, p.data + j)))
        };
        for chunk in 0..self.e.chunks() {
            self.e.live_lanes(chunk)?;
            let mut values = Vec::new();
            for (offset, v) in dwords() {
                values.push((offset, v, self.e.temporary()?));
            }
            match self.offsets(access, chunk)? {
                None => {
                    for &(offset, _, r) in &values {
                        self.e.broadcast(r, MemoryOperand::with_base_displ(Register::RAX, offset.into()))?;
                    }
                }
                Some(off) => {
                    self.load_lanes(off, &values, access)?;
                    self.e.registers.unpin(off);
                }
            }
            // Only now: one of them may be the address.
            for (_, v, r) in values {
                let home = self.e.home(Home::Vgpr(v, chunk))?;
                self.e.merge(home, r)?;
                self.e.registers.soil(home);
                self.e.registers.unpin(home);
                self.e.registers.unpin(r);
            }
        }
        Ok(())
    }

    /// What waves to come will load, if they go on as this one: into the host's caches, from a row of so many bytes on.
    fn ahead(&mut self, offset: u32, bytes: u32) -> Done<()> {
        for line in (offset..offset + bytes).step_by(LINE) {
            let at = lanes_at(Register::RCX, (line + AHEAD).into());
            self.e.push(Instruction::with1(Code::Prefetcht0_m8, at))?;
        }
        Ok(())
    }

    /// Into registers, of the live lanes; from memory of the host, or from LDS.
    fn load_lanes(&mut self, off: Reg, values: &[(u32, u32, Reg)], access: &Access) -> Done<()> {
        let in_memory = access.place != Origin::Lds;
        let (apart, done) = (self.label(), self.label());
        // All before the first branch: what a register is taken from has to be stored on every way.
        let (far, spare) = (self.e.temporary()?, self.e.temporary()?);
        self.e.reserve(ROWS)?;
        // Without a live lane the first one's offset is anything.
        self.e.no_lanes()?;
        self.jump(Code::Je_rel32_64, done)?;
        self.e.apart(far, off)?;
        let row = |offset: u32| lanes_at(Register::RCX, offset.into());
        if let &[(offset, _, r)] = values {
            self.e.is_apart_by(far, avx2::NEIGHBOURS, spare)?;
            self.jump(Code::Jne_rel32_64, apart)?;
            self.e.load_row(r, row(offset))?;
            if in_memory {
                self.ahead(offset, 4 * self.e.host.lanes() as u32)?;
            }
            self.jump(Code::Jmp_rel32_64, done)?;
        } else if let (&[(offset, ..), .., (last, ..)], dwords @ (2 | 4)) = (values, values.len() as u32)
            && last == offset + 4 * (dwords - 1)
        {
            self.e.all_lanes(Register::EDX)?;
            self.jump(Code::Jne_rel32_64, apart)?;
            self.e.is_apart_by(far, avx2::neighbours(dwords), spare)?;
            self.jump(Code::Jne_rel32_64, apart)?;
            let registers: Vec<Reg> = values.iter().map(|v| v.2).collect();
            self.e.load_rows(&registers, &row, offset)?;
            if in_memory {
                self.ahead(offset, 4 * dwords * self.e.host.lanes() as u32)?;
            }
            self.jump(Code::Jmp_rel32_64, done)?;
        }
        self.here(apart);
        self.load_apart(off, [far, spare], (values, access), done)?;
        self.here(done);
        [far, spare].into_iter().for_each(|r| self.e.registers.unpin(r));
        Ok(())
    }

    /// The same of lanes that are not one behind the other: of one place, where that is done; of some vectors, of two rows, or of anywhere.
    fn load_apart(
        &mut self,
        off: Reg,
        [far, spare]: [Reg; 2],
        (values, access): (&[(u32, u32, Reg)], &Access),
        done: Label,
    ) -> Done<()> {
        let (spread, anywhere) = (self.label(), self.label());
        self.e.is_apart_by(far, avx2::NOWHERE, spare)?;
        self.jump(Code::Jne_rel32_64, spread)?;
        for &(offset, _, r) in values {
            self.e.broadcast(r, lanes_at(Register::RCX, offset.into()))?;
        }
        // Of one dword that is what remains often, and stands where it is run.
        let near = values.len() == 1 && self.e.host.target == X86Isa::Avx512;
        if near {
            self.jump(Code::Jmp_rel32_64, done)?;
            self.here(spread);
            self.windows([far, spare], values, access, anywhere, done)?;
        }
        self.aside(done, |b| {
            if !near {
                b.here(spread);
                if b.e.host.target == X86Isa::Avx512 {
                    b.windows([far, spare], values, access, anywhere, done)?;
                }
            }
            b.here(anywhere);
            if let &[(offset, _, r)] = values {
                b.two_rows(off, [spare, r], done, |b| b.e.load_two_rows(r, offset))?;
            }
            values.iter().try_for_each(|&(offset, _, r)| b.e.gather(r, off, offset, spare))
        })
    }

    /// With AVX-512, lanes' dwords that lie within a few vectors from the first lane's on, all of which are in range: then done; else
    /// anywhere. Hosts take longer for a gather than for all of these.
    fn windows(
        &mut self,
        [far, spare]: [Reg; 2],
        values: &[(u32, u32, Reg)],
        access: &Access,
        anywhere: Label,
        done: Label,
    ) -> Done<()> {
        let four = self.label();
        self.last_offset(access)?;
        self.e.dwords_apart(far, 64)?;
        self.jump(Code::Jne_rel32_64, anywhere)?;
        self.e.are_below(far, 32)?;
        self.jump(Code::Jne_rel32_64, four)?;
        for (vectors, label) in [(2, None), (4, Some(four))] {
            if let Some(label) = label {
                self.here(label);
            }
            // The first lane's may be below zero.
            self.e.push(Instruction::with2(Code::Sub_rm32_imm32, Register::EDX, 64 * vectors as i32 - 4))?;
            self.jump(Code::Jb_rel32_64, anywhere)?;
            self.e.push(Instruction::with2(Code::Cmp_r64_rm64, Register::RCX, Register::RDX))?;
            self.jump(Code::Ja_rel32_64, anywhere)?;
            for &(offset, _, r) in values {
                self.e.load_window(r, far, offset, vectors, spare)?;
            }
            self.jump(Code::Jmp_rel32_64, done)?;
        }
        Ok(())
    }

    /// The last offset in range of a load to EDX.
    fn last_offset(&mut self, access: &Access) -> Done<()> {
        match access.place {
            Origin::Lds => {
                self.e.push(Instruction::with2(
                    Code::Mov_r32_rm32,
                    Register::EDX,
                    in_frame(offset_of!(HostFrame, lds_bytes)),
                ))?;
                let bytes = lds_bytes(access);
                self.e.push(Instruction::with2(Code::Sub_rm32_imm32, Register::EDX, bytes))?;
            }
            Origin::Slot { slot, .. } | Origin::Region { slot } | Origin::Scratch { slot, .. } => {
                self.mov(Register::RDX, in_frame(offset_of!(HostFrame, slots)))?;
                self.e.push(Instruction::with2(
                    Code::Mov_r32_rm32,
                    Register::EDX,
                    in_slot(slot, offset_of!(Slot, last)),
                ))?;
            }
        }
        Ok(())
    }

    /// `streams`: the slot, if rows may go past the caches.
    fn stores(&mut self, access: &Access, slow: Label, streams: Option<u32>) -> Done<()> {
        if access.address.is_none() {
            return self.jump(Code::Jmp_rel32_64, slow);
        }
        if let (1, [Some(first), Some(second)]) = (access.dwords, access.parts)
            && second.offset == first.offset + 4
        {
            // Both are one where lanes do not overlap, else one after the other.
            let dwords = [(first.offset, first.data), (second.offset, second.data)];
            return self.store(access, &dwords, None, streams);
        }
        for part in access.parts.iter().flatten() {
            let dwords: Vec<(u32, u32)> = (0..access.dwords).map(|j| (part.offset + 4 * j, part.data + j)).collect();
            // Dwords of several lanes may overlap in parts, in an order of their own.
            self.store(access, &dwords, Some(slow), streams)?;
        }
        Ok(())
    }

    /// Dwords by offset and register, one behind the other; where the lanes' are not, `overlapping`, or each dword by itself.
    fn store(
        &mut self,
        access: &Access,
        dwords: &[(u32, u32)],
        overlapping: Option<Label>,
        streams: Option<u32>,
    ) -> Done<()> {
        let offset = dwords.first().ok_or(Refused)?.0;
        let row = |offset: u32| lanes_at(Register::RCX, offset.into());
        for chunk in 0..self.e.chunks() {
            self.e.live_lanes(chunk)?;
            let (off, far) = (self.offsets(access, chunk)?.ok_or(Refused)?, self.e.temporary()?);
            let spare = self.e.temporary()?;
            let mut data = Vec::new();
            for &(_, v) in dwords {
                data.push(self.e.home(Home::Vgpr(v, chunk))?);
            }
            self.e.reserve(ROWS)?;
            let (done, spread) = (self.label(), self.label());
            self.e.apart(far, off)?;
            self.e.is_apart_by(far, avx2::neighbours(dwords.len() as u32), spare)?;
            if let [r] = data[..] {
                self.jump(Code::Jne_rel32_64, spread)?;
                if let Some(slot) = streams {
                    let plain = self.label();
                    self.past_caches(slot, row(offset), 4 * self.e.host.lanes() as u32, plain)?;
                    self.e.all_lanes(Register::EDX)?;
                    self.jump(Code::Jne_rel32_64, plain)?;
                    self.e.stream_row(in_line(0), r)?;
                    self.streamed(true)?;
                    self.jump(Code::Jmp_rel32_64, done)?;
                    self.here(plain);
                }
                self.store_row(row(offset), r)?;
                self.aside(done, |b| {
                    b.here(spread);
                    b.two_rows(off, [far, spare], done, |b| b.e.store_two_rows(r, offset))?;
                    b.store_spread(off, offset, r)
                })?;
            } else {
                let strided = self.label();
                self.jump(Code::Jne_rel32_64, if overlapping.is_some() { strided } else { spread })?;
                self.e.all_lanes(Register::EDX)?;
                self.jump(Code::Jne_rel32_64, spread)?;
                match data.len() {
                    2 | 4 => {
                        if let Some(slot) = streams {
                            let plain = self.label();
                            self.past_caches(slot, row(offset), LINE as u32, plain)?;
                            self.e.store_rows(&data, &|at| in_line(at - offset), offset, true)?;
                            self.streamed(true)?;
                            self.jump(Code::Jmp_rel32_64, done)?;
                            self.here(plain);
                        }
                        self.e.store_rows(&data, &row, offset, false)?;
                    }
                    _ => self.jump(Code::Jmp_rel32_64, spread)?,
                }
                self.aside(done, |b| {
                    b.here(strided);
                    if let Some(overlapping) = overlapping {
                        b.e.is_strided(far, spare)?;
                        b.jump(Code::Jne_rel32_64, overlapping)?;
                        b.e.is_wide(4 * dwords.len() as i32)?;
                        b.jump(Code::Ja_rel32_64, overlapping)?;
                    }
                    b.here(spread);
                    data.iter().zip(dwords).try_for_each(|(&r, &(offset, _))| b.store_spread(off, offset, r))
                })?;
            }
            self.here(done);
            data.into_iter().chain([off, far, spare]).for_each(|r| self.e.registers.unpin(r));
        }
        Ok(())
    }

    /// With AVX-512, lanes in two rows, as of work-groups that are eight wide; then done.
    fn two_rows(
        &mut self,
        off: Reg,
        [spare, other]: [Reg; 2],
        done: Label,
        rows: impl FnOnce(&mut Self) -> Done<()>,
    ) -> Done<()> {
        if self.e.host.target != X86Isa::Avx512 {
            return Ok(());
        }
        let uneven = self.label();
        self.e.is_two_rows(off, spare, other)?;
        self.jump(Code::Jne_rel32_64, uneven)?;
        rows(self)?;
        self.jump(Code::Jmp_rel32_64, done)?;
        self.here(uneven);
        Ok(())
    }

    /// Lanes' dwords to anywhere, the highest lane last.
    fn store_spread(&mut self, off: Reg, offset: u32, r: Reg) -> Done<()> {
        match self.e.host.target {
            X86Isa::Avx512 => self.e.scatter(off, offset, r),
            X86Isa::Avx2 => self.by_lane(off, r, offset, Each::DWORD),
        }
    }

    /// A row's live lanes. All of them are stored by the instruction that stores all: hosts take long for one under a mask, and what it
    /// stores is not read back before it is in the caches.
    pub(super) fn store_row(&mut self, at: MemoryOperand, r: Reg) -> Done<()> {
        if self.e.host.target == X86Isa::Avx2 {
            return self.e.store_row(at, r);
        }
        let (some, done) = (self.label(), self.label());
        self.e.asks_all()?;
        self.jump(Code::Jae_rel32_64, some)?;
        self.e.store_all(at, r)?;
        self.jump(Code::Jmp_rel32_64, done)?;
        self.here(some);
        self.e.store_row(at, r)?;
        self.here(done);
        Ok(())
    }

    /// Behind the nodes: the operation by a call, then on where the access ends.
    pub(super) fn slow_access(&mut self, operation: u32, before: u32, loads: Stores, on: Label) -> Done<()> {
        self.drain()?;
        self.call_of(operation, before)?;
        self.e.load_all(loads)?;
        self.e.live_from_memory()?;
        self.jump(Code::Jmp_rel32_64, on)
    }
}

/// So far behind RSI, which is where a streamed store goes.
fn in_line(offset: u32) -> MemoryOperand {
    MemoryOperand::with_base_displ(Register::RSI, offset.into())
}

/// Bytes of LDS from offset 0 on that an access takes.
fn lds_bytes(access: &Access) -> i32 {
    let most = access.parts.iter().flatten().map(|p| p.offset).max().unwrap_or(0);
    (most + access.element.map_or(4 * access.dwords, |e| e.bytes)) as i32
}
