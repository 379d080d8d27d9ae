//! Lanes' places in memory: RAX is the host's address of offset 0, RCX the first lane's offset, a vector register all offsets.

use super::super::registers::{Home, Reg};
use super::avx2::{self, LIVE as LIVE_256};
use super::{CONSTANTS, DATA_LANES, Done, Emitter, k, xmm, ymm, zmm};
use crate::x86::X86Isa;
use iced_x86::{Code, Instruction, MemoryOperand, Register};

/// Mask registers for the moment: no condition lives across an access.
const BAD: u8 = 3;
const SOME: u8 = 4;

/// Of AVX-512: how many of the two have bad lanes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Bad {
    None,
    One,
    Two,
}

/// Of EVEX_VPCMPUD: less, not equal, greater.
const BELOW: i32 = 1;
const OTHER: i32 = 4;
const ABOVE: i32 = 6;
/// The largest distance of lanes, of which there are no more than 16 to a register, at which none comes round.
const WIDEST: i32 = 1 << 26;

impl Emitter {
    /// A general register in every lane.
    pub fn splat(&mut self, r: Reg, from: Register) -> Done<()> {
        match self.host.target {
            X86Isa::Avx512 => self.op2(Code::EVEX_Vpbroadcastd_zmm_k1z_r32, zmm(r), from)?,
            X86Isa::Avx2 => {
                self.op2(Code::VEX_Vmovd_xmm_rm32, xmm(r), from)?;
                self.op2(Code::VEX_Vpbroadcastd_ymm_xmmm32, ymm(r), xmm(r))?
            }
        };
        Ok(())
    }

    /// No lane is bad so far. For [`Emitter::any_bad_lane`], which gives the register back.
    pub fn no_bad_lanes(&mut self) -> Done<Reg> {
        match self.host.target {
            X86Isa::Avx512 => {
                self.bad = Bad::None;
                Ok(0)
            }
            X86Isa::Avx2 => {
                let bad = self.temporary()?;
                self.zero(bad)?;
                Ok(bad)
            }
        }
    }

    /// Of AVX-512: the mask register for more bad lanes.
    fn more_bad(&mut self) -> Done<Register> {
        self.gather_bad()?;
        let (to, then) = if self.bad == Bad::None { (BAD, Bad::One) } else { (SOME, Bad::Two) };
        self.bad = then;
        Ok(k(to))
    }

    /// All bad lanes to one mask register.
    fn gather_bad(&mut self) -> Done<()> {
        if self.bad == Bad::Two {
            self.op3(Code::VEX_Korw_kr_kr_kr, k(BAD), k(BAD), k(SOME))?;
            self.bad = Bad::One;
        }
        Ok(())
    }

    /// Live lanes of the chunk whose offset is above the last are bad.
    pub fn bad_lanes(&mut self, bad: Reg, off: Reg, last: Reg) -> Done<()> {
        let live = self.live();
        match self.host.target {
            X86Isa::Avx512 => {
                let (to, compare) = (self.more_bad()?, Code::EVEX_Vpcmpud_kr_k1_zmm_zmmm512b32_imm8);
                self.imm3(compare, to, zmm(off), zmm(last), ABOVE)?.set_op_mask(live);
            }
            X86Isa::Avx2 => {
                let t = self.temporary()?;
                self.op3(Code::VEX_Vpminud_ymm_ymm_ymmm256, ymm(t), ymm(off), ymm(last))?;
                self.op3(Code::VEX_Vpcmpeqd_ymm_ymm_ymmm256, ymm(t), ymm(t), ymm(off))?;
                self.op3(Code::VEX_Vpandn_ymm_ymm_ymmm256, ymm(t), ymm(t), ymm(LIVE_256))?;
                self.op3(Code::VEX_Vpor_ymm_ymm_ymmm256, ymm(bad), ymm(bad), ymm(t))?;
                self.registers.unpin(t);
            }
        }
        Ok(())
    }

