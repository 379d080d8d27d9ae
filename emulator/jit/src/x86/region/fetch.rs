//! Loads of scalars in host code.
//!
//! ```text
//! place:  S_LOAD: the base's address and the offset, less the slot's region, below its end. S_BUFFER_LOAD: the V# is the slot's,
//!         and the offset not above its last; else slow
//! load:   the dwords to the scalar file; who has a register of those scalars for good is loaded
//! slow:   the interpreter's operation, by a call, with everything in memory
//! ```

use super::super::emit::{Done, SCALARS, lanes_at, scalar_at, xmm, ymm};
use super::super::registers::Home;
use super::{Builder, Code, Instruction, Label, Register, in_frame, in_slot};
use std::mem::offset_of;
use wavepipe_core::wave::{Act, Fetch, HostFrame, Node, Slot};

impl Builder<'_> {
    pub(super) fn fetch(&mut self, act: &Act, fetch: &Fetch, node: &Node) -> Done<()> {
        let base = fetch.first..fetch.first + if fetch.buffer { 4 } else { 2 };
        let (slow, on) = self.with_slow_way(act, node, &[base])?;
        let of = |at| in_slot(fetch.slot, at);
        self.e.push(Instruction::with2(Code::Mov_r64_rm64, Register::RDX, in_frame(offset_of!(HostFrame, slots))))?;
        let host = of(offset_of!(Slot, host));
        if fetch.buffer {
            if self.hoisted.left(fetch.slot).words {
                self.same_words(fetch.slot, fetch.first, 4, slow)?;
            }
            self.fetch_offset(fetch)?;
            self.e.push(Instruction::with2(Code::Mov_r32_rm32, Register::EAX, of(offset_of!(Slot, last))))?;
            self.e.push(Instruction::with2(Code::Cmp_r64_rm64, Register::RCX, Register::RAX))?;
            self.jump(Code::Ja_rel32_64, slow)?;
            self.e.push(Instruction::with2(Code::Mov_r64_rm64, Register::RAX, host))?;
            self.e.push(Instruction::with2(Code::Test_rm64_r64, Register::RAX, Register::RAX))?;
            self.jump(Code::Je_rel32_64, slow)?;
        } else {
            self.fetch_offset(fetch)?;
            let base = scalar_at(SCALARS, fetch.first);
            self.e.push(Instruction::with2(Code::Mov_r64_rm64, Register::RAX, base))?;
            self.e.push(Instruction::with2(Code::And_rm64_imm8, Register::RAX, -4))?;
            self.e.push(Instruction::with2(Code::Add_r64_rm64, Register::RCX, Register::RAX))?;
            self.in_region(fetch.slot, Register::RCX, slow)?;
            self.e.push(Instruction::with2(Code::Mov_r64_rm64, Register::RAX, host))?;
        }
        self.fetch_dwords(fetch)?;
        // What registers and masks knew of them; who has one for good is loaded, here as behind a call.
        for i in fetch.dst..fetch.dst + fetch.dwords {
            self.e.written_scalar(i);
            if let Some(r) = self.e.words.find_fixed(Home::Scalar(i)) {
                self.e.fill_word(r, i)?;
            }
        }
        self.here(on);
        Ok(())
    }

    /// An address becomes the offset in the slot's region, RDX being at the slots; slow, if it is behind what is in range there.
    pub(super) fn in_region(&mut self, slot: u32, at: Register, slow: Label) -> Done<()> {
        let words = offset_of!(Slot, words);
        self.e.push(Instruction::with2(Code::Sub_r64_rm64, at, in_slot(slot, words)))?;
        self.e.push(Instruction::with2(Code::Cmp_r64_rm64, at, in_slot(slot, words + 8)))?;
        self.jump(Code::Jae_rel32_64, slow)
    }

    /// RCX: the offset from the base.
    fn fetch_offset(&mut self, fetch: &Fetch) -> Done<()> {
        let Some(i) = fetch.soffset else {
            let offset = Instruction::with2(Code::Mov_r32_imm32, Register::ECX, fetch.offset & !3);
            return self.e.push(offset).map(|_| ());
        };
        self.e.with_scalar(Code::Mov_r32_rm32, Register::ECX, i)?;
        if fetch.offset != 0 {
            self.e.push(Instruction::with2(Code::Add_rm64_imm32, Register::RCX, fetch.offset))?;
        }
        self.e.push(Instruction::with2(Code::And_rm64_imm8, Register::RCX, -4)).map(|_| ())
    }

    /// From RAX + RCX to the scalar file.
    fn fetch_dwords(&mut self, fetch: &Fetch) -> Done<()> {
        let t = self.e.temporary()?;
        let mut at = 0;
        while at < fetch.dwords {
            let from = lanes_at(Register::RCX, 4 * i64::from(at));
            let to = scalar_at(SCALARS, fetch.dst + at);
            let (load, store, r, dwords) = match fetch.dwords - at {
                1 => (Code::Mov_r32_rm32, Code::Mov_rm32_r32, Register::EDX, 1),
                2 | 3 => (Code::Mov_r64_rm64, Code::Mov_rm64_r64, Register::RDX, 2),
                4..8 => (Code::VEX_Vmovdqu_xmm_xmmm128, Code::VEX_Vmovdqu_xmmm128_xmm, xmm(t), 4),
                _ => (Code::VEX_Vmovdqu_ymm_ymmm256, Code::VEX_Vmovdqu_ymmm256_ymm, ymm(t), 8),
            };
            self.e.push(Instruction::with2(load, r, from))?;
            self.e.push(Instruction::with2(store, to, r))?;
            at += dwords;
        }
        self.e.registers.unpin(t);
        Ok(())
    }
}