    /// Live lanes of the chunk whose offset is no multiple of `bytes`, a power of two, are bad.
    pub fn uneven_lanes(&mut self, bad: Reg, off: Reg, bytes: u32) -> Done<()> {
        let low = self.home(Home::Constant(bytes - 1))?;
        match self.host.target {
            X86Isa::Avx512 => {
                let (to, live) = (self.more_bad()?, self.live());
                self.op3(Code::EVEX_Vptestmd_kr_k1_zmm_zmmm512b32, to, zmm(off), zmm(low))?.set_op_mask(live);
            }
            X86Isa::Avx2 => {
                let (t, zero) = (self.temporary()?, self.temporary()?);
                self.zero(zero)?;
                self.op3(Code::VEX_Vpand_ymm_ymm_ymmm256, ymm(t), ymm(off), ymm(low))?;
                self.op3(Code::VEX_Vpcmpeqd_ymm_ymm_ymmm256, ymm(t), ymm(t), ymm(zero))?;
                self.op3(Code::VEX_Vpandn_ymm_ymm_ymmm256, ymm(t), ymm(t), ymm(LIVE_256))?;
                self.op3(Code::VEX_Vpor_ymm_ymm_ymmm256, ymm(bad), ymm(bad), ymm(t))?;
                [t, zero].into_iter().for_each(|r| self.registers.unpin(r));
            }
        }
        self.registers.unpin(low);
        Ok(())
    }

    /// A register less a word of memory.
    pub fn less_word(&mut self, d: Reg, s: Reg, word: MemoryOperand) -> Done<()> {
        self.broadcast(d, word)?;
        match self.host.target {
            X86Isa::Avx512 => self.op3(Code::EVEX_Vpsubd_zmm_k1z_zmm_zmmm512b32, zmm(d), zmm(s), zmm(d)),
            X86Isa::Avx2 => self.op3(Code::VEX_Vpsubd_ymm_ymm_ymmm256, ymm(d), ymm(s), ymm(d)),
        }
        .map(|_| ())
    }

    /// Live lanes are bad whose address in two registers is 4 GiB or more behind the base in two words of memory, or in front of it.
    pub fn far_lanes(&mut self, bad: Reg, [low, high]: [Reg; 2], base: [MemoryOperand; 2], spare: Reg) -> Done<()> {
        let (live, t) = (self.live(), self.temporary()?);
        self.less_word(t, high, base[1])?;
        self.broadcast(spare, base[0])?;
        match self.host.target {
            X86Isa::Avx512 => {
                let (compare, one) = (Code::EVEX_Vpcmpud_kr_k1_zmm_zmmm512b32_imm8, self.home(Home::Constant(1))?);
                self.gather_bad()?;
                self.imm3(compare, k(SOME), zmm(low), zmm(spare), BELOW)?;
                let borrow = Code::EVEX_Vpsubd_zmm_k1z_zmm_zmmm512b32;
                self.op3(borrow, zmm(t), zmm(t), zmm(one))?.set_op_mask(k(SOME));
                let to = self.more_bad()?;
                self.op3(Code::EVEX_Vptestmd_kr_k1_zmm_zmmm512b32, to, zmm(t), zmm(t))?.set_op_mask(live);
                self.registers.unpin(one);
            }
            X86Isa::Avx2 => {
                // Ones where nothing is borrowed: there the high words are equal, else theirs is one more.
                self.op3(Code::VEX_Vpmaxud_ymm_ymm_ymmm256, ymm(spare), ymm(spare), ymm(low))?;
                self.op3(Code::VEX_Vpcmpeqd_ymm_ymm_ymmm256, ymm(spare), ymm(spare), ymm(low))?;
                self.op3(Code::VEX_Vpsubd_ymm_ymm_ymmm256, ymm(t), ymm(t), ymm(spare))?;
                let one = self.home(Home::Constant(1))?;
                self.op3(Code::VEX_Vpcmpeqd_ymm_ymm_ymmm256, ymm(t), ymm(t), ymm(one))?;
                self.op3(Code::VEX_Vpandn_ymm_ymm_ymmm256, ymm(t), ymm(t), ymm(LIVE_256))?;
                self.op3(Code::VEX_Vpor_ymm_ymm_ymmm256, ymm(bad), ymm(bad), ymm(t))?;
                self.registers.unpin(one);
            }
        }
        self.registers.unpin(t);
        Ok(())
    }

    /// Not equal: some lane is bad.
    pub fn any_bad_lane(&mut self, bad: Reg) -> Done<()> {
        match self.host.target {
            X86Isa::Avx512 => {
                let other = if self.bad == Bad::Two { SOME } else { BAD };
                self.op2(Code::VEX_Kortestw_kr_kr, k(BAD), k(other))?
            }
            X86Isa::Avx2 => {
                self.registers.unpin(bad);
                self.op2(Code::VEX_Vptest_ymm_ymmm256, ymm(bad), ymm(bad))?
            }
        };
        Ok(())
    }

    /// The first lane's offset into RCX, and each lane's distance from it. That lane need not live: where others that do come right
    /// behind it, its offset may be below zero.
    pub fn apart(&mut self, far: Reg, off: Reg) -> Done<()> {
        match self.host.target {
            X86Isa::Avx512 => {
                self.op2(Code::EVEX_Vmovd_rm32_xmm, Register::ECX, xmm(off))?;
                self.op2(Code::EVEX_Vpbroadcastd_zmm_k1z_xmmm32, zmm(far), xmm(off))?;
                self.op3(Code::EVEX_Vpsubd_zmm_k1z_zmm_zmmm512b32, zmm(far), zmm(off), zmm(far))?;
            }
            X86Isa::Avx2 => {
                self.op2(Code::VEX_Vmovd_rm32_xmm, Register::ECX, xmm(off))?;
                self.op2(Code::VEX_Vpbroadcastd_ymm_xmmm32, ymm(far), xmm(off))?;
                self.op3(Code::VEX_Vpsubd_ymm_ymm_ymmm256, ymm(far), ymm(off), ymm(far))?;
            }
        }
        self.op2(Code::Movsxd_r64_rm32, Register::RCX, Register::ECX).map(|_| ())
    }

    /// Not equal: some live lane's distance is another than that of the table, a place among the constants.
    pub fn is_apart_by(&mut self, far: Reg, table: usize, spare: Reg) -> Done<()> {
        self.is_apart_as(far, MemoryOperand::with_base_displ(CONSTANTS, 4 * table as i64), spare)
    }

    /// Distances of lanes so many bytes behind the other.
    pub fn neighbours_of(&mut self, bytes: u32) -> MemoryOperand {
        let distances: Vec<u32> = (0..self.host.lanes() as u32).map(|lane| bytes * lane).collect();
        self.constants_at(&distances)
    }

    /// As [`Emitter::is_apart_by`], of a table anywhere.
    pub fn is_apart_as(&mut self, far: Reg, table: MemoryOperand, spare: Reg) -> Done<()> {
        let live = self.live();
        match self.host.target {
            X86Isa::Avx512 => {
                let compare = Code::EVEX_Vpcmpud_kr_k1_zmm_zmmm512b32_imm8;
                self.push(Instruction::with4(compare, k(SOME), zmm(far), table, OTHER))?.set_op_mask(live);
                self.op2(Code::VEX_Kortestw_kr_kr, k(SOME), k(SOME))?;
            }
            X86Isa::Avx2 => {
                let t = ymm(spare);
                self.push(Instruction::with3(Code::VEX_Vpcmpeqd_ymm_ymm_ymmm256, t, ymm(far), table))?;
                self.op3(Code::VEX_Vpandn_ymm_ymm_ymmm256, t, t, ymm(LIVE_256))?;
                self.op2(Code::VEX_Vptest_ymm_ymmm256, t, t)?;
            }
        }
        Ok(())
    }

    /// Not equal: some live lane's distance is not as many times that of the second lane, which goes to EDX, as its number says.
    pub fn is_strided(&mut self, far: Reg, spare: Reg) -> Done<()> {
        let lanes: Vec<u32> = (0..self.host.lanes() as u32).collect();
        let lanes = self.constants_at(&lanes);
        let live = self.live();
        match self.host.target {
            X86Isa::Avx512 => {
                self.second_lane(Code::EVEX_Vpextrd_rm32_xmm_imm8, far)?;
                self.splat(spare, Register::EDX)?;
                let times = Code::EVEX_Vpmulld_zmm_k1z_zmm_zmmm512b32;
                self.push(Instruction::with3(times, zmm(spare), zmm(spare), lanes))?;
                let compare = Code::EVEX_Vpcmpud_kr_k1_zmm_zmmm512b32_imm8;
                self.imm3(compare, k(SOME), zmm(far), zmm(spare), OTHER)?.set_op_mask(live);
                self.op2(Code::VEX_Kortestw_kr_kr, k(SOME), k(SOME))?;
            }
            X86Isa::Avx2 => {
                self.second_lane(Code::VEX_Vpextrd_rm32_xmm_imm8, far)?;
                self.splat(spare, Register::EDX)?;
                let t = ymm(spare);
                self.push(Instruction::with3(Code::VEX_Vpmulld_ymm_ymm_ymmm256, t, t, lanes))?;
                self.op3(Code::VEX_Vpcmpeqd_ymm_ymm_ymmm256, t, t, ymm(far))?;
                self.op3(Code::VEX_Vpandn_ymm_ymm_ymmm256, t, t, ymm(LIVE_256))?;
                self.op2(Code::VEX_Vptest_ymm_ymmm256, t, t)?;
            }
        }
        Ok(())
    }

    /// The second lane's word to EDX.
    fn second_lane(&mut self, code: Code, r: Reg) -> Done<()> {
        self.push(Instruction::with3(code, Register::EDX, xmm(r), 1)).map(|_| ())
    }

    /// Above: the distance in EDX is less than so many bytes, or so large that lanes could come round to one another.
    pub fn is_wide(&mut self, bytes: i32) -> Done<()> {
        self.push(Instruction::with2(Code::Sub_rm32_imm32, Register::EDX, bytes))?;
        self.push(Instruction::with2(Code::Cmp_rm32_imm32, Register::EDX, WIDEST)).map(|_| ())
    }

    /// The live lanes' bits.
    pub fn live_bits(&mut self, r: Register) -> Done<()> {
        match self.host.target {
            X86Isa::Avx512 => self.op2(Code::VEX_Kmovw_r32_kr, r, self.live()),
            X86Isa::Avx2 => self.op2(Code::VEX_Vmovmskps_r32_ymm, r, ymm(LIVE_256)),
        }
        .map(|_| ())
    }

    /// Not equal: some lane does not live. By way of a general register.
    pub fn all_lanes(&mut self, by: Register) -> Done<()> {
        self.live_bits(by)?;
        let all = (1i32 << self.host.lanes()) - 1;
        self.push(Instruction::with2(Code::Cmp_rm32_imm32, by, all)).map(|_| ())
    }

    /// Offsets of rows to those of each lane's dword in its row.
    pub fn rows_of(&mut self, d: Reg, off: Reg, bits: i32) -> Done<()> {
        let lanes = MemoryOperand::with_base_displ(CONSTANTS, 4 * avx2::NEIGHBOURS as i64);
        match self.host.target {
            X86Isa::Avx512 => {
                self.imm2(Code::EVEX_Vpslld_zmm_k1z_zmmm512b32_imm8, zmm(d), zmm(off), bits)?;
                self.push(Instruction::with3(Code::EVEX_Vpaddd_zmm_k1z_zmm_zmmm512b32, zmm(d), zmm(d), lanes))?;
            }
            X86Isa::Avx2 => {
                self.imm2(Code::VEX_Vpslld_ymm_ymm_imm8, ymm(d), ymm(off), bits)?;
                self.push(Instruction::with3(Code::VEX_Vpaddd_ymm_ymm_ymmm256, ymm(d), ymm(d), lanes))?;
            }
        }
        Ok(())
    }

    /// A chunk's words to the stack, lane by lane.
    pub fn stack_at(&mut self, r: Reg, at: i64) -> Done<()> {
        let at = MemoryOperand::with_base_displ(Register::RSP, at);
        match self.host.target {
            X86Isa::Avx512 => self.store(Code::EVEX_Vmovdqu32_zmmm512_k1z_zmm, at, zmm(r)),
            X86Isa::Avx2 => self.store(Code::VEX_Vmovdqu_ymmm256_ymm, at, ymm(r)),
        }
    }

    /// What became of the data.
    pub fn unstack(&mut self, r: Reg) -> Done<()> {
        self.unstack_at(r, DATA_LANES)
    }

    /// A chunk's words from the stack.
    pub fn unstack_at(&mut self, r: Reg, at: i64) -> Done<()> {
        let at = MemoryOperand::with_base_displ(Register::RSP, at);
        match self.host.target {
            X86Isa::Avx512 => self.load(Code::EVEX_Vmovdqu32_zmm_k1z_zmmm512, zmm(r), at),
            X86Isa::Avx2 => self.load(Code::VEX_Vmovdqu_ymm_ymmm256, ymm(r), at),
        }
    }

    pub fn load_row(&mut self, d: Reg, at: MemoryOperand) -> Done<()> {
        let live = self.live();
        match self.host.target {
            X86Isa::Avx512 => {
                let i = self.push(Instruction::with2(Code::EVEX_Vmovdqu32_zmm_k1z_zmmm512, zmm(d), at))?;
                i.set_op_mask(live);
                i.set_zeroing_masking(true);
            }
            X86Isa::Avx2 => {
                self.push(Instruction::with3(Code::VEX_Vpmaskmovd_ymm_ymm_m256, ymm(d), ymm(LIVE_256), at))?;
            }
        }
        Ok(())
    }

    /// Of AVX-512. Carry: all lanes live.
    pub fn asks_all(&mut self) -> Done<()> {
        self.op2(Code::VEX_Kortestw_kr_kr, self.live(), self.live()).map(|_| ())
    }

    /// Of AVX-512: all lanes, whoever lives.
    pub fn store_all(&mut self, at: MemoryOperand, s: Reg) -> Done<()> {
        self.store(Code::EVEX_Vmovdqu32_zmmm512_k1z_zmm, at, zmm(s))
    }

    /// All lanes, past the caches; aligned to a vector.
    pub fn stream_row(&mut self, at: MemoryOperand, s: Reg) -> Done<()> {
        match self.host.target {
            X86Isa::Avx512 => self.store(Code::EVEX_Vmovntdq_m512_zmm, at, zmm(s)),
            X86Isa::Avx2 => self.store(Code::VEX_Vmovntdq_m256_ymm, at, ymm(s)),
        }
    }

    pub fn store_row(&mut self, at: MemoryOperand, s: Reg) -> Done<()> {
        let live = self.live();
        match self.host.target {
            X86Isa::Avx512 => {
                self.push(Instruction::with2(Code::EVEX_Vmovdqu32_zmmm512_k1z_zmm, at, zmm(s)))?.set_op_mask(live);
            }
            X86Isa::Avx2 => {
                self.push(Instruction::with3(Code::VEX_Vpmaskmovd_m256_ymm_ymm, at, ymm(LIVE_256), ymm(s)))?;
            }
        }
        Ok(())
    }

    /// Of AVX-512. Distances as numbers of dwords, above all of which are those that are none. Not equal: some live lane's is not below so
    /// many.
    pub fn dwords_apart(&mut self, far: Reg, below: u32) -> Done<()> {
        self.imm2(Code::EVEX_Vprord_zmm_k1z_zmmm512b32_imm8, zmm(far), zmm(far), 2)?;
        self.are_below(far, below)
    }

    /// Not equal: some live lane's number is not below that.
    pub fn are_below(&mut self, numbers: Reg, below: u32) -> Done<()> {
        let (last, live) = (self.everywhere(below - 1), self.live());
        let compare = Code::EVEX_Vpcmpud_kr_k1_zmm_zmmm512b32_imm8;
        self.push(Instruction::with4(compare, k(SOME), zmm(numbers), last, ABOVE))?.set_op_mask(live);
        self.op2(Code::VEX_Kortestw_kr_kr, k(SOME), k(SOME)).map(|_| ())
    }

    /// Dwords by their numbers out of those from RCX on: of so many vectors, two or four.
    pub fn load_window(&mut self, d: Reg, numbers: Reg, offset: u32, vectors: u32, spare: Reg) -> Done<()> {
        let at = |n: u32| lanes_at(Register::RCX, (offset + 64 * n).into());
        let pick = Code::EVEX_Vpermt2d_zmm_k1z_zmm_zmmm512b32;
        for (n, r) in (0..vectors).step_by(2).zip([d, spare]) {
            self.load(Code::EVEX_Vmovdqu32_zmm_k1z_zmmm512, zmm(r), at(n))?;
            self.push(Instruction::with3(pick, zmm(r), zmm(numbers), at(n + 1)))?;
        }
        if vectors == 4 {
            let half = self.everywhere(32);
            let test = Code::EVEX_Vptestmd_kr_k1_zmm_zmmm512b32;
            self.push(Instruction::with3(test, k(SOME), zmm(numbers), half))?;
            self.op2(Code::EVEX_Vmovdqa32_zmm_k1z_zmmm512, zmm(d), zmm(spare))?.set_op_mask(k(SOME));
        }
        Ok(())
    }

    /// Of AVX-512: a constant, for all lanes.
    fn everywhere(&mut self, v: u32) -> MemoryOperand {
        MemoryOperand { is_broadcast: true, ..self.constant(v) }
    }

    pub fn gather(&mut self, d: Reg, off: Reg, offset: u32, spare: Reg) -> Done<()> {
        let live = self.live();
        self.zero(d)?;
        match self.host.target {
            X86Isa::Avx512 => {
                self.op2(Code::VEX_Kmovw_kr_km16, k(SOME), live)?;
                let at = lanes_at(zmm(off), offset.into());
                self.push(Instruction::with2(Code::EVEX_Vpgatherdd_zmm_k1_vm32z, zmm(d), at))?.set_op_mask(k(SOME));
            }
            X86Isa::Avx2 => {
                self.copy(spare, avx2::LIVE)?;
                let at = lanes_at(ymm(off), offset.into());
                self.push(Instruction::with3(Code::VEX_Vpgatherdd_ymm_vm32y_ymm, ymm(d), at, ymm(spare)))?;
            }
        }
        Ok(())
    }

    /// Of AVX-512.
    pub fn scatter(&mut self, off: Reg, offset: u32, s: Reg) -> Done<()> {
        let live = self.live();
        self.op2(Code::VEX_Kmovw_kr_km16, k(SOME), live)?;
        let at = lanes_at(zmm(off), offset.into());
        self.push(Instruction::with2(Code::EVEX_Vpscatterdd_vm32z_k1_zmm, at, zmm(s)))?.set_op_mask(k(SOME));
        Ok(())
    }
}

/// `offset` bytes behind the places that RAX and a register of offsets, of one lane or of all, are together.
pub fn lanes_at(offsets: Register, offset: i64) -> MemoryOperand {
    MemoryOperand::with_base_index_scale_displ_size(Register::RAX, offsets, 1, offset, 8)
}
